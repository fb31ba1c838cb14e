package audit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// newHolds returns a program with holds in every state, redemptions with and without a sale, one
// of a refunded sale, and limits of every kind.
func newHolds(t *testing.T) *scene.World {
	w := scene.New(t, func(c *tributary.Config) { c.HouseCodes = true })
	ctx, ada := t.Context(), w.Join("ada")
	coupon := scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{
		Name: "Launch", PercentOff: affiliate.Set(affiliate.MustPercent("20")), StartsAt: affiliate.Set(affiliate.At(scene.Began.Time())), RedeemBy: affiliate.Set(affiliate.At(scene.Began.Time().Add(48 * time.Hour))),
		MaxDiscount: scene.Amount("50"), MaxDiscountTotal: scene.Amount("1000"), MaxRedemptions: affiliate.Set[int64](20), MaxRedemptionsPerCustomer: affiliate.Set[int64](4), RestoreOnRefund: true,
	}))
	for _, code := range []affiliate.CodeParams{{Code: "ADA", AffiliateID: ada.ID, StartsAt: affiliate.Set(affiliate.At(scene.Began.Time()))}, {Code: "HOUSE"}} {
		code.CouponID, code.MaxRedemptionsPerCustomer, code.MinimumQuantity = coupon.ID, affiliate.Set[int64](3), scene.Amount("1")
		scene.Must(w.CreateCode(ctx, code))
	}
	hold := func(id, code, email string) {
		w.Pass(time.Second)
		scene.Must(w.HoldRedemption(ctx, affiliate.HoldParams{ID: id, Until: w.Now.Add(time.Hour), Order: affiliate.Order{PromoCode: code, Email: email, Subtotal: scene.Amount("100")}}))
	}
	sell := func(in affiliate.SaleParams) affiliate.SaleResult {
		w.Pass(time.Second)
		in.TotalEarned = scene.Sum("80")
		return scene.Must(w.RecordSale(ctx, in))
	}
	hold("lapsed", "ADA", "a@example.net")
	w.Pass(2 * time.Hour)
	hold("open", "ADA", "a@example.net")
	hold("unknown", "HOUSE", "")
	hold("paid", "ADA", "b@example.net")
	sell(affiliate.SaleParams{HoldID: "paid", Email: "b@example.net", Name: "B"})
	hold("released", "ADA", "b@example.net")
	scene.Must(w.ReleaseHold(ctx, "released"))
	hold("alone", "HOUSE", "c@example.net")
	sell(affiliate.SaleParams{HoldID: "alone", ExternalID: "order-1", Email: "c@example.net"})
	sell(affiliate.SaleParams{PromoCode: "HOUSE", ExternalID: "order-2"})
	sell(affiliate.SaleParams{PromoCode: "ADA", Email: "b@example.net", Name: "B"})
	back, _ := sell(affiliate.SaleParams{PromoCode: "ADA", Email: "b@example.net", Name: "B"}).Sale.Get()
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: back.ID}))
	w.Verifies()
	return w
}

