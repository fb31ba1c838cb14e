package imports_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// A slug that a click can have as its number is refused wherever a link gets a slug:
// an identifier of digits names the click (rule 4.4).
func TestSlugOfDigits(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	ada := w.Ada()
	person := affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "ben@example.com"}
	for name, call := range map[string]func(slug string) error{
		"link": func(slug string) error {
			return scene.ErrOf(w.CreateLink(ctx, affiliate.LinkParams{Link: slug, AffiliateID: ada.Person.ID}))
		},
		"rename": func(slug string) error { return scene.ErrOf(w.RenameLink(ctx, affiliate.LinkRef{Slug: "ada"}, slug)) },
		"affiliate": func(slug string) error {
			in := person
			in.AffiliateLink = slug
			return scene.ErrOf(w.CreateAffiliate(ctx, in))
		},
		"update": func(slug string) error {
			return scene.ErrOf(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: ada.Person.ID}, affiliate.AffiliateUpdate{AffiliateLink: affiliate.Set(slug)}))
		},
	} {
		for _, slug := range []string{"1", "7", "20261125", "9223372036854775807"} {
			before := w.Dump()
			if err := call(slug); !errors.Is(err, affiliate.SlugTaken) {
				t.Errorf("%s %s: %v", name, slug, err)
			}
			scene.Equal(t, before, w.Dump())
		}
	}
	for _, free := range []string{"007", "9223372036854775808", "7-", "7a"} { // no click has these numbers
		scene.Must(w.CreateLink(ctx, affiliate.LinkParams{Link: free, AffiliateID: ada.Person.ID}))
	}
	person.Email = "12345@example.com"
	if got := scene.Must(w.CreateAffiliate(ctx, person)).AffiliateLinks[0].Link; got != "12345-2" {
		t.Errorf("a generated slug is %s", got)
	}
	w.Verifies()
}

// An imported slug of digits is a conflict: left out, renamed or refused as the row
// says.
func TestImportSlugOfDigits(t *testing.T) {
	for conflict, want := range map[imported.SlugConflict]string{"": "ben", imported.RenameSlug: "42-2", imported.RefuseRow: ""} {
		w := scene.New(t)
		row := imported.Affiliate{Ref: "old:1", Email: "ben@example.com", FirstName: "Ben", OnConflict: conflict, Links: []imported.Link{{Slug: "42", Ref: "old:link:42"}}}
		report := scene.Must(w.Imports().Affiliates(t.Context(), []imported.Affiliate{row}))
		if want == "" {
			if len(report.Failed) != 1 || !errors.Is(report.Failed[0].Err, affiliate.SlugTaken) {
				t.Errorf("refused: %+v", report)
			}
			continue
		}
		links := scene.Must(w.Links(t.Context(), affiliate.LinkQuery{AffiliateEmail: affiliate.Set("ben@example.com")}, affiliate.Page{})).Items
		if len(links) != 1 || links[0].Link != want || len(report.Notes) != 1 || !errors.Is(report.Notes[0].Err, affiliate.SlugTaken) {
			t.Errorf("%q: %+v, notes %v", conflict, links, report.Notes)
		}
		w.Verifies()
	}
}

