package httpapi

import (
	"context"

	"github.com/tributary-go/tributary/affiliate"
)

// Source: docs/contract.md 2.6, 3.7.

func saleByID(p *affiliate.Program, ctx context.Context, value string) (affiliate.Sale, error) {
	return p.Sale(ctx, saleIDOf(value))
}

func salesOf(f *affiliate.SaleFilter, v string)           { f.AffiliateID = affiliate.Set(idOf(v)) }
func salesOfEmail(f *affiliate.SaleFilter, v string)      { f.AffiliateEmail = affiliate.Set(v) }
func salesTo(f *affiliate.SaleFilter, v string)           { f.ReferralID = affiliate.Set(v) }
func salesByExternalID(f *affiliate.SaleFilter, v string) { f.ExternalID = affiliate.Set(v) }
func salesByInvoice(f *affiliate.SaleFilter, v string)    { f.ExternalInvoiceID = affiliate.Set(v) }

func newSale(in *input) affiliate.NewSale {
	sale := affiliate.NewSale{
		PromoCode:         in.optional("promoCode"),
		ReferralID:        in.ident("referralId"),
		Email:             in.optional("email"),
		TotalEarned:       in.amount("totalEarned").Or(affiliate.Amount{}),
		Name:              in.optional("name"),
		ExternalID:        in.optional("externalId"),
		ExternalInvoiceID: in.optional("externalInvoiceId"),
		CommissionRate:    in.percent("commissionRate"),
		Subtotal:          in.amount("subtotal"),
		Free:              in.flag("free"),
		Product:           productOf(in),
		Tax:               in.amount("tax").Or(affiliate.Amount{}),
		Shipping:          in.amount("shipping").Or(affiliate.Amount{}),
	}
	if in.faulty() {
		waitForAmounts(&sale)
	}
	return sale
}

// waitForAmounts changes the amounts so that no rule over several amounts
// fails. It is called when an amount was refused: its value is unknown, so
// these rules cannot be checked.
func waitForAmounts(sale *affiliate.NewSale) {
	if sale.Tax.Sign() > 0 {
		sale.Tax = affiliate.Amount{}
	}
	if basket, sent := sale.Subtotal.Get(); sent && basket.Sign() > 0 && basket.Cmp(sale.TotalEarned) < 0 {
		sale.Subtotal = affiliate.Set(sale.TotalEarned)
	}
}

// recordSale answers the sale, or null when none was recorded. The header
// Sale-Outcome says why.
func recordSale(p *affiliate.Program, c *call, in affiliate.NewSale) error {
	result, err := p.RecordSale(c.r.Context(), in)
	if err != nil {
		return err
	}
	c.w.Header()["Sale-Outcome"] = []string{string(result.Outcome)}
	sale, recorded := result.Sale.Get()
	if !recorded {
		c.nothing()
		return nil
	}
	return c.answerText(sale.AppendJSON)
}

type saleChange struct {
	id affiliate.SaleID
	up affiliate.SaleUpdate
}

func saleChangeOf(in *input) saleChange {
	return saleChange{
		id: saleTarget(in),
		up: affiliate.SaleUpdate{
			Email:             in.optOptional("email"),
			TotalEarned:       in.amount("totalEarned"),
			Name:              in.optOptional("name"),
			ExternalID:        in.optOptional("externalId"),
			ExternalInvoiceID: in.optOptional("externalInvoiceId"),
			CommissionRate:    in.percent("commissionRate"),
			Subtotal:          in.amount("subtotal"),
			CommissionEarned:  in.amount("commissionEarned"),
			Metadata:          in.document("metadata"),
			ClawBack:          clawBack(in),
		},
	}
}

func updateSale(p *affiliate.Program, ctx context.Context, in saleChange) (affiliate.Sale, error) {
	return p.UpdateSale(ctx, in.id, in.up)
}

func saleTarget(in *input) affiliate.SaleID {
	defer in.targeted()
	return in.saleID("saleId")
}

// refundOf reads a refund.
func refundOf(in *input) affiliate.Refund {
	r := affiliate.Refund{SaleID: saleTarget(in), Amount: in.amount("amount")}
	id := in.optOptional("refundId")
	if id.IsNull() {
		in.fault(affiliate.FieldNull)
	}
	r.RefundID = id.Or("")
	r.ClawBack = clawBack(in)
	return r
}

// clawBack reads the flag that books a change although a payout holds the
// commission.
func clawBack(in *input) bool {
	flag := in.boolean("clawback")
	if flag.IsNull() {
		in.fault(affiliate.FieldNull)
	}
	return flag.Or(false)
}

func deleteSale(p *affiliate.Program, ctx context.Context, id affiliate.SaleID) (done, error) {
	return done{"Sale deleted successfully"}, p.DeleteSale(ctx, id)
}
