package affiliate_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A scenario is a write. It runs on the program that it is given. again is true
// if a second run may change something.
type scenario struct {
	run   func(p *tributary.Program) error
	again bool // a second run is another change, or refused
}

func (s saleShop) scenarios(ctx context.Context) map[string]scenario {
	byCode := affiliate.NewSale{PromoCode: "ADA20", Email: "new@example.net", Name: "N", TotalEarned: sum("100"), ExternalID: "order-9"}
	once := byCode
	once.ExternalID, once.Once = "", affiliate.Once{Key: "k"}
	refused := affiliate.NewSale{Once: affiliate.Once{Key: "r"}, PromoCode: "NOPE", TotalEarned: sum("1")}
	click := affiliate.NewSale{ReferralID: jsonOf(s.click.ID), Email: "c@example.net", Name: "C", TotalEarned: sum("9"), ExternalInvoiceID: "inv-9"}
	last := must(s.Sales(ctx, affiliate.SaleFilter{}, affiliate.Page{})).Items[0].ID
	sale := func(in affiliate.NewSale) func(*tributary.Program) error {
		return func(p *tributary.Program) error { _, err := p.RecordSale(ctx, in); return err }
	}
	return map[string]scenario{
		"sale by code, external id": {sale(byCode), false},
		"sale by code, key":         {sale(once), false},
		"sale by click":             {sale(click), false},
		"refusal with a key": {func(p *tributary.Program) error {
			_, err := p.RecordSale(ctx, refused)
			if errors.Is(err, affiliate.CodeNotFound) {
				return nil
			}
			return err
		}, false},
		"referral": {func(p *tributary.Program) error {
			_, err := p.CreateReferral(ctx, affiliate.NewReferral{AffiliateID: jsonOf(s.click.ID), Name: "N", Email: "n@example.net", ReferredUserExternalID: "n"})
			return err
		}, false},
		"referral update": {func(p *tributary.Program) error {
			_, err := p.UpdateReferral(ctx, s.tomas.ID.String(), affiliate.ReferralUpdate{Email: textOf("t@example.net"), Notes: textOf("x")})
			return err
		}, false},
		"status": {func(p *tributary.Program) error {
			_, err := p.PushReferralStatus(ctx, s.tomas.ID.String(), affiliate.SubscriptionPastDue)
			return err
		}, false},
		"referral delete": {func(p *tributary.Program) error { return p.DeleteReferral(ctx, s.bea.ID.String()) }, false},
		"import": {func(p *tributary.Program) error {
			row := affiliate.ImportedReferral{CreatedAt: start.Add(-time.Hour), NewReferral: affiliate.NewReferral{AffiliateID: jsonOf(s.click.ID), Name: "I", Email: "i@example.net", ReferredUserExternalID: "i"}}
			bad := row
			bad.AffiliateID, bad.Email = "nobody", "j@example.net"
			byCode := row
			byCode.PromoCode, byCode.Email = "ADA20", "k@example.net"
			report, err := p.ImportReferrals(ctx, []affiliate.ImportedReferral{row, bad, byCode})
			if err == nil && (report.Created+report.Existing != 2 || len(report.Failed) != 1) {
				return errors.New("half an import")
			}
			return err
		}, false},
		"sale update": {func(p *tributary.Program) error {
			_, err := p.UpdateSale(ctx, last, affiliate.SaleUpdate{TotalEarned: amount("300"), CommissionRate: affiliate.Null[affiliate.Percent](), ExternalID: textOf("n"), ExternalInvoiceID: textOf("m")})
			return err
		}, false},
		"partial refund": {func(p *tributary.Program) error {
			_, err := p.RefundSale(ctx, affiliate.Refund{SaleID: last, Amount: amount("5"), RefundID: "r"})
			return err
		}, false},
		"full refund": {func(p *tributary.Program) error {
			_, err := p.RefundSale(ctx, affiliate.Refund{SaleID: last})
			return err
		}, false},
		"sale delete": {func(p *tributary.Program) error { return p.DeleteSale(ctx, last) }, false},
		"review": {func(p *tributary.Program) error {
			_, err := p.ReviewCommissions(ctx, affiliate.ApprovalOnHold, 1, last)
			return err
		}, false},
		"recalculate": {func(p *tributary.Program) error {
			_, err := p.RecalculateSales(ctx, affiliate.SaleFilter{ReferralID: affiliate.Set(s.tomas.Email)})
			return err
		}, false},
		"payout": {func(p *tributary.Program) error {
			_, err := p.CreatePayout(ctx, affiliate.NewPayout{AffiliateID: s.ada.affiliate.ID})
			return err
		}, true},
		"claw-back": {func(p *tributary.Program) error {
			_, err := p.RefundSale(ctx, affiliate.Refund{SaleID: 3, Amount: amount("5"), RefundID: "c", ClawBack: true})
			return err
		}, false},
		"dispute": {func(p *tributary.Program) error {
			return errOf(p.ReverseSale(ctx, affiliate.SaleRef{ID: 3}, affiliate.Reversal{ClawBack: true}))
		}, false},
		"update of what was paid": {func(p *tributary.Program) error {
			_, err := p.UpdateSale(ctx, 3, affiliate.SaleUpdate{TotalEarned: amount("300"), ClawBack: true})
			return err
		}, false},
		"payout canceled": {func(p *tributary.Program) error {
			list, err := p.Payouts(ctx, affiliate.PayoutFilter{}, affiliate.Page{})
			if err == nil {
				_, err = p.CancelPayout(ctx, list.Items[0].ID)
			}
			return err
		}, false},
		"adjustment": {func(p *tributary.Program) error {
			_, err := p.RecordAdjustment(ctx, affiliate.NewAdjustment{AffiliateID: s.ada.affiliate.ID, Kind: "BONUS", Amount: sum("1"), Reason: "r", ExternalID: "a9", Once: affiliate.Once{Key: "a"}})
			return err
		}, false},
		"adjustment reversed": {func(p *tributary.Program) error {
			list, err := p.Adjustments(ctx, affiliate.AdjustmentFilter{}, affiliate.Page{})
			if err == nil {
				last := list.Items[len(list.Items)-1].ID
				_, err = p.RecordAdjustment(ctx, affiliate.NewAdjustment{Reverses: last, Reason: "r", Once: affiliate.Once{Key: "b"}})
			}
			return err
		}, false},
		"payout paid":   {func(p *tributary.Program) error { return payFirst(ctx, p) }, false},
		"referral plan": {func(p *tributary.Program) error { return planFirst(ctx, p, s.bea) }, false},
		"affiliate goes": {func(p *tributary.Program) error {
			return p.DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: s.ada.affiliate.ID})
		}, false},
	}
}

