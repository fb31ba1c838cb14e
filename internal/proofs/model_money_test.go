package proofs_test

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// The model of what an affiliate is owed (docs/money.md 1 to 4, 13 and 15): sales
// with their entries, free orders, adjustments and payouts of two affiliates, in
// big.Rat. What a sale earns is computed from the definition.

// A payee is one of the affiliates.
type payee struct {
	affiliate.Affiliate
	rate         *big.Rat      // of present terms
	held         time.Duration // the holding period of new sales
	closed, cuts []closedPeriod
}

// An owedEntry is an entry of a sale, or an adjustment.
type owedEntry struct {
	owner    *payee
	uid      uuid.UUID // of an adjustment
	amount   *big.Rat
	at       time.Time
	matures  time.Time // it can be paid from then on
	payout   int       // index, or -1
	frozen   bool
	approval affiliate.ApprovalStatus
	undone   bool // an adjustment that reverses, or is reversed
	risks    []affiliate.RiskReason
}

type moneySale struct {
	owner                  *payee
	id                     affiliate.SaleID
	total, tax, kept, rate *big.Rat
	hand, handKept         *big.Rat // nil: by the rate
	refunds                map[string]bool
	refunded, gone         bool
	basket                 *big.Rat // nil: not reported
	free                   bool
	at, matures            time.Time
	entries                []*owedEntry
}

type moneyPayout struct {
	owner  *payee
	id     uuid.UUID
	status affiliate.PayoutStatus
	amount *big.Rat
	took   []*owedEntry
	lines  string // of a payout that was paid
}

type moneyModel struct {
	w           *scene.World
	mirror      mirror
	ada, bob    *payee
	sales       []*moneySale
	adjustments []*owedEntry
	payouts     []*moneyPayout
	refunds     int
	runs        int
	left        []uuid.UUID // who were merged into others
}

func (m *moneyModel) payees() []*payee { return []*payee{m.ada, m.bob} }

func (m *moneyModel) drawPayee(rt *rapid.T) *payee {
	return rapid.SampledFrom(m.payees()).Draw(rt, "affiliate")
}

// earned is what a sale earns on what is kept, rounded once.
func (m *moneySale) earned() *big.Rat {
	if m.kept.Sign() == 0 {
		return new(big.Rat)
	}
	if m.hand != nil {
		return scene.Cents(new(big.Rat).Quo(new(big.Rat).Mul(m.hand, m.kept), m.handKept))
	}
	whole := scene.Share(m.rate, scene.RatDiff(m.total, m.tax))
	return scene.Cents(whole.Quo(whole.Mul(whole, m.kept), m.total))
}

func (m *moneySale) sum() *big.Rat {
	sum := new(big.Rat)
	for _, e := range m.entries {
		sum.Add(sum, e.amount)
	}
	return sum
}

func (m *moneySale) held() bool {
	return slices.ContainsFunc(m.entries, func(e *owedEntry) bool { return e.payout >= 0 })
}

// settle makes the entries add up to what is earned.
func (m *moneySale) settle(now time.Time) {
	difference := scene.RatDiff(m.earned(), m.sum())
	if difference.Sign() == 0 {
		return
	}
	if !slices.ContainsFunc(m.entries, func(e *owedEntry) bool { return e.frozen }) {
		m.entries[0].amount = m.earned()
		return
	}
	m.entries = append(m.entries, &owedEntry{owner: m.owner, amount: difference, at: now, payout: -1, approval: m.entries[0].approval})
}

func (m *moneyModel) draw(rt *rapid.T) *moneySale {
	var live []*moneySale
	for _, s := range m.sales {
		if !s.gone {
			live = append(live, s)
		}
	}
	if len(live) == 0 {
		rt.Skip("no sale")
	}
	return rapid.SampledFrom(live).Draw(rt, "sale")
}

func drawCents(rt *rapid.T, label string, least, most int64) affiliate.Amount {
	return affiliate.AmountFromScaled(100 * rapid.Int64Range(least, most).Draw(rt, label))
}

