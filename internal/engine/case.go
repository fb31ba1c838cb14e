package engine

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// maxOpenCases is the number of cases of an affiliate that may wait for an answer.
const maxOpenCases = 20

// OpenCase implements tributary.Program.OpenCase.
func (p *Program) OpenCase(ctx context.Context, in affiliate.CaseParams) (affiliate.Case, error) {
	return p.OpenCaseOf(ctx, in, func(*record.Affiliate) error { return nil })
}

// OpenCaseOf is OpenCase for an affiliate who is allowed to.
func (p *Program) OpenCaseOf(ctx context.Context, in affiliate.CaseParams,
	allowed func(*record.Affiliate) error) (_ affiliate.Case, err error) {
	defer p.Begin(&ctx, "OpenCase", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Once: in.Once, Name: "case.open", Input: in, Refused: checkCase(&in)}
	return Write(o, rq, func() (affiliate.Case, error) {
		aff, err := o.AffiliateByIDOrEmail(in.AffiliateID, in.AffiliateEmail)
		switch {
		case err != nil:
			return affiliate.Case{}, refusal.RefuseNoAffiliate.IfMissing(err)
		case aff.Email == "": // erased: nobody reads the answer
			return affiliate.Case{}, refusal.RefuseNoAffiliate.Err()
		}
		rec := record.Case{ID: o.NewID(), AffiliateID: aff.ID, Kind: in.Kind, Sale: int64(in.SaleID),
			ExternalID: in.ExternalID, Text: in.Text, Status: affiliate.CaseOpen, CreatedAt: o.Now}
		if err := allowed(&aff); err != nil {
			return affiliate.Case{}, err
		}
		if err := o.checkOpening(&rec); err != nil {
			return affiliate.Case{}, err
		}
		if err := o.Tx.Cases.Insert(rec); err != nil {
			return affiliate.Case{}, refusal.Internal("write case", err)
		}
		return caseOf(rec)
	})
}

// checkCase checks the input by itself.
func checkCase(in *affiliate.CaseParams) error {
	ofOrder, ofSale := in.Kind == affiliate.SaleClaim, in.Kind == affiliate.SaleQuestion
	return refusal.First(
		refusal.RefuseNoOwner.When(in.AffiliateID == uuid.Nil && in.AffiliateEmail == ""),
		refusal.KindRequired.When(in.Kind == ""),
		refusal.OneOf("kind", in.Kind, affiliate.CaseKinds()),
		refusal.RefuseNoSaleID.When(ofSale && in.SaleID == 0),
		refusal.FieldNotAllowed.About("saleId").When(!ofSale && in.SaleID != 0),
		refusal.RefuseNoExternalID.When(ofOrder && plaintext.Blank(in.ExternalID)),
		refusal.FieldNotAllowed.About("externalId").When(!ofOrder && in.ExternalID != ""),
		refusal.Optional("externalId", in.ExternalID, refusal.MaxName),
		refusal.CaseTextRequired.When((ofOrder || ofSale) && plaintext.Blank(in.Text)),
		refusal.CheckText("text", in.Text, refusal.MaxNote, true),
	)
}

// checkOpening checks that a new case is about a sale of its affiliate, that none like it
// waits, and that not too many do.
func (o *Op) checkOpening(rec *record.Case) error {
	if rec.Sale != 0 {
		sale, err := o.SaleByNumber(affiliate.SaleID(rec.Sale))
		if err != nil {
			return refusal.SaleNotFound.IfMissing(err)
		}
		if sale.AffiliateID != rec.AffiliateID {
			return refusal.SaleNotFound.Err() // that there is one tells of somebody else
		}
	}
	waiting := 0
	for r, err := range o.Tx.Cases.List(record.Query{
		Key: record.Key{Index: record.OfAffiliate, ID: rec.AffiliateID}}) {
		switch {
		case err != nil:
			return refusal.Internal("read cases", err)
		case r.Status != affiliate.CaseOpen:
			continue
		case r.Kind == rec.Kind && r.Sale == rec.Sale && r.ExternalID == rec.ExternalID:
			return refusal.CaseIsOpen.Err()
		}
		waiting++
	}
	if waiting >= maxOpenCases {
		return refusal.CasesTooMany.Err()
	}
	return nil
}

