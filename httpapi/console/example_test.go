package console_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/httpapi/portal"
	"github.com/tributary-go/tributary/memstore"
)

// The console behind the login of the host, on any mux.
func Example() {
	program, err := tributary.New(memstore.New(), tributary.Config{Name: "Northwind Beans"})
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	if err := mount(mux, program, slog.New(slog.DiscardHandler)); err != nil {
		panic(err)
	}

	for _, cookie := range []string{"", "session=ops", "session=Zq3vM8sT1xKc0dPw"} {
		r, w := httptest.NewRequest("GET", "/partners/console/", nil), httptest.NewRecorder()
		r.Header.Set("Cookie", cookie)
		mux.ServeHTTP(w, r)
		fmt.Println(w.Code)
	}
	// Output:
	// 403
	// 403
	// 200
}

// mount puts the console on a mux, behind the login of the host.
func mount(mux *http.ServeMux, program *tributary.Program, logger *slog.Logger) error {
	desk, err := console.New(program, console.Config{
		Prefix:    "/partners/console/",
		Authorize: staff, // your login: who sends the request, and whether they may see the program
		Logger:    logger,
	})
	if err != nil {
		return err
	}
	desk.Register(mux)
	return nil
}

// ExampleConfig_partnerPages shows the partner pages of an affiliate to somebody who runs
// the program.
func ExampleConfig_partnerPages() {
	program, err := tributary.New(memstore.New(), tributary.Config{Name: "Northwind Beans", Destinations: []affiliate.Destination{{URL: "https://beans.example"}}})
	if err != nil {
		panic(err)
	}
	ada, err := program.CreateAffiliate(context.Background(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "Moss", Email: "ada@example.com"})
	if err != nil {
		panic(err)
	}
	logger := slog.New(slog.DiscardHandler)
	pages, err := portal.New(program, portal.Config{Prefix: "/partner/", Key: make([]byte, 32), Logger: logger})
	if err != nil {
		panic(err)
	}
	desk, err := staffed(program, pages, logger)
	if err != nil {
		panic(err)
	}
	for _, method := range []string{"GET", "POST"} {
		r, w := httptest.NewRequest(method, "/partners/console/affiliates/"+ada.ID.String()+"/pages/payout-details", nil), httptest.NewRecorder()
		r.Header.Set("Cookie", "session=Zq3vM8sT1xKc0dPw")
		desk.ServeHTTP(w, r)
		fmt.Println(w.Code, strings.Contains(w.Body.String(), "Nothing can be changed here."))
	}
	// Output:
	// 200 true
	// 403 true
}

// staffed is the console, from which the partner pages of an affiliate can be seen.
func staffed(program *tributary.Program, pages *portal.Portal, logger *slog.Logger) (*console.Console, error) {
	return console.New(program, console.Config{Prefix: "/partners/console/", Authorize: staff, PartnerPages: pages.As, Logger: logger})
}

// deciding is the console, with what keys of the scope propose ask for.
func deciding(program *tributary.Program, api *httpapi.Handler, logger *slog.Logger) (*console.Console, error) {
	return console.New(program, console.Config{Prefix: "/partners/console/", Authorize: staff, Logger: logger,
		Proposals: func(p *tributary.Program) console.Proposals { return api.Proposals(p) }})
}

// ExampleConfig_proposals shows what an assistant proposed, and does it when somebody accepts.
func ExampleConfig_proposals() {
	program, err := tributary.New(memstore.New(), tributary.Config{Name: "Northwind Beans", Destinations: []affiliate.Destination{{URL: "https://beans.example"}}})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	ada, err := program.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "Moss", Email: "ada@example.com"})
	if err != nil {
		panic(err)
	}
	const key = "the-key-of-an-assistant"
	api, err := httpapi.New(program, httpapi.Config{Keys: []httpapi.Key{{Name: "assistant", Secret: key, Scope: httpapi.ScopePropose}}})
	if err != nil {
		panic(err)
	}
	assistant, err := client.New("https://in.process", key, client.Config{Handler: api})
	if err != nil {
		panic(err)
	}
	is, err := assistant.Propose(ctx, affiliate.ProposalParams{Operation: "POST /adjustments", Why: "She spoke at the fair.",
		Body: json.RawMessage(`{"affiliateId":"` + ada.ID.String() + `","kind":"BONUS","amount":12.5,"reason":"fair"}`)})
	if err != nil {
		panic(err)
	}

	desk, err := deciding(program, api, slog.New(slog.DiscardHandler))
	if err != nil {
		panic(err)
	}
	r, w := httptest.NewRequest("GET", "/partners/console/proposals/"+is.ID.String()+"/accept", nil), httptest.NewRecorder()
	r.Header.Set("Cookie", "session=Zq3vM8sT1xKc0dPw")
	desk.ServeHTTP(w, r)
	fmt.Println(w.Code, strings.Contains(w.Body.String(), "12.50"), is.Status)

	// What the button of that page does.
	done, err := api.Proposals(program).Accept(ctx, is.ID, "ops")
	fmt.Println(done.Status, err)
	// Output:
	// 200 true WAITING
	// DONE <nil>
}

// staff is the host's own login: who sends the request, and whether they may see
// the program. A cookie is a secret that leads to a session. It is never believed
// itself, because a visitor can write anything into it.
func staff(r *http.Request) (actor string, ok bool) {
	cookie, err := r.Cookie("session")
	if err != nil {
		return "", false
	}
	actor, ok = sessions[cookie.Value]
	return actor, ok
}

// sessions are who is logged in, by the random text of their cookie.
var sessions = map[string]string{"Zq3vM8sT1xKc0dPw": "ops"}
