package ticket

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// TestForged (check 54): of a thousand changed texts, each byte of a ticket and
// more, none opens anything.
func TestForged(t *testing.T) {
	key, now := bytes.Repeat([]byte{7}, MinKey), time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
	program, affiliate := uuid.New(), uuid.New()
	for _, kind := range []Kind{Token, Session, Mailed, Email, Stop, Known} {
		s, err := New(kind, key)
		if err != nil {
			t.Fatal(err)
		}
		opens := func(program uuid.UUID, until time.Time) Ticket {
			t := Ticket{Program: program, Affiliate: affiliate, Expires: until, ID: uuid.UUID{1}}
			if kind == Session || kind == Mailed || kind == Email {
				t.Beside = uuid.UUID{2}
			}
			return t
		}
		front := kind.front()
		text := s.Seal(opens(program, now.Add(time.Minute)))
		got, ok := s.Open(text, program, now)
		if !ok || got != (opens(program, now.Add(time.Minute).Local())) {
			t.Fatalf("got %+v, %v", got, ok)
		}
		forged := []string{"", ".", strings.Repeat("A", len(text)), text + "A", text[1:], strings.ToUpper(text), strings.Replace(text, ".", "", 1)}
		for i := range text {
			forged = append(forged, text[:i], text[:i]+text[i+1:], text[:i]+"A"+text[i+1:], text[:i]+"B"+text[i+1:], text[:i]+"-"+text[i+1:])
		}
		forged = append(forged, s.Seal(opens(uuid.New(), now.Add(time.Minute))), s.Seal(opens(program, now)), s.Seal(opens(program, now.Add(-time.Hour))))
		raised := s.Seal(opens(program, now.Add(time.Hour)))
		forged = append(forged, raised[:front]+text[front:])
		for other, with := range map[Kind][]byte{kind: bytes.Repeat([]byte{8}, MinKey), {"tp1.", "portal session v1", kind.ids}: key, Token: key, Session: key, Mailed: key, Email: key, Stop: key, Known: key} {
			if other == kind && bytes.Equal(with, key) {
				continue
			}
			o, _ := New(other, with)
			forged = append(forged, o.Seal(opens(program, now.Add(time.Minute))))
		}
		if len(forged) < 500 {
			t.Errorf("only %d texts", len(forged))
		}
		for _, f := range forged {
			if _, ok := s.Open(f, program, now); ok && f != text {
				t.Errorf("%q opens", f)
			}
		}
		if _, ok := s.Open(text, program, now.Add(time.Minute-1)); !ok {
			t.Error("it is over before its second")
		}
		if _, ok := s.Open(text, program, now.Add(time.Minute)); ok {
			t.Error("it opens at its expiry")
		}
	}
	if _, err := New(Token, make([]byte, MinKey-1)); err == nil {
		t.Error("a short key is taken")
	}
}
