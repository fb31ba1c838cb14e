package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/api"
	"github.com/tributary-go/tributary/memstore"
)

// newEngine is a program with a store of its own and a stopped clock, and its
// handler.
func newEngine(t testing.TB) (*tributary.Program, http.Handler) {
	t.Helper()
	p := must(tributary.New(memstore.New(), tributary.Config{
		Name:         "Northwind Beans",
		Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("20")},
		HouseCodes:   true,
		Now:          func() time.Time { return time.Date(2026, 3, 11, 9, 24, 18, 442e6, time.UTC) },
		Rand:         rand.NewChaCha8([32]byte{1}),
	}))
	return p, must(httpapi.New(p, httpapi.Config{APIKeys: []string{testKey}}))
}

// TestSameAsEngine makes the same calls to the engine, to the client in process
// and to the client over TCP: every answer and every error is the same.
// It is console check 23.
func TestSameAsEngine(t *testing.T) {
	p, _ := newEngine(t)
	want := story(t.Context(), api.Of(p))

	t.Run("in process", func(t *testing.T) {
		_, h := newEngine(t)
		c := must(client.New("http://tributary.test", testKey, client.Config{Handler: h}))
		if diff := cmp.Diff(want, story(t.Context(), api.Of(c))); diff != "" {
			t.Errorf("client (-engine +client):\n%s", diff)
		}
	})
	t.Run("TCP", func(t *testing.T) {
		_, h := newEngine(t)
		srv := httptest.NewServer(h)
		defer srv.Close()
		c := must(client.New(srv.URL, testKey, client.Config{}))
		defer c.CloseIdleConnections()
		if diff := cmp.Diff(want, story(t.Context(), api.Of(c))); diff != "" {
			t.Errorf("client (-engine +client):\n%s", diff)
		}
	})
	t.Run("TCP, below a prefix", func(t *testing.T) {
		_, h := newEngine(t)
		srv := httptest.NewServer(http.StripPrefix("/a b", h))
		defer srv.Close()
		c := must(client.New(srv.URL+"/a%20b/", testKey, client.Config{}))
		defer c.CloseIdleConnections()
		if diff := cmp.Diff(want, story(t.Context(), api.Of(c))); diff != "" {
			t.Errorf("client (-engine +client):\n%s", diff)
		}
	})
}

// A teller makes the calls of a story and writes down the results.
type teller struct {
	api.Operations
	ctx  context.Context
	book []string
}

// told writes down the result of a step and returns its answer.
func told[T any](s *teller, step string) func(v T, err error) T {
	return func(v T, err error) T {
		if refusal, ok := errors.AsType[*affiliate.Error](err); ok {
			s.book = append(s.book, fmt.Sprintf("%s: %d %s (%s) %s, not found %v",
				step, refusal.Kind, refusal.Reason, refusal.Field, refusal.Message, errors.Is(err, affiliate.ErrNotFound)))
			return v
		}
		s.book = append(s.book, fmt.Sprintf("%s: %s, error %v", step, jsonOf(v), err))
		return v
	}
}

func jsonOf(v any) string { return string(must(json.Marshal(v))) }

// pages counts the records of a list that is read in pages of two.
func pages[T any](list func(affiliate.Page) (affiliate.List[T], error)) (int, error) {
	n := 0
	for _, err := range affiliate.Each(2, list) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// story calls every operation, with input that works and with input that is
// refused. Ids and secrets in it are replaced by their order of appearance.
func story(ctx context.Context, on api.Operations) []string {
	s := &teller{Operations: on, ctx: ctx}
	ada := s.people()
	s.plansAndTiers(ada)
	s.searches(ada)
	s.codesAndSales(ada)
	s.codesAndClicks(ada)
	s.money(ada)
	s.deliveries()
	s.end(ada)
	return anonymous(s.book)
}

var random = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|evt_[0-9a-f]{32}|whsec_[A-Za-z0-9+/=]+|"secretHint":"[^"]*"`)

func anonymous(book []string) []string {
	names := map[string]string{}
	for i, line := range book {
		book[i] = random.ReplaceAllStringFunc(line, func(id string) string {
			if strings.HasPrefix(id, `"secretHint`) {
				return `"secretHint":"…"`
			}
			if names[id] == "" {
				names[id] = fmt.Sprintf("#%d", len(names))
			}
			return names[id]
		})
	}
	return book
}

func (s *teller) people() affiliate.Affiliate {
	c, x := s.Operations, s.ctx
	type A = affiliate.Affiliate
	ada := told[A](s, "create")(c.CreateAffiliate(x, affiliate.AffiliateParams{
		FirstName: "Ada", LastName: "Lovelace", Email: "Ada@example.com", AffiliateLink: "ada",
	}))
	told[A](s, "slug taken")(c.CreateAffiliate(x, affiliate.AffiliateParams{
		FirstName: "Ada", LastName: "Byron", Email: "byron@example.com", AffiliateLink: "ADA",
	}))
	told[A](s, "slug syntax")(c.CreateAffiliate(x, affiliate.AffiliateParams{
		FirstName: "Ada", LastName: "Byron", Email: "byron@example.com", AffiliateLink: "a/../b?x=1#y",
	}))
	told[A](s, "no name")(c.CreateAffiliate(x, affiliate.AffiliateParams{Email: "x@example.com"}))
	for i := range 4 {
		told[A](s, "more")(c.CreateAffiliate(x, affiliate.AffiliateParams{
			FirstName: "Bo", LastName: fmt.Sprint(i), Email: fmt.Sprintf("bo%d@example.com", i), CommissionRate: affiliate.Set(affiliate.Percent{}),
		}))
	}
	for _, ident := range []string{"ada", "ADA", ada.ID.String(), "7", "nobody", "", "a/../b?x=1#y&z=%"} {
		told[A](s, "by "+ident)(c.Affiliate(x, ident))
	}
	told[A](s, "by email")(c.Affiliate(x, "ADA@example.com"))
	told[A](s, "by no email")(c.Affiliate(x, ""))
	told[int](s, "pages")(pages(func(pg affiliate.Page) (affiliate.List[A], error) {
		return c.Affiliates(x, affiliate.AffiliateQuery{}, pg)
	}))
	told[affiliate.List[A]](s, "all")(c.Affiliates(x, affiliate.AffiliateQuery{}, affiliate.Page{}))
	told[affiliate.List[A]](s, "page too large")(c.Affiliates(x, affiliate.AffiliateQuery{}, affiliate.Page{Limit: 1001}))
	told[affiliate.List[A]](s, "bad cursor")(c.Affiliates(x, affiliate.AffiliateQuery{}, affiliate.Page{Cursor: "?"}))
	told[int](s, "update")(c.UpdateAffiliate(x, affiliate.AffiliateRef{ID: ada.ID}, affiliate.AffiliateUpdate{
		LastName: affiliate.Set("King"), CommissionRate: affiliate.Set(affiliate.MustPercent("12.5")), AffiliateLink: affiliate.Set("king"),
	}))
	told[int](s, "clear rate")(c.UpdateAffiliate(x, affiliate.AffiliateRef{Email: "ada@example.com"}, affiliate.AffiliateUpdate{
		CommissionRate: affiliate.Null[affiliate.Percent](),
	}))
	told[int](s, "update nobody")(c.UpdateAffiliate(x, affiliate.AffiliateRef{Email: "no@example.com"}, affiliate.AffiliateUpdate{}))
	told[int](s, "update whom?")(c.UpdateAffiliate(x, affiliate.AffiliateRef{}, affiliate.AffiliateUpdate{}))
	told[int](s, "update two")(c.UpdateAffiliate(x, affiliate.AffiliateRef{ID: ada.ID, Email: "bo1@example.com"}, affiliate.AffiliateUpdate{}))

	type L = affiliate.Link
	told[L](s, "link")(c.CreateLink(x, affiliate.LinkParams{Link: "ada-2", AffiliateEmail: "ada@example.com"}))
	told[L](s, "link taken")(c.CreateLink(x, affiliate.LinkParams{Link: "ada-2", AffiliateID: ada.ID}))
	told[L](s, "link of nobody")(c.CreateLink(x, affiliate.LinkParams{Link: "n", AffiliateID: anID}))
	told[L](s, "link of whom?")(c.CreateLink(x, affiliate.LinkParams{Link: "n"}))
	told[L](s, "rename")(c.RenameLink(x, affiliate.LinkRef{Slug: "ada-2"}, "ada-3"))
	told[L](s, "rename none")(c.RenameLink(x, affiliate.LinkRef{Slug: "none"}, "ada-3"))
	told[L](s, "rename what?")(c.RenameLink(x, affiliate.LinkRef{}, "ada-3"))
	told[L](s, "rename to nothing")(c.RenameLink(x, affiliate.LinkRef{Slug: "ada"}, ""))
	for _, f := range []affiliate.LinkQuery{{}, {Slug: affiliate.Set("ADA")}, {AffiliateID: affiliate.Set(ada.ID)}, {AffiliateEmail: affiliate.Set("ada@example.com")}, {ID: affiliate.Set(anID)}, {Slug: affiliate.Set("none"), AffiliateID: affiliate.Set(ada.ID)}} {
		told[affiliate.List[L]](s, "links")(c.Links(x, f, affiliate.Page{}))
	}
	told[affiliate.DeletedLink](s, "unlink")(c.DeleteLink(x, affiliate.LinkRef{Slug: "ada-3"}))
	told[affiliate.DeletedLink](s, "unlink again")(c.DeleteLink(x, affiliate.LinkRef{Slug: "ada-3"}))
	return ada
}

