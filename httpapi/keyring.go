package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A ring is a fixed set of keys. It keeps their digests only.
type ring map[[sha256.Size]byte]opened

// An opened is a key of a ring, without its secret, and what it opens.
type opened struct {
	digest [sha256.Size]byte
	key    Key
	access Access
}

// KeyRing returns the [Authority] of a fixed set of keys of one program. It keeps
// only their SHA-256 digests and compares them in constant time.
//
// Errors: p is nil, there is no key, a secret is not 20–256 visible ASCII
// characters, a key has both a secret and a hash or neither, a hash is
// malformed, two keys have the same secret, or the same name and are not the old
// and the new secret of one caller, a name or scope is unknown.
// An error names the key and never shows it.
func KeyRing(p *tributary.Program, keys ...Key) (Authority, error) {
	if p == nil {
		return nil, errors.New("httpapi: an API key has no program")
	}
	if len(keys) == 0 {
		return nil, errors.New("httpapi: no API key")
	}
	known, names := ring{}, map[string]Key{}
	for i, key := range keys {
		if key.Name == "" {
			key.Name = placeName(i)
		}
		if !validName(key.Name) {
			return nil, fmt.Errorf("httpapi: the name of key %d must be 1–64 characters of A–Z a–z 0–9 . _ -", i+1)
		}
		if other, twice := names[key.Name]; twice && (isPlace(key.Name) || !rotates(other, key)) {
			return nil, fmt.Errorf("httpapi: two keys are called %s", key.Name)
		}
		names[key.Name] = key
		if err := known.add(p, "key "+key.Name, key); err != nil {
			return nil, err
		}
	}
	return known.authority, nil
}

// rotates reports whether two keys of one name are the old and the new secret of
// one caller: they may do the same, and one of them has an end.
func rotates(a, b Key) bool {
	return a.Scope == b.Scope && a.ExpiresAt.IsZero() != b.ExpiresAt.IsZero()
}

// Keys returns the [Authority] of plain keys, each of which opens its program in
// full. It keeps only their SHA-256 digests and compares them in constant time.
//
// Errors: programs is empty, a key is not 20–256 visible ASCII characters, a
// key has no program.
func Keys(programs map[string]*tributary.Program) (Authority, error) {
	if len(programs) == 0 {
		return nil, errors.New("httpapi: no API key")
	}
	known := ring{}
	for i, secret := range slices.Sorted(maps.Keys(programs)) {
		if programs[secret] == nil {
			return nil, errors.New("httpapi: an API key has no program")
		}
		key := Key{Secret: secret, Name: placeName(i)}
		if err := known.add(programs[secret], "an API key", key); err != nil {
			return nil, err
		}
	}
	return known.authority, nil
}

// add puts a key into the ring. An error calls it by name.
func (r ring) add(p *tributary.Program, name string, key Key) error {
	if key.Scope.grant() == 0 {
		return fmt.Errorf("httpapi: the scope of %s is not full, integration or read", name)
	}
	sum, err := key.digest(name)
	if err != nil {
		return err
	}
	if before, twice := r[sum]; twice {
		return fmt.Errorf("httpapi: %s and key %s have the same secret", name, before.key.Name)
	}
	key.Secret, key.Hash = "", ""
	r[sum] = opened{sum, key, Access{p, key.Name, key.Scope}}
	return nil
}

// authority returns an [Authority].
func (r ring) authority(_ context.Context, secret string) (Access, error) {
	sum := sha256.Sum256([]byte(secret))
	found := r[sum]
	if subtle.ConstantTimeCompare(found.digest[:], sum[:]) != 1 || found.key.expired(found.access.Program) {
		return Access{}, refusal.RefuseToken.Err()
	}
	return found.access, nil
}
