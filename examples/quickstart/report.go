package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/demo"
	"github.com/tributary-go/tributary/affiliate/record"
)

const (
	maxUnused = 20 // rows that could not be used that are printed
	maxLines  = 40 // lines of a statement that are printed
)

// books are a shop and the store behind it.
type books struct {
	*demo.Shop
	store record.Store
}

// report prints the state of the program after the last row, and reports whether
// its books hold.
func (s *books) report(ctx context.Context, file string, out io.Writer) (holds bool, err error) {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "%s: %s, %d rows", shown(s.Config().Name), shown(file), s.Rows)
	if s.Rows > 0 {
		fmt.Fprintf(w, " from %s to %s", s.Since.Format("2006-01-02"), s.Now.Format("2006-01-02"))
	}
	fmt.Fprintln(w)
	sections := []func(context.Context, io.Writer) error{
		s.printAffiliates, s.printRules, s.printBalances, s.printPayouts, s.printAfterwards, s.printRewards,
		s.printStatements, s.printCoupons, s.printCodes, s.printOutcomes, s.printRefused, s.printEvents,
	}
	for _, section := range sections {
		if err := section(ctx, w); err != nil {
			return false, err
		}
	}
	s.printUnused(w)
	holds, err = s.verify(ctx, w)
	return holds, errors.Join(err, w.Flush())
}

func (s *books) printUnused(w io.Writer) {
	if len(s.Unused) == 0 {
		return
	}
	fmt.Fprintf(w, "\nRows that could not be used: %d\n", len(s.Unused))
	for _, reason := range s.Unused[:min(len(s.Unused), maxUnused)] {
		fmt.Fprintf(w, "  %s\n", shown(reason))
	}
	if more := len(s.Unused) - maxUnused; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}

// verify lets the program recompute its books from its records.
func (s *books) verify(ctx context.Context, w io.Writer) (holds bool, err error) {
	var records, events int
	err = s.store.View(ctx, s.Config().ID, func(tx *record.Tx) error {
		records, events = 0, 0
		for _, table := range record.Schema() {
			n := &records
			if table.Name == "events" {
				n = &events
			}
			for range table.In(tx).List(record.Query{}) {
				*n++
			}
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	if breaches := s.Verify(ctx); breaches != nil {
		fmt.Fprintf(w, "\nVerify: does not hold\n%v\n", breaches)
		return false, nil
	}
	fmt.Fprintf(w, "\nVerify: holds (%d records, %d events checked)\n", records, events)
	return true, nil
}

// money writes an amount of dollars with two decimals.
func money(a affiliate.Amount) string { return a.Format("USD") }

func sum(total *affiliate.Amount, a affiliate.Amount) (err error) {
	*total, err = total.Add(a)
	return err
}

// table prints a text and rows in columns, under the headings of the first row. A
// heading that begins with > has its column aligned to the right. A table without
// rows is left out.
func table(w io.Writer, text string, rows [][]string) {
	if len(rows) < 2 {
		return
	}
	widths := make([]int, len(rows[0]))
	right := make([]bool, len(rows[0]))
	for i, heading := range rows[0] {
		rows[0][i], right[i] = strings.CutPrefix(heading, ">")
	}
	for _, row := range rows {
		for i, cell := range row {
			cell = shown(cell)
			row[i] = cell
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	fmt.Fprintf(w, "\n%s\n\n", text)
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if right[i] {
				cell, pad = pad+cell, ""
			}
			line.WriteString(cell + pad + "  ")
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// shown returns a text of people as a terminal may have it: what cannot be seen, or would
// turn or move other text, stands as its number.
func shown(s string) string {
	q := strconv.QuoteToGraphic(s)
	return strings.ReplaceAll(strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`), `\\`, `\`)
}
