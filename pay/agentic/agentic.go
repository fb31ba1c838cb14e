// Package agentic reads what an agent that buys for somebody says of who brought the order, as the Agentic Commerce
// Protocol proposes it, and answers its codes. The proposals may change, and so may this package: docs/agentic.md.
//
//	issuer := agentic.Issuer{Provider: "partners.shop.example", Keys: keys}
//	token, err := issuer.Token(program.Config().ID, affiliate.ID, 30*24*time.Hour) // the affiliate publishes it
//	…
//	a, err := agentic.Parse(body.AffiliateAttribution) // what it refuses is answered with 400
//	credit, err := issuer.Credit(program.Config().ID, a) // an error is for the log, and never blocks a checkout
//
// Source: docs/agentic.md.
package agentic

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
)

// An Attribution is the claim of an agent that an affiliate brought an order: the object affiliate_attribution. Its
// token is a secret: it prints without it.
type Attribution struct {
	Provider    string         `json:"provider"`               // whose token it is
	Token       string         `json:"token,omitempty"`        // of the provider; [Issuer.Token] made ours
	PublisherID string         `json:"publisher_id,omitempty"` // proves nothing
	CampaignID  string         `json:"campaign_id,omitempty"`
	CreativeID  string         `json:"creative_id,omitempty"`
	SubID       string         `json:"sub_id,omitempty"`
	Touchpoint  Touchpoint     `json:"touchpoint,omitempty"`
	Source      *Origin        `json:"source,omitempty"`
	IssuedAt    *time.Time     `json:"issued_at,omitempty"`
	ExpiresAt   *time.Time     `json:"expires_at,omitempty"`
	Metadata    map[string]any `json:"metadata,omitempty"` // texts, numbers and booleans
}

// Format writes what is no secret, for every verb.
func (a Attribution) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "%s %s %s", a.Provider, a.PublisherID, a.Touchpoint)
}

// A Touchpoint says at which request of the checkout the claim came.
type Touchpoint string

// The touchpoints.
const (
	First Touchpoint = "first" // when the session was created
	Last  Touchpoint = "last"  // when it was completed
)

// An Origin is where the agent found the affiliate.
type Origin struct {
	Type string `json:"type"` // url, platform or unknown
	URL  string `json:"url,omitempty"`
}

// An Error is the refusal of an attribution, in the form of the protocol. Answer it with 400.
type Error struct {
	Type    string `json:"type"` // invalid_request
	Code    string `json:"code"` // missing, invalid_type, invalid or pii_not_allowed
	Message string `json:"message"`
	Param   string `json:"param"` // a JSONPath
}

// Error has the message.
func (e *Error) Error() string { return "agentic: " + e.Param + ": " + e.Message }

func refused(code, field, message string) *Error {
	return &Error{"invalid_request", code, message, "$.affiliate_attribution" + field}
}

const (
	mostBytes = 8 << 10
	mostKeys  = 20
)

var (
	mail    = regexp.MustCompile(`[^\s@=&]+@[^\s@=&]+\.[^\s@=&]+`)
	phone   = regexp.MustCompile(`\+\d[\d ().-]{7,}\d|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}`) // a long number may be a campaign
	private = regexp.MustCompile(`(?i)^(?:user_?)?(?:e-?mail|phone(?:_number)?|ssn|address|first_name|last_name)$`)
)

// Parse reads the object. Fields that are not known do no harm.
//
// Errors: [*Error].
func Parse(raw []byte) (a Attribution, err error) {
	if len(raw) > mostBytes {
		return a, refused("invalid", "", "It is too long.")
	}
	if err := json.Unmarshal(raw, &a); err != nil || bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		field := ""
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
			field = "." + wrong.Field
		}
		return Attribution{}, refused("invalid_type", field, "It is no object of the protocol.")
	}
	switch {
	case a.Provider == "":
		return Attribution{}, refused("missing", ".provider", "It is required.")
	case a.Token == "" && a.PublisherID == "":
		return Attribution{}, refused("missing", ".token", "It, or publisher_id, is required.")
	case a.Touchpoint != "" && a.Touchpoint != First && a.Touchpoint != Last:
		return Attribution{}, refused("invalid", ".touchpoint", "It is first or last.")
	case len(a.Metadata) > mostKeys:
		return Attribution{}, refused("invalid", ".metadata", "It has too many keys.")
	}
	texts := map[string]string{".publisher_id": a.PublisherID, ".campaign_id": a.CampaignID, ".creative_id": a.CreativeID, ".sub_id": a.SubID}
	for name, value := range a.Metadata {
		at := ".metadata." + name
		switch v := value.(type) {
		case string:
			texts[at] = v
		case float64, bool:
		default:
			return Attribution{}, refused("invalid_type", ".metadata", "Its values are texts, numbers and booleans.")
		}
		if private.MatchString(name) {
			return Attribution{}, refused("pii_not_allowed", at, "It may say nothing of a person.")
		}
	}
	for at, v := range texts {
		if mail.MatchString(v) || phone.MatchString(v) {
			return Attribution{}, refused("pii_not_allowed", at, "It may say nothing of a person.")
		}
	}
	return a, nil
}

