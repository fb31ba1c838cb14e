package affiliate_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/scene"
)

const ()

func TestCheckURL(t *testing.T) {
	long := "https://hooks.example/" + strings.Repeat("x", 2048-len("https://hooks.example/"))
	http := affiliate.AddressPolicy{AllowHTTP: true}
	loopback := affiliate.AddressPolicy{AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	tests := []struct {
		want   string
		policy affiliate.AddressPolicy
		urls   []string
	}{
		{"", affiliate.AddressPolicy{}, []string{
			"https://hooks.example/a", "HTTPS://HOOKS.EXAMPLE", "https://hooks.example.", "https://hooks.example:443/", "https://hooks.example:1024",
			"https://hooks.example:65535", "https://a_b.example/?q=1", "https://xn--bcher-kva.example/", "https://8.8.8.8/", "https://134744072/",
			"https://[2606:4700::1111]/", "https://[64:ff9b::808:808]/", "https://1e100.example/", "https://0xg.example.x0/", long,
		}},
		{"url is too long", affiliate.AddressPolicy{}, []string{long + "x"}},
		{scene.TextNotHTTPS, affiliate.AddressPolicy{}, []string{
			"http://hooks.example/", "ftp://hooks.example/", "file:///etc/passwd", "javascript:alert(1)", "unix:/run/x", "hooks.example", "//hooks.example/",
			"https:hooks.example", "https://", "https:///path", "https://:443/", "https://user@hooks.example/", "https://user:pass@hooks.example/", "https://@hooks.example/",
			"https://hooks.example/#x", "https://hooks.example/#", "https://hooks.example:0/", "https://hooks.example:22/", "https://hooks.example:25/", "https://hooks.example:80/",
			"https://hooks.example:65536/", "https://hooks.example:x/", "https://hooks.example/\r\nX: y", "https://hooks\r\n.example/", "https://hooks.example/a b",
			"https://hooks..example/", "https://hooks.example../", "https://bücher.example/", "https://１２７.0.0.1/", "https://\xff.example/", "https://a\\b.example/",
			"https://%31%32%37.0.0.1/", "https://[::1", "https://[hooks.example]/", "https://" + strings.Repeat("a", 64) + ".example/", "https://" + strings.Repeat("a.", 130) + "example/",
		}},
		{scene.TextNotAllowed, affiliate.AddressPolicy{}, []string{
			"https://127.0.0.1/", "https://127.0.0.1./", "https://[::1]/", "https://0.0.0.0/", "https://[::]/", "https://10.0.0.1/", "https://172.16.0.1/", "https://192.168.0.1/",
			"https://100.64.0.1/", "https://169.254.169.254/", "https://168.63.129.16/", "https://[fe80::1]/", "https://[fe80::1%25eth0]/", "https://[fc00::1]/", "https://[fd00:ec2::254]/",
			"https://192.0.2.1/", "https://198.18.0.1/", "https://224.0.0.1/", "https://240.0.0.1/", "https://255.255.255.255/",
			"https://[::ffff:127.0.0.1]/", "https://[::FFFF:7f00:1]/", "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/",
			"https://2130706433/", "https://0x7f000001/", "https://0X7F000001/", "https://0177.0.0.1/", "https://127.1/", "https://127.0.1/", "https://0/", "https://0x/", "https://1/",
			"https://256.256.256.256/", "https://1.2.3.4.5/", "https://99999999999/", "https://0x1ffffffff/", "https://1.2.3.09/", "https://hooks.1/", "https://127.0.0.0x1/",
		}},
		{"", http, []string{"http://hooks.example/", "http://hooks.example:80/", "https://hooks.example:80/"}},
		{scene.TextNotAllowed, http, []string{"http://127.0.0.1/"}},
		{"", loopback, []string{"https://127.0.0.1:8443/", "https://127.1/", "https://[::ffff:127.0.0.1]/", "https://[64:ff9b::7f00:1]/"}},
		{scene.TextNotAllowed, loopback, []string{"https://[::1]/", "https://10.0.0.1/"}},
	}
	for _, tt := range tests {
		for _, url := range tt.urls {
			t.Run(tt.want+" "+url, func(t *testing.T) {
				got := ""
				if err := refusal.CheckURL(tt.policy, url); err != nil {
					got = err.Error()
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("CheckURL(%q) (-want +got):\n%s", url, diff)
				}
			})
		}
	}
}

// Every closed range, at its first and last address, and the addresses around
// it.
func TestAllows(t *testing.T) {
	var policy affiliate.AddressPolicy
	for _, text := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
		"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
		"5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
	} {
		p := netip.MustParsePrefix(text)
		first, last := p.Addr(), lastAddress(p)
		if policy.Allows(first) || policy.Allows(last) {
			t.Errorf("%s: %v allowed, %v allowed", p, policy.Allows(first), policy.Allows(last))
		}
	}
	open := []string{"1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
		"192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "64:ff9b::8.8.8.8", "2001:200::", "2001:db9::", "2003::", "2606:4700::1", "4000::", "::ffff:8.8.8.8"}
	for _, text := range open {
		if !policy.Allows(netip.MustParseAddr(text)) {
			t.Errorf("%s is not allowed", text)
		}
	}
	if policy.Allows(netip.Addr{}) {
		t.Error("the zero address is allowed")
	}
}

func lastAddress(p netip.Prefix) netip.Addr {
	raw := p.Addr().AsSlice()
	for bit := p.Bits(); bit < len(raw)*8; bit++ {
		raw[bit/8] |= 0x80 >> (bit % 8)
	}
	addr, _ := netip.AddrFromSlice(raw)
	return addr
}

func TestAllowsNetworks(t *testing.T) {
	allow := func(prefixes ...string) affiliate.AddressPolicy {
		var a affiliate.AddressPolicy
		for _, p := range prefixes {
			a.AllowNetworks = append(a.AllowNetworks, netip.MustParsePrefix(p))
		}
		return a
	}
	tests := []struct {
		name   string
		policy affiliate.AddressPolicy
		addr   string
		want   bool
	}{
		{"range opens", allow("10.0.0.0/8"), "10.1.2.3", true},
		{"range opens mapped", allow("10.0.0.0/8"), "::ffff:10.1.2.3", true},
		{"range opens behind NAT64", allow("10.0.0.0/8"), "64:ff9b::10.1.2.3", true},
		{"zone is ignored", allow("fd11::/16"), "fd11::1%eth0", true},
		{"other range stays", allow("10.0.0.0/8"), "192.168.0.1", false},
		{"neighbour of a closed address opens", allow("fd00:ec2::/31"), "fd00:ec3::1", true},
		{"6to4 opens", allow("2002::/16"), "2002:0a01:0203::1", true},
		{"Teredo opens", allow("2001::/32"), "2001:0:808:808::1", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.policy.Allows(netip.MustParseAddr(tt.addr)); got != tt.want {
				t.Errorf("Allows(%s) = %v", tt.addr, got)
			}
		})
	}
}

