package engine_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/internal/scene"
)

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

// takers are all ways in which an affiliate gets a link with a slug that somebody chose.
func takers(w *scene.World, mail string, owner, link uuid.UUID) map[string]func(slug string) error {
	ctx := w.T.Context()
	return map[string]func(string) error{
		"create": func(s string) error {
			return scene.ErrOf(w.CreateLink(ctx, affiliate.LinkParams{Link: s, AffiliateID: owner}))
		},
		"rename":  func(s string) error { return scene.ErrOf(w.RenameLink(ctx, affiliate.LinkRef{ID: link}, s)) },
		"partner": func(s string) error { return scene.ErrOf(w.Partner(owner).AddLink(ctx, s, 99)) },
		"partner renames": func(s string) error {
			return scene.ErrOf(w.Partner(owner).RenameLink(ctx, link, s))
		},
		"sign-up": func(s string) error {
			return scene.ErrOf(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "N", LastName: "N", Email: mail, AffiliateLink: s}))
		},
		"update": func(s string) error {
			return scene.ErrOf(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: owner}, affiliate.AffiliateUpdate{AffiliateLink: affiliate.Set(s)}))
		},
		"import": func(s string) error {
			report, err := w.Imports().Affiliates(ctx, []imported.Affiliate{{
				Ref: "old:n", Email: mail, FirstName: "N", OnConflict: imported.RefuseRow, Links: []imported.Link{{Slug: s, Ref: "old:l"}},
			}})
			if err == nil && len(report.Failed) > 0 {
				err = report.Failed[0].Err
			}
			return err
		},
	}
}

// TestFormerSlugs: a slug that a link had leads to that link for ever, or to nobody: it
// never comes to another affiliate, in no way in which links get slugs, until the program
// releases it.
func TestFormerSlugs(t *testing.T) {
	for name, lose := range map[string]func(ctx context.Context, w *scene.World, mara affiliate.Affiliate) (leads bool){
		"renamed": func(ctx context.Context, w *scene.World, mara affiliate.Affiliate) bool {
			scene.Must(w.RenameLink(ctx, affiliate.LinkRef{Slug: "mara"}, "mara-2026"))
			return true
		},
		"renamed twice": func(ctx context.Context, w *scene.World, mara affiliate.Affiliate) bool {
			scene.Must(w.RenameLink(ctx, affiliate.LinkRef{Slug: "mara"}, "mara-2025"))
			scene.Must(w.RenameLink(ctx, affiliate.LinkRef{Slug: "mara-2025"}, "mara-2026"))
			return true
		},
		"deleted": func(ctx context.Context, w *scene.World, mara affiliate.Affiliate) bool {
			scene.Must(w.DeleteLink(ctx, affiliate.LinkRef{Slug: "mara"}))
			return false
		},
		"renamed and deleted": func(ctx context.Context, w *scene.World, mara affiliate.Affiliate) bool {
			scene.Must(w.RenameLink(ctx, affiliate.LinkRef{Slug: "mara"}, "mara-2026"))
			scene.Must(w.DeleteLink(ctx, affiliate.LinkRef{Slug: "mara-2026"}))
			return false
		},
		"gone": func(ctx context.Context, w *scene.World, mara affiliate.Affiliate) bool {
			scene.Must(0, w.DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: mara.ID}))
			return false
		},
		"deleted, then gone": func(ctx context.Context, w *scene.World, mara affiliate.Affiliate) bool {
			scene.Must(w.DeleteLink(ctx, affiliate.LinkRef{Slug: "mara"}))
			scene.Must(0, w.DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: mara.ID}))
			return false
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, w := t.Context(), scene.New(t)
			mara, otto := w.Join("mara"), w.Join("otto")
			leads := lose(ctx, w, mara)
			click, err := w.TrackClick(ctx, affiliate.ClickParams{Slug: "Mara"})
			if leads && click.AffiliateID != mara.ID || !leads && err != affiliate.ErrNotFound {
				t.Errorf("a visit by the old slug: %+v, %v", click, err)
			}
			for how, take := range takers(w, "new@example.com", otto.ID, otto.AffiliateLinks[0].ID) {
				for _, slug := range []string{"mara", "MARA"} {
					before := w.Dump()
					if err := take(slug); !errors.Is(err, affiliate.SlugTaken) {
						t.Fatalf("%s takes %s: %v", how, slug, err)
					}
					scene.Equal(t, before, w.Dump())
				}
			}
			namesake := scene.Must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "M", LastName: "M", Email: "mara@other.example"}))
			scene.Equal(t, "mara-2", namesake.AffiliateLinks[0].Link)
			scene.Equal(t, "mara-3", scene.Must(w.Partner(namesake.ID).AddLink(ctx, "", 9)).Link)
			report := scene.Must(w.Imports().Affiliates(ctx, []imported.Affiliate{
				{Ref: "old:1", Email: "mara@third.example", FirstName: "M", OnConflict: imported.RenameSlug, Links: []imported.Link{{Slug: "Mara"}}},
				{Ref: "old:2", Email: "mara@fourth.example", FirstName: "M"},
			}))
			if len(report.Failed) > 0 {
				t.Fatalf("%+v", report)
			}
			for _, email := range []string{"mara@third.example", "mara@fourth.example"} {
				if got := scene.Must(w.Affiliate(ctx, email)).AffiliateLinks[0].Link; !strings.HasPrefix(strings.ToLower(got), "mara-") {
					t.Errorf("an imported slug is %s", got)
				}
			}
			w.Verifies()

			released := scene.Must(w.ReleaseSlug(ctx, "mara"))
			scene.Equal(t, affiliate.ReleasedSlug{Link: "mara", AffiliateID: mara.ID}, released)
			w.Refused(scene.MissingError(affiliate.LinkNotFound, "Affiliate link not found"), func() error { return scene.ErrOf(w.ReleaseSlug(ctx, "mara")) })
			if _, err := w.TrackClick(ctx, affiliate.ClickParams{Slug: "mara"}); err != affiliate.ErrNotFound {
				t.Errorf("a visit by the released slug: %v", err)
			}
			scene.Must(w.Partner(otto.ID).AddLink(ctx, "mara", 9))
			scene.Equal(t, otto.ID, scene.Must(w.TrackClick(ctx, affiliate.ClickParams{Slug: "mara"})).AffiliateID)
			w.Verifies()
		})
	}
}

