package affiliate

import (
	"encoding/json"
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
	PaidAt                 Time                 `json:"paidAt,omitzero"` // as NewSale.PaidAt said; not there when it said nothing
	CreatedAt              Time                 `json:"createdAt"`
	UpdatedAt              Time                 `json:"updatedAt"`
	Affiliate              AffiliateSummary     `json:"affiliate"`
	Referral               Opt[Referral]        `json:"referral"`
	Commissions            []Commission         `json:"commissions"`
	Lines                  []SaleLine           `json:"lines,omitempty"`     // not there: it has none
	Conversion             string               `json:"conversion,omitzero"` // what it is, when it is no payment: see [NewConversion]; not there: it is a sale
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

// NewSale is the input of Program.RecordSale. It needs TotalEarned, and at
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
type NewSale struct {
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
	Subtotal          Opt[Amount]          `json:"subtotal,omitzero"`         // as in NewSale; null clears it
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
