package delivery

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

const (
	PerEndpoint = 4               // attempts of an endpoint that may be in flight at once
	lately      = 5 * time.Minute // an endpoint that answered within this time is trusted to answer

	// lookAhead is the number of due deliveries of an endpoint that a claim looks
	// at. It bounds the cost when many of them cannot be claimed.
	lookAhead = 256

	// headPerSlot is the number of due deliveries that a claim looks at for each
	// free slot of an endpoint, before it looks at the endpoints one by one.
	headPerSlot = 4
)

// answers reports whether the last attempt was answered recently. An endpoint
// that does not answer occupies a slot for the longest time of a request, so it
// gets only one slot until it answers.
func answers(r *record.Endpoint, now affiliate.Instant) bool {
	return !r.AnsweredAt.IsZero() && now.Sub(r.AnsweredAt) <= lately
}

// slots returns how many attempts of the endpoint may be in flight.
func slots(r *record.Endpoint, now affiliate.Instant) int {
	if answers(r, now) {
		return PerEndpoint
	}
	return 1
}

// removeFlights removes the attempts that are over.
func removeFlights(r *record.Endpoint, over func(record.Flight) bool) {
	r.InFlight = slices.DeleteFunc(r.InFlight, over)
}

// A dispatch is one choice of the next deliveries. All slots, used and free,
// are divided so that no endpoint delays another. The dispatch counts the rest
// of each share.
type dispatch struct {
	*engine.Op
	endpoints []*record.Endpoint // that may get something, oldest first

	free   int // slots
	silent int // of them for endpoints that do not answer
	again  int // of them for retries and replays

	// reserved is the number of free slots that are kept for endpoints with nothing
	// in flight, as long as there are any: idle that answer, and idleSilent that do
	// not.
	reserved, idle, idleSilent int

	waits    bool // something in the first lane of the queue is due
	chosen   []dueDelivery
	inFlight map[*record.Endpoint]int // with what was chosen
}

// A dueDelivery is a due delivery of an endpoint.
type dueDelivery struct {
	record.Queue
	endpoint *record.Endpoint
	taken    bool
	next     uuid.UUID // its place in the queue during the lease
}

// newDispatch counts the slots that are in use.
func newDispatch(o *engine.Op, free int) (*dispatch, error) {
	d := &dispatch{Op: o, free: free, inFlight: make(map[*record.Endpoint]int)}
	all := free
	for ep, err := range o.Tx.Endpoints.List(record.Query{}) {
		if err != nil {
			return nil, err
		}
		if wentBack(&ep, o.Now) {
			return nil, errWentBack
		}
		removeFlights(&ep, func(f record.Flight) bool { return !f.Until.After(o.Now) })
		d.count(&ep)
		all += len(ep.InFlight)
		if ep.Clearing != "" {
			if err := clearMore(o, ep); err != nil {
				return nil, err
			}
		}
		if !ep.Active {
			continue
		}
		if len(ep.InFlight) == 0 {
			*d.idleOf(&ep)++
		}
		if ep.PausedUntil.After(o.Now) || len(ep.InFlight) >= slots(&ep, o.Now) {
			continue
		}
		own := ep // most are full where there is much to do
		d.endpoints, d.inFlight[&own] = append(d.endpoints, &own), len(ep.InFlight)
	}
	d.silent += max(all/2, 1)
	d.again += (all + 1) / 2
	d.reserved = min((all+7)/8, all-1)
	return d, d.lookAtHead()
}

// idleOf counts the endpoints like this one that have nothing in flight.
func (d *dispatch) idleOf(ep *record.Endpoint) *int {
	if answers(ep, d.Now) {
		return &d.idle
	}
	return &d.idleSilent
}

// count subtracts an endpoint's attempts in flight from the shares.
func (d *dispatch) count(ep *record.Endpoint) {
	n := len(ep.InFlight)
	if !answers(ep, d.Now) {
		d.silent -= n
	}
	for _, f := range ep.InFlight {
		if f.Again {
			d.again--
		}
	}
}

// lookAtHead checks whether anything in the first lane is due at all. Usually
// nothing is, which saves a walk over each endpoint's part of it.
func (d *dispatch) lookAtHead() error {
	q, err := engine.Head(d.Tx.Queue, record.Query{})
	if errors.Is(err, affiliate.ErrNotFound) {
		return nil
	}
	d.waits = err == nil && !Prompt(q) && dueAt(q, d.Now)
	return err
}

// choose returns the next deliveries. Endpoints that answer come first: one
// delivery for each endpoint without a running attempt, then more for them.
// Endpoints that do not answer come last. Some slots stay free for endpoints
// without a running attempt, so that endpoints that stop answering at the same
// time do not take all slots.
func (d *dispatch) choose() ([]dueDelivery, error) {
	answering, silent := d.divide()
	all, err := d.waitingAt(answering)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(x, y dueDelivery) int {
		return cmp.Or(engine.DueAt(x.Queue).Compare(engine.DueAt(y.Queue)), bytes.Compare(x.ID[:], y.ID[:]))
	})
	for i := range all {
		if d.inFlight[all[i].endpoint] == 0 {
			d.choice(&all[i])
		}
	}
	for i := range all {
		if d.free > min(d.reserved, d.idle+d.idleSilent) && d.inFlight[all[i].endpoint] < PerEndpoint {
			d.choice(&all[i])
		}
	}
	for _, ep := range silent {
		if d.free <= min(d.reserved, d.idle) || d.silent <= 0 {
			break
		}
		found, err := d.waitingAt([]*record.Endpoint{ep})
		if err != nil {
			return nil, err
		}
		for i := range found {
			if d.choice(&found[i]) {
				d.silent--
				break
			}
		}
	}
	return d.chosen, nil
}

