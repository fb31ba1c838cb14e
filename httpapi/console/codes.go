package console

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

var codeStates = []affiliate.CodeState{affiliate.CodeUsable, affiliate.CodeUsedUp,
	affiliate.CodeOver, affiliate.CodeUpcoming}

type codeList struct {
	Items  []affiliate.Code
	Of     string // the affiliate whose they are; empty: everybody's
	States []option
}

// codes lists promotional codes.
func codes(v *visit) (view, error) {
	q, err := v.codesAsked()
	if err != nil {
		return view{}, err
	}
	list, err := v.program.Codes(v.ctx(), q, v.page50())
	if err != nil {
		return view{}, err
	}
	d := codeList{Items: list.Items, States: options(codeStates...)}
	if id, ok := q.AffiliateID.Get(); ok {
		d.Of, err = v.payee(id)
	}
	return view{title: "Codes", template: "codes", next: list.Next, Data: &d}, err
}

// codesAsked reads the filter of the list of codes from the address.
func (v *visit) codesAsked() (affiliate.CodeQuery, error) {
	of, err1 := v.queryID(paramAffiliate)
	coupon, err2 := v.queryID(paramCoupon)
	first, err3 := v.queryOldest()
	return affiliate.CodeQuery{AffiliateID: of, CouponID: coupon,
		State: affiliate.CodeState(v.query.Get("state")), OldestFirst: first,
		Search: v.search(), Usability: true}, errors.Join(err1, err2, err3)
}

// Owner returns the name of a code's affiliate.
func (v *view) Owner(c affiliate.Code) string { return v.owner(c) }

// offOf returns what the codes of a coupon take off.
func (v *visit) offOf(c affiliate.Opt[affiliate.Coupon]) string {
	coupon := c.Or(affiliate.Coupon{})
	return v.Off(coupon.AmountOff, coupon.Currency, coupon.PercentOff)
}

func (v *visit) owner(c affiliate.Code) string {
	a := c.Affiliate.Or(affiliate.AffiliateContact{})
	return v.Short(a.FirstName + " " + a.LastName)
}

// A codeSheet is the page of a code.
type codeSheet struct {
	affiliate.Code
	OfCoupon affiliate.Coupon
	Sales    []affiliate.Sale
	Holds    affiliate.List[affiliate.Hold]
	Tried    bool
	Outcome  affiliate.Evaluation
	Problem  string
}

// codePage shows a code, its sales, and what it would do for an order.
func codePage(v *visit) (view, error) {
	c, err := v.code()
	if err != nil {
		return view{}, err
	}
	judged, err := v.program.Codes(v.ctx(),
		affiliate.CodeQuery{CouponID: affiliate.Set(c.CouponID), Search: affiliate.Set(c.Code)},
		affiliate.Page{Limit: 1})
	if err != nil {
		return view{}, err
	}
	for _, same := range judged.Items {
		c.Usability = same.Usability
	}
	d := codeSheet{Code: c, OfCoupon: c.Coupon.Or(affiliate.Coupon{})}
	sales, err := v.program.Sales(v.ctx(), affiliate.SaleQuery{CodeID: affiliate.Set(c.ID)}, affiliate.Page{Limit: 20})
	if err != nil {
		return view{}, err
	}
	d.Sales = sales.Items
	if d.Holds, err = v.program.Holds(v.ctx(), affiliate.HoldQuery{CodeID: affiliate.Set(c.ID)}, affiliate.Page{Limit: shownHolds}); err != nil {
		return view{}, err
	}
	return view{title: page.Named(c.Code), template: "code", Data: &d}, d.try(v)
}

// shownHolds is the number of open holds on the page of a code or a coupon.
const shownHolds = 20

// Held says how many places a list of holds keeps now.
func (v *view) Held(l affiliate.List[affiliate.Hold]) string {
	if l.Next != "" {
		return "more than " + v.Count(len(l.Items))
	}
	return v.Count(len(l.Items))
}

