package audit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// verifyEvents checks every event by itself, and the events of each object
// together.
func (a *audit) verifyEvents() {
	byObject := make(map[uuid.UUID][]*record.Event)
	var objects []uuid.UUID
	for r := range a.events.records() {
		if !a.mine(r.ObjectID) {
			continue
		}
		a.verifyEvent(r)
		if byObject[r.ObjectID] == nil {
			objects = append(objects, r.ObjectID)
		}
		kept := *r
		kept.Payload = record.Payload{}
		byObject[r.ObjectID] = append(byObject[r.ObjectID], &kept)
	}
	for _, id := range objects {
		a.verifyHistory(byObject[id])
	}
	a.verifyRevisions(byObject)
}

// A Family holds what the audit knows of a family of events.
type Family struct {
	Name     string   // the part of its types before the dot
	Noun     string   // what a breach calls the object
	BodyKeys []string // the members that contract 7.3 promises, except for deletions

	lives func(*audit, uuid.UUID) bool           // whether there is such an object
	each  func(a *audit, see func(x liveObject)) // calls see with every object
}

// Families has a row for each family, in the order of docs/contract.md 7.1.
var Families = []Family{
	{
		Name: "affiliate", Noun: "affiliate",
		BodyKeys: []string{"commissionPlan", "commissionTier", "affiliateLinks", "promotionalCodes", "questionAnswers"},
		lives:    func(a *audit, id uuid.UUID) bool { return a.affiliates.has(id) },
		each: func(a *audit, see func(liveObject)) {
			for r := range a.affiliates.records() {
				see(liveObject{id: r.ID, revision: r.Revision})
			}
		},
	},
	{
		Name: "referral", Noun: "referral",
		BodyKeys: []string{"affiliate", "commissionPlan", "status"},
		lives:    func(a *audit, id uuid.UUID) bool { return a.referrals.has(id) },
		each: func(a *audit, see func(liveObject)) {
			for r := range a.referrals.records() {
				imported := r.Source == engine.ForReferral(affiliate.SourceImported)
				see(liveObject{id: r.ID, revision: r.Revision, silent: imported && r.Revision == 0})
			}
		},
	},
	{
		Name: "sale", Noun: "sale",
		BodyKeys: []string{"affiliate", "referral", "commissionEarned", "paymentTrigger", "commissions"},
		lives:    func(a *audit, id uuid.UUID) bool { return a.sales.has(id) },
		each: func(a *audit, see func(liveObject)) {
			for r := range a.sales.records() {
				see(liveObject{id: r.ID, revision: r.Revision, ended: r.DeletedFired})
			}
		},
	},
	{
		Name: "coupon", Noun: "coupon",
		BodyKeys: []string{"promotionalCodes"},
		lives:    func(a *audit, id uuid.UUID) bool { return a.coupons.has(id) },
		each: func(a *audit, see func(liveObject)) {
			for r := range a.coupons.records() {
				see(liveObject{id: r.ID, revision: r.Revision})
			}
		},
	},
	{
		Name: "promocode", Noun: "code",
		BodyKeys: []string{"coupon"},
		lives:    func(a *audit, id uuid.UUID) bool { return a.codes.has(id) },
		each: func(a *audit, see func(liveObject)) {
			for r := range a.codes.records() {
				see(liveObject{id: r.ID, revision: r.Revision})
			}
		},
	},
}

// verifyEvent checks type, number and payload of an event.
func (a *audit) verifyEvent(r *record.Event) {
	name := named("event", r.ID)
	if family := a.livesAs(r.ObjectID); !r.Type.Known() || family != "" && family != r.Type.Family() {
		a.breach("I47", name, "type %q, of the %s %s", r.Type, family, r.ObjectID)
	}
	if engine.IsNumbered(r.Type) != (r.Number > 0) {
		a.breach("I47", name, "type %q with number %d", r.Type, r.Number)
	}
	raw, source := r.Payload.Source()
	switch f, late := source.(*engine.Frozen); {
	case len(raw) > 0:
		a.early(1, func() { a.verifyPayload(r, raw) })
	case r.Payload.IsZero(): // a person in it was erased
	case !late:
		a.verifyPayload(r, r.Payload.Bytes())
	case f.Typ != r.Type || f.ID != r.ID || f.Program != a.Cfg.ID || f.Revision != r.Revision ||
		f.Test || !f.OccurredAt.Equal(r.OccurredAt):
		a.breach("I49", name, "its payload is of another event")
	case !Fits(f, r):
		a.verifyPayload(r, r.Payload.Bytes())
	}
}

// livesAs returns the family of a live object, empty when it is gone.
func (a *audit) livesAs(id uuid.UUID) string {
	if a.sifting {
		return "" // siftLive compares the families
	}
	for i := range Families {
		if Families[i].lives(a, id) {
			return Families[i].Name
		}
	}
	return ""
}

// Fits reports whether the body of an event has the type and the object of the
// event. Then its bytes need not be checked: most events are verified before
// they are ever encoded.
func Fits(f *engine.Frozen, r *record.Event) bool {
	if engine.EndsObject(r.Type) {
		return f.Body == engine.DeletedBody(r.ObjectID, r.Number)
	}
	family, id, number := engine.ObjectOf(f.Body)
	return family == r.Type.Family() && id == r.ObjectID && (!engine.IsNumbered(r.Type) || number == r.Number)
}

