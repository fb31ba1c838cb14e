package page

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// A Show writes the values of a program for people. Templates call its methods.
type Show struct {
	Language
	Currency affiliate.Currency
	Location *time.Location
}

// Short returns a text in a list, and Long is one on a page of its own.
func (l Language) Short(s any) string { return l.Text(fmt.Sprint(s), InList) }
func (l Language) Long(s any) string  { return l.Text(fmt.Sprint(s), InDetail) }

// Money returns an amount with its currency; of an Opt without a value it is empty.
func (s Show) Money(a any) string {
	if n, ok := amountOf(a); ok {
		return s.Amount(n, s.Currency)
	}
	return ""
}

// amountOf returns an amount; ok is false for an Opt without a value.
func amountOf(a any) (n affiliate.Amount, ok bool) {
	switch a := a.(type) {
	case affiliate.Amount:
		return a, true
	case affiliate.Opt[affiliate.Amount]:
		return a.Get()
	}
	return n, false
}

// Figure is Money without the currency, which the head of the column has.
func (s Show) Figure(a any) string {
	if n, ok := amountOf(a); ok {
		return s.Grouped(n.Format(s.Currency))
	}
	return ""
}

// MoneyIn is Money for an amount in a currency of its own; without a currency the
// amount is in the program's.
func (s Show) MoneyIn(a, currency any) string {
	switch c := currency.(type) {
	case affiliate.Currency:
		s.Currency = cmp.Or(c, s.Currency)
	case affiliate.Opt[affiliate.Currency]:
		s.Currency = c.Or(s.Currency)
	}
	return s.Money(a)
}

// WhyNotPaid returns why the money of a payout did not arrive; empty: it did, or may.
func (s Show) WhyNotPaid(status affiliate.PayoutStatus, failed, returned affiliate.Opt[string]) string {
	switch status {
	case affiliate.PayoutFailed:
		return s.Short(failed.Or(""))
	case affiliate.PayoutReturned:
		return s.Short(returned.Or(""))
	}
	return ""
}

// Count returns a number; of an Opt without a value it is empty.
func (l Language) Count(n any) string {
	switch n := n.(type) {
	case int, int64:
		return l.Grouped(fmt.Sprint(n))
	case affiliate.Opt[int64]:
		if i, ok := n.Get(); ok {
			return l.Count(i)
		}
	}
	return ""
}

// Off returns what a discount takes off.
func (s Show) Off(amount affiliate.Opt[affiliate.Amount],
	currency affiliate.Opt[affiliate.Currency], percent affiliate.Opt[affiliate.Percent]) string {
	if flat, ok := amount.Get(); ok {
		return s.T("%s off", s.Amount(flat, currency.Or(s.Currency)))
	}
	return s.T("%s off", s.percent(percent.Or(affiliate.Percent{})))
}

// When returns a moment in the zone that is shown; of an Opt without a value it is
// empty.
func (s Show) When(t any) string { return s.at(t, WhenText) }

// Day returns the day of a moment, and Month its month.
func (s Show) Day(t any) string   { return s.at(t, DayText) }
func (s Show) Month(t any) string { return s.at(t, MonthText) }

func (s Show) at(t any, layout string) string {
	var at time.Time
	switch t := t.(type) {
	case time.Time:
		at = t
	case affiliate.Time:
		at = t.Time()
	case affiliate.Opt[affiliate.Time]:
		at = t.Or(affiliate.Time{}).Time()
	}
	if at.IsZero() {
		return ""
	}
	return s.Date(at.In(s.Location), layout)
}

// Zone returns the zone of the times that are shown.
func (s Show) Zone() string { return s.Location.String() }

// missed are the classes of attempts that got no answer, for people.
var missed = map[string]string{
	affiliate.FailedTimeout:        "There was no answer in time",
	affiliate.FailedDNS:            "The host has no address",
	affiliate.FailedTLS:            "There was no trusted connection",
	affiliate.FailedConnection:     "The connection was refused or broke",
	affiliate.FailedRedirect:       "The answer leads elsewhere, which is not followed",
	affiliate.FailedBlockedAddress: "The address of the host may not be called",
	affiliate.FailedBlockedURL:     "The URL is not accepted any more",
	affiliate.FailedSecret:         "The secret could not be read",
	affiliate.FailedNoSender:       "Nothing here sends",
	affiliate.FailedBusy:           "Nothing was sent: too much was being sent",
	affiliate.FailedInternal:       "Something went wrong here",
}

