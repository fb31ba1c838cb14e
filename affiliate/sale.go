package affiliate

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
)

// SaleID is the integer id of a sale.
type SaleID int64

// CommissionID is the integer id of a commission.
type CommissionID int64

// A Sale is one attributed payment with the commission it earned.
//
// Source: docs/contract.md 2.6.
type Sale struct {
	ID                     SaleID               `json:"id"`
	AffiliateID            uuid.UUID            `json:"affiliateId"`
	ReferralID             Opt[uuid.UUID]       `json:"referralId"`
	AffiliateProgramID     uuid.UUID            `json:"affiliateProgramId"`
	AffiliateLinkID        Opt[uuid.UUID]       `json:"affiliateLinkId"`
	PromotionalCodeID      Opt[uuid.UUID]       `json:"promotionalCodeId"`
	ExternalID             Opt[string]          `json:"externalId"`
	ExternalInvoiceID      Opt[string]          `json:"externalInvoiceId"`
	Name                   Opt[string]          `json:"name"`
	Email                  Opt[string]          `json:"email"`
	TotalEarned            Amount               `json:"totalEarned"` // gross, not lowered by refunds
	Subtotal               Opt[Amount]          `json:"subtotal"`    // the basket before the discount; null when it was not sent
	TaxAmount              Amount               `json:"taxAmount"`
	ShippingAmount         Amount               `json:"shippingAmount"`
	CommissionRate         Opt[Percent]         `json:"commissionRate"` // the rate applied
	CommissionEarned       Amount               `json:"commissionEarned"`
	ProductsBought         []string             `json:"productsBought"`
	Clicks                 int64                `json:"clicks"` // of the customer until the sale
	Status                 SaleStatus           `json:"status"`
	RefundedAmount         Amount               `json:"refundedAmount"`
	RefundedAt             Opt[Time]            `json:"refundedAt"`
	PaymentTrigger         PaymentTrigger       `json:"paymentTrigger"`
	Source                 SaleSource           `json:"source"`
	IntegrationSalesSource Opt[Integration]     `json:"integrationSalesSource"`
	Metadata               Opt[json.RawMessage] `json:"metadata"`
	PaidAt                 Time                 `json:"paidAt,omitzero"` // as SaleParams.PaidAt said; not there when it said nothing
	CreatedAt              Time                 `json:"createdAt"`
	UpdatedAt              Time                 `json:"updatedAt"`
	Affiliate              AffiliateSummary     `json:"affiliate"`
	Referral               Opt[Referral]        `json:"referral"`
	Commissions            []Commission         `json:"commissions"`
	Lines                  []SaleLine           `json:"lines,omitempty"`     // not there: it has none
	Conversion             string               `json:"conversion,omitzero"` // what it is, when it is no payment: see [ConversionParams]; not there: it is a sale
	Charged                Opt[Charge]          `json:"charged,omitzero"`    // what was charged in another currency, in which Lines are; not there: it was the program's
	Offer                  bool                 `json:"offer,omitzero"`      // it redeemed what the link gives; not there: it did not
}

// A Commission is what an affiliate earned by a sale. A sale has one or none at
// first. What a payout took is never changed: a later change of the sale's money adds
// a further commission, which may be negative. All of them add up to
// [Sale.CommissionEarned].
//
// Source: docs/contract.md 2.7; docs/money.md 1.
type Commission struct {
	ID               CommissionID    `json:"id"`
	SaleID           SaleID          `json:"saleId"`
	AffiliateID      uuid.UUID       `json:"affiliateId"`
	CommissionEarned Amount          `json:"commissionEarned"`
	ApprovalStatus   ApprovalStatus  `json:"approvalStatus"`
	RewardType       RewardType      `json:"rewardType"`
	PayoutCreated    bool            `json:"payoutCreated"`
	PayoutID         Opt[uuid.UUID]  `json:"payoutId"`
	ManuallyPaid     bool            `json:"manuallyPaid"`
	HoldReason       Opt[HoldReason] `json:"holdReason"`
	BonusReason      Opt[string]     `json:"bonusReason"`
	ClawBack         bool            `json:"clawback"`    // a further entry for a change after a payout took an earlier one; may be negative
	PayableAt        Opt[Time]       `json:"payableAt"`   // from when a payout may take it; null: it is declined
	RiskReasons      []RiskReason    `json:"riskReasons"` // the rules of Config.Review that held the commission; a review does not change them
	CreatedAt        Time            `json:"createdAt"`
	UpdatedAt        Time            `json:"updatedAt"`
}

