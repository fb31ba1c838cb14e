package affiliate

// Limits say how much one object may hold, and how much one call may change. When
// a limit is lowered, objects above it stay as they are, and nothing can be added
// to them.
type Limits struct {
	Links   int // of an affiliate; zero: 1,000, because each of its events and sales shows all
	Refunds int // in part, of a sale; zero: 1,000, because each refund rewrites the sale. The refund of the rest is always possible.
	Holds   int // that one customer has open at once; zero: 5
	Nobody  int // holds that name no customer, open at once on one coupon; zero: 100
	Bulk    int // objects that one call makes or changes: codes of GenerateCodes, rows of an import, ids of a call that takes many; zero: 100,000, which is also the maximum
}
