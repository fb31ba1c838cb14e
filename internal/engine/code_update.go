package engine

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// UpdateCode implements tributary.Program.UpdateCode.
func (p *Program) UpdateCode(ctx context.Context, id uuid.UUID, up affiliate.CodeUpdate) (_ affiliate.Code, err error) {
	defer p.Begin(&ctx, "UpdateCode", Writes).End(&err)
	rq := Request{Name: "code.update", Input: []any{id, up}, Refused: refusal.First(refusal.PromotionalCodeIDRequired.When(id == uuid.Nil))}
	if rq.Refused == nil {
		rq.Refused = p.checkCodeUpdate(up)
	}
	o := p.Op(ctx)
	return Write(o, rq, func() (affiliate.Code, error) {
		old, err := o.codeByID(id)
		if err != nil {
			return affiliate.Code{}, err
		}
		owner, err := o.ownerAfter(old, up)
		if err != nil {
			return affiliate.Code{}, err
		}
		rec, err := o.mergeCode(old, up)
		if err != nil {
			return affiliate.Code{}, err
		}
		rec.AffiliateID = owner
		if err := o.refuseTakenCode(old, rec); err != nil {
			return affiliate.Code{}, err
		}
		return o.saveCode(old, rec)
	})
}

// refuseTakenCode refuses a code or external id that another live code has.
func (o *Op) refuseTakenCode(old, rec record.Code) error {
	if record.FoldCode(rec.Code) != record.FoldCode(old.Code) {
		_, err := o.CodeByText(rec.Code)
		if err := refusal.CodeTaken.IfFound(err); err != nil {
			return err
		}
	}
	if rec.ExternalID == old.ExternalID {
		return nil
	}
	return refusal.RefuseTakenExternalID(o.Tx.Codes, rec.ExternalID, refusal.CodeExternalIDTaken)
}

// mergeCode applies an update to the stored code and checks the result as a
// whole.
func (p *Program) mergeCode(rec record.Code, up affiliate.CodeUpdate) (record.Code, error) {
	code, customer := up.Code.Or(rec.Code), refusal.Changed(affiliate.Set(rec.CustomerID), up.CustomerID).Or("")
	limited := up.LimitToCustomers.Or(rec.LimitToCustomers)
	err := refusal.First(
		refusal.NotCleared("code", up.Code),
		NotBlank("code", up.Code),
		normalizeCode(&code),
		NotBlank("affiliateEmail", up.AffiliateEmail),
		refusal.Given("externalId", up.ExternalID, refusal.MaxName),
		refusal.NotCleared("active", up.Active),
		refusal.ExpiresAtNotADate.When(!p.ValidDate(up.ExpiresAt)),
		refusal.MaxRedemptionsNotPositive.When(up.MaxRedemptions.Or(1) < 1),
		aboveZero("minimumQuantity", up.MinimumQuantity),
		atLeastOne("maxRedemptionsPerCustomer", up.MaxRedemptionsPerCustomer),
		refusal.NotCleared("firstTimeOrder", up.FirstTimeOrder),
		checkMinimum(up.MinimumAmount),
		normalizeMinimumCurrency(&up.MinimumAmountCurrency),
		refusal.NotCleared("limitToCustomers", up.LimitToCustomers),
		checkMergedCustomer(limited, customer, up.CustomerID),
		refusal.NotCleared("limitToAffiliate", up.LimitToAffiliate),
	)
	if err != nil {
		return record.Code{}, err
	}
	rec.Code, rec.CustomerID, rec.LimitToCustomers = code, customer, limited
	refusal.SetText(&rec.ExternalID, up.ExternalID)
	rec.Active = up.Active.Or(rec.Active)
	if !up.ExpiresAt.IsZero() {
		rec.ExpiresAt = p.Instant(up.ExpiresAt)
	}
	rec.MaxRedemptions = refusal.Changed(affiliate.Set(rec.MaxRedemptions), up.MaxRedemptions).Or(0)
	if !up.StartsAt.IsZero() {
		rec.StartsAt = p.Start(up.StartsAt)
	}
	rec.MinimumQuantity = refusal.Changed(affiliate.Set(rec.MinimumQuantity), up.MinimumQuantity).Or(affiliate.Amount{})
	rec.MaxPerCustomer = refusal.Changed(affiliate.Set(rec.MaxPerCustomer), up.MaxRedemptionsPerCustomer).Or(0)
	rec.FirstTimeOrder = up.FirstTimeOrder.Or(rec.FirstTimeOrder)
	rec.LimitToAffiliate = up.LimitToAffiliate.Or(rec.LimitToAffiliate)
	currency := refusal.Changed(affiliate.Set(rec.MinimumCurrency), up.MinimumAmountCurrency).Or("")
	if err := windowOf(&rec, up); err != nil {
		return record.Code{}, err
	}
	setMinimum(&rec, refusal.Changed(rec.MinimumAmount, up.MinimumAmount), currency, p.Cfg.Currency)
	return rec, nil
}

// windowOf refuses a time of a code that ends before it begins.
func windowOf(rec *record.Code, up affiliate.CodeUpdate) error {
	if up.StartsAt.IsZero() && up.ExpiresAt.IsZero() {
		return nil
	}
	return refusal.First(refusal.FieldBeforeStart.About("expiresAt").When(!rec.ExpiresAt.IsZero() && rec.ExpiresAt.Before(rec.StartsAt)))
}

// ownerAfter returns the affiliate of a code after an update: the same when the
// update names none, no affiliate for null. Both identifiers must name the same
// affiliate.
func (o *Op) ownerAfter(code record.Code, up affiliate.CodeUpdate) (uuid.UUID, error) {
	id, hasID := up.AffiliateID.Get()
	email, hasEmail := up.AffiliateEmail.Get()
	var rec record.Affiliate
	var err error
	switch {
	case up.AffiliateID.IsZero() && up.AffiliateEmail.IsZero():
		return code.AffiliateID, nil
	case !hasID && !hasEmail:
		return uuid.Nil, nil
	case up.AffiliateEmail.IsZero():
		rec, err = o.AffiliateByID(id)
	case up.AffiliateID.IsZero():
		rec, err = o.FindAffiliateByEmail(email)
	default: // null beside an identifier does not agree with it
		rec, err = agreed(o.AffiliateByID(id))(o.FindAffiliateByEmail(email))
	}
	return rec.ID, refusal.RefuseNoAffiliate.IfMissing(err)
}

// checkCodeUpdate checks an update by itself, before its code is looked up, as
// if it changed a code in which every field is set. A required field that the
// update clears is found when the merged code is checked.
func (p *Program) checkCodeUpdate(up affiliate.CodeUpdate) error {
	up.CustomerID = refusal.UnlessNull(up.CustomerID)
	_, err := p.mergeCode(record.Code{Code: "X", CustomerID: "x"}, up)
	return err
}

// NotBlank refuses an empty text that an update sent.
func NotBlank(field string, sent affiliate.Opt[string]) *affiliate.Error {
	if s, ok := sent.Get(); ok && plaintext.Blank(s) {
		return refusal.FieldEmpty.Of(field)
	}
	return nil
}

// checkMergedCustomer refuses an empty text that was sent, and a missing
// customer when the code is limited to one.
func checkMergedCustomer(limited bool, id string, sent affiliate.Opt[string]) *affiliate.Error {
	if !limited {
		if err := NotBlank("customerId", sent); err != nil {
			return err
		}
	}
	return checkCustomer(limited, id)
}
