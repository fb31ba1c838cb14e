package affiliate

// RunCounts sums up lines of a payout run.
type RunCounts struct {
	Created int64
	Skipped int64
	Total   Amount // of the payouts
}
