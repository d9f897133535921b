"""Release notes: each version changes what an older page still says."""

DOCUMENTS = {
    "release_38_en.md": """
# Release notes: Cirrocost 3.8
@2024-03-12

## Highlights

Version 3.8 is a maintenance release with a new budget page.

## New

- Rolling budgets take the mean of the last three complete months.
- The Borea connector reads reseller contracts.
- Reports can be scheduled to at most 10 recipients.

## Changed

- The API allows 60 requests a minute per token. Version 1 of the API is the only one.
- Thresholds of budgets are checked once a day at 02:00 UTC.
- The limit of tag rules rises from 30 to 50 per workspace.
- CSV exports may have 100,000 rows. Links to them are valid for 24 hours.

## Fixed

- Altis credits were counted twice when a payer account had more than one export.
- The currency sign of the Korean won was missing in PDF reports.

## Known problems

The anomaly detector needs 30 days of history and treats the change to summer time as an anomaly.
""",
    "release_40_en.md": """
# Release notes: Cirrocost 4.0
@2024-10-01

## Highlights

Version 4.0 brings a new API, the commitment planner and new prices.

## New

- Version 2 of the API under /v2. Version 1 goes on working; a date for its end will be announced.
- Commitment planner for Altis and Borea on Business and Enterprise.
- Forecast budgets.
- The Haneul connector leaves its trial phase.

## Changed

- Team costs 49 dollars instead of 39 for new customers. Existing customers keep their price until the first renewal
after 30 September 2026.
- The discount for paying yearly is 10 percent instead of 15.
- The API allows 120 requests a minute per token.
- Text messages as a channel for alerts are removed.

## Fixed

- Workspaces with more than 20 connectors saw an empty overview.
- Scheduled reports ignored the time zone of the workspace.

## Known problems

The commitment planner takes longer than 15 minutes for organisations with more than 400 accounts. A repair is planned
for 4.1.
""",
    "release_41_en.html": """
# Release notes: Cirrocost 4.1
@2025-02-18

## Highlights

More room on Team, faster alerts, and a date for the end of API version 1.

## New

- Slack alerts are part of Team. Up to now they needed Business.
- Security keys can be used as a second factor.
- Analysts can make API tokens that may only read.

## Changed

- Retention on Team grows from 13 to 24 months. Data that has already been deleted is not restored.
- Thresholds are checked every 6 hours instead of once a day. A budget can have 5 thresholds instead of 3.
- The limit of tag rules rises from 50 to 200 on Team and Business.
- Version 1 of the API will be switched off on 30 June 2025.

## Fixed

- The commitment planner finishes within 15 minutes again for large organisations.
- CCX-4131 was shown instead of CCX-4130 when a Borea secret had expired.

## Known problems

Windows of the private region are not updated until the second week of March.
""",
    "release_42_en.html": """
# Release notes: Cirrocost 4.2
@2025-06-17

## Highlights

A role for auditors, larger exports, shorter sessions.

## New

- The role Auditor reads everything including the audit log and does not count as a paid user. Five are free per
workspace.
- KakaoWork as a channel for alerts in the Korean region, from Team on.
- The external ID of an Altis connector can be renewed without a break.

## Changed

- Sessions end after 8 hours instead of 12. Invitations are valid for 72 hours instead of 7 days.
- CSV exports may have 1,000,000 rows instead of 100,000. Links are valid for 48 hours instead of 24.
- The anomaly detector needs 14 days of history instead of 30.
- Tag keys are compared without regard to case.
- The API allows 300 requests a minute on Business and Enterprise. Other plans stay at 120.
- The end of version 1 of the API is postponed from 30 June to 31 October 2025.

## Fixed

- Rolling budgets counted the current month when it was the first of a quarter.
- The Haneul connector marked months as final one day too early when the fifth business day followed a holiday.

## Known problems

After the change to case-insensitive keys, two virtual tags whose names differ only in case are shown as one. Rename
one of them.
""",
    "release_43_en.md": """
# Release notes: Cirrocost 4.3
@2025-10-14

## Highlights

Alerts every hour, quiet hours, and the end of API version 1.

## New

- Quiet hours for alerts, with Always deliver for what must get through.
- Two-person closing of a month on Business and Enterprise.
- Validation of tag rules through the API, POST /v2/tags/rules:validate.
- Destinations: exports as Parquet to a bucket of your own.

## Changed

- Thresholds are checked every hour at minute 15 instead of every 6 hours.
- Forecast thresholds stay silent for the first 7 days of a period instead of 10.
- The limit of tag rules is 500 on Enterprise. Team and Business stay at 200.
- The page size of the API rises from 500 to 1,000.
- Version 1 of the API is switched off on 31 October 2025. Calls then get the status 410.

## Fixed

- The error CCX-5003 was shown for four hours after a sync had been stopped by hand.
- Reprocessing of tag rules could include closed months.
- The Excel export dropped the last column when it was empty.

## Known problems

Webhooks that answer with status 202 and an empty body are counted as failed. Answer with 200 until 4.3.1 is out.
""",
    "release_431_en.md": """
# Release notes: Cirrocost 4.3.1
@2025-11-18

## Fixed

- Webhooks that answer with status 202 are counted as delivered.
- Quiet hours that span midnight ended one hour early on the day of the change to winter time.
- The Borea connector read the amortised data set twice when only that data set was ticked; totals since 14 October
are repaired by themselves.

## Changed

- Check now can be used 10 times a day per budget instead of 4.
- External recipients who do not confirm their address within 14 days are removed from a threshold.

## Known problems

The mobile app shows the old number of remaining checks until its next update.
""",
    "release_42_ko.md": """
# 릴리스 노트: Cirrocost 4.2
@2025-06-17

## 주요 변경

감사자 역할이 추가되었고, 내보내기 한도가 커졌으며, 세션이 짧아졌습니다.

## 추가

- 감사자 역할: 감사 로그를 포함해 모든 화면을 읽을 수 있습니다. 워크스페이스마다 5명까지 무료입니다.
- 국내 리전에서 카카오워크 알림을 받을 수 있습니다. 팀 요금제 이상에서 제공됩니다.
- 국내 리전의 백업을 국내의 두 번째 시설에 보관합니다.

## 변경

- 세션 유지 시간이 12시간에서 8시간으로, 초대 링크의 유효 기간이 7일에서 72시간으로 줄었습니다.
- CSV 내보내기 한도가 10만 행에서 100만 행으로, 링크 유효 시간이 24시간에서 48시간으로 늘었습니다.
- 이상 비용 탐지에 필요한 이력이 30일에서 14일로 줄었습니다.
- 하늘 클라우드 비용 라벨의 최대 개수가 20개에서 30개로 늘었습니다.

## 수정

- 공휴일 다음 날이 5영업일일 때 하늘 클라우드의 확정일이 하루 빠르게 표시되던 문제를 고쳤습니다.
- 한글 파일 이름의 CSV가 일부 브라우저에서 깨지던 문제를 고쳤습니다.

## 알려진 문제

- 카카오워크 채팅방 이름을 바꾸면 연결이 끊어진 것처럼 보입니다. 알림은 정상적으로 전달됩니다.
""",
    "release_43_ko.html": """
# 릴리스 노트: Cirrocost 4.3
@2025-10-14

## 주요 변경

매시간 알림 확인, 방해 금지 시간, 두 사람이 승인하는 월마감이 추가되었습니다.

## 추가

- 방해 금지 시간: 정한 시간 동안 알림을 모아 두었다가 끝나는 시각에 한 번에 보냅니다.
- 월마감 2인 승인: 비즈니스와 엔터프라이즈에서 쓸 수 있습니다. 요청한 사람은 승인할 수 없습니다.
- 마감 파일에 계정과목 열을 추가했습니다.

## 변경

- 예산 임계값을 6시간마다가 아니라 매시간 15분에 확인합니다.
- 예측 임계값은 기간 초 10일이 아니라 7일 동안 알리지 않습니다.
- 마감 취소는 가장 최근에 마감한 한 달만 가능합니다. 4.2까지는 3개월 전까지 취소할 수 있었습니다.
- API 버전 1을 2025년 10월 31일에 종료합니다.

## 수정

- 마감한 달이 태그 재처리에 포함되던 문제를 고쳤습니다.
- 세금계산서 수신 이메일을 두 개 등록하면 두 번째 주소로만 발송되던 문제를 고쳤습니다.

## 알려진 문제

- 방해 금지 시간은 공휴일을 인식하지 않습니다. 국내 공휴일 달력은 다음 버전에 추가할 예정입니다.
""",
}
