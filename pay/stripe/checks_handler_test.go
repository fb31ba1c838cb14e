package stripe_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/stripe"
)

// answer is the status of a request.
func (s *shop) answer(header string, body []byte) int {
	w := httptest.NewRecorder()
	s.Hook.ServeHTTP(w, signedWith(header, body))
	return w.Code
}

// TestSignature: checks 79 to 82.
func TestSignature(t *testing.T) {
	run(t, []check{
		{79, "single bits", func(t *testing.T) {
			s := newShop(t)
			body := s.first().JSON()
			header := []byte(stripe.Sign(secret, s.Now, body))
			random := rand.New(rand.NewPCG(1, 2))
			for range 1000 {
				h, b := bytes.Clone(header), bytes.Clone(body)
				if n := random.IntN(len(h) + len(b)); n < len(h) {
					h[n] ^= 1 << random.IntN(8)
				} else {
					b[n-len(h)] ^= 1 << random.IntN(8)
				}
				if got := s.answer(string(h), b); got != 400 && got != 401 {
					t.Fatalf("status %d for %q", got, h)
				}
			}
			shoptest.Same(t, "sales", len(s.AllSales()), 0)
			shoptest.Same(t, "answer to the right one", s.answer(string(header), body), 204)
		}},
		{80, "the time", func(t *testing.T) {
			s := newShop(t)
			body := s.first().JSON()
			for seconds, want := range map[int]int{-301: 401, 301: 401, -300: 204, 300: 204, 0: 204} {
				at := s.Now.Add(time.Duration(seconds) * time.Second)
				shoptest.Same(t, strconv.Itoa(seconds)+" s", s.answer(stripe.Sign(secret, at, body), body), want)
			}
		}},
		{81, "malformed headers", func(t *testing.T) {
			s := newShop(t)
			body := s.first().JSON()
			right := stripe.Sign(secret, s.Now, body)
			at, signature, _ := strings.Cut(right, ",")
			for name, header := range map[string]string{
				"v0 only": at + "," + strings.Replace(signature, "v1", "v0", 1), "two times": at + "," + right, "no time": signature,
				"commas": strings.Repeat(",", 4096), "long": right + "," + strings.Repeat("x=y,", 2000), "empty": "", "no value": "t",
				"upper case": at + ",v1=" + strings.ToUpper(signature[3:]), "short": right[:len(right)-1], "longer": right + "0",
				"sign of the time": "t=+" + right[2:], "space": "t= " + right[2:], "no signature": at,
				"eleven": at + strings.Repeat(",v1="+strings.Repeat("0", 64), 10) + "," + signature,
			} {
				if got := s.answer(header, body); got != 400 && got != 401 {
					t.Errorf("%s: status %d", name, got)
				}
			}
			nine := at + strings.Repeat(",v1="+strings.Repeat("0", 64), 9) + "," + signature + ",v0=x"
			shoptest.Same(t, "the tenth", s.answer(nine, body), 204)
		}},
		{82, "rotation", func(t *testing.T) {
			s := newShop(t)
			body := s.first().JSON()
			both, old := configAt(s), configAt(s)
			both.Secrets, old.Secrets = []string{"whsec_new", secret}, []string{"whsec_new"}
			s.Hook = handler(t, s.Program, both)
			shoptest.Same(t, "the second secret", s.answer(stripe.Sign(secret, s.Now, body), body), 204)
			s.Hook = handler(t, s.Program, old)
			shoptest.Same(t, "after it was removed", s.answer(stripe.Sign(secret, s.Now, body), body), 401)
		}},
	})
}

