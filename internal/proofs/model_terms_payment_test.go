package proofs_test

import (
	"fmt"
	"math/big"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// Conversions (docs/terms.md 6), and payments of a provider with their refunds and disputes
// (docs/payments.md).

// convert reports a conversion. It is counted once for each customer, also after a refund.
func (m *termsModel) convert(rt *rapid.T) {
	m.w.Pass(time.Millisecond)
	customer := choose(rt, "customer", termsCustomers...)
	d := termsDraft{sale: m.newTermsSale(customer), quantity: big.NewRat(1, 1)}
	s := d.sale
	s.trigger, s.named = affiliate.TriggerSignup, choose(rt, "conversion", termsConversions...)
	in := affiliate.ConversionParams{Conversion: s.named, Email: customer, Name: "N", ExternalID: fmt.Sprint("order ", m.n)}
	if d.order, in.ReferralID = m.drawOrder(rt, customer, s.at); d.order.code != nil {
		in.PromoCode = d.order.code.text
	}
	before := slices.ContainsFunc(m.byCustomer(customer), func(other *termsSale) bool { return other.named == s.named })
	got, err := m.w.RecordConversion(rt.Context(), in)
	scene.RefusedAs(rt, "RecordConversion", "", err)
	want := affiliate.SaleRecorded
	if before {
		want = affiliate.SaleDuplicate
	}
	if got.Outcome != want {
		rt.Fatalf("%s of %s is %s, want %s", s.named, customer, got.Outcome, want)
	}
	if !before {
		m.book(rt, &d, got)
	}
}

// A termsPayment is a payment of a provider: what of it was refunded, and is away by disputes.
type termsPayment struct {
	key      string
	refunds  []*big.Rat
	disputes []*termsDispute
	host     *big.Rat // what the host refunded besides
}

type termsDispute struct {
	amount *big.Rat
	state  affiliate.DisputeState
}

// report reports a payment of a provider, with what came off already in the discounts of its lines.
func (m *termsModel) report(rt *rapid.T) {
	m.w.Pass(time.Millisecond)
	customer := choose(rt, "customer", termsCustomers...)
	d := termsDraft{sale: m.newTermsSale(customer), quantity: big.NewRat(1, 1)}
	s := d.sale
	s.payer = &termsPayment{key: fmt.Sprint("pay_", m.n), host: new(big.Rat)}
	paid := affiliate.Paid{SaleParams: affiliate.SaleParams{ExternalID: fmt.Sprint("order ", m.n), Lines: m.drawLines(rt)}}
	if maybe(rt, "paid earlier", 3) {
		paid.PaidAt = m.paidAt(rt).Time()
		s.at = paid.PaidAt
	}
	paid.Renewal = maybe(rt, "renewal", 4)
	if began, early := m.early[customer]; early && !paid.Renewal && !s.at.After(began) {
		paid.PaidAt, s.at = time.Time{}, m.w.Now // a first payment decides anew about renewals: paytest.Payers has that
	}
	var named string
	d.order, named = m.drawOrder(rt, customer, s.at)
	d.order.code = nil
	if who, _ := m.credits(&d.order, customer, s.at); who == nil {
		d.order.click, d.order.slug, named = nil, m.people[1], m.people[1].slug
	}
	if named != "" {
		paid.Tries = []affiliate.Credit{{ReferralID: named}}
	}
	net := new(big.Rat)
	s.lines = termsLinesOf(paid.Lines)
	for _, l := range s.lines {
		net.Add(net, l.left)
		s.basket = scene.RatSum(l.amount, orZero(s.basket))
	}
	if s.basket != nil && s.basket.Sign() == 0 {
		s.basket = nil
	}
	if net.Sign() == 0 || s.lines == nil {
		net = scene.RatOf(drawCents(rt, "net", 1, 20_000))
		s.lines, s.basket, paid.Lines = nil, nil, nil
	}
	if maybe(rt, "taxed", 2) {
		paid.Tax = drawCents(rt, "tax", 0, 3_000)
	}
	s.tax = scene.RatOf(paid.Tax)
	s.total = scene.RatSum(net, s.tax)
	paid.TotalEarned, paid.Gross, s.kept = amountOf(s.total), amountOf(s.total), s.total
	if maybe(rt, "numbered", 6) {
		s.payment = rapid.Int64Range(1, 4).Draw(rt, "payment")
		paid.Payment = s.payment
	}
	got, err := m.w.Payments().ReportPayment(rt.Context(), affiliate.PaymentFact{
		Provider: "stripe", Keys: []string{s.payer.key}, Payer: affiliate.PayerFact{ID: "cus_" + customer, Email: customer, Name: "N"}, At: m.w.Now, Currency: "USD", Sale: affiliate.Set(paid),
	})
	scene.RefusedAs(rt, "ReportPayment", "", err)
	switch known := m.customers[customer]; {
	case paid.Renewal && known != nil:
		d.order = termsOrder{}
	case paid.Renewal:
		m.early[customer] = s.at
	}
	m.book(rt, &d, affiliate.SaleResult{Outcome: got.Outcome, Sale: got.Sale})
	s.by = ""
}

func orZero(r *big.Rat) *big.Rat {
	if r == nil {
		return new(big.Rat)
	}
	return r
}

// away is what a payment lost, rounded once: point 4 of docs/payments.md.
func (p *termsPayment) away(total *big.Rat) *big.Rat {
	lost := scene.RatSum(p.refunds...)
	for _, d := range p.disputes {
		if d.state == affiliate.DisputeWithdrawn || d.state == affiliate.DisputeLost {
			lost.Add(lost, d.amount)
		}
	}
	if lost.Cmp(total) >= 0 {
		return total
	}
	return scene.Cents(lost)
}

// dispute lets the provider report a refund, or the next state of a dispute.
func (m *termsModel) dispute(rt *rapid.T) {
	s := m.pick(rt, func(s *termsSale) bool { return s.payer != nil })
	p := s.payer
	f := affiliate.PaymentFact{Provider: "stripe", Keys: []string{p.key}, At: m.w.Now, Currency: "USD"}
	amount := scene.RatOf(affiliate.AmountFromScaled(1 + drawUnits(rt, "amount", amountOf(s.total).Scaled()).Scaled()))
	if rapid.Bool().Draw(rt, "all") {
		amount = s.total
	}
	switch i := rapid.IntRange(0, 3).Draw(rt, "dispute"); {
	case i == 3:
		p.refunds = append(p.refunds, amount)
		f.Refunds = []affiliate.RefundFact{{ID: fmt.Sprint("re_", len(p.refunds)), Amount: amountOf(amount), State: affiliate.RefundSucceeded}}
	default:
		if i >= len(p.disputes) {
			i = len(p.disputes)
			p.disputes = append(p.disputes, &termsDispute{amount: amount})
		}
		m.w.Pass(time.Millisecond) // the latest state counts
		f.At = m.w.Now
		p.disputes[i].state = choose(rt, "state", affiliate.DisputeInquiry, affiliate.DisputeWithdrawn, affiliate.DisputeLost, affiliate.DisputeWon)
		f.Disputes = []affiliate.DisputeFact{{ID: fmt.Sprint("dp_", i), Amount: amountOf(p.disputes[i].amount), State: p.disputes[i].state}}
	}
	_, err := m.w.Payments().ReportPayment(rt.Context(), f)
	scene.RefusedAs(rt, "ReportPayment", "", err)
	s.settle()
}

// settle takes off a sale what its payment lost, besides what the host refunded.
func (s *termsSale) settle() {
	if s.kept = scene.RatDiff(scene.RatDiff(s.total, s.payer.host), s.payer.away(s.total)); s.kept.Sign() < 0 {
		s.kept = new(big.Rat)
	}
	s.refunded = s.kept.Sign() == 0
}
