package main

import (
	"context"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/affiliate/record/router"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/sqlitestore"
)

// BenchmarkDeeds is how long a sale waits beside a deed of which one object has many: codes of a
// coupon, sales of an affiliate who is paid, held sales of one who is approved. Each reports
// ms-p50, ms-p99 and ms-worst of the sales, and ms-deed.
func BenchmarkDeeds(b *testing.B) {
	for _, size := range []int{10_000, 100_000} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			memory := memstore.New()
			d := manyOf(b, memory, size)
			file := inFile(b, filepath.Join(b.TempDir(), "program.db"), sqlitestore.Full)
			database, pool := inDatabase(b)
			for _, store := range []record.Store{file, database} {
				if _, err := router.Copy(b.Context(), memory, store, d.Config().ID); err != nil {
					b.Fatal(err)
				}
			}
			if _, err := pool.Exec(b.Context(), "VACUUM ANALYZE"); err != nil {
				b.Fatal(err)
			}
			b.Run("memory", func(b *testing.B) { d.beside(b, d.Program) })
			b.Run("file", func(b *testing.B) { d.beside(b, d.With(file)) })
			b.Run("PostgreSQL", func(b *testing.B) { d.beside(b, d.With(database)) })
		})
	}
}

// A crowd is a program in which one coupon and two affiliates have many of what is theirs.
type crowd struct {
	*tributary.Program
	size        int
	made, other affiliate.Coupon // with as many codes, and with none
	paid, later uuid.UUID        // who has as many sales to be paid, and as many that wait for the approval
}

func manyOf(b *testing.B, store record.Store, size int) *crowd {
	b.Helper()
	p, shops := benchkit.Shop(b, store, 2)
	d := &crowd{Program: p, size: size, paid: shops[0].ID}
	later, err := p.CreateAffiliate(b.Context(), affiliate.AffiliateParams{
		FirstName: "L", LastName: "L", Email: "later@example.com", AffiliateLink: "later", AffiliateStatus: "inactive"})
	for _, coupon := range []*affiliate.Coupon{&d.made, &d.other} {
		if err == nil {
			*coupon, err = p.CreateCoupon(b.Context(), affiliate.CouponParams{Name: "Many", PercentOff: affiliate.Set(affiliate.MustPercent("10"))})
		}
	}
	if d.later = later.ID; err == nil {
		_, err = p.GenerateCodes(b.Context(), d.codes(d.made))
	}
	for i := range size {
		for _, link := range []string{"slug-0", "later"} {
			if err == nil {
				err = d.sell(b.Context(), link, i)
			}
		}
	}
	if err != nil {
		b.Fatal(err)
	}
	return d
}

// codes are as many codes of a coupon.
func (d *crowd) codes(of affiliate.Coupon) affiliate.CodesParams {
	return affiliate.CodesParams{Count: d.size, CodeParams: affiliate.CodeParams{
		CouponID: of.ID, AffiliateID: d.paid, RandomCharsLength: affiliate.Set[int64](10), CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true})}}
}

// sell records the i-th sale by a link, of a customer of their own.
func (d *crowd) sell(ctx context.Context, link string, i int) error {
	n := link + strconv.Itoa(i)
	_, err := d.RecordSale(ctx, affiliate.SaleParams{ReferralID: link, Email: n + "@example.com", Name: n,
		ExternalID: n, TotalEarned: affiliate.MustAmount("129.5")})
	return err
}

// beside measures sales beside each deed.
func (d *crowd) beside(b *testing.B, p *tributary.Program) {
	b.Helper()
	of := &crowd{Program: p, size: d.size}
	sold := 0
	for _, deed := range []struct {
		name string
		do   func(ctx context.Context) error
	}{
		{"nothing", func(context.Context) error { return nil }},
		{"generate", func(ctx context.Context) error {
			_, err := p.GenerateCodes(ctx, d.codes(d.other))
			return err
		}},
		{"update", func(ctx context.Context) error {
			_, err := p.UpdateCoupon(ctx, d.made.ID, affiliate.CouponUpdate{Name: affiliate.Set("More")})
			return err
		}},
		{"delete", func(ctx context.Context) error {
			_, err := p.DeleteCoupon(ctx, d.made.ID)
			return err
		}},
		{"approve", func(ctx context.Context) error {
			_, err := p.SetAffiliateStatus(ctx, affiliate.AffiliateActive, d.later)
			return err
		}},
		{"pay", func(ctx context.Context) error {
			_, err := p.RunPayouts(ctx, affiliate.PayoutRun{ExternalID: "run", NoDetails: true, AffiliateIDs: []uuid.UUID{d.paid}})
			return err
		}},
	} {
		b.Run(deed.name, func(b *testing.B) {
			w := benchkit.Beside(func() {
				if err := deed.do(b.Context()); err != nil {
					b.Error(err)
				}
			}, func() {
				if err := of.sell(b.Context(), "slug-1", sold); err != nil {
					b.Error(err)
				}
				sold++
			})
			w.Report(b)
		})
	}
}