func payFirst(ctx context.Context, p *tributary.Program) error {
	list, err := p.Payouts(ctx, affiliate.PayoutFilter{}, affiliate.Page{})
	if err != nil {
		return err
	}
	_, err = p.SetPayoutStatus(ctx, list.Items[0].ID, affiliate.PayoutPaid)
	return err
}

func planFirst(ctx context.Context, p *tributary.Program, r affiliate.Referral) error {
	list, err := p.Plans(ctx, affiliate.Page{})
	if err != nil {
		return err
	}
	_, err = p.SetReferralPlan(ctx, list.Items[0].ID, r.ID)
	return err
}

// faultShop returns a shop in which every scenario has something to do.
func faultShop(t testing.TB) saleShop {
	s := newSaleShop(t)
	s.hook(affiliate.EventTypes()...)
	s.sell(affiliate.NewSale{Email: s.bea.Email})
	s.sell(affiliate.NewSale{Email: s.bea.Email})
	clara := s.customerless()
	s.adjust(affiliate.NewAdjustment{AffiliateID: clara.ID, Kind: "BONUS", Amount: sum("5")})
	must(s.CreatePayout(t.Context(), affiliate.NewPayout{AffiliateID: clara.ID}))
	s.adjust(affiliate.NewAdjustment{Kind: "CORRECTION", Amount: sum("-1")})
	plan := must(s.CreatePlan(t.Context(), affiliate.NewPlan{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("30")}}))
	s.toTomas("100")
	s.sell(affiliate.NewSale{Email: s.tomas.Email, PromoCode: "ADA20", CommissionRate: percent("15"), ExternalInvoiceID: "last"})
	must(s.SetAffiliatePlan(t.Context(), plan.ID, s.ada.affiliate.ID))
	return s
}

// customerless returns an affiliate with one sale by its own code, for a payout
// that does not affect the other scenarios.
func (s saleShop) customerless() affiliate.Affiliate {
	ctx := s.t.Context()
	a := must(s.CreateAffiliate(ctx, affiliate.NewAffiliate{FirstName: "C", LastName: "L", Email: "c@example.com"}))
	must(s.CreateCode(ctx, affiliate.NewCode{CouponID: s.coupon.ID, Code: "CLARA", AffiliateID: a.ID}))
	s.sell(affiliate.NewSale{PromoCode: "CLARA"})
	return a
}

// A fault at any call of any scenario changes nothing, is not a refusal, and
// does not prevent the repeat. The repeat of a scenario that succeeded adds
// nothing.
func TestSalesFaults(t *testing.T) {
	ctx := t.Context()
	faults := map[string]func(record.Store, int) record.Store{
		"FailAt": conformance.FailAt, "PanicAt": conformance.PanicAt, "CancelAt": conformance.CancelAt,
	}
	for name := range faultShop(t).scenarios(ctx) {
		for kind, fault := range faults {
			t.Run(name+" "+kind, func(t *testing.T) {
				s := faultShop(t)
				sc := s.scenarios(ctx)[name]
				before := s.dump()
				step := 7 // the other kinds fail only at some of the calls
				if kind == "FailAt" {
					step = 1
				}
				for n := 1; ; n += step {
					if n > 500 {
						t.Fatal("no end")
					}
					_, err := quietly(func() (int, error) { return 0, sc.run(s.With(fault(s.store, n))) })
					if err == nil {
						break
					}
					s.injected(n, err)
					if diff := cmp.Diff(before, s.dump()); diff != "" {
						t.Fatalf("call %d left something (-before +after):\n%s", n, diff)
					}
				}
				if cmp.Equal(before, s.dump()) {
					t.Error("the scenario does nothing")
				}
				s.verify()
				s.repeats(sc)
			})
		}
	}
}

