package twins

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// administerOperations are what a program's administrator does, and reads.
func administerOperations(ctx context.Context) []operation {
	return append(administerPeople(ctx), []operation{
		{"plan or tier that goes", func(w twin, in *input) string {
			tier := pick(in, must(w.Tiers(ctx, affiliate.Page{})).Items).ID
			up := affiliate.TierUpdate{Name: affiliate.Set(in.of("t", "", "u")), MinRevenue: affiliate.Set(in.amount()), Emoji: affiliate.Null[string]()}
			out := answer(w.UpdateTier(ctx, tier, up)) + answer(w.Tier(ctx, tier)) + answer(w.SetAffiliateTier(ctx, tier, w.someAffiliate(in).ID))
			if in.n(3) == 0 {
				out += done(w.DeleteTier(ctx, tier)) + done(w.DeletePlan(ctx, pick(in, must(w.Plans(ctx, affiliate.Page{})).Items).ID))
			}
			return out
		}},
		{"codes of one structure", func(w twin, in *input) string {
			batch := affiliate.CodesParams{Count: 1 + in.n(2), CodeParams: affiliate.CodeParams{
				CouponID: w.someCoupon(in).ID, AffiliateID: w.someAffiliate(in).ID, Prefix: in.of("A", "b c"), CodeStructure: affiliate.Set(affiliate.CodeStructure{FirstName: in.n(2) == 1}),
			}}
			codes, err := w.GenerateCodes(ctx, batch)
			out := answer(w.CheckCodes(ctx, batch)) + answer(len(codes), err)
			for _, c := range codes {
				out += answer([]any{c.ID, c.Code, c.CouponID, c.AffiliateID}, nil)
			}
			return out
		}},
		{"endpoint that changes", func(w twin, in *input) string {
			id := pick(in, must(w.Endpoints(ctx, affiliate.Page{})).Items).ID
			up := affiliate.EndpointUpdate{Description: affiliate.Set(in.of("x", "é <b>")), Active: affiliate.Set(in.n(2) == 1), URL: affiliate.Set(in.of("https://c.example/z", "ftp://no"))}
			out := answer(w.UpdateEndpoint(ctx, id, up)) + answer(w.Endpoint(ctx, id)) + answer(w.TestEndpoint(ctx, affiliate.EndpointTest{WebhookID: id, Event: in.event()}))
			list, err := w.Deliveries(ctx, affiliate.DeliveryQuery{Event: in.event()}, affiliate.Page{})
			delivery := pick(in, list.Items).ID
			return out + answer(list, err) + answer(w.RotateSecret(ctx, affiliate.Rotation{WebhookID: id, GracePeriodSeconds: affiliate.Set(int64(in.n(3)))})) +
				answer(w.Replay(ctx, affiliate.ReplayRange{DeliveryID: delivery})) + answer(w.Delivery(ctx, delivery))
		}},
		{"ledger", func(w twin, in *input) string {
			of := affiliate.AffiliateRef{ID: w.someAffiliate(in).ID}
			from := time.Date(2026, 3, 11, 9, 24, in.n(60), 0, time.UTC)
			statement, err := w.Statement(ctx, of, from, from.Add(time.Duration(in.n(3))*24*time.Hour))
			out := answer(statement, err)
			if err == nil {
				for line, err := range statement.Lines() {
					out += answer(line, err)
				}
			}
			q := affiliate.BreakdownQuery{From: from, To: from.Add(time.Hour), By: affiliate.Dimension(in.of("affiliate", "link", "plan", "product", "x"))}
			return out + answer(w.Balance(ctx, of)) + answer(w.Balances(ctx, affiliate.Page{Limit: 2})) + answer(w.TotalBalance(ctx, time.Time{})) +
				answer(w.RankedBalances(ctx, time.Time{}, affiliate.Page{})) + answer(w.Breakdown(ctx, q, affiliate.Page{})) +
				answer(w.Movements(ctx, affiliate.MovementQuery{Cause: affiliate.Cause(in.of("", "SALE", "x"))}, affiliate.Page{Limit: 3}))
		}},
		{"payout that ends", func(w twin, in *input) string {
			id := pick(in, must(w.Payouts(ctx, affiliate.PayoutQuery{}, affiliate.Page{})).Items).ID
			out := answer(w.FailPayout(ctx, id, in.of("", "closed"))) + answer(w.ReturnPayout(ctx, id, "back\nhere")) + answer(w.Payout(ctx, id))
			for transfer, err := range w.Transfers(ctx, affiliate.PayoutQuery{Status: affiliate.PayoutStatus(in.of("", "PENDING", "paid"))}) {
				out += answer(transfer, err)
			}
			return out + answer(w.Adjustment(ctx, pick(in, must(w.Adjustments(ctx, affiliate.AdjustmentQuery{}, affiliate.Page{})).Items).ID))
		}},
		{"what waits", func(w twin, in *input) string {
			return answer(w.Attention(ctx, 1+in.n(21))) +
				done(w.AcceptRedemption(ctx, affiliate.SaleRef{ID: w.someSale(in).ID}))
		}},
	}...)
}

