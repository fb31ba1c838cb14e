package engine_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// under configures a program with review rules.
func under(rules ...affiliate.ReviewRule) func(*tributary.Config) {
	return func(c *tributary.Config) { c.Review = rules }
}

// bigOrder holds sales of 1,000 and more.
func bigOrder() affiliate.ReviewRule {
	return affiliate.ReviewRule{Reason: "big_order", Holds: func(e affiliate.Evidence) bool { return e.Total.Cmp(scene.Sum("1000")) >= 0 }}
}

// verdictOf: what a review left on the first commission of a sale.
func verdictOf(s affiliate.Sale) string {
	c := s.Commissions[0]
	return fmt.Sprint(c.ApprovalStatus, " ", c.HoldReason.Or(""), " ", c.RiskReasons)
}

// TestReview: money checks 41, 42 and 44, by customer and by code.
func TestReview(t *testing.T) {
	for _, tt := range []struct {
		name, affiliate, payout, customer, total string
		rules                                    []affiliate.ReviewRule
		want                                     string
	}{
		{"41 Held", "ada@example.org", "", "ada+shop@example.org", "100", rules(affiliate.SelfReferral()), "ON_HOLD FRAUD_PREVENTION [self_referral]"},
		{"41 PayoutEmail", "ada@example.org", "Money+x@example.org", "money@example.org", "100", rules(affiliate.SelfReferral()), "ON_HOLD FRAUD_PREVENTION [self_referral]"},
		{"41 Nil", "ada@example.org", "", "ada+shop@example.org", "100", nil, "ACCEPTED  []"},
		{"41 Other", "ada@example.org", "", "bo@example.org", "100", rules(affiliate.SelfReferral()), "ACCEPTED  []"},
		{"42 Gmail", "a.da@gmail.com", "", "ada@googlemail.com", "100", rules(affiliate.SelfReferral()), "ON_HOLD FRAUD_PREVENTION [self_referral]"},
		{"42 Dots", "a.da@example.com", "", "ada@example.com", "100", rules(affiliate.SelfReferral()), "ACCEPTED  []"},
		{"44 Both", "ada@example.org", "", "ada+x@example.org", "1000", rules(bigOrder(), affiliate.SelfReferral()), "ON_HOLD FRAUD_PREVENTION [big_order self_referral]"},
		{"44 One", "ada@example.org", "", "ada+x@example.org", "999.99", rules(bigOrder(), affiliate.SelfReferral()), "ON_HOLD FRAUD_PREVENTION [self_referral]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := scene.New(t, under(tt.rules...))
			ada := scene.Must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{
				FirstName: "Ada", LastName: "L", Email: tt.affiliate, AffiliateLink: "ada",
			}))
			if tt.payout != "" {
				scene.Must(w.SetPayoutDetails(t.Context(), ada.ID, affiliate.PayoutDetails{Method: "PAYPAL", Email: tt.payout}))
			}
			issue(w, ada.ID, "ADA10")
			by := map[string]affiliate.SaleParams{
				"new customer": {ReferralID: "ada", Email: tt.customer, Name: "T"},
				"by email":     {Email: tt.customer},
				"by referral":  {ReferralID: tt.customer},
				"by code":      {PromoCode: "ada10", Email: tt.customer},
				"code, known":  {PromoCode: "ada10", ReferralID: tt.customer},
			}
			for _, name := range []string{"new customer", "by email", "by referral", "by code", "code, known"} {
				in := by[name]
				in.TotalEarned = scene.Sum(tt.total)
				sale := scene.Must(w.RecordSale(t.Context(), in)).Sale.Or(affiliate.Sale{})
				scene.Equal(t, tt.want, verdictOf(sale), name)
				scene.Equal(t, tt.customer, sale.Email.Or(""))
				scene.Equal(t, sale, scene.Must(w.Sale(t.Context(), sale.ID)))
			}
			seen := scene.Must(w.Evaluate(t.Context(), affiliate.Order{PromoCode: "ADA10", Email: tt.customer, TotalEarned: affiliate.Set(scene.Sum(tt.total))}))
			_, reasons, _ := strings.Cut(tt.want, "[")
			scene.Equal(t, "true["+reasons+"]", fmt.Sprintf("%v%v]", seen.Valid, seen.Risks))
			w.Verifies()
		})
	}
}

func rules(r ...affiliate.ReviewRule) []affiliate.ReviewRule { return r }

