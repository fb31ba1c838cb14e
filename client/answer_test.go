package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/internal/refusal"
)

// TestSaleOutcome: the outcome comes from the header. Without the header it is
// recorded or unknown.
func TestSaleOutcome(t *testing.T) {
	for _, row := range []struct {
		name, body, header string
		want               affiliate.SaleOutcome
		sale               bool
	}{
		{"recorded", `{"id":5}`, "recorded", affiliate.SaleRecorded, true},
		{"duplicate", `null`, "duplicate", affiliate.SaleDuplicate, false},
		{"unattributed", `null`, "unattributed", affiliate.SaleUnattributed, false},
		{"inactive customer", `null`, "inactive-customer", affiliate.SaleInactiveCustomer, false},
		{"new outcome", `null`, "on-the-moon", "on-the-moon", false},
		{"recorded, not said", `{"id":5}`, "", affiliate.SaleRecorded, true},
		{"not recorded, why?", `null`, "", "", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := must(always(200, row.body, "Sale-Outcome", row.header).client(t).RecordSale(t.Context(), affiliate.SaleParams{}))
			sale, ok := got.Sale.Get()
			if got.Outcome != row.want || ok != row.sale || ok && sale.ID != 5 || got.Sale.IsZero() || !got.Earlier.IsNull() {
				t.Errorf("got %q with sale %v", got.Outcome, ok)
			}
		})
	}
}

// TestNoSale: an answer that is no sale is never taken for a recorded one.
func TestNoSale(t *testing.T) {
	for _, row := range []struct{ name, body, header string }{
		{"empty object", `{}`, ""},
		{"empty object, recorded", `{}`, "recorded"},
		{"an error with status 200", `{"error":"Promo code has expired"}`, ""},
		{"no id", `{"totalEarned":5,"commissionEarned":1}`, ""},
		{"id null", `{"id":null}`, "recorded"},
		{"null, recorded", `null`, "recorded"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := always(200, row.body, "Sale-Outcome", row.header)
			got, err := w.client(t).RecordSale(t.Context(), affiliate.SaleParams{})
			e := failure(t, err)
			if e.Status != 200 || e.Err.Kind != affiliate.KindInternal || string(e.Body) != row.body || len(w.seen) != 1 {
				t.Errorf("%v after %d attempts", e, len(w.seen))
			}
			if _, ok := got.Sale.Get(); ok || got.Outcome != "" {
				t.Errorf("got %q with sale %v", got.Outcome, ok)
			}
		})
	}
}

// TestNoRefund: an answer that does not confirm a refund is never taken for one.
func TestNoRefund(t *testing.T) {
	for _, body := range []string{`{}`, `{"error":"Sale not found"}`, `{"success":false,"reason":"already_paid"}`, `{"success":null,"reason":"refunded"}`} {
		w := always(200, body)
		got, err := w.client(t).RefundSale(t.Context(), affiliate.Refund{SaleID: 5})
		if e := failure(t, err); e.Status != 200 || e.Err.Kind != affiliate.KindInternal || len(w.seen) != 1 || got != (affiliate.RefundResult{}) {
			t.Errorf("%s: %+v, %v after %d attempts", body, got, e, len(w.seen))
		}
	}
}

