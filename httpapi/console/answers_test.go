package console_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
)

// The page of an affiliate has the answers of the application, under the host's questions.
func TestAnswers(t *testing.T) {
	known, other := uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e11"), uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e12")
	w := newWorld(t, func(_ *tributary.Config, c *console.Config) {
		c.Questions = map[uuid.UUID]string{known: "Where do you write?"}
	})
	a := must(w.CreateAffiliate(t.Context(), affiliate.NewAffiliate{
		FirstName: "Zoe", LastName: "Z", Email: "zoe@example.org", AffiliateStatus: "inactive",
		Answers: []affiliate.Answer{{QuestionID: known, Answer: "https://blog.example <b>"}, {QuestionID: other, Answer: "Accepted version 3"}},
	}))
	page := w.get("affiliates/" + a.ID.String())
	if !strings.Contains(page.text(), "Application Where do you write? https://blog.example <b> "+other.String()+" Accepted version 3") || !strings.Contains(page.body, "example &lt;b&gt;") {
		t.Errorf("%s", page.text())
	}
}
