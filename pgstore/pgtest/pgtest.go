// Package pgtest starts a PostgreSQL server of its own for tests and benchmarks, from the
// programs that are installed, and removes it afterwards:
//
//	server, err := pgtest.Start(ctx, false)
//	if pgtest.Missing(err, os.Getenv("CI")) {
//		t.Skip(err)
//	}
//	defer server.Stop()
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// ErrNoServer is the error when there is no server. It says what to install or
// to set.
var ErrNoServer = errors.New("no PostgreSQL server programs: install PostgreSQL 14 or later (on Debian and Ubuntu: apt-get install postgresql) " +
	"so that initdb and postgres are in PATH or under /usr/lib/postgresql, or set TRIBUTARY_TEST_DATABASE_URL to a database that may be written to")

// A Cluster is a running server in its own folder. Clients connect over a unix
// socket.
type Cluster struct {
	dir     string
	bin     string
	durable bool
	owner   *syscall.Credential // nil: the current user
	server  *server
}

// A server is one run of the server's main process.
type server struct {
	process *os.Process
	done    chan struct{} // closed when the process has ended
}

// Start makes a cluster and starts it. A durable one waits for the disk at
// every commit, as a server in production does.
func Start(ctx context.Context, durable bool) (*Cluster, error) {
	return begin(ctx, durable, func(c *Cluster) error {
		_, err := c.Run(ctx, "initdb", "--no-sync", "-A", "trust", "-U", "tributary", "-E", "UTF8",
			"--locale=C", "-D", c.data())
		return err
	})
}

// Resume starts a cluster on a copy of the data folder of another, or of a backup of
// one. Prepare is called with the copy before the server starts.
func Resume(ctx context.Context, from string, prepare func(data string) error) (*Cluster, error) {
	return begin(ctx, true, func(c *Cluster) error {
		if _, err := c.run(ctx, "cp", "-R", from, c.data()); err != nil {
			return err
		}
		return prepare(c.data())
	})
}

// begin makes a cluster with a data folder that fill makes, and starts it.
func begin(ctx context.Context, durable bool, fill func(*Cluster) error) (c *Cluster, err error) {
	bin, err := Find(os.Getenv("PATH"), "/usr/lib/postgresql")
	if err != nil {
		return nil, err
	}
	sweep()
	c = &Cluster{bin: bin, durable: durable}
	if c.dir, err = os.MkdirTemp("", "tributary-pg-"); err != nil { // short, because the path of a socket must be
		return nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(c.dir)
		}
	}()
	if err := os.WriteFile(filepath.Join(c.dir, "owner"), []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		return nil, err
	}
	if err := c.chown(); err != nil {
		return nil, err
	}
	if err := fill(c); err != nil {
		return nil, err
	}
	return c, c.Restart(ctx)
}

// Run runs a program of PostgreSQL as the owner of the cluster, in its folder, and
// returns what it prints.
func (c *Cluster) Run(ctx context.Context, program string, args ...string) ([]byte, error) {
	return c.run(ctx, filepath.Join(c.bin, program), args...)
}

func (c *Cluster) run(ctx context.Context, program string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.SysProcAttr = c.dir, c.attributes()
	cmd.Env = append(os.Environ(), "PGHOST="+c.dir, "PGUSER=tributary", "PGDATABASE=postgres")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", filepath.Base(program), err, out)
	}
	return out, nil
}

// Dir returns the folder of the cluster, in which its owner may write.
func (c *Cluster) Dir() string { return c.dir }

// Halt ends the server in order, as before maintenance. Restart starts it again.
func (c *Cluster) Halt() error {
	err := c.server.process.Signal(syscall.SIGINT)
	<-c.server.done
	return err
}

// sweep removes the folders of processes that ended without doing so.
func sweep() {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), "tributary-pg-*"))
	for _, dir := range dirs {
		raw, err := os.ReadFile(filepath.Join(dir, "owner"))
		if err != nil {
			continue // another process is making it
		}
		pid, err := strconv.Atoi(string(raw))
		if err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = os.RemoveAll(dir)
		}
	}
}

