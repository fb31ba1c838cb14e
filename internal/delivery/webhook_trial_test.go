package delivery_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// A test of a disabled endpoint that does not subscribe to the type: one
// request with a full sample, and nothing is stored (W079).
func TestTestEndpoint(t *testing.T) {
	for _, typ := range affiliate.EventTypes() {
		t.Run(string(typ), func(t *testing.T) {
			var sent []affiliate.Claim
			send := func(_ context.Context, c affiliate.Claim) affiliate.Attempt {
				sent = append(sent, c)
				return affiliate.Attempt{Status: 204, Took: 84 * time.Millisecond}
			}
			scene.OnStores(t, func(t *testing.T, w *scene.World) {
				sent = nil
				ep := scene.Must(w.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{
					URL: scene.HookURL, Events: []affiliate.EventType{other(typ)}, Active: affiliate.Set(false), SvixHeaders: true,
				}))
				before := w.Dump()
				got := scene.Must(w.Webhooks().TestEndpoint(t.Context(), affiliate.EndpointTest{WebhookID: ep.ID, Event: typ}))
				scene.Equal(t, before, w.Dump())
				if len(sent) != 1 {
					t.Fatalf("%d requests", len(sent))
				}
				c := sent[0]
				scene.Equal(t, affiliate.TestResult{
					Delivered: true, StatusCode: affiliate.Set[int64](204), DurationMS: 84, Error: affiliate.Null[string](), EventID: c.MessageID,
				}, got)
				if c.Secrets[0] != ep.Secret || c.URL != scene.HookURL || !c.SvixHeaders || !c.Manual || c.Event != typ || c.Delivery != uuid.Nil {
					t.Errorf("claim %+v", c)
				}
				checkSample(t, w, typ, c)
			}, func(c *tributary.Config) { c.Send = send })
		})
	}
}

// other returns a type of another family.
func other(typ affiliate.EventType) affiliate.EventType {
	if typ.Family() == "sale" {
		return affiliate.CouponCreated
	}
	return affiliate.SaleCreated
}

// checkSample compares a sample with a real payload: both have the same keys at
// every level, in every object that is not null.
func checkSample(t *testing.T, w *scene.World, typ affiliate.EventType, c affiliate.Claim) {
	t.Helper()
	var got map[string]any
	scene.Must(0, json.Unmarshal(c.Payload, &got))
	head := `{"event":"` + string(typ) + `","eventId":"` + c.MessageID + `","occurredAt":"2026-03-11T09:24:18.442Z","programId":"` + w.Config().ID.String() + `","revision":0,"test":true,"body":{"id":`
	if !strings.HasPrefix(string(c.Payload), head) {
		t.Errorf("envelope %.300s", c.Payload)
	}
	body := got["body"].(map[string]any)
	if strings.HasSuffix(string(typ), "deleted") {
		if _, number := body["id"].(float64); len(body) != 1 || number != (typ == affiliate.SaleDeleted) {
			t.Errorf("body %v", body)
		}
		return
	}
	real := realBody(t, typ)
	sameKeys(t, "body", real, body)
}

// realBody returns the body of an event that a shop has fired.
func realBody(t *testing.T, typ affiliate.EventType) map[string]any {
	t.Helper()
	w := scene.New(t)
	a := w.Ada()
	w.Refer("ada", "kim@example.com")
	w.SellTo("kim@example.com", "100")
	scene.Must(w.UpdateCode(t.Context(), a.ADA20.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
	scene.Must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.Person.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set("Eva")}))
	updated := affiliate.EventType(typ.Family() + ".updated")
	for _, e := range scene.Must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items {
		if e.Type == typ || e.Type == updated {
			return scene.BodyOf[map[string]any](t, e)
		}
	}
	for _, e := range scene.Must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items {
		if e.Type.Family() == typ.Family() {
			return scene.BodyOf[map[string]any](t, e)
		}
	}
	t.Fatalf("nothing has fired %s", typ)
	return nil
}

func sameKeys(t *testing.T, path string, want, got map[string]any) {
	t.Helper()
	for key := range want {
		if _, ok := got[key]; !ok {
			t.Errorf("%s has no %s", path, key)
		}
	}
	for key := range got {
		w, ok := want[key]
		if !ok {
			t.Errorf("%s has a %s", path, key)
		}
		if list, isList := w.([]any); isList && len(list) > 0 {
			mine, _ := got[key].([]any)
			if len(mine) == 0 {
				t.Errorf("%s.%s is empty", path, key)
				continue
			}
			w, got[key] = list[0], mine[0]
		}
		inner, isObject := w.(map[string]any)
		mine, also := got[key].(map[string]any)
		if isObject && also {
			sameKeys(t, path+"."+key, inner, mine)
		}
	}
}

