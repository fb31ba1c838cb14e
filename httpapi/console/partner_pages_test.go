package console_test

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/httpapi/portal"
)

// partnerPages gives the console the partner pages, in which everything is allowed.
func partnerPages(engine *tributary.Config, cfg *console.Config) {
	cfg.PartnerPages = func(p *tributary.Program, of uuid.UUID, back string) http.Handler {
		pages := must(portal.New(p, portal.Config{
			Prefix: "/partner/", Key: key, MaxLinks: 9, Back: "/elsewhere", Frames: []string{"https://shop.example"},
			SignUp: &portal.SignUp{}, Logger: slog.New(slog.DiscardHandler),
		}))
		return pages.As(p, of, back)
	}
}

// TestPartnerPages: all pages of an affiliate can be seen from the console, and each says
// so and leads back. None of their forms changes anything, and each look is logged.
func TestPartnerPages(t *testing.T) {
	w := newWorld(t, partnerPages)
	w.fill("")
	of := "/affiliates/" + w.ada.ID.String()
	if !strings.Contains(ask(w.desk, "GET", of, "").body, w.ada.ID.String()+"/pages/") {
		t.Error("the page of the affiliate does not lead to theirs")
	}
	top := of + "/pages/"
	seen, forms := map[string]bool{top: true}, 0
	for todo := []string{top}; len(todo) > 0; {
		at := todo[0]
		todo = todo[1:]
		w.log.reset()
		page := ask(w.desk, "GET", at, "")
		if page.status != 200 {
			t.Errorf("%s: %d", at, page.status)
		}
		for _, part := range []string{`msg="console look"`, " actor=ops ", " object=affiliate:" + w.ada.ID.String(), " request_id="} {
			if log := w.log.String(); strings.Count(log, "\n") != 1 || !strings.Contains(log, part) {
				t.Errorf("%s is logged without %q: %s", at, part, log)
			}
		}
		html := strings.HasPrefix(page.head.Get("Content-Type"), "text/html")
		if html && !strings.Contains(page.body, "Nothing can be changed here.") {
			t.Errorf("%s does not say whose pages they are", at)
		}
		back := false
		for _, e := range elements(t, page) {
			to := e.attrs["href"]
			if e.name == "form" {
				to = e.attrs["action"]
			}
			if to == "" || strings.HasPrefix(to, "#") || strings.HasPrefix(to, "data:") || e.name != "a" && e.name != "form" {
				continue
			}
			target := must(must(url.Parse("http://x" + at)).Parse(to)).RequestURI()
			switch {
			case target == of:
				back = true
			case !strings.HasPrefix(target, top):
				t.Errorf("%s leads out, to %s", at, target)
			case e.name == "form":
				forms++
				before := w.dump()
				if sent := ask(w.desk, "POST", target, fieldsOf(t, page.body).Encode()); sent.status != 403 {
					t.Errorf("the form of %s: %d", at, sent.status)
				}
				if w.dump() != before {
					t.Errorf("the form of %s changes something", at)
				}
			case !seen[target]:
				seen[target] = true
				todo = append(todo, target)
			}
		}
		if html && !back {
			t.Errorf("%s does not lead back", at)
		}
	}
	if len(seen) < 15 || forms < 2 {
		t.Errorf("%d pages, %d forms", len(seen), forms)
	}
}

// TestPartnerPagesOfNobody: there are no pages of somebody who is not there, nor for somebody
// who may not see the console, nor where the host gives none.
func TestPartnerPagesOfNobody(t *testing.T) {
	w, without := newWorld(t, partnerPages), newWorld(t)
	w.fill("")
	without.fill("")
	top := "/affiliates/" + w.ada.ID.String() + "/pages/"
	for name, page := range map[string]pageAnswer{
		"unknown":                    ask(w.desk, "GET", "/affiliates/"+uuid.NewString()+"/pages/", ""),
		"no id":                      ask(w.desk, "GET", "/affiliates/ada/pages/", ""),
		"not a page":                 ask(w.desk, "GET", top+"sales/../", ""),
		"another page":               ask(w.desk, "GET", strings.TrimSuffix(top, "/")+"x/", ""),
		"signing up":                 ask(w.desk, "GET", top+"apply", ""),
		"no partner pages are there": ask(without.desk, "GET", "/affiliates/"+without.ada.ID.String()+"/pages/", ""),
	} {
		if page.status != 404 {
			t.Errorf("%s: %d", name, page.status)
		}
	}
	if page := ask(w.desk, "GET", top, "", "Actor", ""); page.status != 403 || strings.Contains(page.body, w.ada.Name) {
		t.Errorf("who is not let in sees %s", page.text())
	}
	if strings.Contains(ask(without.desk, "GET", "/affiliates/"+without.ada.ID.String(), "").body, "/pages/") {
		t.Error("a page that is not there has a link")
	}
	if page := ask(w.desk, "GET", strings.TrimSuffix(top, "/"), ""); page.status != 308 || page.head.Get("Location") != "./pages/" {
		t.Errorf("without a slash: %d %s", page.status, page.head.Get("Location"))
	}
}