// The email of an order comes before the one of the customer that it names, in the
// preview as in the sale. A code without an affiliate credits nobody, so no rule is
// asked.
func TestReviewEvidenceOfPreview(t *testing.T) {
	var seen []string
	w := scene.New(t, under(affiliate.ReviewRule{Reason: "look", Holds: func(e affiliate.Evidence) bool {
		seen = append(seen, e.CustomerEmail)
		return true
	}}))
	ada := w.Join("ada")
	code := issue(w, ada.ID, "ADA10")
	scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: ada.ID.String(), Email: "tom@x.example", Name: "Tom", TotalEarned: scene.Sum("1")}))
	order := affiliate.Order{PromoCode: "ADA10", ReferralID: "tom@x.example", Email: "office@x.example"}
	scene.Must(w.Evaluate(t.Context(), order))
	scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: order.PromoCode, ReferralID: order.ReferralID, Email: order.Email, TotalEarned: scene.Sum("1")}))
	scene.Equal(t, []string{"tom@x.example", "office@x.example", "office@x.example"}, seen)

	w.Raw(func(tx *record.Tx) error {
		r := scene.Must(tx.Codes.Get(code.ID))
		r.AffiliateID = uuid.Nil
		return tx.Codes.Replace(r)
	})
	got := scene.Must(w.Evaluate(t.Context(), order))
	scene.Equal(t, []affiliate.Reason{affiliate.CodeUnassigned}, reasonsOf(got))
	scene.Equal(t, []affiliate.RiskReason{}, got.Risks)
	scene.Equal(t, 3, len(seen))
}

// TestReviewEvidence: a rule sees this sale and nothing else; the preview shows
// it the same.
func TestReviewEvidence(t *testing.T) {
	var seen []affiliate.Evidence
	w := scene.New(t, under(affiliate.ReviewRule{Reason: "look", Holds: func(e affiliate.Evidence) bool {
		seen = append(seen, e)
		return false
	}}))
	ada := scene.Must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.org", AffiliateLink: "ada"}))
	issue(w, ada.ID, "Ada10")
	click := scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "ada", DeviceID: "d1"}))
	who := affiliate.ReviewedAffiliate{ID: ada.ID, FirstName: "Ada", LastName: "L", Email: "ada@example.org", Status: affiliate.AffiliateActive, CreatedAt: scene.Start}
	order := affiliate.Order{PromoCode: "aDA10", ReferralID: fmt.Sprint(click.ID), Email: " Tom@X.example", Subtotal: affiliate.Set(scene.Sum("50"))}
	scene.Must(w.Evaluate(t.Context(), order))
	order.TotalEarned = affiliate.Set(scene.Sum("46"))
	scene.Must(w.Evaluate(t.Context(), order))
	scene.Must(w.Evaluate(t.Context(), affiliate.Order{PromoCode: "ada10"}))
	scene.Must(w.Evaluate(t.Context(), affiliate.Order{PromoCode: "nobody"}))
	in := affiliate.SaleParams{PromoCode: "ADA10", ReferralID: fmt.Sprint(click.ID), Email: "tom@x.example", Name: "Tom", TotalEarned: scene.Sum("45"), Tax: scene.Sum("5")}
	scene.Must(w.RecordSale(t.Context(), in))
	scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{Email: "tom@x.example", Name: "Other", TotalEarned: scene.Sum("1")}))
	scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ada10", TotalEarned: scene.Sum("2")}))
	at := scene.Start.UTC()
	scene.Equal(t, []affiliate.Evidence{
		{At: at, Affiliate: who, CustomerEmail: "tom@x.example", DeviceID: "d1", PromoCode: "Ada10", NewCustomer: true, Total: scene.Sum("45")},
		{At: at, Affiliate: who, CustomerEmail: "tom@x.example", DeviceID: "d1", PromoCode: "Ada10", NewCustomer: true, Total: scene.Sum("46")},
		{At: at, Affiliate: who, PromoCode: "Ada10", Nameless: true},
		{At: at, Affiliate: who, CustomerEmail: "tom@x.example", CustomerName: "Tom", DeviceID: "d1", PromoCode: "Ada10", NewCustomer: true, Total: scene.Sum("45")},
		{At: at, Affiliate: who, CustomerEmail: "tom@x.example", CustomerName: "Other", Total: scene.Sum("1")},
		{At: at, Affiliate: who, PromoCode: "Ada10", Nameless: true, Total: scene.Sum("2")},
	}, seen)
}

