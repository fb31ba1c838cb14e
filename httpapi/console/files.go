package console

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// The files of lists: all rows that fit what the page of the list was asked, in the same
// order.

// listFile answers the rows of a list as a file.
func listFile[T any](v *visit, name string, head []string, list lister[T], row func(T) ([]string, error)) error {
	return page.DownloadRows(v.W, name, v.Late,
		page.Rows[T]{Comma: v.query.Get(paramDecimals) == decimalComma, Head: head, List: list,
			Row: row})
}

func whole(n int64) string { return strconv.FormatInt(n, 10) }

// A lister reads a list page by page.
type lister[T any] = func(affiliate.Page) (affiliate.List[T], error)

// A listing is a list as its address asks for it.
type listing[T any] = func(*visit) (lister[T], error)

// listed is the listing of what a query asks for.
func listed[Q, T any](asked func(*visit) (Q, error),
	list func(*tributary.Program, context.Context, Q, affiliate.Page) (affiliate.List[T], error),
) listing[T] {
	return func(v *visit) (lister[T], error) {
		q, err := asked(v)
		return func(pg affiliate.Page) (affiliate.List[T], error) {
			return list(v.program, v.Ctx(), q, pg)
		}, err
	}
}

var (
	listedAffiliates = listed((*visit).affiliatesAsked, (*tributary.Program).Affiliates)
	listedCustomers  = listed((*visit).customersAsked, (*tributary.Program).Referrals)
	listedCodes      = listed((*visit).codesAsked, (*tributary.Program).Codes)
	listedPayouts    = listed((*visit).payoutsAsked, (*tributary.Program).Payouts)
)

func listedSales(v *visit) (lister[affiliate.Sale], error) {
	q, err := v.salesAsked()
	return v.salesOf(q), err
}

// rowsFile is the file of a listing: the words of its head, and the cells of each row.
func rowsFile[T any](name string, list listing[T], head string,
	row func(*visit, T) ([]string, error)) func(*visit) error {
	return func(v *visit) error {
		next, err := list(v)
		if err != nil {
			return err
		}
		return listFile(v, name, strings.Fields(head), next,
			func(one T) ([]string, error) { return row(v, one) })
	}
}

