package demo

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// A row is one line of an orders file. Which values it has depends on its kind.
type row struct {
	line int
	has  []string // names of the values that are there
	at   time.Time
	kind string

	id, email, name, link, code       string
	product, customer, refund, status string
	paypal                            string
	products                          []string
	currency                          affiliate.Opt[affiliate.Currency]
	amount, tax, shipping, minimum    affiliate.Opt[affiliate.Amount]
	monthly, friend, welcome          affiliate.Opt[affiliate.Amount]
	percent                           affiliate.Opt[affiliate.Percent]
	limit, payments, months, days     affiliate.Opt[int64]
	until                             affiliate.Opt[affiliate.Date]
	first, own, valid, active, hold   affiliate.Opt[bool]
	clawback                          affiliate.Opt[bool]
	lines                             []affiliate.Line
}

// readRows calls each with every row, or with the reason why a row cannot be
// read. It ends with the first error of each, or with its own error when the
// file cannot be read.
func readRows(src io.Reader, each func(r row, bad error) error) error {
	in := bufio.NewReader(src)
	var columns []string
	for line := 1; ; line++ {
		text, err := in.ReadString('\n')
		if err != nil && err != io.EOF {
			return err
		}
		last := err == io.EOF
		if line == 1 {
			text = strings.TrimPrefix(text, "\ufeff") // spreadsheets put it there
		}
		switch {
		case strings.TrimSpace(text) == "" || text[0] == '#':
		case columns == nil:
			if columns, err = header(text); err != nil {
				return fmt.Errorf("line %d: %w", line, err)
			}
		default:
			r, bad := parse(columns, text)
			r.line = line
			if err := each(r, bad); err != nil {
				return fmt.Errorf("line %d: %w", line, err)
			}
		}
		if last && columns == nil {
			return errors.New("the file is empty: its first line names the columns")
		}
		if last {
			return nil
		}
	}
}

// header reads the names of the columns.
func header(text string) ([]string, error) {
	columns, err := split(text)
	if err != nil {
		return nil, err
	}
	known := new(row).fields()
	for i, name := range columns {
		if name != "options" && known[name] == nil {
			return nil, fmt.Errorf("there is no column %q", name)
		}
		if slices.Contains(columns[:i], name) {
			return nil, fmt.Errorf("the column %q is there twice", name)
		}
	}
	for _, name := range []string{"at", "kind"} {
		if !slices.Contains(columns, name) {
			return nil, fmt.Errorf("the first line names the columns, and there is no column %q", name)
		}
	}
	return columns, nil
}

// split splits one line. A record never spans lines, so a stray quote breaks one
// row and not the rest of the file.
func split(text string) ([]string, error) {
	in := csv.NewReader(strings.NewReader(text))
	in.TrimLeadingSpace = true
	out, err := in.Read()
	if broken, ok := errors.AsType[*csv.ParseError](err); ok {
		return nil, fmt.Errorf("not CSV: column %d: %w", broken.Column, broken.Err)
	}
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out, err
}

// parse reads the values of one line.
func parse(columns []string, text string) (row, error) {
	var r row
	values, err := split(text)
	if err != nil {
		return r, err
	}
	if len(values) > len(columns) {
		return r, fmt.Errorf("%d values for %d columns", len(values), len(columns))
	}
	for i, value := range values {
		if columns[i] != "options" {
			if err := r.put(columns[i], value); err != nil {
				return r, err
			}
			continue
		}
		for option := range strings.FieldsSeq(value) {
			name, value, found := strings.Cut(option, "=")
			if !found {
				return r, fmt.Errorf("option %q is not name=value", option)
			}
			if err := r.put(name, value); err != nil {
				return r, err
			}
		}
	}
	if r.at.IsZero() || r.kind == "" {
		return r, errors.New("a row needs at and kind")
	}
	return r, nil
}

// put sets a value that is present.
func (r *row) put(name, value string) error {
	if value == "" {
		return nil
	}
	if slices.Contains(r.has, name) {
		return fmt.Errorf("%s is there twice", name)
	}
	if err := r.set(name, value); err != nil {
		return fmt.Errorf("%s %q: %w", name, value, err)
	}
	r.has = append(r.has, name)
	return nil
}

