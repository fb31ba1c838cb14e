package uuid7_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/uuid7"
)

var moment = time.UnixMilli(1_773_221_058_442)

// TestNextAfterWrongClock: an id is at most Ahead before the clock that it is drawn by.
func TestNextAfterWrongClock(t *testing.T) {
	s := &uuid7.Source{Rand: rand.Reader}
	for _, ahead := range []time.Duration{uuid7.Ahead + time.Millisecond, 365 * 24 * time.Hour} {
		s.Next(moment.Add(ahead))
		if id := s.Next(moment); id != uuid7.Stamp(id, moment) {
			t.Errorf("%v ahead: the next id is %s", ahead, id)
		}
	}
	first := s.Next(moment.Add(uuid7.Ahead))
	if second := s.Next(moment); second.String() <= first.String() {
		t.Errorf("%s after %s", second, first)
	}
}

// TestNext: ids rise even when the clock does not. When it goes forward, an id
// begins with the time.
func TestNext(t *testing.T) {
	s := &uuid7.Source{Rand: rand.Reader}
	var last uuid.UUID
	for i, step := range []time.Duration{0, 0, 0, time.Millisecond, -time.Hour, -time.Hour, time.Hour, 0, time.Hour - uuid7.Ahead} {
		id := s.Next(moment.Add(step))
		if id.String() <= last.String() || id.Version() != 7 || id.Variant() != uuid.RFC4122 {
			t.Fatalf("id %d: %s after %s", i, id, last)
		}
		if sec, nsec := id.Time().UnixTime(); step == time.Hour && !time.Unix(sec, nsec).Equal(moment.Add(step)) {
			t.Errorf("%s is of %v", id, time.Unix(sec, nsec))
		}
		last = id
	}
}

// TestNextCarries: when the random bits are full, the milliseconds rise.
func TestNextCarries(t *testing.T) {
	s := &uuid7.Source{Rand: onesReader{}}
	first, second := s.Next(moment), s.Next(moment)
	if want := uuid7.Stamp(second, moment.Add(time.Millisecond)); second != want || first.String() >= second.String() {
		t.Errorf("%s after %s", second, first)
	}
	if second.Version() != 7 || second.Variant() != uuid.RFC4122 {
		t.Errorf("%s is of version %v, %v", second, second.Version(), second.Variant())
	}
}

type onesReader struct{}

func (onesReader) Read(p []byte) (int, error) {
	return copy(p, bytes.Repeat([]byte{0xff}, len(p))), nil
}

// TestAt: an id of a past time does not change the order of the others.
func TestAt(t *testing.T) {
	s := &uuid7.Source{Rand: rand.Reader}
	before := s.Next(moment)
	past := s.At(moment.Add(-24 * time.Hour))
	if after := s.Next(moment); past.String() >= before.String() || after.String() <= before.String() {
		t.Errorf("%s, %s, %s", before, past, after)
	}
	if id := s.At(time.Time{}); id != uuid7.Stamp(id, time.UnixMilli(0)) {
		t.Errorf("%s is not of the first moment", id)
	}
}

// TestHost: the ids of Next come from the host's function, and no others do.
func TestHost(t *testing.T) {
	own := uuid.New()
	s := &uuid7.Source{Rand: rand.Reader, New: func() uuid.UUID { return own }}
	if s.Next(moment) != own || s.At(moment) == own || s.Fresh() == own {
		t.Error("not the ids of the host")
	}
}

func TestNoRandomness(t *testing.T) {
	s := &uuid7.Source{Rand: iotest.ErrReader(errors.New("broken"))}
	if _, err := s.Bytes(4); err == nil {
		t.Error("bytes of a broken reader")
	}
	for name, draw := range map[string]func() uuid.UUID{"Fresh": s.Fresh, "Next": func() uuid.UUID { return s.Next(moment) }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: an id without randomness", name)
				}
			}()
			draw()
		}()
	}
}

func TestAppend(t *testing.T) {
	for range 100 {
		id := uuid.New()
		if got := string(uuid7.Append(nil, id)); got != id.String() {
			t.Errorf("%s, want %s", got, id)
		}
		if got := string(uuid7.AppendJSON([]byte("x"), id)); got != `x"`+id.String()+`"` {
			t.Errorf("%s, want %s", got, id)
		}
	}
}

// TestDraws: each run draws the same ids; a longer run draws more ids after
// them.
func TestDraws(t *testing.T) {
	var d uuid7.Draws
	var first []uuid.UUID
	for range 10 {
		first = append(first, d.Draw(uuid.New))
	}
	d.Rewind()
	for i := range 12 {
		id := d.Draw(uuid.New)
		if i < 10 && id != first[i] {
			t.Errorf("id %d: %s, want %s", i, id, first[i])
		}
		first = append(first, id)
	}
	if first[20] == first[21] {
		t.Error("new ids are equal")
	}
}
