package tributary

import (
	"context"

	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/imports"
)

// Imports brings over the records of another program, with their ids, times and money as they
// are. Each call takes rows of one kind; what is there already is left as it is, so a call may
// be repeated. Package importer reads the files of other products. It is a value, safe for
// concurrent use.
type Imports struct{ engine *engine.Program }

func (i Imports) in(ctx context.Context) *engine.Program { return i.engine.Current(ctx) }

// Imports returns the imports into the program; those of a [Program.Rehearsal] try.
func (p *Program) Imports() Imports { return Imports{p.engine} }

// Affiliates adds affiliates of another service with their links in one
// transaction, without events. An affiliate whose email is known stays as it is,
// and gets the links that are missing. Rows that cannot be imported are
// reported; the others are imported.
//
// A slug that another affiliate has is left out, renamed or refused, as the row says; each
// case is noted. Customers who came by a link that was left out are still credited to the
// affiliate of the row.
//
// Errors: [affiliate.BulkLimitExceeded]; those of the store. Of a row: [affiliate.MissingField] and
// [affiliate.InvalidField], [affiliate.PlanNotFound], [affiliate.SlugTaken], [affiliate.LinkLimitReached].
//
// Effects: affiliates, links, their clicks in the totals, the ledger.
//
// Source: docs/import.md.
func (i Imports) Affiliates(ctx context.Context, rows []imported.Affiliate) (imported.Report, error) {
	return imports.ImportAffiliates(ctx, i.in(ctx), rows)
}

// Coupons adds coupons of another service with their codes in one
// transaction, without events. The uses so far count for every limit. A coupon
// whose external id is known stays as it is, and gets the codes that are
// missing. A code that another coupon has is left out and noted. Rows that
// cannot be imported are reported; the others are imported.
//
// Errors: [affiliate.BulkLimitExceeded]; those of the store. Of a row: [affiliate.MissingField],
// [affiliate.InvalidField] and [affiliate.CodeSyntax], [affiliate.AffiliateNotFound].
//
// Effects: coupons, codes, the ledger.
//
// Source: docs/import.md.
func (i Imports) Coupons(ctx context.Context, rows []imported.Coupon) (imported.Report, error) {
	return imports.ImportCoupons(ctx, i.in(ctx), rows)
}

// Payouts adds payouts of another service in one transaction, without events. The
// commissions of the service belong to them from then on, so that nobody pays them again.
// Rows that cannot be imported are reported; the others are imported.
//
// A row that was imported before gets its newer state: a status that follows, and
// commissions that came since. Any other difference is noted and not written.
//
// Errors: [affiliate.BulkLimitExceeded]; those of the store. Of a row: [affiliate.InvalidField],
// [affiliate.UnknownRef], [affiliate.IdentifiersMismatch] when the sales are of several affiliates,
// [affiliate.IncludedInPayout] when another payout has one of them.
//
// Effects: payouts, the commissions in them, movements of affiliates whose books
// are open, the ledger.
//
// Source: docs/import.md.
func (i Imports) Payouts(ctx context.Context, rows []imported.Payout) (imported.Report, error) {
	return imports.ImportPayouts(ctx, i.in(ctx), rows)
}

// Sales adds past payments with their commissions in one transaction, without events.
// No code is redeemed, and no rule decides about the commission: the row gives it. When a
// sale already has the row's external id, the row stands for that sale and nothing is
// written. If another row imported that sale, this row is a second commission of the order:
// it is stored without the ids, and noted. When the same row comes again, it is only noted.
// Rows that cannot be imported are reported; the others are imported.
//
// A row that was imported before gets its newer state: ON_HOLD to ACCEPTED, and
// more refunded. Any other difference is noted and not written; when the sale was
// changed here since, nothing is.
//
// Errors: [affiliate.BulkLimitExceeded]; those of the store. Of a row: [affiliate.MissingField] and
// [affiliate.InvalidField], [affiliate.RefundExceedsSale], [affiliate.UnknownRef], [affiliate.AttributionRequired],
// [affiliate.AffiliateNotFound].
//
// Effects: sales with their commissions, payments with their ids, adjustments,
// totals, movements of affiliates whose books are open, the ledger. Refunds and
// disputes that the provider reported before the import are applied then, as
// [Payments.ReportPayment] does, with their events.
//
// Source: docs/import.md.
func (i Imports) Sales(ctx context.Context, rows []imported.Sale) (imported.Report, error) {
	return imports.ImportSales(ctx, i.in(ctx), rows)
}

// Referrals adds customers of the past in one transaction, without
// events. Rows that cannot be imported are reported; the others are imported. A
// customer whose email is known stays as it is.
//
// Errors: [affiliate.BulkLimitExceeded]; those of the store. Of a row: [affiliate.MissingField] and
// [affiliate.InvalidField], [affiliate.AttributionRequired], [affiliate.IdentifiersMismatch], [affiliate.UnknownRef];
// [affiliate.ErrNotFound] when no affiliate could be found.
//
// Effects: the referrals, with their own createdAt, their payers, the totals of
// affiliates and links, and the ledger for rows with a Ref.
//
// Source: docs/contract.md 7.1; docs/rules.md 4.6; docs/import.md.
func (i Imports) Referrals(ctx context.Context, rows []imported.Referral) (imported.Report, error) {
	return imports.ImportReferrals(ctx, i.in(ctx), rows)
}
