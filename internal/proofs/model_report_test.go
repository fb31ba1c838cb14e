package proofs_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// A countable is what changed at one moment, in figures that a report adds up;
// amounts are in 1/10,000.
type countable struct {
	at                                       time.Time
	owner, link, code                        uuid.UUID
	clicks, referrals, sales, deleted        int64
	revenue, refunds, commission, adjustment int64
}

// A seenSale is a sale as it was read.
type seenSale struct {
	owner, link, code            uuid.UUID
	total, refunded, commissions int64
}

// A reportModel notes what each action changed, by comparing what can be read
// before and after. It knows nothing of movements.
type reportModel struct {
	scene.Shop
	seen     map[affiliate.SaleID]seenSale
	adjusted int
	happened []countable
	past     []pastTotal
}

// A pastTotal is what everybody was owed when it was now.
type pastTotal struct {
	at      time.Time
	deleted int64 // sales, until then
	total   affiliate.TotalBalance
}

// deleted is how many sales were deleted so far.
func (m *reportModel) deleted() (n int64) {
	for i := range m.happened {
		n += m.happened[i].deleted
	}
	return n
}

// notes remembers what everybody is owed, and passes time.
func (m *reportModel) notes(d time.Duration) {
	total := scene.Must(m.TotalBalance(context.Background(), time.Time{}))
	m.Pass(d + time.Millisecond)
	m.past = append(m.past, pastTotal{m.Now, m.deleted(), total})
}

// remembers wants the totals of the past to be what they were: as of the moment up to which
// nothing more happened. A sale that was deleted since does not say when it was payable,
// and while time passed something may have become payable: then the sum is the same.
func (m *reportModel) remembers(rt *rapid.T) {
	for i := range m.past {
		p := &m.past[i]
		was, is := p.total, scene.Must(m.TotalBalance(context.Background(), p.at))
		was.At, is.At = affiliate.Time{}, affiliate.Time{}
		if p.at.Sub(p.total.At.Time()) > time.Millisecond || m.deleted() != p.deleted {
			for _, t := range []*affiliate.TotalBalance{&was, &is} {
				t.Maturing, t.Payable, t.Debts = affiliate.Amount{}, affiliate.Amount{}, affiliate.Amount{}
			}
		}
		if was != is {
			rt.Errorf("as of %v everybody was owed %+v, and later that is %+v", p.at, was, is)
		}
	}
}

// look notes what the last action changed.
func (m *reportModel) look() {
	ctx := context.Background()
	now := map[affiliate.SaleID]seenSale{}
	for _, s := range scene.Must(m.Sales(ctx, affiliate.SaleQuery{}, affiliate.Page{})).Items {
		one := seenSale{
			owner: s.AffiliateID, link: s.AffiliateLinkID.Or(uuid.Nil), code: s.PromotionalCodeID.Or(uuid.Nil),
			total: s.TotalEarned.Scaled(), refunded: s.RefundedAmount.Scaled(),
		}
		for _, c := range s.Commissions {
			if c.ApprovalStatus != affiliate.ApprovalDeclined {
				one.commissions += c.CommissionEarned.Scaled()
			}
		}
		now[s.ID] = one
		was, known := m.seen[s.ID]
		if known && was.owner != one.owner { // it was moved: it left the one, and came to the other
			h := m.change(was, seenSale{owner: was.owner, link: was.link, code: was.code})
			h.sales = -1
			m.happened = append(m.happened, h)
			was, known = seenSale{}, false
		}
		h := m.change(was, one)
		if !known {
			h.sales = 1
		}
		m.happened = append(m.happened, h)
	}
	for id, was := range m.seen {
		if _, still := now[id]; !still {
			h := m.change(was, seenSale{owner: was.owner, link: was.link, code: was.code})
			h.deleted = 1
			m.happened = append(m.happened, h)
		}
	}
	m.seen = now
	all := scene.Must(m.Adjustments(ctx, affiliate.AdjustmentQuery{}, affiliate.Page{})).Items
	for _, a := range all[:len(all)-m.adjusted] {
		m.happened = append(m.happened, countable{at: m.Now, owner: a.AffiliateID, adjustment: a.Amount.Scaled()})
	}
	m.adjusted = len(all)
}

func (m *reportModel) change(was, is seenSale) countable {
	return countable{
		at: m.Now, owner: is.owner, link: is.link, code: is.code,
		revenue: is.total - was.total, refunds: is.refunded - was.refunded, commission: is.commissions - was.commissions,
	}
}

