package conformance

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// BenchmarkStore measures a store. Each iteration is one transaction on a
// program with 1,000 codes of one coupon and ten links for each affiliate. Get,
// Find and ListTen run in a View; Insert, Replace and Next run in an Update;
// Redemption is an Update with the calls of a sale by code. newStore returns a
// fresh, empty store for each benchmark.
func BenchmarkStore(b *testing.B, newStore func(testing.TB) record.Store) {
	for _, bench := range storeBenchmarks() {
		b.Run(bench.name, func(b *testing.B) {
			s := newStore(b)
			if err := s.Update(b.Context(), home, fillBench); err != nil {
				b.Fatal(err)
			}
			run, ctx := s.Update, b.Context()
			if bench.view {
				run = s.View
			}
			i := 0
			step := func(tx *record.Tx) error { return bench.fn(tx, i) } // made once, so that only the store's memory counts
			b.ReportAllocs()
			for b.Loop() {
				if err := run(ctx, home, step); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}

type storeBenchmark struct {
	name string
	view bool
	fn   func(tx *record.Tx, i int) error // for the i-th transaction
}

func storeBenchmarks() []storeBenchmark {
	externalIDs := make([]string, benchCodes)
	for i := range externalIDs {
		externalIDs[i] = benchCode(i).ExternalID
	}
	return []storeBenchmark{
		{"Get", true, func(tx *record.Tx, i int) error {
			_, err := tx.Codes.Get(numbered(i%benchCodes + 1))
			return err
		}},
		{"Find", true, func(tx *record.Tx, i int) error {
			_, err := tx.Codes.Find(record.Key{Index: record.ByExternalID, Text: externalIDs[i%benchCodes]})
			return err
		}},
		{"ListTen", true, func(tx *record.Tx, i int) error {
			n := 0
			for _, err := range tx.Links.List(record.Query{Key: record.Key{Index: record.OfAffiliate, ID: numbered(i%(benchCodes/10) + 1)}}) {
				if err != nil {
					return err
				}
				n++
			}
			if n != 10 {
				return fmt.Errorf("%d links, want 10", n)
			}
			return nil
		}},
		{"Insert", false, func(tx *record.Tx, i int) error {
			return tx.Redemptions.Insert(record.Redemption{ID: sequential(i),
				CodeID: numbered(i%benchCodes + 1), CouponID: numbered(1)})
		}},
		{"Replace", false, func(tx *record.Tx, i int) error {
			return tx.Totals.Replace(record.Totals{ID: numbered(1), Clicks: int64(i)})
		}},
		{"Next", false, func(tx *record.Tx, _ int) error {
			_, err := tx.Next(record.ClickSequence)
			return err
		}},
		{"Redemption", false, func(tx *record.Tx, i int) error {
			return redeem(tx, record.Key{Index: record.ByExternalID, Text: externalIDs[i%benchCodes]}, sequential(i))
		}},
	}
}

const benchCodes = 1_000

// sequential returns an id. Ids sort by i, as those of the engine do.
func sequential(i int) uuid.UUID {
	id := uuid.UUID{15: 1}
	binary.BigEndian.PutUint64(id[:], uint64(i+1))
	return id
}

func benchCode(i int) record.Code {
	return record.Code{
		ID: numbered(i + 1), CouponID: numbered(1), AffiliateID: numbered(i/10 + 1),
		Code: fmt.Sprintf("SAVE%d", i), ExternalID: fmt.Sprintf("promo_%d", i), Active: true,
	}
}

// fillBench inserts what the benchmarks read.
func fillBench(tx *record.Tx) error {
	for i := range benchCodes {
		err := errors.Join(
			tx.Codes.Insert(benchCode(i)),
			tx.Links.Insert(record.Link{ID: numbered(i + 1), AffiliateID: numbered(i/10 + 1), Slug: fmt.Sprintf("link-%d", i)}))
		if err != nil {
			return err
		}
	}
	return errors.Join(
		tx.Totals.Insert(record.Totals{ID: numbered(1)}),
		tx.Coupons.Insert(record.Coupon{ID: numbered(1), Name: "Spring", Valid: true}))
}

// redeem makes the calls of a sale by code: it finds the code, gets its coupon,
// inserts the sale, its redemption and its event, counts on the code and on the
// coupon, and adds to the totals.
func redeem(tx *record.Tx, key record.Key, id uuid.UUID) error {
	code, err := tx.Codes.Find(key)
	if err != nil {
		return err
	}
	coupon, err := tx.Coupons.Get(code.CouponID)
	if err != nil {
		return err
	}
	totals, err := tx.Totals.Get(numbered(1))
	if err != nil {
		return err
	}
	number, err := tx.Next(record.SaleSequence)
	if err != nil {
		return err
	}

	sale := record.Sale{ID: id, Number: number, AffiliateID: code.AffiliateID, CodeID: code.ID,
		Status: affiliate.EnumOf(affiliate.SaleActive)}
	if err := tx.Sales.Insert(sale); err != nil {
		return err
	}
	if err := tx.Redemptions.Insert(record.Redemption{ID: id, CodeID: code.ID, CouponID: coupon.ID}); err != nil {
		return err
	}
	if err := tx.Events.Insert(record.Event{ID: id, Type: affiliate.SaleCreated, ObjectID: id, Number: number, Revision: 1}); err != nil {
		return err
	}
	code.TimesRedeemed++
	if err := tx.Codes.Replace(code); err != nil {
		return err
	}
	coupon.TimesRedeemed++
	if err := tx.Coupons.Replace(coupon); err != nil {
		return err
	}
	totals.Sales++
	return tx.Totals.Replace(totals)
}