func TestVerifyHolds(t *testing.T) {
	type change = func(w *scene.World, tx *record.Tx) error
	named := func(id string) func(record.Hold) bool {
		return func(r record.Hold) bool { return r.HoldID == id }
	}
	hold := func(id string, fn func(*record.Hold)) change {
		return func(_ *scene.World, tx *record.Tx) error { return scene.Edit(tx.Holds, named(id), fn) }
	}
	coupon := func(fn func(*record.Coupon)) change {
		return func(_ *scene.World, tx *record.Tx) error { return scene.Edit(tx.Coupons, nil, fn) }
	}
	code := func(fn func(*record.Code)) change {
		return func(_ *scene.World, tx *record.Tx) error { return scene.Edit(tx.Codes, nil, fn) }
	}
	ofHold := func(u record.Use) bool { return !u.Until.IsZero() }
	ofSale := func(u record.Use) bool { return u.Until.IsZero() }
	use := func(fits func(record.Use) bool, fn func(*record.Use)) change {
		return func(_ *scene.World, tx *record.Tx) error { return scene.Edit(tx.Uses, fits, fn) }
	}
	redemption := func(fits func(record.Redemption) bool, fn func(*record.Redemption)) change {
		return func(_ *scene.World, tx *record.Tx) error { return scene.Edit(tx.Redemptions, fits, fn) }
	}
	counts := func(r record.Redemption) bool { return r.RestoredAt.IsZero() && r.ExternalID == "" }
	alone := func(r record.Redemption) bool { return r.ExternalID != "" }
	back := func(r record.Redemption) bool { return r.Refunded }
	for name, c := range map[string]struct {
		change change
		want   string
	}{
		"a place of a code that no hold keeps":   {code(func(r *record.Code) { r.Held++ }), "I86: places of it are held"},
		"a place of a coupon that no hold keeps": {coupon(func(r *record.Coupon) { r.Held-- }), "I86: places of it are held"},
		"a budget that no hold keeps":            {coupon(func(r *record.Coupon) { r.HeldDiscount = scene.Sum("1") }), "I86: places of it are held for 1,"},
		"a hold that is not counted":             {hold("released", func(r *record.Hold) { r.State = affiliate.HoldHeld }), "I86: places of it are held"},
		"a hold of another worth":                {hold("open", func(r *record.Hold) { r.Worth, r.Discount = scene.Sum("3"), scene.Amount("3") }), "I86: places of it are held"},
		"a discount that nobody got":             {coupon(func(r *record.Coupon) { r.DiscountTotal = scene.Sum("1") }), "I87: it took off 1, its redemptions"},
		"a discount that is not counted":         {redemption(counts, func(r *record.Redemption) { r.Discount = scene.Sum("7") }), "I87: it took off"},
		"a discount below nothing":               {redemption(counts, func(r *record.Redemption) { r.Discount = scene.Sum("-7") }), "I90: it took off -7"},
		"a use of nothing":                       {use(ofSale, func(r *record.Use) { r.RedemptionID = uuid.Max }), "I88: no redemption and no hold keeps"},
		"a use of another code":                  {use(ofSale, func(r *record.Use) { r.CodeID = uuid.Max }), "I88: no redemption and no hold keeps"},
		"a use of another coupon":                {use(ofHold, func(r *record.Use) { r.CouponID = uuid.Max }), "I88: no redemption and no hold keeps"},
		"a use for longer than the hold":         {use(ofHold, func(r *record.Use) { r.Until = r.Until.Add(time.Millisecond) }), "I88: no redemption and no hold keeps"},
		"a use of a hold for ever":               {use(ofHold, func(r *record.Use) { r.Until = affiliate.Instant{} }), "I88: no redemption and no hold keeps"},
		"a use of a redemption that was restored": {func(w *scene.World, tx *record.Tx) error {
			gone := scene.OnlyValues(tx.Redemptions.List(record.Query{}))
			i := slices.IndexFunc(slices.Collect(gone), func(r record.Redemption) bool { return r.Refunded })
			r := slices.Collect(scene.OnlyValues(tx.Redemptions.List(record.Query{})))[i]
			return scene.Edit(tx.Uses, ofSale, func(u *record.Use) { u.RedemptionID, u.CodeID, u.CouponID = r.ID, r.CodeID, r.CouponID })
		}, "I88: no redemption and no hold keeps"},
		"a use twice": {func(_ *scene.World, tx *record.Tx) error {
			for u := range scene.OnlyValues(tx.Uses.List(record.Query{})) {
				u.ID = uuid.Max
				return tx.Uses.Insert(u)
			}
			return errors.New("no use")
		}, "I88: says the same"},
		"a hold in no state":                     {hold("open", func(r *record.Hold) { r.State = "OPEN" }), `I81: state "OPEN"`},
		"an open hold with a sale":               {hold("open", func(r *record.Hold) { r.Number = 1 }), `I89: "open" is HELD of sale 1`},
		"a hold without the caller's id":         {hold("open", func(r *record.Hold) { r.HoldID = " " }), `I89: " " is HELD`},
		"a hold of more than the basket":         {hold("paid", func(r *record.Hold) { r.Worth, r.Discount = scene.Sum("101"), scene.Amount("101") }), "I89: takes 101"},
		"a hold of less than nothing":            {hold("paid", func(r *record.Hold) { r.Total = scene.Amount("-1") }), "I89: leaves -1"},
		"a hold with another worth":              {hold("paid", func(r *record.Hold) { r.Worth = scene.Sum("1") }), "I89: it takes off 20, worth 1"},
		"a hold out of order":                    {hold("paid", func(r *record.Hold) { r.Until = r.Until.Add(time.Millisecond) }), "I89: its id is not of"},
		"a hold that was changed before":         {hold("paid", func(r *record.Hold) { r.UpdatedAt = r.CreatedAt.Add(-time.Microsecond) }), "I54: created"},
		"a hold of a sale that redeemed nothing": {hold("paid", func(r *record.Hold) { r.Number = 99 }), "I89: sale 99 did not redeem its code"},
		"a hold of another code than its sale":   {hold("paid", func(r *record.Hold) { r.CodeID = uuid.Max }), "I89: sale 1 did not redeem its code"},
		"two holds of a sale":                    {hold("alone", func(r *record.Hold) { r.Number = 1 }), "I89: sale 1 confirmed"},
		"an order without a sale and its id":     {redemption(alone, func(r *record.Redemption) { r.ExternalID = "" }), `I90: it is of the order ""`},
		"a sale with an order's id":              {redemption(counts, func(r *record.Redemption) { r.ExternalID = "o" }), `I90: it is of the order "o"`},
		"given back, and yet it counts":          {redemption(counts, func(r *record.Redemption) { r.Refunded = true }), "I90: for a refund: true"},
		"given back, and the sale is active": {func(w *scene.World, tx *record.Tx) error {
			return scene.Edit(tx.Sales, func(r record.Sale) bool { return r.Status.Is(affiliate.SaleRefunded) }, func(r *record.Sale) {
				r.Status = affiliate.EnumOf(affiliate.SaleActive)
			})
		}, "I90: its redemption was given back as if it was refunded"},
		"a most of a flat coupon": {coupon(func(r *record.Coupon) {
			r.Type, r.PercentOff, r.AmountOff, r.Currency = affiliate.CouponFlat, affiliate.Percent{}, scene.Sum("5"), "USD"
		}), "I17: maxDiscount 50"},
		"a most below nothing":              {coupon(func(r *record.Coupon) { r.MaxDiscount = scene.Sum("-1") }), "I17: maxDiscount -1"},
		"a budget below nothing":            {coupon(func(r *record.Coupon) { r.MaxDiscountTotal = scene.Sum("-1") }), "I17: maxDiscountTotal -1"},
		"a coupon's limit below nothing":    {coupon(func(r *record.Coupon) { r.MaxPerCustomer = -1 }), "I19: -1 per customer"},
		"a code's limit below nothing":      {code(func(r *record.Code) { r.MaxPerCustomer = -1 }), "I19: -1 per customer"},
		"a minimum of pieces below nothing": {code(func(r *record.Code) { r.MinimumQuantity = scene.Sum("-1") }), "I24: minimumQuantity -1"},
		"a coupon that ends before":         {coupon(func(r *record.Coupon) { r.StartsAt = r.RedeemBy.Add(time.Microsecond) }), "I19: it starts at"},
		"a code that ends before":           {code(func(r *record.Code) { r.StartsAt, r.ExpiresAt = r.CreatedAt, r.CreatedAt.Add(-time.Microsecond) }), "I19: it starts at"},
		"back was back": {func(_ *scene.World, tx *record.Tx) error {
			return scene.Edit(tx.Redemptions, back, func(r *record.Redemption) { r.RestoredAt = affiliate.Instant{} })
		}, "I90: for a refund: true"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newHolds(t)
			w.Raw(func(tx *record.Tx) error { return c.change(w, tx) })
			if err := w.Verify(t.Context()); !scene.Says(err, c.want) {
				t.Errorf("nothing says %q: %v", c.want, err)
			}
		})
	}
}