// verifyPayload checks the bytes of a payload: the envelope, byte by byte, and that
// the body is JSON with the members that its type promises.
func (a *audit) verifyPayload(r *record.Event, raw []byte) {
	name := named("event", r.ID)
	envelope := (&engine.Frozen{
		Typ: r.Type, ID: r.ID, Program: a.Cfg.ID, OccurredAt: r.OccurredAt, Revision: r.Revision, Body: struct{}{},
	}).Encode()
	body, ok := bytes.CutPrefix(raw, envelope[:len(envelope)-len("{}}")])
	if !ok || !json.Valid(raw) {
		a.breach("I49", name, "its payload is of another event, or no JSON")
		return
	}
	id := []byte(`{"id":"` + r.ObjectID.String() + `"`)
	if r.Number != 0 {
		id = strconv.AppendInt([]byte(`{"id":`), r.Number, 10)
	}
	rest, ok := bytes.CutPrefix(body, id)
	whole := string(rest) == "}}"
	if !ok || whole != engine.EndsObject(r.Type) || rest[0] != ',' && rest[0] != '}' {
		a.breach("I48", name, "its body is not that of %s %s", r.Type, id[len(`{"id":`):])
		return
	}
	if whole {
		return
	}
	i := slices.IndexFunc(Families, func(f Family) bool { return f.Name == r.Type.Family() })
	if i < 0 {
		return // I47 says that the type is not known
	}
	for _, key := range Families[i].BodyKeys {
		if key == "promotionalCodes" && engine.ActionOf(r.Type) != "created" {
			continue // too many are left out
		}
		if !bytes.Contains(rest, []byte(`"`+key+`":`)) {
			a.breach("I48", name, "its body has no %s", key)
		}
	}
}

// verifyHistory checks the events of one object: revisions without a gap and in the
// order of the stream, created first, and nothing after deleted, unless it is a
// sale that counts again.
func (a *audit) verifyHistory(events []*record.Event) {
	slices.SortStableFunc(events, func(x, y *record.Event) int { return cmp.Compare(x.Revision, y.Revision) })
	for i, r := range events {
		if i > 0 {
			a.verifySuccession(events[i-1], r)
		}
		a.verifyFirst(r)
		if engine.EndsObject(r.Type) && i != len(events)-1 && !countsAgain(events[i+1]) {
			a.breach("I50", named("event", r.ID), "more follows %s", r.Type)
		}
	}
}

// countsAgain reports whether an event may follow the deletion of its object: only
// a refunded sale comes back.
func countsAgain(r *record.Event) bool { return r.Type == affiliate.SaleUpdated }

// verifySuccession checks an event of an object against the one before it.
func (a *audit) verifySuccession(before, r *record.Event) {
	name := named("event", r.ID)
	if r.Revision != before.Revision+1 {
		a.breach("I50", name, "revision %d follows %d", r.Revision, before.Revision)
	}
	if bytes.Compare(r.ID[:], before.ID[:]) < 0 {
		a.breach("I50", name, "its place is before that of revision %d", before.Revision)
	}
	if r.Type.Family() != before.Type.Family() {
		a.breach("I47", name, "%s follows %s", r.Type, before.Type)
	}
}

// verifyFirst checks that revision 1 is the creation, and the creation revision 1.
func (a *audit) verifyFirst(r *record.Event) {
	name := named("event", r.ID)
	switch created := engine.ActionOf(r.Type) == "created"; {
	case r.Revision < 1:
		a.breach("I50", name, "revision %d", r.Revision)
	case created && r.Revision != 1:
		a.breach("I50", name, "%s has revision %d", r.Type, r.Revision)
	case !created && r.Revision == 1 && !a.mayStartSilent(r):
		a.breach("I50", name, "%s comes first", r.Type)
	}
}

// mayStartSilent reports whether the first event of an object may be another one
// than created: an import fires none, and the referral may have been deleted.
func (a *audit) mayStartSilent(r *record.Event) bool {
	ref := a.referrals.get(r.ObjectID)
	if r.Type.Family() == "referral" && (ref == nil || ref.Source == engine.ForReferral(affiliate.SourceImported)) {
		return true
	}
	return a.broughtBy(r.ObjectID) != nil
}

// A liveObject is an existing object, to compare with its events.
type liveObject struct {
	id       uuid.UUID
	revision int64
	silent   bool // it was created without an event and has fired none
	ended    bool // its deleted event was fired, but the record stays
}

// verifyRevisions compares live objects with their last events.
func (a *audit) verifyRevisions(byObject map[uuid.UUID][]*record.Event) {
	for i := range Families {
		Families[i].each(a, func(x liveObject) {
			if !a.mine(x.id) {
				return
			}
			events := byObject[x.id]
			if (x.silent || x.revision == 0 && a.broughtBy(x.id) != nil) && events == nil {
				return
			}
			a.verifyRevision(Families[i].Noun, x, events)
		})
	}
}

// verifyRevision checks that the last event of a live object has its revision, and
// is a deleted event only if that was fired for it.
func (a *audit) verifyRevision(noun string, x liveObject, events []*record.Event) {
	if x.revision < 1 {
		a.breach("I45", named(noun, x.id), "it never fired an event")
	}
	if len(events) == 0 { // pruned
		return
	}
	last := events[len(events)-1]
	if last.Revision != x.revision {
		a.breach("I50", named(noun, x.id), "revision %d, its last event has %d", x.revision, last.Revision)
	}
	if engine.EndsObject(last.Type) != x.ended && (engine.EndsObject(last.Type) || a.broughtBy(x.id) == nil) { // an import ends a sale in silence
		a.breach("I50", named(noun, x.id), "it lives, its last event is %s", last.Type)
	}
}
