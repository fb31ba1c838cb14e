package sync_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/stripe/sync"
)

// TestChanges: a name and a switch are brought over; Check only reports them.
func TestChanges(t *testing.T) {
	s := newShop(t, "ONE", "TWO")
	s.push()
	codes := s.now().PromotionalCodes // TWO, ONE
	shoptest.Must(s.UpdateCoupon(t.Context(), s.coupon.ID, affiliate.CouponUpdate{Name: affiliate.Set("Summer")}))
	shoptest.Must(s.UpdateCode(t.Context(), codes[0].ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
	s.stripe.posts()
	s.want(s.check(),
		sync.Difference{ExternalID: s.now().ExternalID.Or(""), Field: "name", Ours: "Summer", Theirs: "Spring", Fix: sync.FixUpdate},
		sync.Difference{Code: "TWO", ExternalID: "promo_3", Field: "active", Ours: "false", Theirs: "true", Fix: sync.FixUpdate})
	shoptest.Same(t, "posts of Check", s.stripe.posts(), 0)
	s.want(s.push().Differences)
	shoptest.Same(t, "posts", s.stripe.posts(), 2)
	shoptest.Same(t, "TWO is active", s.stripe.codes["promo_3"]["active"], any(false))

	shoptest.Must(s.UpdateCoupon(t.Context(), s.coupon.ID, affiliate.CouponUpdate{Valid: affiliate.Set(false)}))
	s.push()
	shoptest.Same(t, "ONE is active", s.stripe.codes["promo_2"]["active"], any(false))

	// On, and off, and on again: each arrives, though two of them are the same request.
	for _, on := range []bool{true, false, true} {
		shoptest.Must(s.UpdateCoupon(t.Context(), s.coupon.ID, affiliate.CouponUpdate{Valid: affiliate.Set(on)}))
		done := s.push()
		shoptest.Same(t, "updated", fmt.Sprint(done.Updated), "[promo_2]")
		shoptest.Same(t, "ONE is active", s.stripe.codes["promo_2"]["active"], any(on))
	}
}

// TestGone: objects that Stripe has no longer are told, and not made anew.
func TestGone(t *testing.T) {
	s := newShop(t, "ONE")
	s.push()
	delete(s.stripe.codes, "promo_2")
	s.stripe.posts()
	gone := sync.Difference{Code: "ONE", ExternalID: "promo_2", Field: "externalId", Ours: "promo_2", Fix: sync.FixNew}
	s.want(s.push().Differences, gone)
	s.want(s.check(), gone)
	shoptest.Must(s.UpdateCoupon(t.Context(), s.coupon.ID, affiliate.CouponUpdate{ExternalID: affiliate.Set("SPRING")}))
	s.want(s.push().Differences, sync.Difference{ExternalID: "SPRING", Field: "externalId", Ours: "SPRING"})
	shoptest.Same(t, "posts", s.stripe.posts(), 0)
}

// TestAdoptsActive: of two codes of the text at the same coupon, the active one is
// adopted, though it is on a later page.
func TestAdoptsActive(t *testing.T) {
	s := newShop(t, "ONE")
	id := "trib_" + strings.ReplaceAll(s.coupon.ID.String(), "-", "")
	for name, active := range map[string]bool{"promo_a": false, "promo_b": true} {
		s.stripe.codes[name] = object{"id": name, "code": "one", "active": active, "promotion": object{"coupon": id}}
	}
	shoptest.Same(t, "adopted", fmt.Sprint(s.push().Adopted), "[promo_b]")
}

// TestOvertaken: another process makes the coupon between the look and the making.
func TestOvertaken(t *testing.T) {
	s := newShop(t, "ONE")
	s.stripe.before = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost && r.URL.Path == "/v1/coupons" {
			o := object{"name": "Autumn", "duration": "forever"}
			set(o, r.PostForm)
			o["max_redemptions"] = 7
			s.stripe.coupons[r.PostForm.Get("id")] = o
		}
		return false
	}
	done := s.push()
	shoptest.Same(t, "created", fmt.Sprint(done.Created), "[promo_1]")
	s.want(done.Differences, sync.Difference{ExternalID: s.now().ExternalID.Or(""), Field: "maxRedemptions", Ours: "100", Theirs: "7"})
}

// TestOtherText: a list in which Stripe has more than was asked for.
func TestOtherText(t *testing.T) {
	s := newShop(t, "ONE")
	s.stripe.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || r.URL.Path != "/v1/promotion_codes" {
			return false
		}
		w.Write([]byte(`{"data":[{"id":"promo_x","code":"ONE-2","active":true,"promotion":{"coupon":"WINTER"}}]}`))
		return true
	}
	done := s.push()
	s.want(done.Differences)
	shoptest.Same(t, "created", len(done.Created), 2)
}

