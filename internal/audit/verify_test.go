package audit_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/scene"
)

func booksSale(n int64) func(record.Sale) bool {
	return func(r record.Sale) bool { return r.Number == n }
}

// adjusts stores a bonus and its reversal, which are in order, and returns the
// id of the bonus.
func adjusts(b *scene.Ledger, tx *record.Tx, externalID string) uuid.UUID {
	rec := record.Adjustment{
		ID: uuid.UUID{1}, AffiliateID: b.Person.ID, Kind: affiliate.AdjustBonus, Amount: scene.Sum("5"), Reason: "r",
		ReversedBy: uuid.UUID{2}, CreatedAt: affiliate.InstantOf(b.Now), ExternalID: externalID,
	}
	back := rec
	back.ID, back.Amount, back.Reverses, back.ReversedBy, back.ExternalID = rec.ReversedBy, scene.Sum("-5"), rec.ID, uuid.Nil, ""
	scene.Must(0, errors.Join(tx.Adjustments.Insert(rec), tx.Adjustments.Insert(back)))
	return rec.ID
}

func TestVerifyEmpty(t *testing.T) {
	scene.New(t).Verifies()
}

func TestVerifyCodes(t *testing.T) {
	missing := uuid.MustParse("0197c2f0-0000-7000-8000-00000000dead")
	coupon := func(change func(*record.Coupon)) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error { return scene.Edit(tx.Coupons, nil, change) }
	}
	code := func(change func(*record.Code)) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error { return scene.Edit(tx.Codes, nil, change) }
	}
	scene.RunCorruptions(t, []scene.Corruption{
		{Name: "counter above the ledger", Change: code(func(r *record.Code) { r.TimesRedeemed++ }), Want: []string{"I01"}},
		{Name: "counter negative", Change: code(func(r *record.Code) { r.TimesRedeemed = -1 }), Want: []string{"I01"}},
		{Name: "ledger row missing", Change: func(_ *scene.Ledger, tx *record.Tx) error { return scene.Drop(tx.Redemptions, nil) }, Want: []string{"I01", "I02", "I87"}},
		{Name: "sale of another code", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Sales, booksSale(1), func(r *record.Sale) { r.CodeID = missing })
		}, Want: []string{"I01", "I65"}},
		{Name: "coupon counter", Change: coupon(func(r *record.Coupon) { r.TimesRedeemed-- }), Want: []string{"I02"}},
		{Name: "ledger row of another coupon", Change: func(_ *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Redemptions, nil, func(r *record.Redemption) { r.CouponID = missing })
		}, Want: []string{"I02", "I87"}},
		{Name: "coupon gone", Change: func(_ *scene.Ledger, tx *record.Tx) error { return scene.Drop(tx.Coupons, nil) }, Want: []string{"I15"}},
		{Name: "percentage without percentOff", Change: coupon(func(r *record.Coupon) { r.PercentOff = affiliate.Percent{} }), Want: []string{"I17"}},
		{Name: "percentOff of 101", Change: coupon(func(r *record.Coupon) { r.PercentOff = affiliate.MustPercent("101") }), Want: []string{"I17"}},
		{Name: "both pairs", Change: coupon(func(r *record.Coupon) { r.AmountOff, r.Currency = scene.Sum("5"), "USD" }), Want: []string{"I17"}},
		{Name: "flat without currency", Change: coupon(func(r *record.Coupon) {
			r.Type, r.PercentOff, r.AmountOff = affiliate.CouponFlat, affiliate.Percent{}, scene.Sum("5")
		}), Want: []string{"I17"}},
		{Name: "repeating without months", Change: coupon(func(r *record.Coupon) { r.Duration = affiliate.DurationRepeating }), Want: []string{"I18"}},
		{Name: "months without repeating", Change: coupon(func(r *record.Coupon) { r.DurationInMonths = 3 }), Want: []string{"I18"}},
		{Name: "limited to no product", Change: coupon(func(r *record.Coupon) { r.LimitToProducts = true }), Want: []string{"I19"}},
		{Name: "negative limit", Change: coupon(func(r *record.Coupon) { r.MaxRedemptions = -1 }), Want: []string{"I19"}},
		{Name: "negative limit of a code", Change: code(func(r *record.Code) { r.MaxRedemptions = -1 }), Want: []string{"I19"}},
		{Name: "limited to customers, to none", Change: code(func(r *record.Code) { r.LimitToCustomers = true }), Want: []string{"I19"}},
		{Name: "coupon without a name", Change: coupon(func(r *record.Coupon) { r.Name = " " }), Want: []string{"I81"}},
		{Name: "unknown duration", Change: coupon(func(r *record.Coupon) { r.Duration = "weekly" }), Want: []string{"I81"}},
		{Name: "code with a space", Change: code(func(r *record.Code) { r.Code = "ADA 20" }), Want: []string{"I21"}},
		{Name: "minimum without currency", Change: code(func(r *record.Code) { r.MinimumAmount = affiliate.Set(scene.Sum("5")) }), Want: []string{"I24"}},
		{Name: "currency without minimum", Change: code(func(r *record.Code) { r.MinimumCurrency = "USD" }), Want: []string{"I24"}},
		{Name: "code of a missing affiliate", Change: code(func(r *record.Code) { r.AffiliateID = missing }), Want: []string{"I36"}},
		{Name: "coupon changed before it was made", Change: coupon(func(r *record.Coupon) { r.UpdatedAt = r.CreatedAt.Add(-time.Second) }), Want: []string{"I54"}},
	})
}

