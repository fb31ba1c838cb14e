package proofs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// unkeyed are the methods that ignore a key, with the reason.
var unkeyed = map[string]string{
	"ClaimDeliveries": "a claim has a token", "SettleDeliveries": "a claim has a token",
	"Config": view, "With": view, "Rehearsal": view, "From": view, "By": view, "Because": view, "Keyed": view, "Forfeiting": view, "Partner": view, "Webhooks": view, "Payments": view, "Values": view, "Imports": view,
	"Ping": reads, "Attention": reads, "PaymentConflict": reads, "OverdrawnRedemption": reads, "PayoutEntries": reads, "AdjustmentReasons": reads, "Backlog": reads, "Verify": reads, "Follow": reads, "Events": reads, "EventsAfter": reads, "WriteCoupon": reads, "WriteCoupons": reads,
	"AffiliateData": reads, "ReferralData": reads, "Terms": reads,
	"Affiliate": reads, "Answers": reads, "Affiliates": reads, "Links": reads, "Coupon": reads, "Coupons": reads,
	"Code": reads, "Codes": reads, "Referral": reads, "Referrals": reads, "Sale": reads, "Sales": reads, "SaleSums": reads,
	"Endpoint": reads, "Endpoints": reads, "Delivery": reads, "Deliveries": reads,
	"ExplainSale": reads, "Simulate": reads, "Payout": reads, "Payouts": reads, "PayoutSums": reads, "Adjustment": reads, "Adjustments": reads, "Case": reads, "Cases": reads, "Transfers": reads, "Balance": reads, "Balances": reads, "TotalBalance": reads, "RankedBalances": reads, "Movements": reads, "Report": reads, "Breakdown": reads, "Statement": reads, "PreviewPayouts": reads, "ProviderPayment": reads, "ProviderPayments": reads, "Payer": reads,
	"Hold": reads, "Holds": reads,
	"PayoutRun": reads, "PayoutRuns": reads, "PayoutLines": reads, "Plans": reads, "Budgets": reads, "Bonuses": reads, "Tiers": reads,
	"Plan": reads, "Tier": reads, "Settings": reads, "CheckCodes": reads,
}

const (
	reads = "it reads"
	view  = "it makes another view of the program"
)

// A keyedShop is a program in which every write has something to do, with
// arguments that succeed.
type keyedShop struct {
	scene.OnceShop
	writes map[string][]any
}

