package portal

import (
	"strconv"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/partner"
	"github.com/tributary-go/tributary/httpapi/internal/page"
	"github.com/tributary-go/tributary/httpapi/internal/reqid"
)

// The files of an affiliate's lists, with all rows.

// late writes a line about a file that failed while it was sent.
func (v *visit) late(err error) {
	v.logger().ErrorContext(v.ctx(), "portal file", "path", page.OneLine(v.path), "error", err,
		"request_id", reqid.Of(v.ctx()))
}

// currency is that of the program.
func (v *visit) currency() string { return string(v.Currency) }

// paramDecimals chooses amounts such as 12,50: comma.
const paramDecimals = "decimals"

func (v *visit) comma() bool { return v.r.URL.Query().Get(paramDecimals) == "comma" }

// salesFile returns the sales as CSV.
func salesFile(v *visit) error {
	rows := page.Rows[partner.Sale]{
		Comma: v.comma(),
		Head: []string{"id", "createdAt", "customer", "conversion", "promoCode", "link", "total",
			"refunded", "commission", "currency", "status", "approvalStatus", "holdReason",
			"inPayout"},
		List: func(pg affiliate.Page) (affiliate.List[partner.Sale], error) { return v.partner().Sales(v.ctx(), pg) },
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
	return page.DownloadRows(v.w, "sales.csv", v.late, rows)
}

// payoutsFile returns the payouts as CSV.
func payoutsFile(v *visit) error {
	rows := page.Rows[partner.Payout]{
		Comma: v.comma(),
		Head: []string{"id", "createdAt", "status", "amount", "currency", "paymentMethod",
			"payeeEmail", "periodStart", "periodEnd", "paidAt", "failedReason", "returnedAt",
			"returnedReason"},
		List: func(pg affiliate.Page) (affiliate.List[partner.Payout], error) {
			return v.partner().Payouts(v.ctx(), pg)
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
	return page.DownloadRows(v.w, "payouts.csv", v.late, rows)
}

// statementFile returns a statement as CSV.
func statementFile(v *visit) error {
	from, to, err := v.month()
	if err != nil {
		return err
	}
	s, err := v.partner().Statement(v.ctx(), from, to)
	if err != nil {
		return err
	}
	return page.Download(v.w, "statement-"+v.args[0]+".csv", v.late, page.Marked(s.WriteCSV))
}

// shown returns a text of the program as people see it.
func shown(o affiliate.Opt[string]) string { return page.Text(o.Or(""), page.InDetail) }
