package affiliate

import (
	"encoding/json"
	"errors"
	"time"
)

// ErrDate says that a text is neither an RFC 3339 date-time with a zone nor a
// plain date, or that it lies outside the years 1 to 9999.
var ErrDate = errors.New("affiliate: not an ISO 8601 date in years 1 to 9999")

const (
	minYear = 1
	maxYear = 9999

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

// TimeOf returns t in UTC, cut to its millisecond.
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
	// By hand: an answer holds a dozen instants, and AppendFormat reads its
	// layout anew for each.
	year, month, day := t.t.Date()
	hour, minute, second := t.t.Clock()
	milli := t.t.Nanosecond() / int(time.Millisecond)
	return append(dst, '"',
		digit(year/1000), digit(year/100), digit(year/10), digit(year), '-',
		digit(int(month)/10), digit(int(month)), '-', digit(day/10), digit(day), 'T',
		digit(hour/10), digit(hour), ':', digit(minute/10), digit(minute), ':', digit(second/10), digit(second), '.',
		digit(milli/100), digit(milli/10), digit(milli), 'Z', '"')
}

// digit is the last digit of n.
func digit(n int) byte { return '0' + byte(n%10) }

// MarshalJSON writes the instant as a JSON string. It answers ErrDate outside
// the years 1 to 9999.
func (t Time) MarshalJSON() ([]byte, error) {
	if !yearsOK(t.t) {
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
	d, ok := scanDate(s)
	if !ok || !d.valid() {
		return Date{}, ErrDate
	}
	return d, nil
}

// Instant returns the date as an instant in UTC. For a plain date that is the
// last millisecond of the day in loc, however long the day is; of a day that
// loc skipped, the last one before it. It never leaves the year 9999.
func (d Date) Instant(loc *time.Location) time.Time {
	if !d.plain {
		return d.t
	}
	last := lastBefore(d.t.AddDate(0, 0, 1), loc)
	if last.Year() > maxYear {
		return time.Date(maxYear, time.December, 31, 23, 59, 59, 999e6, time.UTC)
	}
	return last
}

// FirstInstant returns the date as an instant in UTC. For a plain date that is
// the first millisecond of the day in loc; of a day that loc skipped, the first
// one after it. It never goes below the year 1.
func (d Date) FirstInstant(loc *time.Location) time.Time {
	if !d.plain {
		return d.t
	}
	first := firstFrom(d.t, loc)
	if first.Year() < minYear {
		return time.Time{}
	}
	return first
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
	if !d.valid() {
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

// valid reports whether d lies in the years 1 to 9999, which At and Day do not
// check.
func (d Date) valid() bool { return yearsOK(d.t) }

func yearsOK(t time.Time) bool {
	year := t.UTC().Year()
	return minYear <= year && year <= maxYear
}

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

// lastBefore returns the last millisecond in loc whose wall clock shows less
// than wall, a wall clock written in UTC. It goes back over the changes of
// loc's offset: time.Date does not promise which side it takes when wall is
// skipped or comes twice.
func lastBefore(wall time.Time, loc *time.Location) time.Time {
	t := wall.Add(maxShift).In(loc)
	var limit time.Time // where the offset looked at ends; zero for the first
	for {
		start, _ := t.ZoneBounds()
		end := onClock(wall, t)
		if !limit.IsZero() && limit.Before(end) {
			end = limit
		}
		last := end.Add(-time.Millisecond)
		if start.IsZero() || !last.Before(start) {
			return last.UTC()
		}
		limit, t = start, start.Add(-time.Nanosecond)
	}
}

// firstFrom returns the first instant in loc whose wall clock shows wall or
// more.
func firstFrom(wall time.Time, loc *time.Location) time.Time {
	t := wall.Add(-maxShift).In(loc)
	for {
		start, end := t.ZoneBounds()
		first := onClock(wall, t)
		if !start.IsZero() && first.Before(start) {
			first = start
		}
		if end.IsZero() || first.Before(end) {
			return first.UTC()
		}
		t = end
	}
}

// maxShift is more than any zone is away from UTC.
const maxShift = 48 * time.Hour

// onClock returns the instant at which a clock with the offset of t shows wall.
func onClock(wall, t time.Time) time.Time {
	_, offset := t.Zone()
	return wall.Add(-time.Duration(offset) * time.Second)
}

// scanDate reads the grammar of ParseDate. Package time accepts more (one-digit
// hours, a comma, +24:00).
func scanDate(s string) (d Date, ok bool) {
	if len(s) < len(layoutPlain) {
		return d, false
	}
	day, ok := scanDay(s[:len(layoutPlain)])
	if !ok {
		return d, false
	}
	s = s[len(layoutPlain):]
	if s == "" {
		return Date{t: day, plain: true}, true
	}

	const clock = len("T15:04:05")
	if len(s) < clock || s[0] != 'T' {
		return d, false
	}
	ofDay, ok := scanClock(s[1:clock])
	if !ok {
		return d, false
	}
	fraction, zone, ok := scanFraction(s[clock:])
	if !ok {
		return d, false
	}
	offset, ok := scanOffset(zone)
	return At(day.Add(ofDay + fraction - offset)), ok
}

// scanDay reads "2026-03-11" as its midnight in UTC.
func scanDay(s string) (day time.Time, ok bool) {
	century, ok1 := twoDigits(s[0:], 99)
	year, ok2 := twoDigits(s[2:], 99)
	month, ok3 := twoDigits(s[5:], 12)
	n, ok4 := twoDigits(s[8:], 31)
	if !ok1 || !ok2 || !ok3 || !ok4 || s[4] != '-' || s[7] != '-' {
		return day, false
	}
	day = time.Date(century*100+year, time.Month(month), n, 0, 0, 0, 0, time.UTC)
	return day, day.Month() == time.Month(month) // not so for 30 February, nor for a month or day of 00
}

// scanClock reads "15:04:05" as the time since midnight.
func scanClock(s string) (d time.Duration, ok bool) {
	hours, ok1 := twoDigits(s[0:], 23)
	minutes, ok2 := twoDigits(s[3:], 59)
	seconds, ok3 := twoDigits(s[6:], 59)
	d = time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute + time.Duration(seconds)*time.Second
	return d, ok1 && ok2 && ok3 && s[2] == ':' && s[5] == ':'
}

// scanFraction reads an optional point with one to nine digits and returns what
// follows.
func scanFraction(s string) (d time.Duration, rest string, ok bool) {
	if s == "" || s[0] != '.' {
		return 0, s, true
	}
	end := digitsEnd(s, 1)
	if end < 2 || end > 10 {
		return 0, "", false
	}
	unit := time.Second
	for _, c := range []byte(s[1:end]) {
		unit /= 10
		d += time.Duration(c-'0') * unit
	}
	return d, s[end:], true
}

// scanOffset reads "Z" or "+02:00".
func scanOffset(s string) (d time.Duration, ok bool) {
	if s == "Z" {
		return 0, true
	}
	if len(s) != len("+02:00") || s[3] != ':' {
		return 0, false
	}
	hours, ok1 := twoDigits(s[1:], 23)
	minutes, ok2 := twoDigits(s[4:], 59)
	d = time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if s[0] == '-' {
		d = -d
	}
	return d, ok1 && ok2 && (s[0] == '+' || s[0] == '-')
}

// twoDigits reads the two digits that s starts with, up to limit.
func twoDigits(s string, limit int) (n int, ok bool) {
	if digitsEnd(s[:2], 0) != 2 {
		return 0, false
	}
	n = int(s[0]-'0')*10 + int(s[1]-'0')
	return n, n <= limit
}
