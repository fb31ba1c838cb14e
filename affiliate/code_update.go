package affiliate

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/internal/plaintext"
)

// UpdateCode edits a code. Its coupon and how it was generated stay. AffiliateID
// or AffiliateEmail gives it to another affiliate, null to none: sales that were
// made stay with whom they were credited to, later ones are credited to the new
// affiliate. An update that changes nothing is no event.
//
// Errors: [MissingField] for a zero id, [PromotionalCodeNotFound],
// [InvalidField], [CodeSyntax], [AffiliateNotFound], [IdentifiersMismatch],
// [MissingField] (customerId), [CodeTaken], [CodeExternalIDTaken].
//
// Effects: the code; promocode.updated.
//
// Source: docs/rules.md 2 (Update semantics), 3.3; docs/contract.md 2.2, 3.4.
func (p *Program) UpdateCode(ctx context.Context, id uuid.UUID, up CodeUpdate) (Code, error) {
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
		if err := o.freeForUpdate(old, rec); err != nil {
			return Code{}, err
		}
		return o.saveCode(old, rec)
	})
}

// freeForUpdate refuses what another live code has.
func (o *op) freeForUpdate(old, rec CodeRecord) error {
	if foldCode(rec.Code) != foldCode(old.Code) {
		_, err := o.codeByText(rec.Code)
		if err := codeTaken.ifFound(err); err != nil {
			return err
		}
	}
	if rec.ExternalID == old.ExternalID {
		return nil
	}
	return o.freeCodeExternalID(rec.ExternalID)
}

// mergeCode is the stored code with an update over it, checked as a whole.
func (p *Program) mergeCode(rec CodeRecord, up CodeUpdate) (CodeRecord, error) {
	code, customer := up.Code.Or(rec.Code), changed(Set(rec.CustomerID), up.CustomerID).Or("")
	limited := up.LimitToCustomers.Or(rec.LimitToCustomers)
	err := first(
		notCleared("code", up.Code),
		notBlank("code", up.Code),
		checkCode(&code),
		notBlank("affiliateEmail", up.AffiliateEmail),
		given("externalId", up.ExternalID, maxName),
		notCleared("active", up.Active),
		expiresAtNotADate.when(!p.validDate(up.ExpiresAt)),
		maxRedemptionsNotPositive.when(up.MaxRedemptions.Or(1) < 1),
		notCleared("firstTimeOrder", up.FirstTimeOrder),
		checkMinimum(up.MinimumAmount),
		checkMinimumCurrency(&up.MinimumAmountCurrency),
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

// ownerAfter is the affiliate of a code after an update: as it was where the
// update says nothing of it, nobody for null. Both identifiers must say the
// same.
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
	default: // null beside a name finds nobody, and so does not agree with it
		rec, err = agreed(o.tx.Affiliates.Get(id))(o.affiliateByEmail(email))
	}
	return rec.ID, affiliateNotFound.ifMissing(err)
}

// checkCodeUpdate checks an update by itself, before its code is looked up: as
// one of a code that has everything. What null takes away is missed, if at all,
// in the stored code.
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

// checkMergedCustomer: an empty text is refused for what it is when it was
// sent, and a missing one when the code is limited to a customer.
func checkMergedCustomer(limited bool, id string, sent Opt[string]) *Error {
	if !limited {
		if err := notBlank("customerId", sent); err != nil {
			return err
		}
	}
	return checkCustomer(limited, id)
}
