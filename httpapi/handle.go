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

// An action is the work of a route on a call: decode, call the program, encode.
// It also describes its fields and its answer, so that the OpenAPI document is
// made from the table that is served.
type action struct {
	run     func(*call) error
	read    func(*input) // reads the fields of the body, in order; nil: the route takes no body
	lookups []lookup     // of a GET; otherwise nil
	strict  bool         // unknown fields, or parameters of a GET, are refused
	keyless bool         // an Idempotency-Key is ignored
	input   any          // a zero value of what read reads
	answer  any          // a zero value of the answer's type; a GET has it in its lookups
}

// resource holds the routes of one path.
type resource struct {
	methods map[string]*route
	allow   string // sorted, HEAD included
}

// prefix begins every path of the API.
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

// An option makes a write differ from most.
type option uint8

const (
	strict   option = iota // unknown fields are refused
	keyless                // it only reads, so an Idempotency-Key is ignored
	wrapped                // its answer holds what the program returns, so that a repeat makes it again
	elseNull               // what the program does not find is answered null
)

// write is a write that answers what do returns. The engine keeps what the program
// returned under the request's key, and a repeat answers those bytes, unless they
// are wrapped.
func write[In, Out any](read func(*input) In, do method[In, Out], options ...option) action {
	send := (*call).answer
	if slices.Contains(options, wrapped) {
		send = (*call).encode
	}
	return answering[Out](read, func(p *tributary.Program, c *call, in In) error {
		out, err := do(p, c.r.Context(), in)
		if errors.Is(err, affiliate.ErrNotFound) && slices.Contains(options, elseNull) {
			c.nothing()
			return nil
		}
		if err != nil {
			return err
		}
		return send(c, &out)
	}, options...)
}

// answering is a write that asks more of the call than its body, such as its scope,
// and writes its answer, an Out, itself: of the options it heeds strict and keyless.
// An error in its input is passed to the engine, which keeps the refusal under the
// request's key.
func answering[Out, In any](read func(*input) In, do func(*tributary.Program, *call, In) error,
	options ...option) action {
	var zero In
	var none Out
	return action{
		read:    func(in *input) { read(in) },
		input:   zero,
		strict:  slices.Contains(options, strict),
		keyless: slices.Contains(options, keyless),
		answer:  none,
		run: func(c *call) error {
			c.in.call, c.in.update, c.in.strict = c, c.route.updates(), c.route.action.strict
			if err := c.readBody(); err != nil {
				return err
			}
			in := read(&c.in)
			if err := c.in.queryError(); err != nil {
				return err
			}
			if c.lost != nil {
				return c.lost
			}
			var once affiliate.Once
			if !c.route.action.keyless {
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