// choice takes a delivery, if there is a slot of its kind.
func (d *dispatch) choice(w *dueDelivery) bool {
	if w.taken || d.free == 0 || AgainAt(w.Queue) && d.again <= 0 {
		return false
	}
	d.free--
	if AgainAt(w.Queue) {
		d.again--
	}
	w.taken = true
	if d.inFlight[w.endpoint]++; d.inFlight[w.endpoint] == 1 {
		*d.idleOf(w.endpoint)--
	}
	d.chosen = append(d.chosen, *w)
	return true
}

// divide separates the endpoints that answer from the others. The others take
// turns: first those to which nothing was sent yet, alternately the oldest and the
// newest, because dead endpoints tend to arrive in one batch; then the longest
// wait first.
func (d *dispatch) divide() (answering, silent []*record.Endpoint) {
	var untried []*record.Endpoint
	for _, ep := range d.endpoints {
		switch {
		case answers(ep, d.Now):
			answering = append(answering, ep)
		case ep.WorkedAt.IsZero():
			untried = append(untried, ep)
		default:
			silent = append(silent, ep)
		}
	}
	slices.SortStableFunc(silent, func(x, y *record.Endpoint) int { return x.WorkedAt.Compare(y.WorkedAt) })
	turns := make([]*record.Endpoint, 0, len(untried)+len(silent))
	for i, j := 0, len(untried)-1; i <= j; i, j = i+1, j-1 {
		if turns = append(turns, untried[i]); i < j {
			turns = append(turns, untried[j])
		}
	}
	return answering, append(turns, silent...)
}

// waitingAt returns the due deliveries of endpoints. For each endpoint it takes
// first attempts up to its free slots, and as many others, because their shares
// are decided over all endpoints.
func (d *dispatch) waitingAt(endpoints []*record.Endpoint) ([]dueDelivery, error) {
	lines := make([]*line, len(endpoints))
	for i, ep := range endpoints {
		lines[i] = &line{ep: ep, room: slots(ep, d.Now) - len(ep.InFlight), place: map[uuid.UUID]int{}}
		for _, f := range ep.InFlight {
			lines[i].place[f.ObjectID] = -1
		}
	}
	if d.waits {
		if err := d.walk(lines, lane{first: true}); err != nil {
			return nil, err
		}
	}
	if err := d.walk(lines, lane{after: promptLane()}); err != nil {
		return nil, err
	}
	var all []dueDelivery
	for _, l := range lines {
		all = append(all, l.found...)
	}
	return all, nil
}

// A lane is a part of the queue's first or second lane.
type lane struct {
	first bool
	after uuid.UUID // where it begins
}

// walk fills lines from a lane. It reads the head first, in one list, which
// usually has enough for all of them. Then each line that is not full gets the
// rest of its endpoint.
func (d *dispatch) walk(lines []*line, at lane) error {
	if len(lines) > 1 {
		whole, err := d.walkHead(lines, &at)
		if err != nil || whole {
			return err
		}
	}
	for _, l := range lines {
		if l.full(at) {
			continue
		}
		for q, err := range d.Tx.Queue.List(record.Query{Key: record.Key{Index: record.OfEndpoint,
			ID: l.ep.ID}, After: at.after, Limit: lookAhead}) {
			if err != nil {
				return err
			}
			if l.full(at) || at.ends(q, d.Now) {
				break // the line is full; what follows belongs to later events
			}
			l.add(q)
		}
	}
	return nil
}

// walkHead fills lines from the head of a lane. It reports whether nothing is left
// for them, and moves the lane behind the head.
func (d *dispatch) walkHead(lines []*line, at *lane) (whole bool, err error) {
	byEndpoint, open, limit := make(map[uuid.UUID]*line, len(lines)), 0, 0
	for _, l := range lines {
		if !l.full(*at) {
			byEndpoint[l.ep.ID] = l
			open, limit = open+1, limit+headPerSlot*l.room
		}
	}
	if open == 0 {
		return true, nil
	}
	limit = min(limit, lookAhead)
	for q, err := range d.Tx.Queue.List(record.Query{After: at.after, Limit: limit}) {
		if err != nil || at.ends(q, d.Now) {
			return err == nil, err
		}
		at.after, limit = q.ID, limit-1
		l := byEndpoint[q.EndpointID]
		if l == nil || l.full(*at) {
			continue
		}
		if l.add(q); l.full(*at) {
			open--
		}
		if open == 0 {
			return true, nil
		}
	}
	return limit > 0, nil
}

// ends reports whether an entry is the first one that is not due in the lane.
func (l lane) ends(q record.Queue, now affiliate.Instant) bool {
	return l.first && (Prompt(q) || !dueAt(q, now))
}

// A line collects the due deliveries of one endpoint.
type line struct {
	ep             *record.Endpoint
	room           int               // of each kind
	firsts, others int               // found
	place          map[uuid.UUID]int // of objects, in found; negative: in flight
	found          []dueDelivery
}

// full reports whether the line needs nothing more from a lane. The second lane
// has first attempts only.
func (l *line) full(at lane) bool {
	return l.firsts == l.room && (!at.first || l.others == l.room)
}

// add adds a delivery, or replaces a later one of the same object by it.
func (l *line) add(q record.Queue) {
	if at, held := l.place[q.ObjectID]; held {
		if at >= 0 && precedes(q, l.found[at].Queue) {
			l.found[at].Queue = q
		}
		return
	}
	count := &l.firsts
	if AgainAt(q) {
		count = &l.others
	}
	if *count == l.room {
		return
	}
	*count++
	l.place[q.ObjectID] = len(l.found)
	l.found = append(l.found, dueDelivery{Queue: q, endpoint: l.ep})
}
