package affiliate

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// UpdateCode changes a code, but not its coupon and not how it was generated.
// AffiliateID or AffiliateEmail gives the code to another affiliate, and null
// to none. Recorded sales stay with their affiliate; later sales are credited
// to the new one. An update that changes nothing fires no event.
//
// Errors: [MissingField] for a zero id, [PromotionalCodeNotFound],
// [InvalidField], [CodeSyntax], [AffiliateNotFound], [IdentifiersMismatch],
// [MissingField] (customerId), [CodeTaken], [CodeExternalIDTaken].
//
// Effects: the code; promocode.updated.
//
// Source: docs/rules.md 2 (Update semantics), 3.3; docs/contract.md 2.2, 3.4.
func (p *Program) UpdateCode(ctx context.Context, id uuid.UUID, up CodeUpdate) (_ Code, err error) {
	defer p.begin(&ctx, "UpdateCode", writes).end(&err)
	rq := request{name: "code.update", input: []any{id, up}, refused: first(promotionalCodeIDRequired.when(id == uuid.Nil))}
	if rq.refused == nil {
		rq.refused = p.checkCodeUpdate(up)
	}
	o := p.op(ctx)
	return write(o, rq, func() (Code, error) {
		old, err := o.codeByID(id)
		if err != nil {
			return Code{}, err
		}
		owner, err := o.ownerAfter(old, up)
		if err != nil {
			return Code{}, err
		}
		rec, err := o.mergeCode(old, up)
		if err != nil {
			return Code{}, err
		}
		rec.AffiliateID = owner
		if err := o.refuseTakenCode(old, rec); err != nil {
			return Code{}, err
		}
		return o.saveCode(old, rec)
	})
}

// refuseTakenCode refuses a code or external id that another live code has.
func (o *op) refuseTakenCode(old, rec CodeRecord) error {
	if foldCode(rec.Code) != foldCode(old.Code) {
		_, err := o.codeByText(rec.Code)
		if err := codeTaken.ifFound(err); err != nil {
			return err
		}
	}
	if rec.ExternalID == old.ExternalID {
		return nil
	}
	return refuseTakenExternalID(o.tx.Codes, rec.ExternalID, codeExternalIDTaken)
}

// mergeCode applies an update to the stored code and checks the result as a
// whole.
func (p *Program) mergeCode(rec CodeRecord, up CodeUpdate) (CodeRecord, error) {
	code, customer := up.Code.Or(rec.Code), changed(Set(rec.CustomerID), up.CustomerID).Or("")
	limited := up.LimitToCustomers.Or(rec.LimitToCustomers)
	err := first(
		notCleared("code", up.Code),
		notBlank("code", up.Code),
		normalizeCode(&code),
		notBlank("affiliateEmail", up.AffiliateEmail),
		given("externalId", up.ExternalID, maxName),
		notCleared("active", up.Active),
		expiresAtNotADate.when(!p.validDate(up.ExpiresAt)),
		maxRedemptionsNotPositive.when(up.MaxRedemptions.Or(1) < 1),
		notCleared("firstTimeOrder", up.FirstTimeOrder),
		checkMinimum(up.MinimumAmount),
		normalizeMinimumCurrency(&up.MinimumAmountCurrency),
		notCleared("limitToCustomers", up.LimitToCustomers),
		checkMergedCustomer(limited, customer, up.CustomerID),
		notCleared("limitToAffiliate", up.LimitToAffiliate),
	)
	if err != nil {
		return CodeRecord{}, err
	}
	rec.Code, rec.CustomerID, rec.LimitToCustomers = code, customer, limited
	setText(&rec.ExternalID, up.ExternalID)
	rec.Active = up.Active.Or(rec.Active)
	if !up.ExpiresAt.IsZero() {
		rec.ExpiresAt = p.instant(up.ExpiresAt)
	}
	rec.MaxRedemptions = changed(Set(rec.MaxRedemptions), up.MaxRedemptions).Or(0)
	rec.FirstTimeOrder = up.FirstTimeOrder.Or(rec.FirstTimeOrder)
	rec.LimitToAffiliate = up.LimitToAffiliate.Or(rec.LimitToAffiliate)
	currency := changed(Set(rec.MinimumCurrency), up.MinimumAmountCurrency).Or("")
	rec.setMinimum(changed(rec.MinimumAmount, up.MinimumAmount), currency, p.cfg.Currency)
	return rec, nil
}

// ownerAfter is the affiliate of a code after an update: unchanged when the
// update does not name one, none for null. Both identifiers must name the same
// affiliate.
func (o *op) ownerAfter(code CodeRecord, up CodeUpdate) (uuid.UUID, error) {
	id, hasID := up.AffiliateID.Get()
	email, hasEmail := up.AffiliateEmail.Get()
	var rec AffiliateRecord
	var err error
	switch {
	case up.AffiliateID.IsZero() && up.AffiliateEmail.IsZero():
		return code.AffiliateID, nil
	case !hasID && !hasEmail:
		return uuid.Nil, nil
	case up.AffiliateEmail.IsZero():
		rec, err = o.tx.Affiliates.Get(id)
	case up.AffiliateID.IsZero():
		rec, err = o.affiliateByEmail(email)
	default: // null beside an identifier does not agree with it
		rec, err = agreed(o.tx.Affiliates.Get(id))(o.affiliateByEmail(email))
	}
	return rec.ID, RefuseNoAffiliate.ifMissing(err)
}

// checkCodeUpdate checks an update by itself, before its code is looked up, as
// if it changed a code in which every field is set. A required field that the
// update clears is found when the merged code is checked.
func (p *Program) checkCodeUpdate(up CodeUpdate) error {
	up.CustomerID = unlessNull(up.CustomerID)
	_, err := p.mergeCode(CodeRecord{Code: "X", CustomerID: "x"}, up)
	return err
}

// notBlank refuses an empty text that an update sent.
func notBlank(field string, sent Opt[string]) *Error {
	if s, ok := sent.Get(); ok && plaintext.Blank(s) {
		return FieldEmpty.Of(field)
	}
	return nil
}

// checkMergedCustomer refuses an empty text that was sent, and a missing
// customer when the code is limited to one.
func checkMergedCustomer(limited bool, id string, sent Opt[string]) *Error {
	if !limited {
		if err := notBlank("customerId", sent); err != nil {
			return err
		}
	}
	return checkCustomer(limited, id)
}
