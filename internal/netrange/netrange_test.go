package netrange_test

import (
	"net/netip"
	"testing"

	"github.com/tributary-go/tributary/internal/netrange"
)

func TestAllowed(t *testing.T) {
	everything := []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
	for addr, want := range map[string][2]bool{ // allowed with nothing opened, and with everything opened
		"8.8.8.8": {true, true}, "2001:4860:4860::8888": {true, true}, "::ffff:8.8.8.8": {true, true}, "64:ff9b::8.8.8.8": {true, true},
		"10.0.0.1": {false, true}, "100.64.0.1": {false, true}, "127.0.0.1": {false, true}, "0.0.0.0": {false, true}, "240.0.0.1": {false, true},
		"::1": {false, true}, "fd00::1": {false, true}, "2002:808:808::": {false, true}, "::ffff:10.0.0.1": {false, true}, "64:ff9b::10.0.0.1": {false, true},
		"169.254.169.254": {false, false}, "168.63.129.16": {false, false}, "100.100.100.200": {false, false}, "fe80::1%eth0": {false, false},
		"fd00:ec2::254": {false, false}, "fd20:ce::254": {false, false}, "::ffff:169.254.1.1": {false, false}, "::169.254.1.1": {false, false},
		"64:ff9b::169.254.1.1": {false, false}, "64:ff9b:1:a9fe:1:100::": {false, false}, "2002:a9fe:101::": {false, false},
		"2001:0:a9fe:101::": {false, false}, "2001::5601:fefe": {false, false}, "2606::5efe:a9fe:101": {false, false},
	} {
		a := netip.MustParseAddr(addr)
		if got := [2]bool{netrange.Allowed(a, nil), netrange.Allowed(a, everything)}; got != want {
			t.Errorf("%s: %v, want %v", addr, got, want)
		}
	}
	if netrange.Allowed(netip.Addr{}, everything) {
		t.Error("the zero Addr is allowed")
	}
}

func TestParseIPv4(t *testing.T) {
	for host, want := range map[string]string{
		"1.2.3.4": "1.2.3.4", "127.1": "127.0.0.1", "2130706433": "127.0.0.1", "0x7f.1": "127.0.0.1", "0177.0.0.1": "127.0.0.1",
		"1.2.772": "1.2.3.4", "0x": "0.0.0.0", "4294967295": "255.255.255.255",
	} {
		if got, ok := netrange.ParseIPv4(host); !ok || got.String() != want {
			t.Errorf("%s: %v, %v, want %s", host, got, ok, want)
		}
	}
	for _, host := range []string{"", "1.2.3.4.5", "256.1.1.1", "1.2.3.256", "1.2.65536", "1.16777216", "4294967296", "08", "0xg", "a", "1..2", "1.2.3.4.", "+1"} {
		if got, ok := netrange.ParseIPv4(host); ok {
			t.Errorf("%q is %v", host, got)
		}
	}
}

func TestNumeric(t *testing.T) {
	for label, want := range map[string]bool{"1": true, "08": true, "0x1f": true, "0x": true, "99999999999999999999": true, "a": false, "1a": false, "0xg": false, "x1": false} {
		if got := netrange.Numeric(label); got != want {
			t.Errorf("%s: %v", label, got)
		}
	}
}
