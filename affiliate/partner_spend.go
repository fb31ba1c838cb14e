package affiliate

import (
	"context"
	"errors"
)

// spent is the key under which a name of the affiliate is spent. Its owner is nobody
// who sends idempotency keys, so it meets none.
func (v Partner) spent(name string) Once { return Once{Key: name, Owner: "spent:" + v.id.String()} }

// Spend notes that something of the affiliate that counts once was used, such as a
// token in a link, and reports whether this was the first time. The note is a
// receipt: it holds for every process on the store, for 24 hours, so what is spent
// must end before. name has 1–255 visible ASCII characters. The affiliate need not
// exist.
//
// Errors: [IdempotencyKeyInvalid] for another name; those of the store, after which
// it may be spent.
//
// Source: docs/contract.md 1.8.
func (v Partner) Spend(ctx context.Context, name string) (first bool, err error) {
	defer v.p.begin(&ctx, "PartnerSpend", writes).end(&err)
	if name == "" {
		return false, RefuseKey.Err()
	}
	once, again := v.spent(name), false
	once.Replayed = func([]byte) { again = true }
	_, err = write(v.p.op(ctx), request{once: once, name: "spend"}, func() (struct{}, error) { return struct{}{}, nil })
	return err == nil && !again, err
}

// Spent reports whether a name was spent in the last 24 hours.
//
// Errors: those of the store.
func (v Partner) Spent(ctx context.Context, name string) (spent bool, err error) {
	defer v.p.begin(&ctx, "PartnerSpent", reads).end(&err)
	return view(ctx, v.p, func(o *op) (bool, error) {
		_, expired, err := o.receiptOf(v.spent(name).owned())
		if errors.Is(err, ErrNotFound) {
			return false, nil
		}
		return err == nil && !expired, err
	})
}
