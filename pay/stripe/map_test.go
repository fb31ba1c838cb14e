package stripe_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/stripe"
)

// mapped is the action of an event.
func (s *shop) mapped(e event) pay.Action {
	s.T.Helper()
	return shoptest.Must(stripe.Map(e.JSON(), configAt(s)))
}

// TestCurrencies: the digits of Stripe, which are not those of ISO 4217.
func TestCurrencies(t *testing.T) {
	s := newShop(t)
	for _, row := range []struct {
		digits     int
		currencies string
	}{
		{0, "BIF CLP DJF GNF JPY KMF KRW PYG RWF VND VUV XAF XOF XPF MGA"},
		{2, "ISK UGX HUF TWD USD EUR CLF"},
		{3, "BHD JOD KWD OMR TND"},
	} {
		for c := range strings.FieldsSeq(row.currencies) {
			sale, _ := s.mapped(s.session("pi_1", 123000, "currency", strings.ToLower(c))).Payment.Sale.Get()
			want := shoptest.Must(pay.Minor(123000, affiliate.Currency(c), row.digits))
			shoptest.Same(t, c, sale.Gross, want)
		}
	}
}

// TestMinor: exact, and no further than an amount goes.
func TestMinor(t *testing.T) {
	for _, row := range []struct {
		n      int64
		digits int
		want   string
		err    error
	}{
		{1999, 2, "19.99", nil}, {-5, 0, "-5", nil}, {12345, 4, "1.2345", nil}, {922337203685477, 0, "922337203685477", nil},
		{922337203685478, 0, "0", affiliate.ErrAmountRange}, {-922337203685478, 0, "0", affiliate.ErrAmountRange},
		{1, 5, "0", affiliate.ErrAmountDecimals}, {1, -1, "0", affiliate.ErrAmountDecimals},
	} {
		got, err := pay.Minor(row.n, "USD", row.digits)
		if !errors.Is(err, row.err) || err == nil && got != affiliate.MustAmount(row.want) {
			t.Errorf("Minor(%d, %d) = %s, %v", row.n, row.digits, got, err)
		}
	}
}

// exact compares amounts and optional values by their text.
var exact = cmp.Transformer("text", func(a affiliate.Amount) string { return a.String() })

// TestConverted: a session that showed another currency is in the currency of the
// prices, with its tax.
func TestConverted(t *testing.T) {
	s := newShop(t)
	s.Send(s.load("session_converted", "metadata.tributary_click", "1"))
	s.Want(s.Mara, "20.00")
	shoptest.Same(t, "tax", s.Sale().TaxAmount, affiliate.MustAmount("20"))
}

// TestDiscounts: a fixture with expanded objects.
func TestDiscounts(t *testing.T) {
	s := newShop(t)
	s.Send(s.load("session_discounts", "created", s.Now.Unix()))
	sale := s.Sale()
	s.Want(s.Mara, "10.00")
	shoptest.Same(t, "order", sale.ExternalID, affiliate.Set("order-1042"))
	shoptest.Same(t, "product", sale.ProductsBought[0], "prod_beans")
	shoptest.Same(t, "name", sale.Name, affiliate.Set("tomas"))
	s.redeemed(1)
}

// TestWrongTypes: a field that is read and has the wrong type is refused; null,
// missing and unknown fields are not.
func TestWrongTypes(t *testing.T) {
	s := newShop(t)
	for _, row := range []struct {
		field string
		value any
	}{
		{"amount_total", "12000"}, {"amount_total", 120.5}, {"currency", 840}, {"currency", nil}, {"customer", 7}, {"metadata", "x"},
		{"metadata.tributary_click", 1}, {"total_details.amount_tax", true}, {"discounts", "promo_mara"}, {"payment_status", 1}, {"created", "now"},
		{"customer_details", []any{}}, {"/created", "now"}, {"/livemode", "true"}, {"/id", nil}, {"/type", 1}, {"/data.object", "cs_1"},
		{"payment_intent", []any{}}, {"amount_total", json.Number("922337203685477580700")}, {"amount_total", json.Number("9223372036854775807")},
	} {
		if _, err := stripe.Map(s.first(row.field, row.value).JSON(), configAt(s)); !errors.Is(err, adapter.ErrPayload) {
			t.Errorf("%s = %v: %v", row.field, row.value, err)
		}
	}
	want := s.mapped(s.first())
	for field, value := range map[string]any{
		"a_field_of_the_future": map[string]any{"x": 1}, "customer_email": nil, "shipping_cost": 7, "discounts": nil,
	} {
		got := s.mapped(s.first(field, value))
		if d := cmp.Diff(want.Payment, got.Payment, exact); d != "" {
			t.Errorf("%s: %s", field, d)
		}
	}
	got := s.mapped(s.first("payment_intent", map[string]any{"id": "pi_1", "object": "payment_intent"}, "customer", map[string]any{"id": "cus_T"}))
	if d := cmp.Diff(want.Payment, got.Payment, exact); d != "" {
		t.Errorf("expanded: %s", d)
	}
}

