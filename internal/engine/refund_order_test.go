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
	if earned := scene.Must(w.Sale(ctx, sale.ID)).CommissionEarned; earned != affiliate.MustAmount("0.10") {
		t.Errorf("commission %v, want 0.10", earned)
	}
	w.Verifies()
}
