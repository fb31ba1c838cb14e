package delivery_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

func TestSecretPrints(t *testing.T) {
	const value = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	s := affiliate.Secret(value)
	issued := affiliate.IssuedEndpoint{Secret: s}
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).Info("made", "secret", s, "endpoint", issued, "list", []affiliate.Secret{s})
	}
	text := scene.Must(s.MarshalText())
	jsonOf := scene.Must(json.Marshal(map[string]any{"s": []affiliate.Secret{s}}))
	out := []string{log.String(), s.String(), s.GoString(), string(text), string(jsonOf)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%10.3s"} {
		out = append(out, fmt.Sprintf(verb, s), fmt.Sprintf(verb, issued), fmt.Sprintf(verb, []any{&issued, s}))
	}
	out = append(out, fmt.Sprint(s), fmt.Sprintln(fmt.Errorf("failed: %w %v", errors.New("x"), s)))
	for _, got := range out {
		for _, leak := range []string{value[6:20], "cdef", fmt.Sprintf("%x", value[6:14]), fmt.Sprintf("%X", value[6:14])} {
			if strings.Contains(got, leak) {
				t.Errorf("%q leaks the secret", got)
			}
		}
	}
	if s.Reveal() != value || fmt.Sprintf("%q", s) != "whsec_***" || string(jsonOf) != `{"s":["whsec_***"]}` {
		t.Errorf("Reveal %q, %%q %q, JSON %s", s.Reveal(), fmt.Sprintf("%q", s), jsonOf)
	}
}

func TestCreateEndpoint(t *testing.T) {
	w := scene.New(t)
	got := scene.Must(w.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{
		URL: scene.HookURL, Events: []affiliate.EventType{affiliate.SaleUpdated, affiliate.SaleCreated}, Description: "Order sync", SvixHeaders: true,
	}))
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(got.Secret.Reveal(), "whsec_"))
	if err != nil || len(raw) != 32 {
		t.Errorf("secret of %d bytes: %v", len(raw), err)
	}
	secret := got.Secret.Reveal()
	at := affiliate.TimeOf(scene.Start)
	want := affiliate.Endpoint{
		ID: got.ID, URL: scene.HookURL, Events: []affiliate.EventType{affiliate.SaleUpdated, affiliate.SaleCreated}, Description: affiliate.Set("Order sync"),
		Active: true, SvixHeaders: true, HeaderNames: []string{}, Status: affiliate.EndpointEnabled, DisabledReason: affiliate.Null[affiliate.DisabledReason](),
		DisabledAt: affiliate.Null[affiliate.Time](), FirstFailureAt: affiliate.Null[affiliate.Time](), LastSuccessAt: affiliate.Null[affiliate.Time](),
		PausedUntil: affiliate.Null[affiliate.Time](), SecretHint: secret[len(secret)-4:], PreviousSecretExpiresAt: affiliate.Null[affiliate.Time](),
		CreatedAt: at, UpdatedAt: at,
	}
	scene.Equal(t, want, got.Endpoint)
	scene.Equal(t, want, scene.Must(w.Webhooks().Endpoint(t.Context(), got.ID)))
	var wire map[string]any
	if err := json.Unmarshal(scene.Must(json.Marshal(got)), &wire); err != nil || wire["secret"] != secret || wire["url"] != scene.HookURL || len(wire) != 18 {
		t.Errorf("JSON of %d keys, secret %v", len(wire), wire["secret"])
	}
	got.Events[0] = "changed"
	if scene.Must(w.Webhooks().Endpoint(t.Context(), got.ID)).Events[0] != affiliate.SaleUpdated {
		t.Error("the answer shares memory with the record")
	}
	all := w.Hook("*")
	scene.Equal(t, affiliate.EventTypes(), all.Events)
	off := scene.Must(w.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: scene.HookURL, Events: []affiliate.EventType{"*"}, Active: affiliate.Set(false)}))
	if off.Status != affiliate.EndpointDisabled || off.DisabledReason != affiliate.Set(affiliate.DisabledManual) || off.DisabledAt != affiliate.Set(at) {
		t.Errorf("made inactive: %+v", off.Endpoint)
	}
	list := scene.Must(w.Webhooks().Endpoints(t.Context(), affiliate.Page{}))
	if len(list.Items) != 3 || list.Items[0].ID != off.ID || list.Items[2].ID != got.ID {
		t.Errorf("list: %+v", list)
	}
	if _, err := w.Webhooks().Endpoint(t.Context(), uuid.Nil); err != affiliate.ErrNotFound {
		t.Errorf("unknown: %v", err)
	}
	_, err = w.Webhooks().Endpoints(t.Context(), affiliate.Page{Limit: -1})
	if !errors.Is(err, affiliate.InvalidQuery) {
		t.Errorf("bad page: %v", err)
	}
	if len(w.EventTypes(0)) != 0 {
		t.Error("endpoints fire events")
	}
	w.Verifies()
}

