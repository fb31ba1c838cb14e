package portal_test

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/portal"
)

// TestOwnLinks: where the host allows it, an affiliate makes and renames links; what the
// engine refuses is said at the field, and what was typed stays.
func TestOwnLinks(t *testing.T) {
	w := newWorld(t, "", func(c *portal.Config) { c.MaxLinks = 3 })
	cookie := w.enter(w.ada.ID)
	events := func() int { return len(must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items) }
	before := events()
	form := w.get(cookie, "links").form("link", " ada-blog ")
	for range 2 {
		if made := w.post(cookie, "links", form); made.status != 303 || events() != before+1 {
			t.Fatalf("%d %s, %d events", made.status, made.text(), events()-before)
		} else if page := w.get(cookie, strings.TrimPrefix(made.head.Get("Location"), "./")); !strings.Contains(page.body, `class="notice"`) || !strings.Contains(page.body, `value="https://beans.example/shop?ref=ada-blog" readonly`) {
			t.Error(page.body)
		}
	}
	for typed, says := range map[string]string{"bob": "This link already exists", "a b": "can only contain letters, numbers, and hyphens", "7": "can be the number of a click"} {
		refused := w.post(cookie, "links", w.get(cookie, "links").form("link", typed))
		if refused.status < 400 || refused.status > 409 || !strings.Contains(refused.text(), "No link was made. ") || !strings.Contains(refused.text(), says) || !strings.Contains(refused.body, `value="`+html.EscapeString(typed)+`" maxlength="100"`) || !strings.Contains(refused.body, `aria-invalid="true"`) {
			t.Errorf("%q: %d %s", typed, refused.status, refused.body)
		}
	}
	stale := w.get(cookie, "links")
	if made := w.post(cookie, "links", stale.form("link", "")); made.status != 303 {
		t.Errorf("without a name: %d %s", made.status, made.text())
	}
	full := w.post(cookie, "links", w.get(cookie, "links").form("link", "ada-more"))
	if full.status != 403 {
		t.Errorf("the page is full and has a form: %d", full.status)
	}
	form = stale.form("link", "ada-more")
	form.Set("nonce", "another")
	if full = w.post(cookie, "links", form); full.status != 400 || !strings.Contains(full.text(), "as many links as") || strings.Contains(full.body, `name="link"`) || strings.Contains(full.body, "#f-link") {
		t.Errorf("one too many: %d %s", full.status, full.text())
	}

	id := must(w.Links(t.Context(), affiliate.LinkQuery{Slug: affiliate.Set("ada-blog")}, affiliate.Page{})).Items[0].ID.String()
	at := "links/" + id
	old := w.get(cookie, at)
	before = events()
	if renamed := w.post(cookie, at, old.form("link", "ada-video")); renamed.status != 303 || events() != before+1 {
		t.Errorf("%d %s", renamed.status, renamed.text())
	} else if page := w.get(cookie, strings.TrimPrefix(renamed.head.Get("Location"), "./../")); !strings.Contains(page.text(), "The link has its new name.") || !strings.Contains(page.text(), "Link ada-video") {
		t.Error(page.text())
	}
	if again := w.post(cookie, at, old.form("link", "ada-photo")); again.status != 409 || !strings.Contains(again.text(), "This was changed meanwhile, to ada-video.") {
		t.Errorf("an old page: %d %s", again.status, again.text())
	}
	for _, typed := range []string{"bob", ""} {
		if refused := w.post(cookie, at, w.get(cookie, at).form("link", typed)); refused.status < 400 || !strings.Contains(refused.text(), "The link was not renamed. ") || !strings.Contains(refused.body, `aria-invalid="true"`) {
			t.Errorf("%q: %d %s", typed, refused.status, refused.text())
		}
	}
	theirs := must(w.Partner(w.bob.ID).Links(t.Context(), affiliate.Page{})).Items[0].ID.String()
	for _, path := range []string{"links/" + theirs, "links/" + uuid.NewString(), "links/" + strings.ToUpper(id), "links/x", "links?affiliate=" + w.bob.ID.String()} {
		if page := w.get(cookie, path); page.status != 404 {
			t.Errorf("%s: %d", path, page.status)
		}
	}
	form = w.get(cookie, at).form("link", "mine")
	if answer := w.post(cookie, "links/"+theirs, form); answer.status != 403 {
		t.Errorf("the form of another link: %d", answer.status)
	}
	if answer := w.post(w.enter(w.bob.ID), at, form); answer.status != 403 {
		t.Errorf("the form of another affiliate: %d", answer.status)
	}
	who := "actor=affiliate:" + w.ada.ID.String()
	if log := w.log.String(); !strings.Contains(log, who+" action=link-add") || !strings.Contains(log, who+" action=link-rename") || !strings.Contains(log, "outcome=slug_taken") || strings.Contains(log, "ada-") {
		t.Error(log)
	}

	form = w.get(cookie, at).form("link", "mine")
	must(w.SetAffiliateStatus(t.Context(), affiliate.AffiliateBanned, w.ada.ID))
	if page := w.get(cookie, at); page.status != 200 || strings.Contains(page.body, `name="link"`) || w.post(cookie, at, form).status != 403 {
		t.Errorf("banned: %d %s", page.status, page.text())
	}
}

// TestNoOwnLinks: without MaxLinks there is a list, and no form is taken.
func TestNoOwnLinks(t *testing.T) {
	w := newWorld(t, "")
	cookie := w.enter(w.ada.ID)
	page := w.get(cookie, "links")
	if page.status != 200 || !strings.Contains(page.body, `data-copy="https://beans.example/shop?ref=ada"`) || strings.Contains(page.body, `name="link"`) || strings.Contains(page.body, "Rename") {
		t.Errorf("%d %s", page.status, page.body)
	}
	if answer := w.post(cookie, "links", w.get(cookie, "payout-details").form("link", "mine")); answer.status != 403 || len(must(w.Partner(w.ada.ID).Links(t.Context(), affiliate.Page{})).Items) != 1 {
		t.Errorf("%d %s", answer.status, answer.text())
	}
	for i := range 6 {
		must(w.CreateLink(t.Context(), affiliate.LinkParams{AffiliateID: w.ada.ID, Link: fmt.Sprint("more-", i)}))
	}
	if over := w.get(cookie, ""); strings.Count(over.body, "data-copy") != 5 || !strings.Contains(over.text(), "All links") {
		t.Error(over.text())
	}
}
