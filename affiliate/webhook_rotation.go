package affiliate

import (
	"context"
	"time"

	"github.com/google/uuid"
)

const (
	defaultGrace  = 24 * 60 * 60     // seconds
	maxGrace      = 7 * defaultGrace // seconds
	maxOldSecrets = 2
)

// RotateSecret gives an endpoint a new secret and returns it. The old one also
// signs until the grace period ends, so that either side may switch first; at
// most two old ones are kept. With a grace period of 0 the old one stops
// signing at once.
//
// Errors: [MissingField] on webhookId, [InvalidField] on gracePeriodSeconds,
// [WebhookNotFound].
//
// Effects: the secrets of the endpoint; no event.
//
// Source: docs/contract.md 4.2.
func (p *Program) RotateSecret(ctx context.Context, in Rotation) (_ IssuedEndpoint, err error) {
	defer p.begin(&ctx, "RotateSecret", writes).end(&err)
	o := p.op(ctx)
	grace := in.GracePeriodSeconds.Or(defaultGrace)
	refused := first(in.check(grace))
	secret, err := o.newSecret()
	if err != nil {
		return IssuedEndpoint{}, err
	}
	record, err := o.secretRecord(secret, in.WebhookID)
	if err != nil {
		return IssuedEndpoint{}, err
	}
	rq := request{once: in.Once, name: "webhook.rotate", input: in, refused: refused, secret: secret}
	return write(o, rq, func() (IssuedEndpoint, error) {
		rec, err := o.endpoint(in.WebhookID)
		if err != nil {
			return IssuedEndpoint{}, err
		}
		rec.rotate(record, time.Duration(grace)*time.Second, o.now)
		if err := o.tx.Endpoints.Replace(rec); err != nil {
			return IssuedEndpoint{}, internal("rotate secret", err)
		}
		return IssuedEndpoint{Endpoint: endpointOf(rec, o.now), Secret: secret}, nil
	})
}

func (in Rotation) check(grace int64) *Error {
	if in.WebhookID == uuid.Nil {
		return webhookIDRequired.Err()
	}
	if grace < 0 || grace > maxGrace {
		return gracePeriodRange.Err()
	}
	return nil
}

// rotate puts a new secret in front. The present one expires after the grace
// period; none is kept when that is 0.
func (r *EndpointRecord) rotate(next SecretRecord, grace time.Duration, now Instant) {
	secrets := []SecretRecord{next}
	for _, s := range r.Secrets {
		if s.ExpiresAt.IsZero() {
			s.ExpiresAt = now.Add(grace)
		}
		if grace > 0 && s.signs(now) && len(secrets) <= maxOldSecrets {
			secrets = append(secrets, s)
		}
	}
	r.Secrets, r.UpdatedAt = secrets, later(now, r.UpdatedAt)
}

// signs reports whether a secret is still in use at a moment.
func (s SecretRecord) signs(now Instant) bool {
	return s.ExpiresAt.IsZero() || now.Before(s.ExpiresAt)
}

// graceEnds is the moment from which the newest secret signs alone; zero when
// it does already.
func (r EndpointRecord) graceEnds(now Instant) Instant {
	var end Instant
	for _, s := range r.Secrets {
		if s.ExpiresAt.After(end) && s.signs(now) {
			end = s.ExpiresAt
		}
	}
	return end
}
