package affiliate_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A booksSaying is a corruption and the detail that Verify reports. Several
// checks share an invariant, so the detail shows which of them found it.
type booksSaying struct {
	name   string
	change func(b *booksLedger, tx *record.Tx) error
	want   string // the invariant and a part of the detail
}

func runBooksSayings(t *testing.T, cases []booksSaying) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := newBooksLedger(t)
			b.raw(func(tx *record.Tx) error { return c.change(b, tx) })
			err := b.Verify(t.Context())
			if !booksSays(err, c.want) {
				t.Errorf("nothing says %q: %v", c.want, err)
			}
		})
	}
}

// booksSays reports whether a line names the invariant and has the detail.
func booksSays(err error, want string) bool {
	invariant, detail, _ := strings.Cut(want, ": ")
	if err == nil {
		return false
	}
	return slices.ContainsFunc(strings.Split(err.Error(), "\n"), func(line string) bool {
		return strings.HasPrefix(line, "affiliate: "+invariant+": ") && strings.Contains(line, detail)
	})
}

// booksWith changes the first record of a table.
func booksWith[R record.Record[R]](table func(*record.Tx) record.Table[R], change func(*R)) func(*booksLedger, *record.Tx) error {
	return func(_ *booksLedger, tx *record.Tx) error { return booksEdit(table(tx), nil, change) }
}

func TestVerifySaysPeople(t *testing.T) {
	affiliates := func(tx *record.Tx) record.Table[record.Affiliate] { return tx.Affiliates }
	links := func(tx *record.Tx) record.Table[record.Link] { return tx.Links }
	referrals := func(tx *record.Tx) record.Table[record.Referral] { return tx.Referrals }
	runBooksSayings(t, []booksSaying{
		{"affiliate changed before it was made", booksWith(affiliates, func(r *record.Affiliate) { r.UpdatedAt = r.CreatedAt.Add(-time.Microsecond) }), "I54: created"},
		{"link changed before it was made", booksWith(links, func(r *record.Link) { r.UpdatedAt = r.CreatedAt.Add(-time.Microsecond) }), "I54: created"},
		{"referral changed before it was made", booksWith(referrals, func(r *record.Referral) { r.UpdatedAt = r.CreatedAt.Add(-time.Microsecond) }), "I54: created"},
		{"slug of 101 characters", booksWith(links, func(r *record.Link) { r.Slug = strings.Repeat("a", 101) }), "I25: is not a slug"},
		{"slug with a space", booksWith(links, func(r *record.Link) { r.Slug = "a b" }), "I25: is not a slug"},
	})
	b := newBooksLedger(t)
	b.raw(func(tx *record.Tx) error {
		return booksEdit(tx.Links, nil, func(r *record.Link) { r.Slug = strings.Repeat("a", 100) })
	})
	b.verify() // the longest slug
}

// TestVerifyLinkOfAnother: what came by a link is of the link's affiliate.
func TestVerifyLinkOfAnother(t *testing.T) {
	b := newBooksLedger(t)
	bea := must(b.CreateAffiliate(t.Context(), affiliate.NewAffiliate{FirstName: "Bea", LastName: "B", Email: "bea@example.com"}))
	b.raw(func(tx *record.Tx) error {
		return booksEdit(tx.Links, func(r record.Link) bool { return r.ID == b.link.ID }, func(r *record.Link) { r.AffiliateID = bea.ID })
	})
	err := b.Verify(t.Context())
	if diff := cmp.Diff([]string{"I27"}, booksBroken(err)); diff != "" {
		t.Errorf("invariants (-want +got):\n%s", diff)
	}
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
	runBooksSayings(t, []booksSaying{
		{"redemption of another coupon", booksWith(ledger, func(r *record.Redemption) { r.CouponID = r.CodeID }), "I02: is of coupon"},
		{"months below zero", booksWith(coupons, func(r *record.Coupon) { r.Duration, r.DurationInMonths = affiliate.DurationOnce, -1 }), "I18: durationInMonths -1"},
		{"minimum below zero", booksWith(codes, func(r *record.Code) {
			r.MinimumAmount, r.MinimumCurrency = affiliate.Set(sum("-1")), "USD"
		}), "I24: minimumAmount -1"},
	})
}