// TestVerifyHeldAgain: a hold that is made again after the clock went back is in order.
func TestVerifyHeldAgain(t *testing.T) {
	w := newHolds(t)
	w.Pass(-time.Minute)
	again := affiliate.HoldParams{ID: "open", Until: w.Now.Add(time.Hour), Order: affiliate.Order{PromoCode: "ADA", Email: "a@example.net", Subtotal: scene.Amount("50")}}
	scene.Must(w.HoldRedemption(t.Context(), again))
	w.Verifies()
}

// TestVerifyGivenBackOfNoCoupon: a refund that fails takes the redemption again, also when its coupon is gone.
func TestVerifyGivenBackOfNoCoupon(t *testing.T) {
	s, ctx := scene.NewPayShop(t), t.Context()
	code := scene.Must(s.Code(ctx, affiliate.CodeRef{Code: "MARA20"}))
	scene.Must(s.UpdateCoupon(ctx, code.CouponID, affiliate.CouponUpdate{RestoreOnRefund: affiliate.Set(true)}))
	s.Reports(s.Paid("pi_1", "100", "0", "code:MARA20"), s.Refund("re_1", "100", affiliate.RefundSucceeded, "pi_1"))
	scene.Must(s.DeleteCoupon(ctx, code.CouponID))
	s.Reports(s.Refund("re_1", "100", affiliate.RefundFailed, "pi_1"))
	s.Verifies()
	var given int
	s.Raw(func(tx *record.Tx) error {
		for r := range scene.OnlyValues(tx.Redemptions.List(record.Query{})) {
			if r.Refunded || !r.RestoredAt.IsZero() {
				given++
			}
		}
		return nil
	})
	if given > 0 {
		t.Error("the redemption stays given back")
	}
}

// lined gives the last sale of the ledger, of 100 at 20 %, two lines: a rule decides about
// the second, and pays as much as the rate does.
func lined(change func(*record.Sale)) func(*scene.Ledger, *record.Tx) error {
	return func(_ *scene.Ledger, tx *record.Tx) error {
		return scene.Edit(tx.Sales, booksSale(5), func(r *record.Sale) {
			r.Subtotal = affiliate.Set(scene.Sum("100"))
			r.Lines = []affiliate.StoredLine{
				{ID: "a", Quantity: scene.Sum("1"), Amount: scene.Sum("60")},
				{ID: "b", Quantity: scene.Sum("4"), Amount: scene.Sum("40"), Rule: "r", Pay: paid(affiliate.RulePercentage, "20")},
			}
			change(r)
		})
	}
}

