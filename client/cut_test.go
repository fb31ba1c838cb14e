package client_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/internal/refusal"
)

// cuts are the ways in which the body of an error ends too early, with what the
// caller finds. The last one is a proxy that ends the answer in good order.
var cuts = []struct {
	name string
	end  error
	want error
}{
	{"length", io.ErrUnexpectedEOF, io.ErrUnexpectedEOF},
	{"reset", syscall.ECONNRESET, syscall.ECONNRESET},
	{"end", io.EOF, io.ErrUnexpectedEOF},
}

// cutAt answers with the first bytes of a body.
func cutAt(status int, body string, at int, end error, header ...string) *wire {
	return &wire{answer: func(int, *http.Request) (*http.Response, error) {
		resp := reply(status, "", header...)
		resp.Body, resp.ContentLength = &brokenBody{strings.NewReader(body[:at]), end}, int64(len(body))
		return resp, nil
	}}
}

func once(cfg *client.Config) { cfg.MaxRetries = -1 }

// TestCutRefusals: every refusal of the engine keeps status, kind, reason and
// field when its body is cut, wherever and however. Only the text becomes that of
// the status, and the cause says why.
func TestCutRefusals(t *testing.T) {
	seen := map[affiliate.Kind]bool{}
	for _, row := range refusal.Refusals() {
		seen[row.Kind] = true
		body, status := jsonOf(map[string]string{"error": row.Message}), row.Kind.Status()
		header := []string{"Error-Code", string(row.Reason), "Error-Field", row.Field}
		for method, call := range map[string]func(c *client.Client) error{
			"GET":    func(c *client.Client) error { return errOf(c.Sale(t.Context(), 1)) },
			"DELETE": func(c *client.Client) error { return c.DeleteSale(t.Context(), 1) },
		} {
			whole := failure(t, call(always(status, body, header...).client(t, once)))
			for _, cut := range cuts {
				for _, at := range []int{0, 1, len(body) / 2, len(body) - 1} {
					if at == 0 && cut.end == io.EOF { // an empty body has no text that could be cut
						continue
					}
					name := fmt.Sprintf("%s %d %s, %s after %d bytes", method, status, row.Reason, cut.name, at)
					e := failure(t, call(cutAt(status, body, at, cut.end, header...).client(t, once)))
					if diff := cmp.Diff(whole.Err, e.Err, cmpopts.IgnoreFields(affiliate.Error{}, "Message", "Err")); diff != "" || e.Status != status {
						t.Errorf("%s: %d (-whole +cut):\n%s", name, e.Status, diff)
					}
					if e.Err.Message != http.StatusText(status) || !errors.Is(e, cut.want) || !strings.Contains(e.Error(), "the body of the error is cut short") {
						t.Errorf("%s: %v", name, e)
					}
				}
			}
		}
	}
	for k := affiliate.KindInternal; k <= affiliate.KindMediaType; k++ {
		if !seen[k] {
			t.Errorf("no refusal of kind %d was cut", k)
		}
	}
}

// TestCutKinds: a server without Error-Code says by the status alone what kind of
// error it is. Of a 400 that is KindInvalid, and of the 404 of a GET also, because
// it may be a wrong path.
func TestCutKinds(t *testing.T) {
	const body = `{"error":"Something of its own"}`
	for k := affiliate.KindInternal; k <= affiliate.KindMediaType; k++ {
		write, read := k, k
		switch k {
		case affiliate.KindConflict:
			write, read = affiliate.KindInvalid, affiliate.KindInvalid
		case affiliate.KindNotFound:
			read = affiliate.KindInvalid
		}
		for _, cut := range cuts {
			c := cutAt(k.Status(), body, 9, cut.end).client(t, once)
			if e := failure(t, c.DeleteSale(t.Context(), 1)); e.Err.Kind != write {
				t.Errorf("DELETE, %d, %s: kind %d, want %d", k.Status(), cut.name, e.Err.Kind, write)
			}
			if e := failure(t, errOf(c.Sale(t.Context(), 1))); e.Err.Kind != read {
				t.Errorf("GET, %d, %s: kind %d, want %d", k.Status(), cut.name, e.Err.Kind, read)
			}
		}
	}
}

// TestCutElsewhere: the cut page of something that is not the API is no missing
// record, and neither is an empty 404.
func TestCutElsewhere(t *testing.T) {
	for _, cut := range cuts {
		e := failure(t, cutAt(404, "<h1>404", 5, cut.end, "Content-Type", "text/html").client(t).DeleteSale(t.Context(), 1))
		if e.Err.Kind != affiliate.KindInvalid || e.Err.Message != "Not Found" || e.Err.Err != nil {
			t.Errorf("%s: %+v", cut.name, e.Err)
		}
	}
	for _, body := range []string{"", "null", "404 page not found\n", `"{`} {
		e := failure(t, always(404, body).client(t).DeleteSale(t.Context(), 1))
		if missing := body == `"{`; (e.Err.Kind == affiliate.KindNotFound) != missing || (e.Err.Err != nil) != missing {
			t.Errorf("%q: %+v", body, e.Err)
		}
	}
}
