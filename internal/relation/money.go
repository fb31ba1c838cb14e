package relation

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// saleFields describe sales.
func saleFields() []field[record.Sale] {
	return []field[record.Sale]{
		id("id", "of the row", func(r *record.Sale) *uuid.UUID { return &r.ID }),
		integer("sale_id", "the id on the wire", func(r *record.Sale) *int64 { return &r.Number }).key(record.ByNumber),
		id("affiliate_id", "who is credited", func(r *record.Sale) *uuid.UUID { return &r.AffiliateID }).key(record.OfAffiliate),
		ref("referral_id", "the customer", func(r *record.Sale) *uuid.UUID { return &r.ReferralID }).key(record.OfReferral),
		ref("affiliate_link_id", "the link that credits", func(r *record.Sale) *uuid.UUID { return &r.LinkID }).key(record.OfLink),
		ref("promotional_code_id", "the code used; may be gone", func(r *record.Sale) *uuid.UUID { return &r.CodeID }),
		text("external_id", "the host's id of the order or payment", func(r *record.Sale) *string { return &r.ExternalID }),
		text("external_invoice_id", "the host's id of the invoice", func(r *record.Sale) *string { return &r.InvoiceID }),
		text("name", "the customer's name", func(r *record.Sale) *string { return &r.Name }),
		text("email", "the customer's canonical email", func(r *record.Sale) *string { return &r.Email }),
		money("total_earned", "what the customer paid, with tax and shipping; refunds do not lower it", func(r *record.Sale) *affiliate.Amount { return &r.TotalEarned }),
		optMoney("subtotal", "the basket before the discount", func(r *record.Sale) *affiliate.Opt[affiliate.Amount] { return &r.Subtotal }),
		money("tax_amount", "part of total_earned", func(r *record.Sale) *affiliate.Amount { return &r.Tax }),
		money("shipping_amount", "part of total_earned", func(r *record.Sale) *affiliate.Amount { return &r.Shipping }),
		money("refunded_amount", "the sum of its refunds, at most total_earned", func(r *record.Sale) *affiliate.Amount { return &r.Refunded }),
		optPercent("commission_rate", "the rate applied", func(r *record.Sale) *affiliate.Opt[affiliate.Percent] { return &r.Rate }),
		enum("commission_type", "of commission_rate: PERCENTAGE, or FLAT, an amount for each sale", func(r *record.Sale) *affiliate.Enum[affiliate.CommissionType] { return &r.RateType }),
		flag("commission_rate_fixed", "the rate was given for this sale alone", func(r *record.Sale) *bool { return &r.RateFixed }),
		optObjectAs("commission_by_hand", "a commission set by a person, with the state of the sale then: one {commission_earned, kept, named_refunds, tax_refunded, shipping_refunded}", func(r *record.Sale) *affiliate.Opt[record.HandSet] { return &r.ByHand }, handSetOf, handSet.value),
		enum("status", "ACTIVE, or REFUNDED: in full", func(r *record.Sale) *affiliate.Enum[affiliate.SaleStatus] { return &r.Status }),
		enum("payment_trigger", "SIGNUP, PURCHASE, BONUS or CONTENT_REWARD", func(r *record.Sale) *affiliate.Enum[affiliate.PaymentTrigger] { return &r.Trigger }),
		enum("source", "who recorded it: API, MANUAL, IMPORTED, INTEGRATION, AUTOMATED or UNKNOWN", func(r *record.Sale) *affiliate.Enum[affiliate.SaleSource] { return &r.Source }),
		enum("integration_sales_source", "JAVASCRIPT, MAKE, ZAPIER, STRIPE, SHOPIFY, WOOCOMMERCE, PADDLE, CHARGEBEE, MEMBERSTACK, POLAR, SKILLPLATE or ZYLVIE", func(r *record.Sale) *affiliate.Enum[affiliate.Integration] { return &r.Integration }),
		flag("deleted_fired", "sale.deleted was fired, as for a refund in full", func(r *record.Sale) *bool { return &r.DeletedFired }),
		flag("free", "an order of nothing, which redeemed a code", func(r *record.Sale) *bool { return &r.Free }),
		flag("offer", "it redeemed what the link gives, without a code", func(r *record.Sale) *bool { return &r.Offer }),
		text("conversion", "such as signup, when it is no payment; empty: a sale", func(r *record.Sale) *string { return &r.Conversion }),
		flag("past", "imported; does not count for number_of_payments", func(r *record.Sale) *bool { return &r.Past }),
		listAs("commissions", "entries, whose sum it earned: {commission_id, affiliate_id, commission_earned, payout_id, bonus_reason, approval_status, hold_reason, manually_paid, frozen, clawback, created_at, updated_at, risk_reasons}; approval_status: ACCEPTED, ON_HOLD or DECLINED; hold_reason: PROGRAM_SETTINGS, FRAUD_PREVENTION, AFFILIATE_DEACTIVATED, AFFILIATE_BANNED or AFFILIATE_NOT_APPROVED; frozen: a payout took it, and may have given it back; clawback: a further entry beside a frozen one, which may be negative", func(r *record.Sale) *[]record.Commission { return &r.Commissions }, commissionOf, commission.value),
		listAs("refunds", "oldest first: {refund_id, amount, tax, shipping, at, fact}; tax and shipping are parts of amount; a negative amount: refunded money came back; fact: reported by a payment provider", func(r *record.Sale) *[]record.Refund { return &r.Refunds }, refundOf, refund.value),
		listAs("lines", "{id, product_id, plan_id, name, categories, quantity, amount, discount, code_discount, refunded, rule, rule_type, rule_rate, whole}; amount: before both discounts, without tax and shipping; code_discount: by the promotional code; refunded: by refunds that named the line; rule: which rule of the terms decides what the line earns; rule_type: PERCENTAGE, FLAT, UNIT or NONE; whole: the sale was sent without lines", func(r *record.Sale) *[]affiliate.StoredLine { return &r.Lines }, lineOf, line.value),
		list("products_bought", "ids of products at the host, or their names: texts", func(r *record.Sale) *[]string { return &r.Products }),
		integer("clicks", "visits of the customer until the sale", func(r *record.Sale) *int64 { return &r.Clicks }),
		rawJSON("metadata", "a JSON object of the host, byte for byte", func(r *record.Sale) *json.RawMessage { return &r.Metadata }),
		integer("revision", "of the last event of this object", func(r *record.Sale) *int64 { return &r.Revision }),
		optAt("refunded_at", "when it was refunded in full", func(r *record.Sale) *affiliate.Instant { return &r.RefundedAt }),
		optAt("paid_at", "when the customer paid, as reported", func(r *record.Sale) *affiliate.Instant { return &r.PaidAt }),
		listAs("charged", "what was charged in another currency, as a list of one: {currency, exchange_rate, total_earned, subtotal, tax_amount, shipping_amount, refunded_amount}; exchange_rate: what one unit is worth in the program's, in 10^-12; these amounts, lines, refunds and what commission_by_hand says of the kept part are in that currency, the columns of the same names in the program's; NULL: charged in the program's", func(r *record.Sale) *[]affiliate.Charge { return &r.Charged }, chargeOf, charge.value),
		at("created_at", "when it was recorded", func(r *record.Sale) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Sale) *affiliate.Instant { return &r.UpdatedAt }),
		integer("hold_days", "days of 24 hours from created_at until a payout may take the first commission, by the terms then", func(r *record.Sale) *int16 { return &r.HoldDays }),
		optMoney("commission_cap", "the most that it may earn, by the caps of its terms", func(r *record.Sale) *affiliate.Opt[affiliate.Amount] { return &r.Cap }),
		listAs("budgets", "that count it: {budget_id, commission_plan_id, owner_id, period_from, of, per, coupon_id, utm_campaign, max_commission, max_rewards, whole, most, left}; budget_id: in the table budgets, where the others are; most: what it may earn since the budget cut it, left: what was left then", func(r *record.Sale) *[]record.Draw { return &r.Budgets }, drawOf, draw.value),
		listAs("candidates", "everybody whom it could have credited, if not all that the order had led to one affiliate: {by, affiliate_id}; by: CODE, FIRST_CLICK, CUSTOMER, or what its referralId named, as in why_by", func(r *record.Sale) *[]record.Candidate { return &r.Candidates }, candidateOf, candidate.value),
		enum("why_by", "what credited the affiliate: CODE, CLICK, LINK, AFFILIATE, REFERRAL or EMAIL; NULL: an older sale", func(r *record.Sale) *affiliate.Enum[affiliate.CreditedBy] { return &r.Why.By }),
		enum("why_rate_from", "whose rate it has: SALE, AFFILIATE, TIER, PLAN or PROGRAM; NULL: an older sale", func(r *record.Sale) *affiliate.Enum[affiliate.RateSource] { return &r.Why.RateFrom }),
		enum("why_plan_from", "whose plan it has: PROGRAM, AFFILIATE or CUSTOMER; NULL: an older sale", func(r *record.Sale) *affiliate.Enum[affiliate.PlanSource] { return &r.Why.PlanFrom }),
		enum("why_over", "the limit that left no commission: PAYMENTS or MONTHS", func(r *record.Sale) *affiliate.Enum[affiliate.OverLimit] { return &r.Why.Over }),
		enum("why_deducted", "taken off total_earned before the rate: NONE, TAX, SHIPPING or TAX_AND_SHIPPING; NULL: an older sale", func(r *record.Sale) *affiliate.Enum[affiliate.Deduction] { return &r.Why.Deduct }),
		optInteger("why_click_id", "the click that credited the affiliate", func(r *record.Sale) *int64 { return &r.Why.Click }),
		optInteger("why_payment", "the customer's n-th payment", func(r *record.Sale) *int64 { return &r.Why.Payment }),
		optInteger("why_month", "the customer's n-th month; NULL: the terms did not ask for it", func(r *record.Sale) *int16 { return &r.Why.Month }),
		flag("why_month_from_referral", "why_month counts from the referral, not from the first payment", func(r *record.Sale) *bool { return &r.Why.Referred }),
		optMoney("why_earlier", "what the customer's other sales had earned; NULL: the terms did not ask for it", func(r *record.Sale) *affiliate.Opt[affiliate.Amount] { return &r.Why.Earlier }),
		ref("why_commission_plan_id", "the plan; NULL: the program's terms", func(r *record.Sale) *uuid.UUID { return &r.Why.PlanID }),
		ref("why_commission_tier_id", "the tier that gave the rate", func(r *record.Sale) *uuid.UUID { return &r.Why.TierID }),
		{
			Column: Column{Name: "payable_amount", Kind: Money, Doc: "what a payout may take from payable_from on: accepted entries in no payout, without clawbacks and what is below zero"},
			get:    func(r *record.Sale) Cell { return Cell{Int: r.Maturing().Scaled()} },
			set: func(r *record.Sale, c *Cell) error {
				r.Commissions = []record.Commission{{Earned: affiliate.AmountFromScaled(c.Int), Approval: affiliate.EnumOf(affiliate.ApprovalAccepted)}}
				return nil
			},
			derived: true,
		},
		{
			Column: Column{Name: "payable_from", Kind: Time, Null: true, Doc: "the end of the holding period; NULL: payable_amount is 0"},
			get: func(r *record.Sale) Cell {
				return Cell{Int: micros(r.MaturesAt()), Null: r.Maturing().IsZero()}
			},
			set:     func(r *record.Sale, c *Cell) error { r.CreatedAt = instant(c.Int); return nil },
			derived: true,
		},
		{
			Column: Column{Name: "commission_earned", Kind: Money, Doc: "what it earned: the sum of commissions, those that were declined too"},
			get: func(r *record.Sale) (c Cell) {
				for i := range r.Commissions {
					c.Int += r.Commissions[i].Earned.Scaled()
				}
				return c
			},
			set: func(r *record.Sale, c *Cell) error {
				r.Commissions = append(r.Commissions, record.Commission{Earned: affiliate.AmountFromScaled(c.Int)})
				return nil
			},
			derived: true,
		},
		{
			Column: Column{Name: "approval_statuses", Kind: Text, Doc: "those of commissions, each once: some of ACCEPTED, DECLINED and ON_HOLD, in this order, with a space between two"},
			get:    func(r *record.Sale) Cell { return Cell{Text: approvalsOf(r)} },
			set: func(r *record.Sale, c *Cell) error {
				for _, status := range strings.Fields(c.Text) {
					r.Commissions = append(r.Commissions, record.Commission{Approval: affiliate.EnumOf(affiliate.ApprovalStatus(status))})
				}
				return nil
			},
			derived: true,
		},
		{
			Column: Column{Name: "charged_currency", Kind: Text, Doc: "of charged; empty: the program's"},
			get: func(r *record.Sale) (c Cell) {
				for _, charged := range r.Charged {
					c.Text = string(charged.Currency)
				}
				return c
			},
			set: func(r *record.Sale, c *Cell) error {
				if c.Text != "" {
					r.Charged = []affiliate.Charge{{Currency: affiliate.Currency(c.Text)}}
				}
				return nil
			},
			derived: true,
		},
		product("product", "the product of a sale of one: of its line, or else of products_bought; empty: none is known; NULL: several lines share it",
			func(l *affiliate.StoredLine) *string { return &l.ProductID }),
		product("product_name", "as the line names it; empty: it does not; NULL: several lines share the sale",
			func(l *affiliate.StoredLine) *string { return &l.Name }),
	}
}