// Missed says why an attempt got no answer; of an Opt without a value it is empty.
func (Show) Missed(class affiliate.Opt[string]) string {
	c, failed := class.Get()
	if !failed {
		return ""
	}
	return cmp.Or(missed[c], Words(c))
}

// ID returns an id, or empty.
func (Show) ID(id affiliate.Opt[uuid.UUID]) string {
	if some, ok := id.Get(); ok {
		return some.String()
	}
	return ""
}

// Words returns the words of an enumeration: ON_HOLD is "On hold".
func (l Language) Words(value any) string { return l.T(Words(value)) }

// Words returns the words of an enumeration.
func Words(value any) string {
	if fmt.Sprint(value) == string(affiliate.MethodPayPal) {
		return "PayPal"
	}
	s := strings.ToLower(strings.ReplaceAll(fmt.Sprint(value), "_", " "))
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ""
	}
	return Text(string(unicode.ToUpper(first))+s[size:], InList)
}

// PaymentMethods lists the payment methods that people can choose.
var PaymentMethods = []affiliate.PaymentMethod{"PAYPAL", "WISE", "WISE_BANK", "BANK", "CREDITS", "COUPON"}

// Tone returns the class of a status, for its colour; its word says the same.
func (Show) Tone(status any) string {
	switch fmt.Sprint(status) {
	case "ACTIVE", "ACCEPTED", "PAID", "DONE", "ANSWERED", "delivered", "enabled", "ENABLED":
		return "good"
	case "INACTIVE", "ON_HOLD", "INVITED", "PENDING", "PROCESSING", "RUNNING", "OPEN", "WAITING", "pending":
		return "warn"
	case "FAILED", "RETURNED", "BANNED", "DECLINED", "REFUNDED", "failed", "disabled", "DISABLED":
		return "bad"
	}
	return ""
}

// Uses returns how often something was used, and its limit.
func (Show) Uses(used int64, limit affiliate.Opt[int64]) Uses {
	n, _ := limit.Get()
	return Uses{used, n, Count(n)}
}

// Uses counts the uses of something. Limit is 0 when there is none.
type Uses struct {
	Used, Limit int64
	Said        string
}

// Low and High are numbers of uses above which few are left, and none.
func (u Uses) Low() int64  { return u.Limit / 5 * 4 }
func (u Uses) High() int64 { return u.Limit - 1 }

// JSON returns a payload, indented; empty: there is none.
func (Show) JSON(payload affiliate.Opt[json.RawMessage]) string {
	raw, ok := payload.Get()
	if !ok {
		return ""
	}
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return ""
	}
	return Text(out.String(), InDetail)
}

// StatementLines is the number of lines on a page of a statement.
const StatementLines = 300

// AdjustmentsIn returns the adjustments that lines of a statement are about.
func AdjustmentsIn(lines []affiliate.StatementLine) (ids []uuid.UUID) {
	for _, line := range lines {
		if id, is := line.AdjustmentID.Get(); is {
			ids = append(ids, id)
		}
	}
	return ids
}

// Reasons are the reasons of adjustments.
type Reasons map[uuid.UUID]string

// Of returns the reason of an adjustment; empty: it is none, or its reason was erased.
func (r Reasons) Of(id affiliate.Opt[uuid.UUID]) string { return r[id.Or(uuid.Nil)] }

// Pays returns what a rule pays.
func (s Show) Pays(pay affiliate.RulePay) string {
	switch sum := s.Money(affiliate.AmountFromScaled(pay.Rate.Scaled())); pay.Type {
	case affiliate.RuleNone:
		return s.T("nothing")
	case affiliate.RuleFlat:
		return s.T("%s for the sale", sum)
	case affiliate.RuleUnit:
		return s.T("%s for each piece", sum)
	}
	return s.percent(pay.Rate)
}

func (l Language) percent(p affiliate.Percent) string { return l.T("%s %%", l.Number(p.String())) }

// PaysRate returns what terms pay where no rule decides.
func (s Show) PaysRate(t affiliate.ProgramTerms) string {
	return s.Pays(affiliate.RulePay{Type: affiliate.RuleType(t.CommissionType), Rate: t.CommissionRate})
}

// TermsSaid returns terms in one sentence, but for what their rules say.
func (s Show) TermsSaid(t affiliate.ProgramTerms) string {
	said := []string{s.PaysRate(t)}
	if n := len(t.Rules); n > 0 {
		said = append(said, s.Several(int64(n), "with %s rule|with %s rules"))
	}
	return strings.Join(append(said, s.Limits(t)...), ", ")
}

