package app

import (
	"context"
	"encoding/json"
	"net/http"
)

// telling returns a handler whose answers of 500 are 503 with the reason when the store does
// not have the programs any more: clients try again elsewhere, and people know where to look.
func telling(next http.Handler, gone func(context.Context) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&teller{ResponseWriter: w, gone: func() error { return gone(r.Context()) }}, r)
	})
}

type teller struct {
	http.ResponseWriter
	gone func() error
	told bool // in place of what the handler writes
}

// WriteHeader writes another status when that is the reason.
func (t *teller) WriteHeader(status int) {
	if status != http.StatusInternalServerError {
		t.ResponseWriter.WriteHeader(status)
		return
	}
	why := t.gone()
	if why == nil {
		t.ResponseWriter.WriteHeader(status)
		return
	}
	t.told = true
	h := t.Header()
	h.Del("Content-Length")
	h.Set("Content-Type", "application/json; charset=utf-8")
	t.ResponseWriter.WriteHeader(http.StatusServiceUnavailable)
	_ = json.NewEncoder(t.ResponseWriter).Encode(map[string]string{"error": why.Error()}) // fails only when the client has gone
}

// Write writes, unless the reason was told.
func (t *teller) Write(b []byte) (int, error) {
	if t.told {
		return len(b), nil
	}
	return t.ResponseWriter.Write(b)
}

// Unwrap is for an http.ResponseController.
func (t *teller) Unwrap() http.ResponseWriter { return t.ResponseWriter }
