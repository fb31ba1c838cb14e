package engine

import (
	"context"

	"github.com/google/uuid"
)

// Seal returns what the store keeps of a secret in the record with the id.
func (p *Program) Seal(secret []byte, id uuid.UUID) ([]byte, error) {
	if p.Cfg.Seal == nil {
		return secret, nil
	}
	return p.Cfg.Seal(secret, id[:])
}

// Unseal is the inverse of seal.
func (p *Program) Unseal(ctx context.Context, kept []byte, id uuid.UUID) ([]byte, error) {
	if p.Cfg.Open == nil {
		return kept, nil
	}
	return p.open(ctx, kept, id[:])
}
