package console

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// Terms with dates: those of a plan, and the program's own. The same page and the same forms
// are for both.

// A holder is the owner of terms.
type holder struct {
	Plan     affiliate.Plan         // zero: the program itself
	Versions []affiliate.DatedTerms // oldest first, at least one
	Path     string                 // of the page with them
}

// holder returns the one that the path names.
func (v *visit) holder() (h holder, err error) {
	if len(v.Args) == 0 {
		h.Path = "terms"
		h.Versions, err = v.program.Terms(v.Ctx())
		return h, err
	}
	if h.Plan, err = ofPlan.named(v); err != nil {
		return h, err
	}
	p := &h.Plan
	h.Path, h.Versions = "plans/"+p.ID.String(), p.Versions
	if len(h.Versions) == 0 {
		h.Versions = []affiliate.DatedTerms{{From: affiliate.Null[affiliate.Time](), InForce: true, ProgramTerms: affiliate.ProgramTerms{
			CommissionType: p.CommissionType, CommissionRate: p.CommissionRate,
			NumberOfPayments: p.NumberOfPayments, NumberOfMonths: p.NumberOfMonths,
			HoldDays: p.HoldDays, Rules: p.Rules, MonthsFrom: p.MonthsFrom,
			MaxPerSale: p.MaxPerSale, MaxPerCustomer: p.MaxPerCustomer,
			Budgets: p.Budgets, Bonuses: p.Bonuses, OfferCouponID: p.OfferCouponID,
		}}}
	}
	return h, nil
}

// Program reports whether it is the program itself.
func (h *holder) Program() bool { return h.Plan.Name == "" }

// who names the holder in a sentence, and titled in a title.
func (h *holder) who() string {
	if h.Program() {
		return "the program"
	}
	return "the plan “" + page.Text(h.Plan.Name, page.InList) + "”"
}

func (h *holder) titled() string {
	if h.Program() {
		return "the program"
	}
	return "the plan " + page.Named(h.Plan.Name)
}

// now returns the index of the version in force.
func (h *holder) now() int {
	return slices.IndexFunc(h.Versions, func(t affiliate.DatedTerms) bool { return t.InForce })
}

const (
	paramFrom = "from"
	always    = "always" // the moment from which the first version holds
)

// version returns the index of the version that the query names; without a name, the one in
// force.
func (h *holder) version(v *visit) (int, error) {
	from := v.query.Get(paramFrom)
	if from == "" {
		return h.now(), nil
	}
	if i := slices.IndexFunc(h.Versions, func(t affiliate.DatedTerms) bool { return keyOf(&t) == from }); i >= 0 {
		return i, nil
	}
	return 0, affiliate.ErrNotFound
}

// keyOf names a version in a query.
func keyOf(t *affiliate.DatedTerms) string {
	if from, ok := t.From.Get(); ok {
		return from.String()
	}
	return always
}

// A termsSheet is the page of terms.
type termsSheet struct {
	holder
	Shown *affiliate.DatedTerms // all of the page but the list of versions is about it
	Past  bool                  // it was in force before

	Budgets []budgetRow
}

// Offer is the coupon that links give customers; empty: none.
func (s *termsSheet) Offer() string {
	if s.Shown.OfferCouponID == uuid.Nil {
		return ""
	}
	return s.Shown.OfferCouponID.String()
}

// termsPage shows the terms of a plan or of the program: the version in force, or the one that
// the query names, and a list of all.
func termsPage(v *visit) (view, error) {
	h, err := v.holder()
	if err != nil {
		return view{}, err
	}
	i, err := h.version(v)
	if err != nil {
		return view{}, err
	}
	title := "Terms of the program"
	if !h.Program() {
		title = "Plan " + page.Named(h.Plan.Name)
	}
	budgets, err := v.budgetsOf(&h, &h.Versions[i])
	return view{title: title, template: "terms", Data: &termsSheet{h, &h.Versions[i], i < h.now(), budgets}}, err
}