func TestVerifySaysSales(t *testing.T) {
	sale := func(n int64, change func(*record.Sale)) func(*booksLedger, *record.Tx) error {
		return func(_ *booksLedger, tx *record.Tx) error { return booksEdit(tx.Sales, booksSale(n), change) }
	}
	payouts := func(tx *record.Tx) record.Table[record.Payout] { return tx.Payouts }
	runBooksSayings(t, []booksSaying{
		{"why of another code", sale(5, func(r *record.Sale) { r.Why.By = affiliate.EnumOf(affiliate.CreditEmail) }), "I70: credited by EMAIL"},
		{"why of no code", sale(2, func(r *record.Sale) { r.Why.By = affiliate.EnumOf(affiliate.CreditCode) }), "I70: credited by CODE"},
		{"why of a click by code", sale(5, func(r *record.Sale) { r.Why.Click = 99 }), "I70: click 99"},
		{"why of a plan that it has not", sale(5, func(r *record.Sale) { r.Why.PlanFrom = affiliate.EnumOf(affiliate.PlanOfAffiliate) }), "I70: from AFFILIATE"},
		{"why of a rate of no plan", sale(5, func(r *record.Sale) { r.Why.RateFrom = affiliate.EnumOf(affiliate.RateOfPlan) }), "I70: from PLAN"},
		{"why of a rate of no tier", sale(5, func(r *record.Sale) { r.Why.RateFrom = affiliate.EnumOf(affiliate.RateOfTier) }), "I70: from TIER"},
		{"why of a rate of its own", sale(5, func(r *record.Sale) { r.Why.RateFrom = affiliate.EnumOf(affiliate.RateOfSale) }), "I70: from SALE"},
		{"why of a rate of nobody", sale(5, func(r *record.Sale) { r.Why.RateFrom = affiliate.Enum[affiliate.RateSource]{} }), "I70: its rate is from ,"},
		{"no commission for no reason", sale(5, func(r *record.Sale) { r.Commissions = nil }), "I70: no reason"},
		{"why of deductions that do not add up", sale(3, func(r *record.Sale) { r.Why.Deduct = affiliate.EnumOf(affiliate.DeductNothing) }), "I40: which its rate does not give"},
		{"free with an amount", sale(5, func(r *record.Sale) { r.Free = true }), "I44: total 100, tax"},
		{"free without a basket", sale(5, func(r *record.Sale) {
			r.Free, r.TotalEarned, r.Commissions = true, affiliate.Amount{}, nil
		}), "I44: total 0, tax"},
		{"free with a commission", sale(5, func(r *record.Sale) {
			r.Free, r.TotalEarned, r.Subtotal = true, affiliate.Amount{}, affiliate.Set(sum("1"))
		}), "I44: total 0, tax"},
		{"total of nothing", sale(5, func(r *record.Sale) { r.TotalEarned = affiliate.Amount{} }), "I44: total 0, tax"},
		{"tax below zero", sale(5, func(r *record.Sale) { r.Tax = sum("-1") }), "I44: total 100, tax -1"},
		{"shipping below zero", sale(5, func(r *record.Sale) { r.Shipping = sum("-1") }), "I44: total 100, tax 0, shipping -1"},
		{"subtotal of nothing", sale(5, func(r *record.Sale) { r.Subtotal = affiliate.Set(affiliate.Amount{}) }), "I44: subtotal 0 of total 100"},
		{"subtotal below the total", sale(5, func(r *record.Sale) { r.Subtotal = affiliate.Set(sum("99.9999")) }), "I44: subtotal 99.9999 of total 100"},
		{"tax above the total", sale(5, func(r *record.Sale) { r.Tax = sum("100.01") }), "I44: above the total 100"},
		{"sale changed before it was made", sale(5, func(r *record.Sale) { r.UpdatedAt = r.CreatedAt.Add(-time.Microsecond) }), "I54: created"},
		{"commission changed before it was made", sale(5, func(r *record.Sale) {
			r.Commissions[0].UpdatedAt = r.Commissions[0].CreatedAt.Add(-time.Microsecond)
		}), "I54: created"},
		{"refunded at a time, yet active", sale(5, func(r *record.Sale) { r.RefundedAt = r.UpdatedAt }), "I41: status ACTIVE"},
		{"deleted fired, yet active", sale(5, func(r *record.Sale) { r.DeletedFired = true }), "I41: status ACTIVE"},
		{"commission above its base", sale(5, func(r *record.Sale) { r.Commissions[0].Earned = sum("100.01") }), "I40: above their base of at most 100"},
		{"commission above what is kept", sale(3, func(r *record.Sale) { r.Commissions[0].Earned = sum("70.01") }), "I40: above their base of at most 70"},
		{"negative commission by hand", sale(5, func(r *record.Sale) {
			r.Commissions[0].Earned, r.ByHand = sum("-1"), affiliate.Set(record.HandSet{Earned: sum("-1"), Kept: r.TotalEarned})
		}), "I40: earns -1"},
		{"payout changed before it was made", booksWith(payouts, func(r *record.Payout) { r.UpdatedAt = r.CreatedAt.Add(-time.Microsecond) }), "I54: created"},
		{"totals without room", func(_ *booksLedger, tx *record.Tx) error {
			most := func(r *record.Sale) { r.TotalEarned = affiliate.AmountFromScaled(math.MaxInt64) }
			return errors.Join(booksEdit(tx.Sales, booksSale(2), most), booksEdit(tx.Sales, booksSale(5), most))
		}, "I44: the totals have no room for it"},
	})
}

