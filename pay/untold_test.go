package pay_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/pasted"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// A door is the endpoint of a vendor for one shop.
type door struct {
	*shoptest.Shop
	v *vendor
	h http.Handler
}

func open(t *testing.T, name string) *door {
	s := shoptest.New(t)
	d := &door{Shop: s}
	for i := range vendors {
		if vendors[i].name == name {
			d.v = &vendors[i]
		}
	}
	cfg := adapter.Config{CarryKeys: shoptest.CarryKeys, Now: func() time.Time { return s.Now }, Logger: s.Logger(), OnResult: s.OnResult}
	d.h = shoptest.Must(adapter.Endpoint{
		Config: cfg,
		Scheme: func(http.Header, time.Time) (func([]byte) error, error) {
			return func([]byte) error { return nil }, nil
		},
		Map: func(body []byte) (pay.Action, error) { return d.v.read(body, cfg) },
	}.Handler(s.Program))
	s.Now = shoptest.Start.Add(12 * time.Hour)
	return d
}

// post sends an event and returns the status of the answer.
func (d *door) post(e shoptest.Event) int {
	r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(e.JSON()))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	d.h.ServeHTTP(w, r)
	return w.Code
}

// event is a recorded event with a slug and other fields.
func (d *door) event(file, mark string, changes ...any) shoptest.Event {
	e := d.v.load(d.T.(*testing.T), file).With(changes...)
	if mark == "" {
		return e
	}
	return d.v.carrying(e, marks(d.T.(*testing.T))[mark])
}

// waits returns the payments that wait for a person.
func (d *door) waits() []affiliate.ConflictPayment {
	return shoptest.Must(d.Attention(d.T.Context(), 20)).PaymentConflicts.Items
}

// warned returns what the log warned of since the last call.
func (d *door) warned() (lines []string) {
	for line := range strings.Lines(d.Logs.String()) {
		if strings.Contains(line, `"level":"WARN"`) {
			lines = append(lines, line)
		}
	}
	d.Logs.Reset()
	return lines
}

