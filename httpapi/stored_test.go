package httpapi_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
)

// TestStoredKeys: a key that was made opens its program with its scope until it ends or is revoked,
// in every process that has the store, and nobody reads it again.
func TestStoredKeys(t *testing.T) {
	now, store := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC), memstore.New()
	open := func() httpapi.StoredKeys {
		p, err := tributary.New(store, tributary.Config{Name: "Shop", Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		return httpapi.KeysOf(p)
	}
	keys, ctx := open(), t.Context()
	secret, err := keys.Make(ctx, httpapi.Key{Name: "shop", Scope: httpapi.ScopeIntegration, ExpiresAt: now.Add(48 * time.Hour)}, "ada")
	if err != nil || !strings.HasPrefix(secret, "tributary_") {
		t.Fatalf("made %d characters, %v", len(secret), err)
	}
	made := now
	now = now.Add(30 * time.Minute)
	access, err := open().Authority(ctx, secret)
	if err != nil || access.KeyName != "shop" || access.Scope != httpapi.ScopeIntegration {
		t.Fatalf("it opens %+v, %v", access, err)
	}
	used := now
	now = now.Add(59 * time.Minute) // within the hour nothing is written
	if _, err := keys.Authority(ctx, secret); err != nil {
		t.Fatal(err)
	}
	all, err := keys.All(ctx)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d keys, %v", len(all), err)
	}
	k := all[0]
	got := []any{k.Name, k.Scope, k.MadeBy, k.Hint, k.MadeAt, k.LastUsedAt, k.Secret}
	if diff := cmp.Diff([]any{"shop", httpapi.ScopeIntegration, "ada", secret[len(secret)-4:], made, used, ""}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if text := fmt.Sprintf("%v %+v", all, k); strings.Contains(text, secret) {
		t.Error("it prints the secret")
	}
	for _, wrong := range []string{secret + "x", "tributary_", strings.Repeat("x", 53)} {
		if _, err := keys.Authority(ctx, wrong); !errors.Is(err, httpapi.RefuseToken()) && err == nil {
			t.Errorf("%q opens it", wrong)
		}
	}
	now = made.Add(48*time.Hour + time.Nanosecond)
	if _, err := keys.Authority(ctx, secret); err == nil {
		t.Error("it works after its end")
	}
	now = made
	if err := keys.Revoke(ctx, "shop"); err != nil {
		t.Fatal(err)
	}
	if _, err := keys.Authority(ctx, secret); err == nil {
		t.Error("it works after it was revoked")
	}
	if err := keys.Revoke(ctx, "shop"); !errors.Is(err, affiliate.ErrNotFound) {
		t.Errorf("revoked again: %v", err)
	}
}

// TestStoredKeysRefused: what cannot be a key is refused, and none is made.
func TestStoredKeysRefused(t *testing.T) {
	now := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
	p, err := tributary.New(memstore.New(), tributary.Config{Name: "Shop", Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	keys := httpapi.KeysOf(p)
	if _, err := keys.Make(t.Context(), httpapi.Key{Name: "desk"}, ""); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		key   httpapi.Key
		field string
	}{
		{httpapi.Key{}, "name"}, {httpapi.Key{Name: "a b"}, "name"}, {httpapi.Key{Name: "key-7"}, "name"}, {httpapi.Key{Name: "desk"}, "name"},
		{httpapi.Key{Name: "x", Scope: "root"}, "scope"}, {httpapi.Key{Name: "x", ExpiresAt: now.Add(-time.Second)}, "expiresAt"},
	} {
		_, err := keys.Make(t.Context(), tt.key, "")
		if why, _ := errors.AsType[*affiliate.Error](err); why == nil || why.Field != tt.field {
			t.Errorf("%v: %v", tt.key, err)
		}
	}
	if all, err := keys.All(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("%d keys, %v", len(all), err)
	}
}

// TestStoredKeysOfOneName: when two keys of a name were made at once, revoking ends both.
func TestStoredKeysOfOneName(t *testing.T) {
	p, err := tributary.New(memstore.New(), tributary.Config{Name: "Shop"})
	if err != nil {
		t.Fatal(err)
	}
	keys, ctx := httpapi.KeysOf(p), t.Context()
	first, err := keys.Make(ctx, httpapi.Key{Name: "shop"}, "")
	if err != nil {
		t.Fatal(err)
	}
	second, kept := strings.Repeat("s", 40), p.Values("server-key")
	for v, err := range kept.All(ctx) { // the other one, as of who made it at the same moment
		if err != nil {
			t.Fatal(err)
		}
		err = kept.Change(ctx, fmt.Sprintf("%x", sha256.Sum256([]byte(second))), func(json.RawMessage) (json.RawMessage, error) { return v.Value, nil })
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	for _, secret := range []string{first, second} {
		if _, err := keys.Authority(ctx, secret); err != nil {
			t.Fatal(err)
		}
	}
	if err := keys.Revoke(ctx, "shop"); err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{first, second} {
		if _, err := keys.Authority(ctx, secret); err == nil {
			t.Fatal("a revoked key opens the program")
		}
	}
}
