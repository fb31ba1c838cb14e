package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// StoredKeys are keys that the store of a program keeps, so that people make and revoke them
// while it is used. The store has no secret, only its SHA-256. It is a value, safe for concurrent
// use.
type StoredKeys struct{ program *tributary.Program }

// KeysOf returns the stored keys of a program, which is not nil. Their names, to which idempotency keys
// belong, are not those of the keys of a [KeyRing] beside them: the host sees to it.
func KeysOf(p *tributary.Program) StoredKeys { return StoredKeys{p} }

// A StoredKey is a key as the store has it.
type StoredKey struct {
	Key                  // without a Secret
	Hint       string    `json:",omitzero"` // the last 4 characters of the secret
	MadeBy     string    `json:",omitzero"` // who made it; empty: nobody said
	MadeAt     time.Time `json:"-"`
	LastUsedAt time.Time `json:",omitzero"` // to the hour; zero: never
}

// keptKey is the JSON of a StoredKey; that of a Key is for people.
type keptKey struct {
	Name, Hint, MadeBy    string
	Scope                 Scope
	ExpiresAt, LastUsedAt time.Time
}

// usedEvery is how exact LastUsedAt is.
const usedEvery = time.Hour

func (s StoredKeys) values() tributary.Values { return s.program.Values("server-key") }

func (s StoredKeys) read(v affiliate.HostValue) (key StoredKey, err error) {
	var kept keptKey
	if err := json.Unmarshal(v.Value, &kept); err != nil {
		return key, fmt.Errorf("httpapi: a stored key: %w", err)
	}
	return StoredKey{Key: Key{Hash: hashPrefix + v.Name, Name: kept.Name, Scope: kept.Scope, ExpiresAt: kept.ExpiresAt},
		Hint: kept.Hint, MadeBy: kept.MadeBy, MadeAt: v.CreatedAt, LastUsedAt: kept.LastUsedAt}, nil
}

// Authority is an [Authority] of the keys. It notes when a key was used, to the hour.
func (s StoredKeys) Authority(ctx context.Context, secret string) (Access, error) {
	sum := sha256.Sum256([]byte(secret))
	v, err := s.values().Get(ctx, hex.EncodeToString(sum[:]))
	if errors.Is(err, affiliate.ErrNotFound) {
		return Access{}, refusal.RefuseToken.Err()
	}
	if err != nil {
		return Access{}, err
	}
	key, err := s.read(v)
	switch now := s.program.Config().Now(); {
	case err != nil:
		return Access{}, err
	case key.expired(s.program):
		return Access{}, refusal.RefuseToken.Err()
	case now.Sub(key.LastUsedAt) >= usedEvery:
		// Nothing rests on it: whoever calls does not fail with it.
		_ = s.change(ctx, v.Name, func(kept *keptKey) { kept.LastUsedAt = now })
	}
	return Access{s.program, key.Name, key.Scope}, nil
}

func (s StoredKeys) change(ctx context.Context, name string, change func(*keptKey)) error {
	return s.values().Change(ctx, name, func(was json.RawMessage) (json.RawMessage, error) {
		if was == nil {
			return nil, refusal.RefuseToken.Err() // revoked meanwhile
		}
		var kept keptKey
		if err := json.Unmarshal(was, &kept); err != nil {
			return nil, err
		}
		change(&kept)
		return json.Marshal(kept)
	})
}

// All returns the keys, the oldest first, those that have expired among them.
func (s StoredKeys) All(ctx context.Context) (keys []StoredKey, err error) {
	for v, err := range s.values().All(ctx) {
		if err != nil {
			return nil, err
		}
		key, err := s.read(v)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// Make makes a key with a name, a scope and perhaps an end, and returns its secret, which nobody
// can read again.
//
// Errors: [affiliate.InvalidField] (name, also when another key has it; scope, expiresAt).
func (s StoredKeys) Make(ctx context.Context, key Key, by string) (secret string, err error) {
	all, err := s.All(ctx)
	if err != nil {
		return "", err
	}
	cfg := s.program.Config()
	if err := refusal.First(
		refusal.FieldNotAName.About("name").When(!ValidName(key.Name) || isPlace(key.Name)),
		refusal.FieldNameTaken.About("name").When(slices.ContainsFunc(all, func(k StoredKey) bool { return k.Name == key.Name })),
		refusal.FieldNotAScope.About("scope").When(key.Scope.grant() == 0),
		refusal.FieldNotLater.About("expiresAt").When(key.expired(s.program)),
	); err != nil {
		return "", err
	}
	if secret, err = NewKey(cfg.Rand); err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(secret))
	return secret, s.values().Change(ctx, hex.EncodeToString(sum[:]), func(json.RawMessage) (json.RawMessage, error) {
		return json.Marshal(keptKey{Name: key.Name, Scope: key.Scope, ExpiresAt: key.ExpiresAt, MadeBy: by, Hint: secret[len(secret)-4:]})
	})
}

// Revoke ends a key at once.
//
// Errors: [affiliate.ErrNotFound].
func (s StoredKeys) Revoke(ctx context.Context, name string) error {
	all, err := s.All(ctx)
	if err != nil {
		return err
	}
	err = affiliate.ErrNotFound
	for _, key := range all { // two, when two were made at once
		if key.Name != name {
			continue
		}
		if err = s.values().Change(ctx, key.Hash[len(hashPrefix):], func(json.RawMessage) (json.RawMessage, error) { return nil, nil }); err != nil {
			return err
		}
	}
	return err
}
