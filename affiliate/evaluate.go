package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// Order is the input of [Program.Evaluate]: a code and what is known of the
// order it is meant for. PromoCode is required.
type Order struct {
	PromoCode   string       `json:"promoCode"`
	TotalEarned Opt[Amount]  `json:"totalEarned,omitzero"` // > 0; what the sale will send
	Email       string       `json:"email,omitzero"`       // the customer
	ReferralID  string       `json:"referralId,omitzero"`  // referral id, customer email, click id, affiliate id or slug
	Product     Opt[Product] `json:"product,omitzero"`
}

// Evaluation is the answer of [Program.Evaluate]. Contract 4.1.
type Evaluation struct {
	Valid      bool                  `json:"valid"`           // no reason speaks against it
	Reasons    []Failure             `json:"reasons"`         // every failing rule, in fixed order
	Unverified []Reason              `json:"unverified"`      // rules that need something the order did not say
	Discount   Opt[Amount]           `json:"discount"`        // null when it cannot be priced
	Code       Opt[CodeName]         `json:"promotionalCode"` // null when the code was not found, like the next two
	Coupon     Opt[Coupon]           `json:"coupon"`          // without its codes
	Affiliate  Opt[AffiliateContact] `json:"affiliate"`       // null too for a code without one
}

// Evaluate tells whether a code would work for an order, and what it would take
// off. It runs the very rules that a sale runs and changes nothing.
//
// Errors: MissingField (promoCode), InvalidField; a code that fails is no error.
// Rule 3.6; contract 4.1.
func (p *Program) Evaluate(ctx context.Context, in Order) (Evaluation, error) {
	if err := checkEvaluated(&in); err != nil {
		return Evaluation{}, err
	}
	o := p.op(ctx) // reads the clock: a view alone does not
	var out Evaluation
	err := p.store.View(ctx, p.cfg.ID, func(tx *Tx) (err error) {
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
	var code, total, email *Error
	if blank(in.PromoCode) {
		code = promoCodeRequired.err()
	}
	if amount, ok := in.TotalEarned.Get(); ok && amount.Sign() <= 0 {
		total = totalNotPositive.err()
	}
	if in.Email != "" {
		email = checkEmail("email", &in.Email)
	}
	return first(code, total, email, checkProduct(in.Product))
}

// checkProduct checks what was bought, where it was sent.
func checkProduct(sent Opt[Product]) *Error {
	product, ok := sent.Get()
	if !ok {
		return nil
	}
	if err := optional("product.productId", product.ProductID, maxName); err != nil {
		return err
	}
	if quantity, ok := product.Quantity.Get(); ok && quantity.Sign() <= 0 {
		return quantityNotPositive.err()
	}
	if price, ok := product.Price.Get(); ok && price.Sign() < 0 {
		return priceNegative.err()
	}
	return optional("product.name", product.Name, maxName)
}

func (o *op) evaluate(in Order) (Evaluation, error) {
	ord, err := o.orderOf(in.ReferralID, in.Email)
	if err != nil {
		return Evaluation{}, err
	}
	ord.total, ord.product = in.TotalEarned, in.Product.Or(Product{}).ProductID
	v, err := o.judge(in.PromoCode, ord)
	if err != nil {
		return Evaluation{}, err
	}
	out := Evaluation{
		Valid: len(v.failures) == 0, Reasons: emptyNotNil(v.failures), Unverified: emptyNotNil(v.unverified),
		Discount: Null[Amount](), Code: Null[CodeName](), Coupon: Null[Coupon](), Affiliate: Null[AffiliateContact](),
	}
	if !v.found {
		return out, nil
	}
	out.Discount = o.discount(&v.coupon, in.TotalEarned)
	out.Code = Set(CodeName{ID: v.code.ID, Code: v.code.Code})
	out.Coupon = Set(o.couponOf(v.coupon))
	out.Affiliate, err = o.contact(v.code.AffiliateID, nil)
	return out, err
}

// orderOf is the buyer of an order and the affiliate that it names. Only the
// referralId names an affiliate: as a click, an affiliate or a slug directly,
// as a referral through its owner. What leads nowhere counts as not sent.
func (o *op) orderOf(referralID, email string) (order, error) {
	who, err := o.identify(referralID, email)
	if err != nil {
		return order{}, err
	}
	ord := order{customer: who.customer}
	if who.via {
		ord.affiliate = who.origin.affiliate.ID
		return ord, nil
	}
	if referralID != "" && email != "" {
		// The customer may come from the email, which names no affiliate.
		if who, err = o.identify(referralID, ""); err != nil {
			return order{}, err
		}
	}
	if referralID != "" && who.customer.referral.ID != uuid.Nil {
		ord.affiliate = who.customer.referral.AffiliateID
	}
	return ord, nil
}
