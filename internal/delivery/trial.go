package delivery

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// TestEndpoint implements tributary.Webhooks.TestEndpoint.
func TestEndpoint(ctx context.Context, p *engine.Program,
	in affiliate.EndpointTest) (_ affiliate.TestResult, err error) {
	defer p.Begin(&ctx, "TestEndpoint", engine.Writes).End(&err)
	rq := engine.Request{Once: in.Once, Name: "webhook.test", Input: in, Refused: refusal.First(endpointTestCheck(in))}
	o := p.Op(ctx)
	var ep record.Endpoint
	find := func() (err error) {
		ep, err = endpoint(o, in.WebhookID)
		return err
	}
	return engine.WriteAround(o, rq, find, func() (affiliate.TestResult, error) { return test(o, &ep, in.Event), nil })
}

func endpointTestCheck(in affiliate.EndpointTest) *affiliate.Error {
	switch {
	case in.WebhookID == uuid.Nil:
		return refusal.WebhookIDRequired.Err()
	case in.Event == "":
		return refusal.EventRequired.Err()
	case !in.Event.Known():
		err := refusal.EventTypeUnknown.Of(string(in.Event))
		err.Field = "event"
		return err
	}
	return nil
}

// test sends a sample to an endpoint.
func test(o *engine.Op, ep *record.Endpoint, typ affiliate.EventType) affiliate.TestResult {
	id := o.NewID()
	claim := affiliate.Claim{
		Event: typ, MessageID: affiliate.Event{ID: id}.MessageID(), URL: ep.URL,
		SvixHeaders: ep.SvixHeaders, Attempt: 1, Manual: true,
	}
	claim.Secrets, claim.Headers = credentials(o.Ctx, o.Program, ep, o.Now)
	a := affiliate.Attempt{Err: affiliate.FailedSecret}
	switch {
	case o.Cfg.Send == nil:
		a.Err = affiliate.FailedNoSender
	case claim.Secrets != nil:
		claim.Payload = (&engine.Frozen{
			Typ: typ, ID: id, Program: o.Cfg.ID, OccurredAt: o.Now, Test: true, Body: sampleIn(o, typ),
		}).Encode()
		a = o.Send(claim)
	}
	return affiliate.TestResult{
		Delivered: delivered(&a), StatusCode: engine.OrNull(int64(a.Status)), DurationMS: a.Took.Milliseconds(),
		Error: engine.OrNull(a.Err), EventID: claim.MessageID,
	}
}
