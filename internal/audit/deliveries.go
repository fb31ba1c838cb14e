package audit

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/delivery"
	"github.com/tributary-go/tributary/internal/engine"
)

// verifyDeliveries checks endpoints, deliveries and the queue.
func (a *audit) verifyDeliveries() {
	n := 0
	for r := range a.endpoints.records() {
		if n++; a.mine(r.ID) {
			a.verifyEndpoint(r)
		}
	}
	if n > delivery.MaxEndpoints && a.mine(a.Cfg.ID) {
		a.breach("I51", named("program", a.Cfg.ID), "it has %d endpoints", n)
	}
	queued := make(map[uuid.UUID]int)
	for r := range a.queue.records() {
		if a.mine(r.DeliveryID) {
			queued[r.DeliveryID]++
			a.verifyQueued(r)
		}
	}
	type pair struct{ event, endpoint uuid.UUID }
	seen := make(map[pair]bool)
	for r := range a.deliveries.records() {
		if a.verifyDelivery(r, queued[r.ID]); !a.mine(r.EventID) {
			continue
		}
		if p := (pair{event: r.EventID, endpoint: r.EndpointID}); seen[p] {
			a.breach("I51", named("delivery", r.ID), "event %s has two to endpoint %s", p.event, p.endpoint)
		} else {
			seen[p] = true
		}
	}
}

// verifyQueued checks an entry of the queue: that it agrees with its delivery and
// event, and that an unclaimed delivery is due at its time.
func (a *audit) verifyQueued(r *record.Queue) {
	name := named("queue", r.ID)
	d := a.deliveries.get(r.DeliveryID)
	if d == nil || d.EndpointID != r.EndpointID {
		a.breach("I51", name, "its delivery %s does not exist, or is of another endpoint", r.DeliveryID)
		return
	}
	if e := a.events.see(d.EventID); e != nil && (e.ObjectID != r.ObjectID || e.Revision != r.Revision) {
		a.breach("I51", name, "object %s, revision %d, its event has %s and %d", r.ObjectID,
			r.Revision, e.ObjectID, e.Revision)
	}
	if r.Tried != (len(d.Attempts) > 0) {
		a.breach("I51", name, "tried %v, after %d attempts", r.Tried, len(d.Attempts))
	}
	due := engine.DueAt(*r)
	if delivery.Prompt(*r) {
		due = d.CreatedAt.Truncate(time.Millisecond)
	}
	if r.Token == uuid.Nil && !due.Equal(d.NextAttemptAt.Truncate(time.Millisecond)) {
		a.breach("I51", name, "it is due at %v, its delivery at %v", due, d.NextAttemptAt)
	}
	if delivery.Prompt(*r) != r.Since.IsZero() {
		a.breach("I51", name, "it waits since %v, behind what waits: %v", r.Since, delivery.Prompt(*r))
	}
	if delivery.Prompt(*r) && (r.Token != uuid.Nil || delivery.AgainAt(*r) || !delivery.QueueOf(*r, d.EventID)) {
		a.breach("I51", name, "it is not the place of a first attempt for event %s", d.EventID)
	}
}

// verifyDelivery checks a delivery that has n places in the queue.
func (a *audit) verifyDelivery(r *record.Delivery, n int) {
	name := named("delivery", r.ID)
	if !a.sifting && a.mine(r.EventID) {
		if event := a.events.get(r.EventID); event == nil || event.Type != r.Type {
			a.breach("I51", name, "its event %s does not exist, or has another type", r.EventID)
		}
	}
	if !a.own(r.ID) {
		return
	}
	a.verifyWaiting(name, r, n)
	a.verifyOutcome(name, r)
	a.instants("delivery", r.ID, r.CreatedAt, r.UpdatedAt)
}

