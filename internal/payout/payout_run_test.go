package payout_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/scene"
)

// A runShop is the program of example D of docs/money.md, with its affiliates by
// name.
type runShop struct {
	*scene.World
	of    map[string]affiliate.Affiliate
	names map[uuid.UUID]string
}

func newRunShop(t testing.TB) runShop {
	t.Helper()
	ctx := context.Background()
	w := scene.New(t)
	s := runShop{w, map[string]affiliate.Affiliate{}, map[uuid.UUID]string{}}
	for _, name := range []string{"Ada", "Bo", "Cy", "Di", "Eve", "Fay", "Gil", "Hal"} {
		aff := w.Join(strings.ToLower(name), func(in *affiliate.AffiliateParams) { in.AffiliateLink = name })
		s.of[name], s.names[aff.ID] = aff, name
		if name != "Gil" {
			scene.Must(s.SetPayoutDetails(ctx, aff.ID, affiliate.PayoutDetails{Email: name + "@pay.example", Method: "PAYPAL"}))
		}
	}
	for _, owed := range []struct{ name, amount string }{{"Ada", "40"}, {"Ada", "-12"}, {"Bo", "6"}, {"Cy", "-5"}, {"Eve", "15"}, {"Gil", "12"}} {
		s.owes(owed.name, owed.amount)
	}
	scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, s.sells("Di", "100").ID))
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20"), HoldDays: 30}}))
	scene.Must(s.SetAffiliatePlan(ctx, plan.ID, s.of["Fay"].ID))
	s.sells("Fay", "150")
	scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalDeclined, s.sells("Hal", "100").ID)) // nothing is open
	scene.Must(s.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, s.of["Eve"].ID))
	s.Pass(time.Hour)
	return s
}

func (s runShop) owes(name, amount string) {
	s.T.Helper()
	scene.Must(s.RecordAdjustment(context.Background(), affiliate.AdjustmentParams{AffiliateID: s.of[name].ID, Kind: affiliate.AdjustCorrection, Amount: scene.Sum(amount), Reason: "r"}))
}

func (s runShop) sells(name, total string) affiliate.Sale {
	s.T.Helper()
	in := affiliate.SaleParams{ReferralID: name, Email: name + "@customer.example", Name: "C", TotalEarned: scene.Sum(total)}
	return scene.Must(s.RecordSale(context.Background(), in)).Sale.Or(affiliate.Sale{})
}

// may is the run of the example.
func may() affiliate.PayoutRun {
	return affiliate.PayoutRun{ExternalID: "2026-05", Minimum: affiliate.Set(affiliate.MustAmount("10"))}
}

// exampleD are its lines.
func exampleD() []string {
	return []string{"Ada 28 paid", "Bo 6 below_minimum", "Cy -5 negative", "Di 0 on_hold", "Eve 15 banned", "Fay 0 nothing_matured", "Gil 12 no_payout_method"}
}

// told are lines in short.
func (s runShop) told(lines []affiliate.PayoutLine) []string {
	out := []string{}
	for _, l := range lines {
		out = append(out, fmt.Sprint(s.names[l.AffiliateID], " ", l.Amount, " ", l.Skipped.Or("paid")))
	}
	return out
}

// lines are the lines of a run, each of which has a payout or a reason.
func (s runShop) lines(externalID string) []string {
	s.T.Helper()
	list := scene.Must(s.PayoutLines(context.Background(), externalID, affiliate.Page{})).Items
	for _, l := range list {
		if l.PayoutID.IsNull() == l.Skipped.IsNull() {
			s.T.Errorf("line %+v", l)
		}
	}
	return s.told(list)
}

func (s runShop) previews(in affiliate.PayoutRun) []string {
	s.T.Helper()
	var lines []affiliate.PayoutLine
	for l, err := range affiliate.All(context.Background(), s.PreviewPayouts, in) {
		if err != nil || !l.PayoutID.IsNull() {
			s.T.Fatalf("preview: %+v, %v", l, err)
		}
		lines = append(lines, l)
	}
	return s.told(lines)
}

