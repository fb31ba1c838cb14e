package webhooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/inbound"
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

// serve handles the request and does not answer. The status is used only with
// an error.
func (r *Receiver) serve(w http.ResponseWriter, req *http.Request) (int, error) {
	event, err := r.receive(w, req)
	if err != nil {
		return statusOf(err), err
	}
	run, err := r.functions(event)
	if err != nil {
		return statusOf(err), err
	}
	if run == nil {
		return 0, nil
	}
	return r.handle(req.Context(), event.ID, run)
}

// receive checks a request and returns its event.
func (r *Receiver) receive(w http.ResponseWriter, req *http.Request) (Event, error) {
	if req.Method != http.MethodPost {
		return Event{}, ErrMethod
	}
	if !inbound.PlainJSON(req.Header) {
		return Event{}, ErrMediaType
	}
	if r.Verifier == nil {
		return Event{}, fmt.Errorf("%w: there is no Verifier", ErrSecretCount)
	}
	proof, body, err := r.verify(w, req)
	if err != nil {
		return Event{}, err
	}
	event, err := Parse(body)
	if err != nil {
		return Event{}, err
	}
	if event.ID != "" && event.ID != proof.ID {
		return Event{}, refuse("eventId is not the id in the header")
	}
	event.ID = proof.ID
	return event, nil
}

// verify checks the signature headers, then reads and verifies the body.
func (r *Receiver) verify(w http.ResponseWriter, req *http.Request) (Proof, []byte, error) {
	var c check
	if err := c.begin(r.Verifier, req.Header); err != nil {
		return Proof{}, nil, err
	}
	if !c.mayHold() {
		c.drop()
		return Proof{}, nil, ErrSignature
	}
	body, err := r.read(w, req, &c)
	if err != nil {
		c.drop()
		return Proof{}, nil, err
	}
	proof, err := c.end()
	if err != nil {
		return Proof{}, nil, err
	}
	return proof, join(body), nil
}

// chunk is the number of bytes of a body that are read at once when its length is
// not known or is larger.
const chunk = 64 << 10

// read reads the body, but not more than MaxBody. Each chunk is hashed when it
// has arrived. The chunks are joined only after the signature was found right.
func (r *Receiver) read(w http.ResponseWriter, req *http.Request, c *check) (body [][]byte, err error) {
	limit := r.MaxBody
	if limit == 0 {
		limit = defaultMaxBody
	}
	if req.ContentLength > limit {
		return nil, ErrTooLarge
	}
	size := int64(chunk)
	if req.ContentLength >= 0 && req.ContentLength < chunk {
		size = req.ContentLength + 1 // one byte more, to see the end
	}
	src := http.MaxBytesReader(w, req.Body, limit)
	for err == nil {
		var piece []byte
		if piece, err = fill(src, make([]byte, size)); len(piece) > 0 {
			c.write(piece)
			body = append(body, piece)
		}
	}
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, ErrTooLarge
	}
	if err != io.EOF {
		return nil, fmt.Errorf("%w: %w", ErrBody, err)
	}
	return body, nil
}

// fill reads until p is full or an error occurs. Unlike io.ReadFull it returns
// the error as it is, so io.EOF always means a complete text.
func fill(src io.Reader, p []byte) ([]byte, error) {
	n := 0
	for n < len(p) {
		m, err := src.Read(p[n:])
		if n += m; err != nil {
			return p[:n], err
		}
	}
	return p, nil
}

// join concatenates the chunks of a body.
func join(chunks [][]byte) []byte {
	if len(chunks) == 1 {
		return chunks[0]
	}
	return slices.Concat(chunks...)
}

// handle calls the function, through the Dedup when there is one. It keeps the
// function's own error, so that this error is always 500, even when it wraps an
// error of this package.
func (r *Receiver) handle(ctx context.Context, id string, run func(context.Context) error) (int, error) {
	var failed error
	handled := func(ctx context.Context) error {
		failed = guarded(func() error { return run(ctx) })
		return failed
	}
	var err error
	if r.Dedup == nil {
		err = handled(ctx)
	} else {
		_, err = r.Dedup.Do(ctx, r.dedupID(id), handled)
	}
	switch {
	case failed != nil:
		return http.StatusInternalServerError, failed
	case errors.Is(err, ErrInProgress):
		return http.StatusServiceUnavailable, err
	}
	return http.StatusInternalServerError, err
}

// dedupID joins prefix and id with a character that no id has.
func (r *Receiver) dedupID(id string) string {
	if r.DedupPrefix == "" {
		return id
	}
	return r.DedupPrefix + ":" + id
}

// statusOf returns the status for a request that fails before a function is called.
func statusOf(err error) int {
	for _, row := range []struct {
		err    error
		status int
	}{
		{ErrHeader, http.StatusBadRequest},
		{ErrTimestamp, http.StatusUnauthorized},
		{ErrSignature, http.StatusUnauthorized},
		{ErrPayload, http.StatusBadRequest},
		{ErrBody, http.StatusBadRequest},
		{ErrMethod, http.StatusMethodNotAllowed},
		{ErrTooLarge, http.StatusRequestEntityTooLarge},
		{ErrMediaType, http.StatusUnsupportedMediaType},
	} {
		if errors.Is(err, row.err) {
			return row.status
		}
	}
	return http.StatusInternalServerError
}