func TestVerifySaysEvents(t *testing.T) {
	of := func(typ affiliate.EventType, revision int64) func(record.Event) bool {
		return func(r record.Event) bool { return r.Type == typ && r.Revision == revision }
	}
	// retyped gives an event another type, in its bytes as well.
	retyped := func(from affiliate.EventType, revision int64, to affiliate.EventType) func(*booksLedger, *record.Tx) error {
		return func(_ *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Events, of(from, revision), func(r *record.Event) {
				r.Type, r.Payload = to, record.PayloadOf(bytes.Replace(r.Payload.Bytes(), []byte(from), []byte(to), 1))
			})
		}
	}
	renumbered := func(typ affiliate.EventType, revision, to int64) func(*booksLedger, *record.Tx) error {
		return func(_ *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Events, of(typ, revision), func(r *record.Event) { r.Revision = to })
		}
	}
	affiliates := func(tx *record.Tx) record.Table[record.Affiliate] { return tx.Affiliates }
	referrals := func(tx *record.Tx) record.Table[record.Referral] { return tx.Referrals }
	codes := func(tx *record.Tx) record.Table[record.Code] { return tx.Codes }
	follow := func(typ affiliate.EventType, revision int64, change func(*record.Event)) func(*booksLedger, *record.Tx) error {
		return func(_ *booksLedger, tx *record.Tx) error {
			for rec := range onlyValues(tx.Events.List(record.Query{})) {
				if rec.Type == typ && rec.Revision == revision {
					rec.ID, rec.Revision = uuid.Max, rec.Revision+1
					change(&rec)
					return tx.Events.Insert(rec)
				}
			}
			return errors.New("no such event")
		}
	}
	runBooksSayings(t, []booksSaying{
		{"comes first", retyped(affiliate.CouponCreated, 1, affiliate.CouponUpdated), "I50: coupon.updated comes first"},
		{"referral that was not imported", retyped(affiliate.ReferralCreated, 1, affiliate.ReferralUpdated), "I50: referral.updated comes first"},
		{"created again", renumbered(affiliate.CouponCreated, 1, 2), "I50: coupon.created has revision 2"},
		{"no revision", renumbered(affiliate.SaleUpdated, 2, 0), "I50: : revision 0"},
		{"more after deleted", follow(affiliate.SaleDeleted, 2, func(r *record.Event) { r.Type = affiliate.SaleCreated }), "I50: more follows sale.deleted"},
		{"another family", follow(affiliate.CouponCreated, 1, func(r *record.Event) { r.Type = affiliate.PromocodeUpdated }), "I47: promocode.updated follows coupon.created"},
		{"place before the one it follows", func(_ *booksLedger, tx *record.Tx) error {
			for rec := range onlyValues(tx.Events.List(record.Query{})) {
				if rec.Number == 3 && rec.Revision == 2 {
					rec.ID = uuid.UUID{1}
					return tx.Events.Insert(rec)
				}
			}
			return errors.New("no such event")
		}, "I50: its place is before that of revision 1"},
		{"last event of a live object is deleted", retyped(affiliate.CouponCreated, 1, affiliate.CouponDeleted), "I50: it lives, its last event is coupon.deleted"},
		{"affiliate ahead of its events", booksWith(affiliates, func(r *record.Affiliate) { r.Revision++ }), "I50: its last event has"},
		{"referral ahead of its events", booksWith(referrals, func(r *record.Referral) { r.Revision++ }), "I50: its last event has"},
		{"code ahead of its events", booksWith(codes, func(r *record.Code) { r.Revision++ }), "I50: its last event has"},
		{"referral that fired nothing", func(b *booksLedger, tx *record.Tx) error {
			var dropped uuid.UUID
			err := booksDrop(tx.Events, func(r record.Event) bool { dropped = r.ID; return r.ObjectID == b.referral.ID })
			return errors.Join(err, booksDropDeliveries(tx, dropped), booksEdit(tx.Referrals, func(r record.Referral) bool { return r.ID == b.referral.ID },
				func(r *record.Referral) { r.Revision = 0 }))
		}, "I45: it never fired an event"},
		{"type of nothing that there is", func(_ *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Events, of(affiliate.CouponCreated, 1), func(r *record.Event) { r.ObjectID, r.Type = r.ID, "gift.made" })
		}, `I47: type "gift.made"`},
		{"body of another sale", func(_ *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Events, func(r record.Event) bool { return r.Number == 5 }, func(r *record.Event) {
				r.Payload = record.PayloadOf(bytes.Replace(r.Payload.Bytes(), []byte(`"body":{"id":5,`), []byte(`"body":{"id":55,`), 1))
			})
		}, "I48: its body is not that of sale.created 5"},
	})
}