func TestVerifyPeople(t *testing.T) {
	missing := uuid.MustParse("0197c2f0-0000-7000-8000-00000000dead")
	referral := func(change func(*record.Referral)) func(*scene.Ledger, *record.Tx) error {
		return func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Referrals, func(r record.Referral) bool { return r.ID == b.Customer.ID }, change)
		}
	}
	scene.RunCorruptions(t, []scene.Corruption{
		{Name: "slug with a dot", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Links, nil, func(r *record.Link) { r.Slug = "a.b" })
		}, Want: []string{"I25"}},
		{Name: "link without its owner", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Links, nil, func(r *record.Link) { r.AffiliateID = missing })
		}, Want: []string{"I27"}},
		{Name: "click of a missing link", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Clicks, nil, func(r *record.Click) { r.LinkID = missing })
		}, Want: []string{"I29", "I31"}},
		{Name: "click of a missing affiliate", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Clicks, nil, func(r *record.Click) { r.AffiliateID = missing })
		}, Want: []string{"I31", "I36"}},
		{Name: "click of a missing referral", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Clicks, nil, func(r *record.Click) { r.ReferralID = missing })
		}, Want: []string{"I31", "I37"}},
		{Name: "email in upper case", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Affiliates, nil, func(r *record.Affiliate) { r.Email = "Ada@example.com" })
		}, Want: []string{"I35"}},
		{Name: "affiliate on a missing plan", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Affiliates, nil, func(r *record.Affiliate) { r.PlanID = missing })
		}, Want: []string{"I36"}},
		{Name: "internal/engine in a missing tier", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Affiliates, nil, func(r *record.Affiliate) { r.TierID = missing })
		}, Want: []string{"I36"}},
		{Name: "affiliate of an unknown status", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Affiliates, nil, func(r *record.Affiliate) { r.Status = "VIP" })
		}, Want: []string{"I81"}},
		{Name: "referral of an unknown status", Change: referral(func(r *record.Referral) { r.Status = "TRIAL" }), Want: []string{"I81"}},
		{Name: "email of a referral", Change: referral(func(r *record.Referral) { r.Email = " x@y.example" }), Want: []string{"I35"}},
		{Name: "referral of a missing link", Change: referral(func(r *record.Referral) { r.LinkID = missing }), Want: []string{"I29", "I31"}},
		{Name: "referral of a missing affiliate", Change: referral(func(r *record.Referral) { r.AffiliateID = missing }), Want: []string{"I31", "I36"}},
		{Name: "referral on a missing plan", Change: referral(func(r *record.Referral) { r.PlanID = missing }), Want: []string{"I36"}},
		{Name: "totals too high", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Totals, nil, func(r *record.Totals) { r.Sales++ })
		}, Want: []string{"I31"}},
		{Name: "totals without an owner", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return tx.Totals.Insert(record.Totals{ID: missing})
		}, Want: []string{"I31"}},
		{Name: "totals missing", Change: func(b *scene.Ledger, tx *record.Tx) error { return scene.Drop(tx.Totals, nil) }, Want: []string{"I31", "I63"}},
	})
}

