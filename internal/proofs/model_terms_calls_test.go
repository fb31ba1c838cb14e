package proofs_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// newTermsModel draws the terms of a program, its plans and codes, and opens it.
func newTermsModel(rt *rapid.T, scratch *scene.World, open func(func(*tributary.Config)) *scene.World) *termsModel {
	m := &termsModel{perPerson: rapid.Bool().Draw(rt, "caps of customers"), referred: map[string]time.Time{}}
	m.zone = scene.Must(time.LoadLocation(choose(rt, "zone", "UTC", "Europe/Berlin", "Pacific/Auckland")))
	m.takes = func(t affiliate.Terms) error {
		return scene.ErrOf(scratch.CreatePlan(rt.Context(), affiliate.NewPlan{Name: "p", Terms: t}))
	}
	types := []affiliate.CommissionType{affiliate.CommissionPercentage, affiliate.CommissionPercentage, affiliate.CommissionFlat}
	m.program = &termsOf{Terms: m.drawTerms(rt, choose(rt, "type", types...))}
	for range 2 {
		m.plans = append(m.plans, &termsOf{Terms: m.drawTerms(rt, choose(rt, "type", types...))})
	}
	for _, slug := range []string{"ada", "bob"} {
		p := &termsPayee{slug: slug, terms: m.program}
		m.people = append(m.people, p)
		for i, products := range [][]string{nil, {"SEAT", "LAMP"}} {
			code := &termsCode{text: fmt.Sprint(strings.ToUpper(slug), i), owner: p, products: products}
			code.coupon = affiliate.NewCoupon{Name: "c", LimitToProducts: products != nil, ProductIDs: products}
			if slug == "ada" {
				percent := affiliate.PercentFromScaled(rapid.Int64Range(1_0000, 100_0000).Draw(rt, "percent off"))
				code.coupon.PercentOff, code.percent = affiliate.Set(percent), scene.PercentRat(percent)
			} else {
				amount := drawCents(rt, "amount off", 1, 10_000)
				code.coupon.CouponType, code.coupon.AmountOff, code.coupon.Currency = affiliate.CouponFlat, affiliate.Set(amount), affiliate.Set(affiliate.Currency("USD"))
				code.off = scene.RatOf(amount)
			}
			m.codes = append(m.codes, code)
		}
	}
	m.open = func() *scene.World {
		w := open(func(c *tributary.Config) { c.FreeOrders, c.Location, c.Terms = true, m.zone, m.program.Terms })
		for _, plan := range m.plans {
			plan.plan = scene.Must(w.CreatePlan(rt.Context(), affiliate.NewPlan{Name: "p", Terms: plan.Terms})).ID
		}
		for _, p := range m.people {
			p.Affiliate = w.Join(p.slug, func(in *affiliate.NewAffiliate) { in.AffiliateLink = p.slug })
		}
		for _, code := range m.codes {
			coupon := scene.Must(w.CreateCoupon(rt.Context(), code.coupon))
			scene.Must(w.CreateCode(rt.Context(), affiliate.NewCode{CouponID: coupon.ID, Code: code.text, AffiliateID: code.owner.ID}))
		}
		return w
	}
	m.w = m.open()
	return m
}

// drawUnits draws an amount, most often in whole cents.
func drawUnits(rt *rapid.T, label string, most int64) affiliate.Amount {
	step := choose(rt, label+": in steps of", int64(100), 100, 100, 1)
	return affiliate.AmountFromScaled(step * rapid.Int64Range(0, most/step).Draw(rt, label))
}

func (m *termsModel) drawLines(rt *rapid.T) (lines []affiliate.Line) {
	for i := range rapid.IntRange(0, 4).Draw(rt, "lines") {
		l := affiliate.Line{
			ID: fmt.Sprint("l", i), ProductID: choose(rt, "product", termsProducts...), PlanID: choose(rt, "plan", termsPlans...),
			Categories: some(rt, "categories", termsCategories), Amount: drawUnits(rt, "amount", 100_0000),
		}
		if maybe(rt, "discounted", 4) {
			l.Discount = drawUnits(rt, "discount", l.Amount.Scaled())
		}
		if maybe(rt, "pieces", 3) {
			l.Quantity = affiliate.Set(affiliate.AmountFromScaled(rapid.Int64Range(1, 5_0000).Draw(rt, "quantity")))
		}
		lines = append(lines, l)
	}
	return lines
}