// Product is what was bought. All fields are optional.
type Product struct {
	ProductID string      `json:"productId,omitzero"`
	Quantity  Opt[Amount] `json:"quantity,omitzero"` // > 0
	Price     Opt[Amount] `json:"price,omitzero"`    // ≥ 0
	Name      string      `json:"name,omitzero"`
}

// SaleParams is the input of Program.RecordSale. It needs TotalEarned, and at
// least one field that says whom to credit. PromoCode is used before
// ReferralID, ReferralID before ReferredUserExternalID, and this before Email:
//
//   - PromoCode is enough by itself. Email beside it adds the customer.
//   - ReferralID is enough when it names a customer, by the id of the referral or
//     by email. A click id, an affiliate id or a slug names an affiliate only:
//     Email is required with it, and Name too when the customer is new.
//   - ReferredUserExternalID is enough when a customer has it, whatever Email says. An id that
//     nobody has is stored with the customer when the sale makes one.
//   - Email is enough when the customer is known.
//
// Source: docs/rules.md 5.1; docs/contract.md 1.5, 3.7.
type SaleParams struct {
	Once      `json:"-"`
	PromoCode string `json:"promoCode,omitzero"` // used before ReferralID and the customer to find the affiliate

	// Offer redeems what the link gives by which the customer came, without a code: see [Order].Offer. With
	// PromoCode it says nothing.
	Offer bool `json:"offer,omitzero"`

	HoldID                 string   `json:"holdId,omitzero"`                             // of Program.HoldRedemption: the sale confirms it, and PromoCode may be left out
	ReferralID             string   `json:"referralId,omitzero" wire:"ident"`            // referral id, customer email, click id, affiliate id or slug
	ReferredUserExternalID string   `json:"referredUserExternalId,omitzero" wire:"text"` // the customer, by the host's own id
	Email                  string   `json:"email,omitzero" wire:"sent= "`                // the customer; see [SaleResult].Ignored
	TotalEarned            Amount   `json:"totalEarned"`                                 // > 0, at most 10^11; see Free
	Currency               Currency `json:"currency,omitzero"`                           // of the amounts, in any letter case; zero: the program's

	// ExchangeRate is what one unit of Currency is worth in the program's. Without it
	// Config.Rate is asked; a sale in another currency that has no rate is refused. Over
	// HTTP only a key of the scope full may send it.
	ExchangeRate ExchangeRate `json:"exchangeRate,omitzero"`

	Name              string       `json:"name,omitzero" wire:"text"` // the customer; empty: the referral's
	ExternalID        string       `json:"externalId,omitzero"`       // unique among live sales
	ExternalInvoiceID string       `json:"externalInvoiceId,omitzero"`
	CommissionRate    Opt[Percent] `json:"commissionRate,omitzero"` // for this sale alone

	// Subtotal is the basket before the discount of PromoCode. The code's minimum is
	// compared with it, or without it with TotalEarned. It is > 0, at most 10^11, and
	// not below TotalEarned less Tax and Shipping. See [Order]. With Lines it is the sum
	// of their amounts, and may be left out.
	Subtotal Opt[Amount] `json:"subtotal,omitzero"`

	// Free records an order that costs nothing, if the program has Config.FreeOrders:
	// TotalEarned, Tax and Shipping are zero, and PromoCode or Offer, and Subtotal, are given.
	// It redeems the code and earns nothing.
	Free bool `json:"free,omitzero"`

	Product Opt[Product] `json:"product,omitzero" wire:"text"`

	// Lines say what was bought, instead of Product: at most 500. What earns is shared
	// out to them, so that the rules of the terms decide about each, and a code that is
	// for some products takes its discount off these.
	Lines []Line `json:"lines,omitempty"`

	Tax      Amount `json:"tax,omitzero"`      // ≥ 0
	Shipping Amount `json:"shipping,omitzero"` // ≥ 0; with Tax at most TotalEarned

	// PaidAt is when the customer paid, if that is known more exactly than the time
	// of the report: from the year 2000 on, and not after now and five minutes, which is now.
	// Terms, the dates of code and coupon, whether the click still attributed, the month of
	// the customer and the exchange rate are as of PaidAt, however long ago that is; limits of
	// uses, and everything else, as of now. The books have the sale when it is recorded.
	// Zero: now. Over HTTP only a key of the scope full may send it. Source: docs/money.md M85a.
	PaidAt time.Time `json:"paidAt,omitzero" wire:"start"`

	// PaymentTrigger (zero: PURCHASE) and Integration are for sales that an
	// integration or a person reported. Go calls only.
	PaymentTrigger PaymentTrigger `json:"-"`

	Integration Integration `json:"-"`
}

