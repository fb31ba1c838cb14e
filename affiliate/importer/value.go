package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/tributary-go/tributary/affiliate"
)

// How texts become values. A text that is no value refuses its row.

// amount reads an amount in major units, such as 1250.00. It may have the sign of
// its currency and commas between thousands, as US texts have them.
func (e *entry) amount(name string) affiliate.Amount {
	return e.exactly(name, plain(e.text(name)))
}

// plain takes the sign of a currency and the commas between thousands off an
// amount.
func plain(text string) string {
	sign := ""
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, text = "-", rest
	}
	digits := text
	for range 3 { // such as US$ and CHF
		digits = strings.TrimLeftFunc(digits, func(r rune) bool { return unicode.Is(unicode.Sc, r) || unicode.IsSpace(r) })
		if digits != "" && 'A' <= digits[0] && digits[0] <= 'Z' {
			digits = digits[1:]
		}
	}
	digits = strings.TrimLeftFunc(digits, func(r rune) bool { return unicode.Is(unicode.Sc, r) || unicode.IsSpace(r) })
	if digits == "" || (digits[0] < '0' || digits[0] > '9') && digits[0] != '.' {
		return sign + text // it is refused as it is
	}
	whole, fraction, point := strings.Cut(digits, ".")
	groups := strings.Split(whole, ",")
	for i, group := range groups {
		if i > 0 && len(group) != 3 || len(groups) > 1 && i == 0 && (group == "" || len(group) > 3) {
			return sign + text
		}
	}
	digits = strings.Join(groups, "")
	if point {
		digits += "." + fraction
	}
	return sign + digits
}

// minor reads an amount in the smallest unit of a currency.
func (e *entry) minor(name string, c affiliate.Currency) affiliate.Amount {
	text := e.text(name)
	if digits := c.Digits(); digits > 0 && text != "" {
		sign := ""
		if rest, negative := strings.CutPrefix(text, "-"); negative {
			sign, text = "-", rest
		}
		if strings.ContainsAny(text, ".eE") {
			e.refuse(affiliate.FieldNotAnInteger.Of(name))
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
	if err != nil {
		e.refuse(affiliate.FieldNotANumber.Of(name))
	}
	return amount
}

// count reads a whole number.
func (e *entry) count(name string) int64 {
	text := strings.ReplaceAll(e.text(name), ",", "")
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		e.refuse(affiliate.FieldNotAnInteger.Of(name))
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
		e.refuse(affiliate.RefuseOtherCurrency.Err())
	}
	return c
}

// layouts are the forms of times that every reader knows.
var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly, "2006-01-02 15:04:05 MST", "2006-01-02 15:04:05 -0700"}

// time reads the first of the fields that has a time.
func (e *entry) time(loc *time.Location, more []string, names ...string) time.Time {
	for _, name := range names {
		text := e.text(name)
		if text == "" {
			continue
		}
		for _, layout := range append(more[:len(more):len(more)], layouts...) {
			if t, err := time.ParseInLocation(layout, text, loc); err == nil {
				return t
			}
		}
		e.refuse(affiliate.FieldNotADate.Of(name))
		return time.Time{}
	}
	return time.Time{}
}

// digest stands for texts in a ref, so that a ref names no person.
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
