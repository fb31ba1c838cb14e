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

// money is the part of the story about adjustments and payouts.
func (s *teller) money(ada affiliate.Affiliate) {
	s.adjustments(ada)
	c, x := s.Operations, s.ctx
	type P = affiliate.Payout
	pay := func(step string, in affiliate.PayoutParams) P { return told[P](s, step)(c.CreatePayout(x, in)) }
	first := pay("payout", affiliate.PayoutParams{AffiliateEmail: "ADA@example.com", Minimum: affiliate.MustAmount("0.01"), ExternalID: "run 1/2"})
	pay("payout of nothing", affiliate.PayoutParams{AffiliateID: ada.ID, Until: time.Date(2026, 3, 1, 0, 0, 0, 1000, time.FixedZone("", 3600))})
	pay("payout of nobody", affiliate.PayoutParams{AffiliateID: anID})
	pay("payout of whom?", affiliate.PayoutParams{ManuallyPaid: true})
	pay("payout below nothing", affiliate.PayoutParams{AffiliateID: ada.ID, Minimum: affiliate.MustAmount("-1")})
	told[P](s, "get")(c.Payout(x, first.ID))
	told[P](s, "get none")(c.Payout(x, anID))
	told[P](s, "get nil")(c.Payout(x, uuid.Nil))
	told[P](s, "fail")(c.FailPayout(x, first.ID, "returned\nby the bank"))
	told[P](s, "fail again")(c.FailPayout(x, first.ID, "closed"))
	told[P](s, "fail why?")(c.FailPayout(x, first.ID, " "))
	told[P](s, "fail none")(c.FailPayout(x, anID, "x"))
	told[P](s, "fail what?")(c.FailPayout(x, uuid.Nil, "x"))
	told[P](s, "return what was not paid")(c.ReturnPayout(x, first.ID, "x"))
	told[P](s, "return what?")(c.ReturnPayout(x, uuid.Nil, "x"))
	told[P](s, "return why?")(c.ReturnPayout(x, first.ID, " "))
	told[P](s, "cancel")(c.SetPayoutStatus(x, first.ID, affiliate.PayoutCanceled))
	told[P](s, "cancel again")(c.SetPayoutStatus(x, first.ID, affiliate.PayoutCanceled))
	told[P](s, "too late")(c.SetPayoutStatus(x, first.ID, affiliate.PayoutPaid))
	told[P](s, "status of none")(c.SetPayoutStatus(x, anID, affiliate.PayoutPaid))
	told[P](s, "status of what?")(c.SetPayoutStatus(x, uuid.Nil, affiliate.PayoutPaid))
	told[P](s, "which status?")(c.SetPayoutStatus(x, first.ID, ""))
	told[P](s, "no such status")(c.SetPayoutStatus(x, first.ID, "paid"))
	pay("payout by hand", affiliate.PayoutParams{AffiliateID: ada.ID, AffiliateEmail: "ada@example.com", ManuallyPaid: true})
	pay("nothing left", affiliate.PayoutParams{AffiliateID: ada.ID})
	for _, f := range []affiliate.PayoutQuery{
		{}, {AffiliateID: affiliate.Set(ada.ID), Status: affiliate.PayoutCanceled}, {AffiliateEmail: affiliate.Set("ada@example.com")}, {AffiliateID: affiliate.Set(anID)},
		{RunID: affiliate.Set(anID)}, {RunID: affiliate.Null[uuid.UUID]()}, {AffiliateID: affiliate.Null[uuid.UUID]()}, {AffiliateEmail: affiliate.Set("")}, {Status: "paid"}, {Status: affiliate.PayoutPending}, {Method: "paypal"}, {Method: "PAYPAL"},
		{AffiliateID: affiliate.Set(anID), AffiliateEmail: affiliate.Set("ada@example.com")},
	} {
		told[affiliate.List[P]](s, "payouts")(c.Payouts(x, f, affiliate.Page{}))
		told[[]affiliate.Transfer](s, "payments")(gathered(c.Transfers(x, f)))
		told[int](s, "in pages")(pages(func(pg affiliate.Page) (affiliate.List[P], error) { return c.Payouts(x, f, pg) }))
	}
	told[affiliate.Balance](s, "balance")(c.Balance(x, affiliate.AffiliateRef{ID: ada.ID}))
	told[affiliate.List[affiliate.Balance]](s, "balances")(c.Balances(x, affiliate.Page{}))
	march := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, at := range []time.Time{{}, march, march.AddDate(0, 1, 0), march.AddDate(9000, 0, 0)} {
		told[affiliate.TotalBalance](s, "total balance")(c.TotalBalance(x, at))
		told[affiliate.List[affiliate.Balance]](s, "ranked balances")(c.RankedBalances(x, at, affiliate.Page{}))
	}
	for _, f := range []affiliate.MovementQuery{
		{}, {AffiliateEmail: affiliate.Set("ada@example.com"), Cause: affiliate.CauseAdjustment}, {PayoutID: affiliate.Set(first.ID)}, {SaleID: affiliate.Set[affiliate.SaleID](999)},
		{Cause: "x"}, {From: time.Date(2026, 3, 12, 0, 0, 0, 0, time.UTC)}, {To: time.Date(2026, 3, 12, 0, 0, 0, 0, time.FixedZone("", 3600))},
	} {
		told[affiliate.List[affiliate.Movement]](s, "movements")(c.Movements(x, f, affiliate.Page{}))
	}
	s.reports(ada)
	s.runs(ada)
	s.statements(ada)
	told[affiliate.List[P]](s, "limit 1001")(c.Payouts(x, affiliate.PayoutQuery{}, affiliate.Page{Limit: 1001}))
	told[affiliate.List[P]](s, "bad cursor")(c.Payouts(x, affiliate.PayoutQuery{}, affiliate.Page{Cursor: "x"}))
}

