package engine

import (
	"context"
	"encoding/json"
	"io"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// CreateCoupon implements tributary.Program.CreateCoupon.
func (p *Program) CreateCoupon(ctx context.Context, in affiliate.CouponParams) (_ affiliate.Coupon, err error) {
	defer p.Begin(&ctx, "CreateCoupon", Writes).End(&err)
	rq := Request{Once: in.Once, Name: "coupon.create", Input: in}
	rq.Refused = p.NormalizeCoupon(&in)
	o := p.Op(ctx)
	return couponAnswer(o, rq, func() (couponReply, error) {
		if err := refusal.RefuseTakenExternalID(o.Tx.Coupons, in.ExternalID, refusal.CouponExternalIDTaken); err != nil {
			return couponReply{}, err
		}
		rec := record.Coupon{ID: o.NewID(), CreatedAt: o.Now, UpdatedAt: o.Now}
		o.FillCoupon(&rec, in)
		return o.saveCoupon(record.Coupon{}, rec)
	})
}

// UpdateCoupon implements tributary.Program.UpdateCoupon.
func (p *Program) UpdateCoupon(ctx context.Context, id uuid.UUID,
	up affiliate.CouponUpdate) (_ affiliate.Coupon, err error) {
	defer p.Begin(&ctx, "UpdateCoupon", Writes).End(&err)
	rq := Request{Name: "coupon.update",
		Input:   append([]any{id, up}, digested(atProvider{up.ExternalID, up.IntegrationType})...),
		Refused: refusal.First(refusal.CouponIDRequired.When(id == uuid.Nil))}
	if rq.Refused == nil {
		rq.Refused = p.checkCouponUpdate(up)
	}
	o := p.Op(ctx)
	return couponAnswer(o, rq, func() (couponReply, error) {
		old, err := o.couponByID(id)
		if err != nil {
			return couponReply{}, err
		}
		rec, err := o.mergeCoupon(old, up)
		if err != nil {
			return couponReply{}, err
		}
		if rec.ExternalID != old.ExternalID {
			if err := refusal.RefuseTakenExternalID(o.Tx.Coupons, rec.ExternalID, refusal.CouponExternalIDTaken); err != nil {
				return couponReply{}, err
			}
		}
		return o.saveCoupon(old, rec)
	})
}

// DeleteCoupon implements tributary.Program.DeleteCoupon.
func (p *Program) DeleteCoupon(ctx context.Context, id uuid.UUID) (_ affiliate.DeletedCoupon, err error) {
	defer p.Begin(&ctx, "DeleteCoupon", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "coupon.delete", Input: id,
		Refused: refusal.First(refusal.CouponIDRequired.When(id == uuid.Nil))}
	err = Beforehand(o, rq, func() error { return p.emptyCoupon(ctx, id) })
	if err != nil && !WorthKeeping(err) {
		return affiliate.DeletedCoupon{}, err
	}
	return Write(o, rq, func() (affiliate.DeletedCoupon, error) {
		rec, err := o.couponByID(id)
		if err != nil {
			return affiliate.DeletedCoupon{}, err
		}
		if err := o.couponUnoffered(id); err != nil {
			return affiliate.DeletedCoupon{}, err
		}
		codes, err := o.codesOf(id, 0)
		if err != nil {
			return affiliate.DeletedCoupon{}, err
		}
		if err := o.removeCodes(codes); err != nil {
			return affiliate.DeletedCoupon{}, err
		}
		if err := o.Tx.Coupons.Delete(id); err != nil {
			return affiliate.DeletedCoupon{}, refusal.Internal("delete coupon", err)
		}
		return affiliate.DeletedCoupon{ID: id, Name: rec.Name},
			o.emitDeleted(affiliate.CouponDeleted, id, 0, rec.Revision+1)
	})
}

// emptyCoupon ends a coupon with many codes and removes all but the last of them, each time some in
// a transaction. A coupon that goes no further is one that no longer works.
func (p *Program) emptyCoupon(ctx context.Context, id uuid.UUID) error {
	for {
		o := p.Op(ctx)
		more := false
		some := func() (codes []record.Code, err error) {
			if codes, err = o.codesOf(id, codesAtOnce+1); len(codes) <= codesAtOnce {
				return nil, err
			}
			return codes[1:], nil
		}
		err := o.Snapshot(func() error {
			codes, err := some()
			more = len(codes) > 0
			return err
		})
		if err != nil || !more {
			return err
		}
		o = p.Op(ctx)
		_, err = Update(o, func() (none struct{}, err error) {
			was, err := o.couponByID(id)
			if err == nil {
				err = o.couponUnoffered(id)
			}
			if err != nil {
				return none, err
			}
			if rec := was; was.Valid {
				rec.Valid = false
				if _, err := o.saveCoupon(was, rec); err != nil {
					return none, err
				}
			}
			codes, err := some()
			if err != nil {
				return none, err
			}
			return none, o.removeCodes(codes)
		})
		if err != nil {
			return err
		}
	}
}

// removeCodes removes codes of a coupon that is deleted.
func (o *Op) removeCodes(codes []record.Code) error {
	for _, code := range codes {
		if err := o.Tx.Codes.Delete(code.ID); err != nil {
			return refusal.Internal("delete code of coupon", err)
		}
		if err := o.cascade(affiliate.PromocodeDeleted, code.ID, 0, code.Revision+1); err != nil {
			return err
		}
	}
	return nil
}

// Coupon implements tributary.Program.Coupon.
func (p *Program) Coupon(ctx context.Context, ref affiliate.CouponRef) (_ affiliate.Coupon, err error) {
	defer p.Begin(&ctx, "Coupon", Reads).End(&err)
	return View(ctx, p, func(o *Op) (affiliate.Coupon, error) {
		rec, err := o.findCoupon(ref)
		if err != nil {
			return affiliate.Coupon{}, err
		}
		return o.fullCoupon(rec, Contacts{})
	})
}

// Coupons implements tributary.Program.Coupons.
func (p *Program) Coupons(ctx context.Context, q affiliate.CouponQuery,
	pg affiliate.Page) (_ affiliate.List[affiliate.Coupon], err error) {
	defer p.Begin(&ctx, "Coupons", Reads).End(&err)
	if q.WithCodes {
		return p.couponsWithCodes(ctx, q, pg)
	}
	now := p.Now()
	return Found(ctx, p, Hunt{Page: pg, Operation: "coupons-summaries", Query: q}, func(o *Op, _ bool) *Seeker[record.Coupon, affiliate.Coupon] {
		o.Now = now
		return &Seeker[record.Coupon, affiliate.Coupon]{
			Choice: chooseCoupons(q), Table: o.Tx.Coupons,
			Item: func(rec record.Coupon) (affiliate.Coupon, error) { return o.judgedCoupon(&rec) },
		}
	})
}

// couponsWithCodes reads a page of coupons, each with its codes.
func (p *Program) couponsWithCodes(ctx context.Context, q affiliate.CouponQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Coupon], error) {
	var sent any // null: no field
	if !q.ID.IsZero() || !q.Valid.IsZero() {
		sent = q
	}
	l, err := p.Listing(pg, "coupons", sent)
	if err != nil {
		return affiliate.List[affiliate.Coupon]{}, err
	}
	return View(ctx, p, func(o *Op) (affiliate.List[affiliate.Coupon], error) {
		seen := Contacts{}
		return Chosen(o.Tx.Coupons, chooseCoupons(q), l,
			func(rec record.Coupon) (affiliate.Coupon, error) { return o.fullCoupon(rec, seen) })
	})
}

