package webhooks_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

// The dialer refuses every address that is not public before a packet is sent,
// whatever URL or name led to it (W043, W045).
func TestGuard(t *testing.T) {
	blocked := []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.1.2.3", "169.254.169.254", "168.63.129.16", "172.16.0.1", "172.31.255.255",
		"192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::7f00:1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1",
		"2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1",
	}
	open := []string{"8.8.8.8", "1.1.1.1", "172.32.0.1", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"}
	for _, network := range []string{"tcp4", "tcp6"} {
		for _, host := range blocked {
			if err := control(affiliate.AddressPolicy{}, network, net.JoinHostPort(host, "443")); !errors.Is(err, webhooks.ErrBlockedAddress) {
				t.Errorf("%s %s: %v", network, host, err)
			}
		}
		for _, host := range open {
			if err := control(affiliate.AddressPolicy{}, network, net.JoinHostPort(host, "443")); err != nil {
				t.Errorf("%s %s: %v", network, host, err)
			}
		}
	}
	for _, address := range []string{"", "443", "hooks.example:443", "8.8.8.8", "8.8.8.8:", "[::1", "8.8.8.8:99999", "0x7f.1:443"} {
		if err := control(affiliate.AddressPolicy{}, "tcp4", address); !errors.Is(err, webhooks.ErrBlockedAddress) {
			t.Errorf("%q: %v", address, err)
		}
	}
	for _, network := range []string{"udp4", "unix", "tcp", ""} {
		if err := control(affiliate.AddressPolicy{}, network, "8.8.8.8:443"); !errors.Is(err, webhooks.ErrBlockedAddress) {
			t.Errorf("network %q: %v", network, err)
		}
	}
	lan := affiliate.AddressPolicy{AllowNetworks: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}}
	if control(lan, "tcp4", "10.1.2.3:443") != nil || control(lan, "tcp4", "10.2.2.3:443") == nil {
		t.Error("AllowNetworks opens another range")
	}
}

// The transport of a sender is guarded.
func TestNewTransport(t *testing.T) {
	trap, port := listenAt(t, "127.0.0.1:0")
	conn, err := webhooks.NewTransport(affiliate.AddressPolicy{}).DialContext(t.Context(), "tcp", "127.0.0.1:"+port)
	if !errors.Is(err, webhooks.ErrBlockedAddress) || conn != nil || trap.count() > 0 {
		t.Errorf("connected to %v: %v", conn, err)
	}
}

// control calls the guard's check for one connection.
func control(p affiliate.AddressPolicy, network, address string) error {
	return webhooks.Guard(net.Dialer{}, p).ControlContext(context.Background(), network, address, nil)
}

// A host's own control functions still run, after the check.
func TestGuardKeepsControl(t *testing.T) {
	ran := 0
	count := func(string, string, syscall.RawConn) error { ran++; return nil }
	for name, d := range map[string]net.Dialer{
		"Control":        {Control: count},
		"ControlContext": {ControlContext: func(_ context.Context, n, a string, c syscall.RawConn) error { return count(n, a, c) }},
	} {
		ran = 0
		g := webhooks.Guard(d, affiliate.AddressPolicy{})
		if g.ControlContext(t.Context(), "tcp4", "8.8.8.8:443", nil) != nil || g.ControlContext(t.Context(), "tcp4", "10.0.0.1:443", nil) == nil || ran != 1 {
			t.Errorf("%s ran %d times", name, ran)
		}
	}
}

// A name may resolve to any address, and to another one the next time. A
// forbidden address is never connected to (W044). 127.0.0.2 stands for a public
// address here, 127.0.0.1 for a private one.
func TestSendRebinding(t *testing.T) {
	public, port := listenAt(t, "127.0.0.2:0")
	private, _ := listenAt(t, "127.0.0.1:"+port)
	policy := affiliate.AddressPolicy{AllowHTTP: true, AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}}
	tests := []struct {
		name    string
		answers [][]string // the successive answers of the resolver
		want    []string   // classes of the attempts
		reached int64      // requests to the public address
	}{
		{"PublicThenPrivate", [][]string{{"127.0.0.2"}, {"127.0.0.1"}}, []string{"", affiliate.FailedBlockedAddress}, 1},
		{"Private", [][]string{{"127.0.0.1"}}, []string{affiliate.FailedBlockedAddress}, 0},
		{"Both", [][]string{{"127.0.0.1", "127.0.0.2"}}, []string{""}, 1},
		{"Mapped", [][]string{{"::ffff:127.0.0.1"}}, []string{affiliate.FailedBlockedAddress}, 0},
		{"NAT64", [][]string{{"64:ff9b::7f00:1"}}, []string{affiliate.FailedBlockedAddress}, 0},
		{"Metadata", [][]string{{"169.254.169.254"}}, []string{affiliate.FailedBlockedAddress}, 0},
		{"Nobody", [][]string{{}}, []string{affiliate.FailedDNS}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			names := newNames(t, tt.answers)
			tr := webhooks.NewTransport(policy)
			tr.DisableKeepAlives = true
			tr.DialContext = webhooks.Guard(net.Dialer{Resolver: names.resolver()}, policy).DialContext
			s := &webhooks.Sender{Addresses: policy, Transport: tr, Now: vectorClock, Timeout: 5 * time.Second}
			before := public.count()
			for i, want := range tt.want {
				names.turn(i)
				if a := sendTo(t, s, "http://hooks.example:"+port+"/"); a.Err != want {
					t.Errorf("attempt %d: %+v, want class %q", i, a, want)
				}
			}
			if got := public.count() - before; got != tt.reached || private.count() != 0 {
				t.Errorf("%d requests to the public one, want %d; %d connections to the private one", got, tt.reached, private.count())
			}
		})
	}
}

