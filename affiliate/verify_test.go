package affiliate_test

import (
	"context"
	"errors"
	"fmt"
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

// A booksLedger is a program with records of every kind that Verify checks.
type booksLedger struct {
	*world
	ada
	link     affiliate.Link
	referral affiliate.Referral
	sales    []affiliate.Sale // by code, by referral, refunded in part, refunded in full, in a payout
	payout   affiliate.Payout
	endpoint affiliate.IssuedEndpoint
	disabled affiliate.IssuedEndpoint
}

func newBooksLedger(t testing.TB, change ...func(*tributary.Config)) *booksLedger {
	t.Helper()
	ctx := context.Background()
	b := &booksLedger{world: newWorld(t, change...)}
	b.endpoint = must(b.CreateEndpoint(ctx, affiliate.NewEndpoint{URL: "https://hooks.example/a", Events: []affiliate.EventType{"*"}}))
	b.disabled = must(b.CreateEndpoint(ctx, affiliate.NewEndpoint{URL: "https://hooks.example/b", Events: []affiliate.EventType{affiliate.SaleCreated}, Active: affiliate.Set(false)}))
	b.ada = b.world.ada()
	b.link = must(b.CreateLink(ctx, affiliate.NewLink{Link: "ada-spring", AffiliateID: b.affiliate.ID}))
	click := must(b.TrackClick(ctx, affiliate.NewClick{Slug: "ada-spring", DeviceID: "device-1", LandingURL: "https://beans.example/?ref=ada-spring", Referrer: "https://blog.example", UserAgent: "Browser"}))
	b.pass(time.Second)
	b.referral = must(b.CreateReferral(ctx, affiliate.NewReferral{AffiliateID: fmt.Sprint(click.ID), Name: "Carl Customer", Email: "carl@customer.example", ReferredUserExternalID: "user-77"}))
	sale := func(in affiliate.NewSale) affiliate.Sale {
		b.pass(time.Second)
		in.TotalEarned = sum("100")
		res := must(b.RecordSale(ctx, in))
		got, ok := res.Sale.Get()
		if !ok {
			t.Fatalf("sale: %s", res.Outcome)
		}
		b.sales = append(b.sales, got)
		return got
	}
	sale(affiliate.NewSale{PromoCode: "ada20", ExternalID: "order-1"})
	sale(affiliate.NewSale{ReferralID: b.referral.ID.String(), ExternalID: "order-2"})
	part := sale(affiliate.NewSale{Email: "carl@customer.example", Tax: sum("10")})
	must(b.RefundSale(ctx, affiliate.Refund{SaleID: part.ID, Amount: affiliate.Set(sum("30")), RefundID: "r1"}))
	full := sale(affiliate.NewSale{ReferralID: "ada-spring", Email: "dora@customer.example", Name: "Dora Customer"})
	must(b.RefundSale(ctx, affiliate.Refund{SaleID: full.ID}))
	b.payout = must(b.CreatePayout(ctx, affiliate.NewPayout{AffiliateID: b.affiliate.ID}))
	sale(affiliate.NewSale{PromoCode: "ADA20", Email: "carl@customer.example"})
	b.pass(time.Second)
	b.verify()
	return b
}

// booksEdit changes the first record of a table that fits.
func booksEdit[R record.Record[R]](t record.Table[R], fits func(R) bool, change func(*R)) error {
	for rec, err := range t.List(record.Query{}) {
		if err != nil {
			return err
		}
		if fits != nil && !fits(rec) {
			continue
		}
		rec = rec.Clone()
		change(&rec)
		return t.Replace(rec)
	}
	return errors.New("no record fits")
}

func booksDrop[R record.Record[R]](t record.Table[R], fits func(R) bool) error {
	for rec, err := range t.List(record.Query{}) {
		if err != nil {
			return err
		}
		if fits == nil || fits(rec) {
			return t.Delete(rec.RecordID())
		}
	}
	return errors.New("no record fits")
}

// booksBroken lists the invariants that Verify names, each once, in order.
func booksBroken(err error) []string {
	names := []string{}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return names
	}
	for _, err := range joined.Unwrap() {
		breach, ok := errors.AsType[*affiliate.Breach](err)
		if !ok {
			return []string{"no breach: " + err.Error()}
		}
		names = append(names, breach.Invariant)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// booksCorrupted runs one case on its own program.
func booksCorrupted(t *testing.T, change func(b *booksLedger, tx *record.Tx) error, want ...string) {
	t.Helper()
	b := newBooksLedger(t)
	b.raw(func(tx *record.Tx) error { return change(b, tx) })
	err := b.Verify(t.Context())
	if diff := cmp.Diff(want, booksBroken(err)); diff != "" {
		t.Errorf("invariants (-want +got):\n%s\n%v", diff, err)
	}
	if err != nil && !strings.Contains(err.Error(), "affiliate: "+want[0]+": ") {
		t.Errorf("the text does not name %s: %v", want[0], err)
	}
	reportEquals(t, b.Program, err)
}

type booksCorruption struct {
	name   string
	change func(b *booksLedger, tx *record.Tx) error
	want   []string
}

func runBooksCorruptions(t *testing.T, cases []booksCorruption) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.want[0]+" "+c.name, func(t *testing.T) { booksCorrupted(t, c.change, c.want...) })
	}
}

