package partner_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestPartnerLinks: an affiliate makes and renames own links as the API would, up to a
// number, while active, and none of anybody else.
func TestPartnerLinks(t *testing.T) {
	ctx, w := t.Context(), scene.New(t)
	ada, bob := w.Join("ada"), w.Join("bob")
	mine := w.Partner(ada.ID)
	updated := []string{"affiliate.updated " + ada.ID.String()}
	one := scene.Must(mine.Links(ctx, affiliate.Page{})).Items[0]
	var made uuid.UUID
	scene.Equal(t, updated, w.FiredTypes(func() {
		link := scene.Must(mine.AddLink(ctx, "ada-blog", 3))
		if made = link.ID; link.Link != "ada-blog" || link.Clicks != 0 {
			t.Errorf("got %+v", link)
		}
	}))
	scene.Equal(t, scene.Must(mine.Link(ctx, made)), scene.Must(mine.Links(ctx, affiliate.Page{})).Items[0])
	scene.Equal(t, updated, w.FiredTypes(func() {
		if link := scene.Must(mine.AddLink(ctx, "", 3)); !strings.HasPrefix(link.Link, "ada") || link.Link == "ada-blog" || link.Link == one.Link {
			t.Errorf("got %+v", link)
		}
	}))
	full := scene.StateError(affiliate.LinkLimitReached, "", "Affiliate has as many links as the program allows")
	for _, most := range []int{3, 2, 0, -1} {
		w.Refused(full, func() error { return scene.ErrOf(mine.AddLink(ctx, "ada-more", most)) })
	}
	w.Refused(full, func() error { return scene.ErrOf(w.Partner(bob.ID).AddLink(ctx, "bob-more", 0)) })
	scene.Equal(t, updated, w.FiredTypes(func() {
		for range 2 {
			if link := scene.Must(mine.RenameLink(ctx, made, "ada-video")); link.ID != made || link.Link != "ada-video" {
				t.Errorf("got %+v", link)
			}
		}
	}))
	if e := scene.Must(w.Events(ctx, affiliate.EventQuery{}, affiliate.Page{Limit: 1})).Items[0]; e.Actor != "affiliate:"+ada.ID.String() {
		t.Errorf("the event is by %q", e.Actor)
	}
	taken := func(field string) affiliate.Error {
		return scene.StateError(affiliate.SlugTaken, field, "This link already exists for this affiliate program")
	}
	bad := func(field string) affiliate.Error {
		return scene.FieldError(affiliate.SlugSyntax, field, "Link can only contain letters, numbers, and hyphens")
	}
	w.Refused(taken("link"), func() error { return scene.ErrOf(mine.AddLink(ctx, "BOB", 9)) })
	w.Refused(taken("newLink"), func() error { return scene.ErrOf(mine.RenameLink(ctx, made, "bob")) })
	w.Refused(bad("link"), func() error { return scene.ErrOf(mine.AddLink(ctx, "a b", 9)) })
	w.Refused(bad("newLink"), func() error { return scene.ErrOf(mine.RenameLink(ctx, made, "a/b")) })
	w.Refused(scene.FieldError(affiliate.MissingField, "newLink", "New link is required"), func() error { return scene.ErrOf(mine.RenameLink(ctx, made, "")) })
	theirs := scene.Must(w.Partner(bob.ID).Links(ctx, affiliate.Page{})).Items[0].ID
	if _, err := mine.Link(ctx, theirs); err != affiliate.ErrNotFound {
		t.Errorf("a link of somebody else: %v", err)
	}
	for _, id := range []uuid.UUID{theirs, uuid.Max, uuid.Nil} {
		w.Refused(scene.MissingError(affiliate.LinkNotFound, "Affiliate link not found"), func() error { return scene.ErrOf(mine.RenameLink(ctx, id, "other")) })
	}
	scene.Must(w.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, ada.ID))
	for _, call := range []func() error{
		func() error { return scene.ErrOf(mine.AddLink(ctx, "ada-more", 9)) },
		func() error { return scene.ErrOf(mine.RenameLink(ctx, made, "other")) },
	} {
		w.Refused(scene.StateError(affiliate.StatusNotAllowed, "", "The present status does not allow this change"), call)
	}
	if _, err := w.Partner(uuid.Max).AddLink(ctx, "nobody", 9); err != affiliate.ErrNotFound {
		t.Errorf("nobody: %v", err)
	}
}
