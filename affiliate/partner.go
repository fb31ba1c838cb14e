package affiliate

import "github.com/google/uuid"

// PartnerProfile is an affiliate as the affiliate sees it.
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
	Reasons               []Reason      `json:"reasons"`   // why not, as in Usability but without the data, which would reveal other people
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
	HoldReason       Opt[HoldReason]     `json:"holdReason"`     // of the commission; FRAUD_PREVENTION is shown as PROGRAM_SETTINGS
	PayoutCreated    bool                `json:"payoutCreated"`  // a payout has that
	Status           SaleStatus          `json:"status"`
	PromoCode        Opt[string]         `json:"promoCode"` // null: by no code, or it is no longer theirs
	Link             Opt[string]         `json:"link"`      // the slug of the affiliate's link; null: none
	CreatedAt        Time                `json:"createdAt"`
}
