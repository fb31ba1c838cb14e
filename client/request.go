package client

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A request is one operation with its input.
type request struct {
	method   string
	path     string // below root
	query    url.Values
	body     any              // nil: none
	once     affiliate.Once   // of a write
	worst    fault            // the worst fault after which the request is sent again
	barred   *affiliate.Error // the reason why the request cannot be sent
	patience time.Duration    // the shortest timeout of an attempt; endless: none
}

// endless is the patience of a request that only its context ends.
const endless = math.MaxInt64

// fetch returns a request that reads.
func fetch(path string, query url.Values) request {
	return request{method: http.MethodGet, path: path, query: query, worst: broken}
}

// post returns a POST request. The key in its input is used before the key of the
// client.
func (c *Client) post(path string, in any, once affiliate.Once) request {
	rq := c.write(http.MethodPost, path, in)
	rq.once.Key = cmp.Or(once.Key, c.once.Key)
	rq.once.Digest = cmp.Or(once.Digest, c.once.Digest)
	rq.once.Refused = cmp.Or(once.Refused, c.once.Refused)
	rq.once.Owner = cmp.Or(once.Owner, c.once.Owner)
	if once.Replayed != nil {
		rq.once.Replayed = once.Replayed
	}
	return rq
}

// put returns a PUT request.
func (c *Client) put(path string, in any) request { return c.write(http.MethodPut, path, in) }

// remove returns a DELETE request. It names its target in the body.
func (c *Client) remove(path string, in any) request { return c.write(http.MethodDelete, path, in) }

// write is any request that is not a read. Its key makes a repeat a replay, so
// it may be repeated after every fault, unless the server does not know keys.
func (c *Client) write(method, path string, in any) request {
	rq := request{method: method, path: path, body: in, once: c.once, worst: broken}
	if c.cfg.NoRepeat {
		rq.worst = unsent
	}
	return rq
}

// writes reports whether the request is not a read.
func (rq *request) writes() bool { return rq.method != http.MethodGet }

// goOnly bars the request when a field is set that cannot be sent.
func (rq *request) goOnly(field string, set bool) {
	if set {
		rq.barred = &affiliate.Error{
			Kind: affiliate.KindInvalid, Reason: affiliate.InvalidField, Field: field,
			Message: field + " is for Go calls only and cannot be sent",
		}
	}
}

// object bars the request when a field is set to an empty text or null. Both
// would be sent as null, which clears the field.
func (rq *request) object(field string, o affiliate.Opt[json.RawMessage]) {
	raw, ok := o.Get()
	if text := string(bytes.TrimSpace(raw)); ok && (text == "" || text == "null") {
		rq.barred = refusal.FieldNotAnObject.Of(field)
	}
}

// check refuses input that cannot be sent.
func (rq *request) check() *affiliate.Error {
	rq.goOnly("Once.Digest", rq.once.Digest != [32]byte{})
	rq.goOnly("Once.Refused", rq.once.Refused != nil)
	rq.goOnly("Once.Owner", rq.once.Owner != "")
	if rq.barred == nil && (!visible(rq.once.Key) || len(rq.once.Key) > maxOnce) {
		return refusal.RefuseKey.Err()
	}
	return rq.barred
}

// carries reports whether a body holds the texts of the input unchanged.
// encoding/json replaces bytes that are not UTF-8 by U+FFFD, and two different
// ids could become one. Go 1.26 writes U+FFFD as an escape, Go 1.27 as the
// character.
func carries(body []byte, in any) bool {
	if !utf8.Valid(body) {
		return false
	}
	replaced := bytes.Contains(body, []byte("\ufffd")) || bytes.Contains(body, []byte(`\ufffd`))
	return !replaced || validTexts(reflect.ValueOf(in))
}

// validTexts reports whether every text of an input is UTF-8.
func validTexts(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return utf8.ValidString(v.String())
	case reflect.Struct:
		for _, field := range v.Fields() {
			if !validTexts(field) {
				return false
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 { // a raw message
			return utf8.Valid(v.Bytes())
		}
		for i := range v.Len() {
			if !validTexts(v.Index(i)) {
				return false
			}
		}
	}
	return true
}

// firstOf returns a query with the first parameter that has a value. With several
// parameters the server's order would decide, not the order of pairs.
func firstOf(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
			break
		}
	}
	return q
}

// textOfID returns an id in a query; the zero id is the empty text, which is not
// sent.
func textOfID(id uuid.UUID) string {
	if id == uuid.Nil {
		return ""
	}
	return id.String()
}

// addPage adds the parameters of a page. A limit out of range is sent as it is,
// and the server refuses it.
func addPage(q url.Values, pg affiliate.Page) {
	if pg.Limit != 0 {
		q.Set("limit", strconv.Itoa(pg.Limit))
	}
	if pg.Cursor != "" {
		q.Set("cursor", pg.Cursor)
	}
}
