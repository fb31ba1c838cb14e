package client_test

import (
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
	"github.com/tributary-go/tributary/client"
)

// gathered is everything that a sequence yields, and its error.
func gathered[T any](seq iter.Seq2[T, error]) (all []T, err error) {
	for item, err := range seq {
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}

// TestPayoutFilesOverTheWire: the files of package payfile are made and read back through the
// client, as through the engine.
func TestPayoutFilesOverTheWire(t *testing.T) {
	p, h := newEngine(t)
	srv := httptest.NewServer(h)
	defer srv.Close()
	c := must(client.New(srv.URL, testKey, client.Config{}))
	defer c.CloseIdleConnections()
	ctx := t.Context()
	for i := range 150 {
		a := must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: fmt.Sprint(i), Email: fmt.Sprintf("a%d@example.com", i)}))
		must(p.SetPayoutDetails(ctx, a.ID, affiliate.PayoutDetails{Method: "PAYPAL", Email: fmt.Sprintf("pay%d@example.com", i)}))
		must(p.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: a.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("8"), Reason: "r"}))
		must(c.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: a.ID}))
	}
	pending := affiliate.PayoutQuery{Status: affiliate.PayoutPending}
	here, _, err := payfile.PayPal(p.Transfers(ctx, pending), "2026-03", payfile.PayPalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	there, refused, err := payfile.PayPal(c.Transfers(ctx, pending), "2026-03", payfile.PayPalOptions{})
	if diff := cmp.Diff(here, there); diff != "" || err != nil || len(refused) > 0 || here[0].Count != 150 {
		t.Fatalf("%v, %v (-engine +client):\n%s", refused, err, diff)
	}
	payments, err := gathered(c.Transfers(ctx, pending))
	if err != nil || !slices.IsSortedFunc(payments, func(a, b affiliate.Transfer) int { return strings.Compare(a.PayoutID.String(), b.PayoutID.String()) }) {
		t.Errorf("payments are not in the order of their ids, %v", err)
	}
	report := "Customer ID,Status,Reason\n" +
		payfile.Ref(payments[0].PayoutID) + ",SUCCESS,\n" + payfile.Ref(payments[1].PayoutID) + ",RETURNED,closed\n" + payfile.Ref(payments[2].PayoutID) + ",UNCLAIMED,\n"
	for range 2 { // the second time nothing changes
		read := must(payfile.ReadResults(strings.NewReader(report), c.Transfers(ctx, affiliate.PayoutQuery{})))
		must(payfile.Apply(ctx, c, read.Results))
		got := []string{}
		for _, payment := range payments[:3] {
			payout := must(p.Payout(ctx, payment.PayoutID))
			got = append(got, string(payout.Status)+payout.FailedReason.Or(""))
		}
		if diff := cmp.Diff([]string{"PAID", "FAILEDclosed", "PENDING"}, got); diff != "" {
			t.Error(diff)
		}
	}
}

// TestPaymentsEnd: a walk ends at the first error, and at a break.
func TestPaymentsEnd(t *testing.T) {
	n := 0
	for _, err := range always(500, `{"error":"x"}`).client(t, func(cfg *client.Config) { cfg.MaxRetries = -1 }).Transfers(t.Context(), affiliate.PayoutQuery{}) {
		if n++; failure(t, err).Status != 500 {
			t.Error(err)
		}
	}
	if n != 1 {
		t.Errorf("%d errors", n)
	}
	for payment := range always(200, `[{"amount":1},{"amount":2}]`).client(t).Transfers(t.Context(), affiliate.PayoutQuery{}) {
		if payment.Amount.String() != "2" {
			t.Errorf("first %v", payment)
		}
		break
	}
}

// TestRunPayoutsUntilDone: the client repeats a run until it is DONE, each time with
// a key of its own, and Preview and Lines follow the pages.
func TestRunPayoutsUntilDone(t *testing.T) {
	const n = 1300
	p, h := newEngine(t)
	ctx := t.Context()
	for i := range n {
		a := must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: fmt.Sprint(i), Email: fmt.Sprintf("a%d@example.com", i)}))
		must(p.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: a.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("8"), Reason: "r"}))
	}
	var runs, keys []string
	seen := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v1/payouts/run" {
			keys = append(keys, r.Header.Get("Idempotency-Key"))
		}
		runs = append(runs, r.URL.Path)
		h.ServeHTTP(w, r)
	})
	c := must(client.New("http://tributary.test", testKey, client.Config{Handler: seen}))
	in := affiliate.PayoutRun{ExternalID: "2026-03", NoDetails: true}
	preview, err := c.PreviewPayouts(ctx, in, affiliate.Page{})
	if len(preview.Items) != n || err != nil || len(runs) != 3 {
		t.Errorf("%d lines in %d requests, %v", len(preview.Items), len(runs), err)
	}
	keyed := c.Keyed(affiliate.Once{Key: "mine"})
	run, err := keyed.RunPayouts(ctx, in)
	if err != nil || run.Status != affiliate.RunDone || run.Created != n || len(keys) < 3 || keys[0] != "mine" {
		t.Errorf("%+v with the keys %q, %v", run, keys, err)
	}
	slices.Sort(keys)
	if len(slices.Compact(keys)) != len(keys) {
		t.Errorf("a key was used twice: %q", keys)
	}
	again := must(keyed.RunPayouts(ctx, in))
	if diff := cmp.Diff(run, again); diff != "" {
		t.Errorf("again (-first +second):\n%s", diff)
	}
	lines := must(c.PayoutLines(ctx, "2026-03", affiliate.Page{})).Items
	for i := range lines {
		if lines[i].PayoutID.IsNull() {
			t.Errorf("line %+v", lines[i])
		}
		lines[i].PayoutID = affiliate.Null[uuid.UUID]()
	}
	if diff := cmp.Diff(preview.Items, lines); diff != "" {
		t.Errorf("(-preview +run):\n%s", diff)
	}
}