// TestReviewReasons: M77 and M80. A status of the affiliate is the stronger
// reason for a hold, the program's settings are the weaker one. A review and
// later changes leave the reasons.
func TestReviewReasons(t *testing.T) {
	all := affiliate.ReviewRule{Reason: "all", Holds: func(affiliate.Evidence) bool { return true }}
	w := scene.New(t, under(all))
	plan := scene.Must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10")}, AutoApproveRewards: affiliate.Set(false)}))
	sell := func(local string, change func(*affiliate.AffiliateParams)) affiliate.Sale {
		a := w.Join(local, func(in *affiliate.AffiliateParams) {
			in.AffiliateLink = local
			change(in)
		})
		if local == "banned" {
			scene.Must(w.SetAffiliateStatus(t.Context(), affiliate.AffiliateBanned, a.ID))
		}
		if local == "off" {
			scene.Must(w.SetAffiliateStatus(t.Context(), affiliate.AffiliateDeactivated, a.ID))
		}
		return scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: local, Email: "t@" + local + ".example", Name: "T", TotalEarned: scene.Sum("100")})).Sale.Or(affiliate.Sale{})
	}
	none := func(*affiliate.AffiliateParams) {}
	scene.Equal(t, "ON_HOLD AFFILIATE_BANNED [all]", verdictOf(sell("banned", none)))
	scene.Equal(t, "ON_HOLD AFFILIATE_DEACTIVATED [all]", verdictOf(sell("off", none)))
	scene.Equal(t, "ON_HOLD FRAUD_PREVENTION [all]", verdictOf(sell("plan", func(in *affiliate.AffiliateParams) { in.CommissionPlanID = plan.ID })))
	sale := sell("plain", none)
	scene.Equal(t, "ON_HOLD FRAUD_PREVENTION [all]", verdictOf(sale))
	for _, status := range []affiliate.ApprovalStatus{affiliate.ApprovalAccepted, affiliate.ApprovalDeclined, affiliate.ApprovalAccepted} {
		scene.Equal(t, []affiliate.RiskReason{"all"}, scene.Must(w.ReviewCommissions(t.Context(), status, sale.ID))[0].Commissions[0].RiskReasons)
	}
	sale = scene.Must(w.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(scene.Sum("50"))}))
	scene.Equal(t, "ACCEPTED  [all]", verdictOf(sale))
	scene.Must(w.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: sale.AffiliateID}))
	sale = scene.Must(w.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(scene.Sum("60")), ClawBack: true}))
	scene.Equal(t, []affiliate.RiskReason{}, sale.Commissions[1].RiskReasons)
	w.Verifies()
}

// TestReviewPanics: check 44, M82. The call fails, nothing is written, and the
// log has the stack.
func TestReviewPanics(t *testing.T) {
	var log bytes.Buffer
	boom := false
	rule := affiliate.ReviewRule{Reason: "boom", Holds: func(affiliate.Evidence) bool {
		if boom {
			panic("boom of the rule")
		}
		return false
	}}
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		boom = false
		w.Ada()
		before := w.Dump()
		boom = true
		log.Reset()
		for _, key := range []string{"", "k1"} {
			in := affiliate.SaleParams{Once: affiliate.Once{Key: key}, PromoCode: "ADA20", TotalEarned: scene.Sum("10")}
			if err := scene.ErrOf(w.RecordSale(t.Context(), in)); err == nil || !strings.Contains(err.Error(), "Config.Review panicked") {
				t.Errorf("sale: %v", err)
			}
		}
		if err := scene.ErrOf(w.Evaluate(t.Context(), affiliate.Order{PromoCode: "ADA20"})); err == nil {
			t.Error("the preview has an answer")
		}
		scene.Equal(t, before, w.Dump())
		if !strings.Contains(log.String(), "boom of the rule") || !strings.Contains(log.String(), "review_test.go") {
			t.Errorf("log: %s", log.String())
		}
		boom = false
		scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{Once: affiliate.Once{Key: "k1"}, PromoCode: "ADA20", TotalEarned: scene.Sum("10")}))
	}, under(rule), func(c *tributary.Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
}

