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
	// The id: an integer that rises, with gaps, never used again.
	ID SaleID `json:"id"`
	// Who is credited.
	AffiliateID uuid.UUID `json:"affiliateId"`
	// The customer's referral, if there is one.
	ReferralID         Opt[uuid.UUID] `json:"referralId"`
	AffiliateProgramID uuid.UUID      `json:"affiliateProgramId"`
	// The link of the click or slug that was named, else that of the referral when it gave the
	// affiliate; null by code, and once the link is deleted.
	AffiliateLinkID Opt[uuid.UUID] `json:"affiliateLinkId"`
	// The code that was used; kept when the code is deleted.
	PromotionalCodeID Opt[uuid.UUID] `json:"promotionalCodeId"`
	// The caller's own id; unique among the live sales of the program.
	ExternalID Opt[string] `json:"externalId"`
	// The caller's own id of the invoice; unique among the live sales of the program.
	ExternalInvoiceID Opt[string] `json:"externalInvoiceId"`
	// The customer's name.
	Name Opt[string] `json:"name"`
	// The customer's email.
	Email Opt[string] `json:"email"`
	// The gross amount; refunds do not lower it.
	TotalEarned Amount `json:"totalEarned"`
	// The basket before the discount; null when it was not sent.
	Subtotal Opt[Amount] `json:"subtotal"`
	// The tax in TotalEarned.
	TaxAmount Amount `json:"taxAmount"`
	// The shipping in TotalEarned.
	ShippingAmount Amount `json:"shippingAmount"`
	// The rate that was applied: a percentage, or an amount on flat plans.
	CommissionRate Opt[Percent] `json:"commissionRate"`
	// The sum of commissions, exactly.
	CommissionEarned Amount `json:"commissionEarned"`
	// The product's id, else its name, else empty.
	ProductsBought []string `json:"productsBought"`
	// The customer's clicks until the sale; 0 without a referral.
	Clicks int64 `json:"clicks"`
	// REFUNDED once nothing is left of it, for good.
	Status SaleStatus `json:"status"`
	// The sum of the refunds so far.
	RefundedAmount Amount `json:"refundedAmount"`
	// When the sale was refunded in full.
	RefundedAt Opt[Time] `json:"refundedAt"`
	// PURCHASE over HTTP; SIGNUP of a conversion.
	PaymentTrigger PaymentTrigger `json:"paymentTrigger"`
	// Where the sale came from; API over HTTP.
	Source SaleSource `json:"source"`
	// The integration that reported the sale; null over HTTP.
	IntegrationSalesSource Opt[Integration] `json:"integrationSalesSource"`
	// The caller's own object.
	Metadata Opt[json.RawMessage] `json:"metadata"`
	// When the customer paid, if the report said so; else it is not there.
	PaidAt    Time `json:"paidAt,omitzero"`
	CreatedAt Time `json:"createdAt"`
	UpdatedAt Time `json:"updatedAt"`
	// Who is credited.
	Affiliate AffiliateSummary `json:"affiliate"`
	// The customer's referral, if there is one.
	Referral Opt[Referral] `json:"referral"`
	// What the sale earned, empty when it earned nothing; more than one only after a change of
	// what a payout took.
	Commissions []Commission `json:"commissions"`
	// What was bought; not there when the sale has no lines.
	Lines []SaleLine `json:"lines,omitempty"`
	// What it is when it is no payment; then its amounts are zero and its rate is null. Not
	// there when it is a sale.
	Conversion string `json:"conversion,omitzero"`
	// What the customer was charged, in another currency than the program's, in which lines are
	// too. Not there when it was the program's.
	Charged Opt[Charge] `json:"charged,omitzero"`
	// True: it redeemed what the link gives, without a code. Not there when it did not.
	Offer bool `json:"offer,omitzero"`
}