// TestMissingEvent: a payment of which the event has not come that books it waits, and after three
// days the log names that event. When it comes, in whatever order, it is booked as if it had been
// alone.
func TestMissingEvent(t *testing.T) {
	type toldPayment struct {
		file    string
		changes []any
	}
	for name, row := range map[string]struct {
		vendor, awaits string
		first, books   toldPayment
		links          []toldPayment
	}{
		"lemonsqueezy":   {"lemonsqueezy", "order_created", toldPayment{file: "invoice_initial"}, toldPayment{file: "order"}, []toldPayment{{file: "subscription_created"}}},
		"creem":          {"creem", "subscription.paid", toldPayment{file: "checkout_recurring"}, toldPayment{file: "paid"}, nil},
		"polar":          {"polar", "order.paid", toldPayment{"order_paid", []any{"type", "order.updated"}}, toldPayment{file: "order_paid"}, nil},
		"paddle":         {"paddle", "transaction.completed", toldPayment{"transaction", []any{"event_type", "transaction.paid"}}, toldPayment{file: "transaction"}, nil},
		"an intent":      {"stripe", "checkout.session.completed", toldPayment{file: "intent"}, toldPayment{file: "session_payment"}, nil},
		"a charge":       {"stripe", "checkout.session.completed", toldPayment{file: "charge"}, toldPayment{file: "session_payment"}, nil},
		"dodo":           {"dodo", "payment.succeeded", toldPayment{"payment", []any{"type", "payment.processing"}}, toldPayment{file: "payment"}, nil},
		"a late charge":  {"stripe", "checkout.session.completed", toldPayment{"charge", []any{"type", "charge.updated"}}, toldPayment{file: "session_payment"}, nil},
		"a late invoice": {"stripe", "invoice.paid", toldPayment{"invoice_cycle", []any{"type", "invoice.updated"}}, toldPayment{file: "invoice_cycle"}, nil},
		"an invoice": {"stripe", "checkout.session.completed", toldPayment{"invoice_taxed", []any{"data.object.id", "in_taxed", "data.object.billing_reason", "subscription_create"}}, toldPayment{"session_subscription", []any{"data.object.invoice", "in_taxed"}},
			nil},
	} {
		t.Run(name, func(t *testing.T) {
			send := func(d *door, one toldPayment) {
				e := d.event(one.file, "slug", one.changes...)
				if name == "an invoice" && one.file != "session_subscription" {
					e = e.With("data.object.metadata.tributary_via", "session")
				}
				if code := d.post(e); code >= 300 {
					t.Fatalf("%s: %d %s", one.file, code, d.Logs.String())
				}
			}
			d := open(t, row.vendor)
			send(d, row.first)
			all := d.waits()
			if len(all) != 1 || all[0].Awaits != row.awaits || all[0].Outcome != affiliate.SaleParked || len(d.AllSales()) != 0 {
				t.Fatalf("%+v", all)
			}
			d.warned()
			d.Pass(3*24*time.Hour + time.Minute)
			send(d, row.first)
			if lines := d.warned(); len(lines) != 1 || !strings.Contains(lines[0], "more than three days") || !strings.Contains(lines[0], row.awaits) {
				t.Errorf("after three days: %q", lines)
			}
			if _, err := d.DecidePayment(t.Context(), all[0].ID, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentIsOwnSale}); err == nil {
				t.Error("it became a sale of nobody knows how much")
			}

			alone := open(t, row.vendor)
			send(alone, row.books)
			want, left := alone.Money(), len(alone.waits())
			events := append([]toldPayment{row.first, row.books}, row.links...)
			shoptest.Orders(len(events), func(order []int) {
				d := open(t, row.vendor)
				for _, i := range order {
					send(d, events[i])
				}
				if got := d.Money(); got != want || len(d.waits()) != left {
					t.Errorf("%v: %s, %d wait; the event that books alone: %s", order, got, len(d.waits()), want)
				}
			})
		})
	}
}

// TestMissingNames: an event that names nobody does not take away what another one named.
func TestMissingNames(t *testing.T) {
	shoptest.Orders(2, func(order []int) {
		d := open(t, "creem")
		events := []shoptest.Event{d.event("checkout_recurring", "slug"), d.event("paid", "")}
		for _, i := range order {
			d.post(events[i])
		}
		if all := d.waits(); len(all) != 1 || all[0].Awaits != "subscription.paid" {
			t.Errorf("%v: %+v", order, all)
		}
	})
}

// TestAgreedAndPaid: of a session that was agreed and not paid, as by bank debit, the payment intent says that
// it was paid, at an endpoint that does not get the session's later event, or before it.
func TestAgreedAndPaid(t *testing.T) {
	for _, mark := range []string{"", "slug"} {
		d := open(t, "stripe")
		d.post(d.event("session_payment", "slug", "data.object.payment_status", "unpaid"))
		id := d.Last().Action.Payment.Keys[0]
		for _, e := range []shoptest.Event{
			d.event("intent", mark, "data.object.id", id), d.event("session_payment", "slug", "type", "checkout.session.async_payment_succeeded"),
			d.event("intent", mark, "data.object.id", id),
		} {
			d.post(e)
			if d.Want(d.Mara, "20.00"); len(d.AllSales()) != 1 || len(d.waits()) != 0 {
				t.Errorf("intent %q: %d sales, %d wait", mark, len(d.AllSales()), len(d.waits()))
			}
		}
	}
	d := open(t, "stripe")
	if d.post(d.event("intent", "")); len(d.waits())+len(d.warned()) != 0 {
		t.Error("an intent of nobody waits")
	}
}

