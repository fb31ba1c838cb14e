package httpapi

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Source: docs/contract.md 2.2, 3.4, 4.1.

func codeByID(v string) affiliate.CodeRef         { return affiliate.CodeRef{ID: idOf(v)} }
func codeByText(v string) affiliate.CodeRef       { return affiliate.CodeRef{Code: v} }
func codeByExternalID(v string) affiliate.CodeRef { return affiliate.CodeRef{ExternalID: v} }

// codeParts are the members that readCodeParts reads.
var codeParts = []string{"codeStructure", "prefix", "randomCharsLength", "randomCharsCase", "randomCharsAll"}

var codeTerms = bodyOf[affiliate.CodeParams](codeParts...)

func newCode(in *input) affiliate.CodeParams {
	code := codeTerms(in)
	readCodeParts(in, &code)
	return code
}

// readCodeParts reads what a generated code is made of.
func readCodeParts(in *input, code *affiliate.CodeParams) {
	var inner structure
	code.CodeStructure = nested(in, "codeStructure", func(in *input) affiliate.CodeStructure {
		inner = readStructure(in)
		return inner.parts
	})
	code.Prefix = in.optional("prefix")
	code.RandomCharsLength = in.ranged("randomCharsLength")
	code.RandomCharsCase = enum[affiliate.CharsCase](in, "randomCharsCase").Or("")
	code.RandomCharsAll = in.flag("randomCharsAll")
	inner.complete(code)
}

// structure is a codeStructure with the fields that some callers put into it
// instead of beside it.
type structure struct {
	parts  affiliate.CodeStructure
	prefix string
	length affiliate.Opt[int64]
	chars  affiliate.CharsCase
}

func readStructure(in *input) structure {
	var s structure
	s.parts.FirstName = in.part("firstName")
	s.parts.LastName = in.part("lastName")
	s.parts.Email = in.part("email")
	s.parts.DiscountAmount = in.part("discountAmount")
	s.parts.CouponName = in.part("couponName")
	s.parts.RandomChars, s.length = in.randomChars("randomChars")
	s.prefix = in.optional("prefix")
	if n := in.ranged("randomCharsLength"); !n.IsZero() {
		s.length = n
	}
	s.chars = enum[affiliate.CharsCase](in, "randomCharsCase").Or("")
	return s
}

// randomChars reads true, false, or a number: the length, which also means
// true.
func (in *input) randomChars(name string) (on bool, length affiliate.Opt[int64]) {
	value, _ := in.find(name, kindLength)
	switch {
	case value == nil:
		return false, length
	case value[0] == '-' || isDigit(value[0]):
		n, ok := int64Of(value)
		if !ok {
			n = outsideRange
		}
		return true, affiliate.Set(n)
	case value[0] != 't' && value[0] != 'f':
		in.fault(refusal.FieldNotABoolean)
		return true, length // see part
	}
	return value[0] == 't', length
}

// complete copies the fields inside the structure that are not given beside it.
func (s structure) complete(code *affiliate.CodeParams) {
	if code.Prefix == "" {
		code.Prefix = s.prefix
	}
	if code.RandomCharsLength.IsZero() {
		code.RandomCharsLength = s.length
	}
	if code.RandomCharsCase == "" {
		code.RandomCharsCase = s.chars
	}
}

// codeDeletion is the answer for a deleted code.
type codeDeletion struct {
	Message string                `json:"message"`
	Code    affiliate.DeletedCode `json:"deletedCode"` // What was deleted.
}

func deleteCode(p *tributary.Program, ctx context.Context, id uuid.UUID) (codeDeletion, error) {
	code, err := p.DeleteCode(ctx, id)
	return codeDeletion{"Promotional code deleted successfully", code}, err
}

// evaluate previews a code. Only a key of the scope full is told the commission, or says what
// a currency is worth.
func evaluate(p *tributary.Program, c *call, in affiliate.Order) error {
	if err := c.fullOnly(in.Commission || !in.ExchangeRate.IsZero()); err != nil {
		return err
	}
	out, err := p.Evaluate(c.r.Context(), in)
	if err != nil {
		return err
	}
	return c.answer(&out)
}

// compare evaluates several codes, as evaluate does with one.
func compare(p *tributary.Program, c *call, in affiliate.CodesOrder) error {
	if err := c.fullOnly(in.Commission || !in.ExchangeRate.IsZero()); err != nil {
		return err
	}
	out, err := p.EvaluateCodes(c.r.Context(), in)
	if err != nil {
		return err
	}
	return c.answer(&out)
}

func productOf(in *input, member string, name func(*input, string) string) affiliate.Opt[affiliate.Product] {
	return nested(in, member, func(in *input) affiliate.Product {
		return affiliate.Product{
			ProductID: in.optional("productId"),
			Quantity:  in.amount("quantity"),
			Price:     in.amount("price"),
			Name:      name(in, "name"),
		}
	})
}

// any reads a value of any kind as the text of its JSON.
func (in *input) any(name string) affiliate.Opt[string] {
	value, isNull := in.find(name, kindAny)
	return opt(value, isNull, func(v json.RawMessage) string { return string(v) })
}

// Source: docs/contract.md 4.6.

// maxGenerated is the largest number of codes that one request makes.
const maxGenerated = 10_000

type generation struct {
	in    affiliate.CodesParams
	check bool // make nothing
}

// generatedTerms reads what all codes of a generation have.
var generatedTerms = bodyOf[affiliate.CodeParams](append(codeParts, "code", "externalId", "isAutoGenerated")...)

func generationOf(in *input) (g generation) {
	g.in.CodeParams = generatedTerms(in)
	readCodeParts(in, &g.in.CodeParams)
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

// generationAnswer is the answer with the codes of a batch.
type generationAnswer struct {
	affiliate.KeySpace
	Codes []generatedCode `json:"codes"` // The codes, newest first; empty when nothing was made.
}

// generatedCode is a code of a batch.
type generatedCode struct {
	ID          uuid.UUID `json:"id"`
	Code        string    `json:"code"`        // The text.
	AffiliateID uuid.UUID `json:"affiliateId"` // Who is credited.
}

func generateCodes(p *tributary.Program, ctx context.Context, g generation) (generationAnswer, error) {
	out := generationAnswer{Codes: []generatedCode{}}
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
