package browser

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const (
	fullKey        = "a-full-key-of-the-browser-tests"
	readKey        = "a-read-key-of-the-browser-tests"
	integrationKey = "an-integration-key-of-the-tests"
)

// server builds examples/server, once.
var server = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "server")
	build := exec.Command("go", "build", "-o", path, "./examples/server")
	build.Dir = filepath.Join("..", "..")
	build.Stderr = os.Stderr
	return path, build.Run()
})

// startServer starts examples/server with a key of each scope, and
// returns its origin.
func startServer(t *testing.T) string {
	t.Helper()
	keys := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(keys, []byte("boss full "+fullKey+"\nreports read "+readKey+"\nshop integration "+integrationKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	run := exec.CommandContext(ctx, must(server())(t), "-addr", "127.0.0.1:0", "-key-file", keys)
	run.Stderr = os.Stderr
	out := must(run.StdoutPipe())(t)
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); _ = run.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if origin, ready := strings.CutPrefix(lines.Text(), "listening on "); ready {
			return origin
		}
	}
	t.Fatal("the server does not say where it listens")
	return ""
}

// TestLogin (checks 34, 45 and 47): a key opens the console as far as its scope goes,
// every other key is answered with one text, the eleventh try has to wait, and who
// signs out is out. The pages before the console can be read by everybody too.
func TestLogin(t *testing.T) {
	t.Parallel()
	for name, prepare := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			origin := startServer(t)
			tb := newTab(t, origin)
			prepare(tb)
			tb.openAs(403, "/console/sales")
			look(tb, 1)
			tb.signIn(200, fullKey)
			if tb.path() != "/console/sales" {
				t.Errorf("after the login comes %s", tb.path())
			}
			tb.says("Sales")
			if n := tb.count("header form[method=post]"); n != 1 {
				t.Errorf("there are %d forms to sign out", n)
			}
			tb.press("Affiliates")
			tb.says("Add…")
			tb.pressAs(403, "Sign out")
			tb.openAs(403, "/console/affiliates")
			tb.signIn(200, readKey)
			tb.openAs(403, "/console/affiliates/new")
			tb.open("/console/affiliates")
			if n := tb.count("main form[method=post], main a.button"); n != 0 {
				t.Errorf("a key of the scope read gets %d forms", n)
			}
			tb.pressAs(403, "Sign out")
			texts := map[string]bool{}
			for _, key := range []string{"a-wrong-key-of-the-browser-tests", "short", integrationKey, "4", "5", "6", "7", "8", "9", "10"} {
				tb.signIn(403, key)
				texts[tb.text("main")] = true
			}
			if len(texts) != 1 {
				t.Errorf("wrong keys get different texts: %v", texts)
			}
			look(tb, 1)
			tb.signIn(429, "a-wrong-key-of-the-browser-tests")
			tb.says("Too many wrong keys")
			look(tb, 1)
		})
	}
}

// signIn types a key into the form of the login.
func (tb *tab) signIn(status int64, key string) {
	tb.Helper()
	tb.fill("Key of the API", key)
	tb.pressAs(status, "Sign in")
}
