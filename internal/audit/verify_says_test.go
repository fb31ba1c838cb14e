package audit_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// booksWith changes the first record of a table.
func booksWith[R record.Record[R]](table func(*record.Tx) record.Table[R], change func(*R)) func(*scene.Ledger, *record.Tx) error {
	return func(_ *scene.Ledger, tx *record.Tx) error { return scene.Edit(table(tx), nil, change) }
}

func TestVerifySaysPeople(t *testing.T) {
	affiliates := func(tx *record.Tx) record.Table[record.Affiliate] { return tx.Affiliates }
	links := func(tx *record.Tx) record.Table[record.Link] { return tx.Links }
	referrals := func(tx *record.Tx) record.Table[record.Referral] { return tx.Referrals }
	scene.RunSayings(t, []scene.Saying{
		{Name: "internal/proofs changed before it was made", Change: booksWith(affiliates, func(r *record.Affiliate) { r.UpdatedAt = r.CreatedAt.Add(-time.Microsecond) }), Want: "I54: created"},
		{Name: "link changed before it was made", Change: booksWith(links, func(r *record.Link) { r.UpdatedAt = r.CreatedAt.Add(-time.Microsecond) }), Want: "I54: created"},
		{Name: "referral changed before it was made", Change: booksWith(referrals, func(r *record.Referral) { r.UpdatedAt = r.CreatedAt.Add(-time.Microsecond) }), Want: "I54: created"},
		{Name: "slug of 101 characters", Change: booksWith(links, func(r *record.Link) { r.Slug = strings.Repeat("a", 101) }), Want: "I25: is not a slug"},
		{Name: "slug with a space", Change: booksWith(links, func(r *record.Link) { r.Slug = "a b" }), Want: "I25: is not a slug"},
	})
	b := scene.NewLedger(t)
	b.Raw(func(tx *record.Tx) error {
		return scene.Edit(tx.Links, nil, func(r *record.Link) { r.Slug = strings.Repeat("a", 100) })
	})
	b.Verifies() // the longest slug
}

