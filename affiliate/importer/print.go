package importer

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// String returns the report as text, one fact a line, for a terminal or a ticket:
//
//	created: affiliates 2 referrals 1 sales 4
//	stored USD: sales 188.20, refunds 0.00, commission 33.64, payouts 20.00
//	reject sales.csv:6 csv:sales:o5: invalid_field paid: paid must be a number
//
// It has a line for each currency with the amounts of the rows, of the records
// and of what was refused. It does not say how long the import took, so a dry run
// has the same report as the real one.
func (r Report) String() string {
	var b strings.Builder
	for _, part := range []struct {
		name   string
		counts map[string]int
	}{{"created", r.Created}, {"existing", r.Existing}, {"changed", r.Changed}, {"rejected", r.Rejected}} {
		fmt.Fprintf(&b, "%s:", part.name)
		for _, kind := range slices.Sorted(maps.Keys(part.counts)) {
			fmt.Fprintf(&b, " %s %d", kind, part.counts[kind])
		}
		fmt.Fprintln(&b)
	}
	r.Source.print(&b, "source")
	r.Stored.print(&b, "stored")
	r.Refused.print(&b, "rejected")
	if r.Unread > 0 {
		fmt.Fprintf(&b, "rows with what could not be read, and is not in these sums: %d\n", r.Unread)
	}
	for _, reject := range r.Rejects {
		fmt.Fprintln(&b, "reject", reject)
	}
	for _, conflict := range r.Conflicts {
		fmt.Fprintln(&b, "conflict", conflict)
	}
	return b.String()
}

func (t Totals) print(b *strings.Builder, name string) {
	for _, c := range slices.Sorted(maps.Keys(t)) {
		f := t[c]
		fmt.Fprintf(b, "%s %s: sales %s, refunds %s, commission %s, payouts %s\n", name, c,
			f.Sales.Format(c), f.Refunds.Format(c), f.Commission.Format(c), f.Payouts.Format(c))
	}
}

// String returns the reject on one line: file and line, ref, reason, field, text.
// Control characters of the file, and those that are invisible or change the
// direction of writing, appear as their numbers, such as \u202e.
func (x Reject) String() string {
	text := fmt.Sprintf("%s:%d %s: %s %s: %s", x.File, x.Line, x.Ref, x.Err.Reason, x.Field, x.Err.Message)
	if x.Kept != "" {
		text += " (kept: " + x.Kept + ")"
	}
	return shown(text)
}

// shown returns a text whose every character can be seen.
func shown(text string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\ufffd") {
		if r == ' ' || unicode.IsGraphic(r) && !unicode.IsSpace(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRuneToASCII(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}
