package adapter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"github.com/google/uuid"

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
	Provider string // as payments have it

	// Read calls yield with the body of each event since a moment, or with an object as an event
	// has it, until yield returns false. What happened before the moment does no harm, and neither
	// does the same twice. The oldest come first, if the provider can.
	Read func(ctx context.Context, api API, from time.Time, yield func(body []byte) bool) error

	// Credit says who brought the payer of a payment without a mark, by what the host knows of them; none:
	// nobody. It is asked while the program does not know the payer, such as on the first day, for
	// customers who were there before. Then all their payments that are read count. Nil: payments
	// without a mark credit nobody new.
	Credit func(ctx context.Context, payment pay.Action) ([]affiliate.Credit, error)

	// Progress is called after each 1,000 events, with the number of those that were read and the time of
	// the newest. Nil: it is not.
	Progress func(read int, newest time.Time)

	// Unmarked: the API does not have what a checkout carried. Then a payment whose event was lost credits
	// only a customer who is known, or whom Credit knows.
	Unmarked bool
}

// CaughtUp says what [Source.CatchUp] did.
type CaughtUp struct {
	Read       int // events
	Sales      int // that were recorded
	Nobodys    int // payments of customers whom nobody is known to have brought
	Unreadable int // events that Map refused; each is a line of the log
	Failed     int // events that could not be applied; each is a line of the log
	Ignored    map[pay.Reason]int
	Refused    map[affiliate.Reason]int
	Newest     time.Time // of the events; zero: there was none
}

const (
	maxLater = 100_000 // events may wait for others
	maxInRow = 10      // events that fail one after the other: then it is not the events
	progress = 1_000   // events between two calls of Progress
)

// earliest is before anything that a provider has.
var earliest = time.Date(2005, time.January, 1, 0, 0, 0, 0, time.UTC)

// CatchUp applies everything that the provider tells since a moment, as its endpoint would; OnResult
// is called for each event. An event that waits for another one, because it is not older than Config.Wait, is applied after all
// of them. One that cannot be applied is a line of the log, and does not keep the others from being applied; one from the
// future is read again when its time has come.
//
// Errors: [ErrConfig]; those of the API and of Read; the first of Complete, of Credit and of the store, after all
// events, or after ten in a row. What was applied stays: begin anew.
//
// Effects: those of [pay.Apply] for each event.
//
// Concurrency: safe beside the endpoint, and in several processes.
//
// Source: docs/reconcile.md.
func (s Source) CatchUp(ctx context.Context, p *tributary.Program, from time.Time) (CaughtUp, error) {
	done := CaughtUp{Ignored: map[pay.Reason]int{}, Refused: map[affiliate.Reason]int{}}
	if err := s.check(p); err != nil {
		return done, err
	}
	h := s.hook(p)
	var later [][]byte
	var failed error // the first
	inRow := 0
	apply := func(body []byte, a pay.Action, last bool) error {
		if a.Wait = a.Wait && !last; a.Event.At.After(done.Newest) && !s.future(&a) {
			done.Newest = a.Event.At
		}
		result, err := s.apply(ctx, h, body, a)
		if err == nil {
			inRow = 0
			h.report(ctx, result)
			done.add(&result)
			return nil
		}
		waits := errors.Is(err, pay.ErrLater)
		if waits && !last && len(later) < maxLater {
			later = append(later, slices.Clone(body))
			return nil
		}
		err = fmt.Errorf("%s: %w", a.Event.ID, err)
		if ctx.Err() != nil {
			return err
		}
		done.Failed++
		h.log(ctx, answer{status: http.StatusServiceUnavailable, err: err})
		if waits {
			return nil
		}
		failed = cmp.Or(failed, err)
		if inRow++; inRow == maxInRow {
			return err
		}
		return nil
	}
	err := s.each(ctx, from, func(body []byte, a pay.Action, err error) error {
		if done.Read++; err != nil {
			done.Unreadable++
			h.Logger.LogAttrs(ctx, slog.LevelWarn, "payment event: unreadable", slog.Any("error", err))
			return nil
		}
		return apply(body, a, false)
	})
	if err != nil {
		return done, err
	}
	for _, body := range later {
		a, err := h.Map(body)
		if err == nil {
			err = apply(body, a, true)
		}
		if err != nil {
			return done, err
		}
	}
	if s.Unmarked && done.Nobodys > 0 {
		h.Logger.LogAttrs(ctx, slog.LevelWarn, saysUnmarked, slog.Int("payments", done.Nobodys))
	}
	if failed != nil {
		return done, fmt.Errorf("pay: %d events could not be applied, the first is %w", done.Failed, failed)
	}
	return done, nil
}

