package httpapi

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Source: docs/contract.md 2.12, 2.13, 4.2.

// deletedEndpoint is the answer for a deleted endpoint.
type deletedEndpoint struct {
	Message  string                    `json:"message"`
	Endpoint affiliate.DeletedEndpoint `json:"deletedWebhook"` // What was deleted.
}

func deleteEndpoint(p *tributary.Program, ctx context.Context, id uuid.UUID) (deletedEndpoint, error) {
	endpoint, err := p.Webhooks().DeleteEndpoint(ctx, id)
	return deletedEndpoint{"Webhook endpoint deleted successfully", endpoint}, err
}

// ofHooks makes a method of Webhooks one of the program, and ofHooks2 one with two arguments.
func ofHooks[In, Out any](do func(tributary.Webhooks, context.Context, In) (Out, error)) func(*tributary.Program, context.Context, In) (Out, error) {
	return func(p *tributary.Program, ctx context.Context, in In) (Out, error) { return do(p.Webhooks(), ctx, in) }
}

func ofHooks2[A, B, Out any](do func(tributary.Webhooks, context.Context, A, B) (Out, error)) func(*tributary.Program, context.Context, A, B) (Out, error) {
	return func(p *tributary.Program, ctx context.Context, a A, b B) (Out, error) {
		return do(p.Webhooks(), ctx, a, b)
	}
}

// replay answers how many deliveries are sent again.
func replay(p *tributary.Program, ctx context.Context, in affiliate.ReplayRange) (countAnswer, error) {
	n, err := p.Webhooks().Replay(ctx, in)
	return countAnswer{n}, err
}

// Source: docs/contract.md 4.6.

// event is one change of one object.
type event struct {
	// The webhook-id of its deliveries, and a position for after.
	ID string `json:"eventId"`
	// The event type.
	Type affiliate.EventType `json:"event"`
	// The id of the object; of a sale its integer in digits.
	ObjectID string `json:"objectId"`
	// Rises by one with every event of the object, from 1.
	Revision int64 `json:"revision"`
	// When the change was made.
	OccurredAt affiliate.Time `json:"occurredAt"`
	// What endpoints get; null once a person in it was erased.
	Payload affiliate.Opt[json.RawMessage] `json:"payload"`
}

func eventOf(e affiliate.Event) event {
	out := event{e.MessageID(), e.Type, e.ObjectID, e.Revision, e.OccurredAt, affiliate.Null[json.RawMessage]()}
	if len(e.Payload) > 0 {
		out.Payload = affiliate.Set[json.RawMessage](e.Payload)
	}
	return out
}

const (
	paramEvent  = "eventId"
	paramAfter  = "after"
	eventsStart = "start" // the position before the first event
)

// events lists events, newest first, or those after a position, oldest first.
func events() lookup {
	filters := []string{"type", "objectId", paramEvent, paramAfter}
	return lookup{filters: filters, paged: true, answer: event{}, run: func(c *call, q query, _ string) error {
		if position, there := q.get(paramAfter); there {
			return eventsAfter(c, q, position)
		}
		typ, _ := q.get("type")
		page, err := c.p.Events(c.r.Context(),
			affiliate.EventQuery{Type: affiliate.EventType(typ), ObjectID: q.text("objectId"),
				ID: q.event(paramEvent)}, q.page)
		if err != nil {
			return err
		}
		c.link(q, page.Next)
		return answerEvents(c, page.Items)
	}}
}

func eventsAfter(c *call, q query, position string) error {
	for _, name := range []string{"type", "objectId", paramEvent, paramCursor} {
		if _, there := q.get(name); there {
			return refusal.RefuseAfter.Err()
		}
	}
	after, ok := positionOf(position)
	if !ok {
		bad := refusal.FieldNotAnID.Of(paramAfter)
		bad.Reason = affiliate.InvalidQuery
		return bad
	}
	items, err := c.p.EventsAfter(c.r.Context(), after, q.page.Limit)
	if err != nil {
		return err
	}
	if len(items) == q.page.Limit {
		next := "?" + paramAfter + "=" + url.QueryEscape(items[len(items)-1].MessageID()) + "&" +
			paramLimit + "=" + strconv.Itoa(q.page.Limit)
		c.w.Header()["Link"] = []string{"<" + next + `>; rel="next"`}
	}
	return answerEvents(c, items)
}

func answerEvents(c *call, items []affiliate.Event) error {
	a := c.array()
	for i := range items {
		shown := eventOf(items[i])
		if err := a.add(&shown); err != nil {
			return err
		}
	}
	return a.end()
}

// positionOf reads an event id in the one spelling in which it is given out, or
// start.
func positionOf(text string) (id uuid.UUID, ok bool) {
	if text == eventsStart {
		return uuid.Nil, true
	}
	return eventIDOf(text)
}

// event returns the parameter that names an event. What is no eventId names none.
func (q query) event(name string) affiliate.Opt[uuid.UUID] {
	return given(q, name, func(text string) uuid.UUID {
		id, _ := eventIDOf(text)
		return id
	})
}

// eventIDOf reads an eventId.
func eventIDOf(text string) (id uuid.UUID, ok bool) {
	digits, ok := strings.CutPrefix(text, "evt_")
	if !ok || len(digits) != 2*len(id) {
		return id, false
	}
	if _, err := hex.Decode(id[:], []byte(digits)); err != nil || digits != strings.ToLower(digits) {
		return uuid.Nil, false
	}
	return id, true
}
