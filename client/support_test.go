package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

const (
	testBase = "https://partners.example"
	testKey  = "trib_live_0123456789abcdefghijklmnopqrstuvwxyz"
)

// A wire is a server in memory. It records its requests and their times.
// Without an answer function it answers null.
type wire struct {
	answer func(n int, r *http.Request) (*http.Response, error)
	seen   []sighting
	closed int // how often its idle connections were closed
}

// A sighting is a request that the wire recorded.
type sighting struct {
	*http.Request
	body string
	at   time.Time
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	s := sighting{r, "", time.Now()}
	if r.Body != nil {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		s.body = string(raw)
	}
	w.seen = append(w.seen, s)
	if w.answer == nil {
		return reply(200, "null"), nil
	}
	return w.answer(len(w.seen), r)
}

func (w *wire) CloseIdleConnections() { w.closed++ }

// client is a client on the wire.
func (w *wire) client(t testing.TB, change ...func(*client.Config)) *client.Client {
	t.Helper()
	cfg := client.Config{HTTP: &http.Client{Transport: w}}
	for _, c := range change {
		c(&cfg)
	}
	return must(client.New(testBase, testKey, cfg))
}

// always is a wire that gives every request the same answer.
func always(status int, body string, header ...string) *wire {
	return &wire{answer: func(int, *http.Request) (*http.Response, error) { return reply(status, body, header...), nil }}
}

// reply is an answer with a JSON body. header has names and values in pairs and
// may set another content type.
func reply(status int, body string, header ...string) *http.Response {
	resp := &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json; charset=utf-8"}},
		Body: io.NopCloser(bytes.NewBufferString(body)), ContentLength: int64(len(body)),
	}
	for i := 0; i < len(header); i += 2 {
		resp.Header.Set(header[i], header[i+1])
	}
	return resp
}

// handling is a client in process on a handler.
func handling(t testing.TB, h http.HandlerFunc) *client.Client {
	t.Helper()
	return must(client.New("http://tributary.test", testKey, client.Config{Handler: h}))
}

// must returns the value of a call that must succeed.
func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("unexpected error: %v", err))
	}
	return v
}

// errOf is the error of a call whose answer does not matter.
func errOf[T any](_ T, err error) error { return err }

// failure is the *client.Error of a call that must fail.
func failure(t testing.TB, err error) *client.Error {
	t.Helper()
	e, ok := errors.AsType[*client.Error](err)
	if !ok {
		t.Fatalf("got error %v (%T), want a *client.Error", err, err)
	}
	return e
}

// An invocation is a method of the client with some input.
type invocation struct {
	name string
	call func(context.Context, *client.Client) error
}

var anID = uuid.MustParse("0197d9a4-6c1e-7b52-9a3f-2f4c1d7e8a01")

