package affiliate

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// A Job is work that grows with the program and is done in steps. It is one of
// [PruneJob], [RetainJob], [AssignTiersJob], [GrantBonusesJob], [RecalculateJob],
// [OpenBooksJob], [CloseBooksJob], [VerifyJob], [EraseAffiliateJob] and [EraseReferralJob].
type Job interface{ job() }

// PruneJob deletes records that are older than Before: receipts (never those
// younger than 24 hours), settled deliveries, by the time when they were settled, and
// events without deliveries. Payments without a sale, and payers without a referral,
// go after Config.PaymentMemory instead. [RetainJob] has an age for each kind, and
// deletes clicks too; it says how both work.
//
// Effects: the deleted records; no event.
//
// Source: ours, because every event, delivery and receipt is a record.
type PruneJob struct {
	Before time.Time
}

// RetainJob deletes the records that are older than a policy says. What is still
// needed stays at any age: pending deliveries, events with a delivery and the later
// events of their objects, and clicks of a referral. So the history of an object has
// no gap, only a later start. Numbers of clicks stay as they are: the totals keep the
// clicks that were deleted.
//
// The engine never does it; the host should, about once a day. See docs/retention.md
// for what a program keeps.
//
// Errors: [InvalidField] (events, receipts, deliveries, clicks, holds) for an age that is
// negative; [RetentionTooShort] (receipts, clicks, holds) for receipts and holds younger than 24 hours
// and for clicks that still attribute. Nothing is deleted then.
//
// Effects: the deleted records; no event. Several at once delete each record once,
// and each counts its own deletes.
//
// Source: docs/retention.md.
type RetainJob struct {
	Retention
}

// AssignTiersJob puts every affiliate into the highest tier whose minimums it meets.
// The minimums are compared with its live referrals and the revenue of its live sales
// less refunds, those of a tier with periods with what happened in the present one, or in one of
// those before it as far as the grace goes. An affiliate that does not meet its tier any more moves
// down, or to no tier. Exempt affiliates do not change. Once more at the same time it changes
// nothing.
//
// Effects: affiliate.updated for each that changed.
//
// Source: docs/rules.md 5.7; docs/contract.md 2.10; docs/rewards.md 4.
type AssignTiersJob struct{}

// GrantBonusesJob gives every affiliate, and the customers they brought, the bonuses of the terms in
// force that are due, and takes back those that are not due any more, whether they were paid or not.
// Affiliates who are not ACTIVE are given nothing. A bonus that a person took back is not given again,
// and one that the terms do not have any more stays. Once more at the same time it changes nothing.
//
// It reads the sales of an affiliate since the earliest [Bonus].From.
//
// Effects: adjustments of the kind BONUS, with the name of the bonus as their reason, and others that
// reverse them; no event.
//
// Source: docs/rewards.md 5.
type GrantBonusesJob struct{}

// RecalculateJob calculates the commissions of the selected sales again with the
// current terms and deductions. A change of terms (a plan, an own rate, a tier)
// applies to future sales; this job applies it to past ones. It does not change sales
// in a payout, refunded sales, commissions that were set by hand and a sale's own
// rate. A sale that is beyond the limits of these terms earns nothing from then on, and one
// that no limit stops any more gets its commission. A filter with an empty value selects
// nothing.
//
// Errors: [InvalidField] (totalEarned, commissionEarned) when a total does not fit.
//
// Effects: the sales, their totals; sale.updated for each that changed.
//
// Source: docs/rules.md 5.3.
type RecalculateJob struct {
	// The sales that this affiliate is credited with.
	AffiliateID Opt[uuid.UUID] `json:"affiliateId,omitzero"`
	// The sales of the affiliate with this email.
	AffiliateEmail Opt[string] `json:"affiliateEmail,omitzero"`
	// The sales of this referral: its id, or the customer's email.
	ReferralID        Opt[string] `json:"referralId,omitzero"`
	ExternalID        Opt[string] `json:"saleExternalId,omitzero"`
	ExternalInvoiceID Opt[string] `json:"saleExternalInvoiceId,omitzero"`
}

