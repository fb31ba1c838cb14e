package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/decimal"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Evaluate implements tributary.Program.Evaluate.
func (p *Program) Evaluate(ctx context.Context, in affiliate.Order) (_ affiliate.Evaluation, err error) {
	defer p.Begin(&ctx, "Evaluate", Writes).End(&err)
	refused := p.normalizeEvaluated(&in)
	rq := Request{Once: p.OnceOf(in.Once), Name: "code.evaluate", Input: in, Refused: refused}
	return priced(p.Op(ctx), rq, &in, func(o *Op) (affiliate.Evaluation, error) { return o.evaluate(&in) })
}

// EvaluateCodes implements tributary.Program.EvaluateCodes.
func (p *Program) EvaluateCodes(ctx context.Context, in affiliate.CodesOrder) (_ affiliate.Comparison, err error) {
	defer p.Begin(&ctx, "EvaluateCodes", Writes).End(&err)
	refused := checkCodes(&in)
	if refused == nil {
		in.PromoCode = in.PromoCodes[0] // an order has a code
		refused = p.normalizeEvaluated(&in.Order)
	}
	rq := Request{Once: p.OnceOf(in.Once), Name: "code.compare", Input: in, Refused: refused}
	return priced(p.Op(ctx), rq, &in.Order,
		func(o *Op) (affiliate.Comparison, error) { return o.compare(in.Order, in.PromoCodes) })
}