// TestStatementOverTheWire: the client's statement reads its lines page by page,
// those that were there when it was made, as often as it is asked.
func TestStatementOverTheWire(t *testing.T) {
	p, h := newEngine(t)
	c := must(client.New("http://tributary.test", testKey, client.Config{Handler: h}))
	ctx := t.Context()
	a := must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "a@example.com"}))
	bonus := func() {
		must(p.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: a.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("8"), Reason: "r"}))
	}
	for range 250 {
		bonus()
	}
	from := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	here, there := must(p.Statement(ctx, affiliate.AffiliateRef{ID: a.ID}, from, from.AddDate(0, 1, 0))), must(c.Statement(ctx, affiliate.AffiliateRef{ID: a.ID}, from, from.AddDate(0, 1, 0)))
	bonus()
	want, got := must(gathered(here.Lines())), must(gathered(there.Lines()))
	if diff := cmp.Diff(want, got); diff != "" || len(got) != 250 || got[249].Owed != there.Closing.Owed {
		t.Errorf("%d lines (-engine +client):\n%s", len(got), diff)
	}
	var wantRows, rows strings.Builder
	must(0, errors.Join(here.WriteCSV(&wantRows), there.WriteCSV(&rows)))
	if diff := cmp.Diff(wantRows.String(), rows.String()); diff != "" || strings.Count(rows.String(), "\r\n") != 253 {
		t.Errorf("(-engine +client):\n%s", diff)
	}
}

// TestDecidePayment: the client decides about a payment as the engine does.
func TestDecidePayment(t *testing.T) {
	ctx := t.Context()
	told := func(decide func(*tributary.Program, http.Handler, uuid.UUID, affiliate.PaymentDecisionParams) (affiliate.PaymentResult, error)) (all []string) {
		for _, d := range []affiliate.PaymentDecisionParams{{Decision: affiliate.PaymentIsSameSale}, {Decision: affiliate.PaymentIsOwnSale},
			{Decision: affiliate.PaymentIsOwnSale, ReferralID: "ada"}, {Decision: affiliate.PaymentIsOwnSale, ReferralID: "nobody"},
			{Decision: affiliate.PaymentIsOwnSale, ExchangeRate: affiliate.MustExchangeRate("2")}, {Decision: affiliate.PaymentDismissed, ReferralID: "ada"},
			{Decision: affiliate.PaymentDismissed}, {Decision: "x"}, {}} {
			p, h := newEngine(t)
			must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.com", AffiliateLink: "ada"}))
			must(p.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: "kim@example.com", Name: "K", TotalEarned: affiliate.MustAmount("100"), ExternalID: "order-1"}))
			one := affiliate.MustAmount("1")
			waits := must(p.Payments().ReportPayment(ctx, affiliate.PaymentFact{
				Provider: "stripe", Keys: []string{"pi_1"}, At: p.Config().Now(), Currency: "USD", Payer: affiliate.PayerFact{ID: "cus_E", Email: "eve@example.org"},
				Sale: affiliate.Set(affiliate.Paid{SaleParams: affiliate.SaleParams{TotalEarned: one, ExternalID: "order-1"}, Gross: one, Tries: []affiliate.Credit{{ReferralID: "ada"}}}),
			}))
			res, err := decide(p, h, waits.Payment.ID, d)
			refusal, _ := errors.AsType[*affiliate.Error](err)
			all = append(all, fmt.Sprint(d, " ", res.Payment.ID == waits.Payment.ID, res.Outcome, res.Moved, jsonOf(res.Sale), len(res.Refused), refusal))
		}
		return all
	}
	want := told(func(p *tributary.Program, _ http.Handler, id uuid.UUID, d affiliate.PaymentDecisionParams) (affiliate.PaymentResult, error) {
		return p.DecidePayment(ctx, id, d)
	})
	got := told(func(_ *tributary.Program, h http.Handler, id uuid.UUID, d affiliate.PaymentDecisionParams) (affiliate.PaymentResult, error) {
		return must(client.New(testBase, testKey, client.Config{Handler: h})).DecidePayment(ctx, id, d)
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-engine +client):\n%s", diff)
	}
}
