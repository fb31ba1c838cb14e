// Package imported has the words of an import, which brings the past of a program
// from another service: the rows that go in, and the report that comes out. They are
// the input of the Import methods of tributary.Program; package importer makes them
// from the files of other services.
//
// An import is silent: it fires no event and no hook, and makes no delivery. A ledger
// keeps the record that each row made under the row's Ref, so a repeated row changes
// nothing, whatever people did to its record since. When the row differs from the first
// time it is counted as changed and not written, unless it is the newer state of a sale
// or a payout.
package imported

import "github.com/tributary-go/tributary/affiliate"

// A Report is the result of an import call.
type Report struct {
	Created  int // how many rows became records
	Existing int // how many rows were there and changed nothing
	Changed  int // how many rows say something else than when they were imported
	Failed   []Failure
	Notes    []Note // what is stored otherwise than a row says
	Rows     []Row  // one for each row, in their order
}

// A Failure is a row that could not be imported. Err is an [*affiliate.Error], or
// [affiliate.ErrNotFound] when no affiliate could be found.
type Failure struct {
	Row int // from 0
	Err error
}

// A Note says where the stored record differs from the row: a link or a
// code that was left out or renamed, or a row that has changed and was not
// written.
type Note struct {
	Row  int              // from 0
	Ref  string           // of the link or the code; empty: the row
	Err  *affiliate.Error // why
	Kept string           // what is stored in its place; empty: nothing
}

// A Row is the result of one row.
type Row struct {
	Outcome Outcome
	Stored  Figures // what the records hold of it
}

// Outcome says what an import did with a row.
type Outcome string

// The outcomes. Forwarded counts as Changed too.
const (
	Created   Outcome = "created"
	Existing  Outcome = "existing"
	Changed   Outcome = "changed"   // the row differs from the first time, and nothing is written
	Forwarded Outcome = "forwarded" // the row has a newer state of a sale or a payout, and that is written
	Failed    Outcome = "failed"
)

// SlugConflict says what an import does with a link whose slug another affiliate
// has.
type SlugConflict string

// The ways to resolve the conflict: leave the link out and note it; append -2,
// -3 … to the slug and note it; or refuse the row.
const (
	SkipLink   SlugConflict = "" // the affiliate is imported, and who came by the link belongs to them
	RenameSlug SlugConflict = "rename"
	RefuseRow  SlugConflict = "refuse"
)
