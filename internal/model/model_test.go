package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
)

// TestProperties: every property holds in every state, and a fault that is planted into a model is found, with the shortest
// way to it.
func TestProperties(t *testing.T) {
	var out strings.Builder
	if err := run(&out); err != nil || strings.Count(out.String(), "\n") != 4 {
		t.Errorf("%v\n%s", err, out.String())
	}
	for _, fault := range []string{faultLate, faultReleased, faultTwice} {
		finds(t, fault, machineOfPlaces(fault))
	}
	for _, fault := range []string{faultUncut, faultGivesOut, faultLoses} {
		finds(t, fault, machineOfBudget(fault))
	}
	for _, fault := range []string{faultPaidTwice, faultGoneForGood, faultForgiven} {
		finds(t, fault, machineOfMoney(fault))
	}
}

func finds[S, A comparable](t *testing.T, fault string, m *machine[S, A]) {
	t.Helper()
	_, err := m.explore()
	found, ok := errors.AsType[*violation[A]](err)
	if !ok {
		t.Errorf("%s: nobody sees it", fault)
		return
	}
	t.Logf("%s: %v", fault, found)
}

// An engine is a program that does the deeds of a model.
type engine[S, A comparable] interface {
	do(context.Context, A) (told string, err error)
	state(context.Context) (S, error)
	Verify(context.Context) error
}

// replay takes every step of a model with an engine: its answer is that of the model, and so is its state afterwards;
// the books hold after every fiftieth.
func replay[S, A comparable](t *testing.T, m *machine[S, A], open func() engine[S, A], same func(told, want string) bool) {
	t.Helper()
	f, err := m.explore()
	if err != nil {
		t.Fatal(err)
	}
	taken := 0
	for i, s := range f.steps {
		if testing.Short() && i%7 != 0 {
			continue
		}
		taken++
		e := open()
		path := append(slices.Clone(f.paths[s.before]), s.deed)
		var told string
		for _, deed := range path {
			if told, err = e.do(t.Context(), deed); err != nil {
				t.Fatalf("%v: %v", path, err)
			}
		}
		is, err := e.state(t.Context())
		after := s.after
		if m.seen != nil {
			after = m.seen(after)
		}
		if err != nil || is != after || !same(told, s.told) {
			t.Fatalf("%v: the engine says %q, the model %q\nengine %+v\nmodel  %+v, %v", path, told, s.told, is, after, err)
		}
		if taken%50 == 0 {
			if err := e.Verify(t.Context()); err != nil {
				t.Fatalf("%v: %v", path, err)
			}
		}
	}
	t.Logf("%d of %d steps of %s", taken, len(f.steps), m.name)
}

// reasonOf returns the reason of a refusal; ok for none.
func reasonOf(err error) (string, error) {
	if refused, ok := errors.AsType[*affiliate.Error](err); ok {
		return string(refused.Reason), nil
	}
	return fine, err
}