func (s *teller) codesAndSales(ada affiliate.Affiliate) {
	c, x := s.Operations, s.ctx
	type K = affiliate.Coupon
	coupon := told[K](s, "coupon")(c.CreateCoupon(x, affiliate.CouponParams{
		Name: "Autumn <20> & more", PercentOff: affiliate.Set(affiliate.MustPercent("20")), ExternalID: "c/1?x#y",
		MaxRedemptions: affiliate.Set(int64(2)), RedeemBy: affiliate.Set(affiliate.Day(2026, 11, 30)),
	}))
	told[K](s, "no percent")(c.CreateCoupon(x, affiliate.CouponParams{Name: "x"}))
	told[K](s, "by id")(c.Coupon(x, affiliate.CouponRef{ID: coupon.ID}))
	told[K](s, "by external id")(c.Coupon(x, affiliate.CouponRef{ExternalID: "c/1?x#y"}))
	told[K](s, "by name")(c.Coupon(x, affiliate.CouponRef{Name: "Autumn <20> & more"}))
	told[K](s, "by nothing")(c.Coupon(x, affiliate.CouponRef{}))
	told[K](s, "none")(c.Coupon(x, affiliate.CouponRef{ID: anID}))
	told[K](s, "update")(c.UpdateCoupon(x, coupon.ID, affiliate.CouponUpdate{Name: affiliate.Set("Autumn"), RedeemBy: affiliate.Null[affiliate.Date]()}))
	told[K](s, "update none")(c.UpdateCoupon(x, anID, affiliate.CouponUpdate{}))
	told[K](s, "update nil")(c.UpdateCoupon(x, uuid.Nil, affiliate.CouponUpdate{}))
	told[K](s, "name null")(c.UpdateCoupon(x, coupon.ID, affiliate.CouponUpdate{Name: affiliate.Null[string]()}))
	told[affiliate.List[K]](s, "coupons")(c.Coupons(x, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{}))

	type C = affiliate.Code
	code := told[C](s, "code")(c.CreateCode(x, affiliate.CodeParams{
		CouponID: coupon.ID, Code: "ADA20", AffiliateID: ada.ID, MinimumAmount: affiliate.Set(affiliate.MustAmount("10")),
	}))
	told[C](s, "no code")(c.CreateCode(x, affiliate.CodeParams{CouponID: coupon.ID}))
	told[C](s, "code of no coupon")(c.CreateCode(x, affiliate.CodeParams{CouponID: anID, Code: "X"}))
	told[C](s, "code of nil")(c.CreateCode(x, affiliate.CodeParams{Code: "X"}))
	told[C](s, "generated")(c.CreateCode(x, affiliate.CodeParams{
		CouponID: coupon.ID, AffiliateID: ada.ID, IsAutoGenerated: true, Prefix: "SHOP",
		CodeStructure: affiliate.Set(affiliate.CodeStructure{FirstName: true, DiscountAmount: true}),
	}))
	told[C](s, "by code")(c.Code(x, affiliate.CodeRef{Code: "ada20"}))
	told[C](s, "by no code")(c.Code(x, affiliate.CodeRef{}))
	for _, f := range []affiliate.CodeQuery{{}, {CouponID: affiliate.Set(coupon.ID)}, {AffiliateEmail: affiliate.Set("ada@example.com")}, {AffiliateID: affiliate.Set(anID)}} {
		told[affiliate.List[C]](s, "codes")(c.Codes(x, f, affiliate.Page{}))
	}
	told[C](s, "retire")(c.UpdateCode(x, code.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
	told[affiliate.Evaluation](s, "preview retired")(c.Evaluate(x, affiliate.Order{PromoCode: "ADA20", TotalEarned: affiliate.Set(affiliate.MustAmount("5"))}))
	told[C](s, "again")(c.UpdateCode(x, code.ID, affiliate.CodeUpdate{Active: affiliate.Set(true)}))
	told[affiliate.Evaluation](s, "preview")(c.Evaluate(x, affiliate.Order{PromoCode: "ADA20", TotalEarned: affiliate.Set(affiliate.MustAmount("19.99"))}))
	told[affiliate.Evaluation](s, "preview what?")(c.Evaluate(x, affiliate.Order{}))

	type R = affiliate.Referral
	kim := told[R](s, "refer")(c.CreateReferral(x, affiliate.ReferralParams{AffiliateID: "ada", Name: "Kim", Email: "kim@example.com", ReferredUserExternalID: "u1"}))
	told[R](s, "refer by nobody")(c.CreateReferral(x, affiliate.ReferralParams{AffiliateID: "nobody", Name: "Lee", Email: "lee@example.com", ReferredUserExternalID: "u2"}))
	told[R](s, "refer how?")(c.CreateReferral(x, affiliate.ReferralParams{Name: "Lee", Email: "lee@example.com", ReferredUserExternalID: "u2"}))
	told[R](s, "kim")(c.Referral(x, "KIM@example.com"))
	told[R](s, "no kim")(c.Referral(x, "kim/..?x=1#y"))
	told[R](s, "update")(c.UpdateReferral(x, kim.ID.String(), affiliate.ReferralUpdate{
		Plan: affiliate.Set("Yearly"), Metadata: affiliate.Set(json.RawMessage(`{"a":[1,null,"<>"]}`)), Notes: affiliate.Set("a\nb"),
	}))
	told[R](s, "update none")(c.UpdateReferral(x, "nobody@example.com", affiliate.ReferralUpdate{}))
	told[R](s, "update whom?")(c.UpdateReferral(x, "", affiliate.ReferralUpdate{}))
	for _, f := range []affiliate.ReferralQuery{{}, {AffiliateID: affiliate.Set(ada.ID)}, {AffiliateEmail: affiliate.Set("no@example.com")}, {ReferredUserExternalID: affiliate.Set("u1")}} {
		told[affiliate.List[R]](s, "referrals")(c.Referrals(x, f, affiliate.Page{}))
	}
	s.sales(ada)
}

// holds uses a code with every limit, and codes without an affiliate.
func (s *teller) holds(ada affiliate.Affiliate) {
	c, x := s.Operations, s.ctx
	sum, one := affiliate.MustAmount, affiliate.Set[int64](1)
	launch := told[affiliate.Coupon](s, "coupon with limits")(c.CreateCoupon(x, affiliate.CouponParams{
		Name: "Launch", PercentOff: affiliate.Set(affiliate.MustPercent("20")), StartsAt: affiliate.Set(affiliate.Day(2026, 3, 11)),
		MaxDiscount: affiliate.Set(sum("15")), MaxDiscountTotal: affiliate.Set(sum("500")), MaxRedemptionsPerCustomer: one, RestoreOnRefund: true,
	}))
	code := told[affiliate.Code](s, "code with limits")(c.CreateCode(x, affiliate.CodeParams{
		CouponID: launch.ID, AffiliateID: ada.ID, Code: "LAUNCH", StartsAt: affiliate.Set(affiliate.Day(2026, 3, 1)), MinimumQuantity: affiliate.Set(sum("2")),
		MaxRedemptionsPerCustomer: one,
	}))
	told[affiliate.Code](s, "ends before it starts")(c.UpdateCode(x, code.ID, affiliate.CodeUpdate{ExpiresAt: affiliate.Set(affiliate.Day(2026, 2, 1))}))
	told[affiliate.Code](s, "no start")(c.UpdateCode(x, code.ID, affiliate.CodeUpdate{StartsAt: affiliate.Null[affiliate.Date]()}))
	told[affiliate.Coupon](s, "a smaller budget")(c.UpdateCoupon(x, launch.ID, affiliate.CouponUpdate{MaxDiscountTotal: affiliate.Set(sum("20"))}))

	until := time.Date(2026, 3, 11, 9, 54, 18, 442_000_001, time.UTC)
	order := func(code, email, amount string, pieces int64) affiliate.Order {
		return affiliate.Order{PromoCode: code, Email: email, Lines: []affiliate.Line{{ID: "1", Amount: sum(amount), Quantity: affiliate.Set(affiliate.AmountFromScaled(pieces * 10_000))}}}
	}
	hold := func(step string, in affiliate.HoldParams) {
		told[affiliate.Hold](s, step)(c.HoldRedemption(x, in))
	}
	hold("hold", affiliate.HoldParams{ID: "cart 1", Until: until, Order: order("launch", "lou@example.com", "50", 2)})
	hold("hold again", affiliate.HoldParams{ID: "cart 1", Until: until, Order: order("launch", "lou@example.com", "100", 2)})
	hold("hold for the same", affiliate.HoldParams{ID: "cart 2", Until: until, Order: order("launch", "Lou+2@example.com", "100", 2)})
	hold("hold too little", affiliate.HoldParams{ID: "cart 2", Until: until, Order: order("launch", "mia@example.com", "100", 1)})
	hold("hold nothing", affiliate.HoldParams{ID: "cart 2", Until: until})
	hold("hold until when?", affiliate.HoldParams{ID: "cart 2", Order: order("launch", "mia@example.com", "100", 2)})
	hold("hold too long", affiliate.HoldParams{ID: "cart 2", Until: until.Add(24 * time.Hour), Order: order("launch", "mia@example.com", "100", 2)})
	hold("hold which?", affiliate.HoldParams{Until: until, Order: order("launch", "mia@example.com", "100", 2)})
	hold("hold another", affiliate.HoldParams{ID: "cart 3", Until: until, Order: order("launch", "mia@example.com", "100", 2)})
	for _, id := range []string{"cart 1", "cart 9", ""} {
		told[affiliate.Hold](s, "held "+id)(c.Hold(x, id))
	}
	told[affiliate.Hold](s, "release")(c.ReleaseHold(x, "cart 3"))
	told[affiliate.Hold](s, "release none")(c.ReleaseHold(x, "cart 9"))
	told[affiliate.Hold](s, "release what?")(c.ReleaseHold(x, ""))
	result, err := c.RecordSale(x, affiliate.SaleParams{HoldID: "cart 1", Email: "lou@example.com", TotalEarned: sum("85"), ExternalID: "held", Lines: order("", "", "100", 2).Lines})
	told[affiliate.SaleResult](s, "confirm")(result, err)
	told[affiliate.Hold](s, "confirmed")(c.Hold(x, "cart 1"))
	told[affiliate.Hold](s, "release a sale")(c.ReleaseHold(x, "cart 1"))
	told[affiliate.Coupon](s, "what is left")(c.Coupon(x, affiliate.CouponRef{ID: launch.ID}))
	told[affiliate.Evaluation](s, "used up by lou")(c.Evaluate(x, order("LAUNCH", "LOU@example.com", "10", 3)))
	told[any](s, "restore by its order")(nil, c.RestoreRedemption(x, affiliate.SaleRef{ExternalID: "held"}))
	told[affiliate.Code](s, "a house code")(c.CreateCode(x, affiliate.CodeParams{CouponID: launch.ID, Code: "HOUSE"}))
	for range 2 {
		result, err := c.RecordSale(x, affiliate.SaleParams{PromoCode: "HOUSE", Email: "nobody@example.com", TotalEarned: sum("40"), Subtotal: affiliate.Set(sum("50")), ExternalID: "house"})
		told[affiliate.SaleResult](s, "redeem alone")(result, err)
	}
	told[any](s, "restore without a sale")(nil, c.RestoreRedemption(x, affiliate.SaleRef{ExternalID: "house"}))
	told[any](s, "restore what?")(nil, c.RestoreRedemption(x, affiliate.SaleRef{}))
}

func (s *teller) sales(ada affiliate.Affiliate) {
	c, x := s.Operations, s.ctx
	type S = affiliate.Sale
	record := func(step string, in affiliate.SaleParams) affiliate.Sale {
		result, err := c.RecordSale(x, in)
		result.Earlier = affiliate.Null[S]() // not on the wire
		told[affiliate.SaleResult](s, step)(result, err)
		return result.Sale.Or(S{})
	}
	sum := affiliate.MustAmount
	sale := record("sale", affiliate.SaleParams{
		PromoCode: "ada20", Email: "kim@example.com", TotalEarned: sum("129.5"), Tax: sum("9.5"), ExternalID: "order 1/2?3",
		Product: affiliate.Set(affiliate.Product{ProductID: "p1", Quantity: affiliate.Set(sum("2"))}),
	})
	record("duplicate", affiliate.SaleParams{PromoCode: "ada20", TotalEarned: sum("1"), ExternalID: "order 1/2?3"})
	record("unattributed", affiliate.SaleParams{Email: "stranger@example.com", Name: "S", TotalEarned: sum("1")})
	record("below minimum", affiliate.SaleParams{PromoCode: "ada20", TotalEarned: sum("1")})
	record("by link", affiliate.SaleParams{ReferralID: "ada", Email: "new@example.com", Name: "New", TotalEarned: sum("10")})
	record("second by code", affiliate.SaleParams{PromoCode: "ada20", TotalEarned: sum("20")})
	record("used up", affiliate.SaleParams{PromoCode: "ada20", TotalEarned: sum("20")})
	record("how much?", affiliate.SaleParams{ReferralID: "ada"})
	s.holds(ada)
	told[affiliate.Referral](s, "pause kim")(c.UpdateReferral(x, "kim@example.com", affiliate.ReferralUpdate{SubscriptionStatus: affiliate.Set(affiliate.SubscriptionDeclined)}))
	lines := []affiliate.Line{{ID: "1", ProductID: "a", PlanID: "y", Name: "n", Categories: []string{"c"}, Quantity: affiliate.Set(sum("0.5")), Amount: sum("30.0001"), Discount: sum("3")}, {Amount: sum("10")}}
	told[affiliate.Evaluation](s, "preview lines")(c.Evaluate(x, affiliate.Order{PromoCode: "ADA20", Lines: lines}))
	told[affiliate.Evaluation](s, "preview lines and product")(c.Evaluate(x, affiliate.Order{PromoCode: "ADA20", Lines: lines, Product: affiliate.Set(affiliate.Product{})}))
	record("lines", affiliate.SaleParams{ReferralID: "ada", Email: "lines@example.com", Name: "Lin", TotalEarned: sum("37.0001"), Lines: lines})
	record("lines that are none", affiliate.SaleParams{ReferralID: "ada", Email: "lines@example.com", TotalEarned: sum("1"), Lines: []affiliate.Line{{Amount: sum("-1")}}})
	record("lines of another sum", affiliate.SaleParams{ReferralID: "ada", Email: "lines@example.com", TotalEarned: sum("1"), Lines: lines, Subtotal: affiliate.Set(sum("40"))})
	record("lines with a name that is none", affiliate.SaleParams{ReferralID: "ada", Email: "lines@example.com", TotalEarned: sum("1"), Lines: []affiliate.Line{{Name: "\n", Amount: sum("1")}}})
	record("inactive customer", affiliate.SaleParams{Email: "kim@example.com", TotalEarned: sum("1")})

	told[S](s, "by id")(c.Sale(x, sale.ID))
	told[S](s, "none")(c.Sale(x, 999))
	told[S](s, "zero")(c.Sale(x, 0))
	for _, f := range []affiliate.SaleQuery{
		{}, {AffiliateID: affiliate.Set(ada.ID)}, {AffiliateEmail: affiliate.Set("ada@example.com")}, {ReferralID: affiliate.Set("kim@example.com")},
		{ExternalID: affiliate.Set("order 1/2?3")}, {ExternalInvoiceID: affiliate.Set("none")},
	} {
		told[affiliate.List[S]](s, "sales")(c.Sales(x, f, affiliate.Page{}))
	}
	told[S](s, "update")(c.UpdateSale(x, sale.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(sum("100")), Metadata: affiliate.Set(json.RawMessage(`{"k":"v"}`))}))
	told[S](s, "update none")(c.UpdateSale(x, 999, affiliate.SaleUpdate{}))
	told[S](s, "update zero")(c.UpdateSale(x, 0, affiliate.SaleUpdate{}))
	type F = affiliate.RefundResult
	told[F](s, "refund part")(c.RefundSale(x, affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(sum("40")), RefundID: "r1"}))
	told[F](s, "refund part again")(c.RefundSale(x, affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(sum("40")), RefundID: "r1"}))
	told[S](s, "update with clawback")(c.UpdateSale(x, sale.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(sum("99")), ClawBack: true}))
	told[S](s, "update back")(c.UpdateSale(x, sale.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(sum("100")), ClawBack: true}))
	told[F](s, "refund part with clawback")(c.RefundSale(x, affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(sum("10")), RefundID: "r2", ClawBack: true}))
	told[F](s, "refund too much")(c.RefundSale(x, affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(sum("90"))}))
	told[F](s, "refund")(c.RefundSale(x, affiliate.Refund{SaleID: sale.ID}))
	told[F](s, "refund again")(c.RefundSale(x, affiliate.Refund{SaleID: sale.ID}))
	told[F](s, "refund lines of a sale without")(c.RefundSale(x, affiliate.Refund{SaleID: sale.ID + 1, Amount: affiliate.Set(sum("1")), Lines: []affiliate.RefundLine{{ID: "1", Amount: sum("1")}}}))
	told[F](s, "refund lines of another sum")(c.RefundSale(x, affiliate.Refund{SaleID: sale.ID + 1, Amount: affiliate.Set(sum("2")), Lines: []affiliate.RefundLine{{ID: "1", Amount: sum("1")}}}))
	told[F](s, "refund none")(c.RefundSale(x, affiliate.Refund{SaleID: 999}))
	told[F](s, "refund zero")(c.RefundSale(x, affiliate.Refund{}))
	told[[]S](s, "hold")(c.ReviewCommissions(x, affiliate.ApprovalOnHold, sale.ID+1, sale.ID+2))
	told[[]S](s, "hold none")(c.ReviewCommissions(x, affiliate.ApprovalOnHold, sale.ID+1, 999))
	told[[]S](s, "hold how?")(c.ReviewCommissions(x, "", sale.ID))
	for _, q := range []affiliate.SaleQuery{
		{LinkID: affiliate.Set(anID)}, {LinkID: affiliate.Null[uuid.UUID]()},
		{}, {AffiliateID: affiliate.Set(ada.ID), ApprovalStatus: affiliate.ApprovalOnHold}, {ReferralID: affiliate.Set("kim@example.com"), Status: affiliate.SaleRefunded},
		{CodeID: affiliate.Set(anID)}, {CodeID: affiliate.Null[uuid.UUID]()}, {Status: "x"}, {ApprovalStatus: "x"}, {Since: affiliate.Set(affiliate.Day(2026, 3, 12))},
		{Since: affiliate.Set(affiliate.Day(2026, 3, 11)), Until: affiliate.Set(affiliate.Day(2026, 3, 11))},
		{OldestFirst: true}, {Currency: "USD"}, {Currency: "EUR"}, {Currency: "EU"}, {Search: affiliate.Set("KIM@")}, {Search: affiliate.Set("kim@example.com")}, {Search: affiliate.Set("")},
	} {
		told[affiliate.List[S]](s, "search")(c.Sales(x, q, affiliate.Page{}))
		told[int](s, "in pages")(pages(func(pg affiliate.Page) (affiliate.List[S], error) { return c.Sales(x, q, pg) }))
	}
	told[[]S](s, "accept")(c.ReviewCommissions(x, affiliate.ApprovalAccepted, sale.ID+1, sale.ID+2))
	told[any](s, "delete")(nil, c.DeleteSale(x, sale.ID))
	told[any](s, "delete again")(nil, c.DeleteSale(x, sale.ID))
	told[any](s, "delete zero")(nil, c.DeleteSale(x, 0))
}