func TestTestEndpointResults(t *testing.T) {
	tests := []struct {
		name    string
		attempt affiliate.Attempt
		want    affiliate.TestResult
	}{
		{"Refused", affiliate.Attempt{Status: 500}, affiliate.TestResult{StatusCode: affiliate.Set[int64](500), Error: affiliate.Null[string]()}},
		{"Redirect", affiliate.Attempt{Status: 302, Err: affiliate.FailedRedirect}, affiliate.TestResult{StatusCode: affiliate.Set[int64](302), Error: affiliate.Set("redirect")}},
		{"NoAnswer", affiliate.Attempt{Err: affiliate.FailedTimeout, Took: 15 * time.Second}, affiliate.TestResult{StatusCode: affiliate.Null[int64](), Error: affiliate.Set("timeout"), DurationMS: 15_000}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := scene.New(t, func(c *tributary.Config) {
				c.Send = func(context.Context, affiliate.Claim) affiliate.Attempt { return tt.attempt }
			})
			ep := w.Hook()
			before := w.Dump()
			got := scene.Must(w.Webhooks().TestEndpoint(t.Context(), affiliate.EndpointTest{WebhookID: ep.ID, Event: affiliate.SaleCreated}))
			tt.want.EventID = got.EventID
			scene.Equal(t, tt.want, got)
			scene.Equal(t, before, w.Dump())
		})
	}
	t.Run("NoSender", func(t *testing.T) {
		w := scene.New(t)
		got := scene.Must(w.Webhooks().TestEndpoint(t.Context(), affiliate.EndpointTest{WebhookID: w.Hook().ID, Event: affiliate.SaleCreated}))
		if got.Delivered || got.Error != affiliate.Set(affiliate.FailedNoSender) || !got.StatusCode.IsNull() {
			t.Errorf("%+v", got)
		}
	})
}

func TestTestEndpointErrors(t *testing.T) {
	w := scene.New(t, func(c *tributary.Config) {
		c.Send = func(context.Context, affiliate.Claim) affiliate.Attempt { t.Error("sent"); return affiliate.Attempt{} }
	})
	ep := w.Hook()
	tests := []struct {
		name string
		in   affiliate.EndpointTest
		want affiliate.Error
	}{
		{"ErrNothing", affiliate.EndpointTest{}, scene.FieldError(affiliate.MissingField, "webhookId", "Webhook ID is required")},
		{"ErrNoEvent", affiliate.EndpointTest{WebhookID: ep.ID}, scene.FieldError(affiliate.MissingField, "event", "Event is required")},
		{"ErrEvent", affiliate.EndpointTest{WebhookID: ep.ID, Event: "*"}, scene.FieldError(affiliate.InvalidField, "event", "Unknown event type: *")},
		{"ErrNotFound", affiliate.EndpointTest{WebhookID: uuid.Max, Event: affiliate.SaleCreated}, scene.MissingError(affiliate.WebhookNotFound, "Webhook endpoint not found")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := *w
			w.T = t
			w.Refused(tt.want, func() error { return scene.ErrOf(w.Webhooks().TestEndpoint(t.Context(), tt.in)) })
		})
	}
}

// With a key, a repeat is answered without a request.
func TestTestEndpointOnce(t *testing.T) {
	sent := 0
	send := func(context.Context, affiliate.Claim) affiliate.Attempt {
		sent++
		return affiliate.Attempt{Status: 204}
	}
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		sent = 0
		ep := w.Hook()
		in := affiliate.EndpointTest{WebhookID: ep.ID, Event: affiliate.SaleCreated, Once: affiliate.Once{Key: "k"}}
		var stored []byte
		in.Replayed = func(answer []byte) { stored = answer }
		first := scene.Must(w.Webhooks().TestEndpoint(t.Context(), in))
		if stored != nil || sent != 1 {
			t.Errorf("first: stored %s, sent %d", stored, sent)
		}
		before := w.Dump()
		scene.Equal(t, first, scene.Must(w.Webhooks().TestEndpoint(t.Context(), in)))
		scene.Equal(t, before, w.Dump())
		if sent != 1 || string(stored) != scene.JSON(first) {
			t.Errorf("repeat: sent %d, stored %s", sent, stored)
		}
		in.Event = affiliate.SaleUpdated
		if _, err := w.Webhooks().TestEndpoint(t.Context(), in); err == nil || sent != 1 {
			t.Errorf("another request under the key: %v", err)
		}
	}, func(c *tributary.Config) { c.Send = send })
}
