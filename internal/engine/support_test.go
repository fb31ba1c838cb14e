package engine_test

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// oldLink puts a link into the store that no call makes any more: its slug is the
// number of a click.
func oldLink(w *scene.World, owner uuid.UUID, slug string) {
	w.T.Helper()
	at := affiliate.InstantOf(w.Now)
	w.Raw(func(tx *record.Tx) error {
		return tx.Links.Insert(record.Link{ID: uuid.NewSHA1(uuid.Max, []byte(slug)), AffiliateID: owner, Slug: slug, CreatedAt: at, UpdatedAt: at})
	})
}

// issue creates a code of its own coupon.
func issue(w *scene.World, owner uuid.UUID, code string) affiliate.Code {
	w.T.Helper()
	coupon := scene.Must(w.CreateCoupon(context.Background(), affiliate.CouponParams{Name: "c", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	return scene.Must(w.CreateCode(context.Background(), affiliate.CodeParams{CouponID: coupon.ID, Code: code, AffiliateID: owner}))
}