func (s *teller) deliveries() {
	c, x := s.Operations, s.ctx
	type I = affiliate.IssuedEndpoint
	ep := told[I](s, "endpoint")(c.CreateEndpoint(x, affiliate.EndpointParams{URL: "https://hooks.beans.example/in", Events: []affiliate.EventType{"*"}, Description: "All"}))
	told[I](s, "endpoint without url")(c.CreateEndpoint(x, affiliate.EndpointParams{Events: []affiliate.EventType{"*"}}))
	told[I](s, "endpoint without events")(c.CreateEndpoint(x, affiliate.EndpointParams{URL: "https://hooks.beans.example/in"}))
	told[I](s, "rotate")(c.RotateSecret(x, affiliate.Rotation{WebhookID: ep.ID, GracePeriodSeconds: affiliate.Set(int64(0))}))
	told[I](s, "rotate none")(c.RotateSecret(x, affiliate.Rotation{WebhookID: anID}))
	told[I](s, "rotate nil")(c.RotateSecret(x, affiliate.Rotation{}))
	type E = affiliate.Endpoint
	told[E](s, "get")(c.Endpoint(x, ep.ID))
	told[E](s, "get none")(c.Endpoint(x, anID))
	told[E](s, "get nil")(c.Endpoint(x, uuid.Nil))
	told[affiliate.List[E]](s, "endpoints")(c.Endpoints(x, affiliate.Page{}))
	told[affiliate.TestResult](s, "test")(c.TestEndpoint(x, affiliate.EndpointTest{WebhookID: ep.ID, Event: affiliate.SaleDeleted}))
	told[affiliate.TestResult](s, "test what?")(c.TestEndpoint(x, affiliate.EndpointTest{WebhookID: ep.ID, Event: "sale.gone"}))

	told[affiliate.Coupon](s, "an event")(c.CreateCoupon(x, affiliate.CouponParams{Name: "Event", PercentOff: affiliate.Set(affiliate.MustPercent("1"))}))
	type D = affiliate.Delivery
	all := told[affiliate.List[D]](s, "deliveries")(c.Deliveries(x, affiliate.DeliveryQuery{
		WebhookID: affiliate.Set(ep.ID), State: affiliate.DeliveryPending, Event: affiliate.CouponCreated,
		Since: affiliate.Set(affiliate.Day(2026, 3, 11)), Until: affiliate.Set(affiliate.Day(2026, 3, 11)),
	}, affiliate.Page{}))
	told[affiliate.List[D]](s, "deliveries before")(c.Deliveries(x, affiliate.DeliveryQuery{Until: affiliate.Set(affiliate.Day(2026, 3, 10))}, affiliate.Page{}))
	told[affiliate.List[D]](s, "deliveries how?")(c.Deliveries(x, affiliate.DeliveryQuery{State: "lost"}, affiliate.Page{}))
	for _, d := range all.Items {
		told[D](s, "delivery")(c.Delivery(x, d.ID))
		told[int](s, "replay")(c.Replay(x, affiliate.ReplayRange{DeliveryID: d.ID}))
	}
	told[D](s, "delivery none")(c.Delivery(x, anID))
	told[int](s, "replay none")(c.Replay(x, affiliate.ReplayRange{DeliveryID: anID}))
	told[int](s, "replay what?")(c.Replay(x, affiliate.ReplayRange{}))
	told[int](s, "replay range")(c.Replay(x, affiliate.ReplayRange{WebhookID: ep.ID, Since: affiliate.Set(affiliate.Day(2026, 3, 10))}))
	told[int](s, "replay old")(c.Replay(x, affiliate.ReplayRange{WebhookID: ep.ID, Since: affiliate.Set(affiliate.Day(2026, 1, 1))}))
	told[E](s, "switch off")(c.UpdateEndpoint(x, ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false), Description: affiliate.Null[string]()}))
	told[E](s, "update none")(c.UpdateEndpoint(x, anID, affiliate.EndpointUpdate{}))
	told[affiliate.DeletedEndpoint](s, "delete")(c.DeleteEndpoint(x, ep.ID))
	told[affiliate.DeletedEndpoint](s, "delete again")(c.DeleteEndpoint(x, ep.ID))
}

