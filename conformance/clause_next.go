package conformance

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// farAhead is the number of numbers that are taken from one sequence before
// another sequence is examined. It is large because a store may reserve numbers
// in blocks.
const farAhead = 300

func sequences() []record.Sequence {
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
