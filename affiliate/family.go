package affiliate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// EventType is family.action, lower case, with exactly one dot (contract 7.1).
type EventType string

// The fifteen event types; there are no others.
const (
	AffiliateCreated EventType = "affiliate.created"
	AffiliateUpdated EventType = "affiliate.updated"
	AffiliateDeleted EventType = "affiliate.deleted"
	ReferralCreated  EventType = "referral.created"
	ReferralUpdated  EventType = "referral.updated"
	ReferralDeleted  EventType = "referral.deleted"
	SaleCreated      EventType = "sale.created"
	SaleUpdated      EventType = "sale.updated"
	SaleDeleted      EventType = "sale.deleted"
	CouponCreated    EventType = "coupon.created"
	CouponUpdated    EventType = "coupon.updated"
	CouponDeleted    EventType = "coupon.deleted"
	PromocodeCreated EventType = "promocode.created"
	PromocodeUpdated EventType = "promocode.updated"
	PromocodeDeleted EventType = "promocode.deleted"
)

// EventTypes lists the fifteen types in the order of docs/contract.md 7.1.
func EventTypes() []EventType {
	var types []EventType
	for i := range families {
		types = append(types, families[i].types...)
	}
	return types
}

// Family is the part before the dot: affiliate, referral, sale, coupon or
// promocode.
func (t EventType) Family() string {
	family, _, _ := strings.Cut(string(t), ".")
	return family
}

// Known reports whether t is one of the fifteen types.
func (t EventType) Known() bool {
	f, err := familyOf(t)
	return err == nil && slices.Contains(f.types, t)
}

// A family is a kind of object that events are about. Its row is all that the
// engine knows of the family by its name: a new family is a new row, and a new
// event type a word in one.
type family struct {
	types    []EventType // in the order of docs/contract.md 7.1
	noun     string      // what Verify calls the object
	bodyKeys []string    // what contract 7.3 promises of a body that is not of a deletion

	note   func(*watches, *EventRecord) error    // remembers a change for the hook
	sample func(*sample) (shown, any)            // an object for test deliveries, and its body
	shows  func(body any) (of shown, known bool) // the object that a body shows; false: the body is of another family
	lives  func(*audit, uuid.UUID) bool          // whether there is such an object
	each   func(a *audit, see func(lived))       // calls see with every object
}

// shown is an object as its events name it.
type shown struct {
	id     uuid.UUID
	number int64 // of a sale; otherwise 0
}

