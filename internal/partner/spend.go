package partner

import (
	"context"
	"errors"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// spent returns the key under which a name of the affiliate is used up. Its owner sends
// no idempotency keys, so it never meets one.
func (v Partner) spent(name string) affiliate.Once {
	return affiliate.Once{Key: name, Owner: "spent:" + v.id.String()}
}

// Spend implements tributary.Partner.Spend.
func (v Partner) Spend(ctx context.Context, name string) (first bool, err error) {
	defer v.p.Begin(&ctx, "PartnerSpend", engine.Writes).End(&err)
	if name == "" {
		return false, refusal.RefuseKey.Err()
	}
	once, again := v.spent(name), false
	once.Replayed = func([]byte) { again = true }
	_, err = engine.Write(v.p.Op(ctx), engine.Request{Once: once, Name: "spend"}, func() (struct{}, error) { return struct{}{}, nil })
	return err == nil && !again, err
}

// Spent implements tributary.Partner.Spent.
func (v Partner) Spent(ctx context.Context, name string) (spent bool, err error) {
	defer v.p.Begin(&ctx, "PartnerSpent", engine.Reads).End(&err)
	return engine.View(ctx, v.p, func(o *engine.Op) (bool, error) {
		_, expired, err := o.ReceiptOf(engine.OwnedKey(v.spent(name)))
		if errors.Is(err, affiliate.ErrNotFound) {
			return false, nil
		}
		return err == nil && !expired, err
	})
}
