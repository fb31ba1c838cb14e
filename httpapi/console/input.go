package console

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
	"github.com/tributary-go/tributary/internal/amounts"
)

// An input has the values that a form sent. Its readers keep the first wrong field in err.
type input struct {
	url.Values
	currency affiliate.Currency // of amounts whose form says no other
	fields   []field            // of the form, as it is when it is sent
	err      error
}

// wasPrefix begins the names of the fields with the values that a form had when it
// was made. A field that was left alone is not written, so two people who change
// different fields at once do not undo each other's changes.
const wasPrefix = "was-"

// The largest sizes of a form, and of one with a file, in bytes.
const (
	maxForm     = 1 << 20
	maxFileForm = 4 << 20
)

// parseForm reads the fields and the files of a request.
func parseForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		err := r.ParseForm()
		return r.PostForm, err
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxFileForm)
	if err := r.ParseMultipartForm(maxFileForm); err != nil {
		return nil, err
	}
	defer func() { _ = r.MultipartForm.RemoveAll() }()
	values := url.Values(r.MultipartForm.Value)
	for name, files := range r.MultipartForm.File {
		file, err := files[0].Open()
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(file)
		if err != nil {
			return nil, err
		}
		values.Set(name, string(text))
	}
	return values, nil
}

// digest returns what tells a form that is sent again from another one. What an action adds, such as the
// time, is not in it.
func (in *input) digest() [32]byte {
	sent := maps.Clone(in.Values)
	sent.Del(fieldToken)
	return sha256.Sum256([]byte(sent.Encode()))
}

// into reads the fields of the form into the members of the input of an operation that have
// their names, by the types of these. In an update, a field that was left alone is not given,
// and an empty one is null. It panics at a field that no member takes, unless the action reads
// it itself.
func (in *input) into(to any) { in.fieldsInto(to, in.fields) }

func (in *input) fieldsInto(to any, fields []field) {
	members := reflect.ValueOf(to).Elem()
	for _, f := range fields {
		if f.Own || f.Row > 0 {
			continue
		}
		member, found := memberOf(members, f.Name)
		if !found || !in.readInto(&f, member.Addr().Interface()) {
			panic(fmt.Sprintf("console: no member of %v takes the field %s", members.Type(), f.Name))
		}
	}
}

// memberOf returns the member of a struct with a name in JSON.
func memberOf(of reflect.Value, name string) (member reflect.Value, found bool) {
	for _, f := range reflect.VisibleFields(of.Type()) {
		if called, _, _ := strings.Cut(f.Tag.Get("json"), ","); called == name {
			return of.FieldByIndex(f.Index), true
		}
	}
	return member, false
}

// readInto reads a field into a member, and reports whether it can.
func (in *input) readInto(f *field, to any) bool {
	switch to := to.(type) {
	case *string:
		*to = in.text(f.Name)
	case *affiliate.Opt[string]:
		*to = in.words(f.Name)
	case *bool:
		*to = in.yes(f.Name)
	case *affiliate.Opt[bool]:
		*to = in.flag(f.Name)
	case *int64:
		*to = in.number(f)
	case *affiliate.Opt[int64]:
		*to = in.whole(f.Name)
	case *affiliate.Amount:
		*to = in.sum(f).Or(*to)
	case *affiliate.Opt[affiliate.Amount]:
		*to = in.sum(f)
	case *affiliate.ExchangeRate:
		*to = read(in, f.Name, affiliate.ParseExchangeRate, "Enter a rate, such as 1.0842.").Or(*to)
	case *affiliate.Percent:
		*to = in.rate(f.Name)
	case *affiliate.Opt[affiliate.Percent]:
		*to = in.percent(f.Name)
	case *affiliate.Opt[affiliate.Date]:
		*to = in.date(f.Name)
	case *uuid.UUID:
		*to = in.couponID(f.Name).Or(*to)
	case *affiliate.Opt[uuid.UUID]:
		*to = in.couponID(f.Name)
	case *[]string:
		*to = in.lines(f.Name)
	case *affiliate.Opt[[]string]:
		if in.changed(f.Name) {
			*to = affiliate.Set(in.lines(f.Name))
		}
	default:
		return in.wordInto(f, to)
	}
	return true
}

// wordInto reads a field into a member that is a word of an enumeration.
func (in *input) wordInto(f *field, to any) bool {
	switch to := to.(type) {
	case *affiliate.Opt[affiliate.Currency]:
		*to = word[affiliate.Currency](in, f)
	case *affiliate.Opt[affiliate.CouponType]:
		*to = word[affiliate.CouponType](in, f)
	case *affiliate.Opt[affiliate.Duration]:
		*to = word[affiliate.Duration](in, f)
	case *affiliate.Opt[affiliate.ConditionType]:
		*to = word[affiliate.ConditionType](in, f)
	case *affiliate.Opt[affiliate.Interval]:
		*to = word[affiliate.Interval](in, f)
	default:
		word := reflect.ValueOf(to).Elem()
		if word.Kind() != reflect.String {
			return false
		}
		word.SetString(in.text(f.Name))
	}
	return true
}

// word reads a word of an enumeration, which the engine checks. An empty one is null where it
// can be typed, and wrong where it is chosen.
func word[S ~string](in *input, f *field) (o affiliate.Opt[S]) {
	text := in.text(f.Name)
	switch {
	case !in.changed(f.Name):
		return o
	case text == "" && f.Options == nil:
		return affiliate.Null[S]()
	}
	return affiliate.Set(S(text))
}

// number reads a number of 0 or more. Where it may be empty, which is no limit, 0 is wrong.
func (in *input) number(f *field) int64 {
	n, given := in.whole(f.Name).Get()
	if given && n < 1 && !f.Required {
		in.wrong(f.Name, "Enter 1 or more, or leave it empty.")
	}
	return n
}

