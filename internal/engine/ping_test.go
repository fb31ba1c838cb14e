package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// A counted is a store that counts its transactions, and can fail them.
type counted struct {
	record.Store
	opened int
	err    error
}

func (s *counted) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	if s.opened++; s.err != nil {
		return s.err
	}
	return s.Store.View(ctx, id, fn)
}

func (s *counted) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	if s.opened++; s.err != nil {
		return s.err
	}
	return s.Store.Update(ctx, id, fn)
}

// New names what is missing, and does not use the store.
func TestNewOpensNothing(t *testing.T) {
	var none *memstore.Store
	for name, store := range map[string]record.Store{"nil": nil, "nil pointer": none} {
		if _, err := tributary.New(store, tributary.Config{}); err == nil || err.Error() != "affiliate: New needs a Store" {
			t.Errorf("%s: error %v", name, err)
		}
	}
	s := &counted{Store: memstore.New(), err: errors.New("down")}
	p, err := tributary.New(s, tributary.Config{})
	if err != nil || s.opened != 0 {
		t.Fatalf("New on a store that is down: error %v after %d transactions", err, s.opened)
	}
	if err := p.Ping(t.Context()); !errors.Is(err, s.err) || s.opened != 1 {
		t.Errorf("Ping: error %v after %d transactions", err, s.opened)
	}
	s.err = nil
	if err := p.Ping(t.Context()); err != nil {
		t.Errorf("Ping, the store is back: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := p.Ping(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("Ping with a context that has ended: %v", err)
	}
}

// Ping, and the first use, name a table that a store does not have.
func TestIncompleteStore(t *testing.T) {
	ctx := t.Context()
	p := scene.Must(tributary.New(saleless{memstore.New()}, tributary.Config{}))
	for name, use := range map[string]func() error{
		"Ping": func() error { return p.Ping(ctx) },
		"read": func() error {
			_, err := p.Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{})
			return err
		},
		"write": func() error {
			_, err := p.CreateCoupon(ctx, affiliate.CouponParams{Name: "c", PercentOff: scene.Percent("5")})
			return err
		},
		"Evaluate": func() error { _, err := p.Evaluate(ctx, affiliate.Order{PromoCode: "ADA20"}); return err },
		"Verify":   func() error { return p.Verify(ctx) },
		"With": func() error {
			_, err := p.With(saleless{memstore.New()}).Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{})
			return err
		},
	} {
		if err := use(); err == nil || !strings.Contains(err.Error(), "the store has no sales") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := p.With(memstore.New()).Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{}); err != nil {
		t.Errorf("With a complete store: %v", err)
	}
	whole := scene.Must(tributary.New(memstore.New(), tributary.Config{}))
	scene.Must(whole.Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{}))
	if _, err := whole.With(saleless{memstore.New()}).Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{}); err == nil {
		t.Error("a complete store vouches for another")
	}
}
