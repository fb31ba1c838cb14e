package portal_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"html"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
	"github.com/tributary-go/tributary/httpapi/portal"
	"github.com/tributary-go/tributary/memstore"
)

// germanTexts are those of texts/de.json, by the English ones: all that the pages say.
var germanTexts = sync.OnceValue(func() (texts map[string]string) {
	must(0, json.Unmarshal(must(os.ReadFile("texts/de.json")), &texts))
	return texts
})

// wrapped is a language whose texts are the English ones between brackets. The tests of this
// package ask for pages in it.
const wrapped = "qps"

func wrappedTexts() map[string]string {
	texts := map[string]string{}
	for english := range germanTexts() {
		if english != page.NumberText {
			texts[english] = "⟦" + strings.ReplaceAll(english, "|", "⟧|⟦") + "⟧"
		}
	}
	return texts
}

// unwrap returns a page in English, if it is in the language [wrapped]. It panics when that says
// anything outside of the brackets: it comes from no catalogue.
func unwrap(target, body string) string {
	if !strings.Contains(body, `<html lang="`+wrapped+`">`) {
		return body
	}
	if texts := outside(body); len(texts) > 0 {
		panic(fmt.Sprintf("%s says %q, which no catalogue has: let T say it, and put it into texts/de.json", target, texts))
	}
	return strings.NewReplacer("⟦", "", "⟧", "", `lang="`+wrapped+`"`, `lang="en"`).Replace(body)
}

var (
	dataOf = regexp.MustCompile(`(?s)<(?:bdi|code|pre|textarea)\b[^>]*>.*?</(?:bdi|code|pre|textarea)>` +
		`|<option(?: selected)?>.*?</option>|<small>https://…</small>|· (?:Northwind )?Beans</title>`)
	said   = regexp.MustCompile(`(?:aria-label|data-label|data-copied|data-by-hand|placeholder|alt|title)="([^"]*)"`)
	inside = regexp.MustCompile(`⟦[^⟦⟧]*⟧`)
)

// outside returns what a page says outside of the brackets. What people gave, and what is typed as
// it stands, is no text.
func outside(body string) (texts []string) {
	body = dataOf.ReplaceAllString(body, "")
	parts := []string{body} // a sentence goes on over the tags in it
	for _, tag := range tags.FindAllString(body, -1) {
		for _, m := range said.FindAllStringSubmatch(tag, -1) {
			parts = append(parts, m[1])
		}
	}
	for _, part := range parts {
		part = tags.ReplaceAllString(part, "\n")
		for inside.MatchString(part) {
			part = inside.ReplaceAllString(part, "")
		}
		for line := range strings.Lines(html.UnescapeString(part)) {
			if strings.ContainsFunc(line, unicode.IsLetter) {
				texts = append(texts, strings.TrimSpace(line))
			}
		}
	}
	return texts
}

// speakers are the functions that say a text in the language of a visit.
var speakers = []string{"T", "Say", "Several", "wrong"}

// silent are the functions whose texts nobody reads on a page.
var silent = []string{"New", "Errorf", "audit", "auditOf", "tooMany", "refused", "InfoContext", "WarnContext", "NewForms", "NewSHA1", "Set", "methodNotAllowed"}

// unsaid are other texts that nobody reads on a page.
var unsaid = []string{"GET, HEAD", "GET, HEAD, POST", "Accepted version "}

// inTemplates finds the texts that a template says, which may stand in Go code.
var inTemplates = regexp.MustCompile(`\.(?:T|Say) ("(?:[^"\\]|\\.)*")`)

// A code is what stands in the code of a folder.
type code struct {
	says  []string // that is said
	prose []string // that looks like a sentence, and nobody says
	bare  []string // that a function uses, not says, outside of a table
	all   []string
}

