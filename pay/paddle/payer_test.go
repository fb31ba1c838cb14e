package paddle_test

import (
	"bytes"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/paddle"
)

// browser is custom data as a payer's browser sets it: without the host's signature.
func browser(pairs ...string) map[string]any {
	data := map[string]any{"tributary_program": shoptest.ID.String()}
	for i := 0; i < len(pairs); i += 2 {
		data["tributary_"+pairs[i]] = pairs[i+1]
	}
	return data
}

// attacked is a shop whose host recorded order-1042 of Ines, by Mara.
func attacked(t *testing.T) *shop {
	t.Helper()
	s := newShop(t)
	shoptest.Must(s.RecordSale(t.Context(), affiliate.SaleParams{
		ReferralID: "mara", TotalEarned: affiliate.MustAmount("10000"), ExternalID: "order-1042", Email: "ines@example.net", Name: "Ines",
	}))
	return s
}

// TestPayerNamesAnOrder: a payer who names the order of somebody else in custom data
// takes nothing from it, before it is paid and after.
func TestPayerNamesAnOrder(t *testing.T) {
	s := attacked(t)
	s.Send(s.customer(), s.transaction("txn_1", 100, 0, "custom_data", browser("order", "order-1042", "click", "2")),
		s.adjusted("adj_1", "refund", "txn_1", 100))
	s.Want(s.Mara, "2000.00")
	s.Want(s.Ben, "0.00")

	early := newShop(t)
	early.Send(early.customer(), early.transaction("txn_1", 1, 0, "custom_data", browser("order", "order-7", "click", "2")),
		early.transaction("txn_2", 12000, 2000, "customer_id", "ctm_I", "custom_data.tributary_order", "order-7", "custom_data.tributary_click", "1"),
		early.customer("id", "ctm_I", "email", "ines@example.net"))
	early.Want(early.Mara, "20.00")
}

// TestPayerNamesACustomer: a payer who names a customer of the host is not that
// customer, whose status stays.
func TestPayerNamesACustomer(t *testing.T) {
	s := newShop(t)
	ines := shoptest.Must(s.CreateReferral(t.Context(), affiliate.ReferralParams{AffiliateID: "mara", Email: "ines@example.net", Name: "Ines", ReferredUserExternalID: "user-9"}))
	data := browser("customer", "user-9", "click", "2")
	s.Send(s.customer("custom_data", data), s.subscribed("custom_data", data), s.status("canceled"))
	shoptest.Same(t, "status", shoptest.Must(s.Program.Referral(t.Context(), ines.ID.String())).Status, ines.Status)
	s.Want(s.Mara, "0.00")
}

// TestPayerNamesACode: three small payments do not use up a code that the payer
// names, and one with the provider's discount does count.
func TestPayerNamesACode(t *testing.T) {
	s := newShop(t)
	s.Send(s.customer())
	for _, id := range []string{"txn_1", "txn_2", "txn_3"} {
		s.Send(s.transaction(id, 1, 0, "custom_data", browser("code", "MARA20")))
	}
	code := func() int64 {
		return shoptest.Must(s.Program.Code(t.Context(), affiliate.CodeRef{Code: "MARA20"})).TimesRedeemed
	}
	shoptest.Same(t, "redeemed by custom data", code(), 0)
	s.Send(s.transaction("txn_4", 100, 0, "discount_id", "promo_mara"))
	shoptest.Same(t, "redeemed by a discount", code(), 1)
}

// TestOtherProgram: clicks, slugs and signed data of another program credit nobody.
func TestOtherProgram(t *testing.T) {
	s := newShop(t)
	s.Send(s.customer())
	other := uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e02")
	stolen := pay.Carried{Program: other, Click: "1", Order: "order-1", Customer: "user-9"}
	for id, data := range map[string]map[string]any{
		"txn_1": {"tributary_click": "1"}, "txn_2": {"tributary_slug": "mara"}, "txn_3": {"tributary_click": "1", "tributary_program": other.String()},
		"txn_4": {"tributary_program": other.String(), "tributary_click": "1", "tributary_order": "order-1", "tributary_customer": "user-9", "tributary_signature": shoptest.Must(shoptest.CarryKeys.Sign(stolen))},
		"txn_5": {"tributary_program": shoptest.ID.String() + "x", "tributary_click": "1"},
		"txn_6": {"tributary_program": strings.ToUpper(other.String()), "tributary_slug": "mara"}, "txn_7": {"tributary_program": 1, "tributary_click": 1},
		"txn_8": {"tributary_program": []any{shoptest.ID.String()}, "tributary_click": "1"}, "txn_9": {"tributary_program": nil, "tributary_click": "1"},
	} {
		e := s.transaction(id, 12000, 2000).With("data.custom_data", data)
		s.Send(e)
		if r := s.Last(); r.Outcome != affiliate.SaleUnattributed || r.Action.Payment.Payer.CustomerID != "" {
			t.Errorf("%s: %s, %+v", id, r.Outcome, r.Action.Payment)
		}
	}
	shoptest.Same(t, "sales", len(s.AllSales()), 0)
}