// takesOff is T2: what a code takes off each line of a sale, and whether it is for them.
func (c *termsCode) takesOff(lines []*termsLine) (sum *big.Rat, fits bool) {
	known := slices.ContainsFunc(lines, func(l *termsLine) bool { return l.product != "" })
	weights, unit := make([]*big.Rat, len(lines)), big.NewRat(1, 100)
	for i, l := range lines {
		weights[i] = new(big.Rat)
		if mine := slices.Contains(c.products, l.product); c.products == nil || !known || mine {
			weights[i], fits = l.left, true
		}
	}
	sum = c.takes(scene.RatSum(weights...))
	if sum.Sign() == 0 {
		return sum, fits
	}
	for _, w := range append(weights, sum) {
		if !over(w, unit).IsInt() {
			unit = tenThousandth
			break
		}
	}
	for i, off := range spreadRat(sum, weights, unit) {
		lines[i].codeOff, lines[i].left = off, scene.RatDiff(lines[i].left, off)
	}
	return sum, fits
}

// takes is what a code takes off an amount.
func (c *termsCode) takes(whole *big.Rat) *big.Rat {
	off := c.off
	if c.percent != nil {
		off = scene.Cents(scene.Share(c.percent, whole))
	}
	if off.Cmp(whole) > 0 {
		return whole
	}
	return off
}

// amountOf turns an exact number into an amount.
func amountOf(r *big.Rat) affiliate.Amount {
	scaled := times(r, big.NewRat(10_000, 1))
	return affiliate.AmountFromScaled(new(big.Int).Quo(scaled.Num(), scaled.Denom()).Int64())
}

func (m *termsModel) sell(rt *rapid.T) {
	m.n++
	s := &termsSale{
		at: m.w.Now, paid: m.w.Now, trigger: choose(rt, "trigger", termsTriggers...), customer: choose(rt, "customer", "kim@x.example", "lea@x.example", "tom@x.example", ""),
		named: new(big.Rat), taxBack: new(big.Rat), back: new(big.Rat),
	}
	in := affiliate.NewSale{PaymentTrigger: s.trigger, Email: s.customer, Name: "N", ExternalID: fmt.Sprint("order ", m.n), Lines: m.drawLines(rt)}
	if maybe(rt, "reported late", 4) {
		s.paid = s.at.Add(-time.Duration(rapid.Int64Range(0, 30*24).Draw(rt, "hours late")) * time.Hour)
		in.PaidAt = s.paid
	}
	var code *termsCode
	if s.customer == "" || rapid.Bool().Draw(rt, "by code") {
		code = choose(rt, "code", m.codes...)
		s.owner, in.PromoCode = code.owner, code.text
	} else {
		s.owner = choose(rt, "affiliate", m.people...)
		in.ReferralID = s.owner.slug
	}
	quantity, basket, fits, off := big.NewRat(1, 1), new(big.Rat), true, new(big.Rat)
	for _, l := range in.Lines {
		basket.Add(basket, scene.RatOf(l.Amount))
		s.lines = append(s.lines, &termsLine{
			id: l.ID, product: l.ProductID, plan: l.PlanID, categories: l.Categories, amount: scene.RatOf(l.Amount),
			left: scene.RatDiff(scene.RatOf(l.Amount), scene.RatOf(l.Discount)), quantity: scene.RatOf(l.Quantity.Or(scene.Sum("1"))), codeOff: new(big.Rat), refunded: new(big.Rat),
		})
	}
	if in.Lines == nil {
		amount := drawCents(rt, "basket", 1, 20_000)
		basket, in.Subtotal = scene.RatOf(amount), affiliate.Set(amount)
		if s.product = choose(rt, "product", termsProducts...); s.product != "" {
			product := affiliate.Product{ProductID: s.product}
			if maybe(rt, "pieces", 2) {
				product.Quantity = affiliate.Set(affiliate.AmountFromScaled(rapid.Int64Range(1, 5_0000).Draw(rt, "quantity")))
				quantity = scene.RatOf(product.Quantity.Or(affiliate.Amount{}))
			}
			in.Product = affiliate.Set(product)
		}
		if code != nil {
			off, fits = code.takes(basket), code.products == nil || s.product == "" || slices.Contains(code.products, s.product)
		}
	} else if code != nil {
		off, fits = code.takesOff(s.lines)
	}
	if code != nil {
		m.preview(rt, &in, s, off, fits)
	}
	if basket.Sign() > 0 {
		s.basket = basket
	}
	net := scene.RatDiff(basket, off)
	for _, l := range in.Lines {
		net.Sub(net, scene.RatOf(l.Discount))
	}
	m.charge(rt, &in, s, net)
	got, err := m.w.RecordSale(rt.Context(), in)
	var want affiliate.Reason
	if !fits {
		want = affiliate.WrongProduct
	}
	scene.RefusedAs(rt, "RecordSale", want, err)
	if err != nil {
		return
	}
	sale, ok := got.Sale.Get()
	if !ok {
		rt.Fatalf("the sale is %s", got.Outcome)
	}
	s.id, m.last = sale.ID, in
	if s.customer != "" && m.referred[s.customer].IsZero() {
		m.referred[s.customer] = s.at
	}
	m.book(&in, s, quantity)
}

