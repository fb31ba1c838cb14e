package browser

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/memstore"
)

// A slowStore takes its time for one snapshot: the first one after a test asks for
// it waits until its request is given up.
type slowStore struct {
	record.Store
	next    atomic.Bool
	waiting chan struct{} // a snapshot waits
	ended   chan error    // and why it no longer does
}

func (s *slowStore) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	if s.next.CompareAndSwap(true, false) {
		s.waiting <- struct{}{}
		<-ctx.Done()
		s.ended <- ctx.Err()
		return ctx.Err()
	}
	return s.Store.View(ctx, id, fn)
}

// TestBooks (check 44): one click checks the books of 100,000 records, while another tab records sales.
// A second click meanwhile says that a verification is running, and closing the tab
// ends it. A planted breach is shown with its invariant and its object.
func TestBooks(t *testing.T) {
	t.Parallel()
	scriptsOnAndOff(t, func(t *testing.T, open func(*world) *tab) {
		store := &slowStore{Store: memstore.New(), waiting: make(chan struct{}), ended: make(chan error, 1)}
		w := newWorldIn(t, store).fill()
		w.crowd(100_000)
		first, second := open(w), open(w)
		second.open("/books")
		first.open("/books")
		store.next.Store(true)
		first.click("button", named("Check the books"))
		<-store.waiting
		must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "ada", Email: "meanwhile@x.example", Name: "M", TotalEarned: affiliate.MustAmount("10")}))(t)
		second.pressAs(400, "Check the books")
		second.says("A verification is running")
		first.close()
		select {
		case err := <-store.ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the verification ended with %v", err)
			}
		case <-time.After(patience):
			t.Fatal("closing the tab does not end the verification")
		}
		second.press("Check the books")
		second.says("The books hold")
		second.says("0 breaches")
		if n := eval[int](second, `Number(document.querySelector("main").innerText.replaceAll(",", "").match(/(\d+) records/)?.[1] ?? 0)`); n < 100_000 {
			t.Errorf("only %d records were checked", n)
		}
		w.plant()
		second.press("Check again")
		second.says("The books do not hold")
		second.says(w.made.Ada.ID.String())
		if n := second.count("main tbody tr"); n == 0 {
			t.Error("no breach is shown")
		}
		look(second, 1)
	})
}

// crowd makes n visits through a link.
func (w *world) crowd(n int) {
	w.t.Helper()
	for i := range n {
		must(w.TrackClick(w.t.Context(), affiliate.ClickParams{Slug: "ada", DeviceID: fmt.Sprint("device-", i)}))(w.t)
	}
}

// plant breaks the counter of clicks of an affiliate.
func (w *world) plant() {
	w.t.Helper()
	err := w.store.Update(w.t.Context(), w.Config().ID, func(tx *record.Tx) error {
		rec, err := tx.Totals.Get(w.made.Ada.ID)
		rec.Clicks += 7
		return errors.Join(err, tx.Totals.Replace(rec))
	})
	if err != nil {
		w.t.Fatal(fmt.Errorf("plant a breach: %w", err))
	}
}
