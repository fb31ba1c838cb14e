package webhooks_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

func done(context.Context) error { return nil }

// do fails the test unless want says whether the id runs.
func do(t *testing.T, d webhooks.Dedup, id string, want bool) {
	t.Helper()
	ran := false
	got, err := d.Do(t.Context(), id, func(context.Context) error { ran = true; return nil })
	if got != want || ran != want || err != nil {
		t.Errorf("%s: Do gave %t, %v; f ran: %t; want %t", id, got, err, ran, want)
	}
}

func TestMemoryDedup(t *testing.T) {
	d := webhooks.NewMemoryDedup(0, 0)
	do(t, d, "a", true)
	do(t, d, "a", false)
	do(t, d, "b", true)
}

func TestMemoryDedupOpen(t *testing.T) { // W035
	d := webhooks.NewMemoryDedup(0, 0)
	broken := errors.New("no")
	if ran, err := d.Do(t.Context(), "a", func(context.Context) error { return broken }); !ran || err != broken {
		t.Errorf("got %t, %v", ran, err)
	}
	func() {
		defer func() {
			if recover() != "no" {
				t.Error("the panic was lost")
			}
		}()
		_, _ = d.Do(t.Context(), "a", func(context.Context) error { panic("no") })
	}()
	do(t, d, "a", true)
	do(t, d, "a", false)
}

func TestMemoryDedupInProgress(t *testing.T) {
	d := webhooks.NewMemoryDedup(1, 0)
	_, err := d.Do(t.Context(), "a", func(ctx context.Context) error {
		do(t, d, "b", true) // other ids still run, and do not displace a running one
		do(t, d, "c", true)
		if ran, err := d.Do(ctx, "a", done); ran || err != webhooks.ErrInProgress {
			t.Errorf("got %t, %v", ran, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	do(t, d, "a", false)
}

func TestMemoryDedupBounded(t *testing.T) { // W040
	d := webhooks.NewMemoryDedup(3, 0)
	for _, id := range []string{"a", "b", "c", "d"} {
		do(t, d, id, true)
	}
	for _, id := range []string{"b", "c", "d"} {
		do(t, d, id, false)
	}
	do(t, d, "a", true) // the oldest id was dropped first; now it replaces b
	do(t, d, "c", false)
	do(t, d, "b", true)
}

func TestMemoryDedupForgets(t *testing.T) {
	for _, tt := range []struct {
		name string
		ttl  time.Duration
		keep time.Duration
	}{{"7 days", 0, 7 * 24 * time.Hour}, {"own", time.Minute, time.Minute}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := webhooks.NewMemoryDedup(0, tt.ttl)
				do(t, d, "a", true)
				time.Sleep(tt.keep - time.Nanosecond) // the bubble's clock
				do(t, d, "a", false)
				time.Sleep(time.Nanosecond)
				do(t, d, "a", true)
			})
		})
	}
}

// W034: the same delivery arrives a hundred times at once. One stays inside the
// function until the others have been answered.
func TestReceiverAtOnce(t *testing.T) {
	var runs atomic.Int32
	release, answers := make(chan struct{}), make(chan int, 100)
	r := &webhooks.Receiver{
		Verifier: verifier(vectorSecret), Dedup: webhooks.NewMemoryDedup(0, 0),
		SaleDeleted: func(context.Context, webhooks.Event, affiliate.SaleID) error {
			runs.Add(1)
			<-release
			return nil
		},
	}
	hundred := func() {
		for range cap(answers) {
			req := incoming(t, vectorBody)
			go func() {
				w := httptest.NewRecorder()
				r.ServeHTTP(w, req)
				answers <- w.Code
			}()
		}
	}
	hundred()
	for range cap(answers) - 1 {
		if got := <-answers; got != 503 {
			t.Fatalf("answered %d while one is inside", got)
		}
	}
	close(release)
	if got := <-answers; got != 204 {
		t.Errorf("the one inside: answered %d", got)
	}
	hundred()
	for range cap(answers) {
		if got := <-answers; got != 204 {
			t.Errorf("answered %d after it was done", got)
		}
	}
	if runs.Load() != 1 {
		t.Errorf("%d runs", runs.Load())
	}
}

