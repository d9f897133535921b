"""English handbooks for the people who run a workspace: administration, review meetings, flat files, forecasts."""

DOCUMENTS = {
    "guide_admin_handbook_en.docx": """
# Administrator's handbook
@2025-11-20

Applies to Cirrocost 4.3.1. For Owners and Admins. The handbook collects what recurs every day, month and year, and
says for each task who may do it.

## 1. Daily

### 1.1 Looking after connectors

Open Settings > Connectors in the morning. A green connector has been read on schedule. An amber one has been read
late, or with gaps that will be filled. A red one has not been read, and its line shows a code. Amber needs no action
for 48 hours. Red does, since the clouds keep old exports for different lengths of time: Altis 12 months, Borea 6
months, Haneul 3 months. A connector that stays red for longer than 30 days has to be read anew by support, which
takes three working days.

### 1.2 Looking after alerts

Open Alerts > History. Failed deliveries stand at the top. Three causes explain nearly all of them: a Slack channel
was archived, an external recipient has not confirmed the address, or a webhook was switched off after 50 failures.
Unconfirmed recipients are removed after 14 days since version 4.3.1; before that they stayed for ever.

## 2. Weekly

### 2.1 Drafts of tag rules

Analysts propose rules, Owners and Admins publish them. Open Allocation > Tag rules > Drafts. Read the preview before
publishing: the line Takes cost from names the rules that will lose cost. A draft is deleted after 30 days, without a
message to its author.

### 2.2 Users

Open Settings > Users. Remove who has left before you deal with who has come, because a removed user frees a place at
once. Check three things for every person who leaves: API tokens, schedules, and budgets that they own. Tokens die
with the user. Schedules stop. Budgets pass to the Owner.

## 3. Monthly

### 3.1 Closing, in a workspace with two Admins

1. Wait until the slowest cloud is final. For Altis that is the eleventh.
2. See that no connector is red; otherwise the button is inactive.
3. One Admin asks for the closing under Reports > Closing.
4. The other Admin approves within 72 hours.

### 3.2 Closing, in a workspace with a single Admin

1. Wait as above.
2. The Admin asks for the closing.
3. The Owner approves within 72 hours. If Owner and Admin are the same person, appoint a second Owner for the time
being: nobody can approve their own request.

### 3.3 Reopening

Only the month that was closed last can be reopened, and the Owner has to approve. Up to version 4.2 it was possible
for the last three months. The reason is kept in the audit log.

## 4. Quarterly

### 4.1 Access review

Export the list of users under Settings > Users > Export and let each department confirm its people. The list shows
the last sign-in. People who have not signed in for 90 days are candidates for removal. Auditors can do the export
too, which keeps the review independent.

### 4.2 Secrets

Borea secrets live 180 days at most, so every secret comes up about twice a year. Enter both dates in your calendar.
The reminders 14 and 3 days before go to the Admins, not to the person who made the secret.

### 4.3 Idle rules and archived budgets

Tag rules that have matched nothing for 90 days carry the mark Idle. Delete them or move them down. Archived budgets
cost nothing and can stay.

## 5. Yearly

### 5.1 Renewal

The Owner gets a message 60 days before an annual contract ends. Downgrades must be chosen before the last day. The
price at renewal is the one of the price list on that day; a price that was kept for existing customers, such as the
39 dollars for Team, ends with the first renewal after 30 September 2026.

### 5.2 The certificate of the identity provider

Upload the new metadata before the old certificate ends. Cirrocost reminds the Owner 30 days before. If it has ended
already, nobody can sign in through the provider; an Owner with a password repairs it.

### 5.3 Retention

Data older than your plan's retention is deleted every night at 01:00 UTC. If you need a year-end archive, export it
first, or order Longer retention on Business. Closing files are kept for 60 months whatever the plan.

## 6. In an emergency

### 6.1 A token has leaked

1. Open Settings > API tokens and choose Revoke. It takes effect within one minute.
2. Look in the audit log for the token's number to see what it was used for.
3. Make a new token with a shorter life.
4. If the token had full access, compare budgets and adjustments with last night's state.

### 6.2 A phone with the app has been lost

1. Open Settings > Security > Mobile and choose Sign out remotely for the person.
2. Ask the person to change the password, or block the account in the identity provider.
3. Nothing is stored on the phone except the figures of the first screen.

### 6.3 The Owner cannot be reached

Two Admins write to support, each from their own account. Support checks with the billing contact and moves the
ownership within five working days. Until then nobody can erase connectors or change the way people sign in.

## 7. Who to ask

Standard support answers within one working day. Premium support on Business answers critical questions within two
hours around the clock. Critical means that nobody can sign in, that figures are visibly wrong, or that data of
another company can be seen. The security team has an address of its own, security@cirrocost.example.
""",
    "guide_review_meeting_en.pptx": """
# Running a monthly cost review
@2025-09-18

## Why a meeting at all

- Charts do not decide anything. People in one room do.
- Aim: three decisions in 45 minutes
- Not an aim: explaining every cent

// Teams that meet monthly act on about two thirds of the findings, teams that only get a report on less than a fifth.
The figures come from our own survey of 140 customers.

## Who should be there

- One person from finance, who knows the plan
- One engineer per product, who can change something
- The owner of the budget, who decides
- Nobody else

// Seven people are too many. If a department wants to listen, send the notes.

## One week before

1. Wait for the closing of the month.
2. Open Reports > Change between periods and compare with the month before.
3. Pick the five largest differences in dollars, not in percent.
4. Ask the owners for one sentence each.

// Percent makes small services look dramatic. Start with money.

## Agenda of 45 minutes

Table: Agenda
| Minutes | Subject | Speaks |
| --- | --- | --- |
| 5 | Decisions of last month: done or not | Budget owner |
| 15 | The five largest differences | Engineers |
| 15 | Proposals | Anybody |
| 10 | Decisions with a name and a date | Budget owner |

// Begin with last month's decisions. A meeting that never looks back soon has nothing to look at.

## Reading a difference: price or amount

- Did we use more, or did it become more expensive?
- Unit cost answers: cost divided by orders, users or jobs.
- Growth with falling unit cost is good news.

// An online shop whose cost rises by 10 percent while its orders rise by 25 is doing well.

## Reading a difference: one-off or lasting

- A migration, a load test, a credit: one-off
- A new service, a lost discount: lasting
- Mark one-offs as planned changes, so that the detector stays quiet.

// The demo company Lindgate Books has one example of each kind between November and January.

## Typical savings

- Machines for tests that run at night: 4 to 8 percent of compute
- Old snapshots: 1 to 3 percent of storage
- A commitment with coverage below 60 percent: often the largest saving of all

// These are ranges from reviews, not promises. Do not put them into a plan without looking at your own figures.

## Typical traps

- Moving cost from one team to another and calling it a saving
- Celebrating a credit
- Comparing February with January without counting days

// February has 10 percent fewer days than January. That alone explains many good Februaries.

## Decisions that hold

- One sentence, one name, one date, one amount
- Written into the budget's notes during the meeting
- Checked first thing next time

// The note field of a budget takes 2,000 characters and is part of the PDF report.

## When nobody owns the cost

- Sort the report by Unallocated.
- Give each of the three largest items to a person for one month.
- After that month decide: a group of its own, shared cost, or switched off.

// An item that nobody wants to own is usually not needed.

## After the meeting

- Send the notes on the same day.
- Adjust budgets where a decision changed the plan.
- Raising a budget re-arms its thresholds.

// Mention the last point to finance: after a raise people may get an alert they have already seen.
""",
    "guide_flat_files_en.html": """
# Flat files: bringing your own cost data
@2025-10-08

Applies to Cirrocost 4.3, Team and above. With the Flat file connector you bring in cost that no cloud reports: a data
centre, licences, a provider that is not on the list.

## The file

A CSV file in UTF-8 with a header line. Five columns are required: date, service, account, cost, currency. Dates have
the form 2025-10-31, costs use a point and no separators. Three columns are optional: region, resource, and tags in
the form key=value;key=value. A missing column stops the import with CCX-4901. A file may have 200 megabytes; larger
ones are refused with CCX-4903.

## Uploading by hand

1. Open Settings > Connectors > Add connector > Flat file and give the connector a name.
2. Choose Upload and pick the file.
3. Check the preview, which shows the first 20 lines and the sum per month.
4. Choose how days that exist already are treated: Replace or Add.
5. Choose Import.

## Uploading through the API

1. Make a token with full access.
2. Send POST /v2/connectors/{id}/files with the file as body. One file a day is accepted per connector.
3. Ask GET /v2/connectors/{id} for the state.

Through the API existing days are always replaced; there is no choice as in the console.

## What works and what does not

Budgets, anomalies, tag rules and shared cost work as with a cloud. Commitments do not, and neither does the
night-time report. Currencies may differ from line to line and are converted with the monthly mean rate.

## Three recipes

Depreciation: put one line per month on the first day, and switch off anomalies for this service under Exceptions,
since a monthly peak is no surprise.

Licences paid yearly: divide by twelve before uploading. Cirrocost does not spread amounts of flat files over time.

A provider with an invoice only: enter the total on the last day of the month. The daily chart then shows a peak;
choose months in the report instead.
""",
    "guide_forecast_en.pdf": """
# How the forecast is made
@2025-10-30

Applies to Cirrocost 4.3.

Forecasts appear in three places: in the bar of a budget, in the cost explorer as a dashed line, and in GET
/v2/costs/forecast. All three come from the same computation, which this page explains.

## 1. What goes in

The forecast uses daily cost of up to 12 months for every combination of connector, service and allocation group. It
leaves out planned changes, days marked as anomalies with the state Resolved, and adjustments. Credits are left out as
well, because nobody knows when the next one will come. That is why the forecast of a workspace with many credits lies
above the later invoice.

## 2. The method

A straight trend, a weekly rhythm and, with more than six months of data, a rhythm within the month are fitted by
weighted least squares. Yesterday counts most, and the weight halves every 30 days. Series with fewer than 14 days use
the mean of their days. The forecasts of all series are added.

## 3. The range

The shaded range holds 80 percent of past outcomes: the computation is repeated for every day of the last three months
with the knowledge of that day, and the errors are measured. A workspace with a short history therefore has a wide
range. For new workspaces no range is shown in the first 30 days.

---

## 4. When it is computed

After every import and never in between. A workspace with Haneul alone gets one new forecast a day. The forecast of a
quarter or a year is the sum of its months.

## 5. What it cannot know

It knows nothing of your plans. If you switch on a new region next week, enter an adjustment to the forecast under
Cost explorer > Forecast > Expected changes with an amount per day and a start. Expected changes are shown to
everybody and also move forecast alerts. They differ from planned changes, which pause the anomaly detector and do not
touch the amount of the forecast.

## 6. Accuracy

In workspaces with more than six months of history the forecast on the tenth day of a month missed the final amount by
3.8 percent in the median, on the twentieth day by 1.6 percent. For Borea the error is larger in the first days,
because the first day of a month arrives late.

## 7. Questions we hear

Why does the forecast fall at the end of the month? Because the days that remain are fewer, and each import replaces
an estimate by a fact.

Why do the forecasts of two groups not add up to the forecast of both? They do, unless a shared cost rule lies between
them: shared cost is distributed after the forecast, in proportion to the current shares.
""",
}
