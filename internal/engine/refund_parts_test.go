package engine_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// part is a refund that says what of it is tax and shipping; an empty text says
// nothing.
func part(id affiliate.SaleID, refund, amount, tax, shipping string) affiliate.Refund {
	in := affiliate.Refund{SaleID: id, RefundID: refund, Amount: affiliate.Set(scene.Sum(amount))}
	if tax != "" {
		in.Tax = affiliate.Set(scene.Sum(tax))
	}
	if shipping != "" {
		in.Shipping = affiliate.Set(scene.Sum(shipping))
	}
	return in
}

// A refund that says what of it is tax and shipping lowers what is deducted first: the
// commission of 20 % is paid on what is kept of the base.
func TestRefundOfTax(t *testing.T) {
	type step struct{ amount, tax, shipping, earned string }
	for name, steps := range map[string][]step{
		"the tax alone":            {{"20", "20", "", "20"}},
		"the shipping alone":       {{"10", "", "10", "20"}},
		"both alone":               {{"30", "20", "10", "20"}},
		"tax, then goods":          {{"20", "20", "", "20"}, {"50", "0", "", "10"}},
		"goods with their tax":     {{"60", "10", "", "10"}},
		"goods alone":              {{"50", "0", "0", "10"}},
		"nothing said":             {{"65", "", "", "10"}},
		"nothing said, then tax":   {{"65", "", "", "10"}, {"20", "20", "", "8.18"}},
		"tax, then nothing said":   {{"20", "20", "", "20"}, {"65", "", "", "8.18"}},
		"more goods than the sale": {{"125", "20", "", "0"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := scene.New(t)
			w.Ada()
			ctx := t.Context()
			got := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum("130"), Tax: scene.Sum("20"), Shipping: scene.Sum("10")}))
			sale, _ := got.Sale.Get()
			for i, s := range steps {
				scene.Must(w.RefundSale(ctx, part(sale.ID, fmt.Sprint("r", i), s.amount, s.tax, s.shipping)))
				scene.Equal(t, scene.Sum(s.earned), scene.Must(w.Sale(ctx, sale.ID)).CommissionEarned, i+1, s.earned)
				w.Verifies()
			}
			scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID}))
			if earned := scene.Must(w.Sale(ctx, sale.ID)).CommissionEarned; !earned.IsZero() {
				t.Errorf("refunded in full it earns %v", earned)
			}
			w.Verifies()
		})
	}
}

// A refund of more tax or shipping than the sale has left, or of more than its amount,
// is refused and changes nothing.
func TestRefundOfTaxRefused(t *testing.T) {
	w := scene.New(t)
	w.Ada()
	ctx := t.Context()
	got := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum("130"), Tax: scene.Sum("20"), Shipping: scene.Sum("10")}))
	sale, _ := got.Sale.Get()
	scene.Must(w.RefundSale(ctx, part(sale.ID, "r1", "15", "15", "")))
	null := part(sale.ID, "", "5", "", "")
	null.Tax = affiliate.Null[affiliate.Amount]()
	alone := part(sale.ID, "", "5", "5", "")
	alone.Amount = affiliate.Opt[affiliate.Amount]{}
	for name, tt := range map[string]struct {
		in     affiliate.Refund
		reason affiliate.Reason
	}{
		"more tax than is left":       {part(sale.ID, "", "6", "6", ""), affiliate.RefundExceedsSale},
		"more shipping than there is": {part(sale.ID, "", "11", "", "11"), affiliate.RefundExceedsSale},
		"more than the amount":        {part(sale.ID, "", "5", "3", "3"), affiliate.RefundExceedsSale},
		"negative tax":                {part(sale.ID, "", "5", "-1", ""), affiliate.InvalidField},
		"negative shipping":           {part(sale.ID, "", "5", "", "-1"), affiliate.InvalidField},
		"null":                        {null, affiliate.InvalidField},
		"without the amount":          {alone, affiliate.MissingField},
	} {
		_, err := w.RefundSale(ctx, tt.in)
		scene.WantReason(t, name, tt.reason, err)
	}
	if now := scene.Must(w.Sale(ctx, sale.ID)); now.RefundedAmount != scene.Sum("15") || now.CommissionEarned != scene.Sum("20") {
		t.Errorf("refunded %v, earned %v", now.RefundedAmount, now.CommissionEarned)
	}
	w.Verifies()
}

