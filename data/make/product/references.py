"""References: error codes, limits, prices, API. Look-alike identifiers on purpose."""

DOCUMENTS = {
    "ref_error_codes_en.html": """
# Error codes
@2025-10-14

Every message of Cirrocost carries a code. The first digit after CCX- names the area: 1 sign-in, 2 tags and
allocation, 3 exports, 4 connectors, 5 service. In area 4 the second digit names the cloud: 0 Altis, 1 Borea, 2
Haneul, 9 flat files.

## Area 1: sign-in and tokens

| Code | Meaning | What to do |
| --- | --- | --- |
| CCX-1001 | The API token is unknown | Check that the token begins with cct_ and was copied completely |
| CCX-1003 | The API token has expired | Make a new token; expired ones cannot be extended |
| CCX-1007 | The session was ended by another sign-in | Raise the number of sessions or sign out elsewhere |
| CCX-1102 | The SAML assertion has no e-mail address | Map the attribute email |
| CCX-1104 | The SAML assertion is too old or from the future | Correct the clock; 300 seconds are tolerated |
| CCX-1109 | The user is not assigned to the workspace | Assign the user or switch on automatic creation |

## Area 2: tags and allocation

| Code | Meaning | What to do |
| --- | --- | --- |
| CCX-2201 | The limit of tag rules is reached | Merge rules or change the plan |
| CCX-2204 | The rule has a faulty regular expression | Use the validation, which names the position |
| CCX-2207 | Fixed percentages do not add up to 100 | Correct the shares; two decimals are allowed |
| CCX-2211 | A reprocessing is running | Wait until it has ended; rules cannot be published meanwhile |

## Area 3: exports

| Code | Meaning | What to do |
| --- | --- | --- |
| CCX-3010 | The export is too large | Split it by month or use the API |
| CCX-3012 | The download link has expired | Start the export again |
| CCX-3015 | The destination bucket refuses the file | Check the write permission of the destination |

## Area 4: connectors

### Altis

| Code | Meaning | What to do |
| --- | --- | --- |
| CCX-4030 | The role cannot be assumed | Compare the role's name; a standalone account needs CirrocostReadRole-Single |
| CCX-4031 | The external ID does not match | Copy the ID of the wizard that was opened last |
| CCX-4032 | The bucket lies in another region | Enter the bucket's region |
| CCX-4033 | No manifest found | Wait for the first export, 8 or 20 hours |

### Borea

| Code | Meaning | What to do |
| --- | --- | --- |
| CCX-4130 | The client secret has expired | Replace the secret; missing days are fetched within 30 days |
| CCX-4131 | The scope is too narrow | Grant Cost Reader on the billing account, then wait 30 minutes |
| CCX-4133 | The amortised data set is missing | Tick the data set; commitment reports stay empty otherwise |

### Haneul

| Code | Meaning | What to do |
| --- | --- | --- |
| CCX-4230 | Our address is not on the list | Enter both ranges |
| CCX-4231 | The key is disabled | Use the key of the sub-account, and use it at least every 90 days |
| CCX-4233 | The month is provisional | Nothing; the month becomes final on the fifth business day |

### Flat files

| Code | Meaning | What to do |
| --- | --- | --- |
| CCX-4901 | A column is missing | Provide date, service, account, cost and currency |
| CCX-4903 | The file is larger than 200 megabytes | Split the file by day |

## Area 5: service

| Code | Meaning | What to do |
| --- | --- | --- |
| CCX-5001 | Too many requests | Wait for the number of seconds in Retry-After |
| CCX-5003 | A sync is running already | Wait; a sync takes up to 40 minutes |
| CCX-5009 | Maintenance | See the status page; windows are announced 5 days ahead |

Codes that are not listed here come from the cloud itself and are shown with the cloud's own text.
""",
    "ref_error_codes_ko.html": """
# 오류 코드 안내
@2025-10-14

국내 고객이 자주 문의하는 코드를 원인과 조치 순서로 정리했습니다. 전체 목록은 영문 문서에 있습니다.

## 연결 오류

### CCX-4230: 하늘 클라우드 허용 주소 누락

원인은 보안팀이 허용 주소를 정리하면서 두 범위 가운데 하나를 지운 경우가 대부분입니다. 테스트가 성공했다가 실패하기를
되풀이하면 이 경우입니다.

1. 하늘 콘솔의 하위 계정 화면에서 허용 주소를 엽니다.
2. 198.51.100.16/28과 203.0.113.64/28이 모두 있는지 확인합니다.
3. 저장하고 5분 뒤에 연결 테스트를 다시 실행합니다.

### CCX-4231: 하늘 클라우드 키 비활성화

원인은 셋 중 하나입니다. 개인 사용자의 키를 썼고 그 계정이 닫혔거나, 커넥터를 90일 넘게 일시 중지했거나, 파트너가
전달한 키를 7일 안에 쓰지 않은 것입니다.

1. 하위 계정 cirro-billing에서 새 키를 만듭니다.
2. 설정 > 커넥터 > (커넥터) > 자격 증명 > 키 교체에서 바꿉니다.
3. 지금 동기화를 눌러 빠진 날짜를 채웁니다.

### CCX-4130: Borea 비밀 만료

1. 새 클라이언트 비밀을 만듭니다.
2. 비밀 교체에서 값을 바꾸고 테스트합니다.
3. 30일이 지나지 않았다면 빠진 날짜는 자동으로 채워집니다.

### CCX-4031: Altis 외부 ID 불일치

마법사를 여러 번 열어 외부 ID가 바뀐 것입니다. 마지막으로 연 화면의 값을 역할에 넣으십시오. 24시간이 지났다면 외부
ID를 갱신해야 합니다.

## 로그인 오류

### CCX-1104: SAML 시각 차이

회사 인증 서버의 시각이 Cirrocost와 300초 넘게 차이 납니다. 인증 서버의 시간 동기화 설정을 확인하십시오.

### CCX-1109: 워크스페이스에 할당되지 않은 사용자

통합 로그인에는 성공했지만 워크스페이스 사용자가 아닙니다. 관리자가 사용자를 추가하거나 설정 > 보안 > 통합 로그인에서
자동 생성을 켜야 합니다.

## 배분 오류

### CCX-2207: 고정 비율의 합이 100이 아님

소수점 셋째 자리에서 반올림하면 합이 99.99나 100.01이 되는 일이 많습니다. 마지막 그룹의 비율을 나머지로 입력하십시오.

### CCX-2211: 재처리 진행 중

재처리는 최대 4시간이 걸립니다. 끝날 때까지 규칙을 게시할 수 없으므로 업무 시간 이후에 실행하기를 권합니다.
""",
    "ref_limits_en.md": """
# Limits by plan
@2025-10-14

Valid for version 4.3. Limits that are not listed do not exist or can be raised by support.

Table: Limits per workspace
| Limit | Starter | Team | Business | Enterprise |
| --- | --- | --- | --- | --- |
| Connectors | 1 | 5 | 20 | no limit |
| Users included | 3 | 10 | 25 | by contract |
| Retention in months | 3 | 24 | 36 | 60 |
| Budgets | 2 | 50 | 300 | 2,000 |
| Thresholds per budget | 2 | 5 | 5 | 5 |
| Tag rules | 10 | 200 | 200 | 500 |
| Allocation groups | 5 | 100 | 400 | 1,500 |
| Shared cost rules | none | 40 | 40 | 40 |
| Reprocessing in months | none | 3 | 12 | 12 |
| API requests a minute | none | 120 | 300 | 300 |
| Scheduled reports | none | 20 | 100 | 500 |
| Audit log in months | none | 12 | 36 | 36 |

Table: Limits that are the same on all plans
| Limit | Value |
| --- | --- |
| Rows of a CSV export | 1,000,000 |
| Rows of an Excel export | 50,000 |
| Validity of an export link | 48 hours |
| E-mail recipients per threshold | 20 |
| Conditions per tag rule | 20 |
| Size of a flat file | 200 megabytes |
| Length of a session | 8 hours |
| Validity of an invitation | 72 hours |
| Free Auditors on paid plans | 5 |

## How limits are enforced

Limits of number, such as budgets, are checked when something is created. Limits of time, such as retention, are
applied every night at 01:00 UTC. The limit of requests is counted per token in a sliding window of 60 seconds. Nobody
is charged for reaching a limit.
""",
    "ref_limits_ko.md": """
# 요금제별 한도 (국내 리전)
@2025-10-14

국내 리전은 일부 한도가 다릅니다. 여기에 없는 항목은 영문 한도 문서를 따릅니다.

Table: 국내 리전에서 다른 한도
| 항목 | 팀 | 비즈니스 | 엔터프라이즈 |
| --- | --- | --- | --- |
| 분당 API 요청 | 100 | 200 | 300 |
| 카카오워크 채팅방 | 10 | 10 | 10 |
| 배분 그룹 | 100 | 300 | 1,000 |
| 예약 리포트 | 20 | 100 | 300 |
| 접속 주소 범위 | 없음 | 없음 | 20 |

## 참고

국내 리전의 분당 API 요청 한도는 서울 시설의 용량 때문에 낮습니다. 2026년 상반기에 다른 리전과 같게 올릴 계획입니다.
그 밖에 예산 수, 태그 규칙 수, 보관 기간은 다른 리전과 같습니다.

점검 시간도 다릅니다. 국내 리전은 매월 셋째 일요일 02:00부터 04:00까지 점검하며, 이때 API는 CCX-5009를 돌려줍니다.
점검 중에 놓친 예산 확인은 점검이 끝난 직후 한 번 실행됩니다.
""",
    "ref_pricing_en.pdf": """
# Price list
@2025-10-14

Valid from 14 October 2025 until further notice. Prices in US dollars, without tax. The list in Korean won is
published separately.

## Monthly prices

| Plan | Per workspace | Users included | Each further user | Tracked spend up to |
| --- | --- | --- | --- | --- |
| Starter | 0 | 3 | not possible | 5,000 |
| Team | 49 | 10 | 6 | 50,000 |
| Business | 249 | 25 | 8 | 500,000 |
| Enterprise | quoted | by contract | by contract | by contract |

Paid yearly, Team and Business cost 10 percent less. Team is then 529.20 dollars and Business 2,689.20 dollars a year.

## Options

| Option | Available on | Price per month |
| --- | --- | --- |
| Private region | Enterprise | 900 |
| Additional connector | Team, Business | 15 |
| Longer retention, 12 months more | Business | 60 |
| Premium support | Business | 180 |

Premium support answers critical questions within 2 hours, around the clock. Standard support answers within one
working day, from 9 to 18 o'clock in the region of the workspace. Starter has the community forum only.

---

## Three examples

A start-up with 12 people on Team pays 49 dollars and 6 dollars for each of two further users, 61 dollars a month in
all.

An agency on Team needs seven connectors. Five are included, two cost 15 dollars each. With ten users it pays 79
dollars a month.

A retailer on Business with 40 users pays 249 dollars and 8 dollars for each of 15 further users, 369 dollars a month.
With premium support it is 549 dollars.

## Discounts

Non-profit organisations get 30 percent on Team and Business. Schools and universities get Business for 99 dollars if
it is used in teaching. Discounts are not added up; the larger one is valid.

## Changes

Price changes are announced 60 days ahead and apply from the next renewal. Team was 39 dollars until 30 September 2024.
""",
    "ref_api_en.html": """
# API reference, version 2
@2025-10-20

The base address is https://api.cirrocost.example/v2. All answers are JSON. Times are UTC in ISO 8601, amounts are
strings with two decimals so that nothing is lost in rounding.

## Authentication

Send the token in the header Authorization as Bearer, and the number of the workspace in X-Cirro-Workspace. Tokens
begin with cct_. A token lives 90 days unless its creator chooses another time, at most 365 days. Owners and Admins
make tokens with full access; Analysts make tokens that may only read and that see what their creator sees.

```
GET /v2/costs?from=2025-10-01&to=2025-10-31&group_by=service
Authorization: Bearer cct_...
X-Cirro-Workspace: 48213
```

## Pages

Lists are cut into pages. The parameter page_size is 100 unless you set it, at most 1,000. The answer carries
next_cursor; send it back as cursor. A cursor is valid for 10 minutes.

## Limits

120 requests a minute on Team, 300 on Business and Enterprise, counted per token. The Korean region has lower limits.
Beyond that the answer is 429 with CCX-5001 and the header Retry-After in seconds.

## Costs

| Method and path | Does | Token |
| --- | --- | --- |
| GET /costs | Cost lines, grouped by at most 3 dimensions | read |
| GET /costs/forecast | Forecast for the running period | read |
| POST /costs/adjustments | Adds an adjustment | full |

Table: Parameters of GET /costs
| Parameter | Meaning | Default |
| --- | --- | --- |
| from, to | First and last day, both included, at most 366 days | current month |
| group_by | service, account, connector, region, tag:NAME, group | none |
| granularity | day, month, or hour for Altis | day |
| dataset | actual or amortised | actual |
| include_credits | true or false | true |

## Budgets

| Method and path | Does | Token |
| --- | --- | --- |
| GET /budgets | All budgets that the token sees | read |
| POST /budgets | Creates a budget | full |
| PATCH /budgets/{id} | Changes amount, thresholds or recipients | full |
| POST /budgets/{id}:rearm | Re-arms fired thresholds | full |

A budget cannot be deleted through the API. Archive it with PATCH and "archived": true.

## Exports

POST /exports starts an export and answers with 202 and an id. Ask GET /exports/{id} every 10 seconds at most; when
the state is done, the field url holds a link that is valid for 48 hours. Formats are csv, xlsx and parquet.

## Connectors

GET /connectors lists connectors with their state and the time of the last import. POST /connectors/{id}/sync starts a
sync; while one is running the answer is 409 with CCX-5003. Connectors cannot be created through the API, because
their credentials must not pass through scripts.

## Anomalies

GET /anomalies takes state and since. PATCH /anomalies/{id} sets the state expected, investigating or resolved, and
the note.

## Tag rules

GET /tags/rules lists the rules in their order. POST /tags/rules:validate, new in 4.3, checks a rule without storing
it and answers with the cost of the last 30 days that it would match.

## Webhook example: stop test machines

A webhook sends budget, threshold, amount and period. The header X-Cirro-Signature holds the HMAC-SHA256 of the body
with your secret. Compare it before you act. A small function of yours can then stop machines with the tag env=test.
Cirrocost itself has no right to stop anything.

## Moving from version 1

Version 1 was switched off on 31 October 2025 and answers 410. Three things changed: amounts are strings, dates
include the last day, and the header Workspace-Id is now X-Cirro-Workspace.
""",
}
