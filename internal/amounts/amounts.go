// Package amounts reads amounts of money and percentages as people and their
// spreadsheets write them: with groups of thousands, with a decimal comma, with
// the sign or the code of a currency. What could be read in two ways is refused.
//
//	usd := amounts.Form{Currency: "USD", Decimal: '.'}
//	sum, err := usd.Amount("$1,250.00")
package amounts

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/tributary-go/tributary/affiliate"
)

// Errors of [Form.Amount], [Form.Read] and [Form.Percent], besides those of
// [affiliate.ParseAmount] about decimals and range.
var (
	// ErrSyntax means that a text is not an amount in the form.
	ErrSyntax = errors.New("amounts: not an amount such as 1250.00 or 1,250.00")

	// ErrAmbiguous means that a text may be two amounts: 1.250 is 1250 to one
	// reader and 1.25 to another.
	ErrAmbiguous = errors.New("amounts: it may be a thousand or a decimal; write 1250.00 or 1.25")

	// ErrCurrency means that a text says another currency than that of the form,
	// or two.
	ErrCurrency = errors.New("amounts: in another currency")
)

// A Form says how amounts are written.
type Form struct {
	Currency affiliate.Currency // of the amounts; empty: not known
	Decimal  byte               // before the decimals: '.' or ','; 0: told from each text
}

// A Reading is the meaning of a text.
type Reading struct {
	Amount     affiliate.Amount
	Currencies []affiliate.Currency // those that its sign or code may mean; nil: it has none
	Decimal    byte                 // what stood before the decimals, as far as the text shows it; 0: either is possible
	Cents      bool                 // it was read as an amount of at most two decimals, because the currency is not known
}

// Amount reads an amount:
//
//   - digits, with groups of exactly three behind a comma (behind a point when
//     Decimal is a comma), a space or an apostrophe;
//   - a sign before or behind it, or parentheses for an amount below zero;
//   - the sign or the code of the currency, before or behind it. Of another
//     currency it is [ErrCurrency].
//
// One separator with three digits behind it is [ErrAmbiguous] where it would be the
// decimal sign, unless the currency has three decimals: 1.250 in dollars. Without
// Decimal, 1,250 is a thousand, 12,50 has a decimal comma, and 1.250 is refused. An
// empty text is [ErrSyntax], and so is an exponent.
func (f Form) Amount(text string) (affiliate.Amount, error) {
	r, err := f.Read(text)
	return r.Amount, err
}

// Read is Amount with what the text says besides.
func (f Form) Read(text string) (Reading, error) {
	parts, err := split(text)
	if err != nil {
		return Reading{}, err
	}
	r := Reading{Currencies: parts.currencies}
	if f.Currency != "" && r.Currencies != nil && !slices.Contains(r.Currencies, f.Currency) {
		return r, ErrCurrency
	}
	if f.Currency == "" && len(r.Currencies) == 1 {
		f.Currency = r.Currencies[0]
	}
	digits, err := f.digits(parts.number, &r)
	if err != nil {
		return r, err
	}
	if parts.negative {
		digits = "-" + digits
	}
	r.Amount, err = affiliate.ParseAmount(digits)
	return r, syntax(err)
}

// Percent reads a percentage, with or without its sign. There are no groups in
// it, so whatever stands before the decimals is the decimal sign; with Decimal
// it must be that.
func (f Form) Percent(text string) (affiliate.Percent, error) {
	text = strings.TrimSpace(seen(text))
	if digits, found := strings.CutSuffix(text, "%"); found {
		text = strings.TrimSpace(digits)
	}
	if f.Decimal == ',' && strings.Contains(text, ".") || f.Decimal == '.' &&
		strings.Contains(text, ",") || strings.ContainsAny(text, "eE") {
		return affiliate.Percent{}, ErrSyntax
	}
	p, err := affiliate.ParsePercent(strings.Replace(text, ",", ".", 1))
	return p, syntax(err)
}

// syntax is ErrSyntax in the place of affiliate's.
func syntax(err error) error {
	if errors.Is(err, affiliate.ErrAmountSyntax) {
		return ErrSyntax
	}
	return err
}