func newKeyedShop(t *testing.T, store record.Store) keyedShop {
	ctx, s := t.Context(), scene.NewOnceShop(t, store, func(c *tributary.Config) { c.StoredSettings = true })
	s.Program = s.With(s.Store) // without the probe, which is slow
	person := func(name string) affiliate.AffiliateParams {
		return affiliate.AffiliateParams{FirstName: name, LastName: "B", Email: name + "@example.com", AffiliateLink: name}
	}
	pending := person("pending")
	pending.AffiliateStatus = "inactive"
	paid, waiting := scene.Must(s.CreateAffiliate(ctx, person("paid"))), scene.Must(s.CreateAffiliate(ctx, pending))
	invited := scene.Must(s.InviteAffiliate(ctx, person("invited")))
	plan, tier := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "old"})), scene.Must(s.CreateTier(ctx, affiliate.TierParams{Tier: 1, Name: "old", Rate: scene.Percent("30")}))
	sold := func(in affiliate.SaleParams) affiliate.Sale {
		in.TotalEarned = affiliate.MustAmount("100")
		return scene.Must(s.RecordSale(ctx, in)).Sale.Or(affiliate.Sale{})
	}
	kim := sold(affiliate.SaleParams{ReferralID: "ada", Email: "kim@example.net", Name: "Kim"}).Referral.Or(affiliate.Referral{})
	byCode := sold(affiliate.SaleParams{PromoCode: "ADA20", ExternalID: "order-1"})
	sold(affiliate.SaleParams{ReferralID: "paid", Email: "lee@example.net", Name: "Lee"})
	settled := scene.Must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: paid.ID, ManuallyPaid: true}))
	sold(affiliate.SaleParams{ReferralID: "paid", Email: "lee@example.net", Name: "Lee"})
	payout := scene.Must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: paid.ID}))
	twin := scene.Must(s.CreateAffiliate(ctx, person("twin")))
	sold(affiliate.SaleParams{ReferralID: "twin", Email: "max@example.net", Name: "Max"})
	scene.Must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: twin.ID, ManuallyPaid: true}))
	sold(affiliate.SaleParams{ReferralID: "twin", Email: "max@example.net", Name: "Max"})
	scene.Must(s.UpdatePlan(ctx, plan.ID, affiliate.PlanUpdate{Name: affiliate.Set("older")}))
	scene.Must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: s.Person.ID}, affiliate.AffiliateUpdate{CommissionRate: scene.Percent("25")}))
	delivery := scene.Must(s.Webhooks().Deliveries(ctx, affiliate.DeliveryQuery{}, affiliate.Page{})).Items[0]
	scene.Must(s.UpdateReferral(ctx, "kim@example.net", affiliate.ReferralUpdate{ReferredUserExternalID: affiliate.Set("customer-kim")}))
	scene.Must(0, s.Payments().ReportPayer(ctx, "stripe", affiliate.PayerFact{ID: "cus_S", Email: "kim@example.net", CustomerID: "customer-kim"}))

	scene.Must(s.Imports().Sales(ctx, []imported.Sale{{Ref: "was", Email: "kim@example.net", TotalEarned: affiliate.MustAmount("20"), CommissionEarned: affiliate.MustAmount("4")}}))

	conflict := scene.Must(s.Payments().ReportPayment(ctx, affiliate.PaymentFact{
		Provider: "stripe", Keys: []string{"pi_E"}, At: scene.Start, Currency: "USD", Payer: affiliate.PayerFact{ID: "cus_E", Email: "eve@example.org"},
		Sale: affiliate.Set(affiliate.Paid{SaleParams: affiliate.SaleParams{TotalEarned: affiliate.MustAmount("1"), ExternalID: "order-1"}, Gross: affiliate.MustAmount("1")}),
	}))
	if conflict.Outcome != affiliate.SaleConflict {
		s.T.Fatal(conflict.Outcome)
	}
	waits := scene.Must(s.Attention(ctx, 1)).PaymentConflicts.Items[0]

	scene.Must(s.CreateLink(ctx, affiliate.LinkParams{Link: "bygone", AffiliateID: s.Person.ID}))
	scene.Must(s.DeleteLink(ctx, affiliate.LinkRef{Slug: "bygone"}))
	held := scene.Must(s.HoldRedemption(ctx, affiliate.HoldParams{ID: "cart-1", Until: scene.Start.Add(time.Hour), Order: affiliate.Order{PromoCode: "ADA20"}}))

	one := affiliate.CodeParams{CouponID: s.Autumn.ID, Code: "ONE", AffiliateID: s.Person.ID, MaxRedemptionsPerCustomer: affiliate.Set[int64](1)}
	scene.Must(s.CreateCode(ctx, one))
	nobodys := affiliate.HoldParams{ID: "cart-of-nobody", Until: scene.Start.Add(time.Hour), Order: affiliate.Order{PromoCode: "ONE"}}
	scene.Must(s.HoldRedemption(ctx, nobodys))
	again := affiliate.SaleParams{PromoCode: "ONE", Email: "twice@example.net", TotalEarned: scene.Sum("1")}
	scene.Must(s.RecordSale(ctx, again))
	again.HoldID = nobodys.ID
	over := scene.Must(s.RecordSale(ctx, again)).Sale.Or(affiliate.Sale{})

	asked := scene.Must(s.OpenCase(ctx, affiliate.CaseParams{AffiliateID: paid.ID, Kind: affiliate.PayoutRequest}))

	writes := map[string][]any{
		"AcceptRedemption":           {affiliate.SaleRef{ID: over.ID}},
		"DecidePayment":              {waits.ID, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentDismissed}},
		"UpdateAffiliate":            {affiliate.AffiliateRef{Email: "ada@example.com"}, affiliate.AffiliateUpdate{FirstName: affiliate.Set("Augusta")}},
		"DeleteAffiliate":            {affiliate.AffiliateRef{Email: "ada@example.com"}},
		"AcceptInvite":               {invited.ID, affiliate.Acceptance{}},
		"SetAffiliateStatus approve": {affiliate.AffiliateActive, waiting.ID}, "SetAffiliateStatus decline": {affiliate.AffiliateDeclined, waiting.ID},
		"SetAffiliateStatus deactivate": {affiliate.AffiliateDeactivated, s.Person.ID, paid.ID}, "SetAffiliateStatus ban": {affiliate.AffiliateBanned, s.Person.ID},
		"SetAffiliatePlan": {plan.ID, s.Person.ID}, "SetAffiliateTier": {tier.ID, s.Person.ID}, "SetTierExempt": {true, s.Person.ID},
		"SetPayoutDetails": {s.Person.ID, affiliate.PayoutDetails{Email: "Pay@example.com", Method: "PAYPAL"}},
		"Run tiers":        {affiliate.AssignTiersJob{}},
		"Run bonuses":      {affiliate.GrantBonusesJob{}},
		"Step":             {affiliate.AssignTiersJob{}, affiliate.Step{Limit: 10}},
		"EraseAffiliate":   {s.Person.ID}, "EraseReferral": {"kim@example.net"},
		"RenameLink": {affiliate.LinkRef{Slug: "ada"}, "eda"}, "DeleteLink": {affiliate.LinkRef{Slug: "ada"}},
		"TrackClick":   {affiliate.ClickParams{Slug: "ada", LandingURL: "https://beans.example/"}},
		"UpdateCoupon": {s.Autumn.ID, affiliate.CouponUpdate{Name: affiliate.Set("new")}}, "DeleteCoupon": {s.Autumn.ID},
		"UpdateCode": {s.ADA20.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}}, "DeleteCode": {s.ADA20.ID},
		"MergeAffiliates": {affiliate.Merge{From: twin.Email, Into: s.Person.ID.String()}},
		"MergeReferrals":  {affiliate.Merge{From: "lee@example.net", Into: kim.ID.String()}},
		"UpdateReferral":  {"kim@example.net", affiliate.ReferralUpdate{Notes: affiliate.Set("x")}}, "DeleteReferral": {"kim@example.net"},
		"PushReferralStatus": {"kim@example.net", affiliate.SubscriptionPastDue}, "SetReferralPlan": {plan.ID, kim.ID},
		"ImportReferrals": {[]imported.Referral{
			{ReferralParams: affiliate.ReferralParams{AffiliateID: "ada", Name: "M", Email: "m@example.net", ReferredUserExternalID: "m", Manual: true}},
			{ReferralParams: affiliate.ReferralParams{AffiliateID: "nobody", Name: "N", Email: "n@example.net", ReferredUserExternalID: "n"}},
			{ReferralParams: affiliate.ReferralParams{AffiliateID: "ada", Name: "O", Email: "kim@example.net", ReferredUserExternalID: "o"}},
			{ReferralParams: affiliate.ReferralParams{AffiliateID: "ada", Email: "p@example.net", ReferredUserExternalID: "p"}},
		}},
		"ImportAffiliates": {[]imported.Affiliate{
			{Ref: "a1", Email: "new@example.com", Links: []imported.Link{{Ref: "l1", Slug: "ada", Clicks: 3}, {Ref: "l2", Slug: "a b"}}}, {Ref: "a2", Email: "nobody"},
		}},
		"ImportCoupons": {[]imported.Coupon{
			{CouponParams: affiliate.CouponParams{Name: "Old", PercentOff: scene.Percent("10")}, Ref: "c1", Codes: []imported.Code{{
				CodeParams: affiliate.CodeParams{Code: "OLD10", AffiliateID: s.Person.ID}, Ref: "d1", TimesRedeemed: 7,
			}}}, {Ref: "c2"},
		}},
		"ImportSales": {[]imported.Sale{
			{Ref: "s1", Email: "kim@example.net", TotalEarned: affiliate.MustAmount("50"), Refunded: affiliate.MustAmount("5"), CommissionEarned: affiliate.MustAmount("9"), Keys: []affiliate.ProviderID{{Provider: "stripe", ID: "ch_old"}}},
			{Ref: "s2", AffiliateEmail: "ada@example.com", CommissionEarned: affiliate.MustAmount("3")}, {Ref: "s3", Customer: "nobody", TotalEarned: affiliate.MustAmount("1")},
		}},
		"ImportPayouts": {[]imported.Payout{{Ref: "p1", Sales: []string{"was"}, Amount: affiliate.MustAmount("4"), PaidAt: scene.Start}, {Ref: "p2", Sales: []string{"none"}, Amount: affiliate.MustAmount("1")}}},
		"UpdateSale":    {byCode.ID, affiliate.SaleUpdate{Name: affiliate.Set("x")}}, "DeleteSale": {byCode.ID},
		"RecordConversion": {affiliate.ConversionParams{Conversion: "signup", PromoCode: "ADA20", Email: "u@example.net"}},
		"UpdateSettings":   {affiliate.SettingsUpdate{CookieDuration: affiliate.Set[int64](30)}},
		"SetTerms":         {affiliate.TermsUpdate{Rate: scene.Percent("15"), From: affiliate.Set(affiliate.At(scene.Start.AddDate(1, 0, 0)))}},
		"RefundSale":       {affiliate.Refund{SaleID: byCode.ID, Amount: scene.Amount("30")}},
		"ReverseSale":      {affiliate.SaleRef{ExternalID: "order-1"}, affiliate.Reversal{}}, "RestoreRedemption": {affiliate.SaleRef{ID: byCode.ID}},
		"Run recalculate": {affiliate.RecalculateJob{}}, "ReviewCommissions": {affiliate.ApprovalOnHold, byCode.ID},
		"CreatePayout":    {affiliate.PayoutParams{AffiliateID: s.Person.ID, ExternalID: "p"}},
		"RunPayouts":      {affiliate.PayoutRun{ExternalID: "2026-03", NoDetails: true}},
		"RunPayouts step": {affiliate.PayoutRun{ExternalID: "2026-03", NoDetails: true, Limit: 1}},
		"SetPayoutStatus": {payout.ID, affiliate.PayoutPaid}, "FailPayout": {payout.ID, "no account"}, "ReturnPayout": {settled.ID, "no account"},
		"AnswerCase": {asked.ID, affiliate.CaseAnswer{Answer: "yes"}},
		"CreatePlan": {affiliate.PlanParams{Name: "new"}}, "DeletePlan": {plan.ID},
		"UpdatePlan": {plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.Terms{Rate: affiliate.MustPercent("9")}.Update()}},
		"CreateTier": {affiliate.TierParams{Tier: 2, Name: "new"}}, "DeleteTier": {tier.ID},
		"UpdateTier":     {tier.ID, affiliate.TierUpdate{Rate: affiliate.Null[affiliate.Percent]()}},
		"UpdateEndpoint": {s.Hooked.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)}}, "DeleteEndpoint": {s.Hooked.ID},
		"TestEndpoint": {affiliate.EndpointTest{WebhookID: s.Hooked.ID, Event: affiliate.SaleCreated}},
		"Replay":       {affiliate.ReplayRange{DeliveryID: delivery.ID}}, "Run prune": {affiliate.PruneJob{Before: scene.Start}}, "Run retain": {affiliate.RetainJob{Retention: affiliate.Retention{Events: time.Hour}}}, "Run open": {affiliate.OpenBooksJob{}}, "Run close": {affiliate.CloseBooksJob{Until: scene.Start}},
		"Evaluate":      {affiliate.Order{PromoCode: "ada20"}},
		"EvaluateCodes": {affiliate.CodesOrder{PromoCodes: []string{"ada20"}}},
		"HoldRedemption": {affiliate.HoldParams{
			ID: "cart-2", Until: scene.Start.Add(time.Hour), Order: affiliate.Order{PromoCode: "ada20", Email: "kim@example.net", Subtotal: scene.Amount("50")},
		}},
		"ReleaseHold": {held.ID},
		"ReleaseSlug": {"bygone"},
		"ReportPayment": {affiliate.PaymentFact{
			Provider: "stripe", Keys: []string{"pi_1", "cs_1"}, At: scene.Start, Currency: "USD", Payer: affiliate.PayerFact{ID: "cus_K", Email: "kim@example.net"},
			Sale:    affiliate.Set(affiliate.Paid{SaleParams: affiliate.SaleParams{TotalEarned: affiliate.MustAmount("50")}, Gross: affiliate.MustAmount("50")}),
			Refunds: []affiliate.RefundFact{{ID: "re_1", Amount: affiliate.MustAmount("5"), State: affiliate.RefundSucceeded}},
		}},
		"ReportPayer": {"stripe", affiliate.PayerFact{ID: "cus_P", Email: "kim@example.net"}},
		"ReportSubscription": {affiliate.SubscriptionFact{
			Provider: "stripe", Payer: affiliate.PayerFact{ID: "cus_S"}, Subscription: "sub_1", Status: affiliate.SubscriptionPastDue, At: scene.Start,
		}},
	}
	for name, c := range s.Creates() {
		if name != "generated code" {
			writes[name] = []any{c.Input}
		}
	}
	return keyedShop{s, writes}
}

