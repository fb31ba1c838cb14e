package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// Config is the same as Config of package tributary, where its fields are
// explained.
type Config struct {
	ID                   uuid.UUID
	Name                 string
	Currency             affiliate.Currency
	Location             *time.Location
	Destinations         []affiliate.Destination
	Param                string
	OldParams            []string
	KeepParams           []string
	CookieDomain         string
	CookieDays           int
	Attribution          affiliate.Attribution
	Terms                affiliate.Terms
	Rate                 func(ctx context.Context, c affiliate.Currency, at time.Time) (affiliate.ExchangeRate, error)
	Limits               affiliate.Limits
	NoAutoApprove        bool
	CommissionOnTax      bool
	CommissionOnShipping bool
	RefundWindow         time.Duration
	PayoutMinimum        affiliate.Amount
	Company              string
	TermsText            string
	TermsVersion         string
	Retention            affiliate.Retention
	ErasureKey           []byte
	PaymentMemory        time.Duration
	FreeOrders           bool
	RefuseSuspended      bool
	HouseCodes           bool
	RequireCustomer      bool
	CountBots            bool
	RealOrder            affiliate.Percent
	CascadeEvents        bool
	StoredSettings       bool
	Now                  func() time.Time
	NewID                func() uuid.UUID
	Rand                 io.Reader
	Review               []affiliate.ReviewRule
	Addresses            affiliate.AddressPolicy
	Seal                 func(data, boundTo []byte) ([]byte, error)
	Open                 func(data, boundTo []byte) ([]byte, error)
	Schedule             []time.Duration
	Send                 func(context.Context, affiliate.Claim) affiliate.Attempt
	OnNotice             func(affiliate.Notice)
	Hooks                record.Hooks
	OnEvents             func()
	Observer             affiliate.Observer
	Logger               *slog.Logger
}

// domain is a domain whose hosts can share a cookie: in ASCII, of two names at least, and no address.
var domain = regexp.MustCompile(`(?i)^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]([a-z0-9-]*[a-z0-9])?$`)

// complete fills in the defaults and refuses values that cannot work.
func (c *Config) complete() error {
	c.fillIn()
	currency, err := affiliate.ParseCurrency(string(c.Currency))
	if err != nil {
		return fmt.Errorf("affiliate: Config.Currency: %w", err)
	}
	c.Currency = currency
	if slices.Contains(c.KeepParams, "") || slices.Contains(c.OldParams, "") {
		return errors.New("affiliate: Config.KeepParams or OldParams has an empty name")
	}
	if c.CookieDomain != "" && !domain.MatchString(c.CookieDomain) {
		return errors.New("affiliate: Config.CookieDomain must be a domain such as shop.example")
	}
	if c.CookieDays < 0 || c.CookieDays > maxCookieDays {
		return errors.New("affiliate: Config.CookieDays must be from 1 to 36500")
	}
	if err := checkAttribution(c.Attribution); err != nil {
		return err
	}
	if c.RefundWindow < 0 {
		return errors.New("affiliate: Config.RefundWindow must not be negative")
	}
	if c.PayoutMinimum.Sign() < 0 {
		return errors.New("affiliate: Config.PayoutMinimum must not be negative")
	}
	if (c.TermsText == "") != (c.TermsVersion == "") {
		return errors.New("affiliate: Config.TermsText and TermsVersion go together")
	}
	if n := len(c.ErasureKey); n > 0 && n < 16 {
		return errors.New("affiliate: Config.ErasureKey must have at least 16 bytes")
	}
	if c.RealOrder.Scaled() < 0 || c.RealOrder.Cmp(affiliate.MustPercent("100")) > 0 {
		return errors.New("affiliate: Config.RealOrder must be from 0 to 100")
	}
	if c.PaymentMemory < 0 {
		return errors.New("affiliate: Config.PaymentMemory must not be negative")
	}
	if err := complete(&c.Limits); err != nil {
		return err
	}
	if err := checkReview(c.Review); err != nil {
		return err
	}
	if (c.Seal == nil) != (c.Open == nil) {
		return errors.New("affiliate: Config.Seal and Open go together")
	}
	if err := checkSchedule(c.Schedule); err != nil {
		return err
	}
	if err := NormalizeTerms(&c.Terms); err != nil {
		return fmt.Errorf("affiliate: Config.Terms: %w", err)
	}
	return checkDestinations(c.Destinations)
}

