// Package partner has what an affiliate sees of the program: the answers of
// tributary.Partner. They leave out what would tell of other people.
package partner

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Profile is an affiliate as the affiliate sees it.
type Profile struct {
	ID                    uuid.UUID                              `json:"id"`
	Name                  string                                 `json:"name"`
	Email                 string                                 `json:"email"`
	Status                affiliate.AffiliateStatus              `json:"status"`
	CommissionRate        affiliate.Percent                      `json:"commissionRate"` // the rate in effect
	PayoutEmail           affiliate.Opt[string]                  `json:"payoutEmail"`
	PaymentMethod         affiliate.Opt[affiliate.PaymentMethod] `json:"paymentMethod"`
	DetailsComplete       bool                                   `json:"detailsComplete"` // both payout fields are set
	NumberOfClicks        int64                                  `json:"numberOfClicks"`
	NumberOfReferredUsers int64                                  `json:"numberOfReferredUsers"`
	TotalRevenue          affiliate.Amount                       `json:"totalRevenue"`
	TotalCommissionEarned affiliate.Amount                       `json:"totalCommissionEarned"`
	CreatedAt             affiliate.Time                         `json:"createdAt"`
	Program               Program                                `json:"program"`
}

// Program is the program inside a profile.
type Program struct {
	Name     string             `json:"name"`
	Currency affiliate.Currency `json:"currency"`
}

// Link is a link of the affiliate.
type Link struct {
	ID           uuid.UUID           `json:"id"`
	Link         string              `json:"link"` // the slug
	FullURLs     []affiliate.FullURL `json:"fullURLs"`
	Clicks       int64               `json:"clicks"`
	Referrals    int64               `json:"referrals"`
	Sales        int64               `json:"sales"`
	TotalRevenue affiliate.Amount    `json:"totalRevenue"`
	CreatedAt    affiliate.Time      `json:"createdAt"`
}

// Code is a promotional code of the affiliate.
type Code struct {
	ID                    uuid.UUID                         `json:"id"`
	Code                  string                            `json:"code"`
	Usable                bool                              `json:"usable"`    // for an order that names no customer, product or amount
	Reasons               []affiliate.Reason                `json:"reasons"`   // why not, as in Usability but without the data, which would reveal other people
	ExpiresAt             affiliate.Opt[affiliate.Time]     `json:"expiresAt"` // the earlier end, of the code or its coupon
	CouponType            affiliate.CouponType              `json:"couponType"`
	PercentOff            affiliate.Opt[affiliate.Percent]  `json:"percentOff"`
	AmountOff             affiliate.Opt[affiliate.Amount]   `json:"amountOff"`
	Currency              affiliate.Opt[affiliate.Currency] `json:"currency"`
	MinimumAmount         affiliate.Opt[affiliate.Amount]   `json:"minimumAmount"`
	MinimumAmountCurrency affiliate.Opt[affiliate.Currency] `json:"minimumAmountCurrency"`
	FirstTimeOrder        bool                              `json:"firstTimeOrder"`
	TimesRedeemed         int64                             `json:"timesRedeemed"`
	MaxRedemptions        affiliate.Opt[int64]              `json:"maxRedemptions"` // the code's own; the coupon's would tell of others

	// What follows is there only when the code or its coupon has it.
	StartsAt                  affiliate.Opt[affiliate.Time]   `json:"startsAt,omitzero"`                  // the later start, of the code or its coupon
	MinimumQuantity           affiliate.Opt[affiliate.Amount] `json:"minimumQuantity,omitzero"`           // of pieces in the order
	MaxDiscount               affiliate.Opt[affiliate.Amount] `json:"maxDiscount,omitzero"`               // of one order, in the program's currency
	MaxRedemptionsPerCustomer affiliate.Opt[int64]            `json:"maxRedemptionsPerCustomer,omitzero"` // the lower limit, of the code or its coupon
	Held                      int64                           `json:"held,omitzero"`                      // places that holds keep now: so many fewer are left of MaxRedemptions
	BudgetLeft                affiliate.Opt[affiliate.Amount] `json:"budgetLeft,omitzero"`                // of the coupon, which other codes share; less what holds keep
}

// Left returns how many redemptions are left of the code's own limit; null: it has none.
func (c *Code) Left() affiliate.Opt[int64] {
	most, limited := c.MaxRedemptions.Get()
	if !limited {
		return affiliate.Null[int64]()
	}
	return affiliate.Set(max(0, most-c.TimesRedeemed-c.Held))
}

// Referral is a customer of the affiliate, masked.
type Referral struct {
	ID                 uuid.UUID                    `json:"id"`
	Customer           string                       `json:"customer"` // as MaskEmail has it
	SubscriptionStatus affiliate.SubscriptionStatus `json:"subscriptionStatus"`
	TotalRevenue       affiliate.Amount             `json:"totalRevenue"`
	TotalCommission    affiliate.Amount             `json:"totalCommission"`
	CreatedAt          affiliate.Time               `json:"createdAt"`
}

// Sale is a sale that credits the affiliate, its customer masked.
type Sale struct {
	ID               affiliate.SaleID                        `json:"id"`
	Customer         string                                  `json:"customer"` // as MaskEmail has it; empty: nobody is known
	TotalEarned      affiliate.Amount                        `json:"totalEarned"`
	RefundedAmount   affiliate.Amount                        `json:"refundedAmount"`
	CommissionEarned affiliate.Amount                        `json:"commissionEarned"`
	ApprovalStatus   affiliate.Opt[affiliate.ApprovalStatus] `json:"approvalStatus"` // of its first commission; null: it has none
	HoldReason       affiliate.Opt[affiliate.HoldReason]     `json:"holdReason"`     // of the commission; FRAUD_PREVENTION is shown as PROGRAM_SETTINGS
	PayoutCreated    bool                                    `json:"payoutCreated"`  // a payout has that
	Status           affiliate.SaleStatus                    `json:"status"`
	PromoCode        affiliate.Opt[string]                   `json:"promoCode"` // null: by no code, or it is no longer theirs
	Link             affiliate.Opt[string]                   `json:"link"`      // the slug of the affiliate's link; null: none
	CreatedAt        affiliate.Time                          `json:"createdAt"`
	Conversion       string                                  `json:"conversion,omitzero"` // what it is when it is no payment; not there: it is a sale
}