func TestVerifySales(t *testing.T) {
	missing := uuid.MustParse("0197c2f0-0000-7000-8000-00000000dead")
	sale := func(n int64, change func(*record.Sale)) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error { return scene.Edit(tx.Sales, booksSale(n), change) }
	}
	payout := func(change func(*record.Payout)) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error { return scene.Edit(tx.Payouts, nil, change) }
	}
	adjusted := func(change func(*record.Adjustment)) func(*scene.Ledger, *record.Tx) error {
		return func(b *scene.Ledger, tx *record.Tx) error {
			id := adjusts(b, tx, "")
			return scene.Edit(tx.Adjustments, func(r record.Adjustment) bool { return r.ID == id }, change)
		}
	}
	scene.RunCorruptions(t, []scene.Corruption{
		{Name: "sale of a missing link", Change: sale(2, func(r *record.Sale) { r.LinkID = missing }), Want: []string{"I29", "I31"}},
		{Name: "sale of a missing affiliate", Change: sale(2, func(r *record.Sale) { r.AffiliateID = missing }), Want: []string{"I31", "I36", "I40", "I71"}},
		{Name: "sale of a missing referral", Change: sale(2, func(r *record.Sale) { r.ReferralID = missing }), Want: []string{"I31", "I37"}},
		{Name: "commission of a missing affiliate", Change: sale(5, func(r *record.Sale) { r.Commissions[0].AffiliateID = missing }), Want: []string{"I36", "I40", "I64"}},
		{Name: "commission above its rate", Change: sale(5, func(r *record.Sale) { r.Commissions[0].Earned = scene.Sum("20.01") }), Want: []string{"I31", "I40", "I64", "I65"}},
		{Name: "negative commission", Change: sale(5, func(r *record.Sale) { r.Commissions[0].Earned = scene.Sum("-1") }), Want: []string{"I31", "I40", "I64", "I65"}},
		{Name: "percentage commission above its base", Change: sale(5, func(r *record.Sale) {
			r.Rate, r.Commissions[0].Earned = scene.Percent("500"), scene.Sum("500")
		}), Want: []string{"I31", "I40", "I64", "I65"}},
		{Name: "percentage above 100 on a smaller base", Change: sale(3, func(r *record.Sale) {
			r.Rate, r.Commissions[0].Earned = scene.Percent("110"), scene.Sum("69.3") // of a base of 63; 70 is left
		}), Want: []string{"I31", "I40", "I42", "I65"}},
		{Name: "negative rate", Change: sale(4, func(r *record.Sale) { r.Rate = scene.Percent("-1") }), Want: []string{"I40"}},
		{Name: "rate of no type", Change: sale(5, func(r *record.Sale) { r.RateType = affiliate.Enum[affiliate.CommissionType]{} }), Want: []string{"I81"}},
		{Name: "tax and shipping above the total", Change: sale(5, func(r *record.Sale) { r.Tax, r.Shipping = scene.Sum("60"), scene.Sum("40.0001") }), Want: []string{"I40", "I44"}},
		{Name: "tax that has no room", Change: sale(5, func(r *record.Sale) {
			r.Tax, r.Shipping = affiliate.AmountFromScaled(math.MaxInt64), affiliate.AmountFromScaled(1)
		}), Want: []string{"I40", "I44"}},
		{Name: "no status", Change: sale(5, func(r *record.Sale) { r.Status = affiliate.Enum[affiliate.SaleStatus]{} }), Want: []string{"I81"}},
		{Name: "no approval", Change: sale(5, func(r *record.Sale) {
			r.Commissions[0].Approval, r.Commissions[0].HoldReason = affiliate.EnumOf(affiliate.ApprovalStatus("")), affiliate.EnumOf(affiliate.HoldProgramSettings)
		}), Want: []string{"I64", "I81"}},
		{Name: "on hold without a reason", Change: sale(5, func(r *record.Sale) { r.Commissions[0].Approval = affiliate.EnumOf(affiliate.ApprovalOnHold) }), Want: []string{"I64", "I81"}},
		{Name: "declined without a reason", Change: sale(4, func(r *record.Sale) {
			r.Commissions[0].Approval = affiliate.EnumOf(affiliate.ApprovalDeclined)
		}), Want: []string{"I81"}},
		{Name: "accepted with a reason", Change: sale(5, func(r *record.Sale) {
			r.Commissions[0].HoldReason = affiliate.EnumOf(affiliate.HoldFraudPrevention)
		}), Want: []string{"I81"}},
		{Name: "on hold, and in a payout", Change: sale(1, func(r *record.Sale) {
			r.Commissions[0].Approval, r.Commissions[0].HoldReason = affiliate.EnumOf(affiliate.ApprovalOnHold), affiliate.EnumOf(affiliate.HoldFraudPrevention)
		}), Want: []string{"I42", "I64"}},
		{Name: "payout of an unknown status", Change: payout(func(r *record.Payout) { r.Status = "SENT" }), Want: []string{"I81"}},
		{Name: "paid payout without a time", Change: payout(func(r *record.Payout) { r.Status = affiliate.PayoutPaid }), Want: []string{"I42", "I64", "I66"}},
		{Name: "payout that waits and was paid", Change: payout(func(r *record.Payout) { r.PaidAt = r.UpdatedAt }), Want: []string{"I42"}},
		{Name: "refunds that do not add up", Change: sale(3, func(r *record.Sale) { r.Refunds[0].Amount = scene.Sum("29") }), Want: []string{"I41"}},
		{Name: "refund of nothing", Change: sale(3, func(r *record.Sale) {
			r.Refunds = append(r.Refunds, record.Refund{ID: "r2", At: r.UpdatedAt})
		}), Want: []string{"I41"}},
		{Name: "refund counted twice", Change: sale(3, func(r *record.Sale) {
			r.Refunds[0].Amount = scene.Sum("15")
			r.Refunds = append(r.Refunds, r.Refunds[0])
		}), Want: []string{"I41"}},
		{Name: "refunded, but active", Change: sale(4, func(r *record.Sale) { r.Status = affiliate.EnumOf(affiliate.SaleActive) }), Want: []string{"I31", "I41"}},
		{Name: "active, but refunded", Change: sale(5, func(r *record.Sale) { r.Status = affiliate.EnumOf(affiliate.SaleRefunded) }), Want: []string{"I31", "I41"}},
		{Name: "refunded, but it earns", Change: sale(4, func(r *record.Sale) { r.Commissions[0].Earned = scene.Sum("1") }), Want: []string{"I40", "I41", "I64", "I65"}},
		{Name: "payout missing", Change: func(b *scene.Ledger, tx *record.Tx) error { return scene.Drop(tx.Payouts, nil) }, Want: []string{"I42", "I64"}},
		{Name: "payout of another amount", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Payouts, nil, func(r *record.Payout) { r.Amount = scene.Sum("1") })
		}, Want: []string{"I42", "I64", "I66"}},
		{Name: "payout does not list it", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Payouts, nil, func(r *record.Payout) { r.Items = r.Items[1:] })
		}, Want: []string{"I42"}},
		{Name: "payout lists it twice", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Payouts, nil, func(r *record.Payout) { r.Items = append(r.Items, r.Items[0]) })
		}, Want: []string{"I42"}},
		{Name: "commission left its payout", Change: sale(1, func(r *record.Sale) { r.Commissions[0].PayoutID = uuid.Nil }), Want: []string{"I38", "I42", "I64"}},
		{Name: "payout of another affiliate", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Payouts, nil, func(r *record.Payout) { r.AffiliateID = missing })
		}, Want: []string{"I38", "I42", "I64", "I66"}},
		{Name: "two payouts of one sale", Change: sale(1, func(r *record.Sale) {
			c := r.Commissions[0]
			c.Number, c.PayoutID, c.Earned, c.ClawBack = 99, missing, affiliate.Amount{}, true
			r.Commissions = append(r.Commissions, c)
		}), Want: []string{"I42"}},
		{Name: "further commission that is not one", Change: sale(1, func(r *record.Sale) {
			c := r.Commissions[0]
			c.Number, c.PayoutID, c.Frozen, c.Earned = 99, uuid.Nil, false, affiliate.Amount{}
			r.Commissions = append(r.Commissions, c)
		}), Want: []string{"I40"}},
		{Name: "further commission beside none that is frozen", Change: sale(5, func(r *record.Sale) {
			c := r.Commissions[0]
			c.Number, c.Earned, c.ClawBack = 99, affiliate.Amount{}, true
			r.Commissions = append(r.Commissions, c)
		}), Want: []string{"I40"}},
		{Name: "frozen, in no list", Change: sale(5, func(r *record.Sale) { r.Commissions[0].Frozen = true }), Want: []string{"I67"}},
		{Name: "in a list, not frozen", Change: func(b *scene.Ledger, tx *record.Tx) error {
			free := func(r *record.Sale) { r.Commissions[0].PayoutID, r.Commissions[0].Frozen = uuid.Nil, false }
			return errors.Join(
				scene.Edit(tx.Sales, booksSale(1), free), scene.Edit(tx.Sales, booksSale(2), free), scene.Edit(tx.Sales, booksSale(3), free),
				scene.Edit(tx.Payouts, nil, func(r *record.Payout) {
					r.Status, r.CanceledAt, r.Items = affiliate.PayoutCanceled, r.UpdatedAt, r.Items[:1]
					r.Amount = scene.Sum("20")
				}),
			)
		}, Want: []string{"I64", "I66", "I67"}},
		{Name: "canceled payout that holds", Change: payout(func(r *record.Payout) {
			r.Status, r.CanceledAt = affiliate.PayoutCanceled, r.UpdatedAt
		}), Want: []string{"I42", "I64", "I66"}},
		{Name: "returned payout that holds", Change: payout(func(r *record.Payout) {
			r.Status, r.PaidAt, r.ReturnedAt = affiliate.PayoutReturned, r.UpdatedAt, r.UpdatedAt
		}), Want: []string{"I42", "I64", "I66"}},
		{Name: "returned without a time", Change: payout(func(r *record.Payout) { r.ReturnedAt = r.UpdatedAt }), Want: []string{"I42"}},
		{Name: "a reason of what did not come back", Change: payout(func(r *record.Payout) { r.ReturnedReason = "x" }), Want: []string{"I42"}},
		{Name: "canceled without a time", Change: payout(func(r *record.Payout) { r.CanceledAt = r.UpdatedAt }), Want: []string{"I42"}},
		{Name: "payout lists another sale", Change: payout(func(r *record.Payout) {
			r.Items = slices.Clone(r.Items)
			r.Items[0].Sale = 99
		}), Want: []string{"I38"}},
		{Name: "adjustment of a missing affiliate", Change: adjusted(func(r *record.Adjustment) { r.AffiliateID = missing }), Want: []string{"I36", "I64", "I73"}},
		{Name: "adjustment of no kind", Change: adjusted(func(r *record.Adjustment) { r.Kind = "GIFT" }), Want: []string{"I73", "I81"}},
		{Name: "bonus of less than nothing", Change: adjusted(func(r *record.Adjustment) { r.Amount = scene.Sum("-5") }), Want: []string{"I44", "I64", "I73"}},
		{Name: "bonus that is not rounded", Change: adjusted(func(r *record.Adjustment) { r.Amount = scene.Sum("5.001") }), Want: []string{"I44", "I64", "I73"}},
		{Name: "fee of no sale", Change: adjusted(func(r *record.Adjustment) { r.Kind, r.Amount = affiliate.AdjustChargebackFee, scene.Sum("-5") }), Want: []string{"I44", "I64", "I73"}},
		{Name: "reversed by nothing", Change: adjusted(func(r *record.Adjustment) { r.ReversedBy = missing }), Want: []string{"I73"}},
		{Name: "reversal of nothing", Change: adjusted(func(r *record.Adjustment) { r.Reverses = missing }), Want: []string{"I73"}},
		{Name: "adjustment in no payout", Change: adjusted(func(r *record.Adjustment) { r.PayoutID = missing }), Want: []string{"I42", "I64"}},
		{Name: "adjustment that left its payout", Change: func(b *scene.Ledger, tx *record.Tx) error {
			id := adjusts(b, tx, "")
			return scene.Edit(tx.Payouts, nil, func(r *record.Payout) {
				r.Items = append(slices.Clone(r.Items), affiliate.PayoutItem{Adjustment: id})
			})
		}, Want: []string{"I38"}},
		{Name: "adjustments with one external id", Change: func(b *scene.Ledger, tx *record.Tx) error {
			adjusts(b, tx, "twice")
			second := record.Adjustment{ID: uuid.UUID{3}, AffiliateID: b.Person.ID, Kind: affiliate.AdjustBonus, Amount: scene.Sum("1"), CreatedAt: affiliate.InstantOf(b.Now), ExternalID: "twice"}
			if err := tx.Adjustments.Insert(second); !errors.Is(err, record.ErrExists) {
				return fmt.Errorf("a second one was stored: %v", err)
			}
			return scene.Edit(tx.Adjustments, nil, func(r *record.Adjustment) { r.CreatedAt = affiliate.Instant{} })
		}, Want: []string{"I54"}},
		{Name: "payout of nothing", Change: func(b *scene.Ledger, tx *record.Tx) error {
			rec := record.Payout{
				ID: uuid.UUID{1}, AffiliateID: b.Person.ID, Status: affiliate.PayoutPending,
				CreatedAt: affiliate.InstantOf(b.Now), UpdatedAt: affiliate.InstantOf(b.Now),
			}
			return tx.Payouts.Insert(rec)
		}, Want: []string{"I66", "I68"}},
		{Name: "total of nothing", Change: sale(5, func(r *record.Sale) { r.TotalEarned = scene.Sum("-1") }), Want: []string{"I31", "I40", "I41", "I44"}},
		{Name: "negative tax", Change: sale(1, func(r *record.Sale) { r.Tax = scene.Sum("-1") }), Want: []string{"I40", "I44"}},
		{Name: "commission number twice", Change: sale(5, func(r *record.Sale) { r.Commissions[0].Number = 1 }), Want: []string{"I53", "I65"}},
		{Name: "no event at all", Change: sale(5, func(r *record.Sale) { r.Revision = 0 }), Want: []string{"I45", "I50"}},
	})
}

