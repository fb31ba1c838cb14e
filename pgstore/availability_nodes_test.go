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
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tributary-go/tributary/pgstore/pgtest"
)

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
