// Package isodate reads and writes dates as ISO 8601 and RFC 3339 have them, and
// finds the ends of days.
package isodate

import (
	"time"
)

// LastBefore returns the last millisecond in loc whose wall clock shows less
// than wall, a wall clock written in UTC. It goes back over the changes of
// loc's offset: time.Date does not promise which side it takes when wall is
// skipped or comes twice.
func LastBefore(wall time.Time, loc *time.Location) time.Time {
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

// FirstFrom returns the first instant in loc whose wall clock shows wall or
// more. On the last day of a leap year after 2037 ZoneBounds has an end that is
// over, in zones with summer time (seen in Go 1.26): the offset goes on then.
func FirstFrom(wall time.Time, loc *time.Location) time.Time {
	t := wall.Add(-maxShift).In(loc)
	for {
		start, end := t.ZoneBounds()
		first := onClock(wall, t)
		if !start.IsZero() && first.Before(start) {
			first = start
		}
		if end.IsZero() || !end.After(t) || first.Before(end) {
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

const (
	MinYear = 1
	MaxYear = 9999
)

const plainLayout = "2006-01-02"

// InRange reports whether an instant lies in the years that a date can show.
func InRange(t time.Time) bool {
	year := t.UTC().Year()
	return MinYear <= year && year <= MaxYear
}

// Scan reads an RFC 3339 date-time with a zone and at most nine fraction digits,
// or a plain date, which is its midnight in UTC. Package time accepts more
// (one-digit hours, a comma, +24:00). The instant may lie outside the years 1 to
// 9999 by its offset.
func Scan(s string) (t time.Time, plain, ok bool) {
	if len(s) < len(plainLayout) {
		return t, false, false
	}
	day, ok := scanDay(s[:len(plainLayout)])
	if !ok {
		return t, false, false
	}
	s = s[len(plainLayout):]
	if s == "" {
		return day, true, true
	}

	const clock = len("T15:04:05")
	if len(s) < clock || s[0] != 'T' {
		return t, false, false
	}
	ofDay, ok := scanClock(s[1:clock])
	if !ok {
		return t, false, false
	}
	fraction, zone, ok := scanFraction(s[clock:])
	if !ok {
		return t, false, false
	}
	offset, ok := scanOffset(zone)
	return day.Add(ofDay + fraction - offset), false, ok
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

// digitsEnd returns the offset behind the digits that start at i.
func digitsEnd(s string, i int) int {
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return i
}

// Append appends an instant in UTC as a JSON string with three fraction digits.
// The year must be from 1 to 9999.
func Append(dst []byte, t time.Time) []byte {
	// By hand: an answer holds a dozen instants, and AppendFormat reads its
	// layout anew for each.
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	milli := t.Nanosecond() / int(time.Millisecond)
	return append(dst, '"',
		digit(year/1000), digit(year/100), digit(year/10), digit(year), '-',
		digit(int(month)/10), digit(int(month)), '-', digit(day/10), digit(day), 'T',
		digit(hour/10), digit(hour), ':', digit(minute/10), digit(minute), ':', digit(second/10), digit(second), '.',
		digit(milli/100), digit(milli/10), digit(milli), 'Z', '"')
}

// digit returns the last digit of n.
func digit(n int) byte { return '0' + byte(n%10) }
