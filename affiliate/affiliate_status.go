package affiliate

// The status of an affiliate and the methods that change it. Rule 4.1; contract
// 6.

// Next returns the statuses that Program.SetAffiliateStatus
// give an affiliate of this status. For the way back, UpdateAffiliate sets ACTIVE or
// INACTIVE from any status. AcceptInvite ends INVITED.
//
// Source: docs/rules.md 4.1.
func (s AffiliateStatus) Next() []AffiliateStatus {
	switch s {
	case AffiliateInactive:
		return []AffiliateStatus{AffiliateActive, AffiliateDeclined}
	case AffiliateActive:
		return []AffiliateStatus{AffiliateDeactivated, AffiliateBanned}
	}
	return nil
}

// Unapproved reports whether nobody has approved an affiliate of this status.
func (s AffiliateStatus) Unapproved() bool {
	return s == AffiliateInactive || s == AffiliateInvited || s == AffiliateDeclined
}