// preview compares what a code takes off with what the preview says.
func (m *termsModel) preview(rt *rapid.T, in *affiliate.NewSale, s *termsSale, off *big.Rat, fits bool) {
	got := scene.Must(m.w.Evaluate(rt.Context(), affiliate.Order{PromoCode: in.PromoCode, Email: in.Email, Subtotal: in.Subtotal, Product: in.Product, Lines: in.Lines}))
	if len(in.Lines) > 0 || in.Subtotal.Or(affiliate.Amount{}).Sign() > 0 {
		if got.Valid != fits || scene.RatOf(got.Discount.Or(affiliate.Amount{})).Cmp(off) != 0 {
			rt.Fatalf("preview: %v with %v off, want %v with %s", got.Valid, got.Discount, fits, scene.Plain(off))
		}
	}
	for i, l := range got.Lines {
		if scene.RatOf(l.CodeDiscount).Cmp(s.lines[i].codeOff) != 0 {
			rt.Fatalf("preview: %v off line %d, want %s", l.CodeDiscount, i, scene.Plain(s.lines[i].codeOff))
		}
	}
}

// charge draws what is paid for a basket of which so much is left after discounts.
func (m *termsModel) charge(rt *rapid.T, in *affiliate.NewSale, s *termsSale, net *big.Rat) {
	s.total, s.tax, s.shipping = new(big.Rat), new(big.Rat), new(big.Rat)
	if in.PromoCode != "" && s.basket != nil && maybe(rt, "free", 6) {
		in.Free, s.free, s.kept = true, true, s.total
		return
	}
	base := net
	if maybe(rt, "another total", 3) {
		most := int64(10_0000)
		if s.basket != nil {
			most = amountOf(s.basket).Scaled()
		}
		base = scene.RatOf(drawUnits(rt, "base", most))
	}
	if rapid.Bool().Draw(rt, "taxed") {
		in.Tax, in.Shipping = drawCents(rt, "tax", 0, 3_000), drawCents(rt, "shipping", 0, 1_000)
	}
	s.tax, s.shipping = scene.RatOf(in.Tax), scene.RatOf(in.Shipping)
	if s.total = scene.RatSum(base, s.tax, s.shipping); s.total.Sign() == 0 {
		s.tax = big.NewRat(1, 1)
		in.Tax, s.total = amountOf(s.tax), s.tax
	}
	in.TotalEarned, s.kept = amountOf(s.total), s.total
	if maybe(rt, "rate of the sale", 6) {
		in.CommissionRate = affiliate.Set(affiliate.PercentFromScaled(rapid.Int64Range(0, 60_0000).Draw(rt, "rate")))
	}
	if in.Lines == nil && rapid.Bool().Draw(rt, "without a basket") {
		in.Subtotal, s.basket = affiliate.Opt[affiliate.Amount]{}, nil
	}
}

