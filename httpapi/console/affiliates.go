package console

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

var affiliateStatuses = []affiliate.AffiliateStatus{
	affiliate.AffiliateActive, affiliate.AffiliateInactive, affiliate.AffiliateInvited,
	affiliate.AffiliateDeclined, affiliate.AffiliateDeactivated, affiliate.AffiliateBanned,
}

type affiliateList struct {
	Items                  []affiliate.Affiliate
	Statuses, Plans, Tiers []option
}

// affiliatesAsked is what the list of affiliates is asked.
func (v *visit) affiliatesAsked() (affiliate.AffiliateQuery, error) {
	plan, err1 := v.queryID("plan")
	tier, err2 := v.queryID("tier")
	first, err3 := v.queryOldest()
	return affiliate.AffiliateQuery{Status: affiliate.AffiliateStatus(v.query.Get("status")), Search: v.search(), PlanID: plan, TierID: tier, OldestFirst: first}, errors.Join(err1, err2, err3)
}

// affiliates lists affiliates.
func affiliates(v *visit) (view, error) {
	q, err := v.affiliatesAsked()
	if err != nil {
		return view{}, err
	}
	d := affiliateList{Statuses: options(affiliateStatuses...)}
	list, err := v.program.SearchAffiliates(v.ctx(), q, v.page50())
	if err != nil {
		return view{}, err
	}
	d.Items = list.Items
	if d.Plans, err = v.planOptions(); err != nil {
		return view{}, err
	}
	d.Tiers, err = v.tierOptions()
	return view{title: "Affiliates", template: "affiliates", next: list.Next, Data: &d}, err
}

// A portrait is the page of an affiliate.
type portrait struct {
	affiliate.Affiliate
	Links      []affiliate.Link
	Codes      []affiliate.Code
	Sales      []affiliate.Sale
	Customers  []affiliate.Referral
	Balance    affiliate.Balance
	Books      bool // the balance is known
	CanMove    []option
	CanReturn  bool
	Plan, Tier string // empty: on none
	Month      string // of the newest statement
	Answers    []affiliate.Answer
	Events     []affiliate.Event // the newest
}

// Waits reports whether they wait for approval, and Due whether something can be paid to them now.
func (p *portrait) Waits() bool { return p.Status == affiliate.AffiliateInactive }
func (p *portrait) Due() bool {
	return p.Status == affiliate.AffiliateActive && p.Balance.Payable.Sign() > 0
}

// affiliatePage shows an affiliate.
func affiliatePage(v *visit) (view, error) {
	a, err := v.affiliate()
	if err != nil {
		return view{}, err
	}
	d := portrait{Affiliate: a, CanMove: movesFrom(a.Status), CanReturn: canReturn(a.Status), Month: v.now().In(v.Location).Format(monthLayout)}
	of := affiliate.Set(a.ID)
	links, err1 := v.program.Links(v.ctx(), affiliate.LinkFilter{AffiliateID: of}, affiliate.Page{Limit: 50})
	codes, err2 := v.program.SearchCodes(v.ctx(), affiliate.CodeQuery{AffiliateID: of}, affiliate.Page{Limit: 20})
	sales, err3 := v.program.SearchSales(v.ctx(), affiliate.SaleQuery{AffiliateID: of}, affiliate.Page{Limit: 10})
	customers, err4 := v.program.SearchReferrals(v.ctx(), affiliate.ReferralQuery{AffiliateID: of}, affiliate.Page{Limit: 10})
	balance, err5 := v.program.Balance(v.ctx(), affiliate.AffiliateRef{ID: a.ID})
	d.Links, d.Codes, d.Sales, d.Customers, d.Balance, d.Books = links.Items, codes.Items, sales.Items, customers.Items, balance, err5 == nil
	if errors.Is(err5, affiliate.BooksNotOpen) {
		err5 = nil
	}
	plan, err6 := v.planName(a.CommissionPlanID)
	tier, err7 := v.tierName(a.CommissionTierID)
	answers, err8 := v.program.Answers(v.ctx(), a.ID)
	events, err9 := v.program.Events(v.ctx(), affiliate.EventFilter{ObjectID: affiliate.Set(a.ID.String())}, affiliate.Page{Limit: 10})
	d.Plan, d.Tier, d.Answers, d.Events = plan, tier, answers, events.Items
	return view{title: page.Named(a.Name), template: "affiliate", Data: &d}, errors.Join(err1, err2, err3, err4, err5, err6, err7, err8, err9)
}

// affiliate returns the one that the path names.
func (v *visit) affiliate() (affiliate.Affiliate, error) {
	id, err := v.id(0)
	if err != nil {
		return affiliate.Affiliate{}, err
	}
	return v.program.Affiliate(v.ctx(), id.String())
}

// affiliateForm returns a form about the affiliate of the path.
func affiliateForm(fill func(*visit, affiliate.Affiliate) (form, error)) func(*visit) (form, error) {
	return func(v *visit) (form, error) {
		a, err := v.affiliate()
		if err != nil {
			return form{}, err
		}
		f, err := fill(v, a)
		f.Back = "affiliates/" + a.ID.String()
		return f, err
	}
}

