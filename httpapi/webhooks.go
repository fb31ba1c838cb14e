package httpapi

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Source: docs/contract.md 2.12, 2.13, 4.2.

func endpointByID(p *tributary.Program, ctx context.Context, value string) (affiliate.Endpoint, error) {
	return p.Endpoint(ctx, idOf(value))
}

type deletedEndpoint struct {
	Message  string                    `json:"message"`
	Endpoint affiliate.DeletedEndpoint `json:"deletedWebhook"`
}

func deleteEndpoint(p *tributary.Program, ctx context.Context, id uuid.UUID) (deletedEndpoint, error) {
	endpoint, err := p.DeleteEndpoint(ctx, id)
	return deletedEndpoint{"Webhook endpoint deleted successfully", endpoint}, err
}

// replay answers how many deliveries are sent again.
func replay(p *tributary.Program, ctx context.Context, in affiliate.ReplayRange) (counted, error) {
	n, err := p.Replay(ctx, in)
	return counted{n}, err
}

func deliveryByID(p *tributary.Program, ctx context.Context, value string) (affiliate.Delivery, error) {
	return p.Delivery(ctx, idOf(value))
}

// deliveryFilters are the parameters that select deliveries, in their order.
var deliveryFilters = []string{"webhookId", paramEvent, "state", "event", "since", "until"}

func deliveryFilterOf(q query) (affiliate.DeliveryFilter, error) {
	state, _ := q.get("state")
	event, _ := q.get("event")
	f := affiliate.DeliveryFilter{State: affiliate.DeliveryState(state), Event: affiliate.EventType(event)}
	f.WebhookID, f.EventID = q.id("webhookId"), q.event()
	var err error
	if f.Since, err = q.date("since"); err == nil {
		f.Until, err = q.date("until")
	}
	return f, err
}

// date reads a parameter that is a date.
func (q query) date(name string) (affiliate.Opt[affiliate.Date], error) {
	text, there := q.get(name)
	if !there {
		return affiliate.Opt[affiliate.Date]{}, nil
	}
	d, err := affiliate.ParseDate(text)
	if err != nil {
		bad := refusal.FieldNotADate.Of(name)
		bad.Reason = affiliate.InvalidQuery
		return affiliate.Opt[affiliate.Date]{}, bad
	}
	return affiliate.Set(d), nil
}
