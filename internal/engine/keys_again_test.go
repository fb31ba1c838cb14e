package engine_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestKeysAfterDeletion: what names a record can name another one after the record was
// deleted, which begins at zero; before that it is refused. Slugs are told of in
// TestFormerSlugs, and numbers never come again.
func TestKeysAfterDeletion(t *testing.T) {
	ctx, s := t.Context(), scene.NewShop(t)
	coupon := func() (string, error) {
		made, err := s.CreateCoupon(ctx, affiliate.CouponParams{Name: "C", PercentOff: scene.Percent("10"), ExternalID: "coupon-ext"})
		return made.ID.String(), err
	}
	code := func() (string, error) {
		made, err := s.CreateCode(ctx, affiliate.CodeParams{CouponID: s.Autumn.ID, Code: "again", ExternalID: "code-ext", AffiliateID: s.Bob.ID})
		if err == nil && made.TimesRedeemed != 0 {
			t.Errorf("a code begins with %d redemptions", made.TimesRedeemed)
		}
		return made.ID.String(), err
	}
	sale := func() (string, error) {
		made, err := s.RecordSale(ctx, affiliate.SaleParams{PromoCode: "AGAIN", Email: "kim@b.co", Name: "K", TotalEarned: scene.Sum("5"), ExternalID: "order-again", ExternalInvoiceID: "invoice-again"})
		return fmt.Sprint(made.Sale.Or(affiliate.Sale{}).ID), err
	}
	person := func() (string, error) {
		made, err := s.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "again@b.co", ExternalID: "user-again"})
		return made.ID.String(), err
	}
	hold := func() (string, error) {
		made, err := s.HoldRedemption(ctx, affiliate.HoldParams{ID: "hold-again", Until: s.Now.Add(time.Hour), Order: affiliate.Order{PromoCode: "AGAIN", Email: "lea@b.co", Subtotal: scene.Amount("10")}})
		return made.PromotionalCode.Or(affiliate.CodeName{}).ID.String(), err
	}
	payer := func() (string, error) {
		scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "ada", Name: "P", Email: "payer@b.co", ReferredUserExternalID: "host-again"}))
		known := scene.Must(s.Payments().Payer(ctx, "stripe", affiliate.PayerFact{ID: "cus_again"}))
		if known.Known {
			t.Error("the payer of a deleted customer is known")
		}
		scene.Must(0, s.Payments().ReportPayer(ctx, "stripe", affiliate.PayerFact{ID: "cus_again", Email: "payer@b.co"}))
		known = scene.Must(s.Payments().Payer(ctx, "stripe", affiliate.PayerFact{ID: "cus_again"}))
		return known.Referral.Or(affiliate.Referral{}).ID.String(), nil
	}
	adjustment := func() (string, error) {
		made, err := s.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateEmail: "again@b.co", Kind: affiliate.AdjustBonus, Amount: scene.Sum("5"), Reason: "r", ExternalID: "bonus-again"})
		return made.ID.String(), err
	}
	webhook := func() (string, error) {
		made, err := s.Webhooks().CreateEndpoint(ctx, affiliate.EndpointParams{URL: "https://again.example/hook", Events: []affiliate.EventType{affiliate.SaleCreated}})
		return made.ID.String(), err
	}
	run := func() (string, error) {
		made, err := s.RunPayouts(ctx, affiliate.PayoutRun{ExternalID: "run-again", Minimum: scene.Sum("1000")})
		return made.ID.String(), err
	}
	only := scene.Must(s.RunPayouts(ctx, affiliate.PayoutRun{ExternalID: "run-again", Minimum: scene.Sum("1000")})).ID
	last := map[string]string{}
	for range 2 {
		for _, kind := range []struct {
			name  string
			make  func() (string, error)
			taken affiliate.Reason // of a second one; empty: it is the first one again
		}{
			{"coupon", coupon, affiliate.CouponExternalIDTaken},
			{"code", code, affiliate.CodeTaken},
			{"sale", sale, ""},
			{"affiliate", person, affiliate.AffiliateEmailTaken},
		} {
			id, err := kind.make()
			if err != nil || id == last[kind.name] {
				t.Fatalf("%s: %s after %s, %v", kind.name, id, last[kind.name], err)
			}
			last[kind.name] = id
			if again, err := kind.make(); kind.taken != "" && !errors.Is(err, kind.taken) || kind.taken == "" && (err != nil || again != "0") { // told again, a sale is a duplicate
				t.Errorf("%s twice: %s, %v", kind.name, again, err)
			}
		}
		for name, make := range map[string]func() (string, error){"hold": hold, "payer": payer, "adjustment": adjustment, "webhook": webhook} {
			id, err := make()
			if err != nil || id == last[name] || id == uuid.Nil.String() {
				t.Fatalf("%s: %s after %s, %v", name, id, last[name], err)
			}
			last[name] = id
		}
		if id := scene.Must(run()); id != only.String() { // a run is never deleted
			t.Errorf("run %s, and %s before", id, only)
		}
		if id := scene.Must(webhook()); id == last["webhook"] { // an address may have several
			t.Errorf("webhook %s", id)
		}
		for _, ep := range scene.Must(s.Webhooks().Endpoints(ctx, affiliate.Page{})).Items {
			scene.Must(s.Webhooks().DeleteEndpoint(ctx, ep.ID))
		}
		scene.Must(0, s.DeleteReferral(ctx, "payer@b.co"))
		sold := scene.Must(s.Sales(ctx, affiliate.SaleQuery{ExternalID: scene.TextOf("order-again")}, affiliate.Page{})).Items[0]
		scene.Must(0, s.DeleteSale(ctx, sold.ID))
		made := scene.Must(s.Code(ctx, affiliate.CodeRef{Code: "AGAIN"}))
		scene.Must(s.DeleteCode(ctx, made.ID))
		found := scene.Must(s.Coupon(ctx, affiliate.CouponRef{ExternalID: "coupon-ext"}))
		scene.Must(s.DeleteCoupon(ctx, found.ID))
		scene.Must(0, s.DeleteReferral(ctx, "kim@b.co"))
		scene.Must(0, s.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{Email: "again@b.co"}))
	}
	s.Verifies()
}

