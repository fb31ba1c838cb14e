package adapter

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/inbound"
	"github.com/tributary-go/tributary/pay"
)

const maxSignatures = 10

// A TimedHMAC is the form of a header with the time and one or more signatures of the
// time, Joint and the body, by HMAC-SHA256 in hexadecimal, such as t=1767225600,v1=…
type TimedHMAC struct {
	Header          string // its name
	Time, Signature string // names of the items
	Separator       string // between items
	Joint           string // between the time and the body
	Prefix          string // of every secret of the provider; empty: they have none
}

// Scheme returns the scheme. Zero tolerance: 5 minutes, in both directions.
func (f TimedHMAC) Scheme(secrets Secrets, tolerance time.Duration) Scheme {
	if tolerance == 0 {
		tolerance = defaultTolerance
	}
	return func(h http.Header, now time.Time) (func([]byte) error, error) {
		if err := secrets.check(f.Prefix); err != nil {
			return nil, err
		}
		if tolerance < 0 {
			return nil, fmt.Errorf("%w: the tolerance is negative", ErrConfig)
		}
		text, err := only(h, f.Header)
		if err != nil {
			return nil, err
		}
		at, signatures, err := f.read(text)
		if err != nil {
			return nil, err
		}
		if inbound.Age(now, at).Abs() > tolerance || !slices.ContainsFunc(signatures, isSignature) {
			return nil, ErrSignature
		}
		seconds := strconv.FormatInt(at.Unix(), 10)
		return func(body []byte) error {
			return secrets.any(func(secret string) bool {
				want, right := f.mac(secret, seconds, body), false
				for _, got := range signatures {
					same := hmac.Equal(want, []byte(got))
					right = right || same
				}
				return right
			})
		}, nil
	}
}

// Sign returns the header of a body, for tests.
func (f TimedHMAC) Sign(secret string, at time.Time, body []byte) string {
	seconds := strconv.FormatInt(at.Unix(), 10)
	return f.Time + "=" + seconds + f.Separator + f.Signature + "=" + string(f.mac(secret, seconds, body))
}

// isSignature reports whether a text has the length and the alphabet of a signature.
func isSignature(text string) bool {
	return len(text) == hex.EncodedLen(sha256.Size) && strings.Trim(text, "0123456789abcdef") == ""
}

// mac returns the signature in hexadecimal.
func (f TimedHMAC) mac(secret, seconds string, body []byte) []byte {
	return hex.AppendEncode(nil, sum(secret, []byte(seconds+f.Joint), body))
}

// read reads the time and the signatures. Items with other names are ignored.
func (f TimedHMAC) read(header string) (at time.Time, signatures []string, err error) {
	timed := false
	for item := range strings.SplitSeq(header, f.Separator) {
		name, value, found := strings.Cut(item, "=")
		if !found {
			return at, nil, fmt.Errorf("%w: an item has no value", ErrHeader)
		}
		switch name {
		case f.Time:
			var ok bool
			if at, ok = inbound.ParseSeconds(value); !ok || timed {
				return at, nil, fmt.Errorf("%w: the time is malformed or repeated", ErrHeader)
			}
			timed = true
		case f.Signature:
			if len(signatures) == maxSignatures {
				return at, nil, fmt.Errorf("%w: too many signatures", ErrHeader)
			}
			signatures = append(signatures, value)
		}
	}
	if !timed || len(signatures) == 0 {
		return at, nil, fmt.Errorf("%w: the time or the signature is missing", ErrHeader)
	}
	return at, signatures, nil
}

// Marked reports whether a payment says who brought its customer: by a code that the provider
// redeemed, or by what the checkout carried.
func (d *Draft) Marked(tries []affiliate.Credit) bool {
	c := d.Action.Carried
	c.Offer = false // which names nobody
	return len(tries) > 0 || c.Marks()
}

// Book makes a sale of what was paid; a renewal waits for the first payment of a customer whom
// somebody brought. Of nothing it makes a [Draft.Lead], when that begins something and somebody
// brought the customer; all else is ignored.
func (d *Draft) Book(b Bill, p Paid, begins bool) {
	marked := d.Marked(p.Tries)
	switch {
	case b.Paid.Sign() > 0:
		d.Action.Wait = p.Renewal && marked
		d.Sale(b, p)
	case marked && begins && !p.Renewal:
		d.Lead(b, p)
	default:
		d.Ignore(pay.ZeroAmount)
	}
}

// Lead makes an action for the customer of a trial or a free order. With a code
// it includes the free order, which a program with FreeOrders books.
func (d *Draft) Lead(b Bill, p Paid) {
	f := &d.Action.Payment
	d.Action.Kind = pay.KindCustomer
	d.Action.Tries = p.Tries
	if (d.Action.Carried.Code+d.Action.Carried.Hold != "" ||
		slices.ContainsFunc(p.Tries, byCode)) && b.Paid.IsZero() && b.Subtotal.Sign() > 0 {
		b.Tax, b.Shipping = affiliate.Amount{}, affiliate.Amount{}
		d.Sale(b, p)
		return
	}
	*f = affiliate.PaymentFact{Provider: f.Provider, Keys: f.Keys, Payer: f.Payer, At: f.At}
}