// TestAnswers: checks 83 to 87.
func TestAnswers(t *testing.T) {
	run(t, []check{
		{83, "a large body", func(t *testing.T) {
			s := newShop(t)
			for size, want := range map[int]int{1 << 20: 204, 1<<20 + 1: 413} {
				body := s.load("customer", "id", "cus_X").JSON()
				body = append(body, bytes.Repeat([]byte(" "), size-len(body))...)
				shoptest.Same(t, strconv.Itoa(size), s.answer(stripe.Sign(secret, s.Now, body), body), want)
			}
		}},
		{84, "events of no use", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.load("customer", "/type", "payout.paid"))
			s.Ignored(pay.UnknownEvent)
			thin := shoptest.Decode(t, []byte(`{"id": "evt_test_1", "object": "v2.core.event", "type": "v1.billing.meter.error_report_triggered",
				"created": "2026-01-01T00:00:00.000Z", "livemode": true, "related_object": {"id": "mtr_1", "type": "billing.meter"}}`))
			s.Send(thin)
			s.Ignored(pay.ThinEvent)
		}},
		{85, "the store is down", func(t *testing.T) {
			s := newShop(t)
			e := s.first()
			s.Hook = handler(t, s.With(conformance.FailAt(s.Store, 1)), configAt(s))
			w := httptest.NewRecorder()
			s.Hook.ServeHTTP(w, signed(e.JSON(), s.Now))
			shoptest.Same(t, "status", w.Code, 503)
			shoptest.Same(t, "Retry-After", w.Header().Get("Retry-After"), "30")
			s.Hook = handler(t, s.Program, configAt(s))
			s.Send(e)
			s.Sale()
			s.Want(s.Mara, "20.00")
		}},
		{86, "the answer is lost", func(t *testing.T) {
			s := newShop(t)
			e := s.first()
			s.Hook = handler(t, s.With(conformance.LoseAnswer(s.Store, 1)), configAt(s))
			shoptest.Same(t, "status", s.Status(e), 503)
			s.Hook = handler(t, s.Program, configAt(s))
			s.Send(e)
			s.Sale()
			s.Want(s.Mara, "20.00")
		}},
		{87, "panics of the host", func(t *testing.T) {
			s := newShop(t)
			cfg := configAt(s)
			cfg.Accounts = func(context.Context, string) (*tributary.Program, error) { panic("Accounts of " + secret) }
			cfg.OnResult = func(context.Context, pay.Result) { panic("OnResult of tomas@example.com") }
			cfg.Logger = s.Logger()
			s.Hook = handler(t, s.Program, cfg)
			shoptest.Same(t, "Accounts", s.Status(s.first("/account", "acct_1")), 500)
			shoptest.Same(t, "OnResult", s.Status(s.first()), 204)
			s.Want(s.Mara, "20.00")
			s.discreet()
		}},
		{88, "in the host's transaction", func(t *testing.T) {
			s := newShop(t)
			action := shoptest.Must(stripe.Map(s.first().JSON(), configAt(s)))
			rolledBack := errors.New("the host changed its mind")
			fired := s.Fired("")
			err := s.Store.Update(t.Context(), s.Config().ID, func(tx *record.Tx) error {
				result, err := pay.Apply(t.Context(), s.With(storeInTx{tx}), action)
				if err != nil || !result.Done || result.Outcome != affiliate.SaleRecorded {
					t.Errorf("%+v, %v", result, err)
				}
				return rolledBack
			})
			shoptest.Same(t, "error", err, rolledBack)
			shoptest.Same(t, "sales", len(s.AllSales()), 0)
			shoptest.Same(t, "events", s.Fired(""), fired)
			_, err = s.Payments().ProviderPayment(t.Context(), "stripe", "pi_1")
			shoptest.Same(t, "payment", err, affiliate.ErrNotFound)
			payer := shoptest.Must(s.Payments().Payer(t.Context(), "stripe", affiliate.PayerFact{ID: "cus_T"}))
			shoptest.Same(t, "payer", payer.Referral.IsNull(), true)
			s.Send(s.first())
			s.Want(s.Mara, "20.00")
		}},
		{89, "logs", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.first("currency", "eur"), s.refund("re_1", "pi_1", 3000), s.refund("re_1", "pi_1", 4000), s.dispute("du_1", "lost", 100),
				s.load("customer"), s.status("sub_1", "past_due"), s.session("pi_2", 0),
				s.invoice("in_1", "subscription_create", 2900, "customer", "cus_N", "customer_email", "nobody@example.com"))
			shoptest.Same(t, "wrong type", s.Status(s.first("amount_total", "tomas@example.com")), 400)
			shoptest.Same(t, "wrong secret", s.answer(stripe.Sign("whsec_other", s.Now, []byte("{}")), []byte("{}")), 401)
			s.Hook = handler(t, s.With(conformance.FailAt(s.Store, 3)), stripe.Config{Config: adapter.Config{Secrets: []string{secret}, Now: s.Config().Now, Logger: s.Logger()}})
			shoptest.Same(t, "failing store", s.Status(s.session("pi_3", 100, "metadata.tributary_click", "1")), 503)
			s.discreet()
		}},
	})
}

