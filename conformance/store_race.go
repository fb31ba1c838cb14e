package conformance

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Every conflict here is one that some serial order satisfies, so a store may
// neither break the invariant nor give up.
const (
	workers = 8
	each    = 20 // transactions of each worker
)

func serializableCases() []storeCase {
	return []storeCase{
		{"lost update", "concurrent increments of one counter all count", lostUpdate},
		{"increment by key", "concurrent increments of a record that is found by its key all count", incrementByKey},
		{"write skew", "two transactions that each read what the other writes do not both go by the old state", writeSkew},
		{"phantom", "a transaction that counts a list and adds to it does not miss what another adds", phantom},
		{"unique race", "of concurrent inserts with one key exactly one wins, the others get an ExistsError", uniqueRace},
		{"id race", "of concurrent inserts with one id exactly one wins, the others get an ExistsError", idRace},
		{"delete race", "of concurrent deletes of one record exactly one succeeds, the others get ErrNotFound", deleteRace},
		{"transfer", "money that concurrent transactions move between accounts is neither made nor lost", transfer},
	}
}

// exit ends the goroutine, as a Fatal in a host's test does.
func exit() { runtime.Goexit() }

// numbered is an id that sorts by n.
func numbered(n int) uuid.UUID {
	return uuid.UUID{0: byte(n >> 16), 1: byte(n >> 8), 2: byte(n), 15: 1}
}

