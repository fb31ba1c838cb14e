package robustness

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/api"
)

// A trial is what one caller does.
type trial = func(ctx context.Context, ops api.Operations, i int) (bool, error)

// scarcities are everything that is there once, or L times.
func scarcities() []scarcity {
	all := append(scarceSales(), scarceTerms()...)
	all = append(append(all, scarceHolds()...), scarceNames()...)
	return append(all, scarceMoney()...)
}

// sells is a sale by a code.
func sells(change func(i int, in *affiliate.SaleParams)) trial {
	return func(ctx context.Context, ops api.Operations, i int) (bool, error) {
		in := affiliate.SaleParams{PromoCode: "ADA", TotalEarned: affiliate.MustAmount("10")}
		change(i, &in)
		got, err := ops.RecordSale(ctx, in)
		return got.Outcome == affiliate.SaleRecorded, err
	}
}

// recorded counts the sales by their events.
func recorded(s *stall) int { return s.events(affiliate.SaleCreated) }

// scarceSales are the limits of codes and coupons, and the identities of a sale.
func scarceSales() []scarcity {
	threeCodes := func(s *stall, each, together int64) {
		for i := range 3 {
			s.newCode(fmt.Sprint("CODE", i), each)
		}
		must(s.UpdateCoupon(s.ctx, s.coupon.ID, affiliate.CouponUpdate{MaxRedemptions: affiliate.Set(together)}))
	}
	byThree := sells(func(i int, in *affiliate.SaleParams) { in.PromoCode = fmt.Sprint("code", i%3) })
	return []scarcity{
		{"uses of a code", 7, func(s *stall) trial {
			s.newCode("SEVEN", 7)
			return sells(func(_ int, in *affiliate.SaleParams) { in.PromoCode = "SEVEN" })
		}, recorded},
		{"uses of a coupon over three codes", 7, func(s *stall) trial { threeCodes(s, 0, 7); return byThree }, recorded},
		{"uses of a coupon and of its codes", 8, func(s *stall) trial { threeCodes(s, 5, 8); return byThree }, recorded},
		{"uses of three codes", 15, func(s *stall) trial { threeCodes(s, 5, 90); return byThree }, recorded},
		{"the last use of a code", 1, func(s *stall) trial {
			s.newCode("LAST", 3)
			s.sell("LAST")
			s.sell("LAST")
			return sells(func(_ int, in *affiliate.SaleParams) { in.PromoCode = "LAST" })
		}, func(s *stall) int { return recorded(s) - 2 }},
		{"a customer's first order", 1, func(s *stall) trial {
			s.newCode("FIRST", 0, func(in *affiliate.CodeParams) { in.FirstTimeOrder = true })
			return sells(func(i int, in *affiliate.SaleParams) {
				in.PromoCode, in.Name, in.Email = "FIRST", "C", []string{"c@example.net", "C@Example.net"}[i%2]
			})
		}, recorded},
		{"the external id of a sale", 1, func(*stall) trial {
			return sells(func(_ int, in *affiliate.SaleParams) { in.ExternalID = "order-1" })
		}, recorded},
		{"the invoice of a sale", 1, func(*stall) trial {
			return sells(func(_ int, in *affiliate.SaleParams) { in.ExternalInvoiceID = "in-1" })
		}, recorded},
		{"an idempotency key", 1, func(*stall) trial {
			return sells(func(_ int, in *affiliate.SaleParams) { in.Once.Key = "k" })
		}, recorded},
		{"uses of a code in free orders", 3, func(s *stall) trial {
			s.newCode("FREE", 3)
			return sells(func(_ int, in *affiliate.SaleParams) {
				*in = affiliate.SaleParams{PromoCode: "FREE", Free: true, Subtotal: affiliate.Set(affiliate.MustAmount("10"))}
			})
		}, recorded},
		{"the deletion of a sale", 1, func(s *stall) trial {
			id := s.sell("ADA")
			return func(ctx context.Context, ops api.Operations, _ int) (bool, error) {
				return true, ops.DeleteSale(ctx, id)
			}
		}, func(s *stall) int { return s.events(affiliate.SaleDeleted) }},
		{"a redemption that is restored", 1, func(s *stall) trial {
			first := s.sell("ADA")
			s.sell("ADA")
			return func(ctx context.Context, ops api.Operations, _ int) (bool, error) {
				return true, ops.RestoreRedemption(ctx, affiliate.SaleRef{ID: first})
			}
		}, func(s *stall) int { return int(must(s.Code(s.ctx, affiliate.CodeRef{Code: "ADA"})).TimesRedeemed) }},
	}
}

