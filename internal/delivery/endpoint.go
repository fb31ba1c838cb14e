package delivery

// MaxEndpoints bounds the endpoints of a program: every event looks at all.
const MaxEndpoints = 50
