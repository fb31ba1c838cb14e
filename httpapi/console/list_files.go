package console

import (
	"io"
	"strconv"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/sheet"
)

// The files of lists: all rows that fit what the page of the list was asked, in the same
// order. Amounts are exact decimals without a currency, which has a column of its own.

// filePage is the number of rows that a file reads at once.
const filePage = 500

// listFile answers the rows of a list as a file, page by page. The first page is read
// before the answer begins, so that a question that is refused gets a page.
func listFile[T any](v *visit, name string, head []string, list lister[T], row func(T) ([]string, error)) error {
	l, err := list(affiliate.Page{Limit: filePage})
	if err != nil {
		return err
	}
	return v.download(name, func(w io.Writer) error {
		out := sheet.NewWriter(w)
		_ = out.Write(head)
		for {
			for _, item := range l.Items {
				cells, err := row(item)
				if err == nil {
					err = out.Write(cells)
				}
				if err != nil {
					return err
				}
			}
			if l.Next == "" {
				break
			}
			if l, err = list(affiliate.Page{Limit: filePage, Cursor: l.Next}); err != nil {
				return err
			}
		}
		out.Flush()
		return out.Error()
	})
}

// text returns an optional value as a cell; nothing is an empty one.
func text[T ~string](o affiliate.Opt[T]) string { return string(o.Or("")) }

// instant returns an optional time as a cell.
func instant(o affiliate.Opt[affiliate.Time]) string {
	if t, ok := o.Get(); ok {
		return t.String()
	}
	return ""
}

// number returns an optional number as a cell.
func number(o affiliate.Opt[int64]) string {
	if n, ok := o.Get(); ok {
		return whole(n)
	}
	return ""
}

func whole(n int64) string { return strconv.FormatInt(n, 10) }

// ident returns an optional id as a cell.
func ident(o affiliate.Opt[uuid.UUID]) string {
	if id, ok := o.Get(); ok {
		return id.String()
	}
	return ""
}

// A lister reads a list page by page.
type lister[T any] = func(affiliate.Page) (affiliate.List[T], error)

func listedAffiliates(v *visit) (lister[affiliate.Affiliate], error) {
	q, err := v.affiliatesAsked()
	return func(pg affiliate.Page) (affiliate.List[affiliate.Affiliate], error) {
		return v.program.SearchAffiliates(v.ctx(), q, pg)
	}, err
}

func affiliatesFile(v *visit) error {
	list, err := listedAffiliates(v)
	if err != nil {
		return err
	}
	head := []string{"id", "createdAt", "name", "email", "externalId", "status", "source", "link", "paymentMethod", "payoutEmail", "clicks", "customers", "revenue", "commission", "currency"}
	return listFile(v, "affiliates.csv", head, list, func(a affiliate.Affiliate) ([]string, error) {
		slug := ""
		if len(a.AffiliateLinks) > 0 {
			slug = a.AffiliateLinks[0].Link
		}
		return []string{
			a.ID.String(), a.CreatedAt.String(), a.Name, a.Email, a.ExternalID, string(a.Status), string(a.Source), slug, text(a.PaymentMethod), text(a.PayoutEmail),
			whole(a.NumberOfClicks), whole(a.NumberOfReferredUsers), a.TotalRevenue.String(), a.TotalCommissionEarned.String(), v.currency(),
		}, nil
	})
}

// currency is that of the program.
func (v *visit) currency() string { return string(v.program.Config().Currency) }

func listedCustomers(v *visit) (lister[affiliate.Referral], error) {
	q, err := v.customersAsked()
	return func(pg affiliate.Page) (affiliate.List[affiliate.Referral], error) {
		return v.program.SearchReferrals(v.ctx(), q, pg)
	}, err
}

func customersFile(v *visit) error {
	list, err := listedCustomers(v)
	if err != nil {
		return err
	}
	names := v.payees()
	head := []string{"id", "createdAt", "name", "email", "externalId", "affiliateId", "affiliate", "status", "plan", "landingPage", "revenue", "commission", "currency"}
	return listFile(v, "customers.csv", head, list, func(r affiliate.Referral) ([]string, error) {
		by, err := names(r.AffiliateID)
		return []string{
			r.ID.String(), r.CreatedAt.String(), text(r.Name), r.Email, text(r.ReferredUserExternalID), r.AffiliateID.String(), by, string(r.SubscriptionStatus), text(r.Plan),
			text(r.InitialLandingPage), r.TotalRevenue.String(), r.TotalCommission.String(), v.currency(),
		}, err
	})
}