var noWebhook = scene.MissingError(affiliate.WebhookNotFound, "Webhook endpoint not found")

func TestDisableEndpoint(t *testing.T) {
	w := scene.New(t)
	ep, other := w.Hook(), w.Hook()
	w.Ada()
	w.Pass(time.Minute)
	off := scene.Must(w.Webhooks().UpdateEndpoint(t.Context(), ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)}))
	if off.Active || off.Status != affiliate.EndpointDisabled || off.DisabledReason != affiliate.Set(affiliate.DisabledManual) || off.DisabledAt != affiliate.Set(affiliate.TimeOf(w.Now)) {
		t.Errorf("disabled: %+v", off)
	}
	count := func(id uuid.UUID, state affiliate.DeliveryState) int {
		return len(scene.Must(w.Webhooks().Deliveries(t.Context(), affiliate.DeliveryQuery{WebhookID: affiliate.Set(id), State: state}, affiliate.Page{})).Items)
	}
	if count(ep.ID, affiliate.DeliverySkipped) != 3 || count(ep.ID, affiliate.DeliveryPending) != 0 || count(other.ID, affiliate.DeliveryPending) != 3 {
		t.Error("pending deliveries of a disabled endpoint are not skipped, or those of another are")
	}
	w.Verifies()
	scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "x", PercentOff: affiliate.Set(affiliate.MustPercent("5"))}))
	if count(ep.ID, affiliate.DeliverySkipped) != 4 {
		t.Error("an event while disabled leaves no skipped delivery")
	}
	if err := w.Store.Update(t.Context(), w.Config().ID, func(tx *record.Tx) error {
		return scene.Edit(tx.Endpoints, nil, func(r *record.Endpoint) {
			r.DisabledReason, r.FirstFailureAt, r.PausedUntil, r.LastSuccessAt = affiliate.DisabledFailing, scene.Began, scene.Began, scene.Began
		})
	}); err != nil {
		t.Fatal(err)
	}
	stays := scene.Must(w.Webhooks().UpdateEndpoint(t.Context(), ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)}))
	scene.Equal(t, affiliate.Set(affiliate.DisabledFailing), stays.DisabledReason, stays)
	on := scene.Must(w.Webhooks().UpdateEndpoint(t.Context(), ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)}))
	if !on.Active || !on.DisabledReason.IsNull() || !on.DisabledAt.IsNull() || !on.FirstFailureAt.IsNull() || !on.PausedUntil.IsNull() || on.LastSuccessAt.IsNull() {
		t.Errorf("enabled: %+v", on)
	}
	if count(ep.ID, affiliate.DeliveryPending) != 0 {
		t.Error("enabling sends something")
	}
	w.Verifies()
}

func TestDeleteEndpoint(t *testing.T) {
	w := scene.New(t)
	ep := w.Hook()
	w.Ada()
	w.Pass(time.Second)
	got := scene.Must(w.Webhooks().DeleteEndpoint(t.Context(), ep.ID))
	scene.Equal(t, affiliate.DeletedEndpoint{ID: ep.ID, URL: scene.HookURL}, got)
	list := scene.Must(w.Webhooks().Deliveries(t.Context(), affiliate.DeliveryQuery{WebhookID: affiliate.Set(ep.ID), State: affiliate.DeliveryCanceled}, affiliate.Page{}))
	if len(list.Items) != 3 || len(w.Dump()["queue"]) != 0 {
		t.Errorf("%d canceled, queue %v", len(list.Items), w.Dump()["queue"])
	}
	if !list.Items[0].NextAttemptAt.IsNull() || !list.Items[0].UpdatedAt.Equal(affiliate.TimeOf(w.Now)) {
		t.Errorf("canceled: %+v", list.Items[0])
	}
	w.Refused(noWebhook, func() error { _, err := w.Webhooks().DeleteEndpoint(t.Context(), ep.ID); return err })
	w.Verifies()
}