// A listedTerms is a version in the list.
type listedTerms struct {
	*affiliate.DatedTerms
	Key     string
	ToCome  bool
	Current bool // it is the one that the page shows
}

// Listed returns all versions, the newest first.
func (s *termsSheet) Listed() (all []listedTerms) {
	now := s.now()
	for i := range s.Versions {
		t := &s.Versions[i]
		all = append(all, listedTerms{t, keyOf(t), i > now, t == s.Shown})
	}
	slices.Reverse(all)
	return all
}

// Key names the version that is shown in a query.
func (s *termsSheet) Key() string { return keyOf(s.Shown) }

// ToCome reports whether the version that is shown has not begun.
func (s *termsSheet) ToCome() bool { return !s.Past && !s.Shown.InForce }

// Since returns from when terms hold.
func (v *visit) Since(t *affiliate.DatedTerms) string {
	if from, ok := t.From.Get(); ok {
		return v.When(from)
	}
	return "the beginning"
}

// nextOf returns the version that holds after the one in force; nil: none does.
func nextOf(versions []affiliate.DatedTerms) *affiliate.DatedTerms {
	for i := range versions {
		if i > 0 && versions[i-1].InForce {
			return &versions[i]
		}
	}
	return nil
}

// NextOf returns when a plan has other terms; empty: no change is planned.
func (v *visit) NextOf(p affiliate.Plan) string {
	if next := nextOf(p.Versions); next != nil {
		return v.Day(next.From)
	}
	return ""
}

// planTerms and programTerms change terms, at once or from a day on.
var (
	planTerms    = changeTerms("plans.terms", "plan")
	programTerms = changeTerms("program.terms", "program")
)

func changeTerms(name, object string) *action {
	return &action{
		name: name, object: object, done: "The terms were saved.",
		form: termsForm, check: lookAtTerms, refuses: beginsAlready,
		do: func(v *visit, p *tributary.Program, in *input) (string, error) {
			terms, rows := in.terms(), []int(nil)
			terms.Rules, rows = in.rules()
			terms.Budgets, terms.Bonuses = in.budgets(), in.bonuses()
			up := terms.Update()
			up.From = in.begins(v)
			if in.err != nil {
				return "", in.err
			}
			to, err := v.setTerms(p, up)
			return to, atRow(err, rows)
		},
	}
}

// begins reads from when terms hold; not given: at once.
func (in *input) begins(v *visit) affiliate.Opt[affiliate.Date] {
	if !v.query.Has(paramFrom) {
		return in.date(paramFrom)
	}
	from, err := affiliate.ParseDate(v.query.Get(paramFrom))
	if err != nil {
		in.wrong(paramFrom, "Choose one of the list.")
	}
	return affiliate.Set(from)
}

// beginsAlready refuses a new version where one begins at the same moment, which it would
// replace.
func beginsAlready(v *visit, in *input) error {
	h, err := v.holder()
	day, given := in.begins(v).Get()
	if err != nil || !given || v.query.Has(paramFrom) || in.err != nil {
		return err
	}
	from := affiliate.TimeOf(day.FirstInstant(v.program.Config().Location))
	for i := range h.Versions {
		if h.Versions[i].From.Or(affiliate.Time{}).Equal(from) {
			return wrongField(paramFrom, "Other terms begin at this moment: change or withdraw them.")
		}
	}
	return nil
}

// setTerms changes the terms that the path names, and returns the page with them.
func (v *visit) setTerms(p *tributary.Program, up affiliate.TermsUpdate) (to string, err error) {
	if len(v.Args) == 0 {
		_, err = p.SetTerms(v.Ctx(), up)
		return "terms", err
	}
	id, err := v.id(0)
	if err != nil {
		return "", err
	}
	_, err = p.UpdatePlan(v.Ctx(), id, affiliate.PlanUpdate{TermsUpdate: up})
	return "plans/" + id.String(), err
}

