package portal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi/portal"
	"github.com/tributary-go/tributary/memstore"
)

var questions = [5]uuid.UUID{
	uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e11"), uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e12"), uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e13"),
	uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e14"), uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e15"),
}

// asks is a sign-up with a question of each kind, and terms.
func asks() *portal.SignUp {
	return &portal.SignUp{
		Questions: []portal.Question{
			{ID: questions[0], Label: "Where do you write?", Kind: portal.AskURL, Required: true},
			{ID: questions[1], Label: "For whom?", Kind: portal.AskLong},
			{ID: questions[2], Label: "How many readers?", Kind: portal.AskChoice, Choices: []string{"few", "many"}, Required: true},
			{ID: questions[3], Label: "Your company", Kind: portal.AskText},
		},
		Terms: portal.SignUpTerms{ID: questions[4], Version: "2026-01", Text: "Be honest.", URL: "https://beans.example/terms"},
	}
}

// filled is a right application on a page.
func filled(page pageAnswer, email string) url.Values {
	return page.form("firstName", " Cleo ", "lastName", "Cane", "email", email, "q-1", "https://blog.example/", "q-2", "All\r\nwho drink", "q-3", "many", "terms", "1")
}

// TestSignUp: an application becomes an affiliate that waits, with its answers, the version of
// the terms and the time; nothing tells whether an email is known.
func TestSignUp(t *testing.T) {
	w := newWorld(t, "", func(c *portal.Config) { c.SignUp = asks() })
	events := func() []affiliate.Event {
		return must(w.Events(t.Context(), affiliate.EventQuery{Type: affiliate.AffiliateCreated}, affiliate.Page{})).Items
	}
	before := len(events())
	page := w.get("", "apply")
	for _, says := range []string{"Become an affiliate", "Where do you write?", "For whom? can be left empty", "How many readers? Choose… few many", "Be honest. Read the terms", "I accept the terms, version 2026-01"} {
		if page.status != 200 || !strings.Contains(page.text(), says) {
			t.Errorf("%d, it does not say %q: %s", page.status, says, page.text())
		}
	}
	answers := map[string]pageAnswer{}
	for _, email := range []string{"Cleo@Blog.example", "cleo@blog.example", "ADA@example.org"} {
		answers[email] = w.post("", "apply", filled(w.get("", "apply"), email))
		if a := answers[email]; a.status != 303 || a.head.Get("Location") != answers["Cleo@Blog.example"].head.Get("Location") || a.body != "" || len(a.head.Values("Set-Cookie")) > 0 {
			t.Errorf("%s: %d %v %s", email, a.status, a.head, a.text())
		}
	}
	if thanks := w.get("", strings.TrimPrefix(answers["ADA@example.org"].head.Get("Location"), "./")); thanks.status != 200 || !strings.Contains(thanks.text(), "You will hear from it.") {
		t.Errorf("%d %s", thanks.status, thanks.text())
	}
	fired := events()
	if len(fired) != before+1 || fired[0].Actor != "applicant" {
		t.Fatalf("%d events, the last by %q", len(fired)-before, fired[0].Actor)
	}
	var payload struct {
		Body struct {
			QuestionAnswers []affiliate.Answer `json:"questionAnswers"`
			Status          affiliate.AffiliateStatus
			Source          affiliate.AffiliateSource
			FirstName       string
		} `json:"body"`
	}
	must(0, json.Unmarshal(fired[0].Payload, &payload))
	said := ""
	for _, a := range payload.Body.QuestionAnswers {
		said += fmt.Sprintf("%s %q\n", a.QuestionID.String()[34:], a.Answer)
	}
	want := "11 \"https://blog.example/\"\n12 \"All\\nwho drink\"\n13 \"many\"\n15 \"Accepted version 2026-01 at 2026-03-11T11:00:00.000Z\"\n"
	if b := payload.Body; said != want || b.Status != affiliate.AffiliateInactive || b.Source != "AFFILIATE_PORTAL" || b.FirstName != "Cleo" {
		t.Errorf("got %+v, answers %s", b, said)
	}
	if log := w.log.String(); !strings.Contains(log, "actor=applicant action=apply") || strings.Contains(log, "cleo") || !strings.Contains(log, "outcome=affiliate_email_taken") {
		t.Error(log)
	}
	waits := must(w.Affiliate(t.Context(), "cleo@blog.example"))
	if page := w.get(w.enter(waits.ID), ""); !strings.Contains(page.text(), "Your pages open when the program has approved you.") {
		t.Error(page.text())
	}
}