func readCode(folder string) (c code) {
	for _, name := range must(filepath.Glob(folder + "/templates/*.html")) {
		c.template(string(must(os.ReadFile(name))))
	}
	for _, name := range must(filepath.Glob(folder + "/*.go")) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		ast.PreorderStack(must(parser.ParseFile(token.NewFileSet(), name, nil, 0)), nil, func(n ast.Node, in []ast.Node) bool {
			if lit, is := n.(*ast.BasicLit); is && lit.Kind == token.STRING {
				c.literal(must(strconv.Unquote(lit.Value)), callee(in))
				if used(in) && !slices.Contains(speakers, callee(in)) {
					c.bare = append(c.bare, must(strconv.Unquote(lit.Value)))
				}
			}
			return true
		})
	}
	return c
}

// callee is the name of the function that has a node as an argument; empty: none has.
func callee(in []ast.Node) string {
	for _, node := range slices.Backward(in) {
		if call, is := node.(*ast.CallExpr); is {
			switch fun := call.Fun.(type) {
			case *ast.SelectorExpr:
				return fun.Sel.Name
			case *ast.Ident:
				return fun.Name
			}
		}
	}
	return ""
}

// used reports whether a node stands in a function, and in no table.
func used(in []ast.Node) bool {
	table := slices.ContainsFunc(in, func(n ast.Node) bool { _, is := n.(*ast.CompositeLit); return is })
	function := slices.ContainsFunc(in, func(n ast.Node) bool { _, is := n.(*ast.FuncDecl); return is })
	return function && !table
}

func (c *code) template(text string) {
	for _, m := range inTemplates.FindAllStringSubmatch(text, -1) {
		c.says = append(c.says, must(strconv.Unquote(m[1])))
	}
}

func (c *code) literal(text, by string) {
	c.template(text)
	c.all = append(c.all, text)
	switch {
	case slices.Contains(speakers, by):
		c.says = append(c.says, text)
	case !slices.Contains(silent, by) && !slices.Contains(unsaid, text) && strings.Contains(strings.TrimSpace(text), " "):
		c.prose = append(c.prose, text)
	}
}

// enums are the enumerations that the pages show in words.
var enums = []string{"SaleStatus", "ApprovalStatus", "PayoutStatus", "SubscriptionStatus", "PaymentMethod", "Cause", "AdjustmentKind", "PaymentTrigger"}

// enumWords are the words of their values.
func enumWords() (words []string) {
	for _, name := range must(filepath.Glob("../../affiliate/*.go")) {
		ast.Inspect(must(parser.ParseFile(token.NewFileSet(), name, nil, 0)), func(n ast.Node) bool {
			spec, is := n.(*ast.ValueSpec)
			if !is || len(spec.Values) == 0 {
				return true
			}
			of, _ := spec.Type.(*ast.Ident)
			lit, is := spec.Values[0].(*ast.BasicLit)
			if of == nil || !is || !slices.Contains(enums, of.Name) {
				return true
			}
			word := page.Words(must(strconv.Unquote(lit.Value)))
			if of.Name == "PaymentTrigger" { // in a sentence
				word = strings.ToLower(word)
			}
			words = append(words, word)
			return true
		})
	}
	return words
}

// TestCatalogue: German has a text for everything that the code of these pages says, and no other one.
func TestCatalogue(t *testing.T) {
	ours, shared, refusals := readCode("."), readCode("../internal/page"), readCode("../../internal/refusal")
	says := slices.Concat(ours.says, ours.prose, shared.says, enumWords())
	for _, text := range says {
		if _, there := germanTexts()[text]; !there {
			t.Errorf("texts/de.json lacks %q", text)
		}
	}
	for _, text := range ours.bare {
		if _, there := germanTexts()[text]; there {
			t.Errorf("%q is used in English: let T say it", text)
		}
	}
	if len(ours.says) < 200 || len(shared.says) < 20 || len(enumWords()) < 40 {
		t.Errorf("only %d, %d and %d texts were found", len(ours.says), len(shared.says), len(enumWords()))
	}
	known := slices.Concat(says, ours.all, shared.all, refusals.all)
	for _, text := range refusals.all {
		known = append(known, "%s "+text) // behind the name of a field
	}
	for status := range 600 {
		known = append(known, http.StatusText(status))
	}
	for month := time.January; month <= time.December; month++ {
		known = append(known, month.String(), month.String()[:3])
	}
	for text := range germanTexts() {
		if !slices.Contains(known, text) && !affiliate.Currency(text).Known() {
			t.Errorf("no page says %q", text)
		}
	}
	if twice := regexp.MustCompile(`(?m)^\t(".*?"): "`).FindAllString(string(must(os.ReadFile("texts/de.json"))), -1); len(twice) != len(germanTexts()) {
		t.Errorf("%d texts, %d of them different", len(twice), len(germanTexts()))
	}
}

