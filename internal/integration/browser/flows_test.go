package browser

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi/serve"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/webhooks"
)

// What people do every day, from page to page as they do it, with scripts and
// without (check 45).

// TestCoupons (check 39): a coupon, a code of it that is used up, and five hundred
// codes that are looked at first.
func TestCoupons(t *testing.T) {
	t.Parallel()
	scriptsOnAndOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t).fill()
		tb := open(w)
		tb.open("/coupons")
		tb.press("New coupon…")
		tb.fill("Name", "Spring")
		tb.fill("Percent off", "15")
		tb.press("Create")
		tb.says("Spring")
		coupon := tb.path()
		tb.press("New code…")
		tb.fill("Code", "ONCE")
		tb.fill("Affiliate", "ada@example.org")
		tb.fill("Uses of this code", "1")
		tb.press("Create")
		must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ONCE", Email: "once@x.example", Name: "O", TotalEarned: affiliate.MustAmount("10")}))(t)
		tb.open(tb.path())
		if full := eval[bool](tb, `document.querySelector("meter").value === document.querySelector("meter").max`); !full {
			t.Error("the meter of a code that is used up is not full")
		}
		w.clock.pass(time.Minute)
		tb.open(coupon)
		tb.press("Generate codes…")
		tb.fill("Emails of the affiliates", "ada@example.org")
		tb.fill("Codes for each", "500")
		tb.fill("Begins with", "X")
		tb.press("Check first")
		tb.says("500 codes out of 308,915,776 that are possible. Such as X")
		tb.press("Generate")
		rows := must(csv.NewReader(strings.NewReader(strings.TrimPrefix(tb.file("The codes that were just made, as CSV"), "\ufeff"))).ReadAll())(t)
		if len(rows) != 501 {
			t.Errorf("the file has %d lines", len(rows))
		}
		for _, row := range rows {
			for _, cell := range row {
				if strings.ContainsAny(cell[:min(1, len(cell))], "=+-@\t\r") {
					t.Errorf("a spreadsheet runs %q", cell)
				}
			}
		}
	})
}

// TestRefund (checks 37, 40 and 41): the page of a sale explains its commission. A
// refund from it does what the API does, once however often its button is hit. A
// refusal is the engine's text at its field, and what was typed is still there.
func TestRefund(t *testing.T) {
	t.Parallel()
	scriptsOnAndOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t).fill()
		tb := open(w)
		page := fmt.Sprint("/sales/", w.made.Free.ID)
		tb.open(page)
		tb.says("Why 2.25 USD?")
		tb.says("Less shipping 1.10 USD Base of the whole sale 11.24 USD Rate, of the program 20 % Exactly, before it is rounded 281/125 Commission 2.25 USD")
		tb.press("Refund…")
		tb.fill("Amount in USD", "5")
		tb.press("Book the refund")
		tb.says("Refund 5.00 USD of sale")
		tb.load(200, func() {
			at := tb.pointOf("button", named("Book the refund"))
			tb.do(chromedp.MouseClickXY(at.X, at.Y, chromedp.ClickCount(2)))
		})
		tb.open(page)
		must(w.RefundSale(t.Context(), affiliate.Refund{SaleID: w.made.Free.ID - 1, Amount: affiliate.Set(affiliate.MustAmount("5"))}))(t)
		got, want := must(w.Sale(t.Context(), w.made.Free.ID))(t), must(w.Sale(t.Context(), w.made.Free.ID-1))(t)
		if got.RefundedAmount != want.RefundedAmount || got.CommissionEarned != want.CommissionEarned || got.Status != want.Status {
			t.Errorf("refunded %s, commission %s, %s; by the API %s, %s, %s", got.RefundedAmount, got.CommissionEarned, got.Status, want.RefundedAmount, want.CommissionEarned, want.Status)
		}
		tb.press("Refund…")
		tb.fill("Amount in USD", "999")
		tb.unfold("More")
		tb.fill("Id of the refund", "re_1")
		tb.press("Book the refund")
		tb.pressAs(400, "Book the refund")
		_, err := w.RefundSale(t.Context(), affiliate.Refund{SaleID: w.made.Free.ID, Amount: affiliate.Set(affiliate.MustAmount("999"))})
		if err == nil {
			t.Fatal("the engine refunds more than there is")
		}
		tb.says(err.Error())
		if kept := eval[string](tb, labelled("Amount in USD")+".value + "+labelled("Id of the refund")+".value"); kept != "999re_1" {
			t.Errorf("the form keeps %q", kept)
		}
		tb.refusalLeads()
	})
}