func (s *teller) end(ada affiliate.Affiliate) {
	c, x := s.Operations, s.ctx
	coupon := must(c.Coupon(x, affiliate.CouponRef{Name: "Autumn"}))
	code := must(c.Code(x, affiliate.CodeRef{Code: "ADA20"}))
	told[affiliate.DeletedCode](s, "delete code")(c.DeleteCode(x, code.ID))
	told[affiliate.DeletedCode](s, "delete code again")(c.DeleteCode(x, code.ID))
	told[affiliate.DeletedCoupon](s, "delete coupon")(c.DeleteCoupon(x, coupon.ID))
	told[affiliate.DeletedCoupon](s, "delete coupon again")(c.DeleteCoupon(x, coupon.ID))
	told[affiliate.DeletedCoupon](s, "delete nil")(c.DeleteCoupon(x, uuid.Nil))
	told[any](s, "delete referral")(nil, c.DeleteReferral(x, "kim@example.com"))
	told[any](s, "delete referral again")(nil, c.DeleteReferral(x, "kim@example.com"))
	told[any](s, "delete whom?")(nil, c.DeleteReferral(x, ""))
	told[any](s, "delete affiliate")(nil, c.DeleteAffiliate(x, affiliate.AffiliateRef{ID: ada.ID}))
	told[any](s, "by email")(nil, c.DeleteAffiliate(x, affiliate.AffiliateRef{Email: "bo1@example.com"}))
	told[any](s, "again")(nil, c.DeleteAffiliate(x, affiliate.AffiliateRef{ID: ada.ID}))
	told[any](s, "delete whom?")(nil, c.DeleteAffiliate(x, affiliate.AffiliateRef{}))
	told[int](s, "left")(pages(func(pg affiliate.Page) (affiliate.List[affiliate.Affiliate], error) {
		return c.Affiliates(x, affiliate.AffiliateQuery{}, pg)
	}))
}

