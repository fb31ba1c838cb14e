package client

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

const plans = "/commission-plans"

// Plan is [tributary.Program.Plan].
//
// Errors: [affiliate.ErrNotFound].
func (c *Client) Plan(ctx context.Context, id uuid.UUID) (affiliate.Plan, error) {
	return one[affiliate.Plan](ctx, c, plans, firstOf("commissionPlanId", textOfID(id)))
}

// Plans is [tributary.Program.Plans].
func (c *Client) Plans(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Plan], error) {
	return selected[affiliate.Plan](ctx, c, plans, filter{}, pg)
}

// plan is a plan on the wire, or a change of one.
type plan struct {
	CommissionPlanID   uuid.UUID                               `json:"commissionPlanId,omitzero"`
	Name               affiliate.Opt[string]                   `json:"name,omitzero"`
	CommissionRate     affiliate.Opt[affiliate.Percent]        `json:"commissionRate,omitzero"`
	CommissionType     affiliate.Opt[affiliate.CommissionType] `json:"commissionType,omitzero"`
	NumberOfPayments   affiliate.Opt[int64]                    `json:"numberOfPayments,omitzero"`
	NumberOfMonths     affiliate.Opt[int64]                    `json:"numberOfMonths,omitzero"`
	HoldDays           affiliate.Opt[int64]                    `json:"holdDays,omitzero"`
	Rules              affiliate.Opt[[]affiliate.Rule]         `json:"rules,omitzero"`
	MonthsFrom         affiliate.Opt[affiliate.MonthsFrom]     `json:"monthsFrom,omitzero"`
	MaxPerSale         affiliate.Opt[affiliate.Amount]         `json:"maxPerSale,omitzero"`
	MaxPerCustomer     affiliate.Opt[affiliate.Amount]         `json:"maxPerCustomer,omitzero"`
	OfferCouponID      affiliate.Opt[uuid.UUID]                `json:"offerCouponId,omitzero"`
	PaymentTrigger     affiliate.Opt[affiliate.PaymentTrigger] `json:"paymentTrigger,omitzero"`
	AutoApproveRewards affiliate.Opt[bool]                     `json:"autoApproveRewards,omitzero"`
	From               affiliate.Opt[affiliate.Date]           `json:"from,omitzero"`
	Withdraw           affiliate.Opt[affiliate.Date]           `json:"withdraw,omitzero"`
}

// setTerms sets all terms.
func (p *plan) setTerms(t affiliate.Terms) {
	p.CommissionRate = affiliate.Set(t.Rate)
	if t.Type == "" {
		t.Type = affiliate.CommissionPercentage
	}
	p.CommissionType = affiliate.Set(t.Type)
	p.NumberOfPayments, p.NumberOfMonths = unlessZero(t.MaxPayments), unlessZero(t.MaxMonths)
	p.HoldDays = affiliate.Set(t.HoldDays)
	if len(t.Rules) > 0 {
		p.Rules = affiliate.Set(t.Rules)
	}
	if t.MonthsFrom != "" {
		p.MonthsFrom = affiliate.Set(t.MonthsFrom)
	}
	if !t.MaxPerSale.IsZero() {
		p.MaxPerSale = affiliate.Set(t.MaxPerSale)
	}
	if !t.MaxPerCustomer.IsZero() {
		p.MaxPerCustomer = affiliate.Set(t.MaxPerCustomer)
	}
	if t.OfferCouponID != uuid.Nil {
		p.OfferCouponID = affiliate.Set(t.OfferCouponID)
	}
}

// unlessZero returns a limit, or null for 0, which is none.
func unlessZero(n int64) affiliate.Opt[int64] {
	if n == 0 {
		return affiliate.Null[int64]()
	}
	return affiliate.Set(n)
}

// CreatePlan is [tributary.Program.CreatePlan].
func (c *Client) CreatePlan(ctx context.Context, in affiliate.NewPlan) (affiliate.Plan, error) {
	body := plan{Name: affiliate.Set(in.Name), AutoApproveRewards: affiliate.Set(!in.HoldRewards)}
	body.setTerms(in.Terms)
	if in.PaymentTrigger != "" {
		body.PaymentTrigger = affiliate.Set(in.PaymentTrigger)
	}
	return send[affiliate.Plan](ctx, c, c.post(plans, body, affiliate.Once{}))
}