// TestSignUpRefuses: what is missing or wrong is said at its field, what was typed stays, and
// nothing is made; nor by forms of others, old ones, and those that the host's guard stops.
func TestSignUpRefuses(t *testing.T) {
	var stop error
	w := newWorld(t, "", func(c *portal.Config) {
		c.SignUp = asks()
		c.SignUp.Guard = func(r *http.Request) error {
			if r.PostForm.Get("email") == "" {
				t.Error("the guard sees no form")
			}
			return stop
		}
	})
	count := func() int {
		return len(must(w.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{Limit: 50})).Items)
	}
	before := count()
	right := filled(w.get("", "apply"), "new@blog.example")
	for _, bad := range []struct{ field, value, says string }{
		{"firstName", "", "required"}, {"lastName", strings.Repeat("x", 101), "more than 100"}, {"email", "no mail", "mail"},
		{"q-1", "", "required"}, {"q-1", "javascript:alert(1)", "no address of a page"}, {"q-1", "https://" + strings.Repeat("x", 500), "more than 500"},
		{"q-2", strings.Repeat("é", 5001), "more than 5000"}, {"q-2", "a\x00b", "cannot be seen"}, {"q-3", "", "required"}, {"q-3", "some", "Choose one"}, {"q-4", "a\tb\nc", "cannot be seen"},
		{"terms", "", "only if you accept"}, {"terms", "2", "only if you accept"},
	} {
		form := url.Values{}
		for name, values := range right {
			form[name] = values
		}
		form.Set(bad.field, bad.value)
		answer := w.post("", "apply", form)
		if answer.status != 400 || !strings.Contains(answer.text(), "This was not sent.") || !strings.Contains(answer.body, `id="w-`+bad.field+`"`) || !strings.Contains(answer.text(), bad.says) || bad.field != "firstName" && !strings.Contains(answer.body, `value="Cleo"`) {
			t.Errorf("%s %.20q: %d %s", bad.field, bad.value, answer.status, answer.text())
		}
	}
	for name, answer := range map[string]pageAnswer{
		"another site": w.post("", "apply", right, "Sec-Fetch-Site", "cross-site"), "another origin": w.post("", "apply", right, "Origin", "https://evil.example"),
		"no token": w.post("", "apply", url.Values{"email": {"new@blog.example"}}), "too large": w.post("", "apply", url.Values{"q-2": {strings.Repeat("x", 65<<10)}, "token": right["token"]}),
	} {
		if answer.status != 403 {
			t.Errorf("%s: %d", name, answer.status)
		}
	}
	extra := filled(w.get("", "apply"), "new@blog.example")
	extra.Set("affiliateStatus", "active")
	for name, answer := range map[string]pageAnswer{
		"another field": w.post("", "apply", extra), "a query": w.get("", "apply?email=x"), "a path": w.get(w.enter(w.ada.ID), "apply/x"),
	} {
		if answer.status != 404 {
			t.Errorf("%s: %d", name, answer.status)
		}
	}
	if answer := ask(w.pages, "PUT", "/partner/apply", ""); answer.status != 405 || answer.head.Get("Allow") != "GET, HEAD, POST" {
		t.Errorf("PUT: %d", answer.status)
	}
	if page := w.get("", "apply?done=x"); strings.Contains(page.text(), "Thank you") {
		t.Error(page.text())
	}
	stop = errors.New("secret detail")
	if answer := w.post("", "apply", right); answer.status != 429 || strings.Contains(answer.body, "secret") || !strings.Contains(w.log.String(), "secret detail") {
		t.Errorf("the guard: %d %s", answer.status, answer.text())
	}
	stop = nil
	w.now = w.now.Add(14 * time.Hour)
	old := w.post("", "apply", right) // what was typed is kept
	if old.status != 409 || !strings.Contains(old.text(), "too old") || !strings.Contains(old.body, `value="Cleo"`) || !strings.Contains(old.body, "All\nwho drink") {
		t.Errorf("an old form: %d %s", old.status, old.text())
	}
	if n := count(); n != before {
		t.Errorf("%d were made", n-before)
	}
	off := newWorld(t, "")
	if page := off.get("", "apply"); page.status != 403 || off.get(off.enter(off.ada.ID), "apply").status != 404 {
		t.Errorf("without a sign-up: %d", page.status)
	}
}

