package engine_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// The same key with any other field of the request is refused (B428, B429,
// B433), and nothing is written.
func TestOnceReused(t *testing.T) {
	scene.EachCreate(t, func(t *testing.T, s scene.OnceShop, c scene.OnceCreate) {
		o := affiliate.Once{Key: "k"}
		scene.Must(c.Run(s.Program, c.Input, o))
		want := affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.IdempotencyKeyReused, Message: "Idempotency-Key was already used with a different request"}
		for _, field := range scene.Variants(t, c.Input) {
			t.Run(field.Name, func(t *testing.T) {
				s.Refused(want, func() error { _, err := c.Run(s.Program, field.Input, o); return err })
			})
		}
		for _, other := range s.Creates() {
			if !reflect.DeepEqual(other.Input, c.Input) {
				s.Refused(want, func() error { _, err := other.Run(s.Program, other.Input, o); return err })
			}
		}
	})
}

// A digest from the caller stands for the request: the engine ignores the
// input.
func TestOnceDigest(t *testing.T) {
	scene.EachCreate(t, func(t *testing.T, s scene.OnceShop, c scene.OnceCreate) {
		o := affiliate.Once{Key: "k", Digest: [32]byte{1}}
		first := scene.Must(c.Run(s.Program, c.Input, o))
		for _, field := range scene.Variants(t, c.Input) {
			c.Input = field.Input
			s.Replayed(t, c, o, first, nil)
		}
		if _, err := c.Run(s.Program, c.Input, affiliate.Once{Key: "k", Digest: [32]byte{2}}); !errors.Is(err, affiliate.IdempotencyKeyReused) {
			t.Errorf("another digest: %v", err)
		}
	})
}
