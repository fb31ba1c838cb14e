package affiliate

import "net/netip"

// maxURL is the longest endpoint URL, in bytes.
const maxURL = 2048

// An AddressPolicy says which endpoint URLs are accepted and which addresses
// may be called. The zero policy asks for https and refuses every address that
// is not on the public internet. The engine checks URLs with it, the sender
// every address that it dials: a name in a URL is not resolved here.
type AddressPolicy struct {
	AllowHTTP     bool           // accept http URLs and port 80; for tests and closed networks
	AllowNetworks []netip.Prefix // ranges that are open although they are not public; see Allows for what stays closed
}
