package engine

import (
	"context"
	"io"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// The JSON of a coupon with any number of codes, written with limited memory.

const (
	streamPiece    = 512      // how many codes are read in one transaction
	streamChunk    = 32 << 10 // how many bytes are written at a time
	streamContacts = 4096     // how many affiliates are cached
)

// WriteCoupon implements tributary.Program.WriteCoupon.
func (p *Program) WriteCoupon(ctx context.Context, ref affiliate.CouponRef, w io.Writer) (err error) {
	defer p.Begin(&ctx, "WriteCoupon", Reads).End(&err)
	s := newCouponStream(p, w)
	err = s.view(ctx, func(o *Op) error {
		rec, err := o.findCoupon(ref)
		if err != nil {
			return err
		}
		s.coupons = s.coupons[:0]
		return s.read(o, rec)
	})
	if err != nil {
		return err
	}
	if err := s.encode(ctx); err != nil {
		return err
	}
	return s.out.flush()
}

// WriteCoupons implements tributary.Program.WriteCoupons.
func (p *Program) WriteCoupons(ctx context.Context, w io.Writer) (err error) {
	defer p.Begin(&ctx, "WriteCoupons", Reads).End(&err)
	s := newCouponStream(p, w)
	s.out.buf = append(s.out.buf, '[')
	for last := uuid.Nil; ; last = s.coupons[len(s.coupons)-1].rec.ID {
		if err := s.view(ctx, func(o *Op) error { return s.readAfter(o, last) }); err != nil {
			return err
		}
		if len(s.coupons) == 0 {
			break
		}
		if last != uuid.Nil {
			s.out.buf = append(s.out.buf, ',')
		}
		if err := s.encode(ctx); err != nil {
			return err
		}
	}
	s.out.buf = append(s.out.buf, ']')
	return s.out.flush()
}

// couponStream walks coupons and their codes in pieces.
type couponStream struct {
	program  *Program
	out      chunks
	coupons  []couponPiece // the current piece
	codes    []record.Code // of all coupons in the piece, one coupon after the other
	contacts Contacts
}

// A couponPiece is a coupon and the number of its codes in the piece. Only the
// last coupon of a piece may have more.
type couponPiece struct {
	rec   record.Coupon
	codes int
}

func newCouponStream(p *Program, w io.Writer) *couponStream {
	buf := make([]byte, 0, streamChunk+8<<10)
	return &couponStream{program: p, out: chunks{w: w, buf: buf}, contacts: Contacts{}, codes: make([]record.Code, 0, streamPiece)}
}

// view reads the next piece in a transaction.
func (s *couponStream) view(ctx context.Context, read func(*Op) error) error {
	_, err := View(ctx, s.program, func(o *Op) (struct{}, error) {
		s.codes = s.codes[:0]
		if len(s.contacts) > streamContacts {
			clear(s.contacts)
		}
		return struct{}{}, read(o)
	})
	return err
}

// readAfter reads the coupons after one, as many as a piece has room for.
func (s *couponStream) readAfter(o *Op, last uuid.UUID) error {
	s.coupons = s.coupons[:0]
	for rec, err := range o.Tx.Coupons.List(record.Query{Desc: true, After: last, Limit: streamPiece}) {
		if err != nil {
			return err
		}
		if err := s.read(o, rec); err != nil {
			return err
		}
		if len(s.coupons)+len(s.codes) >= streamPiece {
			break
		}
	}
	return nil
}

// read reads a coupon and its first codes.
func (s *couponStream) read(o *Op, rec record.Coupon) error {
	before := len(s.codes)
	err := s.readCodes(o, rec.ID, uuid.Nil)
	s.coupons = append(s.coupons, couponPiece{rec, len(s.codes) - before})
	return err
}

// readCodes reads codes of a coupon, those after the code last.
func (s *couponStream) readCodes(o *Op, coupon, last uuid.UUID) error {
	q := record.Query{Key: record.Key{Index: record.OfCoupon, ID: coupon}, Desc: true, After: last, Limit: streamPiece}
	for rec, err := range o.Tx.Codes.List(q) {
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

// encode encodes and writes the piece, and what its last coupon has more.
func (s *couponStream) encode(ctx context.Context) error {
	codes := s.codes
	for i := range s.coupons {
		c := &s.coupons[i]
		if i > 0 {
			s.out.buf = append(s.out.buf, ',')
		}
		head := s.program.CouponOf(c.rec)
		s.out.buf = openCodes(&head, s.out.buf)
		if err := s.encodeCodes(codes[:c.codes], true); err != nil {
			return err
		}
		if codes = codes[c.codes:]; c.codes == streamPiece {
			if err := s.encodeRest(ctx, c.rec.ID); err != nil {
				return err
			}
		}
		s.out.buf = append(s.out.buf, "]}"...)
	}
	return nil
}

// encodeRest reads and encodes the codes of a coupon after those of the piece.
func (s *couponStream) encodeRest(ctx context.Context, coupon uuid.UUID) error {
	for {
		last := s.codes[len(s.codes)-1].ID
		if err := s.view(ctx, func(o *Op) error { return s.readCodes(o, coupon, last) }); err != nil {
			return err
		}
		if err := s.encodeCodes(s.codes, false); err != nil || len(s.codes) < streamPiece {
			return err
		}
	}
}

// encodeCodes encodes codes of a coupon.
func (s *couponStream) encodeCodes(codes []record.Code, first bool) error {
	for i := range codes {
		if i > 0 || !first {
			s.out.buf = append(s.out.buf, ',')
		}
		code := CodeOf(codes[i], affiliate.Opt[affiliate.Coupon]{}, s.contacts.of(codes[i]))
		s.out.buf = code.AppendJSON(s.out.buf)
		if err := s.out.spill(); err != nil {
			return err
		}
	}
	return s.out.spill()
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
