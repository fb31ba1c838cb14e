package pgstore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/twins"
	"github.com/tributary-go/tributary/pgstore"
)

// views are the views that docs/tables.md documents.
var views = []string{"sales_report", "commissions_report", "redemptions_report", "codes_report", "clicks_report", "events_report", "deliveries_report", "movements_report"}

// A report is a line of a view, as a host sees it: a text for each column.
type report map[string]string

// reportOf reads the lines of a program.
func reportOf(rt *rapid.T, pool *pgxpool.Pool, schema, view string, program uuid.UUID) (lines []report) {
	rows, err := pool.Query(rt.Context(), fmt.Sprintf(`SELECT row_to_json(v)::text FROM "%s".%s AS v WHERE program = $1 ORDER BY 1`, schema, view), [16]byte(program))
	if err != nil {
		rt.Fatalf("%v", err)
	}
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		rt.Fatalf("%v", err)
	}
	for _, text := range texts {
		var values map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &values); err != nil {
			rt.Fatalf("%v", err)
		}
		line := report{}
		for column, value := range values {
			if column != "program" && string(value) != "null" {
				line[column] = strings.Trim(string(value), `"`)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// TestReports: the views say the same as the engine, amount for amount, whatever
// the program has been through.
func TestReports(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema := newSchema(t, pool)
	store := newStore(t, pool, pgstore.Config{Schema: schema})
	rapid.Check(t, func(rt *rapid.T) {
		p := newProgram(t, store, uuid.Must(uuid.NewV7()))
		trade(t, rt, p)
		checkSales(rt, p, reportOf(rt, pool, schema, "sales_report", p.Config().ID))
		checkCommissions(rt, p, reportOf(rt, pool, schema, "commissions_report", p.Config().ID))
		codes := reportOf(rt, pool, schema, "codes_report", p.Config().ID)
		counted := map[string]int{}
		for _, line := range reportOf(rt, pool, schema, "redemptions_report", p.Config().ID) {
			if line["restored_at"] == "" {
				counted[line["promotional_code_id"]]++
			}
		}
		for _, line := range codes {
			code := must(p.Code(rt.Context(), affiliate.CodeRef{Code: line["code"]}))
			if want := fmt.Sprint(code.TimesRedeemed); line["times_redeemed"] != want || fmt.Sprint(counted[line["promotional_code_id"]]) != want {
				rt.Errorf("%s was redeemed %s times, the views say %s and %d", code.Code, want, line["times_redeemed"], counted[line["promotional_code_id"]])
			}
		}
		checkEvents(rt, p, reportOf(rt, pool, schema, "events_report", p.Config().ID))
		checkDeliveries(rt, p, reportOf(rt, pool, schema, "deliveries_report", p.Config().ID))
		clicks := map[string]int64{}
		for _, line := range reportOf(rt, pool, schema, "clicks_report", p.Config().ID) {
			clicks[line["affiliate_id"]]++
		}
		for _, a := range must(p.Affiliates(rt.Context(), affiliate.AffiliateQuery{}, affiliate.Page{})).Items {
			if clicks[a.ID.String()] != a.NumberOfClicks {
				rt.Errorf("%d clicks, the view has %d", a.NumberOfClicks, clicks[a.ID.String()])
			}
		}
	})
}

// trade does some of everything that the views show.
func trade(t *testing.T, rt *rapid.T, p *tributary.Program) {
	ctx := rt.Context()
	hotCode(t, p)
	must(p.Webhooks().CreateEndpoint(ctx, affiliate.EndpointParams{URL: "https://hooks.example/a", Events: []affiliate.EventType{affiliate.SaleCreated}}))
	amount := rapid.Int64Range(1, 5_000_000)
	var sold []affiliate.SaleID
	for i := range rapid.IntRange(1, 12).Draw(rt, "steps") {
		switch rapid.IntRange(0, 7).Draw(rt, "step") {
		case 0:
			must(p.TrackClick(ctx, affiliate.ClickParams{Slug: "ada", LandingURL: "https://beans.example/shop", Repeat: i%2 == 0}))
		case 1:
			if len(sold) > 0 { // may be refused: it was refunded already
				_, _ = p.RefundSale(ctx, affiliate.Refund{SaleID: rapid.SampledFrom(sold).Draw(rt, "sale"), Amount: affiliate.Set(affiliate.AmountFromScaled(amount.Draw(rt, "refund")))})
			}
		case 2:
			if len(sold) > 0 {
				_, _ = p.RefundSale(ctx, affiliate.Refund{SaleID: rapid.SampledFrom(sold).Draw(rt, "sale"), ClawBack: i%2 == 0})
			}
		case 6:
			if len(sold) > 0 {
				status := rapid.SampledFrom([]affiliate.ApprovalStatus{affiliate.ApprovalOnHold, affiliate.ApprovalDeclined, affiliate.ApprovalAccepted}).Draw(rt, "status")
				_, _ = p.ReviewCommissions(ctx, status, rapid.SampledFrom(sold).Draw(rt, "sale"))
			}
		case 7:
			_, _ = p.CreatePayout(ctx, affiliate.PayoutParams{AffiliateEmail: "ada@example.com"})
		case 3:
			if len(sold) > 0 {
				_ = p.RestoreRedemption(ctx, affiliate.SaleRef{ID: rapid.SampledFrom(sold).Draw(rt, "sale")})
			}
		default:
			in := affiliate.SaleParams{PromoCode: "HOT20", TotalEarned: affiliate.AmountFromScaled(amount.Draw(rt, "total")), Name: "Kim"}
			if rapid.Bool().Draw(rt, "by link") {
				in.PromoCode, in.ReferralID, in.ExternalInvoiceID = "", "ada", fmt.Sprint("invoice-", i)
			}
			if rapid.Bool().Draw(rt, "external id") {
				in.ExternalID = fmt.Sprintf("order-%d", i)
			}
			in.Email = fmt.Sprintf("c%d@example.net", i%3)
			got := must(p.RecordSale(ctx, in))
			if sale, ok := got.Sale.Get(); ok {
				sold = append(sold, sale.ID)
			}
		}
	}
}

// checkSales compares the sales with those of the engine, and their sum with the
// statistics of the affiliate.
func checkSales(rt *rapid.T, p *tributary.Program, lines []report) {
	byID := map[string]report{}
	var kept affiliate.Amount
	for _, line := range lines {
		byID[line["sale_id"]] = line
		kept = must(kept.Add(must(affiliate.MustAmount(line["total_earned"]).Sub(affiliate.MustAmount(line["refunded_amount"])))))
	}
	sales := must(p.Sales(rt.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items
	for _, s := range sales {
		want := report{
			"sale_id": fmt.Sprint(s.ID), "status": string(s.Status), "affiliate_id": s.AffiliateID.String(),
			"total_earned": exact(s.TotalEarned), "refunded_amount": exact(s.RefundedAmount), "commission_earned": exact(s.CommissionEarned),
		}
		for column, id := range map[string]affiliate.Opt[uuid.UUID]{"referral_id": s.ReferralID, "affiliate_link_id": s.AffiliateLinkID, "promotional_code_id": s.PromotionalCodeID} {
			if id, ok := id.Get(); ok {
				want[column] = id.String()
			}
		}
		for column, text := range map[string]affiliate.Opt[string]{"external_id": s.ExternalID, "external_invoice_id": s.ExternalInvoiceID, "email": s.Email} {
			if text, ok := text.Get(); ok {
				want[column] = text
			}
		}
		if len(s.Commissions) > 0 {
			if id, ok := s.Commissions[0].PayoutID.Get(); ok {
				want["payout_id"] = id.String()
			}
		}
		got := byID[fmt.Sprint(s.ID)]
		if at := got["created_at"]; !strings.HasPrefix(at, s.CreatedAt.String()[:19]) {
			rt.Errorf("sale %d of %s, the view says %s", s.ID, s.CreatedAt, at)
		}
		delete(got, "created_at")
		if d := cmp.Diff(want, got); d != "" {
			rt.Errorf("sale %d (-engine +view):\n%s", s.ID, d)
		}
	}
	if len(sales) != len(lines) {
		rt.Errorf("%d sales, the view has %d", len(sales), len(lines))
	}
	if ada := must(p.Affiliate(rt.Context(), "ada@example.com")); ada.TotalRevenue != kept {
		rt.Errorf("revenue %s, the view adds up to %s", ada.TotalRevenue, kept)
	}
}

// checkCommissions compares the entries of sales with those of the engine.
func checkCommissions(rt *rapid.T, p *tributary.Program, lines []report) {
	byID := map[string]report{}
	for _, line := range lines {
		byID[line["commission_id"]] = line
	}
	n := 0
	for _, s := range must(p.Sales(rt.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items {
		for _, c := range s.Commissions {
			n++
			got := byID[fmt.Sprint(c.ID)]
			payable, paid := c.PayableAt.Get()
			for column, at := range map[string]string{"created_at": c.CreatedAt.String(), "updated_at": c.UpdatedAt.String(), "payable_at": payable.String()} {
				if paid || column != "payable_at" {
					if !strings.HasPrefix(got[column], at[:19]) {
						rt.Errorf("%s of commission %d is %s, the view says %s", column, c.ID, at, got[column])
					}
					delete(got, column)
				}
			}
			want := report{
				"sale_id": fmt.Sprint(s.ID), "commission_id": fmt.Sprint(c.ID), "affiliate_id": c.AffiliateID.String(),
				"commission_earned": exact(c.CommissionEarned), "approval_status": string(c.ApprovalStatus),
				"manually_paid": fmt.Sprint(c.ManuallyPaid), "clawback": fmt.Sprint(c.ClawBack),
			}
			if reason, ok := c.HoldReason.Get(); ok {
				want["hold_reason"] = string(reason)
			}
			if reason, ok := c.BonusReason.Get(); ok {
				want["bonus_reason"] = reason
			}
			if id, ok := c.PayoutID.Get(); ok {
				want["payout_id"] = id.String()
			}
			if d := cmp.Diff(want, got); d != "" {
				rt.Errorf("commission %d (-engine +view):\n%s", c.ID, d)
			}
		}
	}
	if n != len(lines) {
		rt.Errorf("%d commissions, the view has %d", n, len(lines))
	}
}

// exact is an amount with its four decimals.
func exact(a affiliate.Amount) string {
	whole, decimals, _ := strings.Cut(a.String(), ".")
	return whole + "." + decimals + strings.Repeat("0", 4-len(decimals))
}

func checkEvents(rt *rapid.T, p *tributary.Program, lines []report) {
	byID := map[string]report{}
	for _, line := range lines {
		byID[line["event_id"]] = line
	}
	events := must(p.EventsAfter(rt.Context(), uuid.Nil, 1000))
	for _, e := range events {
		if line := byID[e.MessageID()]; line["event"] != string(e.Type) || !strings.HasPrefix(line["occurred_at"], e.OccurredAt.String()[:19]) {
			rt.Errorf("event %s of %s, the view says %v", e.Type, e.OccurredAt, line)
		}
	}
	if len(events) != len(lines) {
		rt.Errorf("%d events, the view has %d", len(events), len(lines))
	}
}

func checkDeliveries(rt *rapid.T, p *tributary.Program, lines []report) {
	byID := map[string]report{}
	for _, line := range lines {
		byID[line["delivery_id"]] = line
	}
	deliveries := must(p.Webhooks().Deliveries(rt.Context(), affiliate.DeliveryQuery{}, affiliate.Page{})).Items
	for _, d := range deliveries {
		line := byID[d.ID.String()]
		delete(line, "created_at")
		want := report{
			"delivery_id": d.ID.String(), "webhook_id": d.WebhookID.String(), "event_id": d.EventID,
			"status": string(d.State), "attempts": fmt.Sprint(d.AttemptCount),
		}
		if diff := cmp.Diff(want, line); diff != "" {
			rt.Errorf("delivery (-engine +view):\n%s", diff)
		}
	}
	if len(deliveries) != len(lines) {
		rt.Errorf("%d deliveries, the view has %d", len(deliveries), len(lines))
	}
}

// TestReadmeReports runs the queries of the README, and finds every column of
// every view in docs/tables.md.
func TestReadmeReports(t *testing.T) {
	readme := string(must(os.ReadFile("README.md")))
	pool := newPool(t, databaseURL(t))
	s := newShop(t, pool, pgstore.Config{})
	must(s.plain.RecordSale(t.Context(), sale(1)))
	schema := "test_" + schemaID()
	queries := 0
	for _, block := range strings.Split(readme, "```sql\n")[1:] {
		sql, _, _ := strings.Cut(block, "```")
		rows := must(pool.Query(t.Context(), strings.ReplaceAll(sql, " tributary.", ` "`+schema+`".`), s.plain.Config().ID.String()))
		lines, err := pgx.CollectRows(rows, pgx.RowToMap)
		if err != nil || len(lines) == 0 {
			t.Errorf("%d lines, error %v:\n%s", len(lines), err, sql)
		}
		queries++
	}
	if queries == 0 {
		t.Error("the README has no query")
	}
	page := string(must(os.ReadFile(filepath.Join("..", "docs", "tables.md"))))
	for _, view := range views {
		_, about, found := strings.Cut(page, "| `"+view+"` |")
		about, _, _ = strings.Cut(about, "\n")
		rows := must(pool.Query(t.Context(), `SELECT column_name::text FROM information_schema.columns
			WHERE table_schema = $1 AND table_name = $2 AND column_name <> 'program' ORDER BY ordinal_position`, schema, view))
		var said []string
		for i, part := range strings.Split(about, "`") {
			if i%2 == 1 {
				said = append(said, part)
			}
		}
		if d := cmp.Diff(must(pgx.CollectRows(rows, pgx.RowTo[string])), said); !found || d != "" {
			t.Errorf("%s (-view +tables.md):\n%s", view, d)
		}
	}
}

// inPostgres are the rows of the table in docs/queries.md: what has another form in
// PostgreSQL, in the order in which it is replaced.
var inPostgres = []struct {
	sqlite *regexp.Regexp
	form   string
}{
	{regexp.MustCompile(`\(SELECT number FROM tributary_programs WHERE id = :program\)`), "$$1"},
	{regexp.MustCompile(`strftime\('%Y-%m', ([\w.]+) / 1000000, 'unixepoch'\)`), "to_char($1 AT TIME ZONE 'UTC', 'YYYY-MM')"},
	{regexp.MustCompile(`strftime\('%Y', ([\w.]+) / 1000000, 'unixepoch'\)`), "extract(year FROM $1 AT TIME ZONE 'UTC')"},
	{regexp.MustCompile(`strftime\('%m', ([\w.]+) / 1000000, 'unixepoch'\)`), "extract(month FROM $1 AT TIME ZONE 'UTC')"},
	{regexp.MustCompile(`json_each\(([\w.]+)\) AS (\w)`), "json_array_elements($1) AS $2 (value)"},
	{regexp.MustCompile(`(\w\.value ->> '(?:commission_earned|sale_id|commission_id)')`), "($1)::bigint"},
	{regexp.MustCompile(`(\w\.value ->> 'clawback')`), "coalesce(($1)::boolean, false)"},
	{regexp.MustCompile(`(\w\.value ->> 'created_at')`), "timestamptz 'epoch' + ($1)::bigint * interval '1 microsecond'"},
	{regexp.MustCompile(`(\w\.hold_days) \* 86400000000`), "$1 * interval '24 hours'"},
	{regexp.MustCompile(`:now`), "$$2::timestamptz"},
}

// TestQueries: every query of docs/queries.md, in the form that the page says, answers
// what it shows, on the program that it describes.
func TestQueries(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema := newSchema(t, pool)
	store := newStore(t, pool, pgstore.Config{Schema: schema})
	twins.Tell(t, store) // has no part in any answer
	s := twins.Tell(t, store)
	exec(t, pool, twins.Orders(schema+".orders"))
	parts := strings.Split(string(must(os.ReadFile(filepath.Join("..", "docs", "queries.md")))), "```sql\n")
	for _, part := range parts[1:] {
		sql, rest, _ := strings.Cut(part, "```\n")
		_, rest, _ = strings.Cut(rest, "```text\n")
		want, _, _ := strings.Cut(rest, "```")
		for _, r := range inPostgres {
			sql = r.sqlite.ReplaceAllString(sql, r.form)
		}
		sql = strings.NewReplacer("tributary_", schema+".", "FROM orders AS", "FROM "+schema+".orders AS").Replace(sql)
		args := []any{[16]byte(s.Config().ID)}
		if strings.Contains(sql, "$2") {
			args = append(args, s.Now)
		}
		if diff := cmp.Diff(want, answered(t, pool, sql, args)); diff != "" {
			t.Errorf("%s(-page +answer):\n%s", sql, diff)
		}
	}
	if len(parts) != 12 {
		t.Errorf("the page has %d queries", len(parts)-1)
	}
}

// answered returns an answer as the page shows it.
func answered(t *testing.T, pool *pgxpool.Pool, sql string, args []any) string {
	t.Helper()
	rows, err := pool.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatalf("%v in %s", err, sql)
	}
	defer rows.Close()
	var names []string
	for _, f := range rows.FieldDescriptions() {
		names = append(names, f.Name)
	}
	lines := []string{strings.Join(names, "|")}
	for rows.Next() {
		cells := make([]*string, len(names))
		into := make([]any, len(names))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatalf("%v in %s", err, sql)
		}
		var texts []string
		for _, c := range cells {
			if c == nil {
				c = new("")
			}
			texts = append(texts, *c)
		}
		lines = append(lines, strings.Join(texts, "|"))
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%v in %s", err, sql)
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestRecent: an Update joins a group that has read, and in which nothing is written. It
// sees what another process had committed before it began: either nobody could commit
// while the group held the program, or the group finds out and runs again.
func TestRecent(t *testing.T) {
	for _, c := range []struct {
		name      string
		mode      pgstore.Mode
		known     bool // ours has written to the program before
		ends      bool // the server ends our sessions when the group has read
		committed bool // the other process does not have to wait for the group
	}{
		{"queue, new program", pgstore.Queue, false, false, false},
		{"queue, remembered program", pgstore.Queue, true, false, true},
		{"queue, new program, sessions end", pgstore.Queue, false, true, true},
		{"queue, remembered program, sessions end", pgstore.Queue, true, true, true},
		{"serializable, new program", pgstore.Serializable, false, false, true},
		{"serializable, known program", pgstore.Serializable, true, false, false},
		{"serializable, new program, sessions end", pgstore.Serializable, false, true, true},
		{"serializable, known program, sessions end", pgstore.Serializable, true, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			pool := newPool(t, databaseURL(t))
			cfg := pgstore.Config{Schema: newSchema(t, pool), Mode: c.mode, Group: 16}
			named := func(name string) *pgstore.Store {
				return newStore(t, newPool(t, databaseURL(t), func(p *pgxpool.Config) {
					p.ConnConfig.RuntimeParams["application_name"] = name
				}), cfg)
			}
			ours, theirs, program, plan := named("ours"), named("theirs"), uuid.New(), uuid.UUID{1}
			if c.known {
				mustUpdate(t, ours, program, func(tx *record.Tx) error { return tx.Tiers.Insert(record.Tier{ID: uuid.UUID{2}}) })
			}
			var wg sync.WaitGroup
			var failed, late error
			committed := make(chan struct{})
			between := sync.OnceFunc(func() {
				if c.ends {
					exec(t, pool, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'ours'")
				}
				wg.Go(func() {
					failed = theirs.Update(context.Background(), program, func(tx *record.Tx) error { return tx.Plans.Insert(record.Plan{ID: plan}) })
					close(committed)
				})
				if got := ends(t, pool, committed); got != c.committed {
					t.Errorf("the other process has committed: %t, want %t", got, c.committed)
				}
				wg.Go(func() {
					late = ours.Update(context.Background(), program, func(tx *record.Tx) error {
						_, err := tx.Plans.Get(plan)
						return err
					})
				})
				for ours.Waiting(program) == 0 {
					runtime.Gosched()
				}
			})
			err := ours.Update(t.Context(), program, func(tx *record.Tx) error {
				_, err := tx.Plans.Get(plan)
				between()
				if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
					return err
				}
				return errRefused
			})
			wg.Wait()
			if !errors.Is(err, errRefused) && !c.ends || err == nil || failed != nil {
				t.Errorf("the leader: %v, the other process: %v", err, failed)
			}
			if c.committed && late != nil || !c.committed && late != nil && !errors.Is(late, affiliate.ErrNotFound) {
				t.Errorf("the late one: %v", late)
			}
		})
	}
}

// ends waits until done is closed, and reports true, or until a session of the
// application theirs waits for a lock.
func ends(t *testing.T, pool *pgxpool.Pool, done <-chan struct{}) bool {
	for n := 0; n == 0; {
		select {
		case <-done:
			return true
		default:
		}
		if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'theirs' AND wait_event_type = 'Lock'").Scan(&n); err != nil {
			t.Error(fmt.Errorf("look for waiting sessions: %w", err))
			return false
		}
	}
	return false
}
