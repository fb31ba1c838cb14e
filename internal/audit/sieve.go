package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// A print is a fingerprint of 64 bits: of the key of an object, or of a fact about it.
// Two facts that differ have the same one with a chance of about 1 in 2⁶⁴. The prints of
// a program are its own, and always the same.
type print uint64

// printOf returns the print that all prints of a program begin with.
func printOf(program uuid.UUID) print {
	sum := sha256.Sum256(append([]byte("tributary audit "), program[:]...))
	return print(binary.BigEndian.Uint64(sum[:]))
}

// num returns the print of f with a number behind it.
func (f print) num(n int64) print {
	hi, lo := bits.Mul64(uint64(f)^uint64(n)^0xa0761d6478bd642f, 0xe7037ed1a0b428db)
	hi, lo = bits.Mul64(hi^lo^uint64(n), 0x8ebc6af09c88c6e3)
	return print(hi ^ lo)
}

func (f print) id(id uuid.UUID) print {
	return f.num(int64(binary.BigEndian.Uint64(id[:8]))).num(int64(binary.BigEndian.Uint64(id[8:])))
}

func (f print) text(s string) print {
	var last [8]byte
	f = f.num(int64(len(s)))
	for len(s) > 8 {
		copy(last[:], s[:8])
		f, s = f.num(int64(binary.LittleEndian.Uint64(last[:]))), s[8:]
	}
	last = [8]byte{}
	copy(last[:], s)
	return f.num(int64(binary.LittleEndian.Uint64(last[:])))
}

func (f print) flag(set bool) print {
	if set {
		return f.num(1)
	}
	return f.num(0)
}

// A sieve decides which objects need a closer look. It never misses one that does,
// except where two prints, or two sums, are equal by chance: about 1 in 2⁶¹. It may pick
// one that is in order, which costs time.
//
// Its memory is given by its size, and does not grow. Where a program has more facts
// than there is room for, it sifts several times, each time another share of the keys.
type sieve struct {
	seed   print
	size   sieveSize
	share  uint64 // which share of the keys is sifted
	shares uint64
	full   bool // there was no room

	facts   []uint64 // a hash table of prints; 0: free
	values  []int64  // beside the facts; nil: none was asked for
	nFact   int
	once    filter             // of what may be there once
	steps   filter             // of the revisions of objects
	numbers [nNumbers][]uint64 // bits: which numbers were given
	sums    [nParts][]uint64   // for each bucket of keys, modulo prime
	chosen  [nParts][]bool     // by bucket: what needs a closer look
	moved   uint64             // of all that was summed, the absolute values

	room []record.Key
}

// The kinds of numbers that are given once.
const (
	saleNumbers = iota
	commissionNumbers
	clickNumbers
	nNumbers
)

// A sieveSize is given in powers of two: slots for facts, bits of the filters, bits for
// the numbers of a kind, buckets.
type sieveSize struct{ facts, once, steps, numbers, buckets int }

// sieveSizes are tried in turn: most programs are small, and what a sieve costs to
// begin with should be, too. The largest takes 37 MiB.
var sieveSizes = [...]sieveSize{{9, 13, 12, 10, 8}, {15, 21, 19, 18, 12}, {20, 27, 26, 23, 14}}

// tinySieve has room for the keys of a few records.
var tinySieve = sieveSize{5, 8, 8, 6, 6}

// prime is the modulus of the sums: then no two of 2⁶¹ coefficients hide the same
// difference.
const prime = 1<<61 - 1

// open makes an empty sieve of a size, with nothing picked.
func (s *sieve) open(size sieveSize, shares uint64) {
	s.size, s.shares = size, shares
	s.facts, s.values = make([]uint64, 1<<size.facts), nil
	s.once, s.steps = filter{bits: make([]uint64, 1<<size.once/64), each: 48},
		filter{bits: make([]uint64, 1<<size.steps/64), each: 16}
	for i := range s.numbers {
		s.numbers[i] = make([]uint64, 1<<size.numbers/64)
	}
	for p := range s.sums {
		s.sums[p], s.chosen[p] = make([]uint64, 1<<size.buckets), make([]bool, 1<<size.buckets)
	}
}

// turn empties a sieve for a share of the keys. What was picked stays.
func (s *sieve) turn(share uint64) {
	s.share, s.full, s.moved = share, false, 0
	s.forget()
	s.once.clear()
	s.steps.clear()
	for i := range s.numbers {
		clear(s.numbers[i])
	}
	for p := range s.sums {
		clear(s.sums[p])
	}
}

// forget forgets all facts.
func (s *sieve) forget() {
	s.nFact = 0
	clear(s.facts)
	clear(s.values)
}

