package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// A till is a program in which the code ADA20 was used once, by Oda, and an
// order by Oda that has the input of every rule: it names Eve's link, a total
// of 100 and the product p.
type till struct {
	scene.CodeShop
	code   record.Code
	coupon record.Coupon
	order  affiliate.Order
}

func newTill(t testing.TB) *till {
	s := scene.NewCodeShop(t)
	ctx := t.Context()
	scene.Must(s.CreateLink(ctx, affiliate.LinkParams{AffiliateID: s.Eve.ID, Link: "eve"}))
	sale := affiliate.SaleParams{PromoCode: "ADA20", Email: "oda@example.com", Name: "Oda", TotalEarned: affiliate.MustAmount("10")}
	scene.Must(s.RecordSale(ctx, sale))
	w := &till{CodeShop: s, order: affiliate.Order{
		PromoCode: "ADA20", TotalEarned: scene.Amount("100"), Email: "oda@example.com", ReferralID: "eve",
		Product: affiliate.Set(affiliate.Product{ProductID: "p", Price: scene.Amount("100")}),
	}}
	w.view(func(tx *record.Tx) {
		w.code = scene.Must(tx.Codes.Get(s.Ada.ADA20.ID))
		w.coupon = scene.Must(tx.Coupons.Get(s.Ada.Autumn.ID))
	})
	return w
}

func (w *till) view(fn func(*record.Tx)) {
	err := w.Store.View(w.T.Context(), w.Config().ID, func(tx *record.Tx) error { fn(tx); return nil })
	if err != nil {
		w.T.Fatal(err)
	}
}

// put stores the code and the coupon of the start with some changes.
func (w *till) put(edits ...func(*record.Code, *record.Coupon)) {
	code, coupon := w.code, w.coupon.Clone()
	for _, edit := range edits {
		edit(&code, &coupon)
	}
	err := w.Store.Update(w.T.Context(), w.Config().ID, func(tx *record.Tx) error {
		return errors.Join(tx.Codes.Replace(code), tx.Coupons.Replace(coupon))
	})
	if err != nil {
		w.T.Fatal(err)
	}
}

// sell records the order as a sale.
func (w *till) sell(o affiliate.Order) error {
	_, err := w.RecordSale(w.T.Context(), affiliate.SaleParams{
		PromoCode: o.PromoCode, Email: o.Email, ReferralID: o.ReferralID, Product: o.Product, Name: "Oda",
		TotalEarned: o.TotalEarned.Or(affiliate.MustAmount("100")),
	})
	return err
}

// A rule is a row of the contract's table, and a change that makes it fail.
type rule struct {
	row     int
	edit    func(*record.Code, *record.Coupon)
	failure affiliate.Failure
}

