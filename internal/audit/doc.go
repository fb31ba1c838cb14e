// Package audit recomputes the books from the records alone. A rule is written here a
// second time, on purpose: no rule that computes money comes from another room.
package audit
