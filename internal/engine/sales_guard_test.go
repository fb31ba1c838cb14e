package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// A guard is a Store that fails the test for texts that a store may not be able
// to keep: NUL, invalid UTF-8, a key of more than 767 bytes.
type guard struct {
	record.Store
	t testing.TB
}

func newGuard(t testing.TB) guard { return guard{memstore.New(), t} }

func (g guard) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return g.Store.View(ctx, id, func(tx *record.Tx) error { return fn(g.watch(tx)) })
}

func (g guard) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return g.Store.Update(ctx, id, func(tx *record.Tx) error { return fn(g.watch(tx)) })
}

func (g guard) watch(tx *record.Tx) *record.Tx {
	out := &record.Tx{Raise: tx.Raise}
	for _, table := range record.Schema() {
		table.Set(out, guardTable{table.In(tx), g.t, table.Name})
	}
	return out
}

type guardTable struct {
	record.Table[record.AnyRecord]
	t    testing.TB
	name string
}

func (g guardTable) key(k record.Key) {
	g.t.Helper()
	if len(k.Text) > 767 || !utf8.ValidString(k.Text) || strings.Contains(k.Text, "\x00") {
		g.t.Errorf("%s: a key of %d bytes: %.60q", g.name, len(k.Text), k.Text)
	}
}

func (g guardTable) record(rec record.AnyRecord) {
	g.t.Helper()
	for _, k := range rec.AppendKeys(nil) {
		g.key(k)
	}
	guardText(g.t, reflect.TypeOf(rec).Name(), reflect.ValueOf(rec))
	switch r := rec.(type) {
	case record.Event:
		guardText(g.t, "payload", reflect.ValueOf(string(r.Payload.Bytes())))
	case record.Receipt:
		guardText(g.t, "answer", reflect.ValueOf(string(r.Answer.Bytes())))
	}
}

// guardText checks every text below v, also in unexported fields.
func guardText(t testing.TB, path string, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		if s := v.String(); !utf8.ValidString(s) || strings.Contains(s, "\x00") || strings.Contains(s, `\u0000`) {
			t.Errorf("%s arrived at the store: %.60q", path, s)
		}
	case reflect.Struct:
		switch v.Type() {
		case reflect.TypeFor[time.Time](), reflect.TypeFor[record.Payload]():
			return
		}
		for i := range v.NumField() {
			guardText(t, path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			guardText(t, path, reflect.ValueOf(string(v.Bytes())))
			return
		}
		for i := range v.Len() {
			guardText(t, path, v.Index(i))
		}
	case reflect.Pointer, reflect.Map, reflect.Interface:
		t.Fatalf("%s: records hold no %s", path, v.Kind())
	}
}

func (g guardTable) Find(k record.Key) (record.AnyRecord, error) { g.key(k); return g.Table.Find(k) }
func (g guardTable) List(q record.Query) iter.Seq2[record.AnyRecord, error] {
	g.key(q.Key)
	return g.Table.List(q)
}
func (g guardTable) Insert(rec record.AnyRecord) error  { g.record(rec); return g.Table.Insert(rec) }
func (g guardTable) Replace(rec record.AnyRecord) error { g.record(rec); return g.Table.Replace(rec) }

// The guard finds what it should find.
func TestGuard(t *testing.T) {
	for name, rec := range map[string]record.Referral{
		"NUL": {Name: "a\x00"}, "UTF-8": {CustomerID: "\xff"}, "metadata": {Metadata: json.RawMessage(`{"a":"\u0000"}`)}, "enum": {Integration: "\x00"},
		"notes": {Notes: affiliate.Set("\xff")},
	} {
		var quiet silentTest
		guardText(&quiet, name, reflect.ValueOf(rec))
		if !quiet.failed {
			t.Errorf("%s passed", name)
		}
	}
}

// silentTest is a test that only notes that it failed.
type silentTest struct {
	testing.TB
	failed bool
}

