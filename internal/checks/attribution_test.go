package checks_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
)

// TestAttributionTable tries every row of the table in docs/rules.md 5.8: the sale, its
// explanation, the preview of an order with a code, and the referral of a new customer.
func TestAttributionTable(t *testing.T) {
	for _, row := range attributionRows(t) {
		t.Run(strings.Join(row[:3], " / "), func(t *testing.T) { tryAttribution(t, row) })
	}
}

// attributionRows are the cells of that table.
func attributionRows(t *testing.T) (rows [][]string) {
	t.Helper()
	_, section, _ := strings.Cut(read(t, "docs/rules.md"), "### 5.8")
	_, table, _ := strings.Cut(section, "| Attribution |")
	lines := strings.Split(table, "\n")[2:]
	for _, line := range lines[:slices.Index(lines, "")] {
		rows = append(rows, cellsOf(line))
	}
	if len(rows) < 20 {
		t.Errorf("only %d rows", len(rows))
	}
	return rows
}

func tryAttribution(t *testing.T, row []string) {
	s := newCreditShop(t, attributionOf(t, row[0]))
	order, known := s.before(row[1])
	for _, has := range strings.Split(row[2], ", ") {
		switch has {
		case "click":
			order.ReferralID = strconv.FormatInt(int64(s.click), 10)
		case "email":
			if !known {
				t.Fatal("nobody is known by this email")
			}
		default:
			order.PromoCode = has
		}
	}
	want := s.people[row[3]]
	if order.PromoCode != "" {
		preview, err := s.Evaluate(t.Context(), affiliate.Order{PromoCode: order.PromoCode, ReferralID: order.ReferralID, Email: order.Email, TotalEarned: affiliate.Set(order.TotalEarned)})
		if who, _ := preview.Affiliate.Get(); err != nil || !preview.Valid || who.ID != want.ID {
			t.Errorf("the preview credits %s: %v, %v", who.FirstName, preview.Reasons, err)
		}
	}
	if !known && order.ReferralID+order.PromoCode != "" {
		ref, err := s.CreateReferral(t.Context(), affiliate.ReferralParams{
			AffiliateID: order.ReferralID, PromoCode: order.PromoCode, Name: "Otto", Email: "otto@example.net", ReferredUserExternalID: "otto",
		})
		if err != nil || ref.AffiliateID != want.ID {
			t.Errorf("a new referral is of %s: %v", ref.AffiliateID, err)
		}
	}
	res, err := s.RecordSale(t.Context(), order)
	sale, _ := res.Sale.Get()
	if err != nil || sale.AffiliateID != want.ID {
		t.Fatalf("credited is %s: %s, %v", sale.Affiliate.FirstName, res.Outcome, err)
	}
	if _, code := sale.PromotionalCodeID.Get(); code != (order.PromoCode != "") {
		t.Error("the code of the sale is wrong")
	}
	why, err := s.ExplainSale(t.Context(), sale.ID)
	if err != nil || "`"+string(why.Credit.By)+"`" != row[4] {
		t.Errorf("by %s: %v", why.Credit.By, err)
	}
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestAttributionOfPayments tries every row of that table with a payment of a provider, which
// names code and click as tries: it credits whom the sale credits, for the same reason. A renewal,
// which names nobody, credits the affiliate of the customer.
func TestAttributionOfPayments(t *testing.T) {
	for _, row := range attributionRows(t) {
		t.Run(strings.Join(row[:3], " / "), func(t *testing.T) {
			s := newCreditShop(t, attributionOf(t, row[0]))
			order, _ := s.before(row[1])
			var tries []affiliate.Credit
			has := strings.Split(row[2], ", ")
			for _, code := range []string{"ADA20", "BEN20"} { // adapters put the codes of a payment first
				if slices.Contains(has, code) {
					tries = append(tries, affiliate.Credit{PromoCode: code})
				}
			}
			if slices.Contains(has, "click") {
				tries = append(tries, affiliate.Credit{ReferralID: strconv.FormatInt(int64(s.click), 10)})
			}
			pays := func(id string, paid affiliate.Paid) affiliate.Sale {
				t.Helper()
				paid.Gross = order.TotalEarned
				paid.TotalEarned, paid.ExternalID = order.TotalEarned, id
				res, err := s.Payments().ReportPayment(t.Context(), affiliate.PaymentFact{
					Provider: "stripe", Keys: []string{"pi_" + id}, At: s.now, Currency: "USD",
					Payer: affiliate.PayerFact{ID: "cus_1", Email: order.Email, Name: order.Name}, Sale: affiliate.Set(paid),
				})
				sale, ok := res.Sale.Get()
				if err != nil || !ok {
					t.Fatalf("the payment is %s: %v", res.Outcome, err)
				}
				return sale
			}
			want := s.people[row[3]]
			first := pays("1", affiliate.Paid{Tries: tries})
			why, err := s.ExplainSale(t.Context(), first.ID)
			if err != nil || first.AffiliateID != want.ID || "`"+string(why.Credit.By)+"`" != row[4] {
				t.Errorf("it credits %s by %s: %v", first.Affiliate.FirstName, why.Credit.By, err)
			}
			customer, err := s.Referral(t.Context(), order.Email)
			if err != nil {
				t.Fatal(err)
			}
			if renewed := pays("2", affiliate.Paid{Renewal: true}); renewed.AffiliateID != customer.AffiliateID {
				t.Errorf("the renewal credits %s", renewed.Affiliate.FirstName)
			}
			if err := s.Verify(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAttributionSimulated tries every row of that table with every choice that a program may have, and asks
// what every other would have changed: it says what a program with that choice does, for whom and how much.
func TestAttributionSimulated(t *testing.T) {
	var choices []affiliate.Attribution
	for _, touch := range []affiliate.Touch{affiliate.TouchLast, affiliate.TouchFirst} {
		for _, customer := range []affiliate.CustomerCredit{affiliate.CreditEachOrder, affiliate.CreditKeptCustomer} {
			for _, code := range []affiliate.CodeCredit{affiliate.CodeAlways, affiliate.CodeUnbrought} {
				choices = append(choices, affiliate.Attribution{Touch: touch, Customer: customer, Code: code})
			}
		}
	}
	differ := 0
	for _, row := range attributionRows(t) {
		shops := make([]*creditShop, len(choices))
		sales := make([]affiliate.Sale, len(choices))
		for i, choice := range choices {
			shops[i] = newCreditShop(t, choice)
			order, _ := shops[i].before(row[1])
			for _, has := range strings.Split(row[2], ", ") {
				switch has {
				case "click":
					order.ReferralID = strconv.FormatInt(int64(shops[i].click), 10)
				case "ADA20", "BEN20":
					order.PromoCode = has
				}
			}
			res, err := shops[i].RecordSale(t.Context(), order)
			if sales[i] = res.Sale.Or(affiliate.Sale{}); err != nil || sales[i].ID == 0 {
				t.Fatal(res.Outcome, err)
			}
			if err := shops[i].Verify(t.Context()); err != nil {
				t.Error(err)
			}
		}
		for i, s := range shops {
			for j, choice := range choices {
				got := map[string]affiliate.Difference{}
				for d, err := range s.Simulate(t.Context(), affiliate.SimulateQuery{Attribution: affiliate.Set(choice)}) {
					if err != nil {
						t.Fatal(err)
					}
					for name, who := range s.people {
						if who.ID == d.AffiliateID {
							got[name] = d
						}
					}
				}
				was, would := sales[i].Affiliate.FirstName, sales[j].Affiliate.FirstName
				want := map[string]affiliate.Difference{}
				if d := (affiliate.Difference{Sales: 1, Was: sales[i].CommissionEarned, Would: sales[j].CommissionEarned}); was == would {
					want[was] = d
				} else {
					differ++
					less, err := affiliate.Amount{}.Sub(d.Was)
					if err != nil {
						t.Fatal(err)
					}
					want[was] = affiliate.Difference{Sales: 1, Lost: 1, Was: d.Was, Difference: less}
					want[would] = affiliate.Difference{Won: 1, Would: d.Would, Difference: d.Would}
				}
				if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(affiliate.Difference{}, "AffiliateID")); diff != "" {
					t.Errorf("%q with %+v, asked for %+v (-that program +simulated):\n%s", row[:3], choices[i], choice, diff)
				}
			}
		}
	}
	if differ < 200 {
		t.Errorf("only %d of them differ", differ)
	}
}

// attributionOf reads a cell like Touch FIRST, Code UNBROUGHT.
func attributionOf(t *testing.T, cell string) (a affiliate.Attribution) {
	if cell == "" {
		return a
	}
	for _, choice := range strings.Split(cell, ", ") {
		switch name, value, _ := strings.Cut(choice, " "); name {
		case "Touch":
			a.Touch = affiliate.Touch(value)
		case "Customer":
			a.Customer = affiliate.CustomerCredit(value)
		case "Code":
			a.Code = affiliate.CodeCredit(value)
		default:
			t.Fatalf("no choice is called %s", name)
		}
	}
	return a
}

// A creditShop is a program of Ada and Ben, a visitor, and a clock.
type creditShop struct {
	*tributary.Program
	t      *testing.T
	now    time.Time
	people map[string]affiliate.Affiliate
	click  affiliate.ClickID // the last one of the visitor
}

func newCreditShop(t *testing.T, a affiliate.Attribution) *creditShop {
	s := &creditShop{t: t, now: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), people: map[string]affiliate.Affiliate{}}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	s.Program, err = tributary.New(memstore.New(), tributary.Config{Attribution: a, Terms: affiliate.Terms{Rate: affiliate.MustPercent("10")}, Now: func() time.Time { return s.now }})
	must(err)
	coupon, err := s.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "20 %", PercentOff: affiliate.Set(affiliate.MustPercent("20"))})
	must(err)
	for _, name := range []string{"Ada", "Ben"} {
		rate := affiliate.Set(affiliate.MustPercent(strconv.Itoa(len(s.people)*7 + 8)))
		s.people[name], err = s.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: name, LastName: "M", Email: name + "@example.org", AffiliateLink: name, CommissionRate: rate})
		must(err)
		_, err = s.CreateCode(t.Context(), affiliate.CodeParams{CouponID: coupon.ID, Code: strings.ToUpper(name) + "20", AffiliateID: s.people[name].ID})
		must(err)
	}
	return s
}

