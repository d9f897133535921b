"""Follow-up questions with what their standalone form must and must not hold.

All but the last twelve of TUNED were written before the code that makes that form. TUNED was looked at while the code
was written, HELD_OUT only to report how many of it pass.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class FollowUp:
    """`must` and `must_not` are words of the standalone question, alternatives separated by `|`.

    Without any the question stands alone, and must come back as it is.
    """

    said: tuple[str, ...]  # question, answer, question, answer …
    question: str
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()

    @property
    def history(self) -> tuple[tuple[str, str], ...]:
        return tuple((("user", "assistant")[place % 2], text) for place, text in enumerate(self.said))


def read(text: str) -> list[FollowUp]:
    """Cases separated by blank lines: what was said, then `> question`, then `+ must` and `- must not`."""
    found = []
    for block in text.strip().split("\n\n"):
        lines = [(line[0], line[2:]) for line in block.splitlines()]
        said, asked, must, must_not = ([words for mark, words in lines if mark == each] for each in ".>+-")
        wanted = tuple(word.strip() for line in must for word in line.split(","))
        unwanted = tuple(word.strip() for line in must_not for word in line.split(","))
        found.append(FollowUp(tuple(said), asked[0], wanted, unwanted))
    return found


TUNED = read("""
. What was Marlow Foods' revenue in Q1 2024?
. It was 38.0 billion won [1].
> And in Q2?
+ marlow foods, revenue, q2, 2024
- q1

. What was Marlow Foods' revenue in Q1 2024?
. It was 38.0 billion won [1].
> and Tessin Optics?
+ tessin optics, revenue, q1, 2024
- marlow

. What was Marlow Foods' revenue in Q1 2024?
. It was 38.0 billion won [1].
> What about the operating profit?
+ marlow foods, operating profit, q1, 2024
- revenue

. What was Marlow Foods' revenue in Q1 2024?
. It was 38.0 billion won [1].
. And in Q2?
. 41.2 billion won [1].
> and the margin?
+ marlow foods, margin, q2, 2024
- q1

. How do I create a tag rule?
. Open Settings > Tag rules and choose New rule [2].
> how do I undo that?
+ tag rule, undo

. What does the Pro plan cost in Japan?
. 49 dollars a month [1].
> what about the Korean region?
+ pro plan, cost, korean region

. Who is the chief financial officer of Tessin Optics?
. Ines Calder, since August 2024 [1].
> What did she do before?
+ ines calder, before

. When is invoice INV-2024-118 due?
. On 15 March 2024 [1].
> And who approved it?
+ inv-2024-118, approved

. How many employees did Brackwater Shipping have in 2022?
. 4,310 at the end of the year.
> a year later?
+ brackwater shipping, employees, 2023
- 2022

. Analyse the November costs of the Oakfield workspace.
. Storage cost rose because of snapshots [1].
. Can I export that as a spreadsheet?
. Yes, with Export > CSV [3].
> and January?
+ oakfield, costs, january
- november

. What is the effect size in the second lecture on t-tests?
. Cohen's d is 0.5 there [1].
> Is that large?
+ effect size, large

. Does the audit log keep deleted budgets?
. Yes, for 400 days [1].
> Why so long?
+ audit log, deleted budgets, long

. Which drugs must not be taken with warfarin?
. Aspirin and ibuprofen, among others [2].
> And with alcohol?
+ warfarin|drugs, alcohol

. What did Norvane Energy invest in 2023?
. 120 million euros, mostly in its plant at Hamar.
> When does the plant open?
+ norvane energy|hamar, plant, open

. What was Marlow Foods' revenue in Q1 2024?
. It was 38.0 billion won [1].
> How long does it take to get a refund for a duplicate payment?

. How do I create a tag rule?
. Open Settings > Tag rules and choose New rule [2].
> What was the operating profit of Tessin Optics in the third quarter of 2024?

