package engine_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

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
		scene.Equal(t, want, seen[id], id)
	}
	scene.Equal(t, 8, len(seen), seen)
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
	scene.Equal(t, 2, calls)
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

// A walk over a server whose cursors repeat ends with an error.
func TestEachCycle(t *testing.T) {
	for name, next := range map[string]map[string]string{
		"at once": {"": "a", "a": "a"},
		"later":   {"": "a", "a": "b", "b": "a"},
		"a tail":  {"": "a", "a": "b", "b": "c", "c": "d", "d": "e", "e": "c"},
	} {
		t.Run(name, func(t *testing.T) {
			pages, failed := 0, false
			for _, err := range affiliate.Each(1, func(pg affiliate.Page) (affiliate.List[int], error) {
				if pages++; pages > 20 {
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

// TestAll: All walks every list, through all of its pages.
func TestAll(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	ada := w.Ada()
	const n = 250
	for i := range n {
		scene.Must(w.CreateLink(ctx, affiliate.LinkParams{Link: fmt.Sprint("ada-", i), AffiliateID: ada.Person.ID}))
	}
	count := func(seq iter.Seq2[affiliate.Link, error]) (got int) {
		for range scene.OnlyValues(seq) {
			got++
		}
		return got
	}
	of := affiliate.LinkQuery{AffiliateID: affiliate.Set(ada.Person.ID)}
	scene.Equal(t, n+1, count(affiliate.All(ctx, w.Links, of)))
	scene.Equal(t, 0, count(affiliate.All(ctx, w.Links, affiliate.LinkQuery{AffiliateID: affiliate.Set(uuid.Nil)})))
	scene.Equal(t, 1, len(scene.All(affiliate.All(ctx, w.Affiliates, affiliate.AffiliateQuery{}))))
	for first := range scene.OnlyValues(affiliate.All(ctx, w.Links, of)) {
		scene.Equal(t, "ada-249", first.Link)
		break
	}
	ended, end := context.WithCancel(ctx)
	end()
	for _, err := range affiliate.All(ended, w.Links, of) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a context that has ended: %v", err)
		}
	}
}

// TestPages: a walk goes on from the Next of a page, also in another process and
// after the record at the cursor was deleted.
func TestPages(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	ada := w.Ada()
	for i := range 9 {
		scene.Must(w.CreateLink(ctx, affiliate.LinkParams{Link: fmt.Sprint("ada-", i), AffiliateID: ada.Person.ID}))
	}
	var got []string
	walk := func(from affiliate.Page) (next string) {
		for page, err := range affiliate.Pages(from, func(pg affiliate.Page) (affiliate.List[affiliate.Link], error) {
			return w.Links(ctx, affiliate.LinkQuery{}, pg)
		}) {
			if err != nil {
				t.Fatal(err)
			}
			for _, link := range page.Items {
				got = append(got, link.Link)
			}
			if next = page.Next; len(got) == 4 {
				break
			}
		}
		return next
	}
	kept := walk(affiliate.Page{Limit: 4})
	scene.Must(w.DeleteLink(ctx, affiliate.LinkRef{Slug: "ada-5"})) // at the cursor
	scene.Must(w.DeleteLink(ctx, affiliate.LinkRef{Slug: "ada-4"})) // behind it
	scene.Equal(t, "", walk(affiliate.Page{Limit: 3, Cursor: kept}))
	scene.Equal(t, []string{"ada-8", "ada-7", "ada-6", "ada-5", "ada-3", "ada-2", "ada-1", "ada-0", "ada"}, got)
}

// TestCursorOwner: a cursor of a filter by email works only as long as the email
// names the same affiliate.
func TestCursorOwner(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	a, b := w.Join("a"), w.Join("b")
	for _, id := range []uuid.UUID{a.ID, b.ID} {
		w.AddLink(id, "x"+id.String())
	}
	of := affiliate.LinkQuery{AffiliateEmail: affiliate.Set(a.Email)}
	next := scene.Must(w.Links(ctx, of, affiliate.Page{Limit: 1})).Next
	read := func() error { return scene.ErrOf(w.Links(ctx, of, affiliate.Page{Limit: 1, Cursor: next})) }
	rename := func(id uuid.UUID, email string) {
		scene.Must(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: id}, affiliate.AffiliateUpdate{Email: affiliate.Set(email)}))
	}
	scene.Must(0, read())
	invalid := scene.FieldError(affiliate.InvalidQuery, "cursor", "Invalid cursor")
	rename(a.ID, "new@example.org")
	w.Refused(invalid, read)
	rename(b.ID, a.Email)
	w.Refused(invalid, read)
	rename(b.ID, "other@example.org")
	rename(a.ID, a.Email)
	scene.Must(0, read())
}

// TestListsFit: every method that returns a List can be passed to All or Every.
func TestListsFit(t *testing.T) {
	page := reflect.TypeFor[affiliate.Page]()
	lists := 0
	for name, m := range scene.Methods(&tributary.Program{}) {
		f := m.Type()
		if f.NumOut() == 0 || !strings.HasPrefix(f.Out(0).Name(), "List[") {
			continue
		}
		lists++
		n := f.NumIn() // the context, what selects if there is such a thing, the page
		if f.In(0) != reflect.TypeFor[context.Context]() || f.In(n-1) != page || n != 2 && n != 3 {
			t.Errorf("%s is %v", name, f)
		}
	}
	if lists < 12 {
		t.Errorf("%d lists", lists)
	}
}

// A bad page is refused, whatever the filter names.
func TestListBadPage(t *testing.T) {
	w := scene.New(t)
	ctx, bad := t.Context(), affiliate.Page{Limit: 1001}
	for name, list := range map[string]func() error{
		"Links": func() error {
			return scene.ErrOf(w.Links(ctx, affiliate.LinkQuery{AffiliateEmail: affiliate.Set("no@b.co")}, bad))
		},
		"Codes": func() error {
			return scene.ErrOf(w.Codes(ctx, affiliate.CodeQuery{AffiliateEmail: affiliate.Set("no@b.co")}, bad))
		},
		"Referrals": func() error {
			return scene.ErrOf(w.Referrals(ctx, affiliate.ReferralQuery{AffiliateEmail: affiliate.Set("no@b.co")}, bad))
		},
		"Sales": func() error {
			return scene.ErrOf(w.Sales(ctx, affiliate.SaleQuery{ReferralID: affiliate.Set("no@b.co")}, bad))
		},
		"Events": func() error {
			return scene.ErrOf(w.Events(ctx, affiliate.EventQuery{ObjectID: affiliate.Set("no")}, bad))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w.Refused(scene.FieldError(affiliate.InvalidQuery, "limit", "limit must be an integer from 1 to 1000"), list)
		})
	}
}

// A setting is a way to set a field of a filter.
type setting[F any] struct {
	set    func(*F)
	nobody bool // names no record: selects nothing
}

// values are the ways to set a field that names a record.
func values[F any, T comparable](at func(*F) *affiliate.Opt[T], all ...T) []setting[F] {
	var zero T
	out := []setting[F]{
		{set: func(f *F) { *at(f) = affiliate.Null[T]() }, nobody: true},
		{set: func(f *F) { *at(f) = affiliate.Set(zero) }, nobody: true},
	}
	for _, v := range all {
		out = append(out, setting[F]{set: func(f *F) { *at(f) = affiliate.Set(v) }})
	}
	return out
}

// A filterCheck lists with every combination of the fields. A combination must
// select the records that each of its fields selects alone.
type filterCheck[F, T any] struct {
	*testing.T
	list     func(context.Context, F, affiliate.Page) (affiliate.List[T], error)
	name     func(T) string
	selected int
}

func checkFilter[F, T any](
	t *testing.T, list func(context.Context, F, affiliate.Page) (affiliate.List[T], error), name func(T) string, fields ...[]setting[F],
) {
	t.Helper()
	c := &filterCheck[F, T]{T: t, list: list, name: name}
	var none F
	everyFieldTried(t, reflect.TypeFor[F](), func(f reflect.StructField) bool {
		return slices.ContainsFunc(slices.Concat(fields...), func(s setting[F]) bool {
			var set F
			s.set(&set)
			return !reflect.ValueOf(set).FieldByIndex(f.Index).IsZero()
		})
	})
	everything := c.names(none)
	if len(everything) < 2 {
		t.Fatalf("%d records tell no filters apart", len(everything))
	}
	c.try(none, everything, fields)
	if c.selected == len(everything) {
		t.Error("no filter selects anything")
	}
}

// names lists the records at once and in pages.
func (c *filterCheck[F, T]) names(f F) []string {
	c.Helper()
	out, paged := []string{}, []string{}
	for _, item := range scene.Must(c.list(c.Context(), f, affiliate.Page{})).Items {
		out = append(out, c.name(item))
	}
	for item, err := range affiliate.Each(2, func(pg affiliate.Page) (affiliate.List[T], error) { return c.list(c.Context(), f, pg) }) {
		paged = append(paged, c.name(scene.Must(item, err)))
	}
	scene.Equal(c, out, paged, f)
	return out
}

// try lists with f and each of the ways to set the remaining fields.
func (c *filterCheck[F, T]) try(f F, want []string, fields [][]setting[F]) {
	c.Helper()
	if len(fields) == 0 {
		if got := c.names(f); !slices.Equal(want, got) {
			c.Errorf("%+v selects %q, want %q", f, got, want)
		}
		c.selected += len(want)
		return
	}
	c.try(f, want, fields[1:])
	for _, field := range fields[0] {
		with, both := f, []string{}
		field.set(&with)
		if !field.nobody {
			var alone F
			field.set(&alone)
			single := c.names(alone)
			both = slices.DeleteFunc(slices.Clone(want), func(s string) bool { return !slices.Contains(single, s) })
		}
		c.try(with, both, fields[1:])
	}
}

// TestFilters: all fields that are set must match. A field that is null or zero
// selects nothing.
func TestFilters(t *testing.T) {
	ctx := t.Context()
	t.Run("Sales", func(t *testing.T) {
		s := scene.NewShop(t)
		s.Sell(affiliate.SaleParams{Email: s.Tomas.Email, ExternalID: "o1", ExternalInvoiceID: "i1"})
		s.Sell(affiliate.SaleParams{Email: s.Bea.Email, ExternalID: "o2"})
		s.Sell(affiliate.SaleParams{PromoCode: "ADA20", Email: s.Bea.Email, ExternalInvoiceID: "i2"})
		type F = affiliate.SaleQuery
		checkFilter(t, s.Sales, func(v affiliate.Sale) string { return fmt.Sprint(v.ID) },
			values(func(f *F) *affiliate.Opt[uuid.UUID] { return &f.AffiliateID }, s.Ada.Person.ID, s.Bob.ID),
			values(func(f *F) *affiliate.Opt[string] { return &f.AffiliateEmail }, "ADA@example.com", "x@example.com"),
			values(func(f *F) *affiliate.Opt[string] { return &f.ReferralID }, s.Bea.ID.String(), "TOMAS@example.net"),
			values(func(f *F) *affiliate.Opt[string] { return &f.ExternalID }, "o1", "O1"),
			values(func(f *F) *affiliate.Opt[string] { return &f.ExternalInvoiceID }, "i1", "i2"))
		s.Sell(affiliate.SaleParams{Email: s.Tomas.Email, ExternalID: "xo1"})
		for part, want := range map[bool]int{false: 1, true: 2} {
			found := scene.Must(s.Sales(ctx, F{Search: affiliate.Set("o1"), Part: part}, affiliate.Page{})).Items
			scene.Equal(t, want, len(found), part)
		}
		plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("30")}}))
		scene.Must(s.SetAffiliatePlan(ctx, plan.ID, s.Ada.Person.ID, s.Bob.ID))
		before := s.Dump()
		for _, f := range []affiliate.RecalculateJob{{AffiliateID: affiliate.Set(uuid.Nil)}, {AffiliateEmail: affiliate.Null[string]()}} {
			scene.Equal(t, 0, scene.Must(s.Run(ctx, f)).Changed, f)
		}
		scene.Equal(t, before, s.Dump())
		scene.Equal(t, 1, scene.Must(s.Run(ctx, affiliate.RecalculateJob{AffiliateID: affiliate.Set(s.Bob.ID)})).Changed)
	})
	t.Run("Referrals", func(t *testing.T) {
		s := scene.NewShop(t)
		scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "ada", Name: "n", Email: "n@example.net", ReferredUserExternalID: "cust-n"}))
		type F = affiliate.ReferralQuery
		checkFilter(t, s.Referrals, func(v affiliate.Referral) string { return v.Email },
			values(func(f *F) *affiliate.Opt[uuid.UUID] { return &f.AffiliateID }, s.Ada.Person.ID, s.Bob.ID),
			values(func(f *F) *affiliate.Opt[string] { return &f.AffiliateEmail }, "ada@example.com", "bob@example.com"),
			values(func(f *F) *affiliate.Opt[string] { return &f.ReferredUserExternalID }, "cust-bea", "cust-n"))
	})
	t.Run("Codes", func(t *testing.T) {
		s := scene.NewShop(t)
		other := issue(s.World, s.Bob.ID, "BOB10")
		scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: s.Ada.Autumn.ID, Code: "BOB20", AffiliateID: s.Bob.ID}))
		type F = affiliate.CodeQuery
		checkFilter(t, s.Codes, func(v affiliate.Code) string { return v.Code },
			values(func(f *F) *affiliate.Opt[uuid.UUID] { return &f.CouponID }, s.Ada.Autumn.ID, other.CouponID),
			values(func(f *F) *affiliate.Opt[uuid.UUID] { return &f.AffiliateID }, s.Ada.Person.ID, s.Bob.ID),
			values(func(f *F) *affiliate.Opt[string] { return &f.AffiliateEmail }, "ada@example.com", "bob@example.com"))
	})
	t.Run("Links", func(t *testing.T) {
		s := scene.NewShop(t)
		more := s.AddLink(s.Ada.Person.ID, "ada-2")
		type F = affiliate.LinkQuery
		checkFilter(t, s.Links, func(v affiliate.Link) string { return v.Link },
			values(func(f *F) *affiliate.Opt[uuid.UUID] { return &f.ID }, more.ID, s.Bob.AffiliateLinks[0].ID),
			values(func(f *F) *affiliate.Opt[string] { return &f.Slug }, "ADA-2", "bob", "a b"),
			values(func(f *F) *affiliate.Opt[uuid.UUID] { return &f.AffiliateID }, s.Ada.Person.ID, s.Bob.ID),
			values(func(f *F) *affiliate.Opt[string] { return &f.AffiliateEmail }, "ada@example.com", "bob@example.com"))
	})
	t.Run("Payouts", func(t *testing.T) {
		s := scene.NewShop(t)
		fill(s)
		scene.Must(s.SetPayoutDetails(ctx, s.Ada.Person.ID,
			affiliate.PayoutDetails{Email: "ada@example.com", Method: affiliate.MethodPayPal}))
		s.PaysOut()
		type F = affiliate.PayoutQuery
		checkFilter(t, s.Payouts, func(v affiliate.Payout) string { return v.ID.String() },
			values(func(f *F) *affiliate.Opt[uuid.UUID] { return &f.AffiliateID }, s.Ada.Person.ID, s.Bob.ID),
			[]setting[F]{{set: func(f *F) { f.Method = affiliate.MethodPayPal }}})
		paid := scene.Must(s.Payouts(ctx, F{Method: affiliate.MethodPayPal}, affiliate.Page{})).Items
		scene.Equal(t, 1, len(paid))
	})
	t.Run("Events", func(t *testing.T) {
		s := scene.NewShop(t)
		sale := s.ToTomas("10")
		gone := s.ToTomas("20")
		scene.Must(0, s.DeleteSale(ctx, gone.ID))
		type F = affiliate.EventQuery
		checkFilter(t, s.Events, func(v affiliate.Event) string { return v.ID.String() },
			values(func(f *F) *affiliate.Opt[string] { return &f.ObjectID },
				s.Tomas.ID.String(), fmt.Sprint(sale.ID), fmt.Sprint(gone.ID), uuid.Nil.String()),
			values(func(f *F) *affiliate.Opt[uuid.UUID] { return &f.ID }, scene.Must(s.Events(ctx, F{}, affiliate.Page{})).Items[0].ID),
			[]setting[F]{
				{set: func(f *F) { f.Type = affiliate.SaleCreated }}, {set: func(f *F) { f.Type = affiliate.ReferralCreated }},
			})
	})
	t.Run("Holds", func(t *testing.T) {
		s := scene.NewShop(t)
		other := issue(s.World, s.Ada.Person.ID, "ADA10")
		for _, code := range []affiliate.Code{s.ADA20, other} {
			scene.Must(s.HoldRedemption(ctx, affiliate.HoldParams{ID: code.Code, Until: s.Now.Add(time.Hour),
				Order: affiliate.Order{PromoCode: code.Code, Subtotal: scene.Amount("10")}}))
			for _, f := range []affiliate.HoldQuery{{CodeID: affiliate.Set(code.ID)}, {CouponID: affiliate.Set(code.CouponID)}} {
				held := scene.Must(s.Holds(ctx, f, affiliate.Page{})).Items
				if len(held) != 1 || held[0].ID != code.Code {
					t.Errorf("%+v: %+v", f, held)
				}
			}
		}
	})
	t.Run("Deliveries", func(t *testing.T) {
		b := scene.NewLedger(t)
		type F = affiliate.DeliveryQuery
		checkFilter(t, b.Webhooks().Deliveries, func(v affiliate.Delivery) string { return v.ID.String() },
			values(func(f *F) *affiliate.Opt[uuid.UUID] { return &f.WebhookID }, b.Hooked.ID, b.Disabled.ID, uuid.Max),
			values(func(f *F) *affiliate.Opt[uuid.UUID] { return &f.EventID }, scene.Must(b.Events(ctx, affiliate.EventQuery{}, affiliate.Page{})).Items[0].ID),
			[]setting[F]{
				{set: func(f *F) { f.State = affiliate.DeliveryPending }}, {set: func(f *F) { f.State = affiliate.DeliverySkipped }},
			},
			[]setting[F]{{set: func(f *F) { f.Event = affiliate.SaleCreated }}})
	})
}

