package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

func saleIDs(list []affiliate.Sale) []affiliate.SaleID {
	ids := []affiliate.SaleID{}
	for _, s := range list {
		ids = append(ids, s.ID)
	}
	return ids
}

func TestSaleFilters(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	a := s.Sell(affiliate.SaleParams{Email: s.Tomas.Email, ExternalID: "order", ExternalInvoiceID: "inv"})
	b := s.Sell(affiliate.SaleParams{Email: s.Bea.Email, ExternalID: strings.Repeat("é", 255)})
	c := s.Sell(affiliate.SaleParams{PromoCode: "ADA20", Email: s.Bea.Email, ExternalInvoiceID: strings.Repeat("漢", 255)})
	ids := func(ids ...affiliate.SaleID) []affiliate.SaleID { return append([]affiliate.SaleID{}, ids...) }
	for name, tt := range map[string]struct {
		f    affiliate.SaleQuery
		want []affiliate.SaleID
	}{
		"all":                     {affiliate.SaleQuery{}, ids(c.ID, b.ID, a.ID)},
		"affiliate":               {affiliate.SaleQuery{AffiliateID: affiliate.Set(s.Ada.Person.ID)}, ids(c.ID, a.ID)},
		"affiliate email":         {affiliate.SaleQuery{AffiliateEmail: affiliate.Set(" BOB@example.com")}, ids(b.ID)},
		"referral id":             {affiliate.SaleQuery{ReferralID: affiliate.Set(s.Bea.ID.String())}, ids(c.ID, b.ID)},
		"referral email":          {affiliate.SaleQuery{ReferralID: affiliate.Set("BEA@example.net")}, ids(c.ID, b.ID)},
		"external id":             {affiliate.SaleQuery{ExternalID: affiliate.Set("order")}, ids(a.ID)},
		"external id, other case": {affiliate.SaleQuery{ExternalID: affiliate.Set("Order")}, ids()},
		"long external id":        {affiliate.SaleQuery{ExternalID: affiliate.Set(strings.Repeat("é", 255))}, ids(b.ID)},
		"invoice":                 {affiliate.SaleQuery{ExternalInvoiceID: affiliate.Set("inv")}, ids(a.ID)},
		"long invoice":            {affiliate.SaleQuery{ExternalInvoiceID: affiliate.Set(strings.Repeat("漢", 255))}, ids(c.ID)},
		"unknown affiliate B405":  {affiliate.SaleQuery{AffiliateID: affiliate.Set(uuid.Max)}, ids()},
		"unknown email":           {affiliate.SaleQuery{AffiliateEmail: affiliate.Set("x@example.com")}, ids()},
		"no email":                {affiliate.SaleQuery{AffiliateEmail: affiliate.Set("\x00")}, ids()},
		"unknown referral":        {affiliate.SaleQuery{ReferralID: affiliate.Set("nobody")}, ids()},
		"unknown external id":     {affiliate.SaleQuery{ExternalID: affiliate.Set("inv")}, ids()},
		"no external id":          {affiliate.SaleQuery{ExternalID: affiliate.Set("a\x00")}, ids()},
		"no invoice":              {affiliate.SaleQuery{ExternalInvoiceID: affiliate.Set("\xff")}, ids()},
		"endless invoice":         {affiliate.SaleQuery{ExternalInvoiceID: affiliate.Set(strings.Repeat("x", 1<<20))}, ids()},
	} {
		list, err := s.Sales(ctx, tt.f, affiliate.Page{})
		if err != nil || list.Items == nil || list.Next != "" {
			t.Errorf("%s: %v, %v", name, err, list)
		}
		if diff := cmp.Diff(tt.want, saleIDs(list.Items)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, id := range []affiliate.SaleID{0, -1, 99, 1 << 62} {
		if _, err := s.Sale(ctx, id); err != affiliate.ErrNotFound {
			t.Errorf("sale %d: %v", id, err)
		}
	}
}

// pagersOf returns the lists of these nouns, each with at most one filter.
func pagersOf(s scene.Shop, t *testing.T) map[string]func(affiliate.Page) (ids []string, next string, err error) {
	ctx := t.Context()
	return map[string]func(affiliate.Page) ([]string, string, error){
		"sales": pager(func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) {
			return s.Sales(ctx, affiliate.SaleQuery{}, pg)
		}),
		"sales of ada": pager(func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) {
			return s.Sales(ctx, affiliate.SaleQuery{AffiliateID: affiliate.Set(s.Ada.Person.ID)}, pg)
		}),
		"sales of bob": pager(func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) {
			return s.Sales(ctx, affiliate.SaleQuery{AffiliateID: affiliate.Set(s.Bob.ID)}, pg)
		}),
		"sales to tomas": pager(func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) {
			return s.Sales(ctx, affiliate.SaleQuery{ReferralID: affiliate.Set(s.Tomas.Email)}, pg)
		}),
		"referrals": pager(func(pg affiliate.Page) (affiliate.List[affiliate.Referral], error) {
			return s.Referrals(ctx, affiliate.ReferralQuery{}, pg)
		}),
		"referrals of ada": pager(func(pg affiliate.Page) (affiliate.List[affiliate.Referral], error) {
			return s.Referrals(ctx, affiliate.ReferralQuery{AffiliateEmail: affiliate.Set("ada@example.com")}, pg)
		}),
		"referrals of cust": pager(func(pg affiliate.Page) (affiliate.List[affiliate.Referral], error) {
			return s.Referrals(ctx, affiliate.ReferralQuery{ReferredUserExternalID: affiliate.Set("cust")}, pg)
		}),
		"a cust named like her": pager(func(pg affiliate.Page) (affiliate.List[affiliate.Referral], error) {
			return s.Referrals(ctx, affiliate.ReferralQuery{ReferredUserExternalID: affiliate.Set(s.Ada.Person.ID.String())}, pg)
		}),
		"payouts": pager(func(pg affiliate.Page) (affiliate.List[affiliate.Payout], error) {
			return s.Payouts(ctx, affiliate.PayoutQuery{}, pg)
		}),
		"payouts of ada": pager(func(pg affiliate.Page) (affiliate.List[affiliate.Payout], error) {
			return s.Payouts(ctx, affiliate.PayoutQuery{AffiliateID: affiliate.Set(s.Ada.Person.ID)}, pg)
		}),
		"affiliates": pager(func(pg affiliate.Page) (affiliate.List[affiliate.Affiliate], error) {
			return s.Affiliates(ctx, affiliate.AffiliateQuery{}, pg)
		}),
	}
}

