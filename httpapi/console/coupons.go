package console

import (
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// coupons lists coupons, without their codes.
func coupons(v *visit) (view, error) {
	var q affiliate.CouponQuery
	switch v.query.Get("valid") {
	case "true", "false":
		q.Valid = affiliate.Set(v.query.Get("valid") == "true")
	case "":
	default:
		return view{}, badQuery("The state must be true or false.")
	}
	list, err := v.program.Coupons(v.Ctx(), q, v.Page50())
	return view{title: "Coupons", template: "coupons", next: list.Next,
		Data: list.Items}, err
}

type couponSheet struct {
	affiliate.Coupon
	Codes []affiliate.Code
	Holds affiliate.List[affiliate.Hold]
}

// shownProducts is the largest number of products on the page of a coupon.
const shownProducts = 20

// Products returns the products that it is for, the first of many.
func (s *couponSheet) Products() []string {
	if len(s.ProductIDs) > shownProducts {
		return append(slices.Clone(s.ProductIDs[:shownProducts]), "and more")
	}
	return s.ProductIDs
}

// couponPage shows a coupon and its codes.
func couponPage(v *visit) (view, error) {
	c, err := ofCoupon.named(v)
	if err != nil {
		return view{}, err
	}
	codes, err1 := v.program.Codes(v.Ctx(),
		affiliate.CodeQuery{CouponID: affiliate.Set(c.ID), Usability: true}, v.Page50())
	holds, err2 := v.program.Holds(v.Ctx(), affiliate.HoldQuery{CouponID: affiliate.Set(c.ID)},
		affiliate.Page{Limit: shownHolds})
	return view{title: page.Named(c.Name), template: "coupon", next: codes.Next,
		Data: &couponSheet{c, codes.Items, holds}}, errors.Join(err1, err2)
}

// ofCoupon is about coupons, without their codes.
var ofCoupon = noun[affiliate.Coupon]{"coupons/",
	func(v *visit, id uuid.UUID) (affiliate.Coupon, error) {
		return first(v.program.Coupons(v.Ctx(), affiliate.CouponQuery{ID: affiliate.Set(id)}, only))
	}}

var (
	couponTypes = []affiliate.CouponType{affiliate.CouponPercentage, affiliate.CouponFlat}
	durations   = []affiliate.Duration{affiliate.DurationForever, affiliate.DurationOnce, affiliate.DurationRepeating}
)

// kindFields are the fields of one kind of coupon. Those of the kind that it has are required.
func kindFields(kind affiliate.CouponType, required bool) []field {
	if kind == affiliate.CouponFlat {
		return []field{
			{Name: "amountOff", Label: "Amount off", In: "currency", Required: required},
			{Name: "currency", Label: "Currency", Hint: "Such as USD.", Required: required},
		}
	}
	return []field{
		{Name: "percentOff", Label: "Percent off", Hint: "1 to 100.", Required: required},
		{Name: "maxDiscount", Label: "Takes off at most", More: true,
			Hint: "Of one order, in the currency of the program. Empty: no limit."},
	}
}

// couponFields are the fields of a coupon of its kind.
func (v *visit) couponFields(c affiliate.Coupon) []field {
	fields := append([]field{{Name: "name", Label: "Name", Required: true}},
		kindFields(c.CouponType, true)...)
	return v.filled(c, append(fields, couponRules...)...)
}

var couponRules = []field{
	{Name: "duration", Label: "Lasts", Required: true, Options: options(durations...)},
	{Name: "durationInMonths", Label: "Months", Hint: "Only when it is repeating.", Type: "number"},
	{Name: "redeemBy", Label: "Until", Hint: "The last day. Empty: for ever.", Type: lastDay},
	{Name: "maxRedemptions", Label: "Uses in all", Hint: "Over all its codes. Empty: no limit.",
		Type: "number"},
	{Name: "maxRedemptionsPerCustomer", Label: "Uses of one customer", Type: "number", More: true,
		Hint: "Over all its codes. Empty: no limit."},
	{Name: "maxDiscountTotal", Label: "Budget", More: true,
		Hint: "Once all orders together got so much off, its codes are refused. Empty: none."},
	{Name: "restoreOnRefund", Label: "A sale that is refunded in full gives its use back",
		Type: "checkbox", More: true},
	{Name: "startsAt", Label: "From", Hint: "The first day. Empty: always.", Type: firstDay,
		More: true},
	{Name: "productIds", Label: "Only for these products", Type: "textarea", More: true,
		Hint: "Their ids, one in a line. Empty: for all."},
}

// otherKind are the fields with which a coupon becomes one of the other kind.
func (v *visit) otherKind(c affiliate.Coupon) []field {
	other := affiliate.CouponFlat
	if c.CouponType == affiliate.CouponFlat {
		other = affiliate.CouponPercentage
	}
	fields := append([]field{{Name: "couponType", Label: "Kind", Required: true,
		Options: options(couponTypes...)}}, kindFields(other, false)...)
	for i := range fields {
		fields[i].More = true
	}
	return v.filled(c, fields...)
}

// paramKind is the kind of a new coupon; without it, a percentage.
const paramKind = "kind"

var newCoupon = &action{
	name: "coupons.create", object: "coupon", done: "The coupon was made. Now give it codes.",
	form: func(v *visit) (form, error) {
		title, c := "New coupon", affiliate.Coupon{CouponType: affiliate.CouponPercentage,
			Duration: affiliate.DurationForever}
		if v.query.Get(paramKind) == string(affiliate.CouponFlat) {
			title, c.CouponType, c.Currency = "New coupon with an amount", affiliate.CouponFlat,
				affiliate.Set(v.Currency)
		}
		return form{
			Title: title, Button: "Create", Back: "coupons",
			Effects: []string{"A coupon says what is taken off. Its codes are what customers type.",
				"The event coupon.created is sent."},
			Fields: append(v.couponFields(c),
				field{Name: "couponType", Type: "hidden", Value: string(c.CouponType)}),
		}, nil
	},
	do: create((*tributary.Program).CreateCoupon,
		func(c affiliate.Coupon) string { return "coupons/" + c.ID.String() },
		func(_ *visit, _ *input, c *affiliate.CouponParams) error {
			c.LimitToProducts = len(c.ProductIDs) > 0
			return nil
		}),
}

var editCoupon = &action{
	name: "coupons.update", object: "coupon", done: "The coupon was changed.",
	form: ofCoupon.form(func(v *visit, c affiliate.Coupon) (form, error) {
		return form{
			Title: "Edit " + page.Named(c.Name), Button: "Save", Edits: true,
			Fields: append(v.couponFields(c), v.otherKind(c)...),
			Effects: []string{
				"Orders from now on get what it says. The event coupon.updated is sent."},
		}, nil
	}),
	do: update(ofCoupon, (*tributary.Program).UpdateCoupon,
		func(_ *visit, _ *input, up *affiliate.CouponUpdate) error {
			if ids, given := up.ProductIDs.Get(); given {
				up.LimitToProducts = affiliate.Set(len(ids) > 0)
			}
			return nil
		}),
}

var validCoupon = &action{
	name: "coupons.valid", object: "coupon", done: "This was saved.",
	form: ofCoupon.form(func(_ *visit, c affiliate.Coupon) (form, error) {
		return form{
			Title: "May " + page.Named(c.Name) + " be used?", Button: "Save", Edits: true,
			Effects: []string{"While it is not valid all its codes are refused at the checkout."},
			Fields:  []field{box("valid", "It may be used", c.Valid)},
		}, nil
	}),
	do: update(ofCoupon, (*tributary.Program).UpdateCoupon),
}

var deleteCoupon = &action{
	name: "coupons.delete", object: "coupon", done: "The coupon and its codes were deleted.",
	form: ofCoupon.form(func(v *visit, c affiliate.Coupon) (form, error) {
		usable := "It may be used now"
		if !c.Valid {
			usable = "It may not be used now"
		}
		return form{
			Title: "Delete " + page.Named(c.Name), Button: "Delete", Danger: true,
			Effects: []string{usable + ", and takes " + v.offOf(affiliate.Set(c)) + ".",
				"All its codes are deleted with it and stop working at once. Sales stay as they are.",
				"The event coupon.deleted is sent."},
		}, nil
	}),
	do: remove("coupons", (*tributary.Program).DeleteCoupon),
}