// act does something.
func (m *reportModel) act(rt *rapid.T) {
	ctx := context.Background()
	total := affiliate.AmountFromScaled(100 * rapid.Int64Range(1, 20_000).Draw(rt, "amount"))
	var some []affiliate.SaleID
	for id := range m.seen {
		some = append(some, id)
	}
	draw := func() affiliate.SaleID {
		if len(some) == 0 {
			return 0
		}
		least := some[0]
		for _, id := range some {
			least = min(least, id)
		}
		return least + affiliate.SaleID(rapid.IntRange(0, 5).Draw(rt, "sale"))
	}
	switch rapid.IntRange(0, 11).Draw(rt, "action") {
	case 0, 1:
		m.ToTomas(total.String())
	case 2:
		scene.Must(m.RecordSale(ctx, affiliate.SaleParams{PromoCode: m.ADA20.Code, TotalEarned: total}))
	case 3:
		scene.Must(m.RecordSale(ctx, affiliate.SaleParams{ReferralID: m.Bea.ID.String(), TotalEarned: total}))
	case 4: // some are refused: too much, in a payout, gone
		_, _ = m.RefundSale(ctx, affiliate.Refund{SaleID: draw(), Amount: affiliate.Set(total), ClawBack: rapid.Bool().Draw(rt, "claw back")})
	case 5:
		_, _ = m.UpdateSale(ctx, draw(), affiliate.SaleUpdate{TotalEarned: affiliate.Set(total), ClawBack: true})
	case 6:
		_ = m.DeleteSale(ctx, draw())
	case 7:
		status := rapid.SampledFrom([]affiliate.ApprovalStatus{affiliate.ApprovalAccepted, affiliate.ApprovalOnHold, affiliate.ApprovalDeclined}).Draw(rt, "status")
		_, _ = m.ReviewCommissions(ctx, status, draw())
	case 8:
		scene.Must(m.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: m.Bob.ID, Kind: affiliate.AdjustBonus, Amount: total, Reason: "r"}))
	case 10: // some are refused: in a payout, refunded, gone
		to := rapid.SampledFrom([]uuid.UUID{m.Ada.Person.ID, m.Bob.ID}).Draw(rt, "to")
		_, _ = m.UpdateSale(ctx, draw(), affiliate.SaleUpdate{AffiliateID: affiliate.Set(to), ClawBack: rapid.Bool().Draw(rt, "claw back")})
	case 11:
		tea := affiliate.AmountFromScaled(100 * rapid.Int64Range(0, 20_000).Draw(rt, "tea"))
		scene.Must(m.RecordSale(ctx, affiliate.SaleParams{ReferralID: m.Tomas.ID.String(), TotalEarned: total, Lines: []affiliate.Line{
			{ProductID: "tea", Amount: tea}, {ProductID: "cup", Amount: total}, {ProductID: "tea", Amount: affiliate.MustAmount("0.01")},
		}}))
	case 9:
		_, _ = m.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: m.Ada.Person.ID})
		click := scene.Must(m.TrackClick(ctx, affiliate.ClickParams{Slug: "ada"}))
		m.happened = append(m.happened, countable{at: m.Now, owner: click.AffiliateID, link: click.AffiliateLinkID.Or(uuid.Nil), clicks: 1})
	}
	m.look()
}

// label names the bucket of a moment without asking the engine.
func label(by affiliate.Interval, at time.Time) string {
	switch by {
	case affiliate.IntervalWeek:
		year, week := at.ISOWeek()
		return fmt.Sprint(year, " W", week)
	case affiliate.IntervalMonth:
		return at.Format("2006-01")
	}
	return at.Format("2006-01-02")
}

// check compares a report with what happened, bucket by bucket.
func (m *reportModel) check(rt *rapid.T, name string, q affiliate.ReportQuery, zone *time.Location, counts func(*countable) bool) {
	want := map[string]*countable{}
	for i := range m.happened {
		h := &m.happened[i]
		if h.at.Before(q.From) || !h.at.Before(q.To) || !counts(h) {
			continue
		}
		in := label(q.By, h.at.In(zone))
		if want[in] == nil {
			want[in] = &countable{}
		}
		want[in].add(h)
	}
	at := q.From
	for _, b := range scene.Must(m.Report(context.Background(), q, affiliate.Page{})).Items {
		in := label(q.By, b.Start.Time().In(zone))
		sum := want[in]
		if sum == nil {
			sum = &countable{}
		}
		delete(want, in)
		got := countable{
			clicks: b.Clicks.Or(sum.clicks), referrals: b.Referrals.Or(sum.referrals), sales: b.Sales, deleted: b.DeletedSales,
			revenue: b.Revenue.Scaled(), refunds: b.Refunds.Scaled(), commission: b.Commission.Scaled(), adjustment: b.Adjustments.Scaled(),
		}
		if got != *sum {
			rt.Errorf("%s by %s, %s: %+v, want %+v", name, q.By, in, got, *sum)
		}
		if !b.Start.Time().Equal(at) || !b.End.Time().After(at) || label(q.By, b.End.Time().Add(-time.Millisecond).In(zone)) != in {
			rt.Errorf("%s by %s, %s is from %v to %v", name, q.By, in, b.Start, b.End)
		}
		at = b.End.Time()
	}
	if len(want) > 0 || !at.Equal(q.To) {
		rt.Errorf("%s by %s ends at %v and lacks %v", name, q.By, at, want)
	}
}

