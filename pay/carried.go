package pay

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Carried is the data that a checkout carries from the host's page to the events of
// its payment. A payer can read it, and in some checkouts replace it: see
// docs/payments.md, What a payer can do. All fields may be empty.
type Carried struct {
	Slug     string // of a link, for visitors without a click
	Code     string // a promotional code that was entered on the host's own page; it needs an Order
	Hold     string // the id of a hold of a code, as Program.HoldRedemption got it; it needs an Order
	Offer    bool   // the checkout took off what the link gives, as Program.Evaluate said with Order.Offer; it needs an Order
	Order    string // the host's id of the order: the externalId of the sale
	Customer string // the host's id of the customer: referredUserExternalId

	Program uuid.UUID // of all of it; set when it is carried
	Click   string    // the number of the click that brought the visitor; set when it is carried
	Signed  bool      // it has a valid signature; without one Code, Hold, Offer, Order and Customer are empty
	Forged  bool      // a code, a hold, an offer, an order or a customer had no valid signature and was left out
	Lost    bool      // something says who brought the visitor and cannot be read: its program is missing or another one, or it has another form
}

// Marks reports whether it says who brought the visitor.
func (c Carried) Marks() bool { return c.Offer || c.Code+c.Hold+c.Click+c.Slug != "" }

// Keys are the keys with which a host signs what a checkout carries: 32 random
// bytes or more each, at most 10. The first one signs, and all are tried, so that
// the old one can stay during a rotation. What was signed does not expire: the
// renewals of a subscription carry it for years. They print as carry_***.
//
// Source: docs/payments.md.
type Keys [][]byte

const (
	maxKeys  = 10
	leastKey = 32
	keyMask  = "carry_***"
)

// ErrKeys means that keys cannot sign.
var ErrKeys = errors.New("pay: 1 to 10 keys of 32 bytes or more are needed")

// Format writes a mask, for every verb.
func (k Keys) Format(f fmt.State, _ rune) { f.Write([]byte(keyMask)) }

// MarshalText returns a mask, so that neither JSON nor a log has the keys.
func (k Keys) MarshalText() ([]byte, error) { return []byte(keyMask), nil }

// LogValue returns a mask.
func (k Keys) LogValue() slog.Value { return slog.StringValue(keyMask) }

// Check refuses keys that cannot sign. No keys at all are accepted: then nothing
// is signed.
//
// Errors: [ErrKeys].
func (k Keys) Check() error {
	if len(k) > maxKeys || slices.ContainsFunc(k, func(key []byte) bool { return len(key) < leastKey }) {
		return ErrKeys
	}
	return nil
}

// Sign returns the signature of what is carried, with its program: the HMAC-SHA256 of
// all fields, as docs/payments.md says, in base64 for URLs.
//
// Errors: [ErrKeys].
func (k Keys) Sign(c Carried) (string, error) {
	if err := k.Check(); err != nil || len(k) == 0 {
		return "", ErrKeys
	}
	return base64.RawURLEncoding.EncodeToString(c.mac(k[0])), nil
}

// Verify reports whether one of the keys made a signature.
func (k Keys) Verify(c Carried, signature string) bool {
	got, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	if err != nil || k.Check() != nil {
		return false
	}
	right := false
	for _, key := range k {
		same := hmac.Equal(c.mac(key), got)
		right = right || same
	}
	return right
}

// mac signs each field with its length, so that none can become another one.
func (c Carried) mac(key []byte) []byte {
	h := hmac.New(sha256.New, key)
	fields := []string{"tributary carry 1", c.Program.String(), c.Click, c.Slug, c.Code, c.Order, c.Customer}
	if c.Hold != "" || c.Offer {
		fields = append(fields, c.Hold)
	}
	if c.Offer {
		fields = append(fields, "offer")
	}
	for _, field := range fields {
		h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(field))))
		h.Write([]byte(field))
	}
	return h.Sum(nil)
}

// in puts the carried data into an action of a program. Data for another program
// credits nobody: clicks are small numbers, and every program has a click 1.
func (c Carried) in(a Action, program uuid.UUID) Action {
	if c.Program != program {
		a.Carried.Lost = c.Lost || c.Marks()
		c = Carried{}
	}
	if a.Kind == KindIgnored && a.Payment.Sale.IsZero() {
		return a
	}
	tries := slices.Clip(a.Tries)
	paid, sold := a.Payment.Sale.Get()
	if sold {
		tries = slices.Clip(paid.Tries)
	}
	if c.Hold != "" {
		tries = append([]affiliate.Credit{{HoldID: c.Hold}},
			tries...) // its place, before the code that the provider redeemed
	}
	tries = append(tries, c.tries(paid.Renewal)...)
	if a.leads() {
		a.Tries = tries
	}
	if c.Customer != "" {
		a.Payment.Payer.CustomerID = c.Customer
	}
	if !sold {
		return a
	}
	if c.Order != "" && !paid.Renewal {
		paid.ExternalID = c.Order // a renewal carries the order of the first payment
	}
	paid.Tries = tries
	a.Payment.Sale = affiliate.Set(paid)
	if paid.Free && !slices.ContainsFunc(tries, byCode) { // a free order needs a code
		f := a.Payment
		a.Payment = affiliate.PaymentFact{Provider: f.Provider, Keys: f.Keys, Payer: f.Payer, At: f.At}
	}
	return a
}

// tries lists who may be credited by what was carried. A renewal redeems no code, which only
// says that somebody brought its customer.
func (c Carried) tries(renewal bool) (tries []affiliate.Credit) {
	if c.Code != "" {
		tries = append(tries, affiliate.Credit{PromoCode: c.Code})
	}
	if c.Offer && !renewal {
		tries = append(tries, affiliate.Credit{Offer: true})
	}
	for _, id := range []string{c.Click, c.Slug} {
		if id != "" {
			tries = append(tries, affiliate.Credit{ReferralID: id})
		}
	}
	return tries
}

func byCode(c affiliate.Credit) bool { return c.ReferralID == "" }