func (s runShop) is(what string, want, got []string) {
	s.T.Helper()
	scene.Equal(s.T, want, got, what)
}

var otherSettings = scene.StateError(affiliate.PayoutRunMismatch, "", "This payout run was started with different settings")

// docs/money.md 6; money checks 26, 27 and 29 in Go.
func TestPayoutRun(t *testing.T) {
	ctx := t.Context()
	s := newRunShop(t)
	// 26
	before := s.Dump()
	preview := may()
	preview.ExternalID = ""
	s.is("preview", exampleD(), s.previews(preview))
	scene.Equal(t, before, s.Dump())
	var run affiliate.PayoutRunResult
	s.Fires(func() (err error) { run, err = s.RunPayouts(ctx, may()); return err }) // the amounts are adjustments: no event
	now := affiliate.TimeOf(s.Now)
	want := affiliate.PayoutRunResult{
		ID: run.ID, ExternalID: "2026-05", Status: affiliate.RunDone, Until: now, Created: 1, Skipped: 6, Total: scene.Sum("28"),
		StartedAt: now, FinishedAt: affiliate.Set(now),
	}
	if diff := cmp.Diff(want, run); diff != "" || run.ID == uuid.Nil {
		t.Errorf("run (-want +got):\n%s", diff)
	}
	s.is("lines", exampleD(), s.lines("2026-05"))
	payouts := scene.Must(s.Payouts(ctx, affiliate.PayoutQuery{RunID: affiliate.Set(run.ID)}, affiliate.Page{})).Items
	if len(payouts) != 1 || payouts[0].AffiliateID != s.of["Ada"].ID || payouts[0].RunID != affiliate.Set(run.ID) || payouts[0].Amount != scene.Sum("28") || len(payouts[0].AdjustmentIDs) != 2 {
		t.Errorf("payouts of the run: %+v", payouts)
	}
	s.Verifies()
	// 27
	after := s.Dump()
	s.Pass(time.Hour)
	s.Fires(func() error {
		again, err := s.RunPayouts(ctx, may())
		scene.Equal(t, run, again)
		return err
	})
	for name, change := range map[string]func(*affiliate.PayoutRun){
		"minimum": func(in *affiliate.PayoutRun) { in.Minimum = affiliate.Set(scene.Sum("9")) },
		"until":   func(in *affiliate.PayoutRun) { in.Until = run.Until.Time() },
		"methods": func(in *affiliate.PayoutRun) { in.Methods = []affiliate.PaymentMethod{"WISE"} },
		"details": func(in *affiliate.PayoutRun) { in.NoDetails = true },
		"people":  func(in *affiliate.PayoutRun) { in.AffiliateIDs = []uuid.UUID{s.of["Ada"].ID} },
		"except":  func(in *affiliate.PayoutRun) { in.ExceptIDs = []uuid.UUID{s.of["Ada"].ID} },
	} {
		other := may()
		change(&other)
		t.Run("other "+name, func(t *testing.T) {
			s.On(t)
			s.Refused(otherSettings, func() error { return scene.ErrOf(s.RunPayouts(ctx, other)) })
			s.Refused(otherSettings, func() error { return scene.ErrOf(s.RunPayouts(ctx, atMost(1, other))) })
		})
	}
	scene.Equal(t, after, s.Dump())
	// 29
	if _, err := s.PayoutRun(ctx, "none"); err != affiliate.ErrNotFound {
		t.Errorf("unknown run: %v", err)
	}
	if list := scene.Must(s.PayoutLines(ctx, "none", affiliate.Page{Limit: 2})); list.Items == nil || len(list.Items) != 0 {
		t.Errorf("lines of an unknown run: %+v", list)
	}
	scene.Equal(t, run, scene.Must(s.PayoutRun(ctx, "2026-05")))
}

