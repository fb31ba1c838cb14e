package sync_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/stripe/sync"
)

// A shop is a program with an account at Stripe. Its coupon has three codes.
type shop struct {
	*shoptest.Shop
	stripe *fake
	client *sync.Client
	coupon affiliate.Coupon
}

func newShop(t *testing.T, texts ...string) *shop {
	s := &shop{Shop: shoptest.New(t)}
	var base string
	s.stripe, base = newFake(t)
	s.client = &sync.Client{Key: key, Base: base}
	s.coupon = shoptest.Must(s.CreateCoupon(t.Context(), affiliate.CouponParams{
		Name: "Spring", PercentOff: affiliate.Set(affiliate.MustPercent("12.5")), MaxRedemptions: affiliate.Set[int64](100),
		Duration: "repeating", DurationInMonths: affiliate.Set[int64](6), LimitToProducts: true, ProductIDs: []string{"prod_b", "prod_a"},
	}))
	if len(texts) == 0 {
		texts = []string{"SPRING-1", "SPRING-2", "SPRING-3"}
	}
	for _, text := range texts {
		shoptest.Must(s.CreateCode(t.Context(), affiliate.CodeParams{CouponID: s.coupon.ID, Code: text, AffiliateID: s.Mara.ID}))
	}
	return s
}

// push takes the coupon to Stripe.
func (s *shop) push() sync.CouponResult {
	s.T.Helper()
	done, err := s.client.Coupon(s.T.Context(), s.Program, s.coupon.ID)
	if err != nil {
		s.T.Fatal(err)
	}
	return done
}

// waits does something in a time that passes by itself, and returns how long the
// client waited between its requests.
func (s *shop) waits(t *testing.T, do func()) (waited []time.Duration) {
	defer func() { s.T = t }()
	s.client.HTTP = &http.Client{Transport: s.stripe}
	synctest.Test(t, func(t *testing.T) {
		s.T = t
		do()
	})
	for i, at := range s.stripe.sent {
		if i > 0 && at != s.stripe.sent[i-1] {
			waited = append(waited, at.Sub(s.stripe.sent[i-1]))
		}
	}
	return waited
}

// now is the coupon as the program has it.
func (s *shop) now() affiliate.Coupon {
	return shoptest.Must(s.Program.Coupon(s.T.Context(), affiliate.CouponRef{ID: s.coupon.ID}))
}

func (s *shop) want(got []sync.Difference, want ...sync.Difference) {
	s.T.Helper()
	for i := range want {
		want[i].CouponID = s.coupon.ID
	}
	if d := cmp.Diff(want, got); d != "" {
		s.T.Errorf("differences, - want, + got:\n%s", d)
	}
}

