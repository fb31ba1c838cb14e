package httpapi_test

import (
	"context"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
)

var (
	programA = uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9eaa")
	programB = uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9ebb")
)

// probes lists requests with every identifier of a stock in every place that
// takes one, the operations first.
func (s stock) probes() []operation {
	ops := s.operations()
	values := map[string][]string{
		"id":    {s.affiliate.String(), s.link.String(), s.coupon.String(), s.code.String(), s.referral.String(), s.payout.String(), s.adjustment.String(), s.sale, s.click, "ada", "kim@example.net"},
		"email": {"ada@example.com"}, "link": {"ada"}, "affiliateId": {s.affiliate.String()}, "affiliateEmail": {"ada@example.com"},
		"couponId": {s.coupon.String()}, "externalId": {"coupon-ext", "code-ext", "cust-1"}, "name": {"Autumn+20"}, "code": {"ADA20"},
		"referralId": {s.referral.String(), "kim@example.net"}, "saleExternalId": {"order-1"}, "saleExternalInvoiceId": {"invoice-1"},
		"promotionalCodeId": {s.code.String()}, "commissionPlanId": {s.plan.String()}, "commissionTierId": {s.tier.String()}, "webhookId": {s.endpoint.String()}, "deliveryId": {s.delivery.String()}, "payoutId": {s.payout.String()}, "saleId": {s.sale},
	}
	for _, path := range sortedKeys(lookups) {
		ops = append(ops, operation{"GET", "/api/v1/" + path, ""})
		for _, name := range append(append([]string{}, lookups[path].one...), lookups[path].several...) {
			for _, v := range values[name] {
				ops = append(ops, operation{"GET", "/api/v1/" + path + "?" + name + "=" + v, ""})
			}
		}
	}
	for _, query := range []string{"payouts?status=PENDING&affiliateEmail=cy@example.com", "payouts?status=pending", "payouts/lines?externalId=may", "statements?affiliateEmail=cy@example.com&from=2026-03-01&to=2026-03-31", "statements?affiliateId=" + s.affiliate.String() + "&from=2026-03-01&to=2026-03-31",
		"sales/explain?id=" + s.sale, "movements?cause=ADJUSTMENT", "movements?cause=x", "reports?from=2026-03-01&to=2026-03-31&by=day", "reports?from=2026-03-01&to=2026-03-31&by=x", "sales/search?referralId=kim@example.net&status=ACTIVE", "sales/search?approvalStatus=x", "coupons/summaries", "coupons/summaries?valid=false", "events?after=start", "events?objectId=" + s.sale, "events?objectId=" + s.affiliate.String(), "affiliates/search?search=ada", "affiliates/search?search=" + s.affiliate.String(), "referrals/search?search=kim@example.net", "referrals/search?search=cust-1", "referrals/search?search=e", "promotional-codes/search?search=ADA20&state=usable", "adjustments?kind=BONUS&limit=1", "adjustments?kind=bonus"} {
		ops = append(ops, operation{"GET", "/api/v1/" + query, ""})
	}
	q := func(id uuid.UUID) string { return `"` + id.String() + `"` }
	for _, body := range []string{
		`POST sales {"referralId":` + q(s.referral) + `,"totalEarned":1}`, `POST sales {"referralId":"` + s.click + `","email":"z@example.net","name":"Z","totalEarned":1}`,
		`POST sales {"referralId":` + q(s.affiliate) + `,"email":"y@example.net","name":"Y","totalEarned":1}`, `POST sales {"email":"kim@example.net","totalEarned":1}`,
		`POST sales {"referralId":"ada","email":"x@example.net","name":"X","totalEarned":1,"externalId":"order-1"}`,
		`POST sales {"promoCode":"ADA20","totalEarned":1,"externalInvoiceId":"invoice-1"}`,
		`POST referrals {"affiliateId":` + q(s.affiliate) + `,"name":"a","email":"r1@example.net","referredUserExternalId":"u1"}`,
		`POST referrals {"affiliateId":` + s.click + `,"name":"a","email":"r2@example.net","referredUserExternalId":"u2"}`,
		`POST referrals {"affiliateEmail":"ada@example.com","name":"a","email":"r3@example.net","referredUserExternalId":"u3"}`,
		`POST referrals {"promoCode":"ADA20","name":"a","email":"r4@example.net","referredUserExternalId":"u4"}`,
		`POST referrals {"affiliateId":"nope","name":"a","email":"kim@example.net","referredUserExternalId":"u5"}`,
		`POST promotional-codes/validate {"promoCode":"ADA20","referralId":` + q(s.referral) + `}`,
		`POST promotional-codes {"couponId":` + q(s.coupon) + `,"code":"NEW1","affiliateEmail":"ada@example.com"}`,
		`POST links {"link":"brand-new","affiliateEmail":"ada@example.com"}`,
		`PUT affiliates {"emailAddress":"ada@example.com","firstName":"Q"}`, `PUT links {"link":"ada","newLink":"renamed"}`,
		`PUT promotional-codes {"promotionalCodeId":` + q(s.code) + `,"affiliateId":null}`, `PUT promotional-codes {"promotionalCodeId":` + q(s.code) + `,"affiliateEmail":"ada@example.com"}`,
		`PUT referrals {"referralId":"kim@example.net","notes":"n"}`, `DELETE links {"link":"ada"}`, `DELETE referrals {"referralId":"kim@example.net","forfeit":true}`,
		`DELETE affiliates {"affiliateId":"ada@example.com","forfeit":true}`, `POST payouts {"affiliateEmail":"cy@example.com","manuallyPaid":true}`, `POST payouts {"affiliateId":` + q(s.affiliate) + `,"until":"2026-03-11"}`,
		`POST payouts/preview {"affiliateIds":[` + q(s.payee) + `]}`, `POST payouts/run {"externalId":"may","noDetails":true,"affiliateIds":[` + q(s.payee) + `,` + q(s.affiliate) + `]}`,
		`POST payouts/run {"externalId":"all","limit":1}`,
		`POST adjustments {"reversesId":` + q(s.adjustment) + `,"reason":"typo"}`, `POST adjustments {"affiliateId":` + q(s.affiliate) + `,"saleId":` + s.sale + `,"kind":"CHARGEBACK_FEE","amount":-1,"reason":"r"}`,
		`POST affiliates/plan {"affiliateIds":[` + q(s.pending) + `],"commissionPlanId":null}`, `POST affiliates/tier {"affiliateIds":[` + q(s.pending) + `],"commissionTierId":null}`,
		`POST referrals/plan {"referralIds":[` + q(s.referral) + `],"commissionPlanId":null}`, `POST clicks {"referralCode":"ada"}`, `POST sales/reverse {"saleId":` + s.sale + `}`, `POST sales/reverse {"externalInvoiceId":"invoice-1"}`,
		`POST promotional-codes/generate {"couponId":` + q(s.coupon) + `,"affiliateIds":[` + q(s.pending) + `],"codeStructure":{"randomChars":true},"count":1,"checkOnly":true}`,
		`POST sales/review {"saleIds":["` + s.sale + `"],"approvalStatus":"DECLINED"}`, `PATCH payouts {"payoutId":` + q(s.payout) + `,"status":"CANCELED"}`, `POST webhooks/replay {"webhookId":` + q(s.endpoint) + `,"since":"2026-03-10"}`,
	} {
		method, rest, _ := strings.Cut(body, " ")
		path, body, _ := strings.Cut(rest, " ")
		ops = append(ops, operation{method, "/api/v1/" + path, body})
	}
	return ops
}