// before does what the cell says, and returns the order as far as it is known then.
func (s *creditShop) before(cell string) (order affiliate.SaleParams, known bool) {
	order = affiliate.SaleParams{Email: "ida@example.net", Name: "Ida", TotalEarned: affiliate.MustAmount("50")}
	end := s.now
	for _, part := range strings.Split(cell, "; ") {
		if owner, ok := strings.CutSuffix(part, "'s"); ok {
			known = true
			s.refer(s.people[strings.TrimPrefix(owner, "Ida is ")])
		}
		if visits, ok := strings.CutPrefix(part, "visits "); ok {
			for _, visit := range strings.Split(visits, ", ") {
				slug, ago, _ := strings.Cut(visit, " ")
				days, _ := strconv.Atoi(strings.TrimSuffix(ago, " days ago"))
				s.now = end.AddDate(0, 0, -days)
				click, err := s.TrackClick(s.t.Context(), affiliate.ClickParams{Slug: slug, Earlier: s.click})
				if err != nil {
					s.t.Fatal(err)
				}
				s.click = click.ID
			}
		}
	}
	s.now = end.Add(time.Hour)
	return order, known
}

func (s *creditShop) refer(owner affiliate.Affiliate) {
	_, err := s.CreateReferral(s.t.Context(), affiliate.ReferralParams{
		AffiliateID: owner.ID.String(), Name: "Ida", Email: "ida@example.net", ReferredUserExternalID: "ida",
	})
	if err != nil {
		s.t.Fatal(err)
	}
}
