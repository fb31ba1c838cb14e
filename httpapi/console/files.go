package console

import (
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
	"github.com/tributary-go/tributary/httpapi/internal/reqid"
)

// The files of lists: all rows that fit what the page of the list was asked, in the same
// order.

// listFile answers the rows of a list as a file.
func listFile[T any](v *visit, name string, head []string, list lister[T], row func(T) ([]string, error)) error {
	return page.DownloadRows(v.w, name, v.late,
		page.Rows[T]{Comma: v.query.Get(paramDecimals) == decimalComma, Head: head, List: list,
			Row: row})
}

func whole(n int64) string { return strconv.FormatInt(n, 10) }

// A lister reads a list page by page.
type lister[T any] = func(affiliate.Page) (affiliate.List[T], error)

func listedAffiliates(v *visit) (lister[affiliate.Affiliate], error) {
	q, err := v.affiliatesAsked()
	return func(pg affiliate.Page) (affiliate.List[affiliate.Affiliate], error) {
		return v.program.Affiliates(v.ctx(), q, pg)
	}, err
}

func affiliatesFile(v *visit) error {
	list, err := listedAffiliates(v)
	if err != nil {
		return err
	}
	head := []string{"id", "createdAt", "name", "email", "externalId", "status", "source", "link",
		"paymentMethod", "payoutEmail", "clicks", "customers", "revenue", "commission", "currency"}
	return listFile(v, "affiliates.csv", head, list, func(a affiliate.Affiliate) ([]string, error) {
		slug := ""
		if len(a.AffiliateLinks) > 0 {
			slug = a.AffiliateLinks[0].Link
		}
		return []string{
			a.ID.String(), a.CreatedAt.String(), a.Name, a.Email, a.ExternalID, string(a.Status),
			string(a.Source), slug, typed(a.PaymentMethod), typed(a.PayoutEmail),
			whole(a.NumberOfClicks), whole(a.NumberOfReferredUsers), a.TotalRevenue.String(),
			a.TotalCommissionEarned.String(), v.currency(),
		}, nil
	})
}

// currency is that of the program.
func (v *visit) currency() string { return string(v.program.Config().Currency) }

func listedCustomers(v *visit) (lister[affiliate.Referral], error) {
	q, err := v.customersAsked()
	return func(pg affiliate.Page) (affiliate.List[affiliate.Referral], error) {
		return v.program.Referrals(v.ctx(), q, pg)
	}, err
}

func customersFile(v *visit) error {
	list, err := listedCustomers(v)
	if err != nil {
		return err
	}
	names := v.payees()
	head := []string{"id", "createdAt", "name", "email", "externalId", "affiliateId", "affiliate",
		"status", "plan", "landingPage", "revenue", "commission", "currency"}
	return listFile(v, "customers.csv", head, list, func(r affiliate.Referral) ([]string, error) {
		by, err := names(r.AffiliateID)
		return []string{
			r.ID.String(), r.CreatedAt.String(), typed(r.Name), r.Email,
			typed(r.ReferredUserExternalID), r.AffiliateID.String(), by,
			string(r.SubscriptionStatus), typed(r.Plan),
			typed(r.InitialLandingPage), r.TotalRevenue.String(), r.TotalCommission.String(), v.currency(),
		}, err
	})
}

func listedSales(v *visit) (lister[affiliate.Sale], error) {
	q, err := v.salesAsked()
	return v.salesOf(q), err
}

func salesFile(v *visit) error {
	list, err := listedSales(v)
	if err != nil {
		return err
	}
	head := []string{
		"id", "createdAt", "paidAt", "externalId", "externalInvoiceId", "conversion", "affiliateId",
		"affiliate", "customer", "customerEmail", "promotionalCodeId", "total", "refunded",
		"commission", "currency", "status", "charged", "chargedCurrency",
	}
	return listFile(v, "sales.csv", head, list, func(s affiliate.Sale) ([]string, error) {
		paid := ""
		if !s.PaidAt.IsZero() {
			paid = s.PaidAt.String()
		}
		cells := []string{
			whole(int64(s.ID)), s.CreatedAt.String(), paid, typed(s.ExternalID),
			typed(s.ExternalInvoiceID), s.Conversion, s.AffiliateID.String(), s.Affiliate.Name,
			typed(s.Name), typed(s.Email), typed(s.PromotionalCodeID), s.TotalEarned.String(),
			s.RefundedAmount.String(), s.CommissionEarned.String(), v.currency(),
			string(s.Status), "", "",
		}
		if c, ok := s.Charged.Get(); ok {
			cells[len(cells)-2], cells[len(cells)-1] = c.TotalEarned.String(), string(c.Currency)
		}
		return cells, nil
	})
}

