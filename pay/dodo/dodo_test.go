package dodo_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/dodo"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

const payment = "pay_0NaBeansPayment0001" // of the recorded events

// TestPayment: a payment is a sale of what was paid, with its tax, for who was carried.
func TestPayment(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "payment", "metadata.tributary_click", "1"))
	sale := s.Sale()
	shoptest.Same(t, "externalId", sale.ExternalID, affiliate.Set(payment))
	shoptest.Same(t, "externalInvoiceId", sale.ExternalInvoiceID, affiliate.Set("inv_0NaBeansInvoice0001"))
	shoptest.Same(t, "total", sale.TotalEarned, amount("120"))
	paid, _ := s.Last().Action.Payment.Sale.Get()
	product, _ := paid.Product.Get()
	shoptest.Same(t, "product", product.ProductID, "pdt_0NaBeansPro0000001")
	shoptest.Same(t, "email", s.Referral().Email, "tomas@example.net")
	s.Want(s.Mara, "20.00")
}

// TestAmounts: what counts as paid, what of it is tax, and of which product it is.
func TestAmounts(t *testing.T) {
	cart := func(products ...string) (items []any) {
		for _, product := range products {
			items = append(items, map[string]any{"product_id": product, "quantity": 2})
		}
		return items
	}
	for _, row := range []struct {
		name      string
		changes   []any
		paid, tax string // empty: refused
		noLines   pay.Reason
	}{
		{"plain", nil, "120", "20", ""},
		{"no tax", []any{"tax", nil}, "120", "0", ""},
		{"two products", []any{"product_cart", cart("a", "b")}, "120", "20", pay.LinesMissing},
		{"no products", []any{"product_cart", nil}, "120", "20", pay.LinesMissing},
		{"euros", []any{"currency", "EUR"}, "120", "20", ""},
		{"no total", []any{"total_amount", shoptest.Gone}, "", "", ""},
		{"a decimal", []any{"total_amount", 120.5}, "", "", ""},
		{"a decimal of tax", []any{"tax", 20.5}, "", "", ""},
		{"a type that says it alone", []any{"status", nil}, "120", "20", ""},
		{"in small letters", []any{"currency", "usd"}, "120", "20", ""},
		{"no currency", []any{"currency", nil}, "", "", ""},
		{"below zero", []any{"total_amount", -12000}, "", "", ""},
		{"tax below zero", []any{"tax", -1}, "", "", ""},
		{"a text", []any{"total_amount", "12000"}, "", "", ""},
		{"over 64 bits", []any{"total_amount", json.Number("9223372036854775808")}, "", "", ""},
		{"out of range", []any{"total_amount", json.Number("9223372036854775807")}, "", "", ""},
		{"no id", []any{"payment_id", nil}, "", "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newShop(t)
			a, err := dodo.Map(load(s, "payment", row.changes...).JSON(), dodo.Config{})
			if (err == nil) != (row.paid != "") {
				t.Fatalf("%v", err)
			}
			if err != nil {
				return
			}
			paid, _ := a.Payment.Sale.Get()
			shoptest.Same(t, "paid", paid.TotalEarned, amount(row.paid))
			shoptest.Same(t, "gross", paid.Gross, amount(row.paid))
			shoptest.Same(t, "tax", paid.Tax, amount(row.tax))
			shoptest.Same(t, "lines", a.NoLines, row.noLines)
		})
	}
}

