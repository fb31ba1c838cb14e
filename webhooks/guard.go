package webhooks

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// ErrBlockedAddress means that a policy does not allow an address. It does not
// show the address, because a name may resolve to an internal one.
var ErrBlockedAddress = errors.New("webhooks: the address is not allowed")

const (
	maxResponseHeader = 16 << 10
	idleTimeout       = 90 * time.Second
)

// NewTransport returns the transport of a [Sender]. It checks the address of
// every connection, after the name was resolved. It uses no proxy, requires TLS
// 1.2 or later, does not decompress, and reads at most 16 KiB of headers. A
// host that needs more, such as a client certificate, changes the result. With
// a Proxy only the address of the proxy is checked, and the proxy must check
// the receiver's.
//
// A connection that is kept alive is not checked again. After a change of
// policy, call CloseIdleConnections on the old transport.
func NewTransport(policy affiliate.AddressPolicy) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		DialContext:            Guard(net.Dialer{}, policy).DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		Protocols:              protocols,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxResponseHeader,
		MaxIdleConnsPerHost:    idlePerHost,
		MaxIdleConns:           defaultSlots,
		IdleConnTimeout:        idleTimeout,
	}
}

// Guard returns a copy of d that checks each address directly before it
// connects, so a resolver that changes its answer cannot avoid the check. It
// refuses an address with [ErrBlockedAddress], also when the address is
// malformed.
func Guard(d net.Dialer, policy affiliate.AddressPolicy) *net.Dialer {
	inner, old := d.ControlContext, d.Control
	d.Control = nil
	d.ControlContext = func(ctx context.Context, network, address string, c syscall.RawConn) error {
		if err := checkDial(policy, network, address); err != nil {
			return err
		}
		switch {
		case inner != nil:
			return inner(ctx, network, address, c)
		case old != nil:
			return old(network, address, c)
		}
		return nil
	}
	return &d
}

func checkDial(policy affiliate.AddressPolicy, network, address string) error {
	if network != "tcp4" && network != "tcp6" {
		return fmt.Errorf("%w: %s is not TCP", ErrBlockedAddress, network)
	}
	target, err := netip.ParseAddrPort(address)
	if err != nil || !policy.Allows(target.Addr()) {
		return ErrBlockedAddress
	}
	return nil
}
