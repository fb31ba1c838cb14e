package proofs_test

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// Each benchmark runs the engine and its floor in turn, with package benchkit.

// BenchmarkRecordSale is P1 and P2: a whole sale by code, on one hot code and
// on a thousand codes, by 1, 16 and 256 goroutines.
func BenchmarkRecordSale(b *testing.B) {
	for _, codes := range []int{1, 1000} {
		for _, workers := range []int{1, 16, 256} {
			name := fmt.Sprintf("spread/workers=%d", workers)
			if codes == 1 {
				name = fmt.Sprintf("hot/workers=%d", workers)
			}
			b.Run(name, func(b *testing.B) { benchSales(b, codes, workers) })
		}
	}
}

func benchSales(b *testing.B, codes, workers int) {
	ctx := context.Background()
	p, _ := benchkit.Shop(b, memstore.New(), codes)
	f := benchkit.FillFloor(codes)
	names := make([]string, codes)
	for i := range names {
		names[i] = "CODE" + strconv.Itoa(i)
	}
	total := affiliate.MustAmount("129.5")
	var made int64
	benchkit.Versus(b, 10_000,
		func(n int) {
			spread(workers, n, func(i int) { check(f.Sell(names[i%codes], "", "", "", total.Scaled())) })
		},
		func(n int) {
			made += int64(n)
			spread(workers, n, func(i int) {
				scene.Must(p.RecordSale(ctx, affiliate.SaleParams{PromoCode: names[i%codes], TotalEarned: total}))
			})
		})
	b.StopTimer()
	benchkit.Audit(b, p, made)
}

// spread runs n operations on some goroutines.
func spread(workers, n int, do func(i int)) {
	if workers == 1 {
		for i := range n {
			do(i)
		}
		return
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				do(i)
			}
		})
	}
	wg.Wait()
}

// BenchmarkRecordSaleOnFullStore is P4: the same sale on a store with 10^3 and
// 10^6 earlier ones. x-small is the engine at 10^6 over the engine at 10^3;
// x-floor is the engine over the floor at the same size.
func BenchmarkRecordSaleOnFullStore(b *testing.B) {
	const codes = 1000
	ctx := context.Background()
	total := affiliate.MustAmount("129.5")
	var small float64
	sizes := [...]int{1_000, 1_000_000}
	for _, size := range sizes {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			p, _ := benchkit.Shop(b, memstore.New(), codes)
			f := benchkit.FillFloor(codes)
			made := 0
			sell := func(n int) {
				for range n {
					scene.Must(p.RecordSale(ctx, affiliate.SaleParams{PromoCode: "CODE" + strconv.Itoa(made%codes), TotalEarned: total}))
					made++
				}
			}
			sold := 0
			floorSell := func(n int) {
				for range n {
					check(f.Sell("CODE"+strconv.Itoa(sold%codes), "", "", "", total.Scaled()))
					sold++
				}
			}
			sell(size)
			floorSell(size)
			benchkit.Versus(b, 1000, floorSell, sell)
			took := benchkit.Time(1000, sell)
			if size == sizes[0] {
				small = took
			}
			b.ReportMetric(took/small, "x-small")
			b.StopTimer()
			benchkit.Audit(b, p, int64(made))
		})
	}
}

// BenchmarkTrackClick is P6.
func BenchmarkTrackClick(b *testing.B) {
	ctx := context.Background()
	p, _ := benchkit.Shop(b, memstore.New(), 1000)
	f := benchkit.FillFloor(1000)
	slugs := make([]string, 1000)
	for i := range slugs {
		slugs[i] = "slug-" + strconv.Itoa(i)
	}
	const landing = "https://beans.example/shop?ref=x"
	benchkit.Versus(b, 10_000,
		func(n int) {
			for i := range n {
				check(f.Click(slugs[i%1000], landing))
			}
		},
		func(n int) {
			for i := range n {
				scene.Must(p.TrackClick(ctx, affiliate.ClickParams{Slug: slugs[i%1000], LandingURL: landing}))
			}
		})
}

// BenchmarkTenLinks is P7: ten links with their statistics among 10^3 and 10^6
// sales.
func BenchmarkTenLinks(b *testing.B) {
	ctx := context.Background()
	total := affiliate.MustAmount("10")
	var small float64
	sizes := [...]int{1_000, 1_000_000}
	for _, size := range sizes {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			p, owners := benchkit.Shop(b, memstore.New(), 1)
			f := benchkit.FillFloor(1)
			for i := range 9 {
				slug := "more-" + strconv.Itoa(i)
				scene.Must(p.CreateLink(ctx, affiliate.LinkParams{Link: slug, AffiliateID: owners[0].ID}))
				f.AddLink(slug)
			}
			for range size {
				scene.Must(p.RecordSale(ctx, affiliate.SaleParams{PromoCode: "CODE0", TotalEarned: total}))
			}
			filter := affiliate.LinkQuery{AffiliateID: affiliate.Set(owners[0].ID)}
			list := func(n int) {
				for range n {
					if l := scene.Must(p.Links(ctx, filter, affiliate.Page{})); len(l.Items) != 10 {
						b.Fatalf("%d links", len(l.Items))
					}
				}
			}
			benchkit.Versus(b, 5_000, func(n int) {
				for range n {
					f.Links()
				}
			}, list)
			took := benchkit.Time(5_000, list)
			if size == sizes[0] {
				small = took
			}
			b.ReportMetric(took/small, "x-small")
		})
	}
}

