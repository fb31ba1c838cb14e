package httpapi

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Source: docs/contract.md 2.9, 4.6.

func newPlan(in *input) affiliate.NewPlan {
	n := affiliate.NewPlan{Name: in.text("name")}
	rate := in.percent("commissionRate")
	if rate.IsZero() {
		in.fault(refusal.RefuseNoRate)
	}
	n.Terms = affiliate.Terms{
		Rate:        rate.Or(affiliate.Percent{}),
		Type:        enum[affiliate.CommissionType](in, "commissionType").Or(""),
		MaxPayments: in.positive("numberOfPayments").Or(0),
		MaxMonths:   in.positive("numberOfMonths").Or(0),
		HoldDays:    in.ranged("holdDays").Or(0),
		Rules:       rules(in, "rules").Or(nil),
		MonthsFrom:  monthsFrom(in).Or(""),

		MaxPerSale:     in.amount("maxPerSale").Or(affiliate.Amount{}),
		MaxPerCustomer: in.amount("maxPerCustomer").Or(affiliate.Amount{}),
		OfferCouponID:  in.id("offerCouponId"),
	}
	n.PaymentTrigger = enum[affiliate.PaymentTrigger](in, "paymentTrigger").Or("")
	n.HoldRewards = !in.boolean("autoApproveRewards").Or(true)
	return n
}

type planChange struct {
	id uuid.UUID
	up affiliate.PlanUpdate
}

func planChangeOf(in *input) planChange {
	c := planChange{id: planTarget(in)}
	name, t := in.optText("name"), termsUpdate(in)
	c.up = affiliate.PlanUpdate{
		Name: name, Rate: t.Rate, Type: t.Type, MaxPayments: t.MaxPayments, MaxMonths: t.MaxMonths, HoldDays: t.HoldDays,
		Rules: t.Rules, MonthsFrom: t.MonthsFrom, MaxPerSale: t.MaxPerSale, MaxPerCustomer: t.MaxPerCustomer, OfferCouponID: t.OfferCouponID,
		PaymentTrigger: enum[affiliate.PaymentTrigger](in, "paymentTrigger"),
		HoldRewards:    in.opposite("autoApproveRewards"),
		From:           t.From,
		Withdraw:       t.Withdraw,
	}
	return c
}

// termsUpdate reads a change of terms.
func termsUpdate(in *input) affiliate.TermsUpdate {
	return affiliate.TermsUpdate{
		Rate:           in.percent("commissionRate"),
		Type:           enum[affiliate.CommissionType](in, "commissionType"),
		MaxPayments:    in.positive("numberOfPayments"),
		MaxMonths:      in.positive("numberOfMonths"),
		HoldDays:       in.ranged("holdDays"),
		Rules:          rules(in, "rules"),
		MonthsFrom:     monthsFrom(in),
		MaxPerSale:     in.amount("maxPerSale"),
		MaxPerCustomer: in.amount("maxPerCustomer"),
		OfferCouponID:  in.optID("offerCouponId"),
		From:           in.date("from"),
		Withdraw:       in.date("withdraw"),
	}
}

// terms answers the versions of the program's own terms.
func terms() lookup {
	return lookup{single: true, answer: []affiliate.DatedTerms{}, run: func(c *call, _ query, _ string) error {
		all, err := c.p.Terms(c.r.Context())
		if err != nil {
			return err
		}
		return c.answer(&all)
	}}
}

func monthsFrom(in *input) affiliate.Opt[affiliate.MonthsFrom] {
	return enum[affiliate.MonthsFrom](in, "monthsFrom")
}

func updatePlan(p *tributary.Program, ctx context.Context, in planChange) (affiliate.Plan, error) {
	return p.UpdatePlan(ctx, in.id, in.up)
}

func planTarget(in *input) uuid.UUID {
	defer in.targeted()
	return in.id("commissionPlanId")
}

func deletePlan(p *tributary.Program, ctx context.Context, id uuid.UUID) (done, error) {
	return done{"Commission plan deleted successfully"}, p.DeletePlan(ctx, id)
}

// positive reads an integer of at least 1.
func (in *input) positive(name string) affiliate.Opt[int64] {
	o := in.integer(name)
	if n, there := o.Get(); there && n < 1 {
		in.fault(refusal.FieldNotAtLeastOne)
	}
	return o
}

// opposite reads a boolean that is the opposite of the engine's.
func (in *input) opposite(name string) affiliate.Opt[bool] {
	o := in.boolean(name)
	if o.IsNull() {
		in.fault(refusal.FieldNull)
	}
	if b, there := o.Get(); there {
		return affiliate.Set(!b)
	}
	return affiliate.Opt[bool]{}
}
