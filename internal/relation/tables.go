package relation

// described returns the tables, in the order in which they are best read.
func described() []Table {
	return []Table{
		tableOf("settings", "What the program is: one row, whose id is of ones alone.", settingsFields()),
		tableOf("values", "What the host keeps for itself, such as its users. The program reads none of it.", valueFields()),
		tableOf("affiliates", "People who promote the program.", affiliateFields()),
		tableOf("links", "Links of affiliates. A link is a slug.", linkFields()),
		tableOf("uses", "Which customers have the places of codes that have a limit per customer: a row for each thing that the customer is known by.", useFields()),
		tableOf("holds", "Places of codes that are kept while customers pay.", holdFields()),
		tableOf("aliases", "Former slugs, one row each: those that lead to a link, and those that lead to nobody and that nobody else may have.", aliasFields()),
		tableOf("clicks", "Visits through links.", clickFields()),
		tableOf("referrals", "Customers who came through an affiliate.", referralFields()),
		tableOf("coupons", "Discounts. Customers use them by a code.", couponFields()),
		tableOf("codes", "Promotional codes, by which coupons are used.", codeFields()),
		tableOf("redemptions", "One use of a code by a sale. It stays when the sale goes.", redemptionFields()),
		tableOf("sales", "Payments of customers, with the commissions that they earn.", saleFields()),
		tableOf("plans", "Commission plans: terms other than the program's. The one whose id is of ones alone has the program's, once they were set.", planFields()),
		tableOf("tiers", "Levels that affiliates reach by what they bring.", tierFields()),
		tableOf("totals", "Running totals of a link, an affiliate or a referral, under the owner's id. No row: all are zero.", totalsFields()),
		tableOf("payouts", "What was paid out, or is to be.", payoutFields()),
		tableOf("adjustments", "Amounts that are owed besides commissions.", adjustmentFields()),
		tableOf("cases", "What affiliates ask the people of the program, and the answers.", caseFields()),
		tableOf("movements", "The ledger: every amount that moved from one account of an affiliate to another. Rows never change.", movementFields()),
		tableOf("runs", "Payout runs: their settings and how far they have come.", runFields()),
		tableOf("lines", "What a run did about one affiliate.", lineFields()),
		tableOf("receipts", "First answers to requests with an idempotency key, for 24 hours.", receiptFields()),
		tableOf("endpoints", "Receivers of webhooks.", endpointFields()),
		tableOf("events", "Every change, as it is told to the outside. Rows never change, but for a payload in which somebody was erased.", eventFields()),
		tableOf("deliveries", "One event for one webhook.", deliveryFields()),
		tableOf("queue", "Deliveries that wait for an attempt, in the order in which they are due.", queueFields()),
		tableOf("imports", "Which record a row of another service became.", importFields()),
		tableOf("payments", "Facts about payments, as payment providers report them.", paymentFields()),
		tableOf("paymentkeys", "The ids of a payment at its provider.", paymentKeyFields()),
		tableOf("payers", "Customers of payment providers.", payerFields()),
		tableOf("erasures", "Emails of people who were erased, and names of people who were merged into others, by digests.", erasureFields()),
	}
}
