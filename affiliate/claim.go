package affiliate

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
)

// A Claim is a delivery that a dispatcher has taken on, with all it needs for
// one attempt. It holds until its lease ends: an attempt that is settled later
// counts only if nobody has claimed the delivery in between.
type Claim struct {
	Delivery    uuid.UUID
	Token       uuid.UUID // of this claim; the attempt gives it back
	Endpoint    uuid.UUID // zero: a test, see [Program.TestEndpoint]
	Event       EventType
	MessageID   string   // the webhook-id: the same on every attempt
	URL         string   // of the endpoint, read with the claim
	Payload     []byte   // the frozen bytes, to be sent as they are; shared, so never to be changed
	Secrets     []Secret // that sign, newest first
	SvixHeaders bool
	Attempt     int  // 1, 2, …
	Manual      bool // a replay or a test, and not the schedule
}

// An Attempt is what came of a claim.
type Attempt struct {
	Delivery   uuid.UUID
	Token      uuid.UUID     // of the claim
	At         time.Time     // when the request was made; zero: as long before the settlement as it took
	URL        string        // where it went
	Status     int           // of the answer; 0: none
	Err        string        // class of the failure, such as [FailedTimeout]; never a text from outside
	RetryAfter time.Duration // that the answer asked for; 0: none
	Took       time.Duration // from the request to the end of the answer
	Response   string        // start of the answer's body; empty where it must not be shown
}

// The classes of failed attempts, as [DeliveryAttempt] shows them. An answer
// outside of 2xx and 3xx has none: its status says it.
const (
	FailedTimeout        = "timeout"         // no answer in time
	FailedDNS            = "dns"             // the host has no address
	FailedTLS            = "tls"             // no trusted connection
	FailedConnection     = "connection"      // refused, reset, or an answer that is no HTTP
	FailedRedirect       = "redirect"        // 3xx; never followed
	FailedBlockedAddress = "blocked_address" // the host's address may not be called
	FailedBlockedURL     = "blocked_url"     // the URL is not accepted any more; not retried
	FailedSecret         = "secret"          // Config.Open failed, or the secret cannot sign
	FailedNoSender       = "no_sender"       // a test without Config.Send
)

// perEndpoint is how many attempts of one endpoint may be in flight at once, so
// that one that hangs holds up no other.
const perEndpoint = 4

// lookAhead is how many due deliveries of an endpoint a claim looks at: it
// bounds the cost where many cannot be claimed.
const lookAhead = 256

// ClaimDeliveries takes on up to n deliveries that are due, the longest due
// first, and keeps them from others until the lease ends. It passes over
// endpoints that are paused or have 4 attempts in flight, and over deliveries
// of an object that has one in flight at the same endpoint. Deliveries of an
// object start in the order of its revisions while none has failed. At most
// half of the claims, rounded up, are retries and replays.
//
// The lease must be longer than an attempt takes: a delivery whose lease has
// ended is claimed again, and its receiver gets it twice.
//
// Errors: those of the store.
//
// Effects: the queue; no event. A delivery whose secrets cannot be opened is
// settled as a failed attempt.
//
// Source: ours, because what is committed must arrive, whoever sends it.
func (p *Program) ClaimDeliveries(ctx context.Context, n int, lease time.Duration) ([]Claim, error) {
	if n < 1 || lease < time.Millisecond {
		return nil, errors.New("claim deliveries: n and lease must be positive")
	}
	o := p.op(ctx)
	if due, err := o.anyDue(); err != nil || !due {
		return nil, err
	}
	taken, err := update(o, func() ([]leased, error) {
		taken, err := o.take(n, lease)
		if err != nil {
			return nil, internal("claim deliveries", err)
		}
		return taken, nil
	})
	if err != nil {
		return nil, err
	}
	return p.claims(ctx, taken, o.now)
}