func listedSales(v *visit) (lister[affiliate.Sale], error) {
	q, named, err := v.salesAsked()
	return func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) {
		if len(named) > 0 {
			return affiliate.List[affiliate.Sale]{Items: named}, nil
		}
		return v.program.SearchSales(v.ctx(), q, pg)
	}, err
}

func salesFile(v *visit) error {
	list, err := listedSales(v)
	if err != nil {
		return err
	}
	head := []string{
		"id", "createdAt", "paidAt", "externalId", "externalInvoiceId", "conversion", "affiliateId", "affiliate", "customer", "customerEmail", "promotionalCodeId",
		"total", "refunded", "commission", "currency", "status", "charged", "chargedCurrency",
	}
	return listFile(v, "sales.csv", head, list, func(s affiliate.Sale) ([]string, error) {
		paid := ""
		if !s.PaidAt.IsZero() {
			paid = s.PaidAt.String()
		}
		cells := []string{
			whole(int64(s.ID)), s.CreatedAt.String(), paid, text(s.ExternalID), text(s.ExternalInvoiceID), s.Conversion, s.AffiliateID.String(), s.Affiliate.Name,
			text(s.Name), text(s.Email), ident(s.PromotionalCodeID), s.TotalEarned.String(), s.RefundedAmount.String(), s.CommissionEarned.String(), v.currency(), string(s.Status), "", "",
		}
		if c, ok := s.Charged.Get(); ok {
			cells[len(cells)-2], cells[len(cells)-1] = c.TotalEarned.String(), string(c.Currency)
		}
		return cells, nil
	})
}

func listedCodes(v *visit) (lister[affiliate.Code], error) {
	q := v.codesAsked()
	return func(pg affiliate.Page) (affiliate.List[affiliate.Code], error) {
		return v.program.SearchCodes(v.ctx(), q, pg)
	}, nil
}

func codesFile(v *visit) error {
	list, err := listedCodes(v)
	if err != nil {
		return err
	}
	head := []string{"id", "createdAt", "code", "coupon", "affiliateId", "affiliate", "active", "startsAt", "expiresAt", "timesRedeemed", "maxRedemptions"}
	return listFile(v, "codes.csv", head, list, func(c affiliate.Code) ([]string, error) {
		a := c.Affiliate.Or(affiliate.AffiliateContact{})
		return []string{
			c.ID.String(), c.CreatedAt.String(), c.Code, c.Coupon.Or(affiliate.Coupon{}).Name, ident(c.AffiliateID), a.FirstName + " " + a.LastName, strconv.FormatBool(c.Active),
			instant(c.StartsAt), instant(c.ExpiresAt), whole(c.TimesRedeemed), number(c.MaxRedemptions),
		}, nil
	})
}

func listedPayouts(v *visit) (lister[affiliate.Payout], error) {
	f := v.payoutsAsked()
	return func(pg affiliate.Page) (affiliate.List[affiliate.Payout], error) {
		return v.program.Payouts(v.ctx(), f, pg)
	}, nil
}

func payoutsFile(v *visit) error {
	list, err := listedPayouts(v)
	if err != nil {
		return err
	}
	head := []string{"id", "createdAt", "affiliateId", "payee", "payeeEmail", "method", "status", "amount", "currency", "externalId", "paidAt", "failedReason", "returnedReason"}
	return listFile(v, "payouts.csv", head, list, func(p affiliate.Payout) ([]string, error) {
		return []string{
			p.ID.String(), p.CreatedAt.String(), p.AffiliateID.String(), text(p.PayeeName), text(p.PayeeEmail), text(p.PaymentMethod), string(p.Status), p.Amount.String(), string(p.Currency),
			text(p.ExternalID), instant(p.PaidAt), text(p.FailedReason), text(p.ReturnedReason),
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

// question is what the address asks, without the page of the list.
func (v *view) question() string {
	if q := v.asked(); len(q) > 0 {
		return "?" + q.Encode()
	}
	return ""
}
