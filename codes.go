package tributary

import (
	"context"
	"io"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// CheckCodes says how many codes [Program.GenerateCodes] would make and shows samples, and
// makes none.
//
// Errors: those of GenerateCodes, except those about codes that it would draw.
//
// Source: docs/rules.md 3.8; docs/contract.md 4.6.
func (p *Program) CheckCodes(ctx context.Context, in affiliate.CodesParams) (affiliate.KeySpace, error) {
	return p.in(ctx).CheckCodes(ctx, in)
}

// CreateCode makes a code of a coupon. The code is given or generated. A code
// without an affiliate works, but cannot attribute a sale. A generated code has
// the parts of its structure in their fixed order; when it is taken, the call
// fails and does not try another one.
//
// Errors: [affiliate.MissingField], [affiliate.InvalidField], [affiliate.CodeSyntax], [affiliate.CodeStructureEmpty];
// [affiliate.CouponNotFound], [affiliate.AffiliateNotFound], [affiliate.IdentifiersMismatch];
// [affiliate.GeneratedCodeInvalid]; [affiliate.CodeTaken], [affiliate.GeneratedCodeTaken],
// [affiliate.CodeExternalIDTaken].
//
// Effects: the code; promocode.created.
//
// Source: docs/rules.md 3.8; docs/contract.md 3.4.
func (p *Program) CreateCode(ctx context.Context, in affiliate.CodeParams) (affiliate.Code, error) {
	return p.in(ctx).CreateCode(ctx, in)
}

// DeleteCode deletes a code. Its sales, the redemption ledger and the coupon's
// count stay.
//
// Errors: [affiliate.MissingField] for a zero id, [affiliate.PromotionalCodeNotFound].
//
// Effects: promocode.deleted.
//
// Source: docs/contract.md 3.4.
func (p *Program) DeleteCode(ctx context.Context, id uuid.UUID) (affiliate.DeletedCode, error) {
	return p.in(ctx).DeleteCode(ctx, id)
}

// Evaluate reports whether a code would work for an order, and its discount. It uses the
// same rules as a sale and changes nothing. With an idempotency key its answer is stored.
//
// Errors: [affiliate.MissingField] (promoCode), [affiliate.InvalidField]. A code that fails is not
// an error.
//
// Source: docs/rules.md 3.6; docs/contract.md 4.1.
func (p *Program) Evaluate(ctx context.Context, in affiliate.Order) (affiliate.Evaluation, error) {
	return p.in(ctx).Evaluate(ctx, in)
}

// EvaluateCodes evaluates up to 20 codes for one order, as [Program.Evaluate] does with each, and says which of
// them takes most off. All of them are judged by one state of the program. An order still has one code.
//
// Errors: those of Evaluate, [affiliate.MissingField] (promoCodes). A code that fails is not an error.
//
// Source: docs/rules.md 3.6; docs/contract.md 4.1.
func (p *Program) EvaluateCodes(ctx context.Context, in affiliate.CodesOrder) (affiliate.Comparison, error) {
	return p.in(ctx).EvaluateCodes(ctx, in)
}

// HoldRedemption keeps a place of a code for an order until a time, with the price that
// [Program.Evaluate] answers now. A sale with the HoldID confirms it, and is not refused for a limit, an end
// or a budget that was reached since. Called again with the same id it prices the order anew
// and keeps the place; a hold that was released or has lapsed is taken anew, if there is a place.
// It fires no event, and counts as no redemption.
//
// A place is one of the code, of the coupon, of the customer and of the budget. It is free again
// when the hold is released or its time is over; nothing has to run for that. A sale
// that is paid later takes a free place, or is recorded over the limit, which
// [Program.Attention] shows: the customer has the discount.
//
// Errors: those of Evaluate; the reasons of a code that fails, see [affiliate.Error.CodeRefused];
// [affiliate.HoldIsConfirmed], [affiliate.HoldLimitReached].
//
// Effects: the hold, the counts of held places; no event.
//
// Source: docs/rules.md 3.10; docs/contract.md 3.10.
func (p *Program) HoldRedemption(ctx context.Context, in affiliate.HoldParams) (affiliate.Hold, error) {
	return p.in(ctx).HoldRedemption(ctx, in)
}

// Hold returns the hold with the caller's id.
//
// Errors: [affiliate.ErrNotFound].
//
// Source: docs/contract.md 3.10.
func (p *Program) Hold(ctx context.Context, id string) (affiliate.Hold, error) {
	return p.in(ctx).Hold(ctx, id)
}

// Holds lists the open holds of a code, or else of a coupon, the first to lapse first.
//
// Errors: [affiliate.MissingField] (codeId) for a filter without either, [affiliate.InvalidPage].
//
// Source: docs/contract.md 3.10.
func (p *Program) Holds(ctx context.Context, f affiliate.HoldQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Hold], error) {
	return p.in(ctx).Holds(ctx, f, pg)
}

