package engine_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestKeysAfterDeletion: what names a record can name another one after the record was
// deleted, which begins at zero; before that it is refused. Slugs are told of in
// TestFormerSlugs, and numbers never come again.
func TestKeysAfterDeletion(t *testing.T) {
	ctx, s := t.Context(), scene.NewShop(t)
	coupon := func() (string, error) {
		made, err := s.CreateCoupon(ctx, affiliate.NewCoupon{Name: "C", PercentOff: scene.Percent("10"), ExternalID: "coupon-ext"})
		return made.ID.String(), err
	}
	code := func() (string, error) {
		made, err := s.CreateCode(ctx, affiliate.NewCode{CouponID: s.Autumn.ID, Code: "again", ExternalID: "code-ext", AffiliateID: s.Bob.ID})
		if err == nil && made.TimesRedeemed != 0 {
			t.Errorf("a code begins with %d redemptions", made.TimesRedeemed)
		}
		return made.ID.String(), err
	}
	sale := func() (string, error) {
		made, err := s.RecordSale(ctx, affiliate.NewSale{PromoCode: "AGAIN", Email: "kim@b.co", Name: "K", TotalEarned: scene.Sum("5"), ExternalID: "order-again", ExternalInvoiceID: "invoice-again"})
		return fmt.Sprint(made.Sale.Or(affiliate.Sale{}).ID), err
	}
	person := func() (string, error) {
		made, err := s.CreateAffiliate(ctx, affiliate.NewAffiliate{FirstName: "A", LastName: "B", Email: "again@b.co", ExternalID: "user-again"})
		return made.ID.String(), err
	}
	last := map[string]string{}
	for range 2 {
		for _, kind := range []struct {
			name  string
			make  func() (string, error)
			taken affiliate.Reason // of a second one; empty: it is the first one again
		}{
			{"coupon", coupon, affiliate.CouponExternalIDTaken},
			{"code", code, affiliate.CodeTaken},
			{"sale", sale, ""},
			{"affiliate", person, affiliate.AffiliateEmailTaken},
		} {
			id, err := kind.make()
			if err != nil || id == last[kind.name] {
				t.Fatalf("%s: %s after %s, %v", kind.name, id, last[kind.name], err)
			}
			last[kind.name] = id
			if again, err := kind.make(); kind.taken != "" && !errors.Is(err, kind.taken) || kind.taken == "" && (err != nil || again != "0") { // told again, a sale is a duplicate
				t.Errorf("%s twice: %s, %v", kind.name, again, err)
			}
		}
		sold := scene.Must(s.Sales(ctx, affiliate.SaleFilter{ExternalID: scene.TextOf("order-again")}, affiliate.Page{})).Items[0]
		scene.Must(0, s.DeleteSale(ctx, sold.ID))
		made := scene.Must(s.Code(ctx, affiliate.CodeRef{Code: "AGAIN"}))
		scene.Must(s.DeleteCode(ctx, made.ID))
		found := scene.Must(s.Coupon(ctx, affiliate.CouponRef{ExternalID: "coupon-ext"}))
		scene.Must(s.DeleteCoupon(ctx, found.ID))
		scene.Must(0, s.DeleteReferral(ctx, "kim@b.co"))
		scene.Must(0, s.DeleteAffiliate(ctx, affiliate.AffiliateRef{Email: "again@b.co"}))
	}
	s.Verifies()
}