// searches is the part of the story in which people look for something.
func (s *teller) searches(ada affiliate.Affiliate) {
	c, x := s.Operations, s.ctx
	text, day := affiliate.Set[string], affiliate.Set(affiliate.Day(2026, 3, 11))
	long := text(strings.Repeat("x", 101))
	for _, q := range []affiliate.AffiliateQuery{
		{OldestFirst: true},
		{}, {Status: affiliate.AffiliateActive}, {Status: "x"}, {PlanID: affiliate.Set(anID)}, {TierID: affiliate.Null[uuid.UUID]()}, {Search: text("ADA")}, {Search: text("example")},
		{Search: text(ada.ID.String()), Status: affiliate.AffiliateActive}, {Search: text(" ")}, {Search: text("")}, {Search: long}, {Search: text("a\x00")},
	} {
		told[affiliate.List[affiliate.Affiliate]](s, "affiliates")(c.Affiliates(x, q, affiliate.Page{}))
		told[int](s, "affiliates in pages")(pages(func(pg affiliate.Page) (affiliate.List[affiliate.Affiliate], error) {
			return c.Affiliates(x, q, pg)
		}))
	}
	for _, q := range []affiliate.ReferralQuery{
		{}, {OldestFirst: true}, {AffiliateID: affiliate.Set(ada.ID), Status: affiliate.SubscriptionActive}, {Status: "x"}, {Since: day, Until: day}, {Since: affiliate.Set(affiliate.Day(2026, 3, 12))},
		{Search: text("kim@example.com")}, {Search: text("exa")}, {Search: long}, {AffiliateID: affiliate.Set(uuid.Nil)},
	} {
		told[affiliate.List[affiliate.Referral]](s, "referrals")(c.Referrals(x, q, affiliate.Page{}))
		told[int](s, "referrals in pages")(pages(func(pg affiliate.Page) (affiliate.List[affiliate.Referral], error) {
			return c.Referrals(x, q, pg)
		}))
	}
	for _, q := range []affiliate.CodeQuery{
		{}, {AffiliateID: affiliate.Set(ada.ID), Active: affiliate.Set(true)}, {Active: affiliate.Set(false)}, {Active: affiliate.Null[bool]()}, {State: affiliate.CodeUsable},
		{OldestFirst: true}, {State: affiliate.CodeUsedUp, CouponID: affiliate.Set(anID)}, {State: "x"}, {Search: text("many")}, {Search: long},
	} {
		told[affiliate.List[affiliate.Code]](s, "codes")(c.Codes(x, q, affiliate.Page{}))
		told[int](s, "codes in pages")(pages(func(pg affiliate.Page) (affiliate.List[affiliate.Code], error) { return c.Codes(x, q, pg) }))
	}
	for _, q := range []affiliate.CouponQuery{{}, {Valid: affiliate.Set(true)}, {Valid: affiliate.Set(false)}, {Valid: affiliate.Null[bool]()}, {ID: affiliate.Set(uuid.Nil)}, {ID: affiliate.Set(uuid.Max)}} {
		told[affiliate.List[affiliate.Coupon]](s, "summaries")(c.Coupons(x, q, affiliate.Page{}))
	}
	s.events(ada)
}