func redemptionRules() []rule {
	type code = record.Code
	type coupon = record.Coupon
	past := scene.Start.Add(-time.Millisecond)
	return []rule{
		{2, func(c *code, _ *coupon) { c.Active = false }, affiliate.Failure{Reason: "code_inactive", Message: "Promo code is not active"}},
		{3, func(_ *code, p *coupon) { p.Valid = false }, affiliate.Failure{Reason: "coupon_invalid", Message: "Promo code is not active"}},
		{4, func(c *code, _ *coupon) { c.ExpiresAt = affiliate.InstantOf(past) }, affiliate.Failure{Reason: "code_expired", Message: "Promo code has expired", At: affiliate.Set(affiliate.TimeOf(past))}},
		{5, func(_ *code, p *coupon) { p.RedeemBy = affiliate.InstantOf(past) }, affiliate.Failure{Reason: "coupon_expired", Message: "Promo code has expired", At: affiliate.Set(affiliate.TimeOf(past))}},
		{6, func(c *code, _ *coupon) { c.MaxRedemptions = 1 }, affiliate.Failure{Reason: "code_exhausted", Message: "Promo code has reached its redemption limit", Limit: affiliate.Set[int64](1), Used: affiliate.Set[int64](1)}},
		{7, func(_ *code, p *coupon) { p.MaxRedemptions, p.TimesRedeemed = 5, 7 }, affiliate.Failure{Reason: "coupon_exhausted", Message: "Promo code has reached its redemption limit", Limit: affiliate.Set[int64](5), Used: affiliate.Set[int64](7)}},
		{8, func(c *code, _ *coupon) { c.AffiliateID = uuid.Nil }, affiliate.Failure{Reason: "code_unassigned", Message: "Promo code is not associated with an affiliate"}},
		{9, func(c *code, _ *coupon) { c.FirstTimeOrder = true }, affiliate.Failure{Reason: "not_first_order", Message: "Promo code is only valid for a first order"}},
		{10, func(c *code, _ *coupon) { c.MinimumAmount, c.MinimumCurrency = scene.Amount("100.0001"), "USD" }, affiliate.Failure{Reason: "below_minimum", Message: "Order does not reach the minimum amount for this promo code", Amount: scene.Amount("100.0001"), Currency: "USD"}},
		{11, func(c *code, _ *coupon) { c.MinimumAmount, c.MinimumCurrency = scene.Amount("1"), "EUR" }, affiliate.Failure{Reason: "wrong_currency", Message: "Promo code minimum is in another currency", Currency: "EUR"}},
		{12, func(c *code, _ *coupon) { c.LimitToAffiliate = true }, affiliate.Failure{Reason: "wrong_affiliate", Message: "Promo code can only be used by its assigned affiliate"}},
		{13, func(c *code, _ *coupon) { c.LimitToCustomers, c.CustomerID = true, "somebody" }, affiliate.Failure{Reason: "wrong_customer", Message: "Promo code is limited to another customer"}},
		{14, func(_ *code, p *coupon) { p.LimitToProducts, p.ProductIDs = true, []string{"q"} }, affiliate.Failure{Reason: "wrong_product", Message: "Promo code does not apply to this product"}},
	}
}

// Every rule alone and every pair of rules: all failing rows are returned in
// order with their data, the text is that of the first, the preview and the
// sale agree, and nothing is changed.
func TestRedemptionRulePairs(t *testing.T) {
	w := newTill(t)
	rules := redemptionRules()
	for i, a := range rules {
		for _, b := range rules[i:] {
			if a.row == 10 && b.row == 11 {
				continue // there is one minimum, so at most one of them fails
			}
			t.Run(fmt.Sprintf("rows %d and %d", a.row, b.row), func(t *testing.T) {
				w.T = t
				w.put(a.edit, b.edit)
				want := []affiliate.Failure{a.failure}
				if a.row != b.row {
					want = append(want, b.failure)
				}
				got := scene.Must(w.Evaluate(t.Context(), w.order))
				if diff := cmp.Diff(want, got.Reasons); diff != "" || got.Valid || len(got.Unverified) > 0 {
					t.Errorf("preview: valid %v, unverified %v (-want +got):\n%s", got.Valid, got.Unverified, diff)
				}
				w.Refused(affiliate.Error{Kind: affiliate.KindConflict, Reason: a.failure.Reason, Message: a.failure.Message}, func() error {
					err := w.sell(w.order)
					refusal, _ := errors.AsType[*affiliate.Error](err)
					scene.Equal(t, want, refusal.Failures)
					if !errors.Is(err, b.failure.Reason) {
						t.Errorf("errors.Is(err, %s) is false", b.failure.Reason)
					}
					return err
				})
			})
		}
	}
}

// When row 1 fails, it is the only one (B260, B359).
func TestRedemptionNotFound(t *testing.T) {
	w := newTill(t)
	row := affiliate.Failure{Reason: "code_not_found", Message: "Promo code not found"}
	for _, code := range []string{"ADA21", "a b", "\x00", "ADA20\u0131"} {
		w.order.PromoCode = code
		got := scene.Must(w.Evaluate(t.Context(), w.order))
		want := affiliate.Evaluation{
			Reasons: []affiliate.Failure{row}, Unverified: []affiliate.Reason{}, Discount: affiliate.Null[affiliate.Amount](), Total: affiliate.Null[affiliate.Amount](), Risks: []affiliate.RiskReason{},
			Code: affiliate.Null[affiliate.CodeName](), Coupon: affiliate.Null[affiliate.Coupon](), Affiliate: affiliate.Null[affiliate.AffiliateContact](),
		}
		scene.Equal(t, want, got, code)
		w.Refused(scene.FieldError("code_not_found", "", row.Message), func() error { return w.sell(w.order) })
	}
}