// termsForm has all that terms say. Without a version in the query it is for the one in force,
// or for a new one.
func termsForm(v *visit) (form, error) {
	h, err := v.holder()
	if err != nil {
		return form{}, err
	}
	i, err := h.version(v)
	if errors.Is(err, affiliate.ErrNotFound) || err == nil && v.query.Has(paramFrom) && i <= h.now() {
		return form{}, notAllowed("These terms are not to come any more: they have begun, or somebody has withdrawn them.")
	}
	if err != nil {
		return form{}, err
	}
	state, err := json.Marshal(h.Versions)
	if err != nil {
		return form{}, err
	}
	t := &h.Versions[i]
	f := form{
		Title: "Terms of " + h.titled(), Button: "Save",
		Check: "What would the last 90 days have cost?", Back: h.Path, State: string(state),
		template: "change",
		Effects: append(v.termsNow(&h),
			"Sales that are paid from then on earn by what is saved here, until the next terms begin. Sales that exist stay as they are."),
	}
	if v.query.Has(paramFrom) {
		f.Title += " from " + v.Since(t)
	} else {
		f.Fields = []field{{Name: paramFrom, Label: "They hold from", Type: "date",
			Hint: "The beginning of that day in " + v.program.Config().Location.String() +
				". Empty: at once."}}
	}
	f.Fields = append(append(f.Fields, v.termsFilled(t.ProgramTerms)...), budgetField(t.Budgets), bonusField(t.Bonuses))
	f.Fields = append(f.Fields, v.ruleRows(t.Rules)...)
	return f, nil
}

// termsNow says what holds now, and what is to come.
func (v *visit) termsNow(h *holder) (said []string) {
	for i := range h.Versions[h.now():] {
		t := &h.Versions[h.now()+i]
		when := "From " + v.Since(t)
		if t.InForce {
			when = "Now"
		}
		said = append(said, when+": "+v.TermsSaid(t.ProgramTerms)+".")
	}
	return said
}

// lookAtTerms says what the terms would have cost, or moves rows.
func lookAtTerms(v *visit, f form, in *input) ([]string, error) {
	if f.digest() != in.Get(fieldSeen) {
		return nil, stalePage("Somebody else has changed the terms meanwhile. What you have typed is still here: look at what they are now, and save again if this is still right.", "")
	}
	if in.Get(fieldCheck) == "1" {
		return whatTermsCost(v, in)
	}
	in.pressRow()
	return nil, nil
}

// withdrawOfPlan and withdrawOfProgram take back terms that have not begun.
var (
	withdrawOfPlan    = withdrawTerms("plans.withdraw", "plan")
	withdrawOfProgram = withdrawTerms("program.withdraw", "program")
)

func withdrawTerms(name, object string) *action {
	return &action{
		name: name, object: object, done: "The terms were withdrawn.",
		form: func(v *visit) (form, error) {
			h, err := v.holder()
			if err != nil {
				return form{}, err
			}
			i, err := h.version(v)
			if err != nil {
				return form{}, err
			}
			if i <= h.now() {
				return form{}, notAllowed("These terms have begun. Change the terms instead.")
			}
			t, before := &h.Versions[i], &h.Versions[i-1]
			return form{
				Title: "Withdraw the terms of " + h.titled() + " from " + v.Since(t), Button: "Withdraw", Back: h.Path,
				Effects: []string{fmt.Sprintf("They are: %s.", v.TermsSaid(t.ProgramTerms)),
					fmt.Sprintf("What holds before stays: %s.", v.TermsSaid(before.ProgramTerms))},
			}, nil
		},
		do: func(v *visit, p *tributary.Program, in *input) (string, error) {
			from := in.begins(v)
			if in.err != nil {
				return "", in.err
			}
			return v.setTerms(p, affiliate.TermsUpdate{Withdraw: from})
		},
	}
}

// What terms would have cost.

// The sales that are looked at, and for how long.
const (
	simulatedDays = 90
	simulatedFor  = 20 * time.Second
	namedMost     = 5
)

