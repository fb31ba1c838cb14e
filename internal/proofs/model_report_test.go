package proofs_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"math/big"
	"slices"
	"strings"
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

// Oracle 22.8, money check 48: a report is a recount of what happened, by day as by week and by
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

// run makes a payout run over the one affiliate of the model. Its line, and that
// of a preview before, is decided from the definition (docs/money.md 6).
func (m *moneyModel) run(rt *rapid.T) {
	m.runs++
	owner := m.drawPayee(rt)
	in := affiliate.PayoutRun{
		AffiliateIDs: []uuid.UUID{owner.ID},
		ExternalID:   fmt.Sprint("run ", m.runs), Minimum: affiliate.Set(drawCents(rt, "minimum", 0, 2_000)), NoDetails: rapid.Bool().Draw(rt, "no details"),
		Until: m.w.Now.Add(-time.Duration(rapid.IntRange(0, 3).Draw(rt, "hours ago")) * time.Hour),
	}
	open, held := 0, new(big.Rat) // entries on hold that cancel out are nothing
	for _, e := range m.all() {
		switch {
		case e.owner != owner || e.payout >= 0 || e.amount.Sign() == 0 || e.approval == affiliate.ApprovalDeclined:
		case e.approval == affiliate.ApprovalOnHold:
			held.Add(held, e.amount)
		default:
			open++
		}
	}
	took, sum := m.payable(owner, in.Until)
	var want []string
	switch {
	case open == 0 && held.Sign() == 0:
	case open == 0:
		want = []string{"0 on_hold"}
	case len(took) == 0:
		want = []string{"0 nothing_matured"}
	case sum.Sign() <= 0:
		want = []string{scene.Plain(sum) + " negative"}
	case !in.NoDetails:
		want = []string{scene.Plain(sum) + " no_payout_method"}
	case sum.Cmp(scene.RatOf(in.Minimum.Or(affiliate.Amount{}))) < 0:
		want = []string{scene.Plain(sum) + " below_minimum"}
	default:
		want = []string{scene.Plain(sum) + " paid"}
	}
	told := func(lines []affiliate.PayoutLine) (out []string) {
		for _, l := range lines {
			out = append(out, fmt.Sprint(l.Amount, " ", l.Skipped.Or("paid")))
		}
		return out
	}
	preview := scene.Must(m.w.PreviewPayouts(rt.Context(), in, affiliate.Page{}))
	run, err := m.w.RunPayouts(rt.Context(), in)
	scene.RefusedAs(rt, "RunPayouts", "", err)
	lines := scene.Must(m.w.PayoutLines(rt.Context(), in.ExternalID, affiliate.Page{})).Items
	sameLines(rt, "preview", want, told(preview.Items))
	sameLines(rt, "lines", want, told(lines))
	if run.Created == 1 {
		id, _ := lines[0].PayoutID.Get()
		m.paid(owner, id, took, sum)
	}
}

// cut cuts the time so far at random instants: each statement begins with what
// the one before it ends with, its lines lead from the one to the other, and its
// CSV says the same as its JSON. Those that are closed are kept, to be read again
// (docs/money.md 9).
func (m *moneyModel) cut(rt *rapid.T) {
	span := m.w.Now.Sub(scene.Start).Microseconds()
	if span == 0 {
		rt.Skip("no time has passed")
	}
	at := []time.Time{scene.Start.Add(-time.Hour), m.w.Now.Add(time.Hour)}
	for _, micros := range rapid.SliceOfN(rapid.Int64Range(0, span), 1, 4).Draw(rt, "instants") {
		at = append(at, scene.Start.Add(time.Duration(micros)*time.Microsecond))
	}
	slices.SortFunc(at, time.Time.Compare)
	at = slices.Compact(at)
	last, owner := affiliate.Figures{}, m.drawPayee(rt)
	for i, to := range at[1:] {
		s := scene.Must(m.w.Statement(rt.Context(), affiliate.AffiliateRef{ID: owner.ID}, at[i], to))
		if s.Opening != last {
			rt.Errorf("from %v: opening %+v, what was before closes with %+v", at[i], s.Opening, last)
		}
		last = s.Closing
		sameLines(rt, "CSV", m.rows(rt, s), csvRows(s))
		if s.Closed {
			asJSON, asCSV := scene.StatementTexts(rt, m.w.Program, owner.ID, at[i], to)
			owner.cuts = append(owner.cuts, closedPeriod{from: at[i], to: to, asJSON: asJSON, asCSV: asCSV})
		}
	}
}

// rows are the rows of a statement in CSV, made from its lines. The lines must
// add up.
func (m *moneyModel) rows(rt *rapid.T, s affiliate.Statement) []string {
	owed := scene.RatOf(s.Opening.Owed)
	rows := []string{fmt.Sprint(s.From, " OPENING_BALANCE ", s.Opening.Owed)}
	for _, l := range scene.All(s.Lines()) {
		if owed.Add(owed, scene.RatOf(l.Amount)); owed.Cmp(scene.RatOf(l.Owed)) != 0 {
			rt.Errorf("%+v is not after %s", l, scene.Plain(owed))
		}
		rows = append(rows, fmt.Sprint(l.At, " ", l.Cause, " ", l.Amount, " ", l.Owed))
	}
	if owed.Cmp(scene.RatOf(s.Closing.Owed)) != 0 {
		rt.Errorf("the lines lead to %s, closing %v", scene.Plain(owed), s.Closing.Owed)
	}
	return append(rows, fmt.Sprint(s.To, " CLOSING_BALANCE ", s.Closing.Owed))
}

