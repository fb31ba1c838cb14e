package affiliate

import "github.com/google/uuid"

// EraseAffiliateJob is Program.EraseAffiliate in steps. The affiliate itself is
// blanked at the end, in the transaction that has seen the last event, so nothing
// that shows them is missed; until then it is as it was. PayloadsPending says how
// many payloads wait for a delivery: run the job again later.
type EraseAffiliateJob struct {
	ID uuid.UUID
}

// EraseReferralJob is Program.EraseReferral in steps, like [EraseAffiliateJob].
// From the first step nothing more is stored of the customer. That nothing shows an
// email is known at the end.
type EraseReferralJob struct {
	Ref string // referral id or email
}

func (EraseAffiliateJob) job() {}
func (EraseReferralJob) job()  {}