// events is the part of the story in which somebody reads what has happened.
func (s *teller) events(ada affiliate.Affiliate) {
	c, x := s.Operations, s.ctx
	for _, f := range []affiliate.EventQuery{
		{Type: affiliate.AffiliateCreated}, {ObjectID: affiliate.Set(ada.ID.String())}, {ObjectID: affiliate.Set("1"), Type: affiliate.SaleCreated}, {ObjectID: affiliate.Set("")}, {ObjectID: affiliate.Set("x")}, {Type: "x"},
	} {
		l, err := c.Events(x, f, affiliate.Page{})
		told[[]string](s, "events")(shown(l.Items), err)
		told[int](s, "events in pages")(pages(func(pg affiliate.Page) (affiliate.List[affiliate.Event], error) { return c.Events(x, f, pg) }))
	}
	first, err := c.EventsAfter(x, uuid.Nil, 3)
	told[[]string](s, "first events")(shown(first), err)
	for _, id := range []uuid.UUID{first[1].ID, uuid.Nil, uuid.Max} {
		l, err := c.Events(x, affiliate.EventQuery{ID: affiliate.Set(id)}, affiliate.Page{})
		told[[]string](s, "one event")(shown(l.Items), err)
		deliveries, err := c.Deliveries(x, affiliate.DeliveryQuery{EventID: affiliate.Set(id)}, affiliate.Page{})
		told[int](s, "its deliveries")(len(deliveries.Items), err)
	}
	later, err := c.EventsAfter(x, first[2].ID, 2)
	told[[]string](s, "later events")(shown(later), err)
	told[[]affiliate.Event](s, "no more events")(c.EventsAfter(x, uuid.Max, 1))
	for _, limit := range []int{0, -1, 1001} {
		told[[]affiliate.Event](s, "too many events")(c.EventsAfter(x, uuid.Nil, limit))
	}
}

// shown are events without what is drawn.
func shown(events []affiliate.Event) (out []string) {
	for _, e := range events {
		out = append(out, fmt.Sprintln(e.Type, len(e.ObjectID), e.Revision, e.OccurredAt, json.Valid(e.Payload), strings.Contains(string(e.Payload), e.MessageID())))
	}
	return out
}

// plansAndTiers is the part of the story in which the program is administered.
func (s *teller) plansAndTiers(ada affiliate.Affiliate) {
	c, x := s.Operations, s.ctx
	told[affiliate.Settings](s, "settings")(c.Settings(x))
	type P = affiliate.Plan
	rate := affiliate.MustPercent
	gold := told[P](s, "plan")(c.CreatePlan(x, affiliate.PlanParams{
		Name: "Gold <&>", Terms: affiliate.Terms{Rate: rate("25"), MaxPayments: 3, HoldDays: 7}, AutoApproveRewards: affiliate.Set(false),
	}))
	flat := told[P](s, "plan that is flat")(c.CreatePlan(x, affiliate.PlanParams{Name: "Flat", Terms: affiliate.Terms{Type: affiliate.CommissionFlat, Rate: rate("250"), MaxMonths: 2}, PaymentTrigger: affiliate.TriggerSignup}))
	for _, in := range []affiliate.PlanParams{
		{}, {Name: "p"}, {Name: "p", Terms: affiliate.Terms{Rate: rate("101")}}, {Name: "p", Terms: affiliate.Terms{Type: "flat"}}, {Name: "p", Terms: affiliate.Terms{MaxPayments: -1}},
		{Name: "p", Terms: affiliate.Terms{MaxMonths: 1201}}, {Name: "p", Terms: affiliate.Terms{HoldDays: -1}}, {Name: "p", PaymentTrigger: "x"},
	} {
		told[P](s, "plan")(c.CreatePlan(x, in))
	}
	for _, up := range []affiliate.PlanUpdate{
		{}, {Name: affiliate.Set("Gold")}, {TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(rate("30")), MaxPayments: affiliate.Null[int64](), MaxMonths: affiliate.Set[int64](6)}}, {TermsUpdate: affiliate.TermsUpdate{HoldDays: affiliate.Set[int64](1)}, AutoApproveRewards: affiliate.Set(true)},
		{TermsUpdate: affiliate.Terms{Rate: rate("35"), MaxPayments: 2}.Update()}, {TermsUpdate: affiliate.TermsUpdate{MaxMonths: affiliate.Set[int64](0)}}, {Name: affiliate.Null[string]()}, {TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(rate("101"))}},
		{TermsUpdate: affiliate.TermsUpdate{MaxPayments: affiliate.Set[int64](-1)}}, {TermsUpdate: affiliate.TermsUpdate{Type: affiliate.Set[affiliate.CommissionType]("x")}}, {TermsUpdate: affiliate.TermsUpdate{Type: affiliate.Null[affiliate.CommissionType]()}}, {PaymentTrigger: affiliate.Set(affiliate.TriggerBonus)},
	} {
		told[P](s, "update plan")(c.UpdatePlan(x, gold.ID, up))
	}
	ruled := affiliate.Terms{Rate: rate("10"), MonthsFrom: affiliate.MonthsFromReferral, Rules: []affiliate.Rule{
		{
			Name: "r", Firm: true, Pay: affiliate.RulePay{Type: affiliate.RuleUnit, Rate: rate("0.5")}, When: affiliate.RuleWhen{
				Products: []string{"a"}, Plans: []string{"b"}, Categories: []string{"c"}, NotProducts: []string{"d"}, NotPlans: []string{"e"}, NotCategories: []string{"f"},
				PaymentFrom: 1, PaymentTo: 2, MonthFrom: 1, MonthTo: 3, Customer: affiliate.CustomerReturning, Triggers: []affiliate.PaymentTrigger{affiliate.TriggerPurchase},
			},
		},
		{Name: "s", Pay: affiliate.RulePay{Type: affiliate.RulePercentage}},
	}}
	never := ruled.Clone()
	never.Rules[1].When = affiliate.RuleWhen{Customer: affiliate.CustomerNew, PaymentFrom: 2}
	rules := told[P](s, "plan with rules")(c.CreatePlan(x, affiliate.PlanParams{Name: "Rules", Terms: ruled}))
	told[P](s, "plan with a rule that never holds")(c.CreatePlan(x, affiliate.PlanParams{Name: "Rules", Terms: never}))
	for _, up := range []affiliate.PlanUpdate{
		{TermsUpdate: affiliate.TermsUpdate{Rules: affiliate.Set(ruled.Rules[:1])}}, {TermsUpdate: affiliate.TermsUpdate{Rules: affiliate.Set(never.Rules)}}, {TermsUpdate: affiliate.TermsUpdate{Rules: affiliate.Null[[]affiliate.Rule]()}}, {TermsUpdate: affiliate.TermsUpdate{Rules: affiliate.Set(ruled.Rules)}}, {TermsUpdate: affiliate.TermsUpdate{Rules: affiliate.Set([]affiliate.Rule{})}},
		{TermsUpdate: affiliate.TermsUpdate{MonthsFrom: affiliate.Set(affiliate.MonthsFromPayment)}}, {TermsUpdate: affiliate.TermsUpdate{MonthsFrom: affiliate.Null[affiliate.MonthsFrom]()}}, {TermsUpdate: affiliate.TermsUpdate{MonthsFrom: affiliate.Set(affiliate.MonthsFrom("x"))}},
		{TermsUpdate: ruled.Update()}, {TermsUpdate: affiliate.Terms{Rate: rate("11")}.Update()},
		{TermsUpdate: affiliate.TermsUpdate{MaxPerSale: affiliate.Set(affiliate.MustAmount("30")), MaxPerCustomer: affiliate.Set(affiliate.MustAmount("50"))}}, {TermsUpdate: affiliate.TermsUpdate{MaxPerSale: affiliate.Null[affiliate.Amount]()}},
		{TermsUpdate: affiliate.Terms{Rate: rate("11"), MaxPerSale: affiliate.MustAmount("3")}.Update()}, {TermsUpdate: affiliate.TermsUpdate{MaxPerCustomer: affiliate.Set(affiliate.MustAmount("-1"))}},
	} {
		told[P](s, "update rules")(c.UpdatePlan(x, rules.ID, up))
	}
	later := affiliate.Set(affiliate.Day(2099, 1, 1))
	for _, up := range []affiliate.PlanUpdate{
		{TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(rate("15")), From: later}}, {TermsUpdate: affiliate.TermsUpdate{HoldDays: affiliate.Set[int64](9), From: later}}, {TermsUpdate: affiliate.TermsUpdate{From: later}}, {TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(rate("15")), From: affiliate.Set(affiliate.Day(2001, 1, 1))}},
		{TermsUpdate: affiliate.TermsUpdate{Withdraw: affiliate.Set(affiliate.Day(2098, 1, 1))}}, {TermsUpdate: affiliate.TermsUpdate{From: affiliate.Null[affiliate.Date]()}}, {TermsUpdate: affiliate.TermsUpdate{Withdraw: affiliate.Null[affiliate.Date]()}},
	} {
		told[P](s, "update dates")(c.UpdatePlan(x, rules.ID, up))
	}
	told[P](s, "a plan with dates")(c.Plan(x, rules.ID))
	told[P](s, "without dates")(c.UpdatePlan(x, rules.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Withdraw: later}}))
	type T = []affiliate.DatedTerms
	told[T](s, "terms")(c.Terms(x))
	ruledLater := ruled.Update()
	ruledLater.From = later
	for _, up := range []affiliate.TermsUpdate{
		{}, ruledLater, {Rate: affiliate.Set(rate("15")), MaxPerSale: affiliate.Set(affiliate.MustAmount("9")), From: later}, {Rate: affiliate.Set(rate("101"))},
		{Rules: affiliate.Set(never.Rules), From: later}, {Withdraw: later}, {Withdraw: later},
	} {
		told[T](s, "set terms")(c.SetTerms(x, up))
	}
	told[any](s, "delete plan with rules")(nil, c.DeletePlan(x, rules.ID))
	told[P](s, "update no plan")(c.UpdatePlan(x, anID, affiliate.PlanUpdate{}))
	told[P](s, "update which plan?")(c.UpdatePlan(x, uuid.Nil, affiliate.PlanUpdate{}))
	for _, id := range []uuid.UUID{gold.ID, anID, uuid.Nil} {
		told[P](s, "get plan")(c.Plan(x, id))
	}
	told[affiliate.List[P]](s, "plans")(c.Plans(x, affiliate.Page{}))
	told[int](s, "plans in pages")(pages(func(pg affiliate.Page) (affiliate.List[P], error) { return c.Plans(x, pg) }))
	silver := s.tiers()
	s.bulk(ada, gold, silver)
	told[P](s, "type of a plan in use")(c.UpdatePlan(x, gold.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Type: affiliate.Set(affiliate.CommissionFlat)}}))
	for _, id := range []uuid.UUID{gold.ID, flat.ID, flat.ID, uuid.Nil} {
		told[any](s, "delete plan")(nil, c.DeletePlan(x, id))
	}
	for _, id := range []uuid.UUID{silver.ID, anID, uuid.Nil} {
		told[any](s, "delete tier")(nil, c.DeleteTier(x, id))
	}
	s.invitations()
}

