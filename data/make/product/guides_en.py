"""English guides on tags, single sign-on, reports, and a demo workspace whose figures are drawn with a seed."""

import random

SERVICES = ("Compute", "Database", "Object storage", "Network", "Support")
MONTHS = ("August 2025", "September 2025", "October 2025", "November 2025", "December 2025", "January 2026")
SEED = 43


def demo_costs() -> dict[str, list[int]]:
    """US dollars per month (in the order of MONTHS) for each service of the demo workspace, whole tens."""
    draw = random.Random(SEED)
    base = {"Compute": 21_000, "Database": 9_400, "Object storage": 4_300, "Network": 2_600, "Support": 1_500}
    event = {("Database", 3): 4_800, ("Compute", 4): -3_900, ("Compute", 5): -4_100, ("Network", 5): 1_750}

    def cost(service: str, month: int) -> int:
        usual = base[service] * (1 + 0.02 * month + draw.uniform(-0.008, 0.008))
        return round((usual + event.get((service, month), 0)) / 10) * 10

    return {service: [cost(service, month) for month in range(len(MONTHS))] for service in SERVICES}


def demo_table() -> str:
    """The demo workspace's cost table as markup, with a line of totals."""
    costs = demo_costs()
    lines = ["| Service | " + " | ".join(MONTHS) + " |"]
    lines += [f"| {service} | " + " | ".join(f"{cost:,}" for cost in costs[service]) + " |" for service in SERVICES]
    totals = [sum(column) for column in zip(*costs.values(), strict=True)]
    return "\n".join([*lines, "| Total | " + " | ".join(f"{total:,}" for total in totals) + " |"])


