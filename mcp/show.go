package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
)

// An object is a JSON object in the order of the server.
type object []member

type member struct {
	name  string
	value any // object, []any, string, json.Number, bool or nil
}

// at returns the value of a name; nil: there is none.
func (o object) at(name string) any {
	if i := o.index(name); i >= 0 {
		return o[i].value
	}
	return nil
}

func (o object) index(name string) int {
	return slices.IndexFunc(o, func(m member) bool { return m.name == name })
}

// with returns the object with another value for a name.
func (o object) with(name string, value any) object {
	if i := o.index(name); i >= 0 {
		o[i].value = value
		return o
	}
	return append(o, member{name, value})
}

// text returns a text of the object; empty: there is none.
func (o object) text(name string) string {
	s, _ := o.at(name).(string)
	return s
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, encode(m.name)...), ':'), encode(m.value)...)
	}
	return append(b, '}'), nil
}

// decode reads JSON. Numbers are as they were written.
func decode(body []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	return next(d)
}

func next(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := next(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	case json.Delim('{'):
		o := object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := next(d)
			if err != nil {
				return nil, err
			}
			o = append(o, member{name.(string), v})
		}
		_, err = d.Token()
		return o, err
	}
	return token, nil
}

// A page is an answer with rows.
type page struct {
	Totals any    `json:"totals,omitempty"` // of all pages, on the first one
	Shown  int    `json:"shown"`
	Cursor string `json:"cursor,omitempty"` // of the next page
	Rows   []any  `json:"rows"`
}

// A single is an answer with one record; nil: there is none.
type single struct {
	Cursor string `json:"cursor,omitempty"` // of the next page of a list in the record
	Record any    `json:"record"`
}

// The names of numbers that are no amounts of money: percentages, rates and pieces, and
// amounts whose unit another field says.
var plainNumbers = []string{"commissionRate", "percentOff", "exchangeRate", "quantity", "minimumQuantity",
	"reached", "next"}

// The names of amounts of money.
var amounts = []string{
	"adjustments", "amount", "amountOff", "base", "budgetLeft", "byHand", "cap", "codeDiscount",
	"commission", "commissionEarned", "debts", "difference", "discount", "discountTotal", "earned", "held",
	"inPayout", "kept", "left", "maturing", "maxCommission", "maxDiscount", "maxDiscountTotal", "maxPerCustomer",
	"maxPerSale", "minRevenue", "minSpend", "minimumAmount", "most", "moved", "namedRefunds", "owed", "paid", "payable",
	"payoutMinimum", "refunded", "refundedAmount", "refunds", "revenue", "rounded", "shippingAmount",
	"shippingDeducted", "shippingRefunded", "subtotal", "taxAmount", "taxDeducted", "taxRefunded",
	"told", "total", "totalCommission", "totalCommissionEarned", "totalEarned", "totalRevenue",
	"was", "would",
}

// The names of amounts that are in the currency of the program, whatever the record's is.
var atHome = []string{"budgetLeft", "commission", "discountTotal", "maxDiscount", "maxDiscountTotal"}

// The names of texts that the program writes: words of lists that it has, and texts that are
// handed back to it.
var ownWords = []string{
	"approvalStatus", "by", "cause", "commissionType", "conditionType", "couponCategory",
	"couponType", "currency", "cursor", "disabledReason", "duration", "event", "events", "from",
	"holdReason", "integrationReferralSource", "integrationSalesSource", "integrationType", "kind",
	"minimumAmountCurrency", "monthsFrom", "next", "outcome", "over", "paymentMethod",
	"paymentTrigger", "paymentTriggers", "planFrom", "rateFrom", "referralMedium", "rewardType",
	"riskReasons", "risks", "skipped", "source", "state", "status", "submissionType",
	"subscriptionStatus", "timeZone", "to", "touch", "trigger", "unverified",
}

