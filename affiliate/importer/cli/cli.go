// Package cli is the command line of an import, for a command of your own that opens
// the store: it adds the flags, runs the import and prints the report.
//
//	imp := cli.Flags(flag.CommandLine)
//	flag.Parse()
//	imp.Folder.FS = os.DirFS(flag.Arg(0))
//	program, err := tributary.New(store, imp.Config)
//	…
//	os.Exit(cli.ExitCode(imp.Run(ctx, program, os.Stdout)))
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/importer"
)

// An Import holds what the flags of an import say.
type Import struct {
	Config  tributary.Config // id, currency and zone of the program
	Folder  importer.Folder  // Service and Discount; set FS before Run
	Options importer.Options // OnConflict
}

// Flags adds the flags -from, -program, -currency, -zone, -slugs and -discount to those
// of a command. The import is filled when they are parsed.
func Flags(flags *flag.FlagSet) *Import {
	c := &Import{}
	flags.StringVar(&c.Folder.Service, "from", "csv",
		"`service` of the export: "+strings.Join(importer.Services(), ", ")+" with a mapping.json")
	flags.TextVar(&c.Config.ID, "program", uuid.Nil, "`id` of the program")
	flags.Func("currency", "`currency` of the program (default: the one that it has, or USD)", func(text string) (err error) {
		c.Config.Currency, err = affiliate.ParseCurrency(text)
		return err
	})
	flags.Func("zone", "time `zone` of the program, such as Europe/Berlin (default: the one that it has, or UTC)", func(text string) (err error) {
		c.Config.Location, err = time.LoadLocation(text)
		return err
	})
	flags.Func("slugs", "what to do with a link whose slug another affiliate has: `skip`, rename or fail (default skip)", func(text string) error {
		conflict, ok := map[string]importer.Conflict{"skip": importer.Skip,
			"rename": importer.RenameSlug, "fail": importer.Fail}[text]
		if !ok {
			return errors.New("it must be skip, rename or fail")
		}
		c.Options.OnConflict = conflict
		return nil
	})
	flags.BoolVar(&c.Folder.Bonuses, "bonuses", false,
		"commissions of a service that does not say what the customers paid become bonuses")
	flags.Func("paid-before", "`day` before whose sales a service has paid its commissions, if it does not say which", func(text string) (err error) {
		c.Folder.PaidBefore, err = time.Parse(time.DateOnly, text)
		return err
	})
	flags.Func("discount", "what Rewardful's coupons take off: `20%` or an amount in the program's currency; without it they are rejected", c.discount)
	return c
}

// discount reads the flag -discount. Run sets the currency of an amount.
func (c *Import) discount(text string) error {
	if number, ok := strings.CutSuffix(text, "%"); ok {
		percent, err := affiliate.ParsePercent(number)
		c.Folder.Discount = affiliate.CouponParams{PercentOff: affiliate.Set(percent)}
		return err
	}
	amount, err := affiliate.ParseAmount(text)
	c.Folder.Discount = affiliate.CouponParams{CouponType: affiliate.CouponFlat, AmountOff: affiliate.Set(amount)}
	return err
}

// ErrRefused is the error of an import that ran to its end and left rows out.
var ErrRefused = errors.New("rows were left out; the lines that begin with reject say which")

// Run imports the folder into a program and prints the report to out, also when the
// import ends with an error. The error is [ErrRefused] when rows were left out.
func (c *Import) Run(ctx context.Context, p *tributary.Program, out io.Writer) error {
	d := c.Folder
	cfg := p.Config()
	d.Location, d.Currency, d.Parameter = cfg.Location, cfg.Currency, cfg.Param
	if d.Discount.CouponType == affiliate.CouponFlat {
		d.Discount.Currency = affiliate.Set(cfg.Currency)
	}
	src, closeAll, err := d.Open()
	if err != nil {
		return err
	}
	defer closeAll()
	report, err := importer.Run(ctx, p, src, c.Options)
	if c.Options.Progress != nil {
		c.Options.Progress(importer.Progress{})
	}
	fmt.Fprint(out, report)
	if err == nil && (len(report.Rejected) > 0 || len(report.Refused) > 0) {
		err = ErrRefused
	}
	return err
}

// ExitCode returns the exit code of a command for the error of [Import.Run]: 0 for none,
// 3 for [ErrRefused], 1 for any other.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrRefused):
		return 3
	}
	return 1
}