// At the exact limit a rule passes: the exact instant, the exact minimum, the
// last redemption, the right affiliate, customer and product.
func TestRedemptionEdges(t *testing.T) {
	type code = record.Code
	type coupon = record.Coupon
	w := newTill(t)
	var oda record.Referral
	w.view(func(tx *record.Tx) {
		oda = scene.Must(tx.Referrals.Find(record.Key{Index: record.ByEmail, Text: "oda@example.com"}))
	})
	customerIs := func(id string) func(*code, *coupon) {
		return func(c *code, _ *coupon) { c.LimitToCustomers, c.CustomerID = true, id }
	}
	rows := []struct {
		name string
		edit func(*code, *coupon)
	}{
		{"B362 at expiresAt", func(c *code, _ *coupon) { c.ExpiresAt = scene.Began }},
		{"B363 at redeemBy", func(_ *code, p *coupon) { p.RedeemBy = scene.Began }},
		{"last of the code", func(c *code, _ *coupon) { c.MaxRedemptions = 2 }},
		{"last of the coupon", func(_ *code, p *coupon) { p.MaxRedemptions = 2 }},
		{"B371 at the minimum", func(c *code, _ *coupon) { c.MinimumAmount, c.MinimumCurrency = scene.Amount("100"), "USD" }},
		{"the affiliate", func(c *code, _ *coupon) { c.LimitToAffiliate, c.AffiliateID = true, w.Eve.ID }},
		{"referral id", customerIs(oda.ID.String())},
		{"email", customerIs("oda@example.com")},
		{"email in other case", customerIs(" Oda@Example.COM")},
		{"the product", func(_ *code, p *coupon) { p.LimitToProducts, p.ProductIDs = true, []string{"q", "p"} }},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			w.T = t
			w.put(row.edit)
			got := scene.Must(w.Evaluate(t.Context(), w.order))
			if !got.Valid || len(got.Reasons)+len(got.Unverified) > 0 {
				t.Errorf("got %+v", got)
			}
			if err := w.sell(w.order); err != nil {
				t.Errorf("sale: %v", err)
			}
		})
	}
}

// customerId equals an external id exactly; similar texts do not match.
func TestRedemptionCustomerNames(t *testing.T) {
	w := newTill(t)
	ref := scene.Must(w.CreateReferral(t.Context(), affiliate.ReferralParams{AffiliateEmail: "eve.n@example.com", Name: "Ivo", Email: "ivo@example.com", ReferredUserExternalID: "Cust-1"}))
	w.order.Email = "ivo@example.com"
	for id, valid := range map[string]bool{
		"Cust-1": true, "cust-1": false, ref.ID.String(): true, "IVO@example.com": true, "ivo": false,
		uuid.NewString(): false, "x@y": false, "@": false, "ivo@example.com.": false, uuid.Nil.String(): false,
	} {
		w.put(func(c *record.Code, _ *record.Coupon) { c.LimitToCustomers, c.CustomerID = true, id })
		for _, ident := range []string{"", ref.ID.String()} {
			o := w.order
			if o.ReferralID = ident; ident != "" {
				o.Email = ""
			}
			scene.Equal(t, valid, scene.Must(w.Evaluate(t.Context(), o)).Valid, id, ident)
		}
	}
}

// TestFirstOrderToldLate: of an order that is told late, the orders that were paid after it say nothing,
// unless one of them redeemed the code.
func TestFirstOrderToldLate(t *testing.T) {
	for name, tt := range map[string]struct {
		code  string        // of the order that was paid before
		later time.Duration // the order that is told late was paid so much later; zero: it is told at once
		first bool
	}{
		"paid before the other":              {"", -time.Hour, true},
		"paid after it":                      {"", time.Hour, false},
		"told at once":                       {"", 0, false},
		"paid before one that used the code": {"ADA20", -time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newCounter(t, affiliate.CouponUpdate{}, affiliate.CodeUpdate{})
			other := affiliate.SaleParams{PromoCode: tt.code, ReferralID: "ada", Email: "a@x.example", Name: "N", TotalEarned: scene.Sum("80")}
			s.Pass(2 * time.Hour)
			paid := s.Now
			scene.Must(s.RecordSale(t.Context(), other))
			scene.Must(s.UpdateCode(t.Context(), s.ADA20.ID, affiliate.CodeUpdate{FirstTimeOrder: affiliate.Set(true)}))
			s.Pass(3 * time.Hour)
			order := affiliate.SaleParams{PromoCode: "ADA20", Email: "a@x.example", Name: "N", TotalEarned: scene.Sum("80")}
			if tt.later != 0 {
				order.PaidAt = paid.Add(tt.later)
			}
			_, err := s.RecordSale(t.Context(), order)
			if tt.first {
				scene.Must(0, err)
			} else {
				scene.WantReason(t, name, affiliate.NotFirstOrder, err)
			}
		})
	}
}

