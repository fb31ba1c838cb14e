package adapter_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/pay/adapter"
)

var (
	form = adapter.TimedHMAC{Header: "Some-Signature", Time: "t", Signature: "v1", Separator: ",", Joint: "."}
	now  = time.Unix(1767225600, 0)
)

const vector = "45b40331de0325606dc5400202ade162460fbe48daf9401adfdcd0d7b4f35470"

// verify checks a header with a time by one secret.
func verify(header string, body []byte, secret string) error {
	return form.Scheme(adapter.Secrets{secret}, 0).Verify(http.Header{"Some-Signature": {header}}, body, now)
}

// TestVector: a signature that was computed by another program (openssl dgst
// -sha256 -hmac).
func TestVector(t *testing.T) {
	want := "t=1767225600,v1=" + vector
	if got := form.Sign("whsec_test", now, []byte(`{"id":"evt_1"}`)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if err := verify(want, []byte(`{"id":"evt_1"}`), "whsec_test"); err != nil {
		t.Error(err)
	}
}

// TestTolerance: another tolerance counts in both directions, and only in whole
// seconds.
func TestTolerance(t *testing.T) {
	body := []byte("{}")
	for _, row := range []struct {
		age  time.Duration
		want error
	}{{time.Second, nil}, {-time.Second, nil}, {2 * time.Second, adapter.ErrSignature}, {-2 * time.Second, adapter.ErrSignature}} {
		h := http.Header{"Some-Signature": {form.Sign("s", now.Add(-row.age), body)}}
		err := form.Scheme(adapter.Secrets{"s"}, time.Second).Verify(h, body, now.Add(999*time.Millisecond))
		if !errors.Is(err, row.want) {
			t.Errorf("%s: %v", row.age, err)
		}
	}
}

// TestSameTime: a signature that is wrong in its first character takes as long as
// one that is wrong in its last. Welch's t of both stays small; a comparison that
// stops at the first difference is far above it.
func TestSameTime(t *testing.T) {
	body := []byte("{}")
	right := form.Sign("s", now, body)
	first, end := wrongAt(right, len(right)-64), wrongAt(right, len(right)-1)
	// Noise of the machine can only raise the value, so the lowest of some tries
	// counts.
	low := math.Inf(1)
	for range 10 {
		if low = min(low, math.Abs(welch(
			func() { _ = verify(first, body, "s") }, func() { _ = verify(end, body, "s") },
		))); low < 5 {
			return
		}
	}
	t.Errorf("|t| = %.1f", low)
}

func wrongAt(header string, i int) string {
	other := "0"
	if header[i] == '0' {
		other = "1"
	}
	return header[:i] + other + header[i+1:]
}

// welch compares the times of two functions that run in turns.
func welch(f, g func()) float64 {
	var times [2][]float64
	for i := range 20_000 {
		which := i % 2
		began := time.Now()
		if which == 0 {
			f()
		} else {
			g()
		}
		times[which] = append(times[which], float64(time.Since(began)))
	}
	m1, v1 := moments(times[0])
	m2, v2 := moments(times[1])
	return (m1 - m2) / math.Sqrt(v1/float64(len(times[0]))+v2/float64(len(times[1])))
}

// moments are mean and variance without the slowest tenth.
func moments(samples []float64) (mean, variance float64) {
	limit := quantile(samples, 0.9)
	n := 0.0
	for _, x := range samples {
		if x <= limit {
			mean += x
			n++
		}
	}
	mean /= n
	for _, x := range samples {
		if x <= limit {
			variance += (x - mean) * (x - mean)
		}
	}
	return mean, variance / (n - 1)
}

// quantile is near the value below which a part of the samples is.
func quantile(samples []float64, part float64) float64 {
	low, high := 0.0, samples[0]
	for _, x := range samples {
		high = max(high, x)
	}
	for range 60 {
		middle, below := (low+high)/2, 0
		for _, x := range samples {
			if x <= middle {
				below++
			}
		}
		if float64(below) < part*float64(len(samples)) {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// TestManySignatures: one right signature among ten is found at each place, and
// what surrounds it does not matter.
func TestManySignatures(t *testing.T) {
	body := []byte("{}")
	right := form.Sign("s", now, body)
	at, signature, _ := strings.Cut(right, ",")
	random := rand.New(rand.NewPCG(3, 4))
	for place := range 10 {
		items := []string{at, "v0=" + signature[3:]}
		for i := range 10 {
			item := "v1=" + strings.Repeat("f", 64)
			if i == place {
				item = signature
			}
			items = append(items, item)
		}
		random.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		if err := verify(strings.Join(items, ","), body, "s"); err != nil {
			t.Errorf("place %d: %v", place, err)
		}
	}
	if err := verify(right, bytes.ToUpper([]byte("{a}")), "s"); !errors.Is(err, adapter.ErrSignature) {
		t.Errorf("another body: %v", err)
	}
}