// A Commission is what an affiliate earned by a sale. A sale has one or none at first.
// What a payout took is never changed: a later change of the sale's money adds a further
// commission, which may be negative. All of them add up to the CommissionEarned of the
// sale.
//
// Source: docs/contract.md 2.7; docs/money.md 1.
type Commission struct {
	ID               CommissionID   `json:"id"`
	SaleID           SaleID         `json:"saleId"`           // The sale.
	AffiliateID      uuid.UUID      `json:"affiliateId"`      // Who earned it.
	CommissionEarned Amount         `json:"commissionEarned"` // How much.
	ApprovalStatus   ApprovalStatus `json:"approvalStatus"`   // Whether it may be paid.
	RewardType       RewardType     `json:"rewardType"`       // What it is paid in.
	PayoutCreated    bool           `json:"payoutCreated"`    // True once a payout holds it.
	PayoutID         Opt[uuid.UUID] `json:"payoutId"`         // The payout, if there is one.
	// True when it was paid outside of a payout.
	ManuallyPaid bool            `json:"manuallyPaid"`
	HoldReason   Opt[HoldReason] `json:"holdReason"`  // Why it is on hold or declined.
	BonusReason  Opt[string]     `json:"bonusReason"` // Why a bonus was given.
	// True for a further entry: a change after a payout took an earlier one. It may be negative.
	ClawBack bool `json:"clawback"`
	// From when a payout may take it: the sale's CreatedAt and the holding period, of a further
	// entry when it was made; null when it is declined.
	PayableAt Opt[Time] `json:"payableAt"`
	// The program's review rules that held it, empty when none did; a review leaves them.
	RiskReasons []RiskReason `json:"riskReasons"`
	CreatedAt   Time         `json:"createdAt"`
	UpdatedAt   Time         `json:"updatedAt"`
}

