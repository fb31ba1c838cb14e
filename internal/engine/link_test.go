package engine_test

import (
	"errors"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

func TestCreateLink(t *testing.T) {
	w := scene.New(t, func(c *tributary.Config) {
		c.Destinations = []affiliate.Destination{{URL: "https://beans.example/shop"}}
	})
	a := w.Join("mara")
	w.Now = w.Now.Add(time.Hour)
	var got affiliate.Link
	events := w.Fired(func() {
		got = scene.Must(w.CreateLink(t.Context(), affiliate.LinkParams{Link: "Spring", AffiliateEmail: "MARA@example.org"}))
	})
	want := affiliate.Link{
		ID: got.ID, Link: "Spring", Affiliate: affiliate.LinkOwner{ID: a.ID, Name: "Mara Lindqvist", Email: "mara@example.org"},
		Program:   affiliate.LinkProgram{ID: w.Config().ID, Name: "Northwind Beans", Currency: "USD"},
		FullURLs:  []affiliate.FullURL{{BaseURL: "https://beans.example/shop", FullURL: "https://beans.example/shop?ref=Spring"}},
		CreatedAt: affiliate.TimeOf(w.Now), UpdatedAt: affiliate.TimeOf(w.Now),
	}
	scene.Equal(t, want, got)
	if len(events) != 1 || events[0].Type != affiliate.AffiliateUpdated || events[0].ObjectID != a.ID.String() {
		t.Fatalf("fired %+v", events)
	}
	body := scene.BodyOf[affiliate.AffiliateBody](t, events[0])
	scene.Equal(t, []string{"mara", "Spring"}, slugsOf(body.Affiliate))
	scene.Equal(t, affiliate.Set("mara"), body.Link)
	scene.Equal(t, affiliate.TimeOf(w.Now), body.UpdatedAt)
	for name, f := range map[string]affiliate.LinkQuery{"ID": {ID: affiliate.Set(got.ID)}, "Slug": {Slug: affiliate.Set("sPRING")}} {
		t.Run(name, func(t *testing.T) {
			l := scene.Must(w.Links(t.Context(), f, affiliate.Page{Limit: -5}))
			scene.Equal(t, affiliate.List[affiliate.Link]{Items: []affiliate.Link{want}}, l)
		})
	}
}

func TestCreateLinkRefusals(t *testing.T) {
	w := scene.New(t)
	a, b := w.Join("a"), w.Join("b")
	notFound := scene.FieldError(affiliate.AffiliateNotFound, "", "Affiliate not found")
	mismatch := scene.FieldError(affiliate.IdentifiersMismatch, "", "The identifiers do not name the same record")
	inUse := scene.StateError(affiliate.SlugTaken, "link", "This link already exists for this affiliate program")
	required := scene.FieldError(affiliate.MissingField, "link", "Link is required")
	syntax := scene.FieldError(affiliate.SlugSyntax, "link", "Link can only contain letters, numbers, and hyphens")
	type row struct {
		name string
		in   affiliate.LinkParams
		want affiliate.Error
	}
	rows := []row{
		{"ErrMissingB308", affiliate.LinkParams{}, required},
		{"ErrBlank", affiliate.LinkParams{Link: " "}, required},
		{"ErrLongB313", affiliate.LinkParams{Link: strings.Repeat("a", 101)}, scene.FieldError(affiliate.SlugSyntax, "link", "Link must be at most 100 characters")},
		{"ErrNoOwnerB309", affiliate.LinkParams{Link: "a"}, scene.FieldError(affiliate.MissingField, "affiliateId", "Affiliate ID or email is required")},
		{"ErrUnknownIDB310", affiliate.LinkParams{Link: "a", AffiliateID: uuid.New()}, notFound},
		{"ErrUnknownEmail", affiliate.LinkParams{Link: "a", AffiliateEmail: "x"}, notFound},
		{"ErrBothUnknown", affiliate.LinkParams{Link: "a", AffiliateID: uuid.New(), AffiliateEmail: "x@b.co"}, notFound},
		{"ErrMismatchB311", affiliate.LinkParams{Link: "a", AffiliateID: a.ID, AffiliateEmail: b.Email}, mismatch},
		{"ErrMismatchUnknownEmail", affiliate.LinkParams{Link: "x", AffiliateID: a.ID, AffiliateEmail: "x@b.co"}, mismatch},
		{"ErrTakenOwnB314", affiliate.LinkParams{Link: "A", AffiliateID: a.ID, AffiliateEmail: a.Email}, inUse},
		{"ErrTakenB314", affiliate.LinkParams{Link: "b", AffiliateID: a.ID}, inUse},
	}
	for _, bad := range []string{"a b", "a_b", "é", "-🙂", "a.b", "a\n"} { // B312
		rows = append(rows, row{"ErrSyntax " + bad, affiliate.LinkParams{Link: bad}, syntax})
	}
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			w.T = t
			w.Refused(tt.want, func() error { return scene.ErrOf(w.CreateLink(t.Context(), tt.in)) })
		})
	}
}