// book puts a recorded sale into the model.
func (m *termsModel) book(in *affiliate.NewSale, s *termsSale, quantity *big.Rat) {
	s.takesTerms(s.owner)
	if rate, ok := in.CommissionRate.Get(); ok {
		s.rate, s.source = scene.PercentRat(rate), affiliate.RateOfSale
	}
	m.numbers(s)
	if s.nothing = true; !s.stops() {
		s.decides(quantity)
		m.caps(s, s)
	}
	m.sales = append(m.sales, s)
}

// pick draws one of the sales that fit.
func (m *termsModel) pick(rt *rapid.T, fits func(s *termsSale) bool) *termsSale {
	var list []*termsSale
	for _, s := range m.sales {
		if fits(s) {
			list = append(list, s)
		}
	}
	return anyFrom(rt, "sale", list)
}

// A termsRefund is a refund with its parts: all of it, what of it is tax and shipping, and what
// comes back of each line.
type termsRefund struct {
	affiliate.Refund
	part, tax, shipping *big.Rat
	back                []*big.Rat
}

// drawRefund draws a refund of all that is left, of a part, of one that says what is in it, or
// of lines. Some are of more than there is.
func (m *termsModel) drawRefund(rt *rapid.T, s *termsSale) termsRefund {
	m.n++
	r := termsRefund{part: s.kept, tax: new(big.Rat), shipping: new(big.Rat), back: make([]*big.Rat, len(s.lines))}
	r.SaleID, r.RefundID, r.ClawBack = s.id, fmt.Sprint("r", m.n), true
	for i := range r.back {
		r.back[i] = new(big.Rat)
	}
	kind := choose(rt, "refund", "all", "part", "named", "lines", "lines and more")
	if kind == "all" {
		return r
	}
	if kind == "named" || kind == "lines and more" {
		r.tax, r.shipping = scene.RatOf(drawUnits(rt, "tax", 1+amountOf(s.tax).Scaled())), scene.RatOf(drawUnits(rt, "shipping", 1+amountOf(s.shipping).Scaled()))
		r.Tax, r.Shipping = affiliate.Set(amountOf(r.tax)), affiliate.Set(amountOf(r.shipping))
	}
	if (kind == "lines" || kind == "lines and more") && len(s.lines) > 0 && !s.whole {
		bases := s.bases()
		for i, l := range s.lines {
			amount := affiliate.Amount{}
			if rapid.Bool().Draw(rt, "of the line") {
				amount = drawUnits(rt, "amount", 1+amountOf(scene.RatDiff(bases[i], l.refunded)).Scaled())
			}
			if amount.Sign() > 0 {
				r.Lines, r.back[i] = append(r.Lines, affiliate.RefundLine{ID: l.id, Amount: amount}), scene.RatOf(amount)
			}
		}
		r.part = scene.RatSum(r.back...)
	} else {
		r.part = scene.RatOf(drawUnits(rt, "goods", 1+amountOf(times(s.kept, big.NewRat(3, 5))).Scaled()))
	}
	r.part = scene.RatSum(r.part, r.tax, r.shipping)
	r.Amount = affiliate.Set(amountOf(r.part))
	if r.part.Sign() == 0 {
		rt.Skip("of nothing")
	}
	return r
}

// exceeds says whether a refund is of more than the sale, its tax, its shipping or a line of
// it has left.
func (s *termsSale) exceeds(r *termsRefund) bool {
	bases := make([]*big.Rat, len(r.back))
	if len(r.Lines) > 0 {
		bases = s.bases()
	}
	for i, b := range bases {
		if b != nil && r.back[i].Sign() > 0 && scene.RatSum(s.lines[i].refunded, r.back[i]).Cmp(b) > 0 {
			return true
		}
	}
	return r.part.Cmp(s.kept) > 0 || !r.Tax.IsZero() && (scene.RatSum(s.taxBack, r.tax).Cmp(s.tax) > 0 || scene.RatSum(s.back, r.shipping).Cmp(s.shipping) > 0)
}