DOCUMENTS = {
    "guide_demo_workspace_en.pdf": f"""
# The demo workspace: reading six months of cost
@2026-02-05

Every new workspace comes with the demo company Lindgate Books, an online bookshop with one Altis payer account. This
guide walks through its months, so that you can practise with figures whose story is known. All amounts are US
dollars, actual cost, credits included.

## The figures

Table: Lindgate Books, cost by service and month
{demo_table()}

## The story behind the figures

### November 2025

In November the database cost jumped. The team moved its order history to a new database and ran the old one beside it
for three weeks. The anomaly detector reported the jump on 6 November, the second day of the move, and the team set
the state Expected. Nothing was wrong; but nobody had entered a planned change, and the budget owner learnt of it from
the alert.

### December 2025

In December compute cost fell although sales were at their peak. A Savings Pledge for one year had begun on 1
December. The number of machines even rose by a fifth in the week before Christmas.

### January 2026

In January network cost rose. A backup job copied data to another region every hour instead of every night. The
mistake ran from 9 to 27 January and was found in the weekly report, because the drop of compute hid it from the
budget of the whole workspace.

### The quiet months

August, September and October are the months to compare with. They show the growth of about two percent a month that
the bookshop expects.

## Exercises in the console

1. Open Reports > Change between periods and compare November with October. Which service explains the difference?
2. Open Anomalies and find the entry of 6 November. Read its likely drivers.
3. Make a forecast budget for Network and see on which day of January it would have fired.
4. Open Optimise > Commitments and look at the utilisation of the pledge in December.

## Resetting the demo

Under Settings > Demo data choose Reset. Budgets and rules that you made for the demo are removed, your own connectors
are not touched. The demo does not count towards tracked spend, and it can be hidden for all users by an Admin.
""",
    "guide_tags_en.docx": """
# Tag rules and allocation groups
@2025-10-16

Applies to Cirrocost 4.3. Tag rules turn the tags of three clouds into names that your company understands. Allocation
groups then put cost where it belongs. The Korean guide on tags was written for 4.2; the limits in it are those of
4.2.

## 1. Virtual tags

A virtual tag lives in Cirrocost only. It can have the same name as a tag in a cloud, in which case it hides that tag
in reports. The original stays visible in the raw export.

## 2. Writing a rule

### 2.1 From an example

1. Open Cost explorer and find a line that is labelled wrongly.
2. Choose Make a rule from this line.
3. Remove the conditions that are too narrow, usually the resource name.
4. Choose the virtual tag and the value.
5. Look at the preview: it shows the cost of the last 30 days that the rule would catch, and which existing rules it
would take cost from.
6. Save as draft, or as an Admin publish at once.

### 2.2 From nothing

1. Open Allocation > Tag rules > New rule.
2. Add conditions and join them with And or Or. A rule may have 20 conditions.
3. Choose one of the four actions: Set value, Copy value, Lower-case, Replace by pattern.
4. Put the rule in its place. A narrow rule belongs above a wide one, since the first match ends the search.
5. Save as draft.

### 2.3 Through the API

Since 4.3 a rule can be checked with POST /v2/tags/rules:validate. Publishing through the API is not possible.

## 3. Publishing

Drafts of Analysts wait for an Owner or Admin. A draft that nobody publishes is deleted after 30 days. Publishing
takes effect with the next import of each connector, which means that rules reach Altis data within 6 hours and Haneul
data only on the next morning.

## 4. Changing the past

Choose Reprocess under Allocation > Tag rules. Team can go back 3 months, Business and Enterprise 12. Closed months
are left out. While a reprocessing is running nothing can be published, and a second one is refused with CCX-2211.

## 5. Allocation groups

A group collects cost by conditions like those of a rule, and groups can be nested three levels deep. Each line
belongs to exactly one group. What no group claims is shown as Unallocated; a share under 5 percent is a good aim in
the first quarter, under 2 percent afterwards.

## 6. Shared cost

Support fees, network hubs and security tools have no owner. Three methods share them out: evenly, in proportion to
direct cost, or by fixed percentages that must add up to exactly 100. The Korean guide on shared cost works through an
example; this page only adds one warning. Do not share a cost in proportion to itself: if the support fee is part of
the base, the shares move every day.

## 7. Limits

200 rules on Team and Business, 500 on Enterprise, 10 on Starter. Beyond that saving ends with CCX-2201. A rule that
has matched nothing for 90 days is marked Idle, which is a good place to start tidying up.
""",
    "guide_sso_en.md": """
# Single sign-on with SAML
@2025-07-02

For Business and Enterprise. Applies to version 4.2 and later.

## Overview

Your identity provider vouches for people, and Cirrocost trusts it. You need an Owner of the workspace and an
administrator of the identity provider. Keep one Owner with a password, because a mistake in the provider's settings
would lock everybody out.

## Preparing the identity provider

1. Create an application of type SAML 2.0.
2. Enter the reply address https://login.cirrocost.example/saml/acs and the audience urn:cirrocost:workspace:NUMBER
with your own workspace number.
3. Map the attribute email. Without it sign-in ends with CCX-1102.
4. Map the attribute displayName if you want names instead of addresses in lists.
5. Download the metadata file.

## Preparing Cirrocost

1. Open Settings > Security > Single sign-on. Only the Owner sees this page.
2. Upload the metadata file.
3. Choose Test with my account. A window opens, and the result lists every attribute that arrived.
4. Choose the mode: Optional lets people choose, Required closes the password way for everybody except the Owners.
5. Save.

## Creating users

With Automatic creation a person who signs in for the first time gets the role Viewer. You can choose Analyst as the
starting role, but nothing higher. Without automatic creation an unknown person sees CCX-1109.

On Enterprise, SCIM creates and removes users by itself. Open Settings > Security > SCIM, make a SCIM token, and enter
it with the address https://api.cirrocost.example/scim in your provider. A SCIM token does not expire, but there can
be one only. Groups of the provider can be mapped to roles, and a mapping to Owner is ignored.

## Certificates

The certificate of the identity provider ends at some time. Cirrocost tells the Owner 30 days before. Upload the new
metadata file before the old certificate ends; for a while both are accepted.

## When something goes wrong

CCX-1104 means that the clocks differ by more than 300 seconds. CCX-1109 means that a person is not assigned. A loop
between two sign-in pages means that the audience holds the wrong workspace number.
""",
    "guide_reports_en.pdf": """
# Reports, schedules and exports
@2025-10-22

Applies to Cirrocost 4.3.

## 1. The six report types

Cost by dimension shows where money goes. Change between periods explains a difference, service by service. Night-time
compares the hours from 20 to 6 o'clock with the day, and is offered for Altis only, because it needs hourly lines.
Commitment shows coverage and utilisation. Allocation shows groups after shared cost. Unit cost divides cost by a
series that you upload, for instance the number of orders.

## 2. Building a report

### 2.1 A report on cost

1. Open Reports > New report and choose the type.
2. Choose period, connectors and groups in the header.
3. Choose the data set. Actual matches invoices; amortised spreads upfront payments over the term.
4. Choose Save. A saved report keeps relative periods such as last month.

### 2.2 A report on unit cost

1. Open Reports > Series > Upload and provide a CSV file with the columns date and value.
2. Open Reports > New report and choose Unit cost.
3. Choose the series and the cost that it should divide.
4. Choose Save. Days without a value in the series are left out, not counted as zero.

## 3. Sending a report

1. Open the report and choose Schedule.
2. Choose weekdays or a day of the month, the hour, and up to 20 recipients. If the day does not exist in a month, the
report is sent on the last day.
3. Choose PDF, CSV or both.
4. Save.

A schedule is tied to its creator. If that person is removed, the schedule stops; reports pass on, schedules do not.
Take over a colleague's schedule beforehand with Duplicate.

## 4. Exporting

### 4.1 By hand

Choose Export in a report. CSV files may have 1,000,000 rows and Excel files 50,000. The link in the message is valid
for 48 hours and works only for signed-in users of the workspace.

### 4.2 To a bucket of your own

New in 4.3, on Business and Enterprise.

1. Open Reports > Exports > Destinations > New destination.
2. Choose Altis or Borea. Haneul buckets are not supported.
3. Grant write permission to the identity that the page shows. Read permission is not asked for.
4. Choose Send test file. CCX-3015 means that the permission is missing.
5. Choose the reports. Files are Parquet, one a day and report, written after the last import of the day.

A destination can be used for five reports. Files are never deleted by Cirrocost.

## 5. Closing a month

A closed month is frozen: later corrections of the clouds become adjustments in the following month. Two people are
needed, one who asks and one who approves within 72 hours. The Korean guide on closing describes the steps and the
recommended days in detail.

## 6. Reading differences

If a report and an invoice do not agree, look in this order: the data set, credits, tax, the currency rate, and the
day on which the month was closed. In our experience the first two explain four cases out of five.
""",
}
