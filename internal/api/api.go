// Package api has the operations of the HTTP API as Go methods, for the tests
// of the client and for the scenarios of a server's tests.
package api

import (
	"context"
	"iter"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Operations has every operation of the HTTP API. The engine and the client
// have them with the same names and signatures, so that a scenario for
// Operations runs on both.
type Operations interface {
	Direct
	Webhooks
}

// Of returns the operations of an engine or of a client.
func Of[W Webhooks](all interface {
	Direct
	Webhooks() W
}) Operations {
	return parts{all, all.Webhooks()}
}

type parts struct {
	Direct
	Webhooks
}

// Webhooks has the operations that are behind the method Webhooks.
type Webhooks interface {
	Endpoint(ctx context.Context, id uuid.UUID) (affiliate.Endpoint, error)
	Endpoints(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Endpoint], error)
	CreateEndpoint(ctx context.Context, in affiliate.EndpointParams) (affiliate.IssuedEndpoint, error)
	UpdateEndpoint(ctx context.Context, id uuid.UUID, up affiliate.EndpointUpdate) (affiliate.Endpoint, error)
	DeleteEndpoint(ctx context.Context, id uuid.UUID) (affiliate.DeletedEndpoint, error)
	RotateSecret(ctx context.Context, in affiliate.Rotation) (affiliate.IssuedEndpoint, error)
	TestEndpoint(ctx context.Context, in affiliate.EndpointTest) (affiliate.TestResult, error)
	Delivery(ctx context.Context, id uuid.UUID) (affiliate.Delivery, error)
	Deliveries(ctx context.Context, f affiliate.DeliveryQuery,
		pg affiliate.Page) (affiliate.List[affiliate.Delivery], error)
	Replay(ctx context.Context, in affiliate.ReplayRange) (int, error)
}