// refusalLeads checks that the summary of what was wrong has the focus, and that
// each of its links leads to a field which says what is wrong.
func (tb *tab) refusalLeads() {
	tb.Helper()
	// The browser moves the focus when it draws the page, a moment after it is complete.
	focused := func() bool {
		return eval[bool](tb, `document.activeElement?.matches(".problem[role=alert]") ?? false`)
	}
	for end := time.Now().Add(patience); !focused() && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if !focused() {
		tb.Errorf("%s: the focus is not on what was wrong", tb.path())
	}
	for _, wrong := range eval[[]string](tb, `[...document.querySelectorAll("main [aria-invalid]")].flatMap((field) => {
	const said = (field.getAttribute("aria-describedby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join("");
	const linked = document.querySelector('.problem a[href="#' + field.id + '"]');
	return field.closest(".field").querySelector(".wrong")?.textContent && said.includes(field.closest(".field").querySelector(".wrong").textContent) && linked ? [] : [field.name];
})`) {
		tb.Errorf("%s: nothing says at the field %s what is wrong, or leads there", tb.path(), wrong)
	}
}

// TestPayday (check 42): preview, run, the file for PayPal and its results. What the
// pages say is what the books say.
func TestPayday(t *testing.T) {
	t.Parallel()
	scriptsOnAndOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t).fill()
		tb := open(w)
		owed := must(w.Balance(t.Context(), affiliate.AffiliateRef{ID: w.made.Ada.ID}))(t).Payable.String()
		tb.open("/owed")
		tb.says(owed)
		tb.open("/payouts")
		tb.press("Run payouts…")
		tb.fill("Name of the run", "2026-03")
		tb.fill("Minimum of a payout, in USD", "1")
		tb.press("Make the payouts")
		tb.says("Ada X PayPal " + owed)
		tb.press("Make the payouts")
		tb.says("Payout run 2026-03")
		tb.says(owed)
		tb.open("/payouts")
		due := w.Transfers(t.Context(), affiliate.PayoutQuery{Status: affiliate.PayoutPending})
		files, refused, err := payfile.PayPal(due, w.clock.now().Format("2006-01-02"), payfile.PayPalOptions{})
		if err != nil || len(files) != 1 || len(refused) > 0 {
			t.Fatal(len(files), refused, err)
		}
		if got := tb.file("PayPal"); got != string(files[0].Data) {
			t.Errorf("the file is %q, not %q", got, files[0].Data)
		}
		results := "reference,status,reason\n"
		paid := 0
		for p, err := range due {
			if err != nil {
				t.Fatal(err)
			}
			paid++
			results += payfile.Ref(p.PayoutID) + ",Completed,\n"
		}
		path := filepath.Join(t.TempDir(), "results.csv")
		if err := os.WriteFile(path, []byte(results), 0o600); err != nil {
			t.Fatal(err)
		}
		tb.press("Upload results…")
		tb.upload(path)
		tb.press("Book the results")
		tb.says(fmt.Sprintf("Paid now %d Failed now 0", paid))
		tb.press("To the payouts")
		tb.open("/affiliates/" + w.made.Ada.ID.String())
		b := must(w.Balance(t.Context(), affiliate.AffiliateRef{ID: w.made.Ada.ID}))(t)
		tb.says("Due " + b.Payable.String())
		tb.says("Paid " + b.Paid.String())
		if err := w.Verify(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestTermsFrom: 15 % from a day on is one form, which says beforehand what it would have cost. The
// page lists it, the affiliate sees it, and it can be withdrawn.
func TestTermsFrom(t *testing.T) {
	t.Parallel()
	scriptsOnAndOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t).fill()
		tb := open(w)
		tb.open("/settings")
		tb.press("Terms of the program")
		tb.press("Change the terms…")
		tb.fill("They hold from", "2026-12-01")
		tb.fill("Rate", "12.5")
		tb.press("Add a rule")
		tb.fill("Name of rule 1", "gifts")
		tb.fill("Conditions of rule 1", "Category: gift")
		tb.choose("What it pays of rule 1", "nothing")
		tb.press("What would the last 90 days have cost?")
		tb.says("would have earned")
		tb.says("Nothing was saved.")
		look(tb, 1)
		tb.press("Save")
		tb.says("The terms were saved.")
		tb.says("1 Dec 2026, 00:00 To come 12.5 %, with 1 rule")
		look(tb, 1)
		pages := newTab(t, originOf(t, sets["partner"](w)))
		pages.open("/terms")
		pages.says("From 1 Dec 2026, 00:00")
		pages.says("nothing categories: gift 12.5 % of everything else")
		look(pages, 1)
		tb.open("/terms")
		tb.press("1 Dec 2026, 00:00")
		tb.says("Pays 12.5 %, where no rule decides")
		tb.press("Withdraw…")
		tb.says("They are: 12.5 %, with 1 rule.")
		look(tb, 1)
		tb.press("Withdraw")
		tb.says("The terms were withdrawn.")
		tb.lacks("12.5 %")
	})
}