func pager[T any](list func(affiliate.Page) (affiliate.List[T], error)) func(affiliate.Page) ([]string, string, error) {
	return func(pg affiliate.Page) ([]string, string, error) {
		l, err := list(pg)
		ids := []string{}
		for _, item := range l.Items {
			var v struct{ ID any }
			scene.Must(0, jsonInto(scene.JSON(item), &v))
			ids = append(ids, fmt.Sprint(v.ID))
		}
		return ids, l.Next, err
	}
}

// share gives a customer the host's id of another one, as a store of another making may hold it.
func share(w *scene.World, hostID string, referral uuid.UUID) {
	w.Raw(func(tx *record.Tx) error {
		rec, err := tx.Referrals.Get(referral)
		if err != nil {
			return err
		}
		rec.CustomerID = hostID
		return tx.Referrals.Replace(rec)
	})
}

// fill gives every list at least three records.
func fill(s scene.Shop) {
	for i := range 3 {
		name := "fill" + scene.JSON(i)
		for _, ident := range []string{"ada", "bob"} {
			one := scene.Must(s.CreateReferral(s.T.Context(), affiliate.ReferralParams{AffiliateID: ident, Name: name, Email: ident + name + "@example.net", ReferredUserExternalID: ident + name}))
			share(s.World, "cust", one.ID)
			two := scene.Must(s.CreateReferral(s.T.Context(), affiliate.ReferralParams{AffiliateID: ident, Name: name, Email: ident + name + "@example.org", ReferredUserExternalID: ident + name + "2"}))
			share(s.World, s.Ada.Person.ID.String(), two.ID)
		}
		s.ToTomas("10")
		s.Sell(affiliate.SaleParams{Email: s.Bea.Email})
		s.PaysOut()
		s.ToTomas("10")
	}
	scene.Must(s.CreateAffiliate(s.T.Context(), affiliate.AffiliateParams{FirstName: "C", LastName: "D", Email: "c@example.com"}))
}

