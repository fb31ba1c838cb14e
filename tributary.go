package tributary

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/imports"
	"github.com/tributary-go/tributary/internal/partner"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A Program is one affiliate program: every rule of the domain as a method.
// It is immutable, safe for concurrent use, and starts no goroutine.
//
// By noun:
//
//   - Affiliates: CreateAffiliate, EnsureAffiliate, InviteAffiliate, MergeAffiliates, DeleteAffiliate, Affiliate,
//     Answers, Affiliates, SetAffiliateStatus,
//     UpdateAffiliate, AcceptInvite
//   - Links and clicks: TrackClick, CreateLink, DeleteLink, Links, ReleaseSlug, RenameLink
//   - Coupons and codes: CheckCodes, CreateCode, DeleteCode, Evaluate, EvaluateCodes, HoldRedemption,
//     Hold, Holds, ReleaseHold, Code, Codes, GenerateCodes, UpdateCode, CreateCoupon, DeleteCoupon, Coupon,
//     Coupons, WriteCoupon, WriteCoupons, UpdateCoupon
//   - Customers: CreateReferral, DeleteReferral, Referral, Referrals,
//     UpdateReferral, MergeReferrals, PushReferralStatus
//   - Sales and commissions: RestoreRedemption, OverdrawnRedemption, AcceptRedemption, DeleteSale, ReverseSale, RecordSale,
//     RecordConversion, RefundSale, ReviewCommissions, UpdateSale, Sale,
//     Sales, SaleSums
//   - Plans and tiers: SetAffiliatePlan, SetAffiliateTier, SetTierExempt, CreatePlan,
//     Plan, Plans, UpdatePlan, SetTerms, Terms, Budgets, Bonuses, DeletePlan, SetReferralPlan,
//     CreateTier, Tier, Tiers, UpdateTier, DeleteTier
//   - Payments of providers: [Program.Payments] has what they say; DecidePayment
//   - Payouts: SetPayoutDetails, CreatePayout, PayoutEntries, Payout, Payouts,
//     PayoutSums, PreviewPayouts, PayoutRun, PayoutRuns, PayoutLines, RunPayouts,
//     SetPayoutStatus, FailPayout, ReturnPayout, Transfers
//   - What is owed, and why: Adjustment, Adjustments, RecordAdjustment, Attention,
//     Balance, Balances, TotalBalance, RankedBalances, Movements, AdjustmentReasons,
//     Report, Breakdown, ExplainSale, Simulate, Statement
//   - What affiliates ask: OpenCase, AnswerCase, Case, Cases
//   - Events: EventsAfter, Follow, Events; [Program.Webhooks] has endpoints and deliveries
//   - Another program's records: [Program.Imports]
//   - What the host keeps for itself: [Program.Values]
//   - Upkeep: AffiliateData, ReferralData, EraseAffiliate, EraseReferral, Run, Step,
//     Verify
//   - The program itself: Keyed, Partner, Ping, With, From, By, Because, Forfeiting, Rehearsal, Settings,
//     UpdateSettings, Config
//
// Its methods return an [*affiliate.Error] that the caller can fix, [affiliate.ErrNotFound] when a
// look-up of one record finds nothing, and any other error when the store or a
// function of the host failed. A refusal has changed nothing. After another error
// the documentation of the method and of the store say what is known.
type Program struct{ engine *engine.Program }

// in returns the engine with the settings of the moment, for one operation.
func (p *Program) in(ctx context.Context) *engine.Program { return p.engine.Current(ctx) }

// New makes a program with the configuration cfg on store. It does not use the
// store yet: the first method call does. Call [Program.Ping] to check the store
// before.
//
// Errors: a nil store, a bad Config.
func New(store record.Store, cfg Config) (*Program, error) {
	p, err := engine.New(store, engine.Config(cfg))
	if err != nil {
		return nil, err
	}
	return &Program{p}, nil
}

