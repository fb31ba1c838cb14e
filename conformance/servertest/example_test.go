package servertest_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/tributary-go/tributary/conformance/servertest"
)

// The whole test of a server.
func ExampleTestServer() {
	_ = func(t *testing.T, handler http.Handler) {
		server := httptest.NewServer(handler)
		defer server.Close()
		servertest.TestServer(t, servertest.Server{URL: server.URL, Key: "a key of the program"})
	}
}
