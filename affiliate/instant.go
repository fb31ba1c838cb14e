package affiliate

import (
	"cmp"
	"time"
)

// An Instant is a point in time in a stored record: UTC, in whole microseconds.
// It is one number, because programs keep millions of records. The zero Instant
// is the zero time.Time and means "none". In JSON it is an RFC 3339 date-time as
// time.Time writes it, "2026-03-11T09:24:18.442001Z".
//
// Source: docs/rules.md 1.5.
type Instant struct{ micros int64 } // since the zero time.Time

// unixStart is the Unix time of the zero Instant, in seconds.
const unixStart = -62135596800

// farthest is the number of seconds from the Unix time that an Instant can
// always hold: 285,000 years.
const farthest = 9e12

// InstantOf returns t, truncated to microseconds. A time too far away becomes
// the farthest one.
func InstantOf(t time.Time) Instant {
	seconds := min(max(t.Unix(), -farthest), farthest)
	return Instant{(seconds-unixStart)*1e6 + int64(t.Nanosecond()/1e3)}
}

// Time returns the instant as a time.Time in UTC.
func (i Instant) Time() time.Time {
	return time.Unix(i.micros/1e6+unixStart, i.micros%1e6*1e3).UTC()
}

// IsZero reports whether i is the zero Instant.
func (i Instant) IsZero() bool { return i == Instant{} }

// Equal reports whether i and j are the same instant. So does ==.
func (i Instant) Equal(j Instant) bool { return i == j }

// Before reports whether i is before j.
func (i Instant) Before(j Instant) bool { return i.micros < j.micros }

// After reports whether i is after j.
func (i Instant) After(j Instant) bool { return i.micros > j.micros }

// Add returns the instant d later, where d is truncated to microseconds.
func (i Instant) Add(d time.Duration) Instant { return Instant{i.micros + d.Microseconds()} }

// Sub returns the time from j to i. It has the limits of a time.Duration.
func (i Instant) Sub(j Instant) time.Duration { return i.Time().Sub(j.Time()) }

// Compare returns -1 when i is before j, 1 when it is after j, and else 0.
func (i Instant) Compare(j Instant) int { return cmp.Compare(i.micros, j.micros) }

// Truncate returns the instant rounded down to a multiple of d since the zero
// Instant.
func (i Instant) Truncate(d time.Duration) Instant { return InstantOf(i.Time().Truncate(d)) }

// String returns the instant as it stands in JSON, without the quotes.
func (i Instant) String() string { return i.Time().Format(time.RFC3339Nano) }

// MarshalJSON writes the instant as time.Time does. Like time.Time, it returns
// an error after the year 9999.
func (i Instant) MarshalJSON() ([]byte, error) { return i.Time().MarshalJSON() }

// UnmarshalJSON reads what MarshalJSON writes; null changes nothing.
func (i *Instant) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	var t time.Time
	if err := t.UnmarshalJSON(data); err != nil {
		return err
	}
	*i = InstantOf(t)
	return nil
}