// Find returns the folder of initdb and postgres: the first folder of path, a
// list as in PATH, that has both or links to an initdb beside a postgres; or
// else the newest version below installed.
//
// Errors: ErrNoServer.
func Find(path, installed string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		initdb, err := filepath.EvalSymlinks(filepath.Join(dir, "initdb"))
		if err == nil && filepath.IsAbs(initdb) && complete(filepath.Dir(initdb)) {
			return filepath.Dir(initdb), nil
		}
	}
	found, _ := filepath.Glob(filepath.Join(installed, "*", "bin"))
	found = slices.DeleteFunc(found, func(dir string) bool { return !complete(dir) })
	if len(found) == 0 {
		return "", ErrNoServer
	}
	version := func(dir string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
		return n
	}
	return slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) }), nil
}

// complete reports whether a folder has both programs.
func complete(dir string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			return false
		}
	}
	return true
}

// Missing reports whether a test is skipped because there is no server. In CI,
// where nobody reads skips, the test fails instead. ci is the value of the
// variable CI.
func Missing(err error, ci string) bool { return errors.Is(err, ErrNoServer) && ci != "true" }

// chown gives the folder to another user when this one is root, because the
// server refuses to run as root.
func (c *Cluster) chown() error {
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		c.owner = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return os.Chown(c.dir, uid, gid)
	}
	return errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody")
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

// Restart starts the server if it does not run, and waits until it answers.
func (c *Cluster) Restart(ctx context.Context) error {
	if c.server != nil {
		select {
		case <-c.server.done:
		default:
			return nil
		}
	}
	log, err := os.OpenFile(filepath.Join(c.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	args := []string{"-D", c.data(), "-k", c.dir, "-c", "listen_addresses=", "-c",
		"max_connections=200", "-c", "shared_buffers=64MB"}
	if !c.durable {
		args = append(args, "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")
	}
	cmd := exec.Command(filepath.Join(c.bin, "postgres"), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = c.dir, log, log, c.attributes()
	if c.server, err = start(cmd); err != nil {
		return err
	}
	return c.await(ctx)
}

// await waits until the server answers. After a kill the server repairs its
// files first.
func (c *Cluster) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := pgx.Connect(ctx, c.URL())
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-tick.C:
		case <-c.server.done:
			return fmt.Errorf("the server did not start: %s", c.tail())
		case <-ctx.Done():
			return fmt.Errorf("the server does not answer: %w\n%s", err, c.tail())
		}
	}
}

// tail returns the end of the server's log.
func (c *Cluster) tail() []byte {
	raw, _ := os.ReadFile(filepath.Join(c.dir, "log"))
	return raw[max(0, len(raw)-2000):]
}

// URL returns the connection string of the cluster's database.
func (c *Cluster) URL() string {
	return "postgres:///postgres?user=tributary&host=" + url.QueryEscape(c.dir)
}

// Signal sends a signal to the server's main process.
func (c *Cluster) Signal(sig os.Signal) error { return c.server.process.Signal(sig) }

// Kill ends the server's main process and its children at once, as a power cut
// does.
func (c *Cluster) Kill() error {
	if err := c.server.process.Kill(); err != nil {
		return err
	}
	<-c.server.done
	return c.awaitChildren()
}

// awaitChildren waits until the last child has ended, because a new server does
// not start before.
func (c *Cluster) awaitChildren() error {
	deadline := time.Now().Add(30 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for ; time.Now().Before(deadline); <-tick.C {
		if !c.children() {
			return nil
		}
	}
	return errors.New("children of the killed server do not end")
}

// children reports whether a process works in the data folder.
func (c *Cluster) children() bool {
	dirs, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range dirs {
		if at, err := os.Readlink(link); err == nil && at == c.data() {
			return true
		}
	}
	return false
}

// Stop ends the server and removes the folder.
func (c *Cluster) Stop() error {
	if c.server != nil {
		_ = c.server.process.Signal(syscall.SIGINT) // an error means that it has ended
		select {
		case <-c.server.done:
		case <-time.After(20 * time.Second):
			_ = c.server.process.Kill()
			<-c.server.done
		}
	}
	return os.RemoveAll(c.dir)
}
