package delivery

// MaxEndpoints is the largest number of endpoints of a program, because every
// event walks all of them.
const MaxEndpoints = 50