// A saidRefund is a refund of a plan.
type saidRefund struct {
	amount, tax, shipping affiliate.Amount
	said                  bool
}

// In any order the commission is that on what is kept of the base, by a model in
// fractions: the refunds that say what is in them take their goods off the base, and
// the others the same part of what is left of it as of the total.
func TestRefundPartsOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawRefundPlan(rt)
		all := p.drawSaid(rt)
		p.refundSaid(rt, t, all)
		p.refundSaid(rt, t, rapid.Permutation(all).Draw(rt, "order"))
	})
}

func (p refundPlan) drawSaid(rt *rapid.T) (all []saidRefund) {
	left, tax, shipping := p.total.Scaled()-1, p.tax.Scaled(), p.shipping.Scaled()
	for range rapid.IntRange(1, 5).Draw(rt, "said refunds") {
		if left < 1 {
			break
		}
		n := rapid.Int64Range(1, left).Draw(rt, "amount")
		f := saidRefund{amount: affiliate.AmountFromScaled(n), said: rapid.Bool().Draw(rt, "said")}
		if f.said {
			t := rapid.Int64Range(0, min(n, tax)).Draw(rt, "of tax")
			s := rapid.Int64Range(0, min(n-t, shipping)).Draw(rt, "of shipping")
			f.tax, f.shipping = affiliate.AmountFromScaled(t), affiliate.AmountFromScaled(s)
			tax, shipping = tax-t, shipping-s
		}
		left -= n
		all = append(all, f)
	}
	return all
}

func (p refundPlan) refundSaid(rt *rapid.T, t *testing.T, all []saidRefund) {
	w := scene.New(t, func(c *tributary.Config) {
		c.Currency, c.Terms = p.currency, affiliate.Terms{Type: p.typ, Rate: p.rate}
	})
	ctx, a := t.Context(), w.Ada()
	got := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: p.total, Tax: p.tax, Shipping: p.shipping}))
	sale, _ := got.Sale.Get()
	if hand, ok := p.hand.Get(); ok {
		scene.Must(w.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{CommissionEarned: affiliate.Set(hand)}))
	}
	paid := rapid.IntRange(-1, len(all)-1).Draw(rt, "paid out after")
	for i, f := range all {
		in := affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(f.amount), RefundID: fmt.Sprint("r", i), ClawBack: true}
		if f.said {
			in.Tax, in.Shipping = affiliate.Set(f.tax), affiliate.Set(f.shipping)
		}
		scene.Must(w.RefundSale(ctx, in))
		if i == paid {
			_, _ = w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: a.Person.ID})
		}
	}
	if now, want := scene.Must(w.Sale(ctx, sale.ID)), p.said(all); now.CommissionEarned != want {
		rt.Errorf("%+v after %+v earns %v, want %v", p, all, now.CommissionEarned, want)
	}
	w.Verifies()
}

// said is the model.
func (p refundPlan) said(all []saidRefund) affiliate.Amount {
	base := scene.RatDiff(scene.RatOf(p.total), scene.RatSum(scene.RatOf(p.tax), scene.RatOf(p.shipping)))
	goods, whole, kept := new(big.Rat).Set(base), scene.RatOf(p.total), scene.RatOf(p.total)
	for _, f := range all {
		kept = scene.RatDiff(kept, scene.RatOf(f.amount))
		if f.said {
			whole = scene.RatDiff(whole, scene.RatOf(f.amount))
			goods = scene.RatDiff(goods, scene.RatDiff(scene.RatOf(f.amount), scene.RatSum(scene.RatOf(f.tax), scene.RatOf(f.shipping))))
		}
	}
	part := new(big.Rat)
	switch {
	case base.Sign() == 0: // the part of the total
		part.Quo(kept, scene.RatOf(p.total))
	case goods.Sign() > 0:
		part.Quo(goods, base)
		part.Mul(part, new(big.Rat).Quo(kept, whole))
	}
	return p.commission(part.Mul(part, scene.RatOf(p.total)))
}

