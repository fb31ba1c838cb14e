package conformance

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// farAhead is the number of numbers that are taken from one sequence before
// another sequence is examined. It is large because a store may reserve numbers
// in blocks.
const farAhead = 300

func sequences() []record.Sequence {
	return append(counted(), record.FenceSequence)
}

// counted are the sequences that only the caller moves. A router moves the fence too.
func counted() []record.Sequence {
	return []record.Sequence{record.SaleSequence, record.CommissionSequence, record.ClickSequence}
}

// take commits n numbers of a sequence, all in one transaction.
func take(tb testing.TB, s record.Store, program uuid.UUID, seq record.Sequence, n int) []int64 {
	tb.Helper()
	taken := make([]int64, n)
	err := s.Update(tb.Context(), program, func(tx *record.Tx) (err error) {
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
		{"Next", "the numbers of a sequence are positive and rise within a transaction and from one to the next", func(tb testing.TB, s record.Store) {
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
		{"Next after a rollback", rule, func(tb testing.TB, s record.Store) {
			for _, seq := range sequences() {
				taken := take(tb, s, home, seq, 3)
				refuse(tb, s, func(tx *record.Tx) error {
					_, err := tx.Next(seq)
					return err
				})
				panics(tb, s.Update, func(tx *record.Tx) error {
					_, err := tx.Next(seq)
					return err
				})
				distinct(tb, seq, append(taken, take(tb, s, home, seq, 3)...))
			}
		}},
		{"Next by sequence", "a sequence does not count for another", func(tb testing.TB, s record.Store) {
			taken := take(tb, s, home, record.ClickSequence, farAhead)
			for _, seq := range []record.Sequence{record.SaleSequence, record.CommissionSequence} {
				if first := take(tb, s, home, seq, 1)[0]; first >= taken[farAhead-1] {
					tb.Errorf("%s: the first number is %d, after %d clicks", seq, first, farAhead)
				}
			}
		}},
		{"Raise", "a sequence is moved to a number, by a number, or read, and never goes back", func(tb testing.TB, s record.Store) {
			for _, seq := range counted() {
				last := int64(0)
				for _, c := range []struct{ by, to int64 }{{0, 0}, {0, 7}, {0, 3}, {-5, 0}, {0, -5},
					{2, 0}, {1, 9}, {1, 1 << 60}, {0, 0}} {
					var n int64
					update(tb, s, func(tx *record.Tx) (err error) {
						n, err = tx.Raise(seq, c.by, c.to)
						return err
					})
					want := max(last, last+c.by, c.to)
					if n < want || n > want && c.by <= 0 { // gaps are allowed
						tb.Errorf("Raise(%s, %d, %d) is %d, want %d", seq, c.by, c.to, n, want)
					}
					last = n
					view(tb, s, func(tx *record.Tx) { lastIs(tb, tx, seq, last) })
				}
				update(tb, s, func(tx *record.Tx) error {
					first, err := tx.Raise(seq, 2, 0)
					lastIs(tb, tx, seq, first)
					return err
				})
			}
		}},
		{"Raise far into a View", "a View reads a sequence at its start, after it has read much, and after other reads", func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error {
				for n := range 2 * farAhead {
					if err := tx.Totals.Insert(record.Totals{ID: numbered(n + 1)}); err != nil {
						return err
					}
				}
				_, err := tx.Raise(record.ClickSequence, 0, 9)
				return err
			})
			view(tb, s, func(tx *record.Tx) {
				lastIs(tb, tx, record.ClickSequence, 9)
				for _, err := range tx.Totals.List(record.Query{}) {
					if err != nil {
						tb.Error(err)
					}
				}
				lastIs(tb, tx, record.ClickSequence, 9)
				if _, err := tx.Totals.Get(numbered(1)); err != nil {
					tb.Error(err)
				}
				lastIs(tb, tx, record.SaleSequence, 0)
			})
			view(tb, s, func(tx *record.Tx) {
				if _, err := tx.Totals.Get(numbered(1)); err != nil {
					tb.Error(err)
				}
				lastIs(tb, tx, record.ClickSequence, 9)
			})
		}},
		{"Raise as a fence",
			"what an Update does after it has read a sequence, it does before the sequence moves on",
			raiseAsFence},
	}
}

// lastIs checks the last number of a sequence.
func lastIs(tb testing.TB, tx *record.Tx, seq record.Sequence, want int64) {
	tb.Helper()
	if n, err := tx.Raise(seq, 0, 0); n != want || err != nil {
		tb.Errorf("Raise(%s, 0, 0) is %d, error %v, want %d", seq, n, err, want)
	}
}

// raiseAsFence: writers insert records while the fence is down. After it was raised,
// no record is added.
func raiseAsFence(tb testing.TB, s record.Store) {
	count := func() (n int) {
		view(tb, s, func(tx *record.Tx) {
			all, err := collect(tx.Totals.List(record.Query{}))
			if err != nil {
				tb.Error(err)
			}
			n = len(all)
		})
		return n
	}
	var atRaise atomic.Int64
	together(tb, workers, func(worker int) error {
		for i := range 4 * each {
			if worker == 0 && i == each {
				if err := s.Update(tb.Context(), home, func(tx *record.Tx) error {
					_, err := tx.Raise(record.ClickSequence, 0, 1)
					return err
				}); err != nil {
					return err
				}
				atRaise.Store(int64(count()))
			}
			up := false
			err := s.Update(tb.Context(), home, func(tx *record.Tx) error {
				fence, err := tx.Raise(record.ClickSequence, 0, 0)
				if up = fence > 0; up || err != nil {
					return err
				}
				return tx.Totals.Insert(record.Totals{ID: numbered(worker*1000 + i + 1)})
			})
			if up || err != nil {
				return err
			}
		}
		return nil
	})
	if n := count(); int64(n) != atRaise.Load() {
		tb.Errorf("%d records when the fence was raised, %d at the end", atRaise.Load(), n)
	}
}

func nextTogether(tb testing.TB, s record.Store) {
	var mu sync.Mutex
	taken := map[record.Sequence][]int64{}
	together(tb, workers, func(worker int) error {
		for i := range each {
			seq := sequences()[(worker+i)%len(sequences())]
			var n int64
			err := s.Update(tb.Context(), home, func(tx *record.Tx) (err error) {
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
func distinct(tb testing.TB, seq record.Sequence, numbers []int64) {
	tb.Helper()
	slices.Sort(numbers)
	for i := 1; i < len(numbers); i++ {
		if numbers[i] == numbers[i-1] {
			tb.Errorf("Next(%s) gave %d twice", seq, numbers[i])
		}
	}
}