// OpenBooksJob opens the books of the affiliates with sales from before there were
// movements. It computes what each account must hold from sales, adjustments and
// payouts, and writes the difference to the movements so far as OPENING. Balances and
// statements of these affiliates begin at that moment. It also brings payouts of that
// time into their present form.
//
// Run it once after the upgrade from a version without movements. Each affiliate is a
// transaction of its own, so sales go on meanwhile. Several at once open each
// affiliate's books once; with nothing left to do, nothing changes.
//
// Effects: movements, books; no event.
//
// Source: docs/money.md 8.
type OpenBooksJob struct{}

// CloseBooksJob closes the books of all affiliates until a time, inclusive. Whatever
// comes later is booked later, so statements up to that time never change. A time
// before the one that is there changes nothing. No record says that books were closed.
// Each affiliate is a transaction of its own.
//
// Errors: [InvalidField] (until) for a time later than now.
//
// Effects: the books; no event.
//
// Source: docs/money.md 9.
type CloseBooksJob struct {
	Until time.Time
}

func (PruneJob) job()        {}
func (RetainJob) job()       {}
func (AssignTiersJob) job()  {}
func (GrantBonusesJob) job() {}
func (RecalculateJob) job()  {}
func (OpenBooksJob) job()    {}
func (CloseBooksJob) job()   {}

// A Step says where a job continues, and how much it does.
type Step struct {
	Cursor string // Progress.Cursor of the step before; empty: from the start
	Limit  int    // how many records to look at: 1–10,000; zero: 2,000
}

// Progress is what a job, or a step of one, has done.
type Progress struct {
	Done    bool   // the job is over
	Cursor  string // of the next step; empty when Done
	Looked  int64  // records that were looked at
	Changed int64  // records that were changed or deleted

	PayloadsPending int64    // payloads that still show a person because they wait for a delivery
	Removed         Retained // of a PruneJob or a RetainJob

	Verification Verification // of a VerifyJob
}

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

// Retention says how long a program keeps records that it needs only for a
// while. Each age counts from the time that its field names. Zero keeps the kind
// for ever. Payments without a sale, and payers without a referral, are kept for
// Config.PaymentMemory in any case; after that a payment with a sale stays as it is, whatever is
// told of its payer's email or first payment. Records of the books (sales, commissions,
// payouts, referrals, redemptions) are never deleted.
type Retention struct {
	Events     time.Duration // since the event; one with a delivery stays, and so do later ones of its object
	Receipts   time.Duration // since the answer to the idempotency key; at least 24 hours
	Deliveries time.Duration // since the delivery was settled; a pending one stays
	Clicks     time.Duration // since the click, of those without a referral; at least Config.CookieDays days

	// Holds counts from the time until which they held, whatever became of them; at least 24 hours. A sale
	// with the HoldID of one that was deleted is refused, so keep them as long as an order may be paid late.
	Holds time.Duration
}

// Retained is the number of records that were deleted, by kind.
type Retained struct {
	Events     int64 `json:"events"`     // Events without a delivery.
	Receipts   int64 `json:"receipts"`   // Answers to idempotency keys.
	Deliveries int64 `json:"deliveries"` // Settled ones.
	Clicks     int64 `json:"clicks"`     // Those that never became a referral.
	// Payments of providers that never had a sale, and payers without a referral.
	Payments int64 `json:"payments"`
	Holds    int64 `json:"holds,omitzero"` // Holds; absent: none.
}

// PersonalData is everything that a program stores about one person, for a
// request of access. Look at it before you hand it out: texts that people wrote
// and answers of receivers may concern other people too.
//
// Source: docs/retention.md.
type PersonalData struct {
	ID       Opt[uuid.UUID]   `json:"id"`       // of the affiliate or the referral; null: no referral has the email
	ErasedAt Opt[Time]        `json:"erasedAt"` // of a customer; null: not erased
	Records  []PersonalRecord `json:"records"`  // the person's own first; never nil
}

// A PersonalRecord is what one record says of the person.
type PersonalRecord struct {
	Kind      string          `json:"kind"` // affiliate, referral, clicks, sales …: an open list
	ID        string          `json:"id"`
	CreatedAt Time            `json:"createdAt"`
	Data      json.RawMessage `json:"data"` // an object; of an event or a stored answer, a list of the objects in it that show the person
}
