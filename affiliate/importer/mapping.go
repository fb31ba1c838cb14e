package importer

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/amounts"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A Mapping says what the columns of a file mean. The file is CSV with a header,
// or JSON objects, whose members are named like "customer.email".
type Mapping struct {
	// Kind is the kind of the rows: [Affiliates], [Codes], [Referrals], [Sales] or
	// [Payouts].
	Kind string

	// Columns name the column of each field. The fields are listed at [CSV].
	Columns map[string]string

	// Values are fields that are the same in every row, such as the currency.
	Values map[string]string

	// Optional lists fields whose columns may be missing in the file. Any other column
	// that Columns name must be there.
	Optional []string

	// Status translates the service's words for a status into those of this module:
	// ACTIVE, DEACTIVATED … for affiliates; ACCEPTED, ON_HOLD, DECLINED, PAID and REFUNDED
	// for sales; PENDING, PROCESSING, PAID and FAILED for payouts. The service's words are
	// compared without regard to case. The word "" stands for a blank status; without it,
	// a blank status counts as no status. Nil: the file has our words.
	Status map[string]string

	Comma    rune               // between the fields; zero: guessed from the header
	Decimal  rune               // before the decimals of amounts, '.' or ','; zero: found out for each amount, and an ambiguous one is refused
	Cents    bool               // amounts are in the smallest unit of the currency
	Location *time.Location     // of times without a zone, and of the months of payouts; nil: UTC
	Layouts  []string           // further forms of times, as of package time
	Currency affiliate.Currency // of rows without one; empty: that of the program
	Service  string             // the beginning of the refs; empty: csv
	Provider string             // of payments, whose ids are in keys and payer; empty: stripe
}

// fieldsOf are the fields of each kind.
var fieldsOf = map[string][]string{
	Affiliates: {"ref", "email", "firstName", "lastName", "name", "status", "createdAt", "slug", "clicks", "payoutEmail", "paymentMethod", "commissionRate", "externalId"},
	Codes: {
		"ref", "code", "affiliate", "affiliateEmail", "name", "percentOff", "amountOff", "currency", "duration", "durationInMonths",
		"maxRedemptions", "maxRedemptionsPerCustomer", "minimumAmount", "minimumQuantity", "maxDiscount", "maxDiscountTotal", "startsAt", "expiresAt",
		"timesRedeemed", "externalId", "createdAt",
	},
	Referrals: {"ref", "email", "name", "customerId", "affiliate", "affiliateEmail", "slug", "code", "status", "createdAt", "plan", "payer"},
	Sales: {
		"ref", "customer", "email", "name", "affiliate", "affiliateEmail", "slug", "code", "total", "tax", "shipping", "refunded", "commission",
		"currency", "status", "createdAt", "paidAt", "payout", "externalId", "invoiceId", "reason", "keys",
	},
	Payouts: {"ref", "sales", "amount", "currency", "status", "createdAt", "paidAt", "externalId"},
}