// Product is what was bought. All fields are optional.
type Product struct {
	ProductID string      `json:"productId,omitzero"` // The caller's own id of the product.
	Quantity  Opt[Amount] `json:"quantity,omitzero"`  // How many, above 0.
	Price     Opt[Amount] `json:"price,omitzero"`     // The price of one, 0 or more.
	Name      string      `json:"name,omitzero"`      // What the product is called.
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
	Once `json:"-"`
	// A code, which decides the affiliate before ReferralID and the customer.
	PromoCode string `json:"promoCode,omitzero"`

	// Redeem what the link gives by which the customer came, when there is no PromoCode.
	//
	// See [Order].Offer.
	Offer bool `json:"offer,omitzero"`

	// The id of a hold, which the sale confirms: it is not refused for what ended or was used up
	// since. Instead of PromoCode or with that of its code.
	//
	// See Program.HoldRedemption.
	HoldID string `json:"holdId,omitzero"`
	// A referral id, customer email, click id, affiliate id or slug.
	ReferralID string `json:"referralId,omitzero" wire:"ident"`
	// The customer, by the caller's own id, before email; an empty text is none.
	ReferredUserExternalID string `json:"referredUserExternalId,omitzero" wire:"text"`
	// The customer's email. A new customer without a PromoCode needs email and name.
	//
	// See [SaleResult].Ignored.
	Email string `json:"email,omitzero" wire:"sent= "`
	// The gross amount, at most 10^11; with free 0 or left out.
	TotalEarned Amount `json:"totalEarned"`
	// The currency of the amounts, in any letter case; not given: the program's.
	Currency Currency `json:"currency,omitzero"`

	// What one unit of currency is worth in the program's, at most 12 decimals; needed for
	// another currency unless the program knows a rate. Over HTTP for keys of the scope full.
	//
	// Without it Config.Rate is asked; a sale in another currency that has no rate is refused.
	ExchangeRate ExchangeRate `json:"exchangeRate,omitzero"`

	// The customer's name; not given: the referral's.
	Name string `json:"name,omitzero" wire:"text"`
	// The caller's own id. A sale that has it already is a duplicate and not recorded again.
	ExternalID string `json:"externalId,omitzero"`
	// The caller's own id of the invoice; works like ExternalID.
	ExternalInvoiceID string `json:"externalInvoiceId,omitzero"`
	// A rate for this sale alone: 0–100 on percentage plans, an amount on flat ones.
	CommissionRate Opt[Percent] `json:"commissionRate,omitzero"`

	// The basket before the discount, at most 10^11: at least TotalEarned without tax and
	// shipping. With lines it is the sum of their amounts, and may be left out.
	//
	// The code's minimum is compared with it, or without it with TotalEarned. See [Order].
	Subtotal Opt[Amount] `json:"subtotal,omitzero"`

	// An order of 0 by PromoCode or offer with a subtotal, where the program allows it: it
	// redeems the code and earns nothing. A HoldID may say both.
	//
	// See Config.FreeOrders. TotalEarned, Tax and Shipping are zero.
	Free bool `json:"free,omitzero"`

	// What was bought.
	Product Opt[Product] `json:"product,omitzero" wire:"text"`

	// What was bought, instead of product: at most 500. The base of the commission is shared out
	// to them by what they cost, so that rules decide about each; a code that is for some
	// products takes its discount off these.
	Lines []Line `json:"lines,omitempty"`

	// The tax in TotalEarned; not given: 0.
	Tax Amount `json:"tax,omitzero"`
	// The shipping in TotalEarned, with tax at most that; not given: 0.
	Shipping Amount `json:"shipping,omitzero"`

	// When the customer paid, from the year 2000 to now (up to five minutes later counts as
	// now): terms, codes and the click are judged as of then. A plain date is its first
	// millisecond. Not given: now. Over HTTP for keys of the scope full.
	//
	// Terms, the dates of code and coupon, whether the click still attributed, the month of the
	// customer and the exchange rate are as of PaidAt, however long ago that is; limits of uses,
	// and everything else, as of now. The books have the sale when it is recorded. Source:
	// docs/money.md M85a.
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

	// Only in answers of Payments.ReportPayment. It keeps the facts, so nothing has to
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
	// The customer's email, of the sale only.
	Email Opt[string] `json:"email,omitzero"`
	// The gross amount, above 0, at most 10^11.
	TotalEarned Opt[Amount] `json:"totalEarned,omitzero"`
	// The currency of the amounts, in any letter case: the one in which the sale was charged,
	// which must be given with an amount if it is not the program's. CommissionEarned is in the
	// program's.
	Currency Currency `json:"currency,omitzero"`
	// The customer's name.
	Name Opt[string] `json:"name,omitzero"`
	// The caller's own id; unique among the live sales of the program.
	ExternalID Opt[string] `json:"externalId,omitzero"`
	// The caller's own id of the invoice; unique among the live sales of the program.
	ExternalInvoiceID Opt[string]  `json:"externalInvoiceId,omitzero"`
	CommissionRate    Opt[Percent] `json:"commissionRate,omitzero"`
	Subtotal          Opt[Amount]  `json:"subtotal,omitzero"`
	// Sets the commission of the credited affiliate.
	CommissionEarned Opt[Amount] `json:"commissionEarned,omitzero"`
	// A JSON object, replaced as a whole; at most 16,384 bytes in compact form.
	Metadata Opt[json.RawMessage] `json:"metadata,omitzero"`

	// Book the change although a payout holds the commission: the difference becomes a further
	// commission, which the next payout takes.
	//
	// Of a move it does what AffiliateID says.
	ClawBack bool `json:"clawback,omitzero"`

	// Whom the sale credits from now on; the commission is computed anew by their terms. Where a
	// payout holds it, clawback is needed: the payout keeps it, and the next one of the former
	// affiliate is lower. Over HTTP for keys of the scope full.
	//
	// The sale keeps its id, its day, its external ids and the code that was redeemed; it no
	// longer belongs to a link. Limits are as of the sale's day. A rate or commission that was
	// set for this sale is dropped, unless it is given again with the move. A hold of the new
	// affiliate applies, an older review does not, and the rules of Config.Review do not run.
	// What the former affiliate owes is an adjustment: see [AdjustMove].
	AffiliateID Opt[uuid.UUID] `json:"affiliateId,omitzero"`
}

// Refund is the input of Program.RefundSale.
type Refund struct {
	// The id of the sale.
	SaleID SaleID `json:"saleId,omitzero"`
	// How much is refunded; not given: all that is left.
	Amount Opt[Amount] `json:"amount,omitzero"`
	// The tax in amount, which is needed then; as large a part as of the sale when neither it
	// nor shipping is given.
	Tax Opt[Amount] `json:"tax,omitzero"`
	// The shipping in amount, which is needed then. With one of tax and shipping the other is 0,
	// and the rest is goods.
	Shipping Opt[Amount] `json:"shipping,omitzero"`

	// Of which lines the refund is, and at most what each brought: their sum is amount less tax
	// and shipping, all three of which are needed then if they are not 0. Not given: the same
	// part of all lines.
	Lines []RefundLine `json:"lines,omitempty"`

	// The currency of all amounts, in any letter case: the one in which the sale was charged;
	// not given: the program's. With an amount it is needed for a sale in another currency.
	Currency Currency `json:"currency,omitzero"`
	// Unique within the sale: a repeat does nothing.
	RefundID string `json:"refundId,omitzero"`

	// Book the refund although a payout holds the commission: what was paid too much becomes a
	// further, negative commission, which the next payout takes. Without it such a refund is
	// refused.
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
	ID SaleID `json:"id"` // The id.
}