// A refund that is reported as a fact says what is in it, before or after the host, the
// sale and the sum of refunds, and what it says comes late or early.
func TestRefundOfTaxAsFact(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		facts      func(s *scene.PayShop) []affiliate.PaymentFact
	}{
		{"after the sale", "20", func(s *scene.PayShop) []affiliate.PaymentFact {
			return []affiliate.PaymentFact{s.Paid("pi_1", "120", "20", "code:MARA20"), said(s, affiliate.RefundSucceeded)}
		}},
		{"before the sale", "20", func(s *scene.PayShop) []affiliate.PaymentFact {
			return []affiliate.PaymentFact{said(s, affiliate.RefundSucceeded), s.Paid("pi_1", "120", "20", "code:MARA20")}
		}},
		{"said after it was taken", "20", func(s *scene.PayShop) []affiliate.PaymentFact {
			return []affiliate.PaymentFact{s.Paid("pi_1", "120", "20", "code:MARA20"), s.Refund("re_1", "20", affiliate.RefundSucceeded), said(s, affiliate.RefundPending)}
		}},
		{"the sum first", "20", func(s *scene.PayShop) []affiliate.PaymentFact {
			return []affiliate.PaymentFact{s.Paid("pi_1", "120", "20", "code:MARA20"), s.Cumulative("20"), said(s, affiliate.RefundSucceeded)}
		}},
		{"with another that says nothing", "10", func(s *scene.PayShop) []affiliate.PaymentFact {
			return []affiliate.PaymentFact{s.Paid("pi_1", "120", "20", "code:MARA20"), s.Refund("re_2", "50", affiliate.RefundSucceeded), said(s, affiliate.RefundSucceeded)}
		}},
		{"pending", "20", func(s *scene.PayShop) []affiliate.PaymentFact {
			return []affiliate.PaymentFact{said(s, affiliate.RefundPending), s.Paid("pi_1", "120", "20", "code:MARA20")}
		}},
		{"failed", "20", func(s *scene.PayShop) []affiliate.PaymentFact {
			return []affiliate.PaymentFact{s.Paid("pi_1", "120", "20", "code:MARA20"), said(s, affiliate.RefundSucceeded), said(s, affiliate.RefundFailed)}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := scene.NewPayShop(t)
			s.Reports(tt.facts(s)...)
			s.Gives("pi_1", tt.want)
		})
	}
}

// said is the refund of a tax of 20.
func said(s *scene.PayShop, state affiliate.RefundState) affiliate.PaymentFact {
	f := s.Refund("re_1", "20", state)
	f.Refunds[0].Tax = affiliate.Set(scene.Sum("20"))
	return f
}

// A host that books the refund itself, with the provider's id, may say what the
// provider does not; a fact that says another tax than before is refused.
func TestRefundOfTaxKnown(t *testing.T) {
	s := scene.NewPayShop(t)
	s.Reports(s.Paid("pi_1", "120", "20", "code:MARA20"))
	scene.Must(s.RefundSale(t.Context(), part(s.SaleOf("pi_1").ID, "re_1", "20", "20", "")))
	s.Reports(s.Refund("re_1", "20", affiliate.RefundSucceeded))
	s.Gives("pi_1", "20")
	s.Reports(said(s, affiliate.RefundSucceeded))
	s.Gives("pi_1", "20")
	other := said(s, affiliate.RefundSucceeded)
	other.Refunds[0].Tax = affiliate.Set(scene.Sum("10"))
	_, err := s.Payments().ReportPayment(t.Context(), other)
	scene.WantReason(t, "another tax", affiliate.InvalidField, err)
	other.Refunds[0] = affiliate.RefundFact{ID: "re_3", Amount: scene.Sum("5"), Tax: affiliate.Set(scene.Sum("6")), State: affiliate.RefundSucceeded}
	_, err = s.Payments().ReportPayment(t.Context(), other)
	scene.WantReason(t, "more tax than amount", affiliate.RefundExceedsSale, err)
	s.Gives("pi_1", "20")
}

