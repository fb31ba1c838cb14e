package affiliate

import (
	"cmp"
	"errors"

	"github.com/google/uuid"
)

// Limits say how much one object may hold. What is above a limit that was lowered
// stays; nothing is added to it.
type Limits struct {
	Links   int // of an affiliate; zero: 1,000, because each of its events and sales shows all
	Refunds int // in part, of a sale; zero: 1,000, because each refund rewrites the sale. The refund of the rest is always possible.
}

// complete fills in the defaults.
//
// Errors: a negative limit.
func (l *Limits) complete() error {
	if l.Links < 0 || l.Refunds < 0 {
		return errors.New("affiliate: Config.Limits must not be negative")
	}
	l.Links = cmp.Or(l.Links, 1000)
	l.Refunds = cmp.Or(l.Refunds, 1000)
	return nil
}

// roomForLink refuses a link of an affiliate that has as many as it may have.
func (o *op) roomForLink(owner uuid.UUID) error {
	n, err := countUpTo(o.tx.Links, Key{Index: OfAffiliate, ID: owner}, o.cfg.Limits.Links)
	if err != nil {
		return internal("count links", err)
	}
	if n == o.cfg.Limits.Links {
		return linkLimitReached.Err()
	}
	return nil
}
