package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/unseen"
)

// An action is what a route does with a call: decode, call the program, encode.
// It also describes its fields and its answer, so that the OpenAPI document is
// made from the table that is served.
type action struct {
	run     func(*call) error
	read    func(*input) // reads the fields of the body, in order; nil: the route takes no body
	lookups []lookup     // of a GET; otherwise nil
	strict  bool         // unknown fields, or parameters of a GET, are refused
	keyless bool         // a POST that only reads: an Idempotency-Key is ignored
	answer  any          // a zero value of the answer's type; a GET has it in its lookups
}

// resource holds the routes of one path.
type resource struct {
	methods map[string]*route
	allow   string // sorted, HEAD included
}

// prefix is what every path of the API begins with.
const prefix = "/api/v1"

// resources groups the routes of a table by path.
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
type method[In, Out any] func(*tributary.Program, context.Context, In) (Out, error)

// create is a POST that answers what the program returns.
func create[In, Out any](read func(*input) In, do method[In, Out]) action {
	return answers(read, do, (*call).answer, input{})
}

// act is a POST that changes existing records. It refuses unknown fields.
func act[In, Out any](read func(*input) In, do method[In, Out]) action {
	return answers(read, do, (*call).answer, input{strict: true})
}

// post is a POST with an answer of its own kind.
func post[In any](read func(*input) In, do func(*tributary.Program, *call, In) error) action {
	return write(read, do, input{})
}

// strictly is post for an operation that refuses unknown fields.
func strictly[In any](read func(*input) In, do func(*tributary.Program, *call, In) error) action {
	return write(read, do, input{strict: true})
}

// ask is a POST that only reads.
func ask[In, Out any](read func(*input) In, do method[In, Out]) action {
	return answers(read, do, (*call).answer, input{keyless: true})
}

// asking is ask with an answer of its own kind, for an operation that refuses
// unknown fields.
func asking[In any](read func(*input) In, do func(*tributary.Program, *call, In) error) action {
	return write(read, do, input{strict: true, keyless: true})
}

// change is a PUT or PATCH that refuses unknown fields.
func change[In, Out any](read func(*input) In, do method[In, Out]) action {
	return answers(read, do, (*call).answer, input{update: true, strict: true})
}

// changing is change for an operation that asks more of the call than its body, such
// as its scope.
func changing[Out, In any](read func(*input) In, do func(*tributary.Program, *call, In) error) action {
	return answering[Out](write(read, do, input{update: true, strict: true}))
}

// lenient is a PUT that ignores unknown fields.
func lenient[In, Out any](read func(*input) In, do method[In, Out]) action {
	return answers(read, do, (*call).answer, input{update: true})
}

// counting is lenient with an answer that holds the number that the program
// returns.
func counting[In any](read func(*input) In, do method[In, counted]) action {
	return answers(read, do, (*call).encode, input{update: true})
}

// remove is a DELETE. Its answer holds what the program returns.
func remove[In, Out any](read func(*input) In, do method[In, Out]) action {
	return answers(read, do, (*call).encode, input{})
}

// perform is a write that refuses unknown fields. Its answer is made of what the
// program returns.
func perform[In, Out any](read func(*input) In, do method[In, Out]) action {
	return answers(read, do, (*call).encode, input{strict: true})
}

// answers is a write that answers what do returns. send writes the answer. The
// engine keeps what the program returned under the request's key:
// (*call).answer repeats those bytes, and (*call).encode makes the answer again
// from them.
func answers[In, Out any](read func(*input) In, do method[In, Out], send func(*call, any) error, mode input) action {
	return answering[Out](write(read, func(p *tributary.Program, c *call, in In) error {
		out, err := do(p, c.r.Context(), in)
		if err != nil {
			return err
		}
		return send(c, &out)
	}, mode))
}

// answering sets the answer type of an action that writes its answer itself.
func answering[Out any](a action) action {
	var none Out
	a.answer = none
	return a
}

// write is any write. An error in its input is passed to the engine, which
// keeps the refusal under the request's key.
func write[In any](read func(*input) In, do func(*tributary.Program, *call, In) error, mode input) action {
	return action{
		read:    func(in *input) { read(in) },
		strict:  mode.strict,
		keyless: mode.keyless,
		run: func(c *call) error {
			c.in.update, c.in.strict = mode.update, mode.strict
			if err := c.readBody(); err != nil {
				return err
			}
			in := read(&c.in)
			if err := c.in.queryError(); err != nil {
				return err
			}
			var once affiliate.Once
			if !mode.keyless {
				var err error
				if once, err = c.once(); err != nil {
					return err
				}
			}
			once.Refused = c.firstError(func(p *tributary.Program) error { return do(p, c, in) })
			if once.Refused != nil && once.Key == "" {
				return once.Refused
			}
			return do(c.p.Keyed(once), c, in)
		},
	}
}

// firstError returns the refusal of a malformed input; nil when the input is
// well-formed. The contract orders the errors, and an error that only the
// engine finds may come first. So the engine is called with a store that always
// fails: it returns the errors that it finds without the store.
func (c *call) firstError(try func(*tributary.Program) error) *affiliate.Error {
	refused, place := c.in.refusal()
	if refused == nil {
		return nil
	}
	asked := c.r
	c.r = asked.WithContext(unseen.Context(asked.Context())) // a trial is no operation
	earlier, ok := errors.AsType[*affiliate.Error](try(c.p.With(noStore{})))
	c.r = asked
	if ok && earlier.Kind == affiliate.KindInvalid && c.in.outranks(earlier, place) {
		return earlier
	}
	return refused
}

// noStore is a store that always fails. A program with it only checks its
// input.
type noStore struct{}

var errNoStore = errors.New("httpapi: the operation reached the store")

func (noStore) View(context.Context, uuid.UUID, func(*record.Tx) error) error   { return errNoStore }
func (noStore) Update(context.Context, uuid.UUID, func(*record.Tx) error) error { return errNoStore }
