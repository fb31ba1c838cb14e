package engine

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// RecordAdjustment implements tributary.Program.RecordAdjustment.
func (p *Program) RecordAdjustment(ctx context.Context, in affiliate.AdjustmentParams) (_ affiliate.Adjustment, err error) {
	defer p.Begin(&ctx, "RecordAdjustment", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Once: in.Once, Name: "adjustment.create", Refused: p.normalizeAdjustment(&in)}
	rq.Input = in
	return Write(o, rq, func() (affiliate.Adjustment, error) {
		rec := record.Adjustment{
			ID: o.NewID(), Sale: int64(in.SaleID), Kind: in.Kind, Amount: in.Amount,
			Reason: in.Reason, ExternalID: in.ExternalID, CreatedAt: o.Now,
		}
		if in.Reverses != uuid.Nil {
			if err := o.reverse(&rec, in.Reverses); err != nil {
				return affiliate.Adjustment{}, err
			}
		} else if err := o.checkAdjusted(&rec, in); err != nil {
			return affiliate.Adjustment{}, err
		}
		return AdjustmentOf(rec), o.enterAdjustment(rec, affiliate.CauseAdjustment)
	})
}

// normalizeAdjustment checks the input by itself and rounds the amount.
func (p *Program) normalizeAdjustment(in *affiliate.AdjustmentParams) error {
	if in.Reverses != uuid.Nil {
		return refusal.First(
			refusal.FieldNotAllowed.About("affiliateId").When(in.AffiliateID != uuid.Nil),
			refusal.FieldNotAllowed.About("affiliateEmail").When(in.AffiliateEmail != ""),
			refusal.FieldNotAllowed.About("saleId").When(in.SaleID != 0),
			refusal.FieldNotAllowed.About("kind").When(in.Kind != ""),
			refusal.FieldNotAllowed.About("amount").When(!in.Amount.IsZero()),
			p.OwnCurrency(&in.Currency),
			CheckReason(in.Reason),
			refusal.Optional("externalId", in.ExternalID, refusal.MaxName),
			refusal.AdjustmentExternalIDTaken.When(bonusFor(in.ExternalID) != ""),
		)
	}
	amount, err := in.Amount.Round(p.Cfg.Currency)
	if err != nil {
		amount = in.Amount // it is above the bound too
	}
	in.Amount = amount
	return refusal.First(
		refusal.RefuseNoOwner.When(in.AffiliateID == uuid.Nil && in.AffiliateEmail == ""),
		refusal.KindRequired.When(in.Kind == ""),
		refusal.OneOf("kind", in.Kind, adjustmentKinds),
		refusal.RefuseNoSaleID.When(AdjustsSale(in.Kind) && in.SaleID == 0),
		CheckAdjusted(in.Kind, amount),
		boundOfAdjustment(amount),
		p.OwnCurrency(&in.Currency),
		CheckReason(in.Reason),
		refusal.Optional("externalId", in.ExternalID, refusal.MaxName),
		refusal.AdjustmentExternalIDTaken.When(bonusFor(in.ExternalID) != ""),
	)
}

// boundOfAdjustment checks that an amount of either sign is not larger than
// that of a sale may be.
func boundOfAdjustment(amount affiliate.Amount) *affiliate.Error {
	if amount.Sign() < 0 {
		amount, _ = affiliate.Amount{}.Sub(amount) // the range of an Amount has no lone end
	}
	return refusal.BoundOfSale("amount", amount)
}

func CheckReason(reason string) *affiliate.Error {
	if plaintext.Blank(reason) {
		return refusal.ReasonRequired.Err()
	}
	return refusal.CheckText("reason", reason, refusal.MaxNotes, true)
}

// checkAdjusted checks that the affiliate exists, that the sale credits the
// affiliate, and that the external id is free.
func (o *Op) checkAdjusted(rec *record.Adjustment, in affiliate.AdjustmentParams) error {
	aff, err := o.AffiliateByIDOrEmail(in.AffiliateID, in.AffiliateEmail)
	if err != nil {
		return refusal.RefuseNoAffiliate.IfMissing(err)
	}
	rec.AffiliateID = aff.ID
	if rec.Sale != 0 {
		sale, err := o.SaleByNumber(affiliate.SaleID(rec.Sale))
		if err != nil {
			return refusal.SaleNotFound.IfMissing(err)
		}
		if sale.AffiliateID != rec.AffiliateID {
			return refusal.IdentifiersMismatch.Err()
		}
	}
	return refusal.RefuseTakenExternalID(o.Tx.Adjustments, rec.ExternalID, refusal.AdjustmentExternalIDTaken)
}

// reverse makes the record the opposite of an earlier adjustment.
func (o *Op) reverse(rec *record.Adjustment, id uuid.UUID) error {
	was, err := o.Tx.Adjustments.Get(id)
	if err != nil {
		return refusal.AdjustmentNotFound.IfMissing(err)
	}
	if err := refusal.RefuseTakenExternalID(o.Tx.Adjustments, rec.ExternalID, refusal.AdjustmentExternalIDTaken); err != nil {
		return err
	}
	if was.Reverses != uuid.Nil || was.ReversedBy != uuid.Nil {
		return refusal.AdjustmentReversed.Err()
	}
	if rec.Amount, err = (affiliate.Amount{}).Sub(was.Amount); err != nil {
		return err
	}
	rec.AffiliateID, rec.Sale, rec.Kind, rec.Reverses = was.AffiliateID, was.Sale, was.Kind, was.ID
	was.ReversedBy = rec.ID
	if err := o.Tx.Adjustments.Replace(was); err != nil {
		return refusal.Internal("write adjustment", err)
	}
	return nil
}