// priced answers about an order from a snapshot, or keeps the answer when it has an idempotency key.
func priced[T any](o *Op, rq Request, in *affiliate.Order, answer func(*Op) (T, error)) (out T, err error) {
	if rq.Refused == nil {
		in.ExchangeRate, rq.Refused = o.RateOf(o.Ctx, in.Currency, in.ExchangeRate, o.Now.Time())
	}
	if rq.Once.Key != "" {
		return Write(o, rq, func() (T, error) { return answer(o) })
	}
	if rq.Once.Refused != nil {
		rq.Refused = rq.Once.Refused
	}
	if rq.Refused != nil {
		return out, rq.Refused
	}
	err = o.Snapshot(func() (err error) {
		out, err = answer(o)
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return out, nil
}

// checkCodes checks the codes that are tried on an order.
func checkCodes(in *affiliate.CodesOrder) error {
	seen := make(map[string]bool, len(in.PromoCodes))
	for _, code := range in.PromoCodes {
		if plaintext.Blank(code) {
			return refusal.FieldEmpty.Of("promoCodes")
		}
		seen[record.FoldCode(plaintext.Bare(code))] = true
	}
	return refusal.First(
		refusal.FieldNotAllowed.About("promoCode").When(in.PromoCode != ""),
		refusal.RefuseNoPromoCodes.When(len(in.PromoCodes) == 0),
		refusal.FieldOver20Entries.About("promoCodes").When(len(in.PromoCodes) > refusal.MaxCodes),
		refusal.FieldNotDistinct.About("promoCodes").When(len(seen) < len(in.PromoCodes)),
	)
}

// compare evaluates codes for one order of one customer.
func (o *Op) compare(in affiliate.Order, codes []string) (affiliate.Comparison, error) {
	out := affiliate.Comparison{Best: affiliate.Null[affiliate.CodeName](),
		Evaluations: make([]affiliate.Evaluation, 0, len(codes))}
	var who identity
	if err := o.identify(in.ReferralID, in.ReferredUserExternalID, in.Email, &who); err != nil {
		return out, err
	}
	var most affiliate.Amount
	for _, in.PromoCode = range codes {
		e, err := o.evaluateFor(&in, &who)
		if err != nil {
			return out, err
		}
		off, known := e.Discount.Get()
		if best := out.Best.IsNull() || off.Cmp(most) > 0; e.Valid && known && best {
			out.Best, most = e.Code, off
		}
		out.Evaluations = append(out.Evaluations, e)
	}
	return out, nil
}

// normalizeEvaluated checks the fields in the order of the contract's table.
func (p *Program) normalizeEvaluated(in *affiliate.Order) error {
	var code, total, basket, email *affiliate.Error
	if plaintext.Blank(in.PromoCode) && !in.Offer {
		code = refusal.PromoCodeRequired.Err()
	}
	if amount, ok := in.TotalEarned.Get(); ok && amount.Sign() <= 0 {
		total = refusal.TotalNotPositive.Err()
	} else if ok {
		total = refusal.BoundOfSale("totalEarned", amount)
	}
	if basket = checkSubtotal(in.Subtotal); basket == nil {
		in.Lines = slices.Clone(in.Lines)
		if _, err := normalizeLines(in.Lines, in.Product, &in.Subtotal); err != nil {
			return err
		}
	}
	if basket == nil {
		basket = Charge{Total: in.TotalEarned.Or(affiliate.Amount{})}.checkSubtotal(in.Subtotal, "subtotal")
	}
	if in.Email = plaintext.Bare(in.Email); in.Email != "" {
		email = refusal.NormalizeEmail("email", &in.Email)
	}
	if err := refusal.First(code, total, p.priced(&in.Currency, in.ExchangeRate), basket, email, normalizeHostID(&in.ReferredUserExternalID)); err != nil {
		return err
	}
	return checkProduct(in.Product)
}

func (o *Op) evaluate(in *affiliate.Order) (affiliate.Evaluation, error) {
	var who identity
	if err := o.identify(in.ReferralID, in.ReferredUserExternalID, in.Email, &who); err != nil {
		return affiliate.Evaluation{}, err
	}
	return o.evaluateFor(in, &who)
}

// evaluateFor evaluates the code of an order whose customer is found.
func (o *Op) evaluateFor(in *affiliate.Order, who *identity) (affiliate.Evaluation, error) {
	var v verdict
	basket := basketOf(in.Subtotal, in.TotalEarned)
	ord := orderOf(in, who)
	err := o.judgeOrder(in.PromoCode, in.Offer, in.Currency, who, &ord, &v)
	if err != nil {
		return affiliate.Evaluation{}, err
	}
	out := affiliate.Evaluation{
		Valid: len(v.failures) == 0, Reasons: refusal.EmptyNotNil(v.failures),
		Unverified: refusal.EmptyNotNil(v.unverified), Discount: affiliate.Null[affiliate.Amount](),
		Total: affiliate.Null[affiliate.Amount](), Risks: []affiliate.RiskReason{},
		Code: affiliate.Null[affiliate.CodeName](), Coupon: affiliate.Null[affiliate.Coupon](),
		Affiliate: affiliate.Null[affiliate.AffiliateContact](),
	}
	if !v.found {
		return out, nil
	}
	currency := cmp.Or(in.Currency, o.Cfg.Currency)
	if price, ok := basket.Get(); ok && !v.pricesAll(in, price, currency) {
		out.Unverified = append(out.Unverified, affiliate.ProductShare)
	}
	price, err := o.priceOf(in, &v.coupon)
	if err != nil {
		return affiliate.Evaluation{}, err
	}
	out.Discount, out.Total, out.Lines = nullOr(price.discount), nullOr(price.total),
		linesOf(&record.Sale{Lines: price.lines})
	if out.Offer = v.offer; !v.offer {
		out.Code = affiliate.Set(affiliate.CodeName{ID: v.code.ID, Code: v.code.Code})
	}
	out.Coupon = affiliate.Set(o.CouponOf(v.coupon))
	c := o.creditOf(who, &v)
	if out.Affiliate, err = o.contact(c.affiliate, nil); err != nil {
		return affiliate.Evaluation{}, err
	}
	if err := o.preview(in, who, &v, c, &out); err != nil || !in.Commission || !out.Valid {
		return out, err
	}
	return out, o.previewCommission(in, who, &out)
}

// A price is the discount of a coupon on an order, as far as its amounts are known.
type price struct {
	basket, discount, total affiliate.Opt[affiliate.Amount]
	lines                   []affiliate.StoredLine
}

// priceOf returns what a coupon takes off an order.
func (o *Op) priceOf(in *affiliate.Order, coupon *record.Coupon) (p price, err error) {
	p.basket = basketOf(in.Subtotal, in.TotalEarned)
	currency, whole := cmp.Or(in.Currency, o.Cfg.Currency), p.basket.Or(affiliate.Amount{})
	if p.lines = StoredLines(in.Lines); len(p.lines) > 0 {
		p.discount = o.discountLines(coupon, p.lines, currency)
		for i := range p.lines {
			whole = affiliate.AmountFromScaled(whole.Scaled() - p.lines[i].Discount.Scaled())
		}
	} else {
		p.discount = o.discount(coupon, p.basket, currency)
	}
	if off, ok := p.discount.Get(); ok {
		left, err := whole.Sub(off)
		if err != nil {
			return p, refusal.Internal("price a basket", err)
		}
		p.total = affiliate.Set(left)
	}
	return p, nil
}

// previewCommission adds what a sale of the order would earn now.
func (o *Op) previewCommission(in *affiliate.Order, who *identity, out *affiliate.Evaluation) error {
	total, ok := out.Total.Get()
	if sent, given := in.TotalEarned.Get(); given {
		total, ok = sent, true
	}
	if !ok || total.Sign() <= 0 {
		return nil
	}
	sale := affiliate.SaleParams{
		PromoCode: in.PromoCode, Offer: in.Offer, ReferralID: in.ReferralID,
		ReferredUserExternalID: in.ReferredUserExternalID, Email: in.Email, TotalEarned: total,
		Subtotal: in.Subtotal, Product: in.Product, Lines: in.Lines, Currency: in.Currency,
		ExchangeRate: in.ExchangeRate, PaymentTrigger: affiliate.TriggerPurchase,
	}
	d := Decision{identity: *who}
	if outcome, err := o.DecideFor(&sale, &d); err != nil || outcome != affiliate.SaleRecorded {
		return err
	}
	rec, err := o.draft(&sale, &d)
	if _, refused := errors.AsType[*affiliate.Error](err); refused {
		return nil // it is worth less than the smallest amount of the program's currency
	}
	if err != nil {
		return err
	}
	if rec.ReferralID == uuid.Nil && in.Email != "" {
		rec.ReferralID = uuid.Max // a customer to come, of whom there are no sales
	}
	if out.Commission = affiliate.Set(affiliate.Amount{}); d.over != "" {
		return nil
	}
	err = o.terms(&rec, &sale, &d)
	if err == nil {
		var earned affiliate.Amount
		earned, err = o.Earned(&rec)
		rec.Commissions = []record.Commission{{Earned: earned, Approval: d.deal.approval()}}
	}
	if err == nil {
		err = o.fit(nil, &rec)
		out.Commission = affiliate.Set(rec.Commissions[0].Earned)
	}
	return err
}

// pricesAll reports whether a code's discount applies to the whole basket: its
// coupon is for every product, or the basket is the price of one of its products. A
// product that the coupon does not list has failed already.
func (v *verdict) pricesAll(in *affiliate.Order, basket affiliate.Amount, c affiliate.Currency) bool {
	if productsKnown(in.Lines) {
		return true // the discount is for those of its products
	}
	product, _ := in.Product.Get()
	if !v.coupon.LimitToProducts || product.ProductID != "" &&
		!slices.Contains(v.coupon.ProductIDs, product.ProductID) {
		return true
	}
	one := affiliate.AmountFromScaled(decimal.Scale)
	sum, err := product.Price.Or(affiliate.Amount{}).Portion(product.Quantity.Or(one), one, c)
	return product.ProductID != "" && err == nil && sum == basket
}

// preview adds the risks that would hold the sale: the status of the affiliate,
// the rules of Config.Review, and an email that may be planted. Nobody is credited when the code has no affiliate.
func (o *Op) preview(in *affiliate.Order, who *identity, v *verdict, c credit, out *affiliate.Evaluation) error {
	if c.affiliate == uuid.Nil {
		return nil
	}
	aff, err := o.Tx.Affiliates.Get(c.affiliate)
	if err != nil {
		return refusal.Internal("affiliate of an order", err)
	}
	if risk := risk(aff.Status); risk != "" {
		out.Risks = append(out.Risks, risk)
	}
	sale := affiliate.SaleParams{TotalEarned: in.TotalEarned.Or(out.Total.Or(affiliate.Amount{})),
		Currency: in.Currency, ExchangeRate: in.ExchangeRate}
	planted, err := o.planted(&who.Customer, c.by, &sale)
	if err != nil || len(o.Cfg.Review) == 0 && !planted {
		return err
	}
	e := who.evidence(o.Now, &aff, v, in.Email)
	if e.Total, err = o.inProgram(sale.TotalEarned, in.Currency, in.ExchangeRate); err != nil {
		return err
	}
	risks, err := o.risks(e, &aff, &who.Customer.Referral)
	if planted {
		risks = append(risks, affiliate.RiskPlantedEmail)
	}
	for _, risk := range risks {
		if !slices.Contains(out.Risks, risk) { // a rule may have the name of a status
			out.Risks = append(out.Risks, risk)
		}
	}
	return err
}