// CodeNamed returns a code that is there.
func (v *view) CodeNamed(c affiliate.Opt[affiliate.CodeName]) (codes []affiliate.CodeName) {
	if code, there := c.Get(); there {
		codes = append(codes, code)
	}
	return codes
}

// Pieces returns a number of pieces; of none it is empty.
func (v *view) Pieces(n affiliate.Opt[affiliate.Amount]) string { return typed(n) }

// Nobody says who has a code without an affiliate.
func (v *view) Nobody() string {
	if v.program.Config().HouseCodes {
		return "the house"
	}
	return "nobody"
}

// releaseHold gives the place of a hold back before its time.
var releaseHold = &action{
	name: "holds.release", object: "hold", done: "The place is free.",
	form: func(v *visit) (form, error) {
		h, err := v.program.Hold(v.ctx(), v.query.Get(paramHold))
		if err != nil {
			return form{}, err
		}
		code := h.PromotionalCode.Or(affiliate.CodeName{})
		f := form{
			Title: "Release the hold " + page.Named(h.ID), Button: "Release", Back: codeOfHold(&h),
			Effects: []string{
				fmt.Sprintf("It keeps a place of %s until %s, and is %s now.",
					page.Text(cmp.Or(code.Code, "a code that was deleted"), page.InList),
					v.When(h.Until), strings.ToLower(page.Words(h.State))),
				"Its place is free at once. When the customer pays all the same, the sale takes a free place, or it is over the limit and waits for you.",
			},
		}
		if off, priced := h.Discount.Get(); priced {
			f.Effects = append(f.Effects, "The customer was shown "+v.MoneyIn(off, h.Currency)+" off.")
		}
		return f, nil
	},
	do: func(v *visit, p *tributary.Program, _ *input) (string, error) {
		id := v.query.Get(paramHold)
		v.objects = []string{id}
		h, err := p.ReleaseHold(v.ctx(), id)
		return codeOfHold(&h), err
	},
}

// paramHold is the parameter with the id of a hold.
const paramHold = "hold"

// codeOfHold returns the page of the code that a hold is of.
func codeOfHold(h *affiliate.Hold) string {
	if code, there := h.PromotionalCode.Get(); there {
		return "codes/" + code.ID.String()
	}
	return "codes"
}

// try evaluates the code for the order in the query.
func (d *codeSheet) try(v *visit) error {
	if d.Tried = v.query.Has("total"); !d.Tried {
		return nil
	}
	in := &input{Values: v.query, currency: v.Currency}
	order := affiliate.Order{PromoCode: d.Code.Code, Email: in.text("email"), TotalEarned: in.amount("total")}
	outcome, err := affiliate.Evaluation{}, in.err
	if err == nil {
		outcome, err = v.program.Evaluate(v.ctx(), order)
	}
	if why, refused := page.Refusal(err); refused {
		d.Problem, err = why.Message, nil
	}
	d.Outcome = outcome
	return err
}

// code returns the one that the path names.
func (v *visit) code() (affiliate.Code, error) {
	id, err := v.id(0)
	if err != nil {
		return affiliate.Code{}, err
	}
	return v.program.Code(v.ctx(), affiliate.CodeRef{ID: id})
}

// codeForm returns a form about the code of the path.
func codeForm(fill func(*visit, affiliate.Code) (form, error)) func(*visit) (form, error) {
	return func(v *visit) (form, error) {
		c, err := v.code()
		if err != nil {
			return form{}, err
		}
		f, err := fill(v, c)
		f.Back = "codes/" + c.ID.String()
		return f, err
	}
}

// updateCode writes what a form says about the code of the path.
func updateCode(read func(*input) affiliate.CodeUpdate) func(*visit, *tributary.Program, *input) (string, error) {
	return func(v *visit, p *tributary.Program, in *input) (string, error) {
		id, err := v.id(0)
		up := read(in)
		if err = errors.Join(err, in.err); err != nil {
			return "", err
		}
		_, err = p.UpdateCode(v.ctx(), id, up)
		return "codes/" + id.String(), err
	}
}

