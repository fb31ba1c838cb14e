package portal

import (
	"strconv"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/partner"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// The files of an affiliate's lists, with all rows.

// currency is that of the program.
func (v *visit) currency() string { return string(v.Currency) }

// paramDecimals chooses amounts such as 12,50: comma.
const paramDecimals = "decimals"

func (v *visit) comma() bool { return v.R.URL.Query().Get(paramDecimals) == "comma" }

// salesFile returns the sales as CSV.
func salesFile(v *visit) error {
	rows := page.Rows[partner.Sale]{
		Comma: v.comma(),
		Head: []string{"id", "createdAt", "customer", "conversion", "promoCode", "link", "total",
			"refunded", "commission", "currency", "status", "approvalStatus", "holdReason",
			"inPayout"},
		List: func(pg affiliate.Page) (affiliate.List[partner.Sale], error) { return v.partner().Sales(v.Ctx(), pg) },
	}
	rows.Row = func(s partner.Sale) ([]string, error) {
		if v.cfg.HideCustomers {
			s.Customer = ""
		}
		return []string{
			strconv.FormatInt(int64(s.ID), 10), s.CreatedAt.String(), s.Customer,
			page.Text(s.Conversion, page.InDetail), page.Typed(s.PromoCode), page.Typed(s.Link),
			s.TotalEarned.String(), s.RefundedAmount.String(), s.CommissionEarned.String(), v.currency(),
			string(s.Status), page.Typed(s.ApprovalStatus), page.Typed(s.HoldReason),
			strconv.FormatBool(s.PayoutCreated),
		}, nil
	}
	return page.DownloadRows(v.W, "sales.csv", v.Late, rows)
}

// payoutsFile returns the payouts as CSV.
func payoutsFile(v *visit) error {
	rows := page.Rows[partner.Payout]{
		Comma: v.comma(),
		Head: []string{"id", "createdAt", "status", "amount", "currency", "paymentMethod",
			"payeeEmail", "periodStart", "periodEnd", "paidAt", "failedReason", "returnedAt",
			"returnedReason"},
		List: func(pg affiliate.Page) (affiliate.List[partner.Payout], error) {
			return v.partner().Payouts(v.Ctx(), pg)
		},
	}
	rows.Row = func(p partner.Payout) ([]string, error) {
		return []string{
			p.ID.String(), p.CreatedAt.String(), string(p.Status), p.Amount.String(),
			string(p.Currency), page.Typed(p.PaymentMethod), page.Typed(p.PayeeEmail),
			page.Typed(p.PeriodStart), page.Typed(p.PeriodEnd), page.Typed(p.PaidAt),
			shown(p.FailedReason), page.Typed(p.ReturnedAt), shown(p.ReturnedReason),
		}, nil
	}
	return page.DownloadRows(v.W, "payouts.csv", v.Late, rows)
}

// statementFile returns a statement as CSV.
func statementFile(v *visit) error {
	from, to, err := v.month()
	if err != nil {
		return err
	}
	s, err := v.partner().Statement(v.Ctx(), from, to)
	if err != nil {
		return err
	}
	return page.Download(v.W, "statement-"+v.Args[0]+".csv", v.Late, page.Marked(s.WriteCSV))
}

// shown returns a text of the program as people see it.
func shown(o affiliate.Opt[string]) string { return page.Text(o.Or(""), page.InDetail) }
