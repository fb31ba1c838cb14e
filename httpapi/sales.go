package httpapi

import (
	"context"
	"log/slog"
	"strings"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// Source: docs/contract.md 2.6, 3.7.

var saleOf = bodyOf[affiliate.NewSale]()

func newSaleOf(in *input) affiliate.NewSale {
	sale := saleOf(in)
	if in.faultyAt("shipping") {
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
	sale.Lines = nil
	if basket, sent := sale.Subtotal.Get(); sent && basket.Sign() > 0 && basket.Cmp(sale.TotalEarned) < 0 {
		sale.Subtotal = affiliate.Set(sale.TotalEarned)
	}
}

// recordSale answers the sale, or null when none was recorded. The header
// Sale-Outcome says why. Only a key of the scope full may send paidAt, because
// it makes codes work that have expired since, and exchangeRate.
func recordSale(p *tributary.Program, c *call, in affiliate.NewSale) error {
	if err := c.fullOnly(!in.ExchangeRate.IsZero() || !in.PaidAt.IsZero()); err != nil {
		return err
	}
	result, err := p.RecordSale(c.r.Context(), in)
	return answerRecorded(c, result, err)
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

var saleUpdate = bodyOf[affiliate.SaleUpdate]()

func saleChangeOf(in *input) saleChange {
	return saleChange{
		id: saleTarget(in),
		up: saleUpdate(in),
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

var refund = bodyOf[affiliate.Refund]("saleId")

// refundOf reads a refund.
func refundOf(in *input) affiliate.Refund {
	id := saleTarget(in)
	r := refund(in)
	r.SaleID = id
	return r
}

func deleteSale(p *tributary.Program, ctx context.Context, id affiliate.SaleID) (done, error) {
	return done{"Sale deleted successfully"}, p.DeleteSale(ctx, id)
}