// The settings choose affiliates and amounts; each is judged by the first rule
// that holds.
func TestPayoutRunSettings(t *testing.T) {
	s := newRunShop(t)
	ids := func(names ...string) (ids []uuid.UUID) {
		for _, name := range names {
			ids = append(ids, s.of[name].ID)
		}
		return ids
	}
	for name, tt := range map[string]struct {
		in   affiliate.PayoutRun
		want []string
	}{
		"no minimum":     {affiliate.PayoutRun{}, []string{"Ada 28 paid", "Bo 6 paid", "Cy -5 negative", "Di 0 on_hold", "Eve 15 banned", "Fay 0 nothing_matured", "Gil 12 no_payout_method"}},
		"no details":     {affiliate.PayoutRun{NoDetails: true, AffiliateIDs: ids("Gil", "Ada", "Gil")}, []string{"Ada 28 paid", "Gil 12 paid"}},
		"unknown people": {affiliate.PayoutRun{AffiliateIDs: append(ids("Bo"), uuid.Max, uuid.Nil)}, []string{"Bo 6 paid"}},
		"methods":        {affiliate.PayoutRun{Methods: []affiliate.PaymentMethod{"WISE"}}, []string{}},
		"no method":      {affiliate.PayoutRun{AffiliateIDs: ids("Gil"), Methods: []affiliate.PaymentMethod{"PAYPAL"}}, []string{}},
		"all but":        {affiliate.PayoutRun{AffiliateIDs: ids("Ada", "Bo", "Cy"), ExceptIDs: ids("Cy", "Ada", "Gil")}, []string{"Bo 6 paid"}},
		"before it all":  {affiliate.PayoutRun{Until: scene.Start.Add(-time.Hour), AffiliateIDs: ids("Ada", "Bo", "Cy", "Eve")}, []string{"Ada -12 negative", "Bo 0 nothing_matured", "Cy -5 negative", "Eve 0 banned"}},
		"on time":        {affiliate.PayoutRun{Until: scene.Start, AffiliateIDs: ids("Ada")}, []string{"Ada 28 paid"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newRunShop(t)
			s.is("preview", tt.want, s.previews(tt.in))
			tt.in.ExternalID = "x"
			run := scene.Must(s.RunPayouts(t.Context(), tt.in))
			s.is("lines", tt.want, s.lines("x"))
			scene.Equal(t, len(tt.want), int(run.Created+run.Skipped), run)
			s.Verifies()
		})
	}
}

func TestPayoutRunErrors(t *testing.T) {
	ctx := t.Context()
	s := newRunShop(t)
	field := func(name, text string) affiliate.Error {
		return scene.FieldError(affiliate.InvalidField, name, name+" "+text)
	}
	for _, tt := range []struct {
		name string
		in   affiliate.PayoutRun
		want affiliate.Error
		both bool // also of the preview
	}{
		{"ErrExternalIDMissing", affiliate.PayoutRun{ExternalID: " "}, scene.FieldError(affiliate.MissingField, "externalId", "External ID is required"), false},
		{"ErrExternalIDLong", affiliate.PayoutRun{ExternalID: strings.Repeat("x", 256)}, field("externalId", "is too long"), true},
		{"ErrMinimum", affiliate.PayoutRun{ExternalID: "x", Minimum: affiliate.Set(scene.Sum("-1"))}, field("minimum", "must be at least 0"), true},
		{"ErrMethods", affiliate.PayoutRun{ExternalID: "x", Methods: []affiliate.PaymentMethod{"PAYPAL", "CASH"}}, field("methods", "must be one of WISE, WISE_BANK, PAYPAL, BANK, CREDITS, COUPON, REFERLY"), true},
		{"ErrExceptIDs", affiliate.PayoutRun{ExternalID: "x", ExceptIDs: make([]uuid.UUID, 10_001)}, field("exceptIds", "must have at most 10000 entries"), true},
		{"ErrExceptNobody", affiliate.PayoutRun{ExternalID: "x", ExceptIDs: []uuid.UUID{s.of["Ada"].ID, uuid.Max}}, affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.AffiliateNotFound, Message: "Affiliate not found"}, true},
		{"ErrAffiliateIDs", affiliate.PayoutRun{ExternalID: "x", AffiliateIDs: make([]uuid.UUID, 10_001)}, field("affiliateIds", "must have at most 10000 entries"), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.On(t)
			s.Refused(tt.want, func() error { return scene.ErrOf(s.RunPayouts(ctx, tt.in)) })
			s.Refused(tt.want, func() error { return scene.ErrOf(s.RunPayouts(ctx, atMost(1, tt.in))) })
			if !tt.both {
				return
			}
			s.Refused(tt.want, func() error { return scene.ErrOf(s.PreviewPayouts(ctx, tt.in, affiliate.Page{})) })
			s.Refused(tt.want, func() error {
				for _, err := range affiliate.All(ctx, s.PreviewPayouts, tt.in) {
					return err
				}
				return nil
			})
		})
	}
	limit := scene.FieldError(affiliate.InvalidQuery, "limit", "limit must be an integer from 1 to 1000")
	for _, n := range []int{-1, 1001} {
		s.Refused(limit, func() error { return scene.ErrOf(s.RunPayouts(ctx, atMost(n, may()))) })
		s.Refused(limit, func() error { return scene.ErrOf(s.PreviewPayouts(ctx, may(), affiliate.Page{Limit: n})) })
	}
}