func (s *teller) reports(ada affiliate.Affiliate) {
	march := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, q := range []affiliate.ReportQuery{
		{From: march, To: march.AddDate(0, 1, 0), By: affiliate.IntervalDay}, {From: march, To: march.AddDate(0, 0, 250), By: affiliate.IntervalDay},
		{From: march.Add(time.Hour), To: march.AddDate(1, 0, 0).In(time.FixedZone("", 3600)), By: affiliate.IntervalWeek, AffiliateID: affiliate.Set(ada.ID)},
		{From: march, To: march.AddDate(5, 0, 0), By: affiliate.IntervalMonth, CodeID: affiliate.Set(anID)}, {From: march, To: march.AddDate(0, 1, 0), By: affiliate.IntervalMonth, LinkID: affiliate.Set(uuid.Nil)},
		{From: march, To: march.AddDate(0, 1, 0), By: affiliate.IntervalMonth, AffiliateID: affiliate.Null[uuid.UUID]()},
		{From: march, To: march, By: affiliate.IntervalDay}, {From: march, To: march.AddDate(3, 0, 0), By: affiliate.IntervalDay}, {From: march, To: march.AddDate(0, 1, 0), By: "DAY"}, {},
		{From: march, To: march.AddDate(0, 1, 0), By: affiliate.IntervalDay, AffiliateID: affiliate.Set(ada.ID), LinkID: affiliate.Set(anID)},
	} {
		told[affiliate.List[affiliate.Bucket]](s, "report")(s.Report(s.ctx, q, affiliate.Page{}))
	}
	for _, q := range []affiliate.BreakdownQuery{
		{From: march, To: march.AddDate(0, 1, 0), By: affiliate.DimensionAffiliate}, {From: march, To: march.AddDate(0, 1, 0), By: affiliate.DimensionLandingPage, Sort: affiliate.FigureClicks},
		{From: march, To: march.AddDate(0, 1, 0), By: affiliate.DimensionLink, AffiliateID: affiliate.Set(ada.ID)}, {From: march, To: march.AddDate(0, 1, 0), By: affiliate.DimensionLink, AffiliateID: affiliate.Null[uuid.UUID]()},
		{From: march, To: march.AddDate(0, 1, 0), By: affiliate.DimensionProduct, AffiliateID: affiliate.Set(anID)}, {From: march, To: march, By: affiliate.DimensionSub},
		{From: march, To: march.AddDate(0, 1, 0)}, {From: march, To: march.AddDate(0, 1, 0), By: "x"}, {From: march, To: march.AddDate(0, 1, 0), By: affiliate.DimensionPlan, Sort: "x"}, {},
	} {
		told[affiliate.List[affiliate.BreakdownRow]](s, "breakdown")(s.Breakdown(s.ctx, q, affiliate.Page{}))
	}
}