// sum reads the amount of a field, in the currency that it says.
func (in *input) sum(f *field) affiliate.Opt[affiliate.Amount] {
	switch f.In {
	case "":
		return in.amount(f.Name)
	case pieces:
		return read(in, f.Name, affiliate.ParseAmount, "Enter a number, such as 2.")
	}
	return in.amountOf(f.Name, in.currencyOf(f.In))
}

// rate reads a rate that has to be there.
func (in *input) rate(name string) affiliate.Percent {
	rate, given := in.percent(name).Get()
	if !given {
		in.wrong(name, hintPercent)
	}
	return rate
}

// lines returns the lines of a field that are not empty.
func (in *input) lines(name string) []string {
	all := []string{}
	for line := range strings.Lines(in.text(name)) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

// text returns a field without the spaces around it. Browsers send lines as CR LF.
func (in *input) text(name string) string { return plain(in.Get(name)) }

func plain(text string) string { return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")) }

// because returns the program whose events say the reason that a form has. One that they do not
// keep whole is wrong.
func (in *input) because(p *tributary.Program) *tributary.Program {
	return p.Because(in.reason(fieldReason))
}

// reason reads the reason in a field.
func (in *input) reason(name string) string {
	why := in.text(name)
	if utf8.RuneCountInString(why) > 500 {
		in.wrong(name, "Say it in 500 characters at most.")
	}
	return why
}

// yes reports whether a box is ticked.
func (in *input) yes(name string) bool { return in.Get(name) != "" }

func (in *input) changed(name string) bool { return in.text(name) != in.text(wasPrefix+name) }

// wrong records that a field is wrong.
func (in *input) wrong(name, text string) {
	if in.err == nil {
		in.err = wrongField(name, text)
	}
}

// wrongOr returns what is wrong with a field, else another error.
func (in *input) wrongOr(err error) error { return cmp.Or(in.err, err) }

// read reads a field that was changed; an empty one is null.
func read[T any](in *input, name string, parse func(string) (T, error), hint string) (o affiliate.Opt[T]) {
	text := in.text(name)
	switch {
	case !in.changed(name):
		return o
	case text == "":
		return affiliate.Null[T]()
	}
	value, err := parse(text)
	if err != nil {
		in.wrong(name, hint)
		return o
	}
	return affiliate.Set(value)
}

func (in *input) words(name string) affiliate.Opt[string] {
	return read(in, name, func(s string) (string, error) { return s, nil }, "")
}

// amount reads an amount of the program's currency.
func (in *input) amount(name string) affiliate.Opt[affiliate.Amount] {
	return in.amountOf(name, in.currency)
}

// amountOf reads an amount of a currency, with or without commas between exact groups
// of thousands. It refuses an ambiguous text, and more decimals than the currency
// has, because an amount that a person typed is never rounded.
func (in *input) amountOf(name string, currency affiliate.Currency) affiliate.Opt[affiliate.Amount] {
	example := affiliate.MustAmount("12.5")
	if currency.Digits() == 0 {
		example = affiliate.MustAmount("12")
	}
	hint := "Enter an amount in " + string(currency) + ", such as " + example.Format(currency) +
		" or " + strings.Fields(page.Money(affiliate.MustAmount("1250"), currency))[0] + "."
	return read(in, name,
		func(text string) (affiliate.Amount, error) { return exactly(text, currency) }, hint)
}

// exactly reads an amount that has no more decimals than its currency.
func exactly(text string, currency affiliate.Currency) (affiliate.Amount, error) {
	sum, err := amounts.Form{Currency: currency, Decimal: '.'}.Amount(text)
	if rounded, _ := sum.Round(currency); err == nil && rounded != sum {
		err = affiliate.ErrAmountDecimals
	}
	return sum, err
}

// currencyOf returns the currency that a field names, else the program's.
func (in *input) currencyOf(name string) affiliate.Currency {
	if c, err := affiliate.ParseCurrency(in.text(name)); err == nil {
		return c
	}
	return in.currency
}

const hintPercent = "Enter a number, such as 12.5."

func (in *input) percent(name string) affiliate.Opt[affiliate.Percent] {
	return read(in, name, amounts.Form{Decimal: '.'}.Percent, hintPercent)
}

func (in *input) whole(name string) affiliate.Opt[int64] {
	return read(in, name, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }, "Enter a whole number.")
}

func (in *input) date(name string) affiliate.Opt[affiliate.Date] {
	return read(in, name, affiliate.ParseDate, "Enter a date, such as 2026-03-31.")
}

// flag reads a box that was ticked or unticked.
func (in *input) flag(name string) (o affiliate.Opt[bool]) {
	if in.changed(name) {
		o = affiliate.Set(in.yes(name))
	}
	return o
}

// id reads a choice among ids; none of them is the zero id.
func (in *input) id(name string) (id uuid.UUID) {
	if text := in.text(name); text != "" {
		parsed, err := uuid.Parse(text)
		if err != nil {
			in.wrong(name, "Choose one of the list.")
		}
		id = parsed
	}
	return id
}

// couponID reads the id of a coupon.
func (in *input) couponID(name string) affiliate.Opt[uuid.UUID] {
	return read(in, name, uuid.Parse, "Enter the id of a coupon, as its page shows it.")
}

// back returns the page of the object that a hidden field names, or the page of its
// list.
func (in *input) back(list, name string) string {
	if id, err := uuid.Parse(in.Get(name)); err == nil {
		return list + "/" + id.String()
	}
	return list
}

func wrongField(name, text string) error {
	return &affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidField, Message: text, Field: name}
}
