package affiliate

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// A Partner is one affiliate's view of the program: what this affiliate may see,
// and nothing of anybody else. It is a value; it is safe for concurrent use.
//
// Customers are masked by [MaskEmail]. No name of a customer, external id, note,
// metadata, landing page or product is in it, and no rule of Config.Review that held.
//
// Source: docs/contract.md 4.7.
type Partner struct {
	p  *Program
	id uuid.UUID
}

// Partner returns the view of an affiliate, who need not exist: each call looks.
func (p *Program) Partner(affiliate uuid.UUID) Partner { return Partner{p, affiliate} }

// PartnerProfile is what affiliates see of themselves.
type PartnerProfile struct {
	ID                    uuid.UUID          `json:"id"`
	Name                  string             `json:"name"`
	Email                 string             `json:"email"`
	Status                AffiliateStatus    `json:"status"`
	CommissionRate        Percent            `json:"commissionRate"` // the rate in effect
	PayoutEmail           Opt[string]        `json:"payoutEmail"`
	PaymentMethod         Opt[PaymentMethod] `json:"paymentMethod"`
	DetailsComplete       bool               `json:"detailsComplete"` // both payout fields are set
	NumberOfClicks        int64              `json:"numberOfClicks"`
	NumberOfReferredUsers int64              `json:"numberOfReferredUsers"`
	TotalRevenue          Amount             `json:"totalRevenue"`
	TotalCommissionEarned Amount             `json:"totalCommissionEarned"`
	CreatedAt             Time               `json:"createdAt"`
	Program               PartnerProgram     `json:"program"`
}

// PartnerProgram is the program inside a profile.
type PartnerProgram struct {
	Name     string   `json:"name"`
	Currency Currency `json:"currency"`
}

// PartnerLink is a link of the affiliate.
type PartnerLink struct {
	ID           uuid.UUID `json:"id"`
	Link         string    `json:"link"` // the slug
	FullURLs     []FullURL `json:"fullURLs"`
	Clicks       int64     `json:"clicks"`
	Referrals    int64     `json:"referrals"`
	Sales        int64     `json:"sales"`
	TotalRevenue Amount    `json:"totalRevenue"`
	CreatedAt    Time      `json:"createdAt"`
}

// PartnerCode is a promotional code of the affiliate.
type PartnerCode struct {
	ID                    uuid.UUID     `json:"id"`
	Code                  string        `json:"code"`
	Usable                bool          `json:"usable"`    // for an order that names no customer, product or amount
	Reasons               []Reason      `json:"reasons"`   // why it is not, as Usability has them; their data would tell of others
	ExpiresAt             Opt[Time]     `json:"expiresAt"` // the earlier end, of the code or its coupon
	CouponType            CouponType    `json:"couponType"`
	PercentOff            Opt[Percent]  `json:"percentOff"`
	AmountOff             Opt[Amount]   `json:"amountOff"`
	Currency              Opt[Currency] `json:"currency"`
	MinimumAmount         Opt[Amount]   `json:"minimumAmount"`
	MinimumAmountCurrency Opt[Currency] `json:"minimumAmountCurrency"`
	FirstTimeOrder        bool          `json:"firstTimeOrder"`
	TimesRedeemed         int64         `json:"timesRedeemed"`
	MaxRedemptions        Opt[int64]    `json:"maxRedemptions"` // the code's own; the coupon's would tell of others
}

// PartnerReferral is a customer of the affiliate, masked.
type PartnerReferral struct {
	ID                 uuid.UUID          `json:"id"`
	Customer           string             `json:"customer"` // as MaskEmail has it
	SubscriptionStatus SubscriptionStatus `json:"subscriptionStatus"`
	TotalRevenue       Amount             `json:"totalRevenue"`
	TotalCommission    Amount             `json:"totalCommission"`
	CreatedAt          Time               `json:"createdAt"`
}