// CSV reads one file by a mapping. These are the fields:
//
//   - [Affiliates]: ref, email, firstName, lastName or name, status, createdAt,
//     slug, clicks, payoutEmail, paymentMethod, commissionRate, externalId. A second row with
//     the same email adds its slug.
//   - [Codes]: ref, code, affiliate (a ref of the file of affiliates) or
//     affiliateEmail, name, percentOff or amountOff with currency, duration,
//     durationInMonths, maxRedemptions, maxRedemptionsPerCustomer, minimumAmount,
//     minimumQuantity, maxDiscount, maxDiscountTotal, startsAt and expiresAt (the whole
//     day when there is no hour), timesRedeemed, externalId, createdAt.
//     Each code has a coupon of its own.
//   - [Referrals]: ref, email, name, customerId (the host's own id), affiliate or
//     affiliateEmail or slug or code, status, createdAt, plan, payer (the
//     payment provider's ids of the customer).
//   - [Sales]: ref, customer (a ref of the file of referrals) or email, name,
//     affiliate or affiliateEmail or slug or code (none: the customer's),
//     total, tax, shipping, refunded, commission, currency, status, createdAt,
//     paidAt, payout, externalId, invoiceId, reason, keys (the payment
//     provider's ids of the payment). A total of 0 is a bonus. A
//     sale that is PAID belongs to the payout that is named, else to one of its
//     affiliate and calendar month.
//   - [Payouts]: ref, sales (refs of the file of sales), amount, currency, status, createdAt, paidAt, externalId.
//
// Between the ids in keys, payer and sales are spaces, commas or semicolons.
//
// Without a column ref, rows are told apart by a digest: of email and slug, the code, the
// email, the externalId or all fields of a sale.
//
// Columns are found without regard to letter case and to blanks around their names.
// Amounts may be written as people write them: with groups of thousands, the sign or the
// code of their currency, and a sign or brackets below zero. An ambiguous amount, such as
// 1.250 in a currency of two decimals, refuses its row.
//
// A mapping that names an unknown kind or field is an error of the first row, and
// so is a column that the file lacks or has twice.
func CSV(r io.Reader, m Mapping) Source {
	return rows(func(ctx context.Context, yield func(Row, error) bool) {
		if err := m.check(); err != nil {
			yield(Row{}, err)
			return
		}
		m.Service, m.Provider = cmp.Or(m.Service, "csv"), cmp.Or(m.Provider, stripe)
		if m.Location == nil {
			m.Location = time.UTC
		}
		m.Columns = maps.Clone(m.Columns)
		for field := range m.Values {
			if m.Columns == nil {
				m.Columns = map[string]string{}
			}
			m.Columns[field] = constant + field
		}
		var decimal byte
		written := money{form: amounts.Form{Decimal: byte(m.Decimal)}, decimal: &decimal}
		c := &mapped{Mapping: m, output: output{yield: yield}, paid: paidSales{service: m.Service}}
		read := map[string]func(*Row, *entry){
			Affiliates: c.affiliate, Codes: c.code, Referrals: c.referral, Sales: c.sale, Payouts: c.payout,
		}[m.Kind]
		f := fileOf(r, m.Kind+".csv")
		f.form = form{comma: m.Comma, needs: m.needs()}
		c.scan(ctx, f, func(row *Row, e *entry) {
			for field, value := range m.Values {
				e.set(constant+field, value)
			}
			e.money = written
			c.entry = e
			read(row, e)
			c.checkMembers()
		})
		if !c.ended {
			c.paid.each(f.called(), yield)
		}
	})
}

func (m *Mapping) check() error {
	fields := fieldsOf[m.Kind]
	if fields == nil {
		return fmt.Errorf("importer: Mapping.Kind %q is none of affiliates, codes, referrals, sales, payouts", m.Kind)
	}
	for _, given := range [][]string{slices.Collect(maps.Keys(m.Columns)), slices.Collect(maps.Keys(m.Values)), m.Optional} {
		for _, field := range given {
			if !slices.Contains(fields, field) {
				return fmt.Errorf("importer: Mapping: %s have no field %q; they have %s", m.Kind, field, strings.Join(fields, ", "))
			}
		}
	}
	if m.Decimal != 0 && m.Decimal != '.' && m.Decimal != ',' {
		return fmt.Errorf("importer: Mapping.Decimal is %q, it must be . or ,", m.Decimal)
	}
	words := map[string]string{}
	for theirs, ours := range m.Status {
		if other, twice := words[fold(theirs)]; twice && other != ours {
			return fmt.Errorf("importer: Mapping.Status has %q twice", fold(theirs))
		}
		words[fold(theirs)] = ours
	}
	if m.Comma != 0 && (m.Comma >= 0x80 || m.Comma == '"' || m.Comma == '\n' || m.Comma == '\r') {
		return fmt.Errorf("importer: Mapping.Comma %q cannot be between fields", m.Comma)
	}
	return nil
}

// needs returns the columns that a CSV file must have.
func (m *Mapping) needs() (needs [][]string) {
	for _, field := range slices.Sorted(maps.Keys(m.Columns)) {
		if name := m.Columns[field]; name != "" && !strings.HasPrefix(name, constant) && !slices.Contains(m.Optional, field) {
			needs = append(needs, []string{name})
		}
	}
	return needs
}