func (m *moneyModel) sell(rt *rapid.T) {
	in := affiliate.SaleParams{
		PromoCode: "ADA20", TotalEarned: drawCents(rt, "total", 2, 50_000),
		CommissionRate: affiliate.Set(affiliate.PercentFromScaled(rapid.Int64Range(0, 100_0000).Draw(rt, "rate"))),
		Email:          choose(rt, "email", "", "", "t@x.example", "ada+shop@example.com"),
	}
	in.Tax = drawCents(rt, "tax", 0, in.TotalEarned.Scaled()/200)
	s := m.record(rt, in)
	entry := &owedEntry{owner: s.owner, amount: s.earned(), at: s.at, matures: s.matures, payout: -1, approval: affiliate.ApprovalAccepted}
	if in.Email == "ada+shop@example.com" { // Ada's own mailbox
		entry.approval, entry.risks = affiliate.ApprovalOnHold, []affiliate.RiskReason{"self_referral"}
	}
	s.entries = []*owedEntry{entry}
}

// give records a free order.
func (m *moneyModel) give(rt *rapid.T) {
	in := affiliate.SaleParams{
		PromoCode: "ADA20", Free: true, Subtotal: affiliate.Set(drawCents(rt, "subtotal", 1, 50_000)),
		CommissionRate: affiliate.Set(affiliate.PercentFromScaled(rapid.Int64Range(0, 100_0000).Draw(rt, "rate"))),
		Email:          choose(rt, "email", "", "t@x.example", "ada+shop@example.com"),
	}
	m.record(rt, in)
}

// record records a sale, and puts it into the model without its entry.
func (m *moneyModel) record(rt *rapid.T, in affiliate.SaleParams) *moneySale {
	sale, _ := scene.Must(m.w.RecordSale(rt.Context(), in)).Sale.Get()
	s := &moneySale{
		owner: m.ada, id: sale.ID, total: scene.RatOf(in.TotalEarned), tax: scene.RatOf(in.Tax), kept: scene.RatOf(in.TotalEarned), free: in.Free,
		rate: scene.PercentRat(in.CommissionRate.Or(affiliate.Percent{})), refunds: map[string]bool{}, at: m.w.Now, matures: m.w.Now.Add(m.ada.held),
	}
	if basket, ok := in.Subtotal.Get(); ok {
		s.basket = scene.RatOf(basket)
	}
	m.sales = append(m.sales, s)
	return s
}

func (m *moneyModel) refund(rt *rapid.T) {
	s := m.draw(rt)
	in := affiliate.Refund{SaleID: s.id, ClawBack: rapid.Bool().Draw(rt, "clawback")}
	part := new(big.Rat).Set(s.kept)
	if rapid.Bool().Draw(rt, "in part") {
		amount := drawCents(rt, "part", 1, max(1, s.kept.Num().Int64()*100/s.kept.Denom().Int64()+1))
		in.Amount, part = affiliate.Set(amount), scene.RatOf(amount)
	}
	switch rapid.IntRange(0, 2).Draw(rt, "refund id") {
	case 1:
		m.refunds++
		in.RefundID = fmt.Sprint("r", m.refunds)
	case 2:
		in.RefundID = "r1"
	}
	var want affiliate.Reason
	again := s.refunded || s.refunds[in.RefundID]
	switch {
	case again:
	case !in.ClawBack && s.held():
		want = affiliate.IncludedInPayout
		if slices.ContainsFunc(s.entries, func(e *owedEntry) bool { return e.payout >= 0 && m.payouts[e.payout].status == affiliate.PayoutPaid }) {
			want = affiliate.AlreadyPaid
		}
	case part.Cmp(s.kept) > 0:
		want = affiliate.RefundExceedsSale
	}
	got, err := m.w.RefundSale(rt.Context(), in)
	scene.RefusedAs(rt, "RefundSale", want, err)
	if err != nil {
		return
	}
	if got.AlreadyRefunded != again {
		rt.Fatalf("refund %+v: %+v", in, got)
	}
	if again {
		return
	}
	if in.RefundID != "" {
		s.refunds[in.RefundID] = true
	}
	s.kept = scene.RatDiff(s.kept, part)
	s.refunded = s.kept.Sign() == 0
	s.settle(m.w.Now)
}