// filteredElsewhere are the fields of filters that TestFilters does not try, but that the tests
// named beside them do.
var filteredElsewhere = map[string]string{
	"SaleQuery":       "CodeID LinkID Status ApprovalStatus Since Until OldestFirst Part Search Currency", // TestSearchSales…
	"ReferralQuery":   "Status Since Until OldestFirst Search",                                            // TestSearchReferrals
	"CodeQuery":       "Active State OldestFirst Search Usability",                                        // TestSearchCodes
	"AffiliateQuery":  "Status ExternalID PlanID TierID OldestFirst Search",                               // TestSearchAffiliates
	"CouponQuery":     "ID Valid WithCodes",                                                               // TestCouponSummaries, TestWriteCouponMeanwhile
	"PayoutQuery":     "AffiliateEmail Status RunID",                                                      // TestPayoutFilter
	"DeliveryQuery":   "Since Until",                                                                      // TestDeliveriesFilter
	"AdjustmentQuery": "AffiliateID AffiliateEmail SaleID Kind PayoutID",                                  // TestAdjustmentFilter
	"MovementQuery":   "AffiliateID AffiliateEmail SaleID PayoutID AdjustmentID Cause From To",            // TestMovements
	"ReportQuery":     "From To By AffiliateID CodeID LinkID",                                             // TestReportOf
	"BreakdownQuery":  "From To By Sort AffiliateID",                                                      // TestBreakdown
	"CaseQuery":       "AffiliateID AffiliateEmail Status Kind",                                           // TestCases

	"ProviderPaymentQuery": "Provider From To",                             // TestProviderPayments
	"BudgetQuery":          "AffiliateID AffiliateEmail Status Of Current", // TestBudgets
	"HoldQuery":            "CodeID CouponID",                              // Holds of TestFilters
}

