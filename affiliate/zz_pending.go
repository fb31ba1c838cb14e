package affiliate

import "github.com/google/uuid"

// Stand-ins; each is deleted when its owner's file arrives.

// --- owner: affiliates branch ---

// checkTerms fills in the type and checks rate and limits.
func checkTerms(t *Terms) error { return nil }

// affiliateLinks: live links of the affiliate, oldest first, never nil.
func (o *op) affiliateLinks(id uuid.UUID) ([]AffiliateLink, error) { panic("pending") }

// summary: the affiliate inside sales and referral events; Link is null.
func (o *op) summary(rec AffiliateRecord) (AffiliateSummary, error) { panic("pending") }

// inEvent: the summary with Link set to the slug of the oldest live link; shares nothing with s.
func (s AffiliateSummary) inEvent() AffiliateSummary { panic("pending") }

func contactOf(rec AffiliateRecord) AffiliateContact { panic("pending") }

// affiliateByIDOrEmail: one or both identifiers; both must name the same record: identifiersMismatch.
// Neither names one: ErrNotFound.
func (o *op) affiliateByIDOrEmail(id uuid.UUID, email string) (AffiliateRecord, error) {
	panic("pending")
}

// An origin is what an identifier led to.
type origin struct {
	affiliate AffiliateRecord
	link      LinkRecord  // zero: none
	click     ClickRecord // zero: none
}

// resolve: digits only: click id, then affiliate id, then slug. ErrNotFound.
func (o *op) resolve(ident string) (origin, error) { panic("pending") }

// notifyAffiliate raises the affiliate's revision, stores it and fires the event with its full body.
// The caller has set UpdatedAt and every changed field.
func (o *op) notifyAffiliate(rec AffiliateRecord, typ EventType) error { panic("pending") }

func planOf(rec PlanRecord) Plan { panic("pending") }

// --- owner: endpoints branch ---

// AddressPolicy says which endpoint URLs and addresses may be called.
type AddressPolicy struct{}

// fanOut writes the deliveries of an event.
func (o *op) fanOut(rec EventRecord) error { return nil }

// --- owner: sales (root) ---

// rateOf: the rate and type that apply to an affiliate without a sale override: own > tier > plan > program.
func (o *op) rateOf(rec AffiliateRecord) (Percent, CommissionType, error) { panic("pending") }

// dropReferral and dropSale remove a record with all that hangs on it inside the running transaction
// (totals moved, children events when CascadeEvents). A commission in a payout: errInPayout.
func (o *op) dropReferral(rec ReferralRecord) error { panic("pending") }
func (o *op) dropSale(rec SaleRecord) error         { panic("pending") }
