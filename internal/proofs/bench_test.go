package proofs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/atlength"
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

// manySales is a program with n sales by code, of a customer each third.
func manySales(tb testing.TB, n int) (*tributary.Program, record.Store) {
	tb.Helper()
	store := memstore.New()
	p, _ := benchkit.Shop(tb, store, 100)
	for i := range n {
		scene.Must(p.RecordSale(context.Background(), affiliate.SaleParams{
			PromoCode: fmt.Sprint("CODE", i%100), Email: fmt.Sprintf("c%d@example.net", i/3), Name: "C", TotalEarned: affiliate.MustAmount("129.5"), ExternalID: fmt.Sprint("order-", i),
		}))
	}
	return p, store
}

// BenchmarkVerifySales is Verify on a program with so many sales, and the most memory that
// it needs beside the store.
func BenchmarkVerifySales(b *testing.B) {
	for _, n := range []int{100_000, 300_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p, store := manySales(b, n)
			runtime.GC()
			for b.Loop() {
				scene.Must(0, p.Verify(b.Context()))
			}
			b.StopTimer()
			w := &weighingStore{Store: store, each: 4 * n / 20}
			scene.Must(0, p.With(w).Verify(b.Context()))
			b.ReportMetric(float64(w.most-w.least)/(1<<20), "MiB")
		})
	}
}

// TestVerifyMemory: the audit needs no more memory for more sales, neither where
// it sifts alone nor where it has to look closely at every sale.
func TestVerifyMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes many sales")
	}
	most := 60_000
	if atlength.On() {
		most = 120_000
	}
	for name, ages := range map[string]bool{"in order": false, "of before movements": true} {
		if ages && !atlength.On() {
			continue
		}
		var needs [2]int64
		for i, n := range []int{30_000, most} {
			p, store := manySales(t, n)
			if ages {
				w := &scene.World{Program: p, Store: store, T: t}
				w.Ages()
			}
			w := &weighingStore{Store: store, each: 4 * n / 20}
			scene.Must(0, p.With(w).Verify(t.Context()))
			needs[i] = int64(w.most - w.least)
			t.Logf("%s, %d sales: %d KiB, weighed %d times", name, n, needs[i]>>10, w.times)
			if w.times < 20 {
				t.Errorf("weighed %d times", w.times)
			}
		}
		if bound := int64(64 << 20); needs[0] > bound || needs[1] > bound || needs[1] > needs[0]+8<<20 {
			t.Errorf("%s: %d bytes, with more sales %d", name, needs[0], needs[1])
		}
	}
}

// A weighingStore is a store that weighs the heap while its lists are walked.
type weighingStore struct {
	record.Store
	each, reads, times int
	least, most        uint64
}

func (w *weighingStore) weigh() {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if w.times++; w.least == 0 {
		w.least = m.HeapAlloc
	}
	if w.times%20 == 0 {
		w.each *= 4 // it goes on for long
	}
	w.most = max(w.most, m.HeapAlloc)
}

func (w *weighingStore) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	w.weigh()
	return w.Store.View(ctx, id, func(tx *record.Tx) error {
		heavy := *tx
		for _, table := range record.Schema() {
			table.Set(&heavy, weighingTable{table.In(tx), w})
		}
		return fn(&heavy)
	})
}

type weighingTable struct {
	record.Table[record.AnyRecord]
	w *weighingStore
}