// ruleFields are the fields that a single code and a batch share. Most codes need the first ones alone.
func (v *visit) ruleFields(c affiliate.Code) []field {
	return []field{
		v.dayField(field{Name: "expiresAt", Label: "Until", Hint: "The last day. Empty: for ever."},
			c.ExpiresAt, affiliate.Date.Instant),
		{Name: "maxRedemptions", Label: "Uses of this code",
			Hint: "Empty: no limit but the coupon's.", Type: "number",
			Value: typed(c.MaxRedemptions)},
		more(v.dayField(field{Name: "startsAt", Label: "From",
			Hint: "The first day. Empty: always."}, c.StartsAt, affiliate.Date.FirstInstant)),
		{Name: "maxRedemptionsPerCustomer", Label: "Uses of one customer",
			Hint: "Empty: no limit but the coupon's.", Type: "number",
			Value: typed(c.MaxRedemptionsPerCustomer), More: true},
		{Name: "minimumQuantity", Label: "Least pieces", Hint: "In the order. Empty: any.",
			Value: typed(c.MinimumQuantity), More: true},
		{Name: "minimumAmount", Label: "Smallest order", Hint: "Empty: any.",
			Value: typed(c.MinimumAmount), More: true},
		{Name: "minimumAmountCurrency", Label: "Currency of the smallest order",
			Hint:  "Empty: that of the program. Orders are in that, so a code with another is refused.",
			Value: typed(c.MinimumAmountCurrency), More: true},
		{Name: "firstTimeOrder", Label: "Only for a customer's first order", Type: "checkbox",
			Value: ticked(c.FirstTimeOrder), More: true},
	}
}

// newCode gives a coupon one more code.
var newCode = &action{
	name: "codes.create", object: "code", done: "The code was made.",
	form: couponForm(func(v *visit, c affiliate.Coupon) (form, error) {
		owner, err := v.picker(field{Name: fieldAffiliate, Label: "Affiliate", Hint: v.withoutOwner()})
		return form{
			Title: "New code of " + page.Named(c.Name), Button: "Create",
			Effects: []string{"It takes " + v.offOf(affiliate.Set(c)) + ".",
				"The event promocode.created is sent."},
			Fields: append([]field{
				{Name: "code", Label: "Code", Hint: "What customers type, such as MARA20.", Required: true},
				owner,
			}, v.ruleFields(affiliate.Code{})...),
		}, err
	}),
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		id, err1 := v.id(0)
		owner, err2 := v.ownerTyped(in)
		c := affiliate.CodeParams{
			CouponID: id, Code: in.text("code"), AffiliateEmail: owner.Or(""),
			StartsAt: in.date("startsAt"), MinimumQuantity: in.pieces("minimumQuantity"),
			MaxRedemptionsPerCustomer: in.whole("maxRedemptionsPerCustomer"),
			ExpiresAt:                 in.date("expiresAt"), MaxRedemptions: in.whole("maxRedemptions"),
			MinimumAmount:         in.amountOf("minimumAmount", in.currencyOf("minimumAmountCurrency")),
			MinimumAmountCurrency: choice[affiliate.Currency](in, "minimumAmountCurrency"),
			FirstTimeOrder:        in.yes("firstTimeOrder"),
		}
		if err := errors.Join(err1, in.err, err2); err != nil {
			return "", err
		}
		made, err := p.CreateCode(v.ctx(), c)
		if err != nil {
			return "", err
		}
		return "codes/" + made.ID.String(), nil
	},
}

// ownerTyped returns the email of the affiliate who gets a code; null: nobody does. It is not given when the
// form leaves the owner as they are.
func (v *visit) ownerTyped(in *input) (affiliate.Opt[string], error) {
	if text := in.words(fieldAffiliate); text.Or("") == "" {
		return text, nil
	}
	a, err := v.affiliateTyped(in, fieldAffiliate)
	return affiliate.Set(a.Email), err
}

// withoutOwner says what a code without an affiliate is.
func (v *visit) withoutOwner() string {
	if v.program.Config().HouseCodes {
		return "Empty: the house's. It works, and credits whom the order names."
	}
	return "Empty: nobody earns by it, and it does not work."
}