. Who is the chief financial officer of Tessin Optics?
. Ines Calder, since August 2024 [1].
> Which error does the importer show when a file that is larger than 50 MB is uploaded?

. 가람식품 2024년 1분기 매출은 얼마였나요?
. 380억 원입니다 [1].
> 그럼 2분기는요?
+ 가람식품, 2024년, 2분기, 매출
- 1분기

. 가람식품 2024년 1분기 매출은 얼마였나요?
. 380억 원입니다 [1].
> 영업이익은요?
+ 가람식품, 2024년, 1분기, 영업이익
- 매출

. 가람식품 2024년 1분기 매출은 얼마였나요?
. 380억 원입니다 [1].
> 하늘전자는?
+ 하늘전자, 2024년, 1분기, 매출
- 가람식품

. 태그 규칙은 어떻게 만드나요?
. 설정 > 태그 규칙에서 새 규칙을 누릅니다 [1].
> 그거 되돌리려면 어떻게 해요?
+ 태그 규칙, 되돌리

. 서린물산의 대표이사는 누구인가요?
. 2023년부터 윤해원 대표가 맡고 있습니다 [1].
> 이 회사 직원은 몇 명이에요?
+ 서린물산, 직원

. 서린물산의 대표이사는 누구인가요?
. 2023년부터 윤해원 대표가 맡고 있습니다 [1].
> 그분은 어느 학교를 나왔어요?
+ 윤해원, 학교

. 프로 요금제는 일본에서 얼마인가요?
. 월 49달러입니다 [1].
> 한국은요?
+ 프로 요금제, 한국

. 오크필드 워크스페이스의 11월 비용을 분석해 주세요.
. 스냅샷 때문에 저장소 비용이 늘었습니다 [1].
. 그걸 엑셀로 받을 수 있나요?
. 네, 내보내기 > CSV로 받습니다 [2].
> 1월은?
+ 오크필드, 1월, 비용
- 11월

. 주문 ORD-2024-077은 언제 출고됐나요?
. 2024년 5월 3일에 출고되었습니다 [1].
> 누가 승인했죠?
+ ord-2024-077, 승인

. 누리해운의 2023년 부채비율은?
. 142%입니다 [1].
> 전년에는 얼마였어요?
+ 누리해운, 부채비율, 2022
- 2023

. 두 번째 강의에서 표본오차를 어떻게 정의했나요?
. 표본 통계량의 표준편차로 정의했습니다 [1].
> 그게 표준편차랑 어떻게 달라요?
+ 표본오차, 표준편차, 달라

. 골다공증 약은 언제 먹어야 하나요?
. 아침 식사 30분 전에 드십시오 [1].
> 물은 얼마나 마셔야 해요?
+ 골다공증, 물

. 세린제약이 2024년에 지은 공장은 어디에 있어요?
. 오송에 있습니다 [1].
> 거기 생산 능력은 어느 정도예요?
+ 오송|공장, 세린제약, 생산 능력

. 감사 로그는 며칠 동안 보관되나요?
. 400일 동안 보관됩니다 [1].
> 그 기간을 늘릴 수 있나요?
+ 감사 로그, 늘릴

. 가람식품 2024년 1분기 매출은 얼마였나요?
. 380억 원입니다 [1].
> 중복 결제된 금액은 며칠 안에 환불받을 수 있나요?

. 태그 규칙은 어떻게 만드나요?
. 설정 > 태그 규칙에서 새 규칙을 누릅니다 [1].
> 하늘전자의 2024년 3분기 영업이익은 얼마인가요?

. 서린물산의 대표이사는 누구인가요?
. 2023년부터 윤해원 대표가 맡고 있습니다 [1].
> 예산 알림 이메일은 어떻게 끄나요?

. What was Orvane's net income in 2022?
. 12 million dollars [1].
> What about 2023 and 2024?
+ orvane, net income, 2023 and 2024
- 2022

