"""Joon's databases and networks, English with some Korean handouts."""

DOCUMENTS = {
    "joon/db_syllabus_ko.pdf": """
# 데이터베이스 시스템 (DBS310) 강의 안내
@2026-02-24

한빛대학원대학 컴퓨팅학부. 담당 한도윤 교수. 강의는 화요일과 금요일 09:00–10:15, D동 301호입니다. 강의 자료는 영어로
제공하고 설명은 한국어로 합니다.

## 평가

Table: 평가 항목
| 항목 | 비율 | 일정 |
| --- | --- | --- |
| 중간고사 | 20% | 4월 28일 화요일 09:00, D동 301호 |
| 기말고사 | 30% | 6월 23일 화요일 09:00, D동 301호 |
| 팀 프로젝트 | 40% | 발표 6월 9일과 12일 |
| 실습 | 10% | 매주 |

중간고사는 정규화와 인덱스까지입니다. 시험에는 SQL 요약표를 나누어 주므로 문법을 외울 필요는 없습니다.

## 팀 프로젝트

세 명이 한 팀입니다. 주제 제안서는 4월 10일, 스키마 검토는 5월 8일, 최종 보고서는 6월 7일까지입니다. 팀원 평가를
반영해 개인 점수가 최대 20%까지 달라질 수 있습니다. 공개된 코드를 쓸 때는 출처를 밝혀야 하고, 밝히지 않으면 프로젝트
점수가 0점이 됩니다.

## 지각 제출과 출석

실습은 지각 제출을 받지 않으며, 열두 번 가운데 가장 낮은 두 번은 성적에서 뺍니다. 보고서는 하루 늦을 때마다 5점씩
감점합니다. 출석은 성적에 넣지 않지만, 발표일에 결석하면 발표 점수를 받을 수 없습니다.

## 실습 환경

실습에는 PostgreSQL을 사용합니다. 학교 서버 주소는 db.lab.hanbit.example이며 학번으로 로그인합니다. 매주 일요일 밤에
초기화되므로 작업은 각자 저장하십시오.
""",
    "joon/db_indexes_en.pdf": """
# DBS310 handout 6: indexes
@2026-04-07

An index is a second copy of some columns, kept in an order that makes searching fast. It costs space, and it costs
time on every change. This handout explains the B-tree, its relatives, and how to decide.

## 1. Why a table scan is slow, and when it is not

A heap has no order, so the database has to read all of its pages to find one row. For a table of 10 million orders
with 80 rows a page, that is 125,000 pages. Reading in sequence is quick, though. When a query needs more than roughly
a tenth of the rows, the planner often prefers the scan, and it is usually right.

## 2. The B-tree

### 2.1 Structure

Each node fills one page. Inner nodes hold keys and pointers, and leaves hold keys and the addresses of rows. With 200
pointers a page, three levels reach 8 million rows and four levels 1.6 billion. Our 10 million orders therefore need
four levels: a search reads four index pages and one page of the table.

### 2.2 Range queries

Leaves are linked. A query for the orders of one week finds the first day and then walks along the leaves. This is
what a hash index cannot do.

### 2.3 More than one column

An index on (customer, day) serves queries on customer, and on customer and day, but not on day alone. Think of a
telephone book: sorted by family name and first name, it is of little use if you know only the first name.

---

## 3. Other kinds

Table: Kinds of index in PostgreSQL
| Kind | Good for | Not for |
| --- | --- | --- |
| B-tree | equality, ranges, sorting | words inside a text |
| Hash | equality on long keys | ranges |
| GIN | arrays, JSON, words | single values that change often |
| BRIN | huge tables in natural order | random order |
| HNSW | nearest vectors | exact answers |

## 4. Covering and partial indexes

A covering index carries extra columns, so that the table need not be read at all. A partial index holds only the rows
that satisfy a condition; an index on open orders is small although the table is large. In our shop 2 percent of the
orders are open, and the partial index has 4 megabytes instead of 214.

## 5. The price

Every insert has to enter the row in all indexes. In the lab, loading one million rows took 11 seconds without an
index, 19 with one and 58 with five. Build indexes after loading, not before.

## 6. Reading a plan

EXPLAIN shows what the planner intends, EXPLAIN ANALYZE what happened. Compare the estimated number of rows with the
real one. If they differ by a factor of ten or more, refresh the statistics with ANALYZE before you blame the index.

## 7. Exam

The midterm on 28 April contains one plan with three mistakes. Find them and say which index would help. Last year the
most common error was to propose an index on a column with two different values.
""",
    "joon/db_transactions_en.pptx": """
# DBS310 week 10: transactions
@2026-05-05

## Four promises

- Atomic: all or nothing
- Consistent: rules hold before and after
- Isolated: others do not see half a change
- Durable: what is committed survives a crash

// Use the bank transfer, everybody knows it.

## What can go wrong

- Dirty read: seeing what was never committed
- Non-repeatable read: the same row changes between two reads
- Phantom: new rows appear in a repeated search
- Lost update: two writers, one survives

## Levels of isolation in PostgreSQL

| Level | Dirty read | Non-repeatable | Phantom | Needs retries |
| --- | --- | --- | --- | --- |
| Read committed (default) | no | yes | yes | no |
| Repeatable read | no | no | no | yes |
| Serializable | no | no | no | yes |

// The standard allows phantoms at repeatable read; PostgreSQL does not show them. That is an exam question.

## Versions instead of locks

- Readers do not block writers, writers do not block readers.
- Each row carries the number of the transaction that made it.
- Old versions are cleared away by vacuum.

## Deadlock

- Two transactions wait for each other.
- The database waits 1 second, looks for a circle, and cancels one.
- Cure: touch tables and rows in the same order everywhere.

// Live demonstration with two terminals.

## Write-ahead log

- The change is written to the log first, to the table later.
- After a crash the log is replayed from the last checkpoint.
- Checkpoints come every 5 minutes by default.

## Lab 9

- Reproduce a lost update, then prevent it in two ways.
- Time limit 90 minutes, in pairs.
- Bring the plan of week 6.
""",
    "joon/db_normal_forms_en.md": """
# DBS310 notes: normal forms without tears
@2026-03-20

## Why split tables

A table that stores a customer's address in every order has to be changed in many places when somebody moves. Sooner
or later one place is forgotten. Normal forms are a checklist against this.

## First normal form

Every cell holds one value. A column phones with two numbers in it breaks the rule. So do columns phone1, phone2 and
phone3, although less obviously.

## Second normal form

Every column that is not part of the key depends on the whole key. In a table with the key (order, product), the
product's name depends on the product only, and belongs in a table of its own.

## Third normal form

Nothing depends on a column that is not a key. If an order stores the postcode and the town, the town depends on the
postcode. Move the pair out.

## Boyce–Codd

Every determinant is a candidate key. The classic case: a student has one tutor per subject, and every tutor teaches
one subject only. The tutor determines the subject and is not a key.

## When to stop

Third normal form is enough for the project. Reports may be denormalised on purpose if you write down which table is
the truth. In the review on 8 May you will be asked to defend each table with more than twelve columns.
""",
    "joon/net_tcp_en.pdf": """
# NET302 handout 4: TCP from connection to congestion
@2026-04-13

Computer Networks, lecturer Dr Amara Nwosu. The midterm of this course is on Thursday 30 April at 11:00 in room E-014.

## 1. Connecting

Three messages open a connection: SYN, SYN-ACK, ACK. Both sides choose a random first sequence number, so that
segments of an old connection are not mistaken for new ones. Closing takes four messages, because each direction is
closed on its own.

## 2. Reliability

Every byte has a number. The receiver confirms the next byte that it expects. If a confirmation does not arrive before
the timer ends, the segment is sent again. Three duplicate confirmations have the same effect without waiting for the
timer; this is called fast retransmit.

## 3. Flow control and the window

The receiver announces how many bytes it can take. To keep a line busy, the window must be at least the bandwidth
times the round-trip time. On a line of 100 megabits a second and a round trip of 80 milliseconds that is 1,000,000
bytes. The original field allows 65,535 bytes only, so the window scale option is needed on such a line.

---

## 4. Congestion control

### 4.1 Slow start

The congestion window begins with 10 segments and doubles every round trip: 10, 20, 40, 80. Despite its name this is
fast. It ends at the threshold or with the first loss.

### 4.2 Congestion avoidance

Above the threshold the window grows by one segment per round trip. After a loss that was found through duplicate
confirmations, it is halved. After a timeout it starts again from one segment.

### 4.3 Comparing two losses

Table: A sender with a window of 64 segments
| Event | Threshold afterwards | Window afterwards |
| --- | --- | --- |
| Three duplicate confirmations | 32 | 32 |
| Timeout | 32 | 1 |

## 5. Newer kinds

Cubic grows along a cubic curve and is the default in Linux. BBR measures bandwidth and delay instead of waiting for
losses. On Wi-Fi, where losses do not mean congestion, BBR is often faster.

## 6. Lab 4

Capture a download of 5 megabytes and find the slow start. Hand in one figure with the window over time. Deadline: 26
April at midnight; one point of ten is taken off for each day.
""",
    "joon/net_subnets_ko.pptx": """
# NET302 실습 3: 서브넷 나누기
@2026-03-27

## 목표

- 주소 한 덩어리를 부서별로 나눕니다.
- 낭비를 줄이는 가변 길이 방식을 연습합니다.
- 시험에서는 계산기를 쓸 수 없습니다.

// 종이와 연필만 쓰십시오. 손으로 두 번 해 보면 이진수 자리가 눈에 익습니다. 짝과 답을 맞추어 본 뒤에 다음 장으로
넘어갑니다.

## 같은 크기로 나누기

- 192.0.2.0/24를 네 개의 /26으로 나눕니다.
- 서브넷마다 주소 64개, 쓸 수 있는 주소는 62개입니다.
- 첫 주소는 네트워크, 마지막 주소는 브로드캐스트입니다.

Table: 네 개의 서브넷
| 이름 | 범위 | 브로드캐스트 |
| --- | --- | --- |
| A | 192.0.2.0/26 | 192.0.2.63 |
| B | 192.0.2.64/26 | 192.0.2.127 |
| C | 192.0.2.128/26 | 192.0.2.191 |
| D | 192.0.2.192/26 | 192.0.2.255 |

## 크기를 달리해 나누기

1. 큰 부서부터 배정합니다.
2. 필요한 호스트 수에 2를 더하고 2의 거듭제곱으로 올립니다.
3. 100명은 /25, 50명은 /26, 20명은 /27이 필요합니다.
4. 남는 주소는 뒤쪽에 모읍니다.

// 100명인 부서에 /26을 주면 38명이 주소를 받지 못합니다. 자주 틀리는 문제입니다.

## 라우터 사이의 연결

- 점대점 연결에는 /30을 쓰면 주소 네 개 가운데 두 개만 씁니다.
- /31을 쓰면 낭비가 없습니다.
- 이 실습에서는 /30만 인정합니다.

// 현장에서는 /31을 더 많이 씁니다. 실습 장비의 운영 체제가 오래되어 /31을 지원하지 않기 때문에 /30으로 통일합니다.

## 제출

- 4월 5일 자정까지 표로 제출합니다.
- 표에는 이름, 범위, 첫 호스트, 마지막 호스트를 적습니다.
- 하루 늦을 때마다 10점 만점에서 1점을 뺍니다.

// 작년에는 브로드캐스트 주소를 마지막 호스트로 적은 답이 가장 많았습니다. 제출하기 전에 한 번 더 확인하십시오.
""",
}