func paid(typ affiliate.RuleType, rate string) affiliate.RulePay {
	return affiliate.RulePay{Type: typ, Rate: affiliate.MustPercent(rate)}
}

// What each type of rule pays is recounted, with what refunds named of a line.
func TestVerifyLinesPass(t *testing.T) {
	for name, change := range map[string]func(*record.Sale){
		"PERCENTAGE": func(*record.Sale) {},
		"FLAT":       func(r *record.Sale) { r.Lines[1].Pay = paid(affiliate.RuleFlat, "8") },
		"FLAT, once": func(r *record.Sale) {
			r.Lines[1].Pay = paid(affiliate.RuleFlat, "20")
			r.Lines[0].Rule, r.Lines[0].Pay = r.Lines[1].Rule, r.Lines[1].Pay
		},
		"UNIT": func(r *record.Sale) { r.Lines[1].Pay = paid(affiliate.RuleUnit, "2") },
		"NONE": func(r *record.Sale) {
			r.Lines[1].Pay = affiliate.RulePay{Type: affiliate.RuleNone}
			r.Lines[0].Rule, r.Lines[0].Pay = "more", paid(affiliate.RuleFlat, "20")
		},
		"by what discounts left": func(r *record.Sale) {
			r.Lines[0].CodeDiscount, r.Lines[1].Discount = scene.Sum("10"), scene.Sum("40")
			r.Lines[1].Pay = paid(affiliate.RulePercentage, "90") // of nothing
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := scene.NewLedger(t)
			b.Raw(func(tx *record.Tx) error { return lined(change)(b, tx) })
			b.Verifies()
		})
	}
}

func TestVerifyLines(t *testing.T) {
	rules := func(list ...affiliate.Rule) func(*scene.Ledger, *record.Tx) error {
		return func(b *scene.Ledger, tx *record.Tx) error {
			return tx.Plans.Insert(record.Plan{
				ID: uuid.UUID{1}, Name: "n", Trigger: affiliate.TriggerPurchase, Terms: affiliate.Terms{Type: affiliate.CommissionPercentage, Rules: list},
				CreatedAt: affiliate.InstantOf(b.Now), UpdatedAt: affiliate.InstantOf(b.Now),
			})
		}
	}
	rule := affiliate.Rule{Name: "r", Pay: paid(affiliate.RulePercentage, "20")}
	scene.RunCorruptions(t, []scene.Corruption{
		{Name: "rule of another rate", Change: lined(func(r *record.Sale) { r.Lines[1].Pay.Rate = affiliate.MustPercent("30") }), Want: []string{"I40"}},
		{Name: "flat amount of another sum", Change: lined(func(r *record.Sale) { r.Lines[1].Pay = paid(affiliate.RuleFlat, "9") }), Want: []string{"I40"}},
		{Name: "unit amount of one piece", Change: lined(func(r *record.Sale) { r.Lines[1].Pay = paid(affiliate.RuleUnit, "8") }), Want: []string{"I40"}},
		{Name: "nothing is paid", Change: lined(func(r *record.Sale) { r.Lines[1].Pay = affiliate.RulePay{Type: affiliate.RuleNone} }), Want: []string{"I40"}},
		{Name: "pay of no rule", Change: lined(func(r *record.Sale) { r.Lines[1].Rule = "" }), Want: []string{"I40"}},
		{Name: "rule that pays nothing known", Change: lined(func(r *record.Sale) { r.Lines[1].Pay.Type = "GIFT" }), Want: []string{"I40"}},
		{Name: "rule of two amounts", Change: lined(func(r *record.Sale) {
			r.Lines[0].Rule, r.Lines[0].Pay = "r", paid(affiliate.RuleFlat, "12")
		}), Want: []string{"I40"}},
		{Name: "rule beside the rate of the sale", Change: lined(func(r *record.Sale) {
			r.RateFixed, r.Why.RateFrom = true, affiliate.EnumOf(affiliate.RateOfSale)
		}), Want: []string{"I40"}},
		{Name: "discount above the line", Change: lined(func(r *record.Sale) { r.Lines[0].Discount = scene.Sum("60.01") }), Want: []string{"I44"}},
		{Name: "discounts above the line", Change: lined(func(r *record.Sale) {
			r.Lines[0].Discount, r.Lines[0].CodeDiscount = scene.Sum("30"), scene.Sum("30.01")
		}), Want: []string{"I44"}},
		{Name: "no piece", Change: lined(func(r *record.Sale) { r.Lines[0].Quantity = affiliate.Amount{} }), Want: []string{"I44"}},
		{Name: "an id twice", Change: lined(func(r *record.Sale) { r.Lines[1].ID = "a" }), Want: []string{"I44"}},
		{Name: "subtotal of other lines", Change: lined(func(r *record.Sale) { r.Subtotal = affiliate.Set(scene.Sum("100.01")) }), Want: []string{"I44"}},
		{Name: "whole, and two lines", Change: lined(func(r *record.Sale) { r.Lines[0].Whole = true }), Want: []string{"I44"}},
		{Name: "refund of a line that no refund named", Change: lined(func(r *record.Sale) { r.Lines[0].Refunded = scene.Sum("1") }), Want: []string{"I41"}},
		{Name: "negative refund of a line", Change: lined(func(r *record.Sale) { r.Lines[0].Refunded = scene.Sum("-1") }), Want: []string{"I41"}},
		{Name: "two rules of a name", Change: rules(rule, affiliate.Rule{Name: "r", When: affiliate.RuleWhen{Products: []string{"p"}}, Pay: rule.Pay}), Want: []string{"I40"}},
		{Name: "rule that another one covers", Change: rules(rule, affiliate.Rule{Name: "s", Pay: rule.Pay}), Want: []string{"I40"}},
		{Name: "rule above 100 %", Change: rules(affiliate.Rule{Name: "r", Pay: paid(affiliate.RulePercentage, "101")}), Want: []string{"I40"}},
	})
}