// A refundPlan is a sale and the parts in which it is refunded.
type refundPlan struct {
	currency             affiliate.Currency
	typ                  affiliate.CommissionType
	rate                 affiliate.Percent
	total, tax, shipping affiliate.Amount
	hand                 affiliate.Opt[affiliate.Amount] // a commission that was set by hand
	parts                []affiliate.Amount
}

func drawRefundPlan(rt *rapid.T) refundPlan {
	size := rapid.SampledFrom([]int64{20, 1_0000, 200_0000, 1_000_000_0000}).Draw(rt, "size")
	total := rapid.Int64Range(1, size).Draw(rt, "total")
	p := refundPlan{
		currency: rapid.SampledFrom(scene.Currencies()).Draw(rt, "currency"), total: affiliate.AmountFromScaled(total),
		typ:  rapid.SampledFrom([]affiliate.CommissionType{affiliate.CommissionPercentage, affiliate.CommissionFlat}).Draw(rt, "type"),
		rate: affiliate.PercentFromScaled(rapid.Int64Range(0, 100_0000).Draw(rt, "rate")),
		tax:  affiliate.AmountFromScaled(rapid.Int64Range(0, total/2).Draw(rt, "tax")),
	}
	p.shipping = affiliate.AmountFromScaled(rapid.Int64Range(0, total-p.tax.Scaled()).Draw(rt, "shipping"))
	if rapid.Bool().Draw(rt, "by hand") {
		hand := affiliate.AmountFromScaled(rapid.Int64Range(0, 2*total).Draw(rt, "hand"))
		if set := scene.Must(hand.Round(p.currency)); set != p.commission(scene.RatOf(p.total)) { // an equal commission changes nothing
			p.hand = affiliate.Set(hand)
		}
	}
	left := total
	for range rapid.IntRange(0, 4).Draw(rt, "refunds") {
		if left < 2 {
			break
		}
		part := rapid.Int64Range(1, left-1).Draw(rt, "part")
		p.parts = append(p.parts, affiliate.AmountFromScaled(part))
		left -= part
	}
	return p
}

// commission returns what the sale earns when left of it is left, in
// ten-thousandths: the same share of the base, of the flat amount or of the
// amount by hand, rounded once.
func (p refundPlan) commission(left *big.Rat) affiliate.Amount {
	kept := new(big.Rat).Quo(left, scene.RatOf(p.total))
	whole := scene.Share(scene.PercentRat(p.rate), scene.RatDiff(scene.RatOf(p.total), scene.RatSum(scene.RatOf(p.tax), scene.RatOf(p.shipping))))
	if p.typ == affiliate.CommissionFlat {
		whole = scene.PercentRat(p.rate)
	}
	if hand, ok := p.hand.Get(); ok {
		amount, _ := scene.Rounded(new(big.Rat).Mul(scene.RatOf(hand), big.NewRat(10_000, 1)), p.currency)
		whole = scene.RatOf(amount)
	}
	kept.Mul(kept, whole)
	amount, _ := scene.Rounded(kept.Mul(kept, big.NewRat(10_000, 1)), p.currency)
	return amount
}

// In any order of partial refunds, with any repeats, the commission is computed
// on what is left, rounded once. The full refund leaves nothing. The
// commissions add up, and a payout is their sum (I40, I41).
func TestRefundOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawRefundPlan(rt)
		p.refund(rt, t, p.parts)
		p.refund(rt, t, rapid.Permutation(p.parts).Draw(rt, "order"))
	})
}