// RefundResult says what a refund did.
//
// It is the answer of Program.RefundSale.
type RefundResult struct {
	Success         bool `json:"success"`         // Always true.
	AlreadyRefunded bool `json:"alreadyRefunded"` // True when nothing was left to do.
	// already_refunded: the sale was refunded, or this RefundID was applied, before.
	Reason RefundReason `json:"reason"`
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
	// The caller's own id of the line, 1–255 characters, unique among the lines of the sale; a
	// refund names the line by it.
	ID string `json:"id,omitzero"`
	// The caller's own id of the product, compared exactly, as the other ids and the categories:
	// 1–255 characters.
	ProductID string `json:"productId,omitzero"`
	// The plan or price at the caller or its payment provider, 1–255 characters.
	PlanID string `json:"planId,omitzero"`
	// What it is called. One that is empty, too long or has control characters is left out.
	Name string `json:"name,omitzero"`
	// The categories of the product, at most 16, distinct, of 1–255 characters.
	Categories []string `json:"categories,omitempty"`
	// How many pieces, above 0; not given: 1.
	Quantity Opt[Amount] `json:"quantity,omitzero"`
	// What all pieces cost together, before any discount, tax and shipping.
	Amount Amount `json:"amount"`
	// What others than the promotional code took off; at most the amount.
	Discount Amount `json:"discount,omitzero"`
}

// A SaleLine is a line of a recorded sale. A sale without lines for whose product a rule
// was asked has one line: what was charged.
//
// See [Line].
type SaleLine struct {
	// The caller's own id; a refund names the line by it.
	ID Opt[string] `json:"id"`
	// The caller's own id of the product.
	ProductID Opt[string] `json:"productId"`
	// The plan or price at the caller or its payment provider.
	PlanID Opt[string] `json:"planId"`
	// What it is called.
	Name Opt[string] `json:"name"`
	// The categories of the product.
	Categories []string `json:"categories"`
	// How many pieces.
	Quantity Amount `json:"quantity"`
	// What all pieces cost together, before any discount, tax and shipping.
	Amount Amount `json:"amount"`
	// What others than the promotional code took off.
	Discount Amount `json:"discount"`
	// What the promotional code took off.
	CodeDiscount Amount `json:"codeDiscount"`
	// What refunds named of it; the others are shared by all lines.
	Refunded Amount `json:"refundedAmount"`
	// The rule that decides what the line earns; null: the rate of the sale does.
	Rule Opt[string] `json:"rule"`
}

// A RefundLine says how much of a line was refunded.
type RefundLine struct {
	ID     string `json:"id"`     // The id of the line.
	Amount Amount `json:"amount"` // How much of it is refunded, above 0, without tax and shipping.
}

// An ExplainedLine is the part of a line in the commission of its sale.
type ExplainedLine struct {
	// The caller's own id of the line; null also for the one part of a sale without lines.
	ID Opt[string] `json:"id"`
	// What the line has of the base of the sale.
	Base Amount `json:"base"`
	// What refunds left of that: a number, or a fraction in lowest terms.
	Kept string `json:"kept"`
	// The rule that decides; null: the terms of the sale do.
	Rule Opt[string] `json:"rule"`
	// What the rate is: a percentage, an amount for the sale, an amount for each piece, or
	// nothing.
	Type RuleType `json:"commissionType"`
	// The rate; null: none.
	Rate Opt[Percent] `json:"commissionRate"`
	// What the line earns before the sum of all lines is rounded: a number, or a fraction in
	// lowest terms.
	Exact string `json:"exact"`
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
	Once `json:"-"`
	// What the customer did, as rules name it: 1–100 characters, such as signup. Each customer
	// has it once.
	Conversion string `json:"conversion" wire:"text"`
	// The caller's own id. A conversion that has it already is a duplicate and not recorded
	// again; ids of sales are apart.
	ExternalID string `json:"externalId,omitzero"`
	// A code, which decides the affiliate before the other two. It is judged as for a sale whose
	// basket is not known, and not redeemed.
	PromoCode string `json:"promoCode,omitzero"`
	// A referral id, customer email, click id, affiliate id or slug.
	ReferralID string `json:"referralId,omitzero" wire:"ident"`
	// The customer, by the caller's own id, before email; an empty text is none.
	ReferredUserExternalID string `json:"referredUserExternalId,omitzero" wire:"text"`
	// The customer's email. A new customer without a PromoCode needs email and name.
	//
	// See [SaleResult].Ignored.
	Email string `json:"email,omitzero" wire:"sent= "`
	// The customer's name; not given: the referral's.
	Name string `json:"name,omitzero" wire:"text"`
}