// TestUnknownUnit: an amount in a currency whose unit is not confirmed books nothing, and a log
// line says what to do.
func TestUnknownUnit(t *testing.T) {
	for _, c := range []string{"JPY", "KWD", "MGA", "UGX"} {
		s := newShop(t) // in which unit the amounts are counted changes nothing
		s.Send(load(s, "payment_converted", "currency", c, "metadata.tributary_slug", "mara"))
		shoptest.Same(t, c, s.Sale().TotalEarned, amount("120"))
		s.Want(s.Mara, "20.00")
		s.Send(load(s, "refund", "payment_id", "pay_0NaBeansPayment0002", "currency", c, "amount", 281750))
		s.Want(s.Mara, "15.00") // a quarter
		s.Send(load(s, "dispute", "payment_id", "pay_0NaBeansPayment0002", "currency", c, "amount", "281750"))
		s.Want(s.Mara, "10.00")

		s = newShop(t)
		s.Send(load(s, "payment_converted", "currency", c, "metadata.tributary_slug", "mara", "settlement_amount", nil), load(s, "refund", "currency", c))
		a := shoptest.Must(s.Attention(t.Context(), 1)).PaymentConflicts
		if a.Count != 1 || a.Items[0].Outcome != affiliate.SaleUnknownUnit || a.Items[0].Currency != affiliate.Currency(c) || a.Items[0].Amount.Sign() != 0 || len(s.AllSales()) != 0 {
			t.Fatalf("%s: %+v", c, a)
		}
		if !strings.Contains(s.Logs.String(), "it is not known in which unit") {
			t.Errorf("%s: %s", c, s.Logs.String())
		}
		if _, err := s.DecidePayment(t.Context(), a.Items[0].ID, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentIsOwnSale}); err == nil {
			t.Error("it became a sale of nobody knows how much")
		}
		shoptest.Must(s.DecidePayment(t.Context(), a.Items[0].ID, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentDismissed}))
		if left := shoptest.Must(s.Attention(t.Context(), 1)).PaymentConflicts.Count; left != 0 {
			t.Errorf("%d wait after the decision", left)
		}
	}
}

// TestRate: a payment in the customer's currency has the rate of what Dodo settles, for a program
// in the currency that it settles in, and its refunds are parts of it.
func TestRate(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "payment_converted", "metadata.tributary_click", "1"))
	shoptest.Same(t, "total", s.Sale().TotalEarned, amount("120"))
	s.Want(s.Mara, "20.00")
	s.Send(load(s, "refund", "payment_id", "pay_0NaBeansPayment0002", "currency", "INR", "amount", 281750))
	s.Want(s.Mara, "15.00") // a quarter
	s.Send(load(s, "refund", "refund_id", "r2", "payment_id", "pay_0NaBeansPayment0002", "currency", "INR", "amount", 845250))
	s.Want(s.Mara, "0.00")

	s = newShop(t) // the tax is the same part of what was shown and of what is settled
	s.Send(load(s, "payment_converted", "total_amount", 642712, "tax", 98040, "settlement_amount", 6844, "metadata.tributary_click", "1"))
	s.Want(s.Mara, "11.60")

	for name, changes := range map[string][]any{
		"nothing settled": {"settlement_amount", nil}, "of another type": {"settlement_amount", "x"}, "no currency": {"settlement_currency", nil},
		"a unit that is not confirmed": {"settlement_currency", "JPY"}, "zero": {"settlement_amount", 0},
	} {
		s := newShop(t)
		s.Send(load(s, "payment_converted", append(changes, "metadata.tributary_click", "1")...))
		shoptest.Same(t, name, s.Last().Action.Reason, pay.OtherCurrency)
		shoptest.Same(t, name, len(s.AllSales()), 0)
	}

	s = newShop(t, func(cfg *tributary.Config) { cfg.Currency = "JPY" })
	s.Send(load(s, "payment_converted", "settlement_currency", "JPY", "metadata.tributary_click", "1"))
	shoptest.Same(t, "sales in yen", len(s.AllSales()), 0)

	s = newShop(t, func(cfg *tributary.Config) { cfg.Currency = "INR" })
	s.Send(load(s, "payment_converted", "metadata.tributary_click", "1"))
	shoptest.Same(t, "in rupees", s.Sale().TotalEarned, amount("11270"))
}

// TestOtherCurrency: what goes back in another currency than was paid is told to nobody's cost: the
// program refuses it, and a log line says so.
func TestOtherCurrency(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "payment_converted", "metadata.tributary_click", "1"), load(s, "refund", "payment_id", "pay_0NaBeansPayment0002"))
	s.Want(s.Mara, "20.00")
	if s.Last().Refusal == nil || !strings.Contains(s.Logs.String(), "refused") {
		t.Errorf("%v %s", s.Last().Refusal, s.Logs.String())
	}
}

// TestTaxOfAnotherUnit: tax that is told in the customer's currency alone, whose unit is not confirmed, is the
// same part of what is settled.
func TestTaxOfAnotherUnit(t *testing.T) {
	for name, settled := range map[string]any{"told": 600, "not told": nil} {
		s := newShop(t)
		s.Send(load(s, "payment", "currency", "JPY", "total_amount", 9900, "tax", 900, "settlement_currency", "USD", "settlement_amount", 6600, "settlement_tax", settled,
			"metadata.tributary_click", "1"))
		if got := s.Earned(s.Mara); got != "12.00" {
			t.Errorf("%s: Mara has %s", name, got)
		}
	}
}

