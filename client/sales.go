package client

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

const sales = "/sales"

// Sale is [tributary.Program.Sale].
//
// Errors: [affiliate.ErrNotFound].
func (c *Client) Sale(ctx context.Context, id affiliate.SaleID) (affiliate.Sale, error) {
	return one[affiliate.Sale](ctx, c, sales, firstOf("id", strconv.FormatInt(int64(id), 10)))
}

// Sales is [tributary.Program.Sales]. Without a search one of several fields is sent, and in a
// search AffiliateEmail, ExternalID and ExternalInvoiceID are not: the client removes the
// records that do not match the others from the answer. So a page may be shorter than its
// limit, or empty, although more pages follow.
func (c *Client) Sales(ctx context.Context, q affiliate.SaleQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Sale], error) {
	what := choiceOf[affiliate.Sale](q, pg)
	what.text("saleExternalId", q.ExternalID,
		func(s *affiliate.Sale, v string) bool { return s.ExternalID.Or("") == v })
	what.text("saleExternalInvoiceId", q.ExternalInvoiceID, func(s *affiliate.Sale, v string) bool {
		return s.ExternalInvoiceID.Or("") == v
	})
	what.text("referralId", q.ReferralID, func(s *affiliate.Sale, v string) bool {
		customer, known := s.Referral.Get()
		return known && (customer.ID.String() == v || sameEmail(customer.Email, v))
	})
	what.id("affiliateId", q.AffiliateID, func(s *affiliate.Sale) uuid.UUID { return s.AffiliateID })
	what.text("affiliateEmail", q.AffiliateEmail,
		func(s *affiliate.Sale, v string) bool { return sameEmail(s.Affiliate.Email, v) })
	return chosen(ctx, c, sales, what, pg)
}

// SaleSums is [tributary.Program.SaleSums]. AffiliateEmail, ExternalID and ExternalInvoiceID are
// for Go calls only: a call that sets one is refused before it is sent.
func (c *Client) SaleSums(ctx context.Context, q affiliate.SaleQuery) (affiliate.SaleSums, error) {
	f := filterOf(q)
	rq := fetch(sales+"/sums", f.query)
	rq.goOnly("AffiliateEmail", !q.AffiliateEmail.IsZero())
	rq.goOnly("ExternalID", !q.ExternalID.IsZero())
	rq.goOnly("ExternalInvoiceID", !q.ExternalInvoiceID.IsZero())
	if f.nobody && rq.barred == nil {
		return affiliate.SaleSums{}, nil
	}
	return send[affiliate.SaleSums](ctx, c, rq)
}

// RecordSale is [tributary.Program.RecordSale]. PaymentTrigger and Integration
// are for Go calls only: a call that sets one is refused before it is sent.
//
// Earlier is always null, because no answer holds the earlier sale of a duplicate.
// When a server sends no Sale-Outcome, the Outcome is recorded if the answer is a
// sale, and otherwise empty: a duplicate, a sale that credits nobody and an inactive
// customer look alike. If the server says recorded but sends null, or a sale without
// an id, that is an error.
func (c *Client) RecordSale(ctx context.Context, in affiliate.SaleParams) (affiliate.SaleResult, error) {
	rq := c.post(sales, in, in.Once)
	rq.goOnly("PaymentTrigger", in.PaymentTrigger != "")
	rq.goOnly("Integration", in.Integration != "")
	return recorded(ctx, c, rq)
}

// RecordConversion is [tributary.Program.RecordConversion]. Earlier and Outcome are as of
// [Client.RecordSale].
func (c *Client) RecordConversion(ctx context.Context, in affiliate.ConversionParams) (affiliate.SaleResult, error) {
	return recorded(ctx, c, c.post("/conversions", in, in.Once))
}

// recorded sends a report and reads what became of it.
func recorded(ctx context.Context, c *Client, rq request) (affiliate.SaleResult, error) {
	sale, a, err := do[affiliate.Sale](ctx, c, rq)
	if err != nil && err != errNull {
		return affiliate.SaleResult{}, err
	}
	outcome := affiliate.SaleOutcome(a.last.header.Get("Sale-Outcome"))
	if err == nil && sale.ID == 0 || err == errNull && outcome == affiliate.SaleRecorded {
		return affiliate.SaleResult{}, a.unreadable(errNoSale)
	}
	out := affiliate.SaleResult{
		Outcome: outcome,
		Sale:    affiliate.Null[affiliate.Sale](),
		Earlier: affiliate.Null[affiliate.Sale](), LateClick: affiliate.Null[affiliate.ClickID](),
	}
	for name, fields := range map[string]*[]string{"Sale-Ignored": &out.Ignored, "Sale-Differs": &out.Differs} {
		if said := a.last.header.Get(name); said != "" {
			*fields = strings.Split(said, ", ")
		}
	}
	if err == nil {
		out.Sale = affiliate.Set(sale)
		if out.Outcome == "" {
			out.Outcome = affiliate.SaleRecorded
		}
	}
	return out, nil
}

