package affiliate

import (
	"context"
	"io"

	"github.com/google/uuid"
)

// The JSON of a coupon with any number of codes, written with limited memory.

const (
	streamPiece    = 512      // how many codes are read in one transaction
	streamChunk    = 32 << 10 // how many bytes are written at a time
	streamContacts = 4096     // how many affiliates are cached
)

// WriteCoupon writes the JSON of the coupon that ref names, with all its codes:
// the bytes of json.Marshal of [Program.Coupon] if nothing changes during the
// call. It reads the codes in pieces, each in its own transaction, and encodes
// and writes between them, at most 32 KiB at a time. So neither the memory nor
// the time that others wait grows with the coupon. A code that exists during
// the whole call is written once; a code that is created during the call is not
// written.
//
// Errors: [ErrNotFound], after which nothing was written; those of w and of
// ctx, after which a part was written.
//
// Source: docs/contract.md 3.3.
func (p *Program) WriteCoupon(ctx context.Context, ref CouponRef, w io.Writer) error {
	s := couponStream{program: p, out: chunks{w: w}, contacts: contacts{}, codes: make([]CodeRecord, 0, streamPiece)}
	coupon, err := view(ctx, p, func(o *op) (CouponRecord, error) {
		rec, err := o.findCoupon(ref)
		if err != nil {
			return rec, err
		}
		return rec, s.read(o, rec.ID)
	})
	if err != nil {
		return err
	}
	head := p.couponOf(coupon)
	s.out.buf = append(head.appendTerms(make([]byte, 0, streamChunk+8<<10)), `,"promotionalCodes":[`...)
	for len(s.codes) > 0 {
		if err := s.encode(); err != nil {
			return err
		}
		if len(s.codes) < streamPiece {
			break
		}
		_, err := view(ctx, p, func(o *op) (struct{}, error) { return struct{}{}, s.read(o, coupon.ID) })
		if err != nil {
			return err
		}
	}
	s.out.buf = append(s.out.buf, "]}"...)
	return s.out.flush()
}

// couponStream walks the codes of a coupon.
type couponStream struct {
	program  *Program
	out      chunks
	codes    []CodeRecord // the current piece
	last     uuid.UUID    // the last code of the previous piece; zero: none
	contacts contacts
}

// read fills in the next piece.
func (s *couponStream) read(o *op, coupon uuid.UUID) error {
	s.codes = s.codes[:0]
	if len(s.contacts) > streamContacts {
		clear(s.contacts)
	}
	q := Query{Key: Key{Index: OfCoupon, ID: coupon}, Desc: true, After: s.last, Limit: streamPiece}
	for rec, err := range o.tx.Codes.List(q) {
		if err != nil {
			return err
		}
		if _, err := o.contact(rec.AffiliateID, s.contacts); err != nil {
			return err
		}
		s.codes = append(s.codes, rec)
	}
	return nil
}

// encode encodes and writes the piece.
func (s *couponStream) encode() error {
	for i := range s.codes {
		if s.last != uuid.Nil {
			s.out.buf = append(s.out.buf, ',')
		}
		code := codeOf(s.codes[i], Opt[Coupon]{}, s.contacts.of(s.codes[i]))
		s.out.buf = code.appendJSON(s.out.buf)
		s.last = code.ID
		if err := s.out.spill(); err != nil {
			return err
		}
	}
	return nil
}

// chunks writes what is appended to buf in pieces of streamChunk bytes.
type chunks struct {
	w   io.Writer
	buf []byte
}

// spill writes the full pieces and keeps the rest.
func (c *chunks) spill() error {
	rest := c.buf
	for len(rest) >= streamChunk {
		if _, err := c.w.Write(rest[:streamChunk]); err != nil {
			return err
		}
		rest = rest[streamChunk:]
	}
	if len(rest) < len(c.buf) {
		c.buf = c.buf[:copy(c.buf, rest)]
	}
	return nil
}

// flush writes everything.
func (c *chunks) flush() error {
	if err := c.spill(); err != nil || len(c.buf) == 0 {
		return err
	}
	_, err := c.w.Write(c.buf)
	return err
}