// A proxy in the environment is not used (W046).
func TestSendNoProxy(t *testing.T) {
	proxy := newSink(t, nil)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	policy := affiliate.AddressPolicy{AllowHTTP: true, AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}}
	target, port := listenAt(t, "127.0.0.2:0")
	tr := webhooks.NewTransport(policy)
	tr.DialContext = webhooks.Guard(net.Dialer{Resolver: newNames(t, [][]string{{"127.0.0.2"}}).resolver()}, policy).DialContext
	s := &webhooks.Sender{Addresses: policy, Transport: tr, Now: vectorClock, Timeout: 5 * time.Second}
	if a := sendTo(t, s, "http://hooks.example:"+port+"/"); a.Status != 204 || proxy.count() > 0 || target.count() != 1 || tr.Proxy != nil {
		t.Errorf("%+v; the proxy got %d requests", a, proxy.count())
	}
}

// A counter is a server that counts its connections.
type counter struct {
	mu sync.Mutex
	n  int64
}

func (c *counter) count() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// listenAt serves 204 at an address.
func listenAt(t *testing.T, address string) (*counter, string) {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("no listener at %s: %v", address, err)
	}
	c := &counter{}
	srv := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }),
		ConnState: func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				c.mu.Lock()
				defer c.mu.Unlock()
				c.n++
			}
		},
	}
	go srv.Serve(l)
	t.Cleanup(func() { srv.Close() })
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return c, port
}

// names is a resolver whose answers a test sets.
type names struct {
	conn    net.PacketConn
	mu      sync.Mutex
	answers [][]string
	at      int
}

func newNames(t *testing.T, answers [][]string) *names {
	t.Helper()
	conn := must(net.ListenPacket("udp", "127.0.0.1:0"))
	n := &names{conn: conn, answers: answers}
	go n.serve()
	t.Cleanup(func() { conn.Close() })
	return n
}

func (n *names) turn(i int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.at = i
}

func (n *names) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", n.conn.LocalAddr().String())
	}}
}

func (n *names) serve() {
	buf := make([]byte, 1024)
	for {
		size, from, err := n.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		n.mu.Lock()
		addrs := n.answers[n.at]
		n.mu.Unlock()
		if size > 12 {
			n.conn.WriteTo(dnsAnswer(buf[:size], addrs), from)
		}
	}
}

// dnsAnswer answers a question for A or AAAA with the addresses of that family.
func dnsAnswer(query []byte, addrs []string) []byte {
	end := 12
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	end += 5
	kind := binary.BigEndian.Uint16(query[end-4:])
	out := append([]byte(nil), query[:end]...)
	out[2], out[3] = 0x84|query[2]&1, 0x80
	count := uint16(0)
	for _, text := range addrs {
		raw := netip.MustParseAddr(text).AsSlice()
		if (kind == 1) != (len(raw) == 4) || kind != 1 && kind != 28 {
			continue
		}
		count++
		out = append(out, 0xc0, 12, 0, byte(kind), 0, 1, 0, 0, 0, 0, 0, byte(len(raw)))
		out = append(out, raw...)
	}
	binary.BigEndian.PutUint16(out[6:], count)
	clear(out[8:12])
	return out
}

// An authority issues the certificates of a test.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{pool: x509.NewCertPool()}
	a.key = newKey(t)
	a.cert = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().Add(24 * time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	raw, err := x509.CreateCertificate(rand.Reader, a.cert, a.cert, &a.key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(raw); err != nil {
		t.Fatal(err)
	}
	a.pool.AddCert(a.cert)
	return a
}

func (a *authority) issue(t *testing.T, until time.Time, ip net.IP) tls.Certificate {
	t.Helper()
	key := newKey(t)
	raw := must(x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(2), IPAddresses: []net.IP{ip}, NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: until,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, a.cert, &key.PublicKey, a.key))
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	return key
}

// closedPort is a port without a listener.
func closedPort(t *testing.T) string {
	t.Helper()
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	_, port, _ := strings.Cut(l.Addr().String(), ":")
	return port
}

func discardLog() *log.Logger { return log.New(io.Discard, "", 0) }

// dialFake connects to a fake public receiver that always gives the same
// answer.
func dialFake(t *testing.T, answer string) func(context.Context, string, string) (net.Conn, error) {
	t.Helper()
	return func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			if _, err := server.Read(make([]byte, 4096)); err == nil {
				go io.Copy(io.Discard, server)
				io.WriteString(server, answer)
			}
		}()
		return publicConn{client}, nil
	}
}

// publicConn is a connection with a public remote address.
type publicConn struct{ net.Conn }

func (publicConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(8, 8, 8, 8), Port: 80} }