// discreet requires that the logs have lines, and no personal data, secret or
// body in them.
func (s *shop) discreet() {
	s.T.Helper()
	logs := s.Logs.String()
	if !strings.Contains(logs, "payment event") {
		s.T.Error("nothing was logged")
	}
	for _, text := range []string{"tomas", "Tomas", "example.com", "whsec_", "amount_total\"", "Lisboa"} {
		if strings.Contains(logs, text) {
			s.T.Errorf("the logs have %q:\n%s", text, logs)
		}
	}
}

// storeInTx is a store inside a transaction of the host.
type storeInTx struct{ tx *record.Tx }

func (w storeInTx) View(_ context.Context, _ uuid.UUID, fn func(*record.Tx) error) error {
	return fn(w.tx)
}

func (w storeInTx) Update(_ context.Context, _ uuid.UUID, fn func(*record.Tx) error) error {
	return fn(w.tx)
}

// TestHandlerRefuses: configurations that cannot work.
func TestHandlerRefuses(t *testing.T) {
	provider.Unusable(t, map[string]func(*stripe.Config){
		"no secret":          func(cfg *stripe.Config) { cfg.Secrets = nil },
		"eleven secrets":     func(cfg *stripe.Config) { cfg.Secrets = make([]string, 11) },
		"an API key":         func(cfg *stripe.Config) { cfg.Secrets = []string{"sk_live_1"} },
		"a space":            func(cfg *stripe.Config) { cfg.Secrets = []string{"whsec_1 "} },
		"negative tolerance": func(cfg *stripe.Config) { cfg.Tolerance = -1 },
		"negative wait":      func(cfg *stripe.Config) { cfg.Wait = -1 },
		"negative size":      func(cfg *stripe.Config) { cfg.MaxBody = -1 },
	})
	if _, err := stripe.Handler(nil, configAt(newShop(t))); !errors.Is(err, adapter.ErrConfig) {
		t.Errorf("no program: %v", err)
	}
}