// SaleQuery selects the sales that match every field that is set; without a field it
// selects all. A field that is set to null or to a zero value selects nothing.
//
// The first five fields have an index: a list of them reads no more than it answers. With
// any other field it is a search; see [Page].
//
// Source: docs/contract.md 3.7, 4.5.
type SaleQuery struct {
	// The sales that this affiliate is credited with.
	AffiliateID Opt[uuid.UUID] `json:"affiliateId,omitzero"`
	// The sales of the affiliate with this email.
	AffiliateEmail Opt[string] `json:"affiliateEmail,omitzero" wire:"list"`
	// The sales of this referral: its id, or the customer's email.
	ReferralID Opt[string] `json:"referralId,omitzero"`
	// The sale with this ExternalID, in an array.
	ExternalID Opt[string] `json:"saleExternalId,omitzero" wire:"list"`
	// The sale with this ExternalInvoiceID, in an array.
	ExternalInvoiceID Opt[string] `json:"saleExternalInvoiceId,omitzero" wire:"list"`

	// The sales with this promotional code.
	CodeID Opt[uuid.UUID] `json:"promotionalCodeId,omitzero" wire:"search"`
	// The sales to customers who came by this link.
	LinkID Opt[uuid.UUID] `json:"linkId,omitzero" wire:"search"`
	// The sales in this status; not given: any.
	Status SaleStatus `json:"status,omitzero" wire:"search"`
	// The sales with a commission in this approval status; not given: any.
	ApprovalStatus ApprovalStatus `json:"approvalStatus,omitzero" wire:"search"`
	// Recorded then or later; a plain date is its first millisecond.
	Since Opt[Date] `json:"since,omitzero" wire:"search"`
	// Recorded then or earlier; a plain date is its last millisecond.
	Until Opt[Date] `json:"until,omitzero" wire:"search"`
	// The sales that were charged in this currency, in any letter case; not given: any.
	Currency Currency `json:"currency,omitzero" wire:"search"`
	// True: the oldest first. False: the newest first.
	OldestFirst bool `json:"oldestFirst,omitzero" wire:"search"`
	// True: search is a part of a text, also where it is all of one.
	Part bool `json:"part,omitzero" wire:"search"`
	// The sale with exactly this number, ExternalID or ExternalInvoiceID, or the sales with this
	// email; else those with this text, 1–100 characters, in one of them or in the customer's
	// name, in any letter case.
	Search Opt[string] `json:"search,omitzero" wire:"search"`
}

// SaleSums are what the sales that fit a query add up to, in all and by their states. A sale
// belongs to the approval status of each of its commissions, and counts there as a whole.
// Conversions count as in the list. Amounts are in the program's currency, also of sales that
// were charged in another one.
type SaleSums struct {
	All      SaleSum `json:"all"`      // All that fit.
	Active   SaleSum `json:"active"`   // Those that are ACTIVE.
	Refunded SaleSum `json:"refunded"` // Those that are REFUNDED.
	Accepted SaleSum `json:"accepted"` // Those with a commission that is ACCEPTED.
	OnHold   SaleSum `json:"onHold"`   // Those with a commission that is ON_HOLD.
	Declined SaleSum `json:"declined"` // Those with a commission that is DECLINED.
}

// A SaleSum is how many sales there are, and what they add up to.
type SaleSum struct {
	Count            int64  `json:"count"`            // How many they are.
	TotalEarned      Amount `json:"totalEarned"`      // What customers paid, before refunds.
	RefundedAmount   Amount `json:"refundedAmount"`   // What was refunded.
	CommissionEarned Amount `json:"commissionEarned"` // What they earned; what was declined too.
}