// runs is the part of the story about payout runs.
func (s *teller) runs(ada affiliate.Affiliate) {
	c, x := s.Operations, s.ctx
	type R = affiliate.PayoutRunResult
	type L = affiliate.PayoutLine
	told[affiliate.Adjustment](s, "more")(c.RecordAdjustment(x, affiliate.AdjustmentParams{AffiliateID: ada.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("7"), Reason: "r"}))
	may := affiliate.PayoutRun{
		ExternalID: "2026/05 & on", Until: time.Date(2026, 3, 12, 0, 0, 0, 0, time.FixedZone("", 3600)), Minimum: affiliate.MustAmount("0.5"), NoDetails: true,
		AffiliateIDs: []uuid.UUID{anID, ada.ID},
	}
	for _, in := range []affiliate.PayoutRun{
		{}, may, {Methods: []affiliate.PaymentMethod{"PAYPAL", "WISE"}}, {Methods: []affiliate.PaymentMethod{"paypal"}},
		{Minimum: affiliate.MustAmount("-1")}, {ExternalID: strings.Repeat("x", 256)},
	} {
		told[[]L](s, "preview")(gathered(affiliate.All(x, c.PreviewPayouts, in)))
	}
	told[R](s, "run")(c.RunPayouts(x, may))
	told[R](s, "run again")(c.RunPayouts(x, may))
	other := may
	other.NoDetails = false
	told[R](s, "another run")(c.RunPayouts(x, other))
	told[R](s, "which run?")(c.RunPayouts(x, affiliate.PayoutRun{NoDetails: true}))
	told[R](s, "a run of bad methods")(c.RunPayouts(x, affiliate.PayoutRun{ExternalID: "x", Methods: []affiliate.PaymentMethod{""}}))
	told[R](s, "a run of too many")(c.RunPayouts(x, affiliate.PayoutRun{ExternalID: "x", AffiliateIDs: make([]uuid.UUID, 10_001)}))
	told[R](s, "a run of all")(c.RunPayouts(x, affiliate.PayoutRun{ExternalID: "all"}))
	for _, id := range []string{may.ExternalID, "none", ""} {
		told[R](s, "get run")(c.PayoutRun(x, id))
		lines := func(pg affiliate.Page) (affiliate.List[L], error) { return c.PayoutLines(x, id, pg) }
		told[affiliate.List[L]](s, "lines")(lines(affiliate.Page{}))
		told[int](s, "in pages")(pages(lines))
	}
	told[affiliate.List[R]](s, "runs")(c.PayoutRuns(x, affiliate.Page{}))
	told[int](s, "in pages")(pages(func(pg affiliate.Page) (affiliate.List[R], error) { return c.PayoutRuns(x, pg) }))
	run := must(c.PayoutRun(x, may.ExternalID))
	told[affiliate.List[affiliate.Payout]](s, "payouts of the run")(c.Payouts(x, affiliate.PayoutQuery{RunID: affiliate.Set(run.ID)}, affiliate.Page{}))
}