// TestTexts: what a host adds or replaces, and what New refuses by name.
func TestTexts(t *testing.T) {
	w := newWorld(t, "")
	for _, bad := range []struct{ tag, english, text, says string }{
		{"deutsch!", "Due now", "Fällig", `"deutsch!"`}, {"", "Due now", "x", `""`},
		{"fr", "Due now!", "Dû", `fr, "Due now!"`}, {"fr", "Due now", " ", `"Due now"`},
		{"fr", "Hello %s", "Bonjour", "arguments"}, {"fr", "Hello %s", "Bonjour %s, %s", "arguments"}, {"fr", "Hello %s", "Bonjour %d", "arguments"}, {"fr", "Due now", "100 % dû", "arguments"},
		{"fr", "%s and %d more", "%s et %s", "arguments"}, {"fr", "%s and %d more", "%[2]s et %[1]d", "arguments"},
		{"fr", "%s sale|%s sales", "%s vente", "1 forms, and not 2"}, {"pl", "%s sale|%s sales", "%s x|%s y", "2 forms, and not 3"}, {"ja", "%s sale|%s sales", "件", "arguments"}, {"fr", "Due now", "Dû|Dus", "2 forms"},
		{"fr", "1,234.5", "1 234", "number"}, {"fr", "1,234.5", "1.234,6", "number"},
		{"fr", "2 Jan 2006", "2 Jan", "layout"}, {"fr", "January 2006", "janvier 2006", "layout"}, {"fr", "2 Jan 2006, 15:04", "02/01/2006 03:04", "layout"},
	} {
		cfg := w.cfg
		cfg.Texts = map[string]map[string]string{bad.tag: {bad.english: bad.text}}
		if _, err := portal.New(w.Program, cfg); err == nil || !strings.HasPrefix(err.Error(), "portal: Texts: ") || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	cfg := w.cfg
	cfg.Texts = map[string]map[string]string{"pt": {}, "PT": {}}
	if _, err := portal.New(w.Program, cfg); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Error(err)
	}
	cfg.Texts = map[string]map[string]string{
		"de": germanTexts(), "de-CH": inFrench["de"],
		"pt": {"Due now": "Vence agora"}, "PT-br": {"Hello %s": "Olá %s"}, "de-AT": {"January": "Jänner"},
		"en": {"Due now": "Ready for you"},
		"pl": {"%s sale|%s sales": "%s sprzedaż|%s sprzedaże|%s sprzedaży"},
		"ja": {"%s sale|%s sales": "販売%s件"},
		"fr": inFrench["fr"], "fr-CA": {"2 Jan 2006": "2 Jan 2006", "Mar": "mars", "%s and %d more": "%[2]d autres, et %[1]s"},
	}
	w.pages = must(portal.New(w.Program, cfg))
	for _, want := range []struct{ prefers, lang, says string }{
		{"pt-br", "PT-br", "Olá ADA L"}, {"pt-BR", "PT-br", "Vence agora"}, {"pt-PT", "pt", "Hello ADA L"}, {"de-AT", "de-AT", "Jetzt fällig"},
		{"nl, de-DE;q=0.8, en;q=0.5", "de", "Jetzt fällig"}, {"nl", "en", "Ready for you"}, {"*", "en", "Ready for you"}, {"en-GB", "en", "Ready for you"},
		{"pl", "pl", "60 sprzedaży"}, {"ja", "ja", "販売60件"}, {"fr-CA", "fr-CA", "11 mars 2026"}, {"fr", "fr", "11/03/2026"},
		{"fr", "fr", "606,00 USD"}, {"fr", "fr", "2 980,00 USD"}, {"fr", "fr", "60 ventes"}, {"fr", "fr", "Bonjour ADA L"}, {"de-CH", "de-CH", "606,00 $ Vergütung"}, {"", "en", "Ready for you"},
	} {
		got := ask(w.pages, "GET", "/partner/", "", "Cookie", w.enter(w.ada.ID), "Accept-Language", want.prefers)
		if !strings.Contains(got.body, `<html lang="`+want.lang+`">`) || !strings.Contains(got.text(), want.says) {
			t.Errorf("%+v: %.60s %s", want, got.body, got.text())
		}
	}
}

