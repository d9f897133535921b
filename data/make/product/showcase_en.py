"""English slides on unit cost and a long page on troubleshooting across all clouds."""

DOCUMENTS = {
    "guide_unit_cost_en.pptx": """
# Unit cost: from total to meaning
@2025-12-03

## The question

- Total cost rises. Is that bad?
- It depends on what you sold meanwhile.
- Unit cost divides cost by something your company counts: orders, users, jobs, gigabytes.

// Available on Team and above. The series is uploaded as a file or through the flat file API.

## Choosing the unit

- It must be counted every day.
- It must grow when the business grows.
- Somebody outside of engineering must understand it.

// 'Requests' fails the third test in most companies. 'Orders delivered' passes all three.

## Preparing the series

1. Export the daily count from your own system.
2. Two columns, date and value, header line included.
3. Upload it under Reports > Series > Upload.
4. Replace it weekly, or let a script do so.

// A series may reach back 36 months. Values may be fractions, but not negative.

## Which cost belongs in

- Direct cost of the product
- Its part of shared cost, if your rules distribute it
- Not: one-off migrations

// Use an allocation group as the cost of the report. Then the choice is written down in one place.

## Example: a delivery service

Table: Cost and orders
| Month | Cost in dollars | Orders | Cost per 1,000 orders |
| --- | --- | --- | --- |
| June | 31,500 | 420,000 | 75.00 |
| July | 33,600 | 480,000 | 70.00 |
| August | 36,900 | 450,000 | 82.00 |

// July cost more than June and was better. August cost more than July and was worse. Total cost alone would have
praised June.

## What happened in August

- Orders fell by 6 percent, a holiday month.
- The number of machines stayed at July's level.
- Scaling down had been switched off for a load test and was forgotten.

// The fix saved 5,400 dollars a month, because at 70 dollars per 1,000 the 450,000 orders would have cost 31,500.

## Fixed and variable parts

- Some cost is there without a single order.
- Unit cost therefore falls as volume grows, even if nobody improves anything.
- Compare months of similar volume.

// A regression of cost on orders gives both parts. The report shows it when there are at least six months.

## Setting a target

- A target for unit cost belongs to the product, not to infrastructure.
- Begin with the best of the last six months.
- Review twice a year.

// Budgets cannot watch unit cost in version 4.3. Use a scheduled report with a threshold in its mail subject instead.

## Missing days

- Days without a value are left out, not counted as zero.
- A month with fewer than 20 values is marked as incomplete.
- Sundays without orders should be sent as 0 on purpose.

// A zero and a gap mean different things. With a zero the cost of that day counts, with a gap it does not.
""",
    "guide_troubleshooting_en.html": """
# Troubleshooting: from symptom to cause
@2025-11-25

Applies to Cirrocost 4.3.1. The reference of error codes goes from code to meaning. This page goes the other way, from
what you see to what is behind it, and covers cases in which there is no code at all.

## Figures are missing

### Yesterday is empty for all clouds

Look at the status page first. If it is quiet, look at the time: before 10:00 Korean time, or 01:00 UTC, yesterday is
complete for no cloud. If it is later than that, open Settings > Connectors. When every connector is amber, a
maintenance has delayed the readings, and they catch up within six hours without help.

### Yesterday is empty for one cloud

Open the connector's log. No entry since yesterday means that the reading has not begun, and that a sync by hand will
help. An entry with the result 'nothing new' means that the cloud has not published anything. For Borea this is usual
on the first day of a month, for Haneul after public holidays.

### One account or subscription is missing

In Altis, look whether the account has left the organisation. In Borea, look under Scope whether somebody has excluded
the subscription. In Haneul there are no accounts below the main one; what you miss is probably a project, and
projects are a cost label that has to be activated.

### History ends earlier than expected

Three limits meet here, and the smallest one wins: what the cloud hands out, what the backfill was set to, and what
the plan retains. Only the second can be changed afterwards, with Import again in the connector's menu.

## Figures are wrong

### The total is twice what it should be

Two connectors read the same account. This happens when a second Admin sets up a connector to try something.
Disconnect and erase the newer one. Do not merely pause it, since imported lines stay.

### The total is a little too high or too low

Go through five suspects in this order: actual or amortised, credits, tax, rate of exchange, adjustments. Write down
which one it was; the same question comes back next month.

### A team's cost jumps although nothing happened

Open Allocation > History. A new tag rule above the old ones may have taken cost from another team. The history names
the rule, the person who published it and the amount that has moved.

### Hours look strange

Times in charts are those of the workspace, times in raw exports are UTC. On the days when clocks change, one day has
23 hours and another 25, and hourly means shift a little.

## Alerts misbehave

### An alert did not come

Check the chain from the beginning. Has the data arrived? Has the check run since then, at minute 15 of the hour? Has
the threshold fired already in this period? Were there quiet hours? Is the recipient still waiting to be confirmed?
The page Alerts > History answers the last three questions in one line.

### An alert came twice

Somebody has raised the amount of the budget, which re-arms its thresholds, or has chosen Re-arm. If both messages
carry the same second, two budgets have the same scope.

### Slack is silent

Channels that were renamed go on working. Channels that were archived or made private do not. Invite the app again.

## People cannot get in

### Nobody can sign in

If all people come through single sign-on, the certificate of the identity provider has probably ended. An Owner signs
in with a password and uploads the new metadata.

### One person cannot sign in

CCX-1109 says that the person is unknown to the workspace. Without a code, look whether the address in the identity
provider has changed, for example after a marriage: the address is the identity, and a changed one is a new person.
Support can merge both within two working days.

### The app asks for a password again and again

The workspace has shortened the sign-in of the app under Settings > Security > Mobile, or the clock of the phone is
wrong.

## The console is slow

Reports with more than three dimensions, or with hourly granularity over more than 31 days, are computed in the
background and can take some minutes. A report that takes longer than 10 minutes is cancelled without a code. Fewer
days help more than fewer dimensions.

## Writing to support

Send four things: the number of the workspace, the address of the page, the time with its zone, and what you expected
instead. A screenshot helps if figures are visible in it. Never send tokens, secrets or files of your clouds. Allow
access under Settings > Security > Support access if you want us to look for ourselves; it ends after 24 hours by
itself.
""",
}
