package servertest

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
)

// A middleware makes a right handler wrong in one way.
type middleware func(next http.Handler) http.Handler

// A reply is an answer before it is sent.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func (a *reply) replace(pattern, with string) {
	a.body = regexp.MustCompile(pattern).ReplaceAll(a.body, []byte(with))
}

func (a *reply) send(w http.ResponseWriter) {
	a.header.Del("Content-Length")
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // the recorder takes everything
}

// serve runs a handler on a copy of r with another method, target and body, and
// without its idempotency key.
func serve(next http.Handler, r *http.Request, method, target string, body []byte) *reply {
	inner := httptest.NewRequest(method, target, bytes.NewReader(body))
	inner.Header = http.Header{"Authorization": r.Header["Authorization"]}
	if len(body) > 0 {
		inner.Header.Set("Content-Type", "application/json")
	}
	return replyOf(next, inner)
}

func replyOf(next http.Handler, r *http.Request) *reply {
	w := httptest.NewRecorder()
	next.ServeHTTP(w, r)
	return &reply{w.Code, w.Header(), w.Body.Bytes()}
}

// answered changes answers.
func answered(edit func(r *http.Request, a *reply)) middleware {
	return after(func(_ http.Handler, r *http.Request, _ []byte, a *reply) { edit(r, a) })
}

// after does something after the right handler has answered.
func after(do func(next http.Handler, r *http.Request, body []byte, a *reply)) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body) // it is in memory
			r.Body = io.NopCloser(bytes.NewReader(body))
			a := replyOf(next, r)
			do(next, r, body, a)
			a.send(w)
		})
	}
}

// asked changes requests.
func asked(edit func(r *http.Request, body []byte) []byte) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body) // it is in memory
			body = edit(r, body)
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			next.ServeHTTP(w, r)
		})
	}
}

// queried changes the query of a GET that has a parameter.
func queried(edit func(q url.Values), name string) middleware {
	return asked(func(r *http.Request, body []byte) []byte {
		if q := r.URL.Query(); r.Method == http.MethodGet && q.Has(name) {
			edit(q)
			r.URL.RawQuery = q.Encode()
		}
		return body
	})
}

// retried repeats a refused GET without the parameters.
func retried(names ...string) middleware {
	return after(func(next http.Handler, r *http.Request, _ []byte, a *reply) {
		if a.header.Get("Error-Code") == "invalid_query" && slices.Contains(names, a.header.Get("Error-Field")) {
			q := r.URL.Query()
			for _, name := range names {
				q.Del(name)
			}
			*a = *serve(next, r, r.Method, r.URL.Path+"?"+q.Encode(), nil)
		}
	})
}

// handlerTransport is a transport to a handler.
type handlerTransport struct{ handler http.Handler }

func (d handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	in := r.Clone(r.Context())
	switch {
	case in.Body == nil:
		in.Body = http.NoBody
	case in.ContentLength == 0:
		in.ContentLength = -1 // not known: to a client that is zero
	}
	w := httptest.NewRecorder()
	d.handler.ServeHTTP(w, in)
	return w.Result(), nil
}