// Records that look unusual and are valid.
func TestVerifyPasses(t *testing.T) {
	ctx := t.Context()
	for name, c := range map[string]struct {
		config func(*tributary.Config)
		do     func(s saleShop)
	}{
		"a commission by hand above the sale": {nil, func(s saleShop) {
			must(s.UpdateSale(ctx, s.toTomas("100").ID, affiliate.SaleUpdate{CommissionEarned: amount("500")}))
		}},
		"an amount above the sale": {func(c *tributary.Config) {
			c.Terms = affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("250")}
		}, func(s saleShop) { s.toTomas("100") }},
		"all of a fraction of the currency": {func(c *tributary.Config) {
			c.Currency, c.Terms.Rate = "JPY", affiliate.MustPercent("100")
		}, func(s saleShop) { s.toTomas("100.5") }},
		"deductions that were changed since": {nil, func(s saleShop) {
			s.sell(affiliate.NewSale{Email: s.tomas.Email, Tax: sum("10"), Shipping: sum("5")})
			p := must(tributary.New(s.store, func() tributary.Config {
				c := s.Config()
				c.CommissionOnTax, c.CommissionOnShipping = true, true
				return c
			}()))
			if err := p.Verify(ctx); err != nil {
				t.Error(err)
			}
		}},
		"a customer of the past": {nil, func(s saleShop) {
			must(s.ImportReferrals(ctx, []affiliate.ImportedReferral{{NewReferral: affiliate.NewReferral{
				AffiliateID: "ada", Name: "i", Email: "i@example.net", ReferredUserExternalID: "i"}}}))
			s.verify()
			must(s.UpdateReferral(ctx, "i@example.net", affiliate.ReferralUpdate{Name: affiliate.Set("I")}))
			s.verify()
			if err := s.DeleteReferral(ctx, "i@example.net"); err != nil {
				t.Error(err)
			}
		}},
		"every limit of a code": {nil, func(s saleShop) {
			coupon := must(s.CreateCoupon(ctx, affiliate.NewCoupon{Name: "flat", CouponType: affiliate.CouponFlat, AmountOff: amount("5"), Currency: affiliate.Set[affiliate.Currency]("USD"),
				LimitToProducts: true, ProductIDs: []string{"p"}}))
			must(s.CreateCode(ctx, affiliate.NewCode{CouponID: coupon.ID, Code: "LIMITED", LimitToCustomers: true, CustomerID: "c",
				MinimumAmount: amount("1"), MaxRedemptions: affiliate.Set[int64](1)}))
		}},
		"a redemption that was restored": {nil, func(s saleShop) {
			sale := s.sell(affiliate.NewSale{PromoCode: "ADA20"})
			if err := s.RestoreRedemption(ctx, sale.ID); err != nil {
				t.Error(err)
			}
		}},
		"a sale that was changed while the clock was back": {nil, func(s saleShop) {
			sale := s.toTomas("100")
			s.pass(-time.Hour)
			must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{Name: affiliate.Set("n")}))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var changes []func(*tributary.Config)
			if c.config != nil {
				changes = append(changes, c.config)
			}
			s := newSaleShop(t, changes...)
			c.do(s)
			s.verify()
		})
	}
}