// tiers makes tiers and returns one.
func (s *teller) tiers() affiliate.Tier {
	c, x := s.Operations, s.ctx
	type T = affiliate.Tier
	silver := told[T](s, "tier")(c.CreateTier(x, affiliate.TierParams{Tier: 1, Name: "Silver", Emoji: "s", MinReferrals: 3, MinRevenue: affiliate.MustAmount("0.5"), Rate: affiliate.Set(affiliate.MustPercent("22"))}))
	for _, in := range []affiliate.TierParams{
		{}, {Tier: 1}, {Tier: -1, Name: "t"}, {Tier: 2, Name: "t", MinReferrals: -1}, {Tier: 2, Name: "t", MinRevenue: affiliate.MustAmount("-1")}, {Tier: 2, Name: "t", ConditionType: "x"},
		{Tier: 2, Name: "t", Rate: affiliate.Set(affiliate.MustPercent("101"))},
	} {
		told[T](s, "tier")(c.CreateTier(x, in))
	}
	for _, up := range []affiliate.TierUpdate{
		{}, {Name: affiliate.Set("Steel"), Emoji: affiliate.Null[string]()}, {Tier: affiliate.Set[int64](2), Rate: affiliate.Null[affiliate.Percent]()}, {MinRevenue: affiliate.Null[affiliate.Amount]()},
		{ConditionType: affiliate.Set(affiliate.ConditionSome), MinReferrals: affiliate.Set[int64](9)}, {Tier: affiliate.Set[int64](0)},
	} {
		told[T](s, "update tier")(c.UpdateTier(x, silver.ID, up))
	}
	told[T](s, "update which tier?")(c.UpdateTier(x, uuid.Nil, affiliate.TierUpdate{}))
	told[T](s, "get tier")(c.Tier(x, silver.ID))
	told[T](s, "get no tier")(c.Tier(x, anID))
	told[affiliate.List[T]](s, "tiers")(c.Tiers(x, affiliate.Page{}))
	return silver
}