func TestRotateSecret(t *testing.T) {
	w := scene.New(t)
	ep := w.Hook()
	secrets := func() (n int) {
		if err := w.Store.View(t.Context(), w.Config().ID, func(tx *record.Tx) error {
			rec, err := tx.Endpoints.Get(ep.ID)
			n = len(rec.Secrets)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	rotate := func(grace affiliate.Opt[int64]) affiliate.IssuedEndpoint {
		return scene.Must(w.Webhooks().RotateSecret(t.Context(), affiliate.Rotation{WebhookID: ep.ID, GracePeriodSeconds: grace}))
	}
	ends := func(d time.Duration) affiliate.Opt[affiliate.Time] {
		return affiliate.Set(affiliate.TimeOf(w.Now.Add(d)))
	}
	got := rotate(affiliate.Opt[int64]{})
	if got.PreviousSecretExpiresAt != ends(24*time.Hour) || secrets() != 2 || got.Secret == ep.Secret || !strings.HasSuffix(got.Secret.Reveal(), got.SecretHint) {
		t.Errorf("default grace: %+v, %d secrets", got.Endpoint, secrets())
	}
	w.Pass(time.Hour)
	if got = rotate(affiliate.Set[int64](60)); got.PreviousSecretExpiresAt != ends(23*time.Hour) || secrets() != 3 {
		t.Errorf("the longest grace counts: %+v, %d secrets", got.Endpoint, secrets())
	}
	if rotate(affiliate.Set[int64](604800)); secrets() != 3 {
		t.Errorf("%d secrets, at most two are old", secrets())
	}
	w.Verifies()
	if got = rotate(affiliate.Set[int64](0)); !got.PreviousSecretExpiresAt.IsNull() || secrets() != 1 {
		t.Errorf("cut over: %+v, %d secrets", got.Endpoint, secrets())
	}
	rotate(affiliate.Set[int64](60))
	w.Pass(time.Minute - time.Microsecond)
	if scene.Must(w.Webhooks().Endpoint(t.Context(), ep.ID)).PreviousSecretExpiresAt.IsNull() {
		t.Error("grace ends early")
	}
	w.Pass(time.Microsecond)
	if !scene.Must(w.Webhooks().Endpoint(t.Context(), ep.ID)).PreviousSecretExpiresAt.IsNull() {
		t.Error("grace does not end")
	}
	if rotate(affiliate.Set[int64](60)); secrets() != 2 {
		t.Errorf("%d secrets, the expired one is kept", secrets())
	}
	w.Verifies()
}

func TestEndpointSealFails(t *testing.T) {
	down := errors.New("the vault is down")
	fail := func(_, _ []byte) ([]byte, error) { return nil, down }
	w := scene.New(t, func(c *tributary.Config) { c.Seal, c.Open = fail, fail })
	if _, err := w.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: scene.HookURL, Events: []affiliate.EventType{"*"}}); !errors.Is(err, down) {
		t.Errorf("create: %v", err)
	}
	if _, err := w.Webhooks().RotateSecret(t.Context(), affiliate.Rotation{WebhookID: uuid.Max}); !errors.Is(err, down) {
		t.Errorf("rotate: %v", err)
	}
	dry := scene.New(t, func(c *tributary.Config) { c.Rand = bytes.NewReader(nil) })
	if _, err := dry.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: scene.HookURL, Events: []affiliate.EventType{"*"}}); err == nil {
		t.Error("a secret without randomness")
	}
}

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
			return scene.ErrOf(w.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: scene.HookURL, Events: []affiliate.EventType{"*"}, Headers: c.headers}))
		})
		w.Refused(want, func() error {
			return scene.ErrOf(w.Webhooks().UpdateEndpoint(t.Context(), hook.ID, affiliate.EndpointUpdate{Headers: affiliate.Set(c.headers)}))
		})
	}
}
