package console

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// One box over everything: ids of any kind, the host's own ids, slugs, codes and numbers
// name one thing; else the text is a part of a name, an email, a code or an order.

// foundEach is the number of hits of each kind on the page.
const foundEach = 8

// A searchPage is the page of a search.
type searchPage struct {
	Query string
	Kinds []searchResults
}

// searchResults holds the finds of one kind.
type searchResults struct {
	Name string
	Hits []searchResult
	More string // where the rest is; empty: that is all
}

// A searchResult is one find.
type searchResult struct{ To, Text, Besides string }

// find shows what a text names, or is a part of.
func find(v *visit) (view, error) {
	text := strings.TrimSpace(v.query.Get("q"))
	d := searchPage{Query: text}
	shown := view{title: "Search", template: "search", Data: &d}
	if text == "" {
		return shown, nil
	}
	if utf8.RuneCountInString(text) > maxSearch {
		return view{}, badQuery(fmt.Sprintf("Search for at most %d characters.", maxSearch))
	}
	for _, kind := range []func(*visit, string) (searchResults, error){findAffiliates,
		findCustomers, findCodes, findSales, findPayments, findPayouts, findByID} {
		k, err := kind(v, text)
		if err != nil {
			return view{}, err
		}
		if len(k.Hits) > 0 || k.More != "" {
			d.Kinds = append(d.Kinds, k)
		}
	}
	return shown, nil
}

// foundIn returns the hits of a list, and where the rest of it is.
func foundIn[T any](v *visit, name, section string, l affiliate.List[T], err error,
	show func(T) searchResult) (searchResults, error) {
	k := searchResults{Name: name}
	for _, item := range l.Items {
		k.Hits = append(k.Hits, show(item))
	}
	if l.Next != "" {
		k.More = section + "?" + v.asked().Encode()
	}
	return k, err
}

func findAffiliates(v *visit, text string) (searchResults, error) {
	q := affiliate.AffiliateQuery{Search: affiliate.Set(text)}
	if external, named := affiliate.ExternalIn(text); named {
		q = affiliate.AffiliateQuery{ExternalID: affiliate.Set(external)}
	}
	l, err := v.program.Affiliates(v.Ctx(), q, affiliate.Page{Limit: foundEach})
	return foundIn(v, "Affiliates", "affiliates", l, err, affiliateHit)
}

func affiliateHit(a affiliate.Affiliate) searchResult {
	return searchResult{"affiliates/" + a.ID.String(), a.Name, a.Email}
}

func findCustomers(v *visit, text string) (searchResults, error) {
	l, err := v.program.Referrals(v.Ctx(), affiliate.ReferralQuery{Search: affiliate.Set(text)},
		affiliate.Page{Limit: foundEach})
	return foundIn(v, "Customers", "customers", l, err, func(r affiliate.Referral) searchResult {
		return searchResult{"customers/" + r.ID.String(), r.Name.Or(r.Email), r.Email}
	})
}

func findCodes(v *visit, text string) (searchResults, error) {
	l, err := v.program.Codes(v.Ctx(), affiliate.CodeQuery{Search: affiliate.Set(text)},
		affiliate.Page{Limit: foundEach})
	return foundIn(v, "Codes", "codes", l, err, func(c affiliate.Code) searchResult {
		return searchResult{"codes/" + c.ID.String(), c.Code, c.Coupon.Or(affiliate.Coupon{}).Name}
	})
}

// findSales finds the sale whose number the text is, and those with the text in an order, an invoice or a name.
func findSales(v *visit, text string) (searchResults, error) {
	asked := salesQuery{}
	if err := v.searchSales(text, &asked); err != nil {
		return searchResults{}, err
	}
	l, err := v.salesOf(asked)(affiliate.Page{Limit: foundEach})
	return foundIn(v, "Sales", "sales", l, err, func(s affiliate.Sale) searchResult {
		earned := "earned " + v.Money(s.CommissionEarned)
		if s.CommissionEarned.IsZero() {
			earned = "earned nothing: its page says why"
		}
		besides := []string{v.Day(s.CreatedAt), s.Affiliate.Name, s.Email.Or(""), earned}
		for _, named := range []affiliate.Opt[string]{s.ExternalInvoiceID, s.ExternalID} {
			besides = append([]string{named.Or("")}, besides...)
		}
		return searchResult{fmt.Sprint("sales/", s.ID),
			fmt.Sprint("Sale ", s.ID, " of ", v.Money(s.TotalEarned)), saidOf(besides...)}
	})
}