func TestVerifyEvents(t *testing.T) {
	is := func(typ affiliate.EventType) func(record.Event) bool {
		return func(r record.Event) bool { return r.Type == typ }
	}
	event := func(typ affiliate.EventType, change func(*record.Event)) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error { return scene.Edit(tx.Events, is(typ), change) }
	}
	payload := func(typ affiliate.EventType, old, new string) func(*scene.Ledger, *record.Tx) error {
		return event(typ, func(r *record.Event) {
			r.Payload = record.PayloadOf(bytes.Replace(r.Payload.Bytes(), []byte(old), []byte(new), 1))
		})
	}
	// An event that a store keeps in its unencoded form is compared with the record
	// without reading its bytes.
	frozen := func(change func(*engine.Frozen)) func(*scene.Ledger, *record.Tx) error {
		return event(affiliate.SaleDeleted, func(r *record.Event) {
			_, source := r.Payload.Source()
			changed := *source.(*engine.Frozen)
			change(&changed)
			r.Payload = record.LatePayload(&changed)
		})
	}
	scene.RunCorruptions(t, []scene.Corruption{
		{Name: "frozen with another type", Change: frozen(func(f *engine.Frozen) { f.Typ = affiliate.CouponCreated }), Want: []string{"I49"}},
		{Name: "frozen with another id", Change: frozen(func(f *engine.Frozen) { f.ID[0]++ }), Want: []string{"I49"}},
		{Name: "frozen in another program", Change: frozen(func(f *engine.Frozen) { f.Program[0]++ }), Want: []string{"I49"}},
		{Name: "frozen with another revision", Change: frozen(func(f *engine.Frozen) { f.Revision++ }), Want: []string{"I49"}},
		{Name: "frozen at another time", Change: frozen(func(f *engine.Frozen) { f.OccurredAt = f.OccurredAt.Add(time.Microsecond) }), Want: []string{"I49"}},
		{Name: "frozen for a test", Change: frozen(func(f *engine.Frozen) { f.Test = true }), Want: []string{"I49"}},
		{Name: "type of another family", Change: event(affiliate.CouponCreated, func(r *record.Event) { r.Type = affiliate.PromocodeCreated }), Want: []string{"I47", "I49", "I51"}},
		{Name: "unknown type", Change: payload(affiliate.CouponCreated, "coupon.created", "coupon.made"), Want: []string{"I49"}},
		{Name: "number of a coupon", Change: event(affiliate.CouponCreated, func(r *record.Event) { r.Number = 3 }), Want: []string{"I47"}},
		{Name: "of another object", Change: event(affiliate.CouponCreated, func(r *record.Event) { r.ObjectID = r.ID }), Want: []string{"I48", "I51"}},
		{Name: "deleted body with more", Change: payload(affiliate.SaleDeleted, `{"id":4}`, `{"id":4,"x":1}`), Want: []string{"I48"}},
		{Name: "deleted body of another sale", Change: payload(affiliate.SaleDeleted, `{"id":4}`, `{"id":44}`), Want: []string{"I48"}},
		{Name: "created body with the id only", Change: event(affiliate.CouponCreated, func(r *record.Event) {
			raw := r.Payload.Bytes()
			before, _, _ := bytes.Cut(raw, []byte(`,"name"`))
			r.Payload = record.PayloadOf(append(before, "}}"...))
		}), Want: []string{"I48"}},
		{Name: "affiliate without answers", Change: payload(affiliate.AffiliateCreated, "questionAnswers", "answers"), Want: []string{"I48"}},
		{Name: "referral without affiliate", Change: payload(affiliate.ReferralCreated, `"affiliate":`, `"person":`), Want: []string{"I48"}},
		{Name: "sale without commissions", Change: payload(affiliate.SaleCreated, `"commissions":`, `"c":`), Want: []string{"I48"}},
		{Name: "coupon without codes", Change: payload(affiliate.CouponCreated, "promotionalCodes", "codes"), Want: []string{"I48"}},
		{Name: "code without coupon", Change: payload(affiliate.PromocodeCreated, `"coupon":`, `"parent":`), Want: []string{"I48"}},
		{Name: "payload of another revision", Change: payload(affiliate.CouponCreated, `"revision":1`, `"revision":2`), Want: []string{"I49"}},
		{Name: "payload with other bytes in front", Change: payload(affiliate.CouponCreated, `{"event"`, `{ "event"`), Want: []string{"I49"}},
		{Name: "payload cut short", Change: payload(affiliate.CouponCreated, `"promotionalCodes":[]}}`, `"promotionalCodes":[]}`), Want: []string{"I49"}},
		{Name: "payload frozen for another id", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Events, is(affiliate.CouponCreated), func(r *record.Event) { r.OccurredAt = r.OccurredAt.Add(time.Second) })
		}, Want: []string{"I49"}},
		{Name: "gap in the revisions", Change: func(b *scene.Ledger, tx *record.Tx) error {
			var id uuid.UUID
			err := scene.Drop(tx.Events, func(r record.Event) bool { id = r.ID; return r.Number == 3 && r.Revision == 2 })
			return errors.Join(err, booksDropDeliveries(tx, id))
		}, Want: []string{"I50"}},
		{Name: "revision before the one it follows", Change: func(b *scene.Ledger, tx *record.Tx) error {
			var moved record.Event
			err := scene.Drop(tx.Events, func(r record.Event) bool { moved = r; return r.Number == 3 && r.Revision == 2 })
			err = errors.Join(err, booksDropDeliveries(tx, moved.ID))
			old := strings.ReplaceAll(moved.ID.String(), "-", "")
			moved.ID = uuid.UUID{0: 1, 15: 1}
			raw := strings.Replace(string(moved.Payload.Bytes()), old, strings.ReplaceAll(moved.ID.String(), "-", ""), 1)
			moved.Payload = record.PayloadOf([]byte(raw))
			return errors.Join(err, tx.Events.Insert(moved))
		}, Want: []string{"I50"}},
		{Name: "created with a later revision", Change: event(affiliate.CouponCreated, func(r *record.Event) { r.Revision = 2 }), Want: []string{"I49", "I50", "I51"}},
		{Name: "no revision", Change: event(affiliate.CouponCreated, func(r *record.Event) { r.Revision = 0 }), Want: []string{"I49", "I50", "I51"}},
		{Name: "last event is not the object's", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Coupons, nil, func(r *record.Coupon) { r.Revision++ })
		}, Want: []string{"I50"}},
		{Name: "more follows deleted", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Sales, booksSale(4), func(r *record.Sale) { r.Revision++ })
		}, Want: []string{"I50"}},
		{Name: "event at another time", Change: event(affiliate.CouponCreated, func(r *record.Event) {
			r.OccurredAt = r.OccurredAt.Add(time.Microsecond)
		}), Want: []string{"I49"}},
	})
}

