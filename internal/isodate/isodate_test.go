package isodate_test

import (
	"testing"
	"time"
	_ "time/tzdata" // so that the zones exist on every machine

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/internal/isodate"
)

func TestScan(t *testing.T) {
	day := time.Date(2026, 3, 11, 0, 0, 0, 0, time.UTC)
	for in, want := range map[string]time.Time{
		"2026-03-11":                     day,
		"2026-03-11T09:24:18Z":           day.Add(9*time.Hour + 24*time.Minute + 18*time.Second),
		"2026-03-11T09:24:18.442Z":       day.Add(9*time.Hour + 24*time.Minute + 18442*time.Millisecond),
		"2026-03-11T00:00:00.000000001Z": day.Add(1),
		"2026-03-11T01:30:00+01:30":      day,
		"2026-03-10T13:01:00-10:59":      day,
		"0001-01-01T00:00:00+23:59":      time.Date(0, 12, 31, 0, 1, 0, 0, time.UTC),
		"2024-02-29":                     time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC),
	} {
		got, plain, ok := isodate.Scan(in)
		if !ok || !got.Equal(want) || plain != (len(in) == len("2026-03-11")) {
			t.Errorf("%s: %v, %v, %v", in, got, plain, ok)
		}
	}
	for _, in := range []string{
		"", "2026-3-11", "2026-03-11 ", "2026-02-29", "2026-00-01", "2026-01-00", "2026-13-01", "20260311", "2026-03-11T", "2026-03-11T09:24Z",
		"2026-03-11T09:24:18", "2026-03-11t09:24:18Z", "2026-03-11 09:24:18Z", "2026-03-11T24:00:00Z", "2026-03-11T23:60:00Z", "2026-03-11T23:59:60Z",
		"2026-03-11T09:24:18.Z", "2026-03-11T09:24:18,5Z", "2026-03-11T09:24:18.1234567890Z", "2026-03-11T09:24:18z", "2026-03-11T09:24:18+24:00",
		"2026-03-11T09:24:18+0100", "2026-03-11T9:24:18Z", "2026-03-1１", "-026-03-11",
	} {
		if got, _, ok := isodate.Scan(in); ok {
			t.Errorf("%q is %v", in, got)
		}
	}
}

// TestAppend: the text is that of package time, and reads back.
func TestAppend(t *testing.T) {
	first := time.Date(isodate.MinYear, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	last := time.Date(isodate.MaxYear, 12, 31, 23, 59, 59, 999e6, time.UTC).UnixMilli()
	rapid.Check(t, func(t *rapid.T) {
		at := time.UnixMilli(rapid.Int64Range(first, last).Draw(t, "ms")).UTC()
		got := string(isodate.Append(nil, at))
		if want := at.Format(`"2006-01-02T15:04:05.000Z"`); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
		if back, plain, ok := isodate.Scan(got[1 : len(got)-1]); !ok || plain || !back.Equal(at) || !isodate.InRange(back) {
			t.Fatalf("%s is read as %v", got, back)
		}
	})
}

func TestInRange(t *testing.T) {
	for year, want := range map[int]bool{0: false, 1: true, 9999: true, 10000: false, -5: false} {
		if got := isodate.InRange(time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC)); got != want {
			t.Errorf("year %d: %v", year, got)
		}
	}
}

// TestDays: the first and the last millisecond of days on which the clock
// changes, of a day that a zone skipped, and of an ordinary day.
func TestDays(t *testing.T) {
	for _, tt := range []struct{ zone, day, first, last string }{
		{"UTC", "2026-03-11", "2026-03-11T00:00:00.000Z", "2026-03-11T23:59:59.999Z"},
		{"Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00.000Z", "2026-03-29T21:59:59.999Z"},
		{"Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00.000Z", "2026-10-25T22:59:59.999Z"},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00.000Z", "2018-11-05T01:59:59.999Z"}, // midnight skipped
		{"Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00.000Z", "2011-12-30T09:59:59.999Z"},      // the day skipped
	} {
		loc, err := time.LoadLocation(tt.zone)
		if err != nil {
			t.Fatal(err)
		}
		midnight, _, _ := isodate.Scan(tt.day)
		const layout = "2006-01-02T15:04:05.000Z"
		first, last := isodate.FirstFrom(midnight, loc).Format(layout), isodate.LastBefore(midnight.AddDate(0, 0, 1), loc).Format(layout)
		if first != tt.first || last != tt.last {
			t.Errorf("%s in %s: %s to %s, want %s to %s", tt.day, tt.zone, first, last, tt.first, tt.last)
		}
	}
}
