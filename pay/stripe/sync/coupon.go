package sync

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/stripe"
)

// maxName is the largest number of characters that Stripe takes in a name.
const maxName = 40

// theirCoupon is a coupon at Stripe, as far as it is compared.
type theirCoupon struct {
	ID               string      `json:"id"`
	Name             string      `json:"name"`
	PercentOff       json.Number `json:"percent_off"`
	AmountOff        json.Number `json:"amount_off"`
	Currency         string      `json:"currency"`
	Duration         string      `json:"duration"`
	DurationInMonths json.Number `json:"duration_in_months"`
	MaxRedemptions   json.Number `json:"max_redemptions"`
	RedeemBy         json.Number `json:"redeem_by"`
	TimesRedeemed    json.Number `json:"times_redeemed"`
	AppliesTo        struct {
		Products []string `json:"products"`
	} `json:"applies_to"`
}

// A session is one call: the API, the program and the results.
type session struct {
	*api
	program *tributary.Program
	reads   bool // nothing is changed, here and there
	done    CouponResult
}

func (c *Client) session(p *tributary.Program) (*session, error) {
	a, err := c.open()
	return &session{api: a, program: p}, err
}

// couponID returns the id that a coupon gets at Stripe. It is ours to choose, so that
// creating it twice creates one.
func couponID(c affiliate.Coupon) string { return "trib_" + hex.EncodeToString(c.ID[:]) }

// coupon creates a coupon and its codes at Stripe, or compares them.
func (s *session) coupon(ctx context.Context, c affiliate.Coupon) error {
	fields, unfit := couponFields(c, s.program.Config().Now())
	if unfit != nil {
		s.done.Differences = append(s.done.Differences, *unfit)
		return nil
	}
	id := c.ExternalID.Or(couponID(c))
	theirs, err := s.readCoupon(ctx, id)
	switch {
	case is(err, "resource_missing") && id == couponID(c):
		theirs, err = s.createCoupon(ctx, c, fields)
	case is(err, "resource_missing"):
		s.differ(Difference{CouponID: c.ID, ExternalID: id, Field: "externalId", Ours: id})
		return nil
	case err == nil:
		err = s.compareCoupon(ctx, c, fields, theirs)
	}
	if err != nil {
		return err
	}
	if c.ExternalID.IsNull() {
		up := affiliate.CouponUpdate{ExternalID: affiliate.Set(theirs.ID),
			IntegrationType: affiliate.Set(affiliate.IntegrationType("STRIPE"))}
		if _, err := s.program.UpdateCoupon(ctx, c.ID, up); err != nil {
			return err
		}
	}
	for _, code := range slices.Backward(c.PromotionalCodes) { // oldest first
		if err := s.code(ctx, c, theirs.ID, code); err != nil {
			return err
		}
	}
	return nil
}

