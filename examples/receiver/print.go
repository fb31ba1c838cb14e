package main

import (
	"context"
	"fmt"
	"log"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

// newReceiver makes a receiver that prints each type of event. It prints no
// personal data but ids.
func newReceiver(out *log.Logger) *webhooks.Receiver {
	person := printed(out, func(a affiliate.AffiliateBody) string { return fmt.Sprintf("%s is %q", a.ID, a.Status) })
	customer := printed(out,
		func(c affiliate.ReferralBody) string {
			return fmt.Sprintf("%s is %q", c.ID,
				c.SubscriptionStatus)
		})
	sale := printed(out, func(s affiliate.Sale) string {
		return fmt.Sprint(s.ID, ": ", s.CommissionEarned, " of ", s.TotalEarned, " to affiliate ", s.AffiliateID)
	})
	coupon := printed(out, func(c affiliate.Coupon) string { return fmt.Sprintf("%s %q", c.ID, c.Name) })
	code := printed(out, func(c affiliate.Code) string { return fmt.Sprintf("%s %q", c.ID, c.Code) })
	gone := printed(out, uuid.UUID.String)
	return &webhooks.Receiver{
		AffiliateCreated: person, AffiliateUpdated: person, AffiliateDeleted: gone,
		ReferralCreated: customer, ReferralUpdated: customer, ReferralDeleted: gone,
		SaleCreated: sale, SaleUpdated: sale,
		SaleDeleted:   printed(out, func(id affiliate.SaleID) string { return fmt.Sprint(id) }),
		CouponCreated: coupon, CouponUpdated: coupon, CouponDeleted: gone,
		PromocodeCreated: code, PromocodeUpdated: code, PromocodeDeleted: gone,
		Other: func(_ context.Context, e webhooks.Event) error {
			out.Printf("%s %q is of a type that this program does not know", e.ID, e.Type)
			return nil
		},
	}
}

// printed makes a function of a Receiver that prints the object as describe
// words it.
func printed[T any](out *log.Logger, describe func(T) string) func(context.Context, webhooks.Event, T) error {
	return func(_ context.Context, e webhooks.Event, object T) error {
		test := ""
		if e.Test {
			test = " (test)"
		}
		out.Printf("%s %s revision %d%s: %s", e.ID, e.Type, e.Revision, test, describe(object))
		return nil
	}
}
