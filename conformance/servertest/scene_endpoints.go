package servertest

import (
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// sceneEndpoints makes an endpoint, changes it and deletes it.
func sceneEndpoints(s *scene) {
	issued := do(s, "CreateEndpoint", s.CreateEndpoint, affiliate.EndpointParams{
		URL: "https://hooks.conform.example/" + s.unique, Events: []affiliate.EventType{affiliate.CouponCreated, affiliate.CouponDeleted}, Description: "one", Active: given(false),
		Headers: affiliate.EndpointHeaders{"authorization": "Basic dTpw", "X-Key": "k"},
	})
	s.later(func() { _, _ = s.DeleteEndpoint(s.ctx, issued.ID) }) // it is gone when all went well
	same(s, "an endpoint that is switched off", affiliate.EndpointDisabled, issued.Status)
	same(s, "its hint", true, issued.SecretHint != "" && strings.HasSuffix(issued.Secret.Reveal(), issued.SecretHint))
	same(s, "the names of its own headers", []string{"Authorization", "X-Key"}, issued.HeaderNames)
	same(s, "the stored endpoint", issued.Endpoint, do(s, "Endpoint", s.Endpoint, issued.ID))

	rotated := do(s, "RotateSecret", s.RotateSecret, affiliate.Rotation{WebhookID: issued.ID, GracePeriodSeconds: given(int64(60))})
	same(s, "a new secret", false, rotated.Secret == issued.Secret)
	same(s, "the end of the old one", false, rotated.PreviousSecretExpiresAt.IsNull())

	coupon := s.coupon()
	do2(s, "UpdateCoupon", s.UpdateCoupon, coupon.ID, affiliate.CouponUpdate{Valid: given(false)})
	do(s, "DeleteCoupon", s.DeleteCoupon, coupon.ID)
	list := do2(s, "Deliveries", s.Deliveries, affiliate.DeliveryQuery{WebhookID: affiliate.Set(issued.ID), State: affiliate.DeliverySkipped}, affiliate.Page{})
	var events []affiliate.EventType
	for _, d := range list.Items {
		events = append(events, d.Event)
	}
	same(s, "what the endpoint would have heard, newest first", []affiliate.EventType{affiliate.CouponDeleted, affiliate.CouponCreated}, events)
	one := do(s, "Delivery", s.Delivery, list.Items[0].ID)
	payload, ok := one.Payload.Get()
	same(s, "the payload of a deletion", true, ok && strings.HasSuffix(string(payload), `"body":{"id":"`+coupon.ID.String()+`"}}`))
	denied(s, "Replay", s.Replay, affiliate.ReplayRange{DeliveryID: one.ID}, affiliate.WebhookDisabled)

	changed := do2(s, "UpdateEndpoint", s.UpdateEndpoint, issued.ID, affiliate.EndpointUpdate{Description: affiliate.Null[string](), SvixHeaders: given(true), Headers: affiliate.Null[affiliate.EndpointHeaders]()})
	same(s, "headers that were cleared", []string{}, changed.HeaderNames)
	same(s, "a description that was cleared", affiliate.Null[string](), changed.Description)
	same(s, "a deleted endpoint", affiliate.DeletedEndpoint{ID: issued.ID, URL: issued.URL}, do(s, "DeleteEndpoint", s.DeleteEndpoint, issued.ID))
	miss(s, "Endpoint", s.Endpoint, issued.ID)
}