// checkMembers refuses an object without a member that the mapping names.
func (c *mapped) checkMembers() {
	if c.object == nil {
		return
	}
	for _, names := range c.needs() {
		if _, found := c.member(names[0]); !found {
			c.refuse(refusal.FieldRequired.Of(names[0]))
		}
	}
}

// constant begins the names of the columns that stand for Mapping.Values.
const constant = "="

// mapped is one walk over a file by a mapping.
type mapped struct {
	Mapping
	output
	*entry
	paid paidSales
}

// column returns where a field of a row is, for values and for the errors about them.
func (c *mapped) column(field string) string {
	return strings.TrimPrefix(cmp.Or(c.Columns[field], field), constant)
}

// field returns a field of the row.
func (c *mapped) field(field string) string {
	if name := c.Columns[field]; name != "" {
		return c.text(name)
	}
	return ""
}

// ref returns the ref of a row of a kind, and of those that name it.
func (c *mapped) ref(kind, id string) string { return c.Service + ":" + kind + ":" + id }

// refOf returns the ref of the row: by its column, else by a digest of texts.
func (c *mapped) refOf(texts ...string) string {
	if c.Columns["ref"] != "" {
		id := c.field("ref")
		if id == "" {
			c.refuse(refusal.FieldRequired.Of(c.column("ref")))
			return "" // rows without one are not the same row
		}
		return c.ref(c.Kind, id)
	}
	return c.ref(c.Kind, "#"+digest(texts...))
}

// refer returns the ref of another row that a field names; empty without one.
func (c *mapped) refer(kind, field string) (refs []string) {
	if id := c.field(field); id != "" {
		refs = append(refs, c.ref(kind, id))
	}
	return refs
}

// via returns the refs of the affiliate, the link and the code that a row names.
func (c *mapped) via() []string {
	var refs []string
	if slug := c.field("slug"); slug != "" {
		refs = append(refs, c.ref(Links, strings.ToLower(slug)))
	}
	if code := c.field("code"); code != "" {
		refs = append(refs, c.ref(Codes, "#"+digest(strings.ToUpper(code))))
	}
	return append(refs, c.refer(Affiliates, "affiliate")...)
}

func (c *mapped) at(field string) time.Time {
	if c.Columns[field] == "" {
		return time.Time{}
	}
	return c.time(c.Location, c.Layouts, c.Columns[field])
}

// day is at for a date that may be a whole day.
func (c *mapped) day(field string) (none affiliate.Opt[affiliate.Date]) {
	at := c.at(field)
	switch {
	case at.IsZero():
		return none
	case !strings.Contains(c.field(field), ":") && at.Equal(time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, at.Location())):
		return affiliate.Set(affiliate.Day(at.Year(), at.Month(), at.Day()))
	}
	return affiliate.Set(affiliate.At(at))
}

func (c *mapped) money(field string, currency affiliate.Currency) affiliate.Amount {
	name := c.Columns[field]
	switch {
	case name == "":
		return affiliate.Amount{}
	case c.Cents:
		return c.minor(name, currency)
	}
	c.form.Currency = currency
	return c.amount(name)
}

func (c *mapped) number(field string) int64 {
	if c.Columns[field] == "" {
		return 0
	}
	return c.count(c.Columns[field])
}

// word returns the status of the row in our words.
func (c *mapped) word() string {
	given := c.field("status")
	if c.Status == nil {
		return strings.ToUpper(given)
	}
	for theirs, ours := range c.Status {
		if fold(theirs) == fold(given) {
			return ours
		}
	}
	if given == "" {
		return ""
	}
	c.refuse(refusal.FieldUnknownWord.Of(c.column("status")))
	return ""
}

// said returns the currency of a row: its own or that of the mapping, or the one that the
// signs of its amounts mean, if there is exactly one; empty: the program's.
func (c *mapped) said(currency affiliate.Currency) affiliate.Currency {
	if currency == "" && len(c.signs) == 1 {
		return c.signs[0]
	}
	return currency
}

// currencyOf returns the currency of a row: its own, or that of the mapping.
func (c *mapped) currencyOf() affiliate.Currency {
	if c.Columns["currency"] != "" {
		if given := c.currency(c.Columns["currency"]); given != "" {
			return given
		}
	}
	return c.Mapping.Currency
}
