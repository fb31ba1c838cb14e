package client

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
)

// handlerTransport is a transport that hands requests to a handler, in the goroutine
// of the caller. A handler that ignores its context delays the end of the call.
type handlerTransport struct {
	handler http.Handler
	limit   int64
}

// RoundTrip runs the handler.
func (t handlerTransport) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	ctx := req.Context()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := &recorder{header: http.Header{}, limit: t.limit + 1}
	defer func() {
		if v := recover(); v == http.ErrAbortHandler {
			resp, err = nil, io.ErrUnexpectedEOF // what a client of a server gets
		} else if v != nil {
			panic(v)
		}
	}()
	t.handler.ServeHTTP(w, received(req))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return w.response(req), nil
}

// received returns a request as a server sees it.
func received(req *http.Request) *http.Request {
	in := req.WithContext(req.Context())
	in.URL = &url.URL{Path: req.URL.Path, RawPath: req.URL.RawPath, RawQuery: req.URL.RawQuery}
	in.RequestURI = req.URL.RequestURI()
	in.RemoteAddr = "127.0.0.1:0"
	in.GetBody = nil
	if in.Body == nil {
		in.Body = http.NoBody
	}
	return in
}

// A recorder is the http.ResponseWriter of a handler.
type recorder struct {
	header http.Header
	sent   http.Header // header as it was when the status was written
	status int
	body   bytes.Buffer
	limit  int64
}

// Header returns the header that the first write sends.
func (w *recorder) Header() http.Header { return w.header }

// WriteHeader sends the header once. It ignores informational headers (1xx).
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status, w.sent = status, w.header.Clone()
	}
}

// Write keeps the body up to the limit.
func (w *recorder) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if int64(w.body.Len()+len(b)) > w.limit {
		n, _ := w.body.Write(b[:w.limit-int64(w.body.Len())])
		return n, errLimit
	}
	return w.body.Write(b)
}

var errLimit = errors.New("client: the answer is too long")

// Flush only sends the header: the body is read when the handler has ended.
func (w *recorder) Flush() { w.WriteHeader(http.StatusOK) }

// response returns the answer as a transport returns it.
func (w *recorder) response(req *http.Request) *http.Response {
	w.WriteHeader(http.StatusOK)
	if w.sent.Get("Content-Type") == "" && w.body.Len() > 0 {
		w.sent.Set("Content-Type", http.DetectContentType(w.body.Bytes()))
	}
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: req,
	}
}
