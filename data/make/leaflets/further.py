"""Further leaflets of the clinic: headaches, allergies, worry, walking, and the slides of the waiting room."""

DOCUMENTS = {
    "headache_en.pdf": """
# Headaches: keeping a diary
@2025-12-01

Leaflet 16 of the Maru Neighbourhood Clinic. Teaching material, not medical advice.

## Why a diary

Headaches have many faces, and after three weeks nobody remembers them well. A diary shows how often they come, what
they have in common, and whether a treatment helps. Four weeks are enough for a first look.

## What to write down

1. Day and hour of beginning and end
2. How strong, from 1 to 10, and where
3. What came with it: nausea, light that hurts, a stiff neck, flickering before the eyes
4. What you had done, eaten and slept in the day before
5. What you took, and whether it helped

Write on the same evening. Two words are better than nothing.

## What often sets them off

Too little or too much sleep, skipped meals, too little water, long hours at a screen, weather, the days around a
period, and strain that ends suddenly: many people get their headache on Saturday morning. Not every trigger has to be
avoided. It helps to know your two or three.

## Painkillers and headaches

Painkillers taken on many days of a month can cause headaches themselves. Count the days on which you take something,
and show us the number. Do not stop a prescribed medicine by yourself.

---

## Go at once

Call the emergency number for the worst headache of your life that comes like a thunderclap, for a headache with fever
and a stiff neck, with confusion, with weakness or numbness, with trouble speaking or seeing, or after a blow to the
head.

## Make an appointment

Come within a few days if headaches are new after the age of fifty, become stronger from week to week, wake you at
night, or begin during pregnancy.

## Our headache hour

It takes place on the first Tuesday of the month at 16:00. Bring four weeks of diary and your list of medicines. The
first visit lasts 30 minutes. Diaries are at the desk, and the paper one is as good as any app.
""",
    "worry_en.md": """
# When worry takes over
@2025-11-17

Leaflet 25 of the Maru Neighbourhood Clinic. Teaching material, not medical advice.

## Worry is normal, until it is not

Worry prepares us for what may come. It becomes a burden when it hardly ever stops, when it spoils sleep and meals, or
when you begin to avoid people and places. Low mood that lasts for two weeks or more deserves help in the same way as
a broken arm does.

## Small things that help

1. Fix a time of fifteen minutes in the late afternoon for worrying, with paper. When worries come earlier, put them
off until then.
2. Breathe out longer than you breathe in, for two minutes.
3. Move every day, preferably outside, preferably with somebody.
4. Look at the news once a day, not all day.
5. Tell one person how you are.

## What we can do

A first conversation takes 40 minutes. We look at sleep, body, medicines and life together. Some bodily illnesses feel
like fear, so a blood test may be part of it. Talking therapies work well; medicines help some people, and are chosen
and checked by a doctor. The waiting time for a first conversation is about ten days at present.

## The open hour

On Thursday from 12:00 to 13:00 our counsellor is there without an appointment, for twenty minutes each. You need not
give your name.

## If you think of ending your life

Please do not stay alone with it. Call the emergency number, go to the nearest hospital, or ring the crisis line that
is printed on the back of your clinic card, at any hour. Tell somebody near you. If you are worried about another
person, ask directly; asking does not put the idea into anybody's head.
""",
    "walking_en.docx": """
# Walking more
@2026-03-02

Leaflet 9 of the Maru Neighbourhood Clinic. Teaching material, not medical advice.

## Why walking

It costs nothing, hurts little and can be done by nearly everybody. Regular walking helps blood pressure, blood sugar,
sleep, mood, balance and bones. The largest gain is between doing nothing and doing a little.

## Starting

1. Count your steps for a week without changing anything. That is your starting point.
2. Add five hundred a day in the second week.
3. Add again every two weeks until you reach what you can keep up.
4. Take one rest day a week.

Three walks of ten minutes are as good as one of thirty. Walk so fast that you can talk, but not sing.

## If you have not moved for long

Talk to us before you begin if you have had heart trouble, chest pain, fainting, or breathlessness at rest, or if an
illness has changed recently. With diabetes look after your feet: shoes that fit, socks without seams, and a look at
your soles every evening.

## In bad weather

Corridors of shopping centres, the underground station and the stairs at home count. On days with much fine dust
choose the gymnasium of the district, which is free for people over sixty-five before 11:00.

## Stop and get help

Stop if you feel pain or pressure in the chest, dizziness, or a racing heart that does not calm down. Call the
emergency number if it does not pass within a few minutes.

## The walking group

The group leaves the clinic on Saturday at 08:00, rain or shine, and walks four kilometres in an hour. There is a slow
group of two kilometres too. Dogs are welcome.
""",
    "allergy_season_ko.html": """
# 꽃가루 철을 지내는 법
@2026-03-09

마루동네의원 안내문 19호. 교육용 자료이며 의학적 조언이 아닙니다.

## 감기일까, 알레르기일까

감기는 대개 일주일이면 낫고 목이 아프거나 열이 납니다. 알레르기는 꽃가루가 날리는 동안 계속되고, 맑은 콧물과 재채기가
이어지며 눈이 가렵습니다. 해마다 같은 때에 되풀이된다면 알레르기를 의심해 볼 만합니다.

## 언제 심한가요

나무 꽃가루는 3월 말에서 5월, 잔디는 6월, 잡초는 8월 말에서 10월에 많습니다. 하루 중에는 새벽부터 오전 10시까지 많이
날리고, 비가 온 다음 날에는 적습니다. 바람이 강하고 맑은 날에는 오후에도 많습니다.

## 집에서 할 수 있는 일

1. 창문은 늦은 저녁에 엽니다.
2. 빨래는 실내에서 말립니다.
3. 밖에서 돌아오면 옷을 갈아입고 머리를 감습니다.
4. 침실에 외출복을 두지 않습니다.
5. 자동차의 공기는 안쪽에서 돌게 합니다.

## 약에 대하여

꽃가루가 날리기 2주 전부터 미리 상담하면 한 철이 수월합니다. 약마다 졸음이 오는 정도와 쓰는 방법이 다르므로 처방받은
대로 쓰십시오. 코에 뿌리는 약은 며칠이 지나야 효과가 나타나는 것이 많으니 하루 만에 그만두지 마십시오. 운전하시는 분,
임신 중인 분, 다른 약을 드시는 분은 약을 사기 전에 꼭 말씀해 주십시오.

## 과일을 먹으면 입이 가려운 분

봄에 나무 꽃가루로 고생하는 분 가운데에는 사과나 복숭아를 날로 먹으면 입안이 가려운 분이 있습니다. 익히면 괜찮은
경우가 많습니다. 입술이 붓거나 숨이 차면 더 먹지 말고 진료를 받으십시오.

## 바로 119에 전화할 때

숨이 차서 말을 잇기 어렵거나, 얼굴이나 혀가 붓거나, 온몸에 두드러기가 나면서 어지러우면 바로 119에 전화하십시오.

## 검사 안내

피부 검사는 화요일 오후에 하며 30분쯤 걸립니다. 검사 전에 쉬어야 하는 약이 있으므로 예약할 때 드시는 약을 모두 알려
주십시오. 약을 쉴지는 저희가 알려 드리며, 혼자 판단해 끊지 마십시오.
""",
    "headache_ko.pdf": """
# 두통 수첩 쓰는 법
@2025-12-15

마루동네의원 안내문 16호. 교육용 자료이며 의학적 조언이 아닙니다.

## 왜 적어야 하나요

두통은 지나고 나면 금세 잊힙니다. 얼마나 자주 왔는지, 무엇을 하고 난 뒤였는지, 약이 들었는지를 4주만 적어 보면 진료
시간 10분을 훨씬 알차게 쓸 수 있습니다.

## 무엇을 적나요

1. 시작한 시각과 끝난 시각
2. 세기: 1에서 10까지의 숫자
3. 자리: 한쪽인지 양쪽인지, 앞인지 뒤인지
4. 함께 온 것: 메스꺼움, 빛이 거슬림, 목이 뻣뻣함
5. 전날의 잠, 식사, 일
6. 먹은 약과 효과

## 흔한 계기

잠이 모자라거나 너무 많이 잔 날, 끼니를 거른 날, 오래 화면을 본 날, 생리 전후, 날씨가 바뀌는 날에 두통이 오는 분이
많습니다. 긴장이 풀리는 토요일 아침에 오는 분도 있습니다. 계기를 모두 피할 필요는 없고, 자신의 두세 가지를 알면
됩니다.

## 진통제를 먹은 날 세기

진통제를 한 달에 여러 날 먹으면 약 때문에 두통이 생길 수 있습니다. 먹은 날에 동그라미를 치고 한 달의 개수를 세어
오십시오. 처방받은 약을 혼자 끊지는 마십시오.

---

## 바로 119에 전화할 때

벼락을 맞은 듯 갑자기 가장 심한 두통이 오거나, 열이 나면서 목이 뻣뻣하거나, 정신이 흐려지거나, 팔다리에 힘이 빠지거나,
말이나 눈에 이상이 생기거나, 머리를 부딪힌 뒤라면 바로 119에 전화하십시오.

## 며칠 안에 오실 때

쉰 살이 넘어 처음 생긴 두통, 주마다 심해지는 두통, 자다가 깨게 하는 두통, 임신 중에 시작한 두통은 며칠 안에 진료를
받으십시오.

## 두통 상담

두통 상담은 매달 첫째 화요일 16:00에 합니다. 첫 상담은 30분입니다. 수첩 4주분과 약 목록을 가져오십시오. 수첩은
접수대에서 무료로 드립니다.
""",
    "waiting_room_ko.pptx": """
# 대기실 화면: 이번 달 안내
@2026-03-16

## 오늘의 진료 시간

- 평일 08:30–18:00, 수요일은 20:00까지
- 토요일 09:00–12:30
- 점심시간 12:30–13:30에는 접수와 전화를 쉽니다.
- 일요일과 공휴일은 쉽니다.

// 4월 15일 수요일은 직원 교육으로 18:00에 마칩니다. 화면 아래에 빨간 글씨로 함께 보여 줍니다.

## 접수 순서

1. 번호표를 뽑습니다.
2. 접수대에서 이름과 생년월일을 확인합니다.
3. 처음 오신 분은 문진표를 씁니다.
4. 화면에 번호가 나오면 진료실로 들어갑니다.

// 아픈 정도에 따라 순서가 바뀔 수 있다는 점을 한 줄로 덧붙입니다.

## 손 씻기

1. 흐르는 물에 손을 적십니다.
2. 비누로 30초 동안 손등, 손가락 사이, 손톱 밑까지 문지릅니다.
3. 헹구고 종이 수건으로 닦습니다.
4. 그 수건으로 수도꼭지를 잠급니다.

// 노래 한 소절을 두 번 부르면 30초쯤 됩니다. 아이들에게 효과가 좋습니다.

## 기침 예절

- 기침할 때에는 휴지나 옷소매로 가립니다.
- 열이 나거나 기침이 심하면 마스크를 씁니다.
- 대기실 입구에 마스크가 있습니다.

// 숨이 몹시 차면 기다리지 말고 바로 접수대에 말씀해 달라고 안내합니다.

## 이번 달 교실

Table: 교실 일정
| 교실 | 요일과 시각 | 신청 |
| --- | --- | --- |
| 식사 교실 | 목요일 18:30 | 필요 |
| 균형 교실 | 화·금요일 15:00 | 필요 |
| 허리 운동 | 월요일 17:00 | 첫날 무료 |
| 걷기 모임 | 토요일 08:00 | 필요 없음 |

// 균형 교실은 이번 달부터 정원이 12명에서 10명으로 줄었습니다.

## 처방전 재발급

- 필요한 날의 3영업일 전에 신청하십시오.
- 신청서나 전화(13:30–15:00)로 받습니다.
- 이메일로는 받지 않습니다.
- 일 년에 한 번은 진료를 받아야 합니다.

// 영어 안내문에는 13:00부터라고 되어 있으나 점심시간과 겹쳐 3월부터 13:30으로 바꾸었습니다.

## 약 버리기

- 일 년에 두 번 날짜를 확인합니다.
- 지난 약은 옆 약국 입구의 수거함에 넣습니다.
- 개수대나 변기에 버리지 않습니다.
- 이름이 적힌 스티커는 떼어 냅니다.

// 주사 바늘은 수거함이 아니라 접수대의 노란 통에 넣어 달라고 안내합니다.

## 사진과 녹음

- 대기실에서 다른 사람이 나오는 사진을 찍지 마십시오.
- 진료 녹음은 먼저 말씀해 주십시오. 대부분 괜찮습니다.

// 최근 대기실에서 찍은 영상이 올라온 일이 있어 이 화면을 추가했습니다.

## 의견 보내기

- 접수대 옆 상자에 의견을 넣어 주십시오.
- 이름을 적으시면 2주 안에 답을 드립니다.
- 지난달에는 의견 31건을 받았습니다.

// 가장 많은 의견은 전화 연결이 어렵다는 것이었고, 4월부터 상담 전화를 한 대 늘립니다.

## 이 화면에 대하여

- 교육용 자료이며 의학적 조언이 아닙니다.
- 몸이 불편하면 화면을 끝까지 보지 마시고 접수대에 바로 말씀해 주십시오.
- 화면은 매달 셋째 월요일에 바꿉니다.

// 한 장은 20초 동안 보여 줍니다. 글자가 작다는 의견이 있어 이번 달부터 한 장에 네 줄을 넘기지 않습니다.
""",
}
