package client_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// FuzzDecode: for any answer of a server, every method returns an answer, a
// miss or an *Error. It never panics and never needs more memory than the limit
// allows.
func FuzzDecode(f *testing.F) {
	f.Add(200, "application/json", `<?cursor=a>; rel="next"`, "recorded", []byte(`{"id":"0197d9a4-6c1e-7b52-9a3f-2f4c1d7e8a01","createdAt":"2026-02-03T08:15:00.120Z"}`))
	f.Add(200, "application/json; charset=utf-8", `<`, "", []byte(`[{"id":5107,"totalEarned":129.5,"metadata":{"a":[null]},"referral":null}]`))
	f.Add(200, "", "", "", []byte(`null`))
	f.Add(200, "text/html", `,`, "", []byte(`<html>`))
	f.Add(204, "", "", "", []byte(``))
	f.Add(302, "", "", "", []byte(``))
	f.Add(400, "application/json", "", "slug_taken", []byte(`{"error":"This link already exists for this affiliate program","reason":"x"}`))
	f.Add(404, "application/json", "", "", []byte(`{"error":5}`))
	f.Add(429, "application/json", "", "1", []byte(`{"error":"Too many requests. Please slow down."}`))
	f.Add(999, "", `<a>;rel=";,next"`, "99999999999999999999", bytes.Repeat([]byte(`[`), 20_000))
	methods := invocations()
	f.Fuzz(func(t *testing.T, status int, kind, link, word string, body []byte) {
		if status < 100 || status > 999 {
			return
		}
		w := &wire{answer: func(int, *http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: status, ContentLength: -1, Body: io.NopCloser(bytes.NewReader(body)),
				Header: http.Header{
					"Content-Type": {kind}, "Link": {link}, "Sale-Outcome": {word}, "Error-Code": {word},
					"Error-Field": {word}, "Retry-After": {word}, "Location": {link},
				},
			}, nil
		}}
		c := w.client(t, func(cfg *client.Config) { cfg.MinWait, cfg.MaxWait, cfg.MaxBody = 1, 1, 1<<12 })
		for _, inv := range methods {
			w.seen = nil
			err := inv.call(t.Context(), c)
			if err == nil || err == affiliate.ErrNotFound {
				if status/100 != 2 || len(w.seen) != 1 || len(body) > 1<<12 {
					t.Fatalf("%s took %d, %d bytes, for an answer", inv.name, status, len(body))
				}
				continue
			}
			e, ok := errors.AsType[*client.Error](err)
			if !ok || e.Status != status || e.Attempts != len(w.seen) || e.Attempts > 3 || len(e.Body) > 64<<10 || err.Error() == "" {
				t.Fatalf("%s: %v", inv.name, err)
			}
		}
	})
}