// ofAffiliate returns a function that runs do for the affiliate of the path, and
// redirects to its page.
func ofAffiliate(do func(*visit, *tributary.Program, uuid.UUID, *input) error) func(*visit, *tributary.Program, *input) (string, error) {
	return func(v *visit, p *tributary.Program, in *input) (string, error) {
		id, err := v.id(0)
		if err != nil {
			return "", err
		}
		return "affiliates/" + id.String(), do(v, p, id, in)
	}
}

// Question returns the label of a signup question.
func (v *visit) Question(id uuid.UUID) string {
	return page.Text(cmp.Or(v.cfg.Questions[id], id.String()), page.InDetail)
}

// payee returns the name of an affiliate, or their id when they are gone.
func (v *visit) payee(id uuid.UUID) (string, error) {
	a, err := v.program.Affiliate(v.ctx(), id.String())
	if errors.Is(err, affiliate.ErrNotFound) {
		return id.String(), nil
	}
	return a.Name, err
}

// picked returns the ids of the query, 1 to 50.
func picked[T any](v *visit, noun string, parse func(string) (T, error)) (ids []T, err error) {
	for _, text := range v.query[paramID] {
		id, err := parse(text)
		if err != nil {
			return nil, badQuery("An id is wrong.")
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 || len(ids) > 50 {
		return nil, badQuery("Tick 1 to 50 " + noun + " first.")
	}
	return ids, nil
}

// chosen returns the affiliates of the query.
func (v *visit) chosen() (all []affiliate.Affiliate, err error) {
	ids, err := picked(v, "affiliates", uuid.Parse)
	for _, id := range ids {
		a, err := v.program.Affiliate(v.ctx(), id.String())
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, err
}

// ofChosen returns a function that runs do for the affiliates of the query, and
// redirects to the one affiliate or to the list.
func ofChosen(do func(*visit, *tributary.Program, []uuid.UUID, *input) error) func(*visit, *tributary.Program, *input) (string, error) {
	return func(v *visit, p *tributary.Program, in *input) (string, error) {
		ids, err := picked(v, "affiliates", uuid.Parse)
		if err != nil {
			return "", err
		}
		return v.backTo(ids), do(v, p, ids, in)
	}
}

// backTo returns the page of the affiliates of the query: the list in which they were
// ticked, or the one affiliate.
func (v *visit) backTo(ids []uuid.UUID) string {
	if len(ids) == 1 && !v.query.Has(paramList) {
		return "affiliates/" + ids[0].String()
	}
	return v.listOf("affiliates")
}

// membership completes the form of a plan or a tier. For several affiliates nothing
// is selected at first, so that an untouched form changes nobody.
func (v *visit) membership(all []affiliate.Affiliate, f form, now func(affiliate.Affiliate) affiliate.Opt[uuid.UUID]) form {
	f.Button, f.Edits = "Save", true
	ids := make([]uuid.UUID, len(all))
	choice := &f.Fields[0]
	for i, a := range all {
		ids[i] = a.ID
		choice.Value = typed(now(a))
		f.Effects = append(f.Effects, page.Text(a.Name, page.InList)+": "+choice.chosen(choice.Value))
	}
	f.Back = v.backTo(ids)
	if len(all) > 1 {
		choice.Value, choice.Required = noChoice, true
		choice.Options = append([]option{{noChoice, "Choose one…"}}, choice.Options...)
	}
	return f
}

// noChoice is the value of a selection that is still to be made.
const noChoice = "-"

// membership reads the choice of a plan or a tier.
func (in *input) membership(name string) uuid.UUID {
	if in.text(name) == noChoice {
		in.wrong(name, "Choose one, or the one that takes it away.")
		return uuid.Nil
	}
	return in.id(name)
}

// whom returns the affiliates for the list of what a form does.
func whom(all []affiliate.Affiliate) (names []string) {
	for _, a := range all {
		names = append(names, page.Text(a.Name, page.InList)+", now "+strings.ToLower(page.Words(a.Status)))
	}
	return names
}

func several(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return page.Count(int64(n)) + " " + noun + "s"
}

// moves are the statuses that people can set, with their labels.
var moves = []struct {
	to          affiliate.AffiliateStatus
	verb, means string
}{
	{affiliate.AffiliateActive, "Approve", "They become active, and commissions that waited for it are accepted."},
	{affiliate.AffiliateDeclined, "Decline", "The program does not take them. What their sales earn stays on hold, and nothing is paid to them."},
	{affiliate.AffiliateDeactivated, "Deactivate", "Commissions of their later sales are on hold. What they have earned stays."},
	{affiliate.AffiliateBanned, "Ban", "Commissions of their later sales are on hold. What they have earned stays, and no payout run pays it while they are banned."},
}

// movesFrom returns the changes that a status allows.
func movesFrom(status affiliate.AffiliateStatus) (all []option) {
	for _, m := range moves {
		if slices.Contains(status.Next(), m.to) {
			all = append(all, option{string(m.to), m.verb})
		}
	}
	return all
}

// canReturn reports whether an affiliate is out, and can be taken back.
func canReturn(status affiliate.AffiliateStatus) bool {
	return status == affiliate.AffiliateDeclined || status == affiliate.AffiliateDeactivated || status == affiliate.AffiliateBanned
}
