package adapter_test

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// paid is a payment of some ids and an amount.
func paid(at time.Time, amount string, keys ...string) pay.Action {
	a := told(keys[0], at)
	a.Payment.Keys = keys
	sale, _ := a.Payment.Sale.Get()
	sale.Gross, sale.TotalEarned = affiliate.MustAmount(amount), affiliate.MustAmount(amount)
	a.Payment.Sale = affiliate.Set(sale)
	return a
}

// unmarked is a payment that names nobody, of a guest with an email.
func unmarked(a pay.Action, payer, email string) pay.Action {
	sale, _ := a.Payment.Sale.Get()
	sale.Tries = nil
	a.Payment.Sale, a.Payment.Payer = affiliate.Set(sale), affiliate.PayerFact{ID: payer, Email: email}
	return a
}

func applied(t interface {
	Helper()
	Context() context.Context
	Fatal(...any)
}, p *tributary.Program, all ...pay.Action) {
	t.Helper()
	for _, a := range all {
		if result, err := pay.Apply(t.Context(), p, a); err != nil || result.Refusal != nil {
			t.Fatal(a.Event.ID, err, result.Refusal)
		}
	}
}

// said are the differences of a comparison, in a line each.
func said(c adapter.Comparison) (all []string) {
	for _, d := range c.Differences {
		all = append(all, fmt.Sprint(d.Kind, " ", strings.Join(d.Keys, "+"), " ", d.Currency, " ", d.Sums.TheirPaid, "-", d.Sums.TheirLost, " ", d.Sums.OurPaid, "-", d.Sums.OurLost))
	}
	slices.Sort(all)
	return all
}

// TestCompareKeys: two payments here that are one there are one too many here, and one here that is two there is one too few;
// another currency is a difference in each of the two.
func TestCompareKeys(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := now.Add(-time.Hour)
	euro := paid(at, "100", "a")
	euro.Payment.Currency, euro.Payment.ExchangeRate, euro.Settled = "EUR", affiliate.MustExchangeRate("1.1"), "USD"
	for name, row := range map[string]struct {
		theirs, ours []pay.Action
		want         []string
	}{
		"the same":          {[]pay.Action{paid(at, "100", "a", "b")}, []pay.Action{paid(at, "100", "b", "a")}, nil},
		"two here":          {[]pay.Action{paid(at, "100", "a", "b")}, []pay.Action{paid(at, "100", "a"), paid(at, "100", "b")}, []string{"unknown b USD 0-0 100-0"}},
		"two here, by fit":  {[]pay.Action{paid(at, "100", "a", "b")}, []pay.Action{paid(at, "100", "a"), paid(at, "30", "b")}, []string{"unknown b USD 0-0 30-0"}},
		"two there":         {[]pay.Action{paid(at, "100", "a"), paid(at, "100", "b")}, []pay.Action{paid(at, "100", "a", "b")}, []string{"missing a USD 100-0 0-0"}},
		"another amount":    {[]pay.Action{paid(at, "100", "a")}, []pay.Action{paid(at, "90", "a")}, []string{"paid a USD 100-0 90-0"}},
		"another currency":  {[]pay.Action{paid(at, "100", "a")}, []pay.Action{euro}, []string{"currency a EUR 0-0 100-0", "currency a USD 100-0 0-0"}},
		"nobody's, here":    {nil, []pay.Action{unmarked(paid(at, "100", "a"), "cus_9", "guest@customers.example")}, nil},
		"somebody's, here":  {nil, []pay.Action{paid(at, "100", "a")}, []string{"unknown a USD 0-0 100-0"}},
		"nothing, and here": {[]pay.Action{paid(at, "0", "a")}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			p := withMara(t, &now)
			applied(t, p, row.ours...)
			src := sourceOf(&now, &log, func() []pay.Action { return row.theirs })
			c, err := src.Compare(t.Context(), p, at.Add(-time.Hour))
			if got := said(c); err != nil || !slices.Equal(got, row.want) {
				t.Errorf("%q, want %q, %v", got, row.want, err)
			}
			explained(t, &c)
		})
	}
}