// csvRows are the time, cause, amount and owed of each row of a statement in CSV.
func csvRows(s affiliate.Statement) (rows []string) {
	var text strings.Builder
	scene.Must(0, s.WriteCSV(&text))
	for _, row := range scene.Must(csv.NewReader(strings.NewReader(text.String())).ReadAll())[1:] {
		rows = append(rows, strings.Join(strings.Fields(strings.Join([]string{row[1], row[2], row[7], row[8]}, " ")), " "))
	}
	return rows
}

// unite merges one affiliate into the other, and somebody new comes for the one who goes. All
// that was theirs is of who stays, and nothing else changes (docs/rules.md 4.9).
func (m *moneyModel) unite(rt *rapid.T) {
	from, into := m.bob, m.ada
	if rapid.Bool().Draw(rt, "the owner of the code goes") {
		from, into = into, from
	}
	var want affiliate.Reason
	for _, p := range m.payouts {
		if p.owner == from && slices.Contains([]affiliate.PayoutStatus{affiliate.PayoutPending, affiliate.PayoutProcessing, affiliate.PayoutFailed}, p.status) {
			want = affiliate.InPayout
		}
	}
	in := affiliate.Merge{From: choose(rt, "from", from.Email, from.ID.String()), Into: into.ID.String()}
	_, err := m.w.MergeAffiliates(rt.Context(), in)
	scene.RefusedAs(rt, "MergeAffiliates", want, err)
	if err != nil {
		return
	}
	for _, s := range m.sales {
		if s.owner == from {
			s.owner = into
		}
		for _, e := range s.entries {
			e.owner = s.owner
		}
	}
	for _, a := range m.adjustments {
		if a.owner == from {
			a.owner = into
		}
	}
	for _, p := range m.payouts {
		if p.owner == from {
			p.owner, p.lines = into, strings.ReplaceAll(p.lines, from.ID.String(), into.ID.String())
		}
	}
	if got := scene.Must(m.w.Affiliate(rt.Context(), from.ID.String())); got.ID != into.ID {
		rt.Errorf("%s leads to %s, not to %s", from.ID, got.ID, into.ID)
	}
	m.left = append(m.left, from.ID)
	m.ada, m.bob = into, &payee{Affiliate: m.w.Join(fmt.Sprint("bob", len(m.left))), rate: scene.PercentRat(affiliate.MustPercent("20"))}
}

// checkLeft: nothing is left in the ledgers of those who were merged, and their totals are of who stays.
func (m *moneyModel) checkLeft(rt *rapid.T) {
	for _, id := range m.left {
		left := scene.RatOf(affiliate.Amount{})
		for _, r := range scene.Must(m.w.Movements(rt.Context(), affiliate.MovementQuery{AffiliateID: affiliate.Set(id)}, affiliate.Page{})).Items {
			if r.From == affiliate.AccountAccrual {
				left.Add(left, scene.RatOf(r.Amount))
			}
			if r.To == affiliate.AccountAccrual {
				left.Sub(left, scene.RatOf(r.Amount))
			}
		}
		if left.Sign() != 0 {
			rt.Errorf("%s is left in the ledger of %s, who was merged", scene.Plain(left), id)
		}
	}
}

// merge makes one customer of two. What is known of both is counted together from then on.
func (m *redeemMachine) merge(rt *rapid.T) {
	ident := func(label string) string {
		if maybe(rt, label+": anybody", 6) {
			return choose(rt, label, m.idents()...)
		}
		r := anyFrom(rt, label, m.referrals)
		return choose(rt, label+" by", r.email, r.id.String())
	}
	in := affiliate.Merge{From: ident("from"), Into: ident("into")}
	_, err := m.w.MergeReferrals(m.ctx, in)
	from, into := m.referral(in.From), m.referral(in.Into)
	switch {
	case in.From == "" || in.Into == "":
		scene.RefusedAs(rt, "MergeReferrals", affiliate.MissingField, err)
	case from == nil || into == nil:
		scene.RefusedAs(rt, "MergeReferrals", affiliate.ReferralNotFound, err)
	case from == into && (in.From == from.id.String() || box(in.From) == box(from.email)):
		scene.RefusedAs(rt, "MergeReferrals", affiliate.InvalidField, err)
	case from == into: // it was merged before
		scene.RefusedAs(rt, "MergeReferrals", "", err)
	default:
		scene.RefusedAs(rt, "MergeReferrals", "", err)
		m.merged(from, into)
	}
}

func (m *redeemMachine) merged(from, into *shopReferral) {
	for _, x := range m.sales {
		if x.referral != from.id {
			continue
		}
		if x.referral = into.id; x.email == "" {
			x.email = into.email
		}
		if !x.refundedInFull() {
			m.story.foretell(affiliate.SaleUpdated, x.id)
		}
	}
	drop(&m.referrals, func(r *shopReferral) bool { return r == from })
	m.gone = append(m.gone, from.id)
	m.story.foretell(affiliate.ReferralDeleted, from.id)
	kept := *from
	if into.former = append(into.former, &kept); into.external == "" {
		into.external = from.external
	}
	m.story.foretell(affiliate.ReferralUpdated, into.id)
}
