package delivery_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

const basic = "Basic dXNlcjpwYXNzd29yZA=="

// Headers of the receiver's own come with every claim, and neither the answers, the
// store nor anything printed has their values.
func TestEndpointHeaders(t *testing.T) {
	w := scene.New(t, scene.Sealed)
	given := affiliate.EndpointHeaders{"authorization": basic, "X-Api-Key": "k"}
	in := affiliate.EndpointParams{URL: scene.HookURL, Events: []affiliate.EventType{"*"}, Headers: given, Once: affiliate.Once{Key: "k"}}
	hook := scene.Must(w.Webhooks().CreateEndpoint(t.Context(), in))
	names := []string{"Authorization", "X-Api-Key"}
	want := affiliate.EndpointHeaders{"Authorization": basic, "X-Api-Key": "k"}
	stored := scene.Must(w.Webhooks().Endpoint(t.Context(), hook.ID))
	if !slices.Equal(hook.HeaderNames, names) || !slices.Equal(stored.HeaderNames, names) {
		t.Errorf("names %q, stored %q", hook.HeaderNames, stored.HeaderNames)
	}
	w.Crowd(1)
	claims := w.Claim(64)
	if len(claims) == 0 {
		t.Fatal("nothing to deliver")
	}
	for _, c := range claims {
		if !maps.Equal(c.Headers, want) {
			t.Errorf("a claim has %v, want %v", map[string]string(c.Headers), want)
		}
	}
	var kept string
	scene.Behind(t, w, func(tx *record.Tx) {
		rec := scene.Must(tx.Endpoints.Get(hook.ID))
		kept = fmt.Sprintf("%s %+v", rec.Headers, scene.Must(tx.Receipts.Find(record.Key{Index: record.ByRequest, Text: "k"})))
	})
	shown := fmt.Sprintf("%v %+v %#v %s %q %d %s", in, in, in, in.Headers, in.Headers, in.Headers, claims[0].Headers)
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "in", in.Headers, "claim", claims[0].Headers)
	for what, text := range map[string]string{
		"the store": kept, "print": shown, "log": log.String(), "answer": string(scene.Must(json.Marshal(hook))),
	} {
		if strings.Contains(text, "dXNlcjpw") {
			t.Errorf("%s has the value: %s", what, text)
		}
	}

	// Another receiver must not get what was for the first one.
	up := affiliate.EndpointUpdate{URL: affiliate.Set("https://elsewhere.example/")}
	w.Refused(affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidField, Field: "headers", Message: "headers must be given again when url leads to another host"},
		func() error { _, err := w.Webhooks().UpdateEndpoint(t.Context(), hook.ID, up); return err })
	scene.Must(w.Webhooks().UpdateEndpoint(t.Context(), hook.ID, affiliate.EndpointUpdate{URL: affiliate.Set(scene.HookURL + "/other")})) // the same host
	up.Headers = affiliate.Set(affiliate.EndpointHeaders{})
	if got := scene.Must(w.Webhooks().UpdateEndpoint(t.Context(), hook.ID, up)); len(got.HeaderNames) != 0 || got.URL != "https://elsewhere.example/" {
		t.Errorf("moved without headers: %+v", got)
	}
	w.Verifies()
}

// A test sends the headers too.
func TestEndpointTestHasHeaders(t *testing.T) {
	var got affiliate.EndpointHeaders
	w := scene.New(t, scene.Sealed, func(c *tributary.Config) {
		c.Send = func(_ context.Context, c affiliate.Claim) affiliate.Attempt {
			got = c.Headers
			return affiliate.Attempt{Status: 204}
		}
	})
	hook := scene.Must(w.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: scene.HookURL, Events: []affiliate.EventType{"*"}, Headers: affiliate.EndpointHeaders{"x-key": "k"}}))
	scene.Must(w.Webhooks().TestEndpoint(t.Context(), affiliate.EndpointTest{WebhookID: hook.ID, Event: affiliate.SaleCreated}))
	if !maps.Equal(got, affiliate.EndpointHeaders{"X-Key": "k"}) {
		t.Errorf("the test has %v", map[string]string(got))
	}
}