// TestVerifyLinkOfAnother: what came by a link is of the link's affiliate.
func TestVerifyLinkOfAnother(t *testing.T) {
	b := scene.NewLedger(t)
	bea := scene.Must(b.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Bea", LastName: "B", Email: "bea@example.com"}))
	b.Raw(func(tx *record.Tx) error {
		return scene.Edit(tx.Links, func(r record.Link) bool { return r.ID == b.Link.ID }, func(r *record.Link) { r.AffiliateID = bea.ID })
	})
	err := b.Verify(t.Context())
	scene.Equal(t, []string{"I27"}, scene.Broken(err))
	for _, object := range []string{"click ", "referral ", "sale "} {
		if err == nil || !strings.Contains(err.Error(), "affiliate: I27: "+object) {
			t.Errorf("no %sof the link: %v", object, err)
		}
	}
}

func TestVerifySaysCodes(t *testing.T) {
	coupons := func(tx *record.Tx) record.Table[record.Coupon] { return tx.Coupons }
	codes := func(tx *record.Tx) record.Table[record.Code] { return tx.Codes }
	ledger := func(tx *record.Tx) record.Table[record.Redemption] { return tx.Redemptions }
	scene.RunSayings(t, []scene.Saying{
		{Name: "redemption of another coupon", Change: booksWith(ledger, func(r *record.Redemption) { r.CouponID = r.CodeID }), Want: "I02: is of coupon"},
		{Name: "months below zero", Change: booksWith(coupons, func(r *record.Coupon) { r.Duration, r.DurationInMonths = affiliate.DurationOnce, -1 }), Want: "I18: durationInMonths -1"},
		{Name: "minimum below zero", Change: booksWith(codes, func(r *record.Code) {
			r.MinimumAmount, r.MinimumCurrency = affiliate.Set(scene.Sum("-1")), "USD"
		}), Want: "I24: minimumAmount -1"},
	})
}

func TestVerifySaysSales(t *testing.T) {
	sale := func(n int64, change func(*record.Sale)) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error { return scene.Edit(tx.Sales, booksSale(n), change) }
	}
	payouts := func(tx *record.Tx) record.Table[record.Payout] { return tx.Payouts }
	scene.RunSayings(t, []scene.Saying{
		{Name: "why of another code", Change: sale(5, func(r *record.Sale) { r.Why.By = affiliate.EnumOf(affiliate.CreditEmail) }), Want: "I70: credited by EMAIL"},
		{Name: "why of no code", Change: sale(2, func(r *record.Sale) { r.Why.By = affiliate.EnumOf(affiliate.CreditCode) }), Want: "I70: credited by CODE"},
		{Name: "why of a click by code", Change: sale(5, func(r *record.Sale) { r.Why.Click = 99 }), Want: "I70: click 99"},
		{Name: "why of a plan that it has not", Change: sale(5, func(r *record.Sale) { r.Why.PlanFrom = affiliate.EnumOf(affiliate.PlanOfAffiliate) }), Want: "I70: from AFFILIATE"},
		{Name: "why of a rate of no plan", Change: sale(5, func(r *record.Sale) { r.Why.RateFrom = affiliate.EnumOf(affiliate.RateOfPlan) }), Want: "I70: from PLAN"},
		{Name: "why of a rate of no tier", Change: sale(5, func(r *record.Sale) { r.Why.RateFrom = affiliate.EnumOf(affiliate.RateOfTier) }), Want: "I70: from TIER"},
		{Name: "why of a rate of its own", Change: sale(5, func(r *record.Sale) { r.Why.RateFrom = affiliate.EnumOf(affiliate.RateOfSale) }), Want: "I70: from SALE"},
		{Name: "why of a rate of nobody", Change: sale(5, func(r *record.Sale) { r.Why.RateFrom = affiliate.Enum[affiliate.RateSource]{} }), Want: "I70: its rate is from ,"},
		{Name: "no commission for no reason", Change: sale(5, func(r *record.Sale) { r.Commissions = nil }), Want: "I70: no reason"},
		{Name: "why of deductions that do not add up", Change: sale(3, func(r *record.Sale) { r.Why.Deduct = affiliate.EnumOf(affiliate.DeductNothing) }), Want: "I40: which its rate does not give"},
		{Name: "charged at another rate", Change: sale(5, charged("EUR", "3", "50")), Want: "I85: its total is 100, and 50 EUR at 3 are 150"},
		{Name: "charged in the program's currency", Change: sale(5, charged("USD", "2", "50")), Want: "I85: it was charged in \"USD\" at 2"},
		{Name: "charged in no currency", Change: sale(5, charged("XQX", "2", "50")), Want: "I85: it was charged in \"XQX\" at 2"},
		{Name: "charged twice", Change: sale(5, func(r *record.Sale) {
			charged("EUR", "2", "50")(r)
			r.Charged = append(r.Charged, r.Charged[0])
		}), Want: "I85: it was charged in \"EUR\" at 2"},
		{Name: "charged with another tax", Change: sale(5, func(r *record.Sale) {
			charged("EUR", "2", "50")(r)
			r.Charged[0].TaxAmount = scene.Sum("1")
		}), Want: "I85: its tax is 0, and 1 EUR at 2 are 2"},
		{Name: "charged with a subtotal", Change: sale(5, func(r *record.Sale) {
			charged("EUR", "2", "50")(r)
			r.Charged[0].Subtotal = affiliate.Set(scene.Sum("60"))
		}), Want: "I85: its subtotal is not given, charged 60"},
		{Name: "charged, and more refunded", Change: sale(5, func(r *record.Sale) {
			charged("EUR", "2", "50")(r)
			r.Charged[0].RefundedAmount = scene.Sum("1")
		}), Want: "I85: its refunded is 0, and 1 EUR at 2 are 2"},
		{Name: "free with an amount", Change: sale(5, func(r *record.Sale) { r.Free = true }), Want: "I44: total 100, tax"},
		{Name: "free without a basket", Change: sale(5, func(r *record.Sale) {
			r.Free, r.TotalEarned, r.Commissions = true, affiliate.Amount{}, nil
		}), Want: "I44: total 0, tax"},
		{Name: "free with a commission", Change: sale(5, func(r *record.Sale) {
			r.Free, r.TotalEarned, r.Subtotal = true, affiliate.Amount{}, affiliate.Set(scene.Sum("1"))
		}), Want: "I44: total 0, tax"},
		{Name: "total of nothing", Change: sale(5, func(r *record.Sale) { r.TotalEarned = affiliate.Amount{} }), Want: "I44: total 0, tax"},
		{Name: "tax below zero", Change: sale(5, func(r *record.Sale) { r.Tax = scene.Sum("-1") }), Want: "I44: total 100, tax -1"},
		{Name: "shipping below zero", Change: sale(5, func(r *record.Sale) { r.Shipping = scene.Sum("-1") }), Want: "I44: total 100, tax 0, shipping -1"},
		{Name: "subtotal of nothing", Change: sale(5, func(r *record.Sale) { r.Subtotal = affiliate.Set(affiliate.Amount{}) }), Want: "I44: subtotal 0 of total 100"},
		{Name: "subtotal below the total", Change: sale(5, func(r *record.Sale) { r.Subtotal = affiliate.Set(scene.Sum("99.9999")) }), Want: "I44: subtotal 99.9999 of total 100"},
		{Name: "tax above the total", Change: sale(5, func(r *record.Sale) { r.Tax = scene.Sum("100.01") }), Want: "I44: above the total 100"},
		{Name: "sale changed before it was made", Change: sale(5, func(r *record.Sale) { r.UpdatedAt = r.CreatedAt.Add(-time.Microsecond) }), Want: "I54: created"},
		{Name: "commission changed before it was made", Change: sale(5, func(r *record.Sale) {
			r.Commissions[0].UpdatedAt = r.Commissions[0].CreatedAt.Add(-time.Microsecond)
		}), Want: "I54: created"},
		{Name: "refunded at a time, yet active", Change: sale(5, func(r *record.Sale) { r.RefundedAt = r.UpdatedAt }), Want: "I41: status ACTIVE"},
		{Name: "deleted fired, yet active", Change: sale(5, func(r *record.Sale) { r.DeletedFired = true }), Want: "I41: status ACTIVE"},
		{Name: "commission above its base", Change: sale(5, func(r *record.Sale) { r.Commissions[0].Earned = scene.Sum("100.01") }), Want: "I40: above their base of at most 100"},
		{Name: "commission above what is kept", Change: sale(3, func(r *record.Sale) { r.Commissions[0].Earned = scene.Sum("70.01") }), Want: "I40: above their base of at most 70"},
		{Name: "negative commission by hand", Change: sale(5, func(r *record.Sale) {
			r.Commissions[0].Earned, r.ByHand = scene.Sum("-1"), affiliate.Set(record.HandSet{Earned: scene.Sum("-1"), Kept: r.TotalEarned})
		}), Want: "I40: earns -1"},
		{Name: "payout changed before it was made", Change: booksWith(payouts, func(r *record.Payout) { r.UpdatedAt = r.CreatedAt.Add(-time.Microsecond) }), Want: "I54: created"},
		{Name: "totals without room", Change: func(_ *scene.Ledger, tx *record.Tx) error {
			most := func(r *record.Sale) { r.TotalEarned = affiliate.AmountFromScaled(math.MaxInt64) }
			return errors.Join(scene.Edit(tx.Sales, booksSale(2), most), scene.Edit(tx.Sales, booksSale(5), most))
		}, Want: "I44: the totals have no room for it"},
	})
}

