package console

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

type saleList struct {
	Items     []affiliate.Sale
	Of        string // the affiliate, code or link that the list is about; empty: none
	Whose, By string // the affiliate and the code as the filter has them
	Picks     []option
	Abroad    bool        // sales can be charged in other currencies
	Held      []heldGroup // of the sales, when all are on hold: people can decide about them
}

// A heldGroup is the sales of an affiliate that wait for one reason.
type heldGroup struct {
	Who   affiliate.AffiliateSummary
	Of    uuid.UUID
	Why   string
	Risks []affiliate.RiskReason
	Sum   affiliate.Amount // of their commissions
	Rows  []affiliate.Sale
}

// heldGroups groups sales, in the order in which the first of each comes.
func (v *visit) heldGroups(sales []affiliate.Sale) (all []heldGroup, err error) {
	for _, sale := range sales {
		g := heldGroup{Who: sale.Affiliate, Of: sale.AffiliateID}
		for _, c := range sale.Commissions {
			if c.ApprovalStatus == affiliate.ApprovalOnHold {
				g.Why, g.Risks = v.Hold(c.HoldReason), c.RiskReasons
			}
		}
		at := slices.IndexFunc(all, func(o heldGroup) bool {
			return o.Of == g.Of && o.Why == g.Why && slices.Equal(o.Risks, g.Risks)
		})
		if at < 0 {
			at, all = len(all), append(all, g)
		}
		all[at].Rows = append(all[at].Rows, sale)
		if all[at].Sum, err = all[at].Sum.Add(sale.CommissionEarned); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Review returns where all sales of a group are decided about, from a list.
func (g heldGroup) Review(to, list string) string {
	q := url.Values{paramTo: {to}, paramList: {list}}
	for _, sale := range g.Rows {
		q.Add(paramID, fmt.Sprint(sale.ID))
	}
	return "sales/review?" + q.Encode()
}

var approvals = []affiliate.ApprovalStatus{affiliate.ApprovalAccepted, affiliate.ApprovalOnHold,
	affiliate.ApprovalDeclined}

// A salesQuery is the question to the list of sales. When the search text is an external id or an
// invoice, it names that sale, and when it is a number, it names one beside those that have it in their
// text, whatever the filters say. Otherwise it selects the sales of a customer, or those that contain the
// text, and the filters apply.
type salesQuery struct {
	affiliate.SaleQuery
	named []affiliate.Sale
	only  bool // the named ones are all
}

func (v *visit) salesAsked() (q salesQuery, err error) {
	if q.OldestFirst, err = v.queryOldest(); err != nil {
		return q, err
	}
	q.Currency = affiliate.Currency(strings.TrimSpace(v.query.Get(paramCurrency)))
	q.Status, q.ApprovalStatus = affiliate.SaleStatus(v.query.Get("status")),
		affiliate.ApprovalStatus(v.query.Get(paramApproval))
	if q.LinkID, err = v.queryID(paramLink); err == nil {
		q.AffiliateID, err = v.queryAffiliate()
	}
	if err == nil {
		q.CodeID, err = v.queryCode()
	}
	if err != nil {
		return q, err
	}
	if q.Since, q.Until, err = v.queryDays(); err != nil {
		return q, err
	}
	if text := strings.TrimSpace(v.query.Get("q")); text != "" {
		err = v.searchSales(text, &q)
	}
	return q, err
}

// searchSales puts a text into the question.
func (v *visit) searchSales(text string, q *salesQuery) (err error) {
	q.named, q.only, err = v.namedSales(text)
	if err != nil || q.only {
		return err
	}
	q.Part = len(q.named) > 0
	return v.soldTo(text, &q.SaleQuery)
}

// salesOf lists the sales that were asked for.
func (v *visit) salesOf(q salesQuery) lister[affiliate.Sale] {
	return func(pg affiliate.Page) (list affiliate.List[affiliate.Sale], err error) {
		if !q.only {
			list, err = v.program.Sales(v.Ctx(), q.SaleQuery, pg)
		}
		list.Items = slices.DeleteFunc(list.Items, func(s affiliate.Sale) bool {
			return slices.ContainsFunc(q.named, func(n affiliate.Sale) bool { return n.ID == s.ID })
		})
		if pg.Cursor == "" {
			list.Items = append(slices.Clone(q.named), list.Items...)
		}
		return list, err
	}
}

// queryAffiliate returns the affiliate whom the query names, as a form does.
func (v *visit) queryAffiliate() (o affiliate.Opt[uuid.UUID], err error) {
	text := strings.TrimSpace(v.query.Get(paramAffiliate))
	if id, err := uuid.Parse(text); err == nil {
		return affiliate.Set(id), nil // who may be gone
	}
	if text == "" {
		return o, nil
	}
	a, err := v.affiliateTyped(&input{Values: v.query}, paramAffiliate)
	if why, refused := page.Refusal(err); refused {
		return o, badQuery(why.Message)
	}
	return affiliate.Set(a.ID), err
}

// queryCode returns the code that the query names: by its id, or as it is typed.
func (v *visit) queryCode() (o affiliate.Opt[uuid.UUID], err error) {
	text := strings.TrimSpace(v.query.Get(paramCode))
	if id, err := uuid.Parse(text); err == nil {
		return affiliate.Set(id), nil // it may be gone
	}
	if text == "" {
		return o, nil
	}
	code, err := v.program.Code(v.Ctx(), affiliate.CodeRef{Code: text})
	if errors.Is(err, affiliate.ErrNotFound) {
		return o, badQuery("There is no such code.")
	}
	return affiliate.Set(code.ID), err
}

// queryDays returns the days from which and until which a list goes.
func (v *visit) queryDays() (since, until affiliate.Opt[affiliate.Date], err error) {
	for name, date := range map[string]*affiliate.Opt[affiliate.Date]{paramSince: &since, paramUntil: &until} {
		if text := v.query.Get(name); text != "" {
			day, err := affiliate.ParseDate(text)
			if err != nil {
				return since, until, badQuery("The date " + name + " must be as 2026-03-31.")
			}
			*date = affiliate.Set(day)
		}
	}
	return since, until, nil
}

// oldest is the value of the parameter sort of a list that is read from its other end.
const oldest = "oldest"

// queryOldest reports whether a list begins with the oldest.
func (v *visit) queryOldest() (bool, error) {
	switch v.query.Get(paramSort) {
	case "":
		return false, nil
	case oldest:
		return true, nil
	}
	return false, badQuery("The sort must be oldest, or empty.")
}

// Oldest is queryOldest on a page, which the list has refused if the sort is another.
func (v *view) Oldest() bool {
	first, _ := v.queryOldest()
	return first
}

// OtherEnd returns where the list is read from its other end; empty: it has one order.
func (v *view) OtherEnd() string {
	if rt, found := v.find(); !found || rt.page == nil || rt.path == "reports" || !slices.Contains(rt.params, paramSort) {
		return ""
	}
	q := v.asked()
	if q.Del(paramSort); !v.Oldest() {
		q.Set(paramSort, oldest)
	}
	return "?" + q.Encode()
}

// sales lists sales.
func sales(v *visit) (view, error) {
	q, err := v.salesAsked()
	if err != nil {
		return view{}, err
	}
	var d saleList
	shown := view{visit: v, title: "Sales", template: "sales", Data: &d}
	if d.Of, err = v.soldBy(&d, q.SaleQuery); err != nil {
		return shown, err
	}
	list, err := v.salesOf(q)(v.Page50())
	if err != nil {
		return shown, err
	}
	d.Abroad = v.program.Config().Rate != nil || q.Currency != "" ||
		slices.ContainsFunc(list.Items, func(s affiliate.Sale) bool { return !s.Charged.IsZero() })
	d.Items, shown.next = list.Items, list.Next
	if q.ApprovalStatus == affiliate.ApprovalOnHold {
		if d.Held, err = v.heldGroups(list.Items); err != nil {
			return shown, err
		}
	}
	if v.query.Get("q") != "" {
		return shown, stated(&shown, saleStates, "", nil)
	}
	just, err := v.quicklyAdded(q.SaleQuery)
	if err != nil {
		return shown, err
	}
	return shown, stated(&shown, saleStates, just, func(in url.Values) (affiliate.SaleSums, error) {
		of := q.SaleQuery
		of.Status = affiliate.SaleStatus(in.Get("status"))
		of.ApprovalStatus = affiliate.ApprovalStatus(in.Get(paramApproval))
		return v.program.SaleSums(v.Ctx(), of)
	})
}

// addedAtOnce is how many sales of a program a list adds up by itself.
const addedAtOnce = 20_000

// quicklyAdded returns the one state that a list adds up by itself when nothing narrows it
// and the numbers of sales have come so far that all take long: who is on hold is found by
// an index. Empty: all states.
func (v *visit) quicklyAdded(q affiliate.SaleQuery) (state string, err error) {
	if !q.AffiliateID.IsZero() || !q.CodeID.IsZero() || !q.LinkID.IsZero() || !q.Since.IsZero() {
		return "", nil
	}
	last, err := v.program.Sales(v.Ctx(), affiliate.SaleQuery{}, affiliate.Page{Limit: 1})
	if len(last.Items) > 0 && last.Items[0].ID > addedAtOnce {
		state = "On hold"
	}
	return state, err
}

// salesSum adds up the sales that fit what the list was asked.
func salesSum(v *visit) (view, error) {
	q, err := v.salesAsked()
	if err != nil {
		return view{}, err
	}
	if v.query.Get("q") != "" {
		return foundSalesSum(v)
	}
	sums, err := v.program.SaleSums(v.Ctx(), q.SaleQuery)
	return view{title: "Totals", template: "sum", Data: soldSheet(&sums.All)}, err
}

// foundSalesSum reads them all, because a search is no sum of a store.
var foundSalesSum = addUp("sale", []string{"Total", "Refunded", "Commission"}, listedSales,
	func(s affiliate.Sale) []affiliate.Amount {
		return []affiliate.Amount{s.TotalEarned, s.RefundedAmount, s.CommissionEarned}
	})

const (
	paramApproval  = "approval"
	paramAffiliate = "affiliate"
	paramCode      = "code"
	paramLink      = "link"
	paramCurrency  = "currency"
	paramCoupon    = "coupon"
)

// soldBy names the affiliate, the code or the link whose sales are listed, and fills the filter.
func (v *visit) soldBy(d *saleList, q affiliate.SaleQuery) (of string, err error) {
	who, err := v.picker(field{Name: paramAffiliate})
	if err != nil {
		return "", err
	}
	d.Picks = who.Picks
	if id, ok := q.AffiliateID.Get(); ok {
		a, err := v.program.Affiliate(v.Ctx(), id.String())
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			return "", err
		}
		d.Whose = cmp.Or(a.Email, id.String())
	}
	if id, ok := q.CodeID.Get(); ok {
		code, err := v.program.Code(v.Ctx(), affiliate.CodeRef{ID: id})
		if d.By = cmp.Or(code.Code, id.String()); errors.Is(err, affiliate.ErrNotFound) {
			return "a deleted code", nil
		}
		return code.Code, err
	}
	if id, ok := q.LinkID.Get(); ok {
		links, err := v.program.Links(v.Ctx(), affiliate.LinkQuery{ID: affiliate.Set(id)}, affiliate.Page{Limit: 1})
		for _, link := range links.Items {
			return link.Link, nil
		}
		return "a deleted link", err
	}
	if id, ok := q.AffiliateID.Get(); ok {
		return v.payee(id)
	}
	return "", nil
}

// maxSearch is the longest text that the engine searches for, in characters.
const maxSearch = 100

// soldTo selects the sales of the customer whom a text names, else those with the text
// in their ids or in the customer's email or name.
func (v *visit) soldTo(text string, q *affiliate.SaleQuery) error {
	switch customer, err := v.program.Referral(v.Ctx(), text); {
	case err == nil:
		q.ReferralID = affiliate.Set(customer.ID.String())
	case errors.Is(err, affiliate.ErrNotFound) && utf8.RuneCountInString(text) > maxSearch:
		q.Search = affiliate.Null[string]() // nothing has a part as long as that
	case errors.Is(err, affiliate.ErrNotFound):
		q.Search = affiliate.Set(text)
	default:
		return err
	}
	return nil
}

// namedSales returns the sales that a text names, and whether they are all that it finds: those with it
// as external id or invoice. A number may be a part of an order too.
func (v *visit) namedSales(text string) (named []affiliate.Sale, all bool, err error) {
	if named, err = v.ordered(text); err != nil {
		return nil, false, err
	}
	all = len(named) > 0
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		sale, err := v.program.Sale(v.Ctx(), affiliate.SaleID(n))
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			return nil, false, err
		}
		if err == nil && !slices.ContainsFunc(named, func(s affiliate.Sale) bool { return s.ID == sale.ID }) {
			named, all = append([]affiliate.Sale{sale}, named...), false
		}
	}
	return named, all, nil
}