// invocations calls every method once, with input that is sent.
func invocations() []invocation {
	type ctx = context.Context
	type c = *client.Client
	id, bounded := anID, affiliate.Page{Bounded: true}
	return []invocation{
		{"Affiliate", func(x ctx, c c) error { return errOf(c.Affiliate(x, "ada")) }},
		{"Affiliate", func(x ctx, c c) error { return errOf(c.Affiliate(x, "ada@example.com")) }},
		{"Affiliates", func(x ctx, c c) error { return errOf(c.Affiliates(x, affiliate.AffiliateQuery{}, affiliate.Page{})) }},
		{"CreateAffiliate", func(x ctx, c c) error { return errOf(c.CreateAffiliate(x, affiliate.AffiliateParams{})) }},
		{"EnsureAffiliate", func(x ctx, c c) error { return errOf(c.EnsureAffiliate(x, affiliate.AffiliateParams{})) }},
		{"UpdateAffiliate", func(x ctx, c c) error {
			return errOf(c.UpdateAffiliate(x, affiliate.AffiliateRef{ID: id}, affiliate.AffiliateUpdate{}))
		}},
		{"DeleteAffiliate", func(x ctx, c c) error { return c.DeleteAffiliate(x, affiliate.AffiliateRef{ID: id}) }},
		{"Step", func(x ctx, c c) error { return errOf(c.Step(x, affiliate.VerifyJob{}, affiliate.Step{})) }},
		{"EraseAffiliate", func(x ctx, c c) error { return c.EraseAffiliate(x, id) }},
		{"EraseReferral", func(x ctx, c c) error { return c.EraseReferral(x, id.String()) }},
		{"Run", func(x ctx, c c) error {
			return errOf(c.Run(x, affiliate.PruneJob{Before: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}))
		}},
		{"Run", func(x ctx, c c) error {
			return errOf(c.Run(x, affiliate.RetainJob{Retention: affiliate.Retention{Events: 240 * time.Hour}}))
		}},
		{"Step", func(x ctx, c c) error { return errOf(c.Step(x, affiliate.AssignTiersJob{}, affiliate.Step{})) }},
		{"Run", func(x ctx, c c) error { return errOf(c.Run(x, affiliate.AssignTiersJob{})) }},
		{"Run", func(x ctx, c c) error {
			return errOf(c.Run(x, affiliate.RecalculateJob{}))
		}},
		{"Attention", func(x ctx, c c) error { return errOf(c.Attention(x, 3)) }},
		{"Settings", func(x ctx, c c) error { return errOf(c.Settings(x)) }},
		{"SetAffiliateStatus", func(x ctx, c c) error { return errOf(c.SetAffiliateStatus(x, affiliate.AffiliateActive, id)) }},
		{"SetAffiliateStatus", func(x ctx, c c) error { return errOf(c.SetAffiliateStatus(x, affiliate.AffiliateDeclined, id)) }},
		{"SetAffiliateStatus", func(x ctx, c c) error { return errOf(c.SetAffiliateStatus(x, affiliate.AffiliateDeactivated, id)) }},
		{"SetAffiliateStatus", func(x ctx, c c) error { return errOf(c.SetAffiliateStatus(x, affiliate.AffiliateBanned, id)) }},
		{"SetAffiliatePlan", func(x ctx, c c) error { return errOf(c.SetAffiliatePlan(x, id, id)) }},
		{"SetAffiliateTier", func(x ctx, c c) error { return errOf(c.SetAffiliateTier(x, id, id)) }},
		{"SetTierExempt", func(x ctx, c c) error { return errOf(c.SetTierExempt(x, true, id)) }},
		{"SetPayoutDetails", func(x ctx, c c) error { return errOf(c.SetPayoutDetails(x, id, affiliate.PayoutDetails{})) }},
		{"InviteAffiliate", func(x ctx, c c) error { return errOf(c.InviteAffiliate(x, affiliate.AffiliateParams{})) }},
		{"AcceptInvite", func(x ctx, c c) error { return errOf(c.AcceptInvite(x, id, affiliate.Acceptance{})) }},
		{"Plan", func(x ctx, c c) error { return errOf(c.Plan(x, id)) }},
		{"Bonuses", func(x ctx, c c) error { return errOf(c.Bonuses(x, affiliate.AffiliateRef{ID: id})) }},
		{"Budgets", func(x ctx, c c) error {
			return errOf(c.Budgets(x, affiliate.BudgetQuery{Status: affiliate.BudgetLow}, affiliate.Page{}))
		}},
		{"Plans", func(x ctx, c c) error { return errOf(c.Plans(x, affiliate.Page{})) }},
		{"CreatePlan", func(x ctx, c c) error { return errOf(c.CreatePlan(x, affiliate.PlanParams{})) }},
		{"UpdatePlan", func(x ctx, c c) error { return errOf(c.UpdatePlan(x, id, affiliate.PlanUpdate{})) }},
		{"DeletePlan", func(x ctx, c c) error { return c.DeletePlan(x, id) }},
		{"Terms", func(x ctx, c c) error { return errOf(c.Terms(x)) }},
		{"UpdateSettings", func(x ctx, c c) error { return errOf(c.UpdateSettings(x, affiliate.SettingsUpdate{})) }},
		{"SetTerms", func(x ctx, c c) error { return errOf(c.SetTerms(x, affiliate.TermsUpdate{})) }},
		{"Tier", func(x ctx, c c) error { return errOf(c.Tier(x, id)) }},
		{"Tiers", func(x ctx, c c) error { return errOf(c.Tiers(x, affiliate.Page{})) }},
		{"CreateTier", func(x ctx, c c) error { return errOf(c.CreateTier(x, affiliate.TierParams{})) }},
		{"UpdateTier", func(x ctx, c c) error { return errOf(c.UpdateTier(x, id, affiliate.TierUpdate{})) }},
		{"DeleteTier", func(x ctx, c c) error { return c.DeleteTier(x, id) }},
		{"PushReferralStatus", func(x ctx, c c) error { return errOf(c.PushReferralStatus(x, "kim@example.com", "")) }},
		{"SetReferralPlan", func(x ctx, c c) error { return errOf(c.SetReferralPlan(x, id, id)) }},
		{"TrackClick", func(x ctx, c c) error { return errOf(c.TrackClick(x, affiliate.ClickParams{Slug: "ada"})) }},
		{"GenerateCodes", func(x ctx, c c) error { return errOf(c.GenerateCodes(x, affiliate.CodesParams{})) }},
		{"CheckCodes", func(x ctx, c c) error { return errOf(c.CheckCodes(x, affiliate.CodesParams{})) }},
		{"ReverseSale", func(x ctx, c c) error { return errOf(c.ReverseSale(x, affiliate.SaleRef{ID: 7}, affiliate.Reversal{})) }},
		{"AcceptRedemption", func(x ctx, c c) error { return c.AcceptRedemption(x, affiliate.SaleRef{ID: 7}) }},
		{"RestoreRedemption", func(x ctx, c c) error { return c.RestoreRedemption(x, affiliate.SaleRef{ID: 7}) }},
		{"Links", func(x ctx, c c) error { return errOf(c.Links(x, affiliate.LinkQuery{}, affiliate.Page{})) }},
		{"CreateLink", func(x ctx, c c) error { return errOf(c.CreateLink(x, affiliate.LinkParams{})) }},
		{"RenameLink", func(x ctx, c c) error { return errOf(c.RenameLink(x, affiliate.LinkRef{ID: id}, "new")) }},
		{"DeleteLink", func(x ctx, c c) error { return errOf(c.DeleteLink(x, affiliate.LinkRef{ID: id})) }},
		{"Coupon", func(x ctx, c c) error { return errOf(c.Coupon(x, affiliate.CouponRef{ID: id})) }},
		{"Coupons", func(x ctx, c c) error {
			return errOf(c.Coupons(x, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{}))
		}},
		{"CreateCoupon", func(x ctx, c c) error { return errOf(c.CreateCoupon(x, affiliate.CouponParams{})) }},
		{"UpdateCoupon", func(x ctx, c c) error { return errOf(c.UpdateCoupon(x, id, affiliate.CouponUpdate{})) }},
		{"DeleteCoupon", func(x ctx, c c) error { return errOf(c.DeleteCoupon(x, id)) }},
		{"Code", func(x ctx, c c) error { return errOf(c.Code(x, affiliate.CodeRef{ID: id})) }},
		{"Codes", func(x ctx, c c) error { return errOf(c.Codes(x, affiliate.CodeQuery{}, affiliate.Page{})) }},
		{"CreateCode", func(x ctx, c c) error { return errOf(c.CreateCode(x, affiliate.CodeParams{})) }},
		{"UpdateCode", func(x ctx, c c) error { return errOf(c.UpdateCode(x, id, affiliate.CodeUpdate{})) }},
		{"DeleteCode", func(x ctx, c c) error { return errOf(c.DeleteCode(x, id)) }},
		{"EvaluateCodes", func(x ctx, c c) error { return errOf(c.EvaluateCodes(x, affiliate.CodesOrder{})) }},
		{"Evaluate", func(x ctx, c c) error { return errOf(c.Evaluate(x, affiliate.Order{})) }},
		{"HoldRedemption", func(x ctx, c c) error { return errOf(c.HoldRedemption(x, affiliate.HoldParams{})) }},
		{"Hold", func(x ctx, c c) error { return errOf(c.Hold(x, "cart")) }},
		{"ReleaseSlug", func(x ctx, c c) error { return errOf(c.ReleaseSlug(x, "old")) }},
		{"ReleaseHold", func(x ctx, c c) error { return errOf(c.ReleaseHold(x, "cart")) }},
		{"Referral", func(x ctx, c c) error { return errOf(c.Referral(x, "kim@example.com")) }},
		{"Referrals", func(x ctx, c c) error {
			return errOf(c.Referrals(x, affiliate.ReferralQuery{}, affiliate.Page{}))
		}},
		{"CreateReferral", func(x ctx, c c) error { return errOf(c.CreateReferral(x, affiliate.ReferralParams{})) }},
		{"UpdateReferral", func(x ctx, c c) error {
			return errOf(c.UpdateReferral(x, "kim@example.com", affiliate.ReferralUpdate{}))
		}},
		{"MergeReferrals", func(x ctx, c c) error { return errOf(c.MergeReferrals(x, affiliate.Merge{From: "a", Into: "b"})) }},
		{"MergeAffiliates", func(x ctx, c c) error {
			return errOf(c.MergeAffiliates(x, affiliate.Merge{From: "a", Into: "b"}))
		}},
		{"DeleteReferral", func(x ctx, c c) error { return c.DeleteReferral(x, "kim@example.com") }},
		{"Sale", func(x ctx, c c) error { return errOf(c.Sale(x, 7)) }},
		{"Sales", func(x ctx, c c) error { return errOf(c.Sales(x, affiliate.SaleQuery{}, affiliate.Page{})) }},
		{"PayoutSums", func(x ctx, c c) error { return errOf(c.PayoutSums(x, affiliate.PayoutQuery{})) }},
		{"SaleSums", func(x ctx, c c) error { return errOf(c.SaleSums(x, affiliate.SaleQuery{})) }},
		{"RecordConversion", func(x ctx, c c) error { return errOf(c.RecordConversion(x, affiliate.ConversionParams{})) }},
		{"RecordSale", func(x ctx, c c) error { return errOf(c.RecordSale(x, affiliate.SaleParams{})) }},
		{"UpdateSale", func(x ctx, c c) error { return errOf(c.UpdateSale(x, 7, affiliate.SaleUpdate{})) }},
		{"RefundSale", func(x ctx, c c) error { return errOf(c.RefundSale(x, affiliate.Refund{SaleID: 7})) }},
		{"DeleteSale", func(x ctx, c c) error { return c.DeleteSale(x, 7) }},
		{"Coupons", func(x ctx, c c) error {
			return errOf(c.Coupons(x, affiliate.CouponQuery{}, affiliate.Page{}))
		}},
		{"Events", func(x ctx, c c) error { return errOf(c.Events(x, affiliate.EventQuery{}, affiliate.Page{})) }},
		{"EventsAfter", func(x ctx, c c) error { return errOf(c.EventsAfter(x, id, 1)) }},
		{"Follow", func(x ctx, c c) error {
			soon, stop := context.WithTimeout(x, 300*time.Millisecond) // it goes on for ever when there is nothing, once a second
			defer stop()
			for _, err := range c.Follow(soon, id) {
				if x.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
					return nil
				}
				return err
			}
			return nil
		}},
		{"Affiliates", func(x ctx, c c) error { return errOf(c.Affiliates(x, affiliate.AffiliateQuery{}, bounded)) }},
		{"Referrals", func(x ctx, c c) error { return errOf(c.Referrals(x, affiliate.ReferralQuery{}, bounded)) }},
		{"Codes", func(x ctx, c c) error {
			return errOf(c.Codes(x, affiliate.CodeQuery{Usability: true}, affiliate.Page{}))
		}},
		{"Sales", func(x ctx, c c) error {
			return errOf(c.Sales(x, affiliate.SaleQuery{OldestFirst: true}, affiliate.Page{}))
		}},
		{"ReviewCommissions", func(x ctx, c c) error { return errOf(c.ReviewCommissions(x, affiliate.ApprovalOnHold, 7)) }},
		{"DecidePayment", func(x ctx, c c) error {
			return errOf(c.DecidePayment(x, id, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentIsOwnSale}))
		}},
		{"Payout", func(x ctx, c c) error { return errOf(c.Payout(x, id)) }},
		{"Payouts", func(x ctx, c c) error { return errOf(c.Payouts(x, affiliate.PayoutQuery{}, affiliate.Page{})) }},
		{"Transfers", func(x ctx, c c) error {
			for _, err := range c.Transfers(x, affiliate.PayoutQuery{}) {
				return err
			}
			return nil
		}},
		{"CreatePayout", func(x ctx, c c) error { return errOf(c.CreatePayout(x, affiliate.PayoutParams{})) }},
		{"SetPayoutStatus", func(x ctx, c c) error { return errOf(c.SetPayoutStatus(x, id, affiliate.PayoutPaid)) }},
		{"FailPayout", func(x ctx, c c) error { return errOf(c.FailPayout(x, id, "returned")) }},
		{"ReturnPayout", func(x ctx, c c) error { return errOf(c.ReturnPayout(x, id, "bounced")) }},
		{"RunPayouts", func(x ctx, c c) error { return errOf(c.RunPayouts(x, affiliate.PayoutRun{ExternalID: "may"})) }},
		{"PreviewPayouts", func(x ctx, c c) error {
			return errOf(gathered(affiliate.All(x, c.PreviewPayouts, affiliate.PayoutRun{})))
		}},
		{"PayoutRun", func(x ctx, c c) error { return errOf(c.PayoutRun(x, "may")) }},
		{"PayoutRuns", func(x ctx, c c) error { return errOf(c.PayoutRuns(x, affiliate.Page{})) }},
		{"PayoutLines", func(x ctx, c c) error { return errOf(c.PayoutLines(x, "may", affiliate.Page{})) }},
		{"Statement", func(x ctx, c c) error {
			return errOf(c.Statement(x, affiliate.AffiliateRef{ID: id}, time.Time{}, time.Unix(0, 0)))
		}},
		{"ExplainSale", func(x ctx, c c) error { return errOf(c.ExplainSale(x, 5107)) }},
		{"Balance", func(x ctx, c c) error { return errOf(c.Balance(x, affiliate.AffiliateRef{ID: id})) }},
		{"Balances", func(x ctx, c c) error { return errOf(c.Balances(x, affiliate.Page{})) }},
		{"TotalBalance", func(x ctx, c c) error { return errOf(c.TotalBalance(x, time.Time{})) }},
		{"RankedBalances", func(x ctx, c c) error { return errOf(c.RankedBalances(x, time.Time{}, affiliate.Page{})) }},
		{"Movements", func(x ctx, c c) error { return errOf(c.Movements(x, affiliate.MovementQuery{}, affiliate.Page{})) }},
		{"Report", func(x ctx, c c) error {
			return errOf(c.Report(x, affiliate.ReportQuery{By: affiliate.IntervalDay}, affiliate.Page{}))
		}},
		{"Breakdown", func(x ctx, c c) error {
			return errOf(c.Breakdown(x, affiliate.BreakdownQuery{By: affiliate.DimensionLink}, affiliate.Page{}))
		}},
		{"Case", func(x ctx, c c) error { return errOf(c.Case(x, id)) }},
		{"Cases", func(x ctx, c c) error { return errOf(c.Cases(x, affiliate.CaseQuery{}, affiliate.Page{})) }},
		{"OpenCase", func(x ctx, c c) error { return errOf(c.OpenCase(x, affiliate.CaseParams{})) }},
		{"AnswerCase", func(x ctx, c c) error { return errOf(c.AnswerCase(x, id, affiliate.CaseAnswer{})) }},
		{"Adjustment", func(x ctx, c c) error { return errOf(c.Adjustment(x, id)) }},
		{"Adjustments", func(x ctx, c c) error {
			return errOf(c.Adjustments(x, affiliate.AdjustmentQuery{}, affiliate.Page{}))
		}},
		{"RecordAdjustment", func(x ctx, c c) error { return errOf(c.RecordAdjustment(x, affiliate.AdjustmentParams{})) }},
		{"Endpoint", func(x ctx, c c) error { return errOf(c.Webhooks().Endpoint(x, id)) }},
		{"Endpoints", func(x ctx, c c) error { return errOf(c.Webhooks().Endpoints(x, affiliate.Page{})) }},
		{"CreateEndpoint", func(x ctx, c c) error { return errOf(c.Webhooks().CreateEndpoint(x, affiliate.EndpointParams{})) }},
		{"UpdateEndpoint", func(x ctx, c c) error { return errOf(c.Webhooks().UpdateEndpoint(x, id, affiliate.EndpointUpdate{})) }},
		{"DeleteEndpoint", func(x ctx, c c) error { return errOf(c.Webhooks().DeleteEndpoint(x, id)) }},
		{"RotateSecret", func(x ctx, c c) error { return errOf(c.Webhooks().RotateSecret(x, affiliate.Rotation{WebhookID: id})) }},
		{"TestEndpoint", func(x ctx, c c) error {
			return errOf(c.Webhooks().TestEndpoint(x, affiliate.EndpointTest{WebhookID: id, Event: affiliate.SaleCreated}))
		}},
		{"Delivery", func(x ctx, c c) error { return errOf(c.Webhooks().Delivery(x, id)) }},
		{"Deliveries", func(x ctx, c c) error {
			return errOf(c.Webhooks().Deliveries(x, affiliate.DeliveryQuery{}, affiliate.Page{}))
		}},
		{"Replay", func(x ctx, c c) error { return errOf(c.Webhooks().Replay(x, affiliate.ReplayRange{DeliveryID: id})) }},
	}
}

// discard is the error log of servers that are meant to have errors.
func discard() *log.Logger { return log.New(io.Discard, "", 0) }

// contextWith is the context of a request with a value.
func contextWith(r *http.Request, key, value any) context.Context {
	return context.WithValue(r.Context(), key, value)
}
