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

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/sqlitestore"
)

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
