package audit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// A trail is the movements of one affiliate that were followed so far.
type trail struct {
	books record.Books
	at    affiliate.Instant
	bad   bool // it was reported; one mistake would make many

	count engine.Standing // sales, revenue and refunds; payable holds what sales have earned
}

// saleMovements holds the sums over the movements of a sale.
type saleMovements struct {
	record *record.Sale                   // nil: it was deleted
	sum    affiliate.Amount               // of the credited affiliate; for a deleted sale, of all
	former map[uuid.UUID]affiliate.Amount // of the affiliates that it was moved from
	whole  bool                           // complete: one of its movements is SALE

	unknown *record.Movement // the last movement, if it names a commission that the sale does not have
}

// verifyMovements follows the movements of each affiliate, and compares the result with the
// books and with a recount.
func (a *audit) verifyMovements() {
	trails := map[uuid.UUID]*trail{}
	sales := map[int64]*saleMovements{}
	a.asked = map[uuid.UUID]bool{}
	for r := range a.sales.records() {
		if a.mine(record.NumberID(r.Number)) {
			kept := *r
			sales[r.Number], a.asked[r.ID] = &saleMovements{record: &kept}, true
		}
	}
	steps := map[uuid.UUID]map[affiliate.Cause]int{}
	for r := range a.movements.records() {
		if a.mine(r.AffiliateID) {
			t := trails[r.AffiliateID]
			if t == nil {
				t = &trail{}
				trails[r.AffiliateID] = t
			}
			a.follow(t, r)
		}
		if r.Sale != 0 && a.mine(record.NumberID(r.Sale)) {
			a.bookSaleMovement(sales, r)
		}
		if r.PayoutID != uuid.Nil && a.mine(r.PayoutID) {
			a.verifyStep(steps, r)
		}
	}
	a.verifyBooks(trails)
	a.verifyCounts(trails)
	a.verifyBookedSales(sales)
	a.verifySteps(steps)
}

// follow checks a movement against the one before it.
func (a *audit) follow(t *trail, r *record.Movement) {
	if t.bad {
		return
	}
	name := named("movement", r.ID)
	if r.Number != t.books.Number+1 || r.At.Before(t.at) || r.ID != engine.MovementID(r.At, r.Number, r.AffiliateID) {
		a.breach("I62", name, "it is number %d of %v after number %d of %v", r.Number, r.At, t.books.Number, t.at)
		t.bad = true
	}
	listed(a, name, "from", r.From.Value(), allAccounts...)
	listed(a, name, "to", r.To.Value(), allAccounts...)
	listed(a, name, "cause", r.Cause.Value(), causes...)
	if r.Amount.Sign() < 0 || r.Amount.IsZero() != engine.IsMemo(r) || engine.IsMemo(r) &&
		!r.From.Is(affiliate.AccountAccrual) {
		a.breach("I62", name, "it moves %v from %s to %s", r.Amount, r.From, r.To)
		t.bad = true
	}
	err := engine.MoveBetween(&t.books, r.From.Value(), r.To.Value(), r.Amount)
	after := record.Books{Held: r.Held, Payable: r.Payable, InPayout: r.InPayout, Paid: r.Paid}
	if err != nil || accounts(&t.books) != after {
		a.breach("I63", name, "it leads to %s, the accounts after it are %s", figures(&t.books), figures(&after))
		t.bad = true
	}
	t.books.Number, t.at = r.Number, r.At
	t.count.Add(r)
}

// movesWell reports whether a movement is in order by itself.
func movesWell(r *record.Movement) bool {
	return slices.Contains(allAccounts, r.From.Value()) &&
		slices.Contains(allAccounts, r.To.Value()) && slices.Contains(causes, r.Cause.Value()) &&
		r.Amount.Sign() >= 0 && r.Amount.IsZero() == engine.IsMemo(r) &&
		(!engine.IsMemo(r) || r.From.Is(affiliate.AccountAccrual))
}

// verifyCounts compares what the movements of each affiliate count with its sales and its
// totals, because reports are made of movements.
func (a *audit) verifyCounts(trails map[uuid.UUID]*trail) {
	sales, conversions := map[uuid.UUID]int64{}, map[uuid.UUID]int64{}
	for r := range a.sales.records() {
		switch {
		case !a.mine(r.AffiliateID):
		case r.Conversion != "":
			conversions[r.AffiliateID]++
		default:
			sales[r.AffiliateID]++
		}
	}
	for r := range a.totals.records() {
		t := trails[r.ID]
		if r.Books.Opened.IsZero() || t == nil || t.bad {
			continue
		}
		kept, _ := t.count.Revenue.Sub(t.count.Refunded)
		if t.count.Sales != sales[r.ID] || t.count.Conversions != conversions[r.ID] ||
			kept != r.Revenue || t.count.Payable != r.Commission {
			a.breach("I71", named("books", r.ID), "its movements count %d sales, %d conversions, revenue %v, commission %v; it has %d sales, %d conversions, revenue %v, commission %v",
				t.count.Sales, t.count.Conversions, kept, t.count.Payable, sales[r.ID], conversions[r.ID], r.Revenue, r.Commission)
		}
	}
}