// TestUnfinishedJobs: a job is over only when an answer says so. An answer that
// does not, and has no other next step, is an error: nobody is erased by it.
func TestUnfinishedJobs(t *testing.T) {
	type c = *client.Client
	x := t.Context()
	for name, run := range map[string]func(c) error{
		"EraseAffiliate":   func(c c) error { return c.EraseAffiliate(x, anID) },
		"EraseReferral":    func(c c) error { return c.EraseReferral(x, "kim@example.com") },
		"AssignTiers":      func(c c) error { return errOf(c.Run(x, affiliate.AssignTiersJob{})) },
		"GrantBonuses":     func(c c) error { return errOf(c.Run(x, affiliate.GrantBonusesJob{})) },
		"RecalculateSales": func(c c) error { return errOf(c.Run(x, affiliate.RecalculateJob{})) },
		"Prune":            func(c c) error { return errOf(c.Run(x, affiliate.PruneJob{Before: time.Unix(0, 0)})) },
		"Retain": func(c c) error {
			return errOf(c.Run(x, affiliate.RetainJob{Retention: affiliate.Retention{Events: 24 * time.Hour}}))
		},
		"Step":       func(c c) error { return errOf(c.Step(x, affiliate.AssignTiersJob{}, affiliate.Step{})) },
		"Step again": func(c c) error { return errOf(c.Step(x, affiliate.AssignTiersJob{}, affiliate.Step{Cursor: "a"})) },
		"RunPayouts": func(c c) error { return errOf(c.RunPayouts(x, affiliate.PayoutRun{ExternalID: "r"})) },
	} {
		for _, body := range []string{`{}`, `{"error":"No such affiliate"}`, `{"done":false}`, `{"done":false,"cursor":null}`, `{"done":null,"changed":5}`} {
			w := always(200, body)
			if e := failure(t, run(w.client(t))); e.Status != 200 || e.Err.Kind != affiliate.KindInternal || len(w.seen) != 1 {
				t.Errorf("%s on %s: %v after %d attempts", name, body, e, len(w.seen))
			}
		}
		const stuck = `{"done":false,"cursor":"a","looked":1,"changed":1}`
		w := always(200, stuck)
		err := run(w.client(t))
		if name == "Step" && err == nil {
			continue // from the start, a is another step
		}
		if e := failure(t, err); e.Status != 200 || len(w.seen) > 2 {
			t.Errorf("%s on %s: %v after %d attempts", name, stuck, e, len(w.seen))
		}
	}
}

// TestFailures: a refusal of a code has every failing rule with its data, as on
// the engine, the first time and as a replay.
func TestFailures(t *testing.T) {
	p, h := newEngine(t)
	c := must(client.New(testBase, testKey, client.Config{Handler: h}))
	ada := must(p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.com"}))
	coupon := must(p.CreateCoupon(t.Context(), affiliate.CouponParams{
		Name: "Old", PercentOff: affiliate.Set(affiliate.MustPercent("10")), Valid: affiliate.Set(false), RedeemBy: affiliate.Set(affiliate.Day(2020, 1, 1)),
	}))
	must(p.CreateCode(t.Context(), affiliate.CodeParams{
		CouponID: coupon.ID, Code: "ADA", AffiliateID: ada.ID, ExpiresAt: affiliate.Set(affiliate.Day(2020, 1, 2)),
		MinimumAmount: affiliate.Set(affiliate.MustAmount("99.5")),
	}))
	sale := affiliate.SaleParams{Once: affiliate.Once{Key: "k"}, PromoCode: "ada", TotalEarned: affiliate.MustAmount("5")}
	onEngine, _ := errors.AsType[*affiliate.Error](errOf(p.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ada", TotalEarned: sale.TotalEarned})))
	for range 2 {
		err := errOf(c.RecordSale(t.Context(), sale))
		e := failure(t, err)
		if diff := cmp.Diff(onEngine.Failures, e.Err.Failures); diff != "" || len(e.Err.Failures) != 4 {
			t.Errorf("failures (-engine +client):\n%s", diff)
		}
		if !e.Err.CodeRefused() || !errors.Is(err, affiliate.CouponInvalid) || !errors.Is(err, affiliate.BelowMinimum) {
			t.Errorf("the refusal is %v", err)
		}
	}
	for _, header := range []string{"", "x", "{}", `["code_expired"]`, `[{"reason":5}]`, `[{"reason":"code_expired","at":"soon"}]`, `[{"limit":1.5}]`} {
		err := errOf(always(400, `{"error":"Nope"}`, "Error-Code", "code_expired", "Error-Reasons", header).client(t).RecordSale(t.Context(), sale))
		if e := failure(t, err); len(e.Err.Failures) > 0 || e.Err.Reason != affiliate.CodeExpired {
			t.Errorf("header %q: %+v", header, e.Err)
		}
	}
	err := errOf(always(400, `{"error":"Nope"}`, "Error-Reasons", `[{"reason":"brand_new","message":"`+testKey+`","extra":1}]`).client(t).RecordSale(t.Context(), sale))
	if got := failure(t, err).Err.Failures; len(got) != 1 || got[0].Reason != "brand_new" || got[0].Message != "***" {
		t.Errorf("failures %+v", got)
	}
}

// TestNext: the cursor of the next page is found in every form of the
// reference.
func TestNext(t *testing.T) {
	for _, row := range []struct {
		name string
		link []string
		want string
	}{
		{"none", nil, ""},
		{"ours", []string{`<?cursor=abc&limit=2>; rel="next"`}, "abc"},
		{"escaped", []string{`<?limit=2&cursor=a%2Bb%2Fc%3D>; rel="next"`}, "a+b/c="},
		{"absolute", []string{`<https://elsewhere.example/x?cursor=abc>; rel="next"`}, "abc"},
		{"among others", []string{`<?cursor=p>; rel="prev", <?cursor=n>; rel="next"; title="a, b", <?cursor=l>; rel=last`}, "n"},
		{"second header", []string{`<?cursor=p>; rel=prev`, `<?cursor=n>; REL=Next`}, "n"},
		{"several relations", []string{`<?cursor=n>;title="<x>;rel=prev";rel="last next"`}, "n"},
		{"comma in reference", []string{`<?x=a,b&cursor=n>; rel=next`}, "n"},
		{"escaped quote", []string{`<?cursor=p>; rel="prev"; title="a \", <?cursor=x>; rel=next; b", <?cursor=n>; rel="next"`}, "n"},
		{"other relation", []string{`<?cursor=n>; rel="nextish"`}, ""},
		{"no relation", []string{`<?cursor=n>`}, ""},
		{"no cursor", []string{`<?page=2>; rel="next"`}, ""},
		{"no end", []string{`<?cursor=n; rel="next"`}, ""},
		{"bad reference", []string{`<:%zz?cursor=n>; rel="next"`}, ""},
		{"garbage", []string{`,,;;"<>"<<>>`}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := &wire{answer: func(int, *http.Request) (*http.Response, error) {
				resp := reply(200, `[{"id":1},{"id":2}]`)
				resp.Header["Link"] = row.link
				return resp, nil
			}}
			got, err := w.client(t).Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{Limit: 2})
			if err != nil || len(got.Items) != 2 || got.Next != row.want {
				t.Errorf("got %q, %d items, %v; want %q", got.Next, len(got.Items), err, row.want)
			}
		})
	}
}

// TestEachStops: a server that repeats the same next page causes an error, not
// an endless loop.
func TestEachStops(t *testing.T) {
	w := always(200, `[{"id":1}]`, "Link", `<?cursor=n>; rel="next"`)
	c, n := w.client(t), 0
	var last error
	for _, err := range affiliate.Each(1, func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) {
		return c.Sales(t.Context(), affiliate.SaleQuery{}, pg)
	}) {
		last = err
		n++
	}
	if last == nil || n > 3 || len(w.seen) != 2 {
		t.Errorf("%d items from %d requests, %v", n, len(w.seen), last)
	}
}

