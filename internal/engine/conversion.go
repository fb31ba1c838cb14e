package engine

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A conversion is a sale of nothing that a rule pays by its name. It is no payment and no
// order: it has no number, redeems nothing, and limits of payments and months do not
// reach it. Source: docs/terms.md 6.

// RecordConversion implements tributary.Program.RecordConversion.
func (p *Program) RecordConversion(ctx context.Context, in affiliate.ConversionParams) (result affiliate.SaleResult, err error) {
	defer p.Begin(&ctx, "RecordConversion", Writes).End(&err)
	r := &report{in: affiliate.SaleParams{
		PromoCode: in.PromoCode, ReferralID: in.ReferralID, ReferredUserExternalID: in.ReferredUserExternalID, Email: in.Email, Name: in.Name, ExternalID: in.ExternalID,
		PaymentTrigger: affiliate.TriggerSignup,
	}}
	r.start(ctx, p)
	r.Ahead = r
	r.conversion = plaintext.Trim(in.Conversion)
	rq := Request{Once: in.Once, Name: "conversion.create"}
	if rq.Refused = refusal.First(refusal.ConversionRequired.When(r.conversion == ""), refusal.CheckText("conversion", r.conversion, refusal.MaxPersonName, false)); rq.Refused == nil {
		r.ignored, rq.Refused = p.normalizeCredit(&r.in)
	}
	if rq.Refused == nil {
		rq.Refused = refusal.First(refusal.Optional("externalId", r.in.ExternalID, refusal.MaxName))
	}
	if digests(p.OnceOf(in.Once)) {
		rq.Input = []any{r.conversion, r.in}
	}
	reply, err := Write(&r.Op, rq, r.record)
	if err == nil {
		reply.fillResult(&result)
		r.Seen.Said(affiliate.Outcome(result.Outcome))
	}
	return result, err
}

// earlierConversion returns the customer's conversion of this name; nil: there is none, or
// it is a sale that is asked for.
func (o *Op) earlierConversion(referral uuid.UUID, conversion string) (*SaleBody, error) {
	if conversion == "" || referral == uuid.Nil {
		return nil, nil
	}
	rec, err := o.Tx.Sales.Find(record.ConversionKey(referral, conversion))
	if errors.Is(err, affiliate.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return o.SaleBody(rec)
}

// ofNothing reports whether a sale has no total: a conversion, or a free order.
func ofNothing(r *record.Sale) bool { return r.Free || r.Conversion != "" }

// unearned makes a deal fit a conversion: no rate reaches it.
func (d *deal) unearned() {
	d.Rate, d.tierID, d.rateFrom = affiliate.Percent{}, uuid.Nil, affiliate.RateOfPlan
	if d.planID == uuid.Nil {
		d.rateFrom = affiliate.RateOfProgram
	}
}

// refuseOfConversion refuses changes that would make a conversion a payment.
func refuseOfConversion(r *record.Sale, up *affiliate.SaleUpdate) error {
	if r.Conversion == "" {
		return nil
	}
	return refusal.First(
		refusal.FieldNotAllowed.About("totalEarned").When(!up.TotalEarned.IsZero()),
		refusal.FieldNotAllowed.About("subtotal").When(!up.Subtotal.IsZero()),
		refusal.FieldNotAllowed.About("commissionRate").When(!up.CommissionRate.IsZero()),
	)
}
