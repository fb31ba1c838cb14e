package engine

import (
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/isodate"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// trimGiven cuts blanks and invisible characters from both ends of names.
func trimGiven(names ...*affiliate.Opt[string]) {
	for _, name := range names {
		if s, ok := name.Get(); ok {
			*name = affiliate.Set(plaintext.Trim(s))
		}
	}
}

// ValidDate reports whether a date, if it was given, lies in the years 1–9999 as
// an instant.
func (p *Program) ValidDate(o affiliate.Opt[affiliate.Date]) bool {
	d, ok := o.Get()
	return !ok || d.Valid() && isodate.InRange(d.Instant(p.Cfg.Location))
}

// Instant returns the instant of an optional date; zero when it is not given.
func (p *Program) Instant(o affiliate.Opt[affiliate.Date]) affiliate.Instant {
	d, ok := o.Get()
	if !ok {
		return affiliate.Instant{}
	}
	t := affiliate.InstantOf(d.Instant(p.Cfg.Location))
	if t.IsZero() {
		return t.Add(time.Microsecond) // the first instant of year 1 is a date, not "none"
	}
	return t
}

// Start returns the first instant of an optional date; zero when it is not given.
func (p *Program) Start(o affiliate.Opt[affiliate.Date]) affiliate.Instant {
	d, ok := o.Get()
	if !ok {
		return affiliate.Instant{}
	}
	return affiliate.InstantOf(d.FirstInstant(p.Cfg.Location))
}

// checkIDs checks a list of the host's ids: at most so many, distinct ones.
func checkIDs(field string, ids []string, most int, tooMany refusal.Refusal) *affiliate.Error {
	if len(ids) > most {
		return tooMany.Of(field)
	}
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		if plaintext.Blank(id) {
			return refusal.FieldEmpty.Of(field)
		}
		if err := refusal.CheckText(field, id, refusal.MaxName, false); err != nil {
			return err
		}
		if seen[id] {
			return refusal.FieldNotDistinct.Of(field)
		}
		seen[id] = true
	}
	return nil
}

// OwnCurrency refuses amounts in another currency than the program's. It accepts
// the program's in any letter case, or none, and clears it, so that a repeated
// request may name it or not.
//
// Source: docs/rules.md 1.4.
func (p *Program) OwnCurrency(sent *affiliate.Currency) *affiliate.Error {
	if *sent == "" {
		return nil
	}
	named, err := affiliate.ParseCurrency(string(*sent))
	if err != nil || named != p.Cfg.Currency {
		return refusal.FieldOtherCurrency.Of("currency")
	}
	*sent = ""
	return nil
}

// OrNull is v, or null when v is the zero value: "none" in a record.
// ifAny returns a value, or nothing for the zero value: the key is absent then.
func ifAny[T comparable](v T) affiliate.Opt[T] {
	var zero T
	if v == zero {
		return affiliate.Opt[T]{}
	}
	return affiliate.Set(v)
}

// timeIfAny is ifAny for a time.
func timeIfAny(t affiliate.Instant) affiliate.Opt[affiliate.Time] {
	if t.IsZero() {
		return affiliate.Opt[affiliate.Time]{}
	}
	return affiliate.Set(affiliate.TimeOf(t.Time()))
}

func OrNull[T comparable](v T) affiliate.Opt[T] {
	var zero T
	if v == zero {
		return affiliate.Null[T]()
	}
	return affiliate.Set(v)
}

// SameMailbox reports whether two texts are addresses of one mailbox, and so of one customer. What is
// no address matches nothing.
//
// Source: docs/rules.md 1.7.
func SameMailbox(s, email string) bool {
	_, ok := mailbox.Canonical(s)
	return ok && affiliate.SameMailbox(s, email)
}

// CreatedIn reports whether a delivery was created in a range; a zero end is
// open.
func CreatedIn(d record.Delivery, since, until affiliate.Instant) bool {
	return !d.CreatedAt.Before(since) &&
		(until.IsZero() || !d.CreatedAt.Truncate(time.Millisecond).After(until))
}

// ClockSlack is the longest time by which an id is ahead of its record, and so the
// largest disagreement of clocks with which a walk by id does not end too early for a filter
// by time.
const ClockSlack = uuid7.Ahead

// Before reports whether a walk from the newest id on has left what was made since a time,
// when it comes to a record that was made then. Ids of the host carry no time, so such a
// walk goes to its end.
func (p *Program) Before(made, since affiliate.Instant) bool {
	return p.Cfg.NewID == nil && made.Before(since.Add(-ClockSlack))
}

// After is Before for a walk from the oldest id on, and for what was made until a time.
func (p *Program) After(made, until affiliate.Instant) bool {
	return p.Cfg.NewID == nil && made.After(until.Add(ClockSlack))
}

// InQuery turns the error of a field into one of the query.
func InQuery(err *affiliate.Error) *affiliate.Error {
	if err != nil {
		err.Reason = affiliate.InvalidQuery
	}
	return err
}

// FirstInstant returns the start of an optional date; zero when it is not given.
func (p *Program) FirstInstant(o affiliate.Opt[affiliate.Date]) affiliate.Instant {
	d, ok := o.Get()
	if !ok {
		return affiliate.Instant{}
	}
	return affiliate.InstantOf(d.FirstInstant(p.Cfg.Location))
}
