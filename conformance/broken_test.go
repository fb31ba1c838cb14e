package conformance

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/atlength"
)

// A flaw is what is wrong with a naiveStore. The zero flaw is none.
type flaw string

const (
	right flaw = ""

	keepsAfterError flaw = "keeps writes after an error"
	replacesError   flaw = "answers an error of its own"

	swallowsPanic      flaw = "swallows a panic"
	keepsAfterPanic    flaw = "keeps writes after a panic"
	leavesLock         flaw = "leaves its lock held after a panic"
	leavesLockOnGoexit flaw = "leaves its lock held after a Goexit"

	losesUpdates flaw = "loses updates"
	skewsWrites  flaw = "has write skew"
	skewsKeys    flaw = "lets two inserts win one key"

	oneNamespace flaw = "has one namespace for all programs"
	oneSequence  flaw = "counts the numbers of all programs together"

	liveView       flaw = "lets a View see later commits"
	liveLongView   flaw = "lets a View that has read much see later commits"
	livePages      flaw = "goes on with a list in the latest state after a hundred records"
	freshLongGet   flaw = "finds later records by id in a View that has read much"
	leavesLongView flaw = "leaves its lock held when a View that has read much is given up"
	losesLongKey   flaw = "loses keys that moved from a View that has read much"
	tidiesOthers   flaw = "drops a record of a running Update when a View that has read much ends"

	viewWrites       flaw = "lets a View write"
	viewTakesNumbers flaw = "lets a View take numbers"

	listMissesWrites flaw = "List misses its own writes"
	findMissesWrites flaw = "Find misses its own writes"

	worksAfterEnd flaw = "a Tx works after the end"
	listsAfterEnd flaw = "a running List goes on after the end"

	clashWithoutIndex flaw = "a clash does not name its index"
	clashWithoutType  flaw = "a clash is a bare ErrExists"
	halfApplied       flaw = "a clash is half applied"
	replacesBlindly   flaw = "Replace does not look for a clash"

	deadAfterClash    flaw = "is unusable after a clash"
	deadAfterNotFound flaw = "does not commit after ErrNotFound"

	foldsKeys      flaw = "folds case in keys"
	trimsKeys      flaw = "trims keys"
	cutsKeys       flaw = "cuts keys at 255 bytes"
	cutsKeysByOne  flaw = "cuts keys at 766 bytes"
	normalisesKeys flaw = "normalises keys"

	forgetsDesc     flaw = "forgets Desc"
	afterInclusive  flaw = "takes After as inclusive"
	afterMustExist  flaw = "ignores an After that is not there"
	insertionOrder  flaw = "lists in the order of the inserts"
	signedBytes     flaw = "compares bytes as signed"
	ignoresLimit    flaw = "ignores Limit"
	stopsAtThousand flaw = "ends a list at 1,000 records"
	listTrips       flaw = "skips a record when the current one is deleted"

	sharesReturned flaw = "returns shared memory"
	keepsGiven     flaw = "keeps the caller's memory"

	ignoresContext     flaw = "commits after ctx ended"
	looksAtContextOnce flaw = "looks at ctx only at the start"
	hidesContext       flaw = "does not wrap the error of ctx"
	viewIgnoresContext flaw = "begins a View after ctx ended"

	truncatesToSeconds flaw = "truncates to seconds"
	truncatesToMillis  flaw = "truncates to milliseconds"
	roundsIntegers     flaw = "keeps integers as float64"
	cleansBytes        flaw = "keeps bytes as text"
	losesNull          flaw = "takes null for not given"
	dropsField         flaw = "drops a field"

	lacksTable      flaw = "lacks a table"
	lacksRaise      flaw = "lacks Raise"
	setsNumbers     flaw = "moves a sequence back"
	readsOldNumbers flaw = "does not see the number of a sequence"
	repeatsNumbers  flaw = "repeats a number"
	skewsNumbers    flaw = "lets two transactions take one number"
	resetsNumbers   flaw = "begins to count again after an error"
	oneCounter      flaw = "has one counter for all sequences"

	sumsNothing flaw = "adds up nothing"
)

