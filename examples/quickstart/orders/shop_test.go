package orders

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/memstore"
)

// played runs the year later than the file says.
func played(t *testing.T, later time.Duration) *Shop {
	t.Helper()
	shop, err := New(memstore.New(), Config())
	if err != nil {
		t.Fatal(err)
	}
	shop.Later = later
	if err := shop.Run(t.Context(), bytes.NewReader(Year), func(int) {}); err != nil {
		t.Fatal(err)
	}
	if err := shop.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	return shop
}

// TestLater: a year that is moved by whole days goes as the year of the file, and
// ends as many days later.
func TestLater(t *testing.T) {
	asWritten := played(t, 0)
	if !asWritten.Now.Equal(YearEnd) {
		t.Errorf("the year ends at %v, not at %v", asWritten.Now, YearEnd)
	}
	for _, days := range []time.Duration{1, 327, 1000} {
		moved := played(t, days*24*time.Hour)
		if !moved.Now.Equal(YearEnd.Add(days * 24 * time.Hour)) {
			t.Errorf("%d days later it ends at %v", days, moved.Now)
		}
		if diff := cmp.Diff(asWritten.Outcomes, moved.Outcomes); diff != "" {
			t.Errorf("%d days later (-as written +moved):\n%s", days, diff)
		}
		if diff := cmp.Diff(asWritten.Refused, moved.Refused); diff != "" || len(moved.Unused) != len(asWritten.Unused) {
			t.Errorf("%d days later: unused %q, not %q; refused (-as written +moved):\n%s", days, moved.Unused, asWritten.Unused, diff)
		}
	}
}