// SaleOutcome is the result of reporting a sale. On the wire it is the header
// Sale-Outcome.
type SaleOutcome string

// The outcomes. All but the first write, count and fire nothing.
const (
	SaleRecorded         SaleOutcome = "recorded"
	SaleDuplicate        SaleOutcome = "duplicate"         // a live sale has its external id or invoice id
	SaleUnattributed     SaleOutcome = "unattributed"      // no affiliate could be found
	SaleInactiveCustomer SaleOutcome = "inactive-customer" // the customer is SUBMITTED or DECLINED

	// The promotional code has no affiliate, and nobody else is credited: its redemption
	// is booked under ExternalID, and there is no sale. See Config.HouseCodes.
	SaleRedeemed SaleOutcome = "redeemed"

	// Only in answers of Program.ReportPayment. It keeps the facts, so nothing has to
	// be reported again.
	SaleParked   SaleOutcome = "parked"   // not yet a sale: nobody can be credited so far
	SaleReferred SaleOutcome = "referred" // a trial: its customer is referred, and there is no sale
	SaleRefused  SaleOutcome = "refused"  // the code that decided was refused; see PaymentResult.Refused

	// SaleConflict means that the payment names a sale, but has another payer or
	// other amounts. Only the payment is stored; see Program.DecidePayment.
	SaleConflict SaleOutcome = "payment_conflict"

	// SaleOtherCurrency means that the payment is in another currency than the program's, for
	// which there is no rate, and names somebody. It waits; see Program.DecidePayment.
	SaleOtherCurrency SaleOutcome = "other_currency"

	// SaleUnknownUnit means that the payment names somebody, and that its provider counts its
	// currency in a unit that nobody knows. Record the sale, and dismiss the payment.
	SaleUnknownUnit SaleOutcome = "unit"

	// SaleNoCustomer means that the payment names an affiliate by a click or a slug, and says
	// neither by an id nor by an email who paid. Record the sale, and dismiss the payment.
	SaleNoCustomer SaleOutcome = "no_customer"

	// SaleNoFirst means that the payment is a renewal that says by a code alone who brought its
	// customer, and that no payment of the customer is known that redeemed the code. It becomes a
	// sale when the first payment is reported; one without a payer's id, when it is reported again
	// after that.
	SaleNoFirst SaleOutcome = "no_first_payment"

	// SaleRevoked means that a payment that has a sale is cancelled or failed, and no refund says
	// what went back. Only in Attention. RefundSale, a refund of all, or a later report that it
	// stands ends it; so does Program.DecidePayment, when the sale is right.
	SaleRevoked SaleOutcome = "revoked"

	// SaleDiffers means that a payment that has a sale was told again as of more, or on a day more
	// than 20 days away. Only in Attention. A change of the sale's total ends it, and
	// Program.DecidePayment.
	SaleDiffers SaleOutcome = "differs"
)

// SaleResult is the answer of Program.RecordSale.
type SaleResult struct {
	Outcome SaleOutcome
	Sale    Opt[Sale] // the new sale; null unless recorded
	Earlier Opt[Sale] // of a duplicate: the earlier sale, else null; not on the wire and not in a receipt

	// LateClick is the click that ReferralID named, if it was too old to attribute
	// the sale (see Config.CookieDays), else null. It is not on the wire and not in a
	// receipt.
	LateClick Opt[ClickID]

	// Ignored names the fields that were left out because they are not a valid email
	// or name: email, name, product.name. Without an email the sale has no customer.
	// On the wire it is the header Sale-Ignored.
	Ignored []string

	// Differs names what of a duplicate is not as in the earlier sale: totalEarned, tax,
	// shipping, email, promoCode, referralId, referredUserExternalId, or paidAt, when it was paid
	// more than 20 days apart. Then it may be another order under the same id, such as a renewal
	// under the id of its subscription, and is not recorded. On the wire it is the header Sale-Differs.
	Differs []string
}