// takesBack adds a refund to the sums, on which alone it depends what is kept: T4.
func (s *termsSale) takesBack(r *termsRefund) {
	s.refunds, s.kept = append(s.refunds, r.RefundID), scene.RatDiff(s.kept, r.part)
	if !r.Tax.IsZero() || len(r.Lines) > 0 {
		s.named, s.taxBack, s.back = scene.RatSum(s.named, r.part), scene.RatSum(s.taxBack, r.tax), scene.RatSum(s.back, r.shipping)
	}
	for i, b := range r.back {
		s.lines[i].refunded = scene.RatSum(s.lines[i].refunded, b)
	}
	s.refunded = s.kept.Sign() == 0
}

func (m *termsModel) refund(rt *rapid.T) {
	s := m.pick(rt, func(*termsSale) bool { return true })
	r := m.drawRefund(rt, s)
	if len(s.refunds) > 0 && maybe(rt, "again", 8) {
		r.RefundID = choose(rt, "refund", s.refunds...)
	}
	again := s.refunded || slices.Contains(s.refunds, r.RefundID)
	var want affiliate.Reason
	if !again && s.exceeds(&r) {
		want = affiliate.RefundExceedsSale
	}
	got, err := m.w.RefundSale(rt.Context(), r.Refund)
	scene.RefusedAs(rt, "RefundSale", want, err)
	if err != nil {
		return
	}
	if got.AlreadyRefunded != again {
		rt.Fatalf("refund %+v: %+v", r.Refund, got)
	}
	if !again {
		s.takesBack(&r)
	}
}

// ownRate gives an affiliate a rate of their own, or takes it away.
func (m *termsModel) ownRate(rt *rapid.T) {
	p := choose(rt, "affiliate", m.people...)
	up := affiliate.AffiliateUpdate{CommissionRate: affiliate.Null[affiliate.Percent]()}
	if p.own = nil; rapid.Bool().Draw(rt, "own") {
		rate := affiliate.PercentFromScaled(rapid.Int64Range(0, 60_0000).Draw(rt, "rate"))
		up.CommissionRate, p.own, p.ownType = affiliate.Set(rate), scene.PercentRat(rate), p.terms.Type
	}
	scene.Must(m.w.UpdateAffiliate(rt.Context(), affiliate.AffiliateRef{ID: p.ID}, up))
}

// plan puts an affiliate on a plan.
func (m *termsModel) plan(rt *rapid.T) {
	p := choose(rt, "affiliate", m.people...)
	p.terms = choose(rt, "plan", m.plans...)
	scene.Must(m.w.SetAffiliatePlan(rt.Context(), p.terms.plan, p.ID))
}

// change changes the terms of the program, or of a plan. Recorded sales stay as they are.
func (m *termsModel) change(rt *rapid.T) {
	was := choose(rt, "terms", append(m.plans, m.program)...)
	is := &termsOf{Terms: m.drawTerms(rt, was.Type), plan: was.plan}
	if was == m.program {
		m.program = is
		scene.Must(m.w.SetTerms(rt.Context(), affiliate.TermsUpdate{Terms: affiliate.Set(is.Terms)}))
	} else {
		m.plans[slices.Index(m.plans, was)] = is
		scene.Must(m.w.UpdatePlan(rt.Context(), is.plan, affiliate.PlanUpdate{Terms: affiliate.Set(is.Terms)}))
	}
	for _, p := range m.people {
		if p.terms == was {
			p.terms = is
		}
	}
}

// earns are the sales that have a commission, which may change.
func earns(s *termsSale) bool { return !s.nothing && !s.refunded }

// anew decides about a sale by the terms of its affiliate as they are now. A rate of its own
// stays, below rules that pay nothing.
func (m *termsModel) anew(s, of *termsSale) {
	if s.free {
		return
	}
	if s.source == affiliate.RateOfSale {
		s.terms = s.owner.terms
	}
	m.monthOf(s)
	if s.stops() {
		return
	}
	s.decides(big.NewRat(1, 1))
	if s.source != affiliate.RateOfSale {
		m.caps(s, of)
	}
	s.nothing = false
}

