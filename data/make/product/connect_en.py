"""English guides: connecting the three clouds. The procedures look alike and differ in the details that matter."""

DOCUMENTS = {
    "guide_connect_altis_en.pdf": """
# Connecting Altis Cloud to Cirrocost
@2025-11-03

Applies to Cirrocost 4.2 and later. Last reviewed on 3 November 2025.

This guide takes you from an Altis payer account to a working connector. Plan about 40 minutes of work, plus one day
of waiting for the first figures. You need two people, or one person with two hats: an Owner or Admin of the Cirrocost
workspace, and someone who may create roles and cost exports in the Altis payer account. An Analyst can read a
connector's status, but cannot create one.

## Before you start

Altis can bill you in two ways, and the connector has to match. In an Altis organisation one payer account receives
the cost of all member accounts. A standalone account pays for itself. If you connect a member account instead of the
payer, the connector turns green and still shows only that member's spend; this is the most common mistake we see, and
Cirrocost cannot detect it.

Have the following at hand:

- the 12-digit number of the payer account, or of the standalone account;
- the region in which the export bucket lives, for example al-central-1;
- a name for the cost export that begins with cirro-, because the reader looks for that prefix and ignores everything
else.

Altis lets you choose between daily and hourly lines. Choose hourly. Daily exports work for totals, but the anomaly
detector and the night-time report need hours and stay empty without them.

## Part A. An organisation with a payer account

### A1. Create the cost export

1. Sign in to the Altis console with the payer account, not with a member.
2. Open Billing > Cost Exports and choose New export.
3. Enter a name that begins with cirro-, for example cirro-payer-main.
4. Set the format to Parquet, the granularity to Hourly, and switch on Include resource IDs.
5. Choose an existing bucket or create one. Write down its region; you will be asked for it in part C.
6. Save. Altis writes the first manifest within 8 hours. Until then a connection test ends with CCX-4033.

### A2. Create the role

1. Still in the payer account, open Access > Roles and choose Create role > Another party.
2. In Cirrocost, open Settings > Connectors > Add connector > Altis Cloud and copy the external ID that is shown
there. It is valid for 24 hours and only for this one connector.
3. Paste the external ID into the Altis role form and name the role CirrocostReadRole.
4. Attach a policy with exactly two permissions, ListObjects and GetObject, restricted to the export bucket.
5. At the organisation level, tick Allow member metadata. Without it the member accounts appear as numbers instead of
names.

## Part B. A standalone account

Standalone accounts have no payer and therefore no member metadata. The steps are shorter, and two values differ from
part A.

### B1. Create the cost export

1. Open Billing > Cost Exports in the account itself and choose New export.
2. Enter a name that begins with cirro-.
3. Set the format to Parquet. Leave the granularity at Hourly; the option Include resource IDs is always on here and
cannot be changed.
4. Save. For standalone accounts the first manifest takes up to 20 hours, because Altis writes it once a night.

### B2. Create the role

1. Open Access > Roles and choose Create role > Another party.
2. Copy the external ID from the Cirrocost wizard and paste it.
3. Name the role CirrocostReadRole-Single. The wizard proposes CirrocostReadRole; change it, otherwise the test ends
with CCX-4030.
4. Attach ListObjects and GetObject for the export bucket.

## Part C. Finish in Cirrocost

1. Return to the wizard under Settings > Connectors > Add connector > Altis Cloud. If more than 24 hours have passed,
choose Renew external ID and repeat the role step, since the old value is dead.
2. Enter the account number, the bucket and the bucket's region. The region is not guessed: a bucket in another region
than the one you enter ends with CCX-4032.
3. Choose Test connection. A green tick means that the role can be assumed and the manifest can be read. It does not
mean that data has been imported.
4. Choose how far back to import. The backfill reaches at most 12 months and counts against the retention of your plan.
5. Choose Save. The status changes from Pending to Importing, and to Active after the first full day.

## What happens next

The first figures appear within 24 hours. Afterwards Cirrocost reads the export every 6 hours, at 00:30, 06:30, 12:30
and 18:30 UTC. Altis corrects its own lines for up to ten days after the end of a month, so the total of a closed
month can still move slightly. Credits arrive as negative lines in the service they belong to; they are not collected
in a line of their own.

All Altis amounts are US dollars. If your workspace reports in another currency, the amounts are converted with the
monthly mean rate of the month in which the cost arose.

## Rotating and removing

The role has no expiry date. If your security rules ask for a rotation, create a new external ID under Settings >
Connectors > (connector) > Security > Renew external ID, put it into the Altis role within 24 hours, and choose Test
connection. The import is not interrupted as long as the test succeeds before the next scheduled run.

To remove a connector, choose Disconnect. The history stays visible for as long as your plan's retention allows.
Choose Disconnect and erase only if you want the imported lines deleted: this cannot be undone, it needs the Owner
role, and it takes up to 72 hours.

## Troubleshooting by symptom

The connector is green but the total is far too low: you have connected a member account. Create a new connector for
the payer account and disconnect the first.

The test says CCX-4031: the external ID in the role is not the one in the wizard. This usually happens when the wizard
was opened twice, because each opening makes a new ID.

Member accounts are shown as twelve-digit numbers: Allow member metadata is not ticked in the role (step 5 of section
A2).

The night-time report is empty: the export was created with daily lines. The granularity of an export cannot be
changed in Altis; make a new export and point the connector to it.
""",
    "guide_connect_borea_en.docx": """
# Connecting Borea Cloud to Cirrocost
@2025-08-21

Applies to Cirrocost 4.1 and later. Last reviewed on 21 August 2025.

Borea keeps its cost data in a billing account, under which subscriptions hang. Cirrocost reads two data sets from it,
actual cost and amortised cost, with the identity of an application that you register yourself. Nothing is installed
in your subscriptions.

## Before you start

You need a Borea user with the role Billing Administrator, and an Owner or Admin in Cirrocost. Check the scope first.
The role that you will grant has to sit on the billing account. If it is granted on a single subscription, the
connection test succeeds and the import then stops with CCX-4131, since the list of subscriptions cannot be read.

Customers with a Borea reseller contract do not have a billing account of their own. In that case ask the reseller to
grant the role on the customer folder, and choose Reseller in step 2 of section 3.

## 1. Register an application

1. In the Borea portal, open Directory > Applications and choose Register.
2. Name the application cirrocost-billing. The name is free; the documentation and our support team use this one.
3. Open Certificates and secrets and choose New client secret.
4. Choose a lifetime. Borea allows at most 180 days. Cirrocost reminds the Admins by e-mail 14 days before the end and
again 3 days before.
5. Copy the value of the secret at once. Borea shows it a single time.
6. Note the directory ID and the application ID from the overview page.

## 2. Grant the role

1. Open Cost Management > Billing accounts and choose your account.
2. Open Access control and choose Add.
3. Select the role Cost Reader and the application cirrocost-billing.
4. Save and wait. A new assignment takes up to 30 minutes to reach all of Borea's systems; a test before that ends
with CCX-4131 even though everything is right.

## 3. Create the connector

1. In Cirrocost open Settings > Connectors > Add connector > Borea Cloud.
2. Choose Direct or Reseller. The choice cannot be changed later.
3. Enter the directory ID, the application ID and the secret.
4. Enter the billing account number. It has the form BA-000000 and stands in the upper right corner of the portal.
5. Choose the data sets. Both are ticked by default. Without amortised cost the commitment reports stay empty and the
wizard warns with CCX-4133.
6. Choose Test connection, then Save.

The backfill reaches at most 6 months, because Borea itself keeps no more. The first figures appear within 48 hours.
Afterwards Cirrocost reads twice a day, at 02:00 and 14:00 UTC.

## 4. Daily and hourly figures

Borea delivers daily lines only. The night-time report is therefore not offered for Borea accounts, and the anomaly
detector works on days. If your workspace mixes clouds, hourly charts show Borea cost spread evenly over 24 hours, in
a lighter colour.

## 5. Replacing the secret

Do this before the old secret ends; there is no grace period. When a secret has expired, the connector turns red with
CCX-4130 and reading stops. Days missed in this way are fetched later without a gap, as long as the pause is shorter
than 30 days.

1. Create a second secret next to the first one, as in section 1.
2. Open Settings > Connectors > (connector) > Credentials and choose Replace secret.
3. Paste the new value and choose Test connection.
4. Only when the test is green, delete the old secret in the Borea portal.

Only Admins and Owners can open Credentials. The application ID stays the same, so the role from section 2 does not
have to be granted again.

## 6. Subscriptions that come and go

New subscriptions under the billing account are found at the next reading and need no action. A subscription that is
moved to another billing account disappears from new data and keeps its history. If a subscription must not be visible
in Cirrocost, exclude it under Settings > Connectors > (connector) > Scope. Excluded subscriptions do not count
towards the tracked spend of your plan.

## 7. Troubleshooting by symptom

The import stopped after half a year of working well: the secret has expired, see section 5.

Totals differ from the Borea invoice by a few percent: you are probably comparing amortised cost with an invoice, and
the invoice shows actual cost. Switch the data set in the report's header.

Everything is zero on the first of the month: Borea publishes the first day of a month about 30 hours late. This is
normal and corrects itself.
""",
    "guide_connect_haneul_en.md": """
# Connecting Haneul Cloud (short version)
@2025-07-15

Applies to Cirrocost 4.2 and later. The Korean guide is longer and covers partner contracts and the closing of a
month; this page holds what an English-speaking administrator needs.

## What you need

Haneul Cloud has no roles for outside parties. Cirrocost signs its requests with an access key that belongs to a
sub-account of yours. Create the sub-account cirro-billing and give it one permission, Billing.Read. Do not use the
key of a person: when that person leaves and the account is closed, the connector stops with CCX-4231.

## Steps

1. In the Haneul console create the sub-account cirro-billing and grant Billing.Read.
2. Create an access key for the sub-account and copy both halves, the key ID and the secret.
3. On the same page open Allowed addresses and enter both of our ranges, 198.51.100.16/28 and 203.0.113.64/28. If only
one of them is entered, the test succeeds about every second time and the import fails with CCX-4230.
4. Activate every cost label that you want to see as a tag. Labels are inactive by default. An activated label appears
in the data from the following day and is not applied to earlier days.
5. In Cirrocost open Settings > Connectors > Add connector > Haneul Cloud, enter both halves of the key and choose
Test connection.
6. Choose Save.

## Good to know

Data is read once a day at 04:00 Korean time. The backfill reaches at most 3 months. Amounts are Korean won without
value added tax; the tax is shown in a separate column, and only in invoices. A month counts as final on the fifth
business day of the following month. Until then it is marked as provisional, and the API returns the warning CCX-4233
with every line.

Keys do not expire, but Haneul disables a key that has not been used for 90 days. Since Cirrocost uses the key daily,
this matters only while a connector is paused.
""",
}