. What was Orvane's net income in 2022?
. 12 million dollars [1].
> How does that compare to Corvin Glass?
+ orvane, net income, 2022, corvin glass

. What was Orvane's net income in 2022?
. 12 million dollars [1].
> Who is the CEO?
+ orvane, ceo

. What was Marlow Foods' revenue in Q1 2024?
. 38 billion won [1].
> same for H2
+ marlow foods, revenue, h2, 2024
- q1

. How do I connect my AWS account?
. Create a role and paste its ARN [1].
> How do refunds work?

. What is a p-value?
. A probability [1].
> And what is a t-test?

. 오르반의 2022년 순이익은 얼마인가요?
. 120억 원입니다 [1].
> 2023년이랑 2024년은요?
+ 오르반, 순이익, 2023년, 2024년
- 2022

. 오르반의 2022년 순이익은 얼마인가요?
. 120억 원입니다 [1].
> 작년은?
+ 오르반, 순이익, 작년

. 오르반의 2022년 순이익은 얼마인가요?
. 120억 원입니다 [1].
> 같은 기간 하늘전자는요?
+ 하늘전자, 2022, 순이익
- 오르반

. 오르반의 2022년 순이익은 얼마인가요?
. 120억 원입니다 [1].
> 왜요?
+ 오르반, 2022, 순이익

. AWS 계정은 어떻게 연결하나요?
. 역할을 만들고 ARN을 붙여 넣습니다 [1].
> 예산은 어떻게 만들어요?

. AWS 계정은 어떻게 연결하나요?
. 역할을 만들고 ARN을 붙여 넣습니다 [1].
> 태그 규칙이 뭐예요?
""")

HELD_OUT = read("""
. How much did Halden Textiles spend on research in 2021?
. 14.2 million dollars.
> and in 2022?
+ halden textiles, research, 2022
- 2021

. How much did Halden Textiles spend on research in 2021?
. 14.2 million dollars.
> How about Corvin Glass?
+ corvin glass, research, 2021
- halden

. What was the gross margin of Corvin Glass in the fourth quarter of 2023?
. 31.4% [1].
> the quarter before?
+ corvin glass, gross margin, third quarter|q3, 2023
- fourth

. What was the gross margin of Corvin Glass in the fourth quarter of 2023?
. 31.4% [1].
> And net debt?
+ corvin glass, net debt, 2023
- gross margin

. How do I pause a connector?
. Open Connectors, choose the connector, and press Pause [1].
> Will I lose data if I do that?
+ connector, pause, lose data

. Which roles can approve a month-end close?
. Owners and administrators [1].
> And who can reopen it?
+ month-end close, reopen

. What does error CST-4031 mean?
. The bucket policy denies listing [1].
> How can I fix it?
+ cst-4031, fix

. Who founded Halden Textiles?
. Maren Oster founded it in 1987.
> Where did she grow up?
+ maren oster, grow up

. What is the dose of the evening tablet for adults?
. One tablet of 20 mg [1].
> And for children?
+ dose, evening tablet, children

. Tell me about the flood at the Rivermouth warehouse.
. On 4 July 2023 the basement was flooded and 900 pallets were lost [1].
> How much did they get from the insurance?
+ flood, rivermouth, insurance

. What is the null hypothesis in the plant growth example?
. That the mean heights are equal [1].
> and the alternative?
+ plant growth, alternative

. When did Corvin Glass buy the Lisbon factory?
. In May 2022 for 30 million euros.
> Was its furnace replaced since then?
+ lisbon|corvin, furnace, replaced

. How many seats are included in the Team plan?
. Twenty-five [1].
> Does that plan include single sign-on?
+ team plan, single sign-on

. How do I set up a forecast?
. Under Budgets > Forecasts [1].
. Which models does it use?
. A seasonal model and a linear one [1].
> Can I switch between them?
+ forecast, models, switch

. How much did Halden Textiles spend on research in 2021?
. 14.2 million dollars.
> What is the deadline for registering for the statistics exam?