// A cursor is valid only unchanged and for its list, filter and program: B118,
// B119.
func TestCursors(t *testing.T) {
	s := scene.NewShop(t)
	fill(s)
	pagers := pagersOf(s, t)
	invalid := scene.FieldError(affiliate.InvalidQuery, "cursor", "Invalid cursor")
	badLimit := scene.FieldError(affiliate.InvalidQuery, "limit", "limit must be an integer from 1 to 1000")
	refuse := func(name string, want affiliate.Error, pg affiliate.Page, list func(affiliate.Page) ([]string, string, error)) {
		t.Helper()
		_, _, err := list(pg)
		got, ok := errors.AsType[*affiliate.Error](err)
		if !ok || got.Message != want.Message || got.Field != want.Field || got.Reason != want.Reason {
			t.Errorf("%s, %+v: %v", name, pg, err)
		}
	}
	cursors := map[string]string{}
	for name, list := range pagers {
		ids, next, err := list(affiliate.Page{Limit: 2})
		if err != nil || len(ids) != 2 || next == "" {
			t.Fatalf("%s: %v, %q, %v", name, ids, next, err)
		}
		cursors[name] = next
		for _, limit := range []int{-1, 1001, -1 << 63} {
			refuse(name, badLimit, affiliate.Page{Limit: limit, Cursor: next}, list)
		}
		for _, bad := range []string{"garbage", next[1:], next[:len(next)-1], next + "A", next + "=", " " + next, strings.ToLower(next), "\x00", strings.Repeat(next, 10_000)} {
			refuse(name, invalid, affiliate.Page{Limit: 2, Cursor: bad}, list)
		}
		for i := range next {
			for _, c := range "Aa0-" {
				if bad := next[:i] + string(c) + next[i+1:]; bad != next {
					refuse(name, invalid, affiliate.Page{Cursor: bad}, list)
				}
			}
		}
	}
	for from, cursor := range cursors {
		for to, list := range pagers {
			if from != to {
				refuse(from+" to "+to, invalid, affiliate.Page{Cursor: cursor}, list)
			}
		}
	}
	elsewhere := scene.NewShopIn(scene.NewOn(t, s.Store, func(c *tributary.Config) { c.ID = uuid.Max }))
	fill(elsewhere)
	for name, list := range pagersOf(elsewhere, t) {
		refuse("another program's "+name, invalid, affiliate.Page{Cursor: cursors[name]}, list)
	}
	for name, list := range pagers {
		whole, next, err := list(affiliate.Page{})
		rest, _, restErr := list(affiliate.Page{Cursor: cursors[name]})
		if err != nil || restErr != nil || next != "" || !cmp.Equal(whole[2:], rest) {
			t.Errorf("%s: %v then %v of %v", name, cursors[name], rest, whole)
		}
	}
}

// Pages of one record while records are created and deleted: each record that
// stays is in exactly one page, and the walk ends (B120).
func TestPagesWhileListsChange(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	for range 9 {
		s.ToTomas("10")
	}
	seen := map[affiliate.SaleID]int{}
	all := saleIDs(scene.Must(s.Sales(ctx, affiliate.SaleQuery{}, affiliate.Page{})).Items)
	steps := 0
	for sale, err := range affiliate.Each(1, func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) {
		return s.Sales(ctx, affiliate.SaleQuery{ReferralID: affiliate.Set(s.Tomas.Email)}, pg)
	}) {
		if err != nil {
			t.Fatal(err)
		}
		if steps++; steps > 20 {
			t.Fatal("the walk does not end")
		}
		seen[sale.ID]++
		s.ToTomas("1")
		if steps%3 == 0 {
			scene.Must(0, s.DeleteSale(ctx, sale.ID)) // the record that the cursor names
		}
		if steps == 4 {
			scene.Must(0, s.DeleteSale(ctx, all[7])) // a record that was not yet listed
		}
	}
	for i, id := range all {
		want := 1
		if i == 7 {
			want = 0
		}
		if seen[id] != want {
			t.Errorf("sale %d was in %d pages", id, seen[id])
		}
	}
	if len(seen) != 8 {
		t.Errorf("saw %v", seen)
	}
}

// Each stops at an error, when the caller stops, and at a cursor that repeats.
func TestEachEnds(t *testing.T) {
	boom := errors.New("boom")
	calls := 0
	pages := func(next string, err error) func(affiliate.Page) (affiliate.List[int], error) {
		return func(affiliate.Page) (affiliate.List[int], error) {
			calls++
			return affiliate.List[int]{Items: []int{1, 2}, Next: next}, err
		}
	}
	for _, err := range affiliate.Each(2, pages("", boom)) {
		if err != boom {
			t.Error(err)
		}
	}
	for range affiliate.Each(2, pages("c", nil)) {
		break
	}
	if calls != 2 {
		t.Errorf("%d calls", calls)
	}
	var last error
	n := 0
	for _, err := range affiliate.Each(2, pages("same", nil)) {
		last = err
		n++
	}
	if last == nil || n != 3 {
		t.Errorf("%d values, %v", n, last)
	}
}
