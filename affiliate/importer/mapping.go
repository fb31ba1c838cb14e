package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
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
	// Kind is the kind of the rows: [Affiliates], [Codes], [Customers], [Referrals], [Sales] or
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

	// Words translates the words of other fields, as Status does: of payment into PAID,
	// PENDING and UNPAID; of type into SALE, BONUS and REFUND; of active and couponActive
	// into TRUE and FALSE. A word that is translated into none of these is an error.
	Words map[string]map[string]string

	// Only names columns, and the values of each whose rows are imported; others are rejected.
	Only map[string][]string

	// Parameters of an address have the slug, as ref has it in https://example.com/?ref=anna or
	// https://example.com/ref/anna, where the column of slugs has whole addresses. An
	// address without one is rejected.
	Parameters []string

	Leads bool // a row without a total is a bonus, such as that of a lead; false: it is rejected

	// PaidBefore is the time before which the accepted sales are paid, in a file that does
	// not say it; zero: the file says it, or none is.
	PaidBefore time.Time

	Table string // of a file with several tables, each after its name, such as [[COMMISSIONS]]; empty: there is one
	List  string // the member of a JSON object that has the list, such as data.items; empty: data or items

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
	Affiliates: {"ref", "email", "firstName", "lastName", "name", "status", "createdAt", "slug",
		"clicks", "payoutEmail", "paymentMethod", "commissionRate", "externalId"},
	Codes: {
		"ref", "code", "coupon", "affiliate", "affiliateEmail", "name", "percentOff", "amountOff",
		"currency", "duration", "durationInMonths", "maxRedemptions", "maxRedemptionsPerCustomer",
		"minimumAmount", "minimumQuantity", "maxDiscount", "maxDiscountTotal", "startsAt",
		"expiresAt", "timesRedeemed", "externalId", "createdAt", "active", "couponActive",
		"couponMaxRedemptions",
	},
	Customers: {"email", "customerId"},
	Referrals: {"ref", "email", "name", "customerId", "affiliate", "affiliateEmail", "slug", "code",
		"status", "createdAt", "plan", "payer"},
	Sales: {
		"ref", "customer", "email", "name", "affiliate", "affiliateEmail", "slug", "code", "total",
		"totalCurrency", "tax", "shipping", "refunded", "commission", "currency", "type", "status",
		"payment", "createdAt", "paidAt", "payout", "externalId", "invoiceId", "reason", "keys",
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
//     day when there is no hour), timesRedeemed, externalId, createdAt, active. Each code
//     has a coupon of its own, unless coupon names one: codes with the same name share that
//     coupon, its discount, couponActive, couponMaxRedemptions, maxDiscount and
//     maxDiscountTotal, and a row that says otherwise is rejected.
//   - [Customers]: email, customerId. They have bought before the program began, and nobody
//     brought them: their next order is not the first one.
//   - [Referrals]: ref, email, name, customerId (the host's own id), affiliate or
//     affiliateEmail or slug or code, status, createdAt, plan, payer (the
//     payment provider's ids of the customer).
//   - [Sales]: ref, customer (a ref of the file of referrals) or email, name,
//     affiliate or affiliateEmail or slug or code (none: the customer's),
//     total, totalCurrency (when it is not that of the commission, the row is rejected), tax,
//     shipping, refunded, commission, currency, type, status, payment,
//     createdAt, paidAt, payout, externalId, invoiceId, reason, keys (the payment
//     provider's ids of the payment). A total of 0 is a bonus, and total may only be
//     missing when type says BONUS. Approval and payment may have a column each: status,
//     and payment (PAID, UNPAID, or PENDING: in a payout that is not paid). Without payment,
//     a row with paidAt is paid. Columns that disagree reject the row. A
//     sale that is PAID belongs to the payout that is named, else to one of its
//     affiliate and calendar month.
//   - [Payouts]: ref, sales (refs of the file of sales), amount, currency, status, createdAt, paidAt, externalId.
//
// The affiliate of a row may be named by ref or by email. A column of slugs may have whole
// addresses, see [Mapping.Parameters]. Between the ids in keys, payer and sales are spaces,
// commas or semicolons.
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
		c := &mappingWalk{Mapping: m, output: output{yield: yield}, paid: paidSales{service: m.Service}}
		read := map[string]func(*Row, *entry){
			Affiliates: c.affiliate, Codes: c.code, Customers: c.customer, Referrals: c.referral,
			Sales: c.sale, Payouts: c.payout,
		}[m.Kind]
		f := fileOf(r, m.Kind+".csv")
		f.form = form{comma: m.Comma, needs: m.needs(), table: m.Table}
		if m.List != "" {
			f.form.list = strings.Split(m.List, ".")
		}
		c.scan(ctx, f, func(row *Row, e *entry) {
			for field, value := range m.Values {
				e.set(constant+field, value)
			}
			e.money = written
			c.entry, row.columns = e, c.columnOf
			c.checkOnly()
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
		return fmt.Errorf("importer: Mapping.Kind %q is none of affiliates, codes, customers, referrals, sales, payouts", m.Kind)
	}
	words := maps.Clone(m.Words)
	if m.Status != nil {
		words = maps.Clone(words)
		if words == nil {
			words = map[string]map[string]string{}
		}
		words["status"] = m.Status
	}
	for _, given := range [][]string{slices.Collect(maps.Keys(m.Columns)),
		slices.Collect(maps.Keys(m.Values)), m.Optional, slices.Collect(maps.Keys(words))} {
		for _, field := range given {
			if !slices.Contains(fields, field) {
				return fmt.Errorf("importer: Mapping: %s have no field %q; they have %s", m.Kind,
					field, strings.Join(fields, ", "))
			}
		}
	}
	for field, value := range m.Values {
		if m.Columns[field] != "" {
			return fmt.Errorf("importer: Mapping: %s has the column %q and the value %q; it can have one",
				field, m.Columns[field], value)
		}
	}
	for _, field := range m.Optional {
		if m.Columns[field] == "" {
			return fmt.Errorf("importer: Mapping: %s is optional, and has no column", field)
		}
	}
	if m.Kind == Sales && m.Columns["total"] == "" && m.Values["total"] == "" && m.Values["type"] != "BONUS" {
		return errors.New("importer: Mapping: sales need the field total, what the customer paid. " +
			`Where the service does not say it, the value "type": "BONUS" makes each commission a bonus, which no refund reduces`)
	}
	for _, field := range slices.Sorted(maps.Keys(words)) {
		if err := m.checkWords(field, words[field]); err != nil {
			return err
		}
	}
	if m.Decimal != 0 && m.Decimal != '.' && m.Decimal != ',' {
		return fmt.Errorf("importer: Mapping.Decimal is %q, it must be . or ,", m.Decimal)
	}
	if m.Comma != 0 && (m.Comma >= 0x80 || m.Comma == '"' || m.Comma == '\n' || m.Comma == '\r') {
		return fmt.Errorf("importer: Mapping.Comma %q cannot be between fields", m.Comma)
	}
	return nil
}

// wordsOf are our words of a field. The first of a kind are those that the messages name.
func wordsOf(kind, field string) []string {
	switch field {
	case "payment":
		return []string{"PAID", "PENDING", "UNPAID"}
	case "type":
		return []string{"SALE", "BONUS", "REFUND"}
	case "active", "couponActive":
		return []string{"TRUE", "FALSE"}
	case "status":
		switch kind {
		case Affiliates:
			return texts(affiliate.AffiliateStatuses())
		case Referrals:
			return texts(affiliate.SubscriptionStatuses())
		case Payouts:
			return []string{"PENDING", "PROCESSING", "PAID", "FAILED"}
		}
		return append(texts(affiliate.ApprovalStatuses()), "PAID", "REFUNDED")
	}
	return nil
}

func texts[T ~string](values []T) (out []string) {
	for _, value := range values {
		out = append(out, string(value))
	}
	return out
}

// checkWords checks the translation of a field's words.
func (m *Mapping) checkWords(field string, words map[string]string) error {
	ours := wordsOf(m.Kind, field)
	switch {
	case ours == nil:
		return fmt.Errorf("importer: Mapping.Words: %s has no words", field)
	case m.Columns[field] == "":
		return fmt.Errorf("importer: Mapping: %s has words, and no column", field)
	}
	seen := map[string]string{}
	for theirs, word := range words {
		if other, twice := seen[fold(theirs)]; twice && other != word {
			return fmt.Errorf("importer: Mapping: the words of %s have %q twice", field, fold(theirs))
		}
		if seen[fold(theirs)] = word; !slices.Contains(ours, word) {
			return fmt.Errorf("importer: Mapping: %q of %s is translated into %q, it must be one of %s",
				theirs, field, word, strings.Join(ours, ", "))
		}
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
func (c *mappingWalk) checkMembers() {
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

// mappingWalk is one walk over a file by a mapping.
type mappingWalk struct {
	Mapping
	output
	*entry
	paid    paidSales
	coupons map[string]string // what the first row of each coupon with several codes says of it
}

// column returns where a field of a row is, for values and for the errors about them.
func (c *mappingWalk) column(field string) string {
	return strings.TrimPrefix(cmp.Or(c.Columns[field], field), constant)
}

// field returns a field of the row.
func (c *mappingWalk) field(field string) string {
	if name := c.Columns[field]; name != "" {
		return c.text(name)
	}
	return ""
}

// ref returns the ref of a row of a kind, and of those that name it.
func (c *mappingWalk) ref(kind, id string) string { return c.Service + ":" + kind + ":" + id }

// refOf returns the ref of the row: by its column, else by a digest of texts.
func (c *mappingWalk) refOf(texts ...string) string {
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
func (c *mappingWalk) refer(kind, field string) (refs []string) {
	if id := c.field(field); id != "" {
		refs = append(refs, c.ref(kind, id))
	}
	return refs
}

// via returns the refs of the affiliate, the link and the code that a row names.
func (c *mappingWalk) via() []string {
	var refs []string
	for _, slug := range c.slugs() {
		refs = append(refs, c.ref(Links, strings.ToLower(slug)))
	}
	if code := c.field("code"); code != "" {
		refs = append(refs, c.ref(Codes, "#"+digest(strings.ToUpper(code))))
	}
	return append(refs, c.refer(Affiliates, "affiliate")...)
}

// affiliateEmail returns the email of the row's affiliate, which may stand in place of a ref.
func (c *mappingWalk) affiliateEmail() string {
	if by := c.field("affiliate"); strings.Contains(by, "@") {
		return cmp.Or(c.field("affiliateEmail"), by)
	}
	return c.field("affiliateEmail")
}

func (c *mappingWalk) at(field string) time.Time {
	if c.Columns[field] == "" {
		return time.Time{}
	}
	return c.time(c.Location, c.Layouts, c.Columns[field])
}

// day is at for a date that may be a whole day.
func (c *mappingWalk) day(field string) (none affiliate.Opt[affiliate.Date]) {
	at := c.at(field)
	switch {
	case at.IsZero():
		return none
	case !strings.Contains(c.field(field), ":") &&
		at.Equal(time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, at.Location())):
		return affiliate.Set(affiliate.Day(at.Year(), at.Month(), at.Day()))
	}
	return affiliate.Set(affiliate.At(at))
}

func (c *mappingWalk) money(field string, currency affiliate.Currency) affiliate.Amount {
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

func (c *mappingWalk) number(field string) int64 {
	if c.Columns[field] == "" {
		return 0
	}
	return c.count(c.Columns[field])
}

// word returns the word of a field in ours.
func (c *mappingWalk) word(field string) string {
	given, words := c.field(field), c.Words[field]
	if field == "status" {
		words = c.Status
	}
	ours := wordsOf(c.Kind, field)
	if words == nil {
		word := strings.ToUpper(given)
		if word != "" && !slices.Contains(ours, word) {
			c.unknownWord(c.column(field), given, ours)
			return ""
		}
		return word
	}
	for theirs, word := range words {
		if fold(theirs) == fold(given) {
			return word
		}
	}
	if given != "" {
		c.unknownWord(c.column(field), given, slices.Sorted(maps.Keys(words)))
	}
	return ""
}

// checkOnly refuses a row that is not one of those that are imported.
func (c *mappingWalk) checkOnly() {
	for _, column := range slices.Sorted(maps.Keys(c.Only)) {
		if given := c.text(column); !slices.ContainsFunc(c.Only[column], func(value string) bool { return fold(value) == fold(given) }) {
			c.refuse(refusal.FieldNotImported.Of(column))
		}
	}
}

// ourFields are the fields of a mapping, by the names that the engine has for them.
var ourFields = map[string]string{
	"totalEarned": "total", "commissionEarned": "commission", "approval": "status",
	"externalInvoiceId": "invoiceId", "links": "slug", "links.clicks": "clicks",
	"links.createdAt": "createdAt", "referredUserExternalId": "customerId", "codes": "code",
	"codes.timesRedeemed": "timesRedeemed",
}

// columnOf returns the column of a field of the engine.
func (c *mappingWalk) columnOf(field string) string {
	if field == "via" || field == "affiliateId" {
		for _, field := range []string{"affiliate", "affiliateEmail", "slug", "code"} {
			if c.Columns[field] != "" {
				return c.column(field)
			}
		}
	}
	return c.column(cmp.Or(ourFields[field], field))
}

// slugs returns the slugs of a row, each from its address.
func (c *mappingWalk) slugs() (slugs []string) {
	for text := range strings.SplitSeq(c.field("slug"), "\n") {
		slug, ok := slugOf(text, c.Parameters)
		if !ok {
			c.refuse(refusal.FieldWholeAddress.Of(c.column("slug")))
		}
		if slug != "" {
			slugs = append(slugs, slug)
		}
	}
	return slugs
}

// slugOf returns the slug of an address: the value of a parameter, or what follows it in
// the path. Any other text is a slug.
func slugOf(text string, parameters []string) (slug string, ok bool) {
	if !strings.Contains(text, "://") && !strings.ContainsAny(text, "/?=") {
		return text, true
	}
	address, err := url.Parse(text)
	if err != nil {
		return "", false
	}
	path := strings.Split(strings.Trim(address.Path, "/"), "/")
	for _, name := range parameters {
		for key, values := range address.Query() {
			if strings.EqualFold(key, name) && values[0] != "" {
				return values[0], true
			}
		}
		if i := slices.Index(path, name); i >= 0 && i+1 < len(path) {
			return path[i+1], true
		}
	}
	return "", false
}

// said returns the currency of a row: its own or that of the mapping, or the one that the
// signs of its amounts mean, if there is exactly one; empty: the program's.
func (c *mappingWalk) said(currency affiliate.Currency) affiliate.Currency {
	if currency == "" && len(c.signs) == 1 {
		return c.signs[0]
	}
	return currency
}

// currencyOf returns the currency of a row: its own, or that of the mapping.
func (c *mappingWalk) currencyOf() affiliate.Currency {
	if c.Columns["currency"] != "" {
		if given := c.currency(c.Columns["currency"]); given != "" {
			return given
		}
	}
	return c.Mapping.Currency
}