// administerPeople are changes of affiliates and customers, and searches of them.
func administerPeople(ctx context.Context) []operation {
	return []operation{
		{"people who change", func(w twin, in *input) string {
			id := w.someAffiliate(in).ID
			return answer(w.SetPayoutDetails(ctx, id, affiliate.PayoutDetails{Email: in.email(), Method: affiliate.PaymentMethod(in.of("", "PAYPAL", "CASH"))})) +
				answer(w.SetTierExempt(ctx, in.n(2) == 1, id))
		}},
		{"invitation", func(w twin, in *input) string {
			a, err := w.InviteAffiliate(ctx, affiliate.AffiliateParams{FirstName: "I", LastName: in.of("", "V"), Email: in.email(), Answers: []affiliate.Answer{{QuestionID: uuid.UUID{7}, Answer: in.of("", "a\nb")}}})
			return answer(a, err) + answer(w.AcceptInvite(ctx, a.ID, affiliate.Acceptance{LastName: affiliate.Set(in.of("W", ""))}))
		}},
		{"merge", func(w twin, in *input) string {
			if in.n(2) == 1 {
				return answer(w.MergeReferrals(ctx, affiliate.Merge{From: w.someReferral(in).Email, Into: w.someReferral(in).ID.String()}))
			}
			return answer(w.MergeAffiliates(ctx, affiliate.Merge{From: w.someAffiliate(in).ID.String(), Into: w.someAffiliate(in).Email}))
		}},
		{"erase affiliate", func(w twin, in *input) string { return done(w.EraseAffiliate(ctx, w.someAffiliate(in).ID)) }},
		{"search", func(w twin, in *input) string {
			text := affiliate.Opt[string]{}
			if in.n(2) == 1 {
				text = affiliate.Set(in.of("ad", "EXAMPLE", " ", "b@example.net", "a\x00"))
			}
			page, owner := affiliate.Page{Limit: in.n(4)}, affiliate.Opt[uuid.UUID]{}
			if id := w.someAffiliate(in).ID; id != uuid.Nil {
				owner = affiliate.Set(id)
			}
			return answer(w.Affiliates(ctx, affiliate.AffiliateQuery{Search: text, Status: affiliate.AffiliateStatus(in.of("", "ACTIVE", "x"))}, page)) +
				answer(w.Referrals(ctx, affiliate.ReferralQuery{Search: text, AffiliateID: owner}, page)) +
				answer(w.Codes(ctx, affiliate.CodeQuery{Search: text, State: affiliate.CodeState(in.of("", "usable", "exhausted", "x"))}, page)) +
				answer(w.Coupon(ctx, affiliate.CouponRef{Name: in.of("", "Spring", "Link")})) + answer(w.Referral(ctx, in.of("", "B@example.net", "u1")))
		}},
		{"code that goes", func(w twin, in *input) string {
			code := pick(in, must(w.Codes(ctx, affiliate.CodeQuery{}, affiliate.Page{})).Items)
			return answer(w.DeleteCode(ctx, code.ID))
		}},
	}
}

// event draws a type of events.
func (in *input) event() affiliate.EventType {
	return affiliate.EventType(in.of("", "sale.created", "coupon.updated", "x"))
}