// statements is the part of the story about statements and explanations.
func (s *teller) statements(ada affiliate.Affiliate) {
	c, x := s.Operations, s.ctx
	day := func(n int) time.Time { return time.Date(2026, 3, n, 1, 30, 0, 0, time.FixedZone("", 5400)) }
	for _, p := range []struct {
		of       uuid.UUID
		from, to time.Time
	}{
		{ada.ID, day(1), day(30)}, {ada.ID, day(1), day(2)}, {ada.ID, time.Time{}, day(30)}, {ada.ID, day(2), day(1)}, {ada.ID, day(1), time.Time{}},
		{anID, day(1), day(2)}, {uuid.Nil, day(1), day(2)}, {ada.ID, day(1), time.Date(10_900, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		got := told[affiliate.Statement](s, "statement")(c.Statement(x, affiliate.AffiliateRef{ID: p.of}, p.from, p.to))
		told[[]affiliate.StatementLine](s, "its lines")(gathered(got.Lines()))
		var rows strings.Builder
		told[string](s, "as rows")(rows.String(), got.WriteCSV(&rows))
		s.book = append(s.book, rows.String())
	}
	for _, sale := range must(c.Sales(x, affiliate.SaleQuery{}, affiliate.Page{})).Items {
		told[affiliate.Explanation](s, "explained")(c.ExplainSale(x, sale.ID))
	}
}

func (s *teller) adjustments(ada affiliate.Affiliate) {
	c, x := s.Operations, s.ctx
	type A = affiliate.Adjustment
	sum := affiliate.MustAmount
	record := func(step string, in affiliate.AdjustmentParams) A { return told[A](s, step)(c.RecordAdjustment(x, in)) }
	bonus := record("bonus", affiliate.AdjustmentParams{AffiliateID: ada.ID, Kind: affiliate.AdjustBonus, Amount: sum("12.345"), Reason: "a <spring>\nbonus", ExternalID: "b/1?"})
	record("bonus again", affiliate.AdjustmentParams{AffiliateID: ada.ID, Kind: affiliate.AdjustBonus, Amount: sum("12.345"), Reason: "x", ExternalID: "b/1?"})
	record("bonus of 0", affiliate.AdjustmentParams{AffiliateID: ada.ID, Kind: affiliate.AdjustBonus, Reason: "x"})
	record("correction of 0", affiliate.AdjustmentParams{AffiliateID: ada.ID, Kind: affiliate.AdjustCorrection, Reason: "x"})
	record("no kind", affiliate.AdjustmentParams{AffiliateID: ada.ID, Amount: sum("1"), Reason: "x"})
	record("no reason", affiliate.AdjustmentParams{AffiliateID: ada.ID, Kind: affiliate.AdjustBonus, Amount: sum("1")})
	record("whose?", affiliate.AdjustmentParams{Kind: affiliate.AdjustBonus, Amount: sum("1"), Reason: "x"})
	record("nobody's", affiliate.AdjustmentParams{AffiliateEmail: "no@example.com", Kind: affiliate.AdjustBonus, Amount: sum("1"), Reason: "x"})
	record("two affiliates'", affiliate.AdjustmentParams{AffiliateID: anID, AffiliateEmail: "ada@example.com", Kind: affiliate.AdjustBonus, Amount: sum("1"), Reason: "x"})
	record("of which sale?", affiliate.AdjustmentParams{AffiliateID: ada.ID, Kind: affiliate.AdjustChargebackFee, Amount: sum("-1"), Reason: "x"})
	record("of no sale", affiliate.AdjustmentParams{AffiliateID: ada.ID, SaleID: 999, Kind: affiliate.AdjustChargebackFee, Amount: sum("-1"), Reason: "x"})
	sale := must(c.Sales(x, affiliate.SaleQuery{AffiliateID: affiliate.Set(ada.ID)}, affiliate.Page{Limit: 1})).Items[0]
	record("fee", affiliate.AdjustmentParams{AffiliateEmail: "ada@example.com", SaleID: sale.ID, Kind: affiliate.AdjustChargebackFee, Amount: sum("-1"), Reason: "x"})
	record("reversal", affiliate.AdjustmentParams{Reverses: bonus.ID, Reason: "typo"})
	record("reversal again", affiliate.AdjustmentParams{Reverses: bonus.ID, Reason: "typo"})
	record("reversal of nothing", affiliate.AdjustmentParams{Reverses: anID, Reason: "typo"})
	record("reversal of an amount", affiliate.AdjustmentParams{Reverses: bonus.ID, Amount: sum("1"), Reason: "typo"})
	told[A](s, "get")(c.Adjustment(x, bonus.ID))
	told[A](s, "get none")(c.Adjustment(x, anID))
	told[A](s, "get nil")(c.Adjustment(x, uuid.Nil))
	for _, f := range []affiliate.AdjustmentQuery{
		{}, {AffiliateID: affiliate.Set(ada.ID), Kind: affiliate.AdjustBonus}, {AffiliateEmail: affiliate.Set("ada@example.com")}, {SaleID: affiliate.Set(sale.ID)},
		{SaleID: affiliate.Set[affiliate.SaleID](0)}, {SaleID: affiliate.Set[affiliate.SaleID](-5)}, {PayoutID: affiliate.Set(anID)}, {Kind: "bonus"},
	} {
		told[affiliate.List[A]](s, "adjustments")(c.Adjustments(x, f, affiliate.Page{}))
		told[int](s, "in pages")(pages(func(pg affiliate.Page) (affiliate.List[A], error) { return c.Adjustments(x, f, pg) }))
	}
}

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
	told := func(decide func(*tributary.Program, http.Handler, uuid.UUID, affiliate.PaymentDecision) (affiliate.PaymentResult, error)) (all []string) {
		for _, d := range []affiliate.PaymentDecision{affiliate.PaymentIsSameSale, affiliate.PaymentIsOwnSale, affiliate.PaymentDismissed, "x", ""} {
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
	want := told(func(p *tributary.Program, _ http.Handler, id uuid.UUID, d affiliate.PaymentDecision) (affiliate.PaymentResult, error) {
		return p.DecidePayment(ctx, id, d)
	})
	got := told(func(_ *tributary.Program, h http.Handler, id uuid.UUID, d affiliate.PaymentDecision) (affiliate.PaymentResult, error) {
		return must(client.New(testBase, testKey, client.Config{Handler: h})).DecidePayment(ctx, id, d)
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-engine +client):\n%s", diff)
	}
}
