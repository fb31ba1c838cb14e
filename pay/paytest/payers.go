package paytest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// A past is the state of a shop before the events of a story about who pays.
type past struct {
	name    string
	email   string // of the payer
	carried pay.Carried
	more    bool // one renewal more
	before  func(s *shoptest.Shop)
	want    string // what the affiliates have in the end
}

// limited lets each customer use the code once.
func limited(s *shoptest.Shop) {
	change(s, affiliate.CodeUpdate{MaxRedemptionsPerCustomer: affiliate.Set[int64](1)})
}

func change(s *shoptest.Shop, up affiliate.CodeUpdate) {
	shoptest.Must(s.UpdateCode(s.T.Context(), s.Code.ID, up))
}

// refer makes a customer of the host, by the link of an affiliate.
func refer(s *shoptest.Shop, slug string) {
	shoptest.Must(s.CreateReferral(s.T.Context(),
		affiliate.ReferralParams{AffiliateID: slug, Name: "Tomas", Email: "tomas@customers.example",
			ReferredUserExternalID: "17"}))
}

// sell records an order of 100 that the host took itself.
func sell(s *shoptest.Shop, code, email string) {
	shoptest.Must(s.RecordSale(s.T.Context(),
		affiliate.SaleParams{TotalEarned: dollars(100), PromoCode: code, Email: email,
			Name: "Tomas", PaidAt: shoptest.Opened}))
}

func nameOf(s *shoptest.Shop, id uuid.UUID) string {
	if id == s.Mara.ID {
		return "Mara"
	}
	return "Ben"
}

// pasts are the stories about who pays: somebody buys with a code or by a link, and again, and the email
// comes at any time.
var pasts = []past{
	{name: "a code", carried: pay.Carried{Code: "MARA20", Order: "order-7"}, want: "Mara 38.00, Ben 0.00"},
	{name: "a link", carried: pay.Carried{Slug: "mara"}, want: "Mara 38.00, Ben 0.00"},
	{name: "a code and a link of others",
		carried: pay.Carried{Code: "MARA20", Slug: "ben", Order: "order-7"}, more: true,
		want: "Mara 58.00, Ben 0.00"},
	{name: "a code that is refused and a link of others", carried: pay.Carried{Code: "MARA20", Slug: "ben", Order: "order-7"}, want: "Mara 0.00, Ben 38.00",
		before: func(s *shoptest.Shop) { change(s, affiliate.CodeUpdate{Active: affiliate.Set(false)}) }},
	{name: "nothing", want: "Mara 0.00, Ben 0.00"},
	{name: "a code once per customer", carried: pay.Carried{Code: "MARA20", Order: "order-7"},
		before: limited, want: "Mara 38.00, Ben 0.00"},
	{name: "a code that the mailbox has used", carried: pay.Carried{Code: "MARA20", Order: "order-7"}, want: "Mara 58.00, Ben 0.00",
		before: func(s *shoptest.Shop) { limited(s); sell(s, "MARA20", "tomas+shop@customers.example") }},
	{name: "a code that the customer has used", carried: pay.Carried{Code: "MARA20", Order: "order-7"}, want: "Mara 20.00, Ben 38.00",
		before: func(s *shoptest.Shop) { refer(s, "ben"); limited(s); sell(s, "MARA20", "tomas@customers.example") }},
	{name: "a code for a first order", carried: pay.Carried{Code: "MARA20", Order: "order-7"}, want: "Mara 0.00, Ben 58.00",
		before: func(s *shoptest.Shop) {
			refer(s, "ben")
			sell(s, "", "tomas@customers.example")
			change(s, affiliate.CodeUpdate{FirstTimeOrder: affiliate.Set(true)})
		}},
	{name: "their own code", email: "Mara@partners.example",
		carried: pay.Carried{Code: "MARA20", Order: "order-7"}, want: "Mara 38.00, Ben 0.00"},
	{name: "a customer of the host", carried: pay.Carried{Code: "MARA20", Order: "order-7"},
		want: "Mara 18.00, Ben 20.00", before: func(s *shoptest.Shop) { refer(s, "ben") }},
	{name: "a customer of the host, without a code", want: "Mara 0.00, Ben 38.00",
		before: func(s *shoptest.Shop) { refer(s, "ben") }},
	{name: "a customer who is erased", carried: pay.Carried{Code: "MARA20", Order: "order-7"}, want: "Mara 18.00, Ben 20.00", before: func(s *shoptest.Shop) {
		refer(s, "ben")
		if err := s.EraseReferral(s.T.Context(), "tomas@customers.example"); err != nil {
			s.T.Fatal(err)
		}
	}},
}

// payers: who pays is the same in whatever place the email of the customer is told: the books, what
// waits for a person, and what is logged.
func (s Suite) payers(t *testing.T) {
	for _, p := range pasts {
		t.Run(p.name, func(t *testing.T) { s.payer(t, p) })
	}
}

