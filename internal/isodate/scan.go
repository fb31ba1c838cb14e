// Package isodate reads and writes dates as ISO 8601 and RFC 3339 have them, and
// finds the ends of days.
package isodate

import "time"

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
