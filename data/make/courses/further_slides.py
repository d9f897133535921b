"""One more lecture for each learner: replication for Joon, immunology for Mina."""

DOCUMENTS = {
    "joon/db_replication_en.pptx": """
# DBS310 week 12: replication and backups
@2026-05-19

## Why more than one copy

- A disk dies, a room loses power, somebody drops the wrong table.
- Replication helps with the first two.
- Only a backup helps with the third, because a replica repeats the mistake within milliseconds.

// Ask the room which of the three they have seen themselves. It is nearly always the third.

## Streaming replication

- The primary sends its write-ahead log to the standby.
- The standby replays it and may answer reading queries.
- One primary, any number of standbys

// In the lab the standby runs on port 5433 of the same machine. In real life that would be pointless; say so.

## Synchronous or asynchronous

- Asynchronous: commit first, send later; the last transactions may be lost
- Synchronous: commit only when a standby has confirmed
- Synchronous costs one round trip for each commit.

// With 80 ms between two cities a single connection can commit about 12 times a second. Let them compute it.

## Lag

- Lag is how far the standby is behind, in bytes or in seconds.
- Our course server: usually 0.2 seconds, 14 seconds while the weekly load runs
- Reading your own writes from a standby may show nothing.

// A user saves an address, reloads, and sees the old one. This is the most common complaint after read replicas are
introduced.

## Failover

1. Notice that the primary is gone.
2. Make sure that it really is gone.
3. Promote the standby.
4. Send the clients to the new primary.

// Step 2 is where companies lose data: two primaries at once, called split brain.

## Logical replication

- Sends rows instead of log pages
- Works between different versions
- Does not copy changes to the schema

// It is the usual way to upgrade a large database with seconds of pause instead of hours.

## Kinds of backup

Table: Backups of the course database, 48 gigabytes
| Kind | Time to make | Time to restore | Back to any second |
| --- | --- | --- | --- |
| Dump as SQL | 22 min | 95 min | no |
| Copy of the files | 6 min | 8 min | no |
| Files and archived log | 6 min | 8 min and replay | yes |

// The column that matters stands third. People measure the second.

## Two numbers to agree on

- Recovery point: how much work may be lost
- Recovery time: how long may we be away
- Both come from the business and both cost money.

// For the course server: one week and one day. For a bank: nothing and minutes.

## A backup that was never restored

- is a hope, not a backup.
- Restore once a month into an empty machine.
- Count rows and compare checksums.

// Three of last year's nineteen teams could not restore their own project in the final lab.

## Lab 11

- Make a copy of the files, drop a table, and bring it back to the second before.
- Write down both numbers that you reached.
- Two hours, in pairs, in room D-305 instead of the usual one

// D-305 has the machines with two disks. Bring the password slips from week 2.

## In the final exam

- One case with a failover that goes wrong: find the moment of the mistake.
- One table of backups: which would you choose, and why?
- Final exam: 23 June, 09:00, D-301

// No calculators are needed. The answers of last year's exam are on the course page.
""",
    "mina/immunology_ko.pptx": """
# 면역학 입문 2강: 몸이 적을 알아보는 법
@2026-04-14

## 두 겹의 방어

- 선천 면역은 태어날 때부터 있고 몇 분 안에 움직입니다.
- 적응 면역은 배우는 데 며칠이 걸리지만 기억합니다.
- 둘은 따로 움직이지 않고 서로 신호를 주고받습니다.

// 성문과 수비대의 비유로 시작하되, 비유가 어디에서 깨지는지도 학생들에게 물어봅니다.

## 장벽

- 피부, 점액, 위산, 눈물의 효소
- 장 속의 세균도 자리를 차지해 침입을 막습니다.
- 장벽이 뚫리는 순간 염증이 시작됩니다.

// 화상을 입은 환자가 감염에 약한 까닭을 한 문장으로 써 보게 합니다.

## 선천 면역의 세포

- 호중구: 가장 먼저 도착하고 하루 안에 죽습니다.
- 대식세포: 먹고 치우고 알립니다.
- 자연살해세포: 신분증이 없는 세포를 죽입니다.

// 고름의 대부분은 죽은 호중구입니다. 이 사실은 학생들이 가장 오래 기억합니다.

## 무늬를 알아보는 수용체

- 세균의 겉껍질처럼 여러 적이 함께 가진 무늬를 알아봅니다.
- 수용체의 종류는 수십 가지뿐입니다.
- 그래서 빠르지만 자세하지 않습니다.

// 톨 유사 수용체는 초파리에서 먼저 발견되었습니다. 유전학 시간과 이어 설명합니다.

## 항원을 보여 주기

- 가지세포는 조직에서 적의 조각을 집어 림프절로 갑니다.
- 조각은 MHC라는 받침에 놓여 표면에 나옵니다.
- T세포는 받침에 놓인 조각만 알아봅니다.

// 1형 받침은 모든 핵이 있는 세포에, 2형 받침은 항원을 보여 주는 세포에만 있습니다.

## 두 가지 T세포

Table: T세포의 비교
| 종류 | 알아보는 받침 | 하는 일 |
| --- | --- | --- |
| 도움 T세포 | 2형 | 다른 세포를 깨움 |
| 세포독성 T세포 | 1형 | 감염된 세포를 죽임 |

// 곱해서 8이 된다는 암기법이 있습니다. CD4는 2형, CD8은 1형입니다.

## B세포와 항체

- B세포는 받침 없이 항원을 그대로 알아봅니다.
- 도움 T세포의 신호를 받으면 형질세포가 되어 항체를 냅니다.
- 항체는 다섯 종류이며 혈액에는 IgG가 가장 많습니다.

// 모유로 전해지는 것은 주로 IgA, 태반을 지나는 것은 IgG입니다. 바꾸어 쓰는 답이 많습니다.

## 기억

- 처음 만나면 항체가 오르는 데 일주일 넘게 걸립니다.
- 두 번째에는 이삼일이면 더 높이 오릅니다.
- 백신은 병을 앓지 않고 첫 만남을 대신합니다.

// 그래프의 세로축이 로그라는 점을 꼭 짚어 줍니다. 두 번째 봉우리는 첫 번째의 백 배쯤 됩니다.

## 자기를 참는 법

- 가슴샘에서 자기를 공격하는 T세포는 제거됩니다.
- 살아남은 것은 조절 T세포가 억누릅니다.
- 이 과정이 어긋나면 자가면역 질환이 생깁니다.

// 가슴샘을 통과하는 T세포는 백 개 가운데 두세 개뿐이라는 점을 강조합니다.

## 시험 안내

- 면역학 시험은 5월 12일 화요일 16:00, 생명관 102호입니다.
- 객관식 20문제와 서술형 3문제입니다.
- 서술형은 그림을 그려 설명하면 더 좋은 점수를 줍니다.

// 공학용 계산기와 사전은 필요하지 않습니다. 색연필은 가져와도 됩니다.
""",
}