// injected fails the test unless err is the store's error and is not public.
func (s saleShop) injected(n int, err error) {
	s.t.Helper()
	if !errors.Is(err, conformance.ErrInjected) && !errors.Is(err, context.Canceled) {
		s.t.Errorf("call %d: %v", n, err)
	}
	if refusal, ok := errors.AsType[*affiliate.Error](err); ok {
		s.t.Errorf("call %d: the refusal %q", n, refusal.Message)
	}
}

// repeats runs a scenario again that has succeeded: nothing is added.
func (s saleShop) repeats(sc scenario) {
	s.t.Helper()
	if sc.again {
		return
	}
	after := s.dump()
	s.pass(time.Second)
	if err := sc.run(s.Program); err != nil {
		s.t.Errorf("repeat: %v", err)
	}
	if diff := cmp.Diff(after, s.dump()); diff != "" {
		s.t.Errorf("the repeat changed something:\n%s", diff)
	}
}

// A commit whose answer is lost is complete, and its repeat adds nothing.
func TestSalesLostAnswers(t *testing.T) {
	ctx := t.Context()
	for name := range faultShop(t).scenarios(ctx) {
		t.Run(name, func(t *testing.T) {
			s := faultShop(t)
			sc := s.scenarios(ctx)[name]
			before := s.dump()
			err := sc.run(s.With(conformance.LoseAnswer(s.store, 1)))
			if !errors.Is(err, conformance.ErrInjected) {
				t.Fatalf("%v", err)
			}
			s.injected(1, err)
			if cmp.Equal(before, s.dump()) {
				t.Error("nothing was committed")
			}
			s.verify()
			s.repeats(sc)
		})
	}
}

// Every scenario stores the same records when its closures run twice, and no
// error of the store has a text for clients.
func TestSalesRerun(t *testing.T) {
	ctx := t.Context()
	for name := range faultShop(t).scenarios(ctx) {
		plain, twice := faultShop(t), faultShop(t)
		must(0, plain.scenarios(ctx)[name].run(plain.Program))
		must(0, twice.scenarios(ctx)[name].run(twice.With(conformance.Rerun(twice.store))))
		a, b := plain.dump(), twice.dump()
		for table := range a {
			if len(a[table]) != len(b[table]) {
				t.Errorf("%s: %d %s once, %d when run twice", name, len(a[table]), table, len(b[table]))
			}
		}
		twice.verify()
	}
	for _, e := range refusal.Refusals() {
		if strings.Contains(e.Message, "injected") || strings.Contains(e.Message, "affiliate:") {
			t.Errorf("%q", e.Message)
		}
	}
}

// Reads return the store's error unchanged.
func TestSalesReadFaults(t *testing.T) {
	ctx := t.Context()
	s := faultShop(t)
	broken := s.With(failingViews{s.store})
	for name, read := range map[string]func() error{
		"sale":  func() error { _, err := broken.Sale(ctx, 1); return err },
		"sales": func() error { _, err := broken.Sales(ctx, affiliate.SaleFilter{}, affiliate.Page{}); return err },
		"by email": func() error {
			_, err := broken.Sales(ctx, affiliate.SaleFilter{AffiliateEmail: affiliate.Set("ada@example.com")}, affiliate.Page{})
			return err
		},
		"by id": func() error {
			_, err := broken.Sales(ctx, affiliate.SaleFilter{ExternalID: affiliate.Set("x")}, affiliate.Page{})
			return err
		},
		"referral": func() error { _, err := broken.Referral(ctx, s.tomas.Email); return err },
		"referrals": func() error {
			_, err := broken.Referrals(ctx, affiliate.ReferralFilter{AffiliateEmail: affiliate.Set("ada@example.com")}, affiliate.Page{})
			return err
		},
		"payouts": func() error { _, err := broken.Payouts(ctx, affiliate.PayoutFilter{}, affiliate.Page{}); return err },
		"payout":  func() error { _, err := broken.Payout(ctx, s.bob.ID); return err },
	} {
		if err := read(); !errors.Is(err, conformance.ErrInjected) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// failingViews is a store whose Views fail at the first call of a table.
type failingViews struct{ record.Store }

func (f failingViews) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return conformance.FailAt(f.Store, 1).Update(ctx, id, fn)
}
