package scene

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// AffiliateIn creates an affiliate with a status.
func AffiliateIn(w *World, local string, status affiliate.AffiliateStatus) affiliate.Affiliate {
	a := w.Join(local)
	w.Raw(func(tx *record.Tx) error {
		rec, err := tx.Affiliates.Get(a.ID)
		if err != nil {
			return err
		}
		rec.Status = status
		return tx.Affiliates.Replace(rec)
	})
	a.Status = status
	return a
}

// Must returns the value of a call that must succeed.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("unexpected error: %v", err))
	}
	return v
}

// ErrOf returns the error of a call whose answer is not needed.
func ErrOf[T any](_ T, err error) error { return err }

// All collects a list.
func All[T any](seq iter.Seq2[T, error]) []T {
	var out []T
	for v, err := range seq {
		if err != nil {
			panic(err)
		}
		out = append(out, v)
	}
	return out
}

// OnlyValues drops the errors of a sequence, or panics.
func OnlyValues[T any](seq iter.Seq2[T, error]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v, err := range seq {
			if !yield(Must(v, err)) {
				return
			}
		}
	}
}

// Equal compares with cmp.Diff. What says which of several comparisons it is.
func Equal[T any](t testing.TB, want, got T, what ...any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s(-want +got):\n%s", fmt.Sprintln(what...), diff)
	}
}

// Heap returns the bytes in use after a collection.
func Heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// PayoutStuck is the refusal of a status that a payout cannot get.
var PayoutStuck = StateError(affiliate.StatusNotAllowed, "", "The present status does not allow this change")

// WantReason checks why a call was refused.
func WantReason(t testing.TB, name string, want affiliate.Reason, err error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %s", name, err, want)
	}
}

// Zoned sets the time zone of a program.
func Zoned(name string) func(*tributary.Config) {
	return func(c *tributary.Config) { c.Location = Must(time.LoadLocation(name)) }
}

// StatementTexts returns a statement of Ada with its lines: as JSON and as CSV.
func StatementTexts(t Failing, p *tributary.Program, owner uuid.UUID, from, to time.Time) (asJSON, asCSV string) {
	s, err := p.Statement(context.Background(), affiliate.AffiliateRef{ID: owner}, from, to)
	if err != nil {
		t.Fatalf("statement: %v", err)
	}
	lines := []affiliate.StatementLine{}
	for line, err := range s.Lines() {
		if err != nil {
			t.Fatalf("lines: %v", err)
		}
		lines = append(lines, line)
	}
	var text strings.Builder
	if err := s.WriteCSV(&text); err != nil {
		t.Fatalf("csv: %v", err)
	}
	return JSON(s) + JSON(lines), text.String()
}

// BodyOf returns the decoded body of an event.
func BodyOf[T any](t *testing.T, e affiliate.Event) T {
	t.Helper()
	var payload struct{ Body T }
	if err := json.Unmarshal(e.Payload, &payload); err != nil {
		t.Fatal(err)
	}
	return payload.Body
}

// FieldError returns a refusal of one field.
func FieldError(reason affiliate.Reason, field, text string) affiliate.Error {
	return affiliate.Error{Kind: affiliate.KindInvalid, Reason: reason, Field: field, Message: text}
}

// StateError returns a refusal because of stored records.
func StateError(reason affiliate.Reason, field, text string) affiliate.Error {
	return affiliate.Error{Kind: affiliate.KindConflict, Reason: reason, Field: field, Message: text}
}

// MissingError returns a refusal because a record does not exist.
func MissingError(reason affiliate.Reason, text string) affiliate.Error {
	return affiliate.Error{Kind: affiliate.KindNotFound, Reason: reason, Message: text}
}

// Sum parses an amount.
func Sum(s string) affiliate.Amount { return affiliate.MustAmount(s) }

// JSON returns a value as JSON.
func JSON(v any) string { return string(Must(json.Marshal(v))) }

// KeysOf reads the members of an answer as JSON.
func KeysOf(answer any) (keys map[string]json.RawMessage) {
	raw := Must(json.Marshal(answer))
	if err := json.Unmarshal(raw, &keys); err != nil {
		panic(err)
	}
	return keys
}
