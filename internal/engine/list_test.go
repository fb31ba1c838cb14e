package engine_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

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
	if err := read(); err != nil {
		t.Error(err)
	}
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