// atMost is a run of which a call examines so many affiliates.
func atMost(limit int, in affiliate.PayoutRun) affiliate.PayoutRun {
	in.Limit = limit
	return in
}

// Check 28 in Go: a run in steps is the run, and its preview in pages the preview.
func TestPayoutRunSteps(t *testing.T) {
	ctx := t.Context()
	for limit := 1; limit <= 9; limit++ {
		t.Run(fmt.Sprint("limit ", limit), func(t *testing.T) {
			s := newRunShop(t)
			steps, run := 0, affiliate.PayoutRunResult{}
			for run.Status != affiliate.RunDone {
				run = scene.Must(s.RunPayouts(ctx, atMost(limit, may())))
				if steps++; run.Status == affiliate.RunRunning != (steps < (8+limit-1)/limit) {
					t.Fatalf("step %d: %+v", steps, run)
				}
				if got := scene.Must(s.PayoutRun(ctx, "2026-05")); !cmp.Equal(run, got) || int(run.Created+run.Skipped) != len(s.lines("2026-05")) {
					t.Fatalf("after step %d: %+v, stored %+v", steps, run, got)
				}
				s.Verifies()
			}
			s.is("lines", exampleD(), s.lines("2026-05"))
			if run.Created != 1 || run.Skipped != 6 || run.Total != scene.Sum("28") {
				t.Errorf("run %+v", run)
			}
			var pages []affiliate.PayoutLine
			for page, err := range affiliate.Pages(affiliate.Page{Limit: limit}, func(pg affiliate.Page) (affiliate.List[affiliate.PayoutLine], error) {
				return s.PayoutLines(ctx, "2026-05", pg)
			}) {
				if err != nil || len(page.Items) > limit {
					t.Fatal(err, len(page.Items))
				}
				pages = append(pages, page.Items...)
			}
			s.is("lines in pages", exampleD(), s.told(pages))
		})
	}
	s := newRunShop(t)
	for limit := 1; limit <= 9; limit++ {
		var pages []affiliate.PayoutLine
		for page, err := range affiliate.Pages(affiliate.Page{Limit: limit}, func(pg affiliate.Page) (affiliate.List[affiliate.PayoutLine], error) {
			return s.PreviewPayouts(ctx, may(), pg)
		}) {
			if err != nil || len(page.Items) > limit {
				t.Fatal(err, len(page.Items))
			}
			pages = append(pages, page.Items...)
		}
		s.is(fmt.Sprint("preview in pages of ", limit), exampleD(), s.told(pages))
	}
	first := scene.Must(s.PreviewPayouts(ctx, may(), affiliate.Page{Limit: 2}))
	s.Refused(scene.FieldError(affiliate.InvalidQuery, "cursor", "Invalid cursor"), func() error {
		return scene.ErrOf(s.PreviewPayouts(ctx, affiliate.PayoutRun{}, affiliate.Page{Limit: 2, Cursor: first.Next}))
	})
}

