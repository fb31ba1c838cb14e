package affiliate

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
)

// A sample is one object of each family, as they hang together, for test
// deliveries. Nothing of it is stored.
type sample struct {
	*op
	affiliate AffiliateRecord
	link      LinkRecord
	coupon    CouponRecord
	code      CodeRecord
	referral  ReferralRecord
	sale      SaleRecord
	totals    TotalsRecord
}

// sample is the body of a test event.
func (o *op) sample(typ EventType) any {
	body := o.newSample().body(typ)
	if typ.ends() {
		_, id, number := objectOf(body)
		return deletedBody(id, number)
	}
	return body
}

// body is the body of created and updated events of a family.
func (s *sample) body(typ EventType) any {
	switch typ.Family() {
	case "affiliate":
		return s.affiliateBody()
	case "referral":
		return s.referralBody()
	case "sale":
		return s.saleBody()
	case "coupon":
		return s.couponBody()
	case "promocode":
		return s.codeBody()
	}
	panic(fmt.Sprintf("affiliate: no sample is for events of the type %q", typ)) // types that are not known were refused
}

// newSample makes the records that the bodies are shown from.
func (o *op) newSample() *sample {
	rate := MustPercent("20")
	s := &sample{op: o}
	s.affiliate = AffiliateRecord{
		ID: o.newID(), FirstName: "Sample", LastName: "Affiliate", Email: "sample.affiliate@example.com",
		Status: AffiliateActive, Source: SourceAPI.forAffiliate(), CreatedAt: o.now, UpdatedAt: o.now,
	}
	s.link = LinkRecord{ID: o.newID(), AffiliateID: s.affiliate.ID, Slug: "sample", CreatedAt: o.now, UpdatedAt: o.now}
	s.coupon = CouponRecord{
		ID: o.newID(), Name: "Sample coupon", Type: CouponPercentage, PercentOff: rate, Duration: DurationForever,
		TimesRedeemed: 1, Valid: true, CreatedAt: o.now, UpdatedAt: o.now,
	}
	s.code = CodeRecord{
		ID: o.newID(), CouponID: s.coupon.ID, AffiliateID: s.affiliate.ID, Code: "SAMPLE20", Active: true,
		TimesRedeemed: 1, CreatedAt: o.now, UpdatedAt: o.now,
	}
	s.referral = ReferralRecord{
		ID: o.newID(), AffiliateID: s.affiliate.ID, LinkID: s.link.ID, Name: "Sample Customer",
		Email: "sample.customer@example.com", CustomerID: "sample-customer", Plan: "N/A", Status: SubscriptionActive,
		SubmissionType: SubmissionAutomatic, Medium: MediumCoupon, Source: SourceAPI.forReferral(),
		CreatedAt: o.now, UpdatedAt: o.now,
	}
	earned := MustAmount("20")
	s.sale = SaleRecord{
		ID: o.newID(), Number: 1, AffiliateID: s.affiliate.ID, ReferralID: s.referral.ID, LinkID: s.link.ID,
		CodeID: s.code.ID, ExternalID: "sample-sale", Name: s.referral.Name, Email: s.referral.Email,
		TotalEarned: MustAmount("100"), Rate: Set(rate), RateType: EnumOf(CommissionPercentage), Clicks: 1, Status: EnumOf(SaleActive),
		Trigger: EnumOf(TriggerPurchase), Source: EnumOf(SourceAPI.forSale()), CreatedAt: o.now, UpdatedAt: o.now,
		Commissions: []CommissionRecord{{
			Number: 1, AffiliateID: s.affiliate.ID, Earned: earned, Approval: EnumOf(ApprovalAccepted), CreatedAt: o.now, UpdatedAt: o.now,
		}},
	}
	s.totals = TotalsRecord{Revenue: s.sale.TotalEarned, Commission: earned}
	return s
}

// affiliateBody is the sample affiliate with its link and its code.
func (s *sample) affiliateBody() affiliateEvent {
	rec, links := &s.affiliate, linksOf(s.cfg.ID, []LinkRecord{s.link})
	return affiliateEvent{AffiliateBody: AffiliateBody{
		Affiliate: Affiliate{
			ID: rec.ID, FirstName: rec.FirstName, LastName: rec.LastName, Name: rec.name(), Email: rec.Email,
			CommissionRate: s.sale.Rate.Or(Percent{}), UseCommissionPlanCommissionRate: true,
			AffiliateLink: Null[string](), Link: oldestSlug(links), AffiliateLinks: links,
			Status: rec.Status, Source: rec.Source, CommissionPlanID: Null[uuid.UUID](), CommissionTierID: Null[uuid.UUID](),
			AffiliateGroupID: Null[string](), ProgramID: s.cfg.ID, PayoutEmail: Null[string](),
			PaymentMethod: Null[PaymentMethod](), EmailVerified: Null[json.RawMessage](), Image: Null[string](),
			NumberOfReferredUsers: 1, NumberOfClicks: 1, TotalRevenue: s.totals.Revenue,
			TotalCommissionEarned: s.totals.Commission, CreatedAt: TimeOf(rec.CreatedAt.Time()), UpdatedAt: TimeOf(rec.UpdatedAt.Time()),
		},
		CommissionPlan: Null[Plan](), CommissionTier: Null[Tier](), QuestionAnswers: []Answer{},
		PromotionalCodes: []AffiliateCode{{
			ID: s.code.ID, Code: s.code.Code, Active: true, ExpiresAt: Null[Time](), CouponID: s.coupon.ID,
		}},
	}}
}

// referralBody is the sample referral with its affiliate.
func (s *sample) referralBody() ReferralBody {
	return ReferralBody{
		Referral:       referralWith(s.cfg.ID, s.referral, s.totals),
		Affiliate:      summaryOf(s.cfg.ID, s.affiliate.ID, s.affiliate.seller(), []LinkRecord{s.link}).inEvent(),
		CommissionPlan: Null[Plan](),
	}
}

// saleBody is the sample sale with its affiliate, referral and commission.
func (s *sample) saleBody() *saleBody {
	return &saleBody{
		frozen: frozen{program: s.cfg.ID}, rec: s.sale, owner: s.affiliate.seller(), links: []LinkRecord{s.link},
		customer: customerOf(&s.referral, s.totals),
	}
}

// couponBody is the sample coupon with its code.
func (s *sample) couponBody() couponBody {
	contact := contactOf(s.affiliate)
	return couponBody{coupon: s.couponOf(s.coupon), codes: []CodeRecord{s.code}, contacts: contacts{s.affiliate.ID: {contact: contact}}}
}

// codeBody is the sample code with its coupon and its affiliate.
func (s *sample) codeBody() codeBody {
	return codeBody{s.code, &codeParents{Set(s.couponOf(s.coupon)), Set(contactOf(s.affiliate))}}
}