// SaleUpdate is the input of Program.UpdateSale. A field that is not given
// stays as it is.
type SaleUpdate struct {
	Email             Opt[string]          `json:"email,omitzero"`       // of the sale only
	TotalEarned       Opt[Amount]          `json:"totalEarned,omitzero"` // > 0, at most 10^11
	Currency          Currency             `json:"currency,omitzero"`    // of TotalEarned and Subtotal: that of [Sale].Charged, where they must name it; CommissionEarned is in the program's. Zero: the program's
	Name              Opt[string]          `json:"name,omitzero"`
	ExternalID        Opt[string]          `json:"externalId,omitzero"`
	ExternalInvoiceID Opt[string]          `json:"externalInvoiceId,omitzero"`
	CommissionRate    Opt[Percent]         `json:"commissionRate,omitzero"`
	Subtotal          Opt[Amount]          `json:"subtotal,omitzero"`         // as in SaleParams; null clears it
	CommissionEarned  Opt[Amount]          `json:"commissionEarned,omitzero"` // sets the commission directly
	Metadata          Opt[json.RawMessage] `json:"metadata,omitzero"`         // a JSON object, replaced as a whole

	// ClawBack allows a change of money although a payout holds the commission: the
	// difference becomes a further commission, which the next payout takes. For a
	// move it does what AffiliateID says.
	ClawBack bool `json:"clawback,omitzero"`

	// AffiliateID moves the sale to another affiliate. The sale keeps its id, its
	// day, its external ids and the code that was redeemed; it no longer belongs to a
	// link. The commission is calculated by the terms of the new affiliate, with the
	// limits as of the sale's day. A rate or commission that was set for this sale is
	// dropped, unless it is given again with the move. A hold of the new affiliate
	// applies, an older review does not, and the rules of Config.Review do not run.
	// When a payout holds a commission of the sale, the move is refused without
	// ClawBack. With ClawBack the payout keeps what it holds, and the former
	// affiliate owes that amount: see [AdjustMove].
	AffiliateID Opt[uuid.UUID] `json:"affiliateId,omitzero"`
}

// SaleFilter selects the sales that match every field that is set; without a
// field it selects all. A field that is set to null or to a zero value selects
// nothing.
//
// Source: docs/contract.md 3.7.
type SaleFilter struct {
	AffiliateID       Opt[uuid.UUID] `json:"affiliateId,omitzero"` // whom the sale credits
	AffiliateEmail    Opt[string]    `json:"affiliateEmail,omitzero"`
	ReferralID        Opt[string]    `json:"referralId,omitzero"` // referral id, else customer email
	ExternalID        Opt[string]    `json:"saleExternalId,omitzero"`
	ExternalInvoiceID Opt[string]    `json:"saleExternalInvoiceId,omitzero"`
}

// Refund is the input of Program.RefundSale.
type Refund struct {
	SaleID   SaleID      `json:"saleId,omitzero"`
	Amount   Opt[Amount] `json:"amount,omitzero"`   // > 0; not given: the whole rest; null is refused
	Tax      Opt[Amount] `json:"tax,omitzero"`      // of Amount, which is then required; not given: in the same proportion as in the sale
	Shipping Opt[Amount] `json:"shipping,omitzero"` // likewise; with one of both the other is 0, and the rest is goods

	// Lines say of which lines the refund is. They are Amount less Tax and Shipping
	// together, and at most what the line brought. Not given: the same part of all lines.
	Lines []RefundLine `json:"lines,omitempty"`

	Currency Currency `json:"currency,omitzero"` // of all amounts, in any letter case: the one in which the sale was charged. Zero: the program's; with an amount it must not be zero for a sale of another
	RefundID string   `json:"refundId,omitzero"` // unique within the sale: a repeat does nothing

	// ClawBack books the refund although a payout holds the commission: what was paid
	// too much becomes a further, negative commission, which the next payout takes.
	// Without it such a refund is refused.
	ClawBack bool `json:"clawback,omitzero"`
}

// Reversal says how Program.ReverseSale treats a sale whose commission a
// payout holds. The zero Reversal refuses it.
//
// Source: docs/money.md 2.
type Reversal struct {
	ClawBack bool   // refund the sale in full, as [Refund.ClawBack] does, and keep it
	RefundID string // of that refund
}

