package affiliate

// Terms say what a sale earns.
type Terms struct {
	Type        CommissionType // zero: PERCENTAGE
	Rate        Percent        // FLAT: an amount for each payment
	MaxPayments int64          // per referral; 0: no limit
	MaxMonths   int64          // since the referral; 0: no limit
}
