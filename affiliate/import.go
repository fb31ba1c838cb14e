package affiliate

// Imports bring the past of a program from another service. They are silent: no
// event, no hook, no delivery. A ledger keeps the record that each row made
// under the row's Ref, so a repeated row changes nothing, whatever people did to
// its record since. When the row differs from the first time it is counted as
// changed and not written, unless it is the newer state of a sale or a payout.

// An ImportReport is the result of an import call.
type ImportReport struct {
	Created  int // how many rows became records
	Existing int // how many rows were there and changed nothing
	Changed  int // how many rows say something else than when they were imported
	Failed   []ImportFailure
	Notes    []ImportNote // what is stored otherwise than a row says
	Rows     []ImportRow  // one for each row, in their order
}

// An ImportFailure is a row that could not be imported. Err is an [*Error], or
// [ErrNotFound] when no affiliate could be found.
type ImportFailure struct {
	Row int // from 0
	Err error
}

// An ImportNote says where the stored record differs from the row: a link or a
// code that was left out or renamed, or a row that has changed and was not
// written.
type ImportNote struct {
	Row  int    // from 0
	Ref  string // of the link or the code; empty: the row
	Err  *Error // why
	Kept string // what is stored in its place; empty: nothing
}

// An ImportRow is the result of one row.
type ImportRow struct {
	Outcome ImportOutcome
	Stored  ImportFigures // what the records hold of it
}

// ImportOutcome says what an import did with a row.
type ImportOutcome string

// The outcomes. ImportForwarded counts as Changed too.
const (
	ImportCreated   ImportOutcome = "created"
	ImportExisting  ImportOutcome = "existing"
	ImportChanged   ImportOutcome = "changed"   // the row differs from the first time, and nothing is written
	ImportForwarded ImportOutcome = "forwarded" // the row has a newer state of a sale or a payout, and that is written
	ImportFailed    ImportOutcome = "failed"
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