// TestEmptyList: an empty list has items that are not nil.
func TestEmptyList(t *testing.T) {
	for _, body := range []string{"[]", "null"} {
		got, err := always(200, body).client(t).Links(t.Context(), affiliate.LinkQuery{}, affiliate.Page{})
		if err != nil || got.Items == nil || len(got.Items) != 0 || got.Next != "" {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
}

// TestKinds: kind, reason and field of an error come from our headers, or
// without them from the text.
func TestKinds(t *testing.T) {
	get := invocation{"GET", invocations()[0].call}
	all := invocations()
	remove := all[slices.IndexFunc(all, func(inv invocation) bool { return inv.name == "DeleteCoupon" })]
	for _, row := range []struct {
		name   string
		call   invocation
		status int
		body   string
		header []string
		want   affiliate.Error
	}{
		{"conflict by code", remove, 400, `{"error":"Taken"}`, []string{"Error-Code", "slug_taken", "Error-Field", "link"},
			affiliate.Error{Kind: affiliate.KindConflict, Reason: affiliate.SlugTaken, Field: "link", Message: "Taken"}},
		{"conflict by text", remove, 400, `{"error":"This link already exists for this affiliate program"}`, nil,
			affiliate.Error{Kind: affiliate.KindConflict, Reason: affiliate.SlugTaken, Message: "This link already exists for this affiliate program"}},
		{"code with two kinds, 400", remove, 400, `{"error":"Affiliate not found"}`, []string{"Error-Code", "affiliate_not_found"},
			affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.AffiliateNotFound, Message: "Affiliate not found"}},
		{"code with two kinds, 404", remove, 404, `{"error":"Affiliate not found"}`, nil,
			affiliate.Error{Kind: affiliate.KindNotFound, Reason: affiliate.AffiliateNotFound, Message: "Affiliate not found"}},
		{"text of two reasons", remove, 400, `{"error":"Promo code has expired"}`, nil,
			affiliate.Error{Kind: affiliate.KindConflict, Reason: affiliate.CodeExpired, Message: "Promo code has expired"}},
		{"text of two reasons with code", remove, 400, `{"error":"Promo code has expired"}`, []string{"Error-Code", "coupon_expired"},
			affiliate.Error{Kind: affiliate.KindConflict, Reason: affiliate.CouponExpired, Message: "Promo code has expired"}},
		{"text with a name in it", remove, 400, `{"error":"Unknown field: colour"}`, nil,
			affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.UnknownField, Message: "Unknown field: colour"}},
		{"text of another status", remove, 403, `{"error":"Unauthorized"}`, nil,
			affiliate.Error{Kind: affiliate.KindForbidden, Message: "Unauthorized"}},
		{"unknown text", remove, 400, `{"error":"Bad luck"}`, nil,
			affiliate.Error{Kind: affiliate.KindInvalid, Message: "Bad luck"}},
		{"unknown code", remove, 400, `{"error":"Bad luck"}`, []string{"Error-Code", "bad_luck"},
			affiliate.Error{Kind: affiliate.KindInvalid, Reason: "bad_luck", Message: "Bad luck"}},
		{"reason in the body", remove, 400, `{"error":"Already paid","reason":"already_paid"}`, nil,
			affiliate.Error{Kind: affiliate.KindConflict, Reason: affiliate.AlreadyPaid, Message: "Already paid"}},
		{"missing record", remove, 404, `{"error":"Coupon not found"}`, nil,
			affiliate.Error{Kind: affiliate.KindNotFound, Reason: affiliate.CouponNotFound, Message: "Coupon not found"}},
		{"missing record in other words", remove, 404, `{"error":"No such coupon"}`, nil,
			affiliate.Error{Kind: affiliate.KindNotFound, Message: "No such coupon"}},
		{"wrong path", remove, 404, `{"error":"Not found"}`, nil,
			affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.NotFound, Message: "Not found"}},
		{"wrong host", remove, 404, `<h1>404</h1>`, []string{"Content-Type", "text/html"},
			affiliate.Error{Kind: affiliate.KindInvalid, Message: "Not Found"}},
		{"program gone", remove, 404, `{"error":"Affiliate program not found"}`, nil,
			affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.ProgramNotFound, Message: "Affiliate program not found"}},
		{"statement of nobody", get, 404, `{"error":"Affiliate not found"}`, []string{"Error-Code", "affiliate_not_found"},
			affiliate.Error{Kind: affiliate.KindNotFound, Reason: affiliate.AffiliateNotFound, Message: "Affiliate not found"}},
		{"look-up at a wrong path", get, 404, `{"error":"No route"}`, nil,
			affiliate.Error{Kind: affiliate.KindInvalid, Message: "No route"}},
		{"401", get, 401, `{"error":"Unauthorized"}`, nil,
			affiliate.Error{Kind: affiliate.KindUnauthorized, Reason: affiliate.Unauthorized, Message: "Unauthorized"}},
		{"405", get, 405, `{"error":"Method not allowed"}`, nil,
			affiliate.Error{Kind: affiliate.KindMethod, Reason: affiliate.MethodNotAllowed, Message: "Method not allowed"}},
		{"409", get, 409, `{"error":"Conflict"}`, nil,
			affiliate.Error{Kind: affiliate.KindInvalid, Message: "Conflict"}},
		{"500", remove, 500, `{"error":"Internal server error"}`, nil,
			affiliate.Error{Kind: affiliate.KindInternal, Reason: affiliate.Internal, Message: "Internal server error"}},
		{"302", remove, 302, ``, nil,
			affiliate.Error{Kind: affiliate.KindInternal, Message: "the server redirects, which is not followed"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			err := row.call.call(t.Context(), always(row.status, row.body, row.header...).client(t))
			e := failure(t, err)
			if diff := cmp.Diff(row.want, *e.Err); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if missing := row.want.Kind == affiliate.KindNotFound; errors.Is(err, affiliate.ErrNotFound) != missing {
				t.Errorf("errors.Is(err, ErrNotFound) is %v", !missing)
			}
			if row.want.Reason != "" && !errors.Is(err, row.want.Reason) {
				t.Errorf("error is not %s", row.want.Reason)
			}
		})
	}
}

