package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
)

// A shop gives the rows of an orders file to its affiliate program.
type shop struct {
	*affiliate.Program
	store   affiliate.Store
	now     time.Time // of the row: the clock of the program
	kinds   map[string]kind
	plans   map[string]uuid.UUID // by name
	payouts map[string]uuid.UUID // by the shop's own id

	rows     int             // that ran
	since    time.Time       // the first of them
	outcomes map[outcome]int // of rows, by what came of them
	refused  map[refusal]int // by rule
	unused   []string        // rows that could not be used, and why
}

// An outcome is what came of a row of a kind.
type outcome struct{ kind, result string }

// A refusal is a rule of the program that a row ran into.
type refusal struct {
	reason affiliate.Reason
	text   string
}

// A mistake is what is wrong with a row that reads well.
type mistake string

func (m mistake) Error() string { return string(m) }

func newShop() (*shop, error) {
	s := &shop{
		store: memstore.New(),
		kinds: map[string]kind{}, plans: map[string]uuid.UUID{}, payouts: map[string]uuid.UUID{},
		outcomes: map[outcome]int{}, refused: map[refusal]int{},
	}
	for _, k := range kinds() {
		s.kinds[k.name] = k
	}
	var err error
	s.Program, err = affiliate.New(s.store, affiliate.Config{
		ID:           uuid.MustParse("0194226e-0c00-7000-8000-6e6f72746877"),
		Name:         "Northwind Beans",
		Destinations: []affiliate.Destination{{URL: "https://northwind.example/shop"}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("12")},
		RefundWindow: 60 * 24 * time.Hour,
		Now:          func() time.Time { return s.now },
		Rand:         rand.NewChaCha8([32]byte{}), // the same ids in every run
	})
	return s, err
}

// take runs a row, if it could be read, and books what came of it. What it
// returns is an error that no row is to blame for.
func (s *shop) take(ctx context.Context, r row, bad error) error {
	if bad != nil {
		s.leaveOut(r, bad)
		return nil
	}
	err := s.run(ctx, r)
	if wrong, ok := errors.AsType[mistake](err); ok {
		s.leaveOut(r, wrong)
		return nil
	}
	s.rows++
	if refused, ok := errors.AsType[*affiliate.Error](err); ok {
		s.refused[refusal{refused.Reason, refused.Message}]++
		s.outcomes[outcome{r.kind, "refused"}]++
		return nil
	}
	return err
}

func (s *shop) leaveOut(r row, why error) {
	s.unused = append(s.unused, fmt.Sprintf("line %d: %v", r.line, why))
}

// run gives a row to the program, at the time of the row.
func (s *shop) run(ctx context.Context, r row) error {
	k, ok := s.kinds[r.kind]
	if !ok {
		return mistake(fmt.Sprintf("there is no kind %q", r.kind))
	}
	if err := k.check(r); err != nil {
		return err
	}
	if r.at.Before(s.now) {
		return mistake("time goes back: the row before is at " + s.now.Format(time.RFC3339))
	}
	if s.since.IsZero() {
		s.since = r.at
	}
	s.now = r.at
	return k.play(s, ctx, r)
}
