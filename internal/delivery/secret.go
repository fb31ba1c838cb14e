package delivery

import (
	"encoding/base64"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

const secretHint = 4 // characters that an endpoint shows of its secret

// hint returns the end of the secret, by which people tell secrets apart.
func hint(s affiliate.Secret) string { return string(s[max(0, len(s)-secretHint):]) }

// newSecret draws a secret.
func newSecret(p *engine.Program) (affiliate.Secret, error) {
	raw, err := p.IDs.Bytes(32)
	if err != nil {
		return "", refusal.Internal("draw secret", err)
	}
	return affiliate.Secret(affiliate.SecretPrefix + base64.StdEncoding.EncodeToString(raw)), nil
}

// secretRecord returns what an endpoint keeps of its newest secret.
func secretRecord(p *engine.Program, s affiliate.Secret, endpoint uuid.UUID) (record.Secret, error) {
	sealed, err := p.Seal([]byte(s), endpoint)
	if err != nil {
		return record.Secret{}, refusal.Internal("seal secret", err)
	}
	return record.Secret{Value: sealed, Hint: hint(s)}, nil
}