// product describes a fact of the only line of a sale.
func product(name, doc string, at func(*affiliate.StoredLine) *string) field[record.Sale] {
	return field[record.Sale]{
		Column: Column{Name: name, Kind: Text, Null: true, Doc: doc},
		get: func(r *record.Sale) Cell {
			id, name, one := r.Product()
			return Cell{Text: *at(&affiliate.StoredLine{ProductID: id, Name: name}), Null: !one}
		},
		set: func(r *record.Sale, c *Cell) error {
			if len(r.Lines) == 0 {
				r.Lines = make([]affiliate.StoredLine, 1)
			}
			*at(&r.Lines[0]) = c.Text
			return nil
		},
		derived: true,
	}
}

// approvalsOf returns the approval statuses of a sale's commissions, which mostly are one.
func approvalsOf(r *record.Sale) string {
	if len(r.Commissions) == 1 {
		return r.Commissions[0].Approval.String()
	}
	var all []string
	for i := range r.Commissions {
		all = append(all, r.Commissions[i].Approval.String())
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " ")
}

// settingsFields describe settings.
func valueFields() []field[record.Value] {
	return []field[record.Value]{
		id("id", "of no use outside", func(r *record.Value) *uuid.UUID { return &r.ID }),
		text("kind", "of the name", func(r *record.Value) *string { return &r.Kind }).key(record.OfKind),
		text("name", "one of its kind", func(r *record.Value) *string { return &r.Name }),
		blob("value", "JSON, or what Config.Seal made of it", func(r *record.Value) *[]byte { return &r.Value }),
		flag("sealed", "the value is sealed", func(r *record.Value) *bool { return &r.Sealed }),
		at("created_at", "when it was recorded", func(r *record.Value) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Value) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

func settingsFields() []field[record.Settings] {
	return []field[record.Settings]{
		id("id", "of ones alone", func(r *record.Settings) *uuid.UUID { return &r.ID }),
		text("name", "as people see it", func(r *record.Settings) *string { return &r.Name }),
		text("currency", "of the books, balances and payouts", func(r *record.Settings) *affiliate.Currency { return &r.Currency }),
		text("time_zone", "where a plain date ends", func(r *record.Settings) *string { return &r.TimeZone }),
		rawJSON("chosen", "the settings that somebody set, as the body of PUT /program has them", func(r *record.Settings) *json.RawMessage { return &r.Set }),
		integer("revision", "how often they changed", func(r *record.Settings) *int64 { return &r.Revision }),
		word("updated_by", "who changed them last", func(r *record.Settings) *string { return &r.UpdatedBy }),
		at("created_at", "when it was recorded", func(r *record.Settings) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Settings) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// planFields describe plans.
func planFields() []field[record.Plan] {
	return []field[record.Plan]{
		id("id", "of the row", func(r *record.Plan) *uuid.UUID { return &r.ID }),
		text("name", "as people see it", func(r *record.Plan) *string { return &r.Name }),
		text("commission_type", "PERCENTAGE or FLAT; empty: PERCENTAGE", func(r *record.Plan) *affiliate.CommissionType { return &r.Terms.Type }),
		percent("commission_rate", "percent, or with FLAT an amount for each sale", func(r *record.Plan) *affiliate.Percent { return &r.Terms.Rate }),
		integer("number_of_payments", "of a customer that earn a commission; 0: no limit", func(r *record.Plan) *int64 { return &r.Terms.MaxPayments }),
		integer("number_of_months", "of a customer in which sales earn a commission; 0: no limit", func(r *record.Plan) *int64 { return &r.Terms.MaxMonths }),
		integer("hold_days", "days of 24 hours until a payout may take a commission; 0: none", func(r *record.Plan) *int64 { return &r.Terms.HoldDays }),
		listAs("rules", "which give some lines another commission; the first that holds decides: {name, when, pay_type, pay_rate, firm}; when has the conditions by their names on the wire", func(r *record.Plan) *[]affiliate.Rule { return &r.Terms.Rules }, ruleOf, rule.value),
		text("months_from", "when a customer's first month begins: REFERRAL; empty: the first payment", func(r *record.Plan) *affiliate.MonthsFrom { return &r.Terms.MonthsFrom }),
		money("max_per_sale", "the most that a sale earns; 0: no cap", func(r *record.Plan) *affiliate.Amount { return &r.Terms.MaxPerSale }),
		money("max_per_customer", "the most that all sales of a customer earn; 0: no cap", func(r *record.Plan) *affiliate.Amount { return &r.Terms.MaxPerCustomer }),
		listAs("budgets", "what sales earn together at most: {of, per, coupon_id, utm_campaign, max_commission, max_rewards, whole}; as in the table budgets", func(r *record.Plan) *[]affiliate.Budget { return &r.Terms.Budgets }, budgetOf, budget.value),
		listAs("bonuses", "what affiliates and customers get besides commissions: {name, to, from, per, sign_ups, customers, min_spend, revenue, hold_days, times, amount}", func(r *record.Plan) *[]affiliate.Bonus { return &r.Terms.Bonuses }, bonusOf, bonus.value),
		ref("offer_coupon_id", "what links give customers", func(r *record.Plan) *uuid.UUID { return &r.Terms.OfferCouponID }),
		listAs("versions", "later terms: {from}, since when they hold, and the columns commission_type to offer_coupon_id", func(r *record.Plan) *[]affiliate.StoredTerms { return &r.Versions }, versionOf, version.value),
		text("payment_trigger", "SIGNUP, PURCHASE, BONUS or CONTENT_REWARD", func(r *record.Plan) *affiliate.PaymentTrigger { return &r.Trigger }),
		flag("hold_rewards", "commissions wait for a person; the opposite of autoApproveRewards on the wire", func(r *record.Plan) *bool { return &r.HoldRewards }),
		at("created_at", "when it was recorded", func(r *record.Plan) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Plan) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// tierFields describe tiers.
func tierFields() []field[record.Tier] {
	return []field[record.Tier]{
		id("id", "of the row", func(r *record.Tier) *uuid.UUID { return &r.ID }),
		integer("tier", "its rank, 1 is the lowest", func(r *record.Tier) *int64 { return &r.Tier }),
		text("name", "as people see it", func(r *record.Tier) *string { return &r.Name }),
		text("emoji", "shown beside the name", func(r *record.Tier) *string { return &r.Emoji }),
		integer("min_referrals", "referrals that lift into it", func(r *record.Tier) *int64 { return &r.MinReferrals }),
		money("min_revenue", "revenue that lifts into it", func(r *record.Tier) *affiliate.Amount { return &r.MinRevenue }),
		text("per", "day, week, month, quarter or year, of which the minimums are; empty: of all time", func(r *record.Tier) *affiliate.Interval { return &r.Per }),
		integer("grace_periods", "for how many more it is kept", func(r *record.Tier) *int64 { return &r.Grace }),
		flag("at_period_end", "it is reached when a period ends, and not before", func(r *record.Tier) *bool { return &r.AtEnd }),
		text("condition_type", "ALL or SOME of the two minimums", func(r *record.Tier) *affiliate.ConditionType { return &r.Condition }),
		optPercent("commission_rate", "its rate", func(r *record.Tier) *affiliate.Opt[affiliate.Percent] { return &r.Rate }),
		text("commission_type", "of commission_rate: PERCENTAGE or FLAT; empty: no rate, or one stored without a type", func(r *record.Tier) *affiliate.CommissionType { return &r.RateType }),
		at("created_at", "when it was recorded", func(r *record.Tier) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Tier) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// budgetFields describe budgets.
func budgetFields() []field[record.Budget] {
	return []field[record.Budget]{
		id("id", "of the row", func(r *record.Budget) *uuid.UUID { return &r.ID }),
		ref("commission_plan_id", "whose terms have it; NULL: the program's", func(r *record.Budget) *uuid.UUID { return &r.PlanID }),
		ref("affiliate_id", "whose sales share it; NULL: everybody's", func(r *record.Budget) *uuid.UUID { return &r.OwnerID }).key(record.OfAffiliate),
		optAt("period_from", "when its period begins; NULL: it has none", func(r *record.Budget) *affiliate.Instant { return &r.From }),
		text("of", "AFFILIATE: each has it whole, or ALL", func(r *record.Budget) *affiliate.BudgetOf { return &r.Of }).key(record.OfKind),
		text("per", "day, week, month, quarter or year; empty: for ever", func(r *record.Budget) *affiliate.Interval { return &r.Per }),
		ref("coupon_id", "whose sales alone it counts", func(r *record.Budget) *uuid.UUID { return &r.CouponID }),
		text("utm_campaign", "whose sales alone it counts; empty: all", func(r *record.Budget) *string { return &r.UTMCampaign }),
		money("max_commission", "what the sales earn together at most; 0: any amount", func(r *record.Budget) *affiliate.Amount { return &r.MaxCommission }),
		integer("max_rewards", "how many of them earn something at most; 0: any number", func(r *record.Budget) *int64 { return &r.MaxRewards }),
		flag("whole", "a commission that does not fit is nothing", func(r *record.Budget) *bool { return &r.Whole }),
		money("commission", "what the sales earned, without what was declined", func(r *record.Budget) *affiliate.Amount { return &r.Commission }),
		integer("rewards", "how many of them earned something", func(r *record.Budget) *int64 { return &r.Rewards }),
		text("status", "OPEN, LOW: four fifths are used, or SPENT", func(r *record.Budget) *affiliate.BudgetStatus { return &r.Status }).key(record.OfState),
	}
}

// totalsFields describe totals.
func totalsFields() []field[record.Totals] {
	return []field[record.Totals]{
		id("id", "the owner: a link, an affiliate or a referral", func(r *record.Totals) *uuid.UUID { return &r.ID }),
		integer("clicks", "visits", func(r *record.Totals) *int64 { return &r.Clicks }),
		integer("pruned_clicks", "those of clicks whose rows were deleted by age", func(r *record.Totals) *int64 { return &r.PrunedClicks }),
		integer("referrals", "those that exist", func(r *record.Totals) *int64 { return &r.Referrals }),
		integer("sales", "those that exist and are not refunded in full", func(r *record.Totals) *int64 { return &r.Sales }),
		money("revenue", "total_earned of the sales that exist, less refunds", func(r *record.Totals) *affiliate.Amount { return &r.Revenue }),
		money("commission", "of the sales that exist, without what was declined", func(r *record.Totals) *affiliate.Amount { return &r.Commission }),
		integer("conversions", "those that exist and are not refunded; not among sales", func(r *record.Totals) *int64 { return &r.Conversions }),
		integer("free_orders", "those of sales that are no payments: free orders, and imported sales that do not count", func(r *record.Totals) *int64 { return &r.Free }),
		money("held", "of an affiliate: commissions that are ON_HOLD", func(r *record.Totals) *affiliate.Amount { return &r.Books.Held }),
		money("payable", "of an affiliate: what payouts may take, now or once it matures; below zero: the affiliate owes it", func(r *record.Totals) *affiliate.Amount { return &r.Books.Payable }),
		money("in_payout", "of an affiliate: in payouts that are PENDING, PROCESSING or FAILED", func(r *record.Totals) *affiliate.Amount { return &r.Books.InPayout }),
		money("paid", "of an affiliate: in payouts that are PAID", func(r *record.Totals) *affiliate.Amount { return &r.Books.Paid }),
		integer("movements", "how many the affiliate has; the number of the last one", func(r *record.Totals) *int64 { return &r.Books.Number }),
		optAt("moved_at", "time of the last movement", func(r *record.Totals) *affiliate.Instant { return &r.Books.LastAt }),
		optAt("closed_until", "every later movement has a later time", func(r *record.Totals) *affiliate.Instant { return &r.Books.ClosedUntil }),
		integer("longest_hold_days", "the longest hold_days of a sale", func(r *record.Totals) *int64 { return &r.Books.MaxHold }),
		flag("unbooked", "an import stored something without movements", func(r *record.Totals) *bool { return &r.Books.Unbooked }),
		optAt("opened_at", "the books are complete from then on", func(r *record.Totals) *affiliate.Instant { return &r.Books.Opened }),
	}
}
