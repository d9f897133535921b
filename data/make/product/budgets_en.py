"""English guides on budgets (an old and a new edition that contradict each other), anomalies and commitments."""

DOCUMENTS = {
    "guide_budgets_38_en.pdf": """
# Budgets and alerts – guide for Cirrocost 3.8
@2024-03-12

Published on 12 March 2024 for Cirrocost 3.8. Superseded by the edition for 4.3.

A budget is an amount for a scope and a period. Cirrocost compares it with what was really spent and sends an alert
when a threshold is crossed. This guide shows how to create budgets, who may do so, and how alerts are delivered.

## Kinds of budget

In version 3.8 there are two kinds. A fixed budget has the same amount in every period. A rolling budget takes the
mean of the last three complete months and multiplies it by a factor that you choose, 1.0 by default. Forecast budgets
are planned for a later version.

## Creating a budget

1. Open Budgets > New budget.
2. Choose a scope: the whole workspace, a connector, or a tag value.
3. Choose the kind and enter the amount or the factor.
4. Add up to 3 thresholds in percent of the amount. 80 and 100 are proposed.
5. Enter the recipients, at most 10 e-mail addresses.
6. Choose Save.

Only Owners and Admins can create a budget. Analysts can look at all budgets and change none.

## When thresholds are checked

Thresholds are checked once a day at 02:00 UTC, after the nightly import. A peak in the morning is therefore reported
on the following day at the earliest. There is no way to start a check by hand.

## Delivery

Alerts go out by e-mail on all plans. Slack is available on Business and Enterprise. Text messages can be ordered as
an add-on. Webhooks are available on Enterprise only.

An alert is sent once per threshold and period. If spend falls below the threshold and crosses it again, no second
message is sent until the next period begins.

## Limits

A workspace on Team can hold 20 budgets, a workspace on Business 100. The amount is entered in the currency of the
workspace; other currencies are not supported.

## Frequently asked

Why did I get no alert although the chart is above the line? Because the chart includes today's cost as soon as it
arrives, and thresholds look at complete days only.

Can I silence alerts over a weekend? Not in this version. Remove the recipients on Friday and add them again on Monday.
""",
    "guide_budgets_43_en.pdf": """
# Budgets and alerts – guide for Cirrocost 4.3
@2025-10-14

Published on 14 October 2025 for Cirrocost 4.3. Replaces the edition for 3.8.

A budget is an amount for a scope and a period, together with a rule for what should happen when spending comes close
to it. This edition describes budgets as they work since version 4.3. If your workspace is hosted in a private region
it may still run 4.2; the differences are marked.

## 1. Choosing the kind of budget

### 1.1 Fixed

The amount is the same in every period. Use it for projects with an approved sum. Periods can be months, quarters or
years; a yearly budget can start in any month.

### 1.2 Rolling

The amount is the mean of the last three complete months times a factor between 0.5 and 2.0. Use it for services that
grow steadily. A rolling budget needs three complete months of data; with less, the wizard offers a fixed budget
instead.

### 1.3 Forecast

The alert looks at the forecast for the end of the period, not at what has been spent. Forecast thresholds stay silent
during the first 7 days of a period (10 days up to version 4.2), because a forecast from a few days would cry wolf.
Forecast budgets are available on Team and above.

## 2. Creating a budget

### 2.1 In the console

1. Open Budgets > All budgets > New budget.
2. Choose the scope. You can combine one connector, one allocation group and up to three tag values; all conditions
must hold.
3. Choose the kind and enter the amount or the factor.
4. Add up to 5 thresholds. Each one is either Actual or Forecast.
5. Choose the delivery for each threshold: e-mail, Slack, webhook. A threshold without delivery only colours the bar.
6. Name a person as budget owner. The owner can edit the budget without being an Admin.
7. Choose Save. The first check runs within the hour.

### 2.2 From a file

Business and Enterprise workspaces can import budgets from a CSV file with the columns name, scope, kind, amount,
currency, thresholds. Open Budgets > All budgets > Import. The import is all or nothing: one faulty line rejects the
file, and the message names the line.

### 2.3 Through the API

Send POST /v2/budgets with the same fields. A budget made through the API belongs to the token's creator and can be
edited in the console like any other.

## 3. Who may do what

Owners and Admins create, change and delete all budgets. Analysts create budgets within the scope that they can see,
and change or delete the ones they own. Viewers and Auditors see budgets and receive alerts if they are entered as
recipients. A budget whose owner has left the workspace passes to the workspace Owner automatically.

## 4. When thresholds are checked

Since 4.3 thresholds are checked every hour, at minute 15. In 4.1 and 4.2 the check ran every 6 hours. The check can
only see data that has been imported: an Altis connector brings new lines every 6 hours, Borea twice a day, Haneul
once. For a workspace with Haneul alone an alert can therefore be a full day behind the spending, however often the
check runs.

You can start a check by hand with Check now in the budget's menu, at most 4 times a day per budget.

## 5. Delivery

### 5.1 E-mail

Up to 20 recipients per threshold, also outside the workspace. External recipients confirm their address once; until
then their status is Waiting.

### 5.2 Slack

Available on Team, Business and Enterprise. Install the app under Alerts > Delivery > Slack and invite it to the
channel. For private channels the invitation must be made by a member of the channel.

### 5.3 Webhook

Available on Business and Enterprise. The call is signed with HMAC-SHA256 in the header X-Cirro-Signature and repeated
5 times over 30 minutes when your server does not answer with a 2xx status. After 50 failed deliveries in a row the
webhook is switched off and the Admins are told.

### 5.4 Quiet hours

New in 4.3. Open Alerts > Delivery > Quiet hours and choose days and hours in the time zone of the workspace. Alerts
that fall into quiet hours are collected and sent in one message at their end. Thresholds of 100 percent or more can
be exempted with Always deliver.

## 6. Repetition and re-arming

A threshold fires once per period. When spend drops below the threshold, for example after a credit, it stays fired.
To hear from it again choose Re-arm in the budget's menu. Re-arming also happens by itself when the amount of the
budget is raised.

## 7. Ending a budget

Archive a budget to keep its history and stop its alerts. Delete it to remove both. Archived budgets do not count
towards the limit of your plan. The limits are 2 budgets on Starter, 50 on Team, 300 on Business and 2,000 on
Enterprise.

## 8. A worked example

The data team at a retailer has an approved sum of 18,000 US dollars a month. Their lead wants a warning early enough
to act, silence at the weekend, and no noise from the first days of a month. They create a fixed budget over 18,000
dollars with three thresholds: Forecast 100 percent to Slack, Actual 80 percent by e-mail to the lead, Actual 100
percent by e-mail to the lead and the controller with Always deliver. Quiet hours cover Saturday and Sunday. In the
first week only the Actual thresholds can fire. On day 9 the forecast reaches 19,400 dollars and Slack gets the first
message, twelve days before the money would have been gone.
""",
    "guide_anomalies_en.html": """
# Finding and handling cost anomalies
@2025-06-30

Applies to Cirrocost 4.2 and later. Last reviewed on 30 June 2025.

An anomaly is a day, or on hourly data an hour, whose cost lies far from what the pattern of the previous weeks
predicts. The detector learns a separate pattern for every combination of connector, service and allocation group.

## How the detector decides

The detector removes the weekly rhythm, estimates the usual spread, and compares. Sensitivity sets how many standard
deviations a value may lie away before it is reported: 3.0 for Low, 2.5 for Medium, 2.0 for High. Medium is the
default. In addition the deviation must be worth at least the minimum impact, 20 US dollars a day unless you change
it, so that a tripled cost of thirty cents does not wake anybody.

A series needs 14 days of history before it is watched. Before version 4.2 it needed 30 days. Series with less history
are listed under Anomalies > Learning.

Only increases are reported by default. Tick Report drops as well if a sudden saving would be bad news for you, for
example because it means that backups have stopped.

## Setting up the detector

1. Open Anomalies > Settings. You need the role Owner or Admin.
2. Choose the sensitivity for the workspace.
3. Enter the minimum impact in the currency of the workspace.
4. Under Exceptions, add services with a different sensitivity. An exception is valid for all connectors.
5. Choose who is told. Anomalies have their own list of recipients, which is not the one of your budgets.
6. Choose Save. Changes take effect with the next import; past days are not judged again.

## Working through an anomaly

1. Open the anomaly from the message or from Anomalies > Open.
2. Read the three lines under Likely drivers. They name the resources, or without resource IDs the usage types, that
explain most of the difference.
3. Choose a state: Expected, Investigating, or Resolved. Expected teaches the detector that this level is the new
normal, and the series is learnt afresh from that day.
4. Add a note. The note is part of the monthly report.

## Muting

Mute a series for 7 or 30 days from the anomaly's menu. During that time anomalies are recorded but no message is
sent. Muting for good is not possible on purpose: exclude the service under Exceptions instead, which is visible to
the Auditors.

## Migrations and other planned changes

If you know that cost will jump, enter a planned change under Anomalies > Planned changes with a start, an end and the
services concerned. During a planned change the detector pauses for those services, and afterwards it waits 7 days
before it judges again. Planned changes can be entered by Analysts too.

## Data that arrives late

Clouds correct their lines afterwards. If a correction turns an ordinary day into an anomaly after more than 5 days,
it is recorded with the mark Late and no message is sent. If a correction makes an anomaly disappear, the anomaly is
closed with the state Withdrawn.
""",
    "guide_commitments_en.pdf": """
# Commitment planner
@2025-05-09

Applies to Cirrocost 4.0 and later, on Business and Enterprise. Last reviewed on 9 May 2025.

Clouds give a discount when you promise to use, or to pay for, a certain amount over one or three years. The planner
looks at your past usage and shows which promise would have paid off. It does not buy anything: purchases are made in
the cloud's own console.

## Terms used here

Coverage is the share of eligible usage that a commitment pays for. Utilisation is the share of a commitment that is
really used. High coverage with low utilisation means that you promised too much; the reverse means that there is room
for more.

Break-even is the number of months after which the commitment has cost less than paying on demand would have.

## What each cloud offers

| Cloud | Name of the commitment | Terms | Typical discount | Can be returned |
| --- | --- | --- | --- | --- |
| Altis | Savings Pledge | 1 or 3 years | 24 to 52 % | no |
| Borea | Reserved Capacity | 1 or 3 years | 20 to 46 % | yes, with a 12 % fee |
| Haneul | 약정 요금제 | 1, 2 or 3 years | 15 to 35 % | within 7 days |

The planner supports Altis and Borea. Haneul commitments are shown in reports, but no recommendation is computed for
them, because Haneul does not publish its list prices through an interface.

## Preparing the data

The planner needs 60 days of usage at least, and works best with 6 months. For Borea the amortised data set must be
imported. For Altis the export must include resource IDs. Usage in planned changes is left out.

## Computing a recommendation

1. Open Optimise > Commitment planner and choose a connector.
2. Choose a look-back of 30, 60 or 180 days. The default is 60.
3. Choose a term and whether you pay everything, a part or nothing upfront.
4. Set the safety margin. With 10 percent, the planner recommends only what you would have used in at least 90 percent
of the hours.
5. Choose Compute. Large organisations wait up to 15 minutes.

The result lists the commitments with the saving per month, the utilisation that is to be expected, and the
break-even. A line whose break-even is later than 9 months is marked in amber.

## Reading the result: an example

A workspace pays 40,000 dollars a month on demand for eligible Altis usage. The planner proposes a one-year Savings
Pledge of 22,000 dollars a month with no upfront payment, at an expected utilisation of 97 percent. The pledge
replaces usage worth 29,500 dollars on demand. The saving is 7,500 dollars a month, and coverage rises to 74 percent,
since 29,500 of the 40,000 dollars are covered.

## Watching commitments

Under Optimise > Commitments every commitment has a bar for utilisation. When utilisation falls below 80 percent on
seven days in a row, the connector's recipients get a message. Commitments that end within 45 days are listed under
Renewals. Nothing is renewed by Cirrocost.

## Sharing the benefit

In an organisation one account often buys for all. By default the saving goes to the account that used the discounted
hour. Owners can change this under Settings > Reporting > Commitment benefit to Buyer keeps or Share by usage. The
setting changes all reports from the first day of the current month and leaves closed months alone.
""",
}
