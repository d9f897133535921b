"""English leaflets: general, cautious, no doses."""

DOCUMENTS = {
    "blood_pressure_en.pdf": """
# High blood pressure: living with it
@2026-01-12

Leaflet 12 of the Maru Neighbourhood Clinic. Teaching material, not medical advice.

## What blood pressure is

Your heart pushes blood through the vessels. The first figure of a reading is the pressure while the heart beats, the
second the pressure while it rests. Both change during the day: they rise with effort, anger and a full bladder, and
they fall in sleep. One high reading is therefore not an illness. Your care team looks at several readings on
different days before it speaks of high blood pressure.

Most people feel nothing. That is why it is measured even when you are well. Over years a pressure that is too high
strains the heart, the brain, the kidneys and the eyes.

## Measuring at home

1. Sit down for five minutes before you measure, with your back against the chair and both feet on the floor.
2. Do not drink coffee, smoke or exercise in the half hour before.
3. Put the cuff on the bare upper arm, at the height of the heart.
4. Do not talk while the device is working.
5. Measure twice, one minute apart, in the morning and in the evening, and write down both.

Bring the notebook, not only the average, to your appointment. Bring the device once a year, so that we can compare it
with ours.

## What you can do yourself

Less salt helps most people. Much of it hides in bread, soups, sauces and ready meals, so reading labels does more
than throwing away the salt cellar. Walking briskly on most days of the week, losing weight if you are heavy, drinking
little alcohol and not smoking all help, and they add up.

Choose one change and keep it for a month before you add the next. People who change everything at once rarely last.

## Medicines

If medicines have been prescribed, take them as prescribed, also on days on which the reading is good. It is good
because of them. Do not stop or change them by yourself. If you feel dizzy, have a lasting cough or think that a
medicine does not suit you, call us before the next renewal. Ask before you buy remedies for colds or pain without a
prescription, because some of them raise the pressure.

---

## When to get help

Call the emergency number at once for strong chest pain, sudden weakness of one side, a drooping face, trouble
speaking, or a sudden very strong headache. Do not wait to see what the next reading says.

Call the clinic on the same day if your readings are clearly above the range that was agreed with you on two days
running and you feel unwell.

## Your appointments

A check is planned every three months in the first year and every six months afterwards. A blood sample belongs to
every second visit. You need not fast for it. Our nurses hold a blood pressure hour on Wednesday from 14:00 to 16:00,
for which no appointment is needed.
""",
    "diabetes_food_en.html": """
# Eating well with type 2 diabetes
@2025-11-04

Leaflet 21 of the Maru Neighbourhood Clinic. Teaching material, not medical advice.

## There is no diabetic diet

There is no list of forbidden foods. What counts is how much starch and sugar comes at one time, how fast it reaches
the blood, and what you eat with it. The whole family can eat the same meal.

## The plate

Half of the plate is for vegetables, a quarter for starchy food such as rice, bread, potatoes or noodles, and a
quarter for fish, tofu, eggs, beans or lean meat. Fruit is welcome, one piece at a time, and better whole than as
juice.

## Rice and noodles

Mix white rice with barley, beans or brown rice. Noodle soups bring much salt along with the starch: leave half of the
broth. Eat the vegetables first and the rice last; for many people the sugar then rises more slowly.

## Drinks

Water, unsweetened tea and coffee without sugar do not raise blood sugar. Juice, sweet coffee mixes and sports drinks
do, quickly. Alcohol can make sugar fall hours later, in particular if you use certain medicines, so ask your care
team what holds for you.

## Regular meals

Eat at regular times if you use insulin or tablets that can lower sugar too far. Your care team will tell you whether
yours belong to them. Do not skip a meal to make up for a large one.

## Low sugar

Trembling, sweating, hunger, a racing heart or confusion can mean that the sugar is too low. If you have been told
what to do in that case, do it at once, and sit down. If you have not, ask for the yellow card at our desk. If
somebody cannot swallow or does not wake up, call the emergency number and give nothing by mouth.

## On sick days

Illness can raise the sugar even if you eat little. Drink regularly, measure more often than usual, and call us early.
Do not stop medicines by yourself; for some of them there are sick-day rules, which are on your personal plan.

## Our course

The course on eating takes four evenings, on Thursdays from 18:30 to 20:00, and begins in March and in September.
Bring a relative if you like. Registration closes one week before.
""",
    "sleep_en.md": """
# Sleeping better
@2025-09-22

Leaflet 7 of the Maru Neighbourhood Clinic. Teaching material, not medical advice.

## How much is enough

Most adults need between seven and nine hours, older people often a little less. What counts is how you feel in the
daytime. Waking up once or twice is normal at any age.

## A rhythm that helps

1. Get up at the same time every day, also at the weekend.
2. Go out into daylight within an hour of getting up.
3. Keep naps short, twenty minutes at most, and before three in the afternoon.
4. Stop coffee, black tea and cola at noon for two weeks and see whether it matters to you.
5. Keep the last hour before bed free of work and bright screens.

## If you lie awake

Do not watch the clock. If you have been awake for what feels like twenty minutes, get up, sit in dim light, read
something dull, and return when you are sleepy. The bed should not become a place for worrying. Writing tomorrow's
tasks on a sheet of paper in the early evening helps many people.

## What does not help

Alcohol makes people fall asleep faster and sleep worse. Lying in bed longer to catch up makes the sleep shallower.
Sleeping pills of friends are dangerous. Herbal remedies may not get on with your medicines, so ask.

## When to see us

Come if the trouble lasts longer than four weeks, if you snore loudly and are tired in the daytime, if your legs will
not be still in the evening, or if low mood or worry keeps you awake. Bring a sleep diary of two weeks; the form is at
the desk.

If you are so tired that you might fall asleep at the wheel, do not drive, and call us today.
""",
    "vaccination_en.docx": """
# Vaccination appointments
@2025-09-01

Leaflet 3 of the Maru Neighbourhood Clinic. Teaching material, not medical advice.

## Who should ask

Everybody can ask us to look through the vaccination record. It is worth doing before a journey, before a planned
pregnancy, at the start of a long-term illness, and at 65. Which vaccinations are recommended for you depends on your
age, your health and your record, and is decided in the conversation.

## Making an appointment

1. Call 02-555-0142 or use the form at our desk.
2. Say whether you want a first conversation or already have a plan.
3. Bring your vaccination record and a list of your medicines.
4. Come ten minutes early for the questionnaire.
5. Stay in the waiting room for fifteen minutes afterwards.

Vaccination hours are on Tuesday and Friday from 09:00 to 11:30. In October and November there is an additional hour
on Saturday morning for the seasonal influenza vaccination, without an appointment.

## Postponing

A cold without fever is no reason to postpone. With fever, or if you feel really ill, call and we will find another
day. Tell us before the vaccination if you have had a strong allergic reaction, if you are or may be pregnant, if you
use blood thinners, or if an illness or a medicine weakens your defences.

## Afterwards

A sore arm, tiredness and a slight rise of temperature for a day or two are common. Move the arm, drink enough, and
rest if you want to. Call us if the redness keeps growing after two days or a fever lasts longer. Trouble breathing,
swelling of the face or fainting within the first hours is an emergency: call the emergency number.

## Children

Children are vaccinated by the paediatric practice on the second floor, which has a calendar and a telephone of its
own, 02-555-0177. A parent or a person with written consent comes along.

## Travel

Come at least six weeks before you leave, since some vaccinations need two visits. Bring the route, not just the
country. Travel advice is not covered by the general insurance; the price list is at the desk.
""",
    "back_pain_en.html": """
# Back pain: keep moving
@2025-06-10

Leaflet 15 of the Maru Neighbourhood Clinic. Teaching material, not medical advice.

## The good news

Most back pain comes from muscles and joints, has no dangerous cause and gets better within six weeks. Pictures from a
scanner rarely help at the beginning: they show changes in many people who have no pain at all.

## What helps

Stay active within what you can bear. Bed rest of more than a day or two makes things worse. Warmth helps many people.
Change your position every half hour. Return to work before you are entirely free of pain, with lighter tasks if
possible.

If you want to take something for the pain, ask the pharmacist or us what suits your other medicines and illnesses.

## Lifting

1. Go close to the load and stand firmly.
2. Bend knees and hips, and keep the load near your belly.
3. Turn with your feet, not with your back.
4. Ask for help before it is too late.

## Warning signs

Call the emergency number or go to hospital at once if you lose control of bladder or bowels, if the area between your
legs becomes numb, or if a leg grows weak quickly.

Come to us soon if the pain follows a fall, if you have fever, lose weight without wanting to, have had cancer, or if
the pain is worst at night in bed.

## Group exercise

The back group meets on Monday at 17:00 in the hall beside the clinic. The first visit is free. Wear loose clothes and
bring a towel. People with warning signs see a doctor before they join.
""",
    "medicines_at_home_en.md": """
# Keeping medicines at home
@2026-02-02

Leaflet 30 of the Maru Neighbourhood Clinic. Teaching material, not medical advice.

## One list for everything

Write down every medicine you use, with its name, what it is for, and who prescribed it. Include drops, sprays,
patches, and what you buy without a prescription. Carry the list with you. When a hospital or another practice changes
something, change the list on the same day and show it at your next visit.

## Where to keep them

A dry, cool, dark place that children cannot reach is right for most medicines. The bathroom is too damp and the car
too hot. Some have to stay in the refrigerator, between 2 and 8 degrees, and must not freeze: keep them away from the
back wall. Leave medicines in their boxes, since the leaflet and the date are there.

## Taking them

Take medicines as prescribed. If you have missed one, look in the leaflet or ask the pharmacist. Do not take twice the
amount to make up for it. A weekly box helps if you have several; fill it at the same hour each week, with your list
beside you. Not every tablet may be taken out of its wrapping or be divided, so ask first.

## Throwing them away

Check the dates twice a year. Bring what is out of date to the collection box in the entrance of the pharmacy next
door. Do not pour anything into the sink. Remove your name from the label.

## Travelling

Carry medicines in your hand luggage, with the prescription. Take more than you need for the journey. For injections
ask us for a letter at least two weeks ahead.

## Renewals

Order renewals three working days ahead, by the form or by telephone between 13:00 and 15:00. Renewals are not given
by e-mail. Once a year we want to see you before renewing.
""",
}
