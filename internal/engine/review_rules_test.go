package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestReviewRulesHold: M78. Each rule holds the commission of a sale with its reason, and the preview
// says so before.
func TestReviewRulesHold(t *testing.T) {
	w := scene.New(t, func(c *tributary.Config) {
		c.KeepParams = []string{"gclid"}
		c.Review = rules(affiliate.SelfReferral(), affiliate.Disposable(), affiliate.OwnDomain(), affiliate.PaidSearch("acme"))
	})
	ada := scene.Must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{
		FirstName: "Ada", LastName: "L", Email: "ada@lovelace.example", AffiliateLink: "ada",
	}))
	bo := w.Join("bo", func(in *affiliate.AffiliateParams) { in.AffiliateLink = "bo" })
	issue(w, ada.ID, "ADA10")
	issue(w, bo.ID, "BO10")
	clicked := func(query string) string {
		return fmt.Sprint(scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "ada", LandingURL: "https://shop.example/?ref=ada&" + query})).ID)
	}
	advertised := clicked("utm_medium=cpc&utm_term=acme+code")
	for _, tt := range []struct {
		name, want string
		in         affiliate.SaleParams
	}{
		{"nothing", "ACCEPTED  []", affiliate.SaleParams{ReferralID: clicked("utm_medium=social&utm_term=acme"), Email: "a@buyer.example"}},
		{"throw-away", "ON_HOLD FRAUD_PREVENTION [disposable_email]", affiliate.SaleParams{ReferralID: "ada", Email: "b@mailinator.com"}},
		{"her domain", "ON_HOLD FRAUD_PREVENTION [own_domain]", affiliate.SaleParams{ReferralID: "ada", Email: "byron@lovelace.example"}},
		{"herself", "ON_HOLD FRAUD_PREVENTION [self_referral own_domain]", affiliate.SaleParams{ReferralID: "ada", Email: "ada+x@lovelace.example"}},
		{"advertised", "ON_HOLD FRAUD_PREVENTION [paid_search]", affiliate.SaleParams{ReferralID: advertised, Email: "c@buyer.example"}},
		{"again", "ON_HOLD FRAUD_PREVENTION [paid_search]", affiliate.SaleParams{Email: "c@buyer.example"}},
		{"with her code", "ON_HOLD FRAUD_PREVENTION [paid_search]", affiliate.SaleParams{ReferralID: advertised, PromoCode: "ADA10", Email: "d@buyer.example"}},
		{"a code of another", "ACCEPTED  []", affiliate.SaleParams{ReferralID: advertised, PromoCode: "BO10", Email: "e@buyer.example"}},
		{"her customer, a code of another", "ACCEPTED  []", affiliate.SaleParams{PromoCode: "BO10", Email: "c@buyer.example"}},
		{"a click that says nothing", "ON_HOLD FRAUD_PREVENTION [paid_search]", affiliate.SaleParams{
			ReferralID: fmt.Sprint(scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "ada"})).ID), ReferredUserExternalID: "c", Email: "c@buyer.example"}},
		{"kept parameter", "ON_HOLD FRAUD_PREVENTION [paid_search]", affiliate.SaleParams{ReferralID: clicked("gclid=1&utm_term=Acme"), Email: "f@buyer.example"}},
		{"parameter that is not kept", "ACCEPTED  []", affiliate.SaleParams{ReferralID: clicked("msclkid=1&utm_term=acme"), Email: "g@buyer.example"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Name, tt.in.TotalEarned = "T", scene.Sum("100")
			if in := tt.in; in.PromoCode != "" {
				order := affiliate.Order{PromoCode: in.PromoCode, ReferralID: in.ReferralID, Email: in.Email, TotalEarned: affiliate.Set(in.TotalEarned)}
				_, reasons, _ := strings.Cut(tt.want, "[")
				scene.Equal(t, "["+reasons, fmt.Sprint(scene.Must(w.Evaluate(t.Context(), order)).Risks))
			}
			sale := scene.Must(w.RecordSale(t.Context(), tt.in)).Sale.Or(affiliate.Sale{})
			scene.Equal(t, tt.want, verdictOf(sale))
		})
	}
	w.Verifies()
}

