package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/pasted"
	"github.com/tributary-go/tributary/internal/twins"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/sqlitestore"
)

func open(tb testing.TB, path string, cfg sqlitestore.Config) *sqlitestore.Store {
	tb.Helper()
	s := must(sqlitestore.Open(tb.Context(), path, cfg))
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	conformance.TestStore(t, func(tb testing.TB) record.Store {
		return open(tb, filepath.Join(tb.TempDir(), "program.db"), sqlitestore.Config{Sync: sqlitestore.Normal})
	})
}

// TestDifferential makes the same random calls on memstore and on a file. With Rerun
// every closure runs twice.
func TestDifferential(t *testing.T) {
	dir, made := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		made++
		store := open(t, filepath.Join(dir, fmt.Sprint(made, ".db")), sqlitestore.Config{Sync: sqlitestore.Normal})
		if made%2 == 0 {
			twins.Play(rt, t, memstore.New(), conformance.Rerun(store))
			return
		}
		twins.Play(rt, t, memstore.New(), store)
	})
}

// TestEngineSuite runs the tests of the engine and of its API on SQLite:
//
//	TRIBUTARY_ENGINE_SUITE=. go test -run EngineSuite -v -timeout 60m .
//
// It leaves out the tests of [onlyInMemory].
func TestEngineSuite(t *testing.T) {
	twins.Suite(t, onlyInMemory, func(t *testing.T) string { return "TRIBUTARY_ENGINE_FOLDER=" + t.TempDir() })
}

// onlyInMemory are the tests that cannot be run on SQLite. Two make corruptions that
// only memory can hold: an event whose time changes by a microsecond, or whose number
// changes, while its encoded payload does not; two look at payloads that are not encoded
// yet. One measures what events take in memory. Two run in a bubble of testing/synctest,
// whose time stands still while a file is read.
const onlyInMemory = "TestVerifyEvents/(I47_number_of_a_coupon|I49_event_at_another_time|I49_frozen.*)|TestClaimSharesPayload|TestEventMemory|TestFollowWaits|TestSlowCall"

// TestInBusy: a host whose connection has a busy timeout waits for the engine's own
// writes, and the engine for those of the host.
func TestInBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	p := newProgram(t, open(t, path, sqlitestore.Config{Sync: sqlitestore.Normal}))
	furnish(t, p)
	conn := must(sqlite3.Open("file:" + path))
	defer conn.Close()
	must(0, errors.Join(conn.BusyTimeout(time.Minute), conn.Exec("CREATE TABLE orders (id TEXT PRIMARY KEY, paid INTEGER NOT NULL)")))
	var all []string
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for seller := range 2 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if err := sell(context.Background(), p, fmt.Sprintf("order-%d-%d", seller, i)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range 50 {
		order := fmt.Sprint("order-of-host-", i)
		sale := affiliate.SaleParams{ExternalID: order, PromoCode: "HOT20", TotalEarned: affiliate.MustAmount("100"), Email: "kim@example.net", Name: "Kim"}
		if err := payOrder(t.Context(), conn, p, sale); err != nil {
			t.Errorf("%s: %v", order, err)
		}
		all = append(all, order)
	}
	close(stop)
	wg.Wait()
	books(t, p, all)
}

// TestInDatabaseSQL: a host with database/sql gets the connection of its transaction.
func TestInDatabaseSQL(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	p := newProgram(t, open(t, path, sqlitestore.Config{}))
	furnish(t, p)
	db := must(driver.Open("file:" + path))
	defer db.Close()
	conn := must(db.Conn(t.Context()))
	defer conn.Close()
	for _, keep := range []bool{false, true} {
		tx := must(conn.BeginTx(t.Context(), nil))
		err := conn.Raw(func(c any) error {
			return sell(t.Context(), p.With(sqlitestore.In(c.(driver.Conn).Raw())), "order-1")
		})
		if err != nil {
			t.Error(err)
		}
		end := tx.Rollback
		if keep {
			end = tx.Commit
		}
		if err := end(); err != nil {
			t.Error(err)
		}
		if n := len(must(p.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items); (n == 1) != keep {
			t.Errorf("committed %v: %d sales", keep, n)
		}
	}
}

// TestPages: the blocks of the page compile as pasted.
func TestPages(t *testing.T) { pasted.Build(t, map[string]string{"README.md": ""}) }