// TestEveryText: every text of the engine's table is known without Error-Code.
// When two reasons share a text and a status, it is the first one.
func TestEveryText(t *testing.T) {
	first := map[string]affiliate.Reason{}
	for _, row := range refusal.Refusals() {
		status, text := row.Kind.Status(), strings.NewReplacer("{field}", "some.field", "{name}", "limit", "{type}", "sale.gone").Replace(row.Message)
		id := http.StatusText(status) + text
		if first[id] == "" {
			first[id] = row.Reason
		}
		w := always(status, jsonOf(map[string]string{"error": text}))
		e := failure(t, errOf(w.client(t, func(cfg *client.Config) { cfg.MaxRetries = -1 }).DeleteCoupon(t.Context(), anID)))
		if e.Err.Reason != first[id] || e.Err.Message != text {
			t.Errorf("%d %q is told as %q, want %q", status, text, e.Err.Reason, first[id])
		}
	}
}

// TestErrorText: one line with operation, status, reason, text and attempts.
func TestErrorText(t *testing.T) {
	c := always(400, `{"error":"Promo code has expired"}`, "Error-Code", "code_expired", "X-Request-Id", "req-7").client(t)
	e := failure(t, errOf(c.RecordSale(t.Context(), affiliate.SaleParams{Email: "ada@example.com"})))
	if got, want := e.Error(), "POST /api/v1/sales: 400 code_expired: Promo code has expired"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if e.RequestID() != "req-7" || e.Header.Get("Error-Code") != "code_expired" || !strings.HasPrefix(string(e.Body), `{"error"`) {
		t.Errorf("answer not at hand: %+v", e)
	}
	w := &wire{answer: failing(errors.New("cable cut"))}
	c = w.client(t, func(cfg *client.Config) { cfg.MinWait, cfg.MaxWait = 1, 1 })
	e = failure(t, errOf(c.Affiliate(t.Context(), "ada@example.com")))
	if got, want := e.Error(), "GET /api/v1/affiliates: no answer: cable cut (3 attempts)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if e.RequestID() != "" || e.Header != nil || e.Body != nil {
		t.Errorf("an answer out of nowhere: %+v", e)
	}
}