func (m *moneyModel) update(rt *rapid.T) {
	s := m.draw(rt)
	up := affiliate.SaleUpdate{ClawBack: rapid.Bool().Draw(rt, "clawback")}
	next, gone := *s, scene.RatDiff(s.total, s.kept)
	var want affiliate.Reason
	if rapid.Bool().Draw(rt, "by hand") {
		amount := drawCents(rt, "earned", 0, 10_000)
		up.CommissionEarned = affiliate.Set(amount)
		if scene.RatOf(amount).Cmp(s.sum()) == 0 {
			rt.Skip("the same")
		}
		next.hand, next.handKept = scene.RatOf(amount), s.kept
	} else {
		amount := drawCents(rt, "total", 2, 50_000)
		up.TotalEarned = affiliate.Set(amount)
		if scene.RatOf(amount).Cmp(s.total) == 0 {
			rt.Skip("the same")
		}
		next.total, next.kept, next.hand = scene.RatOf(amount), scene.RatDiff(scene.RatOf(amount), gone), nil
	}
	switch {
	case s.free && next.hand != nil:
		want = affiliate.MissingField // an order of nothing earns nothing
	case next.tax.Cmp(next.total) > 0 || next.kept.Sign() < 0 || next.basket != nil && next.basket.Cmp(scene.RatDiff(next.total, next.tax)) < 0:
		want = affiliate.InvalidField
	case s.held() && !up.ClawBack:
		want = affiliate.InPayout
	case s.refunded:
		want = affiliate.SaleHasBeenRefunded
	}
	_, err := m.w.UpdateSale(rt.Context(), s.id, up)
	scene.RefusedAs(rt, "UpdateSale", want, err)
	if err == nil {
		*s = next
		if s.free { // it was paid after all
			s.free, s.entries = false, []*owedEntry{{owner: s.owner, amount: new(big.Rat), at: s.at, matures: s.matures, payout: -1, approval: affiliate.ApprovalAccepted}}
		}
		s.refunded = s.kept.Sign() == 0
		s.settle(m.w.Now)
	}
}

func (m *moneyModel) review(rt *rapid.T) {
	s := m.draw(rt)
	status := choose(rt, "status", affiliate.ApprovalAccepted, affiliate.ApprovalOnHold, affiliate.ApprovalDeclined)
	changes := slices.ContainsFunc(s.entries, func(e *owedEntry) bool { return e.approval != status })
	var want affiliate.Reason
	if changes && s.held() {
		want = affiliate.InPayout
	}
	_, err := m.w.ReviewCommissions(rt.Context(), status, s.id)
	scene.RefusedAs(rt, "ReviewCommissions", want, err)
	if err == nil {
		for _, e := range s.entries {
			e.approval = status
		}
	}
}

func (m *moneyModel) remove(rt *rapid.T) {
	s := m.draw(rt)
	var want affiliate.Reason
	if s.held() {
		want = affiliate.InPayout
	}
	err := m.w.DeleteSale(rt.Context(), s.id)
	scene.RefusedAs(rt, "DeleteSale", want, err)
	s.gone = err == nil
}

func (m *moneyModel) adjust(rt *rapid.T) {
	owner := m.drawPayee(rt)
	in := affiliate.AdjustmentParams{AffiliateID: owner.ID, Kind: affiliate.AdjustCorrection, Amount: drawCents(rt, "amount", -5_000, 5_000), Reason: "r"}
	if in.Amount.IsZero() {
		rt.Skip("nothing")
	}
	a := scene.Must(m.w.RecordAdjustment(rt.Context(), in))
	m.adjustments = append(m.adjustments, &owedEntry{owner: owner, uid: a.ID, amount: scene.RatOf(in.Amount), at: m.w.Now, payout: -1, approval: affiliate.ApprovalAccepted})
}