// check gets all that Check finds.
func (s *shop) check() (all []sync.Difference) {
	s.T.Helper()
	for d, err := range s.client.Check(s.T.Context(), s.Program) {
		if err != nil {
			s.T.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

type check struct {
	number int
	name   string
	run    func(*testing.T)
}

// TestOutward: checks 90 to 95.
func TestOutward(t *testing.T) {
	for _, c := range []check{
		{90, "run twice", func(t *testing.T) {
			s := newShop(t)
			done := s.push()
			shoptest.Same(t, "posts", s.stripe.posts(), 4)
			shoptest.Same(t, "coupons", len(s.stripe.coupons), 1)
			shoptest.Same(t, "promotion codes", len(s.stripe.codes), 3)
			shoptest.Same(t, "created", len(done.Created), 4)
			s.want(done.Differences)
			c := s.now()
			shoptest.Same(t, "externalId", c.ExternalID, affiliate.Set(done.Created[0]))
			shoptest.Same(t, "integrationType", c.IntegrationType, affiliate.Set[affiliate.IntegrationType]("STRIPE"))
			for i, code := range c.PromotionalCodes { // newest first
				shoptest.Same(t, "externalId of "+code.Code, code.ExternalID, affiliate.Set(done.Created[3-i]))
			}
			again := s.push()
			shoptest.Same(t, "posts of the second run", s.stripe.posts(), 0)
			s.want(again.Differences)
			s.want(s.check())
		}},
		{91, "killed after create", func(t *testing.T) {
			for _, lost := range []string{"/v1/coupons", "/v1/promotion_codes"} {
				s := newShop(t)
				ctx, kill := context.WithCancel(t.Context())
				s.stripe.after = func(r *http.Request) bool {
					if r.Method != http.MethodPost || r.URL.Path != lost {
						return false
					}
					kill()
					return true
				}
				if _, err := s.client.Coupon(ctx, s.Program, s.coupon.ID); err == nil {
					t.Fatal("the call survived")
				}
				s.stripe.after = nil
				s.stripe.answered = map[string][]byte{}
				done := s.push()
				if lost == "/v1/promotion_codes" {
					shoptest.Same(t, "adopted", fmt.Sprint(done.Adopted), "[promo_2]")
				}
				s.want(done.Differences)
				shoptest.Same(t, "coupons", len(s.stripe.coupons), 1)
				shoptest.Same(t, "promotion codes", len(s.stripe.codes), 3)
				s.stripe.posts()
				s.push()
				shoptest.Same(t, "posts of the run after", s.stripe.posts(), 0)
			}
		}},
		{92, "another limit there", func(t *testing.T) {
			s := newShop(t)
			id := s.push().Created[0]
			s.stripe.coupons[id]["max_redemptions"] = 50
			s.stripe.posts()
			there := sync.Difference{ExternalID: id, Field: "maxRedemptions", Ours: "100", Theirs: "50", Fix: sync.FixNone}
			s.want(s.push().Differences, there)
			s.want(s.check(), there)
			shoptest.Same(t, "posts", s.stripe.posts(), 0)
		}},
		{93, "a text that Stripe does not take", func(t *testing.T) {
			s := newShop(t, "A-1", "A_B", "A-2")
			done := s.push()
			s.want(done.Differences, sync.Difference{Code: "A_B", Field: "code", Ours: "A_B"})
			shoptest.Same(t, "promotion codes", len(s.stripe.codes), 2)
			s.want(s.check(), sync.Difference{Code: "A_B", Field: "code", Ours: "A_B"})
		}},
		{94, "a text that is another coupon's", func(t *testing.T) {
			s := newShop(t, "SPRING")
			s.stripe.codes["promo_other"] = object{"id": "promo_other", "code": "spring", "active": true, "promotion": object{"type": "coupon", "coupon": object{"id": "WINTER"}}}
			done := s.push()
			s.want(done.Differences, sync.Difference{Code: "SPRING", ExternalID: "promo_other", Field: "couponId", Ours: done.Created[0], Theirs: "WINTER"})
			shoptest.Same(t, "posts", s.stripe.posts(), 1)
			shoptest.Same(t, "theirs", len(s.stripe.codes), 1)
			if !s.now().PromotionalCodes[0].ExternalID.IsNull() {
				t.Error("the code has the id of another coupon's")
			}
		}},
		{95, "a busy Stripe", func(t *testing.T) {
			s := newShop(t, "SPRING")
			busy := true
			s.stripe.before = func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodPost || !busy {
					return false
				}
				busy = false
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusTooManyRequests)
				return true
			}
			waited := s.waits(t, func() { s.push() })
			shoptest.Same(t, "waits", fmt.Sprint(waited), "[1s]")
			shoptest.Same(t, "coupons", len(s.stripe.coupons), 1)
			keys := map[string]int{}
			for _, r := range s.stripe.requests {
				if once := r.Header.Get("Idempotency-Key"); once != "" {
					keys[once]++
				}
			}
			shoptest.Same(t, "keys", len(keys), 2)
			for once, n := range keys {
				if !strings.HasPrefix(once, "tributary-") || len(once) != len("tributary-")+64 || n > 2 {
					t.Errorf("key %s, %d times", once, n)
				}
			}
		}},
	} {
		t.Run(fmt.Sprintf("%d %s", c.number, c.name), c.run)
	}
}

// TestWaits: three tries, ten seconds in all.
func TestWaits(t *testing.T) {
	for name, c := range map[string]struct {
		after  string
		status int
		waits  string
		tries  int
	}{
		"never asked to wait": {"", 503, "[500ms 1s]", 3},
		"told how long":       {"4", 500, "[4s 4s]", 3},
		"more than ten":       {"6", 429, "[6s]", 2},
		"an hour":             {"3600", 429, "[]", 1},
		"nonsense":            {"-5", 502, "[500ms 1s]", 3},
		"refused":             {"1", 402, "[]", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.stripe.before = func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Retry-After", c.after)
				w.WriteHeader(c.status)
				return true
			}
			waited := s.waits(t, func() {
				_, err := s.client.Coupon(s.T.Context(), s.Program, s.coupon.ID)
				shoptest.Same(t, "error", fmt.Sprint(err), fmt.Sprintf("sync: Stripe answered %d", c.status))
			})
			shoptest.Same(t, "waits", fmt.Sprint(waited), c.waits)
			shoptest.Same(t, "tries", len(s.stripe.requests), c.tries)
		})
	}
}

// TestFields: what Stripe gets of a coupon and of a code.
func TestFields(t *testing.T) {
	s := newShop(t, "PLAIN")
	end := affiliate.Set(affiliate.At(shoptest.Start.Add(48 * time.Hour)))
	s.coupon = shoptest.Must(s.CreateCoupon(t.Context(), affiliate.CouponParams{
		Name: strings.Repeat("é", 50), CouponType: "FLAT", AmountOff: affiliate.Set(affiliate.MustAmount("5")),
		Currency: affiliate.Set[affiliate.Currency]("ISK"), Duration: "once", RedeemBy: end,
	}))
	shoptest.Must(s.CreateCode(t.Context(), affiliate.CodeParams{
		CouponID: s.coupon.ID, Code: "Full-1", AffiliateID: s.Ben.ID, Active: affiliate.Set(false), ExpiresAt: end, MaxRedemptions: affiliate.Set[int64](3),
		FirstTimeOrder: true, MinimumAmount: affiliate.Set(affiliate.MustAmount("50.5")), LimitToCustomers: true, CustomerID: "cus_T",
	}))
	s.push()
	var sent []string
	for _, body := range s.stripe.bodies {
		if len(body) > 0 {
			sent = append(sent, body.Encode())
		}
	}
	seconds := fmt.Sprint(shoptest.Start.Add(48 * time.Hour).Unix())
	want := []string{
		"amount_off=500&currency=isk&duration=once&id=trib_" + strings.ReplaceAll(s.coupon.ID.String(), "-", "") +
			"&name=" + strings.Repeat("%C3%A9", 40) + "&redeem_by=" + seconds,
		"active=false&code=Full-1&customer=cus_T&expires_at=" + seconds + "&max_redemptions=3" +
			"&promotion%5Bcoupon%5D=trib_" + strings.ReplaceAll(s.coupon.ID.String(), "-", "") + "&promotion%5Btype%5D=coupon" +
			"&restrictions%5Bfirst_time_transaction%5D=true&restrictions%5Bminimum_amount%5D=5050&restrictions%5Bminimum_amount_currency%5D=usd",
	}
	if d := cmp.Diff(want, sent); d != "" {
		t.Errorf("sent, - want, + got:\n%s", d)
	}
	s.want(s.check())
}