// check compares a coupon and its codes with Stripe's.
func (s *session) check(ctx context.Context, c affiliate.Coupon) error {
	id, ok := c.ExternalID.Get()
	if !ok || c.IntegrationType.Or("STRIPE") != "STRIPE" {
		return nil
	}
	fields, unfit := couponFields(c, s.program.Config().Now())
	if unfit != nil {
		s.done.Differences = append(s.done.Differences, *unfit)
		return nil
	}
	theirs, err := s.readCoupon(ctx, id)
	if is(err, "resource_missing") {
		s.differ(Difference{CouponID: c.ID, ExternalID: id, Field: "externalId", Ours: id})
		return nil
	}
	if err == nil {
		err = s.compareCoupon(ctx, c, fields, theirs)
	}
	if err != nil {
		return err
	}
	for code, err := range affiliate.All(ctx, s.program.Codes, affiliate.CodeQuery{CouponID: affiliate.Set(c.ID)}) {
		if err == nil {
			err = s.code(ctx, c, id, code)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *session) readCoupon(ctx context.Context, id string) (theirs theirCoupon, err error) {
	err = s.get(ctx, "/v1/coupons/"+url.PathEscape(id), url.Values{"expand[]": {"applies_to"}}, &theirs)
	return theirs, err
}

// createCoupon creates the coupon, unless somebody else has created it meanwhile.
func (s *session) createCoupon(ctx context.Context, c affiliate.Coupon,
	fields url.Values) (theirs theirCoupon, err error) {
	form := url.Values{"id": {couponID(c)}}
	for name, values := range fields {
		form[name] = values
	}
	err = s.create(ctx, "/v1/coupons", form, s.owner(c.ID), &theirs)
	if is(err, "resource_already_exists") {
		if theirs, err = s.readCoupon(ctx, couponID(c)); err == nil {
			err = s.compareCoupon(ctx, c, fields, theirs)
		}
		return theirs, err
	}
	if err == nil {
		s.done.Created = append(s.done.Created, theirs.ID)
	}
	return theirs, err
}

// owner returns whose an object is, for the idempotency key.
func (s *session) owner(id [16]byte) string {
	program := s.program.Config().ID
	return hex.EncodeToString(program[:]) + hex.EncodeToString(id[:])
}

func (s *session) differ(d Difference) { s.done.Differences = append(s.done.Differences, d) }

// onlyHere returns the first limit that was given and that Stripe does not have: there, customers would get what the
// program refuses. It has its name and its value in turn; empty: there is none.
func onlyHere(now time.Time, starts affiliate.Opt[affiliate.Time], limits ...string) (field, value string) {
	if from, ok := starts.Get(); ok && from.Time().After(now) {
		return "startsAt", from.String()
	}
	for i := 0; i < len(limits); i += 2 {
		if limits[i+1] != "" {
			return limits[i], limits[i+1]
		}
	}
	return "", ""
}

// orEmpty is the text of a limit that may not be given.
func orEmpty[T any](o affiliate.Opt[T]) string {
	if v, ok := o.Get(); ok {
		return fmt.Sprint(v)
	}
	return ""
}

// couponFields returns the fields of a coupon as Stripe takes them at a time, or why it cannot.
func couponFields(c affiliate.Coupon, now time.Time) (url.Values, *Difference) {
	if field, ours := onlyHere(now, c.StartsAt, "maxDiscount", orEmpty(c.MaxDiscount), "maxDiscountTotal", orEmpty(c.MaxDiscountTotal),
		"maxRedemptionsPerCustomer", orEmpty(c.MaxRedemptionsPerCustomer)); field != "" {
		return nil, &Difference{CouponID: c.ID, ExternalID: c.ExternalID.Or(""), Field: field, Ours: ours}
	}
	form := url.Values{"name": {shortened(c.Name)}, "duration": {string(c.Duration)}}
	if percent, ok := c.PercentOff.Get(); ok {
		if percent.Scaled()%100 != 0 {
			return nil, &Difference{CouponID: c.ID, Field: "percentOff", Ours: percent.String()}
		}
		form.Set("percent_off", percent.String())
	}
	if amount, ok := c.AmountOff.Get(); ok {
		minor, err := stripe.Minor(amount, c.Currency.Or(""))
		if err != nil {
			return nil, &Difference{CouponID: c.ID, Field: "amountOff", Ours: amount.String()}
		}
		form.Set("amount_off", strconv.FormatInt(minor, 10))
		form.Set("currency", strings.ToLower(string(c.Currency.Or(""))))
	}
	setInt(form, "duration_in_months", c.DurationInMonths)
	setInt(form, "max_redemptions", c.MaxRedemptions)
	setTime(form, "redeem_by", c.RedeemBy)
	for i, product := range c.ProductIDs {
		form.Set("applies_to[products]["+strconv.Itoa(i)+"]", product)
	}
	return form, nil
}

// shortened returns a name as Stripe takes it.
func shortened(name string) string {
	if all := []rune(name); len(all) > maxName {
		return string(all[:maxName])
	}
	return name
}

func setInt(form url.Values, name string, v affiliate.Opt[int64]) {
	if n, ok := v.Get(); ok {
		form.Set(name, strconv.FormatInt(n, 10))
	}
}

// setTime sets a time in seconds: what is later in its second counts as its
// beginning.
func setTime(form url.Values, name string, v affiliate.Opt[affiliate.Time]) {
	if t, ok := v.Get(); ok {
		form.Set(name, strconv.FormatInt(t.Time().Unix(), 10))
	}
}

// compareCoupon reports what differs, and changes the name, which Stripe allows.
func (s *session) compareCoupon(ctx context.Context, c affiliate.Coupon, fields url.Values, theirs theirCoupon) error {
	compare := func(field, ours, there string, fix Fix) bool {
		if ours == there {
			return false
		}
		s.differ(Difference{CouponID: c.ID, ExternalID: theirs.ID, Field: field, Ours: ours, Theirs: there, Fix: fix})
		return true
	}
	renamed := theirs.Name != fields.Get("name")
	if renamed && s.reads {
		compare("name", fields.Get("name"), theirs.Name, FixUpdate)
	}
	compare("percentOff", fields.Get("percent_off"), decimal(theirs.PercentOff), FixNone)
	compare("amountOff", fields.Get("amount_off"), theirs.AmountOff.String(), FixNone)
	if fields.Has("currency") {
		compare("currency", fields.Get("currency"), theirs.Currency, FixNone)
	}
	compare("duration", fields.Get("duration"), theirs.Duration, FixNone)
	compare("durationInMonths", fields.Get("duration_in_months"), theirs.DurationInMonths.String(), FixNone)
	compare("maxRedemptions", fields.Get("max_redemptions"), theirs.MaxRedemptions.String(), FixNone)
	compare("redeemBy", fields.Get("redeem_by"), theirs.RedeemBy.String(), FixNone)
	compare("productIds", listed(c.ProductIDs), listed(theirs.AppliesTo.Products), FixNone)
	compare("timesRedeemed", strconv.FormatInt(c.TimesRedeemed, 10), orZero(theirs.TimesRedeemed), FixNone)
	if !renamed || s.reads {
		return nil
	}
	err := s.change(ctx, "/v1/coupons/"+url.PathEscape(theirs.ID), url.Values{"name": fields["name"]})
	if err == nil {
		s.done.Updated = append(s.done.Updated, theirs.ID)
	}
	return err
}

// decimal returns a number of Stripe's as the engine writes it: 20.0 is 20.
func decimal(n json.Number) string {
	p, err := affiliate.ParsePercent(n.String())
	if err != nil {
		return n.String()
	}
	return p.String()
}

func orZero(n json.Number) string {
	if n == "" {
		return "0"
	}
	return n.String()
}

// listed returns a list of ids in one order.
func listed(ids []string) string {
	return strings.Join(slices.Sorted(slices.Values(ids)), ",")
}