// TestReplayed: Once.Replayed gets the bytes of a stored answer, and is not
// called for any other answer.
func TestReplayed(t *testing.T) {
	for header, want := range map[string]string{"true": `{"id":5}`, "false": "", "": ""} {
		got := ""
		c := always(200, `{"id":5}`, "Idempotent-Replayed", header, "Sale-Outcome", "recorded").client(t)
		must(c.RecordSale(t.Context(), affiliate.SaleParams{Once: affiliate.Once{Replayed: func(answer []byte) { got = string(answer) }}}))
		if got != want {
			t.Errorf("Idempotent-Replayed: %s: replayed %q, want %q", header, got, want)
		}
	}
}

// TestFloatNoise: money of a service that computes in floating point is read to
// four decimals.
func TestFloatNoise(t *testing.T) {
	c := always(200, `{"id":5107,"totalEarned":431.70000000000005,"commissionEarned":86.33999999999999,"commissionRate":20.000000000000004,
		"commissions":[{"commissionEarned":86.33999999999999}],"referral":{"totalRevenue":5.551115123125783e-17}}`).client(t)
	got := must(c.Sale(t.Context(), 5107))
	sum := affiliate.MustAmount
	want := affiliate.Sale{
		ID: 5107, TotalEarned: sum("431.7"), CommissionEarned: sum("86.34"), CommissionRate: affiliate.Set(affiliate.MustPercent("20")),
		Commissions: []affiliate.Commission{{CommissionEarned: sum("86.34")}}, Referral: affiliate.Set(affiliate.Referral{}),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestHostedShapes: some fields are always null here, but the hosted service
// fills them in more than one shape. Such an answer is readable.
func TestHostedShapes(t *testing.T) {
	for _, body := range []string{
		`{"id":"` + anID.String() + `","emailVerified":null,"image":null,"affiliateLink":null,"affiliateGroupId":null}`,
		`{"id":"` + anID.String() + `","emailVerified":true}`,
		`{"id":"` + anID.String() + `","emailVerified":"2026-02-03T08:15:00.120Z","password":null,"affiliateGroupId":"group-7","affiliateLink":"ada"}`,
	} {
		got, err := always(200, body).client(t).Affiliate(t.Context(), "ada")
		if err != nil || got.ID != anID {
			t.Errorf("%s: %v", body, err)
		}
	}
	for _, rule := range []string{`null`, `"monthly"`, `{"every":{"months":1}}`} {
		got, err := always(200, `{"id":"`+anID.String()+`","autoCouponRule":`+rule+`}`).client(t).Coupon(t.Context(), affiliate.CouponRef{ID: anID})
		if err != nil || got.ID != anID || jsonOf(got.AutoCouponRule) != rule {
			t.Errorf("rule %s: %v", rule, err)
		}
	}
}

// TestBareSale: the hosted service's sale has neither affiliate, nor referral,
// nor commissions, and null where ours has a list or a number.
func TestBareSale(t *testing.T) {
	got := must(always(200, `{"id":5107,"affiliateId":null,"productsBought":null,"clicks":null,"taxAmount":null,"createdAt":null,"status":null}`).
		client(t).Sale(t.Context(), 5107))
	if diff := cmp.Diff(affiliate.Sale{ID: 5107}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNoContent: a 204 is a success only for methods that return no answer.
func TestNoContent(t *testing.T) {
	silent := map[string]bool{"DeleteAffiliate": true, "DeleteReferral": true, "DeleteSale": true, "DeletePlan": true, "DeleteTier": true, "RestoreRedemption": true, "AcceptRedemption": true}
	for _, inv := range invocations() {
		w := always(http.StatusNoContent, "")
		err := inv.call(t.Context(), w.client(t))
		if (err == nil) != silent[inv.name] || len(w.seen) != 1 {
			t.Errorf("%s: %v after %d attempts", inv.name, err, len(w.seen))
		}
	}
}

// Check 18: a reader over the wire gets each event once, with its bytes, in the
// order of the commits, while 16 writers work.
func TestFollowOverTheWire(t *testing.T) {
	ctx := t.Context()
	p, h := newEngine(t)
	c := must(client.New("http://tributary.test", testKey, client.Config{Handler: h}))
	const writers, each = 16, 20
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for j := range each {
				must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A & <b>", LastName: "B", Email: fmt.Sprintf("a%d.%d@example.org", i, j)}))
			}
		})
	}
	var got []affiliate.Event
	for e, err := range c.Follow(ctx, uuid.Nil) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, e); len(got) == writers*each {
			break
		}
	}
	wg.Wait()
	if diff := cmp.Diff(must(p.EventsAfter(ctx, uuid.Nil, 1000)), got); diff != "" {
		t.Errorf("(-engine +client):\n%s", diff)
	}
}