// TestReviewBurst: M78. A new customer of an affiliate is held when there were too many within the
// time; who came earlier, or by somebody else, is not, and counts for nobody else.
func TestReviewBurst(t *testing.T) {
	w := scene.New(t, under(affiliate.Burst(2, time.Hour), affiliate.ReviewRule{
		Reason: "second_today", Within: 24 * time.Hour, UpTo: 4,
		Holds: func(e affiliate.Evidence) bool { return e.NewCustomers >= 2 && e.NewCustomers <= 4 },
	}))
	for _, slug := range []string{"ada", "bo"} {
		a := w.Join(slug, func(in *affiliate.AffiliateParams) { in.AffiliateLink = slug })
		issue(w, a.ID, "BY-"+slug)
	}
	sells := func(want string, in affiliate.SaleParams) {
		t.Helper()
		in.Name, in.TotalEarned = "T", scene.Sum("100")
		scene.Equal(t, want, verdictOf(scene.Must(w.RecordSale(t.Context(), in)).Sale.Or(affiliate.Sale{})))
	}
	by := func(slug, email string) affiliate.SaleParams {
		return affiliate.SaleParams{ReferralID: slug, Email: email}
	}
	const fine, second, burst = "ACCEPTED  []", "ON_HOLD FRAUD_PREVENTION [second_today]", "ON_HOLD FRAUD_PREVENTION [burst second_today]"

	w.Refer("ada", "lead@x.example") // has not bought yet
	sells(fine, by("bo", "bo1@x.example"))
	w.Pass(time.Hour)
	sells(second, by("ada", "a1@x.example")) // the lead came an hour ago
	sells(second, by("ada", "a1@x.example")) // is counted once
	sells(second, by("ada", "a2@x.example"))
	risks := func(order affiliate.Order) string {
		order.TotalEarned = affiliate.Set(scene.Sum("100"))
		return fmt.Sprint(scene.Must(w.Evaluate(t.Context(), order)).Risks)
	}
	scene.Equal(t, "[burst second_today]", risks(affiliate.Order{PromoCode: "BY-ada", Email: "a3@x.example"}))
	sells(burst, by("ada", "a3@x.example"))
	sells(burst, affiliate.SaleParams{ReferralID: "ada", ReferredUserExternalID: "user-1"})
	sells(burst, affiliate.SaleParams{PromoCode: "BY-ada", Email: "a4@x.example"})
	sells(burst, by("ada", "a1@x.example"))                                        // one of them
	sells(second, by("", "lead@x.example"))                                        // not one of the hour
	sells(second, by("bo", "bo2@x.example"))                                       // of another
	sells(fine, affiliate.SaleParams{PromoCode: "BY-ada", Email: "bo1@x.example"}) // brought by another
	w.Pass(time.Hour)
	sells(second, by("ada", "a5@x.example"))
	w.Pass(24 * time.Hour)
	sells(fine, by("ada", "a1@x.example"))
	sells(fine, by("ada", "a6@x.example"))
	sells(second, by("ada", "a7@x.example")) // the newest are counted
	w.Verifies()
}

// TestReviewRefunded: M78. Sales of an affiliate are held while too many of the latest were refunded in full.
func TestReviewRefunded(t *testing.T) {
	few := affiliate.ReviewRule{Reason: "last", Latest: 1, Holds: func(e affiliate.Evidence) bool { return e.Refunded == 1 }}
	w := scene.New(t, under(affiliate.Refunded(1, 4), few))
	for _, slug := range []string{"ada", "bo"} {
		a := w.Join(slug, func(in *affiliate.AffiliateParams) { in.AffiliateLink = slug })
		issue(w, a.ID, "BY-"+slug)
	}
	sells := func(want, slug string) affiliate.SaleID {
		t.Helper()
		sale := scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: slug, Email: "c@x.example", Name: "C", TotalEarned: scene.Sum("100")})).Sale.Or(affiliate.Sale{})
		scene.Equal(t, want, verdictOf(sale))
		return sale.ID
	}
	back := func(id affiliate.SaleID, amount string) {
		t.Helper()
		in := affiliate.Refund{SaleID: id}
		if amount != "" {
			in.Amount = affiliate.Set(scene.Sum(amount))
		}
		scene.Must(w.RefundSale(t.Context(), in))
	}
	const fine, held, both = "ACCEPTED  []", "ON_HOLD FRAUD_PREVENTION [refunded]", "ON_HOLD FRAUD_PREVENTION [refunded last]"
	one, two := sells(fine, "ada"), sells(fine, "ada")
	back(one, "")
	three := sells(fine, "ada") // one of two
	back(three, "99")
	four := sells(fine, "ada") // a part is none
	back(four, "")
	sells(both, "ada") // two of four: one and four
	sells(fine, "bo")  // somebody else
	preview := scene.Must(w.Evaluate(t.Context(), affiliate.Order{PromoCode: "BY-ada", Email: "d@x.example", TotalEarned: affiliate.Set(scene.Sum("9"))}))
	scene.Equal(t, []affiliate.RiskReason{}, preview.Risks) // one is the fifth by now
	back(two, "")
	sells(held, "ada") // two and four
	back(three, "1")
	sells(held, "ada") // three and four
	sells(fine, "ada") // three has passed out of sight
	w.Verifies()
}

// TestReviewReads: Q4. Only a rule that counts reads customers, only for sales of those who may be
// new, and no more than it counts.
func TestReviewReads(t *testing.T) {
	reads := func(customer string, list ...affiliate.ReviewRule) [2]int64 {
		w := scene.New(t, under(list...))
		w.Ada()
		w.Refer("ada", "old@x.example")
		w.Pass(48 * time.Hour)
		for i := range 30 {
			w.Refer("ada", fmt.Sprintf("c%d@x.example", i))
		}
		w.Probe.Ops.Store(0)
		w.Probe.Looked.Store(0)
		scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ADA20", Email: customer, TotalEarned: scene.Sum("10")}))
		return [2]int64{w.Probe.Ops.Load(), w.Probe.Looked.Load()}
	}
	nine := affiliate.ReviewRule{Reason: "nine", Within: time.Hour, UpTo: 9, Holds: affiliate.Disposable().Holds}
	none := reads("new@x.example")
	more := func(looked int64) [2]int64 { return [2]int64{none[0] + 1, none[1] + looked} }
	scene.Equal(t, none, reads("new@x.example", affiliate.Disposable(), affiliate.OwnDomain(), affiliate.PaidSearch("x")))
	scene.Equal(t, more(6), reads("new@x.example", affiliate.Burst(5, time.Hour)))
	scene.Equal(t, more(9), reads("new@x.example", affiliate.Burst(5, time.Hour), nine))
	scene.Equal(t, reads("old@x.example"), reads("old@x.example", affiliate.Burst(5, time.Hour)))
	scene.Equal(t, more(0), reads("new@x.example", affiliate.Refunded(5, 20))) // of a seller without sales
}
