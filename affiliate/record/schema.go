package record

import (
	"iter"

	"github.com/google/uuid"
)

// A TableSchema describes one table of [Tx], and reaches it in a Tx for callers
// that do the same with every table. They name no table: a new one is a field of
// Tx, a row of [Schema] and a case of [PlaceOf].
type TableSchema struct {
	Name    string  // the Tx field in lower case, also the SQL table: "codes"
	Indexes []Index // in the order in which records emit their keys
	Flat    bool    // records have no slice and no map: a plain copy is a clone

	kind kind
}

// Schema lists the tables of [Tx] in the order of its fields. Stores make
// their statements and indexes from it.
func Schema() []TableSchema {
	const flat = true
	return []TableSchema{
		{"affiliates",
			[]Index{ByEmail, ByExternalID, OfPlan, OfTier, OfCoupon, OfState, OfPayee, OfShared},
			!flat, of(func(tx *Tx) *Table[Affiliate] { return &tx.Affiliates })},
		{"links", []Index{BySlug, OfAffiliate}, !flat, of(func(tx *Tx) *Table[Link] { return &tx.Links })},
		{"clicks", []Index{ByNumber, OfAffiliate, OfLink, OfReferral}, flat,
			of(func(tx *Tx) *Table[Click] { return &tx.Clicks })},
		{"referrals", []Index{ByEmail, OfAffiliate, OfLink, OfCustomer, OfPlan}, !flat,
			of(func(tx *Tx) *Table[Referral] { return &tx.Referrals })},
		{"coupons", []Index{ByExternalID, OfName}, !flat, of(func(tx *Tx) *Table[Coupon] { return &tx.Coupons })},
		{"codes", []Index{ByCode, ByExternalID, OfCoupon, OfAffiliate}, flat,
			of(func(tx *Tx) *Table[Code] { return &tx.Codes })},
		{"redemptions", []Index{ByExternalID, OfCode, OfCoupon, OfState}, flat,
			of(func(tx *Tx) *Table[Redemption] { return &tx.Redemptions })},
		{"sales",
			[]Index{ByNumber, ByExternalID, ByInvoice, ByConversion, OfAffiliate, OfReferral,
				OfLink, OfCustomer, OfPayable, OfPayout, OfState}, !flat,
			of(func(tx *Tx) *Table[Sale] { return &tx.Sales })},
		{"plans", nil, !flat, of(func(tx *Tx) *Table[Plan] { return &tx.Plans })},
		{"tiers", nil, flat, of(func(tx *Tx) *Table[Tier] { return &tx.Tiers })},
		{"payouts", []Index{OfAffiliate, OfState, OfRun}, !flat,
			of(func(tx *Tx) *Table[Payout] { return &tx.Payouts })},
		{"adjustments", []Index{ByExternalID, OfAffiliate, OfPayable, OfPayout}, flat,
			of(func(tx *Tx) *Table[Adjustment] { return &tx.Adjustments })},
		{"movements", []Index{OfAffiliate, OfSale}, flat, of(func(tx *Tx) *Table[Movement] { return &tx.Movements })},
		{"runs", []Index{ByExternalID}, !flat, of(func(tx *Tx) *Table[Run] { return &tx.Runs })},
		{"lines", []Index{ByLine, OfRun}, flat, of(func(tx *Tx) *Table[Line] { return &tx.Lines })},
		{"totals", nil, flat, of(func(tx *Tx) *Table[Totals] { return &tx.Totals })},
		{"receipts", []Index{ByRequest}, !flat, of(func(tx *Tx) *Table[Receipt] { return &tx.Receipts })},
		{"endpoints", nil, !flat, of(func(tx *Tx) *Table[Endpoint] { return &tx.Endpoints })},
		{"events", []Index{OfObject}, flat, of(func(tx *Tx) *Table[Event] { return &tx.Events })},
		{"deliveries", []Index{OfEvent, OfEndpoint, OfState}, !flat,
			of(func(tx *Tx) *Table[Delivery] { return &tx.Deliveries })},
		{"queue", []Index{ByDelivery, OfEndpoint}, flat, of(func(tx *Tx) *Table[Queue] { return &tx.Queue })},
		{"imports", []Index{ByRef}, flat, of(func(tx *Tx) *Table[Import] { return &tx.Imports })},
		{"payments", []Index{BySale, OfPayer, OfState}, !flat,
			of(func(tx *Tx) *Table[Payment] { return &tx.Payments })},
		{"paymentkeys", []Index{ByPayment, OfPayment}, flat,
			of(func(tx *Tx) *Table[PaymentKey] { return &tx.PaymentKeys })},
		{"payers", []Index{ByPayer, OfReferral}, !flat, of(func(tx *Tx) *Table[Payer] { return &tx.Payers })},
		{"erasures", []Index{OfReferral, OfAffiliate}, flat, of(func(tx *Tx) *Table[Erasure] { return &tx.Erasures })},
		{"aliases", []Index{BySlug, OfLink, OfAffiliate}, flat, of(func(tx *Tx) *Table[Alias] { return &tx.Aliases })},
		{"uses", []Index{OfUser, OfRedemption}, flat, of(func(tx *Tx) *Table[Use] { return &tx.Uses })},
		{"holds", []Index{ByExternalID, OfCode, OfCoupon}, !flat, of(func(tx *Tx) *Table[Hold] { return &tx.Holds })},
		{"settings", nil, !flat, of(func(tx *Tx) *Table[Settings] { return &tx.Settings })},
		{"cases", []Index{OfAffiliate, OfState}, flat, of(func(tx *Tx) *Table[Case] { return &tx.Cases })},
		{"budgets", []Index{OfAffiliate, OfKind, OfState}, flat, of(func(tx *Tx) *Table[Budget] { return &tx.Budgets })},
		{"values", []Index{ByName, OfKind}, !flat, of(func(tx *Tx) *Table[Value] { return &tx.Values })},
	}
}