// call calls a method by name. What is owed is given up: see [Program.Forfeiting].
func (s keyedShop) call(p *tributary.Program, method string, args []any) (answer []any, err error) {
	return callNamed(context.Background(), p, method, args)
}

func callNamed(ctx context.Context, p *tributary.Program, method string, args []any) (answer []any, err error) {
	switch method {
	case "DeleteAffiliate", "DeleteReferral", "EraseAffiliate":
		p = p.Forfeiting()
	}
	in := []reflect.Value{reflect.ValueOf(ctx)}
	for _, arg := range args {
		in = append(in, reflect.ValueOf(arg))
	}
	out := scene.Methods(p)[methodOf(method)].Call(in)
	last := len(out) - 1
	for _, v := range out[:last] {
		answer = append(answer, v.Interface())
	}
	err, _ = out[last].Interface().(error)
	return answer, err
}

// repeats calls a method twice with one key. The second call must return the
// first answer, mark it as replayed, and change nothing.
func (s keyedShop) repeats(t *testing.T, method string, args []any, key string) error {
	t.Helper()
	o := affiliate.Once{Key: key, Replayed: func([]byte) { t.Error("the first answer is called a replay") }}
	first, firstErr := s.call(s.Keyed(o), method, args)
	before, times := s.Dump(), 0
	o.Replayed = func([]byte) { times++ }
	s.Pass(time.Minute)
	again, err := s.call(s.Keyed(o), method, args)
	if diff := cmp.Diff(first, again, cmp.Comparer(sameError)); diff != "" {
		t.Errorf("(-first +replayed):\n%s", diff)
	}
	if fmt.Sprint(err) != fmt.Sprint(firstErr) || times != 1 {
		t.Errorf("first %v, then %v; %d replays", firstErr, err, times)
	}
	if diff := cmp.Diff(before, s.Dump()); diff != "" {
		t.Errorf("the repeat changed records (-before +after):\n%s", diff)
	}
	return firstErr
}

