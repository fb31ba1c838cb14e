package client_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// searches is the part of the story in which people look for something.
func (s *teller) searches(ada affiliate.Affiliate) {
	c, x := s.Operations, s.ctx
	text, day := affiliate.Set[string], affiliate.Set(affiliate.Day(2026, 3, 11))
	long := text(strings.Repeat("x", 101))
	for _, q := range []affiliate.AffiliateQuery{
		{OldestFirst: true},
		{}, {Status: affiliate.AffiliateActive}, {Status: "x"}, {PlanID: affiliate.Set(anID)}, {TierID: affiliate.Null[uuid.UUID]()}, {Search: text("ADA")}, {Search: text("example")},
		{Search: text(ada.ID.String()), Status: affiliate.AffiliateActive}, {Search: text(" ")}, {Search: text("")}, {Search: long}, {Search: text("a\x00")},
	} {
		told[affiliate.List[affiliate.Affiliate]](s, "affiliates")(c.Affiliates(x, q, affiliate.Page{}))
		told[int](s, "affiliates in pages")(pages(func(pg affiliate.Page) (affiliate.List[affiliate.Affiliate], error) {
			return c.Affiliates(x, q, pg)
		}))
	}
	for _, q := range []affiliate.ReferralQuery{
		{}, {OldestFirst: true}, {AffiliateID: affiliate.Set(ada.ID), Status: affiliate.SubscriptionActive}, {Status: "x"}, {Since: day, Until: day}, {Since: affiliate.Set(affiliate.Day(2026, 3, 12))},
		{Search: text("kim@example.com")}, {Search: text("exa")}, {Search: long}, {AffiliateID: affiliate.Set(uuid.Nil)},
	} {
		told[affiliate.List[affiliate.Referral]](s, "referrals")(c.Referrals(x, q, affiliate.Page{}))
		told[int](s, "referrals in pages")(pages(func(pg affiliate.Page) (affiliate.List[affiliate.Referral], error) {
			return c.Referrals(x, q, pg)
		}))
	}
	for _, q := range []affiliate.CodeQuery{
		{}, {AffiliateID: affiliate.Set(ada.ID), Active: affiliate.Set(true)}, {Active: affiliate.Set(false)}, {Active: affiliate.Null[bool]()}, {State: affiliate.CodeUsable},
		{OldestFirst: true}, {State: affiliate.CodeUsedUp, CouponID: affiliate.Set(anID)}, {State: "x"}, {Search: text("many")}, {Search: long},
	} {
		told[affiliate.List[affiliate.Code]](s, "codes")(c.Codes(x, q, affiliate.Page{}))
		told[int](s, "codes in pages")(pages(func(pg affiliate.Page) (affiliate.List[affiliate.Code], error) { return c.Codes(x, q, pg) }))
	}
	for _, q := range []affiliate.CouponQuery{{}, {Valid: affiliate.Set(true)}, {Valid: affiliate.Set(false)}, {Valid: affiliate.Null[bool]()}, {ID: affiliate.Set(uuid.Nil)}, {ID: affiliate.Set(uuid.Max)}} {
		told[affiliate.List[affiliate.Coupon]](s, "summaries")(c.Coupons(x, q, affiliate.Page{}))
	}
	s.events(ada)
}

// events is the part of the story in which somebody reads what has happened.
func (s *teller) events(ada affiliate.Affiliate) {
	c, x := s.Operations, s.ctx
	for _, f := range []affiliate.EventQuery{
		{Type: affiliate.AffiliateCreated}, {ObjectID: affiliate.Set(ada.ID.String())}, {ObjectID: affiliate.Set("1"), Type: affiliate.SaleCreated}, {ObjectID: affiliate.Set("")}, {ObjectID: affiliate.Set("x")}, {Type: "x"},
	} {
		l, err := c.Events(x, f, affiliate.Page{})
		told[[]string](s, "events")(shown(l.Items), err)
		told[int](s, "events in pages")(pages(func(pg affiliate.Page) (affiliate.List[affiliate.Event], error) { return c.Events(x, f, pg) }))
	}
	first, err := c.EventsAfter(x, uuid.Nil, 3)
	told[[]string](s, "first events")(shown(first), err)
	for _, id := range []uuid.UUID{first[1].ID, uuid.Nil, uuid.Max} {
		l, err := c.Events(x, affiliate.EventQuery{ID: affiliate.Set(id)}, affiliate.Page{})
		told[[]string](s, "one event")(shown(l.Items), err)
		deliveries, err := c.Deliveries(x, affiliate.DeliveryQuery{EventID: affiliate.Set(id)}, affiliate.Page{})
		told[int](s, "its deliveries")(len(deliveries.Items), err)
	}
	later, err := c.EventsAfter(x, first[2].ID, 2)
	told[[]string](s, "later events")(shown(later), err)
	told[[]affiliate.Event](s, "no more events")(c.EventsAfter(x, uuid.Max, 1))
	for _, limit := range []int{0, -1, 1001} {
		told[[]affiliate.Event](s, "too many events")(c.EventsAfter(x, uuid.Nil, limit))
	}
}

// shown are events without what is drawn.
func shown(events []affiliate.Event) (out []string) {
	for _, e := range events {
		out = append(out, fmt.Sprintln(e.Type, len(e.ObjectID), e.Revision, e.OccurredAt, json.Valid(e.Payload), strings.Contains(string(e.Payload), e.MessageID())))
	}
	return out
}
