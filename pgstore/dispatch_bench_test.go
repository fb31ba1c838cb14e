package pgstore_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/webhooks"
)

const (
	postEndpoints = 10
	postWorkers   = 4 * postEndpoints // how many requests the engine allows at once
	postEvents    = 100               // to each endpoint in a round
)

// BenchmarkDispatch delivers events to ten endpoints on loopback, and posts as
// many bodies to them by hand with the same concurrency, in turns. ratio is the
// throughput with claiming, signing and settling, divided by that of the bare
// posts.
func BenchmarkDispatch(b *testing.B) {
	y := newYard(b, 1, pgstore.Config{Group: 64})
	open := affiliate.AddressPolicy{AllowHTTP: true, AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	sender := &webhooks.Sender{Addresses: open}
	p := must(tributary.New(y.store, tributary.Config{ID: uuid.Must(uuid.NewV7()), Name: "Northwind Beans", Addresses: open}))
	sender.Outbox = p.Webhooks()
	var urls []string
	for range postEndpoints {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusNoContent)
		}))
		b.Cleanup(srv.Close)
		urls = append(urls, srv.URL)
		must(p.Webhooks().CreateEndpoint(b.Context(), affiliate.EndpointParams{URL: srv.URL, Events: []affiliate.EventType{"*"}}))
	}
	people := 0
	join := func(n int) {
		for range n {
			people++
			must(p.CreateAffiliate(context.Background(), affiliate.AffiliateParams{FirstName: "Mara", LastName: "L", Email: fmt.Sprintf("mara%d@example.org", people)}))
		}
	}
	join(1)
	first := must(p.Webhooks().Deliveries(b.Context(), affiliate.DeliveryQuery{}, affiliate.Page{})).Items[0]
	payload, _ := must(p.Webhooks().Delivery(b.Context(), first.ID)).Payload.Get()
	must(sender.Drain(b.Context()))
	var bare, sent time.Duration
	for b.Loop() {
		bare += postByHand(b, urls, payload)
		join(postEvents)
		began := time.Now()
		if n := must(sender.Drain(b.Context())); n != postEvents*postEndpoints {
			b.Fatalf("%d settled", n)
		}
		sent += time.Since(began)
	}
	total := float64(b.N * postEvents * postEndpoints)
	b.ReportMetric(total/sent.Seconds(), "sent/s")
	b.ReportMetric(total/bare.Seconds(), "bare/s")
	b.ReportMetric(float64(bare)/float64(sent), "ratio")
}

// postByHand posts a body to each URL, postEvents times, from postWorkers
// goroutines.
func postByHand(b *testing.B, urls []string, body []byte) time.Duration {
	b.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: postWorkers, DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	jobs := make(chan string)
	began := time.Now()
	var wg sync.WaitGroup
	for range postWorkers {
		wg.Go(func() {
			for url := range jobs {
				res, err := client.Post(url, "application/json", bytes.NewReader(body))
				if err != nil {
					b.Error(err)
					continue
				}
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		})
	}
	for range postEvents {
		for _, url := range urls {
			jobs <- url
		}
	}
	close(jobs)
	wg.Wait()
	return time.Since(began)
}
