package sync

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/stripe"
)

// theirCode is a promotion code at Stripe, as far as it is compared.
type theirCode struct {
	ID             string      `json:"id"`
	Code           string      `json:"code"`
	Active         bool        `json:"active"`
	ExpiresAt      json.Number `json:"expires_at"`
	MaxRedemptions json.Number `json:"max_redemptions"`
	TimesRedeemed  json.Number `json:"times_redeemed"`
	Customer       reference   `json:"customer"`
	Coupon         reference   `json:"coupon"` // of API versions before 2025-09-30
	Promotion      struct {
		Coupon reference `json:"coupon"`
	} `json:"promotion"`
	Restrictions struct {
		FirstTimeTransaction  bool        `json:"first_time_transaction"`
		MinimumAmount         json.Number `json:"minimum_amount"`
		MinimumAmountCurrency string      `json:"minimum_amount_currency"`
	} `json:"restrictions"`
}

// of returns the coupon of the promotion code.
func (t theirCode) of() string { return string(t.Promotion.Coupon + t.Coupon) }

// A reference is an id, which Stripe writes as a string or as the whole object.
type reference string

// UnmarshalJSON reads both.
func (r *reference) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, (*string)(r))
	}
	var object struct {
		ID string `json:"id"`
	}
	err := json.Unmarshal(raw, &object)
	*r = reference(object.ID)
	return err
}

// code creates a code of a coupon at Stripe, or compares it.
func (s *session) code(ctx context.Context, c affiliate.Coupon, couponID string, code affiliate.Code) error {
	fields, unfit := codeFields(c, code, s.program.Config())
	if unfit != nil {
		s.done.Differences = append(s.done.Differences, *unfit)
		return nil
	}
	if id, ok := code.ExternalID.Get(); ok {
		var theirs theirCode
		err := s.get(ctx, "/v1/promotion_codes/"+url.PathEscape(id), nil, &theirs)
		if is(err, "resource_missing") {
			s.differ(Difference{CouponID: c.ID, Code: code.Code, ExternalID: id,
				Field: "externalId", Ours: id, Fix: FixNew})
			return nil
		}
		if err != nil {
			return err
		}
		return s.compareCode(ctx, c, code, couponID, fields, theirs)
	}
	theirs, other, err := s.findCode(ctx, couponID, code.Code)
	switch {
	case err != nil:
		return err
	case theirs.ID == "" && other.ID != "":
		s.differ(Difference{CouponID: c.ID, Code: code.Code, ExternalID: other.ID,
			Field: "couponId", Ours: couponID, Theirs: other.of()})
		return nil
	case s.reads:
		s.differ(Difference{CouponID: c.ID, Code: code.Code, ExternalID: theirs.ID,
			Field: "externalId", Theirs: theirs.ID, Fix: FixNew})
		return nil
	case theirs.ID != "":
		s.done.Adopted = append(s.done.Adopted, theirs.ID)
		err = s.compareCode(ctx, c, code, couponID, fields, theirs)
	default:
		theirs, err = s.createCode(ctx, couponID, code, fields)
	}
	if err != nil {
		return err
	}
	_, err = s.program.UpdateCode(ctx, code.ID, affiliate.CodeUpdate{ExternalID: affiliate.Set(theirs.ID)})
	return err
}

// findCode finds the promotion code of a text that belongs to the coupon, the
// active one before others, and an active one of another coupon.
func (s *session) findCode(ctx context.Context, couponID, text string) (ours, other theirCode, err error) {
	query := url.Values{"code": {text}, "limit": {"100"}}
	for {
		var page struct {
			Data    []theirCode `json:"data"`
			HasMore bool        `json:"has_more"`
		}
		if err := s.get(ctx, "/v1/promotion_codes", query, &page); err != nil {
			return ours, other, err
		}
		for _, t := range page.Data {
			switch {
			case !strings.EqualFold(t.Code, text):
			case t.of() == couponID && (ours.ID == "" || t.Active && !ours.Active):
				ours = t
			case t.of() != couponID && t.Active:
				other = t
			}
		}
		if !page.HasMore || len(page.Data) == 0 {
			return ours, other, nil
		}
		query.Set("starting_after", page.Data[len(page.Data)-1].ID)
	}
}

