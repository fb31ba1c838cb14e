package console

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

var deliveryStates = []affiliate.DeliveryState{
	affiliate.DeliveryPending, affiliate.DeliveryDelivered, affiliate.DeliveryFailed,
	affiliate.DeliverySkipped, affiliate.DeliveryCanceled,
}

type hookList struct {
	Endpoints  []affiliate.Endpoint
	Deliveries []affiliate.Delivery
}

// webhooks shows the endpoints and the deliveries.
func webhooks(v *visit) (view, error) {
	hooks, err := v.program.Webhooks().Endpoints(v.Ctx(), affiliate.Page{Limit: 50})
	if err != nil {
		return view{}, err
	}
	list, err := v.deliveries(affiliate.DeliveryQuery{})
	return view{title: "Webhooks", template: "webhooks", next: list.Next,
		Data: &hookList{hooks.Items, list.Items}}, err
}

// deliveries returns a page of the deliveries in the state that the query asks for.
func (v *visit) deliveries(f affiliate.DeliveryQuery) (affiliate.List[affiliate.Delivery], error) {
	f.State = affiliate.DeliveryState(v.query.Get("state"))
	return v.program.Webhooks().Deliveries(v.Ctx(), f, v.Page50())
}

type hookSheet struct {
	affiliate.Endpoint
	Deliveries []affiliate.Delivery
}

// endpointPage shows an endpoint and its deliveries.
func endpointPage(v *visit) (view, error) {
	e, err := ofEndpoint.named(v)
	if err != nil {
		return view{}, err
	}
	list, err := v.deliveries(affiliate.DeliveryQuery{WebhookID: affiliate.Set(e.ID)})
	return view{title: "Endpoint", template: "endpoint", next: list.Next,
		Data: &hookSheet{e, list.Items}}, err
}

// A health is the state of an endpoint, in one word and its tone.
type health struct{ Tone, Word string }

// Health says how an endpoint is doing: one that is on and has failed since its last
// success is not well.
func (v *view) Health(e affiliate.Endpoint) health {
	if _, fails := e.FirstFailureAt.Get(); fails && e.Active {
		return health{"bad", "Fails"}
	}
	return health{v.Tone(e.Status), v.Words(e.Status)}
}

var (
	ofEndpoint = noun[affiliate.Endpoint]{"webhooks/",
		func(v *visit, id uuid.UUID) (affiliate.Endpoint, error) {
			return v.program.Webhooks().Endpoint(v.Ctx(), id)
		}}
	ofDelivery = noun[affiliate.Delivery]{"webhooks/deliveries/",
		func(v *visit, id uuid.UUID) (affiliate.Delivery, error) {
			return v.program.Webhooks().Delivery(v.Ctx(), id)
		}}
)

// deliveryPage shows a delivery with its attempts.
func deliveryPage(v *visit) (view, error) {
	d, err := ofDelivery.named(v)
	return view{title: "Delivery of " + string(d.Event), template: "delivery", Data: &d}, err
}

// payloadFile returns the payload of a delivery, whole.
func payloadFile(v *visit) error {
	d, err := ofDelivery.named(v)
	payload, ok := d.Payload.Get()
	if err == nil && !ok {
		err = affiliate.ErrNotFound
	}
	if err != nil {
		return err
	}
	return v.textFile("payload-"+d.ID.String()+".txt", string(payload))
}

var replayDelivery = &action{
	name: "webhooks.replay", object: "delivery", done: "The delivery will be sent again.",
	form: ofDelivery.form(func(_ *visit, d affiliate.Delivery) (form, error) {
		return form{
			Title: "Send this delivery again", Button: "Send again",
			Effects: []string{"It is " + strings.ToLower(page.Words(d.State)) + ", after " +
				several(int(d.AttemptCount), "attempt") + ".",
				"The same bytes are sent once more, with the same webhook-id: a good receiver sees that it is a repeat."},
		}, nil
	}),
	do: ofDelivery.do(func(v *visit, p *tributary.Program, id uuid.UUID, _ *input) error {
		_, err := p.Webhooks().Replay(v.Ctx(), affiliate.ReplayRange{DeliveryID: id})
		return err
	}),
}

// eventFields returns the boxes of the events that an endpoint wants.
func eventFields(of []affiliate.EventType) (all []field) {
	wanted := map[affiliate.EventType]bool{}
	for _, e := range of {
		wanted[e] = true
	}
	for _, e := range affiliate.EventTypes() {
		all = append(all,
			field{Name: eventPrefix + string(e), Label: string(e), Type: "checkbox",
				Value: ticked(wanted[e] || wanted["*"]), Own: true})
	}
	return all
}

const eventPrefix = "event-"