// TestCredit: checks 16 to 27.
func TestCredit(t *testing.T) {
	run(t, []check{
		{16, "the code before the click", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.session("pi_1", 10000, "discounts", promotions("promo_mara"), "metadata.tributary_click", "2"))
			s.Want(s.Mara, "20.00")
			s.Want(s.Ben, "0.00")
		}},
		{17, "an exhausted code and a click", func(t *testing.T) {
			s := newShop(t)
			s.exhaust()
			s.Send(s.session("pi_2", 10000, "discounts", promotions("promo_mara"), "metadata.tributary_click", "2", "customer", "cus_2",
				"customer_details.email", "new@example.com"))
			s.Want(s.Ben, "20.00")
			refused := s.Last().Refused
			if len(refused) != 1 || refused[0].Reason != affiliate.CodeExhausted {
				t.Errorf("refused %v", refused)
			}
			s.redeemed(1)
		}},
		{18, "an exhausted code alone", func(t *testing.T) {
			s := newShop(t)
			s.exhaust()
			sales := len(s.AllSales())
			s.Send(s.session("pi_2", 10000, "discounts", promotions("promo_mara"), "customer", "cus_2", "customer_details.email", "new@example.com"))
			s.Outcome(affiliate.SaleRefused)
			shoptest.Same(t, "sales", len(s.AllSales()), sales)
		}},
		{19, "a code that expired after the session began", func(t *testing.T) {
			s := newShop(t)
			noon := shoptest.Start.Add(12 * time.Hour)
			shoptest.Must(s.UpdateCode(t.Context(), s.Code.ID, affiliate.CodeUpdate{ExpiresAt: affiliate.Set(affiliate.At(noon))}))
			s.Pass(36 * time.Hour)
			s.Send(s.session("pi_1", 10000, "discounts", promotions("promo_mara"), "created", noon.Add(-time.Minute).Unix()))
			s.Want(s.Mara, "20.00")
			s.Send(s.session("pi_2", 10000, "discounts", promotions("promo_mara"), "created", noon.Add(time.Minute).Unix(),
				"customer", "cus_2", "customer_details.email", "new@example.com"))
			s.Outcome(affiliate.SaleRefused)
		}},
		{20, "a minimum is compared with the subtotal", func(t *testing.T) {
			s := newShop(t)
			shoptest.Must(s.UpdateCode(t.Context(), s.Code.ID, affiliate.CodeUpdate{MinimumAmount: affiliate.Set(affiliate.MustAmount("50"))}))
			s.Send(s.session("pi_1", 4400, "amount_subtotal", 5500, "discounts", promotions("promo_mara")))
			s.Want(s.Mara, "8.80")
		}},
		{21, "an upgrade", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"))
			s.Send(s.invoice("in_2", "subscription_update", 2000, "lines.data", []any{
				map[string]any{"amount": -1000, "pricing": map[string]any{"price_details": map[string]any{"product": "prod_old"}}},
				map[string]any{"amount": 3000, "pricing": map[string]any{"price_details": map[string]any{"product": "prod_new"}}},
			}))
			s.Want(s.Mara, "9.80") // 5.80 and 4.00
			shoptest.Same(t, "product", s.AllSales()[0].ProductsBought[0], "prod_new")
		}},
		{22, "a downgrade", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"))
			s.Send(s.invoice("in_2", "subscription_update", 0, "total", -1500, "subtotal", -1500))
			s.Ignored(pay.ZeroAmount)
			s.Send(s.invoice("in_3", "subscription_cycle", 1400, "total", 2900, "subtotal", 2900))
			shoptest.Same(t, "total", s.AllSales()[0].TotalEarned, affiliate.MustAmount("14"))
			s.Want(s.Mara, "8.60") // 5.80 and 2.80
		}},
		{23, "an invoice paid in part by a balance", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.load("invoice_taxed", "metadata.tributary_click", "1"))
			shoptest.Same(t, "tax", s.Sale().TaxAmount, affiliate.MustAmount("15"))
			s.Want(s.Mara, "15.00")
		}},
		{24, "tax and shipping", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.session("pi_1", 5990, "amount_subtotal", 5000, "total_details.amount_tax", 491, "total_details.amount_shipping", 499,
				"metadata.tributary_click", "1"))
			s.Want(s.Mara, "10.00")
		}},
		{25, "inclusive tax", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.session("pi_1", 10000, "total_details.amount_tax", 1597, "metadata.tributary_click", "1"))
			s.Want(s.Mara, "16.81")
		}},
		{26, "a reference of a payment link", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.session("pi_1", 10000, "client_reference_id", "trib_s_mara_"+shoptest.ID.String()))
			s.Want(s.Mara, "20.00")
			s.Send(s.session("pi_2", 10000, "client_reference_id", "trib_c_2_"+shoptest.ID.String()))
			s.Want(s.Ben, "20.00")
			s.Send(s.session("pi_3", 10000, "client_reference_id", "user_42", "customer", "cus_3", "customer_details.email", "other@example.com"))
			s.Outcome(affiliate.SaleUnattributed)
			shoptest.Same(t, "sales", len(s.AllSales()), 2)
		}},
		{27, "a bank debit", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first("payment_status", "unpaid"))
			s.Ignored(pay.Unpaid)
			s.Send(s.first("/type", "checkout.session.async_payment_succeeded"))
			s.Want(s.Mara, "20.00")
			s.Send(s.session("pi_2", 100, "/type", "checkout.session.async_payment_failed", "payment_status", "unpaid"))
			s.Ignored(pay.UnknownEvent)
			s.Sale()
		}},
	})
}

// exhaust redeems MARA20 once and allows no more.
func (s *shop) exhaust() {
	s.T.Helper()
	s.Send(s.session("pi_0", 100, "discounts", promotions("promo_mara")))
	shoptest.Must(s.UpdateCode(s.T.Context(), s.Code.ID, affiliate.CodeUpdate{MaxRedemptions: affiliate.Set[int64](1)}))
}

