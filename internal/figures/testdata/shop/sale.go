// Package shop has one of each thing that the figures count.
package shop

// Sale is a noun whose file leads to one of its operations.
type Sale struct{ refund refund }

// Odd and even need each other.
func odd(n int) bool { return n != 0 && even(n-1) }

func even(n int) bool { return n == 0 || odd(n-1) }
