package pgstore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	osexec "os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/pgstore/pgtest"
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

const (
	haTTL  = 20 * time.Second // after it, a leader that is silent has lost the lead; Patroni's shortest
	haLoop = 2 * time.Second  // Patroni's loop_wait
)

// A trio are three PostgreSQL servers that Patroni keeps, with etcd, as an ordinary
// user on loopback. The programs are in the folder of TRIBUTARY_HA, as .ci/availability
// unpacks them.
type trio struct {
	t     *testing.T
	root  string // the unpacked packages
	dir   string
	owner *syscall.Credential // nil: this user
	nodes [3]*node
}

// A node is one server with its Patroni.
type node struct {
	name    string
	port    int // of PostgreSQL
	rest    int // of Patroni
	data    string
	config  string
	patroni *osexec.Cmd
}

// newTrio starts three servers and waits until one leads and one follows it
// synchronously.
func newTrio(t *testing.T, root string) *trio {
	t.Helper()
	c := &trio{t: t, root: root, dir: must(os.MkdirTemp("", "tributary-ha-"))}
	c.owner = ordinary()
	c.give(c.dir)
	t.Cleanup(func() { _ = os.RemoveAll(c.dir) })
	client, peer := freePort(t), freePort(t)
	etcd := fmt.Sprintf("http://127.0.0.1:%d", client)
	peers := fmt.Sprintf("http://127.0.0.1:%d", peer)
	c.start("etcd", c.root+"/usr/bin/etcd", "--data-dir", filepath.Join(c.dir, "etcd"), "--listen-client-urls", etcd, "--advertise-client-urls", etcd,
		"--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster", "default="+peers, "--unsafe-no-fsync")
	bin := must(pgtest.Find(os.Getenv("PATH"), "/usr/lib/postgresql"))
	for i := range c.nodes {
		n := &node{name: fmt.Sprint("pg", i+1), port: freePort(t), rest: freePort(t)}
		n.data, n.config = filepath.Join(c.dir, n.name), filepath.Join(c.dir, n.name+".yml")
		write(t, n.config, []byte(c.settings(n, bin, client)))
		c.give(n.config)
		c.nodes[i] = n
		c.run(n)
	}
	c.await("three servers, one of them a synchronous standby", 2*time.Minute, c.whole)
	return c
}

// settings is the file of a Patroni. A sale is acknowledged when two servers have it.
func (c *trio) settings(n *node, bin string, etcd int) string {
	return fmt.Sprintf(`scope: tributary
name: %[1]s
restapi: {listen: "127.0.0.1:%[2]d", connect_address: "127.0.0.1:%[2]d"}
etcd3: {host: "127.0.0.1:%[3]d"}
bootstrap:
  dcs:
    ttl: %[4]d
    loop_wait: %[5]d
    retry_timeout: 5
    maximum_lag_on_failover: 1048576
    synchronous_mode: true
    synchronous_mode_strict: true
    postgresql:
      use_pg_rewind: true
      parameters: {max_connections: 100, shared_buffers: 32MB, wal_keep_size: 256MB, wal_retrieve_retry_interval: 500ms, idle_in_transaction_session_timeout: 10s}
  initdb: [{encoding: UTF8}, {locale: C}, data-checksums]
postgresql:
  listen: 127.0.0.1:%[6]d
  connect_address: 127.0.0.1:%[6]d
  data_dir: %[7]s
  bin_dir: %[8]s
  pgpass: %[7]s.pass
  pg_hba: ["local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]
  parameters: {unix_socket_directories: %[9]s}
  authentication:
    superuser: {username: tributary, password: none}
    replication: {username: replicator, password: none}
    rewind: {username: tributary, password: none}
`, n.name, n.rest, etcd, haTTL/time.Second, haLoop/time.Second, n.port, n.data, bin, c.dir)
}

// run starts the Patroni of a node, which starts the server.
func (c *trio) run(n *node) {
	c.t.Helper()
	n.patroni = c.start(n.name, "/usr/bin/python3", c.root+"/usr/bin/patroni", n.config)
}

