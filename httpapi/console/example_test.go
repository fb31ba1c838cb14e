package console_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/memstore"
)

// The console behind the login of the host, on any mux.
func Example() {
	program, err := affiliate.New(memstore.New(), affiliate.Config{Name: "Northwind Beans"})
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	if err := mount(mux, program, slog.New(slog.DiscardHandler)); err != nil {
		panic(err)
	}

	for _, cookie := range []string{"", "session=ops"} {
		r, w := httptest.NewRequest("GET", "/partners/console/", nil), httptest.NewRecorder()
		r.Header.Set("Cookie", cookie)
		mux.ServeHTTP(w, r)
		fmt.Println(w.Code)
	}
	// Output:
	// 403
	// 200
}

// mount puts the console on a mux, behind the login of the host.
func mount(mux *http.ServeMux, program *affiliate.Program, logger *slog.Logger) error {
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
// the program.
func staff(r *http.Request) (actor string, ok bool) {
	session, err := r.Cookie("session")
	if err != nil {
		return "", false
	}
	return session.Value, true
}