// editCode changes a code's text and rules.
var editCode = &action{
	name: "codes.update", object: "code", done: "The code was changed.",
	form: codeForm(func(v *visit, c affiliate.Code) (form, error) {
		return form{
			Title: "Edit " + page.Named(c.Code), Button: "Save", Edits: true,
			Effects: []string{"Orders from now on follow these rules. The event promocode.updated is sent."},
			Fields:  append([]field{{Name: "code", Label: "Code", Required: true, Value: c.Code}}, v.ruleFields(c)...),
		}, nil
	}),
	do: updateCode(func(in *input) affiliate.CodeUpdate {
		return affiliate.CodeUpdate{
			Code: in.words("code"), StartsAt: in.date("startsAt"),
			MinimumQuantity:           in.pieces("minimumQuantity"),
			MaxRedemptionsPerCustomer: in.whole("maxRedemptionsPerCustomer"),
			ExpiresAt:                 in.date("expiresAt"), MaxRedemptions: in.whole("maxRedemptions"),
			MinimumAmount:         in.amountOf("minimumAmount", in.currencyOf("minimumAmountCurrency")),
			MinimumAmountCurrency: nullable(choice[affiliate.Currency](in, "minimumAmountCurrency")),
			FirstTimeOrder:        in.flag("firstTimeOrder"),
		}
	}),
}

// giveCode moves a code to another affiliate, or to none.
var giveCode = &action{
	name: "codes.give", object: "code", done: "The code has its new owner.",
	form: codeForm(func(v *visit, c affiliate.Code) (form, error) {
		now := ""
		if a, ok := c.Affiliate.Get(); ok {
			now = a.Email
		}
		owner, err := v.picker(field{Name: fieldAffiliate, Label: "Affiliate", Hint: v.withoutOwner(), Value: now})
		return form{
			Title: "Whose code is " + page.Named(c.Code) + "?", Button: "Save", Edits: true,
			Effects: []string{"Sales from now on are credited to them. Sales that exist stay as they are."},
			Fields:  []field{owner},
		}, err
	}),
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		id, err1 := v.id(0)
		owner, err2 := v.ownerTyped(in)
		if err := errors.Join(err1, err2); err != nil {
			return "", err
		}
		_, err := p.UpdateCode(v.ctx(), id, affiliate.CodeUpdate{AffiliateEmail: owner})
		return "codes/" + id.String(), err
	},
}

// activeCode switches a code on or off.
var activeCode = &action{
	name: "codes.active", object: "code", done: "This was saved.",
	form: codeForm(func(_ *visit, c affiliate.Code) (form, error) {
		return form{
			Title: "Is " + page.Named(c.Code) + " active?", Button: "Save", Edits: true,
			Effects: []string{"A code that is not active is refused at the checkout."},
			Fields:  []field{{Name: "active", Label: "It is active", Type: "checkbox", Value: ticked(c.Active)}},
		}, nil
	}),
	do: updateCode(func(in *input) affiliate.CodeUpdate {
		return affiliate.CodeUpdate{Active: in.flag("active")}
	}),
}

// deleteCode deletes a code.
var deleteCode = &action{
	name: "codes.delete", object: "code", done: "The code was deleted.",
	form: codeForm(func(v *visit, c affiliate.Code) (form, error) {
		return form{
			Title: "Delete " + page.Named(c.Code), Button: "Delete", Danger: true,
			Effects: []string{"It takes " + v.offOf(c.Coupon) + ", and its affiliate is " +
				cmp.Or(strings.TrimSpace(v.owner(c)), "nobody") + ".",
				"It stops working at once. Its sales stay as they are.",
				"The event promocode.deleted is sent."},
			Fields: []field{{Name: "coupon", Type: "hidden", Value: c.CouponID.String()}},
		}, nil
	}),
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		id, err := v.id(0)
		if err != nil {
			return "", err
		}
		_, err = p.DeleteCode(v.ctx(), id)
		return in.back("coupons", "coupon"), err
	},
}