// A preview refuses a product as a sale does.
func TestEvaluateProduct(t *testing.T) {
	w := newTill(t)
	for field, product := range map[string]affiliate.Product{
		"product.quantity must be greater than zero": {Quantity: scene.Amount("0")}, "product.price must be at least 0": {Price: scene.Amount("-1")},
	} {
		name, _, _ := strings.Cut(field, " ")
		w.Refused(scene.FieldError(affiliate.InvalidField, name, field), func() error {
			return scene.ErrOf(w.Evaluate(t.Context(), affiliate.Order{PromoCode: "ADA20", Product: affiliate.Set(product)}))
		})
	}
}

// What an adapter refuses is refused, also without a key.
func TestEvaluateRefusedByAdapter(t *testing.T) {
	w := newTill(t)
	want := scene.FieldError(affiliate.InvalidField, "email", "email is odd")
	w.Refused(want, func() error {
		return scene.ErrOf(w.Keyed(affiliate.Once{Refused: &want}).Evaluate(t.Context(), w.order))
	})
}

func TestEvaluateDiscount(t *testing.T) {
	none := affiliate.Null[affiliate.Amount]()
	percentage := func(s string) affiliate.CouponParams {
		return affiliate.CouponParams{Name: "n", PercentOff: scene.Percent(s)}
	}
	flat := func(s string, c affiliate.Currency) affiliate.CouponParams {
		return affiliate.CouponParams{Name: "n", CouponType: affiliate.CouponFlat, AmountOff: scene.Amount(s), Currency: affiliate.Set(c)}
	}
	rows := []struct {
		name    string
		program affiliate.Currency
		coupon  affiliate.CouponParams
		total   affiliate.Opt[affiliate.Amount]
		want    affiliate.Opt[affiliate.Amount]
	}{
		{"contract 4.1", "USD", percentage("20"), scene.Amount("19.99"), scene.Amount("4")},
		{"half away from zero", "USD", percentage("12.5"), scene.Amount("1"), scene.Amount("0.13")},
		{"yen", "JPY", percentage("12.5"), scene.Amount("101"), scene.Amount("13")},
		{"no total", "USD", percentage("20"), affiliate.Opt[affiliate.Amount]{}, none},
		{"flat", "USD", flat("5", "USD"), scene.Amount("19.99"), scene.Amount("5")},
		{"flat over the total", "USD", flat("50", "USD"), scene.Amount("19.99"), scene.Amount("19.99")},
		{"B148 flat is rounded when applied", "USD", flat("10.005", "USD"), scene.Amount("100"), scene.Amount("10.01")},
		{"flat in another currency", "USD", flat("5", "EUR"), scene.Amount("100"), none},
		{"never over the total", "USD", percentage("100"), scene.Amount("0.005"), scene.Amount("0.005")},
		{"the largest total", "JPY", percentage("100"), scene.Amount("100000000000"), scene.Amount("100000000000")},
		{"no room for the rounded amount", "JPY", flat("922337203685477.5807", "JPY"), scene.Amount("100000000000"), scene.Amount("100000000000")},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			w := scene.New(t, func(c *tributary.Config) { c.Currency = row.program })
			coupon := scene.Must(w.CreateCoupon(t.Context(), row.coupon))
			scene.Must(w.CreateCode(t.Context(), affiliate.CodeParams{CouponID: coupon.ID, Code: "X"}))
			got := scene.Must(w.Evaluate(t.Context(), affiliate.Order{PromoCode: "x", TotalEarned: row.total}))
			scene.Equal(t, row.want, got.Discount)
			coupon.PromotionalCodes = nil
			if diff := cmp.Diff(affiliate.Set(coupon), got.Coupon); diff != "" || !got.Affiliate.IsNull() {
				t.Errorf("affiliate %v, coupon (-want +got):\n%s", got.Affiliate, diff)
			}
		})
	}
}

