package affiliate_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

func TestMaskEmail(t *testing.T) {
	for in, want := range map[string]string{
		"tomas@example.net": "t***@e***.net", "ab@x.io": "***@***.io", "ab@abc.io": "***@a***.io", "abc@ab.io": "a***@***.io",
		"örn@mail.example.co.uk": "ö***@m***.uk", "tom@localhost": "t***@***", "no email": "***", "": "***", `"a@b"@abc.de`: `"***@a***.de`, "@": "***@***",
	} {
		if got := affiliate.MaskEmail(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// fieldsOf are the members of a value as JSON, in their order.
func fieldsOf(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	var names []string
	depth, key := 0, false
	for tok, err := dec.Token(); err == nil; tok, err = dec.Token() {
		switch tok {
		case json.Delim('{'), json.Delim('['):
			depth, key = depth+1, depth == 0
			continue
		case json.Delim('}'), json.Delim(']'):
			depth--
		default:
			if depth == 1 && key {
				names, key = append(names, tok.(string)), false
				continue
			}
		}
		key = depth == 1
	}
	return strings.Join(names, " ")
}

// TestPartnerFields is check 29 of console.md: the fields of each object are
// exactly these.
func TestPartnerFields(t *testing.T) {
	for want, v := range map[string]any{
		"id name email status commissionRate payoutEmail paymentMethod detailsComplete numberOfClicks numberOfReferredUsers totalRevenue totalCommissionEarned createdAt program": affiliate.PartnerProfile{},
		"name currency": affiliate.PartnerProgram{},
		"id link fullURLs clicks referrals sales totalRevenue createdAt":                                                                                    affiliate.PartnerLink{},
		"id code usable expiresAt couponType percentOff amountOff currency minimumAmount minimumAmountCurrency firstTimeOrder timesRedeemed maxRedemptions": affiliate.PartnerCode{},
		"id customer subscriptionStatus totalRevenue totalCommission createdAt":                                                                             affiliate.PartnerReferral{},
		"id customer totalEarned refundedAmount commissionEarned approvalStatus payoutCreated status promoCode link createdAt":                              affiliate.PartnerSale{},
	} {
		if got := fieldsOf(t, v); got != want {
			t.Errorf("%T has %s,\nwant %s", v, got, want)
		}
	}
}

// whole is everything that a partner sees, as JSON.
func whole(t *testing.T, p *affiliate.Program, id uuid.UUID) string {
	t.Helper()
	v, ctx := p.Partner(id), t.Context()
	lines := []affiliate.StatementLine{}
	statement := must(v.Statement(ctx, start.Add(-time.Hour), start.Add(1000*time.Hour)))
	for line, err := range statement.Lines() {
		lines = append(lines, must(line, err))
	}
	raw, err := json.Marshal([]any{
		must(v.Profile(ctx)), must(v.Links(ctx, affiliate.Page{})), must(v.Codes(ctx, affiliate.Page{})),
		must(v.Referrals(ctx, affiliate.Page{})), must(v.Sales(ctx, affiliate.Page{})), must(v.Balance(ctx)), statement, lines,
		must(v.Report(ctx, start.Add(-time.Hour), start.Add(24*time.Hour), affiliate.IntervalDay)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestPartnerSeesThemselves is check 29 of console.md: what one affiliate among
// 200 sees has no byte of the others, and of customers only what the mask leaves.
func TestPartnerSeesThemselves(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	coupon := must(w.CreateCoupon(ctx, affiliate.NewCoupon{Name: "secret coupon", PercentOff: affiliate.Set(affiliate.MustPercent("20")), MaxRedemptions: affiliate.Set(int64(987654))}))
	all := make([]affiliate.Affiliate, 200)
	for i := range all {
		slug := fmt.Sprintf("slug%03dx", i)
		all[i] = must(w.CreateAffiliate(ctx, affiliate.NewAffiliate{FirstName: fmt.Sprintf("First%03dx", i), LastName: fmt.Sprintf("Last%03dx", i), Email: slug + "@partner.example", AffiliateLink: slug}))
		code := must(w.CreateCode(ctx, affiliate.NewCode{CouponID: coupon.ID, Code: fmt.Sprintf("CODE%03dX", i), AffiliateID: all[i].ID, ExternalID: "codeext" + slug}))
		must(w.TrackClick(ctx, affiliate.NewClick{Slug: slug, DeviceID: "d" + slug, LandingURL: "https://beans.example/landed"}))
		must(w.CreateReferral(ctx, affiliate.NewReferral{AffiliateID: slug, Name: "Custname" + slug, Email: "customer" + slug + "@people.example", ReferredUserExternalID: "userext" + slug}))
		must(w.RecordSale(ctx, affiliate.NewSale{PromoCode: code.Code, Email: "buyer" + slug + "@people.example", Name: "Buyername" + slug, TotalEarned: affiliate.MustAmount("100"), ExternalID: "saleext" + slug, ExternalInvoiceID: "invoice" + slug, Product: affiliate.Set(affiliate.Product{Name: "product" + slug})}))
		must(w.RecordSale(ctx, affiliate.NewSale{ReferralID: "customer" + slug + "@people.example", TotalEarned: affiliate.MustAmount("10")}))
	}
	ids := map[string]bool{}
	for _, me := range []int{0, 117, 199} {
		seen := whole(t, w.Program, all[me].ID)
		for i, other := range all {
			secrets := []string{other.ID.String(), fmt.Sprintf("slug%03dx", i), fmt.Sprintf("First%03dx", i), fmt.Sprintf("CODE%03dX", i)}
			for _, link := range other.AffiliateLinks {
				secrets = append(secrets, link.ID.String())
			}
			for _, secret := range secrets {
				if strings.Contains(seen, secret) != (i == me) {
					t.Errorf("what %d sees: %q is there: %v", me, secret, i != me)
				}
			}
		}
		for _, secret := range []string{"Custname", "Buyername", "userext", "saleext", "invoice", "product", "codeext", "landed", "secret coupon", "987654", "people.example", "customerslug", "buyerslug", "oldReason"} {
			if strings.Contains(seen, secret) {
				t.Errorf("what %d sees has %q", me, secret)
			}
		}
		for _, masked := range []string{`"customer":"c***@p***.example"`, `"customer":"b***@p***.example"`} {
			if !strings.Contains(seen, masked) {
				t.Errorf("what %d sees has no %s", me, masked)
			}
		}
		for _, sale := range must(w.Partner(all[me].ID).Sales(ctx, affiliate.Page{})).Items {
			if ids[fmt.Sprint(sale.ID)] {
				t.Errorf("sale %d is seen by two", sale.ID)
			}
			ids[fmt.Sprint(sale.ID)] = true
		}
	}
	if len(ids) != 6 {
		t.Errorf("three partners see %d sales, want 6", len(ids))
	}
}

// TestPartnerPages: pages go on where the one before has ended, and a cursor of
// one partner is refused by another.
func TestPartnerPages(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	a := w.ada()
	other := must(w.CreateAffiliate(ctx, affiliate.NewAffiliate{FirstName: "B", LastName: "B", Email: "b@example.com", AffiliateLink: "bbb"}))
	must(w.CreateLink(ctx, affiliate.NewLink{Link: "ada-two", AffiliateID: a.affiliate.ID}))
	must(w.CreateCode(ctx, affiliate.NewCode{CouponID: a.coupon.ID, Code: "ADA21", AffiliateID: a.affiliate.ID}))
	for i := range 2 {
		must(w.RecordSale(ctx, affiliate.NewSale{PromoCode: "ADA20", Email: fmt.Sprintf("c%d@example.com", i), Name: "C", TotalEarned: affiliate.MustAmount("10")}))
	}
	first := affiliate.Page{Limit: 1}
	for name, list := range map[string]func(affiliate.Partner, affiliate.Page) (int, string, error){
		"Links":     func(v affiliate.Partner, pg affiliate.Page) (int, string, error) { return pieces(v.Links(ctx, pg)) },
		"Codes":     func(v affiliate.Partner, pg affiliate.Page) (int, string, error) { return pieces(v.Codes(ctx, pg)) },
		"Referrals": func(v affiliate.Partner, pg affiliate.Page) (int, string, error) { return pieces(v.Referrals(ctx, pg)) },
		"Sales":     func(v affiliate.Partner, pg affiliate.Page) (int, string, error) { return pieces(v.Sales(ctx, pg)) },
	} {
		n, next, err := list(w.Partner(a.affiliate.ID), first)
		if n != 1 || next == "" || err != nil {
			t.Fatalf("%s: %d, %q, %v", name, n, next, err)
		}
		if n, end, err := list(w.Partner(a.affiliate.ID), affiliate.Page{Limit: 1, Cursor: next}); n != 1 || end != "" || err != nil {
			t.Errorf("%s: then %d, %q, %v", name, n, end, err)
		}
		if _, _, err := list(w.Partner(other.ID), affiliate.Page{Limit: 1, Cursor: next}); !errors.Is(err, affiliate.InvalidQuery) {
			t.Errorf("%s: the cursor of another partner: %v", name, err)
		}
		if n, _, err := list(w.Partner(uuid.Nil), affiliate.Page{}); n != 0 || err != nil {
			t.Errorf("%s of nobody: %d, %v", name, n, err)
		}
	}
	if _, err := w.Partner(uuid.New()).Profile(ctx); !errors.Is(err, affiliate.ErrNotFound) {
		t.Errorf("Profile of nobody: %v", err)
	}
}

func pieces[T any](l affiliate.List[T], err error) (int, string, error) {
	return len(l.Items), l.Next, err
}

// TestPartnerSales: a code that was given away is not named, an erased customer
// is the end of their id, and a state is that of the sale.
func TestPartnerSales(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	a := w.ada()
	other := must(w.CreateAffiliate(ctx, affiliate.NewAffiliate{FirstName: "B", LastName: "B", Email: "b@example.com", AffiliateLink: "bbb"}))
	me := w.Partner(a.affiliate.ID)
	sale := must(w.RecordSale(ctx, affiliate.NewSale{PromoCode: "ADA20", Email: "tomas@example.net", Name: "T", TotalEarned: affiliate.MustAmount("100")})).Sale.Or(affiliate.Sale{})
	want := affiliate.PartnerSale{
		ID: sale.ID, Customer: "t***@e***.net", TotalEarned: affiliate.MustAmount("100"), CommissionEarned: affiliate.MustAmount("20"),
		ApprovalStatus: affiliate.Set(affiliate.ApprovalAccepted), Status: affiliate.SaleActive, PromoCode: affiliate.Set("ADA20"),
		Link: affiliate.Null[string](), CreatedAt: sale.CreatedAt,
	}
	same := func(step string) {
		t.Helper()
		if diff := cmp.Diff([]affiliate.PartnerSale{want}, must(me.Sales(ctx, affiliate.Page{})).Items, cmp.Comparer(func(x, y affiliate.Amount) bool { return x == y })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step, diff)
		}
	}
	same("recorded")
	must(w.UpdateCode(ctx, a.code.ID, affiliate.CodeUpdate{AffiliateID: affiliate.Set(other.ID), Code: affiliate.Set("BEATRIX")}))
	want.PromoCode = affiliate.Null[string]()
	same("the code was given away")
	must(w.CreatePayout(ctx, affiliate.NewPayout{AffiliateID: a.affiliate.ID}))
	want.PayoutCreated = true
	same("in a payout")
	must(w.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(affiliate.MustAmount("50")), ClawBack: true}))
	want.RefundedAmount, want.CommissionEarned = affiliate.MustAmount("50"), affiliate.MustAmount("10")
	same("refunded")
	id := sale.ReferralID.Or(uuid.Nil)
	if err := w.EraseReferral(ctx, id.String()); err != nil {
		t.Fatal(err)
	}
	want.Customer = "customer-" + id.String()[32:]
	same("erased")
	if got := must(me.Referrals(ctx, affiliate.Page{})).Items[0].Customer; got != want.Customer {
		t.Errorf("the referral is %s", got)
	}
}

// TestPartnerCodes: a code ends when it or its coupon does, and is usable until
// then.
func TestPartnerCodes(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	a := w.ada()
	day := func(s string) affiliate.Opt[affiliate.Date] { return affiliate.Set(must(affiliate.ParseDate(s))) }
	code := func(expires, redeemBy affiliate.Opt[affiliate.Date]) (ends string, usable bool) {
		t.Helper()
		must(w.UpdateCode(ctx, a.code.ID, affiliate.CodeUpdate{ExpiresAt: expires}))
		must(w.UpdateCoupon(ctx, a.coupon.ID, affiliate.CouponUpdate{RedeemBy: redeemBy}))
		got := must(w.Partner(a.affiliate.ID).Codes(ctx, affiliate.Page{})).Items[0]
		if at, set := got.ExpiresAt.Get(); set {
			ends = at.Time().Format(time.DateOnly)
		}
		return ends, got.Usable
	}
	none := affiliate.Null[affiliate.Date]()
	for name, c := range map[string]struct {
		code, coupon affiliate.Opt[affiliate.Date]
		ends         string
		usable       bool
	}{
		"none": {none, none, "", true}, "code": {day("2026-04-01"), none, "2026-04-01", true}, "coupon": {none, day("2026-04-02"), "2026-04-02", true},
		"code first": {day("2026-04-01"), day("2026-04-02"), "2026-04-01", true}, "coupon first": {day("2026-04-03"), day("2026-04-02"), "2026-04-02", true},
		"coupon over": {day("2026-04-03"), day("2026-03-01"), "2026-03-01", false}, "code over": {day("2026-03-01"), none, "2026-03-01", false},
	} {
		if ends, usable := code(c.code, c.coupon); ends != c.ends || usable != c.usable {
			t.Errorf("%s: %q, usable %v", name, ends, usable)
		}
	}
}

// TestPartnerSetsPayoutDetails: the change is theirs alone, with one event.
func TestPartnerSetsPayoutDetails(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	a := w.ada()
	me, in := w.Partner(a.affiliate.ID), affiliate.PayoutDetails{Email: "ada@pay.example", Method: "PAYPAL"}
	var got affiliate.PartnerProfile
	events := w.fired(func() { got = must(me.SetPayoutDetails(ctx, in)) })
	if len(events) != 1 || got.PayoutEmail != affiliate.Set(in.Email) || got.PaymentMethod != affiliate.Set(in.Method) || !got.DetailsComplete {
		t.Errorf("%v: %+v", events, got)
	}
	if diff := cmp.Diff(fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", must(me.Profile(ctx)))); diff != "" {
		t.Errorf("the profile (-answered +read):\n%s", diff)
	}
	if _, err := me.SetPayoutDetails(ctx, affiliate.PayoutDetails{Email: "x"}); !errors.Is(err, affiliate.InvalidField) {
		t.Errorf("a wrong email: %v", err)
	}
}