// A merged shop is one in which Ben, with a sale and a bonus, was merged into Ada, and Kim
// into Tomas.
type merged struct {
	scene.Shop
	ben uuid.UUID
}

func newMerged(t *testing.T) merged {
	s, ctx := scene.NewShop(t), t.Context()
	ben := s.Join("ben")
	kim := s.Customer("ben", "kim")
	s.Sell(affiliate.SaleParams{Email: kim.Email})
	s.Adjust(affiliate.AdjustmentParams{
		AffiliateID: ben.ID, Kind: affiliate.AdjustBonus, Amount: scene.Sum("3"), Reason: "r",
	})
	scene.Must(s.MergeAffiliates(ctx, affiliate.Merge{From: ben.Email, Into: s.Ada.Person.Email}))
	scene.Must(s.MergeReferrals(ctx, affiliate.Merge{From: kim.Email, Into: s.Tomas.Email}))
	s.Verifies()
	return merged{s, ben.ID}
}

// lastOfBen removes the last movement of Ben, which takes the bonus out of his ledger.
func lastOfBen(m merged, tx *record.Tx) error {
	var last uuid.UUID
	for r := range scene.OnlyValues(tx.Movements.List(record.Query{})) {
		if r.AffiliateID == m.ben {
			last = r.ID
		}
	}
	return tx.Movements.Delete(last)
}

// leaves changes the movement with which the sale leaves the ledger of Ben.
func leaves(change func(*record.Movement)) func(merged, *record.Tx) error {
	return func(m merged, tx *record.Tx) error {
		return scene.Edit(tx.Movements, func(r record.Movement) bool {
			return r.AffiliateID == m.ben && r.Cause.Is(affiliate.CauseMerge) && r.Sale != 0
		}, change)
	}
}

// renames changes what is kept of a former name.
func renames(text string, change func(merged, *record.Erasure)) func(merged, *record.Tx) error {
	return func(m merged, tx *record.Tx) error {
		fits := func(r record.Erasure) bool { return r.Name == text }
		return scene.Edit(tx.Erasures, fits, func(r *record.Erasure) { change(m, r) })
	}
}

// bobIsThere keeps the id of Bob as the name of somebody who was merged.
func bobIsThere(m merged, tx *record.Tx) error {
	config := engine.Config(m.Config())
	name := engine.Name{Kind: engine.NameAffiliate, Text: m.Bob.ID.String()}
	return tx.Erasures.Insert(record.Erasure{
		ID: config.Digest(name), AffiliateID: m.Ada.Person.ID, Name: name.Text, CreatedAt: scene.Began,
	})
}

