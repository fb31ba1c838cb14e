package proofs_test

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

var termsCustomers = []string{"kim@x.example", "lea@x.example", "tom@x.example"}

// newTermsModel draws the terms of a program, its plans, tiers and codes, and opens it.
func newTermsModel(rt *rapid.T, scratch *scene.World, open func(func(*tributary.Config)) *scene.World) *termsModel {
	m := &termsModel{perPerson: rapid.Bool().Draw(rt, "caps of customers"), customers: map[string]*termsCustomer{}, early: map[string]time.Time{}, credit: drawAttribution(rt)}
	days := choose(rt, "days of a click", 60, 3)
	m.window = time.Duration(days) * 24 * time.Hour
	m.zone = scene.Must(time.LoadLocation(choose(rt, "zone", "UTC", "Europe/Berlin", "Pacific/Auckland")))
	m.takes = func(t affiliate.Terms) error {
		return scene.ErrOf(scratch.CreatePlan(rt.Context(), affiliate.PlanParams{Name: "p", Terms: t}))
	}
	drawn := func() *termsOf {
		terms := m.drawTerms(rt)
		return &termsOf{versions: []termsVersion{{terms: &terms}}}
	}
	m.program, m.plans = drawn(), []*termsOf{drawn(), drawn()}
	for _, slug := range []string{"ada", "bob"} {
		p := &termsPayee{slug: slug, terms: m.program}
		m.people = append(m.people, p)
		for i, products := range [][]string{nil, {"SEAT", "LAMP"}} {
			m.codes = append(m.codes, drawTermsCode(rt, p, fmt.Sprint(strings.ToUpper(slug), i), products))
		}
	}
	m.open = func() *scene.World {
		w := open(func(c *tributary.Config) {
			c.Rate = func(_ context.Context, of affiliate.Currency, at time.Time) (affiliate.ExchangeRate, error) {
				return termsRate(of, at), nil
			}
			c.FreeOrders, c.Location, c.Terms, c.Attribution, c.CookieDays = true, m.zone, *m.program.versions[0].terms, m.credit, days
		})
		for _, of := range m.plans {
			of.plan = scene.Must(w.CreatePlan(rt.Context(), affiliate.PlanParams{Name: "p", Terms: *of.versions[0].terms})).ID
		}
		for _, p := range m.people {
			p.Affiliate = w.Join(p.slug, func(in *affiliate.AffiliateParams) { in.AffiliateLink = p.slug })
		}
		for _, code := range m.codes {
			coupon := scene.Must(w.CreateCoupon(rt.Context(), code.coupon))
			scene.Must(w.CreateCode(rt.Context(), affiliate.CodeParams{CouponID: coupon.ID, Code: code.text, AffiliateID: code.owner.ID}))
		}
		return w
	}
	m.w = m.open()
	for i := range int64(2) {
		tier := &termsTier{id: scene.Must(m.w.CreateTier(rt.Context(), affiliate.TierParams{Tier: 1 + i, Name: "t"})).ID}
		m.rateTier(rt, tier)
		m.tiers = append(m.tiers, tier)
	}
	return m
}