// TestNoticeOnce: what was done is said once, and a reload of the page says nothing.
func TestNoticeOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t).fill()
	tb := newTab(t, originOf(t, sets["console"](w)))
	tb.open("/affiliates/" + w.made.Ada.ID.String() + "/payout-details")
	tb.fill("Payout email", "new@pay.example")
	tb.press("Save")
	tb.says("The payout details were changed.")
	tb.open(tb.path())
	tb.lacks("The payout details were changed.")
}

// A slowStore takes its time for one snapshot: the first one after a test asks for
// it waits until its request is given up.
type slowStore struct {
	record.Store
	next    atomic.Bool
	waiting chan struct{} // a snapshot waits
	ended   chan error    // and why it no longer does
}

func (s *slowStore) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	if s.next.CompareAndSwap(true, false) {
		s.waiting <- struct{}{}
		<-ctx.Done()
		s.ended <- ctx.Err()
		return ctx.Err()
	}
	return s.Store.View(ctx, id, fn)
}

// TestBooks (check 44): one click checks the books of 100,000 records, while another tab records sales.
// A second click meanwhile says that a verification is running, and closing the tab
// ends it. A planted breach is shown with its invariant and its object.
func TestBooks(t *testing.T) {
	t.Parallel()
	scriptsOnAndOff(t, func(t *testing.T, open func(*world) *tab) {
		store := &slowStore{Store: memstore.New(), waiting: make(chan struct{}), ended: make(chan error, 1)}
		w := newWorldIn(t, store).fill()
		w.crowd(100_000)
		first, second := open(w), open(w)
		second.open("/books")
		first.open("/books")
		store.next.Store(true)
		first.click("button", named("Check the books"))
		<-store.waiting
		must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "ada", Email: "meanwhile@x.example", Name: "M", TotalEarned: affiliate.MustAmount("10")}))(t)
		second.pressAs(400, "Check the books")
		second.says("A verification is running")
		first.close()
		select {
		case err := <-store.ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the verification ended with %v", err)
			}
		case <-time.After(patience):
			t.Fatal("closing the tab does not end the verification")
		}
		second.press("Check the books")
		second.says("The books hold")
		second.says("0 breaches")
		if n := eval[int](second, `Number(document.querySelector("main").innerText.replaceAll(",", "").match(/(\d+) records/)?.[1] ?? 0)`); n < 100_000 {
			t.Errorf("only %d records were checked", n)
		}
		w.plant()
		second.press("Check again")
		second.says("The books do not hold")
		second.says(w.made.Ada.ID.String())
		if n := second.count("main tbody tr"); n == 0 {
			t.Error("no breach is shown")
		}
		look(second, 1)
	})
}

// crowd makes n visits through a link.
func (w *world) crowd(n int) {
	w.t.Helper()
	for i := range n {
		must(w.TrackClick(w.t.Context(), affiliate.ClickParams{Slug: "ada", DeviceID: fmt.Sprint("device-", i)}))(w.t)
	}
}

// plant breaks the counter of clicks of an affiliate.
func (w *world) plant() {
	w.t.Helper()
	err := w.store.Update(w.t.Context(), w.Config().ID, func(tx *record.Tx) error {
		rec, err := tx.Totals.Get(w.made.Ada.ID)
		rec.Clicks += 7
		return errors.Join(err, tx.Totals.Replace(rec))
	})
	if err != nil {
		w.t.Fatal(fmt.Errorf("plant a breach: %w", err))
	}
}

// A receiver answers deliveries with a status, and keeps what it got.
type receiver struct {
	mu     sync.Mutex
	status int
	got    []string // webhook-id and body
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, q.Header.Get("webhook-id")+" "+string(body))
	w.WriteHeader(r.status)
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