// whatTermsCost says what the sales of the last days would have earned by the terms that
// were typed.
func whatTermsCost(v *visit, in *input) ([]string, error) {
	h, err := v.holder()
	if err != nil {
		return nil, err
	}
	terms, rows := in.terms(), []int(nil)
	terms.Rules, rows = in.rules()
	terms.Budgets, terms.Bonuses = in.budgets(), in.bonuses()
	if in.err != nil {
		return nil, in.err
	}
	q := affiliate.SimulateQuery{PlanID: h.Plan.ID, Terms: terms}
	sum, all, err := v.simulated(q)
	if err != nil {
		return nil, atRow(err, rows)
	}
	if sum.Sales+sum.Conversions == 0 {
		return []string{"No sale of the last 90 days was by the terms of " + h.who() + ". Nothing was saved."}, nil
	}
	said := []string{fmt.Sprintf("The last 90 days: %s earned %s, and would have earned %s by these terms%s. %s would have earned another amount. Nothing was saved.",
		salesAnd(&sum), v.Money(sum.Was), v.Money(sum.Would), v.moreOrLess(sum.Difference), several(int(sum.Changed), "sale"))}
	if sum.Kept > 0 {
		said = append(said,
			several(int(sum.Kept), "sale")+
				" would stay as they are whatever the terms say, such as those whose commission was set by hand.")
	}
	who, err := v.changedMost(all)
	return append(said, who...), err
}

// simulated tries something out on the sales of the last days, and returns the sum, and for whom it would
// change something.
func (v *visit) simulated(q affiliate.SimulateQuery) (sum affiliate.Difference, all []affiliate.Difference, err error) {
	q.From = v.now().AddDate(0, 0, -simulatedDays)
	ctx, done := context.WithTimeout(v.Ctx(), simulatedFor)
	defer done()
	for d, err := range v.program.Simulate(ctx, q) {
		if ctx.Err() != nil && v.Ctx().Err() == nil {
			return sum, nil, notAllowed("There are too many sales to look at on a page. Call Simulate for them.")
		}
		if err == nil {
			err = sum.Add(d)
		}
		if err != nil {
			return sum, nil, err
		}
		if !d.Difference.IsZero() {
			all = append(all, d)
		}
	}
	return sum, all, nil
}

// changedMost says who would earn another amount, the largest differences first.
func (v *visit) changedMost(all []affiliate.Difference) (said []string, err error) {
	slices.SortStableFunc(all, func(a, b affiliate.Difference) int {
		return cmp.Compare(abs(b.Difference.Scaled()), abs(a.Difference.Scaled()))
	})
	for _, d := range all[:min(len(all), namedMost)] {
		name, err := v.nameOf(d.AffiliateID)
		if err != nil {
			return nil, err
		}
		said = append(said, name+": "+v.Money(d.Would)+" instead of "+v.Money(d.Was)+v.moreOrLess(d.Difference)+".")
	}
	if rest := len(all) - namedMost; rest > 0 {
		said = append(said, "And smaller differences of "+several(rest, "affiliate")+".")
	}
	return said, nil
}

// salesAnd returns how many sales and conversions were looked at.
func salesAnd(d *affiliate.Difference) string {
	if d.Conversions == 0 {
		return several(int(d.Sales), "sale")
	}
	return several(int(d.Sales), "sale") + " and " + several(int(d.Conversions), "conversion")
}

// nameOf returns the name of an affiliate; of one who was deleted meanwhile, the id.
func (v *visit) nameOf(id uuid.UUID) (string, error) {
	who, err := v.program.Affiliate(v.Ctx(), id.String())
	if errors.Is(err, affiliate.ErrNotFound) {
		return id.String(), nil
	}
	return page.Text(who.Name, page.InList), err
}

func (v *visit) moreOrLess(d affiliate.Amount) string {
	switch {
	case d.Sign() > 0:
		return ", " + v.Money(d) + " more"
	case d.Sign() < 0:
		return ", " + v.Money(affiliate.AmountFromScaled(-d.Scaled())) + " less"
	}
	return ", the same"
}

func abs(n int64) int64 { return max(n, -n) }
