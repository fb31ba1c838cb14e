package webhooks

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

const (
	defaultMaxBody = 8 << 20
	retryAfter     = "5" // seconds
)

// A Receiver is the handler of the URL that events are sent to. It verifies a
// request, reads the event and calls the function in the field of its type.
// Only Verifier is required. When the field of a type is nil, its events are
// acknowledged and dropped.
//
// The answer is 204 when the function has returned nil. After any other answer
// the sender sends again, so a function may be called twice for one event. With
// a Dedup it is not called again once it has succeeded. Events arrive in any
// order: to mirror an object, keep the highest [Event.Revision]. Test
// deliveries arrive like all others and have [Event.Test] set. A function gets
// the context of the request, which ends when the sender stops waiting, usually
// after 15 seconds.
//
// Method, content type, headers, time and the form of the signatures are
// checked before the body is read. Then the body is read into memory and hashed
// once for each secret. ReadTimeout of the http.Server limits the time for
// that, and MaxBody the memory.
//
// A Receiver is safe for concurrent use as long as its fields are not changed.
//
// Source: docs/webhooks.md 3.3.
type Receiver struct {
	Verifier *Verifier

	// MaxBody is in bytes; zero: 8 MiB. The event of a coupon has all its
	// codes, about 425 bytes each, so 8 MiB are enough for about 19,700 codes.
	// A receiver of larger coupons needs more.
	MaxBody int64

	Dedup       Dedup                      // nil: every delivery is handled
	DedupPrefix string                     // is put before each id; receivers that share a Dedup need different ones
	OnError     func(*http.Request, error) // called for every request that is not answered 204; nil: not called

	AffiliateCreated func(context.Context, Event, affiliate.AffiliateBody) error
	AffiliateUpdated func(context.Context, Event, affiliate.AffiliateBody) error
	AffiliateDeleted func(context.Context, Event, uuid.UUID) error
	ReferralCreated  func(context.Context, Event, affiliate.ReferralBody) error
	ReferralUpdated  func(context.Context, Event, affiliate.ReferralBody) error
	ReferralDeleted  func(context.Context, Event, uuid.UUID) error
	SaleCreated      func(context.Context, Event, affiliate.Sale) error
	SaleUpdated      func(context.Context, Event, affiliate.Sale) error
	SaleDeleted      func(context.Context, Event, affiliate.SaleID) error
	CouponCreated    func(context.Context, Event, affiliate.Coupon) error
	CouponUpdated    func(context.Context, Event, affiliate.Coupon) error
	CouponDeleted    func(context.Context, Event, uuid.UUID) error
	PromocodeCreated func(context.Context, Event, affiliate.Code) error
	PromocodeUpdated func(context.Context, Event, affiliate.Code) error
	PromocodeDeleted func(context.Context, Event, uuid.UUID) error

	Other func(context.Context, Event) error // for types that this version does not know

	// Any is called for every event before the function of its type. When Any
	// fails, that function is not called. With a Dedup the event is done when
	// both have succeeded.
	Any func(context.Context, Event) error
}

// ServeHTTP answers 204 when the event was handled, now or before, and when it
// has no function. Otherwise it answers
//
//	400  malformed headers or payload
//	401  wrong time or signature; the text is always the same
//	405  not POST
//	413  body over MaxBody
//	415  not JSON, or with a content encoding
//	500  the function failed or panicked, or the configuration is wrong
//	503  the same event is being handled, with Retry-After
//
// Effects: calls Any and the function of the type, at most once each, and
// OnError unless the answer is 204.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	status, err := r.serve(w, req)
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if r.OnError != nil {
		r.OnError(req, err)
	}
	switch status {
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodPost)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", retryAfter)
	}
	http.Error(w, http.StatusText(status), status)
}

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
// decoded body; nil when it is not set. It is long because it has a row for each
// of the fifteen types.
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
