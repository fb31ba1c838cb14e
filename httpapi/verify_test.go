package httpapi_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

const verifyPath = "/api/v1/verify"

// TestVerifyOverTheWire (console checks 5 and 19): books in order, a planted
// breach, and a hundred of 150.
func TestVerifyOverTheWire(t *testing.T) {
	w := newWorld(t)
	w.fill()
	type breach struct{ Invariant, Object, Detail string }
	type report struct {
		Holds           bool
		Records, TookMs int64
		Breaches        []breach
	}
	verify := func() (r report) {
		got := w.do("GET", verifyPath, "")
		if err := json.Unmarshal([]byte(got.body), &r); got.status != 200 || err != nil {
			t.Fatalf("%d %s: %v", got.status, got.body, err)
		}
		return r
	}
	fine := verify()
	if !fine.Holds || fine.Records == 0 || fine.Breaches == nil || len(fine.Breaches) > 0 {
		t.Errorf("books in order: %+v", fine)
	}
	plant := func(n int) {
		err := w.store.Store.Update(t.Context(), w.Config().ID, func(tx *record.Tx) error {
			for range n {
				if err := tx.Coupons.Insert(record.Coupon{ID: uuid.New(), Name: "planted"}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	plant(1)
	one := verify()
	broken := w.Verify(t.Context())
	if one.Holds || len(one.Breaches) == 0 || one.Records != fine.Records+1 {
		t.Fatalf("a planted coupon: %+v", one)
	}
	for _, b := range one.Breaches {
		if !strings.Contains(broken.Error(), "affiliate: "+b.Invariant+": "+b.Object+": "+b.Detail) {
			t.Errorf("%+v is not in %v", b, broken)
		}
	}
	plant(149)
	if many := verify(); many.Holds || len(many.Breaches) != 100 {
		t.Errorf("150 planted: %d breaches, holds %v", len(many.Breaches), many.Holds)
	}
	w.refuses("400 invalid_query: Unknown query parameter: limit [limit]", "GET", verifyPath+"?limit=1", "")
}

// A slowStore is a store whose Views wait.
type slowStore struct {
	record.Store
	reached chan struct{}
	wait    func(context.Context)
}

func (s slowStore) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	s.reached <- struct{}{}
	s.wait(ctx)
	return s.Store.View(ctx, id, fn)
}

// TestVerifyOneAtATime (console check 19): a second request is refused; a request
// that is given up ends the check and frees the place, and so does a panic.
func TestVerifyOneAtATime(t *testing.T) {
	reached := make(chan struct{}, 8)
	wait := func(ctx context.Context) { <-ctx.Done() }
	w := newWorld(t, func(s *setup) {
		inner := s.store
		s.store = slowStore{inner, reached, func(ctx context.Context) { wait(ctx) }}
	})
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		w.api.ServeHTTP(httptest.NewRecorder(), request("GET", verifyPath, "").WithContext(ctx))
	}()
	<-reached
	equal(t, "400 verify_running: A verification is running", w.do("GET", verifyPath, "").refusal())
	cancel()
	<-over
	wait = func(context.Context) { panic("store") }
	if got := w.do("GET", verifyPath, ""); got.status != 500 {
		t.Errorf("a panic is answered %d", got.status)
	}
	wait = func(context.Context) {}
	if got := w.do("GET", verifyPath, ""); got.status != 200 {
		t.Errorf("afterwards: %s", got.refusal())
	}
}

// TestVerifyOutlivesDeadlines (console check 19): an answer that takes longer
// than the deadlines of the server arrives whole, and other requests still have
// them.
func TestVerifyOutlivesDeadlines(t *testing.T) {
	const deadline = 40 * time.Millisecond
	w := newWorld(t, func(s *setup) {
		s.store = slowStore{s.store, make(chan struct{}, 8), func(ctx context.Context) {
			select {
			case <-time.After(4 * deadline):
			case <-ctx.Done():
			}
		}}
	})
	server := httptest.NewUnstartedServer(w.api)
	server.Config.WriteTimeout, server.Config.ReadTimeout = deadline, deadline
	server.Start()
	defer server.Close()
	get := func(path string) (string, error) {
		req := must(http.NewRequestWithContext(t.Context(), "GET", server.URL+path, nil))
		req.Header.Set("Authorization", "Bearer "+testKey)
		resp, err := server.Client().Do(req)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return string(body), err
	}
	if body, err := get(verifyPath); err != nil || !strings.HasPrefix(body, `{"holds":true,`) {
		t.Errorf("the check: %q, %v", body, err)
	}
	if body, err := get("/api/v1/commission-plans"); err == nil && body == "[]" {
		t.Error("a list has no deadline")
	}
}