// W036: a captured request that is sent again changes nothing inside the
// window, and is refused outside it.
func TestReceiverReplay(t *testing.T) {
	r := newReached()
	r.Dedup = webhooks.NewMemoryDedup(0, 0)
	now := vectorClock()
	r.Verifier.Now = func() time.Time { return now }
	r.want(t, incoming(t, vectorBody), 204, nil, "sale.deleted evt_test_0001 5107")
	now = now.Add(300 * time.Second)
	r.want(t, incoming(t, vectorBody), 204, nil)
	now = now.Add(time.Second)
	r.want(t, incoming(t, vectorBody), 401, webhooks.ErrTooOld)
}

// W037: the sender gives up, but the function continues and succeeds. A retry
// gets 503 at first, and 204 when the function has ended.
func TestReceiverSlow(t *testing.T) {
	r := newReached()
	r.Dedup = webhooks.NewMemoryDedup(0, 0)
	ctx, giveUp := context.WithCancel(t.Context())
	quick := r.SaleDeleted
	r.SaleDeleted = func(ctx context.Context, e webhooks.Event, id affiliate.SaleID) error {
		giveUp()
		calls := r.calls
		r.want(t, incoming(t, vectorBody), 503, webhooks.ErrInProgress)
		r.calls = calls
		return quick(ctx, e, id)
	}
	if w := r.answer(incoming(t, vectorBody).WithContext(ctx)); w.Code != 204 || len(r.calls) != 1 {
		t.Errorf("answered %d after %q", w.Code, r.calls)
	}
	r.want(t, incoming(t, vectorBody), 204, nil)
}

// W039: two routes share a Dedup, each with a prefix of its own.
func TestReceiverPrefix(t *testing.T) {
	shared := webhooks.NewMemoryDedup(0, 0)
	ids := map[string]bool{}
	noting := dedupFunc(func(ctx context.Context, id string, f func(context.Context) error) (bool, error) {
		ids[id] = true
		return shared.Do(ctx, id, f)
	})
	for _, prefix := range []string{"", "orders", "mail"} {
		r := newReached()
		r.Dedup, r.DedupPrefix = noting, prefix
		r.want(t, incoming(t, vectorBody), 204, nil, "sale.deleted evt_test_0001 5107")
		r.want(t, incoming(t, vectorBody), 204, nil)
	}
	if fmt.Sprint(ids) != "map[evt_test_0001:true mail:evt_test_0001:true orders:evt_test_0001:true]" {
		t.Errorf("ids: %v", ids)
	}
}

// W038: a receiver that compares revisions ends with the object deleted in any
// order of the events.
func TestReceiverRevisions(t *testing.T) {
	type mirroredObject struct {
		revision int64
		gone     bool
	}
	sales := map[affiliate.SaleID]mirroredObject{}
	keep := func(e webhooks.Event, id affiliate.SaleID, gone bool) error {
		if e.Revision > sales[id].revision {
			sales[id] = mirroredObject{e.Revision, gone}
		}
		return nil
	}
	changed := func(_ context.Context, e webhooks.Event, s affiliate.Sale) error { return keep(e, s.ID, false) }
	r := &reached{Receiver: &webhooks.Receiver{
		Verifier: verifier(vectorSecret), SaleCreated: changed, SaleUpdated: changed,
		SaleDeleted: func(_ context.Context, e webhooks.Event, id affiliate.SaleID) error { return keep(e, id, true) },
	}}
	for _, event := range []string{"updated 3", "created 1", "updated 2", "deleted 4", "updated 2"} {
		action, revision, _ := strings.Cut(event, " ")
		r.want(t, incoming(t, `{"event":"sale.`+action+`","revision":`+revision+`,"body":{"id":7}}`), 204, nil)
	}
	if got := sales[7]; got != (mirroredObject{4, true}) {
		t.Errorf("got %+v", got)
	}
}
