package httpapi

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

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
var invited = bodyOf[affiliate.NewAffiliate]("affiliateStatus")

func invitationOf(in *input) affiliate.NewAffiliate {
	n := invited(in)
	n.Answers = in.answers("questionAnswers")
	return n
}