// Config returns the program's configuration with its defaults filled in.
func (p *Program) Config() Config { return Config(p.engine.Config()) }

// A Partner is one affiliate's view of the program: what this affiliate may see, and
// nothing of anybody else. It is a value, safe for concurrent use.
//
// Customers are masked by [affiliate.MaskEmail]. It never shows a customer's name, an
// external id, a note, metadata, a landing page or a product of a sale, nor which rule of
// Config.Review held a commission.
//
// Source: docs/contract.md 4.7.
type Partner struct {
	engine *engine.Program
	id     uuid.UUID
}

func (p Partner) in(ctx context.Context) partner.Partner {
	return partner.PartnerIn(p.engine.Current(ctx), p.id)
}

// Rehearse returns a store over another one. It reads from that store and keeps every
// write in memory, so the store beneath is never written. Its sequences begin above those
// of the store.
//
// It needs memory for each record that is written. It runs one transaction at a time and
// is safe for concurrent use; do not use it inside one of its own transactions.
func Rehearse(store record.Store) record.Store { return imports.Rehearse(store) }

// Refusals lists the whole table of refusals, which httpapi/errors.json lists by code:
// for adapters, documents and tests. The {…} in a text is replaced when
// the refusal is used.
func Refusals() []*affiliate.Error { return refusal.Refusals() }