// TestRenewalByNobody: a renewal by a code that has no payer's id waits for its true reason.
func TestRenewalByNobody(t *testing.T) {
	for _, row := range []struct {
		vendor, file string
		changes      []any
		want         affiliate.SaleOutcome
	}{
		{"woocommerce", "order_renewal", []any{"customer_id", 0}, affiliate.SaleNoFirst},
		{"woocommerce", "order_renewal", []any{"customer_id", 0, "billing.email", ""}, affiliate.SaleNoCustomer},
		{"generic", "renewal", []any{"customer.id", ""}, affiliate.SaleNoFirst},
		{"dodo", "payment_renewal", []any{"data.customer.customer_id", "", "data.customer.email", ""}, affiliate.SaleNoCustomer},
	} {
		d := open(t, row.vendor)
		d.Pass(48 * time.Hour)
		d.post(d.event(row.file, "code", row.changes...))
		if all := d.waits(); len(all) != 1 || all[0].Outcome != row.want {
			t.Errorf("%s, %v: %+v, want %s", row.vendor, row.changes, all, row.want)
		}
	}
}

// TestMarksOfLines: what a page gave with a product counts as what the cart carried does.
func TestMarksOfLines(t *testing.T) {
	for name, place := range map[string]string{"shopify": "line_items.0.properties", "woocommerce": "line_items.0.meta_data"} {
		d := open(t, name)
		var list []any
		for key, value := range marks(t)["slug"] {
			list = append(list, map[string]any{d.v.pairs[0]: key, d.v.pairs[1]: value})
		}
		d.post(d.event("order", "", place, list))
		d.Want(d.Mara, "20.00")
	}
}

// TestTrialOfAShop: an order of nothing, with which a trial begins, redeems its code once, whatever is told again, and
// its renewal credits who brought the customer.
func TestTrialOfAShop(t *testing.T) {
	nothing := map[string][]any{
		"woocommerce": {"total", "0.00", "total_tax", "0.00", "shipping_total", "0.00", "status", "completed",
			"line_items.0.subtotal", "0.00", "line_items.0.total", "0.00", "line_items.0.total_tax", "0.00", "line_items.0.subtotal_tax", "0.00",
			"line_items.0.meta_data", []any{map[string]any{"id": 71, "key": "_has_trial", "value": "true"}},
			"coupon_lines", []any{map[string]any{"id": 9, "code": "mara20", "discount": "0", "discount_tax": "0"}}},
		"shopify": {"total_price", "0.00", "current_total_price", "0.00", "total_tax", "0.00", "current_total_tax", "0.00", "total_line_items_price", "0.00",
			"tax_lines", []any{}, "shipping_lines", []any{}, "line_items.0.price", "0.00", "line_items.0.tax_lines", []any{}, "line_items.0.discount_allocations", []any{},
			"discount_codes", []any{map[string]any{"code": "MARA20", "amount": "0.00", "type": "percentage"}}},
	}
	for name, changes := range nothing {
		d := open(t, name)
		shoptest.Must(d.UpdateCode(t.Context(), d.Code.ID, affiliate.CodeUpdate{MaxRedemptionsPerCustomer: affiliate.Set[int64](1)}))
		for range 2 {
			d.post(d.event("order", "", changes...))
		}
		redeemed := func() int64 {
			return shoptest.Must(d.Program.Code(t.Context(), affiliate.CodeRef{ID: d.Code.ID})).TimesRedeemed
		}
		if redeemed() != 1 || len(d.AllSales()) != 0 || d.Referral().AffiliateID != d.Mara.ID {
			t.Errorf("%s: %d redeemed, %d sales", name, redeemed(), len(d.AllSales()))
		}
		again := append(slices.Clone(changes), "id", 88123, "number", "88123")
		if d.post(d.event("order", "", again...)); redeemed() != 1 {
			t.Errorf("%s: a second trial redeems the code again", name)
		}
		if name == "woocommerce" {
			d.Pass(14 * 24 * time.Hour)
			d.post(d.event("order_renewal", "", "customer_id", d.Last().Action.Payment.Payer.ID))
			d.Want(d.Mara, "2.90")
		}
	}
}