func lostUpdate(tb testing.TB, s affiliate.Store) {
	one := numbered(1)
	update(tb, s, func(tx *affiliate.Tx) error { return tx.Totals.Insert(affiliate.TotalsRecord{ID: one}) })
	together(tb, workers, func(int) error {
		for range each {
			err := s.Update(tb.Context(), home, func(tx *affiliate.Tx) error {
				rec, err := tx.Totals.Get(one)
				if err != nil {
					return err
				}
				rec.Clicks++
				return tx.Totals.Replace(rec)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	view(tb, s, func(tx *affiliate.Tx) {
		if rec, err := tx.Totals.Get(one); err != nil || rec.Clicks != workers*each {
			tb.Errorf("after %d increments the counter is %d, error %v", workers*each, rec.Clicks, err)
		}
	})
}

func incrementByKey(tb testing.TB, s affiliate.Store) {
	key := affiliate.Key{Index: affiliate.ByExternalID, Text: "promo_1"}
	update(tb, s, func(tx *affiliate.Tx) error {
		return tx.Codes.Insert(affiliate.CodeRecord{ID: numbered(1), CouponID: numbered(2), Code: "SAVE", ExternalID: key.Text})
	})
	together(tb, workers, func(int) error {
		for range each {
			err := s.Update(tb.Context(), home, func(tx *affiliate.Tx) error {
				rec, err := tx.Codes.Find(key)
				if err != nil {
					return err
				}
				rec.TimesRedeemed++
				return tx.Codes.Replace(rec)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	view(tb, s, func(tx *affiliate.Tx) {
		if rec, err := tx.Codes.Find(key); err != nil || rec.TimesRedeemed != workers*each {
			tb.Errorf("after %d increments the counter is %d, error %v", workers*each, rec.TimesRedeemed, err)
		}
	})
}

// writeSkew lets two doctors leave when the other one is still there.
func writeSkew(tb testing.TB, s affiliate.Store) {
	const rounds = 10
	for round := range rounds {
		doctors := []uuid.UUID{numbered(2 * round), numbered(2*round + 1)}
		update(tb, s, func(tx *affiliate.Tx) error {
			return errors.Join(tx.Totals.Insert(affiliate.TotalsRecord{ID: doctors[0], Clicks: 1}),
				tx.Totals.Insert(affiliate.TotalsRecord{ID: doctors[1], Clicks: 1}))
		})
		together(tb, len(doctors), func(worker int) error {
			return s.Update(tb.Context(), home, func(tx *affiliate.Tx) error {
				other, err := tx.Totals.Get(doctors[1-worker])
				if err != nil || other.Clicks == 0 {
					return err
				}
				return tx.Totals.Replace(affiliate.TotalsRecord{ID: doctors[worker]})
			})
		})
		view(tb, s, func(tx *affiliate.Tx) {
			first, err1 := tx.Totals.Get(doctors[0])
			second, err2 := tx.Totals.Get(doctors[1])
			if err := errors.Join(err1, err2); err != nil || first.Clicks+second.Clicks != 1 {
				tb.Errorf("round %d: %d of the two are left, want 1; error %v", round, first.Clicks+second.Clicks, err)
			}
		})
	}
}

func phantom(tb testing.TB, s affiliate.Store) {
	const limit, rounds = 3, 5
	for round := range rounds {
		parent := affiliate.Key{Index: affiliate.OfCode, ID: numbered(round + 1)}
		together(tb, workers, func(worker int) error {
			return s.Update(tb.Context(), home, func(tx *affiliate.Tx) error {
				children, err := collect(tx.Redemptions.List(affiliate.Query{Key: parent}))
				if err != nil || len(children) >= limit {
					return err
				}
				return tx.Redemptions.Insert(affiliate.RedemptionRecord{ID: numbered(round*workers + worker), CodeID: parent.ID, CouponID: numbered(1)})
			})
		})
		view(tb, s, func(tx *affiliate.Tx) {
			if children, err := collect(tx.Redemptions.List(affiliate.Query{Key: parent})); err != nil || len(children) != limit {
				tb.Errorf("round %d: %d children, want %d; error %v", round, len(children), limit, err)
			}
		})
	}
}

// race lets every worker run fn and checks that it succeeds for one and gives
// the others the error that they must get.
func race(tb testing.TB, s affiliate.Store, lost error, fn func(tx *affiliate.Tx, worker int) error) {
	tb.Helper()
	var won atomic.Int64
	together(tb, workers, func(worker int) error {
		err := s.Update(tb.Context(), home, func(tx *affiliate.Tx) error { return fn(tx, worker) })
		if err == nil {
			won.Add(1)
		}
		if err != nil && !errors.Is(err, lost) {
			return err
		}
		return nil
	})
	if n := won.Load(); n != 1 {
		tb.Errorf("%d of %d succeeded, want 1", n, workers)
	}
}

func uniqueRace(tb testing.TB, s affiliate.Store) {
	race(tb, s, affiliate.ErrExists, func(tx *affiliate.Tx, worker int) error {
		return tx.Coupons.Insert(affiliate.CouponRecord{ID: numbered(worker + 1), Name: "Spring", ExternalID: "promo_1"})
	})
	view(tb, s, func(tx *affiliate.Tx) {
		if all, err := collect(tx.Coupons.List(affiliate.Query{})); err != nil || len(all) != 1 {
			tb.Errorf("%d records hold the key, want 1; error %v", len(all), err)
		}
	})
}

func idRace(tb testing.TB, s affiliate.Store) {
	race(tb, s, affiliate.ErrExists, func(tx *affiliate.Tx, worker int) error {
		return tx.Totals.Insert(affiliate.TotalsRecord{ID: numbered(1), Clicks: int64(worker)})
	})
}

func deleteRace(tb testing.TB, s affiliate.Store) {
	update(tb, s, func(tx *affiliate.Tx) error { return tx.Totals.Insert(affiliate.TotalsRecord{ID: numbered(1)}) })
	race(tb, s, affiliate.ErrNotFound, func(tx *affiliate.Tx, _ int) error { return tx.Totals.Delete(numbered(1)) })
}

const accounts, deposit = 4, 100

// openAccounts gives every account its deposit.
func openAccounts(tx *affiliate.Tx) error {
	for n := range accounts {
		if err := tx.Totals.Insert(affiliate.TotalsRecord{ID: numbered(n), Clicks: deposit}); err != nil {
			return err
		}
	}
	return nil
}

// pay moves an amount between two accounts.
func pay(tx *affiliate.Tx, from, to int, amount int64) error {
	payer, err1 := tx.Totals.Get(numbered(from))
	payee, err2 := tx.Totals.Get(numbered(to))
	if err := errors.Join(err1, err2); err != nil || payer.Clicks < amount {
		return err
	}
	payer.Clicks -= amount
	payee.Clicks += amount
	return errors.Join(tx.Totals.Replace(payer), tx.Totals.Replace(payee))
}

// total counts the money by a list and once more account by account.
func total(tx *affiliate.Tx) error {
	all, err := collect(tx.Totals.List(affiliate.Query{}))
	if err != nil {
		return err
	}
	var listed, got int64
	for n, rec := range all {
		again, err := tx.Totals.Get(numbered(n))
		if err != nil {
			return err
		}
		listed, got = listed+rec.Clicks, got+again.Clicks
	}
	if listed != accounts*deposit || got != accounts*deposit {
		return fmt.Errorf("the accounts hold %d by List and %d by Get, want %d", listed, got, accounts*deposit)
	}
	return nil
}

func transfer(tb testing.TB, s affiliate.Store) {
	update(tb, s, openAccounts)
	together(tb, workers, func(worker int) error {
		for i := range each {
			from, to := (worker+i)%accounts, (worker+2*i+1)%accounts
			if from == to {
				continue
			}
			if err := s.Update(tb.Context(), home, func(tx *affiliate.Tx) error { return pay(tx, from, to, int64(1+i%7)) }); err != nil {
				return err
			}
		}
		return nil
	})
	if err := s.View(tb.Context(), home, total); err != nil {
		tb.Error(err)
	}
}

func snapshotCases() []storeCase {
	return []storeCase{
		{"transfers", "a View among concurrent transfers sees a constant total", viewTransfers},
		{"reads again", "what a View read, it reads again after another transaction wrote", func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1, 2, 3) })
			among(tb, s, rewriteAll, func(tx *affiliate.Tx, write func()) {
				holdsAll(tb, tx, 1, 2, 3)
				write()
				holdsAll(tb, tx, 1, 2, 3)
			})
		}},
		{"reads on", "what a View reads is as old as what it read first", func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1, 2, 3) })
			among(tb, s, rewriteAll, func(tx *affiliate.Tx, write func()) {
				first := tables()[0]
				first.holds(tb, tx, first.fulls(1, 2, 3)...)
				write()
				holdsAll(tb, tx, 1, 2, 3)
			})
		}},
		{"in a list", "a List in a View goes on as it began", func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1, 2, 3) })
			among(tb, s, rewriteAll, func(tx *affiliate.Tx, write func()) {
				sales := tables()[7]
				var got []record
				for rec, err := range sales.in(tx).List(affiliate.Query{}) {
					if err != nil {
						tb.Errorf("List: %v", err)
					}
					got = append(got, rec)
					write()
				}
				if d := diff(sales.fulls(1, 2, 3), got); d != "" {
					tb.Errorf("List (-want +got):\n%s", d)
				}
			})
		}},
		{"nothing yet", "a View that found nothing goes on finding nothing", func(tb testing.TB, s affiliate.Store) {
			among(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1) }, func(tx *affiliate.Tx, write func()) {
				holdsAll(tb, tx)
				write()
				holdsAll(tb, tx)
			})
		}},
	}
}