func TestCreateLinkConcurrently(t *testing.T) { // B316
	w := scene.New(t)
	a := w.Join("a")
	p := w.With(w.Store)
	var wg sync.WaitGroup
	errs := make([]error, 8)
	events := w.Fired(func() {
		for i := range errs {
			wg.Go(func() { _, errs[i] = p.CreateLink(t.Context(), affiliate.LinkParams{Link: "x", AffiliateID: a.ID}) })
		}
		wg.Wait()
	})
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !errors.Is(err, affiliate.SlugTaken) {
			t.Error(err)
		}
	}
	if won != 1 || len(events) != 1 {
		t.Errorf("%d links, %d events", won, len(events))
	}
}

func TestCreateLinkOnce(t *testing.T) {
	w := scene.New(t)
	in := affiliate.LinkParams{Once: affiliate.Once{Key: "k"}, Link: "x", AffiliateID: w.Join("a").ID}
	first := scene.Must(w.CreateLink(t.Context(), in))
	before := w.Dump()
	scene.Equal(t, first, scene.Must(w.CreateLink(t.Context(), in)))
	scene.Equal(t, before, w.Dump())
}

func TestLinks(t *testing.T) {
	w := scene.New(t)
	a := w.Join("a")
	a2 := w.AddLink(a.ID, "a2")
	b := w.Join("b")
	a3 := w.AddLink(a.ID, "a3")
	slugs := func(f affiliate.LinkQuery, pg affiliate.Page) []string {
		out := []string{}
		l := scene.Must(w.Links(t.Context(), f, pg))
		if l.Items == nil {
			t.Errorf("%+v: nil", f)
		}
		for _, x := range l.Items {
			out = append(out, x.Link)
		}
		return out
	}
	for _, tt := range []struct {
		name string
		f    affiliate.LinkQuery
		want []string
	}{
		{"AllB329", affiliate.LinkQuery{}, []string{"a3", "b", "a2", "a"}},
		{"Owner", affiliate.LinkQuery{AffiliateID: affiliate.Set(a.ID)}, []string{"a3", "a2", "a"}},
		{"OwnerByEmail", affiliate.LinkQuery{AffiliateEmail: affiliate.Set("A@example.org")}, []string{"a3", "a2", "a"}},
		{"ID", affiliate.LinkQuery{ID: affiliate.Set(a2.ID)}, []string{"a2"}},
		{"Slug", affiliate.LinkQuery{Slug: affiliate.Set("B")}, []string{"b"}},
		{"MissIDB328", affiliate.LinkQuery{ID: affiliate.Set(uuid.New())}, []string{}},
		{"MissSlug", affiliate.LinkQuery{Slug: affiliate.Set("zzz")}, []string{}},
		{"MissNoSlug", affiliate.LinkQuery{Slug: affiliate.Set("a b\x00")}, []string{}},
		{"MissOwner", affiliate.LinkQuery{AffiliateID: affiliate.Set(uuid.New())}, []string{}},
		{"MissEmail", affiliate.LinkQuery{AffiliateEmail: affiliate.Set("x@b.co")}, []string{}},
		{"MissNoEmail", affiliate.LinkQuery{AffiliateEmail: affiliate.Set("x")}, []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) { scene.Equal(t, tt.want, slugs(tt.f, affiliate.Page{})) })
	}
	byEmail := affiliate.LinkQuery{AffiliateEmail: affiliate.Set(a.Email)}
	page := scene.Must(w.Links(t.Context(), byEmail, affiliate.Page{Limit: 1}))
	scene.Equal(t, a3.ID, page.Items[0].ID)
	scene.Equal(t, []string{"a2", "a"}, slugs(byEmail, affiliate.Page{Cursor: page.Next}))
	cursor := scene.FieldError(affiliate.InvalidQuery, "cursor", "Invalid cursor")
	for _, f := range []affiliate.LinkQuery{{}, {AffiliateEmail: affiliate.Set(b.Email)}, {AffiliateID: affiliate.Set(a.ID)}, {AffiliateEmail: affiliate.Set("x")}} {
		w.Refused(cursor, func() error { return scene.ErrOf(w.Links(t.Context(), f, affiliate.Page{Cursor: page.Next})) })
	}
}

