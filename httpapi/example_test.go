package httpapi_test

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/memstore"
)

// newProgram is a program with a fixed clock and fixed ids.
func newProgram(store record.Store, id uuid.UUID) *tributary.Program {
	program, err := tributary.New(store, tributary.Config{
		ID: id, Name: "Northwind Beans", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Now:  func() time.Time { return time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC) },
		Rand: rand.NewChaCha8([32]byte{}),
	})
	if err != nil {
		log.Fatal(err)
	}
	return program
}

// call sends a request and prints the answer.
func call(h http.Handler, method, target, key, body string) {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Header().Get("Error-Code"), w.Body)
}

func Example() {
	program := newProgram(memstore.New(), uuid.Nil)
	api, err := httpapi.New(program, httpapi.Config{APIKeys: []string{"test-key-of-this-suite"}})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/api/v1/", api)

	call(mux, "POST", "/api/v1/links", "test-key-of-this-suite", `{"link":"ada"}`)
	call(mux, "POST", "/api/v1/links", "wrong-key", `{"link":"ada"}`)
	call(mux, "GET", "/api/v1/links", "test-key-of-this-suite", ``)
	// Output:
	// 400 missing_field {"error":"Affiliate ID or email is required"}
	// 401 invalid_token {"error":"Invalid auth token"}
	// 200  []
}

// A ServeMux redirects a path with .. in it. When the handler is asked before
// the mux, it answers as the contract says.
func ExampleHandler() {
	api, err := httpapi.New(newProgram(memstore.New(), uuid.Nil), httpapi.Config{APIKeys: []string{"test-key-of-this-suite"}})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/api/v1/", api)
	exact := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/v1/") {
			api.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
	for _, h := range []http.Handler{mux, exact} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("DELETE", "/api/v1/links/../coupons", nil))
		fmt.Println(w.Code, cmp.Or(w.Header().Get("Location"), w.Header().Get("Error-Code")))
	}
	// Output:
	// 307 /api/v1/coupons
	// 404 not_found
}

// A mux with a catch-all for one method cannot hold the pattern /api/v1/;
// Register puts the exact paths beside it.
func ExampleHandler_Register() {
	api, err := httpapi.New(newProgram(memstore.New(), uuid.Nil), httpapi.Config{APIKeys: []string{"test-key-of-this-suite"}})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "the shop") })
	api.Register(mux)

	call(mux, "GET", "/beans", "", ``)
	call(mux, "GET", "/api/v1/coupons", "test-key-of-this-suite", ``)
	call(mux, "PATCH", "/api/v1/coupons", "test-key-of-this-suite", `{}`)
	// Output:
	// 200  the shop
	// 200  []
	// 405 method_not_allowed {"error":"Method not allowed"}
}

// The key of a request decides which program it is for.
func ExampleNewMulti() {
	store := memstore.New()
	programs := map[string]*tributary.Program{
		"key-of-beans": newProgram(store, uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01")),
		"key-of-tea":   newProgram(store, uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e02")),
	}
	api, err := httpapi.NewMulti(func(_ context.Context, key string) (httpapi.Access, error) {
		if program := programs[key]; program != nil { // a real authority looks up a digest of the key
			return httpapi.Access{Program: program, Scope: httpapi.ScopeIntegration}, nil
		}
		return httpapi.Access{}, refusal.RefuseToken.Err()
	}, httpapi.Config{})
	if err != nil {
		log.Fatal(err)
	}

	call(api, "DELETE", "/api/v1/referrals", "key-of-tea", `{"referralId":"tomas@example.net"}`)
	call(api, "GET", "/api/v1/sales?id=1", "key-of-beans", ``)
	call(api, "GET", "/api/v1/sales?id=1", "key-of-coffee", ``)
	// Output:
	// 200  {"message":"Referral deleted successfully"}
	// 200  null
	// 401 invalid_token {"error":"Invalid auth token"}
}

// A visit through a link is credited with the sale that follows.
func ExampleAttribution() {
	program := newProgram(memstore.New(), uuid.Nil)
	_, err := program.CreateAffiliate(context.Background(), affiliate.AffiliateParams{
		FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada",
	})
	if err != nil {
		log.Fatal(err)
	}
	mux, credited := http.NewServeMux(), make(chan affiliate.SaleOutcome, 1)
	mux.HandleFunc("GET /pricing", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "49.90 a month") })
	mux.HandleFunc("POST /buy", func(w http.ResponseWriter, r *http.Request) {
		res, err := program.RecordSale(r.Context(), affiliate.SaleParams{ // once the payment is certain
			ReferralID: httpapi.ClickFrom(program, r), Email: r.FormValue("email"), Name: "Tomas Berg",
			TotalEarned: affiliate.MustAmount("49.90"), ExternalID: "order-1042",
		})
		if err != nil {
			log.Print("report order-1042 again: ", err) // the order stands, and the customer sees no error of ours
		}
		fmt.Fprint(w, "thank you")
		credited <- res.Outcome
	})
	pages := httpapi.Attribution(program, mux)

	visit := httptest.NewRecorder()
	pages.ServeHTTP(visit, httptest.NewRequest("GET", "/pricing?ref=ada", nil))
	buy := httptest.NewRequest("POST", "/buy?email=tomas@example.net", nil)
	buy.AddCookie(visit.Result().Cookies()[0]) // as the browser does
	bought := httptest.NewRecorder()
	pages.ServeHTTP(bought, buy)
	fmt.Println(visit.Body, "and", bought.Body, "and", <-credited)
	// Output: 49.90 a month and thank you and recorded
}