func sameError(x, y error) bool { return fmt.Sprint(x) == fmt.Sprint(y) }

// TestKeyedWrites: every write, and every refusal of a write, can be repeated
// with [Program.Keyed]. A new method must be tested here or listed in unkeyed.
func TestKeyedWrites(t *testing.T) {
	methods, called := newKeyedShop(t, memstore.New()).writes, map[string]bool{}
	for method := range methods {
		called[methodOf(method)] = true
	}
	for name := range scene.Methods(&tributary.Program{}) {
		if called[name] == (unkeyed[name] != "") {
			t.Errorf("%s: add it to writes of newKeyedShop, or to unkeyed with a reason (once_keyed_test.go)", name)
		}
	}
	for store, wrap := range map[string]func(record.Store) record.Store{
		"memstore": func(s record.Store) record.Store { return s }, "Rerun": conformance.Rerun,
	} {
		if store == "Rerun" && !atlength.On() {
			continue
		}
		for method := range methods {
			t.Run(method+" on "+store, func(t *testing.T) {
				s := newKeyedShop(t, wrap(memstore.New()))
				nothing := zeroes(s.writes[method])
				if len(nothing) > 0 && !strings.HasPrefix(method, "Run ") {
					s.repeats(t, method, nothing, "nothing")
				}
				if err := s.repeats(t, method, s.writes[method], "k"); err != nil {
					t.Errorf("refused: %v", err)
				}
				s.Verifies()
			})
		}
	}
}

