package affiliate

import "github.com/google/uuid"

// A Partner is what one affiliate may see and do: a view of a program that has
// nothing of other affiliates, and shows customers by a mask alone. It is a value
// to be made for each use, and safe for concurrent use.
//
// Source: docs/partner-pages.md 1.
type Partner struct {
	program *Program
	id      uuid.UUID
}

// Partner returns what the affiliate with an id may see. It reads nothing, so it
// does not say whether there is one: [Partner.Profile] does.
//
// Source: docs/partner-pages.md 1.
func (p *Program) Partner(id uuid.UUID) Partner { return Partner{p, id} }

// A PartnerProfile is an affiliate as they see themselves.
//
// Source: docs/partner-pages.md 1.
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

// A PartnerLink is a link as its owner sees it.
//
// Source: docs/partner-pages.md 1.
type PartnerLink struct {
	ID           uuid.UUID `json:"id"`
	Link         string    `json:"link"`     // the slug
	FullURLs     []FullURL `json:"fullURLs"` // one for each destination of the program
	Clicks       int64     `json:"clicks"`
	Referrals    int64     `json:"referrals"`
	Sales        int64     `json:"sales"`
	TotalRevenue Amount    `json:"totalRevenue"`
	CreatedAt    Time      `json:"createdAt"`
}

// A PartnerCode is a code as its affiliate sees it. The limit of the coupon is not
// there: its uses tell how the codes of others do.
//
// Source: docs/partner-pages.md 1.
type PartnerCode struct {
	ID                    uuid.UUID     `json:"id"`
	Code                  string        `json:"code"`
	Usable                bool          `json:"usable"`    // an order may use it now
	ExpiresAt             Opt[Time]     `json:"expiresAt"` // the earlier end of the code and of its coupon
	CouponType            CouponType    `json:"couponType"`
	PercentOff            Opt[Percent]  `json:"percentOff"` // null when FLAT
	AmountOff             Opt[Amount]   `json:"amountOff"`  // null when PERCENTAGE
	Currency              Opt[Currency] `json:"currency"`   // null when PERCENTAGE
	MinimumAmount         Opt[Amount]   `json:"minimumAmount"`
	MinimumAmountCurrency Opt[Currency] `json:"minimumAmountCurrency"`
	FirstTimeOrder        bool          `json:"firstTimeOrder"`
	TimesRedeemed         int64         `json:"timesRedeemed"`
	MaxRedemptions        Opt[int64]    `json:"maxRedemptions"` // the code's own; null: none
}

// A PartnerReferral is a customer as the affiliate sees them who brought them.
//
// Source: docs/partner-pages.md 1.
type PartnerReferral struct {
	ID                 uuid.UUID          `json:"id"`
	Customer           string             `json:"customer"` // as of [MaskEmail]; without an email customer-0a1f, the end of the id
	SubscriptionStatus SubscriptionStatus `json:"subscriptionStatus"`
	TotalRevenue       Amount             `json:"totalRevenue"`
	TotalCommission    Amount             `json:"totalCommission"`
	CreatedAt          Time               `json:"createdAt"`
}

// A PartnerSale is a sale as the affiliate sees it whom it credits. Of several
// commissions the first one says how it was approved and whether a payout has it;
// the others are changes after that payout.
//
// Source: docs/partner-pages.md 1.
type PartnerSale struct {
	ID               SaleID              `json:"id"`
	Customer         string              `json:"customer"` // as in [PartnerReferral]; empty: nobody is known
	TotalEarned      Amount              `json:"totalEarned"`
	RefundedAmount   Amount              `json:"refundedAmount"`
	CommissionEarned Amount              `json:"commissionEarned"`
	ApprovalStatus   Opt[ApprovalStatus] `json:"approvalStatus"` // null: it has no commission
	PayoutCreated    bool                `json:"payoutCreated"`
	Status           SaleStatus          `json:"status"`
	PromoCode        Opt[string]         `json:"promoCode"` // null: none, or the code is no longer theirs
	Link             Opt[string]         `json:"link"`      // the slug; null: none, or the link is gone
	CreatedAt        Time                `json:"createdAt"`
}
