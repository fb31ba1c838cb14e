package tributary

import (
	"context"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/reading"
)

// RestoreRedemption takes back the redemption of a sale by code: the counts of its code and
// its coupon fall by one, if they still exist, and so does what the customer and the budget have
// used. It works once for each sale, also for a refunded one, and for a deleted one by its
// ID. An external id also names an order that was redeemed without a sale.
//
// Errors: [affiliate.MissingField] (saleId); [affiliate.RedemptionNotFound] when the sale is
// unknown or was not by code,
// [affiliate.RedemptionRestored].
//
// Effects: both counts, the ledger; no event.
//
// Source: docs/rules.md 3.2.
func (p *Program) RestoreRedemption(ctx context.Context, ref affiliate.SaleRef) error {
	return p.in(ctx).RestoreRedemption(ctx, ref)
}

// OverdrawnRedemption returns a redemption over a limit that waits for [Program.AcceptRedemption]. ref is as in
// RestoreRedemption.
//
// Errors: [affiliate.ErrNotFound] when no such redemption waits.
//
// Source: docs/rules.md 3.10.
func (p *Program) OverdrawnRedemption(ctx context.Context,
	ref affiliate.SaleRef) (affiliate.OverdrawnRedemption, error) {
	return reading.OverdrawnRedemption(ctx, p.in(ctx), ref)
}

// AcceptRedemption says that somebody has seen that a redemption is over a limit, which [Program.Attention]
// then shows no more. It stays counted, and [Program.ExplainSale] goes on to say it. For one
// that is over no limit, or that was seen before, it does nothing. ref is as in RestoreRedemption.
//
// Errors: [affiliate.MissingField] (saleId); [affiliate.RedemptionNotFound] when the sale is
// unknown or was not by code.
//
// Effects: the ledger; no event.
//
// Source: docs/rules.md 3.10.
func (p *Program) AcceptRedemption(ctx context.Context, ref affiliate.SaleRef) error {
	return p.in(ctx).AcceptRedemption(ctx, ref)
}

// DeleteSale removes a sale with its commissions. It returns nil when there is
// no such sale.
//
// It frees the sale's external ids, so a payment that a provider reports again
// is recorded again. When money goes back to the customer, call
// [Program.RefundSale] instead, which keeps the sale and its ids.
//
// Errors: [affiliate.MissingField], [affiliate.InPayout].
//
// Effects: sale and totals; redemption counters stay; sale.deleted, unless the
// full refund has fired it.
//
// Source: docs/rules.md 3.2 and 5.5.
func (p *Program) DeleteSale(ctx context.Context, id affiliate.SaleID) error {
	return p.in(ctx).DeleteSale(ctx, id)
}

// ReverseSale removes a sale that a payment provider or shop reports as
// reversed, disputed, or cancelled with its order. It is [Program.DeleteSale]
// for callers that know the payment by another id, and it returns an error when
// there is no such sale.
//
// It frees the sale's external ids, as DeleteSale does: a payment that is
// reported again after its reversal is recorded again. Use [Program.RefundSale]
// for a dispute that may be won, and for a payment whose notice may arrive late
// or twice.
//
// A sale whose commission is in a payout cannot be removed. With Reversal.ClawBack it is
// refunded in full instead, with the refund's effects: the sale and its external ids stay.
// ClawBack changes nothing for other sales. A second reversal of a sale that was refunded
// in this way changes nothing.
//
// Errors: [affiliate.MissingField], [affiliate.InvalidField] (refundId), [affiliate.SaleNotFound]; [affiliate.InPayout]
// without ClawBack, [affiliate.OutsideRefundWindow] with it.
//
// Effects: those of [Program.DeleteSale], or of [Program.RefundSale].
//
// Source: docs/contract.md 7.1; docs/rules.md 5.5; docs/money.md 2.
func (p *Program) ReverseSale(ctx context.Context, ref affiliate.SaleRef,
	how affiliate.Reversal) (affiliate.ReversedSale, error) {
	return p.in(ctx).ReverseSale(ctx, ref, how)
}

// RecordSale reports one payment. The affiliate comes from the promotional
// code, else from ReferralID, else from the customer's referral; an unknown
// customer becomes a referral of that affiliate. Only a sale redeems a code.
//
// An outcome other than [affiliate.SaleRecorded] is not an error: a sale with the same
// external id or invoice id exists already (and is returned as Earlier), no
// affiliate could be found, or the customer is SUBMITTED or DECLINED. Such a
// report writes, counts and fires nothing. Duplicates are recognised before the
// rules of a code, so a retry of the sale that took the last redemption is not
// refused. A payment of a customer who is PAST_DUE or CANCELLED is recorded.
//
// Effects: in one transaction, the sale with its commission, the ledger row and
// both counters of a code, the totals of link, affiliate and referral;
// referral.created when the customer is new, then sale.created.
//
// Errors: [affiliate.AttributionRequired], [affiliate.MissingField], [affiliate.InvalidField], and the
// refusals of a code with every failing rule in [affiliate.Error.Failures].
//
// Source: docs/contract.md 3.7, docs/rules.md 5.1–5.3.
func (p *Program) RecordSale(ctx context.Context, in affiliate.SaleParams) (affiliate.SaleResult, error) {
	return p.in(ctx).RecordSale(ctx, in)
}

