package proofs_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/scene"
)

// A scenario is a write. It runs on the program that it is given. again is true
// if a second run may change something.
type scenario struct {
	run   func(p *tributary.Program) error
	again bool // a second run is another change, or refused
}

func scenarios(s scene.Shop, ctx context.Context) map[string]scenario {
	byCode := affiliate.SaleParams{PromoCode: "ADA20", Email: "new@example.net", Name: "N", TotalEarned: scene.Sum("100"), ExternalID: "order-9"}
	once := byCode
	once.ExternalID, once.Once = "", affiliate.Once{Key: "k"}
	refused := affiliate.SaleParams{Once: affiliate.Once{Key: "r"}, PromoCode: "NOPE", TotalEarned: scene.Sum("1")}
	click := affiliate.SaleParams{ReferralID: scene.JSON(s.Click.ID), Email: "c@example.net", Name: "C", TotalEarned: scene.Sum("9"), ExternalInvoiceID: "inv-9"}
	last := scene.Must(s.Sales(ctx, affiliate.SaleQuery{}, affiliate.Page{})).Items[0].ID
	sale := func(in affiliate.SaleParams) func(*tributary.Program) error {
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
			_, err := p.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: scene.JSON(s.Click.ID), Name: "N", Email: "n@example.net", ReferredUserExternalID: "n"})
			return err
		}, false},
		"referral update": {func(p *tributary.Program) error {
			_, err := p.UpdateReferral(ctx, s.Tomas.ID.String(), affiliate.ReferralUpdate{Email: scene.TextOf("t@example.net"), Notes: scene.TextOf("x")})
			return err
		}, false},
		"status": {func(p *tributary.Program) error {
			_, err := p.PushReferralStatus(ctx, s.Tomas.ID.String(), affiliate.SubscriptionPastDue)
			return err
		}, false},
		"referral delete": {func(p *tributary.Program) error { return p.Forfeiting().DeleteReferral(ctx, s.Bea.ID.String()) }, false},
		"import": {func(p *tributary.Program) error {
			row := imported.Referral{CreatedAt: scene.Start.Add(-time.Hour), ReferralParams: affiliate.ReferralParams{AffiliateID: scene.JSON(s.Click.ID), Name: "I", Email: "i@example.net", ReferredUserExternalID: "i"}}
			bad := row
			bad.AffiliateID, bad.Email = "nobody", "j@example.net"
			byCode := row
			byCode.PromoCode, byCode.Email, byCode.ReferredUserExternalID = "ADA20", "k@example.net", "k"
			report, err := p.Imports().Referrals(ctx, []imported.Referral{row, bad, byCode})
			if err == nil && (report.Created+report.Existing != 2 || len(report.Failed) != 1) {
				return errors.New("half an import")
			}
			return err
		}, false},
		"sale update": {func(p *tributary.Program) error {
			_, err := p.UpdateSale(ctx, last, affiliate.SaleUpdate{TotalEarned: scene.Amount("300"), CommissionRate: affiliate.Null[affiliate.Percent](), ExternalID: scene.TextOf("n"), ExternalInvoiceID: scene.TextOf("m")})
			return err
		}, false},
		"partial refund": {func(p *tributary.Program) error {
			_, err := p.RefundSale(ctx, affiliate.Refund{SaleID: last, Amount: scene.Amount("5"), RefundID: "r"})
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
			_, err := p.Run(ctx, affiliate.RecalculateJob{ReferralID: affiliate.Set(s.Tomas.Email)})
			return err
		}, false},
		"payout": {func(p *tributary.Program) error {
			_, err := p.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.Ada.Person.ID})
			return err
		}, true},
		"claw-back": {func(p *tributary.Program) error {
			_, err := p.RefundSale(ctx, affiliate.Refund{SaleID: 3, Amount: scene.Amount("5"), RefundID: "c", ClawBack: true})
			return err
		}, false},
		"dispute": {func(p *tributary.Program) error {
			return scene.ErrOf(p.ReverseSale(ctx, affiliate.SaleRef{ID: 3}, affiliate.Reversal{ClawBack: true}))
		}, false},
		"update of what was paid": {func(p *tributary.Program) error {
			_, err := p.UpdateSale(ctx, 3, affiliate.SaleUpdate{TotalEarned: scene.Amount("300"), ClawBack: true})
			return err
		}, false},
		"payout canceled": {func(p *tributary.Program) error {
			list, err := p.Payouts(ctx, affiliate.PayoutQuery{}, affiliate.Page{})
			if err == nil {
				_, err = p.SetPayoutStatus(ctx, list.Items[0].ID, affiliate.PayoutCanceled)
			}
			return err
		}, false},
		"adjustment": {func(p *tributary.Program) error {
			_, err := p.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: s.Ada.Person.ID, Kind: "BONUS", Amount: scene.Sum("1"), Reason: "r", ExternalID: "a9", Once: affiliate.Once{Key: "a"}})
			return err
		}, false},
		"adjustment reversed": {func(p *tributary.Program) error {
			list, err := p.Adjustments(ctx, affiliate.AdjustmentQuery{}, affiliate.Page{})
			if err == nil {
				last := list.Items[len(list.Items)-1].ID
				_, err = p.RecordAdjustment(ctx, affiliate.AdjustmentParams{Reverses: last, Reason: "r", Once: affiliate.Once{Key: "b"}})
			}
			return err
		}, false},
		"payout paid":   {func(p *tributary.Program) error { return payFirst(ctx, p) }, false},
		"referral plan": {func(p *tributary.Program) error { return planFirst(ctx, p, s.Bea) }, false},
		"affiliate goes": {func(p *tributary.Program) error {
			return p.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID})
		}, false},
	}
}