// tens counts what the sales earn, in tens.
func tens(s *stall) (n int) {
	for _, sale := range must(s.Sales(s.ctx, affiliate.SaleQuery{}, affiliate.Page{})).Items {
		n += int(units(sale.CommissionEarned)) / 10
	}
	return n
}

// looksFirst is the room of a cap, and the first payment of a rule, as a host would give them who
// looks at the customer first, and then gives the sale a rate.
func looksFirst(name string, l int, left func(customer affiliate.Referral) bool) scarcity {
	return scarcity{name, l, func(s *stall) trial {
		kim := must(s.CreateReferral(s.ctx, affiliate.ReferralParams{AffiliateID: "ada", Name: "K", Email: "kim@example.net", ReferredUserExternalID: "u"}))
		return func(ctx context.Context, ops api.Operations, _ int) (bool, error) {
			customer, err := ops.Referral(ctx, kim.ID.String())
			if err != nil {
				return false, err
			}
			rate, room := affiliate.MustPercent("0"), left(customer)
			if room {
				rate = affiliate.MustPercent("10")
			}
			_, err = ops.RecordSale(ctx, affiliate.SaleParams{ReferralID: kim.ID.String(), TotalEarned: affiliate.MustAmount("100"), CommissionRate: affiliate.Set(rate)})
			return room, err
		}
	}, tens}
}

// scarceTerms are what a rule or a cap gives a customer once, or so many times: 10 for each
// payment that gets it.
func scarceTerms() []scarcity {
	paid := func(terms affiliate.Terms) func(s *stall) trial {
		return func(s *stall) trial {
			plan := must(s.CreatePlan(s.ctx, affiliate.PlanParams{Name: "P", Terms: terms}))
			must(s.SetAffiliatePlan(s.ctx, plan.ID, s.ada.ID))
			return func(ctx context.Context, ops api.Operations, i int) (bool, error) {
				got, err := ops.RecordSale(ctx, affiliate.SaleParams{
					ReferralID: "ada", Email: []string{"c@example.net", "C@Example.net"}[i%2], Name: "C", TotalEarned: affiliate.MustAmount("100"), ExternalID: fmt.Sprint("o", i),
				})
				sale := got.Sale.Or(affiliate.Sale{})
				return sale.CommissionEarned == affiliate.MustAmount("10"), err
			}
		}
	}
	nth := func(from, to int64) affiliate.Terms {
		pay := affiliate.RulePay{Type: affiliate.RuleFlat, Rate: affiliate.MustPercent("10")}
		return affiliate.Terms{Rules: []affiliate.Rule{{Name: "r", When: affiliate.RuleWhen{PaymentFrom: from, PaymentTo: to}, Pay: pay}}}
	}
	// numbered counts the numbers from 1 that a payment has.
	numbered := func(s *stall) (n int) {
		have := map[int64]bool{}
		for _, sale := range must(s.Sales(s.ctx, affiliate.SaleQuery{}, affiliate.Page{})).Items {
			have[must(s.ExplainSale(s.ctx, sale.ID)).Terms.Payment.Or(0)] = true
		}
		for have[int64(n+1)] {
			n++
		}
		return n
	}
	within := func(budgets ...affiliate.Budget) func(s *stall) trial {
		return paid(affiliate.Terms{Rate: affiliate.MustPercent("10"), Budgets: budgets})
	}
	return []scarcity{
		{"the rewards of a budget", 5, within(affiliate.Budget{Of: affiliate.BudgetOfAll, MaxRewards: 5}), tens},
		{"the room of a budget", 7, within(
			affiliate.Budget{Of: affiliate.BudgetOfAll, MaxCommission: affiliate.MustAmount("500")},
			affiliate.Budget{Of: affiliate.BudgetOfAffiliate, Per: affiliate.IntervalYear, MaxCommission: affiliate.MustAmount("70")}), tens},
		{"the whole rewards of a budget", 6, within(affiliate.Budget{Of: affiliate.BudgetOfAll, MaxCommission: affiliate.MustAmount("69.99"), Whole: true}), tens},
		{"the first payment of a rule", 1, paid(nth(1, 1)), tens},
		{"the second payment of a rule", 1, paid(nth(2, 2)), tens},
		{"the payments of a rule", 5, paid(nth(3, 7)), tens},
		{"the numbers of payments", wanting, paid(nth(1, wanting)), numbered},
		{"the payments of a plan", 2, paid(affiliate.Terms{Rate: affiliate.MustPercent("10"), MaxPayments: 2}), tens},
		{"the room of a cap", 7, paid(affiliate.Terms{Rate: affiliate.MustPercent("10"), MaxPerCustomer: affiliate.MustAmount("70")}), tens},
	}
}

