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
		id("id", "the row", func(r *record.Import) *uuid.UUID { return &r.ID }),
		text("ref", "of the row at the other service; names no person", func(r *record.Import) *string { return &r.Ref }),
		text("kind", "affiliate, link, coupon, code, referral, sale, bonus or payout", func(r *record.Import) *imported.Kind { return &r.Kind }),
		id("object_id", "the record; it may be gone", func(r *record.Import) *uuid.UUID { return &r.Object }),
		text("digest", "of the row; empty: of a part of a row", func(r *record.Import) *string { return &r.Digest }),
		flag("adopted", "the record was there before", func(r *record.Import) *bool { return &r.Adopted }),
		money("sales", "what the row said", func(r *record.Import) *affiliate.Amount { return &r.Figures.Sales }),
		money("refunds", "what the row said", func(r *record.Import) *affiliate.Amount { return &r.Figures.Refunds }),
		money("commission", "what the row said", func(r *record.Import) *affiliate.Amount { return &r.Figures.Commission }),
		money("payouts", "what the row said", func(r *record.Import) *affiliate.Amount { return &r.Figures.Payouts }),
		at("created_at", "when it was imported first", func(r *record.Import) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it was imported last", func(r *record.Import) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// paymentFields describe payments.
func paymentFields() []field[record.Payment] {
	return []field[record.Payment]{
		id("id", "identity in the store", func(r *record.Payment) *uuid.UUID { return &r.ID }),
		text("provider", "such as stripe", func(r *record.Payment) *string { return &r.Provider }),
		text("payer_id", "the provider's id of its customer; empty: not known", func(r *record.Payment) *string { return &r.PayerID }),
		ref("sale_record_id", "sales.id of its sale; NULL: it waits for one", func(r *record.Payment) *uuid.UUID { return &r.Sale }).key(record.BySale),
		optMoney("gross", "what was paid; NULL: not known to be paid", func(r *record.Payment) *affiliate.Opt[affiliate.Amount] { return &r.Gross }),
		text("currency", "of gross, refunds and disputes; empty: the program's", func(r *record.Payment) *affiliate.Currency { return &r.Counted }),
		optMoney("worth", "gross in the program's currency, when it is counted in another; NULL: not known", func(r *record.Payment) *affiliate.Opt[affiliate.Amount] { return &r.Worth }),
		listAs("waiting", "the sale that it becomes, at most one", func(r *record.Payment) *[]affiliate.WaitingSale { return &r.Waiting }, func(v affiliate.WaitingSale) waitingSale { return waitingSale(v) }, func(v waitingSale) affiliate.WaitingSale { return affiliate.WaitingSale(v) }),
		ref("conflict_id", "the sale that it names and to which it does not fit; NULL: none", func(r *record.Payment) *uuid.UUID { return &r.Conflict }),
		text("decided", "what a person said; empty: nothing", func(r *record.Payment) *string { return &r.Decided }),
		text("undecided", "why a person has to decide; empty: nothing waits", func(r *record.Payment) *string { return &r.Left }),
		listAs("refunds", "a list of {id, amount, state, late, tax, shipping}", func(r *record.Payment) *[]affiliate.PaymentRefund { return &r.Refunds }, func(v affiliate.PaymentRefund) paymentRefund { return paymentRefund(v) }, func(v paymentRefund) affiliate.PaymentRefund { return affiliate.PaymentRefund(v) }),
		optMoney("refunded", "the highest sum of refunds that was reported; NULL: none", func(r *record.Payment) *affiliate.Opt[affiliate.Amount] { return &r.Refunded }),
		optMoney("refunded_late", "the highest sum after the refund window; NULL: none", func(r *record.Payment) *affiliate.Opt[affiliate.Amount] { return &r.Late }),
		listAs("disputes", "a list of {id, amount, state, at, late, warning}", func(r *record.Payment) *[]affiliate.PaymentDispute { return &r.Disputes }, func(v affiliate.PaymentDispute) paymentDispute { return paymentDispute(v) }, func(v paymentDispute) affiliate.PaymentDispute { return affiliate.PaymentDispute(v) }),
		money("peak", "of older versions: the most that was taken for the facts", func(r *record.Payment) *affiliate.Amount { return &r.Peak }),
		money("adjusted", "of older versions: the sum of adjustment_ids", func(r *record.Payment) *affiliate.Amount { return &r.Adjusted }),
		list("adjustment_ids", "of older versions: adjustments that made up for returned money", func(r *record.Payment) *[]uuid.UUID { return &r.Adjustments }),
		at("created_at", "when it was recorded", func(r *record.Payment) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Payment) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// paymentKeyFields describe paymentkeys.
func paymentKeyFields() []field[record.PaymentKey] {
	return []field[record.PaymentKey]{
		id("id", "identity in the store", func(r *record.PaymentKey) *uuid.UUID { return &r.ID }),
		id("payment_id", "the payment", func(r *record.PaymentKey) *uuid.UUID { return &r.PaymentID }).key(record.OfPayment),
		text("provider", "such as stripe", func(r *record.PaymentKey) *string { return &r.Provider }),
		text("provider_key", "the provider's id", func(r *record.PaymentKey) *string { return &r.Key }),
	}
}

// payerFields describe payers.
func payerFields() []field[record.Payer] {
	return []field[record.Payer]{
		id("id", "identity in the store", func(r *record.Payer) *uuid.UUID { return &r.ID }),
		text("provider", "such as stripe", func(r *record.Payer) *string { return &r.Provider }),
		text("payer_id", "the provider's id", func(r *record.Payer) *string { return &r.PayerID }),
		text("email", "canonical; empty: none, or erased", func(r *record.Payer) *string { return &r.Email }),
		text("name", "empty: none, or erased", func(r *record.Payer) *string { return &r.Name }),
		ref("referral_id", "for whom it pays; NULL: not known", func(r *record.Payer) *uuid.UUID { return &r.ReferralID }).key(record.OfReferral),
		flag("by_email", "the email alone says so", func(r *record.Payer) *bool { return &r.ByEmail }),
		listAs("subscriptions", "a list of subscriptions as the provider reported them", func(r *record.Payer) *[]affiliate.Subscription { return &r.Subs }, func(v affiliate.Subscription) subscription { return subscription(v) }, func(v subscription) affiliate.Subscription { return affiliate.Subscription(v) }),
		flag("by_hand", "a person set the referral's status afterwards", func(r *record.Payer) *bool { return &r.ByHand }),
		flag("erased", "email and name are not stored again", func(r *record.Payer) *bool { return &r.Erased }),
		at("created_at", "when it was recorded", func(r *record.Payer) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Payer) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// erasureFields describe erasures.
func erasureFields() []field[record.Erasure] {
	return []field[record.Erasure]{
		id("id", "the digest", func(r *record.Erasure) *uuid.UUID { return &r.ID }),
		ref("referral_id", "the erased referral; NULL: none", func(r *record.Erasure) *uuid.UUID { return &r.ReferralID }).key(record.OfReferral),
		at("created_at", "when", func(r *record.Erasure) *affiliate.Instant { return &r.CreatedAt }),
	}
}
