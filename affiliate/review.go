package affiliate

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/mailbox"
)

// A RiskReason names the rule that held a commission: a lower-case letter, then
// lower-case letters, digits and underscores, 40 characters at most. The engine
// has those of the rules here and, only in previews, those below. Hosts define their own.
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

	// Within says how far back Evidence.NewCustomers counts for this rule, and UpTo the number,
	// 1–1,000, at which it stops: so many customers are read for each sale. Zero, both: it does
	// not count.
	Within time.Duration
	UpTo   int

	// Latest is how many of the affiliate's latest sales, 1–1,000, Evidence.Refunded counts in for this
	// rule: so many are read for each sale. Zero: it does not count.
	Latest int
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

	// LandingURL is the page on which the visitor landed: of the click that the request names, else
	// of the customer's referral, if it is the credited affiliate's. It has the parameters that a
	// click keeps.
	LandingURL string

	// NewCustomers is how many customers the affiliate has brought within the time of the rule,
	// with the one of this sale. It is 0 if that customer is not one of them.
	NewCustomers int

	// Refunded is how many of the affiliate's latest sales, as many as the rule says, were refunded in
	// full. Those that were deleted are not among them.
	Refunded int
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

// Disposable holds sales whose customer has a mailbox at a provider of throw-away addresses, by a
// list that is part of this module: a new provider is not in it.
func Disposable() ReviewRule {
	return ReviewRule{Reason: "disposable_email", Holds: func(e Evidence) bool {
		return mailbox.IsDisposable(mailbox.Domain(e.CustomerEmail))
	}}
}

// OwnDomain holds sales whose customer has an email at the domain of the affiliate's email or payout
// email, or at one below or above it, unless anybody can have a mailbox there. Which providers these
// are a list in this module says, so customers of a small one are held when the affiliate is one,
// too. Other domains below one suffix, such as a.co.uk and b.co.uk, have nothing in common.
func OwnDomain() ReviewRule {
	return ReviewRule{Reason: "own_domain", Holds: func(e Evidence) bool {
		theirs := mailbox.Domain(e.CustomerEmail)
		return sharedDomain(theirs, mailbox.Domain(e.Affiliate.Email)) ||
			sharedDomain(theirs, mailbox.Domain(e.Affiliate.PayoutEmail))
	}}
}

// sharedDomain reports whether two domains are one, or one is below the other, and it is no
// provider's. A domain without a dot has none below it.
func sharedDomain(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	same := a == b && b != "" || strings.Contains(b, ".") && strings.HasSuffix(a, "."+b)
	return same && !mailbox.IsPublic(a) && !mailbox.IsPublic(b)
}

// PaidSearch holds sales whose visitor came by an advertisement that somebody paid for, as the
// landing page says: by gclid, gbraid, wbraid or msclkid, or by utm_medium cpc, ppc, paidsearch,
// paid_search or sem. With terms, such as the names of your brand, one of them must be in utm_term,
// q, query or keyword, in whatever case. A click keeps utm_term and utm_medium; for the other
// parameters name them in Config.KeepParams.
func PaidSearch(terms ...string) ReviewRule {
	terms = slices.Clone(terms)
	for i := range terms {
		terms[i] = strings.ToLower(strings.TrimSpace(terms[i]))
	}
	return ReviewRule{Reason: "paid_search", Holds: func(e Evidence) bool {
		page, err := url.Parse(e.LandingURL)
		if err != nil || page.RawQuery == "" {
			return false
		}
		q := page.Query()
		medium := strings.ToLower(q.Get("utm_medium"))
		paid := slices.Contains(paidMedia, medium) || slices.ContainsFunc(adClicks, q.Has)
		return paid && (len(terms) == 0 || searchedFor(q, terms))
	}}
}

var (
	adClicks  = []string{"gclid", "gbraid", "wbraid", "msclkid"}
	paidMedia = []string{"cpc", "ppc", "paidsearch", "paid_search", "sem"}
	searches  = []string{"utm_term", "q", "query", "keyword"}
)

// searchedFor reports whether a query says that the visitor searched for one of some terms.
func searchedFor(q url.Values, terms []string) bool {
	return slices.ContainsFunc(searches, func(name string) bool {
		searched := strings.ToLower(q.Get(name))
		return slices.ContainsFunc(terms, func(term string) bool {
			return term != "" && strings.Contains(searched, term)
		})
	})
}

// Burst holds sales of new customers of an affiliate who has brought more than n of them within a
// time, this one included: many at once may be made up. n is at most 999. Sales of customers who
// have been there for longer are not held.
func Burst(n int, within time.Duration) ReviewRule {
	return ReviewRule{Reason: "burst", Within: within, UpTo: n + 1, Holds: func(e Evidence) bool {
		return e.NewCustomers > n
	}}
}

// Refunded holds sales of an affiliate more than k of whose n latest sales were refunded in full:
// customers who do not stay may be made up, or were promised something else. n is at most 1,000.
func Refunded(k, n int) ReviewRule {
	return ReviewRule{Reason: "refunded", Latest: n, Holds: func(e Evidence) bool { return e.Refunded > k }}
}

// SameMailbox reports whether mail to a and to b is likely to arrive in one
// mailbox: the canonical addresses are equal after everything from the first + in
// the local part is removed and, for gmail.com and googlemail.com, which count as
// one domain, the dots. A text that is not an address equals only itself.
//
// Addresses of one mailbox are those of one customer. Affiliates are looked up, and
// their addresses are kept unique, as they are. Source: docs/rules.md 1.7.
func SameMailbox(a, b string) bool { return mailbox.Of(a) == mailbox.Of(b) }
