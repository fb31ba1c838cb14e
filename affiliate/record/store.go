package record

import (
	"context"
	"errors"
	"iter"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// A Store keeps the records of any number of programs and runs transactions over
// them. It knows nothing about coupons or commissions: every rule is in the engine,
// and a store has two methods that give a [Tx].
//
// # The contract
//
// Each clause is a sub-test of conformance.TestStore of the same name.
//
//   - S01 Rollback: fn returns an error: nothing it wrote is visible, and the
//     same error comes back (errors.Is).
//   - S02 Panic: fn panics: what it wrote is rolled back, and the panic goes on.
//   - S03 Serializable: the result of concurrent transactions equals some
//     serial order of them: no lost update, no write skew.
//   - S04 Separate: the same keys and ids in two programs do not meet; no read
//     crosses from one program to another.
//   - S05 Snapshot: a View sees one moment, however long it runs.
//   - S06 ReadOnly: a write in a View is [ErrReadOnly], for every table and
//     for a Raise that moves something.
//   - S07 ReadYourWrites: Get, Find and List inside an Update see that
//     Update's own writes.
//   - S08 TxDone: a Tx kept after fn has returned answers [ErrTxDone], a
//     running List included.
//   - S09 Exists: a clash of keys is an [*ExistsError] that names the index, on
//     Insert and on Replace, and changes nothing.
//   - S10 UsableAfterExists: after such a clash, or after affiliate.ErrNotFound, the
//     same transaction goes on and commits.
//   - S11 Bytes: keys are compared byte by byte: "Foo", "foo" and "foo " are
//     three keys; nothing is folded, trimmed or normalised.
//   - S12 Order: List goes by id, bytes compared; Desc reverses; After is
//     exclusive, also for an id that is not there; Limit bounds; the caller may
//     stop early; writing while a List runs does not disturb it.
//   - S13 Aliasing: changing a record after it was inserted, or after it was
//     returned, changes nothing that is stored.
//   - S14 Context: ctx ended before the commit: rolled back, and the error
//     wraps ctx.Err().
//   - S15 Times: UTC microseconds, the int64 extremes, raw bytes and every
//     other field survive unchanged.
//   - S16 Complete: every table of Tx is there and round-trips its record, only
//     indexes of [Schema] are used, and a sequence never goes back: what a committed
//     transaction made of it, every later transaction sees.
//   - S17 Sum: where a View has a Sum, it gives what List gives, added up.
//
// # Errors inside a closure
//
// affiliate.ErrNotFound, [ErrExists], [ErrReadOnly] and [ErrTxDone] are answers: the closure may
// go on. With any other error of a Tx the store gives the run up: its server failed, or what
// was read is out of date and fn has to run again. The closure then returns that error, wrapped
// or not, and nothing that it saw in the run counts. A store never commits such a run, also
// when the closure returns nil.
//
// # Concurrency
//
// Both methods are safe for concurrent use. Programs are independent of each
// other; a store may run the transactions of one program one after another.
type Store interface {
	// View runs fn on a snapshot of the program's records. fn must not keep tx.
	// The error of fn is returned unchanged.
	//
	// fn may run several times, one run after another, each on a snapshot; the
	// last run counts. As in Update, fn must have no effect except its result,
	// and must start the result again in each run.
	View(ctx context.Context, program uuid.UUID, fn func(tx *Tx) error) error

	// Update runs fn and commits its writes if and only if fn returns nil.
	//
	// fn may run several times, one run after another, each on a clean state
	// (a serialisation failure, a group commit). So it must not call the
	// Store, do I/O, read the clock or make ids, and must touch nothing
	// outside except through its result.
	Update(ctx context.Context, program uuid.UUID, fn func(tx *Tx) error) error
}

// A Tx has the tables of one program inside one transaction. Only the goroutine
// that runs the closure may use it, until the closure returns.
type Tx struct {
	Affiliates  Table[Affiliate]
	Links       Table[Link]
	Clicks      Table[Click]
	Referrals   Table[Referral]
	Coupons     Table[Coupon]
	Codes       Table[Code]
	Redemptions Table[Redemption]
	Sales       Table[Sale]
	Plans       Table[Plan]
	Tiers       Table[Tier]
	Payouts     Table[Payout]
	Adjustments Table[Adjustment]
	Movements   Table[Movement]
	Runs        Table[Run]
	Lines       Table[Line]
	Totals      Table[Totals]
	Receipts    Table[Receipt]
	Endpoints   Table[Endpoint]
	Events      Table[Event]
	Deliveries  Table[Delivery]
	Queue       Table[Queue]
	Imports     Table[Import]
	Payments    Table[Payment]
	PaymentKeys Table[PaymentKey]
	Payers      Table[Payer]
	Erasures    Table[Erasure]
	Aliases     Table[Alias]
	Uses        Table[Use]
	Holds       Table[Hold]
	Settings    Table[Settings]
	Cases       Table[Case]
	Budgets     Table[Budget]
	Values      Table[Value]

	// Raise moves a sequence of the program on, to its last number plus by or to the
	// number to, whichever is greater, and returns its last number then. A sequence
	// begins at 0 and never goes back. Raise(seq, 0, 0) moves nothing, which a View may
	// do too; it may see a number there that is newer than the rest of what it sees.
	// An Update that fails may still have moved a sequence.
	Raise func(seq Sequence, by, to int64) (int64, error)

	// Soon tells the store that the closure will probably read something: the record
	// with an id (a Key without an Index), the holder of a unique key, the list of a
	// shared key, or the newest record of the table (a zero Key). It reads nothing
	// and changes no answer. A store behind a network can read all of these in one
	// round trip. Nil: the store has no use for it.
	Soon func(table string, key Key)

	// Sum adds records up, in a View: those that agree in what q says are one. It returns
	// the first Limit of these, in no order. Nil: the store does not add up, and whoever
	// wants sums reads the records.
	Sum func(q Sum) ([]Summed, error)
}

// A Sum chooses records of a table, as a Query does, and says how they are added up.
// Columns have the names of docs/tables.md.
type Sum struct {
	Table         string
	Key           Key       // of a shared index; zero: every record of the table
	After, Before uuid.UUID // exclusive; zero: no bound

	// By are columns in which records agree that are one. Those of another table are
	// table.column: movements have their sale's "sales", and its "redemptions", "clicks" and
	// "referrals": the click and the customer that it names.
	By    []string
	Where map[string]uuid.UUID // columns of By that hold ids: records count that have this one
	Signs []string             // columns of numbers in which they do not differ by being less than zero
	Add   []string             // columns of numbers of which they have the sum

	// At is a column of a time. Records count from the first of Edges on, until before the
	// last, and agree in the latest edge that is not after their time, which they have then.
	// Edges rise, and are two or more; none: the time does not matter.
	At    string
	Edges []affiliate.Instant

	Limit int // 0: no limit
}

// Summed are records that were added up. The record has the columns of By, Add and At.
type Summed struct {
	AnyRecord
	N int64 // how many they are
	// With has a record of each other table that By names, but for those of which there is
	// nothing, or nothing but NULL.
	With []AnyRecord
}

// Next gives the next number of a sequence: 1, 2, 3 … Gaps are allowed; a number that
// a committed transaction got is never given again.
func (tx *Tx) Next(seq Sequence) (int64, error) { return tx.Raise(seq, 1, 0) }

// A Table has the records of one type in one transaction.
type Table[T AnyRecord] interface {
	// Get returns the record with the id, or affiliate.ErrNotFound.
	Get(id uuid.UUID) (T, error)
	// Find returns the record that holds the key of a unique index (By…), or
	// affiliate.ErrNotFound.
	Find(key Key) (T, error)
	// List walks records in the order of their ids: all of them, or those with
	// a key of a shared index (Of…). An error ends the walk.
	List(q Query) iter.Seq2[T, error]
	// Insert adds a record. A taken id or unique key is an [*ExistsError].
	Insert(rec T) error
	// Replace replaces the record with the id of rec. It returns affiliate.ErrNotFound
	// when there is none, and [*ExistsError] when another record holds a unique
	// key.
	Replace(rec T) error
	// Delete removes the record with the id, or returns affiliate.ErrNotFound.
	Delete(id uuid.UUID) error
}

// An AnyRecord provides its id and its index keys, so that stores need not know its
// fields. A Table[AnyRecord] is a table whose records have any type: see
// [TableSchema.In].
type AnyRecord interface {
	// RecordID returns the record's id, unique in its table and program.
	RecordID() uuid.UUID
	// AppendKeys appends the record's keys in canonical form, at most one for
	// each index. A missing value gives no key.
	AppendKeys(dst []Key) []Key
}

// A Record is a record of the type T.
type Record[T any] interface {
	AnyRecord
	// Clone returns a copy that shares no changeable memory with the record.
	Clone() T
}

// A Key is a value in an index. Exactly one of ID and Text is set, as
// [Index.IsID] tells.
type Key struct {
	Index Index
	ID    uuid.UUID
	Text  string // valid UTF-8 without NUL, 1–767 bytes
}

// A Query selects the records that a List walks.
type Query struct {
	Key   Key       // of a shared index; zero: every record of the table
	After uuid.UUID // exclusive; zero: from the start (Desc: from the end)
	Limit int       // 0: no limit
	Desc  bool      // newest first
}

// An Index is the name of an index and of its SQL column. By… indexes are
// unique among the live records of a program, Of… indexes are shared.
type Index string

// The indexes. The tables they belong to are in [Schema].
const (
	ByEmail      Index = "by_email"
	BySlug       Index = "by_slug"
	ByNumber     Index = "by_number"
	ByExternalID Index = "by_external_id"
	ByCode       Index = "by_code"
	ByInvoice    Index = "by_invoice"
	ByRequest    Index = "by_request"
	ByDelivery   Index = "by_delivery"
	ByLine       Index = "by_line"
	ByRef        Index = "by_ref"
	BySale       Index = "by_sale"
	ByPayment    Index = "by_payment"
	ByPayer      Index = "by_payer"
	ByConversion Index = "by_conversion"
	ByName       Index = "by_name"

	OfPlan      Index = "of_plan"
	OfTier      Index = "of_tier"
	OfAffiliate Index = "of_affiliate"
	OfLink      Index = "of_link"
	OfReferral  Index = "of_referral"
	OfCustomer  Index = "of_customer"
	OfName      Index = "of_name"
	OfKind      Index = "of_kind"
	OfCoupon    Index = "of_coupon"
	OfCode      Index = "of_code"
	OfPayable   Index = "of_payable"
	OfPayout    Index = "of_payout"
	OfObject    Index = "of_object"
	OfEvent     Index = "of_event"
	OfEndpoint  Index = "of_endpoint"
	OfState     Index = "of_state"
	OfSale      Index = "of_sale"
	OfRun       Index = "of_run"
	OfPayer     Index = "of_payer"
	OfPayment   Index = "of_payment"

	OfUser       Index = "of_user"
	OfRedemption Index = "of_redemption"
	OfPayee      Index = "of_payee"
	OfShared     Index = "of_shared"
)

// Unique reports whether at most one live record of a program holds a key of the
// index.
func (ix Index) Unique() bool { return len(ix) > 2 && ix[:3] == "by_" }

// IsID reports whether keys of the index carry an ID rather than a Text.
func (ix Index) IsID() bool {
	switch ix {
	case ByEmail, BySlug, ByExternalID, ByCode, ByInvoice, ByRequest, ByLine, ByRef, ByPayment,
		ByPayer, ByConversion, ByName, OfKind, OfPayer, OfCustomer, OfName, OfState, OfPayee, OfShared:
		return false
	}
	return true
}

// A Sequence is a number of a program that only rises.
type Sequence string

// The sequences: the integer ids on the wire, and the fence of a router, which tells
// whether the program is in this store (see affiliate/record/router). The engine uses
// no fence.
const (
	SaleSequence       Sequence = "sale"
	CommissionSequence Sequence = "commission"
	ClickSequence      Sequence = "click"
	FenceSequence      Sequence = "fence"
)

// Errors that a store returns, besides [affiliate.ErrNotFound]. A wrapper must keep them
// testable with errors.Is.
var (
	ErrExists   = errors.New("affiliate: already exists")
	ErrReadOnly = errors.New("affiliate: write in a read-only transaction")
	ErrTxDone   = errors.New("affiliate: transaction is over")
)

// An ExistsError says which unique index a record clashed with. Index is empty
// when the id itself is taken. It is [ErrExists] for errors.Is.
type ExistsError struct{ Index Index }

// Error names the index.
func (e *ExistsError) Error() string {
	if e.Index == "" {
		return "affiliate: id already exists"
	}
	return "affiliate: key already exists: " + string(e.Index)
}

// Is reports whether target is [ErrExists].
func (e *ExistsError) Is(target error) bool { return target == ErrExists }