func payFirst(ctx context.Context, p *tributary.Program) error {
	list, err := p.Payouts(ctx, affiliate.PayoutQuery{}, affiliate.Page{})
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
func faultShop(t testing.TB) scene.Shop {
	s := scene.NewShop(t)
	s.Hook(affiliate.EventTypes()...)
	s.Sell(affiliate.SaleParams{Email: s.Bea.Email})
	s.Sell(affiliate.SaleParams{Email: s.Bea.Email})
	clara := customerless(s)
	s.Adjust(affiliate.AdjustmentParams{AffiliateID: clara.ID, Kind: "BONUS", Amount: scene.Sum("5")})
	scene.Must(s.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: clara.ID}))
	s.Adjust(affiliate.AdjustmentParams{Kind: "CORRECTION", Amount: scene.Sum("-1")})
	plan := scene.Must(s.CreatePlan(t.Context(), affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("30")}}))
	s.ToTomas("100")
	s.Sell(affiliate.SaleParams{Email: s.Tomas.Email, PromoCode: "ADA20", CommissionRate: scene.Percent("15"), ExternalInvoiceID: "last"})
	scene.Must(s.SetAffiliatePlan(t.Context(), plan.ID, s.Ada.Person.ID))
	return s
}

// customerless returns an affiliate with one sale by its own code, for a payout
// that does not affect the other scenarios.
func customerless(s scene.Shop) affiliate.Affiliate {
	ctx := s.T.Context()
	a := scene.Must(s.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "C", LastName: "L", Email: "c@example.com"}))
	scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: s.Autumn.ID, Code: "CLARA", AffiliateID: a.ID}))
	s.Sell(affiliate.SaleParams{PromoCode: "CLARA"})
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
	for name := range scenarios(faultShop(t), ctx) {
		for kind, fault := range faults {
			t.Run(name+" "+kind, func(t *testing.T) {
				s := faultShop(t)
				sc := scenarios(s, ctx)[name]
				before := s.Dump()
				step := 7 // the other kinds fail only at some of the calls
				if kind == "FailAt" {
					step = 1
				}
				for n := 1; ; n += step {
					if n > 500 {
						t.Fatal("no end")
					}
					_, err := quietly(func() (int, error) { return 0, sc.run(s.With(fault(s.Store, n))) })
					if err == nil {
						break
					}
					injected(s, n, err)
					if diff := cmp.Diff(before, s.Dump()); diff != "" {
						t.Fatalf("call %d left something (-before +after):\n%s", n, diff)
					}
				}
				if cmp.Equal(before, s.Dump()) {
					t.Error("the scenario does nothing")
				}
				s.Verifies()
				repeats(s, sc)
			})
		}
	}
}

