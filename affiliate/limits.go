package affiliate

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// Limits say how much one object may hold, and how much one call may change. What
// is above a limit that was lowered stays; nothing is added to it.
type Limits struct {
	Links   int // of an affiliate; zero: 1,000, because each of its events and sales shows all
	Refunds int // in part, of a sale; zero: 1,000, because each refund rewrites the sale. The refund of the rest is always possible.
	Bulk    int // that one call makes or changes: codes of GenerateCodes, rows of an import, ids of a call that takes many; zero and the most: 100,000
}

// complete fills in the defaults.
//
// Errors: a negative limit; Bulk above its most.
func (l *Limits) complete() error {
	if l.Links < 0 || l.Refunds < 0 || l.Bulk < 0 {
		return errors.New("affiliate: Config.Limits must not be negative")
	}
	if l.Bulk > maxBulk {
		return fmt.Errorf("affiliate: Config.Limits.Bulk must not be above %d", maxBulk)
	}
	l.Links = cmp.Or(l.Links, 1000)
	l.Refunds = cmp.Or(l.Refunds, 1000)
	l.Bulk = cmp.Or(l.Bulk, maxBulk)
	return nil
}

// maxBulk is the largest limit of what one call makes or changes: its transaction
// makes everybody else wait.
const maxBulk = 100_000

// checkBulk refuses a call for more objects than one call may have.
func (p *Program) checkBulk(n int) *Error { return bulkLimitExceeded.when(n > p.cfg.Limits.Bulk) }

// maxImport is how many rows one import call takes, besides Limits.Bulk.
const maxImport = 1000

// checkImport refuses an import call with too many rows.
func (p *Program) checkImport(n int) *Error {
	return bulkLimitExceeded.when(n > min(maxImport, p.cfg.Limits.Bulk))
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