func (m *moneyModel) reverse(rt *rapid.T) {
	if len(m.adjustments) == 0 {
		rt.Skip("no adjustment")
	}
	was := rapid.SampledFrom(m.adjustments).Draw(rt, "adjustment")
	var want affiliate.Reason
	if was.undone {
		want = affiliate.AdjustmentReversed
	}
	a, err := m.w.RecordAdjustment(rt.Context(), affiliate.AdjustmentParams{Reverses: was.uid, Reason: "r"})
	scene.RefusedAs(rt, "reversal", want, err)
	if err == nil {
		was.undone = true
		m.adjustments = append(m.adjustments, &owedEntry{
			owner: was.owner, uid: a.ID, amount: new(big.Rat).Neg(was.amount), at: m.w.Now, payout: -1, approval: affiliate.ApprovalAccepted, undone: true,
		})
	}
}

// all are the entries of the sales that are there, and the adjustments.
func (m *moneyModel) all() (all []*owedEntry) {
	for _, s := range m.sales {
		if !s.gone {
			all = append(all, s.entries...)
		}
	}
	return append(all, m.adjustments...)
}

func (m *moneyModel) pay(rt *rapid.T) {
	until := m.w.Now.Add(-time.Duration(rapid.IntRange(0, 3).Draw(rt, "hours ago")) * time.Hour)
	least := drawCents(rt, "minimum", 0, 2_000)
	owner := m.drawPayee(rt)
	took, sum := m.payable(owner, until)
	var want affiliate.Reason
	switch {
	case sum.Sign() <= 0:
		want = affiliate.NothingPayable
	case sum.Cmp(scene.RatOf(least)) < 0:
		want = affiliate.BelowPayoutMinimum
	}
	p, err := m.w.CreatePayout(rt.Context(), affiliate.PayoutParams{AffiliateID: owner.ID, Until: until, Minimum: least})
	scene.RefusedAs(rt, "CreatePayout", want, err)
	if err != nil {
		return
	}
	m.paid(owner, p.ID, took, sum)
}

// payable is what a payout takes of an affiliate, and its sum.
func (m *moneyModel) payable(owner *payee, until time.Time) (took []*owedEntry, sum *big.Rat) {
	sum = new(big.Rat)
	for _, e := range m.all() {
		open := e.owner == owner && e.payout < 0 && e.approval == affiliate.ApprovalAccepted && e.amount.Sign() != 0
		if open && (e.amount.Sign() < 0 || !e.at.After(until) && !e.matures.After(m.w.Now)) {
			took = append(took, e)
			sum.Add(sum, e.amount)
		}
	}
	return took, sum
}

func (m *moneyModel) paid(owner *payee, id uuid.UUID, took []*owedEntry, sum *big.Rat) {
	for _, e := range took {
		e.payout, e.frozen = len(m.payouts), true
	}
	m.payouts = append(m.payouts, &moneyPayout{owner: owner, id: id, status: affiliate.PayoutPending, amount: sum, took: took})
}

// hold puts an affiliate on another plan: the own rates of sales stand beside it.
func (m *moneyModel) hold(rt *rapid.T) {
	owner, days := m.drawPayee(rt), rapid.Int64Range(0, 2).Draw(rt, "days")
	rate := affiliate.PercentFromScaled(rapid.Int64Range(0, 100_0000).Draw(rt, "rate"))
	plan := scene.Must(m.w.CreatePlan(rt.Context(), affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: rate, HoldDays: days}}))
	scene.Must(m.w.SetAffiliatePlan(rt.Context(), plan.ID, owner.ID))
	owner.rate, owner.held = scene.PercentRat(rate), time.Duration(days)*24*time.Hour
}

// giveTo gives a sale to an affiliate.
func (m *moneyModel) giveTo(rt *rapid.T) {
	m.hand(rt, m.draw(rt), m.drawPayee(rt), rapid.Bool().Draw(rt, "clawback"))
}