. Which roles can approve a month-end close?
. Owners and administrators [1].
> Is it safe to take ibuprofen during pregnancy?

. What does error CST-4031 mean?
. The bucket policy denies listing [1].
> How many employees did Norvane Energy have at the end of 2023?

. 미래정밀의 2021년 연구개발비는 얼마인가요?
. 142억 원입니다 [1].
> 2022년은 어땠어요?
+ 미래정밀, 연구개발비, 2022
- 2021

. 미래정밀의 2021년 연구개발비는 얼마인가요?
. 142억 원입니다 [1].
> 그럼 코빈유리는요?
+ 코빈유리, 연구개발비, 2021
- 미래정밀

. 코빈유리 2023년 4분기 매출총이익률을 알려 주세요.
. 31.4%입니다 [1].
> 바로 전 분기는?
+ 코빈유리, 2023, 3분기, 매출총이익률
- 4분기

. 코빈유리 2023년 4분기 매출총이익률을 알려 주세요.
. 31.4%입니다 [1].
> 순차입금도 알려줘
+ 코빈유리, 2023, 순차입금
- 매출총이익률

. 커넥터를 일시 중지하는 방법이 뭔가요?
. 커넥터 화면에서 일시 중지를 누릅니다 [1].
> 그렇게 하면 데이터가 없어지나요?
+ 커넥터, 일시 중지, 데이터

. 월마감은 누가 다시 열 수 있어요?
. 소유자만 다시 열 수 있습니다 [1].
> 승인은요?
+ 월마감, 승인

. 오류 CST-4031은 무슨 뜻이에요?
. 버킷 정책이 목록 조회를 막고 있다는 뜻입니다 [1].
> 어떻게 해결하죠?
+ cst-4031, 해결

. 미래정밀을 세운 사람은 누구인가요?
. 1987년에 오마린 회장이 세웠습니다.
> 그 사람 고향은 어디예요?
+ 오마린, 고향

. 저녁 알약은 어른이 얼마나 먹어야 하나요?
. 20mg 한 알입니다 [1].
> 아이는요?
+ 저녁 알약, 아이

. 강나루 창고 침수 사고에 대해 알려 주세요.
. 2023년 7월 4일 지하가 침수되어 900팔레트를 잃었습니다 [1].
> 보험금은 얼마나 받았어요?
+ 강나루, 침수, 보험금

. 식물 생장 예제의 귀무가설은 무엇이었죠?
. 평균 높이가 같다는 것입니다 [1].
> 대립가설은?
+ 식물 생장, 대립가설
- 귀무가설

. 코빈유리는 리스본 공장을 언제 샀나요?
. 2022년 5월에 3천만 유로에 샀습니다.
> 그 공장 용해로는 그 뒤에 바꿨나요?
+ 리스본, 용해로

. 팀 요금제에는 좌석이 몇 개인가요?
. 25개입니다 [1].
> 그 요금제에 싱글 사인온도 들어 있나요?
+ 팀 요금제, 싱글 사인온

. 예측은 어떻게 설정하나요?
. 예산 > 예측에서 설정합니다 [1].
. 어떤 모형을 쓰나요?
. 계절 모형과 선형 모형을 씁니다 [1].
> 둘을 서로 바꿀 수 있어요?
+ 예측, 모형, 바꿀

. 미래정밀의 2021년 연구개발비는 얼마인가요?
. 142억 원입니다 [1].
> 통계학 시험은 언제까지 신청해야 하나요?

. 월마감은 누가 다시 열 수 있어요?
. 소유자만 다시 열 수 있습니다 [1].
> 임신 중에 이부프로펜을 먹어도 되나요?

. 오류 CST-4031은 무슨 뜻이에요?
. 버킷 정책이 목록 조회를 막고 있다는 뜻입니다 [1].
> 서린물산의 2023년 말 직원 수는 몇 명인가요?
""")
