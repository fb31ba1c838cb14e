package isodate

import "time"

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
