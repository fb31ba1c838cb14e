package engine_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// Filters of a search are combined, and its pages join to the whole.
func TestSearchSales(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	byCode := s.Sell(affiliate.SaleParams{PromoCode: s.ADA20.Code, Email: s.Tomas.Email, TotalEarned: scene.Sum("100")})
	s.Pass(24 * time.Hour)
	held, refunded := s.ToTomas("50"), s.ToTomas("20")
	bobs := s.Sell(affiliate.SaleParams{Email: s.Bea.Email})
	scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, held.ID, bobs.ID))
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: refunded.ID}))
	type q = affiliate.SaleQuery
	type list = []affiliate.SaleID
	ada, day := affiliate.Set(s.Ada.Person.ID), affiliate.Set(affiliate.At(s.Now))
	for name, tt := range map[string]struct {
		q    q
		want list
	}{
		"all":              {q{}, list{bobs.ID, refunded.ID, held.ID, byCode.ID}},
		"of Ada":           {q{AffiliateID: ada}, list{refunded.ID, held.ID, byCode.ID}},
		"held":             {q{ApprovalStatus: affiliate.ApprovalOnHold}, list{bobs.ID, held.ID}},
		"Ada's held":       {q{AffiliateID: ada, ApprovalStatus: affiliate.ApprovalOnHold}, list{held.ID}},
		"declined":         {q{ApprovalStatus: affiliate.ApprovalDeclined}, nil},
		"refunded":         {q{Status: affiliate.SaleRefunded}, list{refunded.ID}},
		"of a customer":    {q{ReferralID: scene.TextOf(s.Bea.Email)}, list{bobs.ID}},
		"of two":           {q{ReferralID: scene.TextOf(s.Bea.Email), AffiliateID: ada}, nil},
		"of nobody":        {q{ReferralID: scene.TextOf("nobody@example.com")}, nil},
		"of an empty name": {q{ReferralID: scene.TextOf("")}, nil},
		"by code":          {q{CodeID: affiliate.Set(s.ADA20.ID)}, list{byCode.ID}},
		"by link":          {q{LinkID: s.Tomas.AffiliateLinkID}, list{refunded.ID, held.ID}},
		"Bob's by link":    {q{LinkID: s.Tomas.AffiliateLinkID, AffiliateID: affiliate.Set(s.Bob.ID)}, nil},
		"Tomas's by link":  {q{LinkID: s.Tomas.AffiliateLinkID, ReferralID: scene.TextOf(s.Tomas.Email)}, list{refunded.ID, held.ID}},
		"Bea's by link":    {q{LinkID: s.Tomas.AffiliateLinkID, ReferralID: scene.TextOf(s.Bea.Email)}, nil},
		"by no link":       {q{LinkID: affiliate.Null[uuid.UUID]()}, nil},
		"since":            {q{Since: day}, list{bobs.ID, refunded.ID, held.ID}},
		"until":            {q{Until: affiliate.Set(affiliate.At(s.Now.Add(-time.Hour)))}, list{byCode.ID}},
		"never":            {q{Since: day, Until: affiliate.Set(affiliate.At(s.Now.Add(-time.Hour)))}, nil},
	} {
		ids := func(sales []affiliate.Sale) (ids list) {
			for _, sale := range sales {
				ids = append(ids, sale.ID)
			}
			return ids
		}
		if diff := cmp.Diff(tt.want, ids(scene.Must(s.Sales(ctx, tt.q, affiliate.Page{})).Items)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		var paged list
		for sale, err := range affiliate.Each(1, func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) { return s.Sales(ctx, tt.q, pg) }) {
			if err != nil {
				t.Fatal(err)
			}
			paged = append(paged, sale.ID)
		}
		if diff := cmp.Diff(tt.want, paged); diff != "" {
			t.Errorf("%s in pages of one (-want +got):\n%s", name, diff)
		}
	}
	for _, bad := range []q{{Status: "x"}, {ApprovalStatus: "x"}, {Currency: "EU"}, {Since: affiliate.Set(affiliate.Day(10_000, 1, 1))}} {
		if _, err := s.Sales(ctx, bad, affiliate.Page{}); !errors.Is(err, affiliate.InvalidQuery) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	first := scene.Must(s.Sales(ctx, q{}, affiliate.Page{Limit: 1})).Next
	for _, pg := range []affiliate.Page{{Limit: 1001}, {Limit: -1}, {Cursor: "x"}, {Cursor: first + "A"}} {
		if _, err := s.Sales(ctx, q{}, pg); !errors.Is(err, affiliate.InvalidQuery) {
			t.Errorf("%+v: %v", pg, err)
		}
	}
	if _, err := s.Sales(ctx, q{AffiliateID: ada}, affiliate.Page{Cursor: first}); !errors.Is(err, affiliate.InvalidQuery) {
		t.Errorf("a cursor of another search: %v", err)
	}
}

// A page of a search reads no more than 5,000 sales, however rare what it looks
// for is.
func TestSearchSalesIsBounded(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	wanted := s.ToTomas("1")
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: wanted.ID}))
	for i := range 5_100 {
		scene.Must(s.RecordSale(ctx, affiliate.SaleParams{Email: s.Tomas.Email, TotalEarned: scene.Sum("1"), ExternalID: fmt.Sprint("n", i)}))
	}
	refunded := affiliate.SaleQuery{Status: affiliate.SaleRefunded}
	page := scene.Must(s.Sales(ctx, refunded, affiliate.Page{Limit: 10}))
	if len(page.Items) != 0 || page.Next == "" {
		t.Fatalf("%d sales, next %q", len(page.Items), page.Next)
	}
	page = scene.Must(s.Sales(ctx, refunded, affiliate.Page{Limit: 10, Cursor: page.Next}))
	if len(page.Items) != 1 || page.Items[0].ID != wanted.ID || page.Next != "" {
		t.Errorf("%d sales, next %q", len(page.Items), page.Next)
	}
}
