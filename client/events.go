package client

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

const (
	followBatch = 100         // how many events Follow asks for at a time
	followPoll  = time.Second // how often it asks when there are none
)

// Events is [tributary.Program.Events]. Without a page all pages are joined.
func (c *Client) Events(ctx context.Context, f affiliate.EventQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Event], error) {
	var q filter
	q.word("type", string(f.Type))
	q.text("objectId", f.ObjectID)
	q.event("eventId", f.ID)
	l, err := selected[event](ctx, c, "/events", q, pg)
	return affiliate.List[affiliate.Event]{Items: eventsOf(l.Items), Next: l.Next}, err
}

// EventsAfter is [tributary.Program.EventsAfter].
func (c *Client) EventsAfter(ctx context.Context, after uuid.UUID, limit int) ([]affiliate.Event, error) {
	position := "start"
	if after != uuid.Nil {
		position = affiliate.Event{ID: after}.MessageID()
	}
	l, err := list[event](ctx, c, "/events",
		url.Values{"after": {position}, "limit": {strconv.Itoa(limit)}}, affiliate.Page{})
	if err != nil {
		return nil, err
	}
	return eventsOf(l.Items), nil
}

// Follow is [tributary.Program.Follow]. When it has read all events it asks for
// more once a second.
func (c *Client) Follow(ctx context.Context, after uuid.UUID) iter.Seq2[affiliate.Event, error] {
	return func(yield func(affiliate.Event, error) bool) {
		position := after
		for {
			events, err := c.EventsAfter(ctx, position, followBatch)
			if err == nil && len(events) == 0 {
				err = wait(ctx, followPoll)
			}
			if err != nil {
				yield(affiliate.Event{}, err)
				return
			}
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
				position = e.ID
			}
		}
	}
}

// wait waits for a while, or for the end of ctx.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

var errNoEvent = errors.New("client: an event without an id")

// event is an event on the wire.
type event struct {
	ID         messageID                      `json:"eventId"`
	Type       affiliate.EventType            `json:"event"`
	ObjectID   string                         `json:"objectId"`
	Revision   int64                          `json:"revision"`
	OccurredAt affiliate.Time                 `json:"occurredAt"`
	Payload    affiliate.Opt[json.RawMessage] `json:"payload"`
}

// UnmarshalJSON reads an event, which has an id.
func (e *event) UnmarshalJSON(data []byte) error {
	type plain event
	if err := json.Unmarshal(data, (*plain)(e)); err != nil {
		return err
	}
	if e.ID == (messageID{}) {
		return errNoEvent
	}
	return nil
}

func eventsOf(wire []event) []affiliate.Event {
	out := make([]affiliate.Event, len(wire))
	for i, e := range wire {
		out[i] = affiliate.Event{
			ID: uuid.UUID(e.ID), Type: e.Type, ObjectID: e.ObjectID, Revision: e.Revision,
			OccurredAt: e.OccurredAt, Payload: e.Payload.Or(nil),
		}
	}
	return out
}

// A messageID is the id of an event, which the wire spells in its own way.
type messageID uuid.UUID

// UnmarshalText reads what [affiliate.Event.MessageID] makes.
func (m *messageID) UnmarshalText(text []byte) error {
	digits, ok := strings.CutPrefix(string(text), "evt_")
	id, err := uuid.Parse(digits)
	if !ok || err != nil || len(digits) != 32 {
		return errNoEvent
	}
	*m = messageID(id)
	return nil
}