// TestGerman: the pages of an affiliate who reads German, whatever the browser prefers: texts, money,
// dates, what a form answers; before somebody signs in, the browser says it.
func TestGerman(t *testing.T) {
	w := &world{t: t, now: time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)}
	w.Program = must(tributary.New(memstore.New(), tributary.Config{Name: "Bohnen", Currency: "EUR",
		Terms: affiliate.Terms{Rate: affiliate.MustPercent("12.5")}, Now: func() time.Time { return w.now }}))
	w.ada = must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.org", AffiliateLink: "ada", Language: "de-AT"}))
	must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "ada", Email: "kim@buyer.example", Name: "Kim", TotalEarned: affiliate.MustAmount("9876.48")}))
	must(w.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: w.ada.ID}))
	w.cfg = portal.Config{Prefix: "/partner/", Key: key, Logger: slog.New(slog.DiscardHandler), SignUp: asks(), MaxLinks: 3}
	w.pages = must(portal.New(w.Program, w.cfg))
	cookie := w.enter(w.ada.ID)
	for path, says := range map[string][]string{
		"":      {"Guten Tag, Ada L", "In Auszahlungen 1.234,56 €", "März, bis heute", "Ihre Empfehlungslinks", "1 Verkauf, 9.876,48 €", "11.03.2026"},
		"sales": {"Verkäufe", "11.03.2026, 09:00", "9.876,48 €", "In einer Auszahlung"}, "sales/1": {"Wie kommen 1.234,56 € zustande?", "Satz Ihrer Konditionen 12,5 %"},
		"statements": {"März 2026"}, "statements/2026-03": {"Abrechnung März 2026", "Guthaben am Ende"}, "payouts": {"Ausstehend", "Sie wartet: Geben Sie an,"},
		"nowhere": {"Nicht gefunden Diese Seite gibt es nicht."}, "sales?cursor=x": {"Diese Seite der Liste gibt es nicht mehr."},
	} {
		got := w.get(cookie, path)
		if !strings.Contains(got.body, `<html lang="de">`) || got.head.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s: %.60s %v", path, got.body, got.head)
		}
		for _, text := range says {
			if !strings.Contains(strings.ReplaceAll(got.text(), "\u00a0", " "), text) {
				t.Errorf("%s does not say %q: %s", path, text, got.text())
			}
		}
	}
	form := w.get(cookie, "links").form("link", "a b")
	if refused := w.post(cookie, "links", form); !strings.Contains(refused.text(), "Es wurde kein Link angelegt. Der Name darf nur") {
		t.Error(refused.text())
	}
	if kept := w.post("", "links", form, "Accept-Language", "de"); kept.status != 403 || !strings.Contains(kept.body, `<html lang="de">`) || !strings.Contains(kept.body, `Melden Sie sich in einem anderen Tab an</a>, dann`) {
		t.Errorf("%d %s", kept.status, kept.body)
	}
	for prefers, lang := range map[string]string{"de-DE,de;q=0.9,en;q=0.8": "de", "en, de": "en"} {
		if page := ask(w.pages, "GET", "/partner/apply", "", "Accept-Language", prefers); !strings.Contains(page.body, `<html lang="`+lang+`">`) {
			t.Errorf("%s: %.60s", prefers, page.body)
		}
		wrong := filled(ask(w.pages, "GET", "/partner/apply", "", "Accept-Language", prefers), "no mail")
		wrong.Del("terms")
		if page := w.post("", "apply", wrong, "Accept-Language", prefers); strings.Contains(page.text(), "Das ist keine gültige E-Mail-Adresse.") != (lang == "de") {
			t.Errorf("%s: %s", prefers, page.text())
		}
	}
}