// key returns the print of the key of an object.
func (s *sieve) key(id uuid.UUID) print { return s.seed.id(id) }

// keyed returns the print of a key in an index of a table.
func (s *sieve) keyed(kind int64, key record.Key) print {
	return s.seed.num(kind).text(string(key.Index)).id(key.ID).text(key.Text)
}

// here reports whether a key is in the share.
func (s *sieve) here(k print) bool { return s.shares == 1 || uint64(k)%s.shares == s.share }

func (s *sieve) bucket(k print) int { return int(uint64(k) >> (64 - s.size.buckets)) }

// pick picks an object for a closer look.
func (s *sieve) pick(p part, k print) { s.chosen[p][s.bucket(k)] = true }

// slot returns where a fact is, or where it would be.
func (s *sieve) slot(fact print) (i uint64, known bool) {
	fact = max(fact, 1)
	for i = uint64(fact) * 0x9e3779b97f4a7c15 >> (64 - s.size.facts); ; i++ {
		i &= uint64(len(s.facts) - 1)
		if at := s.facts[i]; at == uint64(fact) || at == 0 {
			return i, at != 0
		}
	}
}

// learn adds a fact about an object, and reports whether it was not known. It knows
// nothing of what is not in the share.
func (s *sieve) learn(k, fact print) bool {
	if !s.here(k) {
		return true
	}
	at, known := s.slot(fact)
	if known || s.full {
		return !known
	}
	s.facts[at] = max(uint64(fact), 1)
	s.nFact++
	s.full = s.nFact > len(s.facts)/8*7
	return true
}

// knows reports whether there is a fact about an object of the share.
func (s *sieve) knows(k, fact print) bool {
	if !s.here(k) {
		return false
	}
	_, known := s.slot(fact)
	return known
}

// expect picks an object that a fact is missing of.
func (s *sieve) expect(p part, k, fact print) {
	if s.here(k) && !s.knows(k, fact) {
		s.pick(p, k)
	}
}

// value returns the number that is kept with a fact about an object of the share; of a
// fact that is not known, nil.
func (s *sieve) value(fact print) *int64 {
	if s.values == nil {
		s.values = make([]int64, len(s.facts))
	}
	i, known := s.slot(fact)
	if !known {
		return nil
	}
	return &s.values[i]
}

// A filter is a Bloom filter of prints. If it was given a print it says so; if not, it
// says so nearly always.
type filter struct {
	bits []uint64
	n    int
	each int // bits for each print, at least
}

func (f *filter) clear() {
	f.n = 0
	clear(f.bits)
}

// saw reports whether the filter may have been given a print.
func (f *filter) saw(p print) bool { return f.mark(p, 0) }

// mark gives the filter a print if set is 1, and reports whether it may have been given
// it before.
func (f *filter) mark(p print, set uint64) bool {
	before := uint64(1)
	h, step := uint64(p), bits.RotateLeft64(uint64(p), 32)|1
	size := uint64(len(f.bits)) * 64
	for range 8 {
		h += step
		at := h >> 8 & (size - 1)
		before &= f.bits[at/64] >> (at % 64)
		f.bits[at/64] |= set << (at % 64)
	}
	f.n += int(set)
	return before == 1
}

// crowded reports whether the filter errs too often.
func (f *filter) crowded() bool { return f.n > len(f.bits)*64/f.each }

// repeated picks an object if a fact about it was there before.
func (s *sieve) repeated(p part, k, fact print) {
	if s.here(k) && s.once.mark(fact, 1) {
		s.pick(p, k)
	}
	s.full = s.full || s.once.crowded()
}

// given picks the object with a number that was given before. Small numbers need a bit
// each, and are never taken for one another.
func (s *sieve) given(p part, kind int, k print, n int64) {
	bits := s.numbers[kind]
	switch {
	case n < 0 || n >= int64(len(bits))*64:
		s.repeated(p, k, k)
		return
	case !s.here(k):
		return
	case bits[n/64]>>(n%64)&1 == 1:
		s.pick(p, k)
	}
	bits[n/64] |= 1 << (n % 64)
}

// add adds n times a fact about an object. What is in order adds up to nothing.
func (s *sieve) add(p part, k, fact print, n int64) {
	if n == 0 || !s.here(k) {
		return
	}
	x := uint64(max(n, -n))
	if n == math.MinInt64 {
		x = 1 << 63
	}
	if s.moved += x; s.moved < x || s.moved > math.MaxInt64 {
		s.moved = math.MaxInt64
	}
	hi, lo := bits.Mul64(uint64(fact)%prime, x%prime)
	x = reduced(lo&prime + (hi<<3 | lo>>61))
	if n < 0 {
		x = prime - x
	}
	at := &s.sums[p][s.bucket(k)]
	*at = reduced(*at + x)
}

