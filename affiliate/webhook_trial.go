package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// TestEndpoint makes one signed request to an endpoint, at once and whether or
// not it is enabled or subscribed: a full sample object (a deleted type: its
// id), with "test": true and revision 0. It is not retried, not recorded and
// has no effect on the endpoint's health. Without Config.Send nothing is sent,
// and the result is [FailedNoSender]. When the sender has no free slot in time,
// nothing is sent, and the result is [FailedBusy].
//
// The request is made outside of any transaction. With a key, a repeat is
// answered without sending. Two calls at once may both send, and both get the
// answer that was stored first.
//
// Errors: [MissingField] (webhookId, event), [InvalidField] (event),
// [WebhookNotFound]. A failed request is not an error; the result reports it.
//
// Effects: none but the receipt of a key.
//
// Source: docs/contract.md 4.2.
func (p *Program) TestEndpoint(ctx context.Context, in EndpointTest) (_ TestResult, err error) {
	defer p.begin(&ctx, "TestEndpoint", writes).end(&err)
	rq := request{once: in.Once, name: "webhook.test", input: in, refused: first(in.check())}
	o := p.op(ctx)
	var ep EndpointRecord
	find := func() (err error) {
		ep, err = o.endpoint(in.WebhookID)
		return err
	}
	return writeAround(o, rq, find, func() (TestResult, error) { return o.test(&ep, in.Event), nil })
}

func (in EndpointTest) check() *Error {
	switch {
	case in.WebhookID == uuid.Nil:
		return webhookIDRequired.Err()
	case in.Event == "":
		return eventRequired.Err()
	case !in.Event.Known():
		err := eventTypeUnknown.Of(string(in.Event))
		err.Field = "event"
		return err
	}
	return nil
}

// test sends a sample to an endpoint.
func (o *op) test(ep *EndpointRecord, typ EventType) TestResult {
	id := o.newID()
	claim := Claim{
		Event: typ, MessageID: Event{ID: id}.MessageID(), URL: ep.URL, SvixHeaders: ep.SvixHeaders, Attempt: 1, Manual: true,
	}
	claim.Secrets, claim.Headers = o.credentials(o.ctx, ep, o.now)
	a := Attempt{Err: FailedSecret}
	switch {
	case o.cfg.Send == nil:
		a.Err = FailedNoSender
	case claim.Secrets != nil:
		claim.Payload = (&frozen{
			typ: typ, id: id, program: o.cfg.ID, occurredAt: o.now, test: true, body: o.sample(typ),
		}).Encode()
		a = o.send(claim)
	}
	return TestResult{
		Delivered: a.delivered(), StatusCode: orNull(int64(a.Status)), DurationMS: a.Took.Milliseconds(),
		Error: orNull(a.Err), EventID: claim.MessageID,
	}
}
