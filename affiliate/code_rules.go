package affiliate

// The rules over a code's fields. Contract 2.2 and 3.4.

// DefaultRandomLength is how long the random part of a generated code is when nobody says.
const DefaultRandomLength = 4