// givePaid gives a sale that a payout holds to the other affiliate.
func (m *moneyModel) givePaid(rt *rapid.T) {
	var paid []*moneySale
	for _, s := range m.sales {
		if !s.gone && s.held() {
			paid = append(paid, s)
		}
	}
	if len(paid) == 0 {
		rt.Skip("no sale in a payout")
	}
	s := rapid.SampledFrom(paid).Draw(rt, "sale")
	to := m.ada
	if s.owner == m.ada {
		to = m.bob
	}
	m.hand(rt, s, to, true)
}

// hand gives a sale to an affiliate. Payouts keep what they hold, as adjustments, and
// their sum is taken back.
func (m *moneyModel) hand(rt *rapid.T, s *moneySale, to *payee, clawBack bool) {
	up := affiliate.SaleUpdate{AffiliateID: affiliate.Set(to.ID), ClawBack: clawBack}
	var want affiliate.Reason
	switch {
	case to == s.owner:
	case s.refunded:
		want = affiliate.SaleHasBeenRefunded
	case s.held() && !up.ClawBack:
		want = affiliate.InPayout
	}
	_, err := m.w.UpdateSale(rt.Context(), s.id, up)
	scene.RefusedAs(rt, "UpdateSale to another affiliate", want, err)
	if err != nil || to == s.owner {
		return
	}
	var moved []*owedEntry
	back := new(big.Rat)
	for _, e := range s.entries {
		if e.payout < 0 {
			continue
		}
		kept := &owedEntry{owner: s.owner, amount: e.amount, at: e.at, payout: e.payout, frozen: true, approval: affiliate.ApprovalAccepted}
		took := m.payouts[e.payout].took
		took[slices.Index(took, e)] = kept
		moved = append(moved, kept)
		back.Sub(back, e.amount)
	}
	if back.Sign() != 0 {
		moved = append(moved, &owedEntry{owner: s.owner, amount: back, at: m.w.Now, payout: -1, approval: affiliate.ApprovalAccepted})
	}
	all := scene.Must(m.w.Adjustments(rt.Context(), affiliate.AdjustmentQuery{}, affiliate.Page{})).Items
	for i, a := range moved {
		a.uid = all[len(moved)-1-i].ID
	}
	m.adjustments = append(m.adjustments, moved...)
	s.owner, s.rate, s.hand, s.matures = to, to.rate, nil, s.at.Add(to.held)
	if s.entries = nil; !s.free {
		s.entries = []*owedEntry{{owner: to, amount: s.earned(), at: s.at, matures: s.matures, payout: -1, approval: affiliate.ApprovalAccepted}}
	}
}

func (m *moneyModel) move(rt *rapid.T) {
	if len(m.payouts) == 0 {
		rt.Skip("no payout")
	}
	i := rapid.IntRange(0, len(m.payouts)-1).Draw(rt, "payout")
	p := m.payouts[i]
	to := choose(rt, "status", affiliate.PayoutPending, affiliate.PayoutProcessing, affiliate.PayoutPaid, affiliate.PayoutFailed, affiliate.PayoutCanceled, affiliate.PayoutReturned)
	allowed := map[affiliate.PayoutStatus][]affiliate.PayoutStatus{
		affiliate.PayoutPending:    {affiliate.PayoutPending, affiliate.PayoutProcessing, affiliate.PayoutPaid, affiliate.PayoutFailed, affiliate.PayoutCanceled},
		affiliate.PayoutProcessing: {affiliate.PayoutProcessing, affiliate.PayoutPaid, affiliate.PayoutFailed},
		affiliate.PayoutFailed:     {affiliate.PayoutFailed, affiliate.PayoutProcessing, affiliate.PayoutCanceled},
		affiliate.PayoutPaid:       {affiliate.PayoutPaid, affiliate.PayoutReturned}, affiliate.PayoutCanceled: {affiliate.PayoutCanceled},
		affiliate.PayoutReturned: {affiliate.PayoutReturned},
	}
	var want affiliate.Reason
	if !slices.Contains(allowed[p.status], to) {
		want = affiliate.StatusNotAllowed
	}
	got, err := m.w.SetPayoutStatus(rt.Context(), p.id, to)
	scene.RefusedAs(rt, "SetPayoutStatus", want, err)
	if err != nil {
		return
	}
	if to == affiliate.PayoutCanceled || to == affiliate.PayoutReturned {
		for _, e := range p.took {
			if e.payout == i {
				e.payout = -1
			}
		}
	}
	if p.status = to; to == affiliate.PayoutPaid || to == affiliate.PayoutReturned {
		p.lines = scene.JSON(got)
	}
}