// anyDue looks at the head of the queue alone, so that a dispatcher with
// nothing to do writes nothing.
func (o *op) anyDue() (bool, error) {
	return view(o.ctx, o.Program, func(v *op) (bool, error) {
		for q, err := range v.tx.Queue.List(Query{Limit: 1}) {
			if err != nil {
				return false, internal("read queue", err)
			}
			return !q.due().After(o.now), nil
		}
		return false, nil
	})
}

// A leased is a claim before its payload is encoded and its secrets are opened:
// that happens outside of the transaction.
type leased struct {
	claim    Claim
	event    uuid.UUID
	payload  Payload
	endpoint *EndpointRecord
}

// take chooses and leases up to n deliveries.
func (o *op) take(n int, lease time.Duration) ([]leased, error) {
	var waiting []waiting
	for ep, err := range o.tx.Endpoints.List(Query{}) {
		if err != nil {
			return nil, err
		}
		if !ep.Active || ep.PausedUntil.After(o.now) {
			continue
		}
		ep.land(func(f FlightRecord) bool { return !f.Until.After(o.now) })
		if len(ep.InFlight) >= perEndpoint {
			continue
		}
		free := ep // of its own: most are full where there is much to do
		if waiting, err = o.waitingAt(waiting, &free); err != nil {
			return nil, err
		}
	}
	until := wholeMillis(o.now.Add(lease))
	var out []leased
	for _, w := range choose(waiting, n) {
		t, err := o.lease(w, until)
		if err != nil {
			return nil, err
		}
		if t.payload.IsZero() { // nothing to send: Verify tells of it
			continue
		}
		out = append(out, t)
	}
	return out, o.storeFlights(out)
}

// A waiting is a due delivery of an endpoint.
type waiting struct {
	QueueRecord
	endpoint *EndpointRecord
}

// waitingAt appends what an endpoint has due: up to its free slots of first
// attempts, and as many others, since how many of each are wanted is decided
// over all endpoints.
func (o *op) waitingAt(dst []waiting, ep *EndpointRecord) ([]waiting, error) {
	room := perEndpoint - len(ep.InFlight)
	place := make(map[uuid.UUID]int, 2*room) // of objects, in dst
	for _, f := range ep.InFlight {
		place[f.ObjectID] = -1
	}
	seen, firsts, others := 0, 0, 0
	for q, err := range o.tx.Queue.List(Query{Key: Key{Index: OfEndpoint, ID: ep.ID}, Limit: lookAhead}) {
		if err != nil {
			return dst, err
		}
		if seen++; q.due().After(o.now) || seen > lookAhead {
			break
		}
		count := &firsts
		if q.again() {
			count = &others
		}
		if at, held := place[q.ObjectID]; held {
			if at >= 0 && q.precedes(dst[at].QueueRecord) {
				dst[at].QueueRecord = q
			}
			continue
		}
		if *count == room {
			continue
		}
		*count++
		place[q.ObjectID] = len(dst)
		dst = append(dst, waiting{q, ep})
	}
	return dst, nil
}

// choose takes the n that have been due the longest, within the free slots of
// their endpoints, at most half of them for another attempt than the first.
func choose(all []waiting, n int) []waiting {
	slices.SortFunc(all, func(x, y waiting) int { return bytes.Compare(x.ID[:], y.ID[:]) })
	taken, again := make(map[uuid.UUID]int), 0
	out := all[:0]
	for _, w := range all {
		full := len(w.endpoint.InFlight)+taken[w.EndpointID] >= perEndpoint
		if full || w.again() && again == (n+1)/2 {
			continue
		}
		if len(out) == n {
			break
		}
		if w.again() {
			again++
		}
		taken[w.EndpointID]++
		out = append(out, w)
	}
	return out
}