// Direct has the others.
type Direct interface {
	Affiliate(ctx context.Context, ident string) (affiliate.Affiliate, error)
	Affiliates(ctx context.Context, q affiliate.AffiliateQuery,
		pg affiliate.Page) (affiliate.List[affiliate.Affiliate], error)
	CreateAffiliate(ctx context.Context, in affiliate.AffiliateParams) (affiliate.Affiliate, error)
	EnsureAffiliate(ctx context.Context, in affiliate.AffiliateParams) (affiliate.Affiliate, error)
	UpdateAffiliate(ctx context.Context, ref affiliate.AffiliateRef, up affiliate.AffiliateUpdate) (int, error)
	MergeAffiliates(ctx context.Context, in affiliate.Merge) (affiliate.Affiliate, error)
	DeleteAffiliate(ctx context.Context, ref affiliate.AffiliateRef) error
	Settings(ctx context.Context) (affiliate.Settings, error)
	UpdateSettings(ctx context.Context, up affiliate.SettingsUpdate) (affiliate.Settings, error)
	Attention(ctx context.Context, n int) (affiliate.Attention, error)
	EraseAffiliate(ctx context.Context, id uuid.UUID) error
	EraseReferral(ctx context.Context, ident string) error
	Run(ctx context.Context, job affiliate.Job) (affiliate.Progress, error)
	Step(ctx context.Context, job affiliate.Job, at affiliate.Step) (affiliate.Progress, error)
	SetAffiliateStatus(ctx context.Context, status affiliate.AffiliateStatus,
		ids ...uuid.UUID) ([]affiliate.Affiliate, error)
	SetAffiliatePlan(ctx context.Context, plan uuid.UUID, ids ...uuid.UUID) ([]affiliate.Affiliate, error)
	SetAffiliateTier(ctx context.Context, tier uuid.UUID, ids ...uuid.UUID) ([]affiliate.Affiliate, error)
	SetTierExempt(ctx context.Context, exempt bool, ids ...uuid.UUID) ([]affiliate.Affiliate, error)
	SetPayoutDetails(ctx context.Context, id uuid.UUID, d affiliate.PayoutDetails) (affiliate.Affiliate, error)
	InviteAffiliate(ctx context.Context, in affiliate.AffiliateParams) (affiliate.Affiliate, error)
	AcceptInvite(ctx context.Context, id uuid.UUID, in affiliate.Acceptance) (affiliate.Affiliate, error)
	Plan(ctx context.Context, id uuid.UUID) (affiliate.Plan, error)
	Plans(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Plan], error)
	Bonuses(ctx context.Context, of affiliate.AffiliateRef) ([]affiliate.BonusProgress, error)
	Budgets(ctx context.Context, q affiliate.BudgetQuery, pg affiliate.Page) (affiliate.List[affiliate.BudgetUse], error)
	CreatePlan(ctx context.Context, in affiliate.PlanParams) (affiliate.Plan, error)
	UpdatePlan(ctx context.Context, id uuid.UUID, up affiliate.PlanUpdate) (affiliate.Plan, error)
	DeletePlan(ctx context.Context, id uuid.UUID) error
	Terms(ctx context.Context) ([]affiliate.DatedTerms, error)
	SetTerms(ctx context.Context, up affiliate.TermsUpdate) ([]affiliate.DatedTerms, error)
	Tier(ctx context.Context, id uuid.UUID) (affiliate.Tier, error)
	Tiers(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Tier], error)
	CreateTier(ctx context.Context, in affiliate.TierParams) (affiliate.Tier, error)
	UpdateTier(ctx context.Context, id uuid.UUID, up affiliate.TierUpdate) (affiliate.Tier, error)
	DeleteTier(ctx context.Context, id uuid.UUID) error
	PushReferralStatus(ctx context.Context, ident string,
		status affiliate.SubscriptionStatus) (affiliate.Referral, error)
	SetReferralPlan(ctx context.Context, plan uuid.UUID, ids ...uuid.UUID) ([]affiliate.Referral, error)
	TrackClick(ctx context.Context, in affiliate.ClickParams) (affiliate.Click, error)
	GenerateCodes(ctx context.Context, in affiliate.CodesParams) ([]affiliate.Code, error)
	CheckCodes(ctx context.Context, in affiliate.CodesParams) (affiliate.KeySpace, error)
	ReverseSale(ctx context.Context, ref affiliate.SaleRef, how affiliate.Reversal) (affiliate.ReversedSale, error)
	RestoreRedemption(ctx context.Context, ref affiliate.SaleRef) error
	AcceptRedemption(ctx context.Context, ref affiliate.SaleRef) error
	Links(ctx context.Context, f affiliate.LinkQuery, pg affiliate.Page) (affiliate.List[affiliate.Link], error)
	CreateLink(ctx context.Context, in affiliate.LinkParams) (affiliate.Link, error)
	RenameLink(ctx context.Context, ref affiliate.LinkRef, slug string) (affiliate.Link, error)
	DeleteLink(ctx context.Context, ref affiliate.LinkRef) (affiliate.DeletedLink, error)
	Coupon(ctx context.Context, ref affiliate.CouponRef) (affiliate.Coupon, error)
	Coupons(ctx context.Context, q affiliate.CouponQuery, pg affiliate.Page) (affiliate.List[affiliate.Coupon], error)
	CreateCoupon(ctx context.Context, in affiliate.CouponParams) (affiliate.Coupon, error)
	UpdateCoupon(ctx context.Context, id uuid.UUID, up affiliate.CouponUpdate) (affiliate.Coupon, error)
	DeleteCoupon(ctx context.Context, id uuid.UUID) (affiliate.DeletedCoupon, error)
	Code(ctx context.Context, ref affiliate.CodeRef) (affiliate.Code, error)
	Codes(ctx context.Context, q affiliate.CodeQuery, pg affiliate.Page) (affiliate.List[affiliate.Code], error)
	CreateCode(ctx context.Context, in affiliate.CodeParams) (affiliate.Code, error)
	UpdateCode(ctx context.Context, id uuid.UUID, up affiliate.CodeUpdate) (affiliate.Code, error)
	DeleteCode(ctx context.Context, id uuid.UUID) (affiliate.DeletedCode, error)
	Evaluate(ctx context.Context, o affiliate.Order) (affiliate.Evaluation, error)
	EvaluateCodes(ctx context.Context, in affiliate.CodesOrder) (affiliate.Comparison, error)
	HoldRedemption(ctx context.Context, in affiliate.HoldParams) (affiliate.Hold, error)
	Hold(ctx context.Context, id string) (affiliate.Hold, error)
	ReleaseHold(ctx context.Context, id string) (affiliate.Hold, error)
	ReleaseSlug(ctx context.Context, slug string) (affiliate.ReleasedSlug, error)
	Referral(ctx context.Context, ident string) (affiliate.Referral, error)
	Referrals(ctx context.Context, q affiliate.ReferralQuery,
		pg affiliate.Page) (affiliate.List[affiliate.Referral], error)
	CreateReferral(ctx context.Context, in affiliate.ReferralParams) (affiliate.Referral, error)
	UpdateReferral(ctx context.Context, ident string, up affiliate.ReferralUpdate) (affiliate.Referral, error)
	MergeReferrals(ctx context.Context, in affiliate.Merge) (affiliate.Referral, error)
	DeleteReferral(ctx context.Context, ident string) error
	Sale(ctx context.Context, id affiliate.SaleID) (affiliate.Sale, error)
	Sales(ctx context.Context, q affiliate.SaleQuery, pg affiliate.Page) (affiliate.List[affiliate.Sale], error)
	SaleSums(ctx context.Context, q affiliate.SaleQuery) (affiliate.SaleSums, error)
	RecordSale(ctx context.Context, in affiliate.SaleParams) (affiliate.SaleResult, error)
	UpdateSale(ctx context.Context, id affiliate.SaleID, up affiliate.SaleUpdate) (affiliate.Sale, error)
	RecordConversion(ctx context.Context, in affiliate.ConversionParams) (affiliate.SaleResult, error)
	RefundSale(ctx context.Context, in affiliate.Refund) (affiliate.RefundResult, error)
	DeleteSale(ctx context.Context, id affiliate.SaleID) error
	Events(ctx context.Context, f affiliate.EventQuery, pg affiliate.Page) (affiliate.List[affiliate.Event], error)
	EventsAfter(ctx context.Context, after uuid.UUID, limit int) ([]affiliate.Event, error)
	Follow(ctx context.Context, after uuid.UUID) iter.Seq2[affiliate.Event, error]
	ReviewCommissions(ctx context.Context, status affiliate.ApprovalStatus,
		ids ...affiliate.SaleID) ([]affiliate.Sale, error)
	DecidePayment(ctx context.Context, id uuid.UUID, in affiliate.PaymentDecisionParams) (affiliate.PaymentResult, error)
	Payout(ctx context.Context, id uuid.UUID) (affiliate.Payout, error)
	Payouts(ctx context.Context, f affiliate.PayoutQuery, pg affiliate.Page) (affiliate.List[affiliate.Payout], error)
	PayoutSums(ctx context.Context, f affiliate.PayoutQuery) (affiliate.PayoutSums, error)
	Transfers(ctx context.Context, f affiliate.PayoutQuery) iter.Seq2[affiliate.Transfer, error]
	CreatePayout(ctx context.Context, in affiliate.PayoutParams) (affiliate.Payout, error)
	SetPayoutStatus(ctx context.Context, id uuid.UUID, status affiliate.PayoutStatus) (affiliate.Payout, error)
	FailPayout(ctx context.Context, id uuid.UUID, reason string) (affiliate.Payout, error)
	ReturnPayout(ctx context.Context, id uuid.UUID, reason string) (affiliate.Payout, error)
	RunPayouts(ctx context.Context, in affiliate.PayoutRun) (affiliate.PayoutRunResult, error)
	PreviewPayouts(ctx context.Context, in affiliate.PayoutRun,
		pg affiliate.Page) (affiliate.List[affiliate.PayoutLine], error)
	PayoutRun(ctx context.Context, externalID string) (affiliate.PayoutRunResult, error)
	PayoutRuns(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.PayoutRunResult], error)
	PayoutLines(ctx context.Context, externalID string, pg affiliate.Page) (affiliate.List[affiliate.PayoutLine], error)
	Balance(ctx context.Context, of affiliate.AffiliateRef) (affiliate.Balance, error)
	Balances(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Balance], error)
	TotalBalance(ctx context.Context, at time.Time) (affiliate.TotalBalance, error)
	RankedBalances(ctx context.Context, at time.Time, pg affiliate.Page) (affiliate.List[affiliate.Balance], error)
	Movements(ctx context.Context, f affiliate.MovementQuery,
		pg affiliate.Page) (affiliate.List[affiliate.Movement], error)
	Report(ctx context.Context, q affiliate.ReportQuery, pg affiliate.Page) (affiliate.List[affiliate.Bucket], error)
	Breakdown(ctx context.Context, q affiliate.BreakdownQuery,
		pg affiliate.Page) (affiliate.List[affiliate.BreakdownRow], error)
	Statement(ctx context.Context, of affiliate.AffiliateRef, from, to time.Time) (affiliate.Statement, error)
	ExplainSale(ctx context.Context, id affiliate.SaleID) (affiliate.Explanation, error)
	Adjustment(ctx context.Context, id uuid.UUID) (affiliate.Adjustment, error)
	Adjustments(ctx context.Context, f affiliate.AdjustmentQuery,
		pg affiliate.Page) (affiliate.List[affiliate.Adjustment], error)
	RecordAdjustment(ctx context.Context, in affiliate.AdjustmentParams) (affiliate.Adjustment, error)
	OpenCase(ctx context.Context, in affiliate.CaseParams) (affiliate.Case, error)
	AnswerCase(ctx context.Context, id uuid.UUID, in affiliate.CaseAnswer) (affiliate.Case, error)
	Case(ctx context.Context, id uuid.UUID) (affiliate.Case, error)
	Cases(ctx context.Context, q affiliate.CaseQuery, pg affiliate.Page) (affiliate.List[affiliate.Case], error)
}