// TestCredit: a discount credits its code by id or by text, before what was carried; a renewal
// credits the customer's affiliate and redeems nothing.
func TestCredit(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "payment_discount", "metadata.tributary_click", "2"))
	s.Want(s.Mara, "16.00") // 20 % of 80
	s.Pass(3600e9)
	s.Send(load(s, "payment_renewal", "discounts", []any{map[string]any{"discount_id": "promo_mara", "code": "MARA20"}}, "metadata.tributary_click", "2"))
	s.Want(s.Mara, "36.00")
	s.Want(s.Ben, "0.00")
	shoptest.Same(t, "redeemed", shoptest.Must(s.Program.Code(t.Context(), affiliate.CodeRef{ID: s.Code.ID})).TimesRedeemed, 1)

	discounted, _ := mapped(t, load(s, "payment_discount")).Payment.Sale.Get()
	shoptest.Same(t, "tries", len(discounted.Tries), 2) // its id and its text, each once

	for name, changes := range map[string][]any{
		"by its id":     {"discounts", []any{map[string]any{"discount_id": "promo_mara", "code": "OTHER"}}},
		"by the old id": {"discounts", nil, "discount_id", "promo_mara"},
		"the second":    {"discounts", []any{map[string]any{"discount_id": "x", "code": "OTHER"}, map[string]any{"discount_id": "y", "code": "MARA20"}}},
	} {
		s := newShop(t)
		s.Send(load(s, "payment_discount", append(changes, "metadata.tributary_click", "2")...))
		if got := s.Earned(s.Mara); got != "16.00" {
			t.Errorf("%s: Mara has %s", name, got)
		}
	}
}

// TestRenewal: a payment of a subscription without a checkout is a renewal, and so is one that was
// tried again. It does not become the order that the first payment carried.
func TestRenewal(t *testing.T) {
	for name, row := range map[string]struct {
		e    []any
		want bool
	}{
		"a session":               {[]any{"subscription_id", "s", "payment_link", nil}, false},
		"a link":                  {[]any{"subscription_id", "s", "checkout_session_id", nil}, false},
		"neither":                 {[]any{"subscription_id", "s", "payment_link", nil, "checkout_session_id", nil}, true},
		"tried again":             {[]any{"subscription_id", "s", "retry_attempt", 2}, true},
		"another card":            {[]any{"subscription_id", "s", "is_update_payment_method", true}, true},
		"neither, of its own":     {[]any{"payment_link", nil, "checkout_session_id", nil}, false},
		"tried again, of its own": {[]any{"retry_attempt", 1}, false},
	} {
		paid, _ := mapped(t, load(newShop(t), "payment", row.e...)).Payment.Sale.Get()
		shoptest.Same(t, name, paid.Renewal, row.want)
	}
	s := newShop(t)
	carried := []any{"metadata.tributary_click", "1", "metadata.tributary_order", "order-7"}
	s.Send(load(s, "payment", append(carried, "subscription_id", "sub_0NaBeansMonthly0001")...))
	s.Pass(3600e9)
	s.Send(load(s, "payment_renewal", carried...))
	s.Want(s.Mara, "40.00")
	shoptest.Same(t, "sales", len(s.AllSales()), 2)
}

// TestAnotherCard: what a customer pays with another card after a failure is a renewal, although
// there is a link to it.
func TestAnotherCard(t *testing.T) {
	s := newShop(t)
	carried := []any{"metadata.tributary_click", "1", "metadata.tributary_order", "order-7", "subscription_id", "sub_0NaBeansMonthly0001"}
	s.Send(load(s, "payment", carried...))
	s.Pass(time.Hour)
	s.Send(load(s, "payment", append(carried, "payment_id", "pay_due", "invoice_id", "inv_due", "is_update_payment_method", true)...))
	shoptest.Same(t, "outcome", s.Last().Outcome, affiliate.SaleRecorded)
	s.Want(s.Mara, "40.00")
}

