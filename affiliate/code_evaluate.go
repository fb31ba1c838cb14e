package affiliate

import "context"

// Order is the input of [Program.Evaluate]: a code and what is known of the
// order it is meant for. PromoCode is required.
//
// A checkout previews the basket as Subtotal, charges [Evaluation].Total and
// what tax and shipping come to, and reports the sale with what was charged as
// TotalEarned and the same Subtotal. The code's minimum is compared with the
// basket both times, so that a code which was accepted before the payment is
// not refused after it for the discount that it gave.
type Order struct {
	Once        `json:"-"`
	PromoCode   string       `json:"promoCode"`
	TotalEarned Opt[Amount]  `json:"totalEarned,omitzero"` // > 0, at most 10^11; what the sale will send
	Subtotal    Opt[Amount]  `json:"subtotal,omitzero"`    // the basket: > 0, at most 10^11, not below TotalEarned; it decides
	Email       string       `json:"email,omitzero"`       // the customer
	ReferralID  string       `json:"referralId,omitzero"`  // referral id, customer email, click id, affiliate id or slug
	Product     Opt[Product] `json:"product,omitzero"`
}

// Evaluation is the answer of [Program.Evaluate].
//
// Source: docs/contract.md 4.1.
type Evaluation struct {
	Valid      bool                  `json:"valid"`           // no reason speaks against it
	Reasons    []Failure             `json:"reasons"`         // every failing rule, in fixed order
	Unverified []Reason              `json:"unverified"`      // rules that need something the order did not say
	Discount   Opt[Amount]           `json:"discount"`        // of Subtotal, else of TotalEarned; null when it cannot be priced
	Total      Opt[Amount]           `json:"total"`           // what is left to charge before tax and shipping; null when Discount is
	Code       Opt[CodeName]         `json:"promotionalCode"` // null when the code was not found, like the next two
	Coupon     Opt[Coupon]           `json:"coupon"`          // without its codes
	Affiliate  Opt[AffiliateContact] `json:"affiliate"`       // null too for a code without one
}

// Evaluate reports whether a code would work for an order, and what it would take
// off. It runs the very rules that a sale runs and changes nothing. With an
// idempotency key its answer is kept.
//
// Errors: [MissingField] (promoCode), [InvalidField]; a code that fails is no
// error.
//
// Source: docs/rules.md 3.6; docs/contract.md 4.1.
func (p *Program) Evaluate(ctx context.Context, in Order) (Evaluation, error) {
	refused := checkEvaluated(&in)
	o := p.op(ctx) // reads the clock: a view alone does not
	once := p.onceOf(in.Once)
	if once.Key != "" {
		rq := request{once: once, name: "code.evaluate", input: in, refused: refused}
		return write(o, rq, func() (Evaluation, error) { return o.evaluate(in) })
	}
	if once.Refused != nil {
		refused = once.Refused
	}
	if refused != nil {
		return Evaluation{}, refused
	}
	var out Evaluation
	err := p.store.View(ctx, p.cfg.ID, func(tx *Tx) (err error) {
		if err := p.tables.run(tx); err != nil {
			return err
		}
		o.tx = tx
		out, err = o.evaluate(in)
		return err
	})
	if err != nil {
		return Evaluation{}, err
	}
	return out, nil
}

// checkEvaluated checks the fields in the order of the contract's table.
func checkEvaluated(in *Order) error {
	var code, total, basket, email *Error
	if blank(in.PromoCode) {
		code = promoCodeRequired.err()
	}
	if amount, ok := in.TotalEarned.Get(); ok && amount.Sign() <= 0 {
		total = totalNotPositive.err()
	} else if ok {
		total = boundOfSale("totalEarned", amount)
	}
	if basket = checkSubtotal(in.Subtotal); basket == nil {
		basket = checkBasket(in.Subtotal, in.TotalEarned.Or(Amount{}), Amount{}, Amount{}, "subtotal")
	}
	if in.Email = trimSpace(in.Email); in.Email != "" {
		email = checkEmail("email", &in.Email)
	}
	if err := first(code, total, basket, email); err != nil {
		return err
	}
	return checkProduct(in.Product)
}

func (o *op) evaluate(in Order) (Evaluation, error) {
	var who identity
	if err := o.identify(in.ReferralID, in.Email, &who); err != nil {
		return Evaluation{}, err
	}
	var v verdict
	basket := basketOf(in.Subtotal, in.TotalEarned)
	err := o.judge(in.PromoCode, &order{
		basket: basket, customer: &who.customer, affiliate: who.origin.affiliate.ID,
		product: in.Product.Or(Product{}).ProductID,
	}, &v)
	if err != nil {
		return Evaluation{}, err
	}
	out := Evaluation{
		Valid: len(v.failures) == 0, Reasons: emptyNotNil(v.failures), Unverified: emptyNotNil(v.unverified),
		Discount: Null[Amount](), Total: Null[Amount](), Code: Null[CodeName](), Coupon: Null[Coupon](), Affiliate: Null[AffiliateContact](),
	}
	if !v.found {
		return out, nil
	}
	out.Discount = o.discount(&v.coupon, basket)
	if off, ok := out.Discount.Get(); ok {
		left, err := basket.Or(Amount{}).Sub(off)
		if err != nil {
			return Evaluation{}, internal("price a basket", err)
		}
		out.Total = Set(left)
	}
	out.Code = Set(CodeName{ID: v.code.ID, Code: v.code.Code})
	out.Coupon = Set(o.couponOf(v.coupon))
	out.Affiliate, err = o.contact(v.code.AffiliateID, nil)
	return out, err
}