// Addresses of services that hand out credentials are always refused, whether a
// range or the single address is opened, and in every form that a translator or
// tunnel sends there.
func TestAllowsNever(t *testing.T) {
	everything := []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
	closed := func(t *testing.T, addr netip.Addr) {
		t.Helper()
		single := netip.PrefixFrom(addr.WithZone(""), addr.BitLen())
		for _, open := range [][]netip.Prefix{nil, everything, append(everything, single)} {
			if (affiliate.AddressPolicy{AllowNetworks: open}).Allows(addr) {
				t.Errorf("%s is allowed, with %v open", addr, open)
			}
		}
	}
	forms := []struct {
		name, prefix string
		at           [4]int // the positions of the IPv4 address's bytes
		flipped      byte
	}{
		{"mapped", "::ffff:0:0", [4]int{12, 13, 14, 15}, 0},
		{"compatible", "::", [4]int{12, 13, 14, 15}, 0},
		{"translated", "::ffff:0:0:0", [4]int{12, 13, 14, 15}, 0},
		{"NAT64", "64:ff9b::", [4]int{12, 13, 14, 15}, 0},
		{"local NAT64 of 48 bits", "64:ff9b:1::", [4]int{6, 7, 9, 10}, 0},
		{"local NAT64 of 56 bits", "64:ff9b:1:ab00::", [4]int{7, 9, 10, 11}, 0},
		{"local NAT64 of 64 bits", "64:ff9b:1:abcd::", [4]int{9, 10, 11, 12}, 0},
		{"local NAT64 of 96 bits", "64:ff9b:1:abcd:1234:5678::", [4]int{12, 13, 14, 15}, 0},
		{"6to4", "2002::1", [4]int{2, 3, 4, 5}, 0},
		{"Teredo client", "2001:0:808:808::", [4]int{12, 13, 14, 15}, 0xff},
		{"Teredo server", "2001::1", [4]int{4, 5, 6, 7}, 0},
		{"ISATAP", "2606:4700::5efe:0:0", [4]int{12, 13, 14, 15}, 0},
		{"ISATAP, global", "2606:4700::200:5efe:0:0", [4]int{12, 13, 14, 15}, 0},
	}
	for _, text := range []string{"169.254.0.0", "169.254.169.254", "169.254.170.2", "169.254.255.255", "168.63.129.16", "100.100.100.200", "192.0.0.192"} {
		addr := netip.MustParseAddr(text)
		closed(t, addr)
		for _, form := range forms {
			t.Run(form.name+" "+text, func(t *testing.T) {
				raw := netip.MustParseAddr(form.prefix).As16()
				for i, b := range addr.As4() {
					raw[form.at[i]] = b ^ form.flipped
				}
				closed(t, netip.AddrFrom16(raw))
				closed(t, netip.AddrFrom16(raw).WithZone("eth0"))
			})
		}
	}
	for _, text := range []string{
		"fe80::", "fe80::1%eth0", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fd20:ce::254", "fd00:ec2::", "fd00:ec2::254", "fd00:ec2:ffff:ffff:ffff:ffff:ffff:ffff",
	} {
		closed(t, netip.MustParseAddr(text))
	}
}

func FuzzCheckURL(f *testing.F) {
	for _, s := range []string{"https://hooks.example/", "https://127.1/", "https://[::1]:443/", "https://0x7f.1", "https://user@h", "https://h#"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var policy affiliate.AddressPolicy
		if refusal.CheckURL(policy, s) != nil {
			return
		}
		if len(s) > 2048 || !strings.EqualFold(s[:8], "https://") || strings.ContainsAny(s, "#\r\n\x00 ") {
			t.Errorf("%q accepted", s)
		}
	})
}
