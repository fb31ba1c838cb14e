package affiliate

// The rules over a code's fields. Contract 2.2 and 3.4.

// DefaultRandomLength is the length of the random part of a generated code when none is
// given.
const DefaultRandomLength = 4
