package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/amounts"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Conversions of texts to values. A text that is not a value refuses its row.

// A money describes how the amounts of a row are written.
type money struct {
	form    amounts.Form
	signs   []affiliate.Currency // which the signs of its amounts may mean; nil: there are none
	digits  string               // a field that was read by the digits of an unknown currency; empty: none
	least   int                  // as few digits the currency has at least,
	most    int                  // and as many at most, for that
	unread  bool                 // an amount could not be read
	decimal *byte                // the decimal sign in the file so far; nil: it does not matter
}

// amount reads an amount in major units, such as 1250.00, as people write it. It
// is in the currency of the row, if the row says one.
func (e *entry) amount(name string) affiliate.Amount {
	if value, _ := e.member(name); e.object != nil {
		if number, ok := value.(json.Number); ok {
			return e.exactly(name, number.String())
		}
	}
	text := strings.TrimPrefix(e.text(name), "'") // a spreadsheet's mark of a text
	if text == "" {
		return affiliate.Amount{}
	}
	r, err := e.form.Read(text)
	switch {
	case err == nil && e.decimal != nil && r.Decimal != 0 && *e.decimal != 0 && *e.decimal != r.Decimal:
		e.refuseAmount(refusal.FieldOtherDecimal.Of(name))
		return affiliate.Amount{}
	case err == nil:
		e.told(name, &r)
		return r.Amount
	case errors.Is(err, amounts.ErrAmbiguous):
		e.refuseAmount(refusal.FieldTwoAmounts.Of(name))
	case errors.Is(err, amounts.ErrCurrency):
		e.refuseAmount(refusal.RefuseOtherCurrency.Err())
	default:
		e.refuseAmount(refusal.FieldNotANumber.Of(name))
	}
	return affiliate.Amount{}
}

// unknownWord refuses a word, with those that are taken.
func (e *entry) unknownWord(name, word string, taken []string) {
	bad := refusal.FieldUnknownWord.Of(name)
	bad.Message = strings.Replace(bad.Message, "a word that", "the word "+quoted([]string{word}, "")+", which", 1) + "; mapped are " + strings.Join(taken, ", ")
	e.refuse(bad)
}

// told keeps what an amount says besides its value.
func (e *entry) told(name string, r *amounts.Reading) {
	if e.decimal != nil && r.Decimal != 0 {
		*e.decimal = r.Decimal
	}
	if r.Cents {
		e.digits, e.least, e.most = name, 0, 2
	}
	if r.Currencies == nil || e.form.Currency != "" {
		return
	}
	if e.signs == nil {
		e.signs = r.Currencies
		return
	}
	e.signs = slices.DeleteFunc(slices.Clone(e.signs), func(c affiliate.Currency) bool { return !slices.Contains(r.Currencies, c) })
	if len(e.signs) == 0 {
		e.refuse(refusal.RefuseOtherCurrency.Err())
	}
}

// refuseAmount records that an amount cannot be read.
func (e *entry) refuseAmount(err *affiliate.Error) {
	e.unread = true
	e.refuse(err)
}

// in returns the error of a row whose currency the reader did not know, in a program of
// a currency.
func (m *money) in(c affiliate.Currency) *affiliate.Error {
	if m.signs != nil && !slices.Contains(m.signs, c) {
		return refusal.RefuseOtherCurrency.Err()
	}
	if m.digits != "" && (c.Digits() < m.least || c.Digits() > m.most) {
		return refusal.FieldUnknownDigits.Of(m.digits)
	}
	return nil
}

// minor reads an amount in the smallest unit of a currency; for an unknown currency, in
// hundredths.
func (e *entry) minor(name string, c affiliate.Currency) affiliate.Amount {
	text := e.text(name)
	if c == "" && text != "" {
		e.digits, e.least, e.most = name, 2, 2
	}
	if digits := c.Digits(); digits > 0 && text != "" {
		sign := ""
		if rest, negative := strings.CutPrefix(text, "-"); negative {
			sign, text = "-", rest
		}
		if strings.ContainsAny(text, ".eE") {
			e.unread = true
			e.refuse(refusal.FieldNotAnInteger.Of(name))
			return affiliate.Amount{}
		}
		if short := digits + 1 - len(text); short > 0 {
			text = strings.Repeat("0", short) + text
		}
		text = sign + text[:len(text)-digits] + "." + text[len(text)-digits:]
	}
	return e.exactly(name, text)
}