// injected fails the test unless err is the store's error and is not public.
func injected(s scene.Shop, n int, err error) {
	s.T.Helper()
	if !errors.Is(err, conformance.ErrInjected) && !errors.Is(err, context.Canceled) {
		s.T.Errorf("call %d: %v", n, err)
	}
	if refusal, ok := errors.AsType[*affiliate.Error](err); ok {
		s.T.Errorf("call %d: the refusal %q", n, refusal.Message)
	}
}

// repeats runs a scenario again that has succeeded: nothing is added.
func repeats(s scene.Shop, sc scenario) {
	s.T.Helper()
	if sc.again {
		return
	}
	after := s.Dump()
	s.Pass(time.Second)
	if err := sc.run(s.Program); err != nil {
		s.T.Errorf("repeat: %v", err)
	}
	if diff := cmp.Diff(after, s.Dump()); diff != "" {
		s.T.Errorf("the repeat changed something:\n%s", diff)
	}
}

// Every scenario stores the same records when its closures run twice, and no
// error of the store has a text for clients.
func TestSalesRerun(t *testing.T) {
	ctx := t.Context()
	for name := range scenarios(faultShop(t), ctx) {
		plain, twice := faultShop(t), faultShop(t)
		scene.Must(0, scenarios(plain, ctx)[name].run(plain.Program))
		scene.Must(0, scenarios(twice, ctx)[name].run(twice.With(conformance.Rerun(twice.Store))))
		a, b := plain.Dump(), twice.Dump()
		for table := range a {
			if len(a[table]) != len(b[table]) {
				t.Errorf("%s: %d %s once, %d when run twice", name, len(a[table]), table, len(b[table]))
			}
		}
		twice.Verifies()
	}
	for _, e := range refusal.Refusals() {
		if strings.Contains(e.Message, "injected") || strings.Contains(e.Message, "affiliate:") {
			t.Errorf("%q", e.Message)
		}
	}
}

// Verify accepts the payloads of a store that keeps bytes.
func TestVerifyStoredPayloads(t *testing.T) {
	b := scene.NewLedger(t)
	scene.Must(b.UpdateCoupon(t.Context(), b.Autumn.ID, affiliate.CouponUpdate{Name: affiliate.Set("x")}))
	scene.Must(b.UpdateReferral(t.Context(), b.Customer.Email, affiliate.ReferralUpdate{Notes: affiliate.Set("x")}))
	scene.Must(b.DeleteCode(t.Context(), b.ADA20.ID))
	b.Raw(func(tx *record.Tx) error {
		for rec, err := range tx.Events.List(record.Query{}) {
			if err != nil {
				return err
			}
			rec.Payload = record.PayloadOf(rec.Payload.Bytes())
			if err := tx.Events.Replace(rec); err != nil {
				return err
			}
		}
		return nil
	})
	b.Verifies()
}

// A store whose unique indexes allow duplicates.
func TestVerifyUnique(t *testing.T) {
	b := scene.NewLedger(t)
	scene.Must(b.CreateCoupon(t.Context(), affiliate.CouponParams{Once: affiliate.Once{Key: "k"}, Name: "x", ExternalID: "ext", PercentOff: affiliate.Set(affiliate.MustPercent("5"))}))
	scene.Must(b.CreateCode(t.Context(), affiliate.CodeParams{CouponID: b.Autumn.ID, Code: "EXT", ExternalID: "ext"}))
	scene.Must(b.UpdateSale(t.Context(), 5, affiliate.SaleUpdate{ExternalInvoiceID: affiliate.Set("in-5")}))
	err := b.With(&scene.Probe{Store: b.Store, Double: true}).Verify(t.Context())
	found := map[string]bool{}
	for _, line := range strings.Split(err.Error(), "\n") {
		words := strings.Fields(line) // affiliate: I20: coupon ID: its by_external_id is held by ID too
		if key := slices.Index(words, "its"); key > 0 && key+1 < len(words) {
			found[words[1]+" "+words[2]+" "+words[key+1]] = true
		}
	}
	for _, want := range []string{
		"I20: coupon by_external_id", "I20: code by_external_id", "I21: code by_code", "I25: link by_slug", "I35: affiliate by_email", "I35: referral by_email",
		"I43: sale by_external_id", "I43: sale by_invoice", "I53: sale by_number", "I53: click by_number", "I53: commission number", "I57: receipt by_request",
	} {
		if !found[want] {
			t.Errorf("no %q in %v", want, found)
		}
	}
}