// brokenStores lists each flaw with the clause that must fail. When only one
// case of the clause can detect the flaw, that case is named too.
func brokenStores() []struct {
	flaw   flaw
	clause string
} {
	return []struct {
		flaw   flaw
		clause string
	}{
		{keepsAfterError, "S01 Rollback"},
		{replacesError, "S01 Rollback/error"},
		{swallowsPanic, "S02 Panic"},
		{keepsAfterPanic, "S02 Panic/in Update"},
		{leavesLock, "S02 Panic"},
		{leavesLockOnGoexit, "S02 Panic/Goexit in Update"},
		{losesUpdates, "S03 Serializable/lost update"},
		{losesUpdates, "S03 Serializable/increment by key"},
		{losesUpdates, "S03 Serializable/transfer"},
		{losesUpdates, "S03 Serializable/id race"},
		{losesUpdates, "S03 Serializable/delete race"},
		{skewsWrites, "S03 Serializable/write skew"},
		{skewsWrites, "S03 Serializable/phantom"},
		{skewsKeys, "S03 Serializable/unique race"},
		{oneNamespace, "S04 Separate"},
		{oneSequence, "S04 Separate/sequences"},
		{liveView, "S05 Snapshot/reads again"},
		{liveView, "S05 Snapshot/reads on"},
		{liveView, "S05 Snapshot/in a list"},
		{liveView, "S05 Snapshot/nothing yet"},
		{liveLongView, "S05 Snapshot/long, reads again"},
		{liveLongView, "S05 Snapshot/long, in a list"},
		{liveLongView, "S05 Snapshot/long, nothing yet"},
		{liveLongView, "S05 Snapshot/long Views among writers"},
		{livePages, "S05 Snapshot/many records"},
		{freshLongGet, "S05 Snapshot/many records"},
		{losesLongKey, "S05 Snapshot/many records"},
		{losesLongKey, "S05 Snapshot/long, reads again"},
		{tidiesOthers, "S05 Snapshot/ends of long Views among writers"},
		{leavesLongView, "S05 Snapshot/abandoned"},
		{viewWrites, "S06 ReadOnly"},
		{viewTakesNumbers, "S06 ReadOnly/Next"},
		{listMissesWrites, "S07 ReadYourWrites"},
		{findMissesWrites, "S07 ReadYourWrites"},
		{worksAfterEnd, "S08 TxDone"},
		{listsAfterEnd, "S08 TxDone/running list"},
		{clashWithoutIndex, "S09 Exists"},
		{clashWithoutType, "S09 Exists"},
		{halfApplied, "S09 Exists"},
		{replacesBlindly, "S09 Exists/key on Replace"},
		{deadAfterClash, "S10 UsableAfterExists"},
		{deadAfterNotFound, "S10 UsableAfterExists/after ErrNotFound"},
		{foldsKeys, "S11 Bytes"},
		{trimsKeys, "S11 Bytes"},
		{cutsKeys, "S11 Bytes"},
		{cutsKeysByOne, "S11 Bytes"},
		{normalisesKeys, "S11 Bytes"},
		{forgetsDesc, "S12 Order"},
		{afterInclusive, "S12 Order/After"},
		{afterMustExist, "S12 Order/After"},
		{insertionOrder, "S12 Order/out of order"},
		{signedBytes, "S12 Order/out of order"},
		{ignoresLimit, "S12 Order/Limit"},
		{stopsAtThousand, "S12 Order/many"},
		{listTrips, "S12 Order/writes while listing"},
		{listTrips, "S12 Order/writes while listing by key, Desc"},
		{sharesReturned, "S13 Aliasing/by Get"},
		{sharesReturned, "S13 Aliasing/by Find"},
		{sharesReturned, "S13 Aliasing/by List"},
		{sharesReturned, "S13 Aliasing/then a rollback"},
		{keepsGiven, "S13 Aliasing/inserted"},
		{keepsGiven, "S13 Aliasing/replaced"},
		{ignoresContext, "S14 Context/before"},
		{looksAtContextOnce, "S14 Context/after the writes"},
		{looksAtContextOnce, "S14 Context/deadline"},
		{hidesContext, "S14 Context"},
		{viewIgnoresContext, "S14 Context/before a View"},
		{truncatesToSeconds, "S15 Times"},
		{truncatesToMillis, "S15 Times"},
		{roundsIntegers, "S15 Times"},
		{cleansBytes, "S15 Times"},
		{losesNull, "S15 Times/null"},
		{dropsField, "S15 Times"},
		{dropsField, "S16 Complete/round trip"},
		{lacksTable, "S16 Complete/no field is nil"},
		{lacksRaise, "S16 Complete/no field is nil"},
		{setsNumbers, "S16 Complete/Raise"},
		{readsOldNumbers, "S16 Complete/Raise"},
		{readsOldNumbers, "S16 Complete/Raise far into a View"},
		{readsOldNumbers, "S16 Complete/Raise as a fence"},
		{skewsNumbers, "S16 Complete/Raise as a fence"},
		{repeatsNumbers, "S16 Complete/Next"},
		{skewsNumbers, "S16 Complete/Next among goroutines"},
		{resetsNumbers, "S16 Complete/Next after a rollback"},
		{oneCounter, "S16 Complete/Next by sequence"},
		{sumsNothing, "S17 Sum"},
	}
}

// TestBroken runs the suite against stores that are wrong in one way each. The
// named clause, or case, must fail.
func TestBroken(t *testing.T) {
	sampled := atlength.Every(2)
	for _, b := range brokenStores() {
		if !sampled() {
			continue
		}
		t.Run(string(b.flaw)+" fails "+b.clause, func(t *testing.T) {
			failed := failures(t, b.flaw, b.clause)
			if len(failed) == 0 {
				t.Errorf("a store that %s passes %s", b.flaw, b.clause)
			}
			t.Log("failed:", strings.Join(failed, ", "))
		})
	}
}

