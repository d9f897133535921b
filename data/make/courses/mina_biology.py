"""Mina's biology: ecology, cells, genetics, laboratory."""

DOCUMENTS = {
    "mina/ecology_diversity_indexes_ko.pdf": """
# 생태학 6장: 다양성 지수
@2026-04-02

생태학 ECO230. 지수(index)는 여러 종이 섞인 군집의 모습을 숫자 하나로 줄인 것입니다. 줄이는 만큼 잃는 것이 있으므로
무엇을 강조하는 지수인지 알고 써야 합니다.

## 6.1 종 수와 균등도

종 수가 같아도 한 종이 대부분을 차지하는 숲과 여러 종이 고르게 섞인 숲은 다릅니다. 앞의 것을 풍부도, 뒤의 것을
균등도라고 부릅니다. 다양성 지수는 이 둘을 서로 다른 비중으로 섞습니다.

## 6.2 섀넌 지수

섀넌 지수 H는 각 종의 비율에 그 로그를 곱해 더한 뒤 부호를 바꾼 값입니다. 이 수업에서는 자연로그를 씁니다. 드문 종에
민감하다는 특징이 있습니다.

Table: 두 조사구의 개체 수
| 종 | 계곡 조사구 | 능선 조사구 |
| --- | --- | --- |
| 신갈나무 | 40 | 70 |
| 당단풍 | 30 | 15 |
| 서어나무 | 20 | 10 |
| 물푸레나무 | 10 | 5 |

계곡 조사구의 H는 1.28, 능선 조사구의 H는 0.91입니다. 종 수는 같지만 능선에서는 신갈나무가 개체의 70%를 차지하기
때문입니다. 균등도는 H를 종 수의 로그로 나눈 값으로 계곡 0.92, 능선 0.66입니다.

---

## 6.3 심프슨 지수

심프슨 지수는 임의로 뽑은 두 개체가 서로 다른 종일 확률입니다. 계곡은 0.70, 능선은 0.48입니다. 흔한 종에 민감하므로
드문 종을 놓친 조사에서도 비교적 안정적입니다.

## 6.4 어떤 지수를 쓸까

보전이 목적이라면 드문 종에 민감한 섀넌 지수가 낫고, 조사 인력이 부족해 드문 종을 빠뜨리기 쉬우면 심프슨 지수가
낫습니다. 서로 다른 로그를 쓴 섀넌 지수는 비교할 수 없으니 논문을 읽을 때 밑을 확인하십시오.

## 6.5 야외 실습

야외 실습은 5월 9일 토요일 08:00에 정문에서 출발합니다. 조사구는 네 명이 한 조로 10m × 10m를 맡습니다. 비가 오면 5월
16일로 미룹니다. 실습에 빠지면 보고서 점수 10점을 받을 수 없습니다. 생태학 중간고사는 4월 24일 금요일 13:00입니다.
""",
    "mina/cell_membrane_ko.pptx": """
# 세포생물학 3강: 세포막과 수송
@2026-03-17

## 세포막의 구조

- 인지질 두 층과 그 안에 떠 있는 단백질
- 머리는 물을 좋아하고 꼬리는 물을 싫어합니다.
- 콜레스테롤은 막이 너무 흐르지도 굳지도 않게 합니다.
- 막의 안쪽과 바깥쪽은 성분이 달라 앞뒤가 구별됩니다.

// 기름과 물을 섞은 병을 흔들어 보이며 시작합니다.

## 에너지가 들지 않는 수송

- 단순 확산: 산소와 이산화탄소
- 촉진 확산: 포도당은 운반체를 지나갑니다.
- 삼투: 물은 용질이 많은 쪽으로 움직입니다.

// 촉진 확산은 운반체가 모두 차면 더 빨라지지 않습니다. 단순 확산과 구별하는 그래프를 시험에 냅니다.

## 에너지가 드는 수송

- 나트륨–칼륨 펌프는 나트륨 3개를 내보내고 칼륨 2개를 들여옵니다.
- 한 번에 ATP 한 개를 씁니다.
- 그 결과 세포 안쪽이 바깥보다 음성을 띱니다.

// 쉬고 있는 사람이 쓰는 에너지의 5분의 1 이상이 이 펌프에 들어간다고 설명합니다.

## 적혈구 실험

Table: 용액에 따른 적혈구의 모양
| 용액 | 물의 이동 | 모양 |
| --- | --- | --- |
| 저장액 | 안으로 | 부풀어 터짐 |
| 등장액 | 같음 | 변화 없음 |
| 고장액 | 밖으로 | 쭈그러짐 |

// 식물 세포는 세포벽이 있어 저장액에서도 터지지 않습니다. 대신 팽팽해지며, 이 압력이 줄기를 세웁니다.

## 소포 수송

- 내포 작용은 막을 안으로 접어 큰 입자를 들여옵니다.
- 외포 작용은 소포를 막에 합쳐 내보냅니다.
- 신경 전달 물질은 외포 작용으로 나갑니다.

// 백혈구가 세균을 삼키는 것도 내포 작용입니다. 막의 넓이는 두 작용이 균형을 이루어 거의 일정하게 유지됩니다.

## 퀴즈 안내

- 3월 24일 수업 처음 15분 동안 열 문제를 풉니다.
- 범위는 1강부터 3강까지입니다.
- 퀴즈는 전체 성적의 10%입니다.

// 늦게 온 사람에게 시간을 더 주지 않습니다. 결석한 사람은 3월 31일에 다른 문제로 한 번 더 볼 수 있습니다.
""",
    "mina/genetics_mendel_ko.pdf": """
# 유전학 2장: 멘델의 법칙과 카이제곱 검정
@2026-03-31

## 2.1 분리와 독립

멘델은 완두의 일곱 가지 형질을 골라 여덟 해 동안 교배했습니다. 한 쌍의 대립유전자는 생식세포가 만들어질 때 나뉘고,
서로 다른 염색체에 있는 유전자는 독립적으로 나뉩니다. 같은 염색체에 가까이 있는 유전자는 함께 움직이므로 독립의 법칙을
따르지 않습니다.

## 2.2 양성 잡종의 비

모양과 색이 모두 다른 순종을 교배해 얻은 잡종끼리 다시 교배하면 둥글고 노란 것, 둥글고 초록인 것, 주름지고 노란 것,
주름지고 초록인 것이 9:3:3:1로 나옵니다.

## 2.3 관찰이 기대와 맞는지 검정하기

Table: 멘델의 완두 556개
| 표현형 | 관찰 | 기대 |
| --- | --- | --- |
| 둥글고 노랑 | 315 | 312.75 |
| 둥글고 초록 | 108 | 104.25 |
| 주름지고 노랑 | 101 | 104.25 |
| 주름지고 초록 | 32 | 34.75 |

카이제곱값은 0.47이고 자유도는 3입니다. 임곗값 7.815보다 작으므로 9:3:3:1이라는 가설을 기각하지 못합니다. 자료가
기대에 너무 잘 맞는다는 점은 뒷날 통계학자들의 논쟁거리가 되었습니다.

## 2.4 예외들

불완전 우성에서는 잡종이 중간 모습을 보입니다. 분꽃의 붉은 꽃과 흰 꽃을 교배하면 분홍 꽃이 나오고, 그다음 세대의 비는
1:2:1입니다. 복대립유전의 예는 사람의 ABO 혈액형이며 대립유전자가 세 가지입니다. 반성유전은 성염색체에 있는 유전자에서
나타나며, 적록 색각 이상은 남성에게 더 흔합니다.

## 2.5 연습 문제

1. 초파리 400마리에서 야생형 290, 돌연변이 110이 나왔습니다. 3:1과 맞는지 검정하십시오.
2. AB형과 O형 부모에게서 나올 수 있는 혈액형을 모두 쓰십시오.
3. 연관된 두 유전자의 교차율이 12%라면 재조합형은 자손 500마리 가운데 몇 마리로 기대됩니까?

풀이는 4월 10일에 올립니다. 유전학 중간고사는 4월 22일 수요일 15:00에 봅니다.
""",
    "mina/enzyme_lab_ko.docx": """
# 생화학 실험 5: 효소 반응 속도
@2026-05-06

## 목적

기질 농도를 바꾸며 반응 속도를 재고, 미카엘리스 상수와 최대 속도를 구합니다. 억제제를 넣었을 때 어느 값이 바뀌는지
보고 억제의 종류를 판단합니다.

## 준비물

1. 완충 용액(pH 7.4) 200mL
2. 효소 용액: 얼음 위에 두고 2시간 안에 사용합니다.
3. 기질 용액 다섯 가지: 1, 2, 5, 10, 20mM
4. 분광 광도계와 큐벳 여섯 개

## 방법 A: 억제제가 없을 때

1. 큐벳에 완충 용액과 기질을 넣고 25도에서 3분 동안 기다립니다.
2. 효소를 넣고 바로 섞습니다.
3. 10초 간격으로 2분 동안 흡광도를 잽니다.
4. 처음 30초의 기울기로 속도를 구합니다.

## 방법 B: 억제제가 있을 때

1. 큐벳에 완충 용액과 기질, 억제제를 넣고 25도에서 10분 동안 기다립니다. 억제제가 효소와 만나기 전에 섞여야 하기
때문입니다.
2. 효소를 넣고 바로 섞습니다.
3. 10초 간격으로 4분 동안 흡광도를 잽니다. 반응이 느려지므로 두 배로 잽니다.
4. 처음 60초의 기울기로 속도를 구합니다.

## 예시 결과

억제제가 없을 때 최대 속도는 분당 80µmol, 미카엘리스 상수는 5mM이었습니다. 기질이 5mM일 때 속도는 최대의 절반인 40,
20mM일 때는 64입니다. 억제제를 넣자 최대 속도는 그대로였고 미카엘리스 상수는 10mM이 되었습니다. 최대 속도가
그대로이므로 경쟁적 억제입니다.

## 보고서

보고서는 실험 뒤 일주일 안에 냅니다. 두 방법의 그래프를 한 좌표에 그리고, 기다린 시간이 다른 까닭을 한 문장으로
설명하십시오. 조별로 내지 않고 각자 냅니다. 표절이 확인되면 0점입니다.
""",
    "mina/lab_safety_en.docx": """
# Laboratory safety: what every student signs
@2026-02-27

Department of Life Sciences. For exchange students and everybody who prefers English.

## Before the first session

You may enter the laboratory only after the safety test, which takes 20 minutes and is passed with 16 of 20 questions.
It can be repeated once a week. The certificate is valid for one academic year.

## Clothing

Wear a closed coat and closed shoes. Tie back long hair. Contact lenses are allowed under goggles. Gloves come off
before you touch a door handle, a telephone or a keyboard.

## Chemicals

1. Read the label aloud to your partner before you open a bottle.
2. Take what you need to your bench; never pour anything back.
3. Work with volatile liquids in the fume hood, with the sash at the green mark.
4. Collect waste by kind: red for halogenated, yellow for other organic, blue for metals in water.

## If something happens

For a splash in the eye, rinse at the eye shower for 15 minutes and let somebody call extension 4119. For a spill on
the floor, warn the others, close off the place and fetch the spill kit from beside door 2. For a fire that is larger
than your hand, leave, close the door and press the alarm. Every incident, even a small one, is written into the red
book on the same day.

## Working alone

Working alone is not allowed after 19:00 and never with open flames. Overnight experiments need a card with your name
and telephone number on the apparatus.
""",
}