func TestRenameLink(t *testing.T) { // I28, I30, B321
	w := scene.New(t)
	a := w.Join("a")
	scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a"}))
	old := scene.Must(w.Links(t.Context(), affiliate.LinkQuery{Slug: affiliate.Set("a")}, affiliate.Page{})).Items[0]
	w.Now = w.Now.Add(time.Hour)

	before := w.Dump()
	scene.Equal(t, old, scene.Must(w.RenameLink(t.Context(), affiliate.LinkRef{Slug: "A"}, "a")))
	scene.Equal(t, before, w.Dump())

	for _, slug := range []string{"A", "new"} {
		want := old
		want.Link, want.UpdatedAt = slug, affiliate.TimeOf(w.Now)
		if slug == "new" {
			want.Aliases = []string{"A"}
		}
		want.FullURLs = []affiliate.FullURL{{BaseURL: "https://beans.example/shop", FullURL: "https://beans.example/shop?ref=" + slug}}
		events := w.Fired(func() {
			scene.Equal(t, want, scene.Must(w.RenameLink(t.Context(), affiliate.LinkRef{ID: old.ID}, slug)))
		})
		if len(events) != 1 || events[0].Type != affiliate.AffiliateUpdated || events[0].ObjectID != a.ID.String() {
			t.Fatalf("fired %+v", events)
		}
		scene.Equal(t, affiliate.Set(slug), scene.BodyOf[affiliate.AffiliateBody](t, events[0]).Link)
	}
	scene.Equal(t, a.ID, scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a"})).AffiliateID)
}

func TestRenameLinkRefusals(t *testing.T) {
	w := scene.New(t)
	a, b := w.Join("a"), w.Join("b")
	linkA, linkB := a.AffiliateLinks[0].ID, b.AffiliateLinks[0].ID
	missing := scene.MissingError(affiliate.LinkNotFound, "Affiliate link not found")
	mismatch := scene.FieldError(affiliate.IdentifiersMismatch, "", "The identifiers do not name the same record")
	for _, tt := range []struct {
		name string
		ref  affiliate.LinkRef
		slug string
		want affiliate.Error
	}{
		{"ErrNoIdentifierB317", affiliate.LinkRef{}, "", scene.FieldError(affiliate.MissingField, "id", "Link ID or link is required")},
		{"ErrNoSlugB318", affiliate.LinkRef{Slug: "zzz"}, "", scene.FieldError(affiliate.MissingField, "newLink", "New link is required")},
		{"ErrSyntaxB319", affiliate.LinkRef{Slug: "zzz"}, "a b", scene.FieldError(affiliate.SlugSyntax, "newLink", "Link can only contain letters, numbers, and hyphens")},
		{"ErrLong", affiliate.LinkRef{Slug: "zzz"}, strings.Repeat("a", 101), scene.FieldError(affiliate.SlugSyntax, "newLink", "Link must be at most 100 characters")},
		{"ErrUnknownIDB320", affiliate.LinkRef{ID: uuid.New()}, "b", missing},
		{"ErrUnknownSlugB320", affiliate.LinkRef{Slug: "zzz"}, "b", missing},
		{"ErrBothUnknown", affiliate.LinkRef{ID: uuid.New(), Slug: "zzz"}, "b", missing},
		{"ErrMismatchB324", affiliate.LinkRef{ID: linkA, Slug: "b"}, "b", mismatch},
		{"ErrMismatchUnknownSlug", affiliate.LinkRef{ID: linkA, Slug: "zzz"}, "new", mismatch},
		{"ErrMismatchUnknownID", affiliate.LinkRef{ID: uuid.New(), Slug: "a"}, "new", mismatch},
		{"ErrTakenB322", affiliate.LinkRef{ID: linkA, Slug: "A"}, "B", scene.StateError(affiliate.SlugTaken, "newLink", "This link already exists for this affiliate program")},
		{"ErrSwapB323", affiliate.LinkRef{ID: linkB}, "a", scene.StateError(affiliate.SlugTaken, "newLink", "This link already exists for this affiliate program")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.T = t
			w.Refused(tt.want, func() error { return scene.ErrOf(w.RenameLink(t.Context(), tt.ref, tt.slug)) })
		})
	}
}