func TestVerifySaysEvents(t *testing.T) {
	of := func(typ affiliate.EventType, revision int64) func(record.Event) bool {
		return func(r record.Event) bool { return r.Type == typ && r.Revision == revision }
	}
	// retyped gives an event another type, in its bytes as well.
	retyped := func(from affiliate.EventType, revision int64, to affiliate.EventType) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Events, of(from, revision), func(r *record.Event) {
				r.Type, r.Payload = to, record.PayloadOf(bytes.Replace(r.Payload.Bytes(), []byte(from), []byte(to), 1))
			})
		}
	}
	renumbered := func(typ affiliate.EventType, revision, to int64) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Events, of(typ, revision), func(r *record.Event) { r.Revision = to })
		}
	}
	affiliates := func(tx *record.Tx) record.Table[record.Affiliate] { return tx.Affiliates }
	referrals := func(tx *record.Tx) record.Table[record.Referral] { return tx.Referrals }
	codes := func(tx *record.Tx) record.Table[record.Code] { return tx.Codes }
	follow := func(typ affiliate.EventType, revision int64, change func(*record.Event)) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error {
			for rec := range scene.OnlyValues(tx.Events.List(record.Query{})) {
				if rec.Type == typ && rec.Revision == revision {
					rec.ID, rec.Revision = uuid.Max, rec.Revision+1
					change(&rec)
					return tx.Events.Insert(rec)
				}
			}
			return errors.New("no such event")
		}
	}
	scene.RunSayings(t, []scene.Saying{
		{Name: "comes first", Change: retyped(affiliate.CouponCreated, 1, affiliate.CouponUpdated), Want: "I50: coupon.updated comes first"},
		{Name: "referral that was not imported", Change: retyped(affiliate.ReferralCreated, 1, affiliate.ReferralUpdated), Want: "I50: referral.updated comes first"},
		{Name: "created again", Change: renumbered(affiliate.CouponCreated, 1, 2), Want: "I50: coupon.created has revision 2"},
		{Name: "no revision", Change: renumbered(affiliate.SaleUpdated, 2, 0), Want: "I50: : revision 0"},
		{Name: "more after deleted", Change: follow(affiliate.SaleDeleted, 2, func(r *record.Event) { r.Type = affiliate.SaleCreated }), Want: "I50: more follows sale.deleted"},
		{Name: "another family", Change: follow(affiliate.CouponCreated, 1, func(r *record.Event) { r.Type = affiliate.PromocodeUpdated }), Want: "I47: promocode.updated follows coupon.created"},
		{Name: "place before the one it follows", Change: func(_ *scene.Ledger, tx *record.Tx) error {
			for rec := range scene.OnlyValues(tx.Events.List(record.Query{})) {
				if rec.Number == 3 && rec.Revision == 2 {
					rec.ID = uuid.UUID{1}
					return tx.Events.Insert(rec)
				}
			}
			return errors.New("no such event")
		}, Want: "I50: its place is before that of revision 1"},
		{Name: "last event of a live object is deleted", Change: retyped(affiliate.CouponCreated, 1, affiliate.CouponDeleted), Want: "I50: it lives, its last event is coupon.deleted"},
		{Name: "affiliate ahead of its events", Change: booksWith(affiliates, func(r *record.Affiliate) { r.Revision++ }), Want: "I50: its last event has"},
		{Name: "referral ahead of its events", Change: booksWith(referrals, func(r *record.Referral) { r.Revision++ }), Want: "I50: its last event has"},
		{Name: "code ahead of its events", Change: booksWith(codes, func(r *record.Code) { r.Revision++ }), Want: "I50: its last event has"},
		{Name: "referral that fired nothing", Change: func(b *scene.Ledger, tx *record.Tx) error {
			var dropped uuid.UUID
			err := scene.Drop(tx.Events, func(r record.Event) bool { dropped = r.ID; return r.ObjectID == b.Customer.ID })
			return errors.Join(err, booksDropDeliveries(tx, dropped), scene.Edit(tx.Referrals, func(r record.Referral) bool { return r.ID == b.Customer.ID },
				func(r *record.Referral) { r.Revision = 0 }))
		}, Want: "I45: it never fired an event"},
		{Name: "type of nothing that there is", Change: func(_ *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Events, of(affiliate.CouponCreated, 1), func(r *record.Event) { r.ObjectID, r.Type = r.ID, "gift.made" })
		}, Want: `I47: type "gift.made"`},
		{Name: "body of another sale", Change: func(_ *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Events, func(r record.Event) bool { return r.Number == 5 }, func(r *record.Event) {
				r.Payload = record.PayloadOf(bytes.Replace(r.Payload.Bytes(), []byte(`"body":{"id":5,`), []byte(`"body":{"id":55,`), 1))
			})
		}, Want: "I48: its body is not that of sale.created 5"},
	})
}

