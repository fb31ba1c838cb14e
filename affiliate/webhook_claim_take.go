package affiliate

// The classes of failed attempts, as [DeliveryAttempt] shows them. An answer
// with a status other than 2xx and 3xx has no class: its status says it.
const (
	FailedTimeout        = "timeout"         // no answer in time
	FailedDNS            = "dns"             // the host has no address
	FailedTLS            = "tls"             // no trusted connection
	FailedConnection     = "connection"      // refused, reset, or an answer that is no HTTP
	FailedRedirect       = "redirect"        // 3xx; never followed
	FailedBlockedAddress = "blocked_address" // the host's address may not be called
	FailedBlockedURL     = "blocked_url"     // the URL is not accepted any more; not retried
	FailedSecret         = "secret"          // Config.Open failed, or the secret cannot sign
	FailedNoSender       = "no_sender"       // a test without Config.Send
	FailedBusy           = "busy"            // a test that got no slot in time: nothing was sent
	FailedInternal       = "internal"        // a panic on this side
)