// PlaceOf returns the place in [Schema] of the table whose records are of type T, or -1.
// It allocates nothing, so a store may find its table by it in each call.
func PlaceOf[T Record[T]]() int {
	switch any((*T)(nil)).(type) {
	case *Affiliate:
		return 0
	case *Link:
		return 1
	case *Click:
		return 2
	case *Referral:
		return 3
	case *Coupon:
		return 4
	case *Code:
		return 5
	case *Redemption:
		return 6
	case *Sale:
		return 7
	case *Plan:
		return 8
	case *Tier:
		return 9
	case *Payout:
		return 10
	case *Adjustment:
		return 11
	case *Movement:
		return 12
	case *Run:
		return 13
	case *Line:
		return 14
	case *Totals:
		return 15
	case *Receipt:
		return 16
	case *Endpoint:
		return 17
	case *Event:
		return 18
	case *Delivery:
		return 19
	case *Queue:
		return 20
	case *Import:
		return 21
	case *Payment:
		return 22
	case *PaymentKey:
		return 23
	case *Payer:
		return 24
	case *Erasure:
		return 25
	case *Alias:
		return 26
	case *Use:
		return 27
	case *Hold:
		return 28
	case *Settings:
		return 29
	case *Case:
		return 30
	case *Budget:
		return 31
	case *Value:
		return 32
	}
	return -1
}

// Table returns the table in a Tx as it was put there, a Table of the record's type. A
// store finds its own type by it. Nil: the Tx does not have the table.
func (s TableSchema) Table(tx *Tx) any { return s.kind.table(tx) }

// In returns the table in a Tx for records of any type. Nil: the Tx does not have the
// table. A record of another table is a panic.
func (s TableSchema) In(tx *Tx) Table[AnyRecord] { return s.kind.in(tx) }