// newEvents returns the events that an endpoint will get: touched boxes as sent, the
// others as they are now; of a new endpoint those that are ticked. It is not set when no box was touched.
func (in *input) newEvents(now []affiliate.EventType) (wanted affiliate.Opt[[]affiliate.EventType]) {
	var all []affiliate.EventType
	touched := false
	for _, box := range eventFields(now) {
		on := box.Value != ""
		if in.changed(box.Name) {
			on, touched = in.yes(box.Name), true
		}
		if on {
			all = append(all, affiliate.EventType(box.Label))
		}
	}
	if touched {
		wanted = affiliate.Set(all)
	}
	return wanted
}

// endpointFields are the fields of an endpoint that gets some events.
func (v *visit) endpointFields(e affiliate.Endpoint, events []affiliate.EventType) []field {
	return append(v.filled(e, []field{
		{Name: "url", Label: "URL", Type: "url", Hint: "It begins with https.", Required: true},
		{Name: "description", Label: "What it is"},
	}...), eventFields(events)...)
}

// newEndpoint makes an endpoint, and shows its secret.
var newEndpoint = &action{
	name: "webhooks.create", object: "webhook", done: "The endpoint was made.",
	form: func(v *visit) (form, error) {
		return form{
			Title: "New endpoint", Button: "Create", Back: "webhooks",
			Effects: []string{"It is told every event that is ticked. Its secret is shown once, on the next page."},
			Fields:  v.endpointFields(affiliate.Endpoint{}, affiliate.EventTypes()),
		}, nil
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		params := affiliate.EndpointParams{Events: in.newEvents(nil).Or(nil)}
		in.into(&params)
		made, err := p.Webhooks().CreateEndpoint(v.Ctx(), params)
		return v.reveal(made, err)
	},
}

// reveal answers the page that shows a new secret: the only one that ever does.
func (v *visit) reveal(issued affiliate.IssuedEndpoint, err error) (string, error) {
	if err != nil {
		return "", err
	}
	v.answered = &view{title: "The new secret", template: "secret",
		Data: secretPage{issued.Endpoint, issued.Secret.Reveal()}}
	return "webhooks/" + issued.ID.String(), nil
}

type secretPage struct {
	affiliate.Endpoint
	Secret string
}

// editEndpoint changes an endpoint.
var editEndpoint = &action{
	name: "webhooks.update", object: "webhook", done: "The endpoint was changed.",
	form: ofEndpoint.form(func(v *visit, e affiliate.Endpoint) (form, error) {
		return form{
			Title: "Edit the endpoint", Button: "Save", Edits: true,
			Effects: []string{"Deliveries that wait go to the new URL from their next attempt on."},
			Fields:  v.endpointFields(e, e.Events),
		}, nil
	}),
	do: update(ofEndpoint, updateEndpoint,
		func(v *visit, in *input, up *affiliate.EndpointUpdate) error {
			now, err := ofEndpoint.named(v)
			up.Events = in.newEvents(now.Events)
			return err
		}),
}

func updateEndpoint(p *tributary.Program, ctx context.Context, id uuid.UUID,
	up affiliate.EndpointUpdate) (affiliate.Endpoint, error) {
	return p.Webhooks().UpdateEndpoint(ctx, id, up)
}

var activeEndpoint = &action{
	name: "webhooks.active", object: "webhook", done: "This was saved.",
	form: ofEndpoint.form(func(_ *visit, e affiliate.Endpoint) (form, error) {
		return form{
			Title: "Is this endpoint active?", Button: "Save", Edits: true,
			Effects: []string{"While it is not, nothing is sent to it. Deliveries that it misses can be sent again."},
			Fields:  []field{box("active", "It is active", e.Active)},
		}, nil
	}),
	do: update(ofEndpoint, updateEndpoint),
}

// headersOfEndpoint replaces the headers of the receiver's own.
var headersOfEndpoint = &action{
	name: "webhooks.headers", object: "webhook", done: "The headers were saved.",
	form: ofEndpoint.form(func(_ *visit, e affiliate.Endpoint) (form, error) {
		now := "It has none now."
		if len(e.HeaderNames) > 0 {
			now = "Its headers now: " + strings.Join(e.HeaderNames, ", ") + ". What you save replaces all of them."
		}
		return form{
			Title: "Headers of the receiver's own", Button: "Save",
			Effects: []string{"They are for " + page.Text(e.URL, page.InList) + ", with every request.", now, "Their values are never shown again."},
			Fields: []field{{Name: "headers", Label: "Headers",
				Hint: "One in a line, such as Authorization: Basic …. Empty: none.",
				Type: "textarea"}},
		}, nil
	}),
	do: ofEndpoint.do(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		headers := affiliate.EndpointHeaders{}
		for line := range strings.Lines(in.text("headers")) {
			name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
			_, again := headers[name]
			if !ok || again {
				return wrongField("headers",
					"Write each header once, on a line of its own: its name, a colon and its value.")
			}
			headers[name] = strings.TrimSpace(value)
		}
		_, err := p.Webhooks().UpdateEndpoint(v.Ctx(), id, affiliate.EndpointUpdate{Headers: affiliate.Set(headers)})
		return err
	}),
}

