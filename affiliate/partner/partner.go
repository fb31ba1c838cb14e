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
	Language              string                                 `json:"language,omitzero"` // a tag of BCP 47; not there: it is not known
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

// Explanation says why a sale earned the affiliate what it did: an [affiliate.Explanation]
// without what would tell of the program's work or of other people.
type Explanation struct {
	Sale           Sale                               `json:"sale"`
	By             affiliate.CreditedBy               `json:"by"`            // what credited the affiliate
	ClickAt        affiliate.Opt[affiliate.Time]      `json:"clickAt"`       // of the click that did; null: none, or it was deleted
	CustomerSince  affiliate.Opt[affiliate.Time]      `json:"customerSince"` // when the customer was referred; null: nobody is known
	CommissionType affiliate.CommissionType           `json:"commissionType"`
	CommissionRate affiliate.Opt[affiliate.Percent]   `json:"commissionRate"` // the rate applied, where no rule decides
	RateFrom       affiliate.RateSource               `json:"rateFrom"`
	Payment        affiliate.Opt[int64]               `json:"payment"` // the customer's n-th payment; null: no customer, or no payment
	Over           affiliate.Opt[affiliate.OverLimit] `json:"over"`    // the limit of the terms that the sale exceeded; null: none
	Base           affiliate.ExplainedBase            `json:"base"`
	Arithmetic     affiliate.ExplainedArithmetic      `json:"arithmetic"`
	Lines          []affiliate.ExplainedLine          `json:"lines"`   // when rules decide about some of them, without their ids and the names of rules
	Entries        []Entry                            `json:"entries"` // what it earned, entry by entry
	Changes        []Change                           `json:"changes"` // of what it earned the affiliate, oldest first
}

// Entry is a commission of a sale.
type Entry struct {
	Amount         affiliate.Amount                    `json:"amount"`
	ApprovalStatus affiliate.ApprovalStatus            `json:"approvalStatus"`
	HoldReason     affiliate.Opt[affiliate.HoldReason] `json:"holdReason"`  // as in [Sale]
	PayableAt      affiliate.Opt[affiliate.Time]       `json:"payableAt"`   // from when a payout may take it; null: it is declined
	PayoutID       affiliate.Opt[uuid.UUID]            `json:"payoutId"`    // that has it
	AfterPayout    bool                                `json:"afterPayout"` // it is a change after a payout took an earlier entry; may be negative
}

// Change is a movement of what a sale earned between two accounts of the affiliate.
type Change struct {
	At     affiliate.Time    `json:"at"`
	Cause  affiliate.Cause   `json:"cause"`
	From   affiliate.Account `json:"from"`
	To     affiliate.Account `json:"to"`
	Amount affiliate.Amount  `json:"amount"` // > 0; 0 in a memo
}

// Payout is a payout of the affiliate.
type Payout struct {
	ID             uuid.UUID                              `json:"id"`
	Amount         affiliate.Amount                       `json:"amount"`
	Currency       affiliate.Currency                     `json:"currency"`
	Status         affiliate.PayoutStatus                 `json:"status"`
	PaymentMethod  affiliate.Opt[affiliate.PaymentMethod] `json:"paymentMethod"`
	PayeeEmail     affiliate.Opt[string]                  `json:"payeeEmail"` // to which it was sent, as MaskEmail has it
	PeriodStart    affiliate.Opt[affiliate.Time]          `json:"periodStart"`
	PeriodEnd      affiliate.Opt[affiliate.Time]          `json:"periodEnd"`
	PaidAt         affiliate.Opt[affiliate.Time]          `json:"paidAt"`
	FailedReason   affiliate.Opt[string]                  `json:"failedReason"`
	ReturnedAt     affiliate.Opt[affiliate.Time]          `json:"returnedAt"`
	ReturnedReason affiliate.Opt[string]                  `json:"returnedReason"`
	CreatedAt      affiliate.Time                         `json:"createdAt"`
}

// Due is what is owed to the affiliate, and when what matures is payable.
type Due struct {
	Balance affiliate.Balance `json:"balance"`
	Days    []DueDay          `json:"days"` // of Balance.Maturing, which is their sum, the earliest first
}

// DueDay is what becomes payable on a day.
type DueDay struct {
	Day    affiliate.Time   `json:"day"` // its beginning, in the program's zone
	Amount affiliate.Amount `json:"amount"`
}

// Case is what the affiliate has asked, and the answer.
type Case struct {
	ID         uuid.UUID                       `json:"id"`
	Kind       affiliate.CaseKind              `json:"kind"`
	SaleID     affiliate.Opt[affiliate.SaleID] `json:"saleId"`     // the sale of a question; null: none
	ExternalID affiliate.Opt[string]           `json:"externalId"` // the order of a claim; null: none
	Text       string                          `json:"text"`
	Status     affiliate.CaseStatus            `json:"status"`
	Answer     affiliate.Opt[string]           `json:"answer"`     // null while it is OPEN
	AnsweredAt affiliate.Opt[affiliate.Time]   `json:"answeredAt"` // null while it is OPEN
	CreatedAt  affiliate.Time                  `json:"createdAt"`
}