// BenchmarkGenerateCodes is P9: the cost of one code of a batch.
func BenchmarkGenerateCodes(b *testing.B) {
	ctx := context.Background()
	p, owners := benchkit.Shop(b, memstore.New(), 1)
	f := benchkit.FillFloor(1)
	coupon := scene.Must(p.Coupon(ctx, affiliate.CouponRef{Name: "All"}))
	made := 0
	benchkit.Versus(b, 10_000,
		func(n int) {
			for range n {
				made++
				check(f.AddCode("BULK" + strconv.Itoa(made)))
			}
		},
		func(n int) {
			scene.Must(p.GenerateCodes(ctx, affiliate.CodesParams{
				CodeParams: affiliate.CodeParams{
					CouponID: coupon.ID, AffiliateID: owners[0].ID, IsAutoGenerated: true,
					CodeStructure:     affiliate.Set(affiliate.CodeStructure{RandomChars: true}),
					RandomCharsLength: affiliate.Set(int64(12)),
				},
				Count: n,
			}))
		})
}

// BenchmarkAddCodeToBigCoupon adds a code to a coupon of 100,000 codes; x-small
// is the ratio to a coupon of ten codes.
func BenchmarkAddCodeToBigCoupon(b *testing.B) {
	ctx := context.Background()
	var small float64
	sizes := [...]int{10, 100_000}
	for _, size := range sizes {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			p, owners := benchkit.Shop(b, memstore.New(), 1)
			coupon := scene.Must(p.Coupon(ctx, affiliate.CouponRef{Name: "All"}))
			f := benchkit.FillFloor(size)
			for i := range size {
				scene.Must(p.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "FILL" + strconv.Itoa(i)}))
			}
			made, added := 0, 0
			add := func(n int) {
				for range n {
					made++
					scene.Must(p.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "NEW" + strconv.Itoa(made), AffiliateID: owners[0].ID}))
				}
			}
			benchkit.Versus(b, 500, func(n int) {
				for range n {
					added++
					check(f.AddCode("NEW" + strconv.Itoa(added)))
				}
			}, add)
			took := benchkit.Time(500, add)
			if size == sizes[0] {
				small = took
			}
			b.ReportMetric(took/small, "x-small")
		})
	}
}

// BenchmarkLookUp is P5 through the engine: it reads an object with everything
// that it embeds. The floor reads the same records by hand.
func BenchmarkLookUp(b *testing.B) {
	ctx := context.Background()
	for _, size := range []int{1_000, 100_000} {
		p, owners := benchkit.Shop(b, memstore.New(), size)
		f := benchkit.FillFloor(size)
		names, slugs := make([]string, size), make([]string, size)
		for i := range names {
			names[i], slugs[i] = "CODE"+strconv.Itoa(i), "slug-"+strconv.Itoa(i)
		}
		step := 7919 // a prime, so that neighbours are not read one after another
		b.Run(fmt.Sprintf("code/%d", size), func(b *testing.B) {
			at, af := 0, 0
			benchkit.Versus(b, 10_000, func(n int) {
				for range n {
					af = (af + step) % size
					f.Code(names[af])
				}
			}, func(n int) {
				for range n {
					at = (at + step) % size
					scene.Must(p.Code(ctx, affiliate.CodeRef{Code: names[at]}))
				}
			})
		})
		b.Run(fmt.Sprintf("affiliate/%d", size), func(b *testing.B) {
			at := 0
			af := 0
			benchkit.Versus(b, 10_000, func(n int) {
				for range n {
					af = (af + step) % size
					f.Link(slugs[af])
				}
			}, func(n int) {
				for range n {
					at = (at + step) % size
					scene.Must(p.Affiliate(ctx, owners[at].ID.String()))
				}
			})
		})
	}
}

// BenchmarkBytesPerSale is P13: the memory that a sale by code keeps, with its
// commission, redemption, event, indexes and totals; with the stored body of
// the event and without it.
func BenchmarkBytesPerSale(b *testing.B) {
	ctx := context.Background()
	const sales = 200_000
	for name, store := range map[string]record.Store{"without-payload": payloadlessStore{memstore.New()}, "whole": memstore.New()} {
		b.Run(name, func(b *testing.B) {
			p, _ := benchkit.Shop(b, store, 1000)
			before := scene.Heap()
			for i := range sales {
				scene.Must(p.RecordSale(ctx, affiliate.SaleParams{PromoCode: "CODE" + strconv.Itoa(i%1000), TotalEarned: affiliate.MustAmount("10")}))
			}
			b.ReportMetric(float64(scene.Heap()-before)/sales, "B/sale")
			runtime.KeepAlive(p)
		})
	}
}

// payloadlessStore is a store that forgets the payloads of events.
type payloadlessStore struct{ record.Store }

func (s payloadlessStore) Update(ctx context.Context, program uuid.UUID, fn func(*record.Tx) error) error {
	return s.Store.Update(ctx, program, func(tx *record.Tx) error {
		tx.Events = payloadlessEvents{tx.Events}
		return fn(tx)
	})
}

type payloadlessEvents struct {
	record.Table[record.Event]
}

func (t payloadlessEvents) Insert(rec record.Event) error {
	rec.Payload = record.Payload{}
	return t.Table.Insert(rec)
}

// check ends a benchmark whose floor refuses.
func check(err error) {
	if err != nil {
		panic(fmt.Sprintf("unexpected error: %v", err))
	}
}
