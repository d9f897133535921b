"""English FAQ by topic; one entry is a question as heading and its answer."""

DOCUMENTS = {
    "faq_billing_en.html": """
# FAQ: plans, prices and payment
@2025-10-14

## Plans

### Which plans are there and what do they cost?

There are four. Starter is free and covers one connector and three users. Team costs 49 US dollars per workspace and
month and includes ten users; each further user costs 6 dollars. Business costs 249 dollars a month, includes 25 users
and adds single sign-on, webhooks and the commitment planner. Enterprise is quoted individually. Prices in Korean won
are on a price list of their own.

### I still see 39 dollars on my invoice. Is that right?

Yes, if you subscribed to Team before 1 October 2024. The price of 39 dollars was valid until version 4.0. Existing
customers keep it until their first renewal after 30 September 2026; then it becomes 49 dollars.

### What is tracked spend?

The sum of the cost that your connectors imported in a calendar month, before credits and without tax. Team is meant
for up to 50,000 dollars of tracked spend a month, Business for up to 500,000. Excluded subscriptions and accounts do
not count.

### What happens if I pass the limit of tracked spend?

Nothing stops. You see a banner, and the Owner gets a message. If the spend is above the limit for two months in a row
you have 30 days to move to the next plan. Only then are new connectors blocked; existing ones keep importing.

### Can I try Business before I pay?

Yes, once per workspace, for 14 days, without a card. Support can extend the trial once by 7 days. After the trial the
workspace falls back to the plan it had before, and budgets beyond that plan's limit are archived, not deleted.

## Payment

### How can I pay?

By card on all plans. Business on an annual contract and Enterprise can pay by invoice within 30 days. We do not take
cheques, and there is no payment through a cloud marketplace.

### Is there a discount for paying yearly?

10 percent on Team and Business since version 4.0. Up to then it was 15 percent. The discount is not combined with the
one for non-profit organisations, which is 30 percent.

### Can I get my money back?

Annual plans can be cancelled within 30 days of the start and of each renewal; you get back the part that is unused,
day by day. Monthly plans run to the end of the paid month, and nothing is paid back.

### My card was declined. When is access cut off?

We try again after 3, 7 and 14 days. After the third failure the workspace becomes read-only for another 14 days, in
which imports continue. Then it falls back to Starter.

### Where do I change the address on the invoice?

Under Settings > Billing > Invoice details. Only the Owner and people marked as billing contact see this page. A
changed address applies from the next invoice; an issued invoice is corrected by support within 60 days.

## Changing plans

### What happens when I upgrade in the middle of a month?

The change is immediate. You pay the difference for the remaining days, and the new limits hold at once. Retention
grows from that day on: data that had been deleted under the smaller plan does not come back.

### What happens when I downgrade?

It takes effect at the end of the paid period. Seven days before, the Owner receives a list of what no longer fits:
users, connectors, budgets, tag rules. What is not removed by then is paused, oldest last.

### Are Auditors and Viewers paid users?

Viewers are. Auditors are not; up to five of them are free on every paid plan.
""",
    "faq_connectors_en.md": """
# FAQ: connectors and data
@2025-10-14

## General

### How fresh is the data?

It depends on the cloud. Altis is read every 6 hours, Borea twice a day, Haneul once a day at 04:00 Korean time.
Behind that stands the delay of the cloud itself, which is between 4 hours and a day.

### How far back can I import?

12 months from Altis, 6 from Borea, 3 from Haneul. The import never reaches further back than the retention of your
plan: 3 months on Starter, 24 on Team, 36 on Business, 60 on Enterprise.

### Does a paused connector cost anything?

It counts as a connector of your plan and imports nothing. Pausing is useful while you replace credentials. After 90
days of pause a Haneul key is disabled by Haneul.

### Can I connect two payer accounts of the same cloud?

Yes, each with a connector of its own, as many as your plan allows: 1 on Starter, 5 on Team, 20 on Business, no limit
on Enterprise. The charts add them up; the filter Connector separates them.

### Can I connect a data centre of my own or a cloud that is not on the list?

Yes, with the Flat file connector. You upload a CSV file with the columns date, service, account, cost and currency,
by hand or through the API, once a day at most. Files may have 200 megabytes. Anomalies and budgets work on such data,
commitments do not.

### How do I start a sync by hand?

Choose Sync now in the connector's menu. It is possible four times a day for Altis, and twice a day for Borea and
Haneul. A second click while a sync is running gives CCX-5003.

## Trouble

### The connector is green but there is no data. Why?

Green means that the credentials are accepted. Data appears after the first export of the cloud: within 24 hours for
Altis, within 48 hours for Borea, and on the next morning for Haneul. If it takes longer, open the connector's log and
look for a code that begins with CCX-4.

### The connector was green for months and turned red over night.

Look at the code. CCX-4130 means an expired client secret at Borea. CCX-4230 means that a security team has removed
our addresses from the list at Haneul. CCX-4030 means that the role at Altis has been renamed or deleted. In all three
cases nothing is lost if you repair it within 30 days.

### Our security team wants to know from which addresses you come.

All calls leave from 198.51.100.16/28 and 203.0.113.64/28. The list changes rarely, and changes are announced 60 days
in advance in the release notes.

### What do you store of our clouds?

Cost lines, resource names and tags. No credentials of your users, no contents of buckets or databases. Data rests in
the region that was chosen when the workspace was made, and the region cannot be changed afterwards.

### Can you correct a wrong cost line?

No. What the cloud delivers is shown as it is. You can add an adjustment under Reports > Adjustments, which is marked
as such and can be seen by Auditors.

### How do I get rid of a connector and all of its data?

Choose Disconnect and erase. It needs the Owner role and takes up to 72 hours. Plain Disconnect keeps the history.
""",
    "faq_alerts_en.html": """
# FAQ: budgets, alerts and anomalies
@2025-10-14

## Budgets

### Why did my alert come hours after the limit was passed?

Thresholds are checked every hour since version 4.3, but they see imported data only. With Altis the delay is up to 6
hours plus the cloud's own, with Haneul up to a day.

### Why did I get the alert only once?

A threshold fires once in a period. Choose Re-arm in the budget's menu if you want to hear of it again, or raise the
amount.

### How many thresholds can a budget have?

Five since version 4.1. Before that it was three.

### Can a budget stop my machines?

No. Cirrocost only reads. You can let a webhook start an automation of your own; an example for that is in the API
reference.

### Can I have a budget for several clouds together?

Yes. Leave the connector open and choose an allocation group or a tag value. Amounts are converted to the currency of
the workspace with the monthly mean rate.

### A forecast alert came and went. Why?

Forecasts are computed anew with every import. If the forecast falls below the threshold, the message has already been
sent, and the bar in the console turns back to grey.

## Channels

### Which plans have Slack?

Team, Business and Enterprise. Until version 4.0 Slack was reserved for Business and Enterprise.

### Can I get text messages?

No longer. Text messages were removed in version 4.0. Most customers use the mobile app's push messages instead.

### Can I use Microsoft Teams?

Not directly. Use the webhook, which is part of Business and Enterprise, with a connector of your own. A built-in
channel has not been announced.

### How do I silence alerts at night?

Use quiet hours under Alerts > Delivery > Quiet hours, new in version 4.3. Messages are collected and sent together at
the end of the quiet hours. Tick Always deliver for thresholds that must get through.

### The webhook has stopped. What happened?

After 50 failed deliveries in a row a webhook is switched off. Repair your server and choose Switch on under Alerts >
Delivery > Webhooks. Missed messages are not sent again, but they are listed under Alerts > History for 90 days.

## Anomalies

### Why is a new service not watched?

The detector needs 14 days of history per series. Look under Anomalies > Learning for the number of days that are
still missing.

### Too many messages. What should I change first?

The minimum impact. Raising it from 20 to 50 dollars a day removes about half of the messages in a typical workspace.
Lower the sensitivity only if that is not enough.

### We are planning a migration. How do I keep the detector quiet?

Enter a planned change with its start and end. Muting is meant for surprises that you already know about, planned
changes for those that are still to come.
""",
    "faq_accounts_en.md": """
# FAQ: users, roles and sign-in
@2025-06-17

## Users

### What may each role do?

The Owner may do everything, including billing and deleting the workspace. Admins manage users, connectors, budgets
and tag rules. Analysts build reports, create budgets within what they see, and propose tag rules. Viewers look.
Auditors look too, and in addition they see the audit log and all settings. Every workspace has one or two Owners.

### How long is an invitation valid?

72 hours since version 4.2; before it was 7 days. An expired invitation can be sent again from Settings > Users >
Invited, and the old link stays dead.

### How do I hand over the ownership?

The Owner opens Settings > Users > (person) > Make owner. The person must have been an Admin for at least 24 hours. If
the Owner has left the company and cannot sign in, two Admins write to support, which checks the request with the
billing contact. This takes five working days.

### Somebody has left. What happens to their things?

Reports and dashboards pass to the person who removes the user. Budgets pass to the workspace Owner. API tokens die at
once, so check first whether a script uses one.

### Can I limit what an Analyst sees?

Yes, with a view scope: connectors, allocation groups or tag values. A scope limits charts, exports, the API and
budgets alike. Admins and Auditors cannot be limited.

## Signing in

### How long does a session last?

8 hours since version 4.2, and 12 hours in earlier versions. The mobile app stays signed in for 30 days unless the
workspace demands otherwise.

### Is single sign-on available?

Yes, with SAML 2.0 on Business and Enterprise. Automatic user management with SCIM is part of Enterprise only. OpenID
Connect is not supported.

### I get CCX-1102 when I sign in through our identity provider.

The assertion carries no e-mail address. Map the attribute email in your identity provider; the name identifier alone
is not used.

### I get CCX-1104. What does my clock have to do with it?

The assertion was issued more than 300 seconds before or after our time. Usually the clock of the identity provider is
wrong, not yours.

### Can I demand a second factor?

Yes. Open Settings > Security > Second factor and choose Required. It applies to sign-in with a password. With single
sign-on the second factor is a matter of your identity provider. Codes come from an authenticator app; security keys
are supported since version 4.1, text messages are not.

### I was signed out in the middle of my work with CCX-1007.

Somebody signed in with your account elsewhere, and the workspace allows one session per person. Owners can raise the
number to 3 under Settings > Security > Sessions.

## Audit

### Where is the audit log, and how long is it kept?

Under Settings > Audit log, for Owners, Admins and Auditors. It is kept for 12 months on Team, and for 36 months on
Business and Enterprise. Starter has none.
""",
    "faq_reports_en.html": """
# FAQ: reports, exports and tags
@2025-10-14

## Reports

### Why do two reports show different totals for the same month?

Check three things in the header of the report: the data set (actual or amortised), the currency rate, and whether
credits are included. The fourth suspect is the closing: a closed month is frozen, while the explorer goes on showing
the corrections of the cloud.

### Which report types exist?

Cost by dimension, Change between periods, Night-time, Commitment, Allocation and Unit cost. Night-time needs hourly
data and therefore works for Altis only. Unit cost needs an uploaded series, for example the number of orders a day.

### Can I send a report every Monday?

Yes. Open the report, choose Schedule, and pick a day, an hour and up to 20 recipients. The report is sent as PDF with
a link. A schedule belongs to its creator and stops when that person is removed.

### What does '(none)' mean in a chart by tag?

Cost without the tag, or cost that cannot carry tags at all, such as support fees and tax. Use an allocation rule to
move it where it belongs.

## Exports

### How large may an export be?

1,000,000 rows as CSV since version 4.2, when the limit rose from 100,000. Excel files stop at 50,000 rows. Larger
requests end with CCX-3010; split them by month, or use the API.

### The download link does not work any more.

Links are valid for 48 hours, 24 hours before version 4.2. After that you see CCX-3012. Start the export again; it
does not count as a new one if the data has not changed.

### Can I export to our own bucket?

On Business and Enterprise, under Reports > Exports > Destinations. The files are Parquet and are written once a day
after the last import.

## Tags

### Upper and lower case create two entries for one team. What can I do?

Since version 4.2 tag keys are compared without regard to case. Values still are compared exactly. Write a tag rule
that maps the variants to one value, or use the action Lower-case.

### How many tag rules may I have?

200 on Team and Business. Enterprise has 500 since version 4.3. In old documents you may still find the number 50.

### I changed a rule. Why do last month's figures stay as they were?

Rules apply to new data. To change the past choose Reprocess: up to 3 months back on Team, up to 12 on Business and
Enterprise. Closed months are left out. A run takes up to 4 hours.

### Which rule wins when two match?

The one that stands higher. Rules are read from the top, and the first match ends the search.
""",
}
