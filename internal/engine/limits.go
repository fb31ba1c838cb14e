package engine

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// complete fills in the defaults.
//
// Errors: a negative limit; Bulk above its most.
func complete(l *affiliate.Limits) error {
	if l.Links < 0 || l.Refunds < 0 || l.Bulk < 0 || l.Holds < 0 || l.Nobody < 0 {
		return errors.New("affiliate: Config.Limits must not be negative")
	}
	if l.Bulk > refusal.MaxBulk {
		return fmt.Errorf("affiliate: Config.Limits.Bulk must not be above %d", refusal.MaxBulk)
	}
	l.Links = cmp.Or(l.Links, 1000)
	l.Refunds = cmp.Or(l.Refunds, 1000)
	l.Holds = cmp.Or(l.Holds, 5)
	l.Nobody = cmp.Or(l.Nobody, 100)
	l.Bulk = cmp.Or(l.Bulk, refusal.MaxBulk)
	return nil
}

// CheckBulk refuses a call for more objects than one call may change.
func (p *Program) CheckBulk(n int) *affiliate.Error {
	return refusal.BulkLimitExceeded.When(n > p.Cfg.Limits.Bulk)
}

// maxImport is the largest number of rows in one import call, besides
// Limits.Bulk.
const maxImport = 1000

// CheckImport refuses an import call with too many rows.
func (p *Program) CheckImport(n int) *affiliate.Error {
	return refusal.BulkLimitExceeded.When(n > min(maxImport, p.Cfg.Limits.Bulk))
}

// roomForLink refuses a link of an affiliate that already has the maximum.
func (o *Op) roomForLink(owner uuid.UUID) error {
	n, err := CountUpTo(o.Tx.Links, record.Key{Index: record.OfAffiliate, ID: owner}, o.Cfg.Limits.Links)
	if err != nil {
		return refusal.Internal("count links", err)
	}
	if n == o.Cfg.Limits.Links {
		return refusal.LinkLimitReached.Err()
	}
	return nil
}
