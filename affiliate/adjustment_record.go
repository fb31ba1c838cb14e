package affiliate

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// RecordAdjustment records an amount that an affiliate is owed or owes beside
// the commissions of sales. It is payable at once: the next payout takes it, and
// a negative one lowers that payout. An adjustment is in no totals.
//
// With NewAdjustment.Reverses it takes an earlier adjustment back: it has the
// same kind, affiliate and sale, and the opposite amount. An adjustment is
// reversed once, and one that reverses cannot be reversed.
//
// Errors: [MissingField] and [InvalidField] (affiliateId, saleId, kind, amount,
// reason, externalId), [AffiliateNotFound], [SaleNotFound],
// [IdentifiersMismatch] when the sale credits another affiliate,
// [AdjustmentExternalIDTaken]; of a reversal [AdjustmentNotFound],
// [AdjustmentReversed].
//
// Effects: the adjustment; no event.
//
// Source: docs/money.md 3.
func (p *Program) RecordAdjustment(ctx context.Context, in NewAdjustment) (_ Adjustment, err error) {
	defer p.begin(&ctx, "RecordAdjustment", writes).end(&err)
	o := p.op(ctx)
	rq := request{once: in.Once, name: "adjustment.create", refused: p.normalizeAdjustment(&in)}
	rq.input = in
	return write(o, rq, func() (Adjustment, error) {
		rec := AdjustmentRecord{
			ID: o.newID(), Sale: int64(in.SaleID), Kind: in.Kind, Amount: in.Amount,
			Reason: in.Reason, ExternalID: in.ExternalID, CreatedAt: o.now,
		}
		if in.Reverses != uuid.Nil {
			if err := o.reverse(&rec, in.Reverses); err != nil {
				return Adjustment{}, err
			}
		} else if err := o.checkAdjusted(&rec, in); err != nil {
			return Adjustment{}, err
		}
		if err := o.tx.Adjustments.Insert(rec); err != nil {
			return Adjustment{}, internal("write adjustment", err)
		}
		return adjustmentOf(rec), o.enter(rec.AffiliateID, bookAdjustment(&rec, CauseAdjustment, rec.Amount))
	})
}

// normalizeAdjustment checks the input by itself and rounds the amount.
func (p *Program) normalizeAdjustment(in *NewAdjustment) error {
	if in.Reverses != uuid.Nil {
		return first(
			fieldNotAllowed.about("affiliateId").when(in.AffiliateID != uuid.Nil),
			fieldNotAllowed.about("affiliateEmail").when(in.AffiliateEmail != ""),
			fieldNotAllowed.about("saleId").when(in.SaleID != 0),
			fieldNotAllowed.about("kind").when(in.Kind != ""),
			fieldNotAllowed.about("amount").when(!in.Amount.IsZero()),
			p.ownCurrency(&in.Currency),
			checkReason(in.Reason),
			optional("externalId", in.ExternalID, maxName),
		)
	}
	amount, err := in.Amount.Round(p.cfg.Currency)
	if err != nil {
		amount = in.Amount // it is above the bound too
	}
	in.Amount = amount
	return first(
		RefuseNoOwner.when(in.AffiliateID == uuid.Nil && in.AffiliateEmail == ""),
		kindRequired.when(in.Kind == ""),
		oneOf("kind", in.Kind, adjustmentKinds),
		RefuseNoSaleID.when(in.Kind.ofSale() && in.SaleID == 0),
		in.Kind.refuse(amount),
		boundOfAdjustment(amount),
		p.ownCurrency(&in.Currency),
		checkReason(in.Reason),
		optional("externalId", in.ExternalID, maxName),
	)
}

// boundOfAdjustment bounds an amount of either sign as that of a sale.
func boundOfAdjustment(amount Amount) *Error {
	if amount.Sign() < 0 {
		amount, _ = Amount{}.Sub(amount) // the range of an Amount has no lone end
	}
	return boundOfSale("amount", amount)
}

func checkReason(reason string) *Error {
	if plaintext.Blank(reason) {
		return reasonRequired.Err()
	}
	return checkText("reason", reason, maxNotes, true)
}

// checkAdjusted checks that the affiliate is there, that the sale is one of the
// affiliate's, and that the external id is free.
func (o *op) checkAdjusted(rec *AdjustmentRecord, in NewAdjustment) error {
	aff, err := o.affiliateByIDOrEmail(in.AffiliateID, in.AffiliateEmail)
	if err != nil {
		return RefuseNoAffiliate.ifMissing(err)
	}
	rec.AffiliateID = aff.ID
	if rec.Sale != 0 {
		sale, err := o.saleByNumber(SaleID(rec.Sale))
		if err != nil {
			return saleNotFound.ifMissing(err)
		}
		if sale.AffiliateID != rec.AffiliateID {
			return identifiersMismatch.Err()
		}
	}
	return refuseTakenExternalID(o.tx.Adjustments, rec.ExternalID, adjustmentExternalIDTaken)
}

// reverse makes the record the opposite of an earlier adjustment.
func (o *op) reverse(rec *AdjustmentRecord, id uuid.UUID) error {
	was, err := o.tx.Adjustments.Get(id)
	if err != nil {
		return adjustmentNotFound.ifMissing(err)
	}
	if err := refuseTakenExternalID(o.tx.Adjustments, rec.ExternalID, adjustmentExternalIDTaken); err != nil {
		return err
	}
	if was.Reverses != uuid.Nil || was.ReversedBy != uuid.Nil {
		return adjustmentReversed.Err()
	}
	if rec.Amount, err = (Amount{}).Sub(was.Amount); err != nil {
		return err
	}
	rec.AffiliateID, rec.Sale, rec.Kind, rec.Reverses = was.AffiliateID, was.Sale, was.Kind, was.ID
	was.ReversedBy = rec.ID
	if err := o.tx.Adjustments.Replace(was); err != nil {
		return internal("write adjustment", err)
	}
	return nil
}
