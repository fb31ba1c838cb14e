package console_test

import (
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// What the console changes is said to be done by who is logged in, and the history shows it.
func TestHistory(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	edit := "affiliates/" + w.ada.ID.String() + "/edit"
	if page := w.send(edit, w.form(edit, "lastName", "Byron")); page.status != 303 {
		t.Fatalf("%d %s", page.status, page.text())
	}
	newest := must(w.Events(t.Context(), affiliate.EventFilter{ObjectID: affiliate.Set(w.ada.ID.String())}, affiliate.Page{Limit: 1})).Items[0]
	if newest.Type != affiliate.AffiliateUpdated || newest.Actor != "ops" {
		t.Errorf("%s was done by %q", newest.Type, newest.Actor)
	}
	history := "events?object=" + w.ada.ID.String()
	if !strings.Contains(w.get("affiliates/"+w.ada.ID.String()).body, history) {
		t.Error("the page of an affiliate does not lead to its history")
	}
	for _, address := range []string{history, "events/" + newest.ID.String()} {
		if page := w.get(address).text(); !strings.Contains(page, "ops") {
			t.Errorf("%s does not say who: %s", address, page)
		}
	}
}
