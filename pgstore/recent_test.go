package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/pgstore"
)

// TestRecent: an Update joins a group that has read, and in which nothing is written. It
// sees what another process had committed before it began: either nobody could commit
// while the group held the program, or the group finds out and runs again.
func TestRecent(t *testing.T) {
	for _, c := range []struct {
		name      string
		mode      pgstore.Mode
		known     bool // ours has written to the program before
		ends      bool // the server ends our sessions when the group has read
		committed bool // the other process does not have to wait for the group
	}{
		{"queue, new program", pgstore.Queue, false, false, false},
		{"queue, remembered program", pgstore.Queue, true, false, true},
		{"queue, new program, sessions end", pgstore.Queue, false, true, true},
		{"queue, remembered program, sessions end", pgstore.Queue, true, true, true},
		{"serializable, new program", pgstore.Serializable, false, false, true},
		{"serializable, known program", pgstore.Serializable, true, false, false},
		{"serializable, new program, sessions end", pgstore.Serializable, false, true, true},
		{"serializable, known program, sessions end", pgstore.Serializable, true, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			pool := newPool(t, databaseURL(t))
			cfg := pgstore.Config{Schema: newSchema(t, pool), Mode: c.mode, Group: 16}
			named := func(name string) *pgstore.Store {
				return newStore(t, newPool(t, databaseURL(t), func(p *pgxpool.Config) {
					p.ConnConfig.RuntimeParams["application_name"] = name
				}), cfg)
			}
			ours, theirs, program, plan := named("ours"), named("theirs"), uuid.New(), uuid.UUID{1}
			if c.known {
				mustUpdate(t, ours, program, func(tx *record.Tx) error { return tx.Tiers.Insert(record.Tier{ID: uuid.UUID{2}}) })
			}
			var wg sync.WaitGroup
			var failed, late error
			committed := make(chan struct{})
			between := sync.OnceFunc(func() {
				if c.ends {
					exec(t, pool, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'ours'")
				}
				wg.Go(func() {
					failed = theirs.Update(context.Background(), program, func(tx *record.Tx) error { return tx.Plans.Insert(record.Plan{ID: plan}) })
					close(committed)
				})
				if got := ends(t, pool, committed); got != c.committed {
					t.Errorf("the other process has committed: %t, want %t", got, c.committed)
				}
				wg.Go(func() {
					late = ours.Update(context.Background(), program, func(tx *record.Tx) error {
						_, err := tx.Plans.Get(plan)
						return err
					})
				})
				for ours.Waiting(program) == 0 {
					runtime.Gosched()
				}
			})
			err := ours.Update(t.Context(), program, func(tx *record.Tx) error {
				_, err := tx.Plans.Get(plan)
				between()
				if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
					return err
				}
				return errRefused
			})
			wg.Wait()
			if !errors.Is(err, errRefused) && !c.ends || err == nil || failed != nil {
				t.Errorf("the leader: %v, the other process: %v", err, failed)
			}
			if c.committed && late != nil || !c.committed && late != nil && !errors.Is(late, affiliate.ErrNotFound) {
				t.Errorf("the late one: %v", late)
			}
		})
	}
}

// ends waits until done is closed, and reports true, or until a session of the
// application theirs waits for a lock.
func ends(t *testing.T, pool *pgxpool.Pool, done <-chan struct{}) bool {
	for n := 0; n == 0; {
		select {
		case <-done:
			return true
		default:
		}
		if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'theirs' AND wait_event_type = 'Lock'").Scan(&n); err != nil {
			t.Error(fmt.Errorf("look for waiting sessions: %w", err))
			return false
		}
	}
	return false
}
