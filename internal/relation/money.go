package relation

import (
	"encoding/json"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// saleFields describe sales.
func saleFields() []field[record.Sale] {
	return []field[record.Sale]{
		id("id", "identity in the store", func(r *record.Sale) *uuid.UUID { return &r.ID }),
		integer("sale_id", "the id on the wire", func(r *record.Sale) *int64 { return &r.Number }).key(record.ByNumber),
		id("affiliate_id", "who is credited", func(r *record.Sale) *uuid.UUID { return &r.AffiliateID }).key(record.OfAffiliate),
		ref("referral_id", "the customer; NULL: not known", func(r *record.Sale) *uuid.UUID { return &r.ReferralID }).key(record.OfReferral),
		ref("link_id", "the link that credits; NULL: none", func(r *record.Sale) *uuid.UUID { return &r.LinkID }).key(record.OfLink),
		ref("promotional_code_id", "the code that was used, which may be gone; NULL: none", func(r *record.Sale) *uuid.UUID { return &r.CodeID }),
		text("external_id", "the host's id of the payment; empty: none", func(r *record.Sale) *string { return &r.ExternalID }),
		text("external_invoice_id", "the host's id of the invoice; empty: none", func(r *record.Sale) *string { return &r.InvoiceID }),
		text("name", "the customer's name", func(r *record.Sale) *string { return &r.Name }),
		text("email", "the customer's canonical email", func(r *record.Sale) *string { return &r.Email }),
		money("total_earned", "what the customer paid for it, without tax and shipping when the terms say so", func(r *record.Sale) *affiliate.Amount { return &r.TotalEarned }),
		optMoney("subtotal", "the basket before the discount; NULL: not sent", func(r *record.Sale) *affiliate.Opt[affiliate.Amount] { return &r.Subtotal }),
		money("tax", "tax of the payment", func(r *record.Sale) *affiliate.Amount { return &r.Tax }),
		money("shipping", "shipping of the payment", func(r *record.Sale) *affiliate.Amount { return &r.Shipping }),
		money("refunded", "of total_earned", func(r *record.Sale) *affiliate.Amount { return &r.Refunded }),
		optPercent("commission_rate", "the rate applied; NULL: none", func(r *record.Sale) *affiliate.Opt[affiliate.Percent] { return &r.Rate }),
		enum("commission_type", "PERCENTAGE or FLAT; NULL: none", func(r *record.Sale) *affiliate.Enum[affiliate.CommissionType] { return &r.RateType }),
		flag("commission_rate_fixed", "the rate was given for this sale alone", func(r *record.Sale) *bool { return &r.RateFixed }),
		optObjectAs("commission_by_hand", "a commission that a person set: {earned, kept, named, tax, shipping}; NULL: none", func(r *record.Sale) *affiliate.Opt[record.HandSet] { return &r.ByHand }, func(v record.HandSet) handSet { return handSet(v) }, func(v handSet) record.HandSet { return record.HandSet(v) }),
		enum("status", "ACTIVE or REFUNDED", func(r *record.Sale) *affiliate.Enum[affiliate.SaleStatus] { return &r.Status }),
		enum("payment_trigger", "SIGNUP, PURCHASE, BONUS or CONTENT_REWARD", func(r *record.Sale) *affiliate.Enum[affiliate.PaymentTrigger] { return &r.Trigger }),
		enum("source", "who recorded it: API, MANUAL, IMPORTED …", func(r *record.Sale) *affiliate.Enum[affiliate.SaleSource] { return &r.Source }),
		enum("integration", "through which integration; NULL: none", func(r *record.Sale) *affiliate.Enum[affiliate.Integration] { return &r.Integration }),
		flag("deleted_fired", "sale.deleted was fired", func(r *record.Sale) *bool { return &r.DeletedFired }),
		flag("free", "an order of nothing", func(r *record.Sale) *bool { return &r.Free }),
		flag("past", "imported, and no payment that counts for a limit of payments", func(r *record.Sale) *bool { return &r.Past }),
		listAs("commissions", "a list of {commission_id, affiliate_id, earned, payout_id, bonus_reason, approval, hold_reason, manually_paid, frozen, claw_back, created_at, updated_at, risk_reasons}", func(r *record.Sale) *[]record.Commission { return &r.Commissions }, func(v record.Commission) commission { return commission(v) }, func(v commission) record.Commission { return record.Commission(v) }),
		listAs("refunds", "a list of {id, amount, tax, shipping, at, fact}", func(r *record.Sale) *[]record.Refund { return &r.Refunds }, func(v record.Refund) refund { return refund(v) }, func(v refund) record.Refund { return record.Refund(v) }),
		list("product_ids", "a list of the host's ids of products", func(r *record.Sale) *[]string { return &r.Products }),
		integer("clicks", "visits of the customer before the sale", func(r *record.Sale) *int64 { return &r.Clicks }),
		rawJSON("metadata", "the host's JSON, byte for byte; NULL: none", func(r *record.Sale) *json.RawMessage { return &r.Metadata }),
		integer("revision", "of the last event of this object", func(r *record.Sale) *int64 { return &r.Revision }),
		optAt("refunded_at", "when it was refunded in full; NULL: it is not", func(r *record.Sale) *affiliate.Instant { return &r.RefundedAt }),
		optAt("paid_at", "when it was paid, as reported; NULL: it was not reported", func(r *record.Sale) *affiliate.Instant { return &r.PaidAt }),
		at("created_at", "when it was recorded", func(r *record.Sale) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Sale) *affiliate.Instant { return &r.UpdatedAt }),
		integer("hold_days", "days until a payout may take its commission", func(r *record.Sale) *int64 { return &r.HoldDays }),
		enum("why_credited", "what credited the affiliate: CODE, CLICK, LINK …; NULL: an older sale", func(r *record.Sale) *affiliate.Enum[affiliate.CreditedBy] { return &r.Why.By }),
		enum("why_rate", "where the rate came from: AFFILIATE, TIER, PLAN, PROGRAM …", func(r *record.Sale) *affiliate.Enum[affiliate.RateSource] { return &r.Why.RateFrom }),
		enum("why_plan", "where the plan came from", func(r *record.Sale) *affiliate.Enum[affiliate.PlanSource] { return &r.Why.PlanFrom }),
		enum("why_nothing", "the limit that left no commission; NULL: none", func(r *record.Sale) *affiliate.Enum[affiliate.OverLimit] { return &r.Why.Over }),
		enum("why_deducted", "what was taken off the payment first: NONE, TAX …", func(r *record.Sale) *affiliate.Enum[affiliate.Deduction] { return &r.Why.Deduct }),
		integer("why_click_id", "the click that credited the affiliate; 0: none", func(r *record.Sale) *int64 { return &r.Why.Click }),
		integer("why_payment", "the customer's n-th payment; 0: no payment of a customer", func(r *record.Sale) *int64 { return &r.Why.Payment }),
		ref("why_plan_id", "the plan; NULL: the program's terms", func(r *record.Sale) *uuid.UUID { return &r.Why.PlanID }),
		ref("why_tier_id", "the tier that gave the rate; NULL: none", func(r *record.Sale) *uuid.UUID { return &r.Why.TierID }),
	}
}

