package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// maxErrorBody is the largest part of an error's body that is kept, in bytes.
const maxErrorBody = 64 << 10

// read reads an answer. For an error it reads the beginning of the body, which
// may be cut off, because the status is enough.
func (a *call) read(resp *http.Response) error {
	if resp.Body == nil {
		resp.Body = http.NoBody // some transports break the rule that Body is not nil
	}
	defer resp.Body.Close()
	a.last = answer{status: resp.StatusCode, header: resp.Header}
	if resp.StatusCode < http.StatusOK {
		return nil // the body of a 101 is the connection: a read does not end with the context
	}
	if !ok(resp.StatusCode) {
		a.last.body, a.last.torn = readAll(io.LimitReader(resp.Body, maxErrorBody), resp.ContentLength)
		return nil
	}
	limit := a.client.cfg.MaxBody
	body, err := readAll(io.LimitReader(resp.Body, limit+1), resp.ContentLength)
	if err != nil {
		return err
	}
	a.last.body = body
	if int64(len(body)) > limit {
		a.last.body = body[:limit]
		a.last.err = fmt.Errorf("the answer is longer than %d bytes", limit)
	}
	return nil
}

// readAll is io.ReadAll for a body with a declared length. It allocates that
// length at once, but only when it is small: the server may declare any length.
func readAll(r io.Reader, size int64) ([]byte, error) {
	if size < 0 || size > 1<<20 {
		return io.ReadAll(r)
	}
	b := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}

// ok reports whether a status means success.
func ok(status int) bool { return status/100 == 2 }

// errNull means that an answer is null instead of an object.
var errNull = errors.New("the answer is null")

// decode reads the last answer into v.
func (a *call) decode(v any) error {
	if err := a.checkJSON(); err != nil {
		return err
	}
	if string(bytes.TrimSpace(a.last.body)) == "null" {
		return errNull
	}
	if onlyError(a.last.body) {
		return errNotSuccess
	}
	return json.Unmarshal(a.last.body, v)
}

// errNotSuccess means that an answer has the status of a success and the body of
// an error.
var errNotSuccess = errors.New("the answer is an error")

// onlyError reports whether a body is that of an error: an object whose only
// field is error, a text. No other answer has this form.
func onlyError(body []byte) bool {
	if len(body) > maxErrorBody || !bytes.Contains(body, []byte(`"error"`)) {
		return false
	}
	var fields map[string]any
	if json.Unmarshal(body, &fields) != nil || len(fields) != 1 {
		return false
	}
	_, ok := fields["error"].(string)
	return ok
}

// checkJSON refuses an answer whose content type is not JSON, such as the login
// page of a proxy. An answer without a content type passes.
func (a *call) checkJSON() error {
	value := a.last.header.Get("Content-Type")
	if value == "" || value == "application/json; charset=utf-8" {
		return nil
	}
	kind, _, err := mime.ParseMediaType(value)
	if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return fmt.Errorf("the answer is %.100q and not JSON", a.client.blank(value))
	}
	return nil
}

// do makes a call and decodes its answer. When the answer is null, the error is
// errNull itself.
func do[T any](ctx context.Context, c *Client, rq request) (T, *call, error) {
	var out T
	a, err := c.run(ctx, rq)
	if err != nil {
		return out, a, err
	}
	if err = a.decode(&out); err != nil {
		var zero T
		if err != errNull {
			err = a.unreadable(err)
		}
		return zero, a, err
	}
	return out, a, nil
}

// send is do for an operation that always answers an object.
func send[T any](ctx context.Context, c *Client, rq request) (T, error) {
	out, a, err := do[T](ctx, c, rq)
	if err == errNull {
		err = a.unreadable(err)
	}
	return out, err
}

// done makes a call whose answer only confirms that it was carried out.
func done(ctx context.Context, c *Client, rq request) error {
	a, err := c.run(ctx, rq)
	if err != nil || a.last.status == http.StatusNoContent {
		return err
	}
	if err := a.decode(new(struct{})); err != nil {
		return a.unreadable(err)
	}
	return nil
}

// find is do for an operation that answers null when nothing was found.
func find[T any](ctx context.Context, c *Client, rq request) (T, error) {
	out, _, err := do[T](ctx, c, rq)
	if err == errNull {
		err = affiliate.ErrNotFound
	}
	return out, err
}

// list gets a page of a list.
func list[T any](ctx context.Context, c *Client, path string, query url.Values,
	pg affiliate.Page) (affiliate.List[T], error) {
	addPage(query, pg)
	items, a, err := do[[]T](ctx, c, fetch(path, query))
	if err != nil && err != errNull {
		return affiliate.List[T]{}, err
	}
	if items == nil {
		items = []T{}
	}
	return affiliate.List[T]{Items: items, Next: nextCursor(a.last.header.Values("Link"))}, nil
}

// one looks one record up. An empty query is not sent, because the server would
// answer it with the list.
func one[T any](ctx context.Context, c *Client, path string, query url.Values) (T, error) {
	if len(query) == 0 {
		var zero T
		return zero, affiliate.ErrNotFound
	}
	return find[T](ctx, c, fetch(path, query))
}

// nextCursor returns the cursor in the reference with rel="next" of the Link
// headers, or empty. Only the cursor is used, because the reference may point
// to another host.
func nextCursor(headers []string) string {
	for _, h := range headers {
		for h != "" {
			_, rest, _ := strings.Cut(h, "<")
			target, rest, _ := strings.Cut(rest, ">")
			var params string
			params, h = cutUnquoted(rest, ',')
			if u, err := url.Parse(target); err == nil && isNext(params) {
				return u.Query().Get("cursor")
			}
		}
	}
	return ""
}

// cutUnquoted cuts at the first sep outside quotes.
func cutUnquoted(s string, sep byte) (before, after string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == '\\' && quoted:
			i++ // the next character is escaped
		case s[i] == sep && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// isNext reports whether the parameters of a link have the relation next.
func isNext(params string) bool {
	for params != "" {
		var param string
		param, params = cutUnquoted(params, ';')
		name, value, _ := strings.Cut(param, "=")
		if strings.EqualFold(strings.TrimSpace(name), "rel") {
			relations := strings.Fields(strings.ToLower(strings.Trim(strings.TrimSpace(value), `"`)))
			return slices.Contains(relations, "next")
		}
	}
	return false
}
