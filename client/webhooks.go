package client

import (
	"context"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

const webhooks = "/webhooks"

// Endpoint is [tributary.Program.Endpoint].
//
// Errors: [affiliate.ErrNotFound].
func (c *Client) Endpoint(ctx context.Context, id uuid.UUID) (affiliate.Endpoint, error) {
	return one[affiliate.Endpoint](ctx, c, webhooks, firstOf("webhookId", textOfID(id)))
}

// Endpoints is [tributary.Program.Endpoints].
func (c *Client) Endpoints(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Endpoint], error) {
	return list[affiliate.Endpoint](ctx, c, webhooks, url.Values{}, pg)
}

// CreateEndpoint is [tributary.Program.CreateEndpoint]. Only this answer and
// that of [Client.RotateSecret] hold the secret.
func (c *Client) CreateEndpoint(ctx context.Context, in affiliate.EndpointParams) (affiliate.IssuedEndpoint, error) {
	return send[affiliate.IssuedEndpoint](ctx, c, c.post(webhooks, in, in.Once))
}

// endpointID names an endpoint on the wire.
type endpointID struct {
	WebhookID uuid.UUID `json:"webhookId,omitzero"`
}

// UpdateEndpoint is [tributary.Program.UpdateEndpoint].
func (c *Client) UpdateEndpoint(ctx context.Context, id uuid.UUID, up affiliate.EndpointUpdate) (affiliate.Endpoint, error) {
	return send[affiliate.Endpoint](ctx, c, c.put(webhooks, struct {
		endpointID
		affiliate.EndpointUpdate
	}{endpointID{id}, up}))
}

// DeleteEndpoint is [tributary.Program.DeleteEndpoint].
func (c *Client) DeleteEndpoint(ctx context.Context, id uuid.UUID) (affiliate.DeletedEndpoint, error) {
	out, err := send[struct{ DeletedWebhook affiliate.DeletedEndpoint }](ctx, c, c.remove(webhooks, endpointID{id}))
	return out.DeletedWebhook, err
}

// RotateSecret is [tributary.Program.RotateSecret].
func (c *Client) RotateSecret(ctx context.Context, in affiliate.Rotation) (affiliate.IssuedEndpoint, error) {
	return send[affiliate.IssuedEndpoint](ctx, c, c.post(webhooks+"/rotate-secret", in, in.Once))
}

// TestEndpoint is [tributary.Program.TestEndpoint]. The server may wait 15
// seconds for the endpoint, so the timeout of an attempt is 20 seconds, or
// Config.Timeout when that is longer.
func (c *Client) TestEndpoint(ctx context.Context, in affiliate.EndpointTest) (affiliate.TestResult, error) {
	rq := c.post(webhooks+"/test", in, in.Once)
	rq.patience = 20 * time.Second
	return send[affiliate.TestResult](ctx, c, rq)
}

// Delivery is [tributary.Program.Delivery], with its payload.
//
// Errors: [affiliate.ErrNotFound].
func (c *Client) Delivery(ctx context.Context, id uuid.UUID) (affiliate.Delivery, error) {
	return one[affiliate.Delivery](ctx, c, webhooks+"/deliveries", firstOf("deliveryId", textOfID(id)))
}

// Deliveries is [tributary.Program.Deliveries].
func (c *Client) Deliveries(ctx context.Context, f affiliate.DeliveryQuery, pg affiliate.Page) (affiliate.List[affiliate.Delivery], error) {
	q := filterOf(f)
	return chosen(ctx, c, webhooks+"/deliveries", choice[affiliate.Delivery]{query: q.query, nobody: q.nobody}, pg)
}

// Replay is [tributary.Program.Replay]. It returns how many deliveries are sent
// again.
func (c *Client) Replay(ctx context.Context, in affiliate.ReplayRange) (int, error) {
	out, err := send[struct{ Count int }](ctx, c, c.post(webhooks+"/replay", in, in.Once))
	return out.Count, err
}

// textOfDate returns a date in a query; empty when no date is set.
func textOfDate(d affiliate.Opt[affiliate.Date]) string {
	if date, ok := d.Get(); ok {
		return date.String()
	}
	return ""
}
