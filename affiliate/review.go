package affiliate

import (
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/mailbox"
)

// A RiskReason names the rule that held a commission: a lower-case letter, then
// lower-case letters, digits and underscores, 40 characters at most. The engine
// has self_referral and, only in previews, those below. Hosts define their own.
type RiskReason string

// The risks that follow from the status of an affiliate. Only the preview of an
// order has them; the commission itself has a [HoldReason].
const (
	RiskAffiliateBanned      RiskReason = "affiliate_banned"
	RiskAffiliateDeactivated RiskReason = "affiliate_deactivated"
	RiskAffiliateNotApproved RiskReason = "affiliate_not_approved" // INACTIVE, INVITED or DECLINED
)

// RiskPlantedEmail holds an order that credits the affiliate of a customer whom an email alone names, when only payers
// have told that email and the customer's first order was next to nothing: who wants the commission of somebody's
// orders pays a cent by their own link and types that email. See Config.RealOrder.
const RiskPlantedEmail RiskReason = "planted_email"

// A ReviewRule looks at every sale once, when it is recorded. If Holds returns
// true for at least one rule, the commission of the sale is ON_HOLD with
// [HoldFraudPrevention], and [Commission.RiskReasons] has the reasons of these
// rules.
//
// Holds is called inside a transaction, perhaps twice for one sale: it does no
// I/O, takes no clock and no randomness, and remembers nothing. It must be safe
// for concurrent use. A panic fails the call, and nothing is written.
type ReviewRule struct {
	Reason RiskReason
	Holds  func(Evidence) bool
}

// Evidence is what a rule knows of a sale, or of the order in a preview. Unknown
// texts are empty.
type Evidence struct {
	At            time.Time
	Affiliate     ReviewedAffiliate // who is credited
	CustomerEmail string            // of the sale, else of the customer's referral; the affiliate's when they have it under a former name; canonical
	CustomerName  string            // likewise
	DeviceID      string            // of the click that the request names
	PromoCode     string            // as it is stored
	NewCustomer   bool              // the sale makes a referral of the customer
	Nameless      bool              // nothing tells who buys: see [Unnamed]
	Total         Amount            // what was earned; in a preview with only a subtotal, what is left to charge
}

// ReviewedAffiliate is an affiliate as a rule sees it.
type ReviewedAffiliate struct {
	ID                                      uuid.UUID
	FirstName, LastName, Email, PayoutEmail string
	Status                                  AffiliateStatus
	CreatedAt                               time.Time
}

// SelfReferral holds sales whose customer has the mailbox of the affiliate, by
// the affiliate's email or payout email. See [SameMailbox].
func SelfReferral() ReviewRule {
	return ReviewRule{Reason: "self_referral", Holds: func(e Evidence) bool {
		return e.CustomerEmail != "" &&
			(SameMailbox(e.CustomerEmail, e.Affiliate.Email) || SameMailbox(e.CustomerEmail, e.Affiliate.PayoutEmail))
	}}
}

// Unnamed holds sales whose customer has no email, when they are by a code, of a customer whom a
// code brought, as renewals are, or of one of whom the host says no id of its own either:
// [SelfReferral] cannot judge them, and an affiliate who buys by their own code or link does best
// not to say an email. It holds those of all other guests of a shop that asks for no email, too.
// Of an erased customer it holds what a code is redeemed for, and nothing else.
func Unnamed() ReviewRule {
	return ReviewRule{Reason: "unnamed_customer", Holds: func(e Evidence) bool { return e.Nameless }}
}

// SameMailbox reports whether mail to a and to b is likely to arrive in one
// mailbox: the canonical addresses are equal after everything from the first + in
// the local part is removed and, for gmail.com and googlemail.com, which count as
// one domain, the dots. A text that is not an address equals only itself.
//
// Addresses of one mailbox are those of one customer. Affiliates are looked up, and
// their addresses are kept unique, as they are. Source: docs/rules.md 1.7.
func SameMailbox(a, b string) bool { return mailbox.Of(a) == mailbox.Of(b) }