func program(t *testing.T, now *time.Time, change func(*tributary.Config)) *tributary.Program {
	t.Helper()
	cfg := tributary.Config{Now: func() time.Time { return *now }, Terms: affiliate.Terms{Rate: affiliate.MustPercent("10")}}
	change(&cfg)
	p, err := tributary.New(memstore.New(), cfg)
	if err == nil {
		_, err = p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.com", AffiliateLink: "ada"})
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A checkout does the deeds of places.
type checkout struct {
	*tributary.Program
	now   *time.Time
	held  [orders]bool // at some time
	sales [orders]affiliate.SaleID
	back  [orders]bool // given back; of a plain code only its count tells
}

func (c *checkout) do(ctx context.Context, d placeDeed) (string, error) {
	basket := affiliate.Order{PromoCode: "LAST2", Subtotal: affiliate.Set(affiliate.MustAmount("100")), Email: fmt.Sprintf("o%d@example.net", d.of)}
	hold, own := fmt.Sprint("h", d.of), fmt.Sprint("o", d.of)
	switch d.name {
	case lapses:
		*c.now = c.now.Add(time.Hour)
		return fine, nil
	case holds:
		_, err := c.HoldRedemption(ctx, affiliate.HoldParams{ID: hold, Order: basket, Until: c.now.Add(30 * time.Minute)})
		c.held[d.of] = c.held[d.of] || err == nil
		return reasonOf(err)
	case releases:
		_, err := c.ReleaseHold(ctx, hold)
		return reasonOf(err)
	case restores:
		err := c.RestoreRedemption(ctx, affiliate.SaleRef{ExternalID: own})
		c.back[d.of] = c.back[d.of] || err == nil
		return reasonOf(err)
	}
	in := affiliate.SaleParams{PromoCode: basket.PromoCode, Subtotal: basket.Subtotal, TotalEarned: affiliate.MustAmount("90"), Email: basket.Email, Name: "O", ExternalID: own}
	if c.held[d.of] {
		in.HoldID = hold
	}
	res, err := c.RecordSale(ctx, in)
	if sale, made := res.Sale.Get(); made && res.Outcome == affiliate.SaleRecorded {
		c.sales[d.of] = sale.ID
	} else if err == nil {
		return string(res.Outcome), nil
	}
	return reasonOf(err)
}

func (c *checkout) state(ctx context.Context) (s places, err error) {
	redeemed := int64(0)
	for i := range s {
		is, err := c.Hold(ctx, fmt.Sprint("h", i))
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			return s, err
		}
		s[i].hold = map[affiliate.HoldState]uint8{"": noHold, affiliate.HoldHeld: held, affiliate.HoldLapsed: ended, affiliate.HoldReleased: ended, affiliate.HoldConfirmed: taken}[is.State]
		if c.sales[i] == 0 {
			continue
		}
		e, err := c.ExplainSale(ctx, c.sales[i])
		if err != nil {
			return s, err
		}
		s[i].sale = sold
		if r, told := e.Redemption.Get(); told {
			if r.Over {
				s[i].sale = over
			}
			if _, back := r.RestoredAt.Get(); back != c.back[i] {
				return s, fmt.Errorf("order %d is given back: %v", i, back)
			}
		}
		if c.back[i] {
			s[i].sale = restored
		}
		if s[i].sale != restored {
			redeemed++
		}
	}
	code, err := c.Code(ctx, affiliate.CodeRef{Code: "LAST2"})
	if err == nil && code.TimesRedeemed != redeemed {
		err = fmt.Errorf("the code counts %d, and %d are redeemed", code.TimesRedeemed, redeemed)
	}
	return s, err
}

// TestPlaces: every step of the model of places, by a limit of the code, one of its coupon, and a budget.
func TestPlaces(t *testing.T) {
	two := affiliate.Set[int64](most)
	for name, of := range map[string]struct {
		coupon affiliate.CouponParams
		code   affiliate.CodeParams
	}{
		"a code":   {affiliate.CouponParams{}, affiliate.CodeParams{MaxRedemptions: two}},
		"a coupon": {affiliate.CouponParams{MaxRedemptions: two}, affiliate.CodeParams{}},
		"a budget": {affiliate.CouponParams{MaxDiscountTotal: affiliate.Set(affiliate.MustAmount("15"))}, affiliate.CodeParams{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := func() engine[places, placeDeed] {
				now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
				c := &checkout{Program: program(t, &now, func(*tributary.Config) {}), now: &now}
				of.coupon.Name, of.coupon.PercentOff = "last", affiliate.Set(affiliate.MustPercent("10"))
				coupon, err := c.CreateCoupon(t.Context(), of.coupon)
				if err == nil {
					of.code.CouponID, of.code.Code, of.code.AffiliateEmail = coupon.ID, "LAST2", "ada@example.com"
					_, err = c.CreateCode(t.Context(), of.code)
				}
				if err != nil {
					t.Fatal(err)
				}
				return c
			}
			replay(t, machineOfPlaces(noFault), open, func(told, want string) bool {
				return told == want || want == string(affiliate.CodeExhausted) && slices.Contains([]affiliate.Reason{affiliate.CouponExhausted, affiliate.BudgetSpent}, affiliate.Reason(told))
			})
		})
	}
}

// A till does the deeds of money.
type till struct {
	*tributary.Program
	now      *time.Time
	told     [payments]payment
	pending  uuid.UUID
	earnedBy uuid.UUID
}

func (c *till) do(ctx context.Context, d moneyDeed) (string, error) {
	*c.now = c.now.Add(time.Minute)
	p := &c.told[d.of]
	fact := affiliate.PaymentFact{Provider: "stripe", Keys: []string{fmt.Sprint("pi_", d.of)}, At: *c.now, Currency: "USD", Payer: affiliate.PayerFact{ID: "cus", Email: "c@example.net", Name: "C"}}
	whole := affiliate.MustAmount(fmt.Sprint(gross))
	switch d.name {
	case pays:
		p.paid = true
		fact.Sale = affiliate.Set(affiliate.Paid{Gross: whole, Tries: []affiliate.Credit{{ReferralID: "ada"}}, SaleParams: affiliate.SaleParams{TotalEarned: whole, ExternalID: fact.Keys[0]}})
	case refunds40, refunds100:
		back := uint8(40)
		if d.name == refunds100 {
			back = gross - p.refunded
		}
		p.refunded += back
		fact.Refunds = []affiliate.RefundFact{{ID: fmt.Sprint("re_", p.refunded), Amount: affiliate.MustAmount(fmt.Sprint(back)), State: affiliate.RefundSucceeded}}
	case disputes, wins:
		fact.Disputes = []affiliate.DisputeFact{{ID: "dp", Amount: whole, State: map[string]affiliate.DisputeState{disputes: affiliate.DisputeWithdrawn, wins: affiliate.DisputeWon}[d.name]}}
		p.dispute++
	case draws:
		made, err := c.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: c.earnedBy})
		c.pending = made.ID
		return reasonOf(err)
	case settles:
		_, err := c.SetPayoutStatus(ctx, c.pending, affiliate.PayoutPaid)
		return reasonOf(err)
	case gives:
		_, err := c.SetPayoutStatus(ctx, c.pending, affiliate.PayoutCanceled)
		return reasonOf(err)
	}
	_, err := c.Payments().ReportPayment(ctx, fact)
	return reasonOf(err)
}