// TestVerifyMerges: I91, and nothing else finds it.
func TestVerifyMerges(t *testing.T) {
	const (
		seller, customer = "ben@example.org", "cust-kim"
		ledger           = "it was merged, and its movements lead to held 0, payable "
		digest           = "it is not kept under its digest, or leads to "
		another          = "into whom nobody was merged"
	)
	for name, c := range map[string]struct {
		change func(merged, *record.Tx) error
		want   string
	}{
		"bonus left": {lastOfBen, ledger + "3, in payouts 0, paid 0, 0 sales, 0 conversions, revenue 0"},
		"sale left": {
			leaves(func(r *record.Movement) { r.Sales = 0 }),
			ledger + "0, in payouts 0, paid 0, 1 sales",
		},
		"conversion": {leaves(func(r *record.Movement) { r.Conversions = -1 }), "-1 conversions"},
		"revenue":    {leaves(func(r *record.Movement) { r.Revenue = scene.Sum("-99") }), "revenue 1"},
		"another text of an affiliate": {
			renames(seller, func(_ merged, r *record.Erasure) { r.Name = "bob@example.org" }), digest,
		},
		"another text of a customer": {
			renames(customer, func(_ merged, r *record.Erasure) { r.Name = "cust-lou" }), digest,
		},
		"of nobody": {
			renames(customer, func(_ merged, r *record.Erasure) { r.ReferralID = uuid.Nil }), digest,
		},
		"of two": {
			renames(seller, func(m merged, r *record.Erasure) { r.ReferralID = m.Tomas.ID }), digest,
		},
		"without a text": {
			renames(seller, func(_ merged, r *record.Erasure) { r.Name = "" }), "without a text",
		},
		"of nobody who is there": {
			renames(seller, func(_ merged, r *record.Erasure) { r.AffiliateID = uuid.Max }), "not exist",
		},
		"of Bob": {
			renames(seller, func(m merged, r *record.Erasure) { r.AffiliateID = m.Bob.ID }), another,
		},
		"of Bea": {
			renames(customer, func(m merged, r *record.Erasure) { r.ReferralID = m.Bea.ID }), another,
		},
		"of who is there": {bobIsThere, "was merged, and is there"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMerged(t)
			m.Raw(func(tx *record.Tx) error { return c.change(m, tx) })
			err := m.Verify(t.Context())
			diff := cmp.Diff([]string{"I91"}, scene.Broken(err))
			if diff != "" || !scene.Says(err, "I91: "+c.want) {
				t.Errorf("nothing says %q (-want +got):\n%s%v", c.want, diff, err)
			}
			scene.ReportEquals(t, m.Program, err)
		})
	}
}

// TestVerifyMergedOnce: a ledger in which a movement is wrong is not said to be left, too.
func TestVerifyMergedOnce(t *testing.T) {
	m := newMerged(t)
	m.Raw(func(tx *record.Tx) error {
		return leaves(func(r *record.Movement) { r.Number = 9 })(m, tx)
	})
	scene.Equal(t, []string{"I62"}, scene.Broken(m.Verify(t.Context())))
}

