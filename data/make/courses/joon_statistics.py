"""Joon's statistics for engineers: the same chapters as Mina's with other figures, dates and rules."""

DOCUMENTS = {
    "joon/stats_syllabus_en.pdf": """
# Statistics for Engineers (STA210) – syllabus, spring 2026
@2026-02-23

School of Computing, Hanbit Institute. Lecturer: Dr Oh Seung-min. Tutor: Karla Weiss. Lectures on Monday and
Wednesday, 14:00 to 15:15, room B-102.

## What the course is about

You will learn to plan an experiment on a running system, to test whether a change made a difference, and to model a
quantity such as latency. All work is done in Python notebooks. Proofs are kept short; careful wording of conclusions
is not.

## Assessment

Table: Weights and dates
| Part | Weight | When |
| --- | --- | --- |
| Midterm | 25 % | Thursday 23 April, 14:00, room B-102 |
| Final exam | 40 % | Thursday 18 June, 14:00, hall A |
| Labs, six of them | 25 % | every second Sunday, midnight |
| Quizzes | 10 % | unannounced, ten in all, best eight count |

The midterm covers weeks 1 to 7. Both exams are open book: printed notes and one textbook are allowed, laptops are not.

## Late work and absence

A lab that is late loses 20 percent for each day and is not accepted after two days. You have one joker: a single lab
may be 48 hours late without loss, if you say so before the deadline. Attendance is not counted, but quizzes cannot be
repeated.

## Grades

Grades follow fixed borders: 85 points for an A, 70 for a B, 55 for a C. There is no quota. You need at least 40 of
100 points in the final exam to pass, whatever your other marks are. An exam that is missed for medical reasons is
repeated in writing in the week of 29 June.

---

## Plan

Table: Weeks
| Week | Subject | Lab |
| --- | --- | --- |
| 1 | Describing data | – |
| 2 | Random variables | Lab 1 |
| 3 | Sampling and confidence intervals | – |
| 4 | Bootstrap | Lab 2 |
| 5 | Hypothesis testing | – |
| 6 | A/B tests | Lab 3 |
| 7 | Power and sample size | – |
| 8 | Midterm week | – |
| 9 | Correlation | Lab 4 |
| 10 | Linear regression | – |
| 11 | Logistic regression | Lab 5 |
| 12 | Queues and tails | – |
| 13 | Time series | Lab 6 |
| 14 | Review | – |

Office hours are on Tuesday from 16:00 to 17:30 in room C-410. Questions by e-mail are answered within two working
days, questions in the forum usually on the same day.
""",
    "joon/stats_hypothesis_testing_en.pdf": """
# Handout 5: hypothesis testing and A/B tests
@2026-03-30

Statistics for Engineers, STA210.

## 1. The question behind a test

A team changes the colour of a button, and more people buy. Was it the button? A test does not answer that question
directly. It asks how often a difference at least this large would turn up if the change did nothing. If the answer is
'rarely', we stop believing in nothing.

The null hypothesis says that the change has no effect. The alternative says that it has one, in either direction.
One-sided tests are not accepted in this course, because after the fact everybody claims to have known the direction.

## 2. The level

We use a level of 0.01 unless a task says otherwise. In industry dozens of tests run each week, and at 0.05 one in
twenty useless changes would be celebrated. A lower level has a price: with the same number of visitors the test
misses real effects more often.

## 3. Errors

A false alarm is a rejected null hypothesis that was true. A miss is a null hypothesis that was kept although it was
false. The probability of avoiding a miss is called power. We plan for a power of 0.8.

---

## 4. Worked example: a checkout button

4,000 visitors saw the old button and 4,000 the new one.

Table: Result of the experiment
| Variant | Visitors | Purchases | Rate |
| --- | --- | --- | --- |
| Old | 4,000 | 200 | 5.0 % |
| New | 4,000 | 248 | 6.2 % |

The pooled rate is 5.6 percent, and the standard error of the difference is 0.514 percentage points. The difference of
1.2 points gives z = 2.33 and a two-sided p-value of 0.020. At our level of 0.01 the null hypothesis is not rejected.
At 0.05 it would have been: the same data, another rule, another headline. This is why the level is fixed before the
experiment.

A good conclusion reads: the new button had a purchase rate 1.2 points higher (z = 2.33, p = 0.020); at the level of
0.01 this is not enough to call it an effect, and the experiment should be repeated with more visitors.

## 5. How many visitors would have been enough?

For a base rate of 5 percent, a difference of 1.2 points, a level of 0.01 and a power of 0.8, about 8,600 visitors are
needed per variant. The rule of thumb in the textbook gives 16 times the variance divided by the squared difference,
but it is made for a level of 0.05 and must not be used here.

## 6. Peeking

Looking at the result every day and stopping at the first p-value below the level multiplies the false alarms. In a
simulation with fourteen looks a level of 0.05 became 0.21. Fix the duration, or use a sequential test, which Lab 3
introduces.

## 7. What the midterm asks

One task gives the output of a test and asks for a conclusion in two sentences. Saying that the null hypothesis was
'accepted' or 'proved' costs half of the points. The average last year was 68 of 100.
""",
    "joon/stats_regression_en.pptx": """
# STA210 week 10: linear regression
@2026-05-04

## What a line can say

- One number predicts another, on average.
- The slope is in units of the answer per unit of the question.
- Always plot first.

// Show the four data sets with the same line.

## Example: latency and load

- Measured: 60 five-minute windows of a web service
- latency in ms = 12 + 0.85 × concurrent users
- R squared is 0.64
- At 100 users the line predicts 97 ms.

// Ask what the 12 means: the latency of an idle service, if the line holds down there.

## Where the line breaks

- Observed load: 20 to 140 users
- Beyond 150 users the queue grows and latency explodes.
- Week 12 explains why; until then, do not extrapolate.

## Residuals

- A fan shape means that the spread grows with load.
- Logarithms often help with latency.
- Percentiles tell users' pain better than means.

## Comparing two models

Table: Models of latency
| Model | Variables | R squared | Error on new data (ms) |
| --- | --- | --- | --- |
| A | users | 0.64 | 9.1 |
| B | users, payload size | 0.71 | 8.2 |
| C | 14 variables | 0.78 | 11.6 |

// Model C fits the past best and the future worst. That is the point of the slide.

## Lab 4 and Lab 5

- Lab 4 is due on Sunday 10 May, Lab 5 on Sunday 24 May.
- Hand in the notebook with all cells run.
- A residual plot without axis labels loses 5 points.
""",
}