// ordered returns the sales with an order or an invoice of a number.
func (v *visit) ordered(number string) (all []affiliate.Sale, err error) {
	of := affiliate.Set(number)
	for _, q := range []affiliate.SaleQuery{{ExternalID: of}, {ExternalInvoiceID: of}} {
		list, err := v.program.Sales(v.Ctx(), q, affiliate.Page{Limit: 50})
		if all = append(all, list.Items...); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// A saleSheet is the page of a sale.
type saleSheet struct {
	affiliate.Sale
	Why                 affiliate.Explanation
	Code                string
	Events              []affiliate.Event // the newest
	Held, InPayout, All bool              // All: refunded in full
}

// salePage shows a sale and why it earned its commission.
func salePage(v *visit) (view, error) {
	sale, err := v.sale()
	if err != nil {
		return view{}, err
	}
	why, err1 := v.program.ExplainSale(v.Ctx(), sale.ID)
	events, err2 := v.program.Events(v.Ctx(),
		affiliate.EventQuery{ObjectID: affiliate.Set(fmt.Sprint(sale.ID))},
		affiliate.Page{Limit: 10})
	code, err3 := nameIn(v, ofCode, sale.PromotionalCodeID,
		func(c affiliate.Code) string { return c.Code })
	d := saleSheet{Sale: sale, All: sale.Status == affiliate.SaleRefunded, Why: why, Code: code,
		Events: events.Items}
	for _, c := range sale.Commissions {
		d.Held = d.Held || c.ApprovalStatus == affiliate.ApprovalOnHold
		d.InPayout = d.InPayout || c.PayoutCreated
	}
	return view{title: fmt.Sprint("Sale ", sale.ID), template: "sale", Data: &d},
		errors.Join(err1, err2, err3)
}

// Moves returns when the sale was given from one affiliate to another, and why.
func (s *saleSheet) Moves() []move { return movesIn(s.Metadata) }

// Redeemed says what is known of the redemption of its code.
func (s *saleSheet) Redeemed(v *view) (lines []string) {
	r, there := s.Why.Redemption.Get()
	if !there {
		return nil
	}
	lines = append(lines, "Its code took "+v.Money(r.Discount)+" off.")
	if id, held := r.HoldID.Get(); held {
		lines = append(lines, "It confirmed the hold "+v.Short(id)+".")
	}
	if r.Over {
		lines = append(lines,
			"It is over a limit: the customer paid after the hold had lapsed, when the place was gone.")
	}
	if at, seen := r.SeenAt.Get(); seen {
		lines = append(lines, "Somebody accepted that on "+v.Day(at)+".")
	}
	if at, back := r.RestoredAt.Get(); back {
		lines = append(lines, "The use was given back on "+v.Day(at)+".")
	}
	return lines
}

// Accepts reports whether its redemption is over a limit and waits for somebody.
func (s *saleSheet) Accepts() bool {
	r := s.Why.Redemption.Or(affiliate.ExplainedRedemption{})
	return r.Over && r.SeenAt.IsNull() && r.RestoredAt.IsNull()
}

// Credited says why the affiliate is credited.
func (s *saleSheet) Credited() string {
	switch s.Why.Credit.By {
	case affiliate.CreditCode:
		return "The promotional code of the order"
	case affiliate.CreditClick:
		return "A click on their link"
	case affiliate.CreditLink:
		return "The link that the shop named"
	case affiliate.CreditAffiliate:
		return "The shop named them"
	case affiliate.CreditReferral:
		return "They brought this customer before"
	case affiliate.CreditEmail:
		return "They brought a customer with this email before"
	case affiliate.CreditFirstClick:
		return "The first of this visitor's clicks, on their link"
	case affiliate.CreditCustomer:
		return "They brought this customer before, and keep them"
	case affiliate.CreditBrought:
		return "They brought this customer; the code only gave its discount"
	}
	return "Not known: the sale is older than these records"
}

// RateFrom names the source of the rate.
func (s *saleSheet) RateFrom() string {
	switch s.Why.Terms.RateFrom {
	case affiliate.RateOfSale:
		return "given with the sale"
	case affiliate.RateOfAffiliate:
		return "the affiliate's own"
	case affiliate.RateOfTier:
		return "of their tier"
	case affiliate.RateOfPlan:
		return "of the plan"
	case affiliate.RateOfProgram:
		return "of the program"
	}
	return "not known"
}

// A salePart is a line of a sale, with what it earns.
type salePart struct {
	affiliate.SaleLine
	Why *affiliate.ExplainedLine // nil: no rule decides about a line of the sale
}

// shownParts is the number of lines of a sale that are shown.
const shownParts = 100

// Parts returns the first lines of the sale.
func (s *saleSheet) Parts() (parts []salePart) {
	for i, line := range s.Lines[:min(len(s.Lines), shownParts)] {
		part := salePart{SaleLine: line}
		if i < len(s.Why.Lines) {
			part.Why = &s.Why.Lines[i]
		}
		parts = append(parts, part)
	}
	return parts
}

// Charged returns what was charged for a sale in another currency; empty: it was the program's.
func (v *visit) Charged(sale affiliate.Sale) string {
	if c, ok := sale.Charged.Get(); ok {
		return v.MoneyIn(c.TotalEarned, c.Currency)
	}
	return ""
}

// ChargedBack is Charged of what was refunded.
func (v *visit) ChargedBack(sale affiliate.Sale) string {
	if c, ok := sale.Charged.Get(); ok {
		return v.MoneyIn(c.RefundedAmount, c.Currency)
	}
	return ""
}

// NamesLines reports whether a refund has named a line of the sale.
func (s *saleSheet) NamesLines() bool {
	return slices.ContainsFunc(s.Lines, func(l affiliate.SaleLine) bool { return !l.Refunded.IsZero() })
}

// MoreParts returns how many lines the sale has beside them.
func (s *saleSheet) MoreParts() int { return max(len(s.Lines)-shownParts, 0) }

// Says returns what a line says of itself.
func (p salePart) Says() (says []string) {
	for _, text := range append([]string{p.Name.Or(""), p.ProductID.Or(""), p.PlanID.Or("")}, p.Categories...) {
		if text != "" {
			says = append(says, page.Text(text, page.InList))
		}
	}
	return says
}

// Off returns what all discounts took off a line.
func (p salePart) Off() affiliate.Amount {
	return affiliate.AmountFromScaled(p.Discount.Scaled() + p.CodeDiscount.Scaled())
}

// net returns what a line cost after all discounts.
func (p salePart) net() affiliate.Amount {
	return affiliate.AmountFromScaled(p.Amount.Scaled() - p.Off().Scaled())
}

// Percent reports whether the commission is a part of the base.
func (s *saleSheet) Percent() bool {
	return s.Why.Terms.CommissionType == affiliate.CommissionPercentage
}

// Inexact reports whether the commission was rounded.
func (s *saleSheet) Inexact() bool {
	exact, ok := new(big.Rat).SetString(s.Why.Arithmetic.Exact)
	rounded, known := new(big.Rat).SetString(s.Why.Arithmetic.Rounded.String())
	return ok && known && exact.Cmp(rounded) != 0
}

// sale returns the one that the path names.
func (v *visit) sale() (affiliate.Sale, error) {
	id, err := v.saleID()
	if err != nil {
		return affiliate.Sale{}, err
	}
	return v.program.Sale(v.Ctx(), id)
}

func (v *visit) saleID() (affiliate.SaleID, error) {
	id, err := saleID(v.Args[0])
	if err != nil || fmt.Sprint(id) != v.Args[0] {
		return 0, affiliate.ErrNotFound
	}
	return id, nil
}

func saleID(text string) (affiliate.SaleID, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	return affiliate.SaleID(n), err
}
