package moving

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

// A Command is what the flags of an import say.
type Command struct {
	Config  tributary.Config // of the program: id, currency, zone
	Folder  Folder           // all but FS
	Options importer.Options
}

// Flags adds the flags of an import to those of a program.
func Flags(flags *flag.FlagSet) *Command {
	c := &Command{}
	flags.StringVar(&c.Folder.Service, "from", "csv", "`service` of the export: rewardful, dub, or csv with a mapping.json")
	flags.TextVar(&c.Config.ID, "program", uuid.Nil, "`id` of the program")
	flags.Func("currency", "`currency` of the program (default USD)", func(text string) (err error) {
		c.Config.Currency, err = affiliate.ParseCurrency(text)
		return err
	})
	flags.Func("zone", "time `zone` of the program, such as Europe/Berlin (default UTC)", func(text string) (err error) {
		c.Config.Location, err = time.LoadLocation(text)
		return err
	})
	flags.Func("slugs", "what to do with a link whose slug another affiliate has: `skip`, rename or fail (default skip)", func(text string) error {
		conflict, ok := map[string]importer.Conflict{"skip": importer.Skip, "rename": importer.RenameSlug, "fail": importer.Fail}[text]
		if !ok {
			return errors.New("it must be skip, rename or fail")
		}
		c.Options.OnConflict = conflict
		return nil
	})
	flags.Func("discount", "what Rewardful's coupons take off: `20%` or an amount in the program's currency; without it they are rejected", c.discount)
	return c
}

// discount reads the flag -discount. The currency of an amount is set by Import.
func (c *Command) discount(text string) error {
	if number, ok := strings.CutSuffix(text, "%"); ok {
		percent, err := affiliate.ParsePercent(number)
		c.Folder.Discount = affiliate.NewCoupon{PercentOff: affiliate.Set(percent)}
		return err
	}
	amount, err := affiliate.ParseAmount(text)
	c.Folder.Discount = affiliate.NewCoupon{CouponType: affiliate.CouponFlat, AmountOff: affiliate.Set(amount)}
	return err
}

// ErrRefused means that an import went through, and left rows out.
var ErrRefused = errors.New("rows were left out; the lines that begin with reject say which")

// Import imports the folder into a program and prints the report, also when the
// import ends with an error. It is [ErrRefused] when anything was left out.
func (c *Command) Import(ctx context.Context, p *tributary.Program, out io.Writer) error {
	d := c.Folder
	d.Config = p.Config()
	if d.Discount.CouponType == affiliate.CouponFlat {
		d.Discount.Currency = affiliate.Set(d.Config.Currency)
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

// ExitCode is the exit code of a command whose import ended with an error: 3 when
// it went through and left rows out.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrRefused):
		return 3
	}
	return 1
}
