package affiliate

// Imports bring the past of a program from another service. They are silent: no
// event, no hook, no delivery. What a row becomes is kept in a ledger under the
// row's Ref, so a row that comes again changes nothing, whatever people did to
// its record since. A row that says something else than before is counted as
// changed and not written, unless a sale or a payout has gone on.

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

// An ImportNote says what is stored otherwise than a row says: a link or a code
// that was left out or renamed, or a row that has changed and was not written.
type ImportNote struct {
	Row  int    // from 0
	Ref  string // of the link or the code; empty: the row
	Err  *Error // why
	Kept string // what is stored in its place; empty: nothing
}

// An ImportRow is what became of one row.
type ImportRow struct {
	Outcome ImportOutcome
	Stored  ImportFigures // what the records hold of it
}

// ImportOutcome says what became of a row.
type ImportOutcome string

// The outcomes. The last but one counts as Changed too.
const (
	ImportCreated   ImportOutcome = "created"
	ImportExisting  ImportOutcome = "existing"
	ImportChanged   ImportOutcome = "changed"   // it says something else, and nothing is written
	ImportForwarded ImportOutcome = "forwarded" // it has gone on, and that is written
	ImportFailed    ImportOutcome = "failed"
)

// SlugConflict says what an import does with a link whose slug another affiliate
// has.
type SlugConflict string

// What an import does: it leaves the link out and notes it; it takes the slug
// with -2, -3 … and notes it; or it refuses the row.
const (
	SkipLink   SlugConflict = "" // the affiliate is imported, and who came by the link belongs to them
	RenameSlug SlugConflict = "rename"
	RefuseRow  SlugConflict = "refuse"
)
