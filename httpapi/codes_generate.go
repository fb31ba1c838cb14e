package httpapi

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Source: docs/contract.md 4.6.

// maxGenerated is the largest number of codes that one request makes.
const maxGenerated = 10_000

type generation struct {
	in    affiliate.NewCodes
	check bool // make nothing
}

func generationOf(in *input) (g generation) {
	code := affiliate.NewCode{
		CouponID:       in.id("couponId"),
		AffiliateID:    in.id("affiliateId"),
		AffiliateEmail: in.optional("affiliateEmail"),
	}
	readCodeTerms(in, &code)
	readCodeParts(in, &code)
	g.in.NewCode = code
	g.in.AffiliateIDs = in.someIDs("affiliateIds")
	count := in.ranged("count").Or(0)
	switch {
	case count < 1 || count > maxGenerated:
		in.fault(refusal.RefuseCount)
	case int(count)*len(g.in.AffiliateIDs) > maxGenerated:
		in.fault(refusal.FieldTooLarge)
	}
	g.in.Count = int(count)
	g.check = in.flag("checkOnly")
	return g
}

// generated is the answer of a generation.
type generated struct {
	affiliate.KeySpace
	Codes []generatedCode `json:"codes"` // newest first
}

type generatedCode struct {
	ID          uuid.UUID `json:"id"`
	Code        string    `json:"code"`
	AffiliateID uuid.UUID `json:"affiliateId"`
}

func generateCodes(p *tributary.Program, ctx context.Context, g generation) (generated, error) {
	out := generated{Codes: []generatedCode{}}
	if g.check {
		var err error
		out.KeySpace, err = p.CheckCodes(ctx, g.in)
		return out, err
	}
	codes, err := p.GenerateCodes(ctx, g.in)
	if err != nil {
		return out, err
	}
	out.KeySpace = g.in.KeySpace()
	for i := range codes {
		out.Codes = append(out.Codes, generatedCode{codes[i].ID, codes[i].Code, codes[i].AffiliateID.Or(uuid.Nil)})
	}
	return out, nil
}