// fields maps the name of each value to the field that it sets.
func (r *row) fields() map[string]any {
	return map[string]any{
		"at": &r.at, "kind": &r.kind, "id": &r.id, "email": &r.email, "name": &r.name,
		"link": &r.link, "code": &r.code, "product": &r.product, "customer": &r.customer,
		"refund": &r.refund, "status": &r.status, "paypal": &r.paypal, "products": &r.products,
		"currency": &r.currency, "amount": &r.amount, "tax": &r.tax, "shipping": &r.shipping,
		"minimum": &r.minimum, "percent": &r.percent, "limit": &r.limit, "payments": &r.payments,
		"months": &r.months, "days": &r.days, "until": &r.until, "first": &r.first, "own": &r.own,
		"valid": &r.valid, "active": &r.active, "hold": &r.hold, "clawback": &r.clawback,
		"lines": &r.lines, "monthly": &r.monthly, "friend": &r.friend, "welcome": &r.welcome,
	}
}

// set reads a text into its field.
func (r *row) set(name, s string) (err error) {
	switch field := r.fields()[name].(type) {
	case *string:
		*field = s
	case *[]string:
		*field = strings.Split(s, "|")
	case *[]affiliate.Line:
		*field, err = lines(s)
	case *time.Time:
		*field, err = moment(s)
	case *affiliate.Opt[affiliate.Currency]:
		*field, err = value(affiliate.ParseCurrency, s, "a currency such as USD")
	case *affiliate.Opt[affiliate.Amount]:
		*field, err = value(affiliate.ParseAmount, s, "an amount such as 42.50")
	case *affiliate.Opt[affiliate.Percent]:
		*field, err = value(affiliate.ParsePercent, s, "a rate such as 12.5")
	case *affiliate.Opt[affiliate.Date]:
		*field, err = value(affiliate.ParseDate, s, "a day such as 2025-05-31")
	case *affiliate.Opt[int64]:
		*field, err = value(number, s, "a whole number")
	case *affiliate.Opt[bool]:
		*field, err = value(yesNo, s, "yes or no")
	default:
		err = errors.New("there is no such value")
	}
	return err
}

// value parses a text. meant says in the error what the text should be.
func value[T any](parse func(string) (T, error), s, meant string) (affiliate.Opt[T], error) {
	v, err := parse(s)
	if err != nil {
		err = errors.New("not " + meant)
	}
	return affiliate.Set(v), err
}

func moment(s string) (time.Time, error) {
	v, err := value(func(s string) (time.Time, error) { return time.Parse(time.RFC3339, s) }, s,
		"a time such as 2025-02-04T18:20:43Z")
	return v.Or(time.Time{}), err
}

// lines reads the lines of an order: each is a product and its amount.
func lines(s string) (all []affiliate.Line, err error) {
	for part := range strings.SplitSeq(s, "|") {
		product, text, _ := strings.Cut(part, ":")
		amount, err := affiliate.ParseAmount(text)
		if err != nil || product == "" {
			return nil, errors.New("not lines such as house:24.00|gift-card:20.00")
		}
		all = append(all, affiliate.Line{ProductID: product, Amount: amount})
	}
	return all, nil
}

func number(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }

func yesNo(s string) (bool, error) {
	if s != "yes" && s != "no" {
		return false, strconv.ErrSyntax
	}
	return s == "yes", nil
}

// move makes a row happen later, by whole days.
func (r *row) move(by time.Duration) {
	if by == 0 {
		return
	}
	r.at = r.at.Add(by)
	if until, ok := r.until.Get(); ok {
		r.until = affiliate.Set(later(until, by))
	}
}

// later returns a day or a time that comes later.
func later(d affiliate.Date, by time.Duration) affiliate.Date {
	if day, err := time.Parse(time.DateOnly, d.String()); err == nil {
		year, month, day := day.Add(by).Date()
		return affiliate.Day(year, month, day)
	}
	return affiliate.At(d.Instant(time.UTC).Add(by))
}