func TestModelMoney(t *testing.T) {
	onModelStores(t, func(rt *rapid.T, w *scene.World) {
		m := &moneyModel{w: w}
		for _, p := range []struct {
			to **payee
			affiliate.Affiliate
		}{{&m.ada, w.Ada().Person}, {&m.bob, w.Join("bob")}} {
			*p.to = &payee{Affiliate: p.Affiliate, rate: scene.PercentRat(affiliate.MustPercent("20"))}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"sell": m.sell, "sell more": m.sell, "refund": m.refund, "refund more": m.refund, "update": m.update, "review": m.review,
			"remove": m.remove, "adjust": m.adjust, "reverse": m.reverse, "pay": m.pay, "pay more": m.pay, "move": m.move, "move more": m.move,
			"hold": m.hold, "run": m.run, "close": m.closes, "cut": m.cut, "give": m.give, "give to": m.giveTo, "give paid": m.givePaid, "give paid more": m.givePaid, "move once more": m.move, "unite": m.unite,
			"pass": func(rt *rapid.T) { w.Pass(choose(rt, "time", time.Hour, 24*time.Hour)) },
			"":     m.check,
		})
	}, func(c *tributary.Config) {
		c.FreeOrders, c.Review = true, []affiliate.ReviewRule{affiliate.SelfReferral()}
	})
}

// check compares every entry, adjustment and payout, and counts the money: what
// was ever earned is open, in payouts or paid (docs/money.md 4).
func (m *moneyModel) check(rt *rapid.T) {
	ctx := context.Background()
	if err := m.w.Verify(ctx); err != nil {
		rt.Fatalf("Verify: %v", err)
	}
	payoutOf := func(e *owedEntry) string {
		if e.payout < 0 {
			return "-"
		}
		return m.payouts[e.payout].id.String()
	}
	var want, got []string
	for _, s := range m.sales {
		if s.gone {
			continue
		}
		for _, e := range s.entries {
			want = append(want, fmt.Sprint(s.id, " ", e.owner.ID, " ", scene.Plain(e.amount), " ", e.approval, " ", payoutOf(e), " ", e.risks))
		}
		if s.sum().Cmp(s.earned()) != 0 {
			rt.Fatalf("the model of sale %d is wrong", s.id)
		}
	}
	for _, s := range slices.Backward(scene.Must(m.w.Sales(ctx, affiliate.SaleQuery{}, affiliate.Page{})).Items) {
		if err := explained(m.w, s); err != nil {
			rt.Error(err)
		}
		for _, c := range s.Commissions {
			got = append(got, fmt.Sprint(s.ID, " ", c.AffiliateID, " ", c.CommissionEarned, " ", c.ApprovalStatus, " ", orDash(c.PayoutID), " ", c.RiskReasons))
		}
	}
	sameLines(rt, "entries", want, got)
	want, got = nil, nil
	for _, a := range m.adjustments {
		want = append(want, fmt.Sprint(a.uid, " ", a.owner.ID, " ", scene.Plain(a.amount), " ", payoutOf(a), " ", a.undone))
	}
	for _, a := range slices.Backward(scene.Must(m.w.Adjustments(ctx, affiliate.AdjustmentQuery{}, affiliate.Page{})).Items) {
		undone := !a.ReversesID.IsNull() || !a.ReversedByID.IsNull()
		got = append(got, fmt.Sprint(a.ID, " ", a.AffiliateID, " ", a.Amount, " ", orDash(a.PayoutID), " ", undone))
	}
	sameLines(rt, "adjustments", want, got)
	m.checkPayouts(rt)
	m.checkLeft(rt)
	for _, owner := range m.payees() {
		m.mirror.check(m.w, owner.ID)
		m.checkBalance(rt, owner)
		m.checkStatements(rt, owner)
	}
}