func booksSale(n int64) func(record.Sale) bool {
	return func(r record.Sale) bool { return r.Number == n }
}

// adjusts stores a bonus and its reversal, which are in order, and returns the
// id of the bonus.
func (b *booksLedger) adjusts(tx *record.Tx, externalID string) uuid.UUID {
	rec := record.Adjustment{
		ID: uuid.UUID{1}, AffiliateID: b.affiliate.ID, Kind: affiliate.AdjustBonus, Amount: sum("5"), Reason: "r",
		ReversedBy: uuid.UUID{2}, CreatedAt: affiliate.InstantOf(b.now), ExternalID: externalID,
	}
	back := rec
	back.ID, back.Amount, back.Reverses, back.ReversedBy, back.ExternalID = rec.ReversedBy, sum("-5"), rec.ID, uuid.Nil, ""
	if err := errors.Join(tx.Adjustments.Insert(rec), tx.Adjustments.Insert(back)); err != nil {
		b.t.Fatal(err)
	}
	return rec.ID
}

func TestVerifyEmpty(t *testing.T) {
	newWorld(t).verify()
}

func TestVerifyCodes(t *testing.T) {
	missing := uuid.MustParse("0197c2f0-0000-7000-8000-00000000dead")
	coupon := func(change func(*record.Coupon)) func(*booksLedger, *record.Tx) error {
		return func(_ *booksLedger, tx *record.Tx) error { return booksEdit(tx.Coupons, nil, change) }
	}
	code := func(change func(*record.Code)) func(*booksLedger, *record.Tx) error {
		return func(_ *booksLedger, tx *record.Tx) error { return booksEdit(tx.Codes, nil, change) }
	}
	runBooksCorruptions(t, []booksCorruption{
		{"counter above the ledger", code(func(r *record.Code) { r.TimesRedeemed++ }), []string{"I01"}},
		{"counter negative", code(func(r *record.Code) { r.TimesRedeemed = -1 }), []string{"I01"}},
		{"ledger row missing", func(_ *booksLedger, tx *record.Tx) error { return booksDrop(tx.Redemptions, nil) }, []string{"I01", "I02"}},
		{"sale of another code", func(b *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Sales, booksSale(1), func(r *record.Sale) { r.CodeID = missing })
		}, []string{"I01", "I65"}},
		{"coupon counter", coupon(func(r *record.Coupon) { r.TimesRedeemed-- }), []string{"I02"}},
		{"ledger row of another coupon", func(_ *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Redemptions, nil, func(r *record.Redemption) { r.CouponID = missing })
		}, []string{"I02"}},
		{"coupon gone", func(_ *booksLedger, tx *record.Tx) error { return booksDrop(tx.Coupons, nil) }, []string{"I15"}},
		{"percentage without percentOff", coupon(func(r *record.Coupon) { r.PercentOff = affiliate.Percent{} }), []string{"I17"}},
		{"percentOff of 101", coupon(func(r *record.Coupon) { r.PercentOff = affiliate.MustPercent("101") }), []string{"I17"}},
		{"both pairs", coupon(func(r *record.Coupon) { r.AmountOff, r.Currency = sum("5"), "USD" }), []string{"I17"}},
		{"flat without currency", coupon(func(r *record.Coupon) {
			r.Type, r.PercentOff, r.AmountOff = affiliate.CouponFlat, affiliate.Percent{}, sum("5")
		}), []string{"I17"}},
		{"repeating without months", coupon(func(r *record.Coupon) { r.Duration = affiliate.DurationRepeating }), []string{"I18"}},
		{"months without repeating", coupon(func(r *record.Coupon) { r.DurationInMonths = 3 }), []string{"I18"}},
		{"limited to no product", coupon(func(r *record.Coupon) { r.LimitToProducts = true }), []string{"I19"}},
		{"negative limit", coupon(func(r *record.Coupon) { r.MaxRedemptions = -1 }), []string{"I19"}},
		{"negative limit of a code", code(func(r *record.Code) { r.MaxRedemptions = -1 }), []string{"I19"}},
		{"limited to customers, to none", code(func(r *record.Code) { r.LimitToCustomers = true }), []string{"I19"}},
		{"coupon without a name", coupon(func(r *record.Coupon) { r.Name = " " }), []string{"I81"}},
		{"unknown duration", coupon(func(r *record.Coupon) { r.Duration = "weekly" }), []string{"I81"}},
		{"code with a space", code(func(r *record.Code) { r.Code = "ADA 20" }), []string{"I21"}},
		{"minimum without currency", code(func(r *record.Code) { r.MinimumAmount = affiliate.Set(sum("5")) }), []string{"I24"}},
		{"currency without minimum", code(func(r *record.Code) { r.MinimumCurrency = "USD" }), []string{"I24"}},
		{"code of a missing affiliate", code(func(r *record.Code) { r.AffiliateID = missing }), []string{"I36"}},
		{"coupon changed before it was made", coupon(func(r *record.Coupon) { r.UpdatedAt = r.CreatedAt.Add(-time.Second) }), []string{"I54"}},
	})
}

