package servertest

import (
	"fmt"
	"net/http"
	"strings"
)

// A request is a request to the server. Its target and body are templates: {{u}}
// is a text that no other case has, {{name}} is a value that the case or the
// suite has made.
type request struct {
	method string
	target string // below /api/v1; from the root when it begins with ^
	body   string
	header http.Header // beside the usual ones; a line without values takes a usual one away
	stream bool        // the body has no length
}

// call returns a request for an operation, such as "POST /coupons", and a body.
func call(operation, body string) request {
	method, target, _ := strings.Cut(operation, " ")
	return request{method: method, target: target, body: body}
}

// with returns the request with one more header.
func (r request) with(name string, values ...string) request {
	h := r.header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h[http.CanonicalHeaderKey(name)] = values
	r.header = h
	return r
}

func (r request) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", r.method, r.target)
	for name, values := range r.header {
		if name != "Authorization" {
			fmt.Fprintf(&b, " [%s: %s]", name, strings.Join(values, " | "))
		}
	}
	if r.body != "" {
		fmt.Fprintf(&b, " %s", r.body)
	}
	return b.String()
}

// reads reports whether a request is a GET or a HEAD.
func (r request) reads() bool { return r.method == http.MethodGet || r.method == http.MethodHead }