func (s *silentTest) Helper()               {}
func (s *silentTest) Errorf(string, ...any) { s.failed = true }

// hostileTexts returns texts that programs often handle wrongly.
func hostileTexts() []string {
	return []string{
		"\x00", "a\x00b", "\xff", "a\xc3", "\xed\xa0\x80", "\u202e", "\ufeff", "\u2028", "\x7f", "\u0085", "\r\n", "\t",
		strings.Repeat("x", 1_000_000), strings.Repeat("漢", 255), strings.Repeat("漢", 256), strings.Repeat("\U0001f600", 255),
		strings.Repeat("\x00", 1_000_000), "\u212aelvin@example.net", "ADA20\u0000", "ａｄａ", "аda", "ada\u0301", "' OR 1=1 --", "%s%n{}", `{"a":1}`, "null", "-1", "1e3",
		"00000000-0000-0000-0000-000000000000", "9223372036854775808", "=cmd()", "<script>", "a@b", "ada@example.com\x00", "\u00a0", " ",
	}
}

// putText calls fn with a copy of in for each text field, also those inside an
// Opt, with that field set to text.
func putText[T any](in T, text string, fn func(field string, in T)) {
	v := reflect.New(reflect.TypeOf(in)).Elem()
	for i := range v.NumField() {
		v.Set(reflect.ValueOf(in))
		f := v.Field(i)
		switch {
		case f.Kind() == reflect.String:
			f.SetString(text)
		case f.Type() == reflect.TypeFor[affiliate.Opt[string]]():
			f.Set(reflect.ValueOf(affiliate.Set(text)))
		case f.Type() == reflect.TypeFor[affiliate.Opt[json.RawMessage]]():
			f.Set(reflect.ValueOf(affiliate.Set(json.RawMessage(text))))
		case f.Type() == reflect.TypeFor[affiliate.Opt[affiliate.SubscriptionStatus]]():
			f.Set(reflect.ValueOf(affiliate.Set(affiliate.SubscriptionStatus(text))))
		case f.Type() == reflect.TypeFor[affiliate.Opt[affiliate.Product]]():
			f.Set(reflect.ValueOf(affiliate.Set(affiliate.Product{ProductID: text, Name: text})))
		case f.Type() == reflect.TypeFor[affiliate.ReferralParams]():
			putText(f.Interface().(affiliate.ReferralParams), text, func(field string, inner affiliate.ReferralParams) {
				f.Set(reflect.ValueOf(inner))
				fn(field, v.Interface().(T))
			})
			continue
		default:
			continue
		}
		fn(v.Type().Field(i).Name, v.Interface().(T))
	}
}