func (m *moneyModel) checkPayouts(rt *rapid.T) {
	var want, got []string
	paid, bound := new(big.Rat), new(big.Rat)
	for _, p := range m.payouts {
		want = append(want, fmt.Sprint(p.id, " ", p.status, " ", scene.Plain(p.amount), " ", len(p.took)))
		switch p.status {
		case affiliate.PayoutPaid:
			paid.Add(paid, p.amount)
		case affiliate.PayoutCanceled, affiliate.PayoutReturned:
		default:
			bound.Add(bound, p.amount)
		}
	}
	for _, p := range slices.Backward(scene.Must(m.w.Payouts(context.Background(), affiliate.PayoutQuery{}, affiliate.Page{})).Items) {
		got = append(got, fmt.Sprint(p.ID, " ", p.Status, " ", p.Amount, " ", len(p.CommissionIDs)+len(p.AdjustmentIDs)))
		for _, known := range m.payouts {
			if known.id == p.ID && known.lines != "" && known.lines != scene.JSON(p) {
				rt.Errorf("a payout changed after it was paid: %s, now %s", known.lines, scene.JSON(p))
			}
		}
	}
	sameLines(rt, "payouts", want, got)
	total, open := new(big.Rat), new(big.Rat)
	for _, e := range m.all() {
		total.Add(total, e.amount)
		if e.payout < 0 {
			open.Add(open, e.amount)
		}
	}
	if sum := scene.RatSum(open, bound, paid); sum.Cmp(total) != 0 {
		rt.Errorf("open %s, bound %s and paid %s are not %s", scene.Plain(open), scene.Plain(bound), scene.Plain(paid), scene.Plain(total))
	}
}

// checkBalance compares the balance, and counts the movements: what came from
// ACCRUAL is held, maturing, payable, in payouts or paid (docs/money.md 8).
func (m *moneyModel) checkBalance(rt *rapid.T, owner *payee) {
	held, maturing, payable, bound, paid := new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat)
	for _, p := range m.payouts {
		switch {
		case p.owner != owner || p.status == affiliate.PayoutCanceled || p.status == affiliate.PayoutReturned:
		case p.status == affiliate.PayoutPaid:
			paid.Add(paid, p.amount)
		default:
			bound.Add(bound, p.amount)
		}
	}
	for _, e := range m.all() {
		switch {
		case e.owner != owner || e.payout >= 0 || e.approval == affiliate.ApprovalDeclined:
		case e.approval == affiliate.ApprovalOnHold:
			held.Add(held, e.amount)
		case e.matures.After(m.w.Now):
			maturing.Add(maturing, e.amount)
		default:
			payable.Add(payable, e.amount)
		}
	}
	got := scene.Must(m.w.Balance(context.Background(), affiliate.AffiliateRef{ID: owner.ID}))
	want := []string{scene.Plain(held), scene.Plain(maturing), scene.Plain(payable), scene.Plain(bound), scene.Plain(paid), scene.Plain(scene.RatSum(held, maturing, payable, bound, paid))}
	sameLines(rt, "balance", want, []string{
		got.Held.String(), got.Maturing.String(), got.Payable.String(), got.InPayout.String(), got.Paid.String(), got.Earned.String(),
	})
	accrued, n := new(big.Rat), int64(0)
	for _, r := range scene.Must(m.w.Movements(context.Background(), affiliate.MovementQuery{AffiliateID: affiliate.Set(owner.ID)}, affiliate.Page{})).Items {
		if r.From == affiliate.AccountAccrual {
			accrued.Add(accrued, scene.RatOf(r.Amount))
		}
		if r.To == affiliate.AccountAccrual {
			accrued.Sub(accrued, scene.RatOf(r.Amount))
		}
		n++
	}
	if accrued.Cmp(scene.RatOf(got.Earned)) != 0 || n != got.Movements {
		rt.Errorf("%d movements accrued %s, the balance is %v after %d", n, scene.Plain(accrued), got.Earned, got.Movements)
	}
}