// TestEditedMetadata: whoever edits metadata can name a click, a link or a code,
// and nothing else.
func TestEditedMetadata(t *testing.T) {
	s := newShop(t)
	tries := func(changes ...any) []affiliate.Credit { return s.tries(s.session("pi_1", 100, changes...)) }
	neither := []string{"tomas@example.com", s.Mara.ID.String(), "1 1", "ma\nra", "../mara", strings.Repeat("a", 101), ""}
	for _, text := range append(neither, "-1", "0", "01", "1e3", strings.Repeat("9", 20)) {
		if got := tries("metadata.tributary_click", text, "client_reference_id", "trib_c_"+text+"_"+shoptest.ID.String()); len(got) != 0 {
			t.Errorf("as a click %q gives %v", text, got)
		}
	}
	for _, text := range neither {
		if got := tries("metadata.tributary_slug", text, "client_reference_id", "trib_s_"+text+"_"+shoptest.ID.String()); len(got) != 0 {
			t.Errorf("as a slug %q gives %v", text, got)
		}
	}
	long := strings.Repeat("x", 400)
	a := s.mapped(s.session("pi_1", 100, "metadata.tributary_code", long, "metadata.tributary_order", long, "metadata.tributary_customer", long))
	paid, _ := a.Payment.Sale.Get()
	if len(paid.Tries) != 0 || paid.ExternalID != "pi_1" || a.Payment.Payer.CustomerID != "" {
		t.Errorf("a text that cannot be stored is used: %+v", a.Payment)
	}
}

// TestRenamed: Config.Metadata renames keys, and leaves the others.
func TestRenamed(t *testing.T) {
	s := newShop(t)
	cfg := configAt(s)
	cfg.Names = map[string]string{"tributary_click": "visit"}
	a := shoptest.Must(stripe.Map(s.session("pi_1", 100, "metadata", map[string]any{
		"visit": "2", "tributary_click": "1", "tributary_slug": "mara", "tributary_program": shoptest.ID.String(),
	}).JSON(), cfg))
	shoptest.Same(t, "carried", a.Carried, pay.Carried{Program: shoptest.ID, Click: "2", Slug: "mara"})
}

// TestPrecedence: promotion codes, the code, the click, the slug.
func TestPrecedence(t *testing.T) {
	s := newShop(t)
	e := s.session("pi_1", 100, "discounts", promotions("promo_1", "promo_2", "promo_3", "promo_4", "promo_5", "promo_6"), "client_reference_id", "trib_c_9_"+shoptest.ID.String(),
		"metadata", map[string]any{"tributary_code": "CODE", "tributary_click": "2", "tributary_slug": "mara"})
	want := []affiliate.Credit{
		{CodeExternalID: "promo_1"}, {CodeExternalID: "promo_2"}, {CodeExternalID: "promo_3"}, {CodeExternalID: "promo_4"}, {CodeExternalID: "promo_5"},
		{PromoCode: "CODE"}, {ReferralID: "2"}, {ReferralID: "mara"},
	}
	if d := cmp.Diff(want, s.tries(e)); d != "" {
		t.Error(d)
	}
}

// TestIntent: a payment intent books when its metadata says so.
func TestIntent(t *testing.T) {
	s := newShop(t)
	s.Send(s.load("intent", "metadata", map[string]any{"tributary_via": "intent", "tributary_click": "1"}))
	s.Want(s.Mara, "20.00")
	shoptest.Same(t, "tax", s.Sale().TaxAmount, affiliate.MustAmount("20"))
	s.Send(s.refund("re_1", "", 3000, "payment_intent", nil, "charge", "ch_1"))
	s.Want(s.Mara, "15.00")
}

// TestOneOffInvoices: an invoice without a subscription is booked when the
// configuration or its metadata says so.
func TestOneOffInvoices(t *testing.T) {
	s := newShopWith(t, nil, func(cfg *stripe.Config) { cfg.OneOffInvoices = true })
	s.Send(s.invoice("in_7", "manual", 5000, "parent", nil, "metadata.tributary_click", "1"))
	s.Want(s.Mara, "10.00")
	s = newShop(t)
	s.Send(s.invoice("in_7", "quote_accept", 5000, "parent", nil, "metadata", map[string]any{"tributary_click": "1", "tributary_via": "invoice"}))
	s.Want(s.Mara, "10.00")
}

// TestEvents: the list of events has each type once, and each is used.
func TestEvents(t *testing.T) {
	s := newShop(t)
	seen := map[string]bool{}
	for _, name := range stripe.Events() {
		if seen[name] {
			t.Errorf("%s twice", name)
		}
		seen[name] = true
		a, err := stripe.Map(s.load("customer", "/type", name).JSON(), configAt(s))
		if err == nil && a.Reason == pay.UnknownEvent && !strings.Contains(name, "subscription") && !strings.Contains(name, "dispute") {
			t.Errorf("%s is not used", name)
		}
	}
}

// tries are the credits of an event in the program, whether it is accepted or not.
func (s *shop) tries(e event) []affiliate.Credit {
	paid, _ := s.apply(s.mapped(e)).Action.Payment.Sale.Get()
	return paid.Tries
}

// apply applies an action as a host does.
func (s *shop) apply(a pay.Action) pay.Result {
	s.T.Helper()
	return shoptest.Must(pay.Apply(s.T.Context(), s.Program, a))
}
