package console

import (
	"testing"
	"time"
)

// A period that goes on is compared with as many days of the one before it, and one that
// is over with all of it.
func TestReportedAt(t *testing.T) {
	for _, tt := range []struct{ zone, now, name, want string }{
		{"UTC", "2026-03-31", "", "2026-03-01 2026-04-01 2026-02-01 2026-03-01"},
		{"UTC", "2026-03-05", "", "2026-03-01 2026-03-06 2026-02-01 2026-02-06"},
		{"UTC", "2026-01-01", "", "2026-01-01 2026-01-02 2025-12-01 2025-12-02"},
		{"UTC", "2026-01-31", "last-month", "2025-12-01 2026-01-01 2025-11-01 2025-12-01"},
		{"UTC", "2026-05-10", "quarter", "2026-04-01 2026-05-11 2026-01-01 2026-02-10"},
		{"UTC", "2026-06-30", "quarter", "2026-04-01 2026-07-01 2026-01-01 2026-04-01"},
		{"UTC", "2026-02-10", "last-quarter", "2025-10-01 2026-01-01 2025-07-01 2025-10-01"},
		{"UTC", "2024-12-31", "year", "2024-01-01 2025-01-01 2023-01-01 2024-01-01"},
		{"UTC", "2026-08-10", "last-year", "2025-01-01 2026-01-01 2024-01-01 2025-01-01"},
		{"Europe/Berlin", "2026-03-31", "", "2026-03-01 2026-04-01 2026-02-01 2026-03-01"},
		{"Europe/Berlin", "2026-10-31", "", "2026-10-01 2026-11-01 2026-09-01 2026-10-01"},
		{"Europe/Berlin", "2026-04-02", "quarter", "2026-04-01 2026-04-03 2026-01-01 2026-01-03"},
	} {
		zone, err := time.LoadLocation(tt.zone)
		if err != nil {
			t.Fatal(err)
		}
		now, err := time.ParseInLocation(time.DateOnly, tt.now, zone)
		if err != nil {
			t.Fatal(err)
		}
		r, known := reportedAt(tt.name, now.Add(22*time.Hour))
		got := ""
		for i, at := range []time.Time{r.from, r.to, r.fromBefore, r.toBefore} {
			if i > 0 {
				got += " "
			}
			got += at.Format(time.DateOnly)
		}
		if !known || got != tt.want {
			t.Errorf("%q on %s in %s: %s, want %s", tt.name, tt.now, tt.zone, got, tt.want)
		}
	}
	if _, known := reportedAt("days", time.Now()); known {
		t.Error("the days are typed")
	}
}

func TestChange(t *testing.T) {
	for _, tt := range []struct {
		is, was int64
		want    string
	}{{150, 100, "+50 %"}, {50, 100, "−50 %"}, {100, 100, "±0 %"}, {5, 0, ""}, {0, 10, "−100 %"}, {-10, 10, "−200 %"}, {5, -3, ""}, {1 << 60, 1 << 50, "+102,300 %"}} {
		if got := change(tt.is, tt.was); got != tt.want {
			t.Errorf("from %d to %d: %q, want %q", tt.was, tt.is, got, tt.want)
		}
	}
	if got := percent(1, 3) + percent(7, 2) + percent(1, 0); got != "33.3 %350.0 %–" {
		t.Error(got)
	}
}
