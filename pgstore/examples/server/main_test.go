package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/pgstore/examples/cluster"
)

const testKey = "test-key-of-this-suite"

// A running is a server that a test has started.
type running struct {
	t     *testing.T
	url   string
	end   context.CancelFunc
	ended chan int
}

// launch runs the server with flags, and waits until it listens.
func launch(t *testing.T, args ...string) *running {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	s := &running{t: t, end: end, ended: make(chan int, 1)}
	output, lines := io.Pipe()
	go func() {
		s.ended <- run(ctx, append(args, "-addr", "127.0.0.1:0", "-key", testKey), lines, t.Output())
		lines.Close()
	}()
	if _, err := fmt.Fscanf(output, "listening on %s\n", &s.url); err != nil {
		t.Fatalf("the server did not start: %v", err)
	}
	go io.Copy(io.Discard, output)
	return s
}

// stop ends the server and expects the exit code 0.
func (s *running) stop() {
	s.t.Helper()
	s.end()
	if code := <-s.ended; code != 0 {
		s.t.Errorf("exit code %d", code)
	}
}

// call sends a request with the key, and returns the body of an answer that
// must be 200.
func (s *running) call(method, path, body string) string {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+testKey)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		s.t.Fatalf("%s %s: %d %s, error %v", method, path, res.StatusCode, text, err)
	}
	return string(text)
}

// database returns the connection string of a database: the named one, or one
// of the test's own server.
func database(t *testing.T) string {
	t.Helper()
	if url := os.Getenv("TRIBUTARY_TEST_DATABASE_URL"); url != "" {
		return url
	}
	server, err := cluster.Start(t.Context(), false)
	if cluster.Missing(err, os.Getenv("CI")) {
		t.Skip("SKIPPED: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return server.URL()
}

// TestTwoRuns: a server started again knows what the first one stored, and each
// sale is delivered to a receiver on this machine.
func TestTwoRuns(t *testing.T) {
	url, schema := database(t), fmt.Sprintf("server_%d", os.Getpid())
	t.Cleanup(func() {
		ctx := context.Background()
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			t.Fatal(err)
		}
		_, err = conn.Exec(ctx, "DROP SCHEMA IF EXISTS "+schema+" CASCADE")
		if err := errors.Join(err, conn.Close(ctx)); err != nil {
			t.Error(err)
		}
	})
	delivered := make(chan string, 2)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		delivered <- string(body)
	}))
	defer receiver.Close()

	for i, order := range []string{"order-1", "order-2"} {
		s := launch(t, "-store", url, "-schema", schema, "-allow-private-webhooks")
		if i == 0 {
			s.call("POST", "/api/v1/affiliates", `{"firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","affiliateLink":"ada"}`)
			s.call("POST", "/api/v1/webhooks", `{"url":"`+receiver.URL+`","events":["sale.created"]}`)
		}
		s.call("POST", "/api/v1/sales", `{"referralId":"ada","email":"c@example.net","name":"C","totalEarned":50,"externalId":"`+order+`"}`)
		if got := <-delivered; !strings.Contains(got, order) {
			t.Errorf("delivered %s, want %s", got, order)
		}
		s.call("POST", "/api/affiliates/add-click", `{"programId":"`+programID+`","referralCode":"ada"}`)
		if got := s.call("GET", "/?ref=ada", ""); strings.Contains(got, `""`) {
			t.Errorf("the page saw no click: %s", got)
		}
		sales := s.call("GET", "/api/v1/sales", "")
		for _, want := range []string{"order-1", "order-2"}[:i+1] {
			if !strings.Contains(sales, want) {
				t.Errorf("run %d does not know %s: %s", i+1, want, sales)
			}
		}
		if res, err := http.Get(s.url + "/api/v1/x/../sales"); err != nil || res.StatusCode != http.StatusNotFound {
			t.Errorf("a path with .. in it: %v, error %v", res, err)
		} else {
			res.Body.Close()
		}
		s.stop()
	}
}

// TestFlags: a server that cannot run prints the reason and ends with the right
// exit code.
func TestFlags(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"help", []string{"-h"}, 0, "-store"},
		{"unknown flag", []string{"-nothing"}, 2, "-nothing"},
		{"argument", []string{"here"}, 2, `unexpected argument "here"`},
		{"schema that is no name", []string{"-addr", "127.0.0.1:0", "-store", "postgres://nobody@127.0.0.1:1/none", "-schema", "a b"}, 1, "Config.Schema"},
		{"no database", []string{"-addr", "127.0.0.1:0", "-store", "postgres://nobody@127.0.0.1:1/none"}, 1, "pgstore: migrate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stderr strings.Builder
			if code := run(t.Context(), c.args, io.Discard, &stderr); code != c.code || !strings.Contains(stderr.String(), c.want) {
				t.Errorf("exit code %d, want %d; standard error: %s", code, c.code, stderr.String())
			}
		})
	}
}