// ReversedSale is the answer for a reversed sale.
type ReversedSale struct {
	ID SaleID `json:"id"`
}

// RefundResult is the answer of Program.RefundSale.
type RefundResult struct {
	Success         bool         `json:"success"` // always true
	AlreadyRefunded bool         `json:"alreadyRefunded"`
	Reason          RefundReason `json:"reason"`
}

// RefundReason says what a refund did.
type RefundReason string

// The refund reasons.
const (
	RefundedInFull  RefundReason = "refunded"
	RefundedInPart  RefundReason = "partially_refunded"
	RefundedAlready RefundReason = "already_refunded"
)

// SaleRef names a sale; the first field that is set decides.
type SaleRef struct {
	ID         SaleID
	ExternalID string
	InvoiceID  string
}

// A Line is one line of an order: what was bought, how much of it, and what it cost
// before tax and shipping.
//
// Source: docs/contract.md 2.6.
type Line struct {
	ID         string      `json:"id,omitzero"`        // the host's, unique among the lines of the sale; a refund names the line by it
	ProductID  string      `json:"productId,omitzero"` // ID, ProductID, PlanID and each category: 1–255 characters when given, compared exactly
	PlanID     string      `json:"planId,omitzero"`    // the plan or price at the host or its payment provider
	Name       string      `json:"name,omitzero"`
	Categories []string    `json:"categories,omitempty"` // at most 16, distinct
	Quantity   Opt[Amount] `json:"quantity,omitzero"`    // > 0; not given: 1
	Amount     Amount      `json:"amount"`               // ≥ 0: of all pieces together, before any discount
	Discount   Amount      `json:"discount,omitzero"`    // ≥ 0, at most Amount: what others than PromoCode took off
}

// A SaleLine is a [Line] of a recorded sale.
type SaleLine struct {
	ID           Opt[string] `json:"id"`
	ProductID    Opt[string] `json:"productId"`
	PlanID       Opt[string] `json:"planId"`
	Name         Opt[string] `json:"name"`
	Categories   []string    `json:"categories"`
	Quantity     Amount      `json:"quantity"`
	Amount       Amount      `json:"amount"`
	Discount     Amount      `json:"discount"`
	CodeDiscount Amount      `json:"codeDiscount"`   // what the sale's promotional code took off the line
	Refunded     Amount      `json:"refundedAmount"` // by refunds that named the line; the others are shared by all lines
	Rule         Opt[string] `json:"rule"`           // the rule of the terms that decides what the line earns; null: the rate of the sale does
}

// A RefundLine says how much of a line was refunded.
type RefundLine struct {
	ID     string `json:"id"`     // of the line
	Amount Amount `json:"amount"` // > 0, without tax and shipping
}

// An ExplainedLine is the part of a line in the commission of its sale.
type ExplainedLine struct {
	ID    Opt[string]  `json:"id"` // null also for the one part of a sale without lines
	Base  Amount       `json:"base"`
	Kept  string       `json:"kept"` // of Base, after the refunds: a number or a fraction in lowest terms
	Rule  Opt[string]  `json:"rule"` // null: the terms of the sale
	Type  RuleType     `json:"commissionType"`
	Rate  Opt[Percent] `json:"commissionRate"` // null with NONE
	Exact string       `json:"exact"`          // what the line earns, like Kept
}

// StoredLine is a [SaleLine] as a store keeps it, with what its rule pays.
type StoredLine struct {
	ID           string
	ProductID    string
	PlanID       string
	Name         string
	Categories   []string
	Quantity     Amount
	Amount       Amount
	Discount     Amount
	CodeDiscount Amount
	Refunded     Amount
	Rule         string  // empty: the sale's rate
	Pay          RulePay // of Rule
	Whole        bool    // the sale has no lines, and a rule decided about all of it
}

// CloneLines copies lines with their categories.
func CloneLines(lines []StoredLine) []StoredLine {
	lines = slices.Clone(lines)
	for i := range lines {
		lines[i].Categories = slices.Clone(lines[i].Categories)
	}
	return lines
}