// Check 28 in Go: twenty processes at once make one run.
func TestPayoutRunsAtOnce(t *testing.T) {
	s := newRunShop(t)
	s.owes("Bo", "20")
	s.owes("Cy", "30")
	results := make([]affiliate.PayoutRunResult, 20)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() { results[i] = scene.Must(s.RunPayouts(context.Background(), may())) })
	}
	wg.Wait()
	for _, r := range results {
		if !cmp.Equal(r, results[0]) || r.Created != 3 || r.Total != scene.Sum("79") {
			t.Errorf("run %+v", r)
		}
	}
	scene.Equal(t, 3, len(scene.Must(s.Payouts(t.Context(), affiliate.PayoutQuery{}, affiliate.Page{})).Items))
	if lines := s.lines("2026-05"); len(lines) != 7 || !slices.IsSorted(lines) {
		t.Errorf("lines %v", lines)
	}
	s.Verifies()
}

// dyingStore is a store that fails from the n-th Update on: the process was killed.
type dyingStore struct {
	record.Store
	left *int
}

func (d dyingStore) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	if *d.left--; *d.left < 0 {
		return conformance.ErrInjected
	}
	return d.Store.Update(ctx, id, fn)
}

// docs/money.md 6: a run that is killed after any of its transactions, and
// resumed by two processes a day later, makes the lines and payouts that it would
// have made. Money that comes in between waits, unless it is owed.
func TestPayoutRunKilled(t *testing.T) {
	ctx := t.Context()
	for limit := range 2 {
		for k := 0; ; k++ {
			s := newRunShop(t)
			s.owes("Bo", "20")
			s.sells("Gil", "500")
			in := may()
			in.Until = s.Now.Add(48 * time.Hour)
			want := s.previews(in)
			left := k
			killed := s.With(dyingStore{s.Store, &left})
			step := func(p *tributary.Program) (affiliate.PayoutRunResult, error) {
				if limit == 0 {
					return p.RunPayouts(ctx, in)
				}
				return p.RunPayouts(ctx, atMost(3, in))
			}
			run, err := step(killed)
			for err == nil && run.Status == affiliate.RunRunning {
				run, err = step(killed)
			}
			if err == nil {
				if k < 9 {
					t.Fatalf("the run has %d transactions", k)
				}
				break
			}
			if !errors.Is(err, conformance.ErrInjected) {
				t.Fatal(err)
			}
			s.Verifies()
			if k > 0 { // it has begun
				s.Pass(24 * time.Hour)
				s.sells("Bo", "500") // later than the start
			}
			var wg sync.WaitGroup
			for range 2 {
				other := s.With(s.Store)
				wg.Go(func() {
					for scene.Must(step(other)).Status != affiliate.RunDone {
					}
				})
			}
			wg.Wait()
			s.is(fmt.Sprintf("lines of a run that was killed after %d transactions", k), want, s.lines(in.ExternalID))
			scene.Equal(t, 2, len(scene.Must(s.Payouts(ctx, affiliate.PayoutQuery{}, affiliate.Page{})).Items), k)
			s.Verifies()
		}
	}
}