// An Explanation says how the commission of a sale came about. For sales that were recorded
// before the engine stored these facts, the unknown ones are UNKNOWN.
//
// Source: docs/money.md 10.
type Explanation struct {
	SaleID      SaleID              `json:"saleId"`      // The sale.
	Credit      ExplainedCredit     `json:"credit"`      // Who was credited, and by what.
	Terms       ExplainedTerms      `json:"terms"`       // The terms, and where they come from.
	Base        ExplainedBase       `json:"base"`        // What the rate is applied to.
	Arithmetic  ExplainedArithmetic `json:"arithmetic"`  // The calculation.
	Commissions []Commission        `json:"commissions"` // What the sale earned.
	// The movements of the sale, newest first; none of payouts.
	Movements []Movement `json:"movements"`
	// What each line earns, when a rule decides about one; else it is not there.
	Lines []ExplainedLine `json:"lines,omitempty"`
	// The budgets that count it, in the order of the terms; not there when none does.
	Budgets []ExplainedBudget `json:"budgets,omitempty"`
	// What the link gave in place of a code; not there when it gave nothing.
	Offer Opt[ExplainedOffer] `json:"offer,omitzero"`

	// The redemption of its code, when the sale confirmed a hold or is over a limit, or the
	// coupon has a cap or a budget.
	Redemption Opt[ExplainedRedemption] `json:"redemption,omitzero"`
}

// ExplainedRedemption is the redemption of a sale by code.
type ExplainedRedemption struct {
	Discount Amount `json:"discount"` // What the code took off, in the program's currency.
	// The caller's id of the hold that the sale confirmed; null: none.
	HoldID Opt[string] `json:"holdId"`
	// It is over a limit: the customer paid after the hold had lapsed, when the place was gone.
	Over       bool      `json:"over"`
	SeenAt     Opt[Time] `json:"seenAt"`     // When somebody accepted that; null: nobody has.
	RestoredAt Opt[Time] `json:"restoredAt"` // When it was given back; null: it counts.
}

// ExplainedOffer is what the link gave in place of a code.
type ExplainedOffer struct {
	CouponID uuid.UUID   `json:"couponId"` // The coupon, which may be gone.
	Name     Opt[string] `json:"name"`     // Of the coupon; null: it was deleted.
	Discount Amount      `json:"discount"` // What it took off, in the program's currency.
}

// ExplainedCredit says who was credited, and why. The times are null when the click or the
// referral was deleted.
type ExplainedCredit struct {
	By                CreditedBy     `json:"by"`                // What credited the affiliate.
	PromotionalCodeID Opt[uuid.UUID] `json:"promotionalCodeId"` // The promotional code of the sale.
	// The click that credited the affiliate.
	ClickID Opt[ClickID] `json:"clickId"`
	// When it was clicked; null once the click is gone.
	ClickAt         Opt[Time]      `json:"clickAt"`
	AffiliateLinkID Opt[uuid.UUID] `json:"affiliateLinkId"` // The link of the sale.
	ReferralID      Opt[uuid.UUID] `json:"referralId"`      // The customer's referral.
	ReferralAt      Opt[Time]      `json:"referralAt"`      // When the customer was referred.
	// Everybody whom the sale could have credited, with the one it did when it was recorded; not there
	// when all that the order had led to one affiliate, or when a person gave the sale to somebody.
	Candidates []Candidate `json:"candidates,omitempty"`
}

// A Candidate is whom a sale could have credited.
type Candidate struct {
	// By what: CODE, FIRST_CLICK, CUSTOMER, or what referralId named.
	By CreditedBy `json:"by"`
	// Who it was; may be deleted, or merged into another, since.
	AffiliateID uuid.UUID `json:"affiliateId"`
}

// ExplainedTerms are the terms of a sale and their sources.
type ExplainedTerms struct {
	// What the rate is: a percentage, or an amount.
	CommissionType CommissionType `json:"commissionType"`
	// The rate that was applied.
	CommissionRate Opt[Percent] `json:"commissionRate"`
	// Whose rate it is.
	RateFrom RateSource `json:"rateFrom"`
	// Whose plan it is; PROGRAM: there was none.
	PlanFrom PlanSource `json:"planFrom"`
	// The plan.
	CommissionPlanID Opt[uuid.UUID] `json:"commissionPlanId"`
	// The tier that gave the rate.
	CommissionTierID Opt[uuid.UUID] `json:"commissionTierId"`
	// Days until a payout may take the commission.
	HoldDays int64 `json:"holdDays"`
	// The number of this payment of the customer; null: no customer, or no payment.
	Payment Opt[int64] `json:"payment"`
	// The limit of the terms that the sale was beyond, so that it earned nothing; null: none.
	Over Opt[OverLimit] `json:"over"`
	// The month of the customer; not there when the terms did not ask for it.
	Month int64 `json:"month,omitzero"`
}