// fillIn sets the defaults of the fields that were left out.
func (c *Config) fillIn() {
	c.Currency = cmp.Or(c.Currency, "USD")
	c.Param = cmp.Or(c.Param, "ref")
	c.CookieDays = cmp.Or(c.CookieDays, 60)
	c.RealOrder = cmp.Or(c.RealOrder, affiliate.MustPercent("10"))
	c.PaymentMemory = cmp.Or(c.PaymentMemory, 90*24*time.Hour)
	c.Location = cmp.Or(c.Location, time.UTC)
	c.OldParams, c.KeepParams = slices.Clone(c.OldParams), slices.Clone(c.KeepParams)
	c.ErasureKey = slices.Clone(c.ErasureKey)
	c.Review = slices.Clone(c.Review)
	observerComplete(&c.Observer)
	if len(c.Schedule) == 0 {
		c.Schedule = defaultSchedule()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Rand == nil {
		c.Rand = rand.Reader
	}
}

func checkDestinations(all []affiliate.Destination) error {
	for _, d := range all {
		u, err := url.Parse(d.URL)
		if err != nil || !u.IsAbs() || u.Host == "" {
			return fmt.Errorf("affiliate: Config.Destinations: %q is not an absolute URL", d.URL)
		}
	}
	return nil
}

// Pure functions that decide what follows an attempt. Contract 7.4.

// defaultSchedule returns the delay before each attempt.
func defaultSchedule() []time.Duration {
	return []time.Duration{
		0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
		5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
}

const (
	maxStep  = 30 * 24 * time.Hour
	maxSteps = 100
)

// checkSchedule refuses a schedule that no dispatcher could follow.
func checkSchedule(schedule []time.Duration) error {
	if len(schedule) > maxSteps {
		return errors.New("affiliate: Config.Schedule has more than 100 steps")
	}
	for _, step := range schedule {
		if step < 0 || step > maxStep {
			return errors.New("affiliate: Config.Schedule: a step must be from 0 to 30 days")
		}
	}
	return nil
}

// The lists of values, so that a check of input copies none.
var (
	accounts             = affiliate.Accounts()
	affiliateStatuses    = affiliate.AffiliateStatuses()
	approvalStatuses     = affiliate.ApprovalStatuses()
	codeStates           = affiliate.CodeStates()
	durations            = affiliate.Durations()
	integrationTypes     = affiliate.IntegrationTypes()
	integrations         = affiliate.Integrations()
	paymentMethods       = affiliate.PaymentMethods()
	paymentTriggers      = affiliate.PaymentTriggers()
	subscriptionStatuses = affiliate.SubscriptionStatuses()
	touches              = []affiliate.Touch{affiliate.TouchLast, affiliate.TouchFirst}
	customerCredits      = []affiliate.CustomerCredit{affiliate.CreditEachOrder, affiliate.CreditKeptCustomer}
	codeCredits          = []affiliate.CodeCredit{affiliate.CodeAlways, affiliate.CodeUnbrought}
)

// ForAffiliate returns the source as an affiliate shows it.
func ForAffiliate(s affiliate.Source) affiliate.AffiliateSource {
	switch s {
	case affiliate.SourceAPI, affiliate.SourceManual, affiliate.SourceImported,
		affiliate.SourceAffiliatePortal, affiliate.SourceWidget, affiliate.SourceMarketplace,
		affiliate.SourceInfluencerDiscovery:
		return affiliate.AffiliateSource(s)
	}
	return affiliate.AffiliateSource(affiliate.SourceUnknown)
}

// ForReferral returns the source as a referral shows it.
func ForReferral(s affiliate.Source) affiliate.ReferralSource {
	switch s {
	case affiliate.SourceAPI, affiliate.SourceManual, affiliate.SourceImported,
		affiliate.SourceIntegration, affiliate.SourceAffiliateSubmitted:
		return affiliate.ReferralSource(s)
	}
	return affiliate.ReferralSource(affiliate.SourceUnknown)
}

// ForSale returns the source as a sale shows it.
func ForSale(s affiliate.Source) affiliate.SaleSource {
	switch s {
	case affiliate.SourceAPI, affiliate.SourceManual, affiliate.SourceImported,
		affiliate.SourceIntegration, affiliate.SourceAutomated:
		return affiliate.SaleSource(s)
	}
	return affiliate.SaleSource(affiliate.SourceUnknown)
}

// IsRefused reports whether sales to the customer are not recorded. With PAST_DUE
// and CANCELLED they are recorded: the customer has paid, and providers often
// report the status later.
func IsRefused(s affiliate.SubscriptionStatus) bool {
	return s == affiliate.SubscriptionSubmitted || s == affiliate.SubscriptionDeclined
}

// Seal returns what the store keeps of a secret in the record with the id.
func (p *Program) Seal(secret []byte, id uuid.UUID) ([]byte, error) {
	if p.Cfg.Seal == nil {
		return secret, nil
	}
	return p.Cfg.Seal(secret, id[:])
}

// Unseal is the inverse of seal.
func (p *Program) Unseal(ctx context.Context, kept []byte, id uuid.UUID) ([]byte, error) {
	if p.Cfg.Open == nil {
		return kept, nil
	}
	return p.open(ctx, kept, id[:])
}
