package httpapi

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
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

// countAnswer is the answer of a write that says how many records it matched.
type countAnswer struct {
	Count int `json:"count"` // How many records were matched.
}

func updateAffiliate(p *tributary.Program, ctx context.Context, in affiliateChange) (countAnswer, error) {
	n, err := p.UpdateAffiliate(ctx, in.ref, in.up)
	return countAnswer{n}, err
}

// affiliateByIdent looks an affiliate up by anything but an email.
func affiliateByIdent(p *tributary.Program, ctx context.Context, ident string) (affiliate.Affiliate, error) {
	if _, external := affiliate.ExternalIn(ident); !external && strings.Contains(ident, "@") {
		return affiliate.Affiliate{}, affiliate.ErrNotFound
	}
	return p.Affiliate(ctx, ident)
}

func affiliateByEmail(p *tributary.Program, ctx context.Context, email string) (affiliate.Affiliate, error) {
	if _, external := affiliate.ExternalIn(email); external || !strings.Contains(email, "@") {
		return affiliate.Affiliate{}, affiliate.ErrNotFound
	}
	return p.Affiliate(ctx, email)
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

// deleteAnswer is the answer of a delete that does not show the deleted record.
type deleteAnswer struct {
	Message string `json:"message"`
}

// A removal names a record to delete, and says whether the money owed is given up.
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

func deleteAffiliate(p *tributary.Program, ctx context.Context,
	in removal[affiliate.AffiliateRef]) (deleteAnswer, error) {
	return deleteAnswer{"Affiliate deleted successfully"}, in.of(p).DeleteAffiliate(ctx, in.target)
}

// Operations of the administrator on affiliates, most of them on many at once.
//
// Source: docs/contract.md 4.6.

// bulk is a change of many records: all become the same.
type bulk[T any] struct {
	ids []uuid.UUID
	to  T
}

// toAll makes many records the same.
func toAll[T, Out any](
	do func(*tributary.Program, context.Context, T, ...uuid.UUID) ([]Out, error),
) method[bulk[T], []Out] {
	return func(p *tributary.Program, ctx context.Context, m bulk[T]) ([]Out, error) {
		return do(p, ctx, m.to, m.ids...)
	}
}

func affiliateIDs(in *input) []uuid.UUID {
	defer in.targeted()
	return in.ids("affiliateIds", refusal.RefuseNoAffiliateIDs)
}

func affiliateStatusOf(in *input) (m bulk[affiliate.AffiliateStatus]) {
	m.ids = affiliateIDs(in)
	status := enum[affiliate.AffiliateStatus](in, "status")
	if m.to = status.Or(""); m.to == "" {
		in.fault(refusal.RefuseNoStatus)
	}
	if !slices.Contains(moves, m.to) {
		in.fault(refusal.RefuseMove)
		m.to = affiliate.AffiliateActive // which keeps the refusal under the key of the request
	}
	return m
}

// moves are the statuses to which affiliates are brought.
var moves = []affiliate.AffiliateStatus{
	affiliate.AffiliateActive, affiliate.AffiliateDeclined, affiliate.AffiliateDeactivated, affiliate.AffiliateBanned,
}

func planOfAffiliates(in *input) bulk[uuid.UUID] {
	return bulk[uuid.UUID]{affiliateIDs(in), in.idOrNull("commissionPlanId", refusal.RefuseNoPlanID)}
}

func tierOfAffiliates(in *input) bulk[uuid.UUID] {
	return bulk[uuid.UUID]{affiliateIDs(in), in.idOrNull("commissionTierId", refusal.RefuseNoTierID)}
}

func exemptionOf(in *input) bulk[bool] {
	m := bulk[bool]{ids: affiliateIDs(in)}
	exempt := in.boolean("exempt")
	if exempt.IsZero() {
		in.fault(refusal.FieldNotABoolean)
	}
	m.to = exempt.Or(false)
	return m
}

// oneAffiliate reads the id of the affiliate of an operation.
var oneAffiliate = targetID("affiliateId")

type payoutDetails struct {
	id      uuid.UUID
	details affiliate.PayoutDetails
}

func payoutDetailsOf(in *input) payoutDetails {
	return payoutDetails{oneAffiliate(in), affiliate.PayoutDetails{
		Email: in.optional("payoutEmail"), Method: enum[affiliate.PaymentMethod](in, "paymentMethod").Or(""),
	}}
}

func setPayoutDetails(p *tributary.Program, ctx context.Context, in payoutDetails) (affiliate.Affiliate, error) {
	return p.SetPayoutDetails(ctx, in.id, in.details)
}

// invited reads an affiliate whose status the program decides.
var invited = bodyOf[affiliate.AffiliateParams]("affiliateStatus")

func invitationOf(in *input) affiliate.AffiliateParams {
	n := invited(in)
	n.Answers = in.answers("questionAnswers")
	return n
}
