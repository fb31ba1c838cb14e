package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// Check 18: a reader over the wire gets each event once, with its bytes, in the
// order of the commits, while 16 writers work.
func TestFollowOverTheWire(t *testing.T) {
	ctx := t.Context()
	p, h := newEngine(t)
	c := must(client.New("http://tributary.test", testKey, client.Config{Handler: h}))
	const writers, each = 16, 20
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for j := range each {
				must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A & <b>", LastName: "B", Email: fmt.Sprintf("a%d.%d@example.org", i, j)}))
			}
		})
	}
	var got []affiliate.Event
	for e, err := range c.Follow(ctx, uuid.Nil) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, e); len(got) == writers*each {
			break
		}
	}
	wg.Wait()
	if diff := cmp.Diff(must(p.EventsAfter(ctx, uuid.Nil, 1000)), got); diff != "" {
		t.Errorf("(-engine +client):\n%s", diff)
	}
}

// The payload of an erased person is gone, and the event stays.
func TestErasedEvent(t *testing.T) {
	ctx := t.Context()
	p, h := newEngine(t)
	a := must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "a@example.org"}))
	must(0, p.EraseAffiliate(ctx, a.ID))
	events := must(must(client.New("http://tributary.test", testKey, client.Config{Handler: h})).EventsAfter(ctx, uuid.Nil, 10))
	if len(events) != 2 || events[0].ObjectID != a.ID.String() || events[0].Payload != nil || events[1].Payload == nil {
		t.Errorf("the events: %+v", events)
	}
}

// Follow asks once a second when there is nothing, and ends with its context.
func TestFollowAsksOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{}
		w.answer = func(int, *http.Request) (*http.Response, error) { return reply(200, "[]"), nil }
		ctx, stop := context.WithTimeout(t.Context(), 3500*time.Millisecond)
		defer stop()
		for _, err := range w.client(t).Follow(ctx, uuid.Nil) {
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		}
		if len(w.seen) != 4 {
			t.Errorf("%d requests in 3.5 s, want 4", len(w.seen))
		}
	})
}
