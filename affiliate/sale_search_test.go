package affiliate_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
)

// Filters of a search are combined, and its pages join to the whole.
func TestSearchSales(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	byCode := s.sell(affiliate.NewSale{PromoCode: s.code.Code, Email: s.tomas.Email, TotalEarned: sum("100")})
	s.pass(24 * time.Hour)
	held, refunded := s.toTomas("50"), s.toTomas("20")
	bobs := s.sell(affiliate.NewSale{Email: s.bea.Email})
	must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, held.ID, bobs.ID))
	must(s.RefundSale(ctx, affiliate.Refund{SaleID: refunded.ID}))
	type q = affiliate.SaleQuery
	type list = []affiliate.SaleID
	ada, day := affiliate.Set(s.ada.affiliate.ID), affiliate.Set(affiliate.At(s.now))
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
		"of a customer":    {q{ReferralID: textOf(s.bea.Email)}, list{bobs.ID}},
		"of two":           {q{ReferralID: textOf(s.bea.Email), AffiliateID: ada}, nil},
		"of nobody":        {q{ReferralID: textOf("nobody@example.com")}, nil},
		"of an empty name": {q{ReferralID: textOf("")}, nil},
		"by code":          {q{CodeID: affiliate.Set(s.code.ID)}, list{byCode.ID}},
		"since":            {q{Since: day}, list{bobs.ID, refunded.ID, held.ID}},
		"until":            {q{Until: affiliate.Set(affiliate.At(s.now.Add(-time.Hour)))}, list{byCode.ID}},
		"never":            {q{Since: day, Until: affiliate.Set(affiliate.At(s.now.Add(-time.Hour)))}, nil},
	} {
		ids := func(sales []affiliate.Sale) (ids list) {
			for _, sale := range sales {
				ids = append(ids, sale.ID)
			}
			return ids
		}
		if diff := cmp.Diff(tt.want, ids(must(s.SearchSales(ctx, tt.q, affiliate.Page{})).Items)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		var paged list
		for sale, err := range affiliate.Each(1, func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) { return s.SearchSales(ctx, tt.q, pg) }) {
			if err != nil {
				t.Fatal(err)
			}
			paged = append(paged, sale.ID)
		}
		if diff := cmp.Diff(tt.want, paged); diff != "" {
			t.Errorf("%s in pages of one (-want +got):\n%s", name, diff)
		}
	}
	for _, bad := range []q{{Status: "x"}, {ApprovalStatus: "x"}, {Since: affiliate.Set(affiliate.Day(10_000, 1, 1))}} {
		if _, err := s.SearchSales(ctx, bad, affiliate.Page{}); !errors.Is(err, affiliate.InvalidQuery) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	first := must(s.SearchSales(ctx, q{}, affiliate.Page{Limit: 1})).Next
	for _, pg := range []affiliate.Page{{Limit: 1001}, {Limit: -1}, {Cursor: "x"}, {Cursor: first + "A"}} {
		if _, err := s.SearchSales(ctx, q{}, pg); !errors.Is(err, affiliate.InvalidQuery) {
			t.Errorf("%+v: %v", pg, err)
		}
	}
	if _, err := s.SearchSales(ctx, q{AffiliateID: ada}, affiliate.Page{Cursor: first}); !errors.Is(err, affiliate.InvalidQuery) {
		t.Errorf("a cursor of another search: %v", err)
	}
}

// A page of a search reads no more than 5,000 sales, however rare what it looks
// for is.
func TestSearchSalesIsBounded(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	wanted := s.toTomas("1")
	must(s.RefundSale(ctx, affiliate.Refund{SaleID: wanted.ID}))
	for i := range 5_100 {
		must(s.RecordSale(ctx, affiliate.NewSale{Email: s.tomas.Email, TotalEarned: sum("1"), ExternalID: fmt.Sprint("n", i)}))
	}
	refunded := affiliate.SaleQuery{Status: affiliate.SaleRefunded}
	page := must(s.SearchSales(ctx, refunded, affiliate.Page{Limit: 10}))
	if len(page.Items) != 0 || page.Next == "" {
		t.Fatalf("%d sales, next %q", len(page.Items), page.Next)
	}
	page = must(s.SearchSales(ctx, refunded, affiliate.Page{Limit: 10, Cursor: page.Next}))
	if len(page.Items) != 1 || page.Items[0].ID != wanted.ID || page.Next != "" {
		t.Errorf("%d sales, next %q", len(page.Items), page.Next)
	}
}
