package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/httpapi/app"
)

// TestNewcomer: the commands of the README start the program in an empty folder and record
// a sale. It is killed and started again: the sale is there, the console asks for a key,
// and a copy of the file, made beside the server, has the sale too.
func TestNewcomer(t *testing.T) {
	readme := repository(t, "server/README.md")
	command := regexp.MustCompile(`(?m)^go run -C server \. (-file) "\$PWD/(.*)"$`).FindStringSubmatch(readme)
	calls := regexp.MustCompile("(?s)```sh\n(curl .*?)```").FindStringSubmatch(readme)
	if command == nil || calls == nil {
		t.Fatal("the README has no commands")
	}
	t.Chdir(t.TempDir())
	s := spawn(t, command[1:]...)
	curl := exec.CommandContext(t.Context(), "sh", "-euc", strings.ReplaceAll(calls[1], "http://127.0.0.1:8080", s.url))
	curl.Env = append(os.Environ(), "TRIBUTARY_KEY="+testKey)
	if out, err := curl.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.kill()

	s = spawn(t) // on the same file, the default one
	s.sold("order-1042")
	s.call("POST", "/api/v1/sales", sale("order-1042")) // again, as who has no answer does
	s.sold("order-1042")
	if status, page := s.ask("", "GET", "/console/", ""); status != http.StatusForbidden || !strings.Contains(page, `type="password"`) {
		t.Errorf("the console: %d %s", status, page)
	}
	if status, page := s.ask("", "GET", "/partner/", ""); !strings.Contains(page, "<html") {
		t.Errorf("the pages for affiliates: %d %s", status, page)
	}
	copied := process(t.Context(), "-backup", "copy.db")
	if out, err := copied.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "copy.db is a copy of ") {
		t.Fatalf("%s%v", out, err)
	}
	s.stop()

	s = spawn(t, "-file", "copy.db")
	defer s.stop()
	s.sold("order-1042")
}

// TestCommandLine: the command of the client works against the server on a file.
func TestCommandLine(t *testing.T) {
	s := launch(t, "-file", inFolder(t, "program.db"))
	defer s.stop()
	s.ada()
	s.sell("order-1")
	cmd := exec.CommandContext(t.Context(), "go", "run", "-C", "..", "./client/cmd/tributary", "sales", "list", "--json")
	cmd.Env = append(os.Environ(), "TRIBUTARY_URL="+s.url, "TRIBUTARY_KEY="+testKey)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "order-1") {
		t.Errorf("%s%v", out, err)
	}
}

// TestTwoRuns: a server started again knows what the first one stored, in a file and in a
// database, and each sale is delivered to a receiver on this machine.
func TestTwoRuns(t *testing.T) {
	t.Run("file", func(t *testing.T) { twoRuns(t, "-file", inFolder(t, "program.db")) })
	t.Run("database", func(t *testing.T) {
		url := database(t)
		twoRuns(t, "-store", url, "-schema", dropped(t, url, "server"))
	})
}

func twoRuns(t *testing.T, place ...string) {
	delivered := make(chan string, 2)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		delivered <- string(body)
	}))
	defer receiver.Close()
	orders := []string{"order-1", "order-2"}
	for i, order := range orders {
		s := launch(t, append(place, "-allow-private-webhooks")...)
		if i == 0 {
			s.ada()
			s.call("POST", "/api/v1/webhooks", `{"url":"`+receiver.URL+`","events":["sale.created"]}`)
		}
		s.sell(order)
		if got := <-delivered; !strings.Contains(got, order) {
			t.Errorf("delivered %s, want %s", got, order)
		}
		s.call("POST", "/api/affiliates/add-click", `{"programId":"`+app.ProgramID+`","referralCode":"ada"}`)
		s.sold(orders[:i+1]...)
		if status, body := s.ask("", "GET", "/api/v1/x/../sales", ""); status != http.StatusNotFound {
			t.Errorf("a path with .. in it: %d %s", status, body)
		}
		s.stop()
	}
}

// TestTwoServers: two servers on one file see each other's sales, and an order that both
// report counts once.
func TestTwoServers(t *testing.T) {
	path := inFolder(t, "program.db")
	a, b := spawn(t, "-file", path), spawn(t, "-file", path)
	a.ada()
	a.sell("order-1")
	b.sell("order-2")
	done := make(chan int, 20)
	for i := range cap(done) {
		go func() {
			status, _ := []*runningServer{a, b}[i%2].ask(testKey, "POST", "/api/v1/sales", sale("order-3"))
			done <- status
		}()
	}
	for range cap(done) {
		if status := <-done; status != http.StatusOK {
			t.Errorf("status %d", status)
		}
	}
	a.kill()
	b.sold("order-1", "order-2", "order-3")
	b.stop()
}
