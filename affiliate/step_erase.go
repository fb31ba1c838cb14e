package affiliate

import "github.com/google/uuid"

// EraseAffiliateJob is Program.EraseAffiliate in steps. The affiliate itself is
// blanked last, in the transaction that has handled the last event, so that no
// event is missed; until then the affiliate is unchanged. PayloadsPending counts
// the payloads that still wait for a delivery: run the job again later.
type EraseAffiliateJob struct {
	ID      uuid.UUID
	Forfeit bool `json:",omitzero"` // what is owed to the affiliate is given up; see Program.Forfeiting
}

// EraseReferralJob is Program.EraseReferral in steps, like [EraseAffiliateJob].
// From the first step on nothing new is stored of the customer. Only the last step
// can say that no record shows an email.
type EraseReferralJob struct {
	Ref string // referral id or email
}

func (EraseAffiliateJob) job() {}
func (EraseReferralJob) job()  {}
