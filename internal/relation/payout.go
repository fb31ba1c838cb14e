package relation

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// payoutFields describe payouts.
func payoutFields() []field[record.Payout] {
	return []field[record.Payout]{
		id("id", "of the row", func(r *record.Payout) *uuid.UUID { return &r.ID }),
		id("affiliate_id", "who gets it", func(r *record.Payout) *uuid.UUID { return &r.AffiliateID }).key(record.OfAffiliate),
		money("amount", "the sum of what it took", func(r *record.Payout) *affiliate.Amount { return &r.Amount }),
		word("status", "PENDING, PROCESSING, PAID, FAILED, CANCELED or RETURNED", func(r *record.Payout) *affiliate.PayoutStatus { return &r.Status }).key(record.OfState),
		text("payment_method", "of the affiliate then: WISE, WISE_BANK, PAYPAL, BANK, CREDITS, COUPON or REFERLY", func(r *record.Payout) *affiliate.PaymentMethod { return &r.PaymentMethod }),
		optAt("period_start", "times of the oldest and the newest that it took", func(r *record.Payout) *affiliate.Instant { return &r.PeriodStart }),
		optAt("period_end", "times of the oldest and the newest that it took", func(r *record.Payout) *affiliate.Instant { return &r.PeriodEnd }),
		text("external_id", "the host's id of the payment; not unique", func(r *record.Payout) *string { return &r.ExternalID }),
		flag("manually_paid", "it was paid before it was recorded", func(r *record.Payout) *bool { return &r.ManuallyPaid }),
		optAt("paid_at", "when it became PAID; kept when it is RETURNED", func(r *record.Payout) *affiliate.Instant { return &r.PaidAt }),
		text("failed_reason", "why it is FAILED", func(r *record.Payout) *string { return &r.FailedReason }),
		text("payee_name", "of the affiliate then", func(r *record.Payout) *string { return &r.PayeeName }),
		text("payee_email", "of the affiliate then", func(r *record.Payout) *string { return &r.PayeeEmail }),
		optAt("canceled_at", "when it became CANCELED", func(r *record.Payout) *affiliate.Instant { return &r.CanceledAt }),
		listAs("items", "what it took, oldest first: {sale_id, commission_id, adjustment_id}; all three: the adjustment stands for a commission whose sale moved to another affiliate", func(r *record.Payout) *[]affiliate.PayoutItem { return &r.Items }, payoutItemOf, payoutItem.value),
		list("commission_ids", "only of payouts older than items: their commissions", func(r *record.Payout) *[]int64 { return &r.Commissions }),
		at("created_at", "when it was recorded", func(r *record.Payout) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Payout) *affiliate.Instant { return &r.UpdatedAt }),
		ref("run_id", "the run that made it", func(r *record.Payout) *uuid.UUID { return &r.RunID }).key(record.OfRun),
		optAt("returned_at", "when it became RETURNED: the money came back", func(r *record.Payout) *affiliate.Instant { return &r.ReturnedAt }),
		text("returned_reason", "why it came back", func(r *record.Payout) *string { return &r.ReturnedReason }),
	}
}

