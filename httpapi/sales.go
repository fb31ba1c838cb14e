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

var saleOf = bodyOf[affiliate.SaleParams]()

func newSaleOf(in *input) affiliate.SaleParams {
	sale := saleOf(in)
	if in.faultyAt("shipping") {
		waitForAmounts(&sale)
	}
	return sale
}

// waitForAmounts changes the amounts so that no rule over several amounts
// fails. It is called when an amount was refused: its value is unknown, so
// these rules cannot be checked.
func waitForAmounts(sale *affiliate.SaleParams) {
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
func recordSale(p *tributary.Program, c *call, in affiliate.SaleParams) error {
	if err := c.fullOnly(!in.ExchangeRate.IsZero() || !in.PaidAt.IsZero()); err != nil {
		return err
	}
	result, err := p.RecordSale(c.r.Context(), in)
	return answerRecorded(c, result, err)
}

// recordConversion answers as recordSale does.
func recordConversion(p *tributary.Program, c *call, in affiliate.ConversionParams) error {
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

func deleteSale(p *tributary.Program, ctx context.Context, id affiliate.SaleID) (deleteAnswer, error) {
	return deleteAnswer{"Sale deleted successfully"}, p.DeleteSale(ctx, id)
}

// Source: docs/contract.md 4.5.

type review struct {
	ids    []affiliate.SaleID
	status affiliate.ApprovalStatus
}

// maxReviewed is the largest number of sales that one request reviews.
const maxReviewed = 100

func reviewOf(in *input) review {
	r := review{ids: in.saleIDs("saleIds")}
	seen, again := make(map[affiliate.SaleID]bool, len(r.ids)), false
	for _, id := range r.ids {
		again = again || seen[id]
		seen[id] = id != unknownSale // which stands for several texts
	}
	switch {
	case len(r.ids) == 0:
		in.fault(refusal.RefuseNoSaleIDs)
	case len(r.ids) > maxReviewed:
		in.fault(refusal.FieldOver100Entries)
	case again:
		in.fault(refusal.FieldNotDistinct)
	}
	in.targeted()
	r.status = enum[affiliate.ApprovalStatus](in, "approvalStatus").Or("")
	return r
}

func reviewSales(p *tributary.Program, ctx context.Context, in review) ([]affiliate.Sale, error) {
	return p.ReviewCommissions(ctx, in.status, in.ids...)
}

// Source: docs/contract.md 4.6.

type reversal struct {
	ref affiliate.SaleRef
	how affiliate.Reversal
}

func reversalOf(in *input) reversal {
	r := reversal{ref: saleRefOf(in)}
	r.how = affiliate.Reversal{ClawBack: in.flag("clawback"), RefundID: in.optional("refundId")}
	return r
}

// saleRefOf reads which sale a request is about.
func saleRefOf(in *input) affiliate.SaleRef {
	ref := affiliate.SaleRef{ID: in.saleID("saleId"), ExternalID: in.name("externalId"),
		InvoiceID: in.name("externalInvoiceId")}
	in.targeted()
	return ref
}

// reversalAnswer is the answer for a reversed sale.
type reversalAnswer struct {
	Message string                 `json:"message"`
	Sale    affiliate.ReversedSale `json:"reversedSale"` // The sale.
}

func reverseSale(p *tributary.Program, ctx context.Context, in reversal) (reversalAnswer, error) {
	sale, err := p.ReverseSale(ctx, in.ref, in.how)
	return reversalAnswer{"Sale reversed successfully", sale}, err
}

func acceptRedemption(p *tributary.Program, ctx context.Context, ref affiliate.SaleRef) (deleteAnswer, error) {
	return deleteAnswer{"Redemption accepted successfully"}, p.AcceptRedemption(ctx, ref)
}

func restoreRedemption(p *tributary.Program, ctx context.Context, ref affiliate.SaleRef) (deleteAnswer, error) {
	return deleteAnswer{"Redemption restored successfully"}, p.RestoreRedemption(ctx, ref)
}