// verifyWaiting checks that a delivery is pending exactly when it has one place
// in the queue, a time for its next attempt and an endpoint that gets it.
func (a *audit) verifyWaiting(name object, r *record.Delivery, n int) {
	pending := r.State == affiliate.DeliveryPending
	if !a.sifting && (pending && n != 1 || !pending && n != 0) || pending == r.NextAttemptAt.IsZero() {
		a.breach("I51", name, "it is %s, with %d places in the queue, next attempt %v", r.State, n, r.NextAttemptAt)
	}
	if !pending || a.sifting {
		return
	}
	if ep := a.endpoints.see(r.EndpointID); ep == nil || !ep.Active && ep.Clearing == "" {
		a.breach("I51", name, "it waits for endpoint %s, which is gone or disabled", r.EndpointID)
	}
}

// verifyOutcome checks that a delivery is delivered or failed as its last attempt
// says.
func (a *audit) verifyOutcome(name object, r *record.Delivery) {
	if !slices.Contains(delivery.DeliveryStates(), r.State) {
		a.breach("I51", name, "state %q", r.State)
	}
	if r.State != affiliate.DeliveryDelivered && r.State != affiliate.DeliveryFailed {
		return
	}
	last := len(r.Attempts) - 1
	if last < 0 || delivery.StatusOK(r.Attempts[last].Status) != (r.State == affiliate.DeliveryDelivered) {
		a.breach("I51", name, "it is %s, and its last attempt does not say so", r.State)
	}
}

// verifyEndpoint checks the subscription, the status, the secrets and the
// attempts of an endpoint.
func (a *audit) verifyEndpoint(r *record.Endpoint) {
	name := named("endpoint", r.ID)
	if err := delivery.CheckEventTypes(r.Events); err != nil || slices.Contains(r.Events, delivery.AllEvents) {
		a.breach("I51", name, "it subscribes to %q", r.Events)
	}
	a.verifyActive(name, r)
	a.verifySecrets(name, r)
	if (len(r.HeaderNames) == 0) != (len(r.Headers) == 0) {
		a.breach("I51", name, "it has own headers %q, and %d bytes of them are kept", r.HeaderNames, len(r.Headers))
	}
	a.verifyInFlight(name, r)
	a.instants("endpoint", r.ID, r.CreatedAt, r.UpdatedAt)
}

// verifyActive checks that an endpoint has a reason and a time of disabling
// exactly when it is disabled, and that only a disabled one is being cleared.
func (a *audit) verifyActive(name object, r *record.Endpoint) {
	if r.Active != (r.DisabledReason == "") || r.Active != r.DisabledAt.IsZero() {
		a.breach("I51", name, "active %v, disabled by %q at %v", r.Active, r.DisabledReason, r.DisabledAt)
	}
	if r.Clearing != "" &&
		(r.Active || r.Clearing != affiliate.DeliverySkipped &&
			r.Clearing != affiliate.DeliveryCanceled) {
		a.breach("I51", name, "active %v, what waits for it becomes %q", r.Active, r.Clearing)
	}
	if r.FirstFailureAt.IsZero() && (r.Warned || r.Dead) {
		a.breach("I51", name, "it is failing, and no attempt has failed")
	}
}

// verifySecrets checks that the first secret stays and that older ones expire.
func (a *audit) verifySecrets(name object, r *record.Endpoint) {
	if n := len(r.Secrets); n == 0 || n > 1+delivery.MaxOldSecrets {
		a.breach("I51", name, "it has %d secrets", n)
	}
	for i, s := range r.Secrets {
		if stays := s.ExpiresAt.IsZero(); stays != (i == 0) {
			a.breach("I51", name, "secret %d expires at %v", i, s.ExpiresAt)
		}
	}
}

// verifyInFlight checks that the attempts under way have a token each, and are
// not more than an endpoint may have.
func (a *audit) verifyInFlight(name object, r *record.Endpoint) {
	tokens := make(map[uuid.UUID]bool)
	for _, f := range r.InFlight {
		tokens[f.Token] = true
	}
	if n := len(r.InFlight); n > delivery.PerEndpoint || len(tokens) != n || tokens[uuid.Nil] {
		a.breach("I51", name, "%d attempts in flight, under %d tokens", n, len(tokens))
	}
}