// ConversionParams is the input of Program.RecordConversion: what a customer did without a
// payment, such as a sign-up, a trial or a qualified lead. Who is credited is found as for
// a sale, see [SaleParams]. It always has a customer: a ReferralID that names one is enough;
// otherwise Email is required, and for a new customer without a PromoCode Name too.
//
// Source: docs/terms.md 6; docs/contract.md 3.7.
type ConversionParams struct {
	Once                   `json:"-"`
	Conversion             string `json:"conversion" wire:"text"`                      // what it is, 1–100 characters, such as signup: counted once for each customer
	ExternalID             string `json:"externalId,omitzero"`                         // unique among live conversions; those of sales are apart
	PromoCode              string `json:"promoCode,omitzero"`                          // judged as for a sale whose basket is not known; it is not redeemed
	ReferralID             string `json:"referralId,omitzero" wire:"ident"`            // referral id, customer email, click id, affiliate id or slug
	ReferredUserExternalID string `json:"referredUserExternalId,omitzero" wire:"text"` // the customer, by the host's own id
	Email                  string `json:"email,omitzero" wire:"sent= "`                // the customer; see [SaleResult].Ignored
	Name                   string `json:"name,omitzero" wire:"text"`                   // the customer; empty: the referral's
}

// SaleQuery selects the sales that match every field that is set. A field that is
// set to null or to a zero value selects nothing.
//
// Source: docs/contract.md 4.5.
type SaleQuery struct {
	AffiliateID    Opt[uuid.UUID] `json:"affiliateId,omitzero"` // whom the sale credits
	ReferralID     Opt[string]    `json:"referralId,omitzero"`  // referral id, else customer email
	CodeID         Opt[uuid.UUID] `json:"promotionalCodeId,omitzero"`
	LinkID         Opt[uuid.UUID] `json:"linkId,omitzero"`         // by which the customer came
	Status         SaleStatus     `json:"status,omitzero"`         // empty: any
	ApprovalStatus ApprovalStatus `json:"approvalStatus,omitzero"` // of one of its commissions; empty: any
	Since          Opt[Date]      `json:"since,omitzero"`          // recorded then or later; a plain date is its first millisecond
	Until          Opt[Date]      `json:"until,omitzero"`          // recorded then or earlier; a plain date is its last millisecond
	Currency       Currency       `json:"currency,omitzero"`       // in which the customer was charged, in any letter case; empty: any
	OldestFirst    bool           `json:"oldestFirst,omitzero"`    // false: newest first
	Part           bool           `json:"part,omitzero"`           // Search is a part of one also where it names a sale exactly
	Search         Opt[string]    `json:"search,omitzero"`         // 1–100 characters: exactly a number, an order id, an invoice or a customer's email; else a part of one or of a customer's name
}

// An Explanation says how the commission of a sale came about. For sales that were recorded
// before the engine stored these facts, the unknown ones are UNKNOWN.
//
// Source: docs/money.md 10.
type Explanation struct {
	SaleID      SaleID              `json:"saleId"`
	Credit      ExplainedCredit     `json:"credit"`
	Terms       ExplainedTerms      `json:"terms"`
	Base        ExplainedBase       `json:"base"`
	Arithmetic  ExplainedArithmetic `json:"arithmetic"`
	Commissions []Commission        `json:"commissions"`
	Movements   []Movement          `json:"movements"`       // of the sale, newest first; none of payouts
	Lines       []ExplainedLine     `json:"lines,omitempty"` // when rules decide about some of them
	Offer       Opt[ExplainedOffer] `json:"offer,omitzero"`  // when the sale redeemed what the link gives

	// Redemption says what its code took off, when the sale confirmed a hold or is over a limit, or its coupon has
	// a cap or a budget.
	Redemption Opt[ExplainedRedemption] `json:"redemption,omitzero"`
}

// ExplainedRedemption is the redemption of a sale by code.
type ExplainedRedemption struct {
	Discount   Amount      `json:"discount"`   // what the code took off, in the program's currency
	HoldID     Opt[string] `json:"holdId"`     // the caller's id of the hold that the sale confirmed; null: none
	Over       bool        `json:"over"`       // it was made over a limit: the customer paid after the hold had lapsed, when the place was gone
	SeenAt     Opt[Time]   `json:"seenAt"`     // when somebody accepted that; null: nobody has
	RestoredAt Opt[Time]   `json:"restoredAt"` // when it was given back; null: it counts
}

// ExplainedOffer is what the link gave in place of a code.
type ExplainedOffer struct {
	CouponID uuid.UUID   `json:"couponId"` // which may be gone
	Name     Opt[string] `json:"name"`     // of the coupon; null: it was deleted
	Discount Amount      `json:"discount"` // what it took off, in the program's currency
}

