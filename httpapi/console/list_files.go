package console

import (
	"strconv"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// The files of lists: all rows that fit what the page of the list was asked, in the same
// order.

// listFile answers the rows of a list as a file.
func listFile[T any](v *visit, name string, head []string, list lister[T], row func(T) ([]string, error)) error {
	return page.DownloadRows(v.w, name, v.late, page.Rows[T]{Comma: v.query.Get(paramDecimals) == decimalComma, Head: head, List: list, Row: row})
}

func whole(n int64) string { return strconv.FormatInt(n, 10) }

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
			a.ID.String(), a.CreatedAt.String(), a.Name, a.Email, a.ExternalID, string(a.Status), string(a.Source), slug, typed(a.PaymentMethod), typed(a.PayoutEmail),
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
			r.ID.String(), r.CreatedAt.String(), typed(r.Name), r.Email, typed(r.ReferredUserExternalID), r.AffiliateID.String(), by, string(r.SubscriptionStatus), typed(r.Plan),
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
		"id", "createdAt", "paidAt", "externalId", "externalInvoiceId", "conversion", "affiliateId", "affiliate", "customer", "customerEmail", "promotionalCodeId",
		"total", "refunded", "commission", "currency", "status", "charged", "chargedCurrency",
	}
	return listFile(v, "sales.csv", head, list, func(s affiliate.Sale) ([]string, error) {
		paid := ""
		if !s.PaidAt.IsZero() {
			paid = s.PaidAt.String()
		}
		cells := []string{
			whole(int64(s.ID)), s.CreatedAt.String(), paid, typed(s.ExternalID), typed(s.ExternalInvoiceID), s.Conversion, s.AffiliateID.String(), s.Affiliate.Name,
			typed(s.Name), typed(s.Email), typed(s.PromotionalCodeID), s.TotalEarned.String(), s.RefundedAmount.String(), s.CommissionEarned.String(), v.currency(), string(s.Status), "", "",
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
		return v.program.SearchCodes(v.ctx(), q, pg)
	}, err
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
			c.ID.String(), c.CreatedAt.String(), c.Code, c.Coupon.Or(affiliate.Coupon{}).Name, typed(c.AffiliateID), a.FirstName + " " + a.LastName, strconv.FormatBool(c.Active),
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
	head := []string{"id", "createdAt", "affiliateId", "payee", "payeeEmail", "method", "status", "amount", "currency", "externalId", "paidAt", "failedReason", "returnedReason"}
	return listFile(v, "payouts.csv", head, list, func(p affiliate.Payout) ([]string, error) {
		return []string{
			p.ID.String(), p.CreatedAt.String(), p.AffiliateID.String(), typed(p.PayeeName), typed(p.PayeeEmail), typed(p.PaymentMethod), string(p.Status), p.Amount.String(), string(p.Currency),
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

// question is what the address asks, without the page of the list.
func (v *view) question() string {
	if q := v.asked(); len(q) > 0 {
		return "?" + q.Encode()
	}
	return ""
}