// I13: on the same records, the preview is valid if and only if the sale is
// recorded, and both have the same reasons.
func TestPreviewIsSale(t *testing.T) {
	w := newTill(t)
	rules := redemptionRules()
	rapid.Check(t, func(rt *rapid.T) {
		var edits []func(*record.Code, *record.Coupon)
		for _, r := range rules {
			if rapid.IntRange(0, 5).Draw(rt, fmt.Sprint("row ", r.row)) == 0 {
				edits = append(edits, r.edit)
			}
		}
		w.put(edits...)
		o := w.order
		if rapid.Bool().Draw(rt, "no email") {
			o.Email = ""
		}
		o.ReferralID = rapid.SampledFrom([]string{"", "eve", "ada", "nobody", "oda@example.com"}).Draw(rt, "referralId")
		if rapid.Bool().Draw(rt, "no product") {
			o.Product = affiliate.Opt[affiliate.Product]{}
		}
		o.TotalEarned = scene.Amount(rapid.SampledFrom([]string{"99.99", "100", "100.0001"}).Draw(rt, "total"))
		said := scene.Must(w.Evaluate(t.Context(), o))
		err := w.sell(o)
		refusal, refused := errors.AsType[*affiliate.Error](err)
		if said.Valid == refused || err != nil && !refused {
			rt.Fatalf("preview says valid %v, the sale says %v", said.Valid, err)
		}
		if refused {
			if diff := cmp.Diff(said.Reasons, refusal.Failures); diff != "" {
				rt.Fatalf("reasons (-preview +sale):\n%s", diff)
			}
		}
	})
}

// A first order is the first of the customer under each name: the email of the
// referral, and the referral itself. Each alone is enough. The email of an order whose
// referralId names a customer says nothing.
func TestFirstOrderByEachName(t *testing.T) {
	for name, tt := range map[string]struct {
		prepare func(w *till, referral record.Referral) // the sale of newTill is oda@example.com's
		email   string                                  // of the order, beside Oda's referral
	}{
		"the email of the referral": {func(w *till, r record.Referral) {
			w.rewriteSales(func(s *record.Sale) { s.ReferralID = uuid.Nil })
		}, "new@example.com"},
		"the referral": {func(w *till, r record.Referral) {
			w.rewriteSales(func(s *record.Sale) { s.Email = "before@example.com" })
		}, "new@example.com"},
		"none": {func(w *till, r record.Referral) {
			w.rewriteSales(func(s *record.Sale) { s.Email, s.ReferralID = "somebody@example.com", uuid.Nil })
		}, "new@example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTill(t)
			referral := w.onlyReferral()
			w.put(func(c *record.Code, _ *record.Coupon) { c.FirstTimeOrder = true })
			tt.prepare(w, referral)
			order := affiliate.Order{PromoCode: "ADA20", TotalEarned: scene.Amount("100"), ReferralID: referral.Email, Email: tt.email}
			got := scene.Must(w.Evaluate(t.Context(), order))
			if first := name == "none"; got.Valid != first {
				t.Errorf("valid %v: %+v", got.Valid, got.Reasons)
			}
		})
	}
}

// rewriteSales changes every sale.
func (w *till) rewriteSales(edit func(*record.Sale)) {
	w.Raw(func(tx *record.Tx) error {
		return scene.EachRow(tx.Sales, func(s record.Sale) error {
			changed := s.Clone()
			edit(&changed)
			return tx.Sales.Replace(changed)
		})
	})
}

// onlyReferral is the only referral there is.
func (w *till) onlyReferral() (only record.Referral) {
	w.T.Helper()
	n := 0
	w.Raw(func(tx *record.Tx) error {
		return scene.EachRow(tx.Referrals, func(r record.Referral) error {
			only, n = r, n+1
			return nil
		})
	})
	if n != 1 {
		w.T.Fatalf("%d referrals", n)
	}
	return only
}

