package serve

// For tests from outside.
const (
	DrainTime         = drainTime
	IdleTimeout       = idleTimeout
	Keep              = keep
	ReadHeaderTimeout = readHeaderTimeout
	ReadTimeout       = readTimeout
	WriteTimeout      = writeTimeout
)

var Policy = policy
