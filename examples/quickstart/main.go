// Quickstart runs a year of a shop, Northwind Beans, through an affiliate
// program and prints the results:
//
//	go run ./examples/quickstart                  # the year that comes with it
//	go run ./examples/quickstart -orders my.csv   # a file of your own; - is standard input
//	go run ./examples/quickstart -h               # every kind of row with its values
//
// It needs no network, server, database or key, and prints the same for the
// same file every time. The exit code is 0 unless the file cannot be read or
// the books do not add up.
//
// # The orders file
//
// An orders file is CSV in UTF-8. One line is one event, in the order of time.
// The first line names the columns:
//
//	at,kind,id,email,name,link,code,amount,options
//	2025-02-03T09:15:00Z,affiliate,,mara@roast.example,Mara Lindqvist,mara,,,
//	2025-02-03T09:16:00Z,affiliate-payee,,mara@roast.example,,,,,paypal=mara@roast.example
//	2025-02-03T09:20:00Z,coupon,,,Spring,,,,percent=15 limit=100 until=2025-05-31
//	2025-02-03T09:21:00Z,code,,mara@roast.example,Spring,,MARA15,,first=yes
//	2025-02-04T18:02:11Z,click,,,,mara,,,
//	2025-02-04T18:20:43Z,order,NB-1001,ida@mail.example,Ida Holm,mara,,42.50,tax=3.40 lines=house:29.10|gift-card:10.00
//	2025-02-09T07:30:00Z,hold,NB-1002,leo@mail.example,,,MARA15,36.47,until=2025-02-09T08:00:00Z
//	2025-02-09T07:41:20Z,order,NB-1002,leo@mail.example,Leo Brandt,,MARA15,31.00,
//	2025-02-12T10:00:00Z,refund,NB-1001,,,,,10.00,refund=r-1
//	2025-04-05T09:00:00Z,payout-run,2025-04,,,,,,minimum=25
//	2025-04-08T10:00:00Z,payout-paid,2025-04,,,,,,
//
// A column may be missing, and the columns may come in any order. The column
// options holds further values as name=value, separated by spaces; such a value
// may have a column of its own instead. Blank lines and lines that start with #
// are skipped. A row that cannot be used is reported with its line and reason, and
// the other rows are run.
//
//	at        when it happened: RFC 3339, such as 2025-02-04T18:20:43Z
//	kind      what happened: see -h
//	id        the shop's own id of an order, customer, payout, run or visitor
//	email     of the customer, or of the affiliate
//	name      of the person, the coupon or the plan; what a bonus is for
//	link      slug of an affiliate link
//	code      promotional code
//	amount    of money, in dollars: 42.50
//
// Among the options, percent is a rate, until is a day or an instant, products
// are separated by |, lines are products with their amounts, without tax and
// shipping, and first, own, valid, active, hold and clawback are yes
// or no.
//
// The shop pays 12 % to whom has no other rate, 6 % for grinders, nothing for gift
// cards, and 8 % for a subscription from a customer's fifth payment on. Who sells for 1,000 in a
// month is in a tier that earns 20 %, a plan pays 60 a month at most, and another gives 5 for each
// friend who pays, and 3 to the friend.
//
// # Reading the program
//
// main.go opens the file and report.go prints: sold.go what was sold, owed.go
// what is owed and was paid, statement.go the year of one affiliate. In package
// affiliate/demo, rows.go reads the file, shop.go runs each row, and kinds.go maps
// each kind of row to a call of the program; pay.go has those of refunds and payouts.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"

	"github.com/tributary-go/tributary/affiliate/demo"
	"github.com/tributary-go/tributary/memstore"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the program and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	flags.SetOutput(stderr)
	path := flags.String("orders", "",
		"orders `file` to run; - is standard input (default: the year that comes with the program)")
	flags.Usage = func() { usage(flags) }
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "quickstart: unexpected argument %q; the file goes after -orders\n", flags.Arg(0))
		return 2
	}
	holds, err := play(ctx, *path, stdin, stdout, progress(stderr))
	if err != nil {
		fmt.Fprintln(stderr, "quickstart:", err)
		return 1
	}
	if !holds {
		return 1
	}
	return 0
}

// play runs a file and prints the report. It reports whether the books hold.
func play(ctx context.Context, path string, stdin io.Reader, stdout io.Writer,
	step func(rows int)) (holds bool, err error) {
	src, name, err := open(path, stdin)
	if err != nil {
		return false, err
	}
	defer src.Close()
	s, err := newBooks()
	if err != nil {
		return false, err
	}
	err = s.Run(ctx, src, step)
	step(0)
	if err != nil {
		return false, fmt.Errorf("%s: %w", name, err)
	}
	return s.report(ctx, name, stdout)
}

// newBooks returns the books of a shop that has sold nothing. The ids are the
// same in every run.
func newBooks() (*books, error) {
	store, cfg := memstore.New(), demo.Config()
	cfg.Rand = rand.NewChaCha8([32]byte{})
	shop, err := demo.New(store, cfg)
	return &books{shop, store}, err
}

// open opens the orders: a file, standard input, or the year that is built in.
func open(path string, stdin io.Reader) (io.ReadCloser, string, error) {
	switch path {
	case "":
		return io.NopCloser(bytes.NewReader(demo.Year)), "orders.csv", nil
	case "-":
		return io.NopCloser(stdin), "standard input", nil
	}
	file, err := os.Open(path)
	return file, path, err
}

// progress counts lines on a terminal and is silent elsewhere. 0 ends the count.
func progress(w io.Writer) func(rows int) {
	file, ok := w.(*os.File)
	if !ok {
		return func(int) {}
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return func(int) {}
	}
	return func(rows int) {
		switch {
		case rows == 0:
			fmt.Fprint(w, "\r\x1b[K")
		case rows%250 == 0:
			fmt.Fprintf(w, "\r%d rows", rows)
		}
	}
}

// usage prints the flags and the kinds of rows.
func usage(flags *flag.FlagSet) {
	w := flags.Output()
	fmt.Fprint(w, "Quickstart runs a file of orders through an affiliate program and prints a report.\n\n")
	flags.PrintDefaults()
	fmt.Fprint(w, `
A file is CSV. Its first line names the columns, every other line is one event:

  at,kind,id,email,name,link,code,amount,options
  2025-02-04T18:20:43Z,order,NB-1001,ida@mail.example,Ida Holm,mara,,42.50,tax=3.40 product=house

at is RFC 3339 and never goes back. options are name=value, separated by spaces; each may have
a column of its own. Money is in dollars; until is a day or an instant; products are separated
by |; lines are as house:24.00|gift-card:20.00; first, own, valid, active, hold and clawback are yes or no. The kinds, with the values they need and
[may have]:

`)
	for _, k := range demo.Kinds() {
		fmt.Fprintf(w, "  %-17s %s\n  %-17s %s\n", k.Name, k.Does, "", k.Signature())
	}
}