var affiliatesFile = rowsFile("affiliates.csv", listedAffiliates,
	"id createdAt name email externalId status source link paymentMethod payoutEmail clicks "+
		"customers revenue commission currency",
	func(v *visit, a affiliate.Affiliate) ([]string, error) {
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

// currency is that of the program.
func (v *visit) currency() string { return string(v.program.Config().Currency) }

var customersFile = rowsFile("customers.csv", listedCustomers,
	"id createdAt name email externalId affiliateId affiliate status plan landingPage "+
		"revenue commission currency",
	func(v *visit, r affiliate.Referral) ([]string, error) {
		by, err := v.payeeOnce(r.AffiliateID)
		return []string{
			r.ID.String(), r.CreatedAt.String(), typed(r.Name), r.Email,
			typed(r.ReferredUserExternalID), r.AffiliateID.String(), by,
			string(r.SubscriptionStatus), typed(r.Plan),
			typed(r.InitialLandingPage), r.TotalRevenue.String(), r.TotalCommission.String(), v.currency(),
		}, err
	})

var salesFile = rowsFile("sales.csv", listedSales,
	"id createdAt paidAt externalId externalInvoiceId conversion affiliateId affiliate "+
		"customer customerEmail promotionalCodeId total refunded commission currency status "+
		"charged chargedCurrency",
	func(v *visit, s affiliate.Sale) ([]string, error) {
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

var codesFile = rowsFile("codes.csv", listedCodes,
	"id createdAt code coupon affiliateId affiliate active startsAt expiresAt timesRedeemed "+
		"maxRedemptions",
	func(v *visit, c affiliate.Code) ([]string, error) {
		a := c.Affiliate.Or(affiliate.AffiliateContact{})
		return []string{
			c.ID.String(), c.CreatedAt.String(), c.Code, c.Coupon.Or(affiliate.Coupon{}).Name,
			typed(c.AffiliateID), a.FirstName + " " + a.LastName, strconv.FormatBool(c.Active),
			typed(c.StartsAt), typed(c.ExpiresAt), whole(c.TimesRedeemed), typed(c.MaxRedemptions),
		}, nil
	})

var payoutsFile = rowsFile("payouts.csv", listedPayouts,
	"id createdAt affiliateId payee payeeEmail method status amount currency externalId "+
		"paidAt failedReason returnedReason",
	func(v *visit, p affiliate.Payout) ([]string, error) {
		return []string{
			p.ID.String(), p.CreatedAt.String(), p.AffiliateID.String(), typed(p.PayeeName),
			typed(p.PayeeEmail), typed(p.PaymentMethod), string(p.Status), p.Amount.String(),
			string(p.Currency),
			typed(p.ExternalID), typed(p.PaidAt), typed(p.FailedReason), typed(p.ReturnedReason),
		}, nil
	})

// payeeOnce is payee, which looks an affiliate up once for a request.
func (v *visit) payeeOnce(id uuid.UUID) (name string, err error) {
	name, known := v.payees[id]
	if !known {
		if name, err = v.payee(id); v.payees == nil {
			v.payees = map[uuid.UUID]string{}
		}
		v.payees[id] = name
	}
	return name, err
}

// File returns where the rows of this list are as a file.
func (v *view) File() string { return v.Path + "/csv" + v.question() }

// CommaFile is File with amounts such as 12,50.
func (v *view) CommaFile() string {
	q := v.asked()
	q.Set(paramDecimals, decimalComma)
	return v.Path + "/csv?" + q.Encode()
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
	sales, deleted                                  int64
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
	from, to, err := v.monthOver()
	if err != nil {
		return err
	}
	sums, ids, err := v.sumsOf(from, to)
	if err != nil {
		return err
	}
	head := []string{"affiliateId", "affiliate", "from", "to", "opening", "commission",
		"adjustments", "paid", "other", "closing", "currency"}
	first, last := v.dateOf(affiliate.TimeOf(from)), v.dateOf(affiliate.TimeOf(dayAt(to, -1)))
	return listFile(v, fmt.Sprintf("statements-%s.csv", v.Args[0]), head, func(affiliate.Page) (affiliate.List[uuid.UUID], error) {
		return affiliate.List[uuid.UUID]{Items: ids}, nil
	}, func(id uuid.UUID) ([]string, error) {
		m := sums[id]
		name, err := v.payeeOnce(id)
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

// monthOver returns the month of the address, which has to be over.
func (v *visit) monthOver() (from, to time.Time, err error) {
	from, err = time.ParseInLocation(monthLayout, v.Args[0], v.Location)
	if err != nil || from.Format(monthLayout) != v.Args[0] {
		return from, to, affiliate.ErrNotFound
	}
	if to = from.AddDate(0, 1, 0); to.After(v.now()) {
		return from, to, badQuery("The month is not over.")
	}
	return from, to, nil
}

// sumsOf reads the sums of a period by affiliate, and lists the ids of these.
func (v *visit) sumsOf(from, to time.Time) (map[uuid.UUID]*monthSum, []uuid.UUID, error) {
	sums := map[uuid.UUID]*monthSum{}
	of := func(id uuid.UUID) *monthSum {
		if sums[id] == nil {
			sums[id] = &monthSum{}
		}
		return sums[id]
	}
	balances := func(at time.Time) iter.Seq2[affiliate.Balance, error] {
		return affiliate.Each(rankedPage, func(pg affiliate.Page) (affiliate.List[affiliate.Balance], error) {
			return v.program.RankedBalances(v.Ctx(), at, pg)
		})
	}
	for b, err := range balances(from) {
		if err != nil {
			return nil, nil, err
		}
		m := of(b.AffiliateID)
		m.paid = b.Paid.Neg()
		if m.opening, err = b.Earned.Sub(b.Paid); err != nil {
			return nil, nil, err
		}
	}
	for b, err := range balances(to) {
		if err != nil {
			return nil, nil, err
		}
		m := of(b.AffiliateID)
		if m.paid, err = m.paid.Add(b.Paid); err == nil {
			m.closing, err = b.Earned.Sub(b.Paid)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	q := affiliate.BreakdownQuery{From: from, To: to, By: affiliate.DimensionAffiliate}
	for r, err := range affiliate.Each(rankedPage, func(pg affiliate.Page) (affiliate.List[affiliate.BreakdownRow], error) {
		return v.program.Breakdown(v.Ctx(), q, pg)
	}) {
		if err != nil {
			return nil, nil, err
		}
		id, err := uuid.Parse(r.Value)
		if err != nil {
			return nil, nil, err
		}
		if !r.Commission.IsZero() || !r.Adjustments.IsZero() {
			m := of(id)
			m.commission, m.adjustments = r.Commission, r.Adjustments
			m.sales, m.deleted = r.Sales, r.DeletedSales
		}
	}
	ids := slices.SortedFunc(maps.Keys(sums), func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return sums, ids, nil
}

// download answers a file while it is made.
func (v *visit) download(name string, write func(io.Writer) error) error {
	return page.Download(v.W, name, v.Late, write)
}

// textFile answers a text.
func (v *visit) textFile(name, text string) error {
	return v.download(name, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}