// apply applies an event. A function of the host that panics is an error.
func (s Source) apply(ctx context.Context, h *hook, body []byte, a pay.Action) (result pay.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			h.Logger.ErrorContext(ctx, "payment event: panic", "stack", string(debug.Stack()))
			err = errPanicked
		}
	}()
	if err := s.credit(ctx, h, &a, false); err != nil {
		return result, err
	}
	return h.apply(ctx, body, a)
}

// future reports whether an event is from a time that has not come, by a clock that is not right.
func (s Source) future(a *pay.Action) bool { return a.Event.At.After(s.Time().Add(ahead)) }

// each reads events, and calls use with each and its action, or why it has none, until that fails.
func (s Source) each(ctx context.Context, from time.Time, use func(body []byte, a pay.Action, err error) error) error {
	var failed error
	read, newest := 0, time.Time{}
	if from.Before(earliest) {
		from = earliest
	}
	err := s.Read(ctx, s.API, from, func(body []byte) bool {
		a, err := s.mapped(body)
		if a.Event.At.After(newest) {
			newest = a.Event.At
		}
		failed = use(body, a, err)
		if read++; s.Progress != nil && read%progress == 0 {
			s.Progress(read, newest)
		}
		return failed == nil && ctx.Err() == nil
	})
	return cmp.Or(failed, err, ctx.Err())
}

// mapped maps an event. What makes Map panic cannot be read, and does not keep the others from being read.
func (s Source) mapped(body []byte) (a pay.Action, err error) {
	defer func() {
		if v := recover(); v != nil {
			a, err = pay.Action{}, fmt.Errorf("%w\n%s", errPanicked, debug.Stack())
		}
	}()
	return s.Map(body)
}

// credit asks the host who brought the payer of a payment that has no mark, and whose payer its program does not
// know. Who did is told as of a trial, so that it does not matter which payment of the payer is read
// first; nothing is told with dry.
func (s Source) credit(ctx context.Context, h *hook, a *pay.Action, dry bool) error {
	paid, says := a.Payment.Sale.Get()
	if s.Credit == nil || a.Kind != pay.KindSale || !says || a.Carried.Marks() || len(paid.Tries) > 0 {
		return nil
	}
	p, err := h.program(ctx, a.Event.Account)
	if err != nil || p == nil || a.Carried.Program != uuid.Nil && a.Carried.Program != p.Config().ID {
		return err
	}
	is, who := a.Payment.Provider, a.Payment.Payer
	payer, err := p.Payments().Payer(ctx, is, who)
	if err != nil || !payer.Referral.IsNull() {
		return err
	}
	by, err := s.Credit(ctx, *a)
	switch {
	case err != nil || len(by) == 0:
		return err
	case dry || who.ID == "":
		paid.Tries = by
		a.Payment.Sale = affiliate.Set(paid)
		return nil
	}
	customer := pay.Action{Kind: pay.KindCustomer, Event: a.Event, Tries: by,
		Payment: affiliate.PaymentFact{Provider: is, Keys: []string{"customer_of_" + who.ID}, Payer: who, At: a.Payment.At}}
	own := *h
	own.Complete = nil // there is no event to complete
	result, err := own.apply(ctx, nil, customer)
	if err == nil {
		h.report(ctx, result)
	}
	return err
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
	if s.Provider == "" {
		return fmt.Errorf("%w: no name of the provider", ErrConfig)
	}
	return s.API.check()
}

// check is Check for a program.
func (s Source) check(p *tributary.Program) error {
	if p == nil && s.Accounts == nil {
		return fmt.Errorf("%w: neither a program nor Accounts", ErrConfig)
	}
	return s.Check()
}
