package payment_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// toldPayment is a payment of Tomas, so many hours after the first one.
type toldPayment struct {
	key    string
	after  int
	change func(*affiliate.Paid)
	tries  string
}

func renewed(p *affiliate.Paid) { p.Renewal = true }

func trial(p *affiliate.Paid) {
	*p = affiliate.Paid{Stage: affiliate.PaidNothing, Tries: p.Tries, SaleParams: affiliate.SaleParams{PaidAt: p.PaidAt}}
}

// fact is what a provider reports of it.
func (o toldPayment) fact(s *scene.PayShop, began time.Time, payer affiliate.PayerFact) affiliate.PaymentFact {
	f := s.Paid(o.key, "100", "0", strings.Fields(o.tries)...)
	f.Payer = payer
	return scene.Altered(f, func(p *affiliate.Paid) {
		if p.PaidAt = began.Add(time.Duration(o.after) * time.Hour); o.change != nil {
			o.change(p)
		}
	})
}

// booksOf is what must not depend on the order of reports.
func booksOf(s *scene.PayShop) string {
	ctx, lines := s.T.Context(), []string{}
	name := func(id fmt.Stringer) string {
		return map[string]string{s.Mara.ID.String(): "mara", s.Ben.ID.String(): "ben"}[id.String()]
	}
	for _, x := range scene.Must(s.Sales(ctx, affiliate.SaleQuery{}, affiliate.Page{})).Items {
		lines = append(lines, fmt.Sprintf("%s %s %s %t", x.ExternalID.Or(""), name(x.AffiliateID), x.CommissionEarned, x.PromotionalCodeID.IsNull()))
	}
	for _, r := range scene.Must(s.Referrals(ctx, affiliate.ReferralQuery{}, affiliate.Page{})).Items {
		lines = append(lines, fmt.Sprintf("customer of %s %q %q: %s", name(r.AffiliateID), r.Email, r.ReferredUserExternalID.Or(""), r.TotalRevenue))
	}
	for _, w := range scene.Must(s.Attention(ctx, 20)).PaymentConflicts.Items {
		lines = append(lines, fmt.Sprintf("%s waits: %s", w.Keys, w.Outcome))
	}
	lines = append(lines, fmt.Sprint("redeemed ", scene.Must(s.Program.Code(ctx, affiliate.CodeRef{ID: s.MaraCode.ID})).TimesRedeemed))
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// What renewals earn that are told before the first payment of their customer is what that payment says, in every order,
// with an email or without, and however long after.
func TestRenewalsFirst(t *testing.T) {
	signed := scene.Tomas
	signed.CustomerID = "17"
	for name, tt := range map[string]struct {
		told  []toldPayment
		payer affiliate.PayerFact
		want  string // of the payments, whom they credit
	}{
		"a code and another's link":                   {[]toldPayment{{"p1", 0, nil, "code:MARA20 ben"}, {"p2", 1, renewed, "ben"}, {"p3", 2, renewed, "ben"}}, scene.Tomas, "p1 mara, p2 mara, p3 mara"},
		"a code alone":                                {[]toldPayment{{"p1", 0, nil, "code:MARA20"}, {"p2", 1, renewed, "code:MARA20"}, {"p3", 2, renewed, "code:MARA20"}}, scene.Tomas, "p1 mara, p2 mara, p3 mara"},
		"a code, and renewals with and without marks": {[]toldPayment{{"p1", 0, nil, "code:MARA20"}, {"p2", 1, renewed, "code:MARA20"}, {"p3", 2, renewed, "ben"}}, scene.Tomas, "p1 mara, p2 mara, p3 mara"},
		"links of two":                                {[]toldPayment{{"p1", 0, nil, "mara"}, {"p2", 1, renewed, "ben"}, {"p3", 2, renewed, "ben"}}, scene.Tomas, "p1 mara, p2 mara, p3 mara"},
		"a trial":                                     {[]toldPayment{{"p0", 0, trial, "code:MARA20"}, {"p2", 1, renewed, "ben"}, {"p3", 2, renewed, "code:MARA20"}}, scene.Tomas, "p2 mara, p3 mara"},
		"a first one without a mark":                  {[]toldPayment{{"p1", 0, nil, ""}, {"p2", 1, renewed, "ben"}}, scene.Tomas, "p2 ben"},
		"a first one of nobody":                       {[]toldPayment{{"p1", 0, nil, "nowhere"}, {"p2", 1, renewed, "ben"}, {"p3", 2, renewed, "code:MARA20"}}, scene.Tomas, "p1 ben, p2 ben, p3 ben"},
		"the host's id":                               {[]toldPayment{{"p1", 0, nil, "code:MARA20 ben"}, {"p2", 1, renewed, "ben"}}, signed, "p1 mara, p2 mara"},
		"no email":                                    {[]toldPayment{{"p1", 0, nil, "code:MARA20 ben"}, {"p2", 1, renewed, "ben"}, {"p3", 2, renewed, "code:MARA20"}}, affiliate.PayerFact{ID: "cus_T"}, "p1 mara, p2 mara, p3 mara"},
		"an email that is told last":                  {[]toldPayment{{"p1", 0, nil, "code:MARA20 ben"}, {"p2", 1, renewed, "ben"}, {"p3", 2, renewed, "ben"}}, affiliate.PayerFact{ID: "cus_E"}, "p1 mara, p2 mara, p3 mara"},
		"no email and no mark":                        {[]toldPayment{{"p1", 0, nil, "code:MARA20"}, {"p2", 1, renewed, ""}}, affiliate.PayerFact{ID: "cus_T"}, "p1 mara, p2 mara"},
	} {
		t.Run(name, func(t *testing.T) {
			first := ""
			for order := range permutations(len(tt.told)) {
				s := scene.NewPayShop(t, func(c *tributary.Config) { c.CookieDays = 1000 })
				began := s.Now
				s.Now = s.Now.Add(300 * day)
				for _, again := range []bool{false, true} {
					for _, i := range order {
						s.Now = s.Now.Add(time.Hour)
						s.Reports(tt.told[i].fact(s, began, tt.payer))
					}
					if tt.payer.ID == "cus_E" {
						scene.Must(0, s.Payments().ReportPayer(t.Context(), "stripe", affiliate.PayerFact{ID: "cus_E", Email: scene.Tomas.Email, Name: "Tomas"}))
					}
					var got []string
					for line := range strings.SplitSeq(booksOf(s), "\n") {
						if words := strings.Fields(line); strings.HasPrefix(line, "p") {
							got = append(got, words[0]+" "+words[1])
						}
					}
					if got := strings.Join(got, ", "); got != tt.want {
						t.Errorf("%v, again %t: %s, want %s", order, again, got, tt.want)
					}
				}
				s.Verifies()
				if books := booksOf(s); first == "" {
					first = books
				} else if books != first {
					t.Errorf("%v:\n%s\nand in another order:\n%s", order, books, first)
				}
			}
		})
	}
}

// Renewals whose first payment is never told are open for Config.PaymentMemory, and not for ever: so are those of a payer whose
// email nobody tells.
func TestRenewalsEnd(t *testing.T) {
	for name, payer := range map[string]affiliate.PayerFact{"no first payment": scene.Tomas, "no email": {ID: "cus_T"}} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewPayShop(t, func(c *tributary.Config) { c.CookieDays = 1000 })
			began := s.Now
			open := func() (n int) {
				for _, line := range s.Dump()["payments"] {
					n += strings.Count(line, `"Renewal":true`)
				}
				return n
			}
			for month := range 5 {
				s.Now = s.Now.Add(31 * day)
				s.Reports(toldPayment{fmt.Sprint("p", month+2), 24*31*month + 1, renewed, "ben"}.fact(s, began, payer))
				scene.Must(s.Run(t.Context(), affiliate.PruneJob{Before: s.Now}))
			}
			if n := open(); n != 3 { // of 0, 31 and 62 days
				t.Errorf("%d are open of 5", n)
			}
			s.Verifies()
			s.Reports(toldPayment{"p1", 0, nil, "code:MARA20"}.fact(s, began, payer))
			want := "customer of ben %q \"\": 600\np1 mara 20 false\np2 ben 20 true\np3 ben 20 true\np4 ben 20 true\np5 ben 20 true\np6 ben 20 true\nredeemed 1"
			if got := booksOf(s); got != fmt.Sprintf(want, payer.Email) {
				t.Errorf("%s", got)
			}
			if n := open(); n != 0 && payer.Email != "" {
				t.Errorf("%d are open after the first payment", n)
			}
			s.Verifies()
		})
	}
}