// TestReviewRules: M83.
func TestReviewRules(t *testing.T) {
	rule := func(reason string) affiliate.ReviewRule {
		return affiliate.ReviewRule{Reason: affiliate.RiskReason(reason), Holds: affiliate.SelfReferral().Holds}
	}
	many := make([]affiliate.ReviewRule, 17)
	for i := range many {
		many[i] = rule(fmt.Sprintf("r%d", i))
	}
	for want, list := range map[string][]affiliate.ReviewRule{
		"":                                     many[:16],
		"more than 16 rules":                   many,
		"has r1 twice":                         {rule("r1"), rule("r2"), rule("r1")},
		"x has no Holds":                       {{Reason: "x"}},
		`"" is not a reason`:                   {rule("")},
		`"1a" is not`:                          {rule("1a")},
		`"_a" is not`:                          {rule("_a")},
		`"aB" is not`:                          {rule("aB")},
		`"a-b" is not`:                         {rule("a-b")},
		"x counts customers, but not":          {{Reason: "x", Within: time.Hour, Holds: rule("x").Holds}},
		"y counts customers, but not":          {{Reason: "y", UpTo: 1, Holds: rule("x").Holds}},
		"burst counts customers, but not":      {affiliate.Burst(1_000, time.Hour)},
		"1 to 1000 within":                     {affiliate.Burst(-2, time.Hour)},
		"refunded counts in the latest":        {affiliate.Refunded(5, 1_001)},
		"but not in 1 to 1000":                 {affiliate.Refunded(5, -1)},
		`"` + strings.Repeat("a", 41) + `" is`: {rule(strings.Repeat("a", 41))},
	} {
		_, err := tributary.New(memstore.New(), tributary.Config{Review: list})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", want, err)
		}
	}
	scene.Must(tributary.New(memstore.New(), tributary.Config{Review: rules(affiliate.Burst(0, 1))}))
	scene.Must(tributary.New(memstore.New(), tributary.Config{Review: rules(affiliate.Burst(999, time.Hour), affiliate.Refunded(5, 1_000))}))
	scene.Must(tributary.New(memstore.New(), tributary.Config{Review: rules(rule("a"), rule("z_9"), rule(strings.Repeat("a", 40)))}))
}

// TestSameMailbox: M78, and oracle 22.9: it is an equivalence relation.
func TestSameMailbox(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"ada@example.org", " ADA@Example.org ", true},
		{"ada+x@example.org", "ada+y+z@example.org", true},
		{"ada@example.org", "ada@example.com", false},
		{"a.d.a+x@gmail.com", "Ada@GoogleMail.com", true},
		{"a.da@example.org", "ada@example.org", false},
		{"ada@gmail.com.example", "a.da@gmail.com.example", false},
		{"+a@example.org", "+b@example.org", false}, {"@example.org", "+a@example.org", false}, {"+a@example.org", "+A@example.org", true},
		{"", "", true}, {"no address", "no address", true}, {"No address", "no address", false}, {"", "ada@example.org", false},
	} {
		scene.Equal(t, tt.want, affiliate.SameMailbox(tt.a, tt.b), tt.a, tt.b)
	}
	address := rapid.Custom(func(t *rapid.T) string {
		local := rapid.SampledFrom([]string{"ada", "a.da", "ada+x", "a.d.a+y+z", "bo", "+", "", "a..b"}).Draw(t, "local")
		domain := rapid.SampledFrom([]string{"gmail.com", "googlemail.com", "GMAIL.com", "example.org", "", "x"}).Draw(t, "domain")
		return local + rapid.SampledFrom([]string{"@", "@", "@", ""}).Draw(t, "at") + domain
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := address.Draw(t, "a"), address.Draw(t, "b"), address.Draw(t, "c")
		same := affiliate.SameMailbox
		if !same(a, a) || same(a, b) != same(b, a) || same(a, b) && same(b, c) && !same(a, c) {
			t.Fatalf("not an equivalence: %q %q %q", a, b, c)
		}
	})
}

// TestReviewCosts: Q4. Without rules a sale reads nothing more, and with one it
// reads nothing more either.
func TestReviewCosts(t *testing.T) {
	reads := func(list ...affiliate.ReviewRule) (n int64) {
		w := scene.New(t, under(list...))
		w.Ada()
		w.Probe.Ops.Store(0)
		scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ADA20", Email: "t@x.example", TotalEarned: scene.Sum("10")}))
		return w.Probe.Ops.Load()
	}
	if none, one := reads(), reads(affiliate.SelfReferral()); none != one || none == 0 {
		t.Errorf("%d reads without a rule, %d with one", none, one)
	}
}

