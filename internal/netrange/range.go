// Package netrange knows which network addresses are public, and reads IPv4
// addresses in every spelling that a resolver takes.
package netrange

import (
	"net/netip"
	"slices"
)

// Allowed reports whether an address is public, or in a range that was opened. An
// IPv4 address inside an IPv6 one (mapped, or behind NAT64) counts as itself, and
// a zone is ignored. The zero Addr is not allowed, nor is what no setting opens:
// link-local addresses, and services that hand out the credentials of a cloud
// machine.
func Allowed(addr netip.Addr, opened []netip.Prefix) bool {
	addr = addr.WithZone("").Unmap()
	if !addr.IsValid() || neverOpen(addr) {
		return false
	}
	if nat64().Contains(addr) {
		return Allowed(v4In(addr, lastFour()), opened)
	}
	within := func(p netip.Prefix) bool { return p.Contains(addr) }
	return slices.ContainsFunc(opened, within) || !slices.ContainsFunc(closedNetworks(), within)
}

// neverOpen reports whether an address without a zone, or one that is carried in
// it, is of what no setting opens.
func neverOpen(addr netip.Addr) bool {
	if slices.ContainsFunc(neverOpened(), func(p netip.Prefix) bool { return p.Contains(addr) }) {
		return true
	}
	return addr.Is6() && slices.ContainsFunc(carried(addr), neverOpen)
}

// neverOpened lists the link-local ranges and the services beyond them that
// clouds give to each of their machines.
func neverOpened() []netip.Prefix {
	return []netip.Prefix{
		v4(169, 254, 0, 0, 16), v4(168, 63, 129, 16, 32), v4(100, 100, 100, 200, 32), v4(192, 0, 0, 192, 32),
		v6(0xfe80, 0, 0, 10), v6(0xfd00, 0xec2, 0, 32),
		netip.PrefixFrom(netip.AddrFrom16([16]byte{0: 0xfd, 1: 0x20, 3: 0xce, 14: 0x02, 15: 0x54}), 128),
	}
}

// carried lists the IPv4 addresses that an IPv6 address may stand for. Where the
// form leaves it open how long the prefix is, each possibility is in the list.
func carried(addr netip.Addr) []netip.Addr {
	raw := addr.As16()
	last := v4In(addr, lastFour())
	var all []netip.Addr
	switch {
	case v6(0, 0, 0, 64).Contains(addr): // compatible, and translated by SIIT
		all = append(all, last)
	case nat64().Contains(addr):
		all = append(all, last)
	case v6(0x64, 0xff9b, 1, 48).Contains(addr): // NAT64 of a local network, RFC 6052 and 8215
		all = append(all, last, v4In(addr, [4]int{6, 7, 9, 10}), v4In(addr, [4]int{7, 9, 10, 11}),
			v4In(addr, [4]int{9, 10, 11, 12}))
	case v6(0x2002, 0, 0, 16).Contains(addr): // 6to4
		all = append(all, v4In(addr, [4]int{2, 3, 4, 5}))
	case v6(0x2001, 0, 0, 32).Contains(addr): // Teredo: the server, and the client with its bits flipped
		all = append(all, v4In(addr, [4]int{4, 5, 6, 7}),
			netip.AddrFrom4([4]byte{^raw[12], ^raw[13], ^raw[14], ^raw[15]}))
	}
	if raw[8]&^0x02 == 0 && raw[9] == 0 && raw[10] == 0x5e && raw[11] == 0xfe { // ISATAP
		all = append(all, last)
	}
	return all
}

// lastFour returns the places of an IPv4 address at the end of an IPv6 one.
func lastFour() [4]int { return [4]int{12, 13, 14, 15} }

// v4In returns the IPv4 address in these bytes of an IPv6 address.
func v4In(addr netip.Addr, at [4]int) netip.Addr {
	raw := addr.As16()
	return netip.AddrFrom4([4]byte{raw[at[0]], raw[at[1]], raw[at[2]], raw[at[3]]})
}

// nat64 returns the well-known prefix: hosts behind DNS64 see all of IPv4 there.
func nat64() netip.Prefix { return v6(0x64, 0xff9b, 0, 96) }

// closedNetworks lists what is not public: the special-purpose registries of
// IANA. It is wider than [netip.Addr.IsPrivate], which knows no carrier ranges,
// no 0/8, no 240/4 and no embedded addresses.
func closedNetworks() []netip.Prefix {
	return []netip.Prefix{
		v4(0, 0, 0, 0, 8), v4(10, 0, 0, 0, 8), v4(100, 64, 0, 0, 10), v4(127, 0, 0, 0, 8), v4(172, 16, 0, 0, 12),
		v4(192, 0, 0, 0, 24), v4(192, 0, 2, 0, 24), v4(192, 88, 99, 0, 24), v4(192, 168, 0, 0, 16),
		v4(198, 18, 0, 0, 15),
		v4(198, 51, 100, 0, 24), v4(203, 0, 113, 0, 24), v4(224, 0, 0, 0, 4), v4(240, 0, 0, 0, 4),
		v6(0, 0, 0, 8), v6(0x64, 0xff9b, 1, 48), v6(0x100, 0, 0, 64), v6(0x2001, 0, 0, 23), v6(0x2001, 0xdb8, 0, 32),
		v6(0x2002, 0, 0, 16), v6(0x3fff, 0, 0, 20), v6(0x5f00, 0, 0, 16), v6(0xfc00, 0, 0, 7), v6(0xfec0, 0, 0, 10),
		v6(0xff00, 0, 0, 8),
	}
}

// v4 returns the network a.b.c.d/bits, v6 the network a:b:c::/bits. They parse
// nothing: an address is checked for every attempt of a delivery.
func v4(a, b, c, d byte, bits int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{a, b, c, d}), bits)
}

func v6(a, b, c uint16, bits int) netip.Prefix {
	raw := [16]byte{byte(a >> 8), byte(a), byte(b >> 8), byte(b), byte(c >> 8), byte(c)}
	return netip.PrefixFrom(netip.AddrFrom16(raw), bits)
}