// Slugs of another service that are none here go on attributing, as aliases of a link
// with a slug of its own.
func TestImportedAliases(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	rows := []imported.Affiliate{
		{Ref: "old:1", Email: "ben@example.com", FirstName: "Ben", Links: []imported.Link{{Slug: "ben_b"}, {Slug: "ben.b"}, {Slug: "ben-b"}}},
		{Ref: "old:2", Email: "jose@example.com", FirstName: "José", Links: []imported.Link{{Slug: "josé"}, {Slug: "日本"}}},
		{Ref: "old:3", Email: "bea@example.com", FirstName: "Bea", Links: []imported.Link{{Slug: "ben b"}}},
	}
	report := scene.Must(w.Imports().Affiliates(ctx, rows))
	if report.Created != 3 || len(report.Failed) != 0 {
		t.Fatalf("%+v", report)
	}
	owner := map[string]string{"ben_b": "ben@example.com", "Ben.B": "ben@example.com", "ben-b": "ben@example.com", " josé": "jose@example.com", "日本": "jose@example.com", "ben b": "bea@example.com"}
	for slug, email := range owner {
		found := scene.Must(w.Affiliate(ctx, slug))
		click := scene.Must(w.TrackClick(ctx, affiliate.ClickParams{Slug: slug}))
		sale, _ := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: slug, Email: "c" + scene.JSON(click.ID) + "@shop.example", Name: "C", TotalEarned: scene.Sum("10")})).Sale.Get()
		if found.Email != email || click.AffiliateID != found.ID || sale.AffiliateID != found.ID {
			t.Errorf("%s leads to %s, click of %s, sale of %s", slug, found.Email, click.AffiliateID, sale.AffiliateID)
		}
	}
	links := scene.Must(w.Links(ctx, affiliate.LinkQuery{Slug: affiliate.Set("ben.b")}, affiliate.Page{})).Items
	if len(links) != 1 || links[0].Link != "ben-b" {
		t.Fatalf("%+v", links)
	}
	scene.Equal(t, []string{"ben_b", "ben.b"}, links[0].Aliases)
	if all := scene.Must(w.Links(ctx, affiliate.LinkQuery{AffiliateEmail: affiliate.Set("bea@example.com")}, affiliate.Page{})).Items; len(all) != 1 || all[0].Link != "ben-b-2" {
		t.Errorf("%+v", all)
	}
	again := scene.Must(w.Imports().Affiliates(ctx, rows))
	if again.Existing != 3 {
		t.Errorf("again: %+v", again)
	}
	w.Verifies()

	// A new link still needs a slug; a renamed link keeps its aliases, a deleted one not.
	if _, err := w.CreateLink(ctx, affiliate.LinkParams{Link: "ben_c", AffiliateID: links[0].Affiliate.ID}); !errors.Is(err, affiliate.SlugSyntax) {
		t.Errorf("new link: %v", err)
	}
	scene.Must(w.RenameLink(ctx, affiliate.LinkRef{ID: links[0].ID}, "ben-new"))
	if got := scene.Must(w.TrackClick(ctx, affiliate.ClickParams{Slug: "ben_b"})); got.AffiliateID != links[0].Affiliate.ID {
		t.Errorf("after a rename: %+v", got)
	}
	scene.Must(w.DeleteLink(ctx, affiliate.LinkRef{ID: links[0].ID}))
	if _, err := w.TrackClick(ctx, affiliate.ClickParams{Slug: "ben_b"}); !errors.Is(err, affiliate.ErrNotFound) {
		t.Errorf("after the deletion: %v", err)
	}
	if err := w.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: scene.Must(w.Affiliate(ctx, "josé")).ID}); err != nil {
		t.Error(err)
	}
	w.Verifies()
}

func TestVerifySaysAliases(t *testing.T) {
	add := func(alias string, link func(b *scene.Ledger) uuid.UUID) func(*scene.Ledger, *record.Tx) error {
		return func(b *scene.Ledger, tx *record.Tx) error {
			return tx.Aliases.Insert(record.Alias{ID: uuid.Max, LinkID: link(b), Alias: alias})
		}
	}
	own := func(b *scene.Ledger) uuid.UUID { return b.Link.ID }
	scene.RunSayings(t, []scene.Saying{
		{Name: "a slug", Change: add("ada", own), Want: "I84: does not lead"},
		{Name: "of no link", Change: add("a_b", func(*scene.Ledger) uuid.UUID { return uuid.Max }), Want: "I84: does not lead"},
		{Name: "not named", Change: add("a_b", own), Want: "I84: it names 0 aliases, 1"},
	})
}
