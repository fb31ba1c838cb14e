package console_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/httpapi/console"
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
	mux.Handle("/partners/console/", desk)
	return nil
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
