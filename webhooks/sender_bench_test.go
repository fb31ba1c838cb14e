package webhooks_test

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
)

const (
	benchEndpoints = 10
	benchWorkers   = 4 * benchEndpoints // how many requests the engine allows at once
)

// BenchmarkDispatch delivers events to ten endpoints on loopback, and posts as
// many bodies to them in a bare loop with the same concurrency. ratio is the
// throughput with claiming, signing and settling, divided by that of the bare
// loop.
func BenchmarkDispatch(b *testing.B) {
	events := 10_000
	if testing.Short() {
		events = 100
	}
	var urls []string
	var payload []byte
	p := newPost(b, func(c *tributary.Config) { c.OnNotice = nil })
	p.sender.Now = time.Now
	for range benchEndpoints {
		s := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusNoContent)
		})
		srv := newPlainServer(b, s)
		urls = append(urls, srv)
		p.hook(srv)
	}
	p.join(1)
	d := must(p.Webhooks().Delivery(b.Context(), p.deliveries()[0].ID))
	payload, _ = d.Payload.Get()
	p.drain()
	var bare, sent time.Duration
	for b.Loop() {
		bare += postAll(b, urls, payload, events)
		p.join(events)
		started := time.Now()
		if n := p.drain(); n != events*benchEndpoints {
			b.Fatalf("%d settled", n)
		}
		sent += time.Since(started)
	}
	total := float64(b.N * events * benchEndpoints)
	b.ReportMetric(total/sent.Seconds(), "sent/s")
	b.ReportMetric(total/bare.Seconds(), "bare/s")
	b.ReportMetric(float64(bare)/float64(sent), "ratio")
	p.verify()
}

// postAll posts n bodies to each URL from benchWorkers goroutines.
func postAll(b *testing.B, urls []string, body []byte, n int) time.Duration {
	b.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: benchWorkers, DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	jobs := make(chan string)
	started := time.Now()
	var wg sync.WaitGroup
	for range benchWorkers {
		wg.Go(func() {
			for url := range jobs {
				res, err := client.Post(url, "application/json", bytes.NewReader(body))
				if err != nil {
					b.Error(err)
					continue
				}
				io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		})
	}
	for range n {
		for _, url := range urls {
			jobs <- url
		}
	}
	close(jobs)
	wg.Wait()
	return time.Since(started)
}