func TestDeleteLink(t *testing.T) { // I29, I30, B327
	w := scene.New(t)
	a := w.Join("a")
	scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a"}))
	ref := w.Refer("a", "kim@b.co")
	sale := w.SellTo("kim@b.co", "100")
	want := scene.Must(w.Affiliate(t.Context(), "a"))
	if want.NumberOfClicks != 1 || want.NumberOfReferredUsers != 1 || want.TotalRevenue != affiliate.MustAmount("100") {
		t.Fatalf("totals %+v", want)
	}
	link := scene.Must(w.Links(t.Context(), affiliate.LinkQuery{Slug: affiliate.Set("a")}, affiliate.Page{})).Items[0]
	scene.Equal(t, []int64{1, 1, 1}, []int64{link.Clicks, link.Referrals, link.Sales}) // I31
	scene.Equal(t, affiliate.MustAmount("100"), link.TotalRevenue)

	w.Now = w.Now.Add(time.Hour)
	events := w.Fired(func() {
		got := scene.Must(w.DeleteLink(t.Context(), affiliate.LinkRef{ID: link.ID, Slug: "A"}))
		scene.Equal(t, affiliate.DeletedLink{ID: link.ID, Link: "a"}, got)
	})
	if len(events) != 1 || events[0].Type != affiliate.AffiliateUpdated || events[0].ObjectID != a.ID.String() {
		t.Fatalf("fired %+v", events)
	}
	scene.Equal(t, affiliate.Null[string](), scene.BodyOf[affiliate.AffiliateBody](t, events[0]).Link)
	for table, rows := range w.Dump() {
		for _, rec := range rows {
			if strings.Contains(rec, link.ID.String()) && table != "events" && table != "movements" {
				t.Errorf("%s still names the link: %s", table, rec)
			}
		}
	}
	want.AffiliateLinks, want.UpdatedAt = []affiliate.AffiliateLink{}, affiliate.TimeOf(w.Now)
	scene.Equal(t, want, scene.Must(w.Affiliate(t.Context(), a.ID.String())))
	ref.AffiliateLinkID, ref.TotalRevenue, ref.TotalCommission = affiliate.Null[uuid.UUID](), affiliate.MustAmount("100"), affiliate.MustAmount("20")
	scene.Equal(t, ref, scene.Must(w.Referral(t.Context(), "kim@b.co")))
	scene.Equal(t, sale.UpdatedAt, scene.Must(w.Sale(t.Context(), sale.ID)).UpdatedAt)
	if _, err := w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a"}); err != affiliate.ErrNotFound {
		t.Errorf("the deleted slug tracks: %v", err)
	}
	w.Verifies()
	again := w.AddLink(a.ID, "a")
	scene.Equal(t, []int64{0, 0, 0}, []int64{again.Clicks, again.Referrals, again.Sales})
}

