package affiliate

import (
	"time"
)

// A Breach is an invariant that the records of a program break.
type Breach struct {
	// Its number.
	//
	// Program.Verify lists them.
	Invariant string `json:"invariant"`
	Object    string `json:"object"` // The object that breaks it: a kind and an id.
	Detail    string `json:"detail"` // How it is broken: ids and figures, never personal data.
}

// Error names the invariant, the object and how it is broken.
func (b *Breach) Error() string {
	return "affiliate: " + b.Invariant + ": " + b.Object + ": " + b.Detail
}

// A Verification is the result of a check of the books.
type Verification struct {
	Holds    bool          // there is no breach
	Records  int64         // how many records were read
	Breaches []Breach      // never nil
	Took     time.Duration // by the program's clock
}

// VerifyJob is the check of Program.Verify, with its result as data in
// [Progress.Verification]. It is done in one step. One runs at a time: it keeps all
// records in memory, and its callers may be many. This counts the programs that With,
// From and Keyed made of the same one together; Verify is not counted.
//
// Errors: [VerifyRunning] while another one runs; those of the store, and of the
// context. A breach is none.
//
// Source: ours, because a host must be able to check its books.
type VerifyJob struct{}

func (VerifyJob) job() {}