func (s Suite) payer(t *testing.T, p past) {
	shop := shoptest.New(t)
	story := s.story(t)
	story.data = shoptest.Must(shop.AdapterConfig().Carry(shop.Program, nil, p.carried))
	story.email, story.silent = p.email, true
	story.paid(100)
	story.refund("p1", 10)
	story.paid(100)
	if p.more {
		story.paid(100)
	}
	actions := story.actions(t)
	second, _ := actions[len(actions)-1].Payment.Sale.Get()
	if !second.Renewal { // the provider tells of none: the next order is one of its own
		story.bodies, actions = story.bodies[:2], actions[:2]
	}
	told := len(actions)
	payer := actions[0].Payment.Payer
	if payer.ID == "" {
		t.Fatal("the provider does not say who pays")
	}
	story.silent = false
	if story.customer(); len(story.bodies) == told { // it has no such event: another payment of theirs would tell
		payer.Email, payer.Name = cmp.Or(p.email, "tomas@customers.example"), "Tomas"
		actions = append(actions,
			pay.Action{Kind: pay.KindCustomer,
				Payment: affiliate.PaymentFact{Provider: actions[0].Payment.Provider, Payer: payer,
					At: story.now}})
	} else {
		actions = story.actions(t)
	}
	state := ""
	shoptest.Orders(len(actions), func(order []int) {
		shop := shoptest.New(t,
			func(c *tributary.Config) { c.Review = []affiliate.ReviewRule{affiliate.SelfReferral()} })
		if p.before != nil {
			p.before(shop)
		}
		shop.Now = story.now
		story.deliver(t, shop, actions, order)
		if got := "Mara " + shop.Earned(shop.Mara) + ", Ben " + shop.Earned(shop.Ben); second.Renewal && got != p.want {
			t.Errorf("order %v: %s, want %s", order, got, p.want)
		}
		if state == "" {
			state = stateOf(shop)
		}
		if got := stateOf(shop); got != state {
			t.Errorf("order %v:\n%s\nand in their own order:\n%s", order, got, state)
		}
	})
}

// deliver sends the events in an order, each until it is taken, and all of them again.
func (s *story) deliver(t *testing.T, shop *shoptest.Shop, actions []pay.Action, order []int) {
	t.Helper()
	again := slices.Concat(order, order)
	for left := again; len(left) > 0; {
		var later []int
		for _, i := range left {
			status := http.StatusOK
			if i < len(s.bodies) {
				status = s.send(t, shop, shop.Program, s.bodies[i])
			} else if _, err := pay.Apply(t.Context(), shop.Program, actions[i]); err != nil {
				t.Fatal(err)
			}
			switch {
			case status == http.StatusServiceUnavailable:
				later = append(later, i)
			case status/100 != 2:
				t.Fatalf("status %d: %s", status, shop.Logs.String())
			}
		}
		if len(later) == len(left) {
			break // what they wait for never comes
		}
		left = later
	}
}

// stateOf returns the state that must not depend on the order of events: customers, sales with what
// they earn and why, the places of the code, what waits for a person, and what was warned of, each
// line once, sorted.
func stateOf(s *shoptest.Shop) string {
	ctx := s.T.Context()
	var lines []string
	emails := map[string]string{}
	for _, r := range shoptest.Must(s.Referrals(ctx, affiliate.ReferralQuery{}, affiliate.Page{})).Items {
		emails[r.ID.String()] = r.Email
		lines = append(lines,
			fmt.Sprintf("customer %q %q of %s: %s, %s", r.Email, r.ReferredUserExternalID.Or(""),
				nameOf(s, r.AffiliateID), r.Status, r.TotalCommission))
	}
	for _, x := range s.AllSales() {
		held := ""
		for _, c := range x.Commissions {
			held += fmt.Sprint(" ", c.CommissionEarned, " ", c.ApprovalStatus, " ",
				c.HoldReason.Or(""), " ", c.RiskReasons)
		}
		lines = append(lines,
			fmt.Sprintf("sale of %s (%s) for %s by %q: %s, code %t:%s", x.TotalEarned,
				x.ExternalID.Or(""), nameOf(s, x.AffiliateID), x.Email.Or(""), x.Status,
				!x.PromotionalCodeID.IsNull(), held))
	}
	code := shoptest.Must(s.Program.Code(ctx, affiliate.CodeRef{ID: s.Code.ID}))
	lines = append(lines, fmt.Sprintf("%s was redeemed %d times", code.Code, code.TimesRedeemed))
	waits := shoptest.Must(s.Attention(ctx, 20))
	lines = append(lines,
		fmt.Sprintf("waits: %d sales, %d payments, %d redemptions", waits.HeldSales.Count,
			waits.PaymentConflicts.Count, waits.Overdrawn.Count))
	for _, c := range waits.PaymentConflicts.Items {
		lines = append(lines, fmt.Sprintf("payment of %s waits as %s", c.Amount, c.Outcome))
	}
	for line := range strings.Lines(s.Logs.String()) {
		var log struct {
			Level, Msg, Reason, Type string
			Status                   int
		}
		if json.Unmarshal([]byte(line), &log) == nil && log.Level != "DEBUG" &&
			log.Status != http.StatusServiceUnavailable &&
			!strings.Contains(log.Msg, "its lines") { // of the event that made the sale, whoever pays
			lines = append(lines, "log: "+log.Level+" "+log.Msg+" "+log.Reason)
		}
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\n")
}
