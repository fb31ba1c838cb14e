package httpapi_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
)

// afterConsent counts visits and sets the cookie only for visitors who have agreed: the host's own
// cookie says so. Who agrees later is sent back to the address that they came by, and counts then.
func afterConsent(program *tributary.Program, pages http.Handler) http.Handler {
	counted := httpapi.Attribution(program, pages)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if agreed, err := r.Cookie("consent"); err == nil && agreed.Value == "yes" {
			counted.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	})
}

func Example_consent() {
	program := newProgram(memstore.New(), uuid.Nil)
	_, err := program.CreateAffiliate(context.Background(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.com", AffiliateLink: "ada"})
	if err != nil {
		log.Fatal(err)
	}
	site := afterConsent(program, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "49.90 a month") }))
	for _, consent := range []string{"", "no", "yes"} {
		r := httptest.NewRequest("GET", "/pricing?ref=ada", nil)
		r.AddCookie(&http.Cookie{Name: "consent", Value: consent})
		seen := httptest.NewRecorder()
		site.ServeHTTP(seen, r)
		fmt.Printf("consent %q: %s, %d cookies\n", consent, seen.Body, len(seen.Result().Cookies()))
	}
	// Output:
	// consent "": 49.90 a month, 0 cookies
	// consent "no": 49.90 a month, 0 cookies
	// consent "yes": 49.90 a month, 1 cookies
}