// Texts as people paste them.

// unseen: what comes along from mails, tables and right-to-left pages.
const unseen = "\ufeff\u00a0\u200b\u200e\u202a\u2060\u2066\u3000\u00ad\u202c\u2069"

// pasted is a text with what nobody sees around it and in it.
func pasted(s string) string { return unseen + s[:2] + "\u200b\u00ad\u200d" + s[2:] + unseen }

// TestPastedTexts: preview, sale, referral, search, import, tracking and partner
// find the same records by a text with and without what nobody sees, and nothing
// of it is stored.
func TestPastedTexts(t *testing.T) {
	s := scene.NewShop(t)
	ctx := t.Context()
	coupon := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: unseen + "Twenty" + unseen, PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	scene.Equal(t, "Twenty", coupon.Name)
	scene.Equal(t, coupon.ID, scene.Must(s.Coupon(ctx, affiliate.CouponRef{Name: "\u3000Twenty "})).ID)
	code := scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: pasted("MAIL20"), AffiliateEmail: pasted(s.Ada.Person.Email)}))
	scene.Equal(t, "MAIL20", code.Code)
	scene.Equal(t, code.ID, scene.Must(s.Code(ctx, affiliate.CodeRef{Code: pasted("mail20")})).ID)
	scene.Equal(t, true, scene.Must(s.Evaluate(ctx, affiliate.Order{PromoCode: pasted("mail20"), Email: pasted("tomas@example.net")})).Valid)
	sale := s.Sell(affiliate.SaleParams{PromoCode: pasted("mail20"), Email: pasted("Tomas@example.net"), Name: unseen + "Tomas" + unseen})
	scene.Equal(t, []any{affiliate.Set(s.Tomas.ID), affiliate.Set("tomas@example.net"), affiliate.Set("Tomas"), affiliate.Set(code.ID)},
		[]any{sale.ReferralID, sale.Email, sale.Name, sale.PromotionalCodeID})
	ref := scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: pasted("ada"), Name: unseen + "می\u200cخواهم" + unseen, Email: pasted("mina@example.net"), ReferredUserExternalID: "c1"}))
	scene.Equal(t, []any{s.Ada.Person.ID, "می\u200cخواهم", "mina@example.net"}, []any{ref.AffiliateID, ref.Name.Or(""), ref.Email})
	scene.Equal(t, ref.ID, scene.Must(s.Referral(ctx, pasted("mina@example.net"))).ID)
	for _, text := range []string{pasted("mina@example.net"), unseen + "mina" + unseen} {
		found := scene.Must(s.Referrals(ctx, affiliate.ReferralQuery{Search: affiliate.Set(text)}, affiliate.Page{}))
		scene.Equal(t, 1, len(found.Items))
	}
	scene.Equal(t, s.Ada.Person.ID, scene.Must(s.Affiliate(ctx, pasted(s.Ada.Person.Email))).ID)
	joined := scene.Must(s.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: unseen + "I \u2764\ufe0f" + unseen, LastName: " L\u3000", Email: pasted("ivy@example.org")}))
	scene.Equal(t, []string{"I \u2764\ufe0f", "L", "ivy@example.org"}, []string{joined.FirstName, joined.LastName, joined.Email})
	s.Refused(scene.FieldError(affiliate.MissingField, "firstName", "First name is required"), func() error {
		return scene.ErrOf(s.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: unseen, LastName: "L", Email: "x@example.org"}))
	})
	s.Verifies()
}

// TestInternationalDomain: an email with a domain of other letters is stored in
// ASCII and found by both spellings.
func TestInternationalDomain(t *testing.T) {
	s := scene.NewShop(t)
	ctx := t.Context()
	const stored = "eva@xn--bcher-kva.example"
	sale := s.Sell(affiliate.SaleParams{PromoCode: "ADA20", Email: "Eva@Bücher.example", Name: "Eva"})
	scene.Equal(t, affiliate.Set(stored), sale.Email)
	for _, spelling := range []string{stored, "eva@bücher.example", "EVA@BÜCHER.EXAMPLE", "eva@XN--Bcher-KVA.example", "eva@bücher。example"} {
		scene.Equal(t, sale.ReferralID, affiliate.Set(scene.Must(s.Referral(ctx, spelling)).ID))
		scene.Equal(t, true, affiliate.SameEmail(spelling, stored))
		again := s.Sell(affiliate.SaleParams{Email: spelling})
		scene.Equal(t, sale.ReferralID, again.ReferralID)
	}
	scene.Equal(t, false, affiliate.SameEmail("x", "x"))
	s.Verifies()
}

