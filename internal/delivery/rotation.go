package delivery

import (
	"context"
	"encoding/base64"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

const (
	defaultGrace  = 24 * 60 * 60     // seconds
	maxGrace      = 7 * defaultGrace // seconds
	MaxOldSecrets = 2
)

// RotateSecret implements tributary.Webhooks.RotateSecret.
func RotateSecret(ctx context.Context, p *engine.Program,
	in affiliate.Rotation) (_ affiliate.IssuedEndpoint, err error) {
	defer p.Begin(&ctx, "RotateSecret", engine.Writes).End(&err)
	o := p.Op(ctx)
	grace := in.GracePeriodSeconds.Or(defaultGrace)
	refused := refusal.First(rotationCheck(in, grace))
	secret, err := newSecret(o.Program)
	if err != nil {
		return affiliate.IssuedEndpoint{}, err
	}
	record, err := secretRecord(o.Program, secret, in.WebhookID)
	if err != nil {
		return affiliate.IssuedEndpoint{}, err
	}
	rq := engine.Request{Once: in.Once, Name: "webhook.rotate", Input: in, Refused: refused, Secret: secret}
	return engine.Write(o, rq, func() (affiliate.IssuedEndpoint, error) {
		rec, err := endpoint(o, in.WebhookID)
		if err != nil {
			return affiliate.IssuedEndpoint{}, err
		}
		rotate(&rec, record, time.Duration(grace)*time.Second, o.Now)
		if err := o.Tx.Endpoints.Replace(rec); err != nil {
			return affiliate.IssuedEndpoint{}, refusal.Internal("rotate secret", err)
		}
		return affiliate.IssuedEndpoint{Endpoint: endpointOf(rec, o.Now), Secret: secret}, nil
	})
}

func rotationCheck(in affiliate.Rotation, grace int64) *affiliate.Error {
	if in.WebhookID == uuid.Nil {
		return refusal.WebhookIDRequired.Err()
	}
	if grace < 0 || grace > maxGrace {
		return refusal.GracePeriodRange.Err()
	}
	return nil
}

// rotate adds a new secret. The present one expires after the grace period; with a
// period of 0 it is dropped.
func rotate(r *record.Endpoint, next record.Secret, grace time.Duration, now affiliate.Instant) {
	secrets := []record.Secret{next}
	for _, s := range r.Secrets {
		if s.ExpiresAt.IsZero() {
			s.ExpiresAt = now.Add(grace)
		}
		if grace > 0 && signs(s, now) && len(secrets) <= MaxOldSecrets {
			secrets = append(secrets, s)
		}
	}
	r.Secrets, r.UpdatedAt = secrets, engine.Later(now, r.UpdatedAt)
}

// signs reports whether a secret is still in use at a moment.
func signs(s record.Secret, now affiliate.Instant) bool {
	return s.ExpiresAt.IsZero() || now.Before(s.ExpiresAt)
}

// graceEnds returns the moment from which the newest secret signs alone; zero when
// it does already.
func graceEnds(r record.Endpoint, now affiliate.Instant) affiliate.Instant {
	var end affiliate.Instant
	for _, s := range r.Secrets {
		if s.ExpiresAt.After(end) && signs(s, now) {
			end = s.ExpiresAt
		}
	}
	return end
}

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