// Limits returns the limits of terms, their caps, and when what they pay is payable.
func (s Show) Limits(t affiliate.ProgramTerms) (all []string) {
	if n, ok := t.NumberOfPayments.Get(); ok {
		all = append(all, s.Several(n,
			"for the first payment of a customer|for the first %s payments of a customer"))
	}
	if n, ok := t.NumberOfMonths.Get(); ok {
		said := "for %s month from the first payment of a customer|for %s months from the first payment of a customer"
		if t.MonthsFrom == affiliate.MonthsFromReferral {
			said = "for %s month from the referral of a customer|for %s months from the referral of a customer"
		}
		all = append(all, s.Several(n, said))
	}
	if !t.MaxPerSale.IsZero() {
		all = append(all, s.T("at most %s for a sale", s.Money(t.MaxPerSale)))
	}
	if !t.MaxPerCustomer.IsZero() {
		all = append(all, s.T("at most %s for all sales of a customer", s.Money(t.MaxPerCustomer)))
	}
	for _, b := range t.Budgets {
		all = append(all, s.BudgetSaid(b))
	}
	for _, b := range t.Bonuses {
		all = append(all, s.BonusSaid(b))
	}
	if t.HoldDays > 0 {
		all = append(all, s.Several(t.HoldDays, "payable after %s day|payable after %s days"))
	}
	return all
}

var budgetsSaid = map[affiliate.Interval]string{
	"": "at most %s in all", affiliate.IntervalDay: "at most %s in a day", affiliate.IntervalWeek: "at most %s in a week",
	affiliate.IntervalMonth: "at most %s in a month", affiliate.IntervalQuarter: "at most %s in a quarter",
	affiliate.IntervalYear: "at most %s in a year",
}

// BudgetSaid says what some sales earn together at most.
func (s Show) BudgetSaid(b affiliate.Budget) string {
	var most []string
	if b.MaxCommission.Sign() > 0 {
		most = append(most, s.Money(b.MaxCommission))
	}
	if b.MaxRewards > 0 {
		most = append(most, s.Several(b.MaxRewards, "%s reward|%s rewards"))
	}
	said := []string{s.T(budgetsSaid[b.Per], strings.Join(most, ", "))}
	if b.Of == affiliate.BudgetOfAll {
		said = append(said, s.T("by everybody together"))
	}
	if b.CouponID != uuid.Nil {
		said = append(said, s.T("with a certain coupon"))
	}
	if b.UTMCampaign != "" {
		said = append(said, s.T("of the campaign %s", Text(b.UTMCampaign, InList)))
	}
	if b.Whole {
		said = append(said, s.T("and what does not fit earns nothing"))
	}
	return strings.Join(said, ", ")
}

var eachSaid = map[affiliate.Interval]string{
	affiliate.IntervalDay: "each day anew", affiliate.IntervalWeek: "each week anew", affiliate.IntervalMonth: "each month anew",
	affiliate.IntervalQuarter: "each quarter anew", affiliate.IntervalYear: "each year anew",
}

// BonusSaid says what is given besides commissions.
func (s Show) BonusSaid(b affiliate.Bonus) string {
	given := s.Money(b.Amount)
	if b.To == affiliate.BonusToCustomer {
		given = s.T("%s for your customer", given)
	}
	var said []string
	switch {
	case b.SignUps > 0:
		said = append(said, given+" "+s.Several(b.SignUps, "for each customer who signs up|for every %s customers who sign up"))
	case b.Customers > 0:
		said = append(said, given+" "+s.Several(b.Customers, "for each customer who pays|for every %s customers who pay"))
	default:
		said = append(said, given+" "+s.T("for every %s that customers pay", s.Money(b.Revenue)))
	}
	if !b.MinSpend.IsZero() {
		said = append(said, s.T("%s or more", s.Money(b.MinSpend)))
	}
	if b.Per != "" {
		said = append(said, s.T(eachSaid[b.Per]))
	}
	if b.Times > 0 {
		said = append(said, s.Several(b.Times, "once|%s times at most"))
	}
	if b.HoldDays > 0 {
		said = append(said, s.Several(b.HoldDays, "after %s day|after %s days"))
	}
	return strings.Join(said, ", ")
}

// Reached says how far somebody is with a bonus: 7 of 10.
func (s Show) Reached(b affiliate.BonusProgress) string {
	text := func(n affiliate.Amount) string { return s.Grouped(n.String()) }
	if !b.Revenue.IsZero() {
		text = func(n affiliate.Amount) string { return s.Money(n) }
	}
	next, more := b.Next.Get()
	if !more {
		return text(b.Reached)
	}
	return s.T("%s of %s", text(b.Reached), text(next))
}