// A closedPeriod is a period whose statement was read when it was closed.
type closedPeriod struct {
	from, to       time.Time
	asJSON, asCSV  string
	opening, ended affiliate.Figures
}

// closes closes the books until now and reads the statements of the period since
// they were closed before.
func (m *moneyModel) closes(rt *rapid.T) {
	p := closedPeriod{from: scene.Start, to: m.w.Now}
	if n := len(m.ada.closed); n > 0 {
		p.from = m.ada.closed[n-1].to
	}
	if !p.to.After(p.from) {
		rt.Skip("no time has passed")
	}
	scene.Must(m.w.Run(rt.Context(), affiliate.CloseBooksJob{Until: p.to}))
	for _, owner := range m.payees() {
		p.asJSON, p.asCSV = scene.StatementTexts(rt, m.w.Program, owner.ID, p.from, p.to)
		s := scene.Must(m.w.Statement(rt.Context(), affiliate.AffiliateRef{ID: owner.ID}, p.from, p.to))
		p.opening, p.ended = s.Opening, s.Closing
		owner.closed = append(owner.closed, p)
	}
}

// checkStatements reads the statements of closed periods again: none changes,
// and each begins where the one before it ends.
func (m *moneyModel) checkStatements(rt *rapid.T, owner *payee) {
	for _, p := range owner.cuts {
		if asJSON, asCSV := scene.StatementTexts(rt, m.w.Program, owner.ID, p.from, p.to); asJSON != p.asJSON || asCSV != p.asCSV {
			rt.Errorf("a period that was over changed:\n%s\n%s", p.asJSON, asJSON)
		}
	}
	for i, p := range owner.closed {
		asJSON, asCSV := scene.StatementTexts(rt, m.w.Program, owner.ID, p.from, p.to)
		if asJSON != p.asJSON || asCSV != p.asCSV {
			rt.Errorf("a closed period changed:\n%s\n%s", p.asJSON, asJSON)
		}
		if i > 0 && p.opening != owner.closed[i-1].ended {
			rt.Errorf("period %d begins with %+v, the one before it ends with %+v", i, p.opening, owner.closed[i-1].ended)
		}
		owed := scene.RatOf(p.opening.Owed)
		for line, err := range scene.Must(m.w.Statement(rt.Context(), affiliate.AffiliateRef{ID: owner.ID}, p.from, p.to)).Lines() {
			if err != nil {
				rt.Fatal(err)
			}
			owed.Add(owed, scene.RatOf(line.Amount))
		}
		if owed.Cmp(scene.RatOf(p.ended.Owed)) != 0 {
			rt.Errorf("the lines of period %d lead to %s, it closes with %v", i, scene.Plain(owed), p.ended.Owed)
		}
	}
}

// explained checks oracle 22.7 for a sale: what is rounded is the sum of its
// entries, and what is exact rounds to it.
func explained(w *scene.World, s affiliate.Sale) error {
	e, err := w.ExplainSale(w.T.Context(), s.ID)
	if err != nil {
		return err
	}
	exact, ok := new(big.Rat).SetString(e.Arithmetic.Exact)
	if !ok || exact.RatString() != e.Arithmetic.Exact || e.Arithmetic.Rounded != s.CommissionEarned || scene.Cents(exact).Cmp(scene.RatOf(s.CommissionEarned)) != 0 {
		return fmt.Errorf("sale %d earns %v, explained as %+v", s.ID, s.CommissionEarned, e.Arithmetic)
	}
	return nil
}