// ExplainedBase is the amount to which the rate is applied.
type ExplainedBase struct {
	// The gross amount.
	TotalEarned Amount `json:"totalEarned"`
	// The tax that was deducted.
	TaxDeducted Amount `json:"taxDeducted"`
	// The shipping that was deducted.
	ShippingDeducted Amount `json:"shippingDeducted"`
	// The sum of the refunds.
	Refunded Amount `json:"refunded"`
	// What is left of TotalEarned after the refunds.
	Kept Amount `json:"kept"`
	// What the rate is applied to, of the whole sale. The commission is that on the kept part.
	Base Amount `json:"base"`

	// The sum of the refunds that said their tax and shipping; absent: 0. The base is lowered by
	// it less TaxRefunded and ShippingRefunded, and of that the part kept / (TotalEarned -
	// NamedRefunds) counts.
	NamedRefunds Amount `json:"namedRefunds,omitzero"`
	// How much of NamedRefunds was tax; absent: 0.
	TaxRefunded Amount `json:"taxRefunded,omitzero"`
	// How much of NamedRefunds was shipping; absent: 0.
	ShippingRefunded Amount `json:"shippingRefunded,omitzero"`

	// Of a sale in another currency: the one of all amounts here and of the lines; not there:
	// the program's.
	Currency Currency `json:"currency,omitzero"`
	// What one unit of it is worth in the program's. A percentage of the amounts is multiplied
	// by it, and only then rounded; exact is after it.
	ExchangeRate ExchangeRate `json:"exchangeRate,omitzero"`
}

// ExplainedArithmetic is the calculation of a commission.
type ExplainedArithmetic struct {
	// The amount that the commission was set to; null: it was calculated.
	ByHand Opt[Amount] `json:"byHand"`
	// The result before it is rounded: a number, or a fraction in lowest terms, such as
	// 5997/2000.
	Exact string `json:"exact"`
	// The sum of the commissions: rounded half away from zero to the digits of the currency, at
	// most the cap.
	Rounded Amount `json:"rounded"`
	// What the sale may earn at most by the caps of its terms; not there: no cap.
	Cap Opt[Amount] `json:"cap,omitzero"`
}

// SimulateQuery is the input of Program.Simulate.
type SimulateQuery struct {
	From   time.Time // of the recording of a sale, inclusive; zero: from the first
	To     time.Time // exclusive; zero: to the last
	PlanID uuid.UUID // the sales with this plan; zero: those with the program's terms
	Terms  Terms     // instead of theirs
	Dated  bool      // no Terms, but those of the plan when each sale was paid, as [RecalculateJob] takes them

	// Instead of PlanID, Terms and Dated: all sales credit whom these choices say, of those whom each could
	// have credited, and earn by the terms of that affiliate.
	Attribution Opt[Attribution]
}

// A Difference is what other terms would have changed for one affiliate.
type Difference struct {
	AffiliateID uuid.UUID
	Sales       int64  // those that the query selects
	Conversions int64  // likewise
	Changed     int64  // those of them that would earn another amount
	Kept        int64  // those of them that stay as they are, whatever the terms
	Lost        int64  // those of them that would be another affiliate's
	Won         int64  // those of others that would be theirs
	Was         Amount // what they earn
	Would       Amount // what they would earn
	Difference  Amount // Would less Was
}

// Add adds the difference of another affiliate, and keeps the id.
func (d *Difference) Add(o Difference) (err error) {
	d.Sales, d.Conversions = d.Sales+o.Sales, d.Conversions+o.Conversions
	d.Changed, d.Kept = d.Changed+o.Changed, d.Kept+o.Kept
	d.Lost, d.Won = d.Lost+o.Lost, d.Won+o.Won
	if d.Was, err = d.Was.Add(o.Was); err == nil {
		d.Would, err = d.Would.Add(o.Would)
	}
	if err == nil {
		d.Difference, err = d.Would.Sub(d.Was)
	}
	return err
}