func (t weighingTable) List(q record.Query) iter.Seq2[record.AnyRecord, error] {
	return func(yield func(record.AnyRecord, error) bool) {
		for rec, err := range t.Table.List(q) {
			if t.w.reads++; t.w.reads%t.w.each == 0 {
				t.w.weigh()
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// BenchmarkWriteCoupon is P8: it writes the JSON of a coupon with 100,000
// codes. The floor is json.Marshal of a coupon that was read before.
func BenchmarkWriteCoupon(b *testing.B) {
	s, c := scene.BigCoupon(b, 100_000)
	ctx := context.Background()
	ref := affiliate.CouponRef{ID: c.ID}
	whole := scene.Must(s.Coupon(ctx, ref))
	benchkit.Versus(b, 1,
		func(int) { scene.Must(json.Marshal(whole)) },
		func(int) {
			scene.Must(0, s.WriteCoupon(ctx, ref, io.Discard))
		})
}

// BenchmarkSaleLines is one sale by code with an email, without lines and with five of them
// that two rules decide about. Source: docs/terms.md.
func BenchmarkSaleLines(b *testing.B) {
	rules := []affiliate.Rule{
		{Name: "gift cards", When: affiliate.RuleWhen{Categories: []string{"gift-card"}}, Pay: affiliate.RulePay{Type: affiliate.RuleNone}},
		{Name: "seats", When: affiliate.RuleWhen{Products: []string{"p1", "p2"}}, Pay: affiliate.RulePay{Type: affiliate.RulePercentage, Rate: affiliate.MustPercent("30")}},
	}
	for _, bb := range []struct {
		name  string
		lines int
		rules []affiliate.Rule
	}{{"none", 0, nil}, {"rules", 0, rules}, {"five", 5, rules}} {
		b.Run(bb.name, func(b *testing.B) {
			s := scene.NewShop(b, func(c *tributary.Config) { c.Terms.Rules = bb.rules })
			in := affiliate.SaleParams{PromoCode: "ADA20", Email: "tomas@example.net", TotalEarned: scene.Sum("100")}
			for i := range bb.lines {
				in.Lines = append(in.Lines, affiliate.Line{ID: fmt.Sprint(i), ProductID: fmt.Sprint("p", i), Quantity: affiliate.Set(scene.Sum("1")), Amount: scene.Sum("25")})
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				in.ExternalID = fmt.Sprint("order-", i)
				scene.Must(s.RecordSale(b.Context(), in))
			}
		})
	}
}

// report reports n payments by one goroutine: the desk's sales as a provider tells
// of them, each under its external id and the id of a session.
func (t *desk) report() func(n int) {
	sessions := make([]string, len(t.orders))
	for i, order := range t.orders {
		sessions[i] = "cs_" + order
	}
	at := time.Now()
	return func(n int) {
		first := t.sold
		t.sold += n
		for i := first; i < first+n; i++ {
			in := t.sale(i)
			f := affiliate.PaymentFact{
				Provider: "stripe", Keys: []string{in.ExternalID, sessions[i]}, At: at, Currency: "USD",
				Payer: affiliate.PayerFact{ID: t.names[i%customers], Email: in.Email, Name: in.Name},
			}
			code := in.PromoCode
			in.PromoCode, in.Name, in.Email = "", "", ""
			f.Sale = affiliate.Set(affiliate.Paid{SaleParams: in, Gross: in.TotalEarned, Tries: []affiliate.Credit{{PromoCode: code}}})
			scene.Must(t.p.Payments().ReportPayment(context.Background(), f))
		}
	}
}

// BenchmarkReportPayment: x-sale is the payment that a provider reports over the
// same sale that the host records. It also writes the payment, a row for each of its
// two ids, and the payer.
func BenchmarkReportPayment(b *testing.B) {
	const n = 4000
	paid, sold := newDesk(b, memstore.New(), 1000, room(n)), newDesk(b, memstore.New(), 1000, room(n))
	benchkit.Compare(b, n, paid.report(), benchkit.Side{Name: "sale", Run: sold.sell(1)})
	b.StopTimer()
	benchkit.Audit(b, paid.p, int64(paid.sold))
	benchkit.Audit(b, sold.p, int64(sold.sold))
}

// BenchmarkSaleByCode is one sale by code of a new customer: by a code without limits, by one with a limit
// for each customer, with a budget and a start too, and by one whose place was held, with the hold.
func BenchmarkSaleByCode(b *testing.B) {
	for _, bb := range []struct {
		name   string
		coupon affiliate.CouponUpdate
		hold   bool
	}{
		{name: "plain"},
		{name: "customer", coupon: affiliate.CouponUpdate{MaxRedemptionsPerCustomer: affiliate.Set[int64](1)}},
		{name: "all", coupon: affiliate.CouponUpdate{
			MaxRedemptionsPerCustomer: affiliate.Set[int64](1), MaxDiscountTotal: scene.Amount("99999999999"), MaxDiscount: scene.Amount("50"),
			StartsAt: affiliate.Set(affiliate.Day(2026, 1, 1)),
		}},
		{name: "hold", hold: true},
	} {
		b.Run(bb.name, func(b *testing.B) {
			now := scene.Start
			s := scene.Must(tributary.New(memstore.New(), tributary.Config{Now: func() time.Time { return now }})) // without the probe of a World
			ctx := b.Context()
			ada := scene.Must(s.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com"}))
			coupon := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "Autumn 20", PercentOff: scene.Percent("20")}))
			code := scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "ADA20", AffiliateID: ada.ID}))
			scene.Must(s.UpdateCoupon(ctx, code.CouponID, bb.coupon))
			in := affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum("80"), Subtotal: scene.Amount("100")}
			hold := affiliate.HoldParams{Order: affiliate.Order{PromoCode: "ADA20", Subtotal: scene.Amount("100")}, Until: now.Add(time.Hour)}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				in.ExternalID = fmt.Sprint("order-", i)
				in.Email = fmt.Sprint("customer-", i, "@example.net")
				if bb.hold {
					hold.ID, hold.Email, in.HoldID = in.ExternalID, in.Email, in.ExternalID
					scene.Must(s.HoldRedemption(ctx, hold))
				}
				scene.Must(s.RecordSale(ctx, in))
			}
		})
	}
}
