package affiliate

import (
	"net/netip"

	"github.com/tributary-go/tributary/internal/netrange"
)

// An AddressPolicy says which endpoint URLs are accepted and which addresses
// may be called. The zero policy requires https and refuses every address that
// is not on the public internet. The engine checks URLs with it, and does not
// resolve names. The sender checks every address that it dials.
type AddressPolicy struct {
	AllowHTTP     bool           // accept http URLs and port 80; for tests and closed networks
	AllowNetworks []netip.Prefix // ranges that are open although they are not public; Allows lists what stays closed
}

// Allows reports whether an address may be called. An IPv4 address inside an IPv6
// one (mapped, or behind NAT64) counts as itself, a zone is ignored, and the
// zero Addr is refused.
//
// AllowNetworks opens ranges that are not public. The addresses at which cloud
// machines get their credentials are refused in every case: 169.254.0.0/16,
// 168.63.129.16, 100.100.100.200, 192.0.0.192, fe80::/10, fd20:ce::254 and
// fd00:ec2::/32, also in every form that a translator or a tunnel would send
// there: mapped, compatible and translated addresses, NAT64, 6to4, Teredo and
// ISATAP. The policy cannot know a NAT64 prefix of the host's own network; that
// network must refuse them itself.
//
// Source: docs/webhooks.md 6.
func (a AddressPolicy) Allows(addr netip.Addr) bool {
	return netrange.Allowed(addr, a.AllowNetworks)
}