// explained fails unless the differences explain the sums.
func explained(t interface{ Errorf(string, ...any) }, c *adapter.Comparison) {
	rest := map[affiliate.Currency][2]int64{}
	for in, s := range c.Sums {
		rest[in] = [2]int64{s.TheirPaid.Scaled() - s.OurPaid.Scaled(), s.TheirLost.Scaled() - s.OurLost.Scaled()}
	}
	for _, d := range c.Differences {
		r := rest[d.Currency]
		rest[d.Currency] = [2]int64{r[0] - d.Sums.TheirPaid.Scaled() + d.Sums.OurPaid.Scaled(), r[1] - d.Sums.TheirLost.Scaled() + d.Sums.OurLost.Scaled()}
	}
	for in, r := range rest {
		if r != [2]int64{} {
			t.Errorf("%s: the differences do not explain %v of %+v", in, r, c)
		}
	}
}

// TestCompareGuests: guests are told apart by their emails, and a refund that does not say the email of its payer does not make
// the payer unknown.
func TestCompareGuests(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := now.Add(-time.Hour)
	var log bytes.Buffer
	p := withMara(t, &now)
	mara, err := p.Affiliate(t.Context(), "mara@partners.example")
	if err != nil {
		t.Fatal(err)
	}
	for _, email := range []string{"tomas@customers.example", "known@customers.example"} {
		if _, err := p.CreateReferral(t.Context(), affiliate.ReferralParams{AffiliateID: mara.ID.String(), Name: "Tomas", Email: email, ReferredUserExternalID: email}); err != nil {
			t.Fatal(err)
		}
	}
	refund := pay.Action{Kind: pay.KindRefund, Event: pay.Event{ID: "r", At: at}, Payment: affiliate.PaymentFact{Provider: "acmepay", Keys: []string{"c"}, At: at, Currency: "USD",
		Payer: affiliate.PayerFact{ID: "cus_1"}, Refunds: []affiliate.RefundFact{{ID: "re_1", Amount: affiliate.MustAmount("10"), State: affiliate.RefundSucceeded}}}}
	src := sourceOf(&now, &log, func() []pay.Action {
		return []pay.Action{unmarked(paid(at, "100", "a"), "", "tomas@customers.example"), unmarked(paid(at, "50", "b"), "", "stranger@customers.example"),
			unmarked(paid(at, "30", "c"), "cus_1", "known@customers.example"), refund}
	})
	c, err := src.Compare(t.Context(), p, at.Add(-time.Hour))
	if got, want := said(c), []string{"missing a USD 100-0 0-0", "missing c USD 30-10 0-0"}; err != nil || !slices.Equal(got, want) || c.Nobodys != 1 {
		t.Errorf("%q, want %q, %d nobody's, %v", got, want, c.Nobodys, err)
	}
}

// TestCompareElsewhere: events of other accounts and of the test mode count nowhere.
func TestCompareElsewhere(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := now.Add(-time.Hour)
	var log bytes.Buffer
	p := withMara(t, &now)
	other, err := tributary.New(memstore.New(), tributary.Config{ID: uuid.Max, Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}})
	if err != nil {
		t.Fatal(err)
	}
	theirs, test, strangers := paid(at, "100", "a"), paid(at, "100", "b"), paid(at, "100", "c")
	theirs.Event.Account, strangers.Event.Account = "acct_other", "acct_stranger"
	test.Kind, test.Reason = pay.KindIgnored, pay.TestMode
	src := sourceOf(&now, &log, func() []pay.Action { return []pay.Action{theirs, test, strangers, paid(at, "5", "d")} })
	src.Accounts = func(_ context.Context, account string) (*tributary.Program, error) {
		return map[string]*tributary.Program{"acct_other": other}[account], nil
	}
	if c, err := src.Compare(t.Context(), p, at.Add(-time.Hour)); err != nil || !slices.Equal(said(c), []string{"missing d USD 5-0 0-0"}) {
		t.Errorf("%q, %v", said(c), err)
	}
}