// RecordConversion reports what a customer did without a payment: a sign-up, a trial, a
// qualified lead. It becomes a sale of nothing with PaymentTrigger SIGNUP and its name in
// Conversion, which earns what the rule of the terms pays that names it, or nothing. Who is
// credited, and the outcomes, are those of [Program.RecordSale]. Each customer has a
// conversion of a name once: another report, also after a refund, is a duplicate.
//
// It is no payment and no order. Rates, limits of payments and months, and rules that do not
// name it, do not reach it; caps do. Its code is judged, and not redeemed. Statistics count
// it among conversions. RefundSale and ReverseSale take it back as a whole.
//
// Effects: in one transaction, the sale with its commission, and the totals of link,
// affiliate and referral; referral.created when the customer is new, then sale.created.
//
// Errors: as of [Program.RecordSale].
//
// Source: docs/terms.md 6, docs/contract.md 3.7.
func (p *Program) RecordConversion(ctx context.Context, in affiliate.ConversionParams) (affiliate.SaleResult, error) {
	return p.in(ctx).RecordConversion(ctx, in)
}

// RefundSale refunds a sale in full, or in part with Amount. The commission is reduced in
// proportion or, when Tax and Shipping are given, by the part of the amount that is
// neither; after a full refund it is exactly zero, and the sale stays REFUNDED. A repeated
// RefundID, or a repeated full refund, does nothing, and the result says so. Redemption
// counters do not change.
//
// A sale whose commission is in a payout is refunded only with ClawBack. The
// payout stays as it is, and what was paid too much becomes a further, negative
// commission of the sale.
//
// Errors: [affiliate.MissingField], [affiliate.InvalidField], [affiliate.SaleNotFound],
// [affiliate.OutsideRefundWindow], [affiliate.RefundExceedsSale], [affiliate.RefundLimitReached]; without
// ClawBack [affiliate.ManuallyPaid], [affiliate.AlreadyPaid], [affiliate.IncludedInPayout].
//
// Effects: the sale, its commissions, totals; sale.updated for a part,
// sale.deleted for the whole (contract 7.1).
//
// Source: docs/rules.md 5.5, docs/contract.md 3.7, docs/money.md 2.
func (p *Program) RefundSale(ctx context.Context, in affiliate.Refund) (affiliate.RefundResult, error) {
	return p.in(ctx).RefundSale(ctx, in)
}

// ReviewCommissions accepts, holds or declines the commissions of sales, all or
// nothing. Declined ones do not count in the totals.
//
// Errors: [affiliate.InvalidField] (approvalStatus), [affiliate.SaleNotFound], [affiliate.InPayout],
// [affiliate.BulkLimitExceeded].
//
// Effects: the commissions, totals; sale.updated for each sale that changed.
//
// Source: docs/contract.md 2.7.
func (p *Program) ReviewCommissions(ctx context.Context, status affiliate.ApprovalStatus,
	ids ...affiliate.SaleID) ([]affiliate.Sale, error) {
	return p.in(ctx).ReviewCommissions(ctx, status, ids...)
}

// UpdateSale changes a sale; a field that is not given stays as it is. When TotalEarned or
// CommissionRate is given and CommissionEarned is not, the commission is calculated again
// on the kept amount of the sale. With a TotalEarned a free order becomes an ordinary sale.
// CommissionRate null sets the rate of the current terms. A total that equals the refunded
// amount refunds the sale in full.
//
// Errors: [affiliate.MissingField], [affiliate.InvalidField], [affiliate.SaleNotFound],
// [affiliate.SaleExternalIDTaken], [affiliate.SaleInvoiceIDTaken];
// [affiliate.ReferralErased] when a value would show an erased customer again; for a change
// of money or another affiliate [affiliate.InPayout] (not with ClawBack) and
// [affiliate.SaleHasBeenRefunded]; for another affiliate [affiliate.AffiliateNotFound].
//
// Effects: the sale, its commissions, the totals and the ledgers of both affiliates;
// adjustments of the former affiliate, if payouts hold commissions of the sale;
// sale.updated when something changed.
//
// Source: docs/contract.md 3.7; docs/money.md 2.
func (p *Program) UpdateSale(ctx context.Context, id affiliate.SaleID,
	up affiliate.SaleUpdate) (affiliate.Sale, error) {
	return p.in(ctx).UpdateSale(ctx, id, up)
}

// Sale returns a sale.
//
// Errors: [affiliate.ErrNotFound].
//
// Source: docs/contract.md 3.7.
func (p *Program) Sale(ctx context.Context, id affiliate.SaleID) (affiliate.Sale, error) {
	return p.in(ctx).Sale(ctx, id)
}

// Sales lists the sales that a query selects, newest first unless it says otherwise. A field
// with an unknown value gives an empty list. A search text that is exactly a number, an order
// id or an invoice, also in capitals or small letters throughout, finds that sale alone, and
// one that is a customer's email finds the sales with it.
//
// Errors: [affiliate.InvalidQuery] (status, approvalStatus, since, until, currency, search, a bad page).
//
// Source: docs/contract.md 3.7, 4.5.
func (p *Program) Sales(ctx context.Context, q affiliate.SaleQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Sale], error) {
	return p.in(ctx).Sales(ctx, q, pg)
}

// SaleSums returns how many sales a query selects, and what they add up to: in all, and by
// status and approval status. It selects as Sales does, in no order. A store that adds up
// answers without reading the sales, unless a text is searched for.
//
// Errors: [affiliate.InvalidQuery] (status, approvalStatus, since, until, currency, search).
//
// Source: ours, for people who look at a list. docs/contract.md 4.5.
func (p *Program) SaleSums(ctx context.Context, q affiliate.SaleQuery) (affiliate.SaleSums, error) {
	return p.in(ctx).SaleSums(ctx, q)
}
