"""Joon's further lectures as slides with the lecturer's notes."""

DOCUMENTS = {
    "joon/db_query_planning_en.pptx": """
# DBS310 week 7: how a query is executed
@2026-04-14

## From text to rows

- The parser checks the words, the rewriter unfolds views.
- The planner compares ways to get the answer.
- The executor runs the cheapest one, row by row.

// The planner never sees the data itself, only statistics about it. Keep this in mind for the whole lecture.

## Cost

- Cost is an abstract number, not milliseconds.
- Reading a page in sequence costs 1.0, reading a random page 4.0 by default.
- On solid-state disks many people lower the second to 1.1.

// A wrong ratio makes the planner avoid indexes on fast disks. It is the first setting to look at in the lab.

## Statistics

- For each column: number of distinct values, most common values, a histogram
- Collected by ANALYZE from a sample of rows
- Correlated columns mislead the planner.

// Town and postcode are the classic example: the planner multiplies two probabilities that are not independent.

## Nested loop join

- For every row on the left, look for partners on the right.
- Good when the left side is small and the right side has an index
- Terrible when the left side was thought small and is not

// Nine of ten slow queries in the project reviews are a nested loop over a wrong estimate.

## Hash join

- Build a hash table from the smaller side, then run through the larger one.
- Needs memory for the smaller side
- Works for equality only

// When the memory is not enough the table is split into batches on disk. Look for the word Batches in the plan.

## Merge join

- Sort both sides, then walk along them together.
- Free when both sides come sorted from an index
- The only fast one for some range conditions

// Students forget that a sort costs memory as well.

## Comparing the three

Table: Joining 1 million orders with 50,000 customers
| Method | Index used | Time in the lab |
| --- | --- | --- |
| Nested loop | on customer | 2.9 s |
| Hash | none | 0.6 s |
| Merge | both primary keys | 0.9 s |

// With a filter that keeps 20 customers the nested loop needs 4 milliseconds and wins. There is no best join, only a
best join for an estimate.

## Sorting and grouping

- A sort that fits into work_mem stays in memory.
- The default of work_mem is 4 megabytes per operation, not per query.
- Grouping can use a hash table or a sort.

// A query with six sorts and forty users can need far more memory than you think: multiply.

## Reading a plan

1. Start at the innermost line.
2. Compare estimated and real rows.
3. Multiply the time by the number of loops.
4. Find the line in which most of the time is new.

// Step 3 is what everybody forgets. A line that shows 0.02 ms and loops=90000 has used 1.8 seconds.

## Prepared statements

- Planning costs time, too: 0.3 ms for a small query.
- A prepared statement can reuse its plan.
- After five executions the planner may choose one plan for all parameters.

// If a parameter decides whether 2 or 2 million rows come back, one plan for all is a trap.

## Lab 7

- Take the five slow queries from the course server.
- Make each of them ten times faster without changing its result.
- Hand in both plans and one sentence per query.

// No late submissions, as for all labs of this course. The two lowest labs are dropped anyway.
""",
    "joon/stats_power_en.pptx": """
# STA210 week 7: power and sample size
@2026-04-13

## Why plan

- An experiment that is too small finds nothing and proves nothing.
- One that is too large wastes visitors on the worse variant.
- The size is fixed before the first visitor arrives.

// Ask who has stopped an experiment early because it 'looked clear'. Count the hands.

## Four numbers

- The level, 0.01 in this course
- The power, 0.8 in this course
- The smallest effect that is worth finding
- The spread of what you measure

// Any three give the fourth. Most arguments in companies are about the third and nobody says so.

## The smallest effect worth finding

- It comes from business, not from statistics.
- A button that earns 40 dollars a month is not worth two weeks of an engineer.
- Write it down before you see data.

// In the worked example of handout 5 it was 1.2 percentage points.

## The formula for two rates

- n per variant = (2.576 + 0.842)² × sum of variances / difference²
- For 5.0 and 6.2 percent: about 8,600
- At a level of 0.05 it would be about 5,800.

// 2.576 belongs to the level of 0.01, 1.960 to 0.05. Students mix them up in every midterm.

## Shorter experiments

- Measure something less noisy, for example minutes instead of purchases.
- Use the history of each user as a covariate.
- Test fewer variants.

// Halving the variance halves the number of visitors. Doubling the effect quarters it.

## Unequal shares

- A split of 90 to 10 protects most users from a risky change.
- It needs almost three times as many visitors as 50 to 50.
- Ramp up instead: start at 10, go to 50 after a day without alarms.

// The factor is 1 divided by 4 times 0.9 times 0.1, which is 2.8.

## Many tests at once

- Twenty tests at 0.05 give one false alarm on average.
- Bonferroni divides the level by the number of tests.
- The false discovery rate is a milder rule for screening.

// The course uses Bonferroni in exams because it can be done by hand.

## Sequential tests

- They allow looking every day at a fixed total risk.
- The price is about 20 percent more visitors in the worst case.
- Lab 3 implements one.

// Remind them of the simulation in the handout: fourteen looks turned 0.05 into 0.21.

## Checklist before launch

1. Hypothesis and smallest effect written down
2. Level, power and number of visitors fixed
3. Assignment by user, not by visit
4. Dry run with two identical variants
5. Date of the decision in the calendar

// The dry run finds a broken assignment in about one of ten first experiments.
""",
    "joon/net_dns_http_ko.pptx": """
# NET302 6주차: DNS와 HTTP
@2026-04-10

## 이름에서 주소로

- 사람은 이름을 기억하고 기계는 주소를 씁니다.
- DNS는 전 세계에 나뉘어 있는 나무 모양의 데이터베이스입니다.
- 뿌리, 최상위 도메인, 권한 서버의 세 층으로 내려갑니다.

// 브라우저에서 주소를 입력한 순간부터 첫 화면이 보일 때까지를 오늘 수업에서 따라갑니다.

## 질의의 두 방식

- 재귀 질의: 대신 끝까지 찾아 달라고 부탁합니다.
- 반복 질의: 아는 데까지만 알려 달라고 합니다.
- 컴퓨터는 재귀로 묻고, 중간의 해석기는 반복으로 묻습니다.

// 시험에서는 그림에 화살표를 그리게 합니다. 화살표가 여덟 개가 되어야 합니다.

## 캐시와 수명

- 응답에는 수명(TTL)이 초 단위로 붙습니다.
- 수명이 길면 빠르지만 변경이 늦게 퍼집니다.
- 서버를 옮기기 하루 전에 수명을 300초로 줄이는 것이 요령입니다.

// 수명이 86,400초인 채로 서버를 옮기면 하루 동안 두 곳에 요청이 나뉘어 들어옵니다.

## 레코드의 종류

Table: 자주 쓰는 레코드
| 종류 | 뜻 | 예 |
| --- | --- | --- |
| A | IPv4 주소 | 192.0.2.10 |
| AAAA | IPv6 주소 | 2001:db8::10 |
| CNAME | 다른 이름 | www → web1 |
| MX | 메일 서버 | mail, 우선순위 10 |
| TXT | 임의의 글 | 소유 확인 |

// 도메인의 꼭대기에는 CNAME을 둘 수 없습니다. 과제에서 자주 틀립니다.

## HTTP의 뼈대

- 요청에는 방법, 경로, 머리글이 있습니다.
- 응답에는 상태 코드, 머리글, 본문이 있습니다.
- HTTP는 앞의 요청을 기억하지 않습니다.

// 기억이 필요하면 쿠키나 토큰을 씁니다. 기억하지 않는 덕분에 서버를 쉽게 늘릴 수 있습니다.

## 상태 코드

- 200은 성공, 301은 영구 이동, 304는 바뀌지 않음
- 403은 금지, 404는 없음, 429는 요청이 너무 많음
- 500은 서버 오류, 503은 잠시 사용할 수 없음

// 401과 403의 차이를 꼭 알아 두십시오. 401은 누구인지 모른다는 뜻이고 403은 누구인지 알지만 안 된다는 뜻입니다.

## 버전별 차이

- HTTP/1.1은 연결 하나에서 요청을 차례로 처리합니다.
- HTTP/2는 한 연결에서 여러 요청을 섞어 보냅니다.
- HTTP/3은 TCP 대신 QUIC 위에서 동작합니다.

// 앞의 패킷을 잃으면 HTTP/2에서는 모든 흐름이 멈추지만 HTTP/3에서는 해당 흐름만 멈춥니다.

## TLS 한 번의 왕복

- TLS 1.3은 한 번의 왕복으로 연결을 맺습니다.
- 1.2는 두 번이 필요했습니다.
- 다시 연결할 때에는 왕복 없이 데이터를 보낼 수도 있습니다.

// 왕복 시간이 80밀리초라면 1.3으로 바꾸는 것만으로 첫 화면이 80밀리초 빨라집니다.

## 캐시 머리글

- max-age는 다시 묻지 않아도 되는 시간입니다.
- ETag는 내용의 지문입니다.
- no-store는 저장 자체를 금지합니다.

// no-cache는 저장하지 말라는 뜻이 아니라 쓰기 전에 다시 물어보라는 뜻입니다.

## 실습 5

1. 학교 서버의 웹 페이지를 열며 패킷을 모읍니다.
2. DNS, TLS, HTTP에 걸린 시간을 나눕니다.
3. 캐시가 있을 때와 없을 때를 비교합니다.
4. 표 하나와 세 문장으로 제출합니다.

// 제출 기한은 5월 3일 자정입니다. 중간고사 뒤이므로 시험 범위에는 들어가지 않습니다.
""",
}
