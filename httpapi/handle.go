package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// An action is what a route does with a call: decode, call the program, encode.
// It describes itself, so that the document is made from the table that is
// served.
type action struct {
	run     func(*call) error
	read    func(*input) // reads the fields of the body, in order; nil: no body
	lookups []lookup     // of a GET
	strict  bool         // unknown fields are refused
	answer  any          // a zero value of what is answered; of a GET its lookups have it
}

// resource is what is served at one path.
type resource struct {
	methods map[string]*route
	allow   string // sorted, HEAD included
}

// prefix is what every path of the API begins with.
const prefix = "/api/v1"

// resources is a route table by path.
func resources(prefix string, table []route) map[string]*resource {
	byPath := map[string]*resource{}
	for _, r := range table {
		res := byPath[prefix+r.path]
		if res == nil {
			res = &resource{methods: map[string]*route{}}
			byPath[prefix+r.path] = res
		}
		res.methods[r.method] = &r
	}
	for _, res := range byPath {
		var allow []string
		for method := range res.methods {
			allow = append(allow, method)
		}
		if res.methods[http.MethodGet] != nil {
			allow = append(allow, http.MethodHead)
		}
		slices.Sort(allow)
		res.allow = strings.Join(allow, ", ")
	}
	return byPath
}

// A method is a call of the program.
type method[In, Out any] func(*affiliate.Program, context.Context, In) (Out, error)

// create is a POST that answers what the program returns.
func create[In, Out any](read func(*input) In, do method[In, Out]) action {
	return answers(read, do, (*call).answer, input{})
}

// post is a POST with an answer of its own kind.
func post[In any](read func(*input) In, do func(*affiliate.Program, *call, In) error) action {
	return write(read, do, input{})
}

// change is a PUT or PATCH that refuses unknown fields.
func change[In, Out any](read func(*input) In, do method[In, Out]) action {
	return answers(read, do, (*call).answer, input{update: true, strict: true})
}

// loosely is a PUT that ignores unknown fields.
func loosely[In, Out any](read func(*input) In, do method[In, Out]) action {
	return answers(read, do, (*call).answer, input{update: true})
}

// counting is loosely with an answer that holds what the program returns.
func counting[In any](read func(*input) In, do method[In, counted]) action {
	return answers(read, do, (*call).encode, input{update: true})
}

// remove is a DELETE. Its answer holds what the program returns.
func remove[In, Out any](read func(*input) In, do method[In, Out]) action {
	return answers(read, do, (*call).encode, input{})
}

// answers is a write that answers what do returns. send writes it: what is kept
// under a key is what the program returned, and where the answer is more than
// that, it is made again.
func answers[In, Out any](read func(*input) In, do method[In, Out], send func(*call, any) error, mode input) action {
	return answering[Out](write(read, func(p *affiliate.Program, c *call, in In) error {
		out, err := do(p, c.r.Context(), in)
		if err != nil {
			return err
		}
		return send(c, &out)
	}, mode))
}

// answering says what an action answers that writes its answer itself.
func answering[Out any](a action) action {
	var none Out
	a.answer = none
	return a
}

// write is any write. What is wrong with its input is told to the engine, which
// keeps the answer under the request's key.
func write[In any](read func(*input) In, do func(*affiliate.Program, *call, In) error, mode input) action {
	return action{
		read:   func(in *input) { read(in) },
		strict: mode.strict,
		run: func(c *call) error {
			c.in.update, c.in.strict = mode.update, mode.strict
			if err := c.readBody(); err != nil {
				return err
			}
			in := read(&c.in)
			if err := c.in.queryError(); err != nil {
				return err
			}
			once, err := c.once()
			if err != nil {
				return err
			}
			once.Refused = c.firstError(func(p *affiliate.Program) error { return do(p, c, in) })
			if once.Refused != nil && once.Key == "" {
				return once.Refused
			}
			return do(c.p.Keyed(once), c, in)
		},
	}
}

// firstError is the first of what is wrong with the input by itself and of what
// the engine would say about the rest, in the contract's order; nil when the
// input is well-formed. The engine is asked on a store that is not there, so it
// says what it finds before it looks anything up.
func (c *call) firstError(try func(*affiliate.Program) error) *affiliate.Error {
	refused, place := c.in.refusal()
	if refused == nil {
		return nil
	}
	earlier, ok := errors.AsType[*affiliate.Error](try(c.p.With(noStore{})))
	if ok && earlier.Kind == affiliate.KindInvalid && c.in.outranks(earlier, place) {
		return earlier
	}
	return refused
}

// noStore is the store of a program that is asked for its opinion only.
type noStore struct{}

var errNoStore = errors.New("httpapi: the operation reached the store")

func (noStore) View(context.Context, uuid.UUID, func(*affiliate.Tx) error) error   { return errNoStore }
func (noStore) Update(context.Context, uuid.UUID, func(*affiliate.Tx) error) error { return errNoStore }