// Config has the settings of a program. The zero Config is usable: US dollars,
// UTC, every affiliate approved, real clock. Its Terms pay 0 %: set Terms.Rate,
// or no sale earns a commission. Plans, tiers and endpoints can change at run
// time, so they are records instead.
type Config struct {
	ID           uuid.UUID               // the program in the Store, and programId on the wire; zero is a valid id
	Name         string                  // shown on links
	Currency     affiliate.Currency      // of the books, balances and payouts; zero: USD
	Location     *time.Location          // where a plain date ends; nil: UTC
	Destinations []affiliate.Destination // where links lead to
	Param        string                  // query parameter of the slug; zero: ref
	OldParams    []string                // query parameters of the slug in links from before the program was here, such as via; Param comes first
	KeepParams   []string                // query parameters of a page URL that a click keeps, besides Param, sub and utm_*
	CookieDomain string                  // the domain whose hosts share the cookie of a click, such as shop.example for www. and app.shop.example; empty: each host has its own
	CookieDays   int                     // for how many days of 24 hours a click attributes, 1–36,500; zero: 60
	Attribution  affiliate.Attribution   // whom a sale credits; zero: a code, else the last click, for each order anew
	Terms        affiliate.Terms         // commission of affiliates without a rate, tier or plan of their own; zero: 0 %

	// Rate says what one unit of a currency is worth in Currency at a time, for sales, previews
	// and payments in another currency that come without a rate. It is called before a
	// transaction, at the same time by several calls, and a sale keeps what it said. The zero
	// rate means that there is none: the sale is refused, and a payment is parked. An error
	// fails the call. Nil: there is none for any currency. No rates are fetched by this module.
	Rate func(ctx context.Context, c affiliate.Currency, at time.Time) (affiliate.ExchangeRate, error)

	Limits affiliate.Limits // how much one object may hold

	NoAutoApprove        bool             // affiliates created without a status are INACTIVE; zero: ACTIVE
	CommissionOnTax      bool             // false: tax is deducted from the base
	CommissionOnShipping bool             // false: shipping is deducted from the base
	RefundWindow         time.Duration    // after the sale; zero: no limit
	PayoutMinimum        affiliate.Amount // a payout run that names no minimum pays nothing to whom less is due; zero: none
	Company              string           // who pays, as statements say it, in lines: name, address, tax number; empty: Name
	TermsText            string           // what applicants accept, or the URL of a page with it; empty: nothing
	TermsVersion         string           // of TermsText, such as 2026-11; both or neither

	// Retention says how long httpapi/serve keeps old records; what is zero, as long as serve says.
	// It is no limit of [Program.Run].
	Retention affiliate.Retention

	ErasureKey      []byte            // keys the digest that is kept of an erased person's email, ≥ 16 bytes; never change it. Nil: the program's id, which whoever reads the store knows
	PaymentMemory   time.Duration     // how long a payment without a sale, and a payer without a referral, are kept after the last change; zero: 90 days
	FreeOrders      bool              // sales with a total of 0 are recorded when the report says that they are free; see SaleParams.Free
	RefuseSuspended bool              // codes of affiliates who are BANNED or DEACTIVATED are refused; false: their sales earn commissions on hold
	HouseCodes      bool              // codes without an affiliate discount and count; false: they are refused. See docs/rules.md 3.3
	RequireCustomer bool              // codes with a limit per customer are refused when the order names no customer; false: the limit is not verified then
	CountBots       bool              // crawlers and link previews that say so are clicks too; false: their visits find no link
	RealOrder       affiliate.Percent // what part of an order the first order of a customer must have brought whom a typed email alone names; less is held as planted_email; zero: 10
	CascadeEvents   bool              // deletes also fire the events of the children, children first; false: only those of docs/contract.md 7.1

	// StoredSettings has the settings that are zero here kept in the store, where
	// [Program.UpdateSettings] changes them; another process has them within five seconds. What
	// is given here stays the host's. False: all are the host's.
	StoredSettings bool

	Now   func() time.Time // nil: time.Now
	NewID func() uuid.UUID // nil: version 7 from Now and Rand; another one must increase strictly too
	Rand  io.Reader        // ids, codes, secrets; nil: crypto/rand.Reader

	// Review lists rules that hold the commission of a sale until a person looks at it,
	// such as [affiliate.SelfReferral]; at most 16, each with a reason of its own. Nil:
	// none.
	Review []affiliate.ReviewRule

	Addresses affiliate.AddressPolicy // which endpoint URLs are accepted

	// Seal encrypts the stored secrets of endpoints, and Open is its inverse.
	// Set both or neither; both must be safe for concurrent use. boundTo is the
	// id of the endpoint or receipt that holds the secret. Authenticate it with
	// the data, as additional data of an AEAD, so that a sealed secret cannot
	// be opened in another record. Neither is called inside a transaction. Nil:
	// secrets are stored in plain text. When Seal is set after the first
	// endpoint was created, Open also gets unsealed secrets: it must return a
	// text that begins with whsec_ unchanged. Rotating a secret seals it.
	Seal func(data, boundTo []byte) ([]byte, error)
	Open func(data, boundTo []byte) ([]byte, error)

	// Schedule has the delay before each attempt of a delivery; its length is
	// the number of attempts. Each delay after the first is up to a tenth or
	// two seconds longer. Nil: at once, then after 5 s, 5 min, 30 min, 2 h, 5
	// h, 10 h, 14 h, 20 h and 24 h.
	Schedule []time.Duration

	// Send makes the request of an endpoint test; use webhooks.Sender.Send.
	// Nil: a test reports that nothing was delivered.
	Send func(context.Context, affiliate.Claim) affiliate.Attempt

	// OnNotice is called after the commit of the change that it reports, in the
	// goroutine that settled the attempt. It must not block. Nil: not called.
	OnNotice func(affiliate.Notice)

	// Hooks are called with each change, after its commit.
	Hooks record.Hooks

	// OnEvents is called after each commit that wrote events, in the goroutine
	// that made it. It must not block. Nil: not called.
	OnEvents func()

	// Observer watches operations and deliveries, for metrics and traces. The
	// zero Observer costs nothing.
	Observer affiliate.Observer

	// Logger gets a line at level Error, with value and stack, for each panic
	// in Send, Open, OnNotice, OnEvents, Observer, a rule of Review or a hook. Except for
	// Open and Review, the change is committed by then, so the panic is not
	// passed on and the caller gets the result. Nil: slog.Default().
	Logger *slog.Logger
}