// TestRenewalByCode: a renewal that carries only a code, long after or before its first payment, waits in
// Attention, with its reason, and is a sale when its first payment comes or its customer is known.
func TestRenewalByCode(t *testing.T) {
	for name, files := range map[string][2]string{
		"woocommerce": {"order_renewal", "order"}, "generic": {"renewal", "report"}, "lemonsqueezy": {"invoice", "order"},
		"polar": {"order_cycle", "order_paid"}, "dodo": {"payment_renewal", "payment"}, "creem": {"renewal", "paid"},
	} {
		for _, how := range []string{"its first payment", "its customer"} {
			d := open(t, name)
			if d.Pass(48 * time.Hour); d.post(d.event(files[0], "code")) >= 300 {
				t.Errorf("%s: it is asked for again for ever", name)
			}
			all, lines := d.waits(), d.warned()
			if len(all) != 1 || all[0].Outcome != affiliate.SaleNoFirst || len(lines) != 0 {
				t.Errorf("%s: %+v %q", name, all, lines)
				continue
			}
			d.Pass(80 * 24 * time.Hour)
			d.post(d.event(files[0], "code"))
			if lines := d.warned(); len(lines) != 1 || !strings.Contains(lines[0], "the first payment of a renewal") {
				t.Errorf("%s: after 80 days %q", name, lines)
			}
			payer, want := d.Last().Action.Payment.Payer, 1
			if how == "its customer" {
				payer.Email = "tomas@example.net"
				shoptest.Must(d.CreateReferral(t.Context(), affiliate.ReferralParams{Name: "Tomas", Email: payer.Email, ReferredUserExternalID: "17", AffiliateID: "mara"}))
				if err := d.Payments().ReportPayer(t.Context(), d.Last().Action.Payment.Provider, payer); err != nil {
					t.Fatal(err)
				}
			} else {
				first := d.event(files[1], "code")
				if name == "polar" { // whose recorded events are of one order
					first = first.With("data.id", "d0c4b6a8-1e3f-4d72-8b95-3a6e7f1c2999", "data.invoice_number", "inv_1")
				}
				if a := shoptest.Must(d.v.read(first.JSON(), adapter.Config{CarryKeys: shoptest.CarryKeys})); a.Payment.Payer.ID != payer.ID {
					t.Fatalf("%s: %q pays first, then %q", name, a.Payment.Payer.ID, payer.ID)
				}
				d.post(first)
				want = 2
			}
			if len(d.AllSales()) != want || len(d.waits()) != 0 {
				t.Errorf("%s, with %s: %d sales, and %d wait", name, how, len(d.AllSales()), len(d.waits()))
			}
		}
	}
}

// TestReportedRenewal: a renewal that a host reports before its first payment is asked for again, whatever it carries.
func TestReportedRenewal(t *testing.T) {
	d := open(t, "generic")
	at := map[bool]string{true: d.Now.Format(time.RFC3339), false: d.Now.Add(-2 * time.Hour).Format(time.RFC3339)}
	if code := d.post(d.event("renewal", "", "at", at[true])); code != http.StatusServiceUnavailable {
		t.Errorf("before its first payment: %d", code)
	}
	if code := d.post(d.event("renewal", "", "at", at[false])); code != http.StatusNoContent {
		t.Errorf("after two hours: %d", code)
	}
}

