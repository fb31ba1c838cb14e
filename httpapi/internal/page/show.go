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
	Currency affiliate.Currency
	Location *time.Location
}

// Short returns a text in a list, and Long is one on a page of its own.
func (Show) Short(s any) string { return Text(fmt.Sprint(s), InList) }
func (Show) Long(s any) string  { return Text(fmt.Sprint(s), InDetail) }

// Money returns an amount with its currency; of an Opt without a value it is empty.
func (s Show) Money(a any) string {
	switch a := a.(type) {
	case affiliate.Amount:
		return Money(a, s.Currency)
	case affiliate.Opt[affiliate.Amount]:
		if n, ok := a.Get(); ok {
			return Money(n, s.Currency)
		}
	}
	return ""
}

// Figure is Money without the currency, which the head of the column has.
func (s Show) Figure(a any) string {
	figure, _, _ := strings.Cut(s.Money(a), "\u00a0")
	return figure
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
func (Show) Count(n any) string {
	switch n := n.(type) {
	case int:
		return Count(int64(n))
	case int64:
		return Count(n)
	case affiliate.Opt[int64]:
		if i, ok := n.Get(); ok {
			return Count(i)
		}
	}
	return ""
}

// Off returns what a discount takes off.
func (s Show) Off(amount affiliate.Opt[affiliate.Amount], currency affiliate.Opt[affiliate.Currency], percent affiliate.Opt[affiliate.Percent]) string {
	if flat, ok := amount.Get(); ok {
		return Money(flat, currency.Or(s.Currency)) + " off"
	}
	return fmt.Sprint(percent.Or(affiliate.Percent{})) + " % off"
}

// When returns a moment in the zone that is shown; of an Opt without a value it is
// empty.
func (s Show) When(t any) string { return s.at(t, "2 Jan 2006, 15:04") }

// Day returns the day of a moment.
func (s Show) Day(t any) string { return s.at(t, "2 Jan 2006") }

func (s Show) at(t any, layout string) string {
	var at time.Time
	switch t := t.(type) {
	case affiliate.Time:
		at = t.Time()
	case affiliate.Opt[affiliate.Time]:
		at = t.Or(affiliate.Time{}).Time()
	}
	if at.IsZero() {
		return ""
	}
	return at.In(s.Location).Format(layout)
}

// Zone returns the zone of the times that are shown.
func (s Show) Zone() string { return s.Location.String() }

// missed are the classes of attempts that got no answer, for people.
var missed = map[string]string{
	affiliate.FailedTimeout: "There was no answer in time", affiliate.FailedDNS: "The host has no address", affiliate.FailedTLS: "There was no trusted connection",
	affiliate.FailedConnection: "The connection was refused or broke", affiliate.FailedRedirect: "The answer leads elsewhere, which is not followed",
	affiliate.FailedBlockedAddress: "The address of the host may not be called", affiliate.FailedBlockedURL: "The URL is not accepted any more",
	affiliate.FailedSecret: "The secret could not be read", affiliate.FailedNoSender: "Nothing here sends", affiliate.FailedBusy: "Nothing was sent: too much was being sent",
	affiliate.FailedInternal: "Something went wrong here",
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
func (Show) Words(value any) string { return Words(value) }

// Words returns the words of an enumeration.
func Words(value any) string {
	if value == affiliate.PaymentMethod("PAYPAL") {
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
	case "ACTIVE", "ACCEPTED", "PAID", "DONE", "delivered", "enabled", "ENABLED":
		return "good"
	case "INACTIVE", "ON_HOLD", "INVITED", "PENDING", "PROCESSING", "RUNNING", "pending":
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