// Every call of the store fails once: the rest of the run stays as it is, and the
// run goes on.
func TestPayoutRunFaults(t *testing.T) {
	ctx := t.Context()
	for name, fault := range map[string]func(record.Store, int) record.Store{"FailAt": conformance.FailAt, "LoseAnswer": conformance.LoseAnswer} {
		t.Run(name, func(t *testing.T) {
			for n := 1; ; n++ {
				s := newRunShop(t)
				_, err := s.With(fault(s.Store, n)).RunPayouts(ctx, may())
				if err == nil {
					if n < 9 {
						t.Errorf("only %d calls", n)
					}
					return
				}
				if refusal, public := errors.AsType[*affiliate.Error](err); public || !errors.Is(err, conformance.ErrInjected) {
					t.Fatalf("call %d: %v, %v", n, err, refusal)
				}
				s.Verifies()
				if run := scene.Must(s.RunPayouts(ctx, may())); run.Created != 1 || run.Skipped != 6 {
					t.Errorf("call %d: %+v", n, run)
				}
				s.is(fmt.Sprint("lines after call ", n), exampleD(), s.lines("2026-05"))
				s.Verifies()
			}
		})
	}
	s, twice := newRunShop(t), newRunShop(t)
	scene.Must(s.RunPayouts(ctx, may()))
	scene.Must(twice.With(conformance.Rerun(twice.Store)).RunPayouts(ctx, may()))
	s.is("lines of closures that run twice", s.lines("2026-05"), twice.lines("2026-05"))
	twice.Verifies()
	if err := scene.ErrOf(s.With(scene.FailingViews{Store: s.Store}).RunPayouts(ctx, affiliate.PayoutRun{ExternalID: "other"})); !errors.Is(err, conformance.ErrInjected) {
		t.Errorf("a broken View: %v", err)
	}
	for _, err := range affiliate.All(ctx, s.With(scene.FailingViews{Store: s.Store}).PreviewPayouts, may()) {
		if !errors.Is(err, conformance.ErrInjected) {
			t.Errorf("a broken View: %v", err)
		}
	}
}

// Runs are listed newest first; a canceled payout of a run is taken by the next
// run, and lines outlive their affiliate.
func TestPayoutRuns(t *testing.T) {
	ctx := t.Context()
	s := newRunShop(t)
	first := scene.Must(s.RunPayouts(ctx, may()))
	payout := scene.Must(s.Payouts(ctx, affiliate.PayoutQuery{RunID: affiliate.Set(first.ID)}, affiliate.Page{})).Items[0]
	scene.Must(s.SetPayoutStatus(ctx, payout.ID, affiliate.PayoutCanceled))
	s.Pass(30 * 24 * time.Hour)
	june := may()
	june.ExternalID, june.NoDetails = "2026-06", true
	second := scene.Must(s.RunPayouts(ctx, june))
	if second.Created != 3 || second.Total != scene.Sum("70") { // Ada 28, Fay 30, Gil 12
		t.Errorf("second run %+v", second)
	}
	list := scene.Must(s.PayoutRuns(ctx, affiliate.Page{Limit: 1}))
	rest := scene.Must(s.PayoutRuns(ctx, affiliate.Page{Limit: 1, Cursor: list.Next}))
	scene.Equal(t, []affiliate.PayoutRunResult{second, first}, append(list.Items, rest.Items...))
	if rest.Next != "" {
		t.Error("a third page")
	}
	none := scene.Must(s.Payouts(ctx, affiliate.PayoutQuery{RunID: affiliate.Set(uuid.Nil)}, affiliate.Page{})).Items
	scene.Equal(t, 0, len(none))
	s.Verifies()

	other := may()
	other.ExternalID, other.AffiliateIDs = "extra", []uuid.UUID{s.of["Bo"].ID}
	other.Minimum = affiliate.Set(affiliate.Amount{})
	scene.Must(s.RunPayouts(ctx, other))
	bo := scene.Must(s.Payouts(ctx, affiliate.PayoutQuery{AffiliateID: affiliate.Set(s.of["Bo"].ID)}, affiliate.Page{})).Items[0]
	scene.Must(s.SetPayoutStatus(ctx, bo.ID, affiliate.PayoutCanceled))
	scene.Must(0, s.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: s.of["Bo"].ID}))
	s.is("lines of who is gone", []string{"Bo 6 paid"}, s.lines("extra"))
	s.Verifies()
}

