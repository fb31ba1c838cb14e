package client

import (
	"context"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

const webhooks = "/webhooks"

// Webhooks is [tributary.Webhooks], without the calls of a dispatcher.
type Webhooks struct{ c *Client }

// Webhooks returns the endpoints of the program and their deliveries.
func (c *Client) Webhooks() Webhooks { return Webhooks{c} }

// Endpoint is [tributary.Webhooks.Endpoint].
//
// Errors: [affiliate.ErrNotFound].
func (w Webhooks) Endpoint(ctx context.Context, id uuid.UUID) (affiliate.Endpoint, error) {
	return one[affiliate.Endpoint](ctx, w.c, webhooks, firstOf("webhookId", textOfID(id)))
}

// Endpoints is [tributary.Webhooks.Endpoints].
func (w Webhooks) Endpoints(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Endpoint], error) {
	return list[affiliate.Endpoint](ctx, w.c, webhooks, url.Values{}, pg)
}

// CreateEndpoint is [tributary.Webhooks.CreateEndpoint]. Only this answer and
// that of [Webhooks.RotateSecret] hold the secret.
func (w Webhooks) CreateEndpoint(ctx context.Context, in affiliate.EndpointParams) (affiliate.IssuedEndpoint, error) {
	return send[affiliate.IssuedEndpoint](ctx, w.c, w.c.post(webhooks, in, in.Once))
}

// endpointID names an endpoint on the wire.
type endpointID struct {
	WebhookID uuid.UUID `json:"webhookId,omitzero"`
}

// UpdateEndpoint is [tributary.Webhooks.UpdateEndpoint].
func (w Webhooks) UpdateEndpoint(ctx context.Context, id uuid.UUID,
	up affiliate.EndpointUpdate) (affiliate.Endpoint, error) {
	return send[affiliate.Endpoint](ctx, w.c, w.c.put(webhooks, struct {
		endpointID
		affiliate.EndpointUpdate
	}{endpointID{id}, up}))
}

// DeleteEndpoint is [tributary.Webhooks.DeleteEndpoint].
func (w Webhooks) DeleteEndpoint(ctx context.Context, id uuid.UUID) (affiliate.DeletedEndpoint, error) {
	out, err := send[struct{ DeletedWebhook affiliate.DeletedEndpoint }](ctx, w.c, w.c.remove(webhooks, endpointID{id}))
	return out.DeletedWebhook, err
}

// RotateSecret is [tributary.Webhooks.RotateSecret].
func (w Webhooks) RotateSecret(ctx context.Context, in affiliate.Rotation) (affiliate.IssuedEndpoint, error) {
	return send[affiliate.IssuedEndpoint](ctx, w.c, w.c.post(webhooks+"/rotate-secret", in, in.Once))
}

// TestEndpoint is [tributary.Webhooks.TestEndpoint]. The server may wait 15
// seconds for the endpoint, so the timeout of an attempt is 20 seconds, or
// Config.Timeout when that is longer.
func (w Webhooks) TestEndpoint(ctx context.Context, in affiliate.EndpointTest) (affiliate.TestResult, error) {
	rq := w.c.post(webhooks+"/test", in, in.Once)
	rq.patience = 20 * time.Second
	return send[affiliate.TestResult](ctx, w.c, rq)
}

// Delivery is [tributary.Webhooks.Delivery], with its payload.
//
// Errors: [affiliate.ErrNotFound].
func (w Webhooks) Delivery(ctx context.Context, id uuid.UUID) (affiliate.Delivery, error) {
	return one[affiliate.Delivery](ctx, w.c, webhooks+"/deliveries", firstOf("deliveryId", textOfID(id)))
}

// Deliveries is [tributary.Webhooks.Deliveries].
func (w Webhooks) Deliveries(ctx context.Context, f affiliate.DeliveryQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Delivery], error) {
	q := filterOf(f)
	return chosen(ctx, w.c, webhooks+"/deliveries", choice[affiliate.Delivery]{query: q.query, nobody: q.nobody}, pg)
}

// Replay is [tributary.Webhooks.Replay]. It returns how many deliveries are sent
// again.
func (w Webhooks) Replay(ctx context.Context, in affiliate.ReplayRange) (int, error) {
	out, err := send[struct{ Count int }](ctx, w.c, w.c.post(webhooks+"/replay", in, in.Once))
	return out.Count, err
}

// textOfDate returns a date in a query; empty when no date is set.
func textOfDate(d affiliate.Opt[affiliate.Date]) string {
	if date, ok := d.Get(); ok {
		return date.String()
	}
	return ""
}
