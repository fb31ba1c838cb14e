package affiliate

import (
	"slices"

	"github.com/google/uuid"
)

// verifyDeliveries checks endpoints, deliveries and the queue.
func (a *audit) verifyDeliveries() {
	for i := range a.endpoints.all {
		a.verifyEndpoint(&a.endpoints.all[i])
	}
	if n := len(a.endpoints.all); n > maxEndpoints {
		a.breach("I51", named("program", a.cfg.ID), "it has %d endpoints", n)
	}
	queued := make(map[uuid.UUID]int, len(a.queue.all))
	for i := range a.queue.all {
		r := &a.queue.all[i]
		queued[r.DeliveryID]++
		if d := a.deliveries.get(r.DeliveryID); d == nil || d.EndpointID != r.EndpointID {
			a.breach("I51", named("queue", r.ID), "its delivery %s does not exist, or is of another endpoint", r.DeliveryID)
		}
	}
	type pair struct{ event, endpoint uuid.UUID }
	seen := make(map[pair]bool, len(a.deliveries.all))
	for i := range a.deliveries.all {
		r := &a.deliveries.all[i]
		a.verifyDelivery(r, queued[r.ID])
		if p := (pair{r.EventID, r.EndpointID}); seen[p] {
			a.breach("I51", named("delivery", r.ID), "event %s has two to endpoint %s", p.event, p.endpoint)
		} else {
			seen[p] = true
		}
	}
}

// verifyDelivery checks a delivery that has n places in the queue.
func (a *audit) verifyDelivery(r *DeliveryRecord, n int) {
	name := named("delivery", r.ID)
	if event := a.events.get(r.EventID); event == nil || event.Type != r.Type {
		a.breach("I51", name, "its event %s does not exist, or has another type", r.EventID)
	}
	if !slices.Contains(deliveryStates(), r.State) {
		a.breach("I51", name, "state %q", r.State)
	}
	pending := r.State == DeliveryPending
	if pending && n != 1 || !pending && n != 0 || pending == r.NextAttemptAt.IsZero() {
		a.breach("I51", name, "it is %s, with %d places in the queue, next attempt %v", r.State, n, r.NextAttemptAt)
	}
	if ep := a.endpoints.get(r.EndpointID); pending && (ep == nil || !ep.Active) {
		a.breach("I51", name, "it waits for endpoint %s, which is gone or disabled", r.EndpointID)
	}
	a.instants("delivery", r.ID, r.CreatedAt, r.UpdatedAt, r.NextAttemptAt)
	for i := range r.Attempts {
		a.precise("delivery", r.ID, r.Attempts[i].At)
	}
}

// verifyEndpoint checks the subscription, the status and the secrets of an
// endpoint.
func (a *audit) verifyEndpoint(r *EndpointRecord) {
	name := named("endpoint", r.ID)
	if err := checkEventTypes(r.Events); err != nil || slices.Contains(r.Events, allEvents) {
		a.breach("I51", name, "it subscribes to %q", r.Events)
	}
	if r.Active != (r.DisabledReason == "") || r.Active != r.DisabledAt.IsZero() {
		a.breach("I51", name, "active %v, disabled by %q at %v", r.Active, r.DisabledReason, r.DisabledAt)
	}
	expires := func(s SecretRecord) bool { return !s.ExpiresAt.IsZero() }
	if n := len(r.Secrets); n == 0 || n > 1+maxOldSecrets || expires(r.Secrets[0]) || slices.ContainsFunc(r.Secrets[1:], func(s SecretRecord) bool { return !expires(s) }) {
		a.breach("I51", name, "it has %d secrets, or one without its expiry", n)
	}
	a.instants("endpoint", r.ID, r.CreatedAt, r.UpdatedAt, r.DisabledAt, r.FirstFailureAt, r.LastSuccessAt, r.PausedUntil)
	for i := range r.Secrets {
		a.precise("endpoint", r.ID, r.Secrets[i].ExpiresAt)
	}
}