// TestDisputes: checks 57 to 64.
func TestDisputes(t *testing.T) {
	run(t, []check{
		{57, "withdrawn, won, then refunded", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.dispute("du_1", "needs_response", 12000))
			s.Want(s.Mara, "0.00")
			s.Pass(time.Hour)
			s.Send(s.dispute("du_1", "won", 12000, "/type", "charge.dispute.closed"))
			s.Want(s.Mara, "20.00")
			shoptest.Same(t, "status", s.Sale().Status, affiliate.SaleActive)
			shoptest.Same(t, "refunded", s.Sale().RefundedAmount, affiliate.Amount{})
			s.Send(s.refund("re_1", "pi_1", 3000))
			s.Want(s.Mara, "15.00")
			shoptest.Same(t, "adjustments", len(s.Adjusted()), 0)
		}},
		{58, "lost", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.dispute("du_1", "needs_response", 12000))
			s.Pass(time.Hour)
			s.Send(s.dispute("du_1", "lost", 12000, "/type", "charge.dispute.closed"))
			s.Want(s.Mara, "0.00")
		}},
		{59, "states in the wrong order", func(t *testing.T) {
			s := newShop(t)
			opened := s.dispute("du_1", "needs_response", 12000)
			s.Pass(time.Hour)
			s.Send(s.first(), s.dispute("du_1", "won", 12000, "/type", "charge.dispute.closed"))
			fired := s.Fired("")
			s.Send(opened)
			s.Want(s.Mara, "20.00")
			shoptest.Same(t, "events", s.Fired(""), fired)
			shoptest.Same(t, "adjustments", len(s.Adjusted()), 0)

			s = newShop(t)
			s.Send(s.first(), s.dispute("du_1", "lost", 12000))
			s.Want(s.Mara, "0.00")
			s.Pass(time.Hour)
			s.Send(s.dispute("du_1", "won", 12000))
			s.Want(s.Mara, "20.00")
		}},
		{60, "a part", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.dispute("du_1", "needs_response", 6000))
			s.Want(s.Mara, "10.00")
			s.Pass(time.Hour)
			s.Send(s.dispute("du_1", "lost", 6000))
			s.Want(s.Mara, "10.00")
		}},
		{61, "an inquiry", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first())
			for _, status := range []string{"warning_needs_response", "warning_under_review", "warning_closed"} {
				s.Pass(time.Hour)
				s.Send(s.dispute("du_1", status, 12000))
				s.Want(s.Mara, "20.00")
			}
			shoptest.Same(t, "sale.updated", s.Fired(affiliate.SaleUpdated), 0)
		}},
		{62, "with a refund", func(t *testing.T) {
			inEachOrder(t, 2, func(s *shop, order []int) {
				s.Send(s.first())
				events := []event{s.refund("re_1", "pi_1", 3000), s.dispute("du_1", "under_review", 12000)}
				for _, i := range order {
					s.Send(events[i])
				}
				s.Want(s.Mara, "0.00")
				s.Pass(time.Hour)
				s.Send(s.dispute("du_1", "won", 12000))
				s.Want(s.Mara, "15.00")
			})
		}},
		{63, "the fee", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.dispute("du_1", "needs_response", 12000), s.dispute("du_1", "needs_response", 12000, "balance_transactions.0.fee", 99900))
			s.Pass(time.Hour)
			s.Send(s.dispute("du_1", "won", 12000))
			s.Want(s.Mara, "20.00")
		}},
		{64, "two at once", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.dispute("du_1", "needs_response", 4000), s.dispute("du_2", "needs_response", 3000))
			s.Want(s.Mara, "8.33")
			s.Pass(time.Hour)
			s.Send(s.dispute("du_1", "won", 4000))
			s.Want(s.Mara, "15.00")
		}},
	})
}