func (e *entry) exactly(name, text string) affiliate.Amount {
	if text == "" {
		return affiliate.Amount{}
	}
	amount, err := affiliate.ParseAmount(text)
	switch {
	case errors.Is(err, affiliate.ErrAmountDecimals):
		e.refuseAmount(refusal.FieldTooManyDecimals.Of(name))
	case err != nil:
		e.refuseAmount(refusal.FieldNotANumber.Of(name))
	}
	return amount
}

// percent reads a percentage, with or without its sign.
func (e *entry) percent(name string) affiliate.Percent {
	percent, err := e.form.Percent(strings.TrimPrefix(e.text(name), "'"))
	if err != nil {
		e.refuse(refusal.FieldNotANumber.Of(name))
	}
	return percent
}

// count reads a whole number.
func (e *entry) count(name string) int64 {
	text := strings.TrimPrefix(e.text(name), "'")
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil {
		return n
	}
	grouped, err := amounts.Form{Decimal: e.form.Decimal}.Amount(text)
	if n = grouped.Scaled() / 10_000; err != nil || grouped.Scaled()%10_000 != 0 {
		e.refuse(refusal.FieldNotAnInteger.Of(name))
	}
	return n
}

// currency reads a currency in any letter case; an empty one stays empty.
func (e *entry) currency(name string) affiliate.Currency {
	text := e.text(name)
	if text == "" {
		return ""
	}
	c, err := affiliate.ParseCurrency(strings.ToUpper(text))
	if err != nil {
		e.refuse(refusal.RefuseOtherCurrency.Err())
	}
	return c
}

// layouts are the formats of times that every reader knows.
var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly, "2006-01-02 15:04:05 MST", "2006-01-02 15:04:05 -0700"}

// time reads the first of the fields that has a time.
func (e *entry) time(loc *time.Location, more []string, names ...string) time.Time {
	for _, name := range names {
		text := e.text(name)
		if text == "" {
			continue
		}
		for _, layout := range append(more[:len(more):len(more)], layouts...) {
			if t, err := time.ParseInLocation(layout, text, loc); err == nil && zoned(t, loc) {
				return t
			}
		}
		if t, ok := serial(text, loc); ok {
			return t
		}
		if t, ok := epoch(text); ok {
			return t
		}
		e.refuse(refusal.FieldNotATime.Of(name))
		return time.Time{}
	}
	return time.Time{}
}

// zoned reports whether the zone of a parsed time is known. For unknown letters such as
// EST package time makes up a zone with offset 0, unless they are those of loc.
func zoned(t time.Time, loc *time.Location) bool {
	name, offset := t.Zone()
	return offset != 0 || t.Location() == loc || t.Location() == time.UTC || name == "" || name == "GMT" || name == "Z"
}

// serial reads the number by which spreadsheets keep a time: the days since 30 December
// 1899 with their fraction. The time must lie between 1954 and 2119.
func serial(text string, loc *time.Location) (time.Time, bool) {
	whole, part, _ := strings.Cut(strings.Replace(text, ",", ".", 1), ".")
	days, err := strconv.Atoi(whole)
	if err != nil || len(whole) != 5 || days < 20_000 || days >= 80_000 {
		return time.Time{}, false
	}
	seconds := 0
	if part != "" {
		fraction, err := strconv.ParseFloat("0."+part, 64)
		if err != nil || strings.Trim(part, "0123456789") != "" {
			return time.Time{}, false
		}
		seconds = int(math.Round(fraction * 86_400))
	}
	return time.Date(1899, time.December, 30+days, 0, 0, seconds, 0, loc), true
}

// epoch reads the seconds or milliseconds since 1970, of a time between 2001 and 2033: ten or
// thirteen digits of which the first is 1.
func epoch(text string) (time.Time, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil || text[0] != '1':
		return time.Time{}, false
	case len(text) == 10:
		return time.Unix(n, 0).UTC(), true
	}
	return time.UnixMilli(n).UTC(), len(text) == 13
}

// digest returns a digest of texts for a ref, so that the ref names no person.
func digest(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		h.Write([]byte(strconv.Itoa(len(text))))
		h.Write([]byte{0})
		h.Write([]byte(text))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// splitName splits a name at its last space.
func splitName(name string) (first, last string) {
	name = strings.Join(strings.Fields(name), " ")
	at := strings.LastIndexByte(name, ' ')
	if at < 0 {
		return name, ""
	}
	return name[:at], name[at+1:]
}
