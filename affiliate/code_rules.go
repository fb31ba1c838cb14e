package affiliate

// The rules over a code's fields. Contract 2.2 and 3.4.

// Limits of the random part of a generated code.
const (
	DefaultRandomLength = 4
)