// ReleaseHold gives the place of a hold back. For one that was released or has lapsed it does nothing.
//
// Errors: [affiliate.MissingField] (id), [affiliate.HoldNotFound], [affiliate.HoldIsConfirmed].
//
// Effects: the hold, the counts of held places; no event.
//
// Source: docs/contract.md 3.10.
func (p *Program) ReleaseHold(ctx context.Context, id string) (affiliate.Hold, error) {
	return p.in(ctx).ReleaseHold(ctx, id)
}

// Code returns the code that ref names, with its coupon and affiliate. An empty
// ref names no code.
//
// Errors: [affiliate.ErrNotFound].
//
// Source: docs/contract.md 3.4.
func (p *Program) Code(ctx context.Context, ref affiliate.CodeRef) (affiliate.Code, error) {
	return p.in(ctx).Code(ctx, ref)
}

// Codes lists the codes that a query selects, newest first. An unknown coupon or affiliate has
// none. A search text that is exactly a code, in any letter case, finds that code alone.
//
// Errors: [affiliate.InvalidQuery] (state, search, a bad page).
//
// Source: docs/contract.md 3.4, 4.6.
func (p *Program) Codes(ctx context.Context, q affiliate.CodeQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Code], error) {
	return p.in(ctx).Codes(ctx, q, pg)
}

// GenerateCodes makes many codes: Count codes for the affiliate of CodeParams, or
// for each of AffiliateIDs, and returns them newest first. All are checked before
// the first is made. More than 250 are made in several transactions, each whole: an
// error between them leaves some made, and a repeat under the same key makes the rest.
//
// The random parts of a batch are all different, ignoring case. So the number
// of possible random parts, 36 to the power of RandomCharsLength, must be at
// least twice the number of codes. When an existing code is generated again,
// the whole batch fails and nothing is tried again; only what somebody takes while
// the batch is made, after the check, is drawn again.
//
// Errors: those of [Program.CreateCode]; [affiliate.InvalidField] of count and
// affiliateIds; [affiliate.BulkLimitExceeded]; [affiliate.KeySpaceTooSmall], also for several codes of one affiliate
// without a random part.
//
// Effects: promocode.created for each code.
//
// Source: docs/rules.md 3.8; ours, because a campaign needs many codes at once.
func (p *Program) GenerateCodes(ctx context.Context, in affiliate.CodesParams) ([]affiliate.Code, error) {
	return p.in(ctx).GenerateCodes(ctx, in)
}

// UpdateCode changes a code, but not its coupon and not how it was generated.
// AffiliateID or AffiliateEmail gives the code to another affiliate, and null
// to none. Recorded sales stay with their affiliate; later sales are credited
// to the new one. An update that changes nothing fires no event.
//
// Errors: [affiliate.MissingField] for a zero id, [affiliate.PromotionalCodeNotFound],
// [affiliate.InvalidField], [affiliate.CodeSyntax], [affiliate.AffiliateNotFound], [affiliate.IdentifiersMismatch],
// [affiliate.MissingField] (customerId), [affiliate.CodeTaken], [affiliate.CodeExternalIDTaken].
//
// Effects: the code; promocode.updated.
//
// Source: docs/rules.md 2 (Update semantics), 3.3; docs/contract.md 2.2, 3.4.
func (p *Program) UpdateCode(ctx context.Context, id uuid.UUID, up affiliate.CodeUpdate) (affiliate.Code, error) {
	return p.in(ctx).UpdateCode(ctx, id, up)
}