// bulk changes affiliates, most of them several at once.
func (s *teller) bulk(ada affiliate.Affiliate, plan affiliate.Plan, tier affiliate.Tier) {
	c, x := s.Operations, s.ctx
	type A = []affiliate.Affiliate
	join := func(email, status string) uuid.UUID {
		return told[affiliate.Affiliate](s, "join")(c.CreateAffiliate(x, affiliate.AffiliateParams{FirstName: "P", LastName: "Q", Email: email, AffiliateStatus: status})).ID
	}
	first, second := join("pending1@example.com", "inactive"), join("pending2@example.com", "inactive")
	told[A](s, "approve none of two")(c.SetAffiliateStatus(x, affiliate.AffiliateActive, first, anID))
	told[A](s, "approve")(c.SetAffiliateStatus(x, affiliate.AffiliateActive, second, first))
	told[A](s, "approve again")(c.SetAffiliateStatus(x, affiliate.AffiliateActive, second, first))
	told[A](s, "decline")(c.SetAffiliateStatus(x, affiliate.AffiliateDeclined, first))
	told[A](s, "deactivate")(c.SetAffiliateStatus(x, affiliate.AffiliateDeactivated, first))
	told[A](s, "ban")(c.SetAffiliateStatus(x, affiliate.AffiliateBanned, second))
	told[A](s, "ban the deactivated")(c.SetAffiliateStatus(x, affiliate.AffiliateBanned, first))
	told[A](s, "plan")(c.SetAffiliatePlan(x, plan.ID, ada.ID, first))
	told[A](s, "no such plan")(c.SetAffiliatePlan(x, anID, ada.ID))
	told[A](s, "no plan")(c.SetAffiliatePlan(x, uuid.Nil, first))
	told[A](s, "plan of nobody")(c.SetAffiliatePlan(x, plan.ID, anID))
	told[A](s, "tier")(c.SetAffiliateTier(x, tier.ID, ada.ID))
	told[A](s, "no such tier")(c.SetAffiliateTier(x, anID, ada.ID))
	told[A](s, "no tier")(c.SetAffiliateTier(x, uuid.Nil, ada.ID))
	told[A](s, "exempt")(c.SetTierExempt(x, true, ada.ID, first))
	told[A](s, "not exempt")(c.SetTierExempt(x, false, ada.ID, first))
	for _, d := range []affiliate.PayoutDetails{{Email: "Pay@example.com", Method: "PAYPAL"}, {Email: "x"}, {Method: "CASH"}, {}} {
		told[affiliate.Affiliate](s, "payout details")(c.SetPayoutDetails(x, first, d))
	}
	told[affiliate.Affiliate](s, "payout details of nobody")(c.SetPayoutDetails(x, anID, affiliate.PayoutDetails{}))
	told[affiliate.Affiliate](s, "whose payout details?")(c.SetPayoutDetails(x, uuid.Nil, affiliate.PayoutDetails{}))
}

func (s *teller) invitations() {
	c, x := s.Operations, s.ctx
	type A = affiliate.Affiliate
	in := affiliate.AffiliateParams{
		FirstName: "In", LastName: "V", Email: "invited@example.com", AffiliateStatus: "active",
		Answers: []affiliate.Answer{{QuestionID: anID, Answer: "a\nb"}},
	}
	guest := told[A](s, "invite")(c.InviteAffiliate(x, in))
	told[A](s, "invite again")(c.InviteAffiliate(x, in))
	in.Email, in.Answers[0].Answer = "other@example.com", ""
	told[A](s, "invite without an answer")(c.InviteAffiliate(x, in))
	told[A](s, "invite nobody")(c.InviteAffiliate(x, affiliate.AffiliateParams{}))
	told[A](s, "accept badly")(c.AcceptInvite(x, guest.ID, affiliate.AffiliateUpdate{Email: affiliate.Set("x")}))
	told[A](s, "accept")(c.AcceptInvite(x, guest.ID, affiliate.AffiliateUpdate{FirstName: affiliate.Set("Ina"), AffiliateLink: affiliate.Set("ina"), CommissionRate: affiliate.Set(affiliate.MustPercent("12"))}))
	told[A](s, "accept again")(c.AcceptInvite(x, guest.ID, affiliate.AffiliateUpdate{}))
	told[A](s, "accept for nobody")(c.AcceptInvite(x, anID, affiliate.AffiliateUpdate{}))
	told[A](s, "accept for whom?")(c.AcceptInvite(x, uuid.Nil, affiliate.AffiliateUpdate{}))
}

// codesAndClicks is the part of the story about many codes, clicks, and what
// payment providers report.
func (s *teller) codesAndClicks(ada affiliate.Affiliate) {
	c, x := s.Operations, s.ctx
	coupon := told[affiliate.Coupon](s, "coupon for many")(c.CreateCoupon(x, affiliate.CouponParams{Name: "Many", PercentOff: affiliate.Set(affiliate.MustPercent("5"))}))
	told[affiliate.List[affiliate.Coupon]](s, "one summary")(c.Coupons(x, affiliate.CouponQuery{ID: affiliate.Set(coupon.ID)}, affiliate.Page{}))
	batch := func(count int, length int64) affiliate.CodesParams {
		return affiliate.CodesParams{Count: count, CodeParams: affiliate.CodeParams{
			CouponID: coupon.ID, AffiliateID: ada.ID, Prefix: "many", CodeStructure: affiliate.Set(affiliate.CodeStructure{FirstName: true, RandomChars: length > 0}), RandomCharsLength: affiliate.Set(max(length, 1)),
		}}
	}
	var made []affiliate.Code
	for _, in := range []affiliate.CodesParams{batch(3, 8), batch(1, 0), batch(2, 0), batch(20, 1), {Count: 1}, {Count: 1, AffiliateIDs: []uuid.UUID{anID}, CodeParams: batch(1, 8).CodeParams}} {
		told[affiliate.KeySpace](s, "check codes")(c.CheckCodes(x, in))
		codes, err := c.GenerateCodes(x, in)
		for _, k := range codes {
			told[[]any](s, "code")([]any{k.ID, len(k.Code), k.CouponID, k.AffiliateID}, nil)
		}
		told[int](s, "codes")(len(codes), err)
		made = append(made, codes...)
	}
	for _, in := range []affiliate.ClickParams{
		{Slug: "ADA", LandingURL: "https://beans.example/shop?ref=ada&token=x", Referrer: "https://blog.example/a?b", UserAgent: "curl", DeviceID: "d", Repeat: true}, {Slug: "ada"},
		{Slug: "nobody"}, {}, {Slug: "ada", DeviceID: "a\x00"},
	} {
		told[affiliate.Click](s, "click")(c.TrackClick(x, in))
	}
	sale := told[affiliate.SaleResult](s, "by a generated code")(c.RecordSale(x, affiliate.SaleParams{PromoCode: made[0].Code, Email: "gen@example.com", Name: "G", TotalEarned: affiliate.MustAmount("50"), ExternalID: "gen-1", ExternalInvoiceID: "gen-i"})).Sale.Or(affiliate.Sale{})
	customer := sale.Referral.Or(affiliate.Referral{})
	type R = affiliate.Referral
	for _, status := range []affiliate.SubscriptionStatus{"ACTIVE", "SUBMITTED", "DECLINED", "PAST_DUE", "CANCELLED", "", "x"} {
		told[R](s, "push "+string(status))(c.PushReferralStatus(x, "gen@example.com", status))
	}
	told[R](s, "push for nobody")(c.PushReferralStatus(x, "nobody@example.com", "ACTIVE"))
	told[R](s, "push for whom?")(c.PushReferralStatus(x, "", "ACTIVE"))
	plan := told[affiliate.Plan](s, "plan of a referral")(c.CreatePlan(x, affiliate.PlanParams{Name: "VIP", Terms: affiliate.Terms{Rate: affiliate.MustPercent("40")}}))
	told[[]R](s, "set plan")(c.SetReferralPlan(x, plan.ID, customer.ID))
	told[[]R](s, "no such plan")(c.SetReferralPlan(x, anID, customer.ID))
	told[[]R](s, "plan of no referral")(c.SetReferralPlan(x, plan.ID, anID))
	told[[]R](s, "no plan")(c.SetReferralPlan(x, uuid.Nil, customer.ID))
	type V = affiliate.ReversedSale
	for _, ref := range []affiliate.SaleRef{{}, {ID: 999}, {ExternalID: "none"}, {InvoiceID: "gen-i"}, {ExternalID: "gen-1"}} {
		told[V](s, "reverse")(c.ReverseSale(x, ref, affiliate.Reversal{}))
	}
	told[V](s, "reverse how?")(c.ReverseSale(x, affiliate.SaleRef{ID: sale.ID}, affiliate.Reversal{ClawBack: true, RefundID: " "}))
	for _, id := range []affiliate.SaleID{sale.ID, sale.ID, 999, 0} {
		told[any](s, "restore")(nil, c.RestoreRedemption(x, affiliate.SaleRef{ID: id}))
	}
}