func listedCodes(v *visit) (lister[affiliate.Code], error) {
	q, err := v.codesAsked()
	return func(pg affiliate.Page) (affiliate.List[affiliate.Code], error) {
		return v.program.Codes(v.ctx(), q, pg)
	}, err
}

func codesFile(v *visit) error {
	list, err := listedCodes(v)
	if err != nil {
		return err
	}
	head := []string{"id", "createdAt", "code", "coupon", "affiliateId", "affiliate", "active",
		"startsAt", "expiresAt", "timesRedeemed", "maxRedemptions"}
	return listFile(v, "codes.csv", head, list, func(c affiliate.Code) ([]string, error) {
		a := c.Affiliate.Or(affiliate.AffiliateContact{})
		return []string{
			c.ID.String(), c.CreatedAt.String(), c.Code, c.Coupon.Or(affiliate.Coupon{}).Name,
			typed(c.AffiliateID), a.FirstName + " " + a.LastName, strconv.FormatBool(c.Active),
			typed(c.StartsAt), typed(c.ExpiresAt), whole(c.TimesRedeemed), typed(c.MaxRedemptions),
		}, nil
	})
}

func listedPayouts(v *visit) (lister[affiliate.Payout], error) {
	f, err := v.payoutsAsked()
	return func(pg affiliate.Page) (affiliate.List[affiliate.Payout], error) {
		return v.program.Payouts(v.ctx(), f, pg)
	}, err
}

func payoutsFile(v *visit) error {
	list, err := listedPayouts(v)
	if err != nil {
		return err
	}
	head := []string{"id", "createdAt", "affiliateId", "payee", "payeeEmail", "method", "status",
		"amount", "currency", "externalId", "paidAt", "failedReason", "returnedReason"}
	return listFile(v, "payouts.csv", head, list, func(p affiliate.Payout) ([]string, error) {
		return []string{
			p.ID.String(), p.CreatedAt.String(), p.AffiliateID.String(), typed(p.PayeeName),
			typed(p.PayeeEmail), typed(p.PaymentMethod), string(p.Status), p.Amount.String(),
			string(p.Currency),
			typed(p.ExternalID), typed(p.PaidAt), typed(p.FailedReason), typed(p.ReturnedReason),
		}, nil
	})
}

// payees returns a function that names affiliates, each of which is looked up once.
func (v *visit) payees() func(uuid.UUID) (string, error) {
	known := map[uuid.UUID]string{}
	return func(id uuid.UUID) (name string, err error) {
		name, ok := known[id]
		if !ok {
			name, err = v.payee(id)
			known[id] = name
		}
		return name, err
	}
}

// File returns where the rows of this list are as a file.
func (v *view) File() string { return v.path + "/csv" + v.question() }

// CommaFile is File with amounts such as 12,50.
func (v *view) CommaFile() string {
	q := v.asked()
	q.Set(paramDecimals, decimalComma)
	return v.path + "/csv?" + q.Encode()
}

// question returns the query of the address without the page of the list.
func (v *view) question() string {
	if q := v.asked(); len(q) > 0 {
		return "?" + q.Encode()
	}
	return ""
}

// A monthSum is the change of an affiliate's balance in a month.
type monthSum struct {
	opening, commission, adjustments, paid, closing affiliate.Amount
}

// other is the rest of the row: the entries of the opening of the books.
func (m *monthSum) other() (d affiliate.Amount, err error) {
	d, err = m.closing.Sub(m.opening)
	for _, less := range [...]affiliate.Amount{m.commission, m.adjustments, m.paid.Neg()} {
		if err == nil {
			d, err = d.Sub(less)
		}
	}
	return d, err
}