func TestVerifyPeople(t *testing.T) {
	missing := uuid.MustParse("0197c2f0-0000-7000-8000-00000000dead")
	referral := func(change func(*record.Referral)) func(*booksLedger, *record.Tx) error {
		return func(b *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Referrals, func(r record.Referral) bool { return r.ID == b.referral.ID }, change)
		}
	}
	runBooksCorruptions(t, []booksCorruption{
		{"slug with a dot", func(b *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Links, nil, func(r *record.Link) { r.Slug = "a.b" })
		}, []string{"I25"}},
		{"link without its owner", func(b *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Links, nil, func(r *record.Link) { r.AffiliateID = missing })
		}, []string{"I27"}},
		{"click of a missing link", func(b *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Clicks, nil, func(r *record.Click) { r.LinkID = missing })
		}, []string{"I29", "I31"}},
		{"click of a missing affiliate", func(b *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Clicks, nil, func(r *record.Click) { r.AffiliateID = missing })
		}, []string{"I31", "I36"}},
		{"click of a missing referral", func(b *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Clicks, nil, func(r *record.Click) { r.ReferralID = missing })
		}, []string{"I31", "I37"}},
		{"email in upper case", func(b *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Affiliates, nil, func(r *record.Affiliate) { r.Email = "Ada@example.com" })
		}, []string{"I35"}},
		{"affiliate on a missing plan", func(b *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Affiliates, nil, func(r *record.Affiliate) { r.PlanID = missing })
		}, []string{"I36"}},
		{"affiliate in a missing tier", func(b *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Affiliates, nil, func(r *record.Affiliate) { r.TierID = missing })
		}, []string{"I36"}},
		{"affiliate of an unknown status", func(b *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Affiliates, nil, func(r *record.Affiliate) { r.Status = "VIP" })
		}, []string{"I81"}},
		{"referral of an unknown status", referral(func(r *record.Referral) { r.Status = "TRIAL" }), []string{"I81"}},
		{"email of a referral", referral(func(r *record.Referral) { r.Email = " x@y.example" }), []string{"I35"}},
		{"referral of a missing link", referral(func(r *record.Referral) { r.LinkID = missing }), []string{"I29", "I31"}},
		{"referral of a missing affiliate", referral(func(r *record.Referral) { r.AffiliateID = missing }), []string{"I31", "I36"}},
		{"referral on a missing plan", referral(func(r *record.Referral) { r.PlanID = missing }), []string{"I36"}},
		{"totals too high", func(b *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Totals, nil, func(r *record.Totals) { r.Sales++ })
		}, []string{"I31"}},
		{"totals without an owner", func(b *booksLedger, tx *record.Tx) error {
			return tx.Totals.Insert(record.Totals{ID: missing})
		}, []string{"I31"}},
		{"totals missing", func(b *booksLedger, tx *record.Tx) error { return booksDrop(tx.Totals, nil) }, []string{"I31", "I63"}},
	})
}

