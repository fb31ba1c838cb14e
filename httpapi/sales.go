package httpapi

import (
	"context"
	"log/slog"
	"strings"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Source: docs/contract.md 2.6, 3.7.

func saleByID(p *tributary.Program, ctx context.Context, value string) (affiliate.Sale, error) {
	return p.Sale(ctx, saleIDOf(value))
}

func salesOf(f *affiliate.SaleFilter, v string)           { f.AffiliateID = affiliate.Set(idOf(v)) }
func salesOfEmail(f *affiliate.SaleFilter, v string)      { f.AffiliateEmail = affiliate.Set(v) }
func salesTo(f *affiliate.SaleFilter, v string)           { f.ReferralID = affiliate.Set(v) }
func salesByExternalID(f *affiliate.SaleFilter, v string) { f.ExternalID = affiliate.Set(v) }
func salesByInvoice(f *affiliate.SaleFilter, v string)    { f.ExternalInvoiceID = affiliate.Set(v) }

// A newSale is a sale whose time of payment may be a plain date, which is a day
// in the zone of the program.
type newSale struct {
	affiliate.NewSale
	paidAt affiliate.Opt[affiliate.Date]
}

func newSaleOf(in *input) newSale {
	sale := affiliate.NewSale{
		PromoCode:              in.optional("promoCode"),
		Offer:                  in.flag("offer"),
		HoldID:                 in.optional("holdId"),
		ReferralID:             in.ident("referralId"),
		ReferredUserExternalID: in.text("referredUserExternalId"),
		Email:                  in.sent("email", " "), // what a customer left empty was sent too
		TotalEarned:            in.amount("totalEarned").Or(affiliate.Amount{}),
		Currency:               in.currency(),
		ExchangeRate:           in.exchangeRate(),
		Name:                   in.text("name"),
		ExternalID:             in.optional("externalId"),
		ExternalInvoiceID:      in.optional("externalInvoiceId"),
		CommissionRate:         in.percent("commissionRate"),
		Subtotal:               in.amount("subtotal"),
		Free:                   in.flag("free"),
		Product:                productOf(in, (*input).text), // a name that is none refuses no paid order
		Lines:                  linesOf(in),
		Tax:                    in.amount("tax").Or(affiliate.Amount{}),
		Shipping:               in.amount("shipping").Or(affiliate.Amount{}),
	}
	if in.faulty() {
		waitForAmounts(&sale)
	}
	return newSale{sale, in.date("paidAt")}
}

// waitForAmounts changes the amounts so that no rule over several amounts
// fails. It is called when an amount was refused: its value is unknown, so
// these rules cannot be checked.
func waitForAmounts(sale *affiliate.NewSale) {
	if sale.Tax.Sign() > 0 {
		sale.Tax = affiliate.Amount{}
	}
	sale.Lines = nil
	if basket, sent := sale.Subtotal.Get(); sent && basket.Sign() > 0 && basket.Cmp(sale.TotalEarned) < 0 {
		sale.Subtotal = affiliate.Set(sale.TotalEarned)
	}
}

// recordSale answers the sale, or null when none was recorded. The header
// Sale-Outcome says why. Only a key of the scope full may send paidAt, because
// it makes codes work that have expired since, and exchangeRate.
func recordSale(p *tributary.Program, c *call, in newSale) error {
	if err := c.fullOnly(!in.ExchangeRate.IsZero()); err != nil {
		return err
	}
	if paidAt, sent := in.paidAt.Get(); sent {
		if err := c.fullOnly(sent); err != nil {
			return err
		}
		if in.PaidAt = paidAt.FirstInstant(p.Config().Location); in.PaidAt.IsZero() {
			in.PaidAt = in.PaidAt.Add(1) // the zero time means now
		}
	}
	result, err := p.RecordSale(c.r.Context(), in.NewSale)
	return answerRecorded(c, result, err)
}

func newConversionOf(in *input) affiliate.NewConversion {
	return affiliate.NewConversion{
		Conversion:             in.text("conversion"),
		ExternalID:             in.optional("externalId"),
		PromoCode:              in.optional("promoCode"),
		ReferralID:             in.ident("referralId"),
		ReferredUserExternalID: in.text("referredUserExternalId"),
		Email:                  in.sent("email", " "),
		Name:                   in.text("name"),
	}
}

// recordConversion answers as recordSale does.
func recordConversion(p *tributary.Program, c *call, in affiliate.NewConversion) error {
	result, err := p.RecordConversion(c.r.Context(), in)
	return answerRecorded(c, result, err)
}

func answerRecorded(c *call, result affiliate.SaleResult, err error) error {
	if err != nil {
		return err
	}
	c.w.Header()["Sale-Outcome"] = []string{string(result.Outcome)}
	if len(result.Ignored) > 0 {
		c.w.Header()["Sale-Ignored"] = []string{strings.Join(result.Ignored, ", ")}
	}
	if len(result.Differs) > 0 {
		differs := strings.Join(result.Differs, ", ")
		c.w.Header()["Sale-Differs"] = []string{differs}
		c.h.cfg.Logger.WarnContext(c.r.Context(), "a sale was reported again under its id with other contents, and is not recorded: give each payment an id of its own",
			"differs", differs, slog.String("request_id", RequestID(c.r.Context())), c.keyAttr())
	}
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
			Currency:          in.currency(),
			Name:              in.optOptional("name"),
			ExternalID:        in.optOptional("externalId"),
			ExternalInvoiceID: in.optOptional("externalInvoiceId"),
			CommissionRate:    in.percent("commissionRate"),
			Subtotal:          in.amount("subtotal"),
			CommissionEarned:  in.amount("commissionEarned"),
			Metadata:          in.document("metadata"),
			ClawBack:          clawBack(in),
			AffiliateID:       in.optID("affiliateId"),
		},
	}
}

// updateSale changes a sale. Only a key of the scope full gives it to another
// affiliate.
func updateSale(p *tributary.Program, c *call, in saleChange) error {
	if err := c.fullOnly(!in.up.AffiliateID.IsZero()); err != nil {
		return err
	}
	sale, err := p.UpdateSale(c.r.Context(), in.id, in.up)
	if err != nil {
		return err
	}
	return c.answer(&sale)
}

func saleTarget(in *input) affiliate.SaleID {
	defer in.targeted()
	return in.saleID("saleId")
}

// refundOf reads a refund.
func refundOf(in *input) affiliate.Refund {
	r := affiliate.Refund{
		SaleID: saleTarget(in), Amount: in.amount("amount"), Tax: in.amount("tax"), Shipping: in.amount("shipping"), Lines: refundLines(in),
		Currency: in.currency(),
	}
	id := in.optOptional("refundId")
	if id.IsNull() {
		in.fault(refusal.FieldNull)
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
		in.fault(refusal.FieldNull)
	}
	return flag.Or(false)
}

func deleteSale(p *tributary.Program, ctx context.Context, id affiliate.SaleID) (done, error) {
	return done{"Sale deleted successfully"}, p.DeleteSale(ctx, id)
}