// methodOf is the method of a write, whose name may say which of its calls it is.
func methodOf(write string) string {
	method, _, _ := strings.Cut(write, " ")
	return method
}

// zeroes returns zero values of the same types.
func zeroes(args []any) (out []any) {
	for _, arg := range args {
		out = append(out, reflect.Zero(reflect.TypeOf(arg)).Interface())
	}
	return out
}

// TestKeyedReused: a key belongs to one call. Another method with the key is
// refused, and so is the same method with other arguments.
func TestKeyedReused(t *testing.T) {
	for method := range newKeyedShop(t, memstore.New()).writes {
		t.Run(method, func(t *testing.T) {
			s := newKeyedShop(t, memstore.New())
			keyed := s.Keyed(affiliate.Once{Key: "k"})
			scene.Must(s.call(keyed, method, s.writes[method]))
			before := s.Dump()
			reused := func(what, method string, args []any) {
				if _, err := s.call(keyed, method, args); !errors.Is(err, affiliate.IdempotencyKeyReused) {
					t.Errorf("%s: %v", what, err)
				}
			}
			for other, args := range s.writes {
				if other != method {
					reused(other, other, args)
				}
			}
			for i, arg := range s.writes[method] {
				for _, v := range otherArguments(t, arg) {
					args := append([]any(nil), s.writes[method]...)
					args[i] = v.Input
					reused(fmt.Sprintf("argument %d %s", i, v.Name), method, args)
				}
			}
			if diff := cmp.Diff(before, s.Dump()); diff != "" {
				t.Errorf("a refusal changed records (-before +after):\n%s", diff)
			}
		})
	}
}