// accounts returns the books without what belongs to their movements.
func accounts(b *record.Books) record.Books {
	return record.Books{Held: b.Held, Payable: b.Payable, InPayout: b.InPayout, Paid: b.Paid}
}

// figures shows the accounts in a breach.
func figures(b *record.Books) string {
	return fmt.Sprintf("held %v, payable %v, in payouts %v, paid %v", b.Held, b.Payable, b.InPayout, b.Paid)
}

func (a *audit) bookSaleMovement(sales map[int64]*saleMovements, r *record.Movement) {
	s := sales[r.Sale]
	if s == nil {
		s = &saleMovements{}
		sales[r.Sale] = s
	}
	if s.record != nil {
		a.verifyOrigin(r, s)
	}
	s.whole = s.whole || r.Cause.Is(affiliate.CauseSale)
	sum := s.sum
	former := s.record != nil && s.record.AffiliateID != r.AffiliateID
	if former {
		sum = s.former[r.AffiliateID]
	}
	switch {
	case r.From.Is(affiliate.AccountAccrual):
		sum, _ = sum.Add(r.Amount) // an overflow is another sum
	case r.To.Is(affiliate.AccountAccrual):
		sum, _ = sum.Sub(r.Amount)
	}
	switch {
	case !former:
		s.sum = sum
	case s.former == nil:
		s.former = map[uuid.UUID]affiliate.Amount{r.AffiliateID: sum}
	default:
		s.former[r.AffiliateID] = sum
	}
}

// verifyOrigin checks that a movement names the code, the link and a commission of its
// sale, because reports by code and by link are made of movements. The link may have been
// deleted. A sale that moves to another affiliate loses its commissions, so the movement of
// the move, and earlier ones of the same affiliate, may name deleted ones. One that is decided
// about anew is taken back first, with what it named until then.
func (a *audit) verifyOrigin(r *record.Movement, s *saleMovements) {
	sale := s.record
	named := r.CodeID == sale.CodeID && (r.LinkID == sale.LinkID || a.links.see(sale.LinkID) == nil)
	entry := r.Commission == 0 ||
		slices.ContainsFunc(sale.Commissions,
			func(c record.Commission) bool { return c.Number == r.Commission })
	anew := r.Cause.Is(affiliate.CauseUpdate)
	left := (anew || r.Cause.Is(affiliate.CauseMove) || r.Cause.Is(affiliate.CauseMerge)) &&
		(r.Sales < 0 || r.Conversions < 0 || !r.From.Is(affiliate.AccountAccrual))
	switch {
	case left && s.unknown != nil && s.unknown.AffiliateID == r.AffiliateID && s.unknown.CodeID == r.CodeID:
		s.unknown = nil
	case s.unknown == nil && (!left && !entry || !named && !(left && anew)):
		kept := *r
		s.unknown = &kept
	}
}

func (a *audit) breachOfOrigin(r *record.Movement) {
	a.breach("I65", named("movement", r.ID),
		"it is of code %s, link %s and commission %d, which sale %d does not have", r.CodeID,
		r.LinkID, r.Commission, r.Sale)
}

// verifyBooks compares the books of each affiliate with its movements, and with
// a recount if they are open.
func (a *audit) verifyBooks(trails map[uuid.UUID]*trail) {
	counted := a.recountBooks()
	for r := range a.totals.records() {
		if !a.mine(r.ID) {
			continue
		}
		id, books := r.ID, &r.Books
		t := trails[id]
		if t == nil {
			t = &trail{}
		}
		name := named("books", id)
		if !t.bad && (accounts(books) != accounts(&t.books) || books.Number != t.books.Number || books.LastAt != t.at) {
			a.breach("I63", name,
				"they say %s after %d movements, the movements lead to %s after %d", figures(books),
				books.Number, figures(&t.books), t.books.Number)
		}
		if want := counted[id]; !books.Opened.IsZero() && accounts(books) != want {
			a.breach("I64", name, "they say %s, a recount %s", figures(books), figures(&want))
		}
	}
	for id := range trails {
		if a.affiliates.has(id) && !a.totals.has(id) {
			a.breach("I63", named("books", id), "they are missing")
		}
		if !a.affiliates.has(id) {
			a.verifyMerged(id, trails[id])
		}
	}
}