// I69: what a run says is what its lines and payouts are.
func TestVerifyRuns(t *testing.T) {
	line := func(change func(*record.Line)) func(*record.Tx) error {
		return func(tx *record.Tx) error {
			return scene.Edit(tx.Lines, func(r record.Line) bool { return r.Skipped == "" }, change)
		}
	}
	run := func(change func(*record.Run)) func(*record.Tx) error {
		return func(tx *record.Tx) error { return scene.Edit(tx.Runs, nil, change) }
	}
	payout := func(change func(*record.Payout)) func(*record.Tx) error {
		return func(tx *record.Tx) error { return scene.Edit(tx.Payouts, nil, change) }
	}
	for name, tt := range map[string]struct {
		change func(*record.Tx) error
		want   []string
	}{
		"line of another amount":    {line(func(r *record.Line) { r.Amount = scene.Sum("27") }), []string{"I69"}},
		"line that was miscounted":  {line(func(r *record.Line) { r.SoFar.Skipped++ }), []string{"I69"}},
		"line of no run":            {line(func(r *record.Line) { r.RunID = uuid.Max }), []string{"I69"}},
		"line of another affiliate": {line(func(r *record.Line) { r.AffiliateID = uuid.Max }), []string{"I69"}},
		"line without an outcome":   {line(func(r *record.Line) { r.PayoutID = uuid.Nil }), []string{"I69"}},
		"line with two outcomes":    {line(func(r *record.Line) { r.Skipped = "banned" }), []string{"I69"}},
		"line with another reason": {func(tx *record.Tx) error {
			return scene.Edit(tx.Lines, func(r record.Line) bool { return r.Skipped != "" }, func(r *record.Line) { r.Skipped = "late" })
		}, []string{"I81"}},
		"line that is gone": {func(tx *record.Tx) error {
			return scene.Drop(tx.Lines, func(r record.Line) bool { return r.Skipped == "" })
		}, []string{"I69"}},
		"run that was miscounted":  {run(func(r *record.Run) { r.Counts.Created++ }), []string{"I69"}},
		"run without a name":       {run(func(r *record.Run) { r.ExternalID = "" }), []string{"I81"}},
		"run in another state":     {run(func(r *record.Run) { r.Status = "HALF" }), []string{"I69", "I81"}},
		"run that ended too early": {run(func(r *record.Run) { r.FinishedAt = r.StartedAt.Add(-1000) }), []string{"I54"}},
		"run that never ended":     {run(func(r *record.Run) { r.FinishedAt = affiliate.Instant{} }), []string{"I69"}},
		"payout of another run":    {payout(func(r *record.Payout) { r.RunID = uuid.Max }), []string{"I69"}},
		"payout of no run":         {payout(func(r *record.Payout) { r.RunID = uuid.Nil }), []string{"I69"}},
		"payout beside its line": {func(tx *record.Tx) error {
			return scene.Drop(tx.Payouts, nil)
		}, []string{"I42", "I64", "I69"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newRunShop(t)
			scene.Must(s.RunPayouts(t.Context(), may()))
			s.Verifies()
			scene.Must(0, s.Store.Update(t.Context(), s.Config().ID, tt.change))
			scene.Equal(t, "", cmp.Diff(tt.want, scene.Broken(s.Verify(t.Context()))))
		})
	}
}

// A page of a preview looks at a bounded number of affiliates.
func TestPreviewPageIsBounded(t *testing.T) {
	s := newRunShop(t)
	for i := range 5_000 {
		s.Join(fmt.Sprintf("idle%d", i), func(in *affiliate.AffiliateParams) { in.AffiliateLink = fmt.Sprintf("idle%d", i) })
	}
	page := scene.Must(s.PreviewPayouts(t.Context(), may(), affiliate.Page{Limit: 100}))
	if len(page.Items) != len(exampleD()) || page.Next == "" {
		t.Errorf("%d lines, next %q", len(page.Items), page.Next)
	}
	page = scene.Must(s.PreviewPayouts(t.Context(), may(), affiliate.Page{Limit: 100, Cursor: page.Next}))
	if len(page.Items) != 0 || page.Next != "" {
		t.Errorf("the rest: %d lines, next %q", len(page.Items), page.Next)
	}
}

