package delivery

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// A sample has one object of each family, with references that fit together,
// for test deliveries. Nothing of it is stored.
type sample struct {
	*engine.Op
	affiliate record.Affiliate
	link      record.Link
	coupon    record.Coupon
	code      record.Code
	referral  record.Referral
	sale      record.Sale
	totals    record.Totals
}

// sampleIn returns the body of a test event.
func sampleIn(o *engine.Op, typ affiliate.EventType) any {
	body := newSample(o).body(typ)
	if engine.EndsObject(typ) {
		_, id, number := engine.ObjectOf(body)
		return engine.DeletedBody(id, number)
	}
	return body
}

// body returns the body of created and updated events of a family.
func (s *sample) body(typ affiliate.EventType) any {
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
	panic(fmt.Sprintf("affiliate: no sample is for events of the type %q",
		typ)) // types that are not known were refused
}

// newSample makes the records that the bodies are shown from.
func newSample(o *engine.Op) *sample {
	rate := affiliate.MustPercent("20")
	s := &sample{Op: o}
	s.affiliate = record.Affiliate{
		ID: o.NewID(), FirstName: "Sample", LastName: "Affiliate",
		Email: "sample.affiliate@example.com", Status: affiliate.AffiliateActive,
		Source: engine.ForAffiliate(affiliate.SourceAPI), CreatedAt: o.Now, UpdatedAt: o.Now,
	}
	s.link = record.Link{ID: o.NewID(), AffiliateID: s.affiliate.ID, Slug: "sample", CreatedAt: o.Now, UpdatedAt: o.Now}
	s.coupon = record.Coupon{
		ID: o.NewID(), Name: "Sample coupon", Type: affiliate.CouponPercentage, PercentOff: rate,
		Duration: affiliate.DurationForever, TimesRedeemed: 1, Valid: true, CreatedAt: o.Now,
		UpdatedAt: o.Now,
	}
	s.code = record.Code{
		ID: o.NewID(), CouponID: s.coupon.ID, AffiliateID: s.affiliate.ID, Code: "SAMPLE20", Active: true,
		TimesRedeemed: 1, CreatedAt: o.Now, UpdatedAt: o.Now,
	}
	s.referral = record.Referral{
		ID: o.NewID(), AffiliateID: s.affiliate.ID, LinkID: s.link.ID, Name: "Sample Customer",
		Email: "sample.customer@example.com", CustomerID: "sample-customer", Plan: "N/A",
		Status: affiliate.SubscriptionActive, SubmissionType: affiliate.SubmissionAutomatic,
		Medium: affiliate.MediumCoupon, Source: engine.ForReferral(affiliate.SourceAPI),
		CreatedAt: o.Now, UpdatedAt: o.Now,
	}
	earned := affiliate.MustAmount("20")
	s.sale = record.Sale{
		ID: o.NewID(), Number: 1, AffiliateID: s.affiliate.ID, ReferralID: s.referral.ID,
		LinkID: s.link.ID, CodeID: s.code.ID, ExternalID: "sample-sale", Name: s.referral.Name,
		Email: s.referral.Email, TotalEarned: affiliate.MustAmount("100"),
		Rate: affiliate.Set(rate), RateType: affiliate.EnumOf(affiliate.CommissionPercentage),
		Clicks: 1, Status: affiliate.EnumOf(affiliate.SaleActive),
		Trigger: affiliate.EnumOf(affiliate.TriggerPurchase),
		Source:  affiliate.EnumOf(engine.ForSale(affiliate.SourceAPI)), CreatedAt: o.Now,
		UpdatedAt: o.Now,
		Commissions: []record.Commission{{
			Number: 1, AffiliateID: s.affiliate.ID, Earned: earned,
			Approval: affiliate.EnumOf(affiliate.ApprovalAccepted), CreatedAt: o.Now,
			UpdatedAt: o.Now,
		}},
	}
	s.totals = record.Totals{Revenue: s.sale.TotalEarned, Commission: earned}
	return s
}