// The rates that sales are paid by: plans, tiers and own rates.
func TestVerifyRates(t *testing.T) {
	flat := affiliate.CommissionFlat
	own := func(rate string, typ affiliate.CommissionType) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Affiliates, nil, func(r *record.Affiliate) { r.Rate, r.RateType = scene.Percent(rate), typ })
		}
	}
	plan := func(change func(*record.Plan)) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error {
			rec := record.Plan{ID: uuid.UUID{1}, Name: "p", Trigger: affiliate.TriggerPurchase, CreatedAt: scene.Began, UpdatedAt: scene.Began,
				Terms: affiliate.Terms{Type: affiliate.CommissionPercentage, Rate: affiliate.MustPercent("100")}}
			change(&rec)
			return tx.Plans.Insert(rec)
		}
	}
	tier := func(change func(*record.Tier)) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error {
			rec := record.Tier{ID: uuid.UUID{1}, Tier: 1, Name: "t", Condition: affiliate.ConditionAll, CreatedAt: scene.Began, UpdatedAt: scene.Began,
				Rate: scene.Percent("100"), RateType: affiliate.CommissionPercentage}
			change(&rec)
			return tx.Tiers.Insert(rec)
		}
	}
	scene.RunCorruptions(t, []scene.Corruption{
		{Name: "own rate of 101 %", Change: own("101", affiliate.CommissionPercentage), Want: []string{"I40"}},
		{Name: "negative own rate", Change: own("-1", flat), Want: []string{"I40"}},
		{Name: "negative own rate without a type", Change: own("-1", ""), Want: []string{"I40"}},
		{Name: "own rate of no type", Change: own("5", "SHARE"), Want: []string{"I81"}},
		{Name: "plan of 200 %", Change: plan(func(r *record.Plan) { r.Terms.Rate = affiliate.MustPercent("200") }), Want: []string{"I40"}},
		{Name: "plan of a negative amount", Change: plan(func(r *record.Plan) { r.Terms.Type, r.Terms.Rate = flat, affiliate.MustPercent("-1") }), Want: []string{"I40"}},
		{Name: "plan of no type", Change: plan(func(r *record.Plan) { r.Terms.Type = "" }), Want: []string{"I81"}},
		{Name: "plan that stops before it begins", Change: plan(func(r *record.Plan) { r.Terms.MaxPayments = -1 }), Want: []string{"I40"}},
		{Name: "plan that holds for ever", Change: plan(func(r *record.Plan) { r.Terms.HoldDays = 3651 }), Want: []string{"I40"}},
		{Name: "plan that ends before it begins", Change: plan(func(r *record.Plan) { r.Terms.MaxMonths = -1 }), Want: []string{"I40"}},
		{Name: "version of 200 %", Change: plan(func(r *record.Plan) {
			r.Versions = versions(r, 1)
			r.Versions[0].Terms.Rate = affiliate.MustPercent("200")
		}), Want: []string{"I40"}},
		{Name: "version with rules that contradict", Change: plan(func(r *record.Plan) {
			r.Versions = versions(r, 1)
			r.Versions[0].Terms.Rules = []affiliate.Rule{{Name: "r", When: affiliate.RuleWhen{Customer: affiliate.CustomerNew, PaymentFrom: 2}, Pay: affiliate.RulePay{Type: affiliate.RuleNone}}}
		}), Want: []string{"I40"}},
		{Name: "versions at one time", Change: plan(func(r *record.Plan) { r.Versions = versions(r, 2); r.Versions[1].From = r.Versions[0].From }), Want: []string{"I44"}},
		{Name: "33 versions", Change: plan(func(r *record.Plan) { r.Versions = versions(r, 32) }), Want: []string{"I44"}},
		{Name: "terms of the program with a name", Change: plan(func(r *record.Plan) { r.ID, r.Trigger = uuid.Max, "" }), Want: []string{"I44"}},
		{Name: "terms of the program with a trigger", Change: plan(func(r *record.Plan) { r.ID, r.Name = uuid.Max, "" }), Want: []string{"I44"}},
		{Name: "plan for an unknown payment", Change: plan(func(r *record.Plan) { r.Trigger = "GIFT" }), Want: []string{"I81"}},
		{Name: "plan without a name", Change: plan(func(r *record.Plan) { r.Name = "" }), Want: []string{"I81"}},
		{Name: "plan changed before it was made", Change: plan(func(r *record.Plan) { r.UpdatedAt = scene.Began.Add(-time.Second) }), Want: []string{"I54"}},
		{Name: "tier of a negative rate", Change: tier(func(r *record.Tier) { r.Rate = scene.Percent("-0.0001") }), Want: []string{"I40"}},
		{Name: "tier of 101 %", Change: tier(func(r *record.Tier) { r.Rate = scene.Percent("101") }), Want: []string{"I40"}},
		{Name: "tier of no type", Change: tier(func(r *record.Tier) { r.RateType = "SHARE" }), Want: []string{"I81"}},
		{Name: "tier of rank 0", Change: tier(func(r *record.Tier) { r.Tier = 0 }), Want: []string{"I44"}},
		{Name: "tier from a negative revenue on", Change: tier(func(r *record.Tier) { r.MinRevenue = scene.Sum("-1") }), Want: []string{"I44"}},
		{Name: "tier from a negative number on", Change: tier(func(r *record.Tier) { r.MinReferrals = -1 }), Want: []string{"I44"}},
		{Name: "tier of an unknown condition", Change: tier(func(r *record.Tier) { r.Condition = "" }), Want: []string{"I81"}},
		{Name: "tier without a name", Change: tier(func(r *record.Tier) { r.Name = " " }), Want: []string{"I81"}},
		{Name: "tier changed before it was made", Change: tier(func(r *record.Tier) { r.UpdatedAt = scene.Began.Add(-time.Second) }), Want: []string{"I54"}},
	})
	for name, fine := range map[string]func(*scene.Ledger, *record.Tx) error{
		"own amount": own("250", flat), "own percentage": own("100", affiliate.CommissionPercentage),
		"own rate of before": own("20", ""), "own amount of before": own("250", ""), "plan": plan(func(*record.Plan) {}),
		"tier": tier(func(*record.Tier) {}), "tier without a rate": tier(func(r *record.Tier) { r.Rate, r.RateType = affiliate.Opt[affiliate.Percent]{}, "" }),
		"tier's rate of before":   tier(func(r *record.Tier) { r.RateType = "" }),
		"tier's amount of before": tier(func(r *record.Tier) { r.Rate, r.RateType = scene.Percent("250"), "" }),
	} {
		t.Run("OK "+name, func(t *testing.T) {
			b := scene.NewLedger(t)
			b.Raw(func(tx *record.Tx) error { return fine(b, tx) })
			b.Verifies()
		})
	}
}

// A commission of a sale must be the credited affiliate's.
func TestVerifyCommissionOfAnother(t *testing.T) {
	s := scene.NewShop(t)
	s.ToTomas("100")
	s.Raw(func(tx *record.Tx) error {
		return scene.Edit(tx.Sales, nil, func(r *record.Sale) { r.Commissions[0].AffiliateID = s.Bob.ID })
	})
	scene.Equal(t, []string{"I40", "I64"}, scene.Broken(s.Verify(t.Context())))
}

// versions are later terms of a plan, an hour apart.
func versions(r *record.Plan, n int) (all []affiliate.StoredTerms) {
	for i := range n {
		all = append(all, affiliate.StoredTerms{From: scene.Began.Add(time.Duration(i) * time.Hour), Terms: r.Terms.Clone()})
	}
	return all
}