// otherArguments returns an argument with each of its parts changed.
func otherArguments(t *testing.T, arg any) []scene.Variant {
	switch arg := arg.(type) {
	case time.Time:
		return []scene.Variant{{Name: "later", Input: arg.Add(1)}}
	case []imported.Referral:
		return []scene.Variant{{Name: "a row less", Input: arg[1:]}}
	case uuid.UUID:
		return []scene.Variant{{Name: "id", Input: uuid.Max}}
	case affiliate.ReplayRange: // of one delivery
		return []scene.Variant{{Name: "id", Input: affiliate.ReplayRange{DeliveryID: uuid.Max}}}
	}
	if reflect.TypeOf(arg).Kind() == reflect.Struct {
		others := scene.Variants(t, arg)
		if nothing := reflect.Zero(reflect.TypeOf(arg)).Interface(); !reflect.DeepEqual(arg, nothing) {
			others = append(others, scene.Variant{Name: "nothing", Input: nothing}) // null differs from not given
		}
		return others
	}
	v := reflect.New(reflect.TypeOf(arg)).Elem()
	v.Set(reflect.ValueOf(arg))
	if !scene.Alter(v) {
		t.Fatalf("do not know how to change %T", arg)
	}
	return []scene.Variant{{Name: "value", Input: v.Interface()}}
}