// TestFormerSlugComesBack: whoever had a slug may have it again, with nothing of before.
func TestFormerSlugComesBack(t *testing.T) {
	ctx, w := t.Context(), scene.New(t)
	mara := w.Join("mara")
	link := mara.AffiliateLinks[0].ID
	scene.Must(w.RenameLink(ctx, affiliate.LinkRef{ID: link}, "new"))
	scene.Equal(t, []string{"mara"}, scene.Must(w.Links(ctx, affiliate.LinkQuery{Slug: affiliate.Set("MARA")}, affiliate.Page{})).Items[0].Aliases)
	back := scene.Must(w.RenameLink(ctx, affiliate.LinkRef{Slug: "mara"}, "Mara"))
	if back.ID != link || back.Link != "Mara" || len(back.Aliases) != 1 || back.Aliases[0] != "new" {
		t.Errorf("renamed back: %+v", back)
	}
	w.Verifies()
	scene.Must(w.DeleteLink(ctx, affiliate.LinkRef{ID: link}))
	if dump := strings.Join(w.Dump()["aliases"], "\n"); strings.Contains(strings.ToLower(dump), "mara\"") {
		t.Errorf("the name of a deleted link is kept: %s", dump)
	}
	for _, slug := range []string{"NEW", "mara"} {
		again := scene.Must(w.Partner(mara.ID).AddLink(ctx, slug, 9))
		if again.Clicks != 0 || again.Link != slug {
			t.Errorf("again: %+v", again)
		}
	}
	w.Verifies()
	scene.Equal(t, 0, len(w.Dump()["aliases"]))
}

// TestRenamedLinkAttributes: the old slug names the link and its affiliate wherever a slug does.
func TestRenamedLinkAttributes(t *testing.T) {
	ctx, w := t.Context(), scene.New(t)
	mara := w.Join("mara")
	link := mara.AffiliateLinks[0].ID
	scene.Must(w.RenameLink(ctx, affiliate.LinkRef{ID: link}, "new"))
	ref := scene.Must(w.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "mara", Name: "K", Email: "kim@b.co", ReferredUserExternalID: "1"}))
	sale := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "MARA", Email: "lee@b.co", Name: "L", TotalEarned: scene.Sum("100")})).Sale.Or(affiliate.Sale{})
	scene.Equal(t, []uuid.UUID{mara.ID, link}, []uuid.UUID{sale.AffiliateID, sale.AffiliateLinkID.Or(uuid.Nil)})
	scene.Equal(t, mara.ID, ref.AffiliateID)
	scene.Equal(t, mara.ID, scene.Must(w.Affiliate(ctx, "mara")).ID)
}