// TestCompareEdge: a payment that was made before the moment and succeeded since is in a list of what was made before: the
// program has it, and it is not unknown. One that the provider does not have is.
func TestCompareEdge(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	from := now.Add(-48 * time.Hour)
	var log bytes.Buffer
	p := withMara(t, &now)
	applied(t, p, paid(from.Add(time.Minute), "100", "a"), paid(from.Add(time.Minute), "30", "b"), paid(now, "5", "c"))
	all := []pay.Action{paid(from.Add(-time.Minute), "100", "a")}
	src := sourceOf(&now, &log, func() []pay.Action { return all })
	whole := src.Read
	src.Read = func(ctx context.Context, api adapter.API, since time.Time, yield func([]byte) bool) error {
		return whole(ctx, api, since, func(body []byte) bool {
			a, err := src.Map(body)
			return err == nil && (a.Event.At.Before(since) || yield(body))
		})
	}
	if c, err := src.Compare(t.Context(), p, from); err != nil || !slices.Equal(said(c), []string{"unknown b USD 0-0 30-0", "unknown c USD 0-0 5-0"}) {
		t.Errorf("%q, %v", said(c), err)
	}
}

// TestCompareSums (property): whatever is told here and there, the differences explain the sums, by currency; with the same told in
// both, nothing differs.
func TestCompareSums(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	rapid.Check(t, func(r *rapid.T) {
		var log bytes.Buffer
		n := 0
		actions := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) pay.Action {
			n++
			keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}), 1, 2, rapid.ID[string]).Draw(r, "keys")
			at := now.Add(-time.Duration(rapid.IntRange(1, 40).Draw(r, "hours")) * time.Hour)
			a := paid(at, fmt.Sprint(rapid.IntRange(1, 3).Draw(r, "amount")*1000), keys...)
			a.Event.ID, a.Payment.Currency = fmt.Sprint(n), rapid.SampledFrom([]affiliate.Currency{"USD", "USD", "JPY", "KWD"}).Draw(r, "currency")
			if rapid.Bool().Draw(r, "unmarked") {
				a = unmarked(a, rapid.SampledFrom([]string{"", "cus_1"}).Draw(r, "payer"), "x@customers.example")
			}
			if rapid.IntRange(0, 2).Draw(r, "kind") == 0 {
				a.Kind, a.Payment.Sale = pay.KindRefund, affiliate.Opt[affiliate.Paid]{}
				a.Payment.Refunds = []affiliate.RefundFact{{ID: fmt.Sprint("re_", n), Amount: affiliate.MustAmount("700"), State: affiliate.RefundSucceeded}}
			}
			return a
		}), 0, 8)
		theirs, p := actions.Draw(r, "theirs"), withMara(t, &now)
		ours, same := theirs, rapid.Bool().Draw(r, "same")
		if !same {
			ours = actions.Draw(r, "ours")
		} else { // two events of a payment do not contradict each other
			for i := range theirs {
				f, first := &theirs[i].Payment, &theirs[i-i%2].Payment
				f.Keys, f.Currency, f.Payer = []string{fmt.Sprint("p", i/2)}, first.Currency, first.Payer
				if _, says := first.Sale.Get(); says && !f.Sale.IsZero() {
					f.Sale = first.Sale
				}
			}
		}
		for _, a := range slices.Concat(ours, ours) { // again, when their payers are known
			if _, err := pay.Apply(t.Context(), p, a); err != nil {
				r.Fatal(err)
			}
		}
		src := sourceOf(&now, &log, func() []pay.Action { return theirs })
		c, err := src.Compare(t.Context(), p, now.Add(-72*time.Hour))
		if err != nil {
			r.Fatal(err)
		}
		explained(r, &c)
		for _, d := range c.Differences {
			if same && d.Kind != adapter.DifferentWaits {
				r.Errorf("the same was told, and differs: %+v", d)
			}
		}
		again, err := src.Compare(t.Context(), p, now.Add(-72*time.Hour))
		if err != nil || !reflect.DeepEqual(said(c), said(again)) {
			r.Errorf("%q, again %q, %v", said(c), said(again), err)
		}
	})
}