// Every text field of every input of these nouns, with every hostile text, is
// refused or accepted. It never panics, never reaches the store when that
// cannot keep it, and is never repeated in a message.
func TestHostileTexts(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShopIn(scene.NewOn(t, newGuard(t)))
	base := s.ToTomas("100")
	s.PaysOut()
	n := 0
	check := func(what string, err error) {
		t.Helper()
		refusal, ok := errors.AsType[*affiliate.Error](err)
		if err != nil && !ok && err != affiliate.ErrNotFound {
			t.Errorf("%.80q: %v", what, err)
		}
		if ok && (len(refusal.Message) > 300 || !utf8.ValidString(refusal.Message) || strings.ContainsAny(refusal.Message, "\x00\r\n")) {
			t.Errorf("%.80q: message %.100q", what, refusal.Message)
		}
	}
	for _, text := range hostileTexts() {
		what := func(op, field string) string { return op + " " + field + " " + text[:min(len(text), 20)] }
		putText(affiliate.SaleParams{Email: s.Tomas.Email, TotalEarned: scene.Sum("1")}, text, func(f string, in affiliate.SaleParams) {
			_, err := s.RecordSale(ctx, in)
			check(what("RecordSale", f), err)
		})
		putText(affiliate.SaleUpdate{}, text, func(f string, in affiliate.SaleUpdate) {
			_, err := s.UpdateSale(ctx, base.ID, in)
			check(what("UpdateSale", f), err)
		})
		putText(affiliate.ReferralParams{AffiliateID: "ada", Name: "n", Email: "h" + scene.JSON(n) + "@example.net", ReferredUserExternalID: "h"}, text, func(f string, in affiliate.ReferralParams) {
			n++
			if f != "Email" {
				in.Email = "h" + scene.JSON(n) + "@example.net"
			}
			if f != "ReferredUserExternalID" {
				in.ReferredUserExternalID = in.Email
			}
			_, err := s.CreateReferral(ctx, in)
			check(what("CreateReferral", f), err)
			in.Email, in.ReferredUserExternalID = "i"+in.Email, "i"+in.ReferredUserExternalID
			_, err = s.Imports().Referrals(ctx, []imported.Referral{{ReferralParams: in}, {ReferralParams: in, Status: affiliate.SubscriptionStatus(text)}})
			check(what("ImportReferrals", f), err)
		})
		putText(affiliate.ReferralUpdate{}, text, func(f string, in affiliate.ReferralUpdate) {
			_, err := s.UpdateReferral(ctx, s.Bea.ID.String(), in)
			check(what("UpdateReferral", f), err)
			_, err = s.UpdateReferral(ctx, text, in)
			check(what("UpdateReferral ident", f), err)
		})
		putText(affiliate.SaleQuery{}, text, func(f string, in affiliate.SaleQuery) {
			_, err := s.Sales(ctx, in, affiliate.Page{})
			check(what("Sales", f), err)
		})
		putText(affiliate.RecalculateJob{}, text, func(f string, in affiliate.RecalculateJob) {
			_, err := s.Run(ctx, in)
			check(what("RecalculateSales", f), err)
		})
		putText(affiliate.ReferralQuery{}, text, func(f string, in affiliate.ReferralQuery) {
			_, err := s.Referrals(ctx, in, affiliate.Page{})
			check(what("Referrals", f), err)
		})
		putText(affiliate.SaleRef{}, text, func(f string, in affiliate.SaleRef) {
			check(what("ReverseSale", f), scene.ErrOf(s.ReverseSale(ctx, in, affiliate.Reversal{})))
		})
		putText(affiliate.Refund{SaleID: base.ID}, text, func(f string, in affiliate.Refund) {
			_, err := s.RefundSale(ctx, in)
			check(what("RefundSale", f), err)
		})
		putText(affiliate.Page{}, text, func(f string, in affiliate.Page) {
			_, err := s.Sales(ctx, affiliate.SaleQuery{}, in)
			check(what("Page", f), err)
		})
		putText(affiliate.PayoutParams{AffiliateID: s.Bob.ID}, text, func(f string, in affiliate.PayoutParams) {
			s.Sell(affiliate.SaleParams{PromoCode: "ADA20"})
			in.AffiliateID = s.Ada.Person.ID
			_, err := s.CreatePayout(ctx, in)
			check(what("CreatePayout", f), err)
		})
		for op, call := range map[string]func() error{
			"Referral":           func() error { _, err := s.Referral(ctx, text); return err },
			"PushReferralStatus": func() error { _, err := s.PushReferralStatus(ctx, text, affiliate.SubscriptionActive); return err },
			"PushStatus": func() error {
				return scene.ErrOf(s.PushReferralStatus(ctx, s.Bea.ID.String(), affiliate.SubscriptionStatus(text)))
			},
			"ReviewCommissions": func() error { _, err := s.ReviewCommissions(ctx, affiliate.ApprovalStatus(text), base.ID); return err },
			"SetPayoutStatus":   func() error { _, err := s.SetPayoutStatus(ctx, uuid.Max, affiliate.PayoutStatus(text)); return err },
			"FailPayout":        func() error { return failFirstPayout(ctx, s, text) },
			"Once": func() error {
				return scene.ErrOf(s.RecordSale(ctx, affiliate.SaleParams{Once: affiliate.Once{Key: text}, Email: s.Tomas.Email, TotalEarned: scene.Sum("1")}))
			},
			"OnceRefused": func() error {
				return scene.ErrOf(s.CreateReferral(ctx, affiliate.ReferralParams{Once: affiliate.Once{Key: "k" + fmt.Sprint(n)}, AffiliateID: "ada", Name: text, Email: text, Plan: text}))
			},
			"DeleteReferral": func() error {
				if text == "" {
					return nil
				}
				return s.Forfeiting().DeleteReferral(ctx, text)
			},
		} {
			n++
			check(op+" "+text[:min(len(text), 20)], call())
		}
	}
	s.Verifies()
}