// ExplainedCredit says who was credited, and why. The times are null when the click or the
// referral was deleted.
type ExplainedCredit struct {
	By                CreditedBy     `json:"by"`
	PromotionalCodeID Opt[uuid.UUID] `json:"promotionalCodeId"`
	ClickID           Opt[ClickID]   `json:"clickId"` // the click that credited the affiliate
	ClickAt           Opt[Time]      `json:"clickAt"`
	AffiliateLinkID   Opt[uuid.UUID] `json:"affiliateLinkId"`
	ReferralID        Opt[uuid.UUID] `json:"referralId"`
	ReferralAt        Opt[Time]      `json:"referralAt"` // when the customer was referred
}

// ExplainedTerms are the terms of a sale and their sources.
type ExplainedTerms struct {
	CommissionType   CommissionType `json:"commissionType"`
	CommissionRate   Opt[Percent]   `json:"commissionRate"` // the rate applied
	RateFrom         RateSource     `json:"rateFrom"`
	PlanFrom         PlanSource     `json:"planFrom"`
	CommissionPlanID Opt[uuid.UUID] `json:"commissionPlanId"`
	CommissionTierID Opt[uuid.UUID] `json:"commissionTierId"` // the tier that gave the rate
	HoldDays         int64          `json:"holdDays"`
	Payment          Opt[int64]     `json:"payment"`        // the customer's n-th payment; null: no customer, or no payment
	Over             Opt[OverLimit] `json:"over"`           // the limit that the sale exceeded; null: none
	Month            int64          `json:"month,omitzero"` // the month of the customer; not there: the terms did not ask for it
}

// ExplainedBase is the amount to which the rate is applied.
type ExplainedBase struct {
	TotalEarned      Amount `json:"totalEarned"`
	TaxDeducted      Amount `json:"taxDeducted"`
	ShippingDeducted Amount `json:"shippingDeducted"`
	Refunded         Amount `json:"refunded"`
	Kept             Amount `json:"kept"` // of TotalEarned, after the refunds
	Base             Amount `json:"base"` // of the whole sale; the commission is that on the kept part

	// The refunds that named their tax and shipping, in total; all zero when none did. When
	// some did, the base is first reduced by NamedRefunds less both, and the part Kept ÷
	// (TotalEarned − NamedRefunds) of that counts.
	NamedRefunds     Amount `json:"namedRefunds,omitzero"`
	TaxRefunded      Amount `json:"taxRefunded,omitzero"`
	ShippingRefunded Amount `json:"shippingRefunded,omitzero"`

	// Of a sale in another currency, in which all amounts here and those of the lines are: a
	// percentage of them is worth ExchangeRate times as much in the program's currency, and
	// only then rounded. Not there: the program's.
	Currency     Currency     `json:"currency,omitzero"`
	ExchangeRate ExchangeRate `json:"exchangeRate,omitzero"`
}

// ExplainedArithmetic is the calculation. Rounded is the sum of the commissions.
type ExplainedArithmetic struct {
	ByHand  Opt[Amount] `json:"byHand"`       // the commission was set to this amount; null: calculated
	Exact   string      `json:"exact"`        // a number or a fraction in lowest terms, such as 5997/2000
	Rounded Amount      `json:"rounded"`      // half away from zero, to the digits of the currency; at most Cap
	Cap     Opt[Amount] `json:"cap,omitzero"` // what the sale may earn at most, by the caps of its terms; not there: none
}

// SimulateQuery is the input of Program.Simulate.
type SimulateQuery struct {
	From   time.Time // of the recording of a sale, inclusive; zero: from the first
	To     time.Time // exclusive; zero: to the last
	PlanID uuid.UUID // the sales with this plan; zero: those with the program's terms
	Terms  Terms     // instead of theirs
	Dated  bool      // no Terms, but those of the plan when each sale was paid, as [RecalculateJob] takes them
}

// A Difference is what other terms would have changed for one affiliate.
type Difference struct {
	AffiliateID uuid.UUID
	Sales       int64  // those that the query selects
	Conversions int64  // likewise
	Changed     int64  // those of them that would earn another amount
	Kept        int64  // those of them that stay as they are, whatever the terms
	Was         Amount // what they earn
	Would       Amount // what they would earn
	Difference  Amount // Would less Was
}