func viewTransfers(tb testing.TB, s affiliate.Store) {
	update(tb, s, openAccounts)
	together(tb, workers, func(worker int) error {
		for i := range each {
			run, fn := s.View, total
			if worker%2 == 0 {
				run = s.Update
				fn = func(tx *affiliate.Tx) error { return pay(tx, i%accounts, (i+1+worker/2)%accounts, int64(1+i%7)) }
			}
			if worker%2 == 0 && (1+worker/2)%accounts == 0 {
				fn = total // an Update that pays nobody sees one moment too
			}
			if err := run(tb.Context(), home, fn); err != nil {
				return err
			}
		}
		return nil
	})
}

// among runs a View that has one Update of another goroutine happen while it
// runs. A store with locks lets that Update wait for the View, so write waits
// for it a moment only.
func among(tb testing.TB, s affiliate.Store, writes func(tx *affiliate.Tx) error, fn func(tx *affiliate.Tx, write func())) {
	tb.Helper()
	const moment = 25 * time.Millisecond
	done := make(chan error, 1)
	var once sync.Once
	write := func() {
		once.Do(func() {
			over := make(chan struct{})
			go func() {
				defer close(over)
				done <- s.Update(tb.Context(), home, writes)
			}()
			select {
			case <-over:
			case <-time.After(moment):
			}
		})
	}
	// A wrapper may run the closure again, after the Update: only the run in
	// which the Update happens is looked at.
	looked := false
	view(tb, s, func(tx *affiliate.Tx) {
		if !looked {
			looked = true
			fn(tx, write)
		}
	})
	if err := <-done; err != nil {
		tb.Errorf("Update: %v", err)
	}
}