// monthFile returns a row for each affiliate who was owed something in a month that is over,
// for the accountant: opening, what came in, what was paid, closing.
func monthFile(v *visit) error {
	from, err := time.ParseInLocation(monthLayout, v.args[0], v.Location)
	if err != nil || from.Format(monthLayout) != v.args[0] {
		return affiliate.ErrNotFound
	}
	to := from.AddDate(0, 1, 0)
	if to.After(v.now()) {
		return badQuery("The month is not over.")
	}
	sums, err := v.sumsOf(from, to)
	if err != nil {
		return err
	}
	ids := slices.SortedFunc(maps.Keys(sums), func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	names := v.payees()
	head := []string{"affiliateId", "affiliate", "from", "to", "opening", "commission",
		"adjustments", "paid", "other", "closing", "currency"}
	first, last := v.dateOf(affiliate.TimeOf(from)), v.dateOf(affiliate.TimeOf(dayAt(to, -1)))
	return listFile(v, fmt.Sprintf("statements-%s.csv", v.args[0]), head, func(affiliate.Page) (affiliate.List[uuid.UUID], error) {
		return affiliate.List[uuid.UUID]{Items: ids}, nil
	}, func(id uuid.UUID) ([]string, error) {
		m := sums[id]
		name, err := names(id)
		if err != nil {
			return nil, err
		}
		other, err := m.other()
		return []string{
			id.String(), name, first, last, m.opening.String(), m.commission.String(),
			m.adjustments.String(), m.paid.String(), other.String(), m.closing.String(),
			v.currency(),
		}, err
	})
}

// sumsOf reads the sums of a period by affiliate.
func (v *visit) sumsOf(from, to time.Time) (map[uuid.UUID]*monthSum, error) {
	sums := map[uuid.UUID]*monthSum{}
	of := func(id uuid.UUID) *monthSum {
		if sums[id] == nil {
			sums[id] = &monthSum{}
		}
		return sums[id]
	}
	balances := func(at time.Time) iter.Seq2[affiliate.Balance, error] {
		return affiliate.Each(rankedPage, func(pg affiliate.Page) (affiliate.List[affiliate.Balance], error) {
			return v.program.RankedBalances(v.ctx(), at, pg)
		})
	}
	for b, err := range balances(from) {
		if err != nil {
			return nil, err
		}
		m := of(b.AffiliateID)
		m.paid = b.Paid.Neg()
		if m.opening, err = b.Earned.Sub(b.Paid); err != nil {
			return nil, err
		}
	}
	for b, err := range balances(to) {
		if err != nil {
			return nil, err
		}
		m := of(b.AffiliateID)
		if m.paid, err = m.paid.Add(b.Paid); err == nil {
			m.closing, err = b.Earned.Sub(b.Paid)
		}
		if err != nil {
			return nil, err
		}
	}
	q := affiliate.BreakdownQuery{From: from, To: to, By: affiliate.DimensionAffiliate}
	for r, err := range affiliate.Each(rankedPage, func(pg affiliate.Page) (affiliate.List[affiliate.BreakdownRow], error) {
		return v.program.Breakdown(v.ctx(), q, pg)
	}) {
		if err != nil {
			return nil, err
		}
		id, err := uuid.Parse(r.Value)
		if err != nil {
			return nil, err
		}
		if !r.Commission.IsZero() || !r.Adjustments.IsZero() {
			m := of(id)
			m.commission, m.adjustments = r.Commission, r.Adjustments
		}
	}
	return sums, nil
}

// download answers a file while it is made.
func (v *visit) download(name string, write func(io.Writer) error) error {
	return page.Download(v.w, name, v.late, write)
}

// late writes a line about a file that failed while it was sent.
func (v *visit) late(err error) {
	v.logger().ErrorContext(v.ctx(), "console file", "path", page.OneLine(v.path), "error", err,
		"request_id", reqid.Of(v.ctx()))
}

// textFile answers a text.
func (v *visit) textFile(name, text string) error {
	return v.download(name, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}