func TestDeleteLinkRefusals(t *testing.T) {
	w := scene.New(t)
	a := w.Join("a")
	w.Join("b")
	missing := scene.MissingError(affiliate.LinkNotFound, "Affiliate link not found")
	for _, tt := range []struct {
		name string
		ref  affiliate.LinkRef
		want affiliate.Error
	}{
		{"ErrNoIdentifierB325", affiliate.LinkRef{}, scene.FieldError(affiliate.MissingField, "id", "Link ID or link is required")},
		{"ErrUnknownIDB326", affiliate.LinkRef{ID: uuid.New()}, missing},
		{"ErrUnknownSlugB326", affiliate.LinkRef{Slug: "zzz"}, missing},
		{"ErrMismatchB324", affiliate.LinkRef{ID: a.AffiliateLinks[0].ID, Slug: "b"}, scene.FieldError(affiliate.IdentifiersMismatch, "", "The identifiers do not name the same record")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.T = t
			w.Refused(tt.want, func() error { return scene.ErrOf(w.DeleteLink(t.Context(), tt.ref)) })
		})
	}
}

func TestFullURLs(t *testing.T) { // I32, B331
	dest := func(u string, extra ...string) affiliate.Destination {
		d := affiliate.Destination{URL: u, Params: url.Values{}}
		for i := 0; i < len(extra); i += 2 {
			d.Params.Add(extra[i], extra[i+1])
		}
		return d
	}
	for _, tt := range []struct {
		name, param string
		in          affiliate.Destination
		want        string
	}{
		{"Plain", "", dest("https://b.co"), "https://b.co?ref=Kim-1"},
		{"Path", "", dest("https://b.co/shop"), "https://b.co/shop?ref=Kim-1"},
		{"QueryAndFragment", "", dest("https://b.co/shop?lang=en#new"), "https://b.co/shop?lang=en&ref=Kim-1#new"},
		{"QueryOrderAndSpelling", "", dest("https://b.co/?z=1&a=%2f+x&a=2&flag"), "https://b.co/?z=1&a=%2f+x&a=2&flag&ref=Kim-1"},
		{"Extras", "", dest("https://b.co/?z=1#f", "utm", "a b&c", "b", "2", "b", "1"), "https://b.co/?z=1&ref=Kim-1&b=2&b=1&utm=a+b%26c#f"},
		{"NonASCIIPath", "", dest("https://b.co/käse%2Fbrot"), "https://b.co/käse%2Fbrot?ref=Kim-1"},
		{"OwnParameterGivesWay", "", dest("https://b.co/?ref=x&a=1&re%66=y&refs=z"), "https://b.co/?a=1&refs=z&ref=Kim-1"},
		{"OnlyOwnParameter", "", dest("https://b.co/?ref=x"), "https://b.co/?ref=Kim-1"},
		{"OwnExtraGivesWay", "", dest("https://b.co/", "ref", "x", "a", "1"), "https://b.co/?ref=Kim-1&a=1"},
		{"EmptyQuery", "", dest("https://b.co/?#"), "https://b.co/?ref=Kim-1#"},
		{"BadEscape", "", dest("https://b.co/?%zz=1"), "https://b.co/?%zz=1&ref=Kim-1"},
		{"QuestionMarkInFragment", "", dest("https://b.co/#/a?b=1"), "https://b.co/?ref=Kim-1#/a?b=1"},
		{"OtherParameter", "v i", dest("https://b.co/?ref=x"), "https://b.co/?ref=x&v+i=Kim-1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := scene.New(t, func(c *tributary.Config) { c.Param, c.Destinations = tt.param, []affiliate.Destination{tt.in, tt.in} })
			got := w.AddLink(w.Join("a").ID, "Kim-1").FullURLs
			one := affiliate.FullURL{BaseURL: tt.in.URL, FullURL: tt.want}
			scene.Equal(t, []affiliate.FullURL{one, one}, got)
			u := scene.Must(url.Parse(got[0].FullURL))
			name := tt.param
			if name == "" {
				name = "ref"
			}
			scene.Equal(t, []string{"Kim-1"}, u.Query()[name])
		})
	}
	w := scene.New(t, func(c *tributary.Config) { c.Destinations = nil })
	if got := w.AddLink(w.Join("a").ID, "x").FullURLs; got == nil || len(got) != 0 {
		t.Errorf("no destination: %#v", got)
	}
}