// anyToken is an answer with a token that is the same each time: a token has a random id.
func anyToken(body string) string { return partnerToken.ReplaceAllString(body, "tp1.token") }

var partnerToken = regexp.MustCompile(`tp1\.[\w.-]+`)

// TestIsolation is goal G20: a request with the key of program B is answered,
// and changes B, as if program A did not exist, and A stays as it is. B is
// empty, or holds the same records under other ids, or the same records under
// the same ids. It is money check 56.
func TestIsolation(t *testing.T) {
	seeded := func(store record.Store, id uuid.UUID, seed byte) func(*setup) {
		return func(s *setup) {
			s.store, s.engine.ID, s.engine.Rand = store, id, rand.NewChaCha8([32]byte{seed})
		}
	}
	for name, c := range map[string]struct {
		seed byte
		fill bool
	}{"B is empty": {2, false}, "B holds the same": {2, true}, "B holds the same ids": {1, true}} {
		t.Run(name, func(t *testing.T) {
			shared := memstore.New()
			a := newWorld(t, seeded(shared, programA, 1))
			s := a.fill()
			b, alone := newWorld(t, seeded(shared, programB, c.seed)), newWorld(t, seeded(memstore.New(), programB, c.seed))
			if c.fill {
				b.fill()
				alone.fill()
			}
			before := a.dump()
			for i, op := range s.probes() {
				got, want := b.do(op.method, op.target, op.body), alone.do(op.method, op.target, op.body)
				want.body, got.body = anyToken(want.body), anyToken(got.body)
				if diff := cmp.Diff(want, got, cmp.AllowUnexported(answer{})); diff != "" {
					t.Errorf("%d: %s %s depends on the other program (-alone +beside):\n%s", i, op, op.body, diff)
				}
			}
			equal(t, alone.dump(), b.dump())
			equal(t, before, a.dump())
			a.verify()
			b.verify()
		})
	}
}