// Records that look unusual and are valid.
func TestVerifyPasses(t *testing.T) {
	ctx := t.Context()
	for name, c := range map[string]struct {
		config func(*tributary.Config)
		do     func(s scene.Shop)
	}{
		"a commission by hand above the sale": {nil, func(s scene.Shop) {
			scene.Must(s.UpdateSale(ctx, s.ToTomas("100").ID, affiliate.SaleUpdate{CommissionEarned: scene.Amount("500")}))
		}},
		"an amount above the sale": {func(c *tributary.Config) {
			c.Terms = affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("250")}
		}, func(s scene.Shop) { s.ToTomas("100") }},
		"all of a fraction of the currency": {func(c *tributary.Config) {
			c.Currency, c.Terms.Rate = "JPY", affiliate.MustPercent("100")
		}, func(s scene.Shop) { s.ToTomas("100.5") }},
		"deductions that were changed since": {nil, func(s scene.Shop) {
			s.Sell(affiliate.SaleParams{Email: s.Tomas.Email, Tax: scene.Sum("10"), Shipping: scene.Sum("5")})
			p := scene.Must(tributary.New(s.Store, func() tributary.Config {
				c := s.Config()
				c.CommissionOnTax, c.CommissionOnShipping = true, true
				return c
			}()))
			scene.Must(0, p.Verify(ctx))
		}},
		"a customer of the past": {nil, func(s scene.Shop) {
			scene.Must(s.Imports().Referrals(ctx, []imported.Referral{{ReferralParams: affiliate.ReferralParams{
				AffiliateID: "ada", Name: "i", Email: "i@example.net", ReferredUserExternalID: "i"}}}))
			s.Verifies()
			scene.Must(s.UpdateReferral(ctx, "i@example.net", affiliate.ReferralUpdate{Name: affiliate.Set("I")}))
			s.Verifies()
			scene.Must(0, s.Forfeiting().DeleteReferral(ctx, "i@example.net"))
		}},
		"every limit of a code": {nil, func(s scene.Shop) {
			coupon := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "flat", CouponType: affiliate.CouponFlat, AmountOff: scene.Amount("5"), Currency: affiliate.Set[affiliate.Currency]("USD"),
				LimitToProducts: true, ProductIDs: []string{"p"}}))
			scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "LIMITED", LimitToCustomers: true, CustomerID: "c",
				MinimumAmount: scene.Amount("1"), MaxRedemptions: affiliate.Set[int64](1)}))
		}},
		"a redemption that was restored": {nil, func(s scene.Shop) {
			sale := s.Sell(affiliate.SaleParams{PromoCode: "ADA20"})
			scene.Must(0, s.RestoreRedemption(ctx, affiliate.SaleRef{ID: sale.ID}))
		}},
		"a sale that was changed while the clock was back": {nil, func(s scene.Shop) {
			sale := s.ToTomas("100")
			s.Pass(-time.Hour)
			scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{Name: affiliate.Set("n")}))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var changes []func(*tributary.Config)
			if c.config != nil {
				changes = append(changes, c.config)
			}
			s := scene.NewShop(t, changes...)
			c.do(s)
			s.Verifies()
		})
	}
}

// charged makes a sale one in another currency.
func charged(c affiliate.Currency, rate, total string) func(*record.Sale) {
	return func(r *record.Sale) {
		r.Charged = []affiliate.Charge{{Currency: c, ExchangeRate: affiliate.MustExchangeRate(rate), TotalEarned: scene.Sum(total)}}
	}
}