// affiliateBody returns the sample affiliate with its link and its code.
func (s *sample) affiliateBody() engine.AffiliateEvent {
	rec, links := &s.affiliate, engine.LinksOf(s.Cfg.ID, []record.Link{s.link})
	return engine.AffiliateEvent{AffiliateBody: affiliate.AffiliateBody{
		Affiliate: affiliate.Affiliate{
			ID: rec.ID, FirstName: rec.FirstName, LastName: rec.LastName, Name: engine.NameOf(*rec),
			Email: rec.Email, CommissionRate: s.sale.Rate.Or(affiliate.Percent{}),
			UseCommissionPlanCommissionRate: true, AffiliateLink: affiliate.Null[string](),
			Link: engine.OldestSlug(links), AffiliateLinks: links, Status: rec.Status,
			Source: rec.Source, CommissionPlanID: affiliate.Null[uuid.UUID](),
			CommissionTierID: affiliate.Null[uuid.UUID](),
			AffiliateGroupID: affiliate.Null[string](), ProgramID: s.Cfg.ID,
			PayoutEmail:   affiliate.Null[string](),
			PaymentMethod: affiliate.Null[affiliate.PaymentMethod](),
			EmailVerified: affiliate.Null[json.RawMessage](), Image: affiliate.Null[string](),
			NumberOfReferredUsers: 1, NumberOfClicks: 1, TotalRevenue: s.totals.Revenue,
			TotalCommissionEarned: s.totals.Commission,
			CreatedAt:             affiliate.TimeOf(rec.CreatedAt.Time()),
			UpdatedAt:             affiliate.TimeOf(rec.UpdatedAt.Time()),
		},
		CommissionPlan: affiliate.Null[affiliate.Plan](),
		CommissionTier: affiliate.Null[affiliate.Tier](), QuestionAnswers: []affiliate.Answer{},
		PromotionalCodes: []affiliate.AffiliateCode{{
			ID: s.code.ID, Code: s.code.Code, Active: true,
			ExpiresAt: affiliate.Null[affiliate.Time](), CouponID: s.coupon.ID,
		}},
	}}
}

// referralBody returns the sample referral with its affiliate.
func (s *sample) referralBody() affiliate.ReferralBody {
	return affiliate.ReferralBody{
		Referral: engine.ReferralWith(s.Cfg.ID, s.referral, s.totals),
		Affiliate: engine.SummaryInEvent(engine.SummaryOf(s.Cfg.ID, s.affiliate.ID,
			engine.SellerOf(&s.affiliate), []record.Link{s.link})),
		CommissionPlan: affiliate.Null[affiliate.Plan](),
	}
}

// saleBody returns the sample sale with its affiliate, referral and commission.
func (s *sample) saleBody() *engine.SaleBody {
	return &engine.SaleBody{
		Frozen: engine.Frozen{Program: s.Cfg.ID}, Rec: s.sale, Owner: engine.SellerOf(&s.affiliate),
		Links:    []record.Link{s.link},
		Customer: engine.CustomerOf(&s.referral, s.totals),
	}
}

// couponBody returns the sample coupon with its code.
func (s *sample) couponBody() engine.CouponBody {
	contact := engine.ContactOf(s.affiliate)
	return engine.CouponBody{Coupon: s.CouponOf(s.coupon), Codes: []record.Code{s.code},
		Contacts: engine.Contacts{s.affiliate.ID: {Contact: contact}}}
}

// codeBody returns the sample code with its coupon and its affiliate.
func (s *sample) codeBody() engine.CodeBody {
	return engine.CodeBody{Code: s.code,
		Parents: &engine.CodeParents{Coupon: affiliate.Set(s.CouponOf(s.coupon)),
			Affiliate: affiliate.Set(engine.ContactOf(s.affiliate))}}
}