// Set puts a table for records of any type into a Tx; nil: none. The table gets
// and returns records of this table only, as values: a Sale, not a *Sale.
func (s TableSchema) Set(tx *Tx, t Table[AnyRecord]) { s.kind.set(tx, t) }

// Empty returns a record of the table without any value.
func (s TableSchema) Empty() AnyRecord { return s.kind.empty() }

// Clone returns the Clone of a record of the table.
func (s TableSchema) Clone(rec AnyRecord) AnyRecord { return s.kind.clone(rec) }

// A kind knows the type of the records of a table.
type kind interface {
	table(tx *Tx) any
	in(tx *Tx) Table[AnyRecord]
	set(tx *Tx, t Table[AnyRecord])
	empty() AnyRecord
	clone(rec AnyRecord) AnyRecord
}

// A field is where a Tx has a table.
type field[T Record[T]] func(tx *Tx) *Table[T]

func of[T Record[T]](f field[T]) kind { return f }

func (f field[T]) table(tx *Tx) any { return *f(tx) }

func (f field[T]) in(tx *Tx) Table[AnyRecord] {
	switch t := (*f(tx)).(type) {
	case nil:
		return nil
	case typedTable[T]:
		return t.any
	default:
		return untypedTable[T]{t}
	}
}

func (f field[T]) set(tx *Tx, t Table[AnyRecord]) {
	switch t := t.(type) {
	case nil:
		*f(tx) = nil
	case untypedTable[T]:
		*f(tx) = t.of
	default:
		*f(tx) = typedTable[T]{t}
	}
}

func (f field[T]) empty() AnyRecord {
	var none T
	return none
}

func (f field[T]) clone(rec AnyRecord) AnyRecord { return rec.(T).Clone() }

// untypedTable is a table for records of any type, over one of theirs.
type untypedTable[T Record[T]] struct{ of Table[T] }

func (t untypedTable[T]) Get(id uuid.UUID) (AnyRecord, error) { return anyOf(t.of.Get(id)) }

func (t untypedTable[T]) Find(key Key) (AnyRecord, error) { return anyOf(t.of.Find(key)) }

func (t untypedTable[T]) List(q Query) iter.Seq2[AnyRecord, error] {
	list := t.of.List(q)
	return func(yield func(AnyRecord, error) bool) {
		list(func(rec T, err error) bool { return yield(anyOf(rec, err)) })
	}
}

func (t untypedTable[T]) Insert(rec AnyRecord) error { return t.of.Insert(rec.(T)) }

func (t untypedTable[T]) Replace(rec AnyRecord) error { return t.of.Replace(rec.(T)) }

func (t untypedTable[T]) Delete(id uuid.UUID) error { return t.of.Delete(id) }

func anyOf[T Record[T]](rec T, err error) (AnyRecord, error) {
	if err != nil {
		return nil, err
	}
	return rec, nil
}

// typedTable is a table for records of one type, over one of any.
type typedTable[T Record[T]] struct{ any Table[AnyRecord] }

func (t typedTable[T]) Get(id uuid.UUID) (T, error) { return typeOf[T](t.any.Get(id)) }

func (t typedTable[T]) Find(key Key) (T, error) { return typeOf[T](t.any.Find(key)) }

func (t typedTable[T]) List(q Query) iter.Seq2[T, error] {
	list := t.any.List(q)
	return func(yield func(T, error) bool) {
		list(func(rec AnyRecord, err error) bool { return yield(typeOf[T](rec, err)) })
	}
}

func (t typedTable[T]) Insert(rec T) error { return t.any.Insert(rec) }

func (t typedTable[T]) Replace(rec T) error { return t.any.Replace(rec) }

func (t typedTable[T]) Delete(id uuid.UUID) error { return t.any.Delete(id) }

func typeOf[T Record[T]](rec AnyRecord, err error) (T, error) {
	if err != nil {
		var none T
		return none, err
	}
	return rec.(T), nil
}