// Several says how many there are of something: 1 day, 2 days.
func Several(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprint(Count(n), " ", noun, "s")
}

// A Usability shows on a page whether a code or a coupon works.
type Usability struct {
	Works bool
	Later []string // it does not yet: from when it does
	Why   []string // it does not, each with what the rule knows
	Hold  string   // why the commission of its sales is on hold; empty: it is not
}

// Usable returns a usability for people.
func (s Show) Usable(u affiliate.Opt[affiliate.Usability]) Usability {
	is, _ := u.Get()
	shown := Usability{Works: is.Usable, Hold: s.Hold(is.Hold)}
	for _, f := range is.Reasons {
		if f.Reason == affiliate.CodeNotStarted {
			shown.Later = append(shown.Later, s.Why(f))
			continue
		}
		shown.Why = append(shown.Why, s.Why(f))
	}
	return shown
}

// Why says why a code or a coupon does not work. For an unknown reason it shows
// the reason itself.
func (s Show) Why(f affiliate.Failure) string {
	switch f.Reason {
	case affiliate.CodeInactive:
		return "Switched off"
	case affiliate.CouponInvalid:
		return "Coupon switched off"
	case affiliate.CodeExpired:
		return strings.TrimSpace("Expired " + s.Day(f.At))
	case affiliate.CouponExpired:
		return strings.TrimSpace("Coupon expired " + s.Day(f.At))
	case affiliate.CodeExhausted:
		return "Used up" + usedOf(f)
	case affiliate.CouponExhausted:
		return "Coupon used up" + usedOf(f)
	case affiliate.CodeUnassigned:
		return "Has no affiliate"
	case affiliate.AffiliateSuspended:
		return "Its affiliate is banned or deactivated"
	case affiliate.CodeNotStarted:
		return strings.TrimSpace("From " + s.Day(f.At))
	case affiliate.BudgetSpent:
		return "Budget spent" + added("of", s.Money(f.Amount))
	case affiliate.CouponOtherCurrency:
		return strings.TrimSpace("Takes off an amount in another currency " + string(f.Currency))
	case affiliate.WrongCurrency:
		return strings.TrimSpace("Smallest order in another currency " + string(f.Currency))
	}
	return s.whyNotOrder(f)
}

// whyNotOrder says why a code does not work for an order.
func (s Show) whyNotOrder(f affiliate.Failure) string {
	switch f.Reason {
	case affiliate.NotFirstOrder:
		return "Only for first orders"
	case affiliate.BelowMinimum:
		return "Order too small" + added("at least", s.MoneyIn(f.Amount, f.Currency))
	case affiliate.BelowQuantity:
		text := ""
		if pieces, known := f.Amount.Get(); known {
			text = pieces.String()
		}
		return "Too few pieces" + added("at least", text)
	case affiliate.CustomerLimit:
		return "The customer has used it as often as one may" + usedOf(f)
	case affiliate.CustomerRequired:
		return "Needs to know the customer"
	case affiliate.WrongAffiliate:
		return "Only for customers of its affiliate"
	case affiliate.WrongCustomer:
		return "Only for another customer"
	case affiliate.WrongProduct:
		return "Only for other products"
	}
	return Words(f.Reason)
}

// added adds a limit to a reason, if it is known.
func added(word, limit string) string {
	if limit == "" {
		return ""
	}
	return ", " + word + " " + limit
}

func usedOf(f affiliate.Failure) string {
	limit, known := f.Limit.Get()
	if !known {
		return ""
	}
	return fmt.Sprintf(", %s of %s", Count(f.Used.Or(0)), Count(limit))
}

// Hold says why commissions are on hold; without a reason it is empty.
func (Show) Hold(reason affiliate.Opt[affiliate.HoldReason]) string {
	r, held := reason.Get()
	if !held {
		return ""
	}
	switch r {
	case affiliate.HoldProgramSettings:
		return "somebody has to accept it"
	case affiliate.HoldFraudPrevention:
		return "a rule of the program wants it looked at"
	case affiliate.HoldAffiliateDeactivated:
		return "the affiliate is deactivated"
	case affiliate.HoldAffiliateBanned:
		return "the affiliate is banned"
	case affiliate.HoldAffiliateNotApproved:
		return "the affiliate is not approved"
	}
	return strings.ToLower(Words(r))
}
