// Package reqid gives every request an id, which its answer, its log lines and
// its audit lines have in common.
package reqid

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
)

// Header is the name of the header, in its canonical form.
const Header = "X-Request-Id"

// maxLength of an id that is taken over.
const maxLength = 64

type key struct{}

// A carrier is a context with an id. The header's value is in the same block of
// memory.
type carrier struct {
	context.Context
	id   string
	line [1]string
}

// Value returns the id for the key of this package.
func (c *carrier) Value(k any) any {
	if k == (key{}) {
		return c.id
	}
	return c.Context.Value(k)
}

// Of returns the id of the request that ctx belongs to; empty: it has none.
func Of(ctx context.Context) string {
	id, _ := ctx.Value(key{}).(string)
	return id
}

// Assign gives a request its id: the one that it brings when it is valid, else
// one that fresh makes. It puts the id into the header of the answer and
// returns the request with the id in its context. A nil fresh makes 16 random
// bytes in hex.
func Assign(w http.ResponseWriter, r *http.Request, fresh func() string) *http.Request {
	id := ""
	if sent := r.Header[Header]; len(sent) == 1 && Valid(sent[0]) {
		id = sent[0]
	} else if id = made(fresh); !Valid(id) {
		id = random() // the host's function made what no header may hold
	}
	c := &carrier{Context: r.Context(), id: id}
	c.line[0] = id
	w.Header()[Header] = c.line[:]
	return r.WithContext(c)
}

// made returns a new id. A fresh that panics makes none: no request fails for want of
// its id.
func made(fresh func() string) (id string) {
	if fresh == nil {
		return random()
	}
	defer func() { _ = recover() }()
	return fresh()
}

func random() string {
	var raw [16]byte
	_, _ = rand.Read(raw[:]) // never fails
	return hex.EncodeToString(raw[:])
}

// Valid reports whether an id may be taken over: 1 to 64 of A–Z, a–z, 0–9, dot,
// underscore and hyphen.
func Valid(id string) bool {
	if id == "" || len(id) > maxLength {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