// next is a copy of a sale, to decide about.
func (s *termsSale) next() *termsSale {
	next := *s
	next.lines = nil
	for _, l := range s.lines {
		line := *l
		next.lines = append(next.lines, &line)
	}
	return &next
}

// rateOf gives a sale a rate of its own, or takes it away.
func (m *termsModel) rateOf(rt *rapid.T) {
	s := m.pick(rt, func(s *termsSale) bool { return !s.free && !s.refunded })
	up := affiliate.SaleUpdate{ClawBack: true, CommissionRate: affiliate.Null[affiliate.Percent]()}
	if rapid.Bool().Draw(rt, "own") {
		rate := affiliate.PercentFromScaled(rapid.Int64Range(0, 60_0000).Draw(rt, "rate"))
		up.CommissionRate = affiliate.Set(rate)
		s.rate, s.source, s.limit = scene.PercentRat(rate), affiliate.RateOfSale, nil
		if s.stopped != "" {
			m.anew(s, s)
		}
		for _, l := range s.lines {
			if l.rule != nil && l.rule.Pay.Type != affiliate.RuleNone {
				l.rule = nil
			}
		}
		s.forget()
	} else {
		s.takesTerms(s.owner)
		m.anew(s, s)
	}
	scene.Must(m.w.UpdateSale(rt.Context(), s.id, up))
}

// totalOf changes what was paid for a sale.
func (m *termsModel) totalOf(rt *rapid.T) {
	s := m.pick(rt, func(s *termsSale) bool { return !s.free && !s.refunded })
	next := *s
	next.total = scene.RatOf(affiliate.AmountFromScaled(1 + drawUnits(rt, "total", 2*amountOf(s.total).Scaled()).Scaled()))
	next.kept = scene.RatDiff(next.total, scene.RatDiff(s.total, s.kept))
	var want affiliate.Reason
	if next.kept.Sign() < 0 || next.base().Sign() < 0 || s.basket != nil && next.base().Cmp(s.basket) > 0 {
		want = affiliate.InvalidField
	} else if s.lines != nil {
		for i, b := range next.bases() {
			if s.lines[i].refunded.Cmp(b) > 0 {
				want = affiliate.InvalidField
			}
		}
	}
	_, err := m.w.UpdateSale(rt.Context(), s.id, affiliate.SaleUpdate{TotalEarned: affiliate.Set(amountOf(next.total)), ClawBack: true})
	scene.RefusedAs(rt, "UpdateSale", want, err)
	if err == nil {
		*s = next
		s.refunded = s.kept.Sign() == 0
	}
}

// give gives a sale to the other affiliate: M5 of docs/money.md.
func (m *termsModel) give(rt *rapid.T) {
	s := m.pick(rt, func(s *termsSale) bool { return !s.refunded })
	to := m.people[0]
	if s.owner == to {
		to = m.people[1]
	}
	scene.Must(m.w.UpdateSale(rt.Context(), s.id, affiliate.SaleUpdate{AffiliateID: affiliate.Set(to.ID), ClawBack: true}))
	s.owner, s.held, s.declined, s.nothing = to, false, false, true
	s.takesTerms(to)
	m.monthOf(s)
	if s.stops() {
		return
	}
	s.earlier = nil
	s.decides(big.NewRat(1, 1))
	m.caps(s, s)
}

func (m *termsModel) decline(rt *rapid.T) {
	s := m.pick(rt, func(s *termsSale) bool { return earns(s) && !s.held })
	status := affiliate.ApprovalAccepted
	if s.declined = !s.declined; s.declined {
		status = affiliate.ApprovalDeclined
	}
	scene.Must(m.w.ReviewCommissions(rt.Context(), status, s.id))
}

func (m *termsModel) remove(rt *rapid.T) {
	s := m.pick(rt, func(s *termsSale) bool { return !s.held })
	scene.Must(0, m.w.DeleteSale(rt.Context(), s.id))
	m.sales = slices.DeleteFunc(m.sales, func(other *termsSale) bool { return other == s })
}

