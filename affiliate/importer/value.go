package importer

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/amounts"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/sheet"
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
	bad.Message = strings.Replace(bad.Message, "a word that",
		"the word "+quoted([]string{word}, "")+", which", 1) + "; mapped are " +
		strings.Join(taken, ", ")
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
	e.signs = slices.DeleteFunc(slices.Clone(e.signs),
		func(c affiliate.Currency) bool { return !slices.Contains(r.Currencies, c) })
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
var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05",
	"2006-01-02 15:04", time.DateOnly, "2006-01-02 15:04:05 MST", "2006-01-02 15:04:05 -0700"}

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

// The largest sizes in a file.
const (
	maxField  = 64 << 10
	maxRow    = 1 << 20
	maxLevels = 10_000 // of an object, as many as encoding/json reads
)

// A text reads the bytes of a file, as [sheet.Text] has them, and counts its lines.
type text struct {
	*bufio.Reader
	line  int   // of the next byte, from 1
	read  int64 // bytes so far
	apple bool  // lines end in a carriage return alone
}

func newText(r io.Reader) (*text, error) {
	in, err := sheet.Text(r, maxField)
	if err != nil {
		return nil, err
	}
	t := &text{Reader: in, line: 1}
	start, _ := t.Peek(maxField) // what is there of it
	t.apple = appleLines(start)
	return t, nil
}

// appleLines reports whether the first line, outside of quotes, ends in a carriage
// return alone.
func appleLines(start []byte) bool {
	quoted := false
	for i, c := range start {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\n':
			return false
		case c == '\r':
			return i+1 == len(start) || start[i+1] != '\n'
		}
	}
	return false
}

// next returns the next byte.
func (t *text) next() (byte, error) {
	c, err := t.ReadByte()
	if err == nil {
		t.read++
		if t.apple && c == '\r' {
			c = '\n'
		}
		if c == '\n' {
			t.line++
		}
	}
	return c, err
}

// back unreads the last byte.
func (t *text) back(c byte) {
	if t.UnreadByte() == nil { // it follows a read
		t.read--
		if c == '\n' {
			t.line--
		}
	}
}

// tableName is the line before each table of a file that has several, such as [[COMMISSIONS]].
var tableName = regexp.MustCompile(`^\s*\[\[([^\[\]{}"]+)\]\]\s*$`)

// sections reports whether the file has several tables, each with its name before it.
func (t *text) sections() (bool, error) {
	start, err := t.Peek(maxField)
	if err == io.EOF || err == bufio.ErrBufferFull {
		err = nil
	}
	line, _, _ := strings.Cut(strings.TrimLeft(string(start), " \t\r\n"), "\n")
	return tableName.MatchString(line), err
}

// section skips to the header of the table with a name.
func (t *text) section(name string) error {
	var names []string
	for line := []byte(nil); ; {
		c, err := t.next()
		if err != nil && err != io.EOF {
			return err
		}
		if err == nil && c != '\n' {
			if len(line) <= maxField {
				line = append(line, c)
			}
			continue
		}
		if m := tableName.FindSubmatch(line); m != nil {
			if names = append(names, string(m[1])); fold(string(m[1])) == fold(name) {
				return nil
			}
		}
		if err == io.EOF {
			return fmt.Errorf("it has the tables %s, and the mapping names the table %q", quoted(names, ", "), name)
		}
		line = line[:0]
	}
}

// checkText refuses a field that is too long or not valid text.
func checkText(field, s string) *affiliate.Error {
	switch {
	case len(s) > maxField:
		return refusal.FieldTooLong.Of(field)
	case !utf8.ValidString(s):
		return refusal.FieldNotUTF8.Of(field)
	}
	return nil
}

// sizeOf returns the size of a file that knows it, else 0.
func sizeOf(r io.Reader) int64 {
	s, ok := r.(io.Seeker)
	if !ok {
		return 0
	}
	at, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0
	}
	end, err := s.Seek(0, io.SeekEnd)
	if err != nil {
		return 0
	}
	if _, err := s.Seek(at, io.SeekStart); err != nil {
		return 0
	}
	return end - at
}
