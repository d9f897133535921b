"""English leaflets on feet and smoking, and the slides of the waiting room for English readers."""

DOCUMENTS = {
    "feet_en.html": """
# Looking after your feet with diabetes
@2026-02-16

Leaflet 22 of the Maru Neighbourhood Clinic. Teaching material, not medical advice.

## Why feet

After years of diabetes the nerves of the feet can become numb and the blood may flow less well. Then a small wound
does not hurt, is found late and heals slowly. Most of the harm can be avoided by looking every day.

## Every evening

1. Sit down under a good light and take off both socks.
2. Look at the tops, the soles, the heels and between the toes. Use a mirror, or ask somebody.
3. Feel with the back of your hand whether one place is warmer than the rest.
4. Wash with lukewarm water; test it with the elbow, not with the foot.
5. Dry between the toes. Use cream on the rest of the foot, not between the toes.

## Nails, hard skin and shoes

File nails straight instead of cutting them. Do not treat hard skin or corns with blades or plasters from the shop;
come to our foot nurse. Buy shoes in the afternoon, when feet are larger, and reach inside before you put them on,
every time. Do not walk barefoot, not even at home and not on a beach.

## Warmth

Hot-water bottles, heating pads and heated floors burn feet that feel little. Wear socks in bed instead.

## Call us on the same day

Call for any open place, blister, bleeding, dark patch, or for a foot that is red, warm or swollen, even if it does
not hurt. Do not wait for the next appointment. With fever and a wound on the foot go to hospital.

## Check-ups

Once a year a nurse tests feeling and pulse in both feet; it takes ten minutes. People with numb feet or an old wound
come every three months. The foot nurse is here on Monday and Thursday morning, by appointment.
""",
    "stopping_smoking_en.docx": """
# Stopping smoking
@2026-01-26

Leaflet 27 of the Maru Neighbourhood Clinic. Teaching material, not medical advice.

## It is worth it at any age

Within days taste and smell return, within weeks breathing gets easier, within a year the heart is under clearly less
strain. People who have tried before succeed more often than people who try for the first time: attempts are practice,
not failure.

## Preparing, two weeks

1. Choose a day. A Monday after a quiet weekend is a good one for many people.
2. Write down every cigarette for a week: when, where, with whom.
3. Mark the three you would miss most, and plan something else for exactly these.
4. Tell three people.
5. Throw away ashtrays and lighters on the evening before.

## The first three days

They are the hardest. A craving lasts three to five minutes. Drink a glass of water, walk round the block, ring
somebody. Avoid alcohol for two weeks, since it is the most common reason for the first cigarette.

## Help that works

Advice together with medicines or nicotine replacement works better than either alone. What suits you depends on your
health and on your other medicines, so ask us or the pharmacist and follow the instructions. If you are pregnant, have
heart trouble or take medicines for the mind, speak to us before the day. Smoking changes how some medicines work, so
their amount may have to be checked when you stop.

## A slip

One cigarette is a slip. Think about what led to it and go on; do not wait for the next Monday.

## Weight and mood

Many people gain two to four kilos, which is far less harmful than smoking. Low mood in the first weeks is common.
Come to us if it is heavy or lasts, and at once if you think of harming yourself.

## Our programme

Six meetings on Wednesdays at 18:00, with a new group every second month, beginning in February. The district pays.
Telephone advice is possible between the meetings.
""",
    "waiting_room_en.pptx": """
# Waiting room screen: English edition
@2026-03-16

## Opening hours

- Monday to Friday 08:30–18:00, Wednesday until 20:00
- Saturday 09:00–12:30
- Lunch break 12:30–13:30: desk and telephone are closed.

// On Wednesday 15 April we close at 18:00 because of a staff training. Teaching material, not medical advice.

## Checking in

1. Take a number.
2. Give your name and date of birth at the desk.
3. New here? Fill in the blue form.
4. Wait until your number is shown.

// People who are very ill go first. Please tell the desk at once if you feel worse while you wait.

## Interpreters

- English and sign language: free, ask three days ahead
- Vietnamese and Chinese: by telephone, on the same day
- Family and friends are welcome as well.

// Children should not interpret for their parents. We find another way.

## Prescriptions

- Order three working days ahead.
- By form, or by telephone from 13:30 to 15:00
- Not by e-mail

// Since March the telephone hour begins at 13:30. The printed leaflet 30 still says 13:00 and will be replaced.

## Groups this month

Table: Groups that are held in English too
| Group | When | Place |
| --- | --- | --- |
| Walking group | Saturday 08:00 | front door |
| Stopping smoking | Wednesday 18:00 | room 2 |
| Back group | Monday 17:00 | hall next door |

// The eating course is in Korean in spring and in both languages in autumn.

## Clean hands

- Thirty seconds with soap: backs, between fingers, under nails
- Dry with paper, turn off the tap with the paper.
- The gel at the door is for hands that look clean only.

// Two verses of a short song take about thirty seconds. Children like to choose the song.

## Your records

- Copies of your own record: same day, with identification
- For a relative: written consent and proof of relation
- Pictures for another hospital: ask two days ahead.

// The desk cannot read results out on the telephone, not even to you. Results come by post or in the app.

## Missed appointments

- Please cancel by 17:00 on the day before.
- After three missed visits without a call, only same-day visits are possible for one month.

// Last month 64 appointments were missed. That is more than two full days of one doctor.
""",
}