// adjustmentFields describe adjustments.
func adjustmentFields() []field[record.Adjustment] {
	return []field[record.Adjustment]{
		id("id", "of the row", func(r *record.Adjustment) *uuid.UUID { return &r.ID }),
		id("affiliate_id", "whose it is", func(r *record.Adjustment) *uuid.UUID { return &r.AffiliateID }).key(record.OfAffiliate),
		optInteger("sale_id", "its sale; may be gone", func(r *record.Adjustment) *int64 { return &r.Sale }),
		text("kind", "BONUS, CORRECTION, DISPUTE_WON, CHARGEBACK_FEE or MOVE", func(r *record.Adjustment) *affiliate.AdjustmentKind { return &r.Kind }),
		money("amount", "owed to the affiliate; below zero: by the affiliate", func(r *record.Adjustment) *affiliate.Amount { return &r.Amount }),
		text("reason", "why, as people see it", func(r *record.Adjustment) *string { return &r.Reason }),
		text("external_id", "the host's id", func(r *record.Adjustment) *string { return &r.ExternalID }),
		ref("reverses_id", "the adjustment that it takes back", func(r *record.Adjustment) *uuid.UUID { return &r.Reverses }),
		ref("reversed_by_id", "the adjustment that takes it back", func(r *record.Adjustment) *uuid.UUID { return &r.ReversedBy }),
		ref("payout_id", "the payout that holds it", func(r *record.Adjustment) *uuid.UUID { return &r.PayoutID }).key(record.OfPayout),
		at("created_at", "when it was recorded", func(r *record.Adjustment) *affiliate.Instant { return &r.CreatedAt }),
	}
}

// movementFields describe movements.
func movementFields() []field[record.Movement] {
	return []field[record.Movement]{
		id("id", "in the order of at and number", func(r *record.Movement) *uuid.UUID { return &r.ID }),
		id("affiliate_id", "whose accounts; may be gone", func(r *record.Movement) *uuid.UUID { return &r.AffiliateID }).key(record.OfAffiliate),
		integer("number", "1, 2, 3 … of the affiliate, without a gap", func(r *record.Movement) *int64 { return &r.Number }),
		at("at", "when it moved; never before the one before it", func(r *record.Movement) *affiliate.Instant { return &r.At }),
		enum("from_account", "ACCRUAL, HELD, PAYABLE, IN_PAYOUT or PAID; ACCRUAL is the program's cost, as a negative number", func(r *record.Movement) *affiliate.Enum[affiliate.Account] { return &r.From }),
		enum("to_account", "ACCRUAL, HELD, PAYABLE, IN_PAYOUT or PAID", func(r *record.Movement) *affiliate.Enum[affiliate.Account] { return &r.To }),
		enum("cause", "SALE, UPDATE, MOVE, MERGE, REFUND, CLAW_BACK, REVIEW, DELETION, FORFEIT, ADJUSTMENT, PAYOUT_CREATED, PAYOUT_PAID, PAYOUT_CANCELED, PAYOUT_RETURNED or OPENING", func(r *record.Movement) *affiliate.Enum[affiliate.Cause] { return &r.Cause }),
		money("amount", "what moved; 0, from ACCRUAL to ACCRUAL: it only counts", func(r *record.Movement) *affiliate.Amount { return &r.Amount }),
		optInteger("sale_id", "its sale; may be gone", func(r *record.Movement) *int64 { return &r.Sale }).key(record.OfSale),
		optInteger("commission_id", "its commission; NULL: none, or several", func(r *record.Movement) *int64 { return &r.Commission }),
		ref("payout_id", "what it is about", func(r *record.Movement) *uuid.UUID { return &r.PayoutID }),
		ref("adjustment_id", "what it is about", func(r *record.Movement) *uuid.UUID { return &r.AdjustmentID }),
		ref("affiliate_link_id", "of the sale", func(r *record.Movement) *uuid.UUID { return &r.LinkID }),
		ref("promotional_code_id", "of the sale", func(r *record.Movement) *uuid.UUID { return &r.CodeID }),
		integer("sales", "change of their number", func(r *record.Movement) *int64 { return &r.Sales }),
		integer("conversions", "change of their number", func(r *record.Movement) *int64 { return &r.Conversions }),
		money("revenue", "change of the sum of total_earned", func(r *record.Movement) *affiliate.Amount { return &r.Revenue }),
		money("refunds", "change of the sum of refunded_amount", func(r *record.Movement) *affiliate.Amount { return &r.Refunds }),
		money("held", "the account of this name after it", func(r *record.Movement) *affiliate.Amount { return &r.Held }),
		money("payable", "the account of this name after it", func(r *record.Movement) *affiliate.Amount { return &r.Payable }),
		money("in_payout", "the account of this name after it", func(r *record.Movement) *affiliate.Amount { return &r.InPayout }),
		money("paid", "the account of this name after it", func(r *record.Movement) *affiliate.Amount { return &r.Paid }),
		text("actor", "who moved it: a person, an API key", func(r *record.Movement) *string { return &r.Actor }),
	}
}