// TestTrial: a trial refers its customer, and its first payment is a sale.
func TestTrial(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "payment_trial", "metadata.tributary_click", "1"))
	shoptest.Same(t, "affiliate", s.Referral().AffiliateID, s.Mara.ID)
	shoptest.Same(t, "sales", len(s.AllSales()), 0)
	s.Pass(3600e9)
	s.Send(load(s, "payment_renewal", "metadata.tributary_click", "1"))
	s.Want(s.Mara, "20.00")

	s = newShop(t)
	s.Send(load(s, "payment_trial"))
	shoptest.Same(t, "of nobody", s.Last().Action.Reason, pay.ZeroAmount)
}

// TestRefunds: refunds are single ones with their tax; one that failed gives back.
func TestRefunds(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "refund"), load(s, "payment", "metadata.tributary_click", "1"))
	s.Want(s.Mara, "15.00")
	for _, status := range []string{"pending", "review"} {
		s.Send(load(s, "refund", "refund_id", "r2", "amount", 9000, "status", status, "is_partial", false))
		s.Want(s.Mara, "15.00")
	}
	s.Send(load(s, "refund", "refund_id", "r2", "amount", 9000, "is_partial", false))
	s.Want(s.Mara, "0.00")
	s.Send(load(s, "refund", "refund_id", "r2", "amount", 9000, "status", "failed").With("type", "refund.failed"))
	s.Want(s.Mara, "15.00")
	s.Send(load(s, "refund", "refund_id", "r3", "amount", 9000).With("type", "refund.failed")) // as Dodo's tool makes it
	s.Want(s.Mara, "15.00")
	s.Send(load(s, "refund", "amount", nil), load(s, "refund", "amount", nil, "currency", nil))
	shoptest.Same(t, "of no amount", s.Last().Action.Reason, pay.UnknownUnit)
	for name, changes := range map[string][]any{
		"below zero": {"amount", -1}, "another status": {"status", "completed"}, "no status": {"status", nil},
	} {
		if got := s.Status(load(s, "refund", changes...)); got != http.StatusBadRequest {
			t.Errorf("%s: status %d", name, got)
		}
	}
}

// TestDisputes: a dispute takes from its opening, unless it is a warning, until it is won or
// cancelled.
func TestDisputes(t *testing.T) {
	for _, row := range []struct {
		stage, status, want string
	}{
		{"dispute", "opened", "0.00"}, {"dispute", "challenged", "0.00"}, {"dispute", "expired", "0.00"}, {"pre_arbitration", "opened", "0.00"},
		{"dispute", "accepted", "0.00"}, {"dispute", "lost", "0.00"}, {"dispute", "won", "20.00"}, {"dispute", "cancelled", "20.00"},
		{"pre_dispute", "opened", "20.00"}, {"pre_dispute", "challenged", "20.00"}, {"pre_dispute", "expired", "20.00"},
		{"pre_dispute", "accepted", "0.00"}, {"pre_dispute", "cancelled", "20.00"},
	} {
		s := newShop(t)
		s.Send(load(s, "payment", "metadata.tributary_click", "1"), load(s, "dispute", "dispute_stage", row.stage, "dispute_status", "dispute_"+row.status).With("type", "dispute."+row.status))
		if got := s.Earned(s.Mara); got != row.want {
			t.Errorf("%s %s: Mara has %s, want %s", row.stage, row.status, got, row.want)
		}
	}
	s := newShop(t)
	s.Send(load(s, "payment", "metadata.tributary_click", "1"), load(s, "dispute", "amount", 3000))
	s.Want(s.Mara, "15.00")
	for name, changes := range map[string][]any{
		"a decimal": {"amount", "120.00"}, "below zero": {"amount", "-1"}, "a number with decimals": {"amount", 120.5}, "another status": {"dispute_status", "dispute_lodged"}, "no status": {"dispute_status", nil},
	} {
		if got := s.Status(load(s, "dispute", changes...)); got != http.StatusBadRequest {
			t.Errorf("%s: status %d", name, got)
		}
	}
	s.Want(s.Mara, "15.00")
}