// start runs a program as the ordinary user, with its output in a file.
func (c *trio) start(name, program string, args ...string) *osexec.Cmd {
	c.t.Helper()
	log := must(os.OpenFile(filepath.Join(c.dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600))
	defer log.Close()
	cmd := osexec.Command(program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.dir, log, log
	cmd.Env = append(os.Environ(), "HOME="+c.dir, "PYTHONPATH="+c.root+"/usr/lib/python3/dist-packages", "LD_LIBRARY_PATH="+c.root+"/usr/lib/x86_64-linux-gnu")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.owner, Setpgid: true}
	must(0, cmd.Start())
	c.t.Cleanup(func() {
		if c.t.Failed() {
			raw, _ := os.ReadFile(filepath.Join(c.dir, name+".log"))
			c.t.Logf("%s:\n%s", name, raw[max(0, len(raw)-1500):])
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		for _, n := range c.nodes {
			if n != nil && n.name == name {
				c.killServer(n)
			}
		}
	})
	return cmd
}

// killServer kills the server of a node, if it runs.
func (c *trio) killServer(n *node) {
	raw, err := os.ReadFile(filepath.Join(n.data, "postmaster.pid"))
	if err != nil {
		return
	}
	line, _, _ := strings.Cut(string(raw), "\n")
	if pid, err := strconv.Atoi(line); err == nil && pid > 1 {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// kill kills a node's Patroni and its server at once, as a power cut does.
func (c *trio) kill(n *node) {
	_ = n.patroni.Process.Kill()
	c.killServer(n)
	_ = n.patroni.Wait()
}

// members are what Patroni says of the servers: the role of each that runs.
func (c *trio) members() map[string]string {
	roles := map[string]string{}
	client := http.Client{Timeout: 2 * time.Second}
	for _, n := range c.nodes {
		answer, err := client.Get(fmt.Sprintf("http://127.0.0.1:%d/cluster", n.rest))
		if err != nil {
			continue
		}
		var state struct {
			Members []struct{ Name, Role, State string }
		}
		err = json.NewDecoder(answer.Body).Decode(&state)
		answer.Body.Close()
		if err != nil {
			continue
		}
		for _, m := range state.Members {
			if m.State == "running" || m.State == "streaming" {
				roles[m.Name] = m.Role
			}
		}
		return roles
	}
	return roles
}

// leader is the node that leads, or nil.
func (c *trio) leader() *node {
	for name, role := range c.members() {
		for _, n := range c.nodes {
			if n.name == name && role == "leader" {
				return n
			}
		}
	}
	return nil
}

// whole reports whether all three run, one leads and one follows synchronously.
func (c *trio) whole() bool {
	roles, sync := c.members(), 0
	for _, role := range roles {
		if role == "sync_standby" {
			sync++
		}
	}
	return len(roles) == 3 && sync == 1 && c.leader() != nil
}

// await waits for something, at most so long.
func (c *trio) await(what string, most time.Duration, is func() bool) {
	c.t.Helper()
	for deadline := time.Now().Add(most); !is(); <-time.After(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.t.Fatalf("no %s after %v: %v", what, most, c.members())
		}
	}
}

// url is the connection string with every server: the driver looks for the one that
// takes writes.
func (c *trio) url() string {
	var hosts []string
	for _, n := range c.nodes {
		hosts = append(hosts, fmt.Sprintf("127.0.0.1:%d", n.port))
	}
	return "postgres://tributary@" + strings.Join(hosts, ",") + "/postgres?target_session_attrs=read-write&connect_timeout=2&sslmode=disable"
}

// proxy starts HAProxy, which asks each Patroni whether its server leads, and returns
// its connection string.
func (c *trio) proxy() string {
	c.t.Helper()
	port, config := freePort(c.t), filepath.Join(c.dir, "haproxy.cfg")
	text := fmt.Sprintf("defaults\n mode tcp\n timeout connect 2s\n timeout client 1h\n timeout server 1h\n timeout check 2s\nlisten primary\n bind 127.0.0.1:%d\n"+
		" option httpchk GET /primary\n http-check expect status 200\n default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions\n", port)
	for _, n := range c.nodes {
		text += fmt.Sprintf(" server %s 127.0.0.1:%d check port %d\n", n.name, n.port, n.rest)
	}
	write(c.t, config, []byte(text))
	c.give(config)
	c.start("haproxy", c.root+"/usr/sbin/haproxy", "-f", config)
	return fmt.Sprintf("postgres://tributary@127.0.0.1:%d/postgres?connect_timeout=2&sslmode=disable", port)
}

// give gives a file to the ordinary user.
func (c *trio) give(path string) {
	if c.owner != nil {
		must(0, os.Chown(path, int(c.owner.Uid), int(c.owner.Gid)))
	}
}

// ordinary is the user that servers run as when this one is root.
func ordinary() *syscall.Credential {
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ := strconv.Atoi(u.Uid) // numbers, on every Unix
			gid, _ := strconv.Atoi(u.Gid)
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	return nil
}

// freePort is a port of loopback that nobody has.
func freePort(t *testing.T) int {
	t.Helper()
	listener := must((&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0"))
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}
