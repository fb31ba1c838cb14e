package client_test

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// options are the possible values of a field: not set, and each of the values.
func options[T any](values ...T) []affiliate.Opt[T] {
	out := []affiliate.Opt[T]{{}}
	for _, v := range values {
		out = append(out, affiliate.Set(v))
	}
	return out
}

// sameLists lists with every filter through the engine and through the client,
// at once and in pages of two.
func sameLists[F, T any](t *testing.T, engine, wire func(context.Context, F, affiliate.Page) (affiliate.List[T], error), filters []F) {
	t.Helper()
	found := 0
	for _, f := range filters {
		want, err := engine(t.Context(), f, affiliate.Page{})
		if err != nil {
			t.Fatalf("%+v: %v", f, err)
		}
		got, err := wire(t.Context(), f, affiliate.Page{})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%+v: %v (-engine +client):\n%s", f, err, diff)
		}
		paged := []T{}
		for item, err := range affiliate.Each(2, func(pg affiliate.Page) (affiliate.List[T], error) { return wire(t.Context(), f, pg) }) {
			if err != nil {
				t.Fatalf("%+v: %v", f, err)
			}
			paged = append(paged, item)
		}
		if diff := cmp.Diff(want.Items, paged); diff != "" {
			t.Errorf("%+v (-engine +client in pages):\n%s", f, diff)
		}
		found += len(want.Items)
	}
	if found == 0 {
		t.Error("no filter selects anything")
	}
}

