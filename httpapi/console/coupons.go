package console

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

type couponList struct {
	Items  []affiliate.Coupon
	Valids []option
}

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
	list, err := v.program.Coupons(v.ctx(), q, v.page50())
	return view{title: "Coupons", template: "coupons", next: list.Next,
		Data: &couponList{list.Items,
			[]option{{"true", "Switched on"}, {"false", "Switched off"}}}}, err
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
	c, err := v.coupon()
	if err != nil {
		return view{}, err
	}
	codes, err := v.program.Codes(v.ctx(),
		affiliate.CodeQuery{CouponID: affiliate.Set(c.ID), Usability: true}, v.page50())
	if err != nil {
		return view{}, err
	}
	holds, err := v.program.Holds(v.ctx(), affiliate.HoldQuery{CouponID: affiliate.Set(c.ID)},
		affiliate.Page{Limit: shownHolds})
	return view{title: page.Named(c.Name), template: "coupon", next: codes.Next,
		Data: &couponSheet{c, codes.Items, holds}}, err
}

// coupon returns the one that the path names, without its codes.
func (v *visit) coupon() (affiliate.Coupon, error) {
	id, err := v.id(0)
	if err != nil {
		return affiliate.Coupon{}, err
	}
	list, err := v.program.Coupons(v.ctx(), affiliate.CouponQuery{ID: affiliate.Set(id)}, affiliate.Page{Limit: 1})
	if err == nil && len(list.Items) == 0 {
		err = affiliate.ErrNotFound
	}
	if err != nil {
		return affiliate.Coupon{}, err
	}
	return list.Items[0], nil
}

// couponForm returns a form about the coupon of the path.
func couponForm(fill func(*visit, affiliate.Coupon) (form, error)) func(*visit) (form, error) {
	return func(v *visit) (form, error) {
		c, err := v.coupon()
		if err != nil {
			return form{}, err
		}
		f, err := fill(v, c)
		f.Back = "coupons/" + c.ID.String()
		return f, err
	}
}

// ofCoupon returns a function that runs do for the coupon of the path, and
// redirects to its page.
func ofCoupon(do func(*visit, *tributary.Program, uuid.UUID, *input) error) func(*visit, *tributary.Program, *input) (string, error) {
	return func(v *visit, p *tributary.Program, in *input) (string, error) {
		id, err := v.id(0)
		if err != nil {
			return "", err
		}
		return "coupons/" + id.String(), do(v, p, id, in)
	}
}

var (
	couponTypes = []affiliate.CouponType{affiliate.CouponPercentage, affiliate.CouponFlat}
	durations   = []affiliate.Duration{affiliate.DurationForever, affiliate.DurationOnce, affiliate.DurationRepeating}
)

// kindFields are the fields of one kind of coupon.
func kindFields(kind affiliate.CouponType, c affiliate.Coupon) []field {
	if kind == affiliate.CouponFlat {
		return []field{
			{Name: "amountOff", Label: "Amount off", Required: kind == c.CouponType, Value: typed(c.AmountOff)},
			{Name: "currency", Label: "Currency", Hint: "Such as USD.",
				Required: kind == c.CouponType, Value: typed(c.Currency)},
		}
	}
	return []field{
		{Name: "percentOff", Label: "Percent off", Hint: "1 to 100.",
			Required: kind == c.CouponType, Value: typed(c.PercentOff)},
		{Name: "maxDiscount", Label: "Takes off at most",
			Hint:  "Of one order, in the currency of the program. Empty: no limit.",
			Value: typed(c.MaxDiscount), More: true},
	}
}

// couponFields are the fields of a coupon of its kind.
func (v *visit) couponFields(c affiliate.Coupon) []field {
	fields := append([]field{{Name: "name", Label: "Name", Required: true, Value: c.Name}},
		kindFields(c.CouponType, c)...)
	return append(fields,
		field{Name: "duration", Label: "Applies to", Required: true, Value: string(c.Duration),
			Options: options(durations...)},
		field{Name: "durationInMonths", Label: "Months", Hint: "Only when it is repeating.",
			Type: "number", Value: typed(c.DurationInMonths)},
		v.dayField(field{Name: "redeemBy", Label: "Until", Hint: "The last day. Empty: for ever."},
			c.RedeemBy, affiliate.Date.Instant),
		field{Name: "maxRedemptions", Label: "Uses in all",
			Hint: "Over all its codes. Empty: no limit.", Type: "number",
			Value: typed(c.MaxRedemptions)},
		field{Name: "maxRedemptionsPerCustomer", Label: "Uses of one customer",
			Hint: "Over all its codes. Empty: no limit.", Type: "number",
			Value: typed(c.MaxRedemptionsPerCustomer), More: true},
		field{Name: "maxDiscountTotal", Label: "Budget",
			Hint:  "Once all orders together got so much off, its codes are refused. Empty: none.",
			Value: typed(c.MaxDiscountTotal), More: true},
		field{Name: "restoreOnRefund", Label: "A sale that is refunded in full gives its use back",
			Type: "checkbox", Value: ticked(c.RestoreOnRefund), More: true},
		more(v.dayField(field{Name: "startsAt", Label: "From",
			Hint: "The first day. Empty: always."}, c.StartsAt, affiliate.Date.FirstInstant)),
		field{Name: "productIds", Label: "Only for these products",
			Hint: "Their ids, one in a line. Empty: for all.", Type: "textarea",
			Value: strings.Join(c.ProductIDs, "\n"), More: true},
	)
}

