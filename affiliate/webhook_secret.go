package affiliate

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"

	"github.com/google/uuid"
)

// A Secret signs the deliveries of an endpoint: "whsec_" and the standard
// base64 of 32 random bytes. It is written as whsec_*** by fmt, JSON, text
// encoding and slog. Only [Secret.Reveal] returns the value. Two cases cannot
// be masked: the verb %p, which go vet refuses here, and the keys of a map in
// JSON.
//
// Source: docs/contract.md 4.2.
type Secret string

// SecretPrefix is how every secret begins.
const SecretPrefix = "whsec_"

const (
	secretMask = SecretPrefix + "***"
	secretHint = 4 // characters that an endpoint shows of its secret
)

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// String returns whsec_***.
func (s Secret) String() string { return secretMask }

// GoString returns whsec_***.
func (s Secret) GoString() string { return secretMask }

// Format writes whsec_*** whatever the verb and its flags.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, secretMask) }

// MarshalText writes whsec_***.
func (s Secret) MarshalText() ([]byte, error) { return []byte(secretMask), nil }

// MarshalJSON writes "whsec_***".
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + secretMask + `"`), nil }

// LogValue is whsec_***.
func (s Secret) LogValue() slog.Value { return slog.StringValue(secretMask) }

// hint is the end of the secret, by which people tell secrets apart.
func (s Secret) hint() string { return string(s[max(0, len(s)-secretHint):]) }

// newSecret draws a secret.
func (p *Program) newSecret() (Secret, error) {
	raw, err := p.ids.Bytes(32)
	if err != nil {
		return "", internal("draw secret", err)
	}
	return Secret(SecretPrefix + base64.StdEncoding.EncodeToString(raw)), nil
}

// secretRecord is what an endpoint keeps of its newest secret.
func (p *Program) secretRecord(s Secret, endpoint uuid.UUID) (SecretRecord, error) {
	sealed, err := p.seal([]byte(s), endpoint)
	if err != nil {
		return SecretRecord{}, internal("seal secret", err)
	}
	return SecretRecord{Value: sealed, Hint: s.hint()}, nil
}

// seal is what the store keeps of a secret that stands in the record id.
func (p *Program) seal(secret []byte, id uuid.UUID) ([]byte, error) {
	if p.cfg.Seal == nil {
		return secret, nil
	}
	return p.cfg.Seal(secret, id[:])
}

// unseal is the inverse of seal.
func (p *Program) unseal(ctx context.Context, kept []byte, id uuid.UUID) ([]byte, error) {
	if p.cfg.Open == nil {
		return kept, nil
	}
	return p.open(ctx, kept, id[:])
}
