package pgstore_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
)

// persist makes four sales and repeats each until it has an answer, as a shop does
// whose order must not be lost.
func persist(ctx context.Context, _ *pgstore.Store, _ *pgxpool.Pool, p *tributary.Program) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			id := uuid.NewString()
			for ctx.Err() == nil {
				call, cancel := context.WithTimeout(ctx, 3*time.Second)
				_, err := p.RecordSale(call, affiliate.SaleParams{PromoCode: "HOT20", ExternalID: id, TotalEarned: affiliate.MustAmount("10")})
				cancel()
				if err == nil { // recorded, or a duplicate of an attempt without an answer
					fmt.Println("sold", id)
					return
				}
				<-time.After(50 * time.Millisecond)
			}
		})
	}
	wg.Wait()
	<-time.After(20 * time.Millisecond) // eight writers need not fill the disk
}

// TestAvailability: three servers under Patroni with a synchronous standby. The
// leader and its Patroni are killed again and again while eight writers in two
// processes sell. No acknowledged sale is lost, none is stored twice, no process is
// without a sale for longer than the ttl and three seconds, and Verify is clean. Half of the kills go
// through a connection string with three hosts, half through HAProxy.
//
// TRIBUTARY_HA is the folder with the programs; .ci/availability makes it.
// TRIBUTARY_HA_KILLS is the number of kills, by default 20.
func TestAvailability(t *testing.T) {
	root := os.Getenv("TRIBUTARY_HA")
	if root == "" {
		t.Skip("SKIPPED: TRIBUTARY_HA is not set: .ci/availability sets it")
	}
	kills := 20
	if n, err := strconv.Atoi(os.Getenv("TRIBUTARY_HA_KILLS")); err == nil {
		kills = n
	}
	c := newTrio(t, root)
	fmt.Println("| through | kill | killed | leads then | longest time of a process without a sale |\n|---|---|---|---|---|")
	for name, url := range map[string]string{"three hosts": c.url(), "HAProxy": c.proxy()} {
		t.Run(name, func(t *testing.T) { c.survive(t, name, url, (kills+1)/2) })
	}
}

// survive sells through a connection string while leaders are killed.
func (c *trio) survive(t *testing.T, name, url string, kills int) {
	var pool *pgxpool.Pool
	c.await("answer through "+name, time.Minute, func() bool {
		pool = newPool(t, url)
		return pool.Ping(t.Context()) == nil
	})
	s := newShop(t, pool, pgstore.Config{})
	crew := newCrew(t, url, s, "persist", "persist")
	g := &gaps{last: slices.Repeat([]time.Time{time.Now()}, len(crew.roles))}
	crew.heard = func(i int, verb, _ string) {
		if verb == "sold" {
			g.sold(i)
		}
	}
	for i := range crew.roles {
		crew.hire(i)
	}
	var longest time.Duration
	for n := range kills {
		c.await("whole cluster", 3*time.Minute, c.whole)
		<-time.After(time.Second)
		longest = max(longest, g.longest()) // since the kill before: until now the writers may have waited
		old := c.leader()
		if old == nil {
			t.Fatal("nobody leads")
		}
		c.kill(old)
		c.await("other leader", time.Minute, func() bool { l := c.leader(); return l != nil && l != old })
		now := c.leader()
		<-time.After(3 * time.Second) // until the writers have found it
		wait := g.longest()
		fmt.Printf("| %s | %d | %s | %s | %.1f s |\n", name, n+1, old.name, now.name, wait.Seconds())
		longest = max(longest, wait)
		c.run(old)
	}
	c.await("whole cluster", 3*time.Minute, c.whole)
	longest = max(longest, g.longest())
	for i := range crew.roles {
		crew.kill(i)
	}
	crew.reading.Wait()
	pool.Reset()
	stored := map[string]int{}
	for _, sale := range must(s.plain.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items {
		id, _ := sale.ExternalID.Get()
		stored[id]++
	}
	lost, doubled := 0, 0
	for id := range crew.said["sold"] {
		if stored[id] == 0 {
			lost++
		}
	}
	for _, n := range stored {
		doubled += n - 1
	}
	t.Attr("server", fmt.Sprintf("leader and its Patroni killed %d times through %s, 8 writers in 2 processes: %d sales acknowledged, %d stored, %d lost, %d doubled, longest time of a process without a sale %.1f s (ttl %v)",
		kills, name, len(crew.said["sold"]), len(stored), lost, doubled, longest.Seconds(), haTTL))
	if lost+doubled > 0 || len(stored) == 0 {
		t.Error("the counts do not agree")
	}
	if longest > haTTL+3*time.Second {
		t.Errorf("a process was without a sale for %v, longer than the ttl and three seconds", longest)
	}
	if err := s.plain.Verify(t.Context()); err != nil {
		t.Errorf("Verify: %v", err)
	}
}

// gaps are the times between the acknowledged sales of each process: one that hangs
// is not hidden by another that sells.
type gaps struct {
	mu   sync.Mutex
	last []time.Time // of a process
	most time.Duration
}

func (g *gaps) sold(i int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	g.most, g.last[i] = max(g.most, now.Sub(g.last[i])), now
}

// longest is the longest time without a sale of a process since it was asked last, one
// that goes on included.
func (g *gaps) longest() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	longest := g.most
	for _, last := range g.last {
		longest = max(longest, time.Since(last))
	}
	g.most = 0
	return longest
}