// recalculate decides about the sales anew, by the terms of today. What does not change what a
// sale rests on is not stored.
func (m *termsModel) recalculate(rt *rapid.T) {
	var want int64
	for _, s := range m.sales {
		if s.held || s.refunded {
			continue
		}
		next := s.next()
		if s.source != affiliate.RateOfSale {
			next.takesTerms(s.owner)
		}
		m.anew(next, s)
		if next.ground() != s.ground() {
			*s = *next
			want++
		} else if s.stale = next.month != s.month || next.referred != s.referred; s.terms.plan == next.terms.plan {
			s.terms = next.terms
		}
	}
	got := scene.Must(m.w.Run(rt.Context(), affiliate.RecalculateJob{}))
	if got.Changed != want {
		rt.Fatalf("%d sales changed, want %d", got.Changed, want)
	}
	for _, s := range m.sales {
		stale := s.stale
		defer func() { s.stale = stale }()
		s.stale = false // right after it, no month has moved
	}
	m.simulate(rt)
}

// ground is what a commission rests on.
func (s *termsSale) ground() string {
	var rules []string
	for _, l := range s.lines {
		rule := affiliate.Rule{}
		if l.rule != nil {
			rule = *l.rule
		}
		rules = append(rules, fmt.Sprint(rule.Name, rule.Pay))
	}
	limit := "none"
	if s.limit != nil {
		limit = scene.Plain(s.limit)
	}
	return fmt.Sprint(s.rate, s.typ, limit, rules, s.nothing)
}

// pay pays an affiliate what is open. Payouts hold these sales from then on.
func (m *termsModel) pay(rt *rapid.T) {
	p := choose(rt, "affiliate", m.people...)
	if _, err := m.w.CreatePayout(rt.Context(), affiliate.NewPayout{AffiliateID: p.ID}); err != nil {
		scene.RefusedAs(rt, "CreatePayout", affiliate.NothingPayable, err)
		return
	}
	for _, s := range m.sales {
		if s.owner == p {
			entries := scene.Must(m.w.Sale(rt.Context(), s.id)).Commissions
			s.held = slices.ContainsFunc(entries, func(c affiliate.Commission) bool { return !c.PayoutID.IsNull() })
		}
	}
}

// check compares every sale and its explanation, and the sums of affiliates and customers.
func (m *termsModel) check(rt *rapid.T) {
	ctx := rt.Context()
	if err := m.w.Verify(ctx); err != nil {
		rt.Fatalf("Verify: %v", err)
	}
	ofPeople, ofCustomers := map[uuid.UUID]*big.Rat{}, map[string]*big.Rat{}
	for _, p := range m.people {
		ofPeople[p.ID] = new(big.Rat)
	}
	for name := range m.referred {
		ofCustomers[name] = new(big.Rat)
	}
	for _, s := range m.sales {
		m.checkSale(rt, s)
		if s.declined {
			continue
		}
		ofPeople[s.owner.ID].Add(ofPeople[s.owner.ID], s.earned())
		if s.customer != "" {
			ofCustomers[s.customer].Add(ofCustomers[s.customer], s.earned())
		}
	}
	for id, want := range ofPeople {
		b := scene.Must(m.w.Balance(ctx, affiliate.AffiliateRef{ID: id}))
		parts := scene.RatSum(scene.RatOf(b.Held), scene.RatOf(b.Maturing), scene.RatOf(b.Payable), scene.RatOf(b.InPayout), scene.RatOf(b.Paid))
		total := scene.Must(m.w.Affiliate(ctx, id.String())).TotalCommissionEarned
		if scene.RatOf(b.Earned).Cmp(want) != 0 || parts.Cmp(want) != 0 || scene.RatOf(total).Cmp(want) != 0 {
			rt.Errorf("the balance is %+v, the total %v, the sales earn %s", b, total, scene.Plain(want))
		}
	}
	for name, want := range ofCustomers {
		if got := scene.Must(m.w.Referral(ctx, name)).TotalCommission; scene.RatOf(got).Cmp(want) != 0 {
			rt.Errorf("%s has %v, the sales earn %s", name, got, scene.Plain(want))
		}
	}
	m.simulate(rt)
}