// couponByID returns the coupon that a caller named.
func (o *Op) couponByID(id uuid.UUID) (record.Coupon, error) {
	rec, err := o.Tx.Coupons.Get(id)
	return rec, refusal.CouponNotFound.IfMissing(err)
}

// findCoupon returns the coupon that ref names, or ErrNotFound.
func (o *Op) findCoupon(ref affiliate.CouponRef) (record.Coupon, error) {
	switch {
	case ref.ID != uuid.Nil:
		return o.Tx.Coupons.Get(ref.ID)
	case ref.ExternalID != "":
		return refusal.FindText(o.Tx.Coupons, record.ByExternalID, ref.ExternalID)
	case plaintext.Blank(ref.Name) || !plaintext.Valid(ref.Name, false):
		return record.Coupon{}, affiliate.ErrNotFound
	}
	return Head(o.Tx.Coupons, record.Query{Key: record.TextKey(record.OfName, plaintext.Trim(ref.Name)), Desc: true})
}

// chooseCoupons turns the query into a choice.
func chooseCoupons(q affiliate.CouponQuery) (c Choice[record.Coupon]) {
	c.one(q.ID)
	c.ByFlag(q.Valid, func(r *record.Coupon) bool { return r.Valid })
	return c
}

// atProvider holds the fields of a coupon at a payment provider, which are not in
// the JSON of an update.
type atProvider struct {
	ExternalID      affiliate.Opt[string]                    `json:",omitzero"`
	IntegrationType affiliate.Opt[affiliate.IntegrationType] `json:",omitzero"`
}

