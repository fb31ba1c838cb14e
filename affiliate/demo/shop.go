// Package demo fills a program with a year of a coffee shop, Northwind Beans, so that pages
// and reports have something to show, and runs files of orders of your own in the same way.
// The example quickstart documents the format of a file.
package demo

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/affiliate/record/router"
	"github.com/tributary-go/tributary/memstore"
)

// Year is a year of orders of Northwind Beans.
//
//go:embed orders.csv
var Year []byte

// yearEnd is the time of its last row.
var yearEnd = time.Date(2025, 12, 31, 9, 21, 27, 0, time.UTC)

// A Shop runs the rows of an orders file through its affiliate program.
type Shop struct {
	*tributary.Program

	Rows     int             // that ran
	Since    time.Time       // the first of them
	Now      time.Time       // the last of them: the clock of the program
	Outcomes map[Outcome]int // of rows, by result
	Refused  map[Refusal]int // by rule
	Unused   []string        // rows that could not be used, and why

	later   time.Duration // whole days by which every row happens later than the file says; payout runs are named after their day then
	kinds   map[string]Kind
	plans   map[string]uuid.UUID // by name
	payouts map[string]uuid.UUID // by the shop's own id
	runs    map[string]uuid.UUID
	held    map[string]bool // orders whose place was held
}

// An Outcome is a kind of row and its result.
type Outcome struct{ Kind, Result string }

// A Refusal is a rule of the program that refused a row.
type Refusal struct {
	Reason affiliate.Reason
	Text   string
}

// A mistake is an error in a row that could be read.
type mistake string

func (m mistake) Error() string { return string(m) }

// Config returns the configuration of Northwind Beans.
func Config() tributary.Config {
	return tributary.Config{
		ID:           uuid.MustParse("0194226e-0c00-7000-8000-6e6f72746877"),
		Name:         "Northwind Beans",
		Destinations: []affiliate.Destination{{URL: "https://northwind.example/shop"}},
		Terms: affiliate.Terms{Rate: affiliate.MustPercent("12"), HoldDays: 30, Rules: []affiliate.Rule{
			{Name: "gift cards", When: affiliate.RuleWhen{Products: []string{"gift-card"}},
				Pay: affiliate.RulePay{Type: affiliate.RuleNone}},
			{Name: "grinders", When: affiliate.RuleWhen{Products: []string{"grinder"}},
				Pay: affiliate.RulePay{Type: affiliate.RulePercentage,
					Rate: affiliate.MustPercent("6")}},
			{Name: "later renewals",
				When: affiliate.RuleWhen{Products: []string{"subscription"}, PaymentFrom: 5},
				Pay: affiliate.RulePay{Type: affiliate.RulePercentage,
					Rate: affiliate.MustPercent("8")}},
		}},
		RefundWindow: 60 * 24 * time.Hour,
	}
}

// New makes a shop with the program that cfg describes, on store. The clock of
// the program is the time of the row that runs.
func New(store record.Store, cfg tributary.Config) (*Shop, error) {
	s := &Shop{
		kinds: map[string]Kind{}, plans: map[string]uuid.UUID{}, payouts: map[string]uuid.UUID{},
		runs: map[string]uuid.UUID{}, held: map[string]bool{}, Outcomes: map[Outcome]int{},
		Refused: map[Refusal]int{},
	}
	for _, k := range Kinds() {
		s.kinds[k.Name] = k
	}
	cfg.Now = func() time.Time { return s.Now }
	var err error
	s.Program, err = tributary.New(store, cfg)
	return s, err
}

// Run runs a file. It calls step with the line of each row. A row that cannot
// be used is noted and left out.
//
// Errors: the file cannot be read, or the program fails for a reason that lies in
// no row.
func (s *Shop) Run(ctx context.Context, src io.Reader, step func(line int)) error {
	return readRows(src, func(r row, bad error) error {
		step(r.line)
		return s.take(ctx, r, bad)
	})
}

// take runs a row, if it could be read, and counts its result. It returns only
// errors that do not lie in the row.
func (s *Shop) take(ctx context.Context, r row, bad error) error {
	if bad != nil {
		s.leaveOut(r, bad)
		return nil
	}
	err := s.run(ctx, r)
	if wrong, ok := errors.AsType[mistake](err); ok {
		s.leaveOut(r, wrong)
		return nil
	}
	s.Rows++
	if refused, ok := errors.AsType[*affiliate.Error](err); ok {
		s.Refused[Refusal{refused.Reason, refused.Message}]++
		s.Outcomes[Outcome{r.kind, "refused"}]++
		return nil
	}
	return err
}

func (s *Shop) leaveOut(r row, why error) {
	s.Unused = append(s.Unused, fmt.Sprintf("line %d: %v", r.line, why))
}

// run runs a row in the program, at the time of the row.
func (s *Shop) run(ctx context.Context, r row) error {
	r.move(s.later)
	k, ok := s.kinds[r.kind]
	if !ok {
		return mistake(fmt.Sprintf("there is no kind %q", r.kind))
	}
	if err := k.check(r); err != nil {
		return err
	}
	if r.at.Before(s.Now) {
		return mistake("time goes back: the row before is at " + s.Now.Format(time.RFC3339))
	}
	if s.Since.IsZero() {
		s.Since = r.at
	}
	s.Now = r.at
	return k.play(s, ctx, r)
}

// Fill makes the program that cfg describes, with a year of orders that ends less than a
// day before now. The store gets all of the year, in one transaction, or nothing. A program
// that has affiliates stays as it is. Nothing is delivered, since there is no endpoint.
func Fill(ctx context.Context, store record.Store, cfg tributary.Config, now time.Time) error {
	program, err := tributary.New(store, cfg)
	if err != nil {
		return err
	}
	known, err := program.Affiliates(ctx, affiliate.AffiliateQuery{}, affiliate.Page{Limit: 1})
	if err != nil || len(known.Items) > 0 {
		return err
	}
	year := memstore.New()
	shop, err := New(year, cfg)
	if err != nil {
		return err
	}
	shop.later = max(0, now.Sub(yearEnd).Truncate(24*time.Hour))
	if err := shop.Run(ctx, bytes.NewReader(Year), func(int) {}); err != nil {
		return err
	}
	return store.Update(ctx, cfg.ID, func(tx *record.Tx) error {
		_, err := router.Copy(ctx, year, storeInTx{tx}, cfg.ID)
		return err
	})
}

// storeInTx is a store inside one transaction of another.
type storeInTx struct{ tx *record.Tx }

func (w storeInTx) View(_ context.Context, _ uuid.UUID, fn func(tx *record.Tx) error) error {
	return fn(w.tx)
}

func (w storeInTx) Update(_ context.Context, _ uuid.UUID, fn func(tx *record.Tx) error) error {
	return fn(w.tx)
}