// TestUnfit: what Stripe cannot count is told, and nothing is sent.
func TestUnfit(t *testing.T) {
	s, five := newShop(t), affiliate.Set(affiliate.MustPercent("5"))
	for field, in := range map[string]affiliate.CouponParams{
		"percentOff": {Name: "Odd", PercentOff: affiliate.Set(affiliate.MustPercent("12.345"))},
		"amountOff": {
			Name: "Odd", CouponType: "FLAT", AmountOff: affiliate.Set(affiliate.MustAmount("5.5")), Currency: affiliate.Set[affiliate.Currency]("ISK"),
		},
		"startsAt":                  {Name: "Odd", PercentOff: five, StartsAt: affiliate.Set(affiliate.Day(2999, 1, 1))},
		"maxDiscount":               {Name: "Odd", PercentOff: five, MaxDiscount: affiliate.Set(affiliate.MustAmount("5"))},
		"maxDiscountTotal":          {Name: "Odd", PercentOff: five, MaxDiscountTotal: affiliate.Set(affiliate.MustAmount("5"))},
		"maxRedemptionsPerCustomer": {Name: "Odd", PercentOff: five, MaxRedemptionsPerCustomer: affiliate.Set[int64](1)},
	} {
		s.coupon = shoptest.Must(s.CreateCoupon(t.Context(), in))
		got := s.push().Differences
		if len(got) != 1 || got[0].Field != field || got[0].Fix != sync.FixNone {
			t.Errorf("%s: %+v", field, got)
		}
		shoptest.Same(t, "requests", len(s.stripe.requests), 0)
	}
	for field, in := range map[string]affiliate.CodeParams{
		"startsAt": {StartsAt: affiliate.Set(affiliate.Day(2999, 1, 1))}, "minimumQuantity": {MinimumQuantity: affiliate.Set(affiliate.MustAmount("2"))},
		"maxRedemptionsPerCustomer": {MaxRedemptionsPerCustomer: affiliate.Set[int64](2)},
	} {
		s.coupon = shoptest.Must(s.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "Even", PercentOff: five, StartsAt: affiliate.Set(affiliate.Day(2020, 1, 1))}))
		in.CouponID, in.Code, in.AffiliateID = s.coupon.ID, "X"+field, s.Ben.ID
		shoptest.Must(s.CreateCode(t.Context(), in))
		got := s.push().Differences
		if len(got) != 1 || got[0].Field != field || got[0].Code != in.Code || got[0].Fix != sync.FixNone {
			t.Errorf("%s: %+v", field, got)
		}
	}
	s.coupon = shoptest.Must(s.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "Even", PercentOff: five}))
	shoptest.Must(s.CreateCode(t.Context(), affiliate.CodeParams{CouponID: s.coupon.ID, Code: "ANA", AffiliateID: s.Ben.ID, LimitToCustomers: true, CustomerID: "ana@shop.example"}))
	s.want(s.push().Differences, sync.Difference{Code: "ANA", Field: "limitToCustomers", Ours: "true"})
}

