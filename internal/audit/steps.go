package audit

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/delivery"
	"github.com/tributary-go/tributary/internal/engine"
)

// siftEvents sifts events and their deliveries.
func (a *audit) siftEvents() {
	delivered := a.deliveries.any()
	sift(a, &a.events, func(r *record.Event) {
		a.about(inEvents, a.key(r.ObjectID))
		a.verifyEvent(r)
		a.siftEvent(r)
		if k := a.key(r.ID); delivered {
			a.learn(k, k.num(isEvent).text(string(r.Type)))
		}
	})
	sift(a, &a.deliveries, func(r *record.Delivery) {
		k, event := a.key(r.ID), a.key(r.EventID)
		a.about(inDeliveries, k)
		a.verifyDelivery(r, 0)
		a.expect(inDeliveries, event, event.num(isEvent).text(string(r.Type)))
		a.repeated(inDeliveries, event, event.num(isQueued).id(r.EndpointID))
		if r.State == affiliate.DeliveryPending {
			a.add(inDeliveries, k, k.num(isQueued), 1)
		}
	})
	sift(a, &a.queue, func(r *record.Queue) {
		k := a.key(r.DeliveryID)
		a.add(inDeliveries, k, k.num(isQueued), -1)
		a.pick(inDeliveries, k) // few wait, and each is compared with its delivery and its event
	})
	n := 0
	sift(a, &a.endpoints, func(r *record.Endpoint) {
		a.about(inDeliveries, a.key(r.ID))
		if a.verifyEndpoint(r); n == delivery.MaxEndpoints {
			a.pick(inDeliveries, a.key(a.Cfg.ID))
		}
		n++
	})
}

// stepOf is the print of a revision of an object: of an event, and of what the next event
// and the object say of it.
func stepOf(k print, revision int64, family string, ends bool) print {
	return k.num(isStep).num(revision).text(family).flag(ends)
}

// siftEvent adds a step of an object, and takes off the step before it, if that was not
// pruned. What is left is the last step, which the object takes off.
func (a *audit) siftEvent(r *record.Event) {
	k := a.key(r.ObjectID)
	if !a.here(k) {
		return
	}
	family, ends, created := r.Type.Family(), engine.EndsObject(r.Type), engine.ActionOf(r.Type) == "created"
	if r.Revision < 1 || created && r.Revision != 1 {
		a.pick(inEvents, k)
	}
	if !created && r.Revision == 1 && !a.knows(k, k.num(isBrought)) {
		if a.steps.mark(k.num(isSilent), 1); family != "referral" {
			a.pick(inEvents, k)
		}
	}
	step := stepOf(k, r.Revision, family, ends)
	if a.steps.mark(step, 1) {
		a.pick(inEvents, k) // probably there are two
	}
	if a.full = a.full || a.steps.crowded(); ends && family != "sale" {
		a.steps.mark(k.num(isEnd), 1) // nothing takes it off
	} else {
		a.add(inEvents, k, step, 1)
	}
	switch ended, live := stepOf(k, r.Revision-1, family, true), stepOf(k, r.Revision-1, family, false); {
	case a.steps.saw(ended):
		if a.add(inEvents, k, ended, -1); !countsAgain(r) {
			a.pick(inEvents, k)
		}
	case a.steps.saw(live):
		a.add(inEvents, k, live, -1)
	}
}

// siftLive compares a live object with its events.
func (a *audit) siftLive(family string, x liveObject) {
	k := a.key(x.id)
	if !a.here(k) {
		return
	}
	brought := a.knows(k, k.num(isBrought))
	step, other := stepOf(k, x.revision, family, x.ended), stepOf(k, x.revision, family, !x.ended)
	switch {
	case x.revision < 1 && !x.silent && !(brought && x.revision == 0), a.steps.saw(k.num(isEnd)):
		a.pick(inEvents, k)
	case a.steps.saw(step):
		a.add(inEvents, k, step, -1)
	case a.steps.saw(other):
		if a.add(inEvents, k, other, -1); !x.ended || !brought {
			a.pick(inEvents, k)
		}
	}
}