// digits returns a number in the form of affiliate.ParseAmount.
func (f Form) digits(number string, r *Reading) (string, error) {
	if f.Decimal != 0 {
		text, doubtful, ok := in(number, f.Decimal)
		r.Decimal = f.Decimal
		switch {
		case !ok:
			return "", ErrSyntax
		case doubtful && f.Currency.Digits() < 3:
			return "", ErrAmbiguous
		}
		return text, nil
	}
	point, doubtful, isPoint := in(number, '.')
	comma, _, isComma := in(number, ',')
	switch {
	case !isPoint && !isComma:
		return "", ErrSyntax
	case isPoint && isComma && point == comma:
		return point, nil
	case isPoint && isComma && (doubtful || f.Currency.Digits() >= 3):
		return "", ErrAmbiguous
	case isPoint:
		r.Decimal, r.Cents = '.', isComma && f.Currency == ""
		return point, nil
	}
	r.Decimal = ','
	return comma, nil
}

// in returns a number whose decimals stand behind a sign. doubtful says that the sign
// could also stand before a group.
func in(number string, decimal byte) (text string, doubtful, ok bool) {
	whole, fraction, has := strings.Cut(number, string(decimal))
	if strings.ContainsFunc(fraction, func(r rune) bool { return r < '0' || r > '9' }) {
		return "", false, false
	}
	joined, ok := ungrouped(whole)
	if !has {
		return joined, false, ok
	}
	doubtful = joined == whole && len(whole) <= 3 && whole != "0" && len(fraction) == 3
	return joined + "." + fraction, doubtful, ok
}

// ungrouped returns a whole number without what stands between its groups.
func ungrouped(whole string) (string, bool) {
	at := strings.IndexFunc(whole, func(r rune) bool { return r < '0' || r > '9' })
	if at < 0 {
		return whole, true
	}
	groups := strings.Split(whole, whole[at:at+1])
	for i, group := range groups {
		digits := strings.Trim(group, "0123456789") == ""
		if !digits || i > 0 && len(group) != 3 || i == 0 && (len(group) > 3 || group[0] == '0') {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}

// parts are the pieces of a written amount.
type parts struct {
	number     string // its digits and what is between them
	negative   bool
	currencies []affiliate.Currency
}

// seen returns a text without invisible characters, with one kind of space.
func seen(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		case r == '’' || r == 'ʼ':
			return '\''
		case r == '−' || r == '–' || r == '－':
			return '-'
		}
		return r
	}, text)
}

// split takes signs and currencies off both ends of an amount.
func split(text string) (p parts, err error) {
	text = seen(text)
	first, last := strings.IndexAny(text, "0123456789"), strings.LastIndexAny(text, "0123456789")
	if first < 0 {
		return p, ErrSyntax
	}
	p.number = text[first : last+1]
	if strings.Trim(p.number, "0123456789., '") != "" {
		return p, ErrSyntax
	}
	before, brackets, err := p.end(text[:first])
	if err != nil {
		return p, err
	}
	behind, closing, err := p.end(text[last+1:])
	if err != nil {
		return p, err
	}
	signs := before + behind
	if brackets == "(" && closing == ")" {
		brackets, closing, signs = "", "", signs+"-"
	}
	if brackets+closing != "" || len(signs) > 1 {
		return p, ErrSyntax
	}
	p.negative = signs == "-"
	return p, nil
}

// end reads what stands before the digits, or behind them: the signs and brackets
// are returned, and what is left is a currency.
func (p *parts) end(text string) (signs, brackets string, err error) {
	mark := strings.Map(func(r rune) rune {
		switch r {
		case '+', '-':
			signs += string(r)
		case '(', ')':
			brackets += string(r)
		default:
			return r
		}
		return -1
	}, text)
	return signs, brackets, p.mark(strings.TrimSpace(mark))
}

// mark takes the sign or the code of a currency.
func (p *parts) mark(text string) error {
	if text == "" {
		return nil
	}
	means := marks[text]
	if code, err := affiliate.ParseCurrency(text); err == nil {
		means = []affiliate.Currency{code}
	}
	if means == nil {
		return ErrSyntax
	}
	if p.currencies == nil {
		p.currencies = means
		return nil
	}
	both := slices.DeleteFunc(slices.Clone(p.currencies),
		func(c affiliate.Currency) bool { return !slices.Contains(means, c) })
	if len(both) == 0 {
		return ErrCurrency
	}
	p.currencies = both
	return nil
}