// ranks wants the rows of every breakdown to add up to the report of the same period.
func (m *reportModel) ranks(rt *rapid.T, q affiliate.ReportQuery) {
	ctx := context.Background()
	sum := func(to *countable, a *affiliate.Activity) {
		to.add(&countable{
			clicks: a.Clicks.Or(0), referrals: a.Referrals.Or(0), sales: a.Sales, deleted: a.DeletedSales,
			revenue: a.Revenue.Scaled(), refunds: a.Refunds.Scaled(), commission: a.Commission.Scaled(), adjustment: a.Adjustments.Scaled(),
		})
	}
	var whole countable
	for _, b := range scene.Must(m.Report(ctx, q, affiliate.Page{})).Items {
		sum(&whole, &b.Activity)
	}
	for _, by := range []affiliate.Dimension{
		affiliate.DimensionAffiliate, affiliate.DimensionLink, affiliate.DimensionCode, affiliate.DimensionCoupon, affiliate.DimensionProduct, affiliate.DimensionPlan,
		affiliate.DimensionLandingPage, affiliate.DimensionUTMSource, affiliate.DimensionSub,
	} {
		var rows countable
		want := whole
		for _, r := range scene.Must(m.Breakdown(ctx, affiliate.BreakdownQuery{From: q.From, To: q.To, By: by, AffiliateID: q.AffiliateID}, affiliate.Page{})).Items {
			sum(&rows, &r.Activity)
		}
		switch by {
		case affiliate.DimensionCode, affiliate.DimensionCoupon, affiliate.DimensionPlan, affiliate.DimensionProduct:
			want.clicks, want.referrals = 0, 0
		}
		if by == affiliate.DimensionProduct { // a sale counts for each of its products
			rows.sales, rows.deleted, want.sales, want.deleted = 0, 0, 0, 0
		}
		if rows != want {
			rt.Errorf("by %s the rows are %+v, the report %+v", by, rows, want)
		}
	}
}

func (h *countable) add(o *countable) {
	h.clicks += o.clicks
	h.referrals += o.referrals
	h.sales += o.sales
	h.deleted += o.deleted
	h.revenue += o.revenue
	h.refunds += o.refunds
	h.commission += o.commission
	h.adjustment += o.adjustment
}

// Oracle 22.8: a report is a recount of what happened, by day as by week and by
// month, over the changes of clocks of three zones.
func TestModelReport(t *testing.T) {
	zones := map[string]time.Time{
		"Europe/Berlin":     time.Date(2026, 3, 28, 20, 0, 0, 0, time.UTC),
		"America/Sao_Paulo": time.Date(2018, 2, 16, 20, 0, 0, 0, time.UTC),
		"Pacific/Apia":      time.Date(2011, 12, 28, 20, 0, 0, 0, time.UTC),
	}
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{"Europe/Berlin", "America/Sao_Paulo", "Pacific/Apia"}).Draw(rt, "zone")
		hold := int64(rapid.IntRange(0, 3).Draw(rt, "hold days"))
		w := scene.New(t, scene.Zoned(name), func(c *tributary.Config) { c.Terms.HoldDays = hold })
		w.Now = zones[name]
		m := &reportModel{Shop: scene.NewShopIn(w), seen: map[affiliate.SaleID]seenSale{}}
		m.happened = append(m.happened,
			countable{at: m.Now, owner: m.Ada.Person.ID, link: m.Tomas.AffiliateLinkID.Or(uuid.Nil), clicks: 1, referrals: 1},
			countable{at: m.Now, owner: m.Bob.ID, clicks: 1, referrals: 1})
		m.look()
		for range rapid.IntRange(1, 25).Draw(rt, "actions") {
			m.notes(time.Duration(rapid.SampledFrom([]int{0, 0, 1, 7, 60, 600, 30 * 60, 40 * 60}).Draw(rt, "minutes")) * time.Minute)
			m.act(rt)
		}
		m.Verifies()
		m.remembers(rt)
		zone := scene.Must(time.LoadLocation(name))
		for _, by := range []affiliate.Interval{affiliate.IntervalDay, affiliate.IntervalWeek, affiliate.IntervalMonth} {
			minutes := func(name string, least int) time.Duration {
				return time.Duration(rapid.IntRange(least, 20*24*60).Draw(rt, name)) * time.Minute
			}
			q := affiliate.ReportQuery{From: zones[name].Add(-minutes("before", 0)), By: by}
			q.To = q.From.Add(minutes("length", 1))
			m.check(rt, "program", q, zone, func(*countable) bool { return true })
			m.ranks(rt, q)
			for _, owner := range []uuid.UUID{m.Ada.Person.ID, m.Bob.ID} {
				q := q
				q.AffiliateID = affiliate.Set(owner)
				m.check(rt, "affiliate", q, zone, func(h *countable) bool { return h.owner == owner })
				m.ranks(rt, q)
			}
			byLink, byCode := q, q
			byLink.LinkID, byCode.CodeID = m.Tomas.AffiliateLinkID, affiliate.Set(m.ADA20.ID)
			m.check(rt, "link", byLink, zone, func(h *countable) bool { return h.link == m.Tomas.AffiliateLinkID.Or(uuid.Nil) })
			m.check(rt, "code", byCode, zone, func(h *countable) bool { return h.code == m.ADA20.ID && h.owner == m.Ada.Person.ID })
		}
	})
}