// planFields describe plans.
func planFields() []field[record.Plan] {
	return []field[record.Plan]{
		id("id", "the plan", func(r *record.Plan) *uuid.UUID { return &r.ID }),
		text("name", "as people see it", func(r *record.Plan) *string { return &r.Name }),
		text("commission_type", "PERCENTAGE or FLAT; empty: PERCENTAGE", func(r *record.Plan) *affiliate.CommissionType { return &r.Terms.Type }),
		percent("commission_rate", "percent, or with FLAT an amount for each payment", func(r *record.Plan) *affiliate.Percent { return &r.Terms.Rate }),
		integer("max_payments", "of a customer; 0: no limit", func(r *record.Plan) *int64 { return &r.Terms.MaxPayments }),
		integer("max_months", "since the referral; 0: no limit", func(r *record.Plan) *int64 { return &r.Terms.MaxMonths }),
		integer("hold_days", "days until a payout may take a commission", func(r *record.Plan) *int64 { return &r.Terms.HoldDays }),
		text("payment_trigger", "SIGNUP, PURCHASE …", func(r *record.Plan) *affiliate.PaymentTrigger { return &r.Trigger }),
		flag("hold_rewards", "commissions wait for a review", func(r *record.Plan) *bool { return &r.HoldRewards }),
		at("created_at", "when it was recorded", func(r *record.Plan) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Plan) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// tierFields describe tiers.
func tierFields() []field[record.Tier] {
	return []field[record.Tier]{
		id("id", "the tier", func(r *record.Tier) *uuid.UUID { return &r.ID }),
		integer("tier", "its place, from 1", func(r *record.Tier) *int64 { return &r.Tier }),
		text("name", "as people see it", func(r *record.Tier) *string { return &r.Name }),
		text("emoji", "beside the name", func(r *record.Tier) *string { return &r.Emoji }),
		integer("min_referrals", "to reach it", func(r *record.Tier) *int64 { return &r.MinReferrals }),
		money("min_revenue", "to reach it", func(r *record.Tier) *affiliate.Amount { return &r.MinRevenue }),
		text("condition_type", "whether both or one of them: AND or OR", func(r *record.Tier) *affiliate.ConditionType { return &r.Condition }),
		optPercent("commission_rate", "its rate; NULL: none", func(r *record.Tier) *affiliate.Opt[affiliate.Percent] { return &r.Rate }),
		text("commission_type", "the type for which the rate was set; empty: none", func(r *record.Tier) *affiliate.CommissionType { return &r.RateType }),
		at("created_at", "when it was recorded", func(r *record.Tier) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Tier) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// totalsFields describe totals.
func totalsFields() []field[record.Totals] {
	return []field[record.Totals]{
		id("id", "the owner", func(r *record.Totals) *uuid.UUID { return &r.ID }),
		integer("clicks", "visits", func(r *record.Totals) *int64 { return &r.Clicks }),
		integer("pruned_clicks", "those of clicks whose rows were deleted by age", func(r *record.Totals) *int64 { return &r.PrunedClicks }),
		integer("referrals", "those that exist", func(r *record.Totals) *int64 { return &r.Referrals }),
		integer("sales", "those that exist and are not refunded in full", func(r *record.Totals) *int64 { return &r.Sales }),
		money("revenue", "of these sales, less refunds", func(r *record.Totals) *affiliate.Amount { return &r.Revenue }),
		money("commission", "of these sales, without what was declined", func(r *record.Totals) *affiliate.Amount { return &r.Commission }),
		integer("free_orders", "those of sales that are no payments", func(r *record.Totals) *int64 { return &r.Free }),
		money("held", "of an affiliate: waits for a review", func(r *record.Totals) *affiliate.Amount { return &r.Books.Held }),
		money("payable", "of an affiliate: a payout may take it; less than zero: the affiliate owes it", func(r *record.Totals) *affiliate.Amount { return &r.Books.Payable }),
		money("in_payout", "of an affiliate: payouts under way", func(r *record.Totals) *affiliate.Amount { return &r.Books.InPayout }),
		money("paid", "of an affiliate: payouts made", func(r *record.Totals) *affiliate.Amount { return &r.Books.Paid }),
		integer("movements", "number of the last movement", func(r *record.Totals) *int64 { return &r.Books.Number }),
		optAt("moved_at", "time of the last movement", func(r *record.Totals) *affiliate.Instant { return &r.Books.LastAt }),
		optAt("closed_until", "no later movement has this time or an earlier one", func(r *record.Totals) *affiliate.Instant { return &r.Books.ClosedUntil }),
		integer("longest_hold_days", "the longest hold of a sale", func(r *record.Totals) *int64 { return &r.Books.MaxHold }),
		flag("unbooked", "an import stored something without movements", func(r *record.Totals) *bool { return &r.Books.Unbooked }),
		optAt("opened_at", "the books are complete from then on; NULL: they are not open", func(r *record.Totals) *affiliate.Instant { return &r.Books.Opened }),
	}
}