// TestNoCustomer: an order by a valid link that does not say who paid waits for that reason.
func TestNoCustomer(t *testing.T) {
	d := open(t, "shopify")
	nobody := []any{"customer", nil, "email", nil, "contact_email", nil, "billing_address", nil}
	d.post(d.event("order", "slug", nobody...))
	all, lines := d.waits(), d.warned()
	if len(all) != 1 || all[0].Outcome != affiliate.SaleNoCustomer || len(lines) != 1 || !strings.Contains(lines[0], "neither by id nor by email") {
		t.Errorf("%+v %q", all, lines)
	}
	d = open(t, "shopify")
	d.post(d.v.carrying(d.event("order", "", nobody...), map[string]any{"tributary_slug": "nowhere", "tributary_program": shoptest.ID.String()}))
	if all, lines := d.waits(), d.warned(); len(all) != 1 || all[0].Outcome != affiliate.SaleUnattributed || !strings.Contains(fmt.Sprint(lines), "that nobody has") {
		t.Errorf("by a link of nobody: %+v %q", all, lines)
	}
}

// TestRaised: an order that is raised after it was paid, and one that is cancelled or failed without a
// refund, waits in Attention whatever is told first. A repeat changes nothing, a decision or a later
// event ends it.
func TestRaised(t *testing.T) {
	later := "2026-01-01T11:00:00"
	for name, row := range map[string]struct {
		vendor  string
		outcome affiliate.SaleOutcome
		changes []any
	}{
		"raised":    {"woocommerce", affiliate.SaleDiffers, []any{"total", "500.00", "date_modified_gmt", later}},
		"failed":    {"woocommerce", affiliate.SaleRevoked, []any{"status", "failed", "date_modified_gmt", later}},
		"cancelled": {"woocommerce", affiliate.SaleRevoked, []any{"status", "cancelled", "date_modified_gmt", later}},
		"voided":    {"shopify", affiliate.SaleRevoked, []any{"cancelled_at", later + "Z", "updated_at", later + "Z"}},
	} {
		alone := open(t, row.vendor)
		alone.post(alone.event("order", "slug"))
		for _, reversed := range []bool{false, true} {
			d := open(t, row.vendor)
			events := []shoptest.Event{d.event("order", "slug"), d.event("order", "slug", row.changes...)}
			if reversed {
				events[0], events[1] = events[1], events[0]
			}
			for _, e := range append(events, events...) {
				d.post(e)
			}
			all := d.waits()
			if len(all) != 1 || all[0].Outcome != row.outcome || all[0].SaleID == 0 || d.Money() != alone.Money() {
				t.Errorf("%s, reversed %t: %+v; %s, and alone %s", name, reversed, all, d.Money(), alone.Money())
				continue
			}
			if told := all[0].Told.Or(affiliate.Amount{}).String(); row.outcome == affiliate.SaleDiffers && told != "500" {
				t.Errorf("%s: told %s", name, told)
			}
			if _, err := d.DecidePayment(t.Context(), all[0].ID, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentIsOwnSale}); err == nil {
				t.Errorf("%s: a sale of its own, which it has", name)
			}
			if reversed && row.outcome == affiliate.SaleRevoked {
				d.post(d.event("order", "slug", "date_modified_gmt", "2026-01-01T12:00:00", "updated_at", "2026-01-01T12:00:00Z"))
			} else {
				shoptest.Must(d.DecidePayment(t.Context(), all[0].ID, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentDismissed}))
				d.post(events[1])
				d.post(events[0])
			}
			if len(d.waits()) != 0 || len(d.AllSales()) != 1 || d.Money() != alone.Money() {
				t.Errorf("%s: settled, and %d wait; %s", name, len(d.waits()), d.Money())
			}
			if err := d.Verify(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	d := open(t, "woocommerce") // of which nothing is a sale
	d.post(d.event("order", "", "status", "failed", "coupon_lines", []any{}))
	if lines := d.warned(); len(lines) != 0 || len(d.waits()) != 0 {
		t.Errorf("an order of nobody: %q", lines)
	}
}

// TestOneIDForAll: a subscription's id as the id of each of its payments is noticed.
func TestOneIDForAll(t *testing.T) {
	d := open(t, "generic")
	d.post(d.event("report", "slug"))
	d.Pass(30 * 24 * time.Hour)
	d.post(d.event("report", "slug"))
	if all := d.waits(); len(all) != 0 {
		t.Errorf("the same report again: %+v", all)
	}
	d.post(d.event("report", "slug", "at", d.Now.Format(time.RFC3339)))
	if all := d.waits(); len(all) != 1 || all[0].Outcome != affiliate.SaleDiffers || len(d.AllSales()) != 1 {
		t.Errorf("the next month under the same id: %+v, %d sales", all, len(d.AllSales()))
	}
	if got := d.Last().Differs; len(got) != 1 || got[0] != "paidAt" {
		t.Errorf("%q differs", got)
	}
}

// TestBare: a payment of Creem without its transaction, and a customer of Stripe that is an account.
func TestBare(t *testing.T) {
	d := open(t, "creem")
	if code := d.post(d.event("paid", "slug", "object.last_transaction", nil)); code >= 300 {
		t.Errorf("a payment without its transaction: %d", code)
	}
	if all := d.waits(); len(all) != 1 || all[0].Outcome != affiliate.SaleUnknownUnit {
		t.Errorf("%+v", all)
	}
	if code := d.post(d.event("paid", "slug", "object.last_transaction", d.Last().Action.Payment.Keys[0])); code >= 300 || len(d.waits()) != 1 {
		t.Errorf("a payment with the id of its transaction: %d, %d wait", code, len(d.waits()))
	}
	if d.post(d.event("paid", "slug")); len(d.AllSales()) != 1 || len(d.waits()) != 0 {
		t.Errorf("told in full: %d sales, %d wait", len(d.AllSales()), len(d.waits()))
	}
	d = open(t, "stripe")
	d.post(d.event("session_payment", "slug", "data.object.customer", nil, "data.object.customer_account", "acct_9"))
	if got := d.Last().Action.Payment.Payer.ID; got != "acct_9" || len(d.AllSales()) != 1 {
		t.Errorf("an account pays: %q, %d sales", got, len(d.AllSales()))
	}
	d = open(t, "shopify")
	d.post(d.event("order", "slug"))
	money := d.Money()
	gone := []any{"transactions.0.currency", nil, "refund_line_items", []any{}, "refund_shipping_lines", []any{}, "order_adjustments", []any{}}
	if code := d.post(d.event("refund_amount", "", gone...)); code >= 300 {
		t.Errorf("a refund in no currency: %d %s", code, d.Logs.String())
	}
	if lines := d.warned(); len(lines) != 1 || d.Money() != money {
		t.Errorf("a refund in no currency: %q", lines)
	}
}

// TestOtherMode: a live payment that carries a mark, at an endpoint for tests, is told.
func TestOtherMode(t *testing.T) {
	d := open(t, "stripe")
	d.post(d.event("session_payment", "slug", "account", "acct_1"))
	if lines := d.warned(); len(lines) != 1 || !strings.Contains(lines[0], "does not take") {
		t.Errorf("%q", lines)
	}
	d.post(d.event("session_payment", "", "account", "acct_1"))
	if lines := d.warned(); len(lines) != 0 {
		t.Errorf("of nobody: %q", lines)
	}
}

// TestSaleDiffers: a sale that is reported again under its id is a duplicate; what is other than before
// is said, and an honest repeat says nothing.
func TestSaleDiffers(t *testing.T) {
	s := shoptest.New(t)
	in := affiliate.SaleParams{PromoCode: "MARA20", Email: "tomas@example.net", TotalEarned: affiliate.MustAmount("100"), ExternalID: "order-7"}
	shoptest.Must(s.RecordSale(t.Context(), in))
	s.Pass(19 * 24 * time.Hour)
	for name, row := range map[string]struct {
		change func(*affiliate.SaleParams)
		want   string
	}{
		"the same":          {func(*affiliate.SaleParams) {}, "[]"},
		"in other letters":  {func(in *affiliate.SaleParams) { in.PromoCode, in.Email = "mara20", "Tomas@Example.net" }, "[]"},
		"told less":         {func(in *affiliate.SaleParams) { in.Email = "" }, "[]"},
		"another amount":    {func(in *affiliate.SaleParams) { in.TotalEarned = affiliate.MustAmount("50") }, "[totalEarned]"},
		"other tax":         {func(in *affiliate.SaleParams) { in.Tax = affiliate.MustAmount("5") }, "[tax]"},
		"other shipping":    {func(in *affiliate.SaleParams) { in.Shipping = affiliate.MustAmount("5") }, "[shipping]"},
		"another customer":  {func(in *affiliate.SaleParams) { in.Email = "lena@example.net" }, "[email]"},
		"another affiliate": {func(in *affiliate.SaleParams) { in.PromoCode = "BEN10" }, "[promoCode]"},
		"a renewal":         {func(in *affiliate.SaleParams) { s.Pass(12 * 24 * time.Hour) }, "[paidAt]"},
	} {
		t.Run(name, func(t *testing.T) {
			was, again := s.Now, in
			defer func() { s.Now = was }()
			if row.change(&again); name == "another affiliate" {
				shoptest.Must(s.CreateCode(t.Context(), affiliate.CodeParams{CouponID: s.Coupon.ID, Code: "BEN10", AffiliateID: s.Ben.ID}))
			}
			got := shoptest.Must(s.RecordSale(t.Context(), again))
			if got.Outcome != affiliate.SaleDuplicate || fmt.Sprint(got.Differs) != row.want || len(s.AllSales()) != 1 {
				t.Errorf("%s, differs %v, want %s", got.Outcome, got.Differs, row.want)
			}
		})
	}
}

// What depends on the order of reports, as docs/payments.md says.

func factOf(s *shoptest.Shop, key string, paid affiliate.Paid) affiliate.PaymentFact {
	paid.TotalEarned, paid.Gross, paid.ExternalID = affiliate.MustAmount("100"), affiliate.MustAmount("100"), key
	return affiliate.PaymentFact{Provider: "acme", Keys: []string{key}, Payer: affiliate.PayerFact{ID: "c1"}, At: s.Now, Currency: "USD", Sale: affiliate.Set(paid)}
}

// TestCodeWithoutEmail: a payment that a code credits has a customer by the provider's id, whose renewals credit who
// brought them, whether the email is told before it or after it.
func TestCodeWithoutEmail(t *testing.T) {
	tomas := affiliate.PayerFact{ID: "c1", Email: "tomas@customers.example", Name: "Tomas"}
	for _, told := range []bool{true, false} {
		s := shoptest.New(t)
		tell := func() {
			if err := s.Payments().ReportPayer(t.Context(), "acme", tomas); err != nil {
				t.Fatal(err)
			}
		}
		if told {
			tell()
		}
		shoptest.Must(s.Payments().ReportPayment(t.Context(), factOf(s, "p1", affiliate.Paid{Tries: []affiliate.Credit{{PromoCode: "MARA20"}}})))
		s.Want(s.Mara, "20.00")
		tell()
		shoptest.Must(s.Payments().ReportPayment(t.Context(), factOf(s, "p2", affiliate.Paid{Renewal: true})))
		s.Want(s.Mara, "40.00")
		shoptest.Must(s.Payments().ReportPayment(t.Context(), factOf(s, "p3", affiliate.Paid{Renewal: true, Tries: []affiliate.Credit{{ReferralID: "mara"}}})))
		s.Want(s.Mara, "60.00")
	}
}

// TestRefundInAnotherCurrency: it is refused, and told first it keeps its payment from being booked.
func TestRefundInAnotherCurrency(t *testing.T) {
	refund := func(s *shoptest.Shop) error {
		_, err := s.Payments().ReportPayment(t.Context(), affiliate.PaymentFact{
			Provider: "acme", Keys: []string{"p1"}, At: s.Now, Currency: "EUR",
			Refunds: []affiliate.RefundFact{{ID: "r1", Amount: affiliate.MustAmount("10"), State: affiliate.RefundSucceeded}},
		})
		return err
	}
	brought := affiliate.Paid{Tries: []affiliate.Credit{{PromoCode: "MARA20"}}}
	s := shoptest.New(t)
	shoptest.Must(s.Payments().ReportPayment(t.Context(), factOf(s, "p1", brought)))
	if err := refund(s); err == nil {
		t.Error("it is taken")
	}
	s.Want(s.Mara, "20.00")

	s = shoptest.New(t)
	if err := refund(s); err != nil {
		t.Error(err)
	}
	if _, err := s.Payments().ReportPayment(t.Context(), factOf(s, "p1", brought)); err == nil {
		t.Error("the payment is booked")
	}
	s.Want(s.Mara, "0.00")
}

// TestOthersMarks: a renewal waits for the first payment of its customer, unless what it carries is of
// another program, whatever that is.
func TestOthersMarks(t *testing.T) {
	for _, c := range []pay.Carried{{Code: "MARA20"}, {Hold: "cart"}, {Click: "1"}, {Slug: "mara"}} {
		for program, want := range map[uuid.UUID]error{shoptest.ID: pay.ErrLater, uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e02"): nil} {
			s := shoptest.New(t)
			c.Program, c.Signed = program, true
			a := pay.Action{Kind: pay.KindSale, Payment: factOf(s, "p2", affiliate.Paid{Renewal: true}), Carried: c, Wait: true}
			if _, err := pay.Apply(t.Context(), s.Program, a); !errors.Is(err, want) {
				t.Errorf("%+v: %v, want %v", c, err, want)
			}
		}
	}
}

// last is the highest number of the acceptance checks of payments and of what goes to the provider.
const last = 95

// TestChecks: each acceptance check of payments is one row of a table of checks,
// with its number, a name and a function; run makes a sub-test of each.
func TestChecks(t *testing.T) {
	row := regexp.MustCompile(`(?m)^\t+\{(\d+), "[^"]+", func\(t \*testing\.T\) \{`)
	found := map[int]string{}
	for _, pattern := range []string{"*/checks_*_test.go", "*/*/checks_*_test.go"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range row.FindAllSubmatch(text, -1) {
				n, _ := strconv.Atoi(string(m[1]))
				if found[n] != "" {
					t.Errorf("check %d is in %s and in %s", n, found[n], path)
				}
				found[n] = path
			}
		}
	}
	for n := 1; n <= last; n++ {
		if found[n] == "" {
			t.Errorf("check %d has no test", n)
		}
	}
	if len(found) != last {
		t.Errorf("%d checks are tested, want %d", len(found), last)
	}
}

// TestPages: the blocks of these pages compile as pasted, beside what they take from the host.
func TestPages(t *testing.T) {
	pasted.Build(t, map[string]string{
		"../docs/adapters.md":        acmeHost,
		"../docs/agentic.md":         "",
		"../docs/payments.md":        "",
		"../docs/payments-paddle.md": "",
		"../docs/payments-stripe.md": "",
		"../docs/reconcile.md":       "",
	})
}

// acmeHost is what the page leaves to examples/acmepay.
const acmeHost = `
import (
	"net/http"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/paytest"
)

var acmepay = struct {
	Handler func(*tributary.Program, adapter.Config) (http.Handler, error)
	Map     func([]byte, adapter.Config) (pay.Action, error)
}{Handler, Map}

func refund(*adapter.Draft, adapter.Value) {}

func subscription(*adapter.Draft, adapter.Value) {}

func amount(adapter.Value, affiliate.Currency) (_ affiliate.Amount) { return }

const secret = ""

func sign(http.Header, []byte, time.Time) {}

func tell(paytest.Step) []byte { return nil }
`