// TestHostile: an answer that is not Stripe's ends the call with an error that a
// caller can tell, and without the key.
func TestHostile(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the redirect was followed, with %q", r.Header.Get("Authorization"))
	}))
	t.Cleanup(elsewhere.Close)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, "sync: Stripe answered 307"},
		"too long": {func(w http.ResponseWriter, _ *http.Request) {
			w.Write(append([]byte("{}"), bytes.Repeat([]byte(" "), 4<<20-1)...))
		}, sync.ErrAnswer.Error()},
		"a page":      {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>")) }, sync.ErrAnswer.Error()},
		"echoes":      {func(w http.ResponseWriter, r *http.Request) { echo(w, r) }, "sync: Stripe answered 400"},
		"cut off":     {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "sync: Stripe was not reached: EOF"},
		"wrong types": {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"max_redemptions":{}}`)) }, sync.ErrAnswer.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.stripe.before = func(w http.ResponseWriter, r *http.Request) bool { c.answer(w, r); return true }
			s.waits(t, func() {
				_, err := s.client.Coupon(s.T.Context(), s.Program, s.coupon.ID)
				shoptest.Same(t, "error", fmt.Sprint(err), c.want)
			})
			for d, err := range s.client.Check(t.Context(), s.Program) {
				t.Error(d, err) // nothing has been taken to Stripe
			}
		})
	}
}

// echo refuses with the key in every place that an error could show.
func echo(w http.ResponseWriter, r *http.Request) {
	secret := r.Header.Get("Authorization")
	w.Header().Set("Request-Id", secret)
	w.WriteHeader(http.StatusBadRequest)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"code": secret, "param": secret, "message": secret}})
}

// TestConfig: what cannot be used is refused before a request.
func TestConfig(t *testing.T) {
	s := newShop(t)
	for name, c := range map[string]sync.Client{
		"no key":             {Base: s.client.Base},
		"a key of two lines": {Key: "sk\n_2", Base: s.client.Base},
		"plain http":         {Key: key, Base: "http://api.stripe.example"},
		"an address inside":  {Key: key, Base: "http://10.0.0.1"},
		"a name like ours":   {Key: key, Base: "http://localhost.stripe.example"},
		"no URL":             {Key: key, Base: "://"},
		"a password":         {Key: key, Base: "https://user:pass@api.stripe.example"},
		"a query":            {Key: key, Base: s.client.Base + "?a=b"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.Coupon(t.Context(), s.Program, s.coupon.ID)
			if !errors.Is(err, sync.ErrConfig) {
				t.Errorf("Coupon: %v", err)
			}
			for _, err = range c.Check(t.Context(), s.Program) {
			}
			if !errors.Is(err, sync.ErrConfig) || strings.Contains(err.Error(), key) {
				t.Errorf("Check: %v", err)
			}
		})
	}
	shoptest.Same(t, "requests", len(s.stripe.requests), 0)
	_, err := s.client.Coupon(t.Context(), s.Program, s.Mara.ID)
	if !errors.Is(err, affiliate.ErrNotFound) {
		t.Errorf("a coupon that is not there: %v", err)
	}
}

// TestHeaders: each request has the key, the version and the account.
func TestHeaders(t *testing.T) {
	s := newShop(t)
	s.push()
	for _, r := range s.stripe.requests {
		shoptest.Same(t, "account", r.Header.Get("Stripe-Account"), "")
		shoptest.Same(t, "version", r.Header.Get("Stripe-Version"), "2026-02-25.clover")
	}
	s.stripe.posts()
	s.client.Account, s.client.Version, s.client.HTTP = "acct_1", "2027-01-01.later", &http.Client{}
	s.push()
	for _, r := range s.stripe.requests {
		shoptest.Same(t, "account", r.Header.Get("Stripe-Account"), "acct_1")
		shoptest.Same(t, "version", r.Header.Get("Stripe-Version"), "2027-01-01.later")
	}
	if s.client.HTTP.CheckRedirect != nil {
		t.Error("the host's client was changed")
	}
}

// TestKeyIsMasked: no way of printing a client shows its key.
func TestKeyIsMasked(t *testing.T) {
	c := sync.Client{Key: key}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("client", "value", c, "pointer", &c)
	slog.New(slog.NewTextHandler(&log, nil)).Info("client", "value", c, "pointer", &c)
	raw, err := json.Marshal([]any{c, &c, map[string]sync.Client{"a": c}})
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
		fmt.Fprintf(&log, verb+verb, c, &c)
	}
	if text := log.String() + string(raw); strings.Contains(text, key) || strings.Contains(text, fmt.Sprintf("%x", key)) {
		t.Error(text)
	}
}