func (p refundPlan) refund(rt *rapid.T, t *testing.T, parts []affiliate.Amount) {
	w := scene.New(t, func(c *tributary.Config) {
		c.Currency, c.Terms = p.currency, affiliate.Terms{Type: p.typ, Rate: p.rate}
	})
	ctx, a := t.Context(), w.Ada()
	got := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: p.total, Tax: p.tax, Shipping: p.shipping}))
	sale, _ := got.Sale.Get()
	if hand, ok := p.hand.Get(); ok {
		scene.Must(w.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{CommissionEarned: affiliate.Set(hand)}))
	}
	left := scene.RatOf(p.total)
	p.holds(rt, w, sale.ID, left)
	for i, part := range parts {
		in := affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(part), RefundID: fmt.Sprint("r", i)}
		scene.Must(w.RefundSale(ctx, in))
		left = scene.RatDiff(left, scene.RatOf(part))
		p.holds(rt, w, sale.ID, left)
		if again := scene.Must(w.RefundSale(ctx, in)); !again.AlreadyRefunded {
			rt.Errorf("the repeat of a refund: %+v", again)
		}
		p.holds(rt, w, sale.ID, left)
	}
	if rapid.Bool().Draw(rt, "paid out") {
		p.paysOut(rt, w, a.Person.ID, p.commission(left))
		return
	}
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID}))
	p.holds(rt, w, sale.ID, new(big.Rat))
	w.Verifies()
}

// holds checks the amounts of the sale when left of it is left.
func (p refundPlan) holds(rt *rapid.T, w *scene.World, id affiliate.SaleID, left *big.Rat) {
	sale := scene.Must(w.Sale(rt.Context(), id))
	status := affiliate.SaleActive
	if left.Sign() == 0 {
		status = affiliate.SaleRefunded
	}
	type money struct {
		Refunded, Earned string
		Status           affiliate.SaleStatus
	}
	want := money{scene.Plain(scene.RatDiff(scene.RatOf(p.total), left)), p.commission(left).String(), status}
	if diff := cmp.Diff(want, money{sale.RefundedAmount.String(), sale.CommissionEarned.String(), sale.Status}); diff != "" {
		rt.Errorf("with %s of %+v left (-want +got):\n%s", scene.Plain(left), p, diff)
	}
	if sum := scene.CommissionSum(sale); sum.Cmp(scene.RatOf(sale.CommissionEarned)) != 0 {
		rt.Errorf("the commissions add up to %s, not %s", sum, sale.CommissionEarned)
	}
}

func (p refundPlan) paysOut(rt *rapid.T, w *scene.World, owner uuid.UUID, earned affiliate.Amount) {
	payout, err := w.CreatePayout(rt.Context(), affiliate.PayoutParams{AffiliateID: owner})
	if earned.IsZero() {
		scene.RefusedAs(rt, "CreatePayout", affiliate.NothingPayable, err)
		return
	}
	scene.RefusedAs(rt, "CreatePayout", "", err)
	if payout.Amount != earned {
		rt.Errorf("the payout is %s, the commission %s", payout.Amount, earned)
	}
	w.Verifies()
}

// The remaining share of the base is not rounded separately: 20 % of 2.26 ×
// 0.59 ÷ 2.54 is 0.10499…, which is rounded to 0.10 and not to 0.11.
func TestRefundRoundsOnce(t *testing.T) {
	w := scene.New(t)
	w.Ada()
	ctx := t.Context()
	got := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{
		PromoCode: "ADA20", TotalEarned: affiliate.MustAmount("2.54"), Tax: affiliate.MustAmount("0.28"),
	}))
	sale, _ := got.Sale.Get()
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(affiliate.MustAmount("1.95"))}))
	scene.Equal(t, affiliate.MustAmount("0.10"), scene.Must(w.Sale(ctx, sale.ID)).CommissionEarned)
	w.Verifies()
}
