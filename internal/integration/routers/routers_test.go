package routers_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/labstack/echo/v4"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/pasted"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/memstore"
)

func init() { gin.SetMode(gin.ReleaseMode) }

const testKey = "a-key-for-these-tests"

// inMemory is the handler of a program in memory.
func inMemory() http.Handler {
	program, err := tributary.New(memstore.New(), tributary.Config{})
	if err != nil {
		log.Fatal(err)
	}
	api, err := newAPI(program, testKey)
	if err != nil {
		log.Fatal(err)
	}
	return api
}

// newAPI answers those who have the key.
func newAPI(program *tributary.Program, key string) (http.Handler, error) {
	return httpapi.New(program, httpapi.Config{APIKeys: []string{key}})
}

func onNetHTTP(api http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/api/v1/", api)
	return mux
}

func onChi(api http.Handler) http.Handler {
	r := chi.NewRouter()
	r.Mount("/api/v1", api) // Mount leaves the path as it is, and so must you
	return r
}

func onGin(api http.Handler) http.Handler {
	r := gin.New()
	r.Any("/api/v1/*path", gin.WrapH(api))
	return r
}

func onEcho(api http.Handler) http.Handler {
	e := echo.New()
	e.Any("/api/v1/*", echo.WrapHandler(api))
	return e
}

// send sends a request and returns the answer.
func send(h http.Handler, method, target, key, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+key)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestRouters: on each router the answers are those of the contract: a record that is
// made, changed by PUT and deleted by a DELETE with a body, a wrong key, an unknown path
// and a method that a path does not have.
func TestRouters(t *testing.T) {
	for _, tt := range []struct {
		name  string
		mount func(http.Handler) http.Handler
	}{{"net/http", onNetHTTP}, {"chi", onChi}, {"gin", onGin}, {"echo", onEcho}} {
		t.Run(tt.name, func(t *testing.T) {
			h := tt.mount(inMemory())
			for _, c := range []struct {
				method, path, key, body string
				status                  int
				says                    string
			}{
				{"POST", "/affiliates", testKey, `{"firstName":"Ada","lastName":"L","email":"ada@example.com","affiliateLink":"ada"}`, 200, `"email":"ada@example.com"`},
				{"POST", "/links", testKey, `{"link":"blog","affiliateEmail":"ada@example.com"}`, 200, `"link":"blog"`},
				{"PUT", "/links", testKey, `{"link":"blog","newLink":"news"}`, 200, `"link":"news"`},
				{"GET", "/links?affiliateEmail=ada@example.com", testKey, ``, 200, `"news"`},
				{"DELETE", "/links", testKey, `{"link":"news"}`, 200, `"id"`},
				{"GET", "/links", "wrong", ``, 401, `Invalid auth token`},
				{"GET", "/nothing", testKey, ``, 404, `"error"`},
				{"PATCH", "/links", testKey, `{}`, 405, `"error"`},
			} {
				got := send(h, c.method, "/api/v1"+c.path, c.key, c.body)
				if got.Code != c.status || !strings.Contains(got.Body.String(), c.says) {
					t.Errorf("%s %s: %d %s, want %d and %s", c.method, c.path, got.Code, got.Body, c.status, c.says)
				}
			}
		})
	}
}

// TestGuide: the Go of docs/embed.md compiles as pasted.
func TestGuide(t *testing.T) { pasted.Run(t, "../../../docs/embed.md") }

// answer says what a customer may see of an error.
func answer(err error) string {
	if refusal, ok := errors.AsType[*affiliate.Error](err); ok {
		return fmt.Sprint(refusal.Message, " (", refusal.Reason, " ", refusal.Field, ")")
	}
	log.Print(err)
	return "Please try again later"
}

// TestAnswer: a refusal is shown, and another error is not.
func TestAnswer(t *testing.T) {
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	if got := answer(refusal.FieldTooLarge.Of("code")); got == "Please try again later" {
		t.Errorf("a refusal is %q", got)
	}
	if got := answer(errors.New("dial 10.0.0.7: refused")); got != "Please try again later" {
		t.Errorf("an error of the store is %q", got)
	}
}

// Example shows the answer of each router.
func Example() {
	for _, mount := range []func(http.Handler) http.Handler{onNetHTTP, onChi, onGin, onEcho} {
		w := send(mount(inMemory()), "GET", "/api/v1/coupons", testKey, "")
		fmt.Println(w.Code, w.Body)
	}
	// Output:
	// 200 []
	// 200 []
	// 200 []
	// 200 []
}