// otherKind are the fields with which a coupon becomes one of the other kind.
func otherKind(c affiliate.Coupon) []field {
	other := affiliate.CouponFlat
	if c.CouponType == affiliate.CouponFlat {
		other = affiliate.CouponPercentage
	}
	fields := []field{{Name: "couponType", Label: "Kind", Required: true,
		Value: string(c.CouponType), Options: options(couponTypes...), More: true}}
	for _, f := range kindFields(other, c) {
		fields = append(fields, more(f))
	}
	return fields
}

// products returns the ids of a text, one in a line.
func (in *input) products() []string {
	ids := []string{}
	for line := range strings.Lines(in.text("productIds")) {
		if id := strings.TrimSpace(line); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// paramKind is the kind of a new coupon; without it, a percentage.
const paramKind = "kind"

// newCoupon makes a coupon.
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
			Fields: append(v.couponFields(c), field{Name: "couponType", Type: "hidden", Value: string(c.CouponType)}),
		}, nil
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		ids := in.products()
		c := affiliate.CouponParams{
			Name: in.text("name"), CouponType: affiliate.CouponType(in.Get("couponType")),
			PercentOff:       in.percent("percentOff"),
			AmountOff:        in.amountOf("amountOff", in.currencyOf("currency")),
			Currency:         choice[affiliate.Currency](in, "currency"),
			Duration:         affiliate.Duration(in.Get("duration")),
			DurationInMonths: in.whole("durationInMonths"), StartsAt: in.date("startsAt"),
			MaxDiscount: in.amount("maxDiscount"), MaxDiscountTotal: in.amount("maxDiscountTotal"),
			MaxRedemptionsPerCustomer: in.whole("maxRedemptionsPerCustomer"),
			RestoreOnRefund:           in.yes("restoreOnRefund"), MaxRedemptions: in.whole("maxRedemptions"),
			RedeemBy: in.date("redeemBy"), LimitToProducts: len(ids) > 0, ProductIDs: ids,
		}
		if in.err != nil {
			return "", in.err
		}
		made, err := p.CreateCoupon(v.ctx(), c)
		if err != nil {
			return "", err
		}
		return "coupons/" + made.ID.String(), nil
	},
}

// editCoupon changes a coupon.
var editCoupon = &action{
	name: "coupons.update", object: "coupon", done: "The coupon was changed.",
	form: couponForm(func(v *visit, c affiliate.Coupon) (form, error) {
		return form{
			Title: "Edit " + page.Named(c.Name), Button: "Save", Edits: true,
			Fields:  append(v.couponFields(c), otherKind(c)...),
			Effects: []string{"Orders from now on get what it says. The event coupon.updated is sent."},
		}, nil
	}),
	do: ofCoupon(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		up := affiliate.CouponUpdate{
			Name: in.words("name"), CouponType: choice[affiliate.CouponType](in, "couponType"),
			PercentOff:       in.percent("percentOff"),
			AmountOff:        in.amountOf("amountOff", in.currencyOf("currency")),
			Currency:         nullable(choice[affiliate.Currency](in, "currency")),
			Duration:         choice[affiliate.Duration](in, "duration"),
			DurationInMonths: in.whole("durationInMonths"), StartsAt: in.date("startsAt"),
			MaxDiscount: in.amount("maxDiscount"), MaxDiscountTotal: in.amount("maxDiscountTotal"),
			MaxRedemptionsPerCustomer: in.whole("maxRedemptionsPerCustomer"),
			RestoreOnRefund:           in.flag("restoreOnRefund"), MaxRedemptions: in.whole("maxRedemptions"),
			RedeemBy: in.date("redeemBy"),
		}
		if in.changed("productIds") {
			ids := in.products()
			up.LimitToProducts, up.ProductIDs = affiliate.Set(len(ids) > 0), affiliate.Set(ids)
		}
		if in.err != nil {
			return in.err
		}
		_, err := p.UpdateCoupon(v.ctx(), id, up)
		return err
	}),
}

// nullable makes an empty choice null.
func nullable[S ~string](o affiliate.Opt[S]) affiliate.Opt[S] {
	if s, ok := o.Get(); ok && s == "" {
		return affiliate.Null[S]()
	}
	return o
}

// validCoupon switches a coupon on or off.
var validCoupon = &action{
	name: "coupons.valid", object: "coupon", done: "This was saved.",
	form: couponForm(func(_ *visit, c affiliate.Coupon) (form, error) {
		return form{
			Title: "May " + page.Named(c.Name) + " be used?", Button: "Save", Edits: true,
			Effects: []string{"While it is not valid all its codes are refused at the checkout."},
			Fields:  []field{{Name: "valid", Label: "It may be used", Type: "checkbox", Value: ticked(c.Valid)}},
		}, nil
	}),
	do: ofCoupon(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		_, err := p.UpdateCoupon(v.ctx(), id, affiliate.CouponUpdate{Valid: in.flag("valid")})
		return err
	}),
}

// deleteCoupon deletes a coupon.
var deleteCoupon = &action{
	name: "coupons.delete", object: "coupon", done: "The coupon and its codes were deleted.",
	form: couponForm(func(v *visit, c affiliate.Coupon) (form, error) {
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
	do: func(v *visit, p *tributary.Program, _ *input) (string, error) {
		id, err := v.id(0)
		if err != nil {
			return "", err
		}
		_, err = p.DeleteCoupon(v.ctx(), id)
		return "coupons", err
	},
}