// Pages of few lines have together every line, in the order of the whole.
func TestPreviewInPages(t *testing.T) {
	s, ctx := newRunShop(t), t.Context()
	whole := scene.Must(s.PreviewPayouts(ctx, may(), affiliate.Page{Limit: 100}))
	for limit := 1; limit <= len(whole.Items); limit++ {
		var lines []affiliate.PayoutLine
		for pg := (affiliate.Page{Limit: limit}); ; {
			page := scene.Must(s.PreviewPayouts(ctx, may(), pg))
			if lines = append(lines, page.Items...); page.Next == "" || len(lines) > len(whole.Items) {
				break
			}
			pg.Cursor = page.Next
		}
		scene.Equal(t, whole.Items, lines)
	}
}

// Each single call of the store fails once, whichever transaction of the run it is in:
// the run says so, and goes on.
func TestPayoutRunEveryCall(t *testing.T) {
	ctx := t.Context()
	for n := int64(1); ; n++ {
		s := newRunShop(t)
		s.Probe.Ops.Store(0)
		s.Probe.FailAt = n
		_, err := s.RunPayouts(ctx, may())
		s.Probe.FailAt = 0
		if s.Probe.Ops.Load() < n {
			if err != nil || n < 50 {
				t.Errorf("%d calls, %v", n, err)
			}
			return
		}
		if !errors.Is(err, scene.ErrBoom) {
			t.Fatalf("call %d failed, and the run says %v", n, err)
		}
		s.Verifies()
		scene.Must(s.RunPayouts(ctx, may()))
		s.is(fmt.Sprint("lines after call ", n), exampleD(), s.lines("2026-05"))
	}
}

// A meanwhile is a store on which something happens just before its n-th Update.
type meanwhile struct {
	record.Store
	left int
	do   func()
}

func (m *meanwhile) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	if m.left--; m.left == 0 {
		m.do()
	}
	return m.Store.Update(ctx, id, fn)
}

// What is paid between the look at an affiliate and its line is no line.
func TestPayoutRunPaidMeanwhile(t *testing.T) {
	ctx := t.Context()
	s := newRunShop(t)
	pay := func() { scene.Must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.of["Ada"].ID})) }
	run := scene.Must(s.With(&meanwhile{s.Store, 2, pay}).RunPayouts(ctx, may())) // the second is Ada's
	if run.Created != 0 || run.Skipped != 6 || run.Status != affiliate.RunDone {
		t.Errorf("%+v", run)
	}
	s.is("lines", exampleD()[1:], s.lines("2026-05"))
	s.Verifies()
}

// A run ends when the affiliates that it has not come to are gone.
func TestPayoutRunOfNobodyLeft(t *testing.T) {
	ctx := t.Context()
	s := newRunShop(t)
	names := []string{"Ada", "Bo", "Cy", "Di", "Eve", "Fay", "Gil", "Hal"}
	if run := scene.Must(s.RunPayouts(ctx, atMost(7, may()))); run.Status != affiliate.RunRunning {
		t.Fatalf("%+v", run)
	}
	gone := s.of[names[7]].ID
	s.Raw(func(tx *record.Tx) error { return tx.Affiliates.Delete(gone) })
	if run := scene.Must(s.RunPayouts(ctx, atMost(7, may()))); run.Status != affiliate.RunDone || run.Created != 1 {
		t.Errorf("%+v", run)
	}
}

// A limit is one of affiliates that are examined, also of the largest piece.
func TestPayoutRunStep(t *testing.T) {
	w := scene.New(t)
	scene.Crowd(t, w.Store, w.Config().ID, 501)
	run := scene.Must(w.RunPayouts(t.Context(), atMost(500, may())))
	if again := scene.Must(w.RunPayouts(t.Context(), atMost(500, may()))); run.Status != affiliate.RunRunning || again.Status != affiliate.RunDone {
		t.Errorf("%+v, then %+v", run, again)
	}
}