// drawTermsCode draws a code of an affiliate: Ada's are a percentage, Bob's an amount.
func drawTermsCode(rt *rapid.T, owner *termsPayee, text string, products []string) *termsCode {
	code := &termsCode{text: text, owner: owner, products: products}
	code.coupon = affiliate.CouponParams{Name: "c", LimitToProducts: products != nil, ProductIDs: products}
	if owner.slug == "ada" {
		percent := affiliate.PercentFromScaled(rapid.Int64Range(1_0000, 100_0000).Draw(rt, "percent off"))
		code.coupon.PercentOff, code.percent = affiliate.Set(percent), scene.PercentRat(percent)
	} else {
		amount := drawCents(rt, "amount off", 1, 10_000)
		code.coupon.CouponType, code.coupon.AmountOff, code.coupon.Currency = affiliate.CouponFlat, affiliate.Set(amount), affiliate.Set(affiliate.Currency("USD"))
		code.off = scene.RatOf(amount)
	}
	return code
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
func (c *termsCode) takesOff(lines []*termsLine, in affiliate.Currency) (sum *big.Rat, fits bool) {
	known := slices.ContainsFunc(lines, func(l *termsLine) bool { return l.product != "" })
	weights, unit := make([]*big.Rat, len(lines)), termsUnit(in)
	for i, l := range lines {
		weights[i] = new(big.Rat)
		if mine := slices.Contains(c.products, l.product); c.products == nil || !known || mine {
			weights[i], fits = l.left, true
		}
	}
	sum = c.takes(scene.RatSum(weights...), in)
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

// takes is what a code takes off an amount in a currency. An amount is taken off orders in
// its own currency alone: T42.
func (c *termsCode) takes(whole *big.Rat, in affiliate.Currency) *big.Rat {
	off, unit := c.off, termsUnit(in)
	if c.percent != nil {
		hundred := big.NewRat(100, 1)
		off = times(times(hundred, unit), scene.Cents(over(scene.Share(c.percent, whole), times(hundred, unit))))
	} else if in != "" {
		off = new(big.Rat)
	}
	if off.Cmp(whole) > 0 {
		return whole
	}
	return off
}

// termsUnit is the smallest unit of a currency.
func termsUnit(c affiliate.Currency) *big.Rat {
	switch c {
	case "JPY":
		return big.NewRat(1, 1)
	case "KWD":
		return big.NewRat(1, 1000)
	}
	return big.NewRat(1, 100)
}

// termsRate is the rate that the host has for a currency at a time; zero: none.
func termsRate(of affiliate.Currency, at time.Time) affiliate.ExchangeRate {
	if of != "EUR" {
		return affiliate.ExchangeRate{}
	}
	return affiliate.ExchangeRateFromScaled(1_084_200_000_001 + at.Unix()%86_400*1_000_000)
}

// worthOf returns a rate as an exact number.
func worthOf(r affiliate.ExchangeRate) *big.Rat { return big.NewRat(r.Scaled(), 1_000_000_000_000) }

// drawCurrency draws in which currency an order is charged, and at which rate: T40.
func (m *termsModel) drawCurrency(rt *rapid.T, in *affiliate.SaleParams, s *termsSale) {
	if !maybe(rt, "another currency", 3) {
		return
	}
	s.currency = choose(rt, "currency", "EUR", affiliate.Currency("JPY"), "KWD")
	in.Currency = s.currency
	rate := termsRate(s.currency, s.at)
	if rate.IsZero() || rapid.Bool().Draw(rt, "rated") {
		rate = choose(rt, "rate", affiliate.MustExchangeRate("1.25"), affiliate.MustExchangeRate("0.0066"), affiliate.MustExchangeRate("0.123456789012"), affiliate.MustExchangeRate("7"))
		in.ExchangeRate = rate
	}
	s.worth = worthOf(rate)
}

// amountOf turns an exact number into an amount.
func amountOf(r *big.Rat) affiliate.Amount {
	scaled := times(r, big.NewRat(10_000, 1))
	return affiliate.AmountFromScaled(new(big.Int).Quo(scaled.Num(), scaled.Denom()).Int64())
}

// A termsDraft is a sale that is not recorded yet.
type termsDraft struct {
	in       affiliate.SaleParams
	sale     *termsSale
	order    termsOrder
	quantity *big.Rat
	want     affiliate.Reason
}

func (m *termsModel) sell(rt *rapid.T) {
	m.w.Pass(time.Millisecond)
	d := m.drawSale(rt, choose(rt, "customer", append(termsCustomers, "")...))
	got, err := m.w.RecordSale(rt.Context(), d.in)
	scene.RefusedAs(rt, "RecordSale", d.want, err)
	if err == nil {
		m.last = d.in
		m.book(rt, &d, got)
	}
}

// rush lets a customer pay twice or three times at once. The numbers of the payments say in
// which order that was.
func (m *termsModel) rush(rt *rapid.T) {
	m.w.Pass(time.Millisecond)
	customer := choose(rt, "customer", termsCustomers...)
	drafts := make([]termsDraft, rapid.IntRange(2, 3).Draw(rt, "payments"))
	for i := range drafts {
		if drafts[i] = m.drawSale(rt, customer); drafts[i].sale.free {
			rt.Skip("a free order has no number")
		}
	}
	answers, errs := make([]affiliate.SaleResult, len(drafts)), make([]error, len(drafts))
	var all sync.WaitGroup
	for i := range drafts {
		all.Go(func() { answers[i], errs[i] = m.w.RecordSale(rt.Context(), drafts[i].in) })
	}
	all.Wait()
	turn := map[int]int64{}
	var order []int
	for i, err := range errs {
		scene.RefusedAs(rt, "RecordSale", drafts[i].want, err)
		if sale, ok := answers[i].Sale.Get(); ok {
			turn[i] = scene.Must(m.w.ExplainSale(rt.Context(), sale.ID)).Terms.Payment.Or(0)
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(turn[i], turn[j]) })
	for _, i := range order {
		m.book(rt, &drafts[i], answers[i])
	}
}

// paidAt draws when an order was paid: now, at a beginning of a version or just before it, or some
// days ago.
func (m *termsModel) paidAt(rt *rapid.T) (at affiliate.Instant) {
	earliest := m.w.Now.AddDate(0, 0, -100)
	times := []time.Time{m.w.Now, m.w.Now.Add(-time.Duration(rapid.Int64Range(0, 100*24*60).Draw(rt, "minutes ago")) * time.Minute)}
	for _, of := range append(m.plans, m.program) {
		for _, v := range of.versions {
			times = append(times, v.from, v.from.Add(-time.Microsecond))
		}
	}
	return affiliate.InstantOf(choose(rt, "paid at", slices.DeleteFunc(times, func(t time.Time) bool { return t.Before(earliest) || t.After(m.w.Now) })...))
}

// pass lets time pass: some hours, or until a midnight in the zone of the program, when days and
// months end.
func (m *termsModel) pass(rt *rapid.T) {
	m.w.Pass(time.Duration(rapid.Int64Range(1, 40*24).Draw(rt, "hours")) * time.Hour)
	if rapid.Bool().Draw(rt, "midnight") {
		year, month, day := m.w.Now.In(m.zone).Date()
		if day++; maybe(rt, "of the next month", 3) {
			month, day = month+1, choose(rt, "day", 1, 11, 28, 31)
		}
		m.w.Now = time.Date(year, month, day, 0, 0, 0, 0, m.zone).Add(time.Duration(rapid.IntRange(-1, 0).Draw(rt, "just before")) * time.Millisecond).UTC()
	}
}

// newTermsSale is a sale of nothing yet.
func (m *termsModel) newTermsSale(customer string) *termsSale {
	m.n++
	return &termsSale{
		worth: big.NewRat(1, 1), at: m.w.Now, recorded: m.w.Now, customer: customer, trigger: affiliate.TriggerPurchase,
		total: new(big.Rat), tax: new(big.Rat), shipping: new(big.Rat), kept: new(big.Rat), told: new(big.Rat), taxBack: new(big.Rat), back: new(big.Rat),
	}
}

// termsLinesOf are the lines of a request.
func termsLinesOf(lines []affiliate.Line) (all []*termsLine) {
	for _, l := range lines {
		all = append(all, &termsLine{
			id: l.ID, product: l.ProductID, plan: l.PlanID, categories: l.Categories, amount: scene.RatOf(l.Amount),
			left: scene.RatDiff(scene.RatOf(l.Amount), scene.RatOf(l.Discount)), quantity: scene.RatOf(l.Quantity.Or(scene.Sum("1"))), codeOff: new(big.Rat), refunded: new(big.Rat),
		})
	}
	return all
}

// drawSale draws a sale of a customer, and compares its preview.
func (m *termsModel) drawSale(rt *rapid.T, customer string) termsDraft {
	d := termsDraft{sale: m.newTermsSale(customer), quantity: big.NewRat(1, 1)}
	s, in := d.sale, &d.in
	s.trigger = choose(rt, "trigger", termsTriggers...)
	*in = affiliate.SaleParams{PaymentTrigger: s.trigger, Email: customer, Name: "N", ExternalID: fmt.Sprint("order ", m.n), Lines: m.drawLines(rt)}
	if maybe(rt, "paid earlier", 3) {
		in.PaidAt = m.paidAt(rt).Time()
		s.at = in.PaidAt
	}
	m.drawCurrency(rt, in, s)
	d.order, in.ReferralID = m.drawOrder(rt, customer, s.at)
	code := d.order.code
	if code != nil {
		in.PromoCode = code.text
	}
	basket, fits, off := new(big.Rat), true, new(big.Rat)
	s.lines = termsLinesOf(in.Lines)
	for _, l := range s.lines {
		basket.Add(basket, l.amount)
	}
	if in.Lines == nil {
		amount := drawCents(rt, "basket", 1, 20_000)
		basket, in.Subtotal = scene.RatOf(amount), affiliate.Set(amount)
		if s.product = choose(rt, "product", termsProducts...); s.product != "" {
			product := affiliate.Product{ProductID: s.product}
			if maybe(rt, "pieces", 2) {
				product.Quantity = affiliate.Set(affiliate.AmountFromScaled(rapid.Int64Range(1, 5_0000).Draw(rt, "quantity")))
				d.quantity = scene.RatOf(product.Quantity.Or(affiliate.Amount{}))
			}
			in.Product = affiliate.Set(product)
		}
		if code != nil {
			off, fits = code.takes(basket, s.currency), code.products == nil || s.product == "" || slices.Contains(code.products, s.product)
		}
	} else if code != nil {
		off, fits = code.takesOff(s.lines, s.currency)
	}
	foreign := code != nil && code.percent == nil && s.currency != ""
	net := scene.RatDiff(basket, off)
	for _, l := range in.Lines {
		net.Sub(net, scene.RatOf(l.Discount))
	}
	if code != nil {
		m.preview(rt, &d, off, net, fits && !(foreign && basket.Sign() > 0))
	}
	if basket.Sign() > 0 {
		s.basket = basket
	}
	m.charge(rt, in, s, net)
	switch {
	case !fits:
		d.want = affiliate.WrongProduct
	case foreign:
		d.want = affiliate.CouponOtherCurrency
	case s.currency != "" && !s.free && scene.Cents(times(s.total, s.worth)).Sign() == 0:
		d.want = affiliate.InvalidField
	}
	return d
}

// preview compares what a code takes off, and what the sale would earn, with what the preview
// says.
func (m *termsModel) preview(rt *rapid.T, d *termsDraft, off, net *big.Rat, fits bool) {
	in, s := &d.in, d.sale
	got := scene.Must(m.w.Evaluate(rt.Context(), affiliate.Order{
		PromoCode: in.PromoCode, Email: in.Email, ReferralID: in.ReferralID, Subtotal: in.Subtotal, Product: in.Product, Lines: in.Lines, Commission: true,
		Currency: in.Currency, ExchangeRate: in.ExchangeRate,
	}))
	priced := len(in.Lines) > 0 || in.Subtotal.Or(affiliate.Amount{}).Sign() > 0
	if priced && (got.Valid != fits || scene.RatOf(got.Discount.Or(affiliate.Amount{})).Cmp(off) != 0) {
		rt.Fatalf("preview: %v with %v off, want %v with %s", got.Valid, got.Discount, fits, scene.Plain(off))
	}
	for i, l := range got.Lines {
		if scene.RatOf(l.CodeDiscount).Cmp(s.lines[i].codeOff) != 0 {
			rt.Fatalf("preview: %v off line %d, want %s", l.CodeDiscount, i, scene.Plain(s.lines[i].codeOff))
		}
	}
	if !fits || net.Sign() == 0 {
		return
	}
	now := m.newTermsSale(s.customer)
	now.product, now.total, now.kept, now.lines = s.product, net, net, s.copyLines()
	if now.currency, now.worth = s.currency, s.worth; in.ExchangeRate.IsZero() && s.currency != "" {
		now.worth = worthOf(termsRate(s.currency, m.w.Now))
	}
	if now.currency != "" && scene.Cents(times(net, now.worth)).Sign() == 0 {
		return // such a sale is refused
	}
	now.owner, _ = m.credits(&d.order, s.customer, m.w.Now)
	if now.owner == nil {
		return // the click is too old by now
	}
	m.decide(now, d.quantity)
	if commission, ok := got.Commission.Get(); !ok || scene.RatOf(commission).Cmp(now.earned()) != 0 {
		rt.Fatalf("preview: it would earn %v, want %s", got.Commission, scene.Plain(now.earned()))
	}
}

func (s *termsSale) copyLines() (lines []*termsLine) {
	for _, l := range s.lines {
		line := *l
		lines = append(lines, &line)
	}
	return lines
}

// charge draws what is paid for a basket of which so much is left after discounts.
func (m *termsModel) charge(rt *rapid.T, in *affiliate.SaleParams, s *termsSale, net *big.Rat) {
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

// decide gives a new sale its terms.
func (m *termsModel) decide(s *termsSale, quantity *big.Rat) {
	if s.customer != "" && m.customers[s.customer] == nil { // a preview
		m.customers[s.customer] = &termsCustomer{since: m.w.Now, of: s.owner}
		defer delete(m.customers, s.customer)
	}
	if rate := s.rate; rate != nil {
		m.takesTerms(s)
		s.rate, s.source = rate, affiliate.RateOfSale
	} else {
		m.takesTerms(s)
	}
	s.hold = s.terms.HoldDays
	m.numbers(s)
	if s.nothing = true; !s.stops() {
		s.decides(quantity)
		m.caps(s, s)
	}
}

// book puts a recorded sale into the model.
func (m *termsModel) book(rt *rapid.T, d *termsDraft, got affiliate.SaleResult) {
	sale, ok := got.Sale.Get()
	if !ok {
		rt.Fatalf("the sale is %s", got.Outcome)
	}
	s := d.sale
	s.id = sale.ID
	s.owner, s.by = m.credits(&d.order, s.customer, s.at)
	m.knows(rt, s)
	if rate, ok := d.in.CommissionRate.Get(); ok {
		s.rate = scene.PercentRat(rate)
	}
	m.decide(s, d.quantity)
	m.sales = append(m.sales, s)
}

// knows makes the customer of a sale known.
func (m *termsModel) knows(rt *rapid.T, s *termsSale) {
	if s.customer != "" && m.customers[s.customer] == nil {
		m.customers[s.customer] = &termsCustomer{since: s.recorded, of: s.owner, id: scene.Must(m.w.Referral(rt.Context(), s.customer)).ID}
	}
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
	r.Currency = s.currency
	for i := range r.back {
		r.back[i] = new(big.Rat)
	}
	kind := "all"
	if s.named == "" {
		kind = choose(rt, "refund", "all", "part", "named", "lines", "lines and more")
	}
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
		s.told, s.taxBack, s.back = scene.RatSum(s.told, r.part), scene.RatSum(s.taxBack, r.tax), scene.RatSum(s.back, r.shipping)
	}
	for i, b := range r.back {
		s.lines[i].refunded = scene.RatSum(s.lines[i].refunded, b)
	}
	if s.refunded = s.kept.Sign() == 0; s.named != "" {
		s.refunded = true
	}
	if s.payer != nil {
		s.payer.host = scene.RatSum(s.payer.host, r.part)
	}
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

// earns are the sales that have a commission, which may change.
func earns(s *termsSale) bool { return !s.nothing && !s.refunded }

// anew decides about a sale by the terms of its affiliate as they are now. A rate of its own
// stays, below rules that pay nothing.
func (m *termsModel) anew(s, of *termsSale) {
	if s.free {
		return
	}
	if s.source == affiliate.RateOfSale {
		m.findsTerms(s)
	}
	s.stale = false
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
	next.lines = s.copyLines()
	return &next
}

// rateOf gives a sale a rate of its own, or takes it away.
func (m *termsModel) rateOf(rt *rapid.T) {
	s := m.pick(rt, func(s *termsSale) bool { return s.pays() && !s.refunded })
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
		m.takesTerms(s)
		m.anew(s, s)
	}
	scene.Must(m.w.UpdateSale(rt.Context(), s.id, up))
}

// totalOf changes what was paid for a sale.
func (m *termsModel) totalOf(rt *rapid.T) {
	s := m.pick(rt, func(s *termsSale) bool { return s.pays() && !s.refunded && s.payer == nil })
	next := *s
	next.total = scene.RatOf(affiliate.AmountFromScaled(1 + drawUnits(rt, "total", 2*amountOf(s.total).Scaled()).Scaled()))
	next.kept = scene.RatDiff(next.total, scene.RatDiff(s.total, s.kept))
	var want affiliate.Reason
	if s.currency != "" && scene.Cents(times(next.total, s.worth)).Sign() == 0 || next.kept.Sign() < 0 || next.base().Sign() < 0 || s.basket != nil && next.base().Cmp(s.basket) > 0 {
		want = affiliate.InvalidField
	} else if s.lines != nil {
		for i, b := range next.bases() {
			if s.lines[i].refunded.Cmp(b) > 0 {
				want = affiliate.InvalidField
			}
		}
	}
	_, err := m.w.UpdateSale(rt.Context(), s.id, affiliate.SaleUpdate{TotalEarned: affiliate.Set(amountOf(next.total)), Currency: s.currency, ClawBack: true})
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
	s.owner, s.by, s.held, s.declined, s.nothing = to, affiliate.CreditAffiliate, false, false, true
	m.takesTerms(s)
	s.hold = s.terms.HoldDays
	s.stale = false
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
	var stale []*termsSale // from now on: right after it, no month has moved
	for _, s := range m.sales {
		if s.held || s.refunded {
			continue
		}
		next := s.next()
		if s.source != affiliate.RateOfSale {
			m.takesTerms(next)
		}
		m.anew(next, s)
		switch {
		case next.ground() != s.ground():
			*s = *next
			want++
		case next.of == s.of:
			if s.terms, s.stale = next.terms, false; next.month != s.month || next.referred != s.referred {
				stale = append(stale, s)
			}
		}
	}
	got := scene.Must(m.w.Run(rt.Context(), affiliate.RecalculateJob{}))
	if got.Changed != want {
		rt.Fatalf("%d sales changed, want %d", got.Changed, want)
	}
	m.simulate(rt)
	for _, s := range stale {
		s.stale = true
	}
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
	if _, err := m.w.CreatePayout(rt.Context(), affiliate.PayoutParams{AffiliateID: p.ID}); err != nil {
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
	for name := range m.customers {
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

// simulate checks that the terms that decided about the sales make no difference to them: T17.
func (m *termsModel) simulate(rt *rapid.T) {
	for _, of := range append(m.plans, m.program) {
		var one *affiliate.Terms
		same, dated := true, true
		for _, s := range m.sales {
			if s.of == of && !s.refunded {
				known := !s.stale
				same, dated, one = same && known && (one == nil || one == s.terms), dated && known && s.terms == of.at(s.at), s.terms
			}
		}
		if one != nil && same {
			m.unchanged(rt, affiliate.SimulateQuery{PlanID: of.plan, Terms: *one})
		}
		if one != nil && dated {
			m.unchanged(rt, affiliate.SimulateQuery{PlanID: of.plan, Dated: true})
		}
	}
	if len(m.sales) == 0 {
		return
	}
	s := m.sales[m.n%len(m.sales)]
	if !s.stale && !slices.ContainsFunc(m.sales, func(other *termsSale) bool { return other != s && other.recorded.Equal(s.recorded) }) {
		m.unchanged(rt, affiliate.SimulateQuery{From: s.recorded, To: s.recorded.Add(time.Millisecond), PlanID: s.of.plan, Terms: *s.terms})
	}
}

func (m *termsModel) unchanged(rt *rapid.T, q affiliate.SimulateQuery) {
	for d, err := range m.w.Simulate(rt.Context(), q) {
		if err != nil || d.Changed != 0 || !d.Difference.IsZero() {
			rt.Errorf("under the same terms: %+v, %v, of %+v", d, err, q)
		}
	}
}

func (m *termsModel) checkSale(rt *rapid.T, s *termsSale) {
	got, e := scene.Must(m.w.Sale(rt.Context(), s.id)), scene.Must(m.w.ExplainSale(rt.Context(), s.id))
	var want, have []string
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
	tell(&want, "terms", s.source, s.typ, scene.Plain(s.rate), s.payment, s.month, s.hold)
	rate := e.Terms.CommissionRate.Or(affiliate.Percent{})
	tell(&have, "terms", e.Terms.RateFrom, e.Terms.CommissionType, rate, e.Terms.Payment.Or(0), e.Terms.Month, e.Terms.HoldDays)
	if s.by != "" {
		tell(&want, "credit", s.by)
		tell(&have, "credit", e.Credit.By)
	}
	paid := got.CreatedAt
	if got.PaidAt != (affiliate.Time{}) {
		paid = got.PaidAt
	}
	s.tellMoney(&want, &have, &got)
	tell(&want, "what", s.named, s.owner.ID, affiliate.TimeOf(s.at))
	tell(&have, "what", got.Conversion, got.Affiliate.ID, paid)
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
			if s.named != "" {
				share.exact = exact
			} else if s.kept.Sign() <= 0 {
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

func tell(list *[]string, what string, v ...any) {
	*list = append(*list, what+": "+fmt.Sprintln(v...))
}

// tellMoney compares what was charged, and its worth in the program's currency: T41.
func (s *termsSale) tellMoney(want, have *[]string, got *affiliate.Sale) {
	worth := func(r *big.Rat) string {
		if s.currency == "" {
			return scene.Plain(r)
		}
		return scene.Plain(scene.Cents(times(r, s.worth)))
	}
	back := scene.RatDiff(s.total, s.kept)
	tell(want, "money", worth(s.total), worth(s.tax), worth(s.shipping), worth(back))
	tell(have, "money", got.TotalEarned, got.TaxAmount, got.ShippingAmount, got.RefundedAmount)
	if c, ok := got.Charged.Get(); ok || s.currency != "" {
		tell(want, "charged", s.currency, s.worth.RatString(), scene.Plain(s.total), scene.Plain(s.tax), scene.Plain(s.shipping), scene.Plain(back))
		tell(have, "charged", c.Currency, worthOf(c.ExchangeRate).RatString(), c.TotalEarned, c.TaxAmount, c.ShippingAmount, c.RefundedAmount)
	}
}

func orNone[T any](o affiliate.Opt[T]) string {
	if v, ok := o.Get(); ok {
		return fmt.Sprint(v)
	}
	return "none"
}
