package audit

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/plaintext"
)

// An audit is one run of Verify: the records of a program and the breaches
// found.
type audit struct {
	*engine.Program
	ctx context.Context
	tx  *record.Tx

	affiliates collection[record.Affiliate]
	links      collection[record.Link]
	clicks     collection[record.Click]
	referrals  collection[record.Referral]
	coupons    collection[record.Coupon]
	codes      collection[record.Code]
	ledger     collection[record.Redemption]
	sales      collection[record.Sale]
	plans      collection[record.Plan]
	tiers      collection[record.Tier]
	payouts    collection[record.Payout]
	adjusted   collection[record.Adjustment]
	movements  collection[record.Movement]
	runs       collection[record.Run]
	lines      collection[record.Line]
	totals     collection[record.Totals]
	receipts   collection[record.Receipt]
	endpoints  collection[record.Endpoint]
	events     collection[record.Event]
	deliveries collection[record.Delivery]
	queue      collection[record.Queue]
	payments   collection[record.Payment]
	keys       collection[record.PaymentKey]
	payers     collection[record.Payer]
	erasures   collection[record.Erasure]
	aliases    collection[record.Alias]
	imports    collection[record.Import]

	brought map[uuid.UUID]*record.Import // what an import made, by the id of the record

	records  int64
	breaches []affiliate.Breach
}

// breach records that an object breaks an invariant.
func (a *audit) breach(invariant, object, detail string, args ...any) {
	if len(args) > 0 {
		detail = fmt.Sprintf(detail, args...)
	}
	a.breaches = append(a.breaches, affiliate.Breach{Invariant: invariant, Object: object, Detail: detail})
}

// A collection is the records of a table in the order of their ids.
type collection[R record.Record[R]] struct {
	ctx   context.Context
	parts [][]R // all but the last are full, with endedEvery records: growing copies nothing
	n     int
	at    map[uuid.UUID]*R // made by the first look-up: many tables have none
}

// endedEvery is the number of records between two checks of the context.
const endedEvery = 1024

// add appends a record, and returns where it is.
func (s *collection[R]) add(rec R) *R {
	if s.n%endedEvery == 0 {
		s.parts = append(s.parts, make([]R, 0, min(endedEvery, max(s.n, 8))))
	}
	last := &s.parts[len(s.parts)-1]
	*last = append(*last, rec)
	s.n++
	return &(*last)[len(*last)-1]
}

// records yields every record, until the context has ended. It yields pointers,
// because records are large.
func (s *collection[R]) records() iter.Seq[*R] {
	return func(yield func(*R) bool) {
		for _, part := range s.parts {
			if s.ctx.Err() != nil {
				return
			}
			for i := range part {
				if !yield(&part[i]) {
					return
				}
			}
		}
	}
}

func (s *collection[R]) has(id uuid.UUID) bool { return s.get(id) != nil }

// get returns the record, or nil.
func (s *collection[R]) get(id uuid.UUID) *R {
	if s.at == nil {
		s.at = make(map[uuid.UUID]*R, s.n)
		for _, part := range s.parts {
			for i := range part {
				s.at[part[i].RecordID()] = &part[i]
			}
		}
	}
	return s.at[id]
}

// named returns how a breach shows an object. It is called for breaches only.
func named(kind string, id uuid.UUID) string { return kind + " " + id.String() }

// numbered is named for what has an integer id.
func numbered(kind string, n int64) string { return fmt.Sprint(kind, " ", n) }

// refers checks a reference, which may be none, to a live record.
func (a *audit) refers(invariant, kind string, from uuid.UUID, field string, to uuid.UUID, live bool) {
	if to != uuid.Nil && !live {
		a.breach(invariant, named(kind, from), "its %s %s does not exist", field, to)
	}
}

// listed checks that a value is one of its enumeration.
func listed[T ~string](a *audit, object, field string, v T, values ...T) {
	if !slices.Contains(values, v) {
		a.breach("I81", object, "%s %q", field, v)
	}
}

// titled checks a required name.
func (a *audit) titled(object, name string) {
	if plaintext.Blank(name) {
		a.breach("I81", object, "it has no name")
	}
}

// unique checks that a key is held once among the records of a table.
func unique[R record.Record[R]](a *audit, invariant, kind string, s *collection[R], ix record.Index) {
	held := make(map[record.Key]uuid.UUID)
	var keys []record.Key
	for r := range s.records() {
		keys = (*r).AppendKeys(keys[:0])
		for _, key := range keys {
			if key.Index != ix {
				continue
			}
			id := (*r).RecordID()
			if other, taken := held[key]; taken {
				a.breach(invariant, named(kind, id), "its %s is held by %s too", ix, other)
			}
			held[key] = id
		}
	}
}

// instants checks that the creation and the last change of a record are in
// order.
func (a *audit) instants(kind string, id uuid.UUID, created, updated affiliate.Instant) {
	if created.IsZero() || updated.Before(created) {
		a.breach("I54", named(kind, id), "created %v, updated %v", created, updated)
	}
}
