package robustness

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/api"
	"github.com/tributary-go/tributary/pgstore"
)

// A wayOf is how a process uses PostgreSQL.
type wayOf struct {
	serializable bool
	group        int
}

func (w wayOf) config() pgstore.Config {
	cfg := pgstore.Config{Schema: schema, Group: w.group}
	if w.serializable {
		cfg.Mode, cfg.Retries = pgstore.Serializable, 100
	}
	return cfg
}

// An order is what a process is told: it is in its environment.
type order struct {
	URL          string
	Serializable bool
	Group        int
	Ahead        time.Duration
	Plant        string
}

// twoProcesses is a target of two processes that serve the HTTP API. The clock
// of the second is ahead.
func twoProcesses(t *testing.T, way wayOf, apart time.Duration) target {
	pool := newPool(t, databaseURL(t), true)
	name := fmt.Sprintf("two processes, clocks %s apart", apart)
	if way.serializable {
		name += ", serializable, groups"
	}
	running := map[string][]*process{} // by the planted bug
	return target{name: name, open: func(sub *testing.T, pl plant, stopped bool) world {
		if running[pl.name] == nil {
			for i := range 2 {
				o := order{databaseURL(t), way.serializable, way.group, time.Duration(i) * apart, ""}
				if pl.store != nil {
					o.Plant = pl.name
				}
				running[pl.name] = append(running[pl.name], startProcess(t, o))
			}
		}
		clean := newStore(sub, pool, way.config())
		p := newProgram(sub, clean, func(c *tributary.Config) { c.Now = clock(stopped, 0) })
		key := p.Config().ID.String()
		if stopped {
			key = "stopped-" + key
		}
		late := newLate()
		var ops []api.Operations
		for _, proc := range running[pl.name] {
			ops = append(ops, pl.inClient(api.Of(newClient(sub, proc.url, key, proc.transport, -1)), p, clean, late))
		}
		settle := func() {
			late.wait()
			for _, proc := range running[pl.name] {
				if resp, err := http.Get(proc.url + "/settle"); err == nil {
					resp.Body.Close()
				}
			}
		}
		return world{p, func(i int) api.Operations { return ops[i%2] }, settle, true}
	}}
}

// A process is a worker and where it serves.
type process struct {
	url       string
	transport *http.Transport
}

func startProcess(t *testing.T, o order) *process {
	t.Helper()
	raw, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TRIBUTARY_WORKER="+string(raw))
	cmd.Stderr = os.Stderr
	hold, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	t.Cleanup(func() {
		p.transport.CloseIdleConnections()
		hold.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("worker: %v", err)
		}
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("worker: %v", err)
	}
	p.url = "http://" + strings.TrimSpace(address)
	return p
}

// worker serves the programs whose ids are the keys of requests, until its input
// ends.
func worker() error {
	var o order
	if err := json.Unmarshal([]byte(os.Getenv("TRIBUTARY_WORKER")), &o); err != nil {
		return err
	}
	pool, err := openPool(o.URL, true)
	if err != nil {
		return err
	}
	defer pool.Close()
	store, err := pgstore.New(pool, wayOf{o.Serializable, o.Group}.config())
	if err != nil {
		return err
	}
	late := newLate()
	planted := plantNamed(o.Plant).inStore(store, late)
	var programs sync.Map
	h, err := httpapi.NewMulti(func(_ context.Context, key string) (httpapi.Access, error) {
		if p, ok := programs.Load(key); ok {
			return httpapi.Access{Program: p.(*tributary.Program)}, nil
		}
		id, stopped := strings.CutPrefix(key, "stopped-")
		p, err := tributary.New(planted, configured(func(c *tributary.Config) {
			c.ID, c.Now = uuid.MustParse(id), clock(stopped, o.Ahead)
		}))
		if err != nil {
			return httpapi.Access{}, err
		}
		actual, _ := programs.LoadOrStore(key, p)
		return httpapi.Access{Program: actual.(*tributary.Program)}, nil
	}, httpapi.Config{Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/api/v1/", h)
	mux.HandleFunc("/settle", func(http.ResponseWriter, *http.Request) { late.wait() })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	srv := &http.Server{Handler: mux}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		srv.Close()
	}()
	if err := srv.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}