// The payload of an erased person is gone, and the event stays.
func TestErasedEvent(t *testing.T) {
	ctx := t.Context()
	p, h := newEngine(t)
	a := must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "a@example.org"}))
	must(0, p.EraseAffiliate(ctx, a.ID))
	events := must(must(client.New("http://tributary.test", testKey, client.Config{Handler: h})).EventsAfter(ctx, uuid.Nil, 10))
	if len(events) != 2 || events[0].ObjectID != a.ID.String() || events[0].Payload != nil || events[1].Payload == nil {
		t.Errorf("the events: %+v", events)
	}
}

// Follow asks once a second when there is nothing, and ends with its context.
func TestFollowAsksOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{}
		w.answer = func(int, *http.Request) (*http.Response, error) { return reply(200, "[]"), nil }
		ctx, stop := context.WithTimeout(t.Context(), 3500*time.Millisecond)
		defer stop()
		for _, err := range w.client(t).Follow(ctx, uuid.Nil) {
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		}
		if len(w.seen) != 4 {
			t.Errorf("%d requests in 3.5 s, want 4", len(w.seen))
		}
	})
}

// cuts are the ways in which the body of an error ends too early, with what the
// caller finds. The last one is a proxy that ends the answer in good order.
var cuts = []struct {
	name string
	end  error
	want error
}{
	{"length", io.ErrUnexpectedEOF, io.ErrUnexpectedEOF},
	{"reset", syscall.ECONNRESET, syscall.ECONNRESET},
	{"end", io.EOF, io.ErrUnexpectedEOF},
}

// cutAt answers with the first bytes of a body.
func cutAt(status int, body string, at int, end error, header ...string) *wire {
	return &wire{answer: func(int, *http.Request) (*http.Response, error) {
		resp := reply(status, "", header...)
		resp.Body, resp.ContentLength = &brokenBody{strings.NewReader(body[:at]), end}, int64(len(body))
		return resp, nil
	}}
}

