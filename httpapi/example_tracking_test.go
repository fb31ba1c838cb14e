package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
)

// A single-page application reports the visit by itself, and sends the click with the order.
func ExampleTracking() {
	program := newProgram(memstore.New(), uuid.UUID{15: 1})
	_, err := program.CreateAffiliate(context.Background(), affiliate.AffiliateParams{
		FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada",
	})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	track(mux, program)

	body := `{"programId": "00000000-0000-0000-0000-000000000001", "referralCode": "ada"}` // what the script posts
	r, w := httptest.NewRequest("POST", "/api/affiliates/add-click", strings.NewReader(body)), httptest.NewRecorder()
	r.Header.Set("Content-Type", "application/json")
	mux.ServeHTTP(w, r)
	var answer struct{ Click struct{ ID json.Number } }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		log.Fatal(err)
	}
	for _, sent := range []string{answer.Click.ID.String(), "somebody@example.com"} {
		fmt.Printf("%s: %q\n", sent, clickOf(sent))
	}
	// Output:
	// 1: "1"
	// somebody@example.com: ""
}

// track puts the endpoints of visits and the click script on a mux: each address may ask sixty
// times a minute.
func track(mux *http.ServeMux, program *tributary.Program) {
	find := func(_ context.Context, id string) (*tributary.Program, error) {
		if id != "" && id != program.Config().ID.String() {
			return nil, affiliate.ErrNotFound
		}
		return program, nil
	}
	perMinute := &limiter{most: 60, every: time.Minute, now: time.Now}
	tracking := httpapi.Tracking(find, httpapi.Config{Limit: perMinute.limit})
	mux.Handle("/api/affiliates/", tracking)
	mux.Handle("/t.js", tracking)
}

// clickOf is what a browser sent as its click, or nothing. ReferralID takes the email and the
// id of a customer too, and a visitor must not become somebody else.
func clickOf(sent string) string {
	n, err := strconv.ParseUint(sent, 10, 63)
	if err != nil {
		return ""
	}
	return strconv.FormatUint(n, 10)
}
