package affiliate

import (
	"cmp"
	"encoding/json"
	"errors"
	"time"

	"github.com/tributary-go/tributary/internal/isodate"
)

// ErrDate means that a text is neither an RFC 3339 date-time with a zone nor a
// plain date, or that it lies outside the years 1 to 9999.
var ErrDate = errors.New("affiliate: not an ISO 8601 date in years 1 to 9999")

const (
	layoutPlain = "2006-01-02"
	layoutTime  = "2006-01-02T15:04:05.000Z"    // always three digits
	layoutDate  = "2006-01-02T15:04:05.999999Z" // as many digits as there are
)

// Time is an instant in a response: UTC, in whole milliseconds. The zero value
// is the zero time.Time. In JSON it is a string with three fraction digits,
// "2026-03-11T09:24:18.442Z".
//
// Source: docs/rules.md 1.5.
type Time struct{ t time.Time }

// TimeOf returns t in UTC, truncated to milliseconds.
func TimeOf(t time.Time) Time {
	t = t.UTC()
	return Time{t.Add(-time.Duration(t.Nanosecond() % int(time.Millisecond)))} // Truncate divides the whole instant
}

// Time returns the instant as a time.Time in UTC.
func (t Time) Time() time.Time { return t.t }

// IsZero reports whether t is the zero Time.
func (t Time) IsZero() bool { return t.t.IsZero() }

// Equal reports whether t and u are the same instant.
func (t Time) Equal(u Time) bool { return t.t.Equal(u.t) }

// String returns the instant as it stands in JSON, without the quotes.
func (t Time) String() string { return t.t.Format(layoutTime) }

// AppendJSON appends the instant as a JSON string to dst and returns the
// extended slice. The year must be from 1 to 9999.
func (t Time) AppendJSON(dst []byte) []byte {
	return isodate.Append(dst, t.t)
}

// MarshalJSON writes the instant as a JSON string. It returns ErrDate outside
// the years 1 to 9999.
func (t Time) MarshalJSON() ([]byte, error) {
	if !isodate.InRange(t.t) {
		return nil, ErrDate
	}
	return t.AppendJSON(nil), nil
}

// UnmarshalJSON reads an RFC 3339 date-time with any offset and cuts it to its
// millisecond; null changes nothing. It answers ErrDate for anything else, a
// plain date included.
func (t *Time) UnmarshalJSON(data []byte) error {
	d, ok, err := unmarshalDate(data)
	if err != nil || !ok {
		return err
	}
	if d.plain {
		return ErrDate
	}
	*t = TimeOf(d.t)
	return nil
}

// Date is a date in an input: an instant, or a whole day in the program's time
// zone. The zero value is no date. An instant is kept in UTC and cut to its
// microsecond.
//
// Source: docs/rules.md 1.6.
type Date struct {
	t     time.Time // a plain date: its midnight in UTC
	plain bool
}

// At returns the instant t as a Date.
func At(t time.Time) Date {
	return Date{t: t.UTC().Truncate(time.Microsecond)}
}

// Day returns a whole day. Values outside their ranges are carried over as
// time.Date does: 30 February is a day in March.
func Day(year int, month time.Month, day int) Date {
	return Date{t: time.Date(year, month, day, 0, 0, 0, 0, time.UTC), plain: true}
}

// ParseDate reads an RFC 3339 date-time with a zone,
// "2026-03-11T09:24:18.442Z", with at most nine fraction digits, or a plain
// date, "2026-03-11". It answers ErrDate for every other text, and for an
// instant outside the years 1 to 9999 in UTC.
func ParseDate(s string) (Date, error) {
	t, plain, ok := isodate.Scan(s)
	if !ok || !isodate.InRange(t) {
		return Date{}, ErrDate
	}
	if plain {
		return Date{t: t, plain: true}, nil
	}
	return At(t), nil
}

// Instant returns the date as an instant in UTC. For a plain date that is the
// last millisecond of the day in loc, even if the day does not have 24 hours;
// for a day that loc skipped, the last millisecond before it. It is never after
// the year 9999.
func (d Date) Instant(loc *time.Location) time.Time {
	if !d.plain {
		return d.t
	}
	last := isodate.LastBefore(d.t.AddDate(0, 0, 1), loc)
	if last.Year() > isodate.MaxYear {
		return time.Date(isodate.MaxYear, time.December, 31, 23, 59, 59, 999e6, time.UTC)
	}
	return last
}

// FirstInstant returns the date as an instant in UTC. For a plain date that is
// the first millisecond of the day in loc; for a day that loc skipped, the
// first millisecond after it. It is never before the year 1.
func (d Date) FirstInstant(loc *time.Location) time.Time {
	if !d.plain {
		return d.t
	}
	first := isodate.FirstFrom(d.t, loc)
	if first.Year() < isodate.MinYear {
		return time.Time{}
	}
	return first
}

// End returns the instant in UTC at which the date is over: for a plain date
// the first instant after its day in loc, for an instant the instant itself.
func (d Date) End(loc *time.Location) time.Time {
	if !d.plain {
		return d.t
	}
	end := d.Instant(loc)
	if next := end.Add(time.Millisecond); next.Year() <= isodate.MaxYear {
		return next
	}
	return end
}

// IsZero reports whether d is the zero Date, no date at all.
func (d Date) IsZero() bool { return !d.plain && d.t.IsZero() }

// Equal reports whether d and e are the same instant, or the same plain date. A
// plain date never equals an instant.
func (d Date) Equal(e Date) bool { return d.plain == e.plain && d.t.Equal(e.t) }

// String returns the date as ParseDate reads it: "2026-03-11", or
// "2026-03-11T09:24:18.442Z" with as many fraction digits as there are, six at
// most.
func (d Date) String() string {
	if d.plain {
		return d.t.Format(layoutPlain)
	}
	return d.t.Format(layoutDate)
}

// MarshalJSON writes String as a JSON string: a plain date stays plain. It
// answers ErrDate outside the years 1 to 9999.
func (d Date) MarshalJSON() ([]byte, error) {
	if !d.Valid() {
		return nil, ErrDate
	}
	return []byte(`"` + d.String() + `"`), nil
}

// UnmarshalJSON reads a JSON string as ParseDate does, with the same error;
// null changes nothing.
func (d *Date) UnmarshalJSON(data []byte) error {
	v, ok, err := unmarshalDate(data)
	if err != nil || !ok {
		return err
	}
	*d = v
	return nil
}

// Valid reports whether d lies in the years 1 to 9999, which At and Day do not
// check.
func (d Date) Valid() bool { return isodate.InRange(d.t) }

// unmarshalDate reads a JSON string; ok is false for null.
func unmarshalDate(data []byte) (d Date, ok bool, err error) {
	if string(data) == "null" {
		return Date{}, false, nil
	}
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return Date{}, false, ErrDate
	}
	d, err = ParseDate(s)
	return d, err == nil, err
}

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
