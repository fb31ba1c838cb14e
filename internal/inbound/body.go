package inbound

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// ErrTooLarge means that a body is larger than its limit.
var ErrTooLarge = errors.New("the body is too large")

// Body reads the body of a request within a time, but not more than limit bytes. A
// length that is declared and too large is refused before anything is read.
//
// Where the server cannot limit the time of one request, its own ReadTimeout does.
//
// Errors: [ErrTooLarge]; those of the reader.
func Body(w http.ResponseWriter, r *http.Request, limit int64, within time.Duration) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, ErrTooLarge
	}
	conn := http.NewResponseController(w)
	if conn.SetReadDeadline(time.Now().Add(within)) == nil {
		defer conn.SetReadDeadline(time.Time{}) // else the context of the request would end with it
	}
	src := http.MaxBytesReader(w, r.Body, limit)
	body, err := read(src, r.ContentLength)
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, ErrTooLarge
	}
	return body, err
}

// read reads all of a body. One whose length was declared is read into memory of
// that size, as it arrives: what was declared and never comes takes none.
func read(src io.Reader, declared int64) ([]byte, error) {
	const chunk = 64 << 10
	size := int64(chunk)
	if declared >= 0 && declared < chunk {
		size = declared + 1 // one byte more, to see the end
	}
	body := make([]byte, 0, size)
	for {
		n, err := src.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if err == io.EOF {
			return body, nil
		}
		if err != nil {
			return nil, err
		}
		if len(body) == cap(body) {
			body = append(body, 0)[:len(body)]
		}
	}
}