// scarceNames are what no two records may have.
func scarceNames() []scarcity {
	joins := func(change func(i int, in *affiliate.AffiliateParams)) trial {
		return func(ctx context.Context, ops api.Operations, i int) (bool, error) {
			in := affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: fmt.Sprintf("a%d@example.com", i)}
			change(i, &in)
			_, err := ops.CreateAffiliate(ctx, in)
			return true, err
		}
	}
	created := func(s *stall) int { return s.events(affiliate.AffiliateCreated) - 1 }
	codes := func(change func(i int, in *affiliate.CodeParams)) func(s *stall) trial {
		return func(s *stall) trial {
			return func(ctx context.Context, ops api.Operations, i int) (bool, error) {
				in := affiliate.CodeParams{CouponID: s.coupon.ID, Code: fmt.Sprint("C", i), AffiliateID: s.ada.ID}
				change(i, &in)
				_, err := ops.CreateCode(ctx, in)
				return true, err
			}
		}
	}
	return []scarcity{
		{"a slug at sign-up", 1, func(*stall) trial {
			return joins(func(i int, in *affiliate.AffiliateParams) { in.AffiliateLink = []string{"goal", "GOAL"}[i%2] })
		}, created},
		{"an affiliate's email", 1, func(*stall) trial {
			return joins(func(i int, in *affiliate.AffiliateParams) {
				in.Email = []string{"one@example.com", "One@Example.com"}[i%2]
			})
		}, created},
		{"a slug of a further link", 1, func(s *stall) trial {
			return func(ctx context.Context, ops api.Operations, _ int) (bool, error) {
				_, err := ops.CreateLink(ctx, affiliate.LinkParams{Link: "goal", AffiliateID: s.ada.ID})
				return true, err
			}
		}, nil},
		{"a slug that links are renamed to", 1, func(s *stall) trial {
			for i := range wanting {
				must(s.CreateLink(s.ctx, affiliate.LinkParams{Link: fmt.Sprint("from-", i), AffiliateID: s.ada.ID}))
			}
			return func(ctx context.Context, ops api.Operations, i int) (bool, error) {
				_, err := ops.RenameLink(ctx, affiliate.LinkRef{Slug: fmt.Sprint("from-", i)}, "goal")
				return true, err
			}
		}, nil},
		{"an email that affiliates move to", 1, func(s *stall) trial {
			for i := range wanting {
				must(s.CreateAffiliate(s.ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: fmt.Sprintf("a%d@example.com", i)}))
			}
			return func(ctx context.Context, ops api.Operations, i int) (bool, error) {
				n, err := ops.UpdateAffiliate(ctx, affiliate.AffiliateRef{Email: fmt.Sprintf("a%d@example.com", i)}, affiliate.AffiliateUpdate{Email: affiliate.Set("goal@example.com")})
				return n == 1, err
			}
		}, nil},
		{"the text of a code", 1, codes(func(i int, in *affiliate.CodeParams) { in.Code = []string{"goal", "GOAL"}[i%2] }), nil},
		{"the external id of a code", 1, codes(func(_ int, in *affiliate.CodeParams) { in.ExternalID = "promo_1" }), nil},
		{"the external id of a coupon", 1, func(*stall) trial {
			return func(ctx context.Context, ops api.Operations, _ int) (bool, error) {
				_, err := ops.CreateCoupon(ctx, affiliate.CouponParams{Name: "X", PercentOff: affiliate.Set(affiliate.MustPercent("5")), ExternalID: "x"})
				return true, err
			}
		}, nil},
		{"a customer's email", 1, func(*stall) trial {
			return func(ctx context.Context, ops api.Operations, i int) (bool, error) {
				email := []string{"kim@example.net", "Kim@Example.net"}[i%2]
				got, err := ops.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "ada", Name: "K", Email: email, ReferredUserExternalID: "u"})
				return strings.EqualFold(got.Email, email), err
			}
		}, func(s *stall) int { return s.events(affiliate.ReferralCreated) }},
		{"an invitation", 1, func(s *stall) trial {
			guest := must(s.InviteAffiliate(s.ctx, affiliate.AffiliateParams{FirstName: "G", LastName: "H", Email: "g@example.com"}))
			return func(ctx context.Context, ops api.Operations, _ int) (bool, error) {
				_, err := ops.AcceptInvite(ctx, guest.ID, affiliate.Acceptance{})
				return true, err
			}
		}, nil},
	}
}