func reduced(x uint64) uint64 {
	if x >= prime {
		x -= prime
	}
	return x
}

// settle picks the objects whose sums are not zero. It picks all of them if so much was
// added that the sums of the second time may not have room for it.
func (s *sieve) settle() {
	for p := range s.sums {
		for i, sum := range s.sums[p] {
			if sum != 0 || s.moved == math.MaxInt64 {
				s.chosen[p][i] = true
			}
		}
	}
}

// atOnce is about the number of records that the second time holds.
const atOnce = 1 << 14

// pickAll picks every object for every part.
func (s *sieve) pickAll() {
	for p := range s.chosen {
		for i := range s.chosen[p] {
			s.chosen[p][i] = true
		}
	}
}

// rounds returns the picked buckets of a part in groups with about so many records, if
// there are so many in all.
func (s *sieve) rounds(p part, records, atOnce int64) [][]int {
	each := max(1, atOnce<<s.size.buckets/max(records, 1))
	var rounds [][]int
	for i, picked := range s.chosen[p] {
		switch n := len(rounds) - 1; {
		case !picked:
		case n < 0 || int64(len(rounds[n])) == each:
			rounds = append(rounds, []int{i})
		default:
			rounds[n] = append(rounds[n], i)
		}
	}
	return rounds
}

// What is sifted. A check of one record is the check itself, and what it finds is picked.
// A check that compares records is written as sums: what one record says is added, and
// what the other must say is taken off, as facts about the object that both name.

// The kinds of facts, besides that a record exists, which has the kind of its table.
const (
	isOwned     int64 = 100 + iota // a link is of an affiliate
	isHidden                       // the erasure of a customer has ended
	isAlias                        // a link names an alias
	isEntry                        // of the key of a commission or an adjustment
	isBrought                      // an import made it
	isImported                     // an import names it, as a kind
	isFigures                      // an imported sale has these
	isEvent                        // an event has a type
	isQueued                       // a delivery waits; an event goes to an endpoint
	isEnd                          // an object other than a sale was deleted
	isSilent                       // the first event is not the creation
	isOfCoupon                     // a code is of a coupon
	isRedeemed                     // of a code or a coupon, how often
	isByCode                       // a sale is by a code
	isGiven                        // what the redemptions of a coupon took off
	isPlaced                       // holds keep so many places, or take so much off
	isPlace                        // a customer has a place of a code and a coupon
	isConfirmed                    // a hold was confirmed by a sale
	isGivenBack                    // the redemption of a sale was, when it was refunded
	isStatus                       // of a customer
	isHeld                         // a payout holds so much
	isItem                         // a payout holds an entry
	isStep                         // a revision of an object; a step of a payout
	isLine                         // a line of a run pays a payout
	isSoFar                        // the counts of a run
	isReversal                     // of an adjustment by another one
	isLeaving                      // a sale left an affiliate, with so much
	isTrail                        // the books after a movement
	isLast                         // the last movement
	isBooked                       // the movements of a sale add up to it
	isCounted                      // the movements of an affiliate count it
	isAccount                      // an account holds so much
	isTotal                        // totals count it
	isKeyed                        // a payment has an id of its provider
	isClicked                      // a sale names a click
	isSpent                        // sales took so much of a budget
	isRewarded                     // so many sales took something of a budget
)

// siftAll goes over all tables once. What others refer to comes first.
func (a *audit) siftAll() {
	imports := a.siftImports(true)
	a.siftEvents()
	a.forget()
	if imports {
		a.siftImports(false)
	}
	sift(a, &a.receipts, func(r *record.Receipt) { siftKeys(a, inPeople, &a.receipts, r) })
	a.siftRates()
	a.siftPeople()
	a.siftCodes()
	sift(a, &a.payouts, a.siftPayout)
	sift(a, &a.sales, a.siftSale)
	sift(a, &a.clicks, a.siftClick)
	sift(a, &a.adjusted, a.siftAdjustment)
	sift(a, &a.movements, a.siftMovement)
	sift(a, &a.totals, a.siftTotals)
	sift(a, &a.budgets, a.siftBudget)
	a.siftRuns()
	a.siftPayments()
}

// sift runs fn on the records of a table, and counts them. It reports whether there are
// any.
func sift[R record.Record[R]](a *audit, s *collection[R], fn func(*R)) bool {
	was := a.records
	for r := range s.walk() {
		a.records++
		if fn(r); a.full {
			break
		}
	}
	return a.records > was
}

// any reports whether a table has a record.
func (s *collection[R]) any() bool {
	for range s.walk() {
		return true
	}
	return false
}