// TestSignUpConfig: what New refuses.
func TestSignUpConfig(t *testing.T) {
	w := newWorld(t, "")
	for name, change := range map[string]func(*portal.SignUp){
		"two with an id": func(s *portal.SignUp) { s.Questions[1].ID = s.Questions[0].ID }, "the id of the terms": func(s *portal.SignUp) { s.Questions[1].ID = s.Terms.ID }, "no id": func(s *portal.SignUp) { s.Questions[1].ID = uuid.Nil },
		"no label": func(s *portal.SignUp) { s.Questions[0].Label = " " }, "long label": func(s *portal.SignUp) { s.Questions[0].Label = strings.Repeat("x", 501) }, "kind": func(s *portal.SignUp) { s.Questions[0].Kind = "X" },
		"no choices": func(s *portal.SignUp) { s.Questions[2].Choices = nil }, "choices of a text": func(s *portal.SignUp) { s.Questions[0].Choices = []string{"a"} }, "empty choice": func(s *portal.SignUp) { s.Questions[2].Choices[0] = "" },
		"many": func(s *portal.SignUp) { s.Questions = make([]portal.Question, 21) }, "terms without an id": func(s *portal.SignUp) { s.Terms.ID = uuid.Nil }, "no version": func(s *portal.SignUp) { s.Terms.Version = "" },
		"no text": func(s *portal.SignUp) { s.Terms.Text, s.Terms.URL = "", "" }, "script": func(s *portal.SignUp) { s.Terms.URL = "javascript:alert(1)" },
	} {
		cfg := w.cfg
		cfg.SignUp = asks()
		change(cfg.SignUp)
		if _, err := portal.New(w.Program, cfg); err == nil || !strings.HasPrefix(err.Error(), "portal: SignUp: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	cfg := w.cfg
	cfg.SignUp = &portal.SignUp{}
	if page := ask(must(portal.New(w.Program, cfg)), "GET", "/partner/apply", ""); page.status != 200 || strings.Contains(page.text(), "terms") {
		t.Errorf("no questions: %d %s", page.status, page.text())
	}
}

// A slowStore takes its time to write.
type slowStore struct{ record.Store }

func (s slowStore) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	err := s.Store.Update(ctx, id, fn)
	if err == nil {
		time.Sleep(37 * time.Millisecond)
	}
	return err
}

// TestSignUpTime: the time of an answer does not tell whether the email is known.
func TestSignUpTime(t *testing.T) {
	w := newWorld(t, "", func(c *portal.Config) { c.SignUp = asks() })
	store := slowStore{memstore.New()}
	cfg := w.Config()
	w.Program = must(tributary.New(store, cfg))
	w.pages = must(portal.New(w.Program, w.cfg))
	must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "L", Email: "known@example.org"}))
	synctest.Test(t, func(t *testing.T) {
		took := map[string]time.Duration{}
		for _, who := range []string{"known", "unknown"} {
			form := filled(w.get("", "apply"), who+"@example.org")
			began := time.Now()
			if a := w.post("", "apply", form); a.status != 303 {
				t.Errorf("%s: %d", who, a.status)
			}
			took[who] = time.Since(began)
		}
		if took["known"] != took["unknown"] || took["known"] < 100*time.Millisecond {
			t.Errorf("answers take %v", took)
		}
	})
}