// TestReviewUnnamed: a sale by a code that tells no email waits for a person, whoever bought, and
// so does one of a customer whom a code brought and who never told one, and one by a link of which
// the host knows no customer; one that tells an email, or of a known customer, does not.
func TestReviewUnnamed(t *testing.T) {
	w := scene.New(t, under(affiliate.SelfReferral(), affiliate.Unnamed()))
	ada := w.Join("ada")
	issue(w, ada.ID, "ADA10")
	w.Refer("ada", "kim@buyer.example")
	for name, tt := range map[string]struct {
		in   affiliate.SaleParams
		want string
	}{
		"no email":         {affiliate.SaleParams{PromoCode: "ADA10"}, "ON_HOLD FRAUD_PREVENTION [unnamed_customer]"},
		"a name alone":     {affiliate.SaleParams{PromoCode: "ADA10", Name: "Ada"}, "ON_HOLD FRAUD_PREVENTION [unnamed_customer]"},
		"an email":         {affiliate.SaleParams{PromoCode: "ADA10", Email: "lee@buyer.example"}, "ACCEPTED  []"},
		"a known customer": {affiliate.SaleParams{ReferralID: "kim@buyer.example", PromoCode: "ADA10"}, "ACCEPTED  []"},
		"a link":           {affiliate.SaleParams{ReferralID: "ada", Email: "mo@buyer.example", Name: "Mo"}, "ACCEPTED  []"},
		"no address":       {affiliate.SaleParams{ReferralID: "ada", Email: "x"}, "ON_HOLD FRAUD_PREVENTION [unnamed_customer]"},
		"the host's id":    {affiliate.SaleParams{ReferralID: "ada", ReferredUserExternalID: "user-1"}, "ACCEPTED  []"},
		"id and code":      {affiliate.SaleParams{PromoCode: "ADA10", ReferredUserExternalID: "user-2"}, "ON_HOLD FRAUD_PREVENTION [unnamed_customer]"},
	} {
		t.Run(name, func(t *testing.T) {
			tt.in.TotalEarned = affiliate.MustAmount("100")
			res, err := w.RecordSale(t.Context(), tt.in)
			sale, there := res.Sale.Get()
			if err != nil || !there || verdictOf(sale) != tt.want {
				t.Errorf("%+v, error %v, want %s", sale.Commissions, err, tt.want)
			}
		})
	}
	again := func(what, want string, in affiliate.SaleParams) {
		in.TotalEarned = affiliate.MustAmount("100")
		res, err := w.RecordSale(t.Context(), in)
		if sale := res.Sale.Or(affiliate.Sale{}); err != nil || verdictOf(sale) != want {
			t.Errorf("%s: %+v, error %v, want %s", what, sale.Commissions, err, want)
		}
	}
	again("brought by a code", "ON_HOLD FRAUD_PREVENTION [unnamed_customer]", affiliate.SaleParams{ReferredUserExternalID: "user-2"})
	again("brought by a link", "ACCEPTED  []", affiliate.SaleParams{ReferredUserExternalID: "user-1"})
	pays := func(what, want string, paid affiliate.Paid) {
		paid.TotalEarned, paid.Gross = scene.Sum("100"), scene.Sum("100")
		res, err := w.Payments().ReportPayment(t.Context(), affiliate.PaymentFact{
			Provider: "stripe", Keys: []string{what}, Payer: affiliate.PayerFact{ID: "cus_1"}, At: w.Now, Currency: "USD", Sale: affiliate.Set(paid),
		})
		if sale := res.Sale.Or(affiliate.Sale{}); err != nil || verdictOf(sale) != want {
			t.Errorf("%s: %+v, error %v, want %s", what, sale.Commissions, err, want)
		}
	}
	pays("first payment", "ON_HOLD FRAUD_PREVENTION [unnamed_customer]", affiliate.Paid{Tries: []affiliate.Credit{{PromoCode: "ADA10"}}})
	pays("renewal", "ON_HOLD FRAUD_PREVENTION [unnamed_customer]", affiliate.Paid{Renewal: true})
	scene.Must(0, w.Payments().ReportPayer(t.Context(), "stripe", affiliate.PayerFact{ID: "cus_1", Email: "zoe@buyer.example"}))
	pays("named since", "ACCEPTED  []", affiliate.Paid{Renewal: true})
	scene.Must(0, w.EraseReferral(t.Context(), "zoe@buyer.example"))
	pays("erased since", "ACCEPTED  []", affiliate.Paid{Renewal: true})
	w.Verifies()
}
