package portal_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/portal"
	"github.com/tributary-go/tributary/memstore"
)

// mount puts the partner pages on a mux, behind the login of the host.
func mount(mux *http.ServeMux, program *tributary.Program, logger *slog.Logger) error {
	pages, err := portal.New(program, portal.Config{
		Prefix:    "/partner/",
		Authorize: partner, // your login: whose pages the request may see
		Back:      "/account",
		Logger:    logger,
	})
	if err != nil {
		return err
	}
	pages.Register(mux)
	return nil
}

// partner is the host's own login: the affiliate whose session the request has. The cookie
// is a secret that leads to the session. An id in a cookie would open everybody's pages.
func partner(r *http.Request) (affiliate uuid.UUID, ok bool) {
	cookie, err := r.Cookie("session")
	if err != nil {
		return uuid.Nil, false
	}
	affiliate, ok = sessions[cookie.Value]
	return affiliate, ok
}

// sessions are the affiliates who are logged in, by the random text of their cookie.
var sessions = map[string]uuid.UUID{}

// The pages behind the login of the host.
func Example() {
	program, err := tributary.New(memstore.New(), tributary.Config{Name: "Northwind Beans"})
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	if err := mount(mux, program, slog.New(slog.DiscardHandler)); err != nil {
		panic(err)
	}
	r, w := httptest.NewRequest("GET", "/partner/", nil), httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	fmt.Println(w.Code, "for a stranger")

	ada, err := program.CreateAffiliate(r.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com"})
	if err != nil {
		panic(err)
	}
	r.Header.Set("Cookie", "session="+ada.ID.String())
	w = httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	fmt.Println(w.Code, "for who knows her id")

	sessions["Zq3vM8sT1xKc0dPw"] = ada.ID // when she logs in
	r.Header.Set("Cookie", "session=Zq3vM8sT1xKc0dPw")
	w = httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	fmt.Println(w.Code, "for Ada")
	// Output:
	// 403 for a stranger
	// 403 for who knows her id
	// 200 for Ada
}

// openPages is the click on "My earnings" on the host's own site.
func openPages(pages *portal.Portal, login func(*http.Request) (uuid.UUID, bool)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, ok := login(r)
		if !ok {
			http.Error(w, "Log in first.", http.StatusForbidden)
			return
		}
		token, err := pages.Token(id, 0) // for a minute
		if err != nil {
			http.Error(w, "Something went wrong.", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Referrer-Policy", "no-referrer")
		http.Redirect(w, r, "https://partners.example/partner/enter?token="+token, http.StatusSeeOther)
	}
}

// The pages where affiliates are logged in on another origin.
func ExamplePortal_Token() {
	program, err := tributary.New(memstore.New(), tributary.Config{Name: "Northwind Beans"})
	if err != nil {
		panic(err)
	}
	pages, err := portal.New(program, portal.Config{Prefix: "/partner/", Key: bytes.Repeat([]byte("k"), 32), NoPayoutForm: true})
	if err != nil {
		panic(err)
	}
	w := httptest.NewRecorder()
	openPages(pages, partner)(w, httptest.NewRequest("GET", "/earnings", nil))
	fmt.Println(w.Code, "for a stranger")

	r := httptest.NewRequest("GET", "/earnings", nil)
	sessions["Vb7nL2yR9hGf4kJe"] = uuid.New()
	r.Header.Set("Cookie", "session=Vb7nL2yR9hGf4kJe")
	w = httptest.NewRecorder()
	openPages(pages, partner)(w, r)
	fmt.Println(w.Code, "to", w.Header().Get("Location")[:len("https://partners.example/partner/enter?token=tp1.")])
	// Output:
	// 403 for a stranger
	// 303 to https://partners.example/partner/enter?token=tp1.
}

// signUp asks applicants where they write.
var signUp = &portal.SignUp{
	Questions: []portal.Question{{
		ID:       uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e11"), // of your own; it stays when the label changes
		Label:    "Where do you write?",
		Kind:     portal.AskURL,
		Required: true,
	}},
}

// The page on which people apply.
func ExampleSignUp() {
	program, err := tributary.New(memstore.New(), tributary.Config{Name: "Northwind Beans",
		TermsText: "https://shop.example/affiliate-terms", TermsVersion: "2026-01"})
	if err != nil {
		panic(err)
	}
	pages, err := portal.New(program, portal.Config{Prefix: "/partner/", Authorize: partner, SignUp: signUp, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		panic(err)
	}
	w := httptest.NewRecorder()
	pages.ServeHTTP(w, httptest.NewRequest("GET", "/partner/apply", nil))
	fmt.Println(w.Code, strings.Contains(w.Body.String(), "I accept the terms, version 2026-01"))
	// Output: 200 true
}

// inFrench are texts in French, as far as they go, and another word for the commission in German.
var inFrench = map[string]map[string]string{
	"fr": {
		"Due now":           "Exigible",
		"Hello %s":          "Bonjour %s",
		"%s sale|%s sales":  "%s vente|%s ventes",
		"1,234.5":           "1\u202f234,5",     // how numbers are written
		"%s\u00a0%s":        "%s\u00a0%s",       // an amount and its currency
		"2 Jan 2006":        "02/01/2006",       // a layout of package time
		"2 Jan 2006, 15:04": "02/01/2006 15:04", // the same with the time
		"January":           "janvier",
	},
	"de": {"Commission": "Vergütung"},
}
