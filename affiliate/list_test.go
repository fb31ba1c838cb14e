package affiliate_test

import (
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// A server whose cursors come round again ends the walk with an error.
func TestEachCycle(t *testing.T) {
	for name, next := range map[string]map[string]string{
		"at once": {"": "a", "a": "a"},
		"later":   {"": "a", "a": "b", "b": "a"},
	} {
		t.Run(name, func(t *testing.T) {
			pages, failed := 0, false
			for _, err := range affiliate.Each(1, func(pg affiliate.Page) (affiliate.List[int], error) {
				if pages++; pages > 10 {
					t.Fatal("a loop")
				}
				return affiliate.List[int]{Items: []int{pages}, Next: next[pg.Cursor]}, nil
			}) {
				failed = err != nil
			}
			if !failed {
				t.Error("no error")
			}
		})
	}
}

// A bad page is refused whatever the filter names.
func TestListBadPage(t *testing.T) {
	w := newWorld(t)
	ctx, bad := t.Context(), affiliate.Page{Limit: 1001}
	for name, list := range map[string]func() error{
		"Links": func() error {
			return errOf(w.Links(ctx, affiliate.LinkFilter{AffiliateEmail: affiliate.Set("no@b.co")}, bad))
		},
		"Codes": func() error {
			return errOf(w.Codes(ctx, affiliate.CodeFilter{AffiliateEmail: affiliate.Set("no@b.co")}, bad))
		},
		"Referrals": func() error {
			return errOf(w.Referrals(ctx, affiliate.ReferralFilter{AffiliateEmail: affiliate.Set("no@b.co")}, bad))
		},
		"Sales": func() error {
			return errOf(w.Sales(ctx, affiliate.SaleFilter{ReferralID: affiliate.Set("no@b.co")}, bad))
		},
		"Events": func() error { return errOf(w.Events(ctx, affiliate.EventFilter{ObjectID: affiliate.Set("no")}, bad)) },
	} {
		t.Run(name, func(t *testing.T) {
			w.refused(fieldError(affiliate.InvalidQuery, "limit", "limit must be an integer from 1 to 1000"), list)
		})
	}
}