// PartnerSale is a sale that credits the affiliate, its customer masked.
type PartnerSale struct {
	ID               SaleID              `json:"id"`
	Customer         string              `json:"customer"` // as MaskEmail has it; empty: nobody is known
	TotalEarned      Amount              `json:"totalEarned"`
	RefundedAmount   Amount              `json:"refundedAmount"`
	CommissionEarned Amount              `json:"commissionEarned"`
	ApprovalStatus   Opt[ApprovalStatus] `json:"approvalStatus"` // of its first commission; null: it has none
	HoldReason       Opt[HoldReason]     `json:"holdReason"`     // of that; FRAUD_PREVENTION is told as PROGRAM_SETTINGS
	PayoutCreated    bool                `json:"payoutCreated"`  // a payout has that
	Status           SaleStatus          `json:"status"`
	PromoCode        Opt[string]         `json:"promoCode"` // null: by no code, or it is no longer theirs
	Link             Opt[string]         `json:"link"`      // the slug of a link of the affiliate; null: by none
	CreatedAt        Time                `json:"createdAt"`
}

// Profile returns who the affiliate is.
//
// Errors: [ErrNotFound].
//
// Source: docs/contract.md 4.7.
func (v Partner) Profile(ctx context.Context) (PartnerProfile, error) {
	a, err := v.p.Affiliate(ctx, v.id.String())
	if err != nil {
		return PartnerProfile{}, err
	}
	return v.profileOf(a), nil
}

func (v Partner) profileOf(a Affiliate) PartnerProfile {
	return PartnerProfile{
		ID: a.ID, Name: a.Name, Email: a.Email, Status: a.Status, CommissionRate: a.CommissionRate,
		PayoutEmail: a.PayoutEmail, PaymentMethod: a.PaymentMethod, DetailsComplete: a.DetailsComplete,
		NumberOfClicks: a.NumberOfClicks, NumberOfReferredUsers: a.NumberOfReferredUsers,
		TotalRevenue: a.TotalRevenue, TotalCommissionEarned: a.TotalCommissionEarned, CreatedAt: a.CreatedAt,
		Program: PartnerProgram{Name: v.p.cfg.Name, Currency: v.p.cfg.Currency},
	}
}

// Balance is [Program.Balance] of the affiliate.
//
// Source: docs/money.md 8.
func (v Partner) Balance(ctx context.Context) (Balance, error) { return v.p.Balance(ctx, v.id) }

// Statement is [Program.Statement] of the affiliate.
//
// Source: docs/money.md 9.
func (v Partner) Statement(ctx context.Context, from, to time.Time) (Statement, error) {
	return v.p.Statement(ctx, v.id, from, to)
}

// StatementPage is [Program.StatementPage] of the affiliate.
//
// Errors: those of that method.
func (v Partner) StatementPage(ctx context.Context, from, to time.Time, pg Page) (Statement, List[StatementLine], error) {
	return v.p.StatementPage(ctx, AffiliateRef{ID: v.id}, from, to, pg)
}

// Report is [Program.Report] of the affiliate.
//
// Source: docs/money.md 16.
func (v Partner) Report(ctx context.Context, from, to time.Time, by Interval) ([]Bucket, error) {
	return v.p.Report(ctx, ReportQuery{From: from, To: to, By: by, AffiliateID: Set(v.id)})
}

// SetPayoutDetails is [Program.SetPayoutDetails] by the affiliate itself, with the
// source AFFILIATE_PORTAL. Only one that is ACTIVE may.
//
// Errors: those of Program.SetPayoutDetails; [StatusNotAllowed].
//
// Effects: those of Program.SetPayoutDetails.
//
// Source: docs/contract.md 4.7.
func (v Partner) SetPayoutDetails(ctx context.Context, d PayoutDetails) (PartnerProfile, error) {
	a, err := v.p.From(SourceAffiliatePortal).setPayoutDetails(ctx, v.id, d, func(rec *AffiliateRecord) error {
		if rec.Status != AffiliateActive {
			return statusNotAllowed.Err()
		}
		return nil
	})
	if err != nil {
		return PartnerProfile{}, err
	}
	return v.profileOf(a), nil
}