func failFirstPayout(ctx context.Context, s scene.Shop, reason string) error {
	list, err := s.Payouts(ctx, affiliate.PayoutQuery{}, affiliate.Page{})
	if err != nil {
		return err
	}
	_, err = s.FailPayout(ctx, list.Items[len(list.Items)-1].ID, reason)
	return err
}

// Numbers and times at the ends of their ranges are accepted or refused,
// without overflow or panic.
func TestHostileNumbers(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShopIn(scene.NewOn(t, newGuard(t), func(c *tributary.Config) { c.RefundWindow = math.MaxInt64 }))
	base := s.ToTomas("100")
	for _, n := range []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, math.MaxInt64} {
		amount, rate := affiliate.AmountFromScaled(n), affiliate.PercentFromScaled(n)
		for _, in := range []affiliate.SaleParams{
			{TotalEarned: amount}, {TotalEarned: scene.Sum("1"), Tax: amount}, {TotalEarned: scene.Sum("1"), Shipping: amount}, {TotalEarned: amount, Tax: amount},
			{TotalEarned: scene.Sum("1"), CommissionRate: affiliate.Set(rate)},
			{TotalEarned: scene.Sum("1"), Product: affiliate.Set(affiliate.Product{Quantity: affiliate.Set(amount), Price: affiliate.Set(amount)})},
		} {
			in.Email = s.Tomas.Email
			if res, err := s.RecordSale(ctx, in); err == nil {
				sale, _ := res.Sale.Get()
				scene.Must(0, s.DeleteSale(ctx, sale.ID))
			} else if _, ok := errors.AsType[*affiliate.Error](err); !ok {
				t.Errorf("%+v: %v", in, err)
			}
		}
		for _, up := range []affiliate.SaleUpdate{{TotalEarned: affiliate.Set(amount)}, {CommissionEarned: affiliate.Set(amount)}, {CommissionRate: affiliate.Set(rate)}} {
			if _, err := s.UpdateSale(ctx, base.ID, up); err != nil {
				if _, ok := errors.AsType[*affiliate.Error](err); !ok {
					t.Errorf("%+v: %v", up, err)
				}
			}
			s.Verifies()
		}
		scene.Must(s.UpdateSale(ctx, base.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(scene.Sum("100"))}))
		for _, at := range []time.Time{{}, time.Unix(0, n), time.Unix(n, 0), time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)} {
			_, err := s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.Bob.ID, Until: at})
			if !errors.Is(err, affiliate.NothingPayable) {
				t.Errorf("until %v: %v", at, err)
			}
			scene.Must(s.Imports().Referrals(ctx, []imported.Referral{{CreatedAt: at, ReferralParams: affiliate.ReferralParams{AffiliateID: "ada", Name: "n", Email: "t" + fmt.Sprint(n, at.Year()) + "@example.net", ReferredUserExternalID: "x" + fmt.Sprint(n, at.Year())}}}))
		}
		for _, err := range []error{s.DeleteSale(ctx, affiliate.SaleID(min(n, -1)))} {
			if err != nil {
				t.Error(err)
			}
		}
	}
	s.Verifies()
}

