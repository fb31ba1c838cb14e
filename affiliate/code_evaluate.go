package affiliate

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/decimal"
	"github.com/tributary-go/tributary/internal/plaintext"
)

// Evaluate reports whether a code would work for an order, and its discount. It
// uses the same rules as a sale and changes nothing. With an idempotency key
// its answer is stored.
//
// Errors: [MissingField] (promoCode), [InvalidField]. A code that fails is not
// an error.
//
// Source: docs/rules.md 3.6; docs/contract.md 4.1.
func (p *Program) Evaluate(ctx context.Context, in Order) (_ Evaluation, err error) {
	defer p.begin(&ctx, "Evaluate", writes).end(&err)
	refused := p.normalizeEvaluated(&in)
	o := p.op(ctx) // reads the clock, which a view does not do
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
	err = o.snapshot(func() (err error) {
		out, err = o.evaluate(in)
		return err
	})
	if err != nil {
		return Evaluation{}, err
	}
	return out, nil
}

// normalizeEvaluated checks the fields in the order of the contract's table.
func (p *Program) normalizeEvaluated(in *Order) error {
	var code, total, basket, email *Error
	if plaintext.Blank(in.PromoCode) {
		code = promoCodeRequired.Err()
	}
	if amount, ok := in.TotalEarned.Get(); ok && amount.Sign() <= 0 {
		total = totalNotPositive.Err()
	} else if ok {
		total = boundOfSale("totalEarned", amount)
	}
	if basket = checkSubtotal(in.Subtotal); basket == nil {
		basket = charge{total: in.TotalEarned.Or(Amount{})}.checkSubtotal(in.Subtotal, "subtotal")
	}
	if in.Email = plaintext.Bare(in.Email); in.Email != "" {
		email = normalizeEmail("email", &in.Email)
	}
	if err := first(code, total, p.ownCurrency(&in.Currency), basket, email); err != nil {
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
		Discount: Null[Amount](), Total: Null[Amount](), Risks: []RiskReason{}, Code: Null[CodeName](), Coupon: Null[Coupon](), Affiliate: Null[AffiliateContact](),
	}
	if !v.found {
		return out, nil
	}
	if price, ok := basket.Get(); ok && !v.pricesAll(in.Product, price, o.cfg.Currency) {
		out.Unverified = append(out.Unverified, ProductShare)
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
	if out.Affiliate, err = o.contact(v.code.AffiliateID, nil); err != nil {
		return Evaluation{}, err
	}
	return out, o.preview(&in, &who, &v, &out)
}

// pricesAll reports whether the discount of a code is for all of a basket: its
// coupon is for every product, or the basket is the price of one of its products.
// A product that is not listed has failed already.
func (v *verdict) pricesAll(given Opt[Product], basket Amount, c Currency) bool {
	product, _ := given.Get()
	if !v.coupon.LimitToProducts || product.ProductID != "" && !slices.Contains(v.coupon.ProductIDs, product.ProductID) {
		return true
	}
	one := AmountFromScaled(decimal.Scale)
	sum, err := product.Price.Or(Amount{}).Portion(product.Quantity.Or(one), one, c)
	return product.ProductID != "" && err == nil && sum == basket
}

// preview tells what would hold the sale that the order would become: the status of
// the affiliate, and the rules of Config.Review. A code without an affiliate credits
// nobody.
func (o *op) preview(in *Order, who *identity, v *verdict, out *Evaluation) error {
	if v.code.AffiliateID == uuid.Nil {
		return nil
	}
	aff, err := o.tx.Affiliates.Get(v.code.AffiliateID)
	if err != nil {
		return internal("affiliate of a code", err)
	}
	if risk := aff.Status.risk(); risk != "" {
		out.Risks = append(out.Risks, risk)
	}
	if len(o.cfg.Review) == 0 {
		return nil
	}
	e := who.evidence(o.now, &aff, v)
	e.CustomerEmail = cmp.Or(in.Email, e.CustomerEmail)
	e.Total = in.TotalEarned.Or(out.Total.Or(Amount{}))
	risks, err := o.risks(e)
	for _, risk := range risks {
		if !slices.Contains(out.Risks, risk) { // a rule may have the name of a status
			out.Risks = append(out.Risks, risk)
		}
	}
	return err
}
