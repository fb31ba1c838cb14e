package console

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

type codeList struct {
	Items []affiliate.Code
	Of    string // the affiliate whose they are; empty: everybody's
}

// codes lists promotional codes.
func codes(v *visit) (view, error) {
	q, err := v.codesAsked()
	if err != nil {
		return view{}, err
	}
	list, err := v.program.Codes(v.Ctx(), q, v.Page50())
	if err != nil {
		return view{}, err
	}
	d := codeList{Items: list.Items}
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
	c, err := ofCode.named(v)
	if err != nil {
		return view{}, err
	}
	judged, err1 := v.program.Codes(v.Ctx(),
		affiliate.CodeQuery{CouponID: affiliate.Set(c.CouponID), Search: affiliate.Set(c.Code)}, only)
	for _, same := range judged.Items {
		c.Usability = same.Usability
	}
	sales, err2 := v.program.Sales(v.Ctx(), affiliate.SaleQuery{CodeID: affiliate.Set(c.ID)},
		affiliate.Page{Limit: 20})
	holds, err3 := v.program.Holds(v.Ctx(), affiliate.HoldQuery{CodeID: affiliate.Set(c.ID)},
		affiliate.Page{Limit: shownHolds})
	d := codeSheet{Code: c, OfCoupon: c.Coupon.Or(affiliate.Coupon{}), Sales: sales.Items, Holds: holds}
	return view{title: page.Named(c.Code), template: "code", Data: &d},
		errors.Join(err1, err2, err3, d.try(v))
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
		h, err := v.program.Hold(v.Ctx(), v.query.Get(paramHold))
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
		h, err := p.ReleaseHold(v.Ctx(), id)
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
		outcome, err = v.program.Evaluate(v.Ctx(), order)
	}
	if why, refused := page.Refusal(err); refused {
		d.Problem, err = why.Message, nil
	}
	d.Outcome = outcome
	return err
}

var ofCode = noun[affiliate.Code]{"codes/", func(v *visit, id uuid.UUID) (affiliate.Code, error) {
	return v.program.Code(v.Ctx(), affiliate.CodeRef{ID: id})
}}

// ruleFields are the fields that a single code and a batch share. Most codes need the first ones alone.
var ruleFields = []field{
	{Name: "expiresAt", Label: "Until", Hint: "The last day. Empty: for ever.", Type: lastDay},
	{Name: "maxRedemptions", Label: "Uses of this code", Type: "number",
		Hint: "Empty: no limit but the coupon's."},
	{Name: "startsAt", Label: "From", Hint: "The first day. Empty: always.", Type: firstDay,
		More: true},
	{Name: "maxRedemptionsPerCustomer", Label: "Uses of one customer", Type: "number", More: true,
		Hint: "Empty: no limit but the coupon's."},
	{Name: "minimumQuantity", Label: "Least pieces", Hint: "In the order. Empty: any.",
		In: pieces, More: true},
	{Name: "minimumAmount", Label: "Smallest order", Hint: "Empty: any.",
		In: "minimumAmountCurrency", More: true},
	{Name: "minimumAmountCurrency", Label: "Currency of the smallest order", More: true,
		Hint: "Empty: that of the program. Orders are in that, so a code with another is refused."},
	{Name: "firstTimeOrder", Label: "Only for a customer's first order", Type: "checkbox", More: true},
}

// codeFields are those of a single code.
var codeFields = append(slices.Clone(ruleFields), field{Name: "externalId", Label: "Its id at the payment provider",
	More: true, Hint: "Such as promo_… of a promotion code of Stripe: then payments with that one credit this one."})

var newCode = &action{
	name: "codes.create", object: "code", done: "The code was made.",
	form: ofCoupon.form(func(v *visit, c affiliate.Coupon) (form, error) {
		owner, err := v.picker(field{Name: fieldAffiliate, Label: "Affiliate",
			Hint: v.withoutOwner(), Own: true})
		return form{
			Title: "New code of " + page.Named(c.Name), Button: "Create",
			Effects: []string{"It takes " + v.offOf(affiliate.Set(c)) + ".",
				"The event promocode.created is sent."},
			Fields: append([]field{
				{Name: "code", Label: "Code", Hint: "What customers type, such as MARA20.", Required: true},
				owner,
			}, v.filled(affiliate.Code{}, codeFields...)...),
		}, err
	}),
	do: create((*tributary.Program).CreateCode,
		func(c affiliate.Code) string { return "codes/" + c.ID.String() },
		func(v *visit, in *input, c *affiliate.CodeParams) (err error) {
			if c.CouponID, err = v.id(0); err != nil || in.err != nil {
				return err
			}
			owner, err := v.ownerTyped(in)
			c.AffiliateEmail = owner.Or("")
			return err
		}),
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
	form: ofCode.form(func(v *visit, c affiliate.Code) (form, error) {
		return form{
			Title: "Edit " + page.Named(c.Code), Button: "Save", Edits: true,
			Effects: []string{"Orders from now on follow these rules. The event promocode.updated is sent."},
			Fields: append([]field{{Name: "code", Label: "Code", Required: true, Value: c.Code}},
				v.filled(c, codeFields...)...),
		}, nil
	}),
	do: update(ofCode, (*tributary.Program).UpdateCode),
}

var giveCode = &action{
	name: "codes.give", object: "code", done: "The code has its new owner.",
	form: ofCode.form(func(v *visit, c affiliate.Code) (form, error) {
		now := ""
		if a, ok := c.Affiliate.Get(); ok {
			now = a.Email
		}
		owner, err := v.picker(field{Name: fieldAffiliate, Label: "Affiliate",
			Hint: v.withoutOwner(), Value: now, Own: true})
		return form{
			Title: "Whose code is " + page.Named(c.Code) + "?", Button: "Save", Edits: true,
			Effects: []string{"Sales from now on are credited to them. Sales that exist stay as they are."},
			Fields:  []field{owner},
		}, err
	}),
	do: update(ofCode, (*tributary.Program).UpdateCode,
		func(v *visit, in *input, up *affiliate.CodeUpdate) (err error) {
			up.AffiliateEmail, err = v.ownerTyped(in)
			return err
		}),
}

var activeCode = &action{
	name: "codes.active", object: "code", done: "This was saved.",
	form: ofCode.form(func(_ *visit, c affiliate.Code) (form, error) {
		return form{
			Title: "Is " + page.Named(c.Code) + " active?", Button: "Save", Edits: true,
			Effects: []string{"A code that is not active is refused at the checkout."},
			Fields:  []field{box("active", "It is active", c.Active)},
		}, nil
	}),
	do: update(ofCode, (*tributary.Program).UpdateCode),
}

var deleteCode = &action{
	name: "codes.delete", object: "code", done: "The code was deleted.",
	form: ofCode.form(func(v *visit, c affiliate.Code) (form, error) {
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
		_, err = p.DeleteCode(v.Ctx(), id)
		return in.back("coupons", "coupon"), err
	},
}