// TestKeyedFaults: a fault at any call of the store changes nothing, and the
// repeat executes the write once. A write in several steps may leave whole
// steps.
func TestKeyedFaults(t *testing.T) {
	for method := range newKeyedShop(t, memstore.New()).writes {
		if strings.HasPrefix(method, "Run") {
			continue
		}
		t.Run(method, func(t *testing.T) {
			s := newKeyedShop(t, memstore.New())
			before := s.Dump()
			for n := 1; ; n++ {
				broken := s.With(conformance.FailAt(s.Store, n)).Keyed(affiliate.Once{Key: "k"})
				_, err := s.call(broken, method, s.writes[method])
				if err == nil {
					break
				}
				if !errors.Is(err, conformance.ErrInjected) {
					t.Fatalf("call %d: %v", n, err)
				}
				if diff := cmp.Diff(before, s.Dump()); diff != "" {
					t.Fatalf("call %d left something (-before +after):\n%s", n, diff)
				}
			}
			after := s.Dump()
			if _, err := s.call(s.Keyed(affiliate.Once{Key: "k"}), method, s.writes[method]); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(after, s.Dump()); diff != "" {
				t.Errorf("the repeat changed records (-before +after):\n%s", diff)
			}
		})
	}
}

// A receipt has the JSON of its answer as json.Marshal writes it, also when
// another encoder wrote the answer.
func TestReceiptAnswers(t *testing.T) {
	writes := newKeyedShop(t, memstore.New()).writes
	delete(writes, "SetPayoutDetails") // stores a list of one, as the other changes of affiliates do
	for _, in := range scene.Imports { // their receipts name refusals in another form
		delete(writes, in.Name)
	}
	for method := range writes {
		t.Run(method, func(t *testing.T) {
			s := newKeyedShop(t, memstore.New())
			answer := scene.Must(s.call(s.Keyed(affiliate.Once{Key: "the-key"}), method, s.writes[method]))
			var want any = struct{}{}
			if len(answer) > 0 {
				want = answer[0]
			}
			if res, ok := want.(affiliate.SaleResult); ok {
				want = res.Sale
			}
			scene.Must(0, s.Store.View(t.Context(), s.Config().ID, func(tx *record.Tx) error {
				for rec, err := range tx.Receipts.List(record.Query{}) {
					if err != nil || rec.Key != "the-key" || rec.Sealed {
						continue
					}
					scene.Equal(t, string(scene.Must(json.Marshal(want))), string(rec.Answer.Bytes()))
				}
				return nil
			}))
		})
	}
}