// TestSigned: what the host signed is read; what is changed, left out, or signed with
// another key is not; an old key stays good while it is there.
func TestSigned(t *testing.T) {
	s := newShop(t)
	s.Send(s.customer())
	what := pay.Carried{Order: "order-7", Code: "MARA20", Hold: "cart", Offer: true, Customer: "user-9", Slug: "ben"}
	carried := shoptest.Must(s.config().Carry(s.Program, nil, what))
	read := func(cfg func(*pay.Keys), change func(map[string]string)) pay.Carried {
		data := maps.Clone(carried)
		change(data)
		c := s.config()
		cfg(&c.CarryKeys)
		return mappedWith(t, s.transaction("txn_1", 100, 0).With("data.custom_data", data), c).Carried
	}
	same, asIs := func(*pay.Keys) {}, func(map[string]string) {}
	what.Program, what.Signed = shoptest.ID, true
	shoptest.Same(t, "as it was", read(same, asIs), what)
	rotated := func(k *pay.Keys) { *k = append(pay.Keys{bytes.Repeat([]byte("n"), 32)}, *k...) }
	shoptest.Same(t, "with a new key before it", read(rotated, asIs), what)
	left := pay.Carried{Program: shoptest.ID, Slug: "ben", Forged: true}
	shoptest.Same(t, "the key is gone", read(func(k *pay.Keys) { *k = nil }, asIs), left)
	for name := range carried {
		if name == "tributary_slug" || name == "tributary_program" {
			continue
		}
		for _, text := range []string{"", "x", carried[name] + "x"} {
			if got := read(same, func(m map[string]string) { m[name] = text }); got != left {
				t.Errorf("%s = %q: %+v", name, text, got)
			}
		}
	}
	if got := read(same, func(m map[string]string) { m["tributary_slug"] = "mara" }); got.Signed || got.Order != "" || got.Slug != "mara" {
		t.Errorf("another slug: %+v", got)
	}
}

// TestSignaturesDiffer: no field of what is carried can be taken for another one.
func TestSignaturesDiffer(t *testing.T) {
	seen := map[string]pay.Carried{}
	for _, c := range []pay.Carried{{}, {Hold: "offer"}, {Offer: true}, {Hold: "offer", Offer: true}, {Order: "offer"}, {Customer: "offer"}, {Code: "offer"}} {
		signature := shoptest.Must(shoptest.CarryKeys.Sign(c))
		if other, taken := seen[signature]; taken {
			t.Errorf("%+v and %+v have one signature", other, c)
		}
		seen[signature] = c
	}
}

// TestOfferIsCarried: a payment redeems what the link gives when the host signed that its checkout took it off.
func TestOfferIsCarried(t *testing.T) {
	s := newShop(t)
	give := affiliate.AffiliateUpdate{OfferCouponID: affiliate.Set(s.Code.CouponID)}
	shoptest.Must(s.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: s.Code.AffiliateID.Or(uuid.Nil)}, give))
	s.Send(s.customer())
	for id, what := range map[string]pay.Carried{"order-1": {Offer: true}, "order-2": {}} {
		what.Order, what.Slug = id, "mara"
		data := map[string]any{}
		for key, text := range shoptest.Must(s.config().Carry(s.Program, nil, what)) {
			data[key] = text
		}
		s.Send(s.transaction("txn_"+id, 8000, 0).With("data.custom_data", data))
		sale := s.Last().Sale.Or(affiliate.Sale{})
		shoptest.Same(t, id+" redeems the offer", sale.Offer, what.Offer)
	}
	coupon := shoptest.Must(s.Program.Coupon(t.Context(), affiliate.CouponRef{ID: s.Code.CouponID}))
	shoptest.Same(t, "redeemed", coupon.TimesRedeemed, 1)
}

// TestForgedIsLogged: what was left out is a line of the log, one in an hour, which
// counts those before it and has nothing of the payer's.
func TestForgedIsLogged(t *testing.T) {
	s := newShop(t)
	s.Send(s.customer(), s.transaction("txn_0", 100, 0))
	lines := func() int { return strings.Count(s.Logs.String(), "without a right signature") }
	shoptest.Same(t, "of a payment that names nothing", lines(), 0)
	for i, id := range []string{"txn_1", "txn_2", "txn_3"} {
		s.Send(s.transaction(id, 100, 0, "custom_data", browser("order", "order-1042")))
		shoptest.Same(t, "within the hour", lines(), 1)
		if i == 0 && (!strings.Contains(s.Logs.String(), `"events":1`) || strings.Contains(s.Logs.String(), "order-1042")) {
			t.Error(s.Logs.String())
		}
	}
	s.Pass(time.Hour)
	s.Send(s.transaction("txn_4", 100, 0, "custom_data", browser("order", "order-1042")))
	if lines() != 2 || !strings.Contains(s.Logs.String(), `"events":3`) {
		t.Error(s.Logs.String())
	}
}

// TestCarryRefuses: what could not be read is not carried.
func TestCarryRefuses(t *testing.T) {
	s := newShop(t)
	none := s.config()
	none.CarryKeys = nil
	short := s.config()
	short.CarryKeys = pay.Keys{[]byte("short")}
	for _, row := range []struct {
		cfg  paddle.Config
		what pay.Carried
	}{{none, pay.Carried{Order: "o"}}, {none, pay.Carried{Customer: "c"}}, {none, pay.Carried{Order: "o", Offer: true}}, {short, pay.Carried{Order: "o"}}} {
		if _, err := row.cfg.Carry(s.Program, nil, row.what); !errors.Is(err, pay.ErrKeys) {
			t.Errorf("%+v: %v, want ErrKeys", row.what, err)
		}
	}
	for _, c := range []pay.Carried{{Code: "MARA20"}, {Hold: "cart"}, {Offer: true}, {Order: " "}, {Order: " o"}, {Order: "o\n"}, {Slug: "a b"}} {
		if got, err := s.config().Carry(s.Program, nil, c); err == nil {
			t.Errorf("%+v gives %v", c, got)
		}
	}
	if got := shoptest.Must(none.Carry(s.Program, nil, pay.Carried{})); len(got) != 0 {
		t.Errorf("nothing gives %v", got)
	}
}
