package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/pgstore/pgtest"
)

// asCommand makes the test's binary the program, so that it can be killed: its arguments,
// one a line.
const asCommand = "TRIBUTARY_SERVER_ARGUMENTS"

func TestMain(m *testing.M) {
	if args, ok := os.LookupEnv(asCommand); ok {
		os.Args = append(os.Args[:1], strings.Split(args, "\n")...)
		main()
	}
	code := m.Run()
	if shared.server != nil {
		_ = shared.server.Stop()
	}
	os.Exit(code)
}

// shared is the PostgreSQL server of the tests that need none of their own.
var shared struct {
	sync.Once
	server *pgtest.Cluster
	err    error
}

const testKey = "test-key-of-this-suite"

// nothing is an environment without variables.
var nothing environment

// process is the program as a process of its own, without the variables of this one that
// it reads.
func process(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0])
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TRIBUTARY_") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	cmd.Env = append(cmd.Env, asCommand+"="+strings.Join(args, "\n"), "TRIBUTARY_KEY="+testKey)
	return cmd
}

// A runningServer is a server that a test has started.
type runningServer struct {
	t     *testing.T
	url   string
	said  *transcript
	end   func() // in order
	kill  func() // at once; nil: it runs in the test's process
	ended chan int
}

// A transcript has what a server in the test's process has written to its outputs.
type transcript struct {
	mu   sync.Mutex
	text strings.Builder
	more chan struct{} // gets a value when something was written since
}

func (s *transcript) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.more <- struct{}{}:
	default:
	}
	return s.text.Write(p)
}

// wait waits until a text was written.
func (s *transcript) wait(t *testing.T, text string) {
	t.Helper()
	s.mu.Lock()
	s.more = make(chan struct{}, 1)
	s.mu.Unlock()
	for !strings.Contains(s.String(), text) {
		select {
		case <-s.more:
		case <-time.After(20 * time.Second):
			t.Fatalf("%q was not written:\n%s", text, s)
		}
	}
}

func (s *transcript) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// launch runs the server with flags, and waits until it listens.
func launch(t *testing.T, args ...string) *runningServer {
	t.Helper()
	return launchIn(t, nothing, args...)
}

// launchIn is launch with variables.
func launchIn(t *testing.T, env environment, args ...string) *runningServer {
	t.Helper()
	return launchKeyless(t, env, append(args, "-key", testKey)...)
}

// launchKeyless is launchIn without the key of the tests.
func launchKeyless(t *testing.T, env environment, args ...string) *runningServer {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	s := &runningServer{t: t, end: end, ended: make(chan int, 1), said: new(transcript)}
	output, lines := io.Pipe()
	go func() {
		s.ended <- run(ctx, append(args, "-addr", "127.0.0.1:0"), env,
			io.MultiWriter(s.said, lines), io.MultiWriter(s.said, t.Output()))
		lines.Close()
	}()
	s.listens(output)
	return s
}

// spawn is launch in a process of its own, which the test may kill.
func spawn(t *testing.T, args ...string) *runningServer {
	t.Helper()
	return started(t, process(t.Context(), append(args, "-addr", "127.0.0.1:0")...), os.Interrupt)
}

// started starts a server as a process, which a signal ends in order.
func started(t *testing.T, cmd *exec.Cmd, signal os.Signal) *runningServer {
	t.Helper()
	cmd.Stderr = t.Output()
	output, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &runningServer{t: t, ended: make(chan int, 1)}
	s.end = func() { _ = cmd.Process.Signal(signal) }
	s.kill = func() { _ = cmd.Process.Kill(); <-s.ended }
	s.listens(output)
	go func() {
		_ = cmd.Wait()
		s.ended <- cmd.ProcessState.ExitCode()
	}()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return s
}

// listens reads what the server says until it is ready.
func (s *runningServer) listens(output io.Reader) {
	s.t.Helper()
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			s.url = url
			go func() {
				for lines.Scan() { // so that the server can go on writing
				}
			}()
			return
		}
	}
	s.t.Fatal("the server did not start")
}

// stop ends the server and expects the exit code 0.
func (s *runningServer) stop() {
	s.t.Helper()
	s.end()
	if code := <-s.ended; code != 0 {
		s.t.Errorf("exit code %d", code)
	}
}

// ask sends a request with a key, and returns the status and the body.
func (s *runningServer) ask(key, method, path, body string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// call sends a request with the key, and returns the body of an answer that
// must be 200.
func (s *runningServer) call(method, path, body string) string {
	s.t.Helper()
	status, text := s.ask(testKey, method, path, body)
	if status != http.StatusOK {
		s.t.Fatalf("%s %s: %d %s", method, path, status, text)
	}
	return text
}

// ada makes an affiliate, and sell records a sale of hers.
func (s *runningServer) ada() {
	s.t.Helper()
	s.call("POST", "/api/v1/affiliates", `{"firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","affiliateLink":"ada"}`)
}

func (s *runningServer) sell(order string) {
	s.t.Helper()
	s.call("POST", "/api/v1/sales", sale(order))
}

func sale(order string) string {
	return fmt.Sprintf(`{"referralId":"ada","email":"c@example.net","name":"C","totalEarned":50,"externalId":%q}`, order)
}

// sold reports orders that the server does not have exactly once.
func (s *runningServer) sold(orders ...string) {
	s.t.Helper()
	sales := s.call("GET", "/api/v1/sales", "")
	for _, order := range orders {
		if strings.Count(sales, fmt.Sprintf(`"externalId":%q`, order)) != 1 {
			s.t.Errorf("%s is not there once: %s", order, sales)
		}
	}
	if n := strings.Count(sales, `"totalEarned"`); n != len(orders) {
		s.t.Errorf("%d sales: %s", n, sales)
	}
}

// newCluster starts a PostgreSQL server for the test.
func newCluster(t *testing.T, durable bool) *pgtest.Cluster {
	t.Helper()
	server, err := pgtest.Start(t.Context(), durable)
	isThere(t, err)
	t.Cleanup(func() { _ = server.Stop() })
	return server
}

// isThere skips a test for which there is no PostgreSQL.
func isThere(t *testing.T, err error) {
	t.Helper()
	if pgtest.Missing(err, os.Getenv("CI")) {
		t.Skip("SKIPPED: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// database returns the connection string of a database: the named one, or one
// that tests share.
func database(t *testing.T) string {
	t.Helper()
	if url := os.Getenv("TRIBUTARY_TEST_DATABASE_URL"); url != "" {
		return url
	}
	shared.Do(func() { shared.server, shared.err = pgtest.Start(context.Background(), false) })
	isThere(t, shared.err)
	return shared.server.URL()
}

// dropped returns the name of a schema that is gone at the end of the test.
func dropped(t *testing.T, url, schema string) string {
	t.Helper()
	schema = fmt.Sprintf("%s_%d", schema, os.Getpid())
	t.Cleanup(func() {
		ctx := context.Background()
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return // the server has gone, and the schema with it
		}
		defer conn.Close(ctx)
		if _, err := conn.Exec(ctx, "DROP SCHEMA IF EXISTS "+schema+" CASCADE"); err != nil {
			t.Error(err)
		}
	})
	return schema
}

// inFolder returns the path of a file in a folder of the test.
func inFolder(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(t.TempDir(), name)
}

// number reads a variable of a longer run.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text, ok := os.LookupEnv(name)
	if !ok {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