// The suite's own scenarios, with the guard.
func TestGuardedScenarios(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShopIn(scene.NewOn(t, newGuard(t)))
	fill(s)
	scene.Must(s.UpdateSale(ctx, 1, affiliate.SaleUpdate{ExternalID: scene.TextOf(strings.Repeat("漢", 255)), Metadata: rawObject(`{"é":"\ud83d\ude00"}`)}))
	scene.Must(s.UpdateReferral(ctx, s.Bea.Email, affiliate.ReferralUpdate{Notes: scene.TextOf("a\n\tb"), ReferredUserExternalID: scene.TextOf(strings.Repeat("\U0001f600", 255))}))
	scene.Must(0, s.Forfeiting().DeleteReferral(ctx, "adafill0@example.net"))
	scene.Must(0, s.Forfeiting().EraseAffiliate(ctx, s.Ada.Person.ID))
	scene.Must(0, s.EraseReferral(ctx, s.Tomas.ID.String()))
	s.Verifies()
}

// When the clock goes back, no time of a record goes back (I54): updatedAt
// stays.
func TestClockGoesBack(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	hook := s.Hook(affiliate.EventTypes()...)
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p"}))
	tier := scene.Must(s.CreateTier(ctx, affiliate.TierParams{Tier: 1, Name: "t", ConditionType: affiliate.ConditionAll}))
	sale, paid := s.ToTomas("100"), s.Sell(affiliate.SaleParams{Email: s.Bea.Email})
	payout := scene.Must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.Bob.ID}))
	pending := scene.Must(s.InviteAffiliate(ctx, affiliate.AffiliateParams{FirstName: "I", LastName: "N", Email: "i@example.com"}))
	s.Pass(-time.Hour)
	for name, call := range map[string]func() error{
		"sale": func() error {
			return scene.ErrOf(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{TotalEarned: scene.Amount("50")}))
		},
		"by hand": func() error {
			return scene.ErrOf(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{CommissionEarned: scene.Amount("1")}))
		},
		"refund": func() error {
			return scene.ErrOf(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: scene.Amount("1")}))
		},
		"review": func() error { _, err := s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, sale.ID); return err },
		"payout": func() error { _, err := s.SetPayoutStatus(ctx, payout.ID, affiliate.PayoutPaid); return err },
		"referral": func() error {
			return scene.ErrOf(s.UpdateReferral(ctx, s.Tomas.Email, affiliate.ReferralUpdate{Name: scene.TextOf("n")}))
		},
		"erase": func() error { return s.EraseReferral(ctx, s.Bea.Email) },
		"affiliate": func() error {
			return scene.ErrOf(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: s.Bob.ID}, affiliate.AffiliateUpdate{FirstName: scene.TextOf("B")}))
		},
		"ban":    func() error { _, err := s.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, s.Bob.ID); return err },
		"accept": func() error { _, err := s.AcceptInvite(ctx, pending.ID, affiliate.Acceptance{}); return err },
		"new link": func() error {
			return scene.ErrOf(s.CreateLink(ctx, affiliate.LinkParams{Link: "n", AffiliateID: s.Bob.ID}))
		},
		"rename": func() error { _, err := s.RenameLink(ctx, affiliate.LinkRef{Slug: "bob"}, "bobby"); return err },
		"coupon": func() error {
			return scene.ErrOf(s.UpdateCoupon(ctx, s.Autumn.ID, affiliate.CouponUpdate{Name: scene.TextOf("n")}))
		},
		"code": func() error {
			return scene.ErrOf(s.UpdateCode(ctx, s.ADA20.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
		},
		"plan": func() error {
			return scene.ErrOf(s.UpdatePlan(ctx, plan.ID, affiliate.PlanUpdate{Name: scene.TextOf("n")}))
		},
		"tier": func() error {
			return scene.ErrOf(s.UpdateTier(ctx, tier.ID, affiliate.TierUpdate{Name: scene.TextOf("n")}))
		},
		"tiers": func() error { _, err := s.Run(ctx, affiliate.AssignTiersJob{}); return err },
		"endpoint": func() error {
			return scene.ErrOf(s.Webhooks().UpdateEndpoint(ctx, hook.ID, affiliate.EndpointUpdate{Description: scene.TextOf("n")}))
		},
		"rotation": func() error {
			return scene.ErrOf(s.Webhooks().RotateSecret(ctx, affiliate.Rotation{WebhookID: hook.ID}))
		},
		"hold": func() error { _, err := s.ReviewCommissions(ctx, affiliate.ApprovalAccepted, sale.ID); return err },
	} {
		if err := call(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := s.Verify(ctx); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	scene.Must(s.Webhooks().DeleteEndpoint(ctx, hook.ID))
	scene.Must(0, s.Forfeiting().EraseAffiliate(ctx, s.Ada.Person.ID))
	scene.Must(0, s.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID}))
	if got := scene.Must(s.Sale(ctx, paid.ID)); !got.UpdatedAt.Equal(paid.UpdatedAt) {
		t.Errorf("updatedAt went from %v to %v", paid.UpdatedAt, got.UpdatedAt)
	}
	s.Verifies()
}

