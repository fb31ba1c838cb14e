package engine_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// The same key with the same request returns the first answer and has no second
// effect (B427). After a day the key can be used again (B436).
func TestOnceReplaysAnswers(t *testing.T) {
	scene.EachCreate(t, func(t *testing.T, s scene.OnceShop, c scene.OnceCreate) {
		o := affiliate.Once{Key: "k", Replayed: func([]byte) { t.Error("the first answer is called a replay") }}
		first := scene.Must(c.Run(s.Program, c.Input, o))
		s.Replayed(t, c, o, first, nil)
		s.Pass(24*time.Hour - time.Second)
		s.Replayed(t, c, o, first, nil)
	})
}

func TestOnceDay(t *testing.T) {
	s := scene.NewOnceShop(t, memstore.New())
	c := s.Creates()["RecordSale"]
	o := affiliate.Once{Key: "k"}
	first := scene.Must(c.Run(s.Program, c.Input, o))
	s.Pass(24*time.Hour + time.Second)
	second := scene.Must(c.Run(s.Program, c.Input, o))
	if scene.Wire(first) == scene.Wire(second) {
		t.Error("after a day the key still gives the first answer")
	}
	s.Replayed(t, c, o, second, nil)
	s.Pass(23 * time.Hour)
	s.Replayed(t, c, o, second, nil)
	if n := len(s.Dump()["receipts"]); n != 1 {
		t.Errorf("%d receipts of one key", n)
	}
	s.Verifies()
}

// An invalid key is refused before all other checks (B425).
func TestOnceKeySyntax(t *testing.T) {
	want := affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.IdempotencyKeyInvalid, Message: "Idempotency-Key is invalid"}
	scene.EachCreate(t, func(t *testing.T, s scene.OnceShop, c scene.OnceCreate) {
		for _, key := range []string{strings.Repeat("k", 256), "a b", " a", "a\tb", "a\n", "\x00", "a\x7f", "ä", "\xff"} {
			for _, input := range []any{c.Input, reflect.Zero(reflect.TypeOf(c.Input)).Interface()} {
				s.Refused(want, func() error { _, err := c.Run(s.Program, input, affiliate.Once{Key: key}); return err })
			}
		}
		for _, key := range []string{"!", "~", strings.Repeat("k", 255)} {
			o := affiliate.Once{Key: key}
			first, err := c.Run(s.Program, c.Input, o)
			s.Replayed(t, c, o, first, err)
		}
	})
}

// A key belongs to its program (B431).
func TestOnceScope(t *testing.T) {
	store := memstore.New()
	one := scene.NewOnceShop(t, store)
	two := scene.NewOnceShop(t, store, func(c *tributary.Config) { c.ID = uuid.UUID{1} })
	for name, c := range one.Creates() {
		o := affiliate.Once{Key: name}
		first, err := c.Run(one.Program, c.Input, o)
		d := two.Creates()[name]
		o.Replayed = func([]byte) { t.Errorf("%s: the other program replays", name) }
		if _, other := d.Run(two.Program, d.Input, o); other != nil && err == nil {
			t.Errorf("%s: %v in the other program", name, other)
		}
		if err == nil {
			one.Replayed(t, c, affiliate.Once{Key: name}, first, nil)
		}
	}
	one.Verifies()
	two.Verifies()
}

// An answer with a secret is sealed like the secret (SEC49).
func TestOnceSealed(t *testing.T) {
	s := scene.NewOnceShop(t, memstore.New(), scene.Sealed)
	for _, name := range []string{"CreateEndpoint", "RotateSecret"} {
		c := s.Creates()[name]
		o := affiliate.Once{Key: name}
		first := scene.Must(c.Run(s.Program, c.Input, o)).(affiliate.IssuedEndpoint)
		secret := first.Secret.Reveal()
		err := s.Store.View(t.Context(), s.Config().ID, func(tx *record.Tx) error {
			rec, err := tx.Receipts.Find(record.Key{Index: record.ByRequest, Text: name})
			if err == nil && (!rec.Sealed || strings.Contains(string(rec.Answer.Bytes()), secret[len("whsec_"):])) {
				t.Errorf("%s: the receipt shows the secret", name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Replayed(t, c, o, first, nil)
		if got := scene.Must(c.Run(s.Program, c.Input, o)).(affiliate.IssuedEndpoint); got.Secret.Reveal() != secret {
			t.Errorf("%s: another secret is replayed", name)
		}
		(&scene.Ledger{World: s.World}).Without(secret[len("whsec_"):])
	}
}