// CreateCoupon makes a coupon without codes. The discount fields that do not
// belong to its type are checked too, but not stored.
//
// Errors: [affiliate.MissingField], [affiliate.InvalidField]; [affiliate.CouponExternalIDTaken].
//
// Effects: the coupon; coupon.created.
//
// Source: docs/rules.md 3.1; docs/contract.md 3.3.
func (p *Program) CreateCoupon(ctx context.Context, in affiliate.CouponParams) (affiliate.Coupon, error) {
	return p.in(ctx).CreateCoupon(ctx, in)
}

// DeleteCoupon deletes a coupon and all its codes. The codes stop working at
// once. Sales and the redemption ledger stay. A coupon with more than 250 codes
// becomes invalid first, and loses them in several transactions: after an error it
// may be left so, and a repeat goes on.
//
// Errors: [affiliate.MissingField] for a zero id, [affiliate.CouponNotFound].
//
// Effects: coupon.deleted, after promocode.deleted for each code with
// Config.CascadeEvents; before them coupon.updated of a coupon that becomes invalid first.
//
// Source: docs/rules.md 3.7; docs/contract.md 3.3.
func (p *Program) DeleteCoupon(ctx context.Context, id uuid.UUID) (affiliate.DeletedCoupon, error) {
	return p.in(ctx).DeleteCoupon(ctx, id)
}

// Coupon returns the coupon that ref names, with its codes. An empty ref names
// no coupon.
//
// Errors: [affiliate.ErrNotFound].
//
// Source: docs/contract.md 3.3.
func (p *Program) Coupon(ctx context.Context, ref affiliate.CouponRef) (affiliate.Coupon, error) {
	return p.in(ctx).Coupon(ctx, ref)
}

// Coupons lists the coupons that a query selects, newest first. Without WithCodes it is a
// search, which reads no code, however many a coupon has; see [affiliate.Page].
//
// Errors: [affiliate.InvalidQuery] for a bad page.
//
// Source: docs/contract.md 3.3, 4.6.
func (p *Program) Coupons(ctx context.Context, q affiliate.CouponQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Coupon], error) {
	return p.in(ctx).Coupons(ctx, q, pg)
}

// WriteCoupon writes the JSON of the coupon that ref names, with all its codes:
// the bytes of json.Marshal of [Program.Coupon] if nothing changes during the
// call. It reads the codes in pieces, each in its own transaction, and encodes
// and writes between them, at most 32 KiB at a time. So neither the memory nor
// the time that others wait grows with the coupon. A code that exists during
// the whole call is written once; a code that is created during the call is not
// written.
//
// Errors: [affiliate.ErrNotFound], after which nothing was written; those of w and of
// ctx, after which a part was written.
//
// Source: docs/contract.md 3.3.
func (p *Program) WriteCoupon(ctx context.Context, ref affiliate.CouponRef, w io.Writer) error {
	return p.in(ctx).WriteCoupon(ctx, ref, w)
}

// WriteCoupons writes the JSON array of all coupons, newest first, each as by
// [Program.WriteCoupon]: the bytes of json.Marshal of the Items of
// [Program.Coupons] if nothing changes during the call. A coupon that exists
// during the whole call is written once; a coupon that is created during the
// call is not written.
//
// Errors: those of w and of ctx.
//
// Source: docs/contract.md 1.7, 3.3.
func (p *Program) WriteCoupons(ctx context.Context, w io.Writer) error {
	return p.in(ctx).WriteCoupons(ctx, w)
}

// UpdateCoupon changes the discount for every code of the coupon. The coupon is
// checked with the update applied. An update that changes nothing fires no
// event. A limit may be set below the count; then the coupon is exhausted.
//
// Errors: [affiliate.MissingField] for a zero id, [affiliate.CouponNotFound], [affiliate.MissingField] and
// [affiliate.InvalidField] of the fields, [affiliate.CouponExternalIDTaken].
//
// Effects: the coupon; coupon.updated, without the codes when there are more than 1,000.
//
// Source: docs/rules.md 2.4 and 3.1; docs/contract.md 3.3.
func (p *Program) UpdateCoupon(ctx context.Context, id uuid.UUID, up affiliate.CouponUpdate) (affiliate.Coupon, error) {
	return p.in(ctx).UpdateCoupon(ctx, id, up)
}