// TestStatus: the customer has the best state of their subscriptions.
func TestStatus(t *testing.T) {
	s := newShop(t)
	s.Send(load(s, "payment", "metadata.tributary_click", "1"))
	for _, row := range []struct {
		subscription, status string
		want                 affiliate.SubscriptionStatus
	}{
		{"s1", "active", "ACTIVE"}, {"s1", "on_hold", "PAST_DUE"}, {"s2", "active", "ACTIVE"}, {"s2", "cancelled", "PAST_DUE"}, {"s1", "expired", "CANCELLED"}, {"s2", "paused", "PAST_DUE"},
	} {
		s.Pass(time.Minute)
		s.Send(load(s, "subscription", "subscription_id", row.subscription, "status", row.status))
		shoptest.Same(t, row.subscription+" "+row.status, string(s.Referral().Status), string(row.want))
	}
}

// TestIgnored: events of no use say why.
func TestIgnored(t *testing.T) {
	s := newShop(t)
	for _, row := range []struct {
		e    event
		want pay.Reason
	}{
		{load(s, "payment").With("type", "payment.failed"), pay.CoveredElsewhere},
		{load(s, "payment").With("type", "payment.processing"), pay.CoveredElsewhere},
		{load(s, "payment", "status", "processing"), pay.Unpaid},
		{load(s, "payment", "status", "partially_captured"), pay.Unpaid},
		{load(s, "payment_renewal", "is_update_payment_method", true, "total_amount", 0, "tax", 0), pay.ZeroAmount},
		{load(s, "payment", "payment_id", nil).With("type", "payout.created"), pay.UnknownEvent},
		{load(s, "payment", "payment_id", nil).With("type", "license_key.created"), pay.UnknownEvent},
		{load(s, "subscription", "status", "pending"), pay.UnknownEvent},
		{load(s, "subscription", "status", "failed"), pay.UnknownEvent},
		{load(s, "subscription", "customer", nil), pay.NoCustomer},
		{load(s, "subscription"), pay.NoCustomer},
		{load(s, "refund", "amount", 0), pay.ZeroAmount},
		{load(s, "dispute", "amount", "0"), pay.ZeroAmount},
		{load(s, "payment_renewal", "total_amount", 0, "tax", 0, "metadata.tributary_click", "1"), pay.ZeroAmount},
		{load(s, "payment", "currency", "EUR", "settlement_currency", nil, "metadata.tributary_click", "1"), pay.OtherCurrency},
	} {
		s.Send(row.e)
		shoptest.Same(t, "reason", s.Last().Action.Reason, row.want)
	}
	shoptest.Same(t, "sales", len(s.AllSales()), 0)
}

// TestEvents: the list has no type that is ignored as unknown, and every recorded event is read.
func TestEvents(t *testing.T) {
	for _, name := range dodo.Events() {
		file := strings.Split(name, ".")[0]
		if a := mapped(t, shoptest.Load(t, "testdata/"+file+".json").With("type", name)); a.Kind == pay.KindIgnored {
			t.Errorf("%s is %s", name, a.Reason)
		}
	}
	provider.Kinds(t, map[string]pay.Kind{
		"payment": pay.KindSale, "payment_converted": pay.KindSale, "payment_discount": pay.KindSale, "payment_renewal": pay.KindSale, "payment_trial": pay.KindIgnored,
		"refund": pay.KindRefund, "dispute": pay.KindDispute, "subscription": pay.KindStatus,
	})
}

// TestConfig: a secret that Dodo would not make cannot be used, and the handler says so; no wait
// outlasts the repeats.
func TestConfig(t *testing.T) {
	s := newShop(t)
	for name, secrets := range map[string]adapter.Secrets{"none": nil, "no base64": {"DODOS_DONT_FLY"}, "empty": {""}} {
		if _, err := dodo.Handler(s.Program, dodo.Config{Secrets: secrets}); err == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
	if _, err := dodo.Handler(s.Program, dodo.Config{Secrets: adapter.Secrets{secret}, Wait: 13 * time.Hour}); err == nil {
		t.Error("a wait that outlasts the repeats is taken")
	}
	body := load(s, "payment").JSON()
	h := http.Header{}
	sign(h, body, s.Now)
	if err := dodo.Verify(h, body, config(s)); err != nil {
		t.Error(err)
	}
	early := load(s, "payment_renewal", "metadata.tributary_click", "1")
	shoptest.Same(t, "too early", s.Status(early), http.StatusServiceUnavailable)
	s.Pass(2*time.Hour + 35*time.Minute) // the fifth repeat
	shoptest.Same(t, "the fifth repeat", s.Status(early), http.StatusNoContent)
	s.Want(s.Mara, "20.00")
}
