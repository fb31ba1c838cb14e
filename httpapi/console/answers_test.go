package console_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
)

// TestAnswers: the page of an affiliate has what they answered when they signed up, with the questions that
// the host names, until the person is erased.
func TestAnswers(t *testing.T) {
	site, other := uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-000000000001"), uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-000000000002")
	w := newWorld(t, func(_ *tributary.Config, c *console.Config) {
		c.Questions = map[uuid.UUID]string{site: "Where do you write?"}
	})
	a := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{
		FirstName: "App", LastName: "Licant", Email: "app@example.org", AffiliateStatus: "inactive",
		Answers: []affiliate.Answer{{QuestionID: site, Answer: "<b>https://blog.example</b>"}, {QuestionID: other, Answer: "Accepted version 2"}},
	}))
	page := "affiliates/" + a.ID.String()
	want := "What they answered Where do you write? <b>https://blog.example</b> " + other.String() + " Accepted version 2"
	for range 2 {
		if got := w.get(page); !strings.Contains(got.text(), want) {
			t.Errorf("%d %s", got.status, got.text())
		}
		must(w.SetAffiliateStatus(t.Context(), affiliate.AffiliateActive, a.ID))
	}
	must(0, w.EraseAffiliate(t.Context(), a.ID))
	if got := w.get(page); got.status != 200 || strings.Contains(got.text(), "What they answered") {
		t.Errorf("%d %s", got.status, got.text())
	}
}

// TestNote: the page of an affiliate shows what the people of the program wrote, as text with its lines. The
// form that edits an affiliate changes it, and leaves it alone when nobody touched it.
func TestNote(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	page, edit := "affiliates/"+w.ada.ID.String(), "affiliates/"+w.ada.ID.String()+"/edit"
	if got := w.form(edit, "note", strings.Repeat("é", 2001)); w.send(edit, got).status != 400 {
		t.Error("2001 characters")
	}
	if got := w.send(edit, w.form(edit, "note", "pays <b>late\r\n\u202eask Kim ")); got.status != 303 {
		t.Fatalf("%d %s", got.status, got.text())
	}
	ada := must(w.Affiliate(t.Context(), w.ada.ID.String()))
	if ada.Note != "pays <b>late\n\u202eask Kim" {
		t.Errorf("the note is %q", ada.Note)
	}
	if got := w.get(page); !strings.Contains(got.body, "<p class=\"lines\"><bdi>pays &lt;b&gt;late\nU&#43;202Eask Kim</bdi></p>") {
		t.Errorf("the page: %s", got.body)
	}
	if got := w.get(page); !strings.Contains(got.text(), "affiliate.updated what events do not have, such as the note ops ") {
		t.Errorf("the history: %s", got.text())
	}
	if got := w.get(edit); !strings.Contains(got.body, "<textarea dir=\"auto\" id=\"f-note\"") {
		t.Errorf("the form: %s", got.body)
	}
	if got := w.send(edit, w.form(edit, "lastName", "Byron")); got.status != 303 || must(w.Affiliate(t.Context(), w.ada.ID.String())).Note != ada.Note {
		t.Errorf("another change: %d, %q", got.status, must(w.Affiliate(t.Context(), w.ada.ID.String())).Note)
	}
	if got := w.send(edit, w.form(edit, "note", "")); got.status != 303 || strings.Contains(w.get(page).body, `id="note"`) {
		t.Errorf("an empty note: %d", got.status)
	}
}