// TestKeysThatStay: what still names a record that was deleted: a payment, a confirmed hold and an
// idempotency key. The id of a refund is its sale's.
func TestKeysThatStay(t *testing.T) {
	ctx, s := t.Context(), scene.NewShop(t)
	paid := affiliate.PaymentFact{
		Provider: "stripe", Keys: []string{"pi_1"}, Payer: affiliate.PayerFact{ID: "cus_1", Email: "kim@b.co"}, At: s.Now, Currency: "USD",
		Sale: affiliate.Set(affiliate.Paid{SaleParams: affiliate.SaleParams{TotalEarned: scene.Sum("100")}, Gross: scene.Sum("100"), Tries: []affiliate.Credit{{PromoCode: "ADA20"}}}),
	}
	told := func(want affiliate.SaleOutcome) affiliate.Sale {
		t.Helper()
		res := scene.Must(s.Payments().ReportPayment(ctx, paid))
		if res.Outcome != want {
			t.Errorf("%v is %s, want %s", paid.Keys, res.Outcome, want)
		}
		return res.Sale.Or(affiliate.Sale{})
	}
	first := told(affiliate.SaleRecorded)
	scene.Must(0, s.DeleteSale(ctx, first.ID))
	paid.Keys = []string{"pi_1", "ch_1"}
	told(affiliate.SaleDuplicate)

	order := affiliate.Order{PromoCode: "ADA20", Email: "lea@b.co", Subtotal: scene.Amount("100")}
	scene.Must(s.HoldRedemption(ctx, affiliate.HoldParams{ID: "h", Until: s.Now.Add(time.Hour), Order: order}))
	sale := affiliate.SaleParams{HoldID: "h", Email: "lea@b.co", Name: "L", TotalEarned: scene.Sum("80"), ExternalID: "o-1"}
	scene.Must(0, s.DeleteSale(ctx, s.Sell(sale).ID))
	_, err := s.RecordSale(ctx, sale)
	scene.RefusedAs(t, "the hold again", affiliate.HoldIsConfirmed, err)
	sale.HoldID, sale.PromoCode = "", "ADA20"
	again := s.Sell(sale)

	refund := affiliate.Refund{SaleID: again.ID, Amount: scene.Amount("10"), RefundID: "re_1"}
	scene.Must(s.RefundSale(ctx, refund))
	scene.Must(0, s.DeleteSale(ctx, again.ID))
	refund.SaleID = s.Sell(sale).ID
	if scene.Must(s.RefundSale(ctx, refund)).AlreadyRefunded {
		t.Error("a refund of the new sale counts as told")
	}

	in := affiliate.AffiliateParams{Once: affiliate.Once{Key: "k"}, FirstName: "A", LastName: "B", Email: "once@b.co"}
	made := scene.Must(s.CreateAffiliate(ctx, in))
	scene.Must(0, s.DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: made.ID}))
	if got := scene.Must(s.CreateAffiliate(ctx, in)); got.ID != made.ID {
		t.Error("the key made another affiliate")
	}
	s.Verifies()
}
