package affiliate

// Next returns the statuses that a payout with this status can get. A final
// status has none.
//
// Source: docs/money.md 4.
func (s PayoutStatus) Next() []PayoutStatus {
	switch s {
	case PayoutPending:
		return []PayoutStatus{PayoutProcessing, PayoutPaid, PayoutFailed, PayoutCanceled}
	case PayoutProcessing:
		return []PayoutStatus{PayoutPaid, PayoutFailed}
	case PayoutPaid:
		return []PayoutStatus{PayoutReturned}
	case PayoutFailed:
		return []PayoutStatus{PayoutProcessing, PayoutCanceled}
	}
	return nil
}
