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
	a := must(w.CreateAffiliate(t.Context(), affiliate.NewAffiliate{
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