func everyFieldTried(t *testing.T, filter reflect.Type, tried func(reflect.StructField) bool) {
	t.Helper()
	elsewhere := strings.Fields(filteredElsewhere[filter.Name()])
	for f := range filter.Fields() {
		if !slices.Contains(elsewhere, f.Name) && !tried(f) {
			t.Errorf("no test lists by %s.%s: add it to TestFilters, or to another test and to "+
				"filteredElsewhere in sales_list_test.go", filter.Name(), f.Name)
		}
	}
}

// TestEveryFilter: TestFilters, or another test, tries every field of the filter of every list.
func TestEveryFilter(t *testing.T) {
	inTestFilters := []string{"SaleQuery", "ReferralQuery", "CodeQuery", "LinkQuery", "PayoutQuery", "EventQuery", "DeliveryQuery"}
	for filter := range listFilters(t) {
		if !slices.Contains(inTestFilters, filter.Name()) {
			everyFieldTried(t, filter, func(reflect.StructField) bool { return false })
		}
	}
}

// listFilters are the filters of all lists.
func listFilters(t *testing.T) map[reflect.Type]bool {
	filters := map[reflect.Type]bool{}
	for _, list := range scene.Methods(scene.New(t).Program) {
		for in := range list.Type().Ins() {
			lists := strings.HasPrefix(list.Type().Out(0).Name(), "List[")
			if lists && strings.HasSuffix(in.Name(), "Query") {
				filters[in] = true
			}
		}
	}
	return filters
}