// Headers that were sealed for one endpoint open at no other, and then nothing is
// sent.
func TestEndpointHeadersBound(t *testing.T) {
	w := scene.New(t, scene.Sealed)
	make := func(value string) affiliate.IssuedEndpoint {
		return scene.Must(w.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: scene.HookURL, Events: []affiliate.EventType{"*"}, Headers: affiliate.EndpointHeaders{"X-Key": value}}))
	}
	theirs, mine := make("theirs"), make("mine")
	scene.Behind(t, w, func(tx *record.Tx) {
		a, b := scene.Must(tx.Endpoints.Get(theirs.ID)), scene.Must(tx.Endpoints.Get(mine.ID))
		b.Headers = a.Headers
		scene.Must(0, tx.Endpoints.Replace(b))
	})
	w.Crowd(1)
	for _, c := range w.Claim(64) {
		if c.Endpoint == mine.ID {
			t.Errorf("sent with %v", map[string]string(c.Headers))
		}
	}
}

// Headers that cannot be sent, or that the sender sets, change nothing.
func TestEndpointHeadersRefused(t *testing.T) {
	w := scene.New(t)
	hook := w.HookAt(scene.HookURL)
	eleven := affiliate.EndpointHeaders{}
	for i := range 11 {
		eleven[fmt.Sprintf("X-%d", i)] = "v"
	}
	name := func(n string) string { return "headers must not have the name " + n }
	value := func(n string) string {
		return "headers must have 1 to 4096 printable ASCII characters as the value of " + n
	}
	for _, c := range []struct {
		headers affiliate.EndpointHeaders
		message string
	}{
		{eleven, "headers must have at most 10 names"},
		{affiliate.EndpointHeaders{"": "v"}, name("")},
		{affiliate.EndpointHeaders{"X Key": "v"}, name("X Key")},
		{affiliate.EndpointHeaders{"X-Key:": "v"}, name("X-Key:")},
		{affiliate.EndpointHeaders{"X\r\nHost": "v"}, name(`X\r\nHost`)},
		{affiliate.EndpointHeaders{"X-Schlüssel": "v"}, name("X-Schlüssel")},
		{affiliate.EndpointHeaders{strings.Repeat("x", 65): "v"}, name(strings.Repeat("x", 64))},
		{affiliate.EndpointHeaders{"host": "v"}, name("host")},
		{affiliate.EndpointHeaders{"CONTENT-LENGTH": "0"}, name("CONTENT-LENGTH")},
		{affiliate.EndpointHeaders{"transfer-encoding": "chunked"}, name("transfer-encoding")},
		{affiliate.EndpointHeaders{"webhook-signature": "v1,x"}, name("webhook-signature")},
		{affiliate.EndpointHeaders{"svix-id": "x"}, name("svix-id")},
		{affiliate.EndpointHeaders{"Proxy-Authorization": "x"}, name("Proxy-Authorization")},
		{affiliate.EndpointHeaders{"X-Key": ""}, value("X-Key")},
		{affiliate.EndpointHeaders{"X-Key": " v"}, value("X-Key")},
		{affiliate.EndpointHeaders{"X-Key": "a\nX-Admin: yes"}, value("X-Key")},
		{affiliate.EndpointHeaders{"X-Key": "schlüssel"}, value("X-Key")},
		{affiliate.EndpointHeaders{"X-Key": strings.Repeat("v", 4097)}, value("X-Key")},
		{affiliate.EndpointHeaders{"X-Key": "a", "x-key": "b"}, "headers must not have a name twice"},
	} {
		want := affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidField, Field: "headers", Message: c.message}
		w.Refused(want, func() error {
			_, err := w.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: scene.HookURL, Events: []affiliate.EventType{"*"}, Headers: c.headers})
			return err
		})
		w.Refused(want, func() error {
			_, err := w.Webhooks().UpdateEndpoint(t.Context(), hook.ID, affiliate.EndpointUpdate{Headers: affiliate.Set(c.headers)})
			return err
		})
	}
}