// runFields describe runs.
func runFields() []field[record.Run] {
	return []field[record.Run]{
		id("id", "of the row", func(r *record.Run) *uuid.UUID { return &r.ID }),
		text("external_id", "the host's id", func(r *record.Run) *string { return &r.ExternalID }),
		optAt("sent_until", "until as it was asked for; NULL: the moment of the first call", func(r *record.Run) *affiliate.Instant { return &r.SentUntil }),
		optAt("until", "what is dated later is not taken", func(r *record.Run) *affiliate.Instant { return &r.Until }),
		money("minimum", "affiliates to whom less is due are skipped", func(r *record.Run) *affiliate.Amount { return &r.Minimum }),
		list("methods", "only affiliates paid in one of these ways: texts; NULL: all", func(r *record.Run) *[]affiliate.PaymentMethod { return &r.Methods }),
		flag("no_details", "also affiliates without a payment method or a payout email", func(r *record.Run) *bool { return &r.NoDetails }),
		list("affiliate_ids", "only these; NULL: all", func(r *record.Run) *[]uuid.UUID { return &r.AffiliateIDs }),
		list("except_ids", "none of these", func(r *record.Run) *[]uuid.UUID { return &r.ExceptIDs }),
		text("status", "RUNNING or DONE", func(r *record.Run) *affiliate.RunStatus { return &r.Status }),
		ref("cursor", "all affiliates up to this one were examined", func(r *record.Run) *uuid.UUID { return &r.Cursor }),
		integer("created", "payouts made, when it is DONE", func(r *record.Run) *int64 { return &r.Counts.Created }),
		integer("skipped", "affiliates who were owed something and paid nothing, when it is DONE", func(r *record.Run) *int64 { return &r.Counts.Skipped }),
		money("total", "of the payouts, when it is DONE", func(r *record.Run) *affiliate.Amount { return &r.Counts.Total }),
		at("started_at", "when it was called first", func(r *record.Run) *affiliate.Instant { return &r.StartedAt }),
		optAt("finished_at", "when it was DONE", func(r *record.Run) *affiliate.Instant { return &r.FinishedAt }),
	}
}

// lineFields describe lines.
func lineFields() []field[record.Line] {
	return []field[record.Line]{
		id("id", "of the row", func(r *record.Line) *uuid.UUID { return &r.ID }),
		id("run_id", "its run", func(r *record.Line) *uuid.UUID { return &r.RunID }).key(record.OfRun),
		id("affiliate_id", "the affiliate; may be gone", func(r *record.Line) *uuid.UUID { return &r.AffiliateID }),
		money("amount", "what was paid, or was not for the reason in skipped", func(r *record.Line) *affiliate.Amount { return &r.Amount }),
		ref("payout_id", "the payout", func(r *record.Line) *uuid.UUID { return &r.PayoutID }),
		text("skipped", "banned, not_approved, on_hold, nothing_matured, negative, no_payout_method or below_minimum; empty: it was paid", func(r *record.Line) *affiliate.SkipReason { return &r.Skipped }),
		integer("created_so_far", "payouts, and affiliates skipped, up to this line", func(r *record.Line) *int64 { return &r.SoFar.Created }),
		integer("skipped_so_far", "payouts, and affiliates skipped, up to this line", func(r *record.Line) *int64 { return &r.SoFar.Skipped }),
		money("total_so_far", "of the payouts up to this line", func(r *record.Line) *affiliate.Amount { return &r.SoFar.Total }),
	}
}