// lease moves a delivery to the end of its lease, under a fresh token.
func (o *op) lease(w waiting, until time.Time) (leased, error) {
	d, err := o.tx.Deliveries.Get(w.DeliveryID)
	if err != nil {
		return leased{}, internal("read delivery", err)
	}
	event, err := o.tx.Events.Get(d.EventID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return leased{}, internal("read event", err)
	}
	if event.Payload.IsZero() {
		return leased{}, nil
	}
	q := w.QueueRecord
	q.ID, q.Token = o.queueID(until), o.newID()
	if err := o.requeue(w.ID, q); err != nil {
		return leased{}, err
	}
	w.endpoint.InFlight = append(w.endpoint.InFlight, FlightRecord{Token: q.Token, ObjectID: q.ObjectID, Until: until})
	return leased{
		claim: Claim{
			Delivery: d.ID, Token: q.Token, Endpoint: d.EndpointID, Event: d.Type, MessageID: messageID(d.EventID),
			URL: w.endpoint.URL, SvixHeaders: w.endpoint.SvixHeaders, Attempt: len(d.Attempts) + 1, Manual: q.Manual,
		},
		event: d.EventID, payload: event.Payload, endpoint: w.endpoint,
	}, nil
}

// requeue moves an entry of the queue.
func (o *op) requeue(from uuid.UUID, to QueueRecord) error {
	if err := o.tx.Queue.Delete(from); err != nil {
		return internal("move in queue", err)
	}
	return o.tx.Queue.Insert(to)
}

// storeFlights stores the endpoints of what was taken.
func (o *op) storeFlights(all []leased) error {
	for i, t := range all {
		if slices.ContainsFunc(all[:i], func(u leased) bool { return u.endpoint == t.endpoint }) {
			continue
		}
		if err := o.tx.Endpoints.Replace(*t.endpoint); err != nil {
			return internal("store endpoint", err)
		}
	}
	return nil
}

// claims encodes the payloads and opens the secrets, each once.
func (p *Program) claims(ctx context.Context, all []leased, now time.Time) ([]Claim, error) {
	secrets, payloads := make(map[uuid.UUID][]Secret), make(map[uuid.UUID][]byte)
	out, sealed := make([]Claim, 0, len(all)), []Attempt(nil)
	for _, t := range all {
		c := t.claim
		if _, ok := secrets[c.Endpoint]; !ok {
			secrets[c.Endpoint] = p.signers(t.endpoint, now)
		}
		if _, ok := payloads[t.event]; !ok {
			payloads[t.event] = p.recent.encode(t.event, t.payload)
		}
		c.Payload, c.Secrets = payloads[t.event], secrets[c.Endpoint]
		if c.Secrets == nil {
			sealed = append(sealed, Attempt{Delivery: c.Delivery, Token: c.Token, At: now, URL: c.URL, Err: FailedSecret})
			continue
		}
		out = append(out, c)
	}
	if err := p.SettleDeliveries(ctx, sealed); err != nil {
		return nil, err // the leases see to the rest
	}
	return out, nil
}

// signers opens the secrets that sign at a moment; nil when that fails.
func (p *Program) signers(ep *EndpointRecord, now time.Time) []Secret {
	var out []Secret
	for _, s := range ep.Secrets {
		if !s.signs(now) {
			continue
		}
		raw, err := p.unseal(s.Value, ep.ID)
		if err != nil {
			return nil
		}
		out = append(out, Secret(raw))
	}
	return out
}

// due is the moment that the place in the queue stands for.
func (r QueueRecord) due() time.Time {
	var ms int64
	for _, b := range r.ID[:6] {
		ms = ms<<8 | int64(b)
	}
	return time.UnixMilli(ms).UTC()
}

// again tells whether the next attempt is another than the first of the
// schedule.
func (r QueueRecord) again() bool { return r.Tried || r.Manual }

// precedes tells whether r must start before q, of the same object.
func (r QueueRecord) precedes(q QueueRecord) bool {
	return !r.again() && !q.again() && r.Revision < q.Revision
}

// land removes the attempts that are over.
func (r *EndpointRecord) land(over func(FlightRecord) bool) {
	r.InFlight = slices.DeleteFunc(r.InFlight, over)
}

// wholeMillis rounds up to what a place in the queue can tell.
func wholeMillis(t time.Time) time.Time {
	return t.Add(time.Millisecond - time.Microsecond).Truncate(time.Millisecond)
}
