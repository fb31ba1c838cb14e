package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// Texts as people paste them.

// unseen is what comes along from mails, tables and right-to-left pages.
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
