package affiliate

import "time"

// A Verification is the result of a check of the books.
type Verification struct {
	Holds    bool          // there is no breach
	Records  int64         // how many records were read
	Breaches []Breach      // never nil
	Took     time.Duration // by the program's clock
}
