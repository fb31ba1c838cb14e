package engine_test

import (
	"fmt"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestSearchSalesText: a text finds a sale by its number, and by order ids, invoices,
// emails and names in any letter case, whole or in part; the filters hold too.
func TestSearchSalesText(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	scene.Must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "Moss", Email: "ada@example.org", AffiliateLink: "ada"}))
	sell := func(order, invoice, email, name string) affiliate.SaleID {
		result := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", TotalEarned: scene.Sum("50"), ExternalID: order, ExternalInvoiceID: invoice, Email: email, Name: name}))
		return result.Sale.Or(affiliate.Sale{}).ID
	}
	one := sell("order-1042", "INV-7", "kim@example.com", "Kim Reed")
	two := sell("Order-1043", "", "kim@example.com", "Kim Reed")
	three := sell("x-9", "inv-70", "lee@bücher.example", "Lee O'Brien Ödegård")
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: three}))
	find := func(q affiliate.SaleQuery, pg affiliate.Page) (ids []affiliate.SaleID) {
		t.Helper()
		for _, s := range scene.Must(w.Sales(ctx, q, pg)).Items {
			ids = append(ids, s.ID)
		}
		return ids
	}
	for text, want := range map[string][]affiliate.SaleID{
		fmt.Sprint(one): {one}, "order-1042": {one}, "ORDER-1042": {one}, "Order-1042": {one}, "oRDER-1043": {two}, "RDER-10": {two, one}, "inv-7": {one}, "INV-70": {three},
		"kim@example.com": {two, one}, "KIM@example.COM": {two, one}, "example.c": {two, one}, "reed": {two, one}, "o'b": {three}, "KIM R": {two, one}, "nobody": nil, "100": nil,
		"lee@bücher.example": {three}, " Lee@BÜCHER.example\u200b": {three}, "lee@xn--bcher-kva.example": {three}, "ödeg": {three}, "ÖDEGÅRD": {three},
	} {
		scene.Equal(t, want, find(affiliate.SaleQuery{Search: affiliate.Set(text)}, affiliate.Page{}))
	}
	scene.Equal(t, []affiliate.SaleID(nil), find(affiliate.SaleQuery{Search: affiliate.Set("x-9"), Status: affiliate.SaleActive}, affiliate.Page{}))
	scene.Equal(t, []affiliate.SaleID(nil), find(affiliate.SaleQuery{Search: affiliate.Set("")}, affiliate.Page{}))
	for _, text := range []string{"order", "kim@example.com"} {
		q := affiliate.SaleQuery{Search: affiliate.Set(text)}
		first := scene.Must(w.Sales(ctx, q, affiliate.Page{Limit: 1}))
		scene.Equal(t, []affiliate.SaleID{one}, find(q, affiliate.Page{Limit: 1, Cursor: first.Next}))
	}
	w.Verifies()
}