// Ids are unique and rise whatever the clock does, and so do the integer ids of
// each kind.
func TestIDsRise(t *testing.T) {
	s := scene.NewShop(t)
	var last uuid.UUID
	for i, back := range []time.Duration{0, 0, -time.Hour, time.Millisecond, 2 * time.Hour, -time.Microsecond, 0} {
		s.Pass(back)
		r := s.Customer("ada", "c"+scene.JSON(i))
		if slices.Compare(last[:], r.ID[:]) >= 0 || r.ID.Version() != 7 || r.ID.Variant() != uuid.RFC4122 {
			t.Errorf("%v after %v", r.ID, last)
		}
		last = r.ID
	}
	before := s.ToTomas("1")
	var mu sync.Mutex
	ids, sales, commissions := map[uuid.UUID]bool{}, map[affiliate.SaleID]bool{}, map[affiliate.CommissionID]bool{}
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 10 {
				res := scene.Must(s.RecordSale(context.Background(), affiliate.SaleParams{
					ReferralID: "ada", Email: "w" + scene.JSON(worker) + "-" + scene.JSON(i) + "@example.net", Name: "n", TotalEarned: scene.Sum("1"),
				}))
				sale, _ := res.Sale.Get()
				mu.Lock()
				ids[sale.ReferralID.Or(uuid.Nil)], sales[sale.ID], commissions[sale.Commissions[0].ID] = true, true, true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(ids) != 80 || len(sales) != 80 || len(commissions) != 80 || sales[before.ID] {
		t.Errorf("%d ids, %d sales, %d commissions", len(ids), len(sales), len(commissions))
	}
	scene.Must(0, s.DeleteSale(t.Context(), before.ID))
	if next := s.ToTomas("1"); sales[next.ID] || next.ID == before.ID {
		t.Errorf("sale id %d was given out twice", next.ID)
	}
	s.Verifies()
}

// When the random bits of an id are full, the milliseconds rise, and the
// version stays.
func TestIDsCarry(t *testing.T) {
	s := scene.New(t, func(c *tributary.Config) { c.Rand = endless(0xff) })
	var last uuid.UUID
	for i := range 300 {
		a := scene.Must(s.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "a", LastName: "b", Email: "a" + scene.JSON(i) + "@example.com"}))
		if slices.Compare(last[:], a.ID[:]) >= 0 || a.ID.Version() != 7 || a.ID.Variant() != uuid.RFC4122 {
			t.Fatalf("%v after %v", a.ID, last)
		}
		last = a.ID
	}
}

func jsonInto(text string, v any) error { return json.Unmarshal([]byte(text), v) }