// recountBooks computes the accounts of each affiliate from entries, adjustments
// and payouts.
func (a *audit) recountBooks() map[uuid.UUID]record.Books {
	counted := map[uuid.UUID]record.Books{}
	add := func(owner uuid.UUID, name affiliate.Account, amount affiliate.Amount) {
		if !a.mine(owner) {
			return
		}
		books := counted[owner]
		to := engine.AccountOf(&books, name)
		*to, _ = to.Add(amount) // an overflow is another sum
		counted[owner] = books
	}
	for r := range a.sales.records() {
		for _, c := range r.Commissions {
			switch {
			case c.Approval.Is(affiliate.ApprovalOnHold):
				add(c.AffiliateID, affiliate.AccountHeld, c.Earned)
			case c.Approval.Is(affiliate.ApprovalAccepted) && c.PayoutID == uuid.Nil:
				add(c.AffiliateID, affiliate.AccountPayable, c.Earned)
			}
		}
	}
	for r := range a.adjusted.records() {
		if r.PayoutID == uuid.Nil {
			add(r.AffiliateID, affiliate.AccountPayable, r.Amount)
		}
	}
	for r := range a.payouts.records() {
		switch r.Status {
		case affiliate.PayoutPaid:
			add(r.AffiliateID, affiliate.AccountPaid, r.Amount)
		case affiliate.PayoutCanceled, affiliate.PayoutReturned:
		default:
			add(r.AffiliateID, affiliate.AccountInPayout, r.Amount)
		}
	}
	return counted
}

// opened reports when the books of an affiliate were opened, and whether they
// are open.
func (a *audit) opened(affiliate uuid.UUID) (at affiliate.Instant, open bool) {
	totals := a.totals.see(affiliate)
	if totals == nil {
		return at, false
	}
	return totals.Books.Opened, !totals.Books.Opened.IsZero()
}

// verifyBookedSales compares the movements of each sale with its commissions. For an
// imported sale, and for one that is older than movements, the first part is in an opening,
// which may belong to a former affiliate.
func (a *audit) verifyBookedSales(sales map[int64]*saleMovements) {
	for r := range a.sales.records() {
		if !a.mine(record.NumberID(r.Number)) {
			continue
		}
		s := sales[r.Number]
		if s == nil {
			s = &saleMovements{}
		}
		delete(sales, r.Number)
		if s.unknown != nil {
			a.breachOfOrigin(s.unknown)
		}
		if at, open := a.opened(r.AffiliateID); !open || !s.whole && (!r.CreatedAt.After(at) || a.broughtBy(r.ID) != nil || s.former != nil) {
			continue
		}
		var want affiliate.Amount
		for i := range r.Commissions {
			if c := &r.Commissions[i]; !c.Approval.Is(affiliate.ApprovalDeclined) {
				want, _ = want.Add(c.Earned)
			}
		}
		if !s.whole || s.sum != want {
			a.breach("I65", numbered("sale", r.Number),
				"its commissions are %v, its movements add up to %v", want, s.sum)
		}
		for former, sum := range s.former {
			if !sum.IsZero() {
				a.breach("I65", numbered("sale", r.Number),
					"its movements of affiliate %s, whom it does not credit, add up to %v", former,
					sum)
			}
		}
	}
	for number, s := range sales {
		if s.whole && !s.sum.IsZero() {
			a.breach("I65", numbered("sale", number), "it is deleted, its movements add up to %v", s.sum)
		}
	}
}

// verifyStep counts a movement of a payout.
func (a *audit) verifyStep(steps map[uuid.UUID]map[affiliate.Cause]int, r *record.Movement) {
	if steps[r.PayoutID] == nil {
		steps[r.PayoutID] = map[affiliate.Cause]int{}
	}
	steps[r.PayoutID][r.Cause.Value()]++
	if payout := a.payouts.get(r.PayoutID); payout != nil && (payout.Amount != r.Amount || payout.AffiliateID != a.heir(r.AffiliateID)) {
		a.breach("I66", named("payout", payout.ID), "it is %v, its movement %d is %v",
			payout.Amount, r.Number, r.Amount)
	}
}

// stepsOf returns how often each step of a payout is to be booked.
func stepsOf(r *record.Payout) map[affiliate.Cause]int {
	want := map[affiliate.Cause]int{affiliate.CausePayoutCreated: 1}
	switch r.Status {
	case affiliate.PayoutPaid:
		want[affiliate.CausePayoutPaid] = 1
	case affiliate.PayoutCanceled:
		want[affiliate.CausePayoutCanceled] = 1
	case affiliate.PayoutReturned:
		want[affiliate.CausePayoutPaid], want[affiliate.CausePayoutReturned] = 1, 1
	}
	return want
}

// verifySteps checks that each payout was booked once for each status that it reached. For
// payouts that are older than movements the first steps are in an opening.
func (a *audit) verifySteps(steps map[uuid.UUID]map[affiliate.Cause]int) {
	for r := range a.payouts.records() {
		if !a.mine(r.ID) {
			continue
		}
		at, open := a.opened(r.AffiliateID)
		done := steps[r.ID]
		if !open || done[affiliate.CausePayoutCreated] == 0 && (!r.CreatedAt.After(at) || a.broughtBy(r.ID) != nil) {
			continue
		}
		want := stepsOf(r)
		if done[affiliate.CauseMerge]%2 == 0 { // it left one ledger, and came into another one
			delete(done, affiliate.CauseMerge)
		}
		if !maps.Equal(want, done) {
			a.breach("I66", named("payout", r.ID), "it is %s, and was booked as %v, not as %v", r.Status, done, want)
		}
	}
}
