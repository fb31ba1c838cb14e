package memstore

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/benchkit"
)

// A floor is the least that a program without a store does: a map with a lock,
// and a copy of the record.
type floor[K comparable, T any] struct {
	mu   sync.RWMutex
	rows map[K]T
}

func (f *floor[K, T]) get(key K) (T, bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	rec, ok := f.rows[key]
	return rec, ok
}

// sideBySide compares the store with the floor, n calls a turn. Each call has a
// number of its own, so that no side finds warm what the other has just read.
func sideBySide(b *testing.B, n int, base, ours func(i int)) {
	b.Helper()
	next := 0
	numbered := func(call func(i int)) func(n int) {
		return benchkit.Each(func() {
			call(next)
			next++
		})
	}
	benchkit.Versus(b, n, numbered(base), numbered(ours))
}

// rowID is an id that rises with n and looks like a UUID of version 7.
func rowID(n int) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:8], uint64(n)>>4<<16|0x7000|uint64(n)&15)
	binary.BigEndian.PutUint64(id[8:], uint64(n)*0x9E3779B97F4A7C15)
	return id
}

var (
	benchProgram = uuid.MustParse("0190c1d2-0000-7000-8000-000000000001")
	created      = affiliate.InstantOf(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
)

func codeOf(n int) record.Code {
	return record.Code{
		ID: rowID(n), CouponID: rowID(n % 10), Code: "SPRING-" + strconv.Itoa(n), Active: true,
		MaxRedemptions: 100, Revision: 1, CreatedAt: created, UpdatedAt: created,
	}
}

func linkOf(n int) record.Link {
	return record.Link{
		ID: rowID(n), AffiliateID: rowID(n / 10), Slug: "partner-" + strconv.Itoa(n),
		CreatedAt: created, UpdatedAt: created,
	}
}

func affiliateOf(n int) record.Affiliate {
	return record.Affiliate{
		ID: rowID(n), FirstName: "Ada", LastName: "Lovelace",
		Email: "ada" + strconv.Itoa(n) + "@example.com", CreatedAt: created, UpdatedAt: created,
	}
}

// fill inserts n records, ten thousand in each Update.
func fill(tb testing.TB, s *Store, n int, insert func(tx *record.Tx, i int) error) {
	tb.Helper()
	for from := 0; from < n; from += 10_000 {
		err := s.Update(context.Background(), benchProgram, func(tx *record.Tx) error {
			for i := from; i < min(n, from+10_000); i++ {
				if err := insert(tx, i); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	for _, n := range []int{1_000, 1_000_000} {
		b.Run(fmt.Sprintf("Code/%d", n), func(b *testing.B) {
			lookup(b, n, codes, func(r record.Code) string { return r.AppendKeys(nil)[0].Text }, func(tx *record.Tx, code string) (record.Code, error) {
				return tx.Codes.Find(record.Key{Index: record.ByCode, Text: code})
			})
		})
		b.Run(fmt.Sprintf("Slug/%d", n), func(b *testing.B) {
			lookup(b, n, links, func(r record.Link) string { return r.AppendKeys(nil)[0].Text }, func(tx *record.Tx, slug string) (record.Link, error) {
				return tx.Links.Find(record.Key{Index: record.BySlug, Text: slug})
			})
		})
		b.Run(fmt.Sprintf("Email/%d", n), func(b *testing.B) {
			lookup(b, n, affiliates, func(r record.Affiliate) string { return r.Email }, func(tx *record.Tx, email string) (record.Affiliate, error) {
				return tx.Affiliates.Find(record.Key{Index: record.ByEmail, Text: email})
			})
		})
		b.Run(fmt.Sprintf("ID/%d", n), func(b *testing.B) {
			lookup(b, n, codes, record.Code.RecordID, func(tx *record.Tx, id uuid.UUID) (record.Code, error) { return tx.Codes.Get(id) })
		})
	}
}

// A benchTable is a table with the records that benchmarks put into it.
type benchTable[T any] struct {
	of     func(int) T
	insert func(*record.Tx, T) error
}

var (
	codes      = benchTable[record.Code]{codeOf, func(tx *record.Tx, r record.Code) error { return tx.Codes.Insert(r) }}
	links      = benchTable[record.Link]{linkOf, func(tx *record.Tx, r record.Link) error { return tx.Links.Insert(r) }}
	affiliates = benchTable[record.Affiliate]{affiliateOf, func(tx *record.Tx, r record.Affiliate) error { return tx.Affiliates.Insert(r) }}
)

// lookup compares look-ups by random keys with those of a map.
func lookup[K comparable, T record.Record[T]](b *testing.B, n int, t benchTable[T], keyOf func(T) K, find func(*record.Tx, K) (T, error)) {
	s := New()
	fill(b, s, n, func(tx *record.Tx, i int) error { return t.insert(tx, t.of(i)) })
	f, keys := besideMap(n, t.of, keyOf)
	ctx := b.Context()
	sideBySide(b, 5_000, func(i int) {
		if rec, ok := f.get(keys[i%n]); !ok || rec.RecordID() == uuid.Nil {
			b.Fatal("lost")
		}
	}, func(i int) {
		var rec T
		err := s.View(ctx, benchProgram, func(tx *record.Tx) (err error) {
			rec, err = find(tx, keys[i%n])
			return err
		})
		if err != nil || rec.RecordID() == uuid.Nil {
			b.Fatal(err)
		}
	})
}

// besideMap fills a floor with n records and returns their keys in a random
// order. The keys have memory of their own, as keys of requests do.
func besideMap[K comparable, T any](n int, recordOf func(int) T, keyOf func(T) K) (*floor[K, T], []K) {
	f := &floor[K, T]{rows: make(map[K]T)}
	for i := range n {
		rec := recordOf(i)
		f.rows[keyOf(rec)] = rec
	}
	keys := make([]K, n)
	for at, i := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		keys[at] = keyOf(recordOf(i))
	}
	runtime.GC()
	return f, keys
}

// BenchmarkSaleBytes reports the memory of a sale by code: the sale with its
// commission, its redemption and its event, and its share of the totals of a
// hundred links and a thousand referrals. The payload is empty.
func BenchmarkSaleBytes(b *testing.B) {
	const n = 200_000
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		s := New()
		fill(b, s, n, insertSale)
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(s)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "B/sale")
	b.ReportMetric(float64(after.HeapObjects-before.HeapObjects)/n, "objects/sale")
}

func insertSale(tx *record.Tx, i int) error {
	link, referral, number := rowID(i%100), rowID(1000+i%1000), uuid.UUID{}
	binary.BigEndian.PutUint64(number[8:], uint64(i+1))
	sale := record.Sale{
		ID: rowID(i), Number: int64(i + 1), AffiliateID: rowID(i % 10), ReferralID: referral, LinkID: link,
		CodeID: rowID(i % 1000), ExternalID: "order-" + strconv.Itoa(i), Email: "ada" + strconv.Itoa(i%1000) + "@example.com",
		Commissions: []record.Commission{{Number: int64(i + 1), AffiliateID: rowID(i % 10), CreatedAt: created}},
		CreatedAt:   created, UpdatedAt: created,
	}
	if err := tx.Sales.Insert(sale); err != nil {
		return err
	}
	if err := tx.Redemptions.Insert(record.Redemption{ID: number, CodeID: sale.CodeID, CouponID: rowID(i % 10)}); err != nil {
		return err
	}
	if err := tx.Events.Insert(record.Event{ID: rowID(i), ObjectID: sale.ID, Number: sale.Number}); err != nil {
		return err
	}
	for _, owner := range []uuid.UUID{sale.AffiliateID, link, referral} {
		totals, err := tx.Totals.Get(owner)
		totals.ID = owner
		totals.Sales++
		if err != nil {
			err = tx.Totals.Insert(totals)
		} else {
			err = tx.Totals.Replace(totals)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
