package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/httpapi"
)

// ordinaryVisit is what a script in a browser sends.
const ordinaryVisit = `{"programId":"` + siteID + `","referralCode":"mara","uniqueClick":true,` +
	`"fullLandingUrl":"https://beans.example/shop?ref=mara&utm_source=news","documentReferrer":"https://blog.example/post",` +
	`"userAgent":"Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/139.0","deviceId":"d-0197c2f01a2b7c3d"}`

// costlyVisits are accepted bodies of the greatest length. Each is made to take
// as much time as possible.
func costlyVisits() map[string]string {
	fill := func(head, tail string, piece func(i int) string) string {
		b := strings.Builder{}
		b.WriteString(head)
		for i := 0; ; i++ {
			p := piece(i)
			if b.Len()+len(p)+len(tail) > trackLimit {
				break
			}
			b.WriteString(p)
		}
		return b.String() + tail
	}
	start := `{"programId":"` + siteID + `","referralCode":"mara"`
	always := func(s string) func(int) string { return func(int) string { return s } }
	return map[string]string{
		"names":    fill(start, "}", func(i int) string { return fmt.Sprintf(`,"%s":1`, short(i)) }),
		"objects":  fill(start+`,"x":[{}`, "]}", always(",{}")),
		"nested":   fill(start+`,"x":[0`, "]}", always(","+strings.Repeat("[", 29)+strings.Repeat("]", 29))),
		"numbers":  fill(start+`,"x":[0`, "]}", always(",1")),
		"escapes":  fill(start+`,"deviceId":"`, `"}`, always(`\u0041`)),
		"landing":  fill(start+`,"fullLandingUrl":"https://a.example/?`, `"}`, always("a&")),
		"utm":      fill(start+`,"fullLandingUrl":"https://a.example/?`, `"}`, func(i int) string { return fmt.Sprintf("utm_%s&", short(i)) }),
		"percent":  fill(start+`,"documentReferrer":"https://a.example/`, `"}`, always("%41")),
		"referrer": fill(start+`,"documentReferrer":"https://a.example/?`, `"}`, always("utm_a=%41&")),
		"slug":     fill(`{"programId":"`+siteID+`","referralCode":"`, `"}`, always("m")),
		"spaces":   fill(start, "}", always(" ")),
	}
}

// short is the i-th short name.
func short(i int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	s := ""
	for i++; i > 0; i /= len(letters) {
		s += string(letters[i%len(letters)])
	}
	return s
}

// BenchmarkTracking is P24: the processor time of costly requests of add-click,
// against an ordinary one. x-floor is the ratio in the handler alone,
// x-loopback the ratio over a connection whose other end does as little as
// possible.
func BenchmarkTracking(b *testing.B) {
	s := newSite(b)
	h := httpapi.Tracking(s.find, httpapi.Config{})
	alone := func(body string) func(n int) {
		r := click(body)
		w, reader := &sink{header: http.Header{}}, strings.NewReader("")
		r.Body = io.NopCloser(reader)
		return func(n int) {
			for range n {
				reader.Reset(body)
				clear(w.header)
				w.status = 0
				if h.ServeHTTP(w, r); w.status != http.StatusOK {
					b.Fatalf("status %d", w.status)
				}
			}
		}
	}
	srv := httptest.NewServer(h)
	defer srv.Close()
	conn := must(net.Dial("tcp", srv.Listener.Addr().String()))
	defer conn.Close()
	replies := bufio.NewReader(conn)
	wired := func(body string) func(n int) {
		sent := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", clickPath, len(body), body)
		must(conn.Write(sent))
		first := must(http.ReadResponse(replies, nil))
		brackets := strings.Count(string(must(io.ReadAll(first.Body))), "}")
		return func(n int) {
			_ = conn.SetDeadline(time.Now().Add(time.Minute)) // an answer with fewer brackets must not hang the benchmark
			for range n {
				must(conn.Write(sent))
				for range brackets { // the answer ends with the last one
					must(replies.ReadSlice('}'))
				}
			}
		}
	}
	for _, name := range sortedKeys(costlyVisits()) {
		b.Run(name, func(b *testing.B) {
			body := costlyVisits()[name]
			versus(b, 500, alone(ordinaryVisit), alone(body))
			b.ReportMetric(processor.Ratio(200, wired(ordinaryVisit), wired(body)), "x-loopback")
		})
	}
}