// TestRight checks that the same store without a flaw passes every case with the
// same recorder.
func TestRight(t *testing.T) {
	atlength.Only(t, "runs the suite on a slow store")
	if failed := failures(t, right, ""); len(failed) > 0 {
		t.Errorf("a right store fails %q", failed)
	}
}

// TestBrokenListed: every clause has a broken store. A clause without one may
// test nothing.
func TestBrokenListed(t *testing.T) {
	for _, c := range storeClauses() {
		if !slices.ContainsFunc(brokenStores(), func(b struct {
			flaw   flaw
			clause string
		}) bool {
			return strings.HasPrefix(b.clause, c.name)
		}) {
			t.Errorf("no broken store for %s", c.name)
		}
	}
}

// failures runs the cases whose clause and name begin with prefix against stores
// with the flaw, and returns the names of those that fail. In the bubble waiting
// takes no time, and races always happen.
func failures(t *testing.T, f flaw, prefix string) (failed []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		for _, c := range storeClauses() {
			for _, sc := range c.cases {
				name := c.name + "/" + sc.name
				if name != prefix && !strings.HasPrefix(name, prefix+"/") && prefix != "" {
					continue
				}
				ran++
				tb := &recorder{TB: t}
				tb.run(func() { sc.check(tb, func(testing.TB) record.Store { return newNaive(f) }) })
				if tb.Failed() {
					failed = append(failed, name)
				}
				if tb.Failed() && (f == right || testing.Verbose()) {
					t.Logf("%s:\n%s", name, tb.text())
				}
			}
		}
		if ran == 0 {
			t.Errorf("there is no case %q", prefix)
		}
	})
	return failed
}

// A recorder is a testing.TB that records a failure instead of failing the test.
type recorder struct {
	testing.TB

	mu       sync.Mutex
	failed   bool
	log      []string
	cleanups []func()
}

// run runs a case in a goroutine of its own, because FailNow ends the goroutine.
func (r *recorder) run(fn func()) {
	var wg sync.WaitGroup
	wg.Go(fn)
	wg.Wait()
	for _, cleanup := range slices.Backward(r.cleanups) {
		cleanup()
	}
}

// write records a text. It ends a case after a few failures, because recording
// many is slow.
func (r *recorder) write(fail bool, text string) {
	const enough = 5
	r.mu.Lock()
	r.failed = r.failed || fail
	r.log = append(r.log, text[:min(len(text), 600)])
	end := fail && len(r.log) == enough
	r.mu.Unlock()
	if end {
		runtime.Goexit()
	}
}

func (r *recorder) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.log, "\n")
}

func (r *recorder) Helper()                   {}
func (r *recorder) Log(args ...any)           { r.write(false, fmt.Sprint(args...)) }
func (r *recorder) Logf(f string, a ...any)   { r.write(false, fmt.Sprintf(f, a...)) }
func (r *recorder) Error(args ...any)         { r.write(true, fmt.Sprint(args...)) }
func (r *recorder) Errorf(f string, a ...any) { r.write(true, fmt.Sprintf(f, a...)) }
func (r *recorder) Fail()                     { r.write(true, "failed") }
func (r *recorder) Cleanup(fn func())         { r.cleanups = append(r.cleanups, fn) }

func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

func (r *recorder) FailNow() {
	r.Fail()
	runtime.Goexit()
}

func (r *recorder) Fatal(args ...any) {
	r.Error(args...)
	runtime.Goexit()
}

func (r *recorder) Fatalf(f string, a ...any) {
	r.Errorf(f, a...)
	runtime.Goexit()
}

// races reports whether the flaw is of a store that runs Updates side by side.
func (f flaw) races() bool {
	return slices.Contains([]flaw{losesUpdates, skewsWrites, skewsKeys, skewsNumbers}, f)
}

// recovers reports whether the flaw shows only when a closure panics.
func (f flaw) recovers() bool { return f == swallowsPanic || f == leavesLockOnGoexit }

// mangle returns the record as the flawed store would store it.
func (f flaw) mangle(rec record.AnyRecord) record.AnyRecord {
	if f == dropsField {
		if click, ok := rec.(record.Click); ok {
			click.Referrer = ""
			return click
		}
		return rec
	}
	return edit(rec, func(p any) bool {
		switch p := p.(type) {
		case *affiliate.Instant:
			*p = f.mangleTime(*p)
		case *[]byte:
			if f == cleansBytes {
				*p = []byte(strings.ToValidUTF8(string(*p), "\ufffd"))
			}
		case *affiliate.Opt[affiliate.Percent]:
			if f == losesNull && p.IsNull() {
				*p = affiliate.Opt[affiliate.Percent]{}
			}
		default:
			if v := reflect.ValueOf(p).Elem(); f == roundsIntegers && v.Kind() == reflect.Int64 {
				v.SetInt(2 * int64(float64(v.Int()/2))) // halved: 2^63 does not fit
			}
		}
		return false
	})
}

func (f flaw) mangleTime(t affiliate.Instant) affiliate.Instant {
	switch f {
	case truncatesToSeconds:
		return t.Truncate(time.Second)
	case truncatesToMillis:
		return t.Truncate(time.Millisecond)
	}
	return t
}