// rotateSecret gives an endpoint a new secret, and shows it.
var rotateSecret = &action{
	name: "webhooks.rotate", object: "webhook", done: "The endpoint has a new secret.",
	form: ofEndpoint.form(func(_ *visit, e affiliate.Endpoint) (form, error) {
		return form{
			Title: "New secret", Button: "Make a new secret",
			Effects: []string{"It is for " + page.Text(e.URL, page.InList) +
				". The secret of now ends in " + e.SecretHint + ".",
				"The new secret is shown once, on the next page. Deliveries are signed with both until the old one ends."},
			Fields: []field{{Name: "gracePeriodSeconds", Label: "Seconds until the old one ends",
				Hint: "Empty: a day.", Type: "number"}},
		}, nil
	}),
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		id, err := v.id(0)
		rotation := affiliate.Rotation{WebhookID: id}
		if in.into(&rotation); err != nil || in.err != nil {
			return "", err
		}
		issued, err := p.Webhooks().RotateSecret(v.Ctx(), rotation)
		return v.reveal(issued, err)
	},
}

var testEndpoint = &action{
	name: "webhooks.test", object: "webhook", done: "The test was sent.",
	form: ofEndpoint.form(func(_ *visit, e affiliate.Endpoint) (form, error) {
		return form{
			Title: "Test the endpoint", Button: "Send a test",
			Effects: []string{"It goes to " + page.Text(e.URL, page.InList) + ".",
				"One signed request is sent at once, with a sample that says that it is a test. It is not repeated."},
			Fields: []field{{Name: "event", Label: "Event", Required: true, Options: eventOptions()}},
		}, nil
	}),
	do: ofEndpoint.do(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		test := affiliate.EndpointTest{WebhookID: id}
		in.into(&test)
		result, err := p.Webhooks().TestEndpoint(v.Ctx(), test)
		if err == nil {
			v.answered = &view{title: "The test", template: "tested", Data: &testSheet{id, result}}
		}
		return err
	}),
}

type testSheet struct {
	Endpoint uuid.UUID
	affiliate.TestResult
}

// How says what came of the test.
func (s *testSheet) How(v *view) string {
	if code, answered := s.StatusCode.Get(); answered {
		return fmt.Sprint("The answer was ", code, ",")
	}
	return v.Missed(s.TestResult.Error) + ","
}

// replayRange sends again what an endpoint has missed.
var replayRange = &action{
	name: "webhooks.replay-range", object: "webhook", done: "What it has missed will be sent again.",
	form: ofEndpoint.form(func(v *visit, e affiliate.Endpoint) (form, error) {
		return form{
			Title: "Send again what it has missed", Button: "Send again",
			Effects: []string{"It goes to " + page.Text(e.URL, page.InList) + ".", "Every delivery of that time that failed or was skipped is sent once more, with the same webhook-id."},
			Fields: []field{
				{Name: "since", Label: "Made since", Hint: "At most 14 days ago.", Type: "date",
					Required: true, Value: v.today()},
				{Name: "until", Label: "Until", Hint: "Empty: until now.", Type: "date"},
			},
		}, nil
	}),
	do: ofEndpoint.do(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		what := affiliate.ReplayRange{WebhookID: id}
		if in.into(&what); in.err != nil {
			return in.err
		}
		_, err := p.Webhooks().Replay(v.Ctx(), what)
		return err
	}),
}

var deleteEndpoint = &action{
	name: "webhooks.delete", object: "webhook", done: "The endpoint was deleted.",
	form: ofEndpoint.form(func(_ *visit, e affiliate.Endpoint) (form, error) {
		return form{
			Title: "Delete the endpoint " + page.Named(e.URL), Button: "Delete", Danger: true,
			Effects: []string{"It is " + strings.ToLower(page.Words(e.Status)) + " now.",
				"Nothing is sent to it any more. Deliveries that wait are canceled."},
		}, nil
	}),
	do: doThen("webhooks", func(v *visit, p *tributary.Program, id uuid.UUID, _ *input) error {
		_, err := p.Webhooks().DeleteEndpoint(v.Ctx(), id)
		return err
	}),
}