// TestPaidOrderIsRecorded: what a customer typed never refuses a payment. It is
// left out, the result says so, and a repeat says the same.
func TestPaidOrderIsRecorded(t *testing.T) {
	long := strings.Repeat("x", 256)
	for name, tt := range map[string]struct {
		in      affiliate.SaleParams
		outcome affiliate.SaleOutcome
		ignored []string
	}{
		"code and an email that is none": {affiliate.SaleParams{PromoCode: "ADA20", Email: "tom@@example.net"}, affiliate.SaleRecorded, []string{"email"}},
		"slug and an email that is none": {affiliate.SaleParams{ReferralID: "ada", Email: "ä@example.net", Name: "Tom"}, affiliate.SaleRecorded, []string{"email"}},
		"slug, email and name":           {affiliate.SaleParams{ReferralID: "ada", Email: "tom", Name: long}, affiliate.SaleRecorded, []string{"email", "name"}},
		"slug and a name that is none":   {affiliate.SaleParams{ReferralID: "ada", Email: "new@example.net", Name: "a\x00b"}, affiliate.SaleRecorded, []string{"name"}},
		"a name of two lines":            {affiliate.SaleParams{Email: "tomas@example.net", Name: "a\nb"}, affiliate.SaleRecorded, []string{"name"}},
		"a name that is too long":        {affiliate.SaleParams{Email: "tomas@example.net", Name: long}, affiliate.SaleRecorded, []string{"name"}},
		"a product that has no name":     {affiliate.SaleParams{PromoCode: "ADA20", Product: affiliate.Set(affiliate.Product{Name: long})}, affiliate.SaleRecorded, []string{"product.name"}},
		"only an email that is none":     {affiliate.SaleParams{Email: "tom"}, affiliate.SaleUnattributed, []string{"email"}},
		"a decomposed domain":            {affiliate.SaleParams{PromoCode: "ADA20", Email: "a@bu\u0308cher.example"}, affiliate.SaleRecorded, []string{"email"}},
		"nothing is wrong":               {affiliate.SaleParams{PromoCode: "ADA20", Email: "new@example.net"}, affiliate.SaleRecorded, nil},
		"an email of blanks":             {affiliate.SaleParams{PromoCode: "ADA20", Email: " \u200b", Name: " "}, affiliate.SaleRecorded, []string{"email", "name"}},
		"a slug and blanks":              {affiliate.SaleParams{ReferralID: "ada", Email: "\u00a0", Name: " "}, affiliate.SaleRecorded, []string{"email", "name"}},
		"a slug and a name of blanks":    {affiliate.SaleParams{ReferralID: "ada", Email: "new@example.net", Name: " \u200b"}, affiliate.SaleRecorded, []string{"name"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewShop(t)
			tt.in.TotalEarned, tt.in.Once.Key = scene.Sum("100"), "order-1"
			first := scene.Must(s.RecordSale(t.Context(), tt.in))
			scene.Equal(t, tt.outcome, first.Outcome)
			scene.Equal(t, tt.ignored, first.Ignored)
			again := scene.Must(s.RecordSale(t.Context(), tt.in))
			scene.Equal(t, true, slices.Equal(first.Ignored, again.Ignored) && first.Outcome == again.Outcome)
			scene.Equal(t, first.Sale, again.Sale)
			if sale, recorded := first.Sale.Get(); recorded {
				scene.Equal(t, scene.Sum("20"), sale.CommissionEarned)
				scene.Equal(t, slices.Contains(tt.ignored, "email"), tt.in.Email != "" && sale.Email.IsNull())
			}
			s.Verifies()
		})
	}
	s := scene.NewShop(t)
	s.Refused(scene.FieldError(affiliate.InvalidField, "externalId", "externalId is too long"), func() error { // it says what is a duplicate
		return scene.ErrOf(s.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum("1"), ExternalID: long}))
	})
}