func (c *till) state(ctx context.Context) (s money, err error) {
	for i := range s.of {
		is, err := c.Payments().ProviderPayment(ctx, "stripe", fmt.Sprint("pi_", i))
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			return s, err
		}
		s.of[i] = c.told[i]
		if lost := affiliate.MustAmount(fmt.Sprint(gross - c.told[i].kept())); c.told[i].paid && is.Lost != lost {
			return s, fmt.Errorf("payment %d has lost %v, and not %v", i, is.Lost, lost)
		}
	}
	b, err := c.Balance(ctx, affiliate.AffiliateRef{ID: c.earnedBy})
	if err != nil {
		return s, err
	}
	whole := func(a affiliate.Amount) int { return int(a.Scaled() / 10_000) }
	s.pending, s.out = whole(b.InPayout), whole(b.Paid)
	if got := whole(b.Payable); got != s.payable() {
		err = fmt.Errorf("%d is payable, and not %d", got, s.payable())
	}
	return s, err
}

// TestMoney: every step of the model of money that comes back.
func TestMoney(t *testing.T) {
	t.Parallel()
	open := func() engine[money, moneyDeed] {
		now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
		c := &till{Program: program(t, &now, func(*tributary.Config) {}), now: &now}
		ada, err := c.Affiliate(t.Context(), "ada@example.com")
		if err != nil {
			t.Fatal(err)
		}
		c.earnedBy = ada.ID
		return c
	}
	replay(t, machineOfMoney(noFault), open, func(told, want string) bool { return told == want })
}

// A counter does the deeds of a budget.
type counter struct {
	*tributary.Program
	sales [sales]affiliate.SaleID
}

func (c *counter) do(ctx context.Context, d budgetDeed) (string, error) {
	id := c.sales[d.of]
	var err error
	switch d.name {
	case sold100:
		res, err := c.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", TotalEarned: affiliate.MustAmount("100"), Email: fmt.Sprintf("s%d@example.net", d.of), Name: "S", ExternalID: fmt.Sprint("s", d.of)})
		sale, _ := res.Sale.Get()
		c.sales[d.of] = sale.ID
		return reasonOf(err)
	case back40:
		_, err = c.RefundSale(ctx, affiliate.Refund{SaleID: id, Amount: affiliate.Set(affiliate.MustAmount("40")), RefundID: "re_40"})
	case backAll:
		_, err = c.RefundSale(ctx, affiliate.Refund{SaleID: id, RefundID: "re_all"})
	case declines, accepts:
		_, err = c.ReviewCommissions(ctx, map[string]affiliate.ApprovalStatus{declines: affiliate.ApprovalDeclined, accepts: affiliate.ApprovalAccepted}[d.name], id)
	default:
		_, err = c.Run(ctx, affiliate.RecalculateJob{AffiliateEmail: affiliate.Set("ada@example.com")})
	}
	return reasonOf(err)
}

func (c *counter) state(ctx context.Context) (s earnings, err error) {
	for i, id := range c.sales {
		if id == 0 {
			continue
		}
		sale, err := c.Sale(ctx, id)
		if err != nil {
			return s, err
		}
		whole := func(a affiliate.Amount) int { return int(a.Scaled() / 10_000) }
		s[i] = earning{sold: true, kept: uint8(100 - whole(sale.RefundedAmount))}
		for _, one := range sale.Commissions {
			s[i].declined = s[i].declined || one.ApprovalStatus == affiliate.ApprovalDeclined
		}
		if !s[i].declined {
			s[i].limit = uint8(whole(sale.CommissionEarned))
		}
	}
	return s, nil
}

// TestBudget: every step of the model of a budget.
func TestBudget(t *testing.T) {
	t.Parallel()
	open := func() engine[earnings, budgetDeed] {
		now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
		return &counter{Program: program(t, &now, func(cfg *tributary.Config) {
			cfg.Terms.Budgets = []affiliate.Budget{{Of: affiliate.BudgetOfAll, MaxCommission: affiliate.MustAmount(fmt.Sprint(all25))}}
		})}
	}
	replay(t, machineOfBudget(noFault), open, func(told, want string) bool { return told == want })
}