// AnswerCase implements tributary.Program.AnswerCase.
func (p *Program) AnswerCase(ctx context.Context, id uuid.UUID,
	in affiliate.CaseAnswer) (_ affiliate.Case, err error) {
	defer p.Begin(&ctx, "AnswerCase", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "case.answer", Input: []any{id, in}, Refused: refusal.First(
		refusal.CaseIDRequired.When(id == uuid.Nil),
		refusal.AnswerRequired.When(plaintext.Blank(in.Answer)),
		refusal.CheckText("answer", in.Answer, refusal.MaxNote, true))}
	return Write(o, rq, func() (affiliate.Case, error) {
		rec, err := o.Tx.Cases.Get(id)
		if err != nil {
			return affiliate.Case{}, refusal.CaseNotFound.IfMissing(err)
		}
		if rec.Status != affiliate.CaseOpen {
			return affiliate.Case{}, refusal.StatusNotAllowed.Err()
		}
		rec.Status, rec.Answer, rec.Actor = affiliate.CaseAnswered, in.Answer, o.actor
		rec.AnsweredAt = Later(o.Now, rec.CreatedAt)
		if err := o.Tx.Cases.Replace(rec); err != nil {
			return affiliate.Case{}, refusal.Internal("write case", err)
		}
		return caseOf(rec)
	})
}

// Case implements tributary.Program.Case.
func (p *Program) Case(ctx context.Context, id uuid.UUID) (_ affiliate.Case, err error) {
	defer p.Begin(&ctx, "Case", Reads).End(&err)
	return View(ctx, p, func(o *Op) (affiliate.Case, error) {
		rec, err := o.Tx.Cases.Get(id)
		if err != nil {
			return affiliate.Case{}, err
		}
		return caseOf(rec)
	})
}

// Cases implements tributary.Program.Cases.
func (p *Program) Cases(ctx context.Context, q affiliate.CaseQuery,
	pg affiliate.Page) (_ affiliate.List[affiliate.Case], err error) {
	defer p.Begin(&ctx, "Cases", Reads).End(&err)
	if err := refusal.First(
		InQuery(refusal.OneOfOrNone("status", q.Status, affiliate.CaseStatuses())),
		InQuery(refusal.OneOfOrNone("kind", q.Kind, affiliate.CaseKinds())),
	); err != nil {
		return affiliate.List[affiliate.Case]{}, err
	}
	l, err := p.Listing(pg, "cases", q)
	if err != nil {
		return affiliate.List[affiliate.Case]{}, err
	}
	return View(ctx, p, func(o *Op) (affiliate.List[affiliate.Case], error) {
		return Chosen(o.Tx.Cases, chooseCases(o, q), l, caseOf)
	})
}

// chooseCases turns the query into a choice.
func chooseCases(o *Op, q affiliate.CaseQuery) (c Choice[record.Case]) {
	if q.Status != "" {
		c.ByText(record.OfState, affiliate.Set(string(q.Status)),
			func(r *record.Case) string { return string(r.Status) })
	}
	c.ByOwner(o, q.AffiliateID, q.AffiliateEmail, func(r *record.Case) uuid.UUID { return r.AffiliateID })
	if q.Kind != "" {
		c.Fits = append(c.Fits, func(r *record.Case) bool { return r.Kind == q.Kind })
	}
	return c
}

func caseOf(rec record.Case) (affiliate.Case, error) {
	return affiliate.Case{ID: rec.ID, AffiliateID: rec.AffiliateID, Kind: rec.Kind,
		SaleID: OrNull(affiliate.SaleID(rec.Sale)), ExternalID: OrNull(rec.ExternalID),
		Text: rec.Text, Status: rec.Status, Answer: OrNull(rec.Answer), Actor: OrNull(rec.Actor),
		AnsweredAt: refusal.TimeOrNull(rec.AnsweredAt),
		CreatedAt:  affiliate.TimeOf(rec.CreatedAt.Time())}, nil
}
