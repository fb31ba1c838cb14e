package affiliate_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
)

// An instant of a record is a time.Time in UTC, truncated to microseconds: with
// the same order, the same arithmetic and the same JSON.
func TestInstant(t *testing.T) {
	const last = 253402300799 // the last second of the year 9999
	rapid.Check(t, func(t *rapid.T) {
		whole := func(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
		draw := func(name string) time.Time {
			zone := time.FixedZone("", rapid.IntRange(-12*3600, 12*3600).Draw(t, "zone"))
			sec := rapid.Int64Range(time.Time{}.Unix(), last).Draw(t, name)
			return time.Unix(sec, rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).In(zone)
		}
		x, y := draw("x"), draw("y")
		i, j := affiliate.InstantOf(x), affiliate.InstantOf(y)
		x, y = whole(x), whole(y)
		if i.Time() != x || i.IsZero() != x.IsZero() || i.Before(j) != x.Before(y) || i.After(j) != x.After(y) ||
			i.Equal(j) != x.Equal(y) || i.Compare(j) != x.Compare(y) || i.Sub(j) != x.Sub(y) {
			t.Fatalf("%v and %v, want as %v and %v", i, j, x, y)
		}
		d := time.Duration(rapid.Int64Range(-math.MaxInt64/1000, math.MaxInt64/1000).Draw(t, "d")) * time.Microsecond
		if got := i.Add(d); got.Time() != x.Add(d) {
			t.Fatalf("%v + %v = %v", i, d, got)
		}
		if got := i.Truncate(time.Hour); got.Time() != x.Truncate(time.Hour) {
			t.Fatalf("%v truncated is %v", i, got)
		}
		want, err1 := json.Marshal(x)
		raw, err2 := json.Marshal(i)
		var back affiliate.Instant
		if err := json.Unmarshal(raw, &back); err1 != nil || err2 != nil || err != nil || string(raw) != string(want) || back != i {
			t.Fatalf("%s, want %s; back %v; %v, %v, %v", raw, want, back, err1, err2, err)
		}
	})
	for _, far := range []int64{math.MinInt64, math.MaxInt64} {
		if got := affiliate.InstantOf(time.Unix(far, 0)); got.Before(affiliate.Instant{}) != (far < 0) {
			t.Errorf("the time %d is %v", far, got)
		}
	}
	if err := new(affiliate.Instant).UnmarshalJSON([]byte(`"yesterday"`)); err == nil {
		t.Error("yesterday is an instant")
	}
}