// What a payout holds of a renewal, and a customer whom a person moved, stay when the first payment is told.
func TestRenewalsFirstStay(t *testing.T) {
	first, second := toldPayment{"p1", 0, nil, "code:MARA20 ben"}, toldPayment{"p2", 1, renewed, "ben"}
	for name, tt := range map[string]struct {
		change func(s *scene.PayShop)
		want   string
	}{
		"paid out": {func(s *scene.PayShop) {
			scene.Must(s.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: s.Ben.ID}))
		}, "customer of ben \"tomas@example.com\" \"\": 200\np1 mara 20 false\np2 ben 20 true\nredeemed 1"},
		"moved": {func(s *scene.PayShop) {
			scene.Must(s.UpdateReferral(t.Context(), scene.Tomas.Email, affiliate.ReferralUpdate{AffiliateID: affiliate.Set(s.Mara.ID)}))
		}, "customer of mara \"tomas@example.com\" \"\": 200\np1 mara 20 false\np2 mara 20 true\nredeemed 1"},
		"named by the host": {func(s *scene.PayShop) {
			scene.Must(s.UpdateReferral(t.Context(), scene.Tomas.Email, affiliate.ReferralUpdate{ReferredUserExternalID: affiliate.Set("17")}))
		}, "customer of mara \"tomas@example.com\" \"17\": 200\np1 mara 20 false\np2 mara 20 true\nredeemed 1"},
		"another order of the customer": {func(s *scene.PayShop) {
			scene.Must(s.RecordSale(t.Context(), affiliate.SaleParams{TotalEarned: scene.Sum("100"), Email: scene.Tomas.Email, ExternalID: "o1"}))
		}, "customer of ben \"tomas@example.com\" \"\": 300\no1 ben 20 true\np1 mara 20 false\np2 ben 20 true\nredeemed 1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewPayShop(t)
			began := s.Now
			s.Now = s.Now.Add(2 * day)
			s.Reports(second.fact(s, began, scene.Tomas))
			tt.change(s)
			s.Reports(first.fact(s, began, scene.Tomas))
			if got := booksOf(s); got != tt.want {
				t.Errorf("%s\nwant\n%s", got, tt.want)
			}
			s.Verifies()
		})
	}
}