func once(cfg *client.Config) { cfg.MaxRetries = -1 }

// TestCutRefusals: every refusal of the engine keeps status, kind, reason and
// field when its body is cut, wherever and however. Only the text becomes that of
// the status, and the cause says why.
func TestCutRefusals(t *testing.T) {
	seen := map[affiliate.Kind]bool{}
	for _, row := range refusal.Refusals() {
		seen[row.Kind] = true
		body, status := jsonOf(map[string]string{"error": row.Message}), row.Kind.Status()
		header := []string{"Error-Code", string(row.Reason), "Error-Field", row.Field}
		for method, call := range map[string]func(c *client.Client) error{
			"GET":    func(c *client.Client) error { return errOf(c.Sale(t.Context(), 1)) },
			"DELETE": func(c *client.Client) error { return c.DeleteSale(t.Context(), 1) },
		} {
			whole := failure(t, call(always(status, body, header...).client(t, once)))
			for _, cut := range cuts {
				for _, at := range []int{0, 1, len(body) / 2, len(body) - 1} {
					if at == 0 && cut.end == io.EOF { // an empty body has no text that could be cut
						continue
					}
					name := fmt.Sprintf("%s %d %s, %s after %d bytes", method, status, row.Reason, cut.name, at)
					e := failure(t, call(cutAt(status, body, at, cut.end, header...).client(t, once)))
					if diff := cmp.Diff(whole.Err, e.Err, cmpopts.IgnoreFields(affiliate.Error{}, "Message", "Err")); diff != "" || e.Status != status {
						t.Errorf("%s: %d (-whole +cut):\n%s", name, e.Status, diff)
					}
					if e.Err.Message != http.StatusText(status) || !errors.Is(e, cut.want) || !strings.Contains(e.Error(), "the body of the error is cut short") {
						t.Errorf("%s: %v", name, e)
					}
				}
			}
		}
	}
	for k := affiliate.KindInternal; k <= affiliate.KindMediaType; k++ {
		if !seen[k] {
			t.Errorf("no refusal of kind %d was cut", k)
		}
	}
}

// TestCutKinds: a server without Error-Code says by the status alone what kind of
// error it is. Of a 400 that is KindInvalid, and of the 404 of a GET also, because
// it may be a wrong path.
func TestCutKinds(t *testing.T) {
	const body = `{"error":"Something of its own"}`
	for k := affiliate.KindInternal; k <= affiliate.KindMediaType; k++ {
		write, read := k, k
		switch k {
		case affiliate.KindConflict:
			write, read = affiliate.KindInvalid, affiliate.KindInvalid
		case affiliate.KindNotFound:
			read = affiliate.KindInvalid
		}
		for _, cut := range cuts {
			c := cutAt(k.Status(), body, 9, cut.end).client(t, once)
			if e := failure(t, c.DeleteSale(t.Context(), 1)); e.Err.Kind != write {
				t.Errorf("DELETE, %d, %s: kind %d, want %d", k.Status(), cut.name, e.Err.Kind, write)
			}
			if e := failure(t, errOf(c.Sale(t.Context(), 1))); e.Err.Kind != read {
				t.Errorf("GET, %d, %s: kind %d, want %d", k.Status(), cut.name, e.Err.Kind, read)
			}
		}
	}
}

// TestCutElsewhere: the cut page of something that is not the API is no missing
// record, and neither is an empty 404.
func TestCutElsewhere(t *testing.T) {
	for _, cut := range cuts {
		e := failure(t, cutAt(404, "<h1>404", 5, cut.end, "Content-Type", "text/html").client(t).DeleteSale(t.Context(), 1))
		if e.Err.Kind != affiliate.KindInvalid || e.Err.Message != "Not Found" || e.Err.Err != nil {
			t.Errorf("%s: %+v", cut.name, e.Err)
		}
	}
	for _, body := range []string{"", "null", "404 page not found\n", `"{`} {
		e := failure(t, always(404, body).client(t).DeleteSale(t.Context(), 1))
		if missing := body == `"{`; (e.Err.Kind == affiliate.KindNotFound) != missing || (e.Err.Err != nil) != missing {
			t.Errorf("%q: %+v", body, e.Err)
		}
	}
}