// UpdatePlan is [tributary.Program.UpdatePlan].
func (c *Client) UpdatePlan(ctx context.Context, id uuid.UUID, up affiliate.PlanUpdate) (affiliate.Plan, error) {
	body := plan{CommissionPlanID: id, Name: up.Name, PaymentTrigger: up.PaymentTrigger, AutoApproveRewards: opposite(up.HoldRewards)}
	body.change(affiliate.TermsUpdate{
		Terms: up.Terms, Type: up.Type, Rate: up.Rate, MaxPayments: up.MaxPayments, MaxMonths: up.MaxMonths, HoldDays: up.HoldDays,
		Rules: up.Rules, MonthsFrom: up.MonthsFrom, MaxPerSale: up.MaxPerSale, MaxPerCustomer: up.MaxPerCustomer, OfferCouponID: up.OfferCouponID, From: up.From, Withdraw: up.Withdraw,
	})
	rq := c.put(plans, body)
	rq.goOnly("Terms", up.Terms.IsNull())
	return send[affiliate.Plan](ctx, c, rq)
}

// change sets the terms that an update gives.
func (p *plan) change(up affiliate.TermsUpdate) {
	if terms, there := up.Terms.Get(); there {
		p.Rules, p.MonthsFrom = affiliate.Null[[]affiliate.Rule](), affiliate.Set(affiliate.MonthsFromPayment)
		p.MaxPerSale, p.MaxPerCustomer = affiliate.Null[affiliate.Amount](), affiliate.Null[affiliate.Amount]()
		p.OfferCouponID = affiliate.Null[uuid.UUID]()
		p.setTerms(terms)
	}
	put(&p.CommissionType, up.Type)
	put(&p.CommissionRate, up.Rate)
	put(&p.NumberOfPayments, zeroIsNull(up.MaxPayments))
	put(&p.NumberOfMonths, zeroIsNull(up.MaxMonths))
	put(&p.HoldDays, up.HoldDays)
	put(&p.Rules, up.Rules)
	put(&p.MonthsFrom, up.MonthsFrom)
	put(&p.MaxPerSale, up.MaxPerSale)
	put(&p.MaxPerCustomer, up.MaxPerCustomer)
	put(&p.OfferCouponID, up.OfferCouponID)
	p.From, p.Withdraw = up.From, up.Withdraw
}

const terms = "/terms"

// Terms is [tributary.Program.Terms].
func (c *Client) Terms(ctx context.Context) ([]affiliate.DatedTerms, error) {
	return send[[]affiliate.DatedTerms](ctx, c, fetch(terms, nil))
}

// SetTerms is [tributary.Program.SetTerms].
func (c *Client) SetTerms(ctx context.Context, up affiliate.TermsUpdate) ([]affiliate.DatedTerms, error) {
	var body plan
	body.change(up)
	rq := c.put(terms, body)
	rq.goOnly("Terms", up.Terms.IsNull())
	return send[[]affiliate.DatedTerms](ctx, c, rq)
}

// put sets a field when it is given.
func put[T any](field *affiliate.Opt[T], given affiliate.Opt[T]) {
	if !given.IsZero() {
		*field = given
	}
}

// zeroIsNull returns a change of a limit, in which 0 is none.
func zeroIsNull(o affiliate.Opt[int64]) affiliate.Opt[int64] {
	if n, there := o.Get(); there {
		return unlessZero(n)
	}
	return o
}

// opposite returns a change of a boolean that means the opposite on the wire.
func opposite(o affiliate.Opt[bool]) affiliate.Opt[bool] {
	if b, there := o.Get(); there {
		return affiliate.Set(!b)
	}
	return o
}

// DeletePlan is [tributary.Program.DeletePlan].
func (c *Client) DeletePlan(ctx context.Context, id uuid.UUID) error {
	return done(ctx, c, c.remove(plans, plan{CommissionPlanID: id}))
}
