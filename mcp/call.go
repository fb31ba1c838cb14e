package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// The limits of an answer.
const (
	fewRows  = 10
	mostRows = 50
	maxBytes = 24 << 10 // of a page: one with more is read again with fewer rows
)

// A caller calls the operations of a program.
type caller struct {
	client *client.Client

	mu       sync.Mutex
	known    bool
	currency string // of the program; empty: the key may not ask
}

// tool returns the operation as a tool.
func (o *operation) tool(c *caller) tool {
	destroys := o.method == http.MethodDelete
	closed := false
	t := tool{args: o.args, run: func(ctx context.Context, in input) (any, error) { return c.do(ctx, o, in) }}
	t.Name, t.Description = o.id, o.what
	t.Annotations = &sdk.ToolAnnotations{ReadOnlyHint: o.reads, OpenWorldHint: &closed}
	if !o.reads {
		t.Annotations.DestructiveHint = &destroys
	}
	return t
}

// do calls an operation once; a page that is too long is read again with fewer rows.
func (c *caller) do(ctx context.Context, o *operation, in input) (any, error) {
	rq, err := o.request(in)
	if err != nil {
		return nil, err
	}
	home, err := c.home(ctx)
	if err != nil {
		return nil, err
	}
	show := shower{home: home, items: rq.rows}
	if text, _ := in.text("currency"); text != "" {
		show.order = text
	}
	for {
		answer, err := c.send(ctx, o, rq)
		if err != nil {
			return nil, err
		}
		value, err := decode(answer.Body)
		if err != nil {
			return nil, errUnreadable
		}
		out := show.answer(value, answer.Next)
		if rq.limit > 1 && o.method == http.MethodGet && sizeOf(out) > maxBytes {
			rq.limit /= 2
			continue
		}
		if p, is := out.(*page); is && rq.query.Get(cursorArg) == "" {
			p.Totals, err = c.totals(ctx, show, o, rq.query)
		}
		return out, err
	}
}

// A request holds the parts of a call.
type request struct {
	query url.Values
	body  map[string]json.RawMessage // nil: none
	once  string
	limit int // of the query; zero: it has none
	rows  int // the limit, of a query or a body; zero: there is none
}

// request puts the arguments where the operation takes them.
func (o *operation) request(in input) (*request, error) {
	rq := &request{query: url.Values{}}
	for _, a := range o.args {
		raw, given := in[a.name]
		if a.inBody && rq.body == nil {
			rq.body = map[string]json.RawMessage{}
		}
		var err error
		switch {
		case a.name == onceArg:
			rq.once, err = in.text(onceArg)
		case a.name == limitArg && o.reads:
			rq.rows, err = in.limit()
			if a.inBody {
				rq.body[limitArg] = json.RawMessage(strconv.Itoa(rq.rows))
			} else {
				rq.limit = rq.rows
			}
		case !a.inBody:
			err = in.query(rq.query, a.name)
		case given:
			rq.body[a.name] = raw
		}
		if err != nil {
			return nil, err
		}
	}
	return rq, nil
}

// send sends a request.
func (c *caller) send(ctx context.Context, o *operation, rq *request) (client.Answer, error) {
	if rq.limit > 0 {
		rq.query.Set(limitArg, strconv.Itoa(rq.limit))
	}
	var body json.RawMessage
	if rq.body != nil {
		var err error
		if body, err = json.Marshal(rq.body); err != nil {
			return client.Answer{}, err
		}
	}
	answer, err := c.client.Keyed(affiliate.Once{Key: rq.once}).Do(ctx, o.method, o.path, rq.query, body)
	if err != nil {
		return client.Answer{}, &callError{err, !o.reads}
	}
	return answer, nil
}

// home returns the currency of the program, which is asked for once.
func (c *caller) home(ctx context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known {
		return c.currency, nil
	}
	answer, err := c.client.Do(ctx, http.MethodGet, "/program", nil, nil)
	if status := statusOf(err); err != nil && status != http.StatusForbidden {
		return "", &callError{err, false}
	}
	var settings struct{ Currency string }
	if err == nil && json.Unmarshal(answer.Body, &settings) != nil {
		return "", errUnreadable
	}
	c.known, c.currency = true, settings.Currency
	return c.currency, nil
}

// totals returns what all pages of a list add up to, of those lists that have a total of
// their own; nil: of the others.
func (c *caller) totals(ctx context.Context, show shower, o *operation, query url.Values) (any, error) {
	of := &operation{method: http.MethodGet, reads: true}
	rq := &request{query: url.Values{}}
	switch o.id {
	case "getRankedBalances":
		of.path = "/balances/total"
	case "getBreakdown":
		of.path, rq.limit = "/reports", 1000
		rq.query.Set("by", "month")
	default:
		return nil, nil
	}
	for _, name := range []string{"at", "from", "to", "affiliateId"} {
		if text := query.Get(name); text != "" {
			rq.query.Set(name, text)
		}
	}
	answer, err := c.send(ctx, of, rq)
	if err != nil {
		return nil, err
	}
	value, err := decode(answer.Body)
	if err != nil {
		return nil, errUnreadable
	}
	if buckets, is := value.([]any); is {
		if value, err = sum(buckets); err != nil {
			return nil, errUnreadable
		}
	}
	return show.value("", value, show.home), nil
}

// sum adds up the numbers of buckets, exactly.
func sum(buckets []any) (object, error) {
	var total object
	for _, b := range buckets {
		bucket, _ := b.(object)
		for _, m := range bucket {
			text, is := m.value.(json.Number)
			if !is {
				continue
			}
			n, err := affiliate.ParseAmount(text.String())
			if err != nil {
				return nil, err
			}
			if before, is := total.at(m.name).(json.Number); is {
				if n, err = n.Add(affiliate.MustAmount(before.String())); err != nil {
					return nil, err
				}
			}
			total = total.with(m.name, json.Number(n.String()))
		}
	}
	return total, nil
}