// An Issuer makes tokens for the affiliates of programs, and knows its own again. It is a value, safe for concurrent use.
type Issuer struct {
	Provider string           // names the host, such as its domain; no other provider's tokens count
	Keys     pay.Keys         // one at least; the first signs, all are tried
	Now      func() time.Time // nil: time.Now
}

// Why an attribution credits nobody. The checkout goes on; log it.
var (
	ErrForeign  = errors.New("agentic: the token is another provider's")
	ErrUnsigned = errors.New("agentic: there is no token, and a publisher_id proves nothing")
	ErrToken    = errors.New("agentic: the token is not ours, of another program, or over")
)

func (i Issuer) now() time.Time {
	if i.Now != nil {
		return i.Now()
	}
	return time.Now()
}

func (i Issuer) check() error {
	if err := i.Keys.Check(); err != nil || len(i.Keys) == 0 || i.Provider == "" {
		return cmp.Or(err, pay.ErrKeys)
	}
	return nil
}

// Token returns a token for an affiliate of a program, for a time: a JWT with provider, program, affiliate, its end and a
// number of its own.
//
// Errors: [pay.ErrKeys], also without a provider; a time that is not above 0.
func (i Issuer) Token(program, of uuid.UUID, ttl time.Duration) (string, error) {
	if err := i.check(); err != nil {
		return "", err
	}
	if ttl <= 0 {
		return "", errors.New("agentic: a token lasts for some time")
	}
	now := i.now()
	return jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.RegisteredClaims{
		Issuer: i.Provider, Audience: jwt.ClaimStrings{program.String()}, Subject: of.String(), ID: uuid.NewString(),
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(ttl)),
	}).SignedString([]byte(i.Keys[0]))
}

// Credit returns whom an attribution credits in a program. It names an affiliate, who may be gone: the sale says so.
//
// Errors: [ErrForeign], [ErrUnsigned], [ErrToken], after which nobody is credited; [pay.ErrKeys].
func (i Issuer) Credit(program uuid.UUID, a Attribution) (affiliate.Credit, error) {
	if err := i.check(); err != nil {
		return affiliate.Credit{}, err
	}
	switch {
	case a.Provider != i.Provider:
		return affiliate.Credit{}, ErrForeign
	case a.Token == "":
		return affiliate.Credit{}, ErrUnsigned
	}
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"HS256"}), jwt.WithIssuer(i.Provider), jwt.WithAudience(program.String()),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithTimeFunc(i.now))
	for _, key := range i.Keys {
		var claims jwt.RegisteredClaims
		if _, err := parser.ParseWithClaims(a.Token, &claims, func(*jwt.Token) (any, error) { return []byte(key), nil }); err == nil {
			if of, err := uuid.Parse(claims.Subject); err == nil {
				return affiliate.Credit{ReferralID: of.String()}, nil
			}
		}
	}
	return affiliate.Credit{}, ErrToken
}

// Choose returns which claim of a checkout counts, of those in the order of their requests, by
// [affiliate.Attribution] of the program: the last one that is valid, or the first; and why others do not. The zero credit: none.
// What a claim says of its touchpoint decides nothing.
//
// Errors: those of [Issuer.Credit] of each claim that credits nobody and was looked at, joined.
func (i Issuer) Choose(program uuid.UUID, touch affiliate.Touch, claims ...Attribution) (affiliate.Credit, error) {
	if touch != affiliate.TouchFirst {
		claims = slices.Clone(claims)
		slices.Reverse(claims)
	}
	var failed error
	for _, a := range claims {
		credit, err := i.Credit(program, a)
		if err == nil {
			return credit, failed
		}
		failed = errors.Join(failed, err)
	}
	return affiliate.Credit{}, failed
}
