package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// readyWait is the time after which a store that does not answer makes the server
// not ready.
const readyWait = time.Second

// Health answers the probes of whatever starts the server and sends it requests:
//
//   - GET /healthz: 200 "ok" as long as the process answers at all. A probe that
//     fails means: start it again.
//   - GET /readyz: 200 when every store answers within a second, and takes writes,
//     503 when one does not, and from the moment on at which Stopping is closed. A
//     probe that fails means: send requests elsewhere.
//
// Both answers show no data of a program. Late deliveries are shown by /readyz,
// but they do not make a server unready: it is not better at them without its
// requests.
type Health struct {
	Programs []*tributary.Program
	Stopping <-chan struct{} // as ctx.Done() of Until; nil: never

	// Store is where the programs are. Each probe writes a receipt and deletes it, in a
	// program that has affiliates: a full or read-only disk answers reads. Nil: nothing is
	// written.
	Store record.Store
}

// A readiness is the answer of /readyz.
type readiness struct {
	Ready         bool    `json:"ready"`
	Stopping      bool    `json:"stopping"`
	Checks        []check `json:"checks"`
	DeliveryLagMS int64   `json:"deliveryLagMs"` // the age of the oldest delivery that is due
}

// A check is one store that was asked.
type check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	TookMS int64  `json:"tookMs"`
}

// ServeHTTP answers a probe.
func (h Health) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.URL.Path == "/healthz" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("ok\n"))
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	now := h.look(r.Context())
	if !now.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(now)
}

// look asks every store.
func (h Health) look(ctx context.Context) readiness {
	now := readiness{Ready: true, Checks: []check{}}
	select {
	case <-h.Stopping:
		now.Ready, now.Stopping = false, true
	default:
	}
	for _, p := range h.Programs {
		c, lag := h.ask(ctx, p)
		now.Checks = append(now.Checks, c)
		now.Ready = now.Ready && c.OK
		now.DeliveryLagMS = max(now.DeliveryLagMS, lag.Milliseconds())
	}
	return now
}

// ask asks the store of a program whether it can be used.
func (h Health) ask(ctx context.Context, p *tributary.Program) (check, time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, readyWait)
	defer cancel()
	start := time.Now()
	err := p.Ping(ctx)
	if err == nil && h.Store != nil {
		err = write(ctx, h.Store, p.Config().ID)
	}
	c := check{Name: "store of " + p.Config().ID.String(), OK: err == nil && ctx.Err() == nil,
		TookMS: time.Since(start).Milliseconds()}
	if !c.OK {
		return c, 0
	}
	lag, err := p.Webhooks().Backlog(ctx)
	if err != nil {
		return c, 0 // the store answers; the next probe asks again
	}
	return c, lag
}

// write writes into a program that has affiliates, and takes it back. A program that has
// none may be about to arrive from another place, and is left alone.
func write(ctx context.Context, store record.Store, program uuid.UUID) error {
	begun := false
	err := store.View(ctx, program, func(tx *record.Tx) (err error) {
		begun = false
		for _, err = range tx.Affiliates.List(record.Query{Limit: 1}) {
			begun = err == nil
		}
		return err
	})
	if err != nil || !begun {
		return err
	}
	id := uuid.Must(uuid.NewV7())
	rec := record.Receipt{ID: id, Key: "probe " + id.String(), CreatedAt: affiliate.InstantOf(time.Now())}
	put := store.Update(ctx, program, func(tx *record.Tx) error { return tx.Receipts.Insert(rec) })
	if put != nil {
		return put
	}
	return store.Update(ctx, program, func(tx *record.Tx) error { return tx.Receipts.Delete(id) })
}