// booksDropDeliveries deletes the deliveries of an event and their queue
// records.
func booksDropDeliveries(tx *record.Tx, event uuid.UUID) error {
	for d, err := range tx.Deliveries.List(record.Query{Key: record.Key{Index: record.OfEvent, ID: event}}) {
		if err != nil {
			return err
		}
		if err := tx.Deliveries.Delete(d.ID); err != nil {
			return err
		}
		if q, err := tx.Queue.Find(record.Key{Index: record.ByDelivery, ID: d.ID}); err == nil {
			if err := tx.Queue.Delete(q.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestVerifyDeliveries(t *testing.T) {
	missing := uuid.MustParse("0197c2f0-0000-7000-8000-00000000dead")
	delivery := func(change func(*record.Delivery)) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error { return scene.Edit(tx.Deliveries, nil, change) }
	}
	endpoint := func(change func(*record.Endpoint)) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error { return scene.Edit(tx.Endpoints, nil, change) }
	}
	queue := func(change func(*record.Queue)) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error { return scene.Edit(tx.Queue, nil, change) }
	}
	scene.RunCorruptions(t, []scene.Corruption{
		{Name: "pending without a place", Change: func(_ *scene.Ledger, tx *record.Tx) error { return scene.Drop(tx.Queue, nil) }, Want: []string{"I51"}},
		{Name: "settled with a place", Change: delivery(func(r *record.Delivery) { r.State = affiliate.DeliveryDelivered }), Want: []string{"I51"}},
		{Name: "unknown state", Change: delivery(func(r *record.Delivery) { r.State = "dead" }), Want: []string{"I51"}},
		{Name: "no next attempt", Change: delivery(func(r *record.Delivery) { r.NextAttemptAt = affiliate.Instant{} }), Want: []string{"I51"}},
		{Name: "event missing", Change: delivery(func(r *record.Delivery) { r.EventID = missing }), Want: []string{"I51"}},
		{Name: "another type", Change: delivery(func(r *record.Delivery) { r.Type = affiliate.SaleDeleted }), Want: []string{"I51"}},
		{Name: "endpoint missing", Change: func(b *scene.Ledger, tx *record.Tx) error { return tx.Endpoints.Delete(b.Hooked.ID) }, Want: []string{"I51"}},
		{Name: "place of a missing delivery", Change: func(b *scene.Ledger, tx *record.Tx) error {
			return tx.Queue.Insert(record.Queue{ID: missing, DeliveryID: missing})
		}, Want: []string{"I51"}},
		{Name: "two deliveries of one event", Change: func(b *scene.Ledger, tx *record.Tx) error {
			for d := range tx.Deliveries.List(record.Query{Limit: 1}) {
				d.ID, d.State, d.NextAttemptAt = missing, affiliate.DeliverySkipped, affiliate.Instant{}
				return tx.Deliveries.Insert(d)
			}
			return nil
		}, Want: []string{"I51"}},
		{Name: "delivered without a 2xx", Change: func(_ *scene.Ledger, tx *record.Tx) error {
			return errors.Join(scene.Drop(tx.Queue, nil), scene.Edit(tx.Deliveries, nil, func(r *record.Delivery) {
				r.State, r.NextAttemptAt = affiliate.DeliveryDelivered, affiliate.Instant{}
				r.Attempts = []record.Attempt{{At: scene.Began, Status: 500}}
			}))
		}, Want: []string{"I51"}},
		{Name: "failed without an attempt", Change: func(_ *scene.Ledger, tx *record.Tx) error {
			return errors.Join(scene.Drop(tx.Queue, nil), scene.Edit(tx.Deliveries, nil, func(r *record.Delivery) {
				r.State, r.NextAttemptAt = affiliate.DeliveryFailed, affiliate.Instant{}
			}))
		}, Want: []string{"I51"}},
		{Name: "place of another object", Change: queue(func(r *record.Queue) { r.ObjectID = missing }), Want: []string{"I51"}},
		{Name: "place of another revision", Change: queue(func(r *record.Queue) { r.Revision++ }), Want: []string{"I51"}},
		{Name: "place that was tried", Change: queue(func(r *record.Queue) { r.Tried = true }), Want: []string{"I51"}},
		{Name: "place that waits since another time", Change: queue(func(r *record.Queue) { r.Since = scene.Began }), Want: []string{"I51"}},
		{Name: "due at another time", Change: delivery(func(r *record.Delivery) { r.NextAttemptAt = r.NextAttemptAt.Add(time.Second) }), Want: []string{"I51"}},
		{Name: "clearing while enabled", Change: endpoint(func(r *record.Endpoint) { r.Clearing = affiliate.DeliverySkipped }), Want: []string{"I51"}},
		{Name: "clearing to no state", Change: endpoint(func(r *record.Endpoint) {
			r.Active, r.DisabledReason, r.DisabledAt, r.Clearing = false, affiliate.DisabledManual, r.CreatedAt, affiliate.DeliveryPending
		}), Want: []string{"I51"}},
		{Name: "warned without a failure", Change: endpoint(func(r *record.Endpoint) { r.Warned = true }), Want: []string{"I51"}},
		{Name: "dead without a failure", Change: endpoint(func(r *record.Endpoint) { r.Dead = true }), Want: []string{"I51"}},
		{Name: "five in flight", Change: endpoint(func(r *record.Endpoint) {
			for i := range byte(5) {
				r.InFlight = append(r.InFlight, record.Flight{Token: uuid.UUID{1, i}, Until: scene.Began})
			}
		}), Want: []string{"I51"}},
		{Name: "two in flight under one token", Change: endpoint(func(r *record.Endpoint) {
			r.InFlight = slices.Repeat([]record.Flight{{Token: missing, Until: scene.Began}}, 2)
		}), Want: []string{"I51"}},
		{Name: "subscription to *", Change: endpoint(func(r *record.Endpoint) { r.Events = []affiliate.EventType{"*"} }), Want: []string{"I51"}},
		{Name: "disabled without a reason", Change: endpoint(func(r *record.Endpoint) { r.DisabledAt = scene.Began }), Want: []string{"I51"}},
		{Name: "no secret", Change: endpoint(func(r *record.Endpoint) { r.Secrets = nil }), Want: []string{"I51"}},
		{Name: "newest secret expires", Change: endpoint(func(r *record.Endpoint) { r.Secrets[0].ExpiresAt = scene.Began }), Want: []string{"I51"}},
		{Name: "old secret does not expire", Change: endpoint(func(r *record.Endpoint) { r.Secrets = append(r.Secrets, r.Secrets[0]) }), Want: []string{"I51"}},
		{Name: "51 endpoints", Change: func(b *scene.Ledger, tx *record.Tx) error {
			rec, err := tx.Endpoints.Get(b.Hooked.ID)
			for i := range 49 {
				rec.ID = uuid.UUID{0: 1, 15: byte(i)}
				err = errors.Join(err, tx.Endpoints.Insert(rec))
			}
			return err
		}, Want: []string{"I51"}},
	})
}

// TestVerifyTermsOfSales: Verify takes the rate and the cap of a sale from the version of the
// terms in which it was paid, when the terms are older than the sale.
func TestVerifyTermsOfSales(t *testing.T) {
	for _, tt := range []struct {
		name   string
		passed time.Duration // between the change of the terms and the sale
		change func(*record.Sale)
		want   string
	}{
		{"nothing", 25 * time.Hour, func(*record.Sale) {}, ""},
		{"rate of the next version", 25 * time.Hour, func(r *record.Sale) { r.Rate = scene.Percent("50") }, "its rate is PERCENTAGE 50, that of its terms PERCENTAGE 20"},
		{"paid in the next version", 25 * time.Hour, func(r *record.Sale) { r.PaidAt = affiliate.InstantOf(scene.Start.AddDate(0, 1, 0)) }, "its rate is PERCENTAGE 20, that of its terms PERCENTAGE 50"},
		{"type", 25 * time.Hour, func(r *record.Sale) { r.RateType = affiliate.EnumOf(affiliate.CommissionFlat) }, "its rate is FLAT 20"},
		{"cap", 25 * time.Hour, func(r *record.Sale) { r.Cap = scene.Amount("29") }, "it may earn at most 29, by its terms 30 a sale and 40 a customer, who had earned 0"},
		{"no cap", 25 * time.Hour, func(r *record.Sale) { r.Cap = affiliate.Opt[affiliate.Amount]{} }, "it may earn at most"},
		{"what the customer had earned", 25 * time.Hour, func(r *record.Sale) { r.Why.Earlier = scene.Amount("15") }, "it may earn at most 30"},
		{"cap of terms of today", 23 * time.Hour, func(r *record.Sale) { r.Cap = scene.Amount("29") }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, ctx := scene.NewShop(t), t.Context()
			first := affiliate.Terms{Rate: affiliate.MustPercent("20"), MaxPerSale: scene.Sum("30"), MaxPerCustomer: scene.Sum("40")}.Update()
			scene.Must(s.SetTerms(ctx, first))
			scene.Must(s.SetTerms(ctx, affiliate.TermsUpdate{Rate: scene.Percent("50"), From: affiliate.Set(affiliate.At(scene.Start.AddDate(0, 1, 0)))}))
			s.Pass(tt.passed)
			sale := s.ToTomas("100")
			scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID})) // it earns nothing at any rate
			scene.Behind(t, s.World, func(tx *record.Tx) {
				scene.Must(0, scene.Edit(tx.Sales, func(r record.Sale) bool { return r.Number == int64(sale.ID) }, tt.change))
			})
			if err := s.Verify(ctx); tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Verify: %v, want %q", err, tt.want)
			}
		})
	}
}
