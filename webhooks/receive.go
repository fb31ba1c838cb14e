package webhooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/tributary-go/tributary/internal/inbound"
)

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
