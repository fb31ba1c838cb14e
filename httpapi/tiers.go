package httpapi

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// Source: docs/contract.md 2.10, 4.6.

func tierByID(p *tributary.Program, ctx context.Context, value string) (affiliate.Tier, error) {
	return p.Tier(ctx, idOf(value))
}

func newTier(in *input) affiliate.NewTier {
	return affiliate.NewTier{
		Tier:          in.integer("tier").Or(0),
		Name:          in.text("name"),
		Emoji:         in.optional("emoji"),
		MinReferrals:  in.integer("minReferrals").Or(0),
		MinRevenue:    in.amount("minRevenue").Or(affiliate.Amount{}),
		ConditionType: enum[affiliate.ConditionType](in, "conditionType").Or(""),
		Rate:          in.percent("commissionRate"),
	}
}

type tierChange struct {
	id uuid.UUID
	up affiliate.TierUpdate
}

func tierChangeOf(in *input) tierChange {
	return tierChange{
		id: tierTarget(in),
		up: affiliate.TierUpdate{
			Tier:          in.integer("tier"),
			Name:          in.optText("name"),
			Emoji:         in.optOptional("emoji"),
			MinReferrals:  in.integer("minReferrals"),
			MinRevenue:    in.amount("minRevenue"),
			ConditionType: enum[affiliate.ConditionType](in, "conditionType"),
			Rate:          in.percent("commissionRate"),
		},
	}
}

func updateTier(p *tributary.Program, ctx context.Context, in tierChange) (affiliate.Tier, error) {
	return p.UpdateTier(ctx, in.id, in.up)
}

func tierTarget(in *input) uuid.UUID {
	defer in.targeted()
	return in.id("commissionTierId")
}

func deleteTier(p *tributary.Program, ctx context.Context, id uuid.UUID) (done, error) {
	return done{"Tier deleted successfully"}, p.DeleteTier(ctx, id)
}