func TestVerifySales(t *testing.T) {
	missing := uuid.MustParse("0197c2f0-0000-7000-8000-00000000dead")
	sale := func(n int64, change func(*record.Sale)) func(*booksLedger, *record.Tx) error {
		return func(_ *booksLedger, tx *record.Tx) error { return booksEdit(tx.Sales, booksSale(n), change) }
	}
	payout := func(change func(*record.Payout)) func(*booksLedger, *record.Tx) error {
		return func(_ *booksLedger, tx *record.Tx) error { return booksEdit(tx.Payouts, nil, change) }
	}
	adjusted := func(change func(*record.Adjustment)) func(*booksLedger, *record.Tx) error {
		return func(b *booksLedger, tx *record.Tx) error {
			id := b.adjusts(tx, "")
			return booksEdit(tx.Adjustments, func(r record.Adjustment) bool { return r.ID == id }, change)
		}
	}
	runBooksCorruptions(t, []booksCorruption{
		{"sale of a missing link", sale(2, func(r *record.Sale) { r.LinkID = missing }), []string{"I29", "I31"}},
		{"sale of a missing affiliate", sale(2, func(r *record.Sale) { r.AffiliateID = missing }), []string{"I31", "I36", "I40", "I71"}},
		{"sale of a missing referral", sale(2, func(r *record.Sale) { r.ReferralID = missing }), []string{"I31", "I37"}},
		{"commission of a missing affiliate", sale(5, func(r *record.Sale) { r.Commissions[0].AffiliateID = missing }), []string{"I36", "I40", "I64"}},
		{"commission above its rate", sale(5, func(r *record.Sale) { r.Commissions[0].Earned = sum("20.01") }), []string{"I31", "I40", "I64", "I65"}},
		{"negative commission", sale(5, func(r *record.Sale) { r.Commissions[0].Earned = sum("-1") }), []string{"I31", "I40", "I64", "I65"}},
		{"percentage commission above its base", sale(5, func(r *record.Sale) {
			r.Rate, r.Commissions[0].Earned = percent("500"), sum("500")
		}), []string{"I31", "I40", "I64", "I65"}},
		{"percentage above 100 on a smaller base", sale(3, func(r *record.Sale) {
			r.Rate, r.Commissions[0].Earned = percent("110"), sum("69.3") // of a base of 63; 70 is left
		}), []string{"I31", "I40", "I42", "I65"}},
		{"negative rate", sale(4, func(r *record.Sale) { r.Rate = percent("-1") }), []string{"I40"}},
		{"rate of no type", sale(5, func(r *record.Sale) { r.RateType = affiliate.Enum[affiliate.CommissionType]{} }), []string{"I81"}},
		{"tax and shipping above the total", sale(5, func(r *record.Sale) { r.Tax, r.Shipping = sum("60"), sum("40.0001") }), []string{"I40", "I44"}},
		{"tax that has no room", sale(5, func(r *record.Sale) {
			r.Tax, r.Shipping = affiliate.AmountFromScaled(math.MaxInt64), affiliate.AmountFromScaled(1)
		}), []string{"I40", "I44"}},
		{"no status", sale(5, func(r *record.Sale) { r.Status = affiliate.Enum[affiliate.SaleStatus]{} }), []string{"I81"}},
		{"no approval", sale(5, func(r *record.Sale) {
			r.Commissions[0].Approval, r.Commissions[0].HoldReason = affiliate.EnumOf(affiliate.ApprovalStatus("")), affiliate.EnumOf(affiliate.HoldProgramSettings)
		}), []string{"I64", "I81"}},
		{"on hold without a reason", sale(5, func(r *record.Sale) { r.Commissions[0].Approval = affiliate.EnumOf(affiliate.ApprovalOnHold) }), []string{"I64", "I81"}},
		{"declined without a reason", sale(4, func(r *record.Sale) {
			r.Commissions[0].Approval = affiliate.EnumOf(affiliate.ApprovalDeclined)
		}), []string{"I81"}},
		{"accepted with a reason", sale(5, func(r *record.Sale) {
			r.Commissions[0].HoldReason = affiliate.EnumOf(affiliate.HoldFraudPrevention)
		}), []string{"I81"}},
		{"on hold, and in a payout", sale(1, func(r *record.Sale) {
			r.Commissions[0].Approval, r.Commissions[0].HoldReason = affiliate.EnumOf(affiliate.ApprovalOnHold), affiliate.EnumOf(affiliate.HoldFraudPrevention)
		}), []string{"I42", "I64"}},
		{"payout of an unknown status", payout(func(r *record.Payout) { r.Status = "SENT" }), []string{"I81"}},
		{"paid payout without a time", payout(func(r *record.Payout) { r.Status = affiliate.PayoutPaid }), []string{"I42", "I64", "I66"}},
		{"payout that waits and was paid", payout(func(r *record.Payout) { r.PaidAt = r.UpdatedAt }), []string{"I42"}},
		{"refunds that do not add up", sale(3, func(r *record.Sale) { r.Refunds[0].Amount = sum("29") }), []string{"I41"}},
		{"refund of nothing", sale(3, func(r *record.Sale) {
			r.Refunds = append(r.Refunds, record.Refund{ID: "r2", At: r.UpdatedAt})
		}), []string{"I41"}},
		{"refund counted twice", sale(3, func(r *record.Sale) {
			r.Refunds[0].Amount = sum("15")
			r.Refunds = append(r.Refunds, r.Refunds[0])
		}), []string{"I41"}},
		{"refunded, but active", sale(4, func(r *record.Sale) { r.Status = affiliate.EnumOf(affiliate.SaleActive) }), []string{"I31", "I41"}},
		{"active, but refunded", sale(5, func(r *record.Sale) { r.Status = affiliate.EnumOf(affiliate.SaleRefunded) }), []string{"I31", "I41"}},
		{"refunded, but it earns", sale(4, func(r *record.Sale) { r.Commissions[0].Earned = sum("1") }), []string{"I40", "I41", "I64", "I65"}},
		{"payout missing", func(b *booksLedger, tx *record.Tx) error { return booksDrop(tx.Payouts, nil) }, []string{"I42", "I64"}},
		{"payout of another amount", func(b *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Payouts, nil, func(r *record.Payout) { r.Amount = sum("1") })
		}, []string{"I42", "I64", "I66"}},
		{"payout does not list it", func(b *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Payouts, nil, func(r *record.Payout) { r.Items = r.Items[1:] })
		}, []string{"I42"}},
		{"payout lists it twice", func(b *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Payouts, nil, func(r *record.Payout) { r.Items = append(r.Items, r.Items[0]) })
		}, []string{"I42"}},
		{"commission left its payout", sale(1, func(r *record.Sale) { r.Commissions[0].PayoutID = uuid.Nil }), []string{"I38", "I42", "I64"}},
		{"payout of another affiliate", func(b *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Payouts, nil, func(r *record.Payout) { r.AffiliateID = missing })
		}, []string{"I38", "I42", "I64", "I66"}},
		{"two payouts of one sale", sale(1, func(r *record.Sale) {
			c := r.Commissions[0]
			c.Number, c.PayoutID, c.Earned, c.ClawBack = 99, missing, affiliate.Amount{}, true
			r.Commissions = append(r.Commissions, c)
		}), []string{"I42"}},
		{"further commission that is not one", sale(1, func(r *record.Sale) {
			c := r.Commissions[0]
			c.Number, c.PayoutID, c.Frozen, c.Earned = 99, uuid.Nil, false, affiliate.Amount{}
			r.Commissions = append(r.Commissions, c)
		}), []string{"I40"}},
		{"further commission beside none that is frozen", sale(5, func(r *record.Sale) {
			c := r.Commissions[0]
			c.Number, c.Earned, c.ClawBack = 99, affiliate.Amount{}, true
			r.Commissions = append(r.Commissions, c)
		}), []string{"I40"}},
		{"frozen, in no list", sale(5, func(r *record.Sale) { r.Commissions[0].Frozen = true }), []string{"I67"}},
		{"in a list, not frozen", func(b *booksLedger, tx *record.Tx) error {
			free := func(r *record.Sale) { r.Commissions[0].PayoutID, r.Commissions[0].Frozen = uuid.Nil, false }
			return errors.Join(
				booksEdit(tx.Sales, booksSale(1), free), booksEdit(tx.Sales, booksSale(2), free), booksEdit(tx.Sales, booksSale(3), free),
				booksEdit(tx.Payouts, nil, func(r *record.Payout) {
					r.Status, r.CanceledAt, r.Items = affiliate.PayoutCanceled, r.UpdatedAt, r.Items[:1]
					r.Amount = sum("20")
				}),
			)
		}, []string{"I64", "I66", "I67"}},
		{"canceled payout that holds", payout(func(r *record.Payout) {
			r.Status, r.CanceledAt = affiliate.PayoutCanceled, r.UpdatedAt
		}), []string{"I42", "I64", "I66"}},
		{"returned payout that holds", payout(func(r *record.Payout) {
			r.Status, r.PaidAt, r.ReturnedAt = affiliate.PayoutReturned, r.UpdatedAt, r.UpdatedAt
		}), []string{"I42", "I64", "I66"}},
		{"returned without a time", payout(func(r *record.Payout) { r.ReturnedAt = r.UpdatedAt }), []string{"I42"}},
		{"a reason of what did not come back", payout(func(r *record.Payout) { r.ReturnedReason = "x" }), []string{"I42"}},
		{"canceled without a time", payout(func(r *record.Payout) { r.CanceledAt = r.UpdatedAt }), []string{"I42"}},
		{"payout lists another sale", payout(func(r *record.Payout) {
			r.Items = slices.Clone(r.Items)
			r.Items[0].Sale = 99
		}), []string{"I38"}},
		{"adjustment of a missing affiliate", adjusted(func(r *record.Adjustment) { r.AffiliateID = missing }), []string{"I36", "I64", "I73"}},
		{"adjustment of no kind", adjusted(func(r *record.Adjustment) { r.Kind = "GIFT" }), []string{"I73", "I81"}},
		{"bonus of less than nothing", adjusted(func(r *record.Adjustment) { r.Amount = sum("-5") }), []string{"I44", "I64", "I73"}},
		{"bonus that is not rounded", adjusted(func(r *record.Adjustment) { r.Amount = sum("5.001") }), []string{"I44", "I64", "I73"}},
		{"fee of no sale", adjusted(func(r *record.Adjustment) { r.Kind, r.Amount = affiliate.AdjustChargebackFee, sum("-5") }), []string{"I44", "I64", "I73"}},
		{"reversed by nothing", adjusted(func(r *record.Adjustment) { r.ReversedBy = missing }), []string{"I73"}},
		{"reversal of nothing", adjusted(func(r *record.Adjustment) { r.Reverses = missing }), []string{"I73"}},
		{"adjustment in no payout", adjusted(func(r *record.Adjustment) { r.PayoutID = missing }), []string{"I42", "I64"}},
		{"adjustment that left its payout", func(b *booksLedger, tx *record.Tx) error {
			id := b.adjusts(tx, "")
			return booksEdit(tx.Payouts, nil, func(r *record.Payout) {
				r.Items = append(slices.Clone(r.Items), affiliate.PayoutItem{Adjustment: id})
			})
		}, []string{"I38"}},
		{"adjustments with one external id", func(b *booksLedger, tx *record.Tx) error {
			b.adjusts(tx, "twice")
			second := record.Adjustment{ID: uuid.UUID{3}, AffiliateID: b.affiliate.ID, Kind: affiliate.AdjustBonus, Amount: sum("1"), CreatedAt: affiliate.InstantOf(b.now), ExternalID: "twice"}
			if err := tx.Adjustments.Insert(second); !errors.Is(err, record.ErrExists) {
				return fmt.Errorf("a second one was stored: %v", err)
			}
			return booksEdit(tx.Adjustments, nil, func(r *record.Adjustment) { r.CreatedAt = affiliate.Instant{} })
		}, []string{"I54"}},
		{"payout of nothing", func(b *booksLedger, tx *record.Tx) error {
			rec := record.Payout{
				ID: uuid.UUID{1}, AffiliateID: b.affiliate.ID, Status: affiliate.PayoutPending,
				CreatedAt: affiliate.InstantOf(b.now), UpdatedAt: affiliate.InstantOf(b.now),
			}
			return tx.Payouts.Insert(rec)
		}, []string{"I66", "I68"}},
		{"total of nothing", sale(5, func(r *record.Sale) { r.TotalEarned = sum("-1") }), []string{"I31", "I40", "I41", "I44"}},
		{"negative tax", sale(1, func(r *record.Sale) { r.Tax = sum("-1") }), []string{"I40", "I44"}},
		{"commission number twice", sale(5, func(r *record.Sale) { r.Commissions[0].Number = 1 }), []string{"I53", "I65"}},
		{"no event at all", sale(5, func(r *record.Sale) { r.Revision = 0 }), []string{"I45", "I50"}},
	})
}
