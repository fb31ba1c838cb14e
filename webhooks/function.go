package webhooks

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// functions returns a call of Any and of the function for the event's type; nil
// when neither is set.
func (r *Receiver) functions(e Event) (func(context.Context) error, error) {
	run, err := r.function(e)
	if r.Any == nil || err != nil {
		return run, err
	}
	return func(ctx context.Context) error {
		if err := r.Any(ctx, e); err != nil || run == nil {
			return err
		}
		return run(ctx)
	}, nil
}

// function returns a call of the function for the event's type, with the
// decoded body; nil when it is not set.
func (r *Receiver) function(e Event) (func(context.Context) error, error) {
	switch e.Type {
	case affiliate.AffiliateCreated:
		return typed(e, r.AffiliateCreated)
	case affiliate.AffiliateUpdated:
		return typed(e, r.AffiliateUpdated)
	case affiliate.AffiliateDeleted:
		return deleted(e, r.AffiliateDeleted)
	case affiliate.ReferralCreated:
		return typed(e, r.ReferralCreated)
	case affiliate.ReferralUpdated:
		return typed(e, r.ReferralUpdated)
	case affiliate.ReferralDeleted:
		return deleted(e, r.ReferralDeleted)
	case affiliate.SaleCreated:
		return typed(e, r.SaleCreated)
	case affiliate.SaleUpdated:
		return typed(e, r.SaleUpdated)
	case affiliate.SaleDeleted:
		return deletedSale(e, r.SaleDeleted)
	case affiliate.CouponCreated:
		return typed(e, r.CouponCreated)
	case affiliate.CouponUpdated:
		return typed(e, r.CouponUpdated)
	case affiliate.CouponDeleted:
		return deleted(e, r.CouponDeleted)
	case affiliate.PromocodeCreated:
		return typed(e, r.PromocodeCreated)
	case affiliate.PromocodeUpdated:
		return typed(e, r.PromocodeUpdated)
	case affiliate.PromocodeDeleted:
		return deleted(e, r.PromocodeDeleted)
	}
	if r.Other == nil {
		return nil, nil
	}
	return func(ctx context.Context) error { return r.Other(ctx, e) }, nil
}

func typed[T any](e Event, f func(context.Context, Event, T) error) (func(context.Context) error, error) {
	if f == nil {
		return nil, nil
	}
	body, err := Decode[T](e)
	return func(ctx context.Context) error { return f(ctx, e, body) }, err
}

func deleted(e Event, f func(context.Context, Event, uuid.UUID) error) (func(context.Context) error, error) {
	if f == nil {
		return nil, nil
	}
	body, err := Decode[affiliate.DeletedBody](e)
	return func(ctx context.Context) error { return f(ctx, e, body.ID) }, err
}

func deletedSale(e Event, f func(context.Context, Event, affiliate.SaleID) error) (func(context.Context) error, error) {
	if f == nil {
		return nil, nil
	}
	body, err := Decode[affiliate.DeletedSaleBody](e)
	return func(ctx context.Context) error { return f(ctx, e, body.ID) }, err
}