// families are the rows, in the order of docs/contract.md 7.1.
var families = []family{
	{
		types:    []EventType{AffiliateCreated, AffiliateUpdated, AffiliateDeleted},
		noun:     "affiliate",
		bodyKeys: []string{"commissionPlan", "commissionTier", "affiliateLinks", "promotionalCodes", "questionAnswers"},
		note:     func(w *watches, rec *EventRecord) error { return noteChange(w, w.affiliates, rec) },
		sample:   func(s *sample) (shown, any) { return shown{id: s.affiliate.ID}, s.affiliateBody() },
		shows: func(body any) (shown, bool) {
			b, ok := body.(affiliateEvent)
			return shown{id: b.ID}, ok
		},
		lives: func(a *audit, id uuid.UUID) bool { return a.affiliates.has(id) },
		each: func(a *audit, see func(lived)) {
			for r := range a.affiliates.records() {
				see(lived{id: r.ID, revision: r.Revision})
			}
		},
	},
	{
		types:    []EventType{ReferralCreated, ReferralUpdated, ReferralDeleted},
		noun:     "referral",
		bodyKeys: []string{"affiliate", "commissionPlan", "status"},
		note:     func(w *watches, rec *EventRecord) error { return noteChange(w, w.referrals, rec) },
		sample:   func(s *sample) (shown, any) { return shown{id: s.referral.ID}, s.referralBody() },
		shows: func(body any) (shown, bool) {
			b, ok := body.(ReferralBody)
			return shown{id: b.ID}, ok
		},
		lives: func(a *audit, id uuid.UUID) bool { return a.referrals.has(id) },
		each: func(a *audit, see func(lived)) {
			for r := range a.referrals.records() {
				imported := r.Source == SourceImported.forReferral()
				see(lived{id: r.ID, revision: r.Revision, silent: imported && r.Revision == 0})
			}
		},
	},
	{
		types:    []EventType{SaleCreated, SaleUpdated, SaleDeleted},
		noun:     "sale",
		bodyKeys: []string{"affiliate", "referral", "commissionEarned", "paymentTrigger", "commissions"},
		note:     func(w *watches, rec *EventRecord) error { return noteChange(w, w.sales, rec) },
		sample: func(s *sample) (shown, any) {
			return shown{id: s.sale.ID, number: s.sale.Number}, s.saleBody()
		},
		shows: func(body any) (shown, bool) {
			b, ok := body.(*saleBody)
			if !ok {
				return shown{}, false
			}
			return shown{id: b.rec.ID, number: b.rec.Number}, true
		},
		lives: func(a *audit, id uuid.UUID) bool { return a.sales.has(id) },
		each: func(a *audit, see func(lived)) {
			for r := range a.sales.records() {
				see(lived{id: r.ID, revision: r.Revision, ended: r.DeletedFired})
			}
		},
	},
	{
		types:    []EventType{CouponCreated, CouponUpdated, CouponDeleted},
		noun:     "coupon",
		bodyKeys: []string{"promotionalCodes"},
		note:     func(w *watches, rec *EventRecord) error { return noteChange(w, w.coupons, rec) },
		sample:   func(s *sample) (shown, any) { return shown{id: s.coupon.ID}, s.couponBody() },
		shows: func(body any) (shown, bool) {
			b, ok := body.(couponBody)
			return shown{id: b.coupon.ID}, ok
		},
		lives: func(a *audit, id uuid.UUID) bool { return a.coupons.has(id) },
		each: func(a *audit, see func(lived)) {
			for r := range a.coupons.records() {
				see(lived{id: r.ID, revision: r.Revision})
			}
		},
	},
	{
		types:    []EventType{PromocodeCreated, PromocodeUpdated, PromocodeDeleted},
		noun:     "code",
		bodyKeys: []string{"coupon"},
		note:     func(w *watches, rec *EventRecord) error { return noteChange(w, w.codes, rec) },
		sample:   func(s *sample) (shown, any) { return shown{id: s.code.ID}, s.codeBody() },
		shows: func(body any) (shown, bool) {
			b, ok := body.(codeBody)
			return shown{id: b.code.ID}, ok
		},
		lives: func(a *audit, id uuid.UUID) bool { return a.codes.has(id) },
		each: func(a *audit, see func(lived)) {
			for r := range a.codes.records() {
				see(lived{id: r.ID, revision: r.Revision})
			}
		},
	},
}

// name is the part of the family's types before the dot.
func (f *family) name() string { return f.types[0].Family() }

// familyOf is the family of a type, or an error when no row has its name.
func familyOf(t EventType) (*family, error) {
	name := t.Family()
	for i := range families {
		if families[i].name() == name {
			return &families[i], nil
		}
	}
	return nil, fmt.Errorf("no family of events has the type %q", t)
}

// numbered reports whether events of the type have the number of their object.
func (t EventType) numbered() bool { return t.Family() == "sale" }

// ends reports whether the type is that of a deletion.
func (t EventType) ends() bool { return t.action() == "deleted" }

// action is the part of a type after the dot.
func (t EventType) action() string { return string(t[min(len(t), len(t.Family())+1):]) }

// deletedBody is the body of a deletion.
func (of shown) deletedBody() any {
	if of.number != 0 {
		return DeletedSaleBody{SaleID(of.number)}
	}
	return DeletedBody{of.id}
}