// TestVerifyReport (console check 19): books in order have no breach, and every
// record is counted.
func TestVerifyReport(t *testing.T) {
	now := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
	p := scene.Must(tributary.New(memstore.New(), tributary.Config{Now: func() time.Time { now = now.Add(time.Millisecond); return now }}))
	empty := affiliate.Verification{Holds: true, Breaches: []affiliate.Breach{}, Took: time.Millisecond}
	scene.Equal(t, empty, scene.Must(p.Run(t.Context(), affiliate.VerifyJob{})).Verification)
	b := scene.NewLedger(t)
	n := int64(0)
	for _, lines := range b.Dump() {
		n += int64(len(lines))
	}
	scene.Equal(t, n, scene.ReportEquals(t, b.Program, nil).Records)
}

// A slowView is a store whose Views wait inside their snapshot.
type slowView struct {
	record.Store
	reached chan struct{}
	wait    func(context.Context)
}

func (s slowView) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return s.Store.View(ctx, id, func(tx *record.Tx) error {
		s.reached <- struct{}{}
		s.wait(ctx)
		return fn(tx)
	})
}

// TestVerifyReportOneAtATime (console check 19): a second one is refused while
// one runs, on every view of the program. The place is free after an end of any
// kind: an answer, an ended context, a panic.
func TestVerifyReportOneAtATime(t *testing.T) {
	store := slowView{memstore.New(), make(chan struct{}, 1), func(ctx context.Context) { <-ctx.Done() }}
	p := scene.Must(tributary.New(store, tributary.Config{}))
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error)
	go func() { first <- scene.ErrOf(p.Run(ctx, affiliate.VerifyJob{})) }()
	<-store.reached
	for name, q := range map[string]*tributary.Program{"same": p, "From": p.From(affiliate.SourceManual), "Keyed": p.Keyed(affiliate.Once{Key: "k"}), "With": p.With(memstore.New())} {
		err := scene.ErrOf(q.Run(t.Context(), affiliate.VerifyJob{}))
		if e, ok := errors.AsType[*affiliate.Error](err); !ok || e.Reason != affiliate.VerifyRunning || e.Kind != affiliate.KindConflict || e.Message != "A verification is running" {
			t.Errorf("%s: a second one: %v", name, err)
		}
	}
	if err := p.With(memstore.New()).Verify(t.Context()); err != nil {
		t.Errorf("Verify meanwhile: %v", err)
	}
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	func() {
		defer func() { _ = recover() }()
		q := p.With(slowView{memstore.New(), store.reached, func(context.Context) { panic("store") }})
		t.Errorf("no panic: %v", scene.ErrOf(q.Run(t.Context(), affiliate.VerifyJob{})))
	}()
	scene.Must(p.With(memstore.New()).Run(t.Context(), affiliate.VerifyJob{}))
}

// TestVerifyEnds (console check 19): a context that ends stops the reading and
// the comparing, each after at most so many records.
func TestVerifyEnds(t *testing.T) {
	w := scene.New(t)
	w.Raw(func(tx *record.Tx) error {
		for i := range 5000 {
			id := uuid.UUID{0: 1, 1: byte(i >> 8), 2: byte(i), 6: 0x70, 8: 0x80}
			if err := tx.Clicks.Insert(record.Click{ID: id, Number: int64(i + 1)}); err != nil {
				return err
			}
		}
		return nil
	})
	for _, left := range []int{1, 2, 4, 6, 8, 12, 20} {
		ctx := &endsAfter{Context: t.Context()}
		ctx.left.Store(int64(left))
		if err := w.Verify(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("a context that ends at look %d: %v", left, err)
		}
	}
}

// An endsAfter is a context that ends when it was asked so many times.
type endsAfter struct {
	context.Context
	left atomic.Int64
}

func (c *endsAfter) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestVerifyReportBesideWriters (console check 19, with 2,000 sales instead of
// 10^6): sales go on during the check, and no snapshot shows half of one.
func TestVerifyReportBesideWriters(t *testing.T) {
	w := scene.New(t)
	w.Ada()
	const writers = 16
	each := 2000 / writers
	var wg sync.WaitGroup
	var done atomic.Int64
	for n := range writers {
		wg.Go(func() {
			defer done.Add(1)
			for i := range each {
				in := affiliate.SaleParams{ReferralID: "ada", Email: fmt.Sprintf("c%d@example.net", n), Name: "C", TotalEarned: scene.Sum("10"), ExternalID: fmt.Sprint(n, "-", i)}
				if _, err := w.RecordSale(t.Context(), in); err != nil {
					t.Error(err)
				}
			}
		})
	}
	checks := 0
	for last := false; !last; checks++ {
		last = done.Load() == writers
		if got := scene.Must(w.Run(t.Context(), affiliate.VerifyJob{})).Verification; !got.Holds {
			t.Fatalf("after %d checks: %v", checks, got.Breaches)
		}
	}
	wg.Wait()
	t.Logf("%d checks beside %d sales", checks, writers*each)
	if checks < 2 {
		t.Errorf("%d checks", checks)
	}
}