// TestReleaseSlug: what cannot be released is refused and changes nothing; what is, fires
// the event of the affiliate whose link it was.
func TestReleaseSlug(t *testing.T) {
	ctx, w := t.Context(), scene.New(t)
	mara := w.Join("mara")
	release := func(slug string) func() error { return func() error { return scene.ErrOf(w.ReleaseSlug(ctx, slug)) } }
	w.Refused(scene.FieldError(affiliate.MissingField, "link", "Link is required"), release(" "))
	w.Refused(scene.StateError(affiliate.SlugTaken, "link", "This link already exists for this affiliate program"), release("MARA"))
	for _, slug := range []string{"zzz", "a b", "\x00", strings.Repeat("a", 300)} {
		w.Refused(scene.MissingError(affiliate.LinkNotFound, "Affiliate link not found"), release(slug))
	}
	scene.Must(w.RenameLink(ctx, affiliate.LinkRef{Slug: "mara"}, "new"))
	scene.Equal(t, []string{"affiliate.updated " + mara.ID.String()}, w.FiredTypes(func() { scene.Must(w.ReleaseSlug(ctx, " Mara ")) }))
	scene.Equal(t, 0, len(scene.Must(w.Links(ctx, affiliate.LinkQuery{Slug: affiliate.Set("new")}, affiliate.Page{})).Items[0].Aliases))
	scene.Must(w.DeleteLink(ctx, affiliate.LinkRef{Slug: "new"}))
	scene.Equal(t, 0, len(w.FiredTypes(func() { scene.Must(w.ReleaseSlug(ctx, "NEW")) })))
	w.Verifies()
}

// TestFormerSlugsEnd: nobody reserves names by renaming on and on.
func TestFormerSlugsEnd(t *testing.T) {
	ctx, w := t.Context(), scene.New(t)
	mara := w.Join("mara")
	link := mara.AffiliateLinks[0].ID
	for i := range 100 {
		scene.Must(w.Partner(mara.ID).RenameLink(ctx, link, "n-"+strings.Repeat("x", i%50)+strings.Repeat("y", i/50)))
	}
	w.Refused(scene.StateError(affiliate.LinkLimitReached, "", "The link has had as many names as are kept: release one of them first"),
		func() error { return scene.ErrOf(w.Partner(mara.ID).RenameLink(ctx, link, "more")) })
	scene.Must(w.RenameLink(ctx, affiliate.LinkRef{ID: link}, "mara")) // one that it had
	scene.Must(w.ReleaseSlug(ctx, "n-x"))
	scene.Must(w.RenameLink(ctx, affiliate.LinkRef{ID: link}, "more"))
	w.Verifies()
}

// TestSlugsAreNoIDs: a slug never has the form of an id, as it never is the number of a
// click: an identifier would mean the affiliate with the id.
func TestSlugsAreNoIDs(t *testing.T) {
	ctx, w := t.Context(), scene.New(t)
	otto := w.Join("otto")
	id := "0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e11"
	for how, take := range takers(w, "new@example.com", otto.ID, otto.AffiliateLinks[0].ID) {
		for _, slug := range []string{id, strings.ToUpper(id), otto.ID.String(), uuid.Nil.String(), "7"} {
			before := w.Dump()
			if err := take(slug); !errors.Is(err, affiliate.SlugTaken) {
				t.Fatalf("%s takes %s: %v", how, slug, err)
			}
			scene.Equal(t, before, w.Dump())
		}
	}
	made := scene.Must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "M", LastName: "M", Email: id + "@other.example"}))
	scene.Equal(t, id+"-2", made.AffiliateLinks[0].Link)
	for _, slug := range []string{strings.ReplaceAll(id, "-", ""), id[:35], id + "0", "g" + id[1:]} { // no ids
		scene.Must(w.CreateLink(ctx, affiliate.LinkParams{Link: slug, AffiliateID: otto.ID}))
	}
}