// scarceMoney are refunds, payouts and adjustments.
func scarceMoney() []scarcity {
	refunds := func(amount string, id func(i int) string) func(s *stall) trial {
		return func(s *stall) trial {
			s.sale = s.sell("ADA")
			return func(ctx context.Context, ops api.Operations, i int) (bool, error) {
				in := affiliate.Refund{SaleID: s.sale, RefundID: id(i)}
				if amount != "" {
					in.Amount = affiliate.Set(affiliate.MustAmount(amount))
				}
				got, err := ops.RefundSale(ctx, in)
				return !got.AlreadyRefunded, err
			}
		}
	}
	one := func(int) string { return "r" }
	return []scarcity{
		{"a refund by its id", 1, refunds("5", one), func(s *stall) int { return s.events(affiliate.SaleUpdated) }},
		{"a full refund", 1, refunds("", func(int) string { return "" }), func(s *stall) int { return s.events(affiliate.SaleDeleted) }},
		{"refunds of 15 out of 100", 6, refunds("15", func(i int) string { return fmt.Sprint("r", i) }), func(s *stall) int { return s.events(affiliate.SaleUpdated) }},
		{"a commission in a payout", 1, func(s *stall) trial {
			s.sell("ADA")
			return func(ctx context.Context, ops api.Operations, _ int) (bool, error) {
				_, err := ops.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.ada.ID})
				return true, err
			}
		}, func(s *stall) int {
			return len(must(s.Payouts(s.ctx, affiliate.PayoutQuery{}, affiliate.Page{})).Items)
		}},
		{"a payout that is paid", 1, func(s *stall) trial { return s.moves(affiliate.PayoutPaid) },
			func(s *stall) int {
				return int(units(must(s.Balance(s.ctx, affiliate.AffiliateRef{ID: s.ada.ID})).Paid)) / 20
			}},
		{"a payout that is canceled", 1, func(s *stall) trial { return s.moves(affiliate.PayoutCanceled) },
			func(s *stall) int {
				return int(units(must(s.Balance(s.ctx, affiliate.AffiliateRef{ID: s.ada.ID})).Payable)) / 20
			}},
		{"a payout that is paid or canceled", 1, func(s *stall) trial {
			s.sell("ADA")
			id := must(s.CreatePayout(s.ctx, affiliate.PayoutParams{AffiliateID: s.ada.ID})).ID
			var winner atomic.Int64 // 1 and 2: paid and canceled; the same status again is no second time
			return func(ctx context.Context, ops api.Operations, i int) (bool, error) {
				_, err := ops.SetPayoutStatus(ctx, id, []affiliate.PayoutStatus{affiliate.PayoutPaid, affiliate.PayoutCanceled}[i%2])
				return err == nil && winner.Swap(int64(1+i%2)) != int64(1+i%2), err
			}
		}, nil},
		{"a run of payouts", 1, func(s *stall) trial {
			s.sell("ADA")
			return func(ctx context.Context, ops api.Operations, _ int) (bool, error) {
				got, err := ops.RunPayouts(ctx, affiliate.PayoutRun{ExternalID: "run-1", NoDetails: true})
				return got.Created == 1, err
			}
		}, func(s *stall) int {
			return len(must(s.Payouts(s.ctx, affiliate.PayoutQuery{}, affiliate.Page{})).Items)
		}},
		{"the external id of an adjustment", 1, func(s *stall) trial {
			return adjusts(affiliate.AdjustmentParams{AffiliateID: s.ada.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("20"), Reason: "r", ExternalID: "b"})
		}, nil},
		{"the reversal of an adjustment", 1, func(s *stall) trial {
			bonus := must(s.RecordAdjustment(s.ctx, affiliate.AdjustmentParams{AffiliateID: s.ada.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("20"), Reason: "r"}))
			return adjusts(affiliate.AdjustmentParams{Reverses: bonus.ID, Reason: "r"})
		}, nil},
	}
}

func adjusts(in affiliate.AdjustmentParams) trial {
	return func(ctx context.Context, ops api.Operations, _ int) (bool, error) {
		got, err := ops.RecordAdjustment(ctx, in)
		return got.ID != uuid.Nil, err
	}
}

// moves takes a payout of 20 to a status.
func (s *stall) moves(status affiliate.PayoutStatus) trial {
	s.sell("ADA")
	id := must(s.CreatePayout(s.ctx, affiliate.PayoutParams{AffiliateID: s.ada.ID})).ID
	return func(ctx context.Context, ops api.Operations, _ int) (bool, error) {
		_, err := ops.SetPayoutStatus(ctx, id, status)
		return true, err
	}
}
