package affiliate

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// A Breach is an invariant that the records of a program break.
type Breach struct {
	Invariant string `json:"invariant"` // its number, as listed at [Program.Verify]
	Object    string `json:"object"`    // the object that breaks it: a kind and an id
	Detail    string `json:"detail"`    // how; it holds ids and figures, never personal data
}

// Error names the invariant, the object and how it is broken.
func (b *Breach) Error() string {
	return "affiliate: " + b.Invariant + ": " + b.Object + ": " + b.Detail
}

// An audit is one run of Verify: the records of a program and the breaches
// found.
type audit struct {
	*Program
	ctx context.Context
	tx  *Tx

	affiliates collection[AffiliateRecord]
	links      collection[LinkRecord]
	clicks     collection[ClickRecord]
	referrals  collection[ReferralRecord]
	coupons    collection[CouponRecord]
	codes      collection[CodeRecord]
	ledger     collection[RedemptionRecord]
	sales      collection[SaleRecord]
	plans      collection[PlanRecord]
	tiers      collection[TierRecord]
	payouts    collection[PayoutRecord]
	adjusted   collection[AdjustmentRecord]
	movements  collection[MovementRecord]
	runs       collection[RunRecord]
	lines      collection[LineRecord]
	totals     collection[TotalsRecord]
	receipts   collection[ReceiptRecord]
	endpoints  collection[EndpointRecord]
	events     collection[EventRecord]
	deliveries collection[DeliveryRecord]
	queue      collection[QueueRecord]
	payments   collection[PaymentRecord]
	keys       collection[PaymentKeyRecord]
	payers     collection[PayerRecord]
	erasures   collection[ErasureRecord]
	aliases    collection[AliasRecord]
	imports    collection[ImportRecord]

	brought map[uuid.UUID]*ImportRecord // what an import made, by the id of the record

	records  int64
	breaches []Breach
}

// breach notes that an object breaks an invariant.
func (a *audit) breach(invariant, object, detail string, args ...any) {
	if len(args) > 0 {
		detail = fmt.Sprintf(detail, args...)
	}
	a.breaches = append(a.breaches, Breach{Invariant: invariant, Object: object, Detail: detail})
}

// A collection is the records of a table in the order of their ids.
type collection[R Record[R]] struct {
	ctx   context.Context
	parts [][]R // full ones, of endedEvery records, but the last: growing copies none
	n     int
	at    map[uuid.UUID]*R // made by the first look-up: many tables have none
}

// endedEvery is how many records are walked between two looks at the context.
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

// named is how a breach shows an object. It is called for breaches only.
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
func unique[R Record[R]](a *audit, invariant, kind string, s *collection[R], ix Index) {
	held := make(map[Key]uuid.UUID)
	var keys []Key
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
func (a *audit) instants(kind string, id uuid.UUID, created, updated Instant) {
	if created.IsZero() || updated.Before(created) {
		a.breach("I54", named(kind, id), "created %v, updated %v", created, updated)
	}
}
