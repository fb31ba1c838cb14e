package conformance

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate/record"
)

// A store may tidy up when a long View ends, beside writers and beside Views that
// go on. What it tidies up must be nothing that these use.
const (
	endings = 16  // rounds
	newer   = 4   // Views that end in a round, while an older one goes on
	moved   = 200 // codes that an Update moves; an even number
)

// viewsEndAmongWriters has Views that each see a moment of their own, with writes
// in between that concern other codes each time. They end one after another while
// a writer writes without a pause.
func viewsEndAmongWriters(tb testing.TB, s record.Store) {
	update(tb, s, func(tx *record.Tx) error { return insertHolders(tx, crowd) })
	for range endings {
		old := holdView(tb, s)
		var open []*heldView
		if over := soon(tb, s, func(tx *record.Tx) error { return moveCodes(tx, newer*moved, 2) }); over != nil {
			old.end()
			<-over
			return // in this store a write waits for Views, so none of them ends beside one
		}
		for n := range newer {
			open = append(open, holdView(tb, s))
			soon(tb, s, func(tx *record.Tx) error { return moveCodes(tx, n*moved, moved) })
		}
		var ended atomic.Bool
		together(tb, 2, func(worker int) error {
			if worker == 0 {
				defer ended.Store(true)
				for _, v := range open {
					v.end()
				}
				return nil
			}
			for i := 0; i == 0 || !ended.Load(); i++ {
				if err := s.Update(tb.Context(), home, func(tx *record.Tx) error { return moveCodes(tx, i%newer*moved, moved) }); err != nil {
					return fmt.Errorf("update: %w", err)
				}
			}
			return nil
		})
		old.end()
		if err := s.View(tb.Context(), home, func(tx *record.Tx) error { return seesHolders(tx, crowd, 1) }); err != nil {
			tb.Fatal(err)
		}
	}
}

// A heldView is a long View that goes on until its end is asked for.
type heldView struct {
	release sync.Once
	until   chan struct{}
	over    chan struct{}
}

// holdView begins a View, and returns when it has read much.
func holdView(tb testing.TB, s record.Store) *heldView {
	v := &heldView{until: make(chan struct{}), over: make(chan struct{})}
	begun, once := make(chan struct{}), sync.Once{}
	go func() {
		defer close(v.over)
		defer once.Do(func() { close(begun) })
		defer func() {
			if r := recover(); r != nil {
				tb.Errorf("View: panic: %v\n%s", r, debug.Stack())
			}
		}()
		err := s.View(tb.Context(), home, func(tx *record.Tx) error {
			if err := seesHolders(tx, crowd, crowd); err != nil {
				return err
			}
			once.Do(func() { close(begun) })
			<-v.until
			return nil
		})
		if err != nil {
			tb.Errorf("View: %v", err)
		}
	}()
	tb.Cleanup(v.end)
	<-begun
	return v
}

// end lets the View end, and waits for it.
func (v *heldView) end() {
	v.release.Do(func() { close(v.until) })
	<-v.over
}

// soon begins an Update, and waits for it a moment: it may have to wait for Views.
// It returns what is closed at the end of an Update that still waits, else nil.
func soon(tb testing.TB, s record.Store, fn func(tx *record.Tx) error) <-chan struct{} {
	over := make(chan struct{})
	go func() {
		defer close(over)
		if err := s.Update(tb.Context(), home, fn); err != nil {
			tb.Errorf("Update: %v", err)
		}
	}()
	tb.Cleanup(func() { <-over })
	select {
	case <-over:
		return nil
	case <-time.After(2 * time.Second):
		return over
	}
}

// moveCodes gives n codes after one of them other keys. A third of them is
// deleted and inserted with another id.
func moveCodes(tx *record.Tx, after, n int) error {
	all, err := collect(tx.Codes.List(record.Query{Limit: n, After: numbered(3 * after)}))
	if err != nil || len(all) != n {
		return fmt.Errorf("List: %d codes, want %d, error %w", len(all), n, err)
	}
	for i, rec := range all {
		old := rec.ID
		rec.TimesRedeemed += int64(1 - 2*(i%2))
		rec.CouponID = numbered((int(rec.CouponID[2]) + 1) % 3)
		if text, other := strings.CutSuffix(rec.Code, "-"); other {
			rec.Code = text
		} else {
			rec.Code += "-"
		}
		if i%3 == 0 {
			rec.ID[15] = 3 - rec.ID[15]
			err = errors.Join(tx.Codes.Delete(old), tx.Codes.Insert(rec))
		} else {
			err = tx.Codes.Replace(rec)
		}
		if err != nil {
			return fmt.Errorf("code %s: %w", rec.Code, err)
		}
	}
	return nil
}