func (s *session) createCode(ctx context.Context, couponID string, code affiliate.Code,
	fields url.Values) (theirs theirCode, err error) {
	form := url.Values{"promotion[type]": {"coupon"}, "promotion[coupon]": {couponID}, "code": {code.Code}}
	for name, values := range fields {
		form[name] = values
	}
	err = s.create(ctx, "/v1/promotion_codes", form, s.owner(code.ID), &theirs)
	if err == nil {
		s.done.Created = append(s.done.Created, theirs.ID)
	}
	return theirs, err
}

// codeFields returns the fields of a code as Stripe takes them, or why it cannot. The
// currency of the program is that of a minimum for which the code names none.
func codeFields(c affiliate.Coupon, code affiliate.Code, program tributary.Config) (url.Values, *Difference) {
	unfit := func(field, ours string) (url.Values, *Difference) {
		return nil, &Difference{CouponID: c.ID, Code: code.Code, ExternalID: code.ExternalID.Or(""),
			Field: field, Ours: ours}
	}
	odd := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-')
	}
	if strings.ContainsFunc(code.Code, odd) {
		return unfit("code", code.Code)
	}
	if field, ours := onlyHere(program.Now(), code.StartsAt, "minimumQuantity", orEmpty(code.MinimumQuantity), "maxRedemptionsPerCustomer", orEmpty(code.MaxRedemptionsPerCustomer)); field != "" {
		return unfit(field, ours)
	}
	form := url.Values{"active": {strconv.FormatBool(code.Active && c.Valid)}}
	if code.LimitToCustomers {
		customer := code.CustomerID.Or("")
		if !strings.HasPrefix(customer, "cus_") {
			return unfit("limitToCustomers", "true")
		}
		form.Set("customer", customer)
	}
	setTime(form, "expires_at", code.ExpiresAt)
	setInt(form, "max_redemptions", code.MaxRedemptions)
	if code.FirstTimeOrder {
		form.Set("restrictions[first_time_transaction]", "true")
	}
	if minimum, ok := code.MinimumAmount.Get(); ok {
		currency := code.MinimumAmountCurrency.Or(program.Currency)
		minor, err := stripe.Minor(minimum, currency)
		if err != nil {
			return unfit("minimumAmount", minimum.String())
		}
		form.Set("restrictions[minimum_amount]", strconv.FormatInt(minor, 10))
		form.Set("restrictions[minimum_amount_currency]", strings.ToLower(string(currency)))
	}
	return form, nil
}

// compareCode reports what differs, and switches the promotion code on or off.
func (s *session) compareCode(ctx context.Context, c affiliate.Coupon, code affiliate.Code,
	couponID string, fields url.Values, theirs theirCode) error {
	compare := func(field, ours, there string, fix Fix) {
		if ours != there {
			s.differ(Difference{CouponID: c.ID, Code: code.Code, ExternalID: theirs.ID,
				Field: field, Ours: ours, Theirs: there, Fix: fix})
		}
	}
	active := strconv.FormatBool(theirs.Active)
	switched := fields.Get("active") != active
	if switched && s.reads {
		compare("active", fields.Get("active"), active, FixUpdate)
	}
	compare("couponId", couponID, theirs.of(), FixNew)
	if !strings.EqualFold(code.Code, theirs.Code) {
		compare("code", code.Code, theirs.Code, FixNew)
	}
	compare("customerId", fields.Get("customer"), string(theirs.Customer), FixNew)
	compare("expiresAt", fields.Get("expires_at"), theirs.ExpiresAt.String(), FixNew)
	compare("maxRedemptions", fields.Get("max_redemptions"), theirs.MaxRedemptions.String(), FixNew)
	compare("firstTimeOrder", strconv.FormatBool(code.FirstTimeOrder),
		strconv.FormatBool(theirs.Restrictions.FirstTimeTransaction), FixNew)
	compare("minimumAmount", fields.Get("restrictions[minimum_amount]"),
		theirs.Restrictions.MinimumAmount.String(), FixNew)
	compare("minimumAmountCurrency", fields.Get("restrictions[minimum_amount_currency]"),
		theirs.Restrictions.MinimumAmountCurrency, FixNew)
	compare("timesRedeemed", strconv.FormatInt(code.TimesRedeemed, 10), orZero(theirs.TimesRedeemed), FixNone)
	if !switched || s.reads {
		return nil
	}
	err := s.change(ctx, "/v1/promotion_codes/"+url.PathEscape(theirs.ID), url.Values{"active": fields["active"]})
	if err == nil {
		s.done.Updated = append(s.done.Updated, theirs.ID)
	}
	return err
}