// TestCreditNotes: checks 65 to 73.
func TestCreditNotes(t *testing.T) {
	run(t, []check{
		{65, "to the balance", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"))
			s.Send(s.load("credit_note", "invoice", "in_1", "out_of_band_amount", nil, "customer_balance_transaction", "cbtxn_1"))
			s.Ignored(pay.CreditBalance)
			s.Want(s.Mara, "5.80")
			s.Send(s.invoice("in_2", "subscription_cycle", 1900, "total", 2900))
			s.Want(s.Mara, "9.60")
		}},
		{66, "out of band", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"), s.load("credit_note", "invoice", "in_1"))
			s.Want(s.Mara, "3.80")
		}},
		{67, "with a refund", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"), s.link("in_1", "pi_1"))
			s.Send(s.load("credit_note", "invoice", "in_1", "out_of_band_amount", 0,
				"refunds", []any{map[string]any{"refund": "re_1", "amount_refunded": 1000, "type": "refund"}}))
			s.Ignored(pay.CoveredElsewhere)
			s.Send(s.refund("re_1", "pi_1", 1000))
			s.Want(s.Mara, "3.80")
		}},
		{68, "thirds", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.session("pi_1", 10999, "total_details.amount_tax", 999, "metadata.tributary_click", "1"))
			for i, want := range []string{"20.00", "13.94", "7.88", "0.00"} {
				if i > 0 {
					s.Send(s.refund(fmt.Sprintf("re_%d", i), "pi_1", []int{0, 3333, 3333, 4333}[i]))
				}
				s.Want(s.Mara, want)
			}
		}},
		{69, "JPY", func(t *testing.T) {
			s := inCurrency(t, "JPY")
			s.Send(s.session("pi_1", 1234, "currency", "jpy", "total_details.amount_tax", 112, "metadata.tributary_click", "1"))
			s.Send(s.refund("re_1", "pi_1", 617, "currency", "jpy"))
			s.Want(s.Mara, "112")
		}},
		{70, "KWD", func(t *testing.T) {
			s := inCurrency(t, "KWD")
			s.Send(s.session("pi_1", 12340, "currency", "kwd", "metadata.tributary_click", "1"), s.refund("re_1", "pi_1", 1230, "currency", "kwd"))
			s.Want(s.Mara, "2.222")
		}},
		{71, "another amount, and the host's own refunds", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.refund("re_1", "pi_1", 3000), s.refund("re_1", "pi_1", 4000))
			if s.Last().Refusal == nil || s.Last().Done {
				t.Errorf("the amount was taken: %+v", s.Last())
			}
			s.Want(s.Mara, "15.00")

			s = newShop(t)
			s.Send(s.first())
			s.refundByHost("30", "re_1")
			s.Send(s.refund("re_1", "pi_1", 3000))
			s.Want(s.Mara, "15.00")

			s = newShop(t)
			s.Send(s.first())
			s.refundByHost("10", "")
			s.Send(s.refund("re_1", "pi_1", 3000))
			s.Want(s.Mara, "13.33")
			shoptest.Same(t, "refunded", s.Sale().RefundedAmount, affiliate.MustAmount("40"))
		}},
		{72, "of a payment without an affiliate", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first("metadata", map[string]any{}), s.refund("re_1", "pi_1", 3000))
			s.Outcome(affiliate.SaleParked)
			s.payment("pi_1")
			for _, days := range []int{89, 2} {
				s.Pass(time.Duration(days) * 24 * time.Hour)
				shoptest.Must(s.Run(t.Context(), affiliate.PruneJob{Before: s.Now}))
				_, err := s.Payments().ProviderPayment(t.Context(), "stripe", "pi_1")
				shoptest.Same(t, "kept", err == nil, days == 89)
			}
		}},
		{73, "payments and refunds at once", func(t *testing.T) {
			s := newShop(t)
			var events []event
			for i := range 200 {
				id, person := fmt.Sprintf("pi_%d", i), fmt.Sprintf("p%d@example.com", i%20)
				events = append(events, s.first("id", "cs_"+id, "payment_intent", id, "customer", person, "customer_details.email", person),
					s.refund("re_"+id, id, 3000))
			}
			atOnce(t, s, events)
			for _, sale := range s.AllSales() {
				shoptest.Same(t, "commission", sale.CommissionEarned, affiliate.MustAmount("15"))
			}
			s.Want(s.Mara, "3000.00")
		}},
	})
}

// atOnce sends events from 16 goroutines.
func atOnce(t *testing.T, s *shop, events []event) {
	t.Helper()
	h := handler(t, s.Program, configAt(s))
	next := make(chan event)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for e := range next {
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, signed(e.JSON(), s.Now)); w.Code != 204 {
					t.Errorf("status %d", w.Code)
				}
			}
		})
	}
	for _, e := range events {
		next <- e
	}
	close(next)
	wg.Wait()
}

// refundByHost refunds the sale as a host does.
func (s *shop) refundByHost(amount, id string) {
	s.T.Helper()
	shoptest.Must(s.RefundSale(s.T.Context(), affiliate.Refund{SaleID: s.Sale().ID, Amount: affiliate.Set(affiliate.MustAmount(amount)), RefundID: id}))
}
