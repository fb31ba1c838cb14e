package proofs_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// BenchmarkEventMemory is P19: what the events take of 4,000 links that are added
// one by one to an affiliate, and of 100 changes of a coupon with 4,000 codes.
// Nobody is subscribed.
func BenchmarkEventMemory(b *testing.B) {
	const many = 4000
	b.Run("links", func(b *testing.B) { eventMemory(b, many, addLinks) })
	b.Run("coupon", func(b *testing.B) { eventMemory(b, many, changeCoupon) })
}

func eventMemory(b *testing.B, n int, change func(p *tributary.Program, id uuid.UUID, n int) func()) {
	for b.Loop() {
		p, owners := benchkit.ShopOf(b, memstore.New(), 1, func(c *tributary.Config) { c.Limits.Links = 2 * n })
		change := change(p, owners[0].ID, n)
		before := heapAlloc()
		change()
		b.ReportMetric(float64(heapAlloc()-before)/(1<<20), "MiB")
		runtime.KeepAlive(p)
	}
}

func heapAlloc() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func addLinks(p *tributary.Program, owner uuid.UUID, n int) func() {
	return func() {
		for i := range n {
			scene.Must(p.CreateLink(context.Background(), affiliate.LinkParams{AffiliateID: owner, Link: fmt.Sprintf("partner-%05d", i)}))
		}
	}
}

func changeCoupon(p *tributary.Program, owner uuid.UUID, n int) func() {
	ctx := context.Background()
	coupon := scene.Must(p.CreateCoupon(ctx, affiliate.CouponParams{Name: "Big", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	for n > 0 {
		count := min(n, 1000)
		scene.Must(p.GenerateCodes(ctx, affiliate.CodesParams{Count: count, CodeParams: affiliate.CodeParams{
			CouponID: coupon.ID, AffiliateID: owner, CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}),
			RandomCharsLength: affiliate.Set[int64](12),
		}}))
		n -= count
	}
	return func() {
		for i := range 100 {
			scene.Must(p.UpdateCoupon(ctx, coupon.ID, affiliate.CouponUpdate{Name: affiliate.Set(fmt.Sprint("round ", i))}))
		}
	}
}

// TestEventMemory is P19 at a tenth of its size: the events of one object take
// memory for what changes, and not for the whole list again.
func TestEventMemory(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*tributary.Program, uuid.UUID, int) func()
		most   int64
	}{
		"links":  {addLinks, 4 << 20},
		"coupon": {changeCoupon, 1 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			p, owners := benchkit.Shop(t, memstore.New(), 1)
			change := tc.change(p, owners[0].ID, 400)
			before := heapAlloc()
			change()
			took := heapAlloc() - before
			t.Logf("%d KiB", took>>10)
			if took > tc.most {
				t.Errorf("the events take %d KiB, want at most %d", took>>10, tc.most>>10)
			}
			runtime.KeepAlive(p)
		})
	}
}

// TestSharedListsStay: an event that shares its lists with others shows the same
// when it is read at once and at the end, whatever happens in between: links and
// codes that come, change and go, writes that fail, and a caller who changes the
// answers.
func TestSharedListsStay(t *testing.T) {
	ctx := t.Context()
	p, owners := benchkit.Shop(t, memstore.New(), 1)
	owner := owners[0].ID
	coupon := scene.Must(p.CreateCoupon(ctx, affiliate.CouponParams{Name: "Big", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	link := func(i int) affiliate.LinkRef { return affiliate.LinkRef{Slug: fmt.Sprint("l", i)} }
	var early [][]byte
	read := func() {
		for _, e := range scene.Must(p.Events(ctx, affiliate.EventQuery{}, affiliate.Page{Limit: 50})).Items {
			if !slices.ContainsFunc(early, func(b []byte) bool { return bytes.Equal(b, e.Payload) }) {
				early = append(early, e.Payload)
			}
		}
	}
	codes := map[int]affiliate.Code{}
	for i := range 60 {
		scene.Must(p.CreateLink(ctx, affiliate.LinkParams{AffiliateID: owner, Link: fmt.Sprint("l", i)}))
		codes[i] = scene.Must(p.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: fmt.Sprint("C", i), AffiliateID: owner}))
		if _, err := p.CreateLink(ctx, affiliate.LinkParams{AffiliateID: owner, Link: fmt.Sprint("l", i)}); err == nil {
			t.Fatal("the same slug twice")
		}
		switch i % 6 {
		case 3:
			scene.Must(p.RenameLink(ctx, link(i-1), fmt.Sprint("renamed", i)))
			scene.Must(p.UpdateCode(ctx, codes[i-1].ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
		case 4:
			scene.Must(p.DeleteLink(ctx, link(i)))
			scene.Must(p.DeleteCode(ctx, codes[i].ID))
		}
		answer := scene.Must(p.SetPayoutDetails(ctx, owner, affiliate.PayoutDetails{Email: fmt.Sprintf("p%d@example.com", i), Method: "PAYPAL"}))
		big := scene.Must(p.UpdateCoupon(ctx, coupon.ID, affiliate.CouponUpdate{Name: affiliate.Set(fmt.Sprint("Big ", i))}))
		read()
		for j := range answer.AffiliateLinks {
			answer.AffiliateLinks[j].Link = "changed"
		}
		for j := range big.PromotionalCodes {
			big.PromotionalCodes[j].Code = "changed"
		}
	}
	for _, e := range scene.Must(p.Events(ctx, affiliate.EventQuery{}, affiliate.Page{})).Items {
		if !slices.ContainsFunc(early, func(b []byte) bool { return bytes.Equal(b, e.Payload) }) {
			t.Errorf("%s at revision %d was never read like this: %s", e.Type, e.Revision, e.Payload)
		}
		if bytes.Contains(e.Payload, []byte("changed")) {
			t.Errorf("%s shows what the caller wrote into an answer", e.Type)
		}
	}
	if err := p.Verify(ctx); err != nil {
		t.Error(err)
	}
}