// A receipt keeps the answer as it was, whatever the caller does with the answer
// that it got and whatever happens to the records afterwards.
func TestReceiptKeepsAnswer(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	ada := scene.Must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "Moss", Email: "ada@example.org", AffiliateLink: "ada"}))
	coupon := scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "spring", PercentOff: scene.Percent("10"), LimitToProducts: true, ProductIDs: []string{"beans"}}))
	scene.Must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "ADA10", AffiliateID: ada.ID}))
	scene.Must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "ADA20", AffiliateID: ada.ID}))
	change := func() (affiliate.Coupon, error) {
		return w.Keyed(affiliate.Once{Key: "coupon"}).UpdateCoupon(ctx, coupon.ID, affiliate.CouponUpdate{Name: affiliate.Set("summer")})
	}
	sell := func() (affiliate.Sale, error) {
		result, err := w.RecordSale(ctx, affiliate.SaleParams{
			Once: affiliate.Once{Key: "sale"}, ReferralID: "ada", TotalEarned: scene.Sum("50"), Email: "kim@example.com", Name: "Kim",
			Product: affiliate.Set(affiliate.Product{ProductID: "beans"}),
		})
		return result.Sale.Or(affiliate.Sale{}), err
	}
	changed, sold := scene.Must(change()), scene.Must(sell())
	wantCoupon, wantSale := string(scene.Must(json.Marshal(changed))), string(scene.Must(json.Marshal(sold)))

	changed.ProductIDs[0], changed.PromotionalCodes[0].Code = "x", "x"
	sold.ProductsBought[0], sold.Commissions[0].RewardType, sold.Affiliate.AffiliateLinks[0].Link = "x", "x", "x"
	scene.Must(w.UpdateCoupon(ctx, coupon.ID, affiliate.CouponUpdate{Name: affiliate.Set("autumn")}))
	scene.Must(w.UpdateCode(ctx, changed.PromotionalCodes[1].ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
	scene.Must(w.UpdateSale(ctx, sold.ID, affiliate.SaleUpdate{Name: affiliate.Set("Kim Reed")}))
	scene.Must(w.RenameLink(ctx, affiliate.LinkRef{Slug: "ada"}, "countess"))
	scene.Must(w.DeleteCode(ctx, changed.PromotionalCodes[0].ID))

	scene.Equal(t, wantCoupon, string(scene.Must(json.Marshal(scene.Must(change())))))
	scene.Equal(t, wantSale, string(scene.Must(json.Marshal(scene.Must(sell())))))
	w.Verifies()
}

// A fault at any call stores nothing, not even the receipt. The repeat executes
// the request once (B435, G09).
func TestOnceFaults(t *testing.T) {
	for kind, fault := range map[string]func(record.Store, int) record.Store{
		"FailAt": conformance.FailAt, "FailFrom": conformance.FailFrom, "PanicAt": conformance.PanicAt, "CancelAt": conformance.CancelAt,
	} {
		t.Run(kind, func(t *testing.T) {
			scene.EachCreate(t, func(t *testing.T, s scene.OnceShop, c scene.OnceCreate) {
				before := s.Dump()
				for n := 1; ; n++ {
					first, err := quietly(func() (any, error) {
						return c.Run(s.With(fault(s.Store, n)), c.Input, affiliate.Once{Key: "k"})
					})
					if err == nil { // the write has fewer than n calls, so it succeeded
						if n < 5 {
							t.Errorf("done after %d calls", n-1)
						}
						s.Replayed(t, c, affiliate.Once{Key: "k"}, first, nil)
						return
					}
					if !errors.Is(err, conformance.ErrInjected) && !errors.Is(err, context.Canceled) {
						t.Errorf("call %d: %v", n, err)
					}
					if diff := cmp.Diff(before, s.Dump()); diff != "" {
						t.Fatalf("call %d left something (-before +after):\n%s", n, diff)
					}
				}
			})
		})
	}
}

// When an answer is lost after its commit, the repeat gets it. The same is true
// for a refusal, whose receipt is a commit too (B435).
func TestOnceLostAnswers(t *testing.T) {
	scene.EachCreate(t, func(t *testing.T, s scene.OnceShop, c scene.OnceCreate) {
		bad := reflect.Zero(reflect.TypeOf(c.Input)).Interface()
		for key, input := range map[string]any{"good": c.Input, "bad": bad} {
			if _, err := c.Run(s.With(conformance.LoseAnswer(s.Store, 1)), input, affiliate.Once{Key: key}); !errors.Is(err, conformance.ErrInjected) {
				t.Fatalf("%s: %v", key, err)
			}
			before := s.Dump()
			_, err := c.Run(s.Program, input, affiliate.Once{Key: key})
			if (err == nil) != (key == "good") {
				t.Errorf("%s: the repeat gives %v", key, err)
			}
			if diff := cmp.Diff(before, s.Dump()); diff != "" {
				t.Errorf("%s: the repeat changed records (-before +after):\n%s", key, diff)
			}
		}
	})
}

// quietly turns a panic into its error.
func quietly[T any](fn func() (T, error)) (out T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = v.(error)
		}
	}()
	return fn()
}
