package engine

import "time"

const (
	WaitingShown = 5   // of each list, when the caller does not say
	WaitingMost  = 20  // of each list
	WaitingCount = 100 // counted at most

	FailedLately = 14 * 24 * time.Hour // older deliveries that failed are not shown
)