// findPayments finds the payments that wait, and why, by an id that their provider gives them or
// their customer.
func findPayments(v *visit, text string) (k searchResults, err error) {
	k.Name = "Payments without a sale"
	waiting, err := v.program.Attention(v.Ctx(), mostWaiting)
	text = strings.ToLower(text)
	has := func(id string) bool { return strings.Contains(strings.ToLower(id), text) }
	for _, p := range waiting.PaymentConflicts.Items {
		if slices.ContainsFunc(append(slices.Clone(p.Keys), p.PayerID.Or("")), has) && len(k.Hits) < foundEach {
			k.Hits = append(k.Hits, searchResult{"payments", v.MoneyIn(p.Amount, p.Currency) + ", " + page.Words(p.Provider),
				saidOf(v.Day(p.CreatedAt), whyNoSale(p))})
		}
	}
	if waiting.PaymentConflicts.More || waiting.PaymentConflicts.Count > len(waiting.PaymentConflicts.Items) {
		k.More = "payments"
	}
	return k, err
}

// saidOf joins the texts that are not empty.
func saidOf(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), " · ")
}

// The payouts among which a reference is looked for: the newest.
const (
	lookedPayouts = 2_000
	shortestRef   = 6 // characters of a reference that was cut
)

// findPayouts finds payouts by their reference in files of providers, or by the host's own id.
func findPayouts(v *visit, text string) (k searchResults, err error) {
	k.Name = "Payouts"
	ref := strings.ToUpper(strings.Join(strings.Fields(text), ""))
	left := lookedPayouts
	for p, err := range affiliate.Each(page.FilePage, func(pg affiliate.Page) (affiliate.List[affiliate.Payout], error) {
		return v.program.Payouts(v.Ctx(), affiliate.PayoutQuery{}, pg)
	}) {
		if left--; err != nil || left < 0 || len(k.Hits) == foundEach {
			return k, err
		}
		own := payfile.Ref(p.ID)
		if p.ExternalID.Or("") == text || len(ref) >= shortestRef && strings.HasPrefix(own, ref) {
			k.Hits = append(k.Hits,
				searchResult{"payouts/" + p.ID.String(), "Payout of " + v.Money(p.Amount),
					saidOf(own, p.ExternalID.Or(""), v.Day(p.CreatedAt), p.PayeeName.Or(""))})
		}
	}
	return k, nil
}

// findByID finds what the other lists do not find by its id.
func findByID(v *visit, text string) (searchResults, error) {
	k := searchResults{Name: "By its id"}
	id, err := uuid.Parse(text)
	if err != nil {
		return k, nil
	}
	for _, look := range []func() (searchResult, error){
		hit(v, id, ofPayout, func(p affiliate.Payout) searchResult {
			return searchResult{"", "Payout of " + v.Money(p.Amount), p.PayeeName.Or("")}
		}),
		hit(v, id, ofCoupon, func(c affiliate.Coupon) searchResult {
			return searchResult{"", "Coupon", c.Name}
		}),
		hit(v, id, ofCode, func(c affiliate.Code) searchResult {
			return searchResult{"", "Code", c.Code}
		}),
		hit(v, id, ofLink, func(l affiliate.Link) searchResult {
			return searchResult{"affiliates/" + l.Affiliate.ID.String(), "Link", l.Link}
		}),
		hit(v, id, ofPlan, func(p affiliate.Plan) searchResult {
			return searchResult{"", "Plan", p.Name}
		}),
		hit(v, id, ofEndpoint, func(e affiliate.Endpoint) searchResult {
			return searchResult{"", "Webhook", e.URL}
		}),
		hit(v, id, ofDelivery, func(d affiliate.Delivery) searchResult {
			return searchResult{"", "Delivery", string(d.Event)}
		}),
		hit(v, id, ofEvent, func(e affiliate.Event) searchResult {
			return searchResult{"", "Event", string(e.Type)}
		}),
	} {
		h, err := look()
		if errors.Is(err, affiliate.ErrNotFound) {
			continue
		}
		if err != nil {
			return k, err
		}
		k.Hits = append(k.Hits, h)
	}
	return k, nil
}

// hit looks for an object of a noun by its id. It leads to its page, unless show says where.
func hit[T any](v *visit, id uuid.UUID, n noun[T],
	show func(T) searchResult) func() (searchResult, error) {
	return func() (searchResult, error) {
		one, err := n.get(v, id)
		h := show(one)
		h.To = cmp.Or(h.To, n.page+id.String())
		return h, err
	}
}