func (r *receiver) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.got...)
}

// TestDeliveries (check 43): a delivery that failed is sent again from its page, with
// the same id and the same bytes, to a receiver that now takes it. A new secret is on
// one page, once.
func TestDeliveries(t *testing.T) {
	t.Parallel()
	scriptsOnAndOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t)
		to := &receiver{status: 500}
		send := w.delivers()
		hook := must(w.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: originOf(t, to) + "/", Events: []affiliate.EventType{"affiliate.created"}}))(t)
		must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "X", Email: "ada@example.org"}))(t)
		send()
		tb := open(w)
		tb.open("/webhooks?state=failed")
		tb.press("affiliate.created")
		delivery := tb.path()
		tb.says("Failed")
		tb.press("Send again…")
		tb.press("Send again")
		to.answer(204)
		send()
		tb.open(delivery)
		tb.says("Delivered")
		if got := to.all(); len(got) != 2 || got[0] != got[1] || !strings.HasPrefix(got[0], "evt_") {
			t.Errorf("the receiver got %q", got)
		}
		endpoint := "/webhooks/" + hook.ID.String()
		tb.open(endpoint)
		tb.press("New secret…")
		tb.press("Make a new secret")
		secret := eval[string](tb, `document.querySelector("#secret").value`)
		if !strings.HasPrefix(secret, "whsec_") {
			t.Errorf("the secret is %q", secret)
		}
		tb.press("To the endpoint")
		tb.lacks(secret)
		tb.open(endpoint + "/edit")
		tb.lacks(secret)
	})
}

// lacks reports an error when the page has a text anywhere.
func (tb *tab) lacks(text string) {
	tb.Helper()
	if html := eval[string](tb, `document.documentElement.outerHTML`); text == "" || strings.Contains(html, text) {
		tb.Errorf("%s has %q", tb.path(), text)
	}
}

// delivers lets the program deliver to this machine, and returns what makes every
// attempt that is due.
func (w *world) delivers() (send func()) {
	w.t.Helper()
	cfg := w.Config()
	cfg.Addresses = serve.PrivateAddresses()
	sender := &webhooks.Sender{Addresses: cfg.Addresses, Now: w.clock.now}
	cfg.Send = sender.Send
	w.open(cfg)
	sender.Outbox = w.Webhooks()
	return func() {
		w.t.Helper()
		if _, err := sender.Drain(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
	}
}

// refuse fills every form in wrongly (check 47): it comes back with what is wrong, the
// summary has the focus, each field says what is wrong with it, the page fits, and
// everybody can read it. Of those with the same kinds of fields, one is read by all. It
// returns how many were refused.
func (tb *tab) refuse(forms []string) (refused int) {
	tb.Helper()
	read := map[string]bool{}
	for _, path := range forms {
		tb.open(path)
		if !tb.sendWrong() {
			continue
		}
		refused++
		tb.refusalLeads()
		tb.fits(phone)
		if kinds := eval[string](tb, kindsOfFields); !read[kinds] {
			read[kinds] = true
			tb.accessible(light)
			tb.accessible(dark)
		}
	}
	return refused
}

const kindsOfFields = `[...new Set([...document.querySelectorAll("main .field > :not(.hint)")].map((e) =>
	e.localName + "." + e.className + e.type + e.ariaInvalid))].sort().join()`

// sendWrong puts what cannot be right into every field that is typed into, past the
// browser's own checks, sends the form, and reports whether it came back.
func (tb *tab) sendWrong() bool {
	tb.Helper()
	eval[int](tb, `(() => {
	for (const form of document.forms) form.noValidate = true;
	for (const field of document.querySelectorAll("main .field input, main .field textarea")) {
		if (["text", "email", "url", "textarea"].includes(field.type)) field.value = field.required ? "" : "?!";
		if (field.type === "number") field.value = "-1";
	}
	return 0;
})()`)
	tb.watch.forget()
	tb.click("button", `document.querySelector("main form[method=post] button.main")`)
	if !tb.watch.loaded(patience) {
		tb.Fatalf("%s: the form was not sent", tb.path())
	}
	status := tb.watch.page().status
	problem := tb.text("main .problem")
	if (status >= 400) != (problem != "") || status >= 500 {
		tb.Errorf("%s: %d, and the page says %q", tb.path(), status, problem)
	}
	return strings.TrimSpace(problem) != ""
}
