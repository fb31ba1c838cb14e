package robustness

import (
	"context"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/api"
)

// A plant is a planted bug: in the store that the program uses, or in what a
// client calls. The zero plant is none.
type plant struct {
	name   string
	trade  string // that shows it
	lost   bool   // it needs lost answers
	store  func(s record.Store, late *lateThings) record.Store
	client func(c culprit) api.Operations
}

// A culprit is what a planted bug in a client has at hand.
type culprit struct {
	api.Operations                    // what the client calls
	program        *tributary.Program // on the store itself
	store          record.Store
	late           *lateThings
}

func (pl plant) inStore(s record.Store, late *lateThings) record.Store {
	if pl.store == nil {
		return s
	}
	return pl.store(s, late)
}

func (pl plant) inClient(ops api.Operations, p *tributary.Program, s record.Store, late *lateThings) api.Operations {
	if pl.client == nil {
		return ops
	}
	return pl.client(culprit{ops, p, s, late})
}

// plants are the planted bugs: the seven of reliability.md G06, and seven more.
func plants() []plant {
	return []plant{
		{name: "check, then act", trade: "redemption", store: func(s record.Store, _ *lateThings) record.Store { return early{s} }},
		{name: "torn read", trade: "redemption", client: func(c culprit) api.Operations { return torn{c} }},
		{name: "stale answer of an update", trade: "redemption", client: func(c culprit) api.Operations { return staleAnswer{c} }},
		{name: "stale active", trade: "redemption", store: staleActive},
		{name: "late delete of a coupon", trade: "redemption", client: func(c culprit) api.Operations { return lateDelete{c} }},
		{name: "double increment", trade: "redemption", store: doubled},
		{name: "counter rolled back on a failed sale", trade: "redemption", client: func(c culprit) api.Operations { return fallsOnFailure{c} }},
		{name: "event without commit", trade: "redemption", client: func(c culprit) api.Operations { return ghostEvent{c} }},
		{name: "acknowledged before the write", trade: "redemption", store: func(s record.Store, l *lateThings) record.Store { return hasty{s, l} }},
		{name: "repeat without a key", trade: "redemption", lost: true, client: func(c culprit) api.Operations { return blind{c} }},
		{name: "counter falls on a refund", trade: "redemption", client: func(c culprit) api.Operations { return fallsOnRefund{c} }},
		{name: "payout paid twice", trade: "treasury", store: func(s record.Store, _ *lateThings) record.Store { return paidTwice{s} }},
		{name: "movement forgotten", trade: "treasury", store: forgetful},
		{name: "change without its event", trade: "signup", store: silent},
	}
}

// plantNamed is the planted bug of a name; none for the empty name.
func plantNamed(name string) plant {
	for _, pl := range plants() {
		if pl.name == name {
			return pl
		}
	}
	return plant{}
}

// torn reads the counters of a coupon and those of its codes one after the
// other.
type torn struct{ culprit }

func (c torn) Coupon(ctx context.Context, ref affiliate.CouponRef) (affiliate.Coupon, error) {
	first, err := c.culprit.Coupon(ctx, ref)
	if err != nil {
		return first, err
	}
	second, err := c.culprit.Coupon(ctx, ref)
	first.PromotionalCodes = second.PromotionalCodes
	return first, err
}

// staleAnswer answers the update of a coupon with its counter of before.
type staleAnswer struct{ culprit }

func (c staleAnswer) UpdateCoupon(ctx context.Context, id affiliateID, up affiliate.CouponUpdate) (affiliate.Coupon, error) {
	was, err := c.culprit.Coupon(ctx, affiliate.CouponRef{ID: id})
	if err != nil {
		return was, err
	}
	got, err := c.culprit.UpdateCoupon(ctx, id, up)
	got.TimesRedeemed = was.TimesRedeemed
	return got, err
}

// lateDelete says that a coupon is deleted, and deletes it then.
type lateDelete struct{ culprit }

func (c lateDelete) DeleteCoupon(ctx context.Context, ref affiliateID) (affiliate.DeletedCoupon, error) {
	if _, err := c.program.Coupon(ctx, affiliate.CouponRef{ID: ref}); err != nil {
		return affiliate.DeletedCoupon{}, err
	}
	c.late.do(func() {
		<-time.After(20 * time.Millisecond)
		_, _ = c.program.DeleteCoupon(ctx, ref) // an error means that it is gone
	})
	return affiliate.DeletedCoupon{ID: ref}, nil
}

// fallsOnFailure takes a redemption back that a refused sale never made.
type fallsOnFailure struct{ culprit }

func (c fallsOnFailure) RecordSale(ctx context.Context, in affiliate.SaleParams) (affiliate.SaleResult, error) {
	got, err := c.culprit.RecordSale(ctx, in)
	if fateOf(err).limit {
		c.fall(ctx, in.PromoCode)
	}
	return got, err
}

// fallsOnRefund takes a redemption back when its sale is refunded.
type fallsOnRefund struct{ culprit }

func (c fallsOnRefund) RefundSale(ctx context.Context, in affiliate.Refund) (affiliate.RefundResult, error) {
	got, err := c.culprit.RefundSale(ctx, in)
	if err == nil && got.Reason == affiliate.RefundedInFull {
		c.fall(ctx, codeText(1))
	}
	return got, err
}

// fall lowers the counter of a code.
func (c culprit) fall(ctx context.Context, code string) {
	_ = c.store.Update(ctx, c.program.Config().ID, func(tx *record.Tx) error {
		rec, err := tx.Codes.Find(record.Key{Index: record.ByCode, Text: code})
		if err != nil || rec.TimesRedeemed == 0 {
			return err
		}
		rec.TimesRedeemed--
		return tx.Codes.Replace(rec)
	})
}

// ghostEvent tells of a sale that was refused.
type ghostEvent struct{ culprit }

func (c ghostEvent) RecordSale(ctx context.Context, in affiliate.SaleParams) (affiliate.SaleResult, error) {
	got, err := c.culprit.RecordSale(ctx, in)
	if fateOf(err).limit {
		_ = c.store.Update(ctx, c.program.Config().ID, c.tell)
	}
	return got, err
}

// tell copies an event of a sale.
func (c ghostEvent) tell(tx *record.Tx) error {
	for rec, err := range tx.Events.List(record.Query{Desc: true}) {
		if err != nil {
			return err
		}
		if rec.Type == affiliate.SaleCreated {
			rec.ID = newEventID()
			return tx.Events.Insert(rec)
		}
	}
	return nil
}

// blind repeats a sale without its key when the answer is lost.
type blind struct{ culprit }

func (c blind) RecordSale(ctx context.Context, in affiliate.SaleParams) (affiliate.SaleResult, error) {
	got, err := c.culprit.RecordSale(ctx, in)
	for fateOf(err).unknown {
		in.Once = affiliate.Once{}
		got, err = c.culprit.RecordSale(ctx, in)
	}
	return got, err
}
