package affiliate

import (
	"fmt"
	"io"
	"log/slog"
)

// A Secret signs the deliveries of an endpoint: "whsec_" and the standard
// base64 of 32 random bytes. It is written as whsec_*** by fmt, JSON, text
// encoding and slog. Only [Secret.Reveal] returns the value. Two cases cannot
// be masked: the verb %p, which go vet refuses here, and the keys of a map in
// JSON.
//
// Source: docs/contract.md 4.2.
type Secret string

// SecretPrefix begins every secret.
const SecretPrefix = "whsec_"

const secretMask = SecretPrefix + "***"

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

// LogValue returns whsec_***.
func (s Secret) LogValue() slog.Value { return slog.StringValue(secretMask) }