// TestFilterFields: every field of a filter that names a record is an Opt, so
// that null differs from not given.
func TestFilterFields(t *testing.T) {
	plain := map[reflect.Type]bool{ // these name a class and not a record
		reflect.TypeFor[affiliate.DeliveryState]():   true,
		reflect.TypeFor[affiliate.EventType]():       true,
		reflect.TypeFor[affiliate.PayoutStatus]():    true,
		reflect.TypeFor[affiliate.PaymentMethod]():   true,
		reflect.TypeFor[affiliate.AdjustmentKind]():  true,
		reflect.TypeFor[affiliate.Cause]():           true,
		reflect.TypeFor[time.Time]():                 true, // a bound
		reflect.TypeFor[bool]():                      true, // how it is listed
		reflect.TypeFor[affiliate.AffiliateStatus](): true, reflect.TypeFor[affiliate.Interval](): true,
		reflect.TypeFor[affiliate.Dimension](): true, reflect.TypeFor[affiliate.Figure](): true,
		reflect.TypeFor[affiliate.SaleStatus](): true, reflect.TypeFor[affiliate.ApprovalStatus](): true,
		reflect.TypeFor[affiliate.SubscriptionStatus](): true, reflect.TypeFor[affiliate.CodeState](): true,
		reflect.TypeFor[affiliate.Currency](): true, reflect.TypeFor[affiliate.CaseStatus](): true,
		reflect.TypeFor[affiliate.CaseKind](): true, reflect.TypeFor[affiliate.BudgetStatus](): true, reflect.TypeFor[affiliate.BudgetOf](): true,
	}
	for filter := range listFilters(t) {
		for f := range filter.Fields() {
			required := filter.Name()+f.Name == "ProviderPaymentQueryProvider"
			if _, isOpt := f.Type.MethodByName("IsNull"); !isOpt && !plain[f.Type] && !required {
				t.Errorf("%v.%s is a %v", filter, f.Name, f.Type)
			}
		}
	}
}