// simulate checks that the terms in force make no difference to sales that were decided by
// them: T17.
func (m *termsModel) simulate(rt *rapid.T) {
	for _, terms := range append(m.plans, m.program) {
		if slices.ContainsFunc(m.sales, func(s *termsSale) bool {
			return !s.refunded && s.terms.plan == terms.plan && (s.stale || s.terms != terms)
		}) {
			continue
		}
		for d, err := range m.w.Simulate(rt.Context(), affiliate.SimulateQuery{PlanID: terms.plan, Terms: terms.Terms}) {
			if err != nil || d.Changed != 0 || !d.Difference.IsZero() {
				rt.Errorf("under the same terms: %+v, %v", d, err)
			}
		}
	}
}

func (m *termsModel) checkSale(rt *rapid.T, s *termsSale) {
	got, e := scene.Must(m.w.Sale(rt.Context(), s.id)), scene.Must(m.w.ExplainSale(rt.Context(), s.id))
	var want, have []string
	tell := func(list *[]string, what string, v ...any) { *list = append(*list, what+": "+fmt.Sprintln(v...)) }
	exact, limit := s.exact(), "none"
	if s.limit != nil {
		limit = scene.Plain(s.limit)
	}
	if s.nothing {
		exact = new(big.Rat)
	}
	tell(&want, "sale", s.id, scene.Plain(s.earned()), s.refunded, s.customer)
	tell(&have, "sale", got.ID, got.CommissionEarned, got.Status == affiliate.SaleRefunded, got.Email.Or(""))
	tell(&want, "arithmetic", exact.RatString(), scene.Plain(s.earned()), limit)
	tell(&have, "arithmetic", e.Arithmetic.Exact, e.Arithmetic.Rounded, orNone(e.Arithmetic.Cap))
	tell(&want, "terms", s.source, s.typ, scene.Plain(s.rate), s.payment, s.month)
	rate := e.Terms.CommissionRate.Or(affiliate.Percent{})
	tell(&have, "terms", e.Terms.RateFrom, e.Terms.CommissionType, rate, e.Terms.Payment.Or(0), e.Terms.Month)
	if !s.free {
		tell(&want, "over", s.stopped)
		tell(&have, "over", e.Terms.Over.Or(""))
	}
	ruled := false
	for i, l := range s.lines {
		name := "-"
		if l.rule != nil {
			name, ruled = l.rule.Name, true
		}
		tell(&want, "line", i, l.product, scene.Plain(l.codeOff), scene.Plain(l.refunded), name)
	}
	for i, l := range got.Lines {
		tell(&have, "line", i, l.ProductID.Or(""), l.CodeDiscount, l.Refunded, orDash(l.Rule))
	}
	if ruled && !s.nothing {
		for i, share := range s.shares() {
			if s.kept.Sign() <= 0 {
				share.kept, share.exact = new(big.Rat), new(big.Rat)
			}
			tell(&want, "share", i, scene.Plain(share.base), share.kept.RatString(), share.exact.RatString())
		}
	}
	base, sum := new(big.Rat), new(big.Rat)
	for i, l := range e.Lines {
		tell(&have, "share", i, l.Base, l.Kept, l.Exact)
		part, ok := new(big.Rat).SetString(l.Exact)
		if !ok {
			rt.Fatalf("%q is no number", l.Exact)
		}
		base.Add(base, scene.RatOf(l.Base))
		sum.Add(sum, part)
	}
	if e.Lines != nil && (base.Cmp(scene.RatOf(e.Base.Base)) != 0 || sum.RatString() != e.Arithmetic.Exact) {
		rt.Errorf("the lines of sale %d add up to %s and %s: %+v", s.id, scene.Plain(base), sum.RatString(), e)
	}
	if rounded := scene.Cents(exact); s.limit == nil && rounded.Cmp(scene.RatOf(e.Arithmetic.Rounded)) != 0 {
		rt.Errorf("%s is rounded to %v", exact.RatString(), e.Arithmetic.Rounded)
	}
	sameLines(rt, fmt.Sprint("sale ", s.id), want, have)
}

func orNone[T any](o affiliate.Opt[T]) string {
	if v, ok := o.Get(); ok {
		return fmt.Sprint(v)
	}
	return "none"
}