// TestFilters: a filter with several fields selects the same records over the
// wire as in the engine, although the server honours only one parameter.
func TestFilters(t *testing.T) {
	p, h := newEngine(t)
	c := must(client.New("http://tributary.test", testKey, client.Config{Handler: h}))
	ctx := t.Context()
	join := func(slug string) affiliate.Affiliate {
		return must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: slug + "@example.com", AffiliateLink: slug}))
	}
	ada, bob := join("ada"), join("bob")
	must(p.CreateLink(ctx, affiliate.LinkParams{Link: "ada-2", AffiliateID: ada.ID}))
	first := must(p.CreateCoupon(ctx, affiliate.CouponParams{Name: "1", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	second := must(p.CreateCoupon(ctx, affiliate.CouponParams{Name: "2", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	for code, of := range map[string]affiliate.CodeParams{"A1": {CouponID: first.ID, AffiliateID: ada.ID}, "A2": {CouponID: second.ID, AffiliateID: ada.ID}, "B1": {CouponID: first.ID, AffiliateID: bob.ID}, "N1": {CouponID: first.ID}} {
		of.Code = code
		must(p.CreateCode(ctx, of))
	}
	refer := func(slug, email, customer string) affiliate.Referral {
		return must(p.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: slug, Name: "N", Email: email, ReferredUserExternalID: customer}))
	}
	kim, lee := refer("ada", "kim@example.net", "c1"), refer("bob", "lee@example.net", "c2")
	refer("bob", "max@example.net", "c3")
	sum := affiliate.MustAmount("10")
	for _, in := range []affiliate.SaleParams{
		{Email: kim.Email, ExternalID: "o1", ExternalInvoiceID: "i1"}, {Email: lee.Email, ExternalID: "o2", ExternalInvoiceID: "i2"},
		{PromoCode: "A1", Email: lee.Email}, {PromoCode: "B1"}, {Email: kim.Email, ExternalInvoiceID: "i3"},
	} {
		in.TotalEarned = sum
		must(p.RecordSale(ctx, in))
	}

	owners, emails := options(ada.ID, bob.ID, uuid.Max, uuid.Nil), options("ADA@example.com ", "bob@example.com", "")
	var sales []affiliate.SaleQuery
	var links []affiliate.LinkQuery
	var codes []affiliate.CodeQuery
	var referrals []affiliate.ReferralQuery
	for _, id := range owners {
		for _, email := range emails {
			for _, ref := range options(kim.ID.String(), "LEE@example.net", uuid.Nil.String(), "lee") {
				for _, order := range options("o1", "o2", "") {
					for _, invoice := range options("i1", "i3") {
						sales = append(sales, affiliate.SaleQuery{AffiliateID: id, AffiliateEmail: email, ReferralID: ref, ExternalID: order, ExternalInvoiceID: invoice})
					}
				}
			}
			for _, link := range options(ada.AffiliateLinks[0].ID, bob.AffiliateLinks[0].ID, uuid.Nil) {
				for _, slug := range options("ADA", "ada-2", "a b") {
					links = append(links, affiliate.LinkQuery{ID: link, Slug: slug, AffiliateID: id, AffiliateEmail: email})
				}
			}
			for _, coupon := range options(first.ID, second.ID, uuid.Nil) {
				codes = append(codes, affiliate.CodeQuery{CouponID: coupon, AffiliateID: id, AffiliateEmail: email})
			}
			for _, customer := range options("c1", "c2", "") {
				referrals = append(referrals, affiliate.ReferralQuery{AffiliateID: id, AffiliateEmail: email, ReferredUserExternalID: customer})
			}
		}
	}
	for _, email := range emails { // searches, which the server does not combine with these
		for _, order := range options("o1", "") {
			sales = append(sales, affiliate.SaleQuery{AffiliateEmail: email, ExternalID: order, Status: affiliate.SaleActive})
		}
		codes = append(codes, affiliate.CodeQuery{AffiliateEmail: email, Active: affiliate.Set(true)})
		referrals = append(referrals, affiliate.ReferralQuery{AffiliateEmail: email, ReferredUserExternalID: affiliate.Set("c1"), OldestFirst: true})
	}
	var coupons []affiliate.CouponQuery
	for _, id := range options(first.ID, uuid.Nil) {
		for _, valid := range options(true, false) {
			coupons = append(coupons, affiliate.CouponQuery{ID: id, Valid: valid, WithCodes: true}, affiliate.CouponQuery{ID: id, Valid: valid})
		}
	}
	t.Run("Coupons", func(t *testing.T) { sameLists(t, p.Coupons, c.Coupons, coupons) })
	t.Run("Sales", func(t *testing.T) { sameLists(t, p.Sales, c.Sales, sales) })
	t.Run("Links", func(t *testing.T) { sameLists(t, p.Links, c.Links, links) })
	t.Run("Codes", func(t *testing.T) { sameLists(t, p.Codes, c.Codes, codes) })
	t.Run("Referrals", func(t *testing.T) { sameLists(t, p.Referrals, c.Referrals, referrals) })
}

// TestAll: the loops over whole lists work with methods of the client and of
// the engine.
func TestAll(t *testing.T) {
	p, h := newEngine(t)
	c := must(client.New("http://tributary.test", testKey, client.Config{Handler: h}))
	ctx := t.Context()
	const n = 101 // one more than a page
	for i := range n {
		slug := fmt.Sprint("a", i)
		must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: slug + "@example.com", AffiliateLink: slug}))
		must(p.CreateCoupon(ctx, affiliate.CouponParams{Name: slug, PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
		must(p.RecordSale(ctx, affiliate.SaleParams{ReferralID: slug, Email: slug + "@example.net", Name: slug, TotalEarned: affiliate.MustAmount("10")}))
	}
	walked(t, n, affiliate.All(ctx, p.Affiliates, affiliate.AffiliateQuery{}), affiliate.All(ctx, c.Affiliates, affiliate.AffiliateQuery{}))
	walked(t, n, affiliate.All(ctx, p.Coupons, affiliate.CouponQuery{WithCodes: true}), affiliate.All(ctx, c.Coupons, affiliate.CouponQuery{WithCodes: true}))
	walked(t, 0, affiliate.Every(ctx, p.Webhooks().Endpoints), affiliate.Every(ctx, c.Webhooks().Endpoints))
	walked(t, n, affiliate.All(ctx, p.Links, affiliate.LinkQuery{}), affiliate.All(ctx, c.Links, affiliate.LinkQuery{}))
	walked(t, 0, affiliate.All(ctx, p.Codes, affiliate.CodeQuery{}), affiliate.All(ctx, c.Codes, affiliate.CodeQuery{}))
	walked(t, n, affiliate.All(ctx, p.Referrals, affiliate.ReferralQuery{}), affiliate.All(ctx, c.Referrals, affiliate.ReferralQuery{}))
	walked(t, n, affiliate.All(ctx, p.Sales, affiliate.SaleQuery{}), affiliate.All(ctx, c.Sales, affiliate.SaleQuery{}))
	walked(t, 0, affiliate.All(ctx, p.Webhooks().Deliveries, affiliate.DeliveryQuery{}), affiliate.All(ctx, c.Webhooks().Deliveries, affiliate.DeliveryQuery{}))
}

func walked[T any](t *testing.T, n int, engine, wire iter.Seq2[T, error]) {
	t.Helper()
	collect := func(seq iter.Seq2[T, error]) (out []T) {
		for item, err := range seq {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, item)
		}
		return out
	}
	want, got := collect(engine), collect(wire)
	if diff := cmp.Diff(want, got); diff != "" || len(want) != n {
		t.Errorf("%d records (-engine +client):\n%s", len(want), diff)
	}
}

// TestFiltersAskNobody: when a field is set to an empty value, nothing is sent
// and nothing is selected. Without the field the query would select the records
// of everybody.
func TestFiltersAskNobody(t *testing.T) {
	var sent []string
	c := must(client.New("http://tributary.test", testKey, client.Config{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.URL.String())
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte("[{}]"))
	})}))
	none, noID := affiliate.Set(""), affiliate.Set(uuid.Nil)
	check := func(name string, n int, err error) {
		t.Helper()
		if n != 0 || err != nil || sent != nil {
			t.Errorf("%s: %d records, %v, sent %q", name, n, err, sent)
			sent = nil
		}
	}
	for _, f := range []affiliate.SaleQuery{
		{AffiliateID: noID}, {AffiliateID: affiliate.Null[uuid.UUID]()}, {AffiliateEmail: none}, {ReferralID: none},
		{ExternalID: none}, {ExternalInvoiceID: none}, {ExternalID: affiliate.Set("o1"), AffiliateID: noID},
	} {
		list, err := c.Sales(t.Context(), f, affiliate.Page{})
		check("sales", len(list.Items), err)
	}
	for _, f := range []affiliate.LinkQuery{{ID: noID}, {Slug: none}, {AffiliateID: noID}, {AffiliateEmail: none}} {
		list, err := c.Links(t.Context(), f, affiliate.Page{})
		check("links", len(list.Items), err)
	}
	for _, f := range []affiliate.CodeQuery{{CouponID: noID}, {AffiliateID: noID}, {AffiliateEmail: none}} {
		list, err := c.Codes(t.Context(), f, affiliate.Page{})
		check("codes", len(list.Items), err)
	}
	for _, f := range []affiliate.ReferralQuery{{AffiliateID: noID}, {AffiliateEmail: none}, {ReferredUserExternalID: none}} {
		list, err := c.Referrals(t.Context(), f, affiliate.Page{})
		check("referrals", len(list.Items), err)
	}
	deliveries, err := c.Webhooks().Deliveries(t.Context(), affiliate.DeliveryQuery{WebhookID: noID}, affiliate.Page{})
	check("deliveries", len(deliveries.Items), err)
}