// A sale that may be wrong waits until the sale is refunded, deleted or corrected, by the host or by a report.
func TestDoubtedSale(t *testing.T) {
	at := func(f affiliate.PaymentFact, hours int) affiliate.PaymentFact {
		f.At = f.At.Add(time.Duration(hours-10) * time.Hour)
		return f
	}
	revoked := func(s *scene.PayShop) affiliate.PaymentFact {
		f := at(s.Fact("pi_1"), 2)
		f.Revoked = affiliate.Set(true)
		return f
	}
	raised := func(s *scene.PayShop) affiliate.PaymentFact { return at(s.Paid("pi_1", "150", "0", "mara"), 2) }
	for name, tt := range map[string]struct {
		doubt  func(s *scene.PayShop) affiliate.PaymentFact
		settle func(s *scene.PayShop, id affiliate.SaleID)
		want   string
	}{
		"revoked": {revoked, nil, "pi_1 mara 20 true\n[pi_1] waits: revoked"},
		"raised":  {raised, nil, "pi_1 mara 20 true\n[pi_1] waits: differs"},
		"refunded by hand": {revoked, func(s *scene.PayShop, id affiliate.SaleID) {
			scene.Must(s.RefundSale(t.Context(), affiliate.Refund{SaleID: id}))
		}, "pi_1 mara 0 true"},
		"refunded": {revoked, func(s *scene.PayShop, id affiliate.SaleID) {
			s.Reports(s.Refund("re_1", "100", affiliate.RefundSucceeded))
		}, "pi_1 mara 0 true"},
		"refunded in part": {revoked, func(s *scene.PayShop, id affiliate.SaleID) {
			s.Reports(s.Refund("re_1", "50", affiliate.RefundSucceeded))
		}, "pi_1 mara 10 true\n[pi_1] waits: revoked"},
		"deleted": {revoked, func(s *scene.PayShop, id affiliate.SaleID) {
			scene.Must(0, s.DeleteSale(t.Context(), id))
		}, ""},
		"corrected": {raised, func(s *scene.PayShop, id affiliate.SaleID) {
			scene.Must(s.UpdateSale(t.Context(), id, affiliate.SaleUpdate{TotalEarned: affiliate.Set(scene.Sum("150"))}))
		}, "pi_1 mara 30 true"},
		"raised once more": {raised, func(s *scene.PayShop, id affiliate.SaleID) {
			scene.Must(s.DecidePayment(t.Context(), scene.Must(s.Attention(t.Context(), 1)).PaymentConflicts.Items[0].ID, affiliate.PaymentDismissed))
			s.Reports(at(s.Paid("pi_1", "170", "0", "mara"), 3))
		}, "pi_1 mara 20 true\n[pi_1] waits: differs"},
		"stands, told before": {revoked, func(s *scene.PayShop, id affiliate.SaleID) {
			f := at(s.Fact("pi_1"), 1)
			f.Revoked = affiliate.Set(false)
			s.Reports(f)
		}, "pi_1 mara 20 true\n[pi_1] waits: revoked"},
	} {
		for _, reversed := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", reversed), func(t *testing.T) {
				s := scene.NewPayShop(t)
				facts := []affiliate.PaymentFact{at(s.Paid("pi_1", "100", "0", "mara"), 0), tt.doubt(s)}
				if reversed {
					slices.Reverse(facts)
				}
				s.Reports(facts...)
				s.Reports(facts...)
				if tt.settle != nil {
					tt.settle(s, s.SaleOf("pi_1").ID)
				}
				var got []string
				for line := range strings.SplitSeq(booksOf(s), "\n") {
					if strings.Contains(line, "pi_1") {
						got = append(got, line)
					}
				}
				slices.Sort(got)
				slices.Reverse(got)
				if got := strings.Join(got, "\n"); got != tt.want {
					t.Errorf("%q, want %q", got, tt.want)
				}
				s.Verifies()
			})
		}
	}
}