// errNoSale means that an answer to a report is neither a sale nor says that none
// was recorded.
var errNoSale = errors.New("the answer is no sale")

// saleID names a sale on the wire.
type saleID struct {
	SaleID affiliate.SaleID `json:"saleId,omitzero"`
}

// UpdateSale is [tributary.Program.UpdateSale].
func (c *Client) UpdateSale(ctx context.Context, id affiliate.SaleID, up affiliate.SaleUpdate) (affiliate.Sale, error) {
	rq := c.put(sales, struct {
		saleID
		affiliate.SaleUpdate
	}{saleID{id}, up})
	rq.object("metadata", up.Metadata)
	return send[affiliate.Sale](ctx, c, rq)
}

// errNoRefund means that an answer to a refund does not confirm it.
var errNoRefund = errors.New("the answer does not confirm the refund")

// RefundSale is [tributary.Program.RefundSale]. An answer without success true
// is an error.
func (c *Client) RefundSale(ctx context.Context, in affiliate.Refund) (affiliate.RefundResult, error) {
	out, a, err := do[affiliate.RefundResult](ctx, c, c.write(http.MethodPatch, sales, in))
	switch {
	case err == errNull:
		err = a.unreadable(err)
	case err == nil && !out.Success:
		out, err = affiliate.RefundResult{}, a.unreadable(errNoRefund)
	}
	return out, err
}

// ExplainSale is [tributary.Program.ExplainSale]. Movement.Sales is not on the wire.
//
// Errors: [affiliate.ErrNotFound].
func (c *Client) ExplainSale(ctx context.Context, id affiliate.SaleID) (affiliate.Explanation, error) {
	return one[affiliate.Explanation](ctx, c, sales+"/explain", firstOf("id", strconv.FormatInt(int64(id), 10)))
}

// ReviewCommissions is [tributary.Program.ReviewCommissions], for 1 to 100
// different sales.
func (c *Client) ReviewCommissions(ctx context.Context, status affiliate.ApprovalStatus,
	ids ...affiliate.SaleID) ([]affiliate.Sale, error) {
	return send[[]affiliate.Sale](ctx, c, c.post(sales+"/review", struct {
		SaleIDs        []affiliate.SaleID       `json:"saleIds,omitempty"`
		ApprovalStatus affiliate.ApprovalStatus `json:"approvalStatus,omitzero"`
	}{ids, status}, affiliate.Once{}))
}

// DeleteSale is [tributary.Program.DeleteSale].
func (c *Client) DeleteSale(ctx context.Context, id affiliate.SaleID) error {
	return done(ctx, c, c.remove(sales, saleID{id}))
}

// saleRef names a sale on the wire.
type saleRef struct {
	SaleID     affiliate.SaleID `json:"saleId,omitzero"`
	ExternalID string           `json:"externalId,omitzero"`
	InvoiceID  string           `json:"externalInvoiceId,omitzero"`
}

// ReverseSale is [tributary.Program.ReverseSale].
func (c *Client) ReverseSale(ctx context.Context, ref affiliate.SaleRef,
	how affiliate.Reversal) (affiliate.ReversedSale, error) {
	out, err := send[struct{ ReversedSale affiliate.ReversedSale }](ctx, c, c.post(sales+"/reverse", struct {
		saleRef
		ClawBack bool   `json:"clawback,omitzero"`
		RefundID string `json:"refundId,omitzero"`
	}{saleRef{ref.ID, ref.ExternalID, ref.InvoiceID}, how.ClawBack, how.RefundID}, affiliate.Once{}))
	return out.ReversedSale, err
}

// AcceptRedemption is [tributary.Program.AcceptRedemption].
func (c *Client) AcceptRedemption(ctx context.Context, ref affiliate.SaleRef) error {
	return done(ctx, c,
		c.post(sales+"/accept-redemption", saleRef{ref.ID, ref.ExternalID, ref.InvoiceID},
			affiliate.Once{}))
}

// RestoreRedemption is [tributary.Program.RestoreRedemption].
func (c *Client) RestoreRedemption(ctx context.Context, ref affiliate.SaleRef) error {
	return done(ctx, c,
		c.post(sales+"/restore-redemption", saleRef{ref.ID, ref.ExternalID, ref.InvoiceID},
			affiliate.Once{}))
}