// TestForeignIsUnknown: an identifier of another program is answered byte for
// byte like an unknown one (B048; money check 56).
func TestForeignIsUnknown(t *testing.T) {
	shared := memstore.New()
	a := newWorld(t, func(s *setup) { s.store, s.engine.ID = shared, programA })
	s := a.fill()
	strangers := func() (*world, *world) {
		make := func() *world {
			return newWorld(t, func(s *setup) {
				s.store, s.engine.ID = shared, uuid.New()
				s.engine.Rand = rand.NewChaCha8([32]byte{9})
			})
		}
		return make(), make()
	}
	digit := func(id uuid.UUID) string { return id.String()[:35] + string("123456789abcdef0"[id[15]&15]) }
	var pairs []string
	for _, id := range []uuid.UUID{s.affiliate, s.link, s.coupon, s.code, s.referral, s.endpoint, s.delivery, s.payee, s.payout, s.adjustment, s.plan, s.oldPlan, s.tier, s.oldTier, s.pending, s.invited} {
		pairs = append(pairs, id.String(), digit(id))
	}
	unknown := strings.NewReplacer(append(pairs,
		"ada@example.com", "eda@example.com", `"ada"`, `"eda"`, "=ada", "=eda", "ADA20", "EDA20", "ada20", "eda20", "kim@", "tim@", "cy@", "ty@",
		"order-1", "order-9", "order-2", "order-8", "invoice-1", "invoice-9", "-ext", "-axt", "cust-1", "cust-9", "Autumn+20", "Autumn+99")...)
	for _, op := range s.probes() {
		switch op.String() {
		case "POST /api/v1/affiliates", "POST /api/v1/affiliates/invite", "POST /api/v1/affiliates/ensure", "POST /api/v1/coupons", "POST /api/v1/webhooks",
			"POST /api/v1/commission-plans", "POST /api/v1/commission-tiers", "GET /api/v1/program", "GET /api/v1/terms", "PUT /api/v1/terms", "GET /api/v1/verify", "POST /api/v1/commission-tiers/assign", "POST /api/v1/payouts/run":
			continue // they name nothing
		}
		one, two := strangers()
		one.do("DELETE", "/api/v1/referrals", `{"referralId":"nobody@example.net"}`) // the first write says what the program is
		before := one.dump()
		foreign := one.do(op.method, op.target, op.body)
		nobody := two.do(op.method, unknown.Replace(op.target), unknown.Replace(op.body))
		if diff := cmp.Diff(nobody, foreign, cmp.AllowUnexported(answer{})); diff != "" {
			t.Errorf("%s %s (-unknown +foreign):\n%s", op, op.body, diff)
		}
		if foreign.status == 200 && !cmp.Equal(before, one.dump()) {
			t.Errorf("%s %s made something: %s", op, op.body, foreign.body)
		}
	}
}

// TestNewMulti: one handler serves both programs, by key.
func TestNewMulti(t *testing.T) {
	shared := memstore.New()
	a := newWorld(t, func(s *setup) { s.store, s.engine.ID = shared, programA })
	b := newWorld(t, func(s *setup) { s.store, s.engine.ID = shared, programB })
	a.fill()
	auth := must(httpapi.Keys(map[string]*tributary.Program{testKey: a.Program, testKey + "b": b.Program, testKey + "a2": a.Program}))
	api := must(httpapi.NewMulti(auth, httpapi.Config{}))
	ask := func(key string) string {
		return a.doWith(api, "GET", "/api/v1/affiliates?id=ada", "", "Authorization: Bearer "+key).body
	}
	if got := ask(testKey + "b"); got != "null" {
		t.Errorf("program B knows %s", got)
	}
	if one, two := ask(testKey), ask(testKey+"a2"); one == "null" || one != two {
		t.Errorf("two keys of A: %s, %s", one, two)
	}
	if p, err := auth(context.Background(), "c"); p.Program != nil || err == nil {
		t.Errorf("an unknown key opens %v", p)
	}
}
