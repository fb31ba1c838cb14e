package httpapi

import (
	"context"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// Source: docs/contract.md 2.3, 3.1, 8.

type affiliateChange struct {
	ref affiliate.AffiliateRef
	up  affiliate.AffiliateUpdate
}

var affiliateUpdate = bodyOf[affiliate.AffiliateUpdate]()

func affiliateChangeOf(in *input) affiliateChange {
	return affiliateChange{
		ref: affiliateRefOf(in),
		up:  affiliateUpdate(in),
	}
}

// affiliateRefOf reads the fields that name the affiliate of an update. The
// field id is the old name of affiliateId.
func affiliateRefOf(in *input) affiliate.AffiliateRef {
	defer in.targeted()
	ref := aliased(in, "affiliateId", "id", in.affiliateRef)
	ref.Email = in.name("emailAddress")
	return ref
}

// counted is the answer of a write that says how many records it matched.
type counted struct {
	Count int `json:"count"`
}

func updateAffiliate(p *tributary.Program, ctx context.Context, in affiliateChange) (counted, error) {
	n, err := p.UpdateAffiliate(ctx, in.ref, in.up)
	return counted{n}, err
}

func affiliateByExternalID(p *tributary.Program, ctx context.Context, id string) (affiliate.Affiliate, error) {
	return p.Affiliate(ctx, affiliate.External(id))
}

// affiliateTarget reads the field that names the affiliate of a delete. A text
// that is neither an id nor an external id is taken as an email.
func affiliateTarget(in *input) affiliate.AffiliateRef {
	defer in.targeted()
	text := aliased(in, "affiliateId", "id", in.name)
	if external, ok := affiliate.ExternalIn(text); ok && external != "" {
		return affiliate.AffiliateRef{ExternalID: external}
	}
	if id := idOf(text); id != unknownID {
		return affiliate.AffiliateRef{ID: id}
	}
	return affiliate.AffiliateRef{Email: text}
}

// done is the answer of a delete that does not show the deleted record.
type done struct {
	Message string `json:"message"`
}

// A removal is what is deleted, and whether what is owed is given up.
type removal[T any] struct {
	target  T
	forfeit bool
}

// removalOf reads the target of a delete, and the field forfeit.
func removalOf[T any](target func(*input) T) func(*input) removal[T] {
	return func(in *input) removal[T] { return removal[T]{target(in), in.forfeit()} }
}

// forfeit reads whether what is owed is given up. A query has it as text.
func (in *input) forfeit() bool {
	if text := in.value("forfeit"); in.query != nil && (string(text) == `"true"` || string(text) == `"false"`) {
		in.fields = append(in.fields, field{"forfeit", kindBool})
		return string(text) == `"true"`
	}
	return in.flag("forfeit")
}

// of returns the program that deletes.
func (r removal[T]) of(p *tributary.Program) *tributary.Program {
	if r.forfeit {
		return p.Forfeiting()
	}
	return p
}

func deleteAffiliate(p *tributary.Program, ctx context.Context, in removal[affiliate.AffiliateRef]) (done, error) {
	return done{"Affiliate deleted successfully"}, in.of(p).DeleteAffiliate(ctx, in.target)
}
