package adapter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
)

// A Source reads from a provider's API what its events tell, and tells a program again what was
// lost, or came before there was an endpoint. The facts of a payment may come in any order and
// as often as one likes, so nothing is booked twice.
type Source struct {
	Endpoint // Map, Complete, Limit and its Config are used; Scheme, OK and Answer are not
	API      API

	// Read calls yield with the body of each event since a moment, or with an object as an event
	// has it, until yield returns false. What happened before the moment does no harm, and neither
	// does the same twice. The oldest come first, if the provider can.
	Read func(ctx context.Context, api API, from time.Time, yield func(body []byte) bool) error

	// Unmarked: the API does not have what a checkout carried. Then a payment whose event was lost credits
	// only a customer who is known.
	Unmarked bool
}

// CaughtUp says what [Source.CatchUp] did.
type CaughtUp struct {
	Read       int // events
	Sales      int // that were recorded
	Nobodys    int // payments of customers whom nobody is known to have brought
	Unreadable int // events that Map refused; each is a line of the log
	Ignored    map[pay.Reason]int
	Refused    map[affiliate.Reason]int
	Newest     time.Time // of the events; zero: there was none
}

// maxLater is the number of events that may wait for others.
const maxLater = 100_000

// CatchUp applies everything that the provider tells since a moment, as its endpoint would; OnResult
// is called for each event. An event that waits for another one, because it is not older than Config.Wait, is applied after all
// of them.
//
// Errors: [ErrConfig]; those of the API, of Read and of the store, after which what was applied
// stays: begin anew.
//
// Effects: those of [pay.Apply] for each event.
//
// Concurrency: safe beside the endpoint, and in several processes.
//
// Source: docs/reconcile.md.
func (s Source) CatchUp(ctx context.Context, p *tributary.Program, from time.Time) (CaughtUp, error) {
	done := CaughtUp{Ignored: map[pay.Reason]int{}, Refused: map[affiliate.Reason]int{}}
	if err := s.Check(); err != nil {
		return done, err
	}
	h := s.hook(p)
	var later [][]byte
	apply := func(body []byte, last bool) error {
		a, err := h.Map(body)
		if err != nil {
			done.Unreadable++
			h.Logger.LogAttrs(ctx, slog.LevelWarn, "payment event: unreadable", slog.Any("error", err))
			return nil
		}
		if a.Wait = a.Wait && !last; a.Event.At.After(done.Newest) {
			done.Newest = a.Event.At
		}
		result, err := h.apply(ctx, body, a)
		switch {
		case errors.Is(err, pay.ErrLater) && !last && len(later) < maxLater:
			later = append(later, slices.Clone(body))
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", a.Event.ID, err)
		}
		h.report(ctx, result)
		done.add(&result)
		return nil
	}
	var failed error
	err := s.Read(ctx, s.API, from, func(body []byte) bool {
		done.Read++
		failed = apply(body, false)
		return failed == nil && ctx.Err() == nil
	})
	if err = cmp.Or(failed, err, ctx.Err()); err != nil {
		return done, err
	}
	for _, body := range later {
		if err := apply(body, true); err != nil {
			return done, err
		}
	}
	if s.Unmarked && done.Nobodys > 0 {
		h.Logger.LogAttrs(ctx, slog.LevelWarn, saysUnmarked, slog.Int("payments", done.Nobodys))
	}
	return done, nil
}

func (c *CaughtUp) add(r *pay.Result) {
	switch {
	case r.Refusal != nil:
		c.Refused[r.Refusal.Reason]++
	case r.Action.Kind == pay.KindIgnored:
		c.Ignored[r.Action.Reason]++
	case r.Outcome == affiliate.SaleRecorded:
		c.Sales++
	case r.Outcome == affiliate.SaleUnattributed:
		c.Nobodys++
	}
}

// Check refuses a source that cannot be used.
//
// Errors: [ErrConfig].
func (s Source) Check() error {
	if err := s.CarryKeys.Check(); err != nil {
		return fmt.Errorf("%w: CarryKeys: %w", ErrConfig, err)
	}
	return s.API.check()
}