// IsZero reports whether the update says nothing of it.
func (e atProvider) IsZero() bool { return e.ExternalID.IsZero() && e.IntegrationType.IsZero() }

// judgedCoupon returns the coupon with its usability and what is left of its budget, and without its codes.
func (o *Op) judgedCoupon(rec *record.Coupon) (affiliate.Coupon, error) {
	coupon := o.CouponOf(*rec)
	usability, err := o.usabilityOfCoupon(rec)
	if err != nil {
		return coupon, err
	}
	coupon.Usability = affiliate.Set(usability)
	coupon.BudgetLeft, err = o.BudgetLeft(rec)
	return coupon, err
}

// fullCoupon returns the coupon with its codes.
func (o *Op) fullCoupon(rec record.Coupon, seen Contacts) (affiliate.Coupon, error) {
	coupon := o.CouponOf(rec)
	coupon.PromotionalCodes = []affiliate.Code{}
	for code, err := range o.Tx.Codes.List(record.Query{Key: record.Key{Index: record.OfCoupon,
		ID: rec.ID}, Desc: true}) {
		if err != nil {
			return affiliate.Coupon{}, err
		}
		if err := o.appendCode(code, &coupon, seen); err != nil {
			return affiliate.Coupon{}, err
		}
	}
	return coupon, nil
}

// appendCode appends a code to those of its coupon.
func (o *Op) appendCode(code record.Code, coupon *affiliate.Coupon, seen Contacts) error {
	contact, err := o.contact(code.AffiliateID, seen)
	if err != nil {
		return err
	}
	coupon.PromotionalCodes = append(coupon.PromotionalCodes, CodeOf(code, affiliate.Opt[affiliate.Coupon]{}, contact))
	return nil
}

// codesOf returns the newest live codes of a coupon, n at most, newest first; 0: all.
func (o *Op) codesOf(coupon uuid.UUID, n int) ([]record.Code, error) {
	return Gather(o.Tx.Codes, record.Query{Key: record.Key{Index: record.OfCoupon, ID: coupon}, Limit: n, Desc: true})
}

// A couponReply is a changed coupon whose answer is built later, after the transaction.
type couponReply struct {
	body   CouponBody
	stored *affiliate.Coupon // from a receipt
}

// couponAnswer is [write] for a write that answers a coupon. Codes that are too many for its event
// and receipt are read afterwards.
func couponAnswer(o *Op, rq Request, fn func() (couponReply, error)) (affiliate.Coupon, error) {
	rq.Once = o.OnceOf(rq.Once)
	told, stored := rq.Once.Replayed, []byte(nil)
	rq.Once.Replayed = func(answer []byte) { stored = answer }
	reply, err := Write(o, rq, fn)
	var coupon affiliate.Coupon
	if err == nil {
		coupon = reply.coupon()
	}
	if err == nil && coupon.PromotionalCodes == nil {
		full, err := View(o.Ctx, o.Program, func(o *Op) (affiliate.Coupon, error) {
			return o.fullCoupon(record.Coupon{ID: coupon.ID}, Contacts{})
		})
		if err != nil {
			return affiliate.Coupon{}, err
		}
		if coupon.PromotionalCodes = full.PromotionalCodes; stored != nil {
			stored = coupon.AppendJSON(nil)
		}
	}
	if stored != nil && told != nil {
		told(stored)
	}
	return coupon, err
}

// coupon returns the coupon as the API answers it.
func (r *couponReply) coupon() affiliate.Coupon {
	if r.stored != nil {
		return *r.stored
	}
	return r.body.full()
}

var _ Keeper = (*couponReply)(nil)

// KeepAnswer and RestoreAnswer convert a reply to and from its receipt. The receipt
// keeps the records that the event keeps too: the JSON of a coupon with many codes has
// megabytes.
func (r *couponReply) KeepAnswer() (answer record.Payload, outcome string) {
	return record.LatePayload(r.body), ""
}

func (r *couponReply) RestoreAnswer(answer []byte, _ string) error {
	return json.Unmarshal(answer, &r.stored)
}

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
	return &couponStream{program: p, out: chunks{w: w, buf: buf}, contacts: Contacts{},
		codes: make([]record.Code, 0, streamPiece)}
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
