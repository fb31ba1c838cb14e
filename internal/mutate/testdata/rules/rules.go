// Package rules has a mutant of each kind. Its tests let two of them live.
package rules

// An Amount has a pair of methods.
type Amount int

func (a Amount) Add(b Amount) Amount { return a + b }
func (a Amount) Sub(b Amount) Amount { return a - b }

// Reached reports whether a limit is used up.
func Reached(limit, used int) bool { return limit > 0 && used >= limit }

// Any is a chain.
func Any(a, b, c bool) bool { return a || b || c }

// Left is what remains, and not less than nothing.
func Left(total, part Amount) Amount {
	left := total.Sub(part)
	if left < 0 {
		left = 0
	}
	return left
}

// Changed reports whether something is new.
func Changed(old, now string, forced bool) bool {
	if !forced && old == now {
		return false
	}
	return true
}

// Count counts without being looked at.
func Count(n *int) { *n++ }