var (
	wordText   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.:/+=-]{0,255}$`)
	numberText = regexp.MustCompile(`^-?\d{1,40}(\.\d{1,40})?(/\d{1,40})?$`)
	nameText   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)
)

// The limits of what is shown of one field.
const (
	maxText  = 300  // characters
	maxLoose = 1000 // characters, of an object that has any fields
	maxItems = 10   // of a list inside a record, unless the page is that list
)

// A shower makes an answer of the API into one for an assistant.
type shower struct {
	home  string // the currency of the program; empty: not known
	order string // the currency that the input said; empty: none
	items int    // the rows that were asked for; zero: the answer has no pages
}

// answer makes a list a page, and anything else a single record.
func (s shower) answer(value any, cursor string) any {
	list, is := value.([]any)
	if !is {
		return &single{cursor, s.value("", value, cmp.Or(s.order, s.home))}
	}
	s.items = 0
	p := &page{Cursor: cursor, Shown: min(len(list), mostRows), Rows: s.list("", list, mostRows, s.home)}
	return p
}

// value makes a value of a field.
func (s shower) value(name string, value any, currency string) any {
	switch v := value.(type) {
	case object:
		return s.object(v, currency)
	case []any:
		return s.list(name, v, max(s.items, maxItems), currency)
	case string:
		return text(name, v)
	}
	return value
}

func (s shower) list(name string, list []any, most int, currency string) []any {
	out := []any{}
	for _, v := range list[:min(len(list), most)] {
		out = append(out, s.value(name, v, currency))
	}
	if left := len(list) - most; left > 0 {
		out = append(out, object{{"leftOut", left}})
	}
	return out
}

// object shows what is simple first, then what has parts, and leaves out what is null.
func (s shower) object(o object, currency string) any {
	if slices.ContainsFunc(o, func(m member) bool { return !nameText.MatchString(m.name) }) {
		return untrusted(string(encode(o)), maxLoose)
	}
	own := cmp.Or(o.text("currency"), currency)
	simple, parts := object{}, object{}
	for _, m := range o {
		switch v := m.value.(type) {
		case nil:
		case json.Number:
			simple = append(simple, member{m.name, s.number(o, m.name, v, own)})
		case object:
			if m.name == "metadata" || m.name == "payload" || m.name == "params" || m.name == "body" {
				simple = append(simple, member{m.name, untrusted(string(encode(v)), maxLoose)})
				continue
			}
			parts = append(parts, member{m.name, s.object(v, s.home)})
		case []any:
			in := s.home
			switch m.name {
			case "lines":
				in = cmp.Or(currencyOf(o, "charged"), currencyOf(o, "base"), own)
			case "evaluations":
				in = own
			}
			parts = append(parts, member{m.name, s.list(m.name, v, max(s.items, maxItems), in)})
		default:
			simple = append(simple, member{m.name, s.value(m.name, v, own)})
		}
	}
	return append(simple, parts...)
}

// currencyOf returns the currency of a part of an object.
func currencyOf(o object, part string) string {
	inner, _ := o.at(part).(object)
	return inner.text("currency")
}

// number shows an amount with its currency, a rate as a text, and a count as a number.
func (s shower) number(o object, name string, n json.Number, currency string) any {
	switch {
	case slices.Contains(plainNumbers, name):
		return n.String()
	case !slices.Contains(amounts, name):
		if strings.ContainsAny(n.String(), ".eE") {
			return n.String()
		}
		return n
	case name == "minimumAmount":
		currency = cmp.Or(o.text("minimumAmountCurrency"), s.home)
	case slices.Contains(atHome, name):
		currency = s.home
	}
	return strings.TrimSpace(n.String() + " " + currency)
}

// text shows a text: as it is when the program wrote it, else as a stranger's.
func text(name, s string) any {
	if slices.Contains(ownWords, name) && wordText.MatchString(s) || numberText.MatchString(s) || isID(s) || isTime(s) {
		return s
	}
	return untrusted(s, maxText)
}

func isID(s string) bool {
	id, err := uuid.Parse(s)
	return err == nil && id.String() == s
}

func isTime(s string) bool {
	_, err := time.Parse(time.RFC3339, s)
	return err == nil
}

// untrusted wraps a text that somebody outside may have written.
func untrusted(s string, most int) any {
	return object{{"untrusted", cut(clean(s), most)}}
}

// clean leaves out the characters that nobody sees but a machine reads: controls,
// formats such as those that turn text around, tags, and variation selectors.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r' || unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Variation_Selector) ||
			r == '\u3164' || r == '\uffa0' || r == '\u115f' || r == '\u1160':
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// cut shortens a text to a number of characters, and says so.
func cut(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return fmt.Sprintf("%s… (%d more characters)", string(runes[:most]), len(runes)-most)
}