// farAhead is how many numbers of one sequence are taken before another one is
// looked at. A store may reserve numbers in blocks, so gaps below it are fine.
const farAhead = 300

func sequences() []affiliate.Sequence {
	return []affiliate.Sequence{affiliate.SaleSequence, affiliate.CommissionSequence, affiliate.ClickSequence}
}

// take commits n numbers of a sequence, all in one transaction.
func take(tb testing.TB, s affiliate.Store, program uuid.UUID, seq affiliate.Sequence, n int) []int64 {
	tb.Helper()
	taken := make([]int64, n)
	err := s.Update(tb.Context(), program, func(tx *affiliate.Tx) (err error) {
		for i := range taken {
			if taken[i], err = tx.Next(seq); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatalf("Update: %v", err)
	}
	return taken
}

func nextCases() []storeCase {
	const rule = "Next never repeats a number that a committed transaction was given"
	return []storeCase{
		{"Next", "the numbers of a sequence are positive and rise within a transaction and from one to the next", func(tb testing.TB, s affiliate.Store) {
			for _, seq := range sequences() {
				var last int64
				for range 3 {
					for _, n := range take(tb, s, home, seq, 5) {
						if n <= last {
							tb.Errorf("Next(%s) is %d after %d", seq, n, last)
						}
						last = n
					}
				}
			}
		}},
		{"Next among goroutines", rule, nextTogether},
		{"Next after a rollback", rule, func(tb testing.TB, s affiliate.Store) {
			for _, seq := range sequences() {
				taken := take(tb, s, home, seq, 3)
				refuse(tb, s, func(tx *affiliate.Tx) error {
					_, err := tx.Next(seq)
					return err
				})
				panics(tb, s.Update, func(tx *affiliate.Tx) error {
					_, err := tx.Next(seq)
					return err
				})
				distinct(tb, seq, append(taken, take(tb, s, home, seq, 3)...))
			}
		}},
		{"Next by sequence", "a sequence does not count for another", func(tb testing.TB, s affiliate.Store) {
			taken := take(tb, s, home, affiliate.ClickSequence, farAhead)
			for _, seq := range []affiliate.Sequence{affiliate.SaleSequence, affiliate.CommissionSequence} {
				if first := take(tb, s, home, seq, 1)[0]; first >= taken[farAhead-1] {
					tb.Errorf("%s: the first number is %d, after %d clicks", seq, first, farAhead)
				}
			}
		}},
	}
}

func nextTogether(tb testing.TB, s affiliate.Store) {
	var mu sync.Mutex
	taken := map[affiliate.Sequence][]int64{}
	together(tb, workers, func(worker int) error {
		for i := range each {
			seq := sequences()[(worker+i)%len(sequences())]
			var n int64
			err := s.Update(tb.Context(), home, func(tx *affiliate.Tx) (err error) {
				if n, err = tx.Next(seq); err == nil && i%4 == 3 {
					err = errRefused
				}
				return err
			})
			if errors.Is(err, errRefused) {
				continue
			}
			if err != nil {
				return err
			}
			mu.Lock()
			taken[seq] = append(taken[seq], n)
			mu.Unlock()
		}
		return nil
	})
	for seq, numbers := range taken {
		distinct(tb, seq, numbers)
	}
}

// distinct checks that no number comes twice.
func distinct(tb testing.TB, seq affiliate.Sequence, numbers []int64) {
	tb.Helper()
	slices.Sort(numbers)
	for i := 1; i < len(numbers); i++ {
		if numbers[i] == numbers[i-1] {
			tb.Errorf("Next(%s) gave %d twice", seq, numbers[i])
		}
	}
}
