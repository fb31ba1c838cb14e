package relation

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
)

// importFields describe imports.
func importFields() []field[record.Import] {
	return []field[record.Import]{
		id("id", "of the row", func(r *record.Import) *uuid.UUID { return &r.ID }),
		text("ref", "of the row at the other service; it names no person", func(r *record.Import) *string { return &r.Ref }),
		text("kind", "what the row became: affiliate, link, coupon, code, referral, sale, bonus (an adjustment) or payout", func(r *record.Import) *imported.Kind { return &r.Kind }),
		id("object_id", "the record; may be gone", func(r *record.Import) *uuid.UUID { return &r.Object }),
		text("digest", "of the row; empty: of a link or a code, which are parts of a row", func(r *record.Import) *string { return &r.Digest }),
		flag("adopted", "the record was there before; the figures are what it had", func(r *record.Import) *bool { return &r.Adopted }),
		money("sales", "of the sale: total and refunds", func(r *record.Import) *affiliate.Amount { return &r.Figures.Sales }),
		money("refunds", "of the sale: total and refunds", func(r *record.Import) *affiliate.Amount { return &r.Figures.Refunds }),
		money("commission", "commission of the sale, declined or not, or the bonus", func(r *record.Import) *affiliate.Amount { return &r.Figures.Commission }),
		money("payouts", "amount of the payout", func(r *record.Import) *affiliate.Amount { return &r.Figures.Payouts }),
		at("created_at", "when it was imported first", func(r *record.Import) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it was imported last", func(r *record.Import) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// paymentFields describe payments.
func paymentFields() []field[record.Payment] {
	return []field[record.Payment]{
		id("id", "of the row", func(r *record.Payment) *uuid.UUID { return &r.ID }),
		text("provider", "such as stripe", func(r *record.Payment) *string { return &r.Provider }),
		text("payer_id", "the provider's id of its customer", func(r *record.Payment) *string { return &r.PayerID }),
		ref("sale_record_id", "its sale, by sales.id; may be gone", func(r *record.Payment) *uuid.UUID { return &r.Sale }).key(record.BySale),
		optMoney("gross", "what was paid; NULL: not known to be paid", func(r *record.Payment) *affiliate.Opt[affiliate.Amount] { return &r.Gross }),
		text("currency", "of gross, refunds and disputes; empty: the program's", func(r *record.Payment) *affiliate.Currency { return &r.Counted }),
		optRate("exchange_rate", "what one unit of the sale's currency is worth in the program's, in 10^-12; NULL: the same currency, or not known", func(r *record.Payment) *affiliate.ExchangeRate { return &r.Rate }),
		optMoney("worth", "gross in the sale's currency, when that is another", func(r *record.Payment) *affiliate.Opt[affiliate.Amount] { return &r.Worth }),
		listAs("waiting", "at most one: the sale that it becomes once it is paid and credits somebody, or has become while its payer's email or first payment is not told: {total_earned, currency, subtotal, tax_amount, shipping_amount, external_id, external_invoice_id, commission_rate, product_id, product_name, lines, payment_trigger, free, renewal, nothing, untold, payment, awaits, paid_at, tries}; tries: whom to credit, in order: {promo_code, code_external_id, referral_id, hold_id, offer}; nothing: a trial; untold: the amount is not known, awaits tells it; payment: the customer's n-th", func(r *record.Payment) *[]affiliate.WaitingSale { return &r.Waiting }, waitingSaleOf, waitingSale.value),
		ref("conflict_record_id", "the sale, by sales.id, that it names but does not fit", func(r *record.Payment) *uuid.UUID { return &r.Conflict }),
		text("decided", "by a person: same, own or dismiss; seen: the sale is right as it is", func(r *record.Payment) *string { return &r.Decided }),
		text("undecided", "why a paid payment has no sale: parked, unattributed, refused, unit, no_customer, no_first_payment or other_currency; or why its sale may be wrong: revoked or differs", func(r *record.Payment) *string { return &r.Left }),
		optAt("told_at", "when the earliest report whose contents it has was made", func(r *record.Payment) *affiliate.Instant { return &r.ToldAt }),
		optMoney("raised", "the highest other amount that was reported, or its amount reported of another day", func(r *record.Payment) *affiliate.Opt[affiliate.Amount] { return &r.Raised }),
		optAt("revoked_at", "when it was last reported cancelled or failed, without a refund", func(r *record.Payment) *affiliate.Instant { return &r.Revoked }),
		optAt("stands_at", "when a provider that reports both last reported it paid", func(r *record.Payment) *affiliate.Instant { return &r.Stands }),
		listAs("refunds", "as the provider reports them: {refund_id, amount, tax, shipping, state, late}; state: pending, succeeded or failed; late: after the refund window, does not count", func(r *record.Payment) *[]affiliate.PaymentRefund { return &r.Refunds }, paymentRefundOf, paymentRefund.value),
		optMoney("refunded_amount", "the highest sum of refunds reported in the refund window", func(r *record.Payment) *affiliate.Opt[affiliate.Amount] { return &r.Refunded }),
		optMoney("refunded_late", "the highest sum reported after it, which does not count", func(r *record.Payment) *affiliate.Opt[affiliate.Amount] { return &r.Late }),
		listAs("disputes", "as the provider reports them: {dispute_id, amount, state, at, warning, late}; state: inquiry, withdrawn, lost, won or released; warning: it announces another one", func(r *record.Payment) *[]affiliate.PaymentDispute { return &r.Disputes }, paymentDisputeOf, paymentDispute.value),
		money("peak", "only of older versions: the most that was taken for the facts", func(r *record.Payment) *affiliate.Amount { return &r.Peak }),
		money("adjusted", "only of older versions: the sum of adjustment_ids", func(r *record.Payment) *affiliate.Amount { return &r.Adjusted }),
		list("adjustment_ids", "only of older versions: the adjustments that made up for returned money", func(r *record.Payment) *[]uuid.UUID { return &r.Adjustments }),
		at("created_at", "when it was recorded", func(r *record.Payment) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Payment) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// paymentKeyFields describe paymentkeys.
func paymentKeyFields() []field[record.PaymentKey] {
	return []field[record.PaymentKey]{
		id("id", "of the row", func(r *record.PaymentKey) *uuid.UUID { return &r.ID }),
		id("payment_id", "the payment", func(r *record.PaymentKey) *uuid.UUID { return &r.PaymentID }).key(record.OfPayment),
		text("provider", "such as stripe", func(r *record.PaymentKey) *string { return &r.Provider }),
		text("provider_key", "of its payment intent, invoice, charge or session", func(r *record.PaymentKey) *string { return &r.Key }),
	}
}

// payerFields describe payers.
func payerFields() []field[record.Payer] {
	return []field[record.Payer]{
		id("id", "of the row", func(r *record.Payer) *uuid.UUID { return &r.ID }),
		text("provider", "such as stripe", func(r *record.Payer) *string { return &r.Provider }),
		text("payer_id", "the provider's id of its customer", func(r *record.Payer) *string { return &r.PayerID }),
		text("email", "canonical", func(r *record.Payer) *string { return &r.Email }),
		text("name", "the customer's name", func(r *record.Payer) *string { return &r.Name }),
		ref("referral_id", "for whom it pays", func(r *record.Payer) *uuid.UUID { return &r.ReferralID }).key(record.OfReferral),
		flag("matched_by_email", "only the email, which the payer can type, says whom it pays for", func(r *record.Payer) *bool { return &r.ByEmail }),
		listAs("subscriptions", "as the provider reports them: {subscription_id, status, at}; status: ACTIVE, PAST_DUE or CANCELLED", func(r *record.Payer) *[]affiliate.Subscription { return &r.Subs }, subscriptionOf, subscription.value),
		flag("early", "a renewal made the customer before the first payment was reported, which will decide again what renewals earned", func(r *record.Payer) *bool { return &r.Early }),
		flag("status_by_hand", "a person set the referral's status after its subscriptions did", func(r *record.Payer) *bool { return &r.ByHand }),
		flag("erased", "email and name are not stored again", func(r *record.Payer) *bool { return &r.Erased }),
		at("created_at", "when it was recorded", func(r *record.Payer) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Payer) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// erasureFields describe erasures.
func erasureFields() []field[record.Erasure] {
	return []field[record.Erasure]{
		id("id", "an irreversible digest of the name", func(r *record.Erasure) *uuid.UUID { return &r.ID }),
		ref("referral_id", "the customer whom it leads to; NULL: an affiliate, or nobody (no customer had the email, or the record was deleted)", func(r *record.Erasure) *uuid.UUID { return &r.ReferralID }).key(record.OfReferral),
		ref("affiliate_id", "the affiliate whom it leads to; NULL: a customer, or nobody", func(r *record.Erasure) *uuid.UUID { return &r.AffiliateID }).key(record.OfAffiliate),
		text("name", "the email or id of who was merged; empty: it was erased", func(r *record.Erasure) *string { return &r.Name }),
		at("created_at", "when it was erased, or merged", func(r *record.Erasure) *affiliate.Instant { return &r.CreatedAt }),
	}
}
