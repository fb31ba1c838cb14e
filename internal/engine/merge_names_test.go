package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// Wherever an affiliate is named, the id of one who was merged into it names it, too.
func TestFormerIDsOfAffiliates(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	ada, ben := s.Ada.Person.ID, s.Join("ben").ID
	kim := s.Customer("ben", "kim")
	s.ToTomas("100")
	sale := s.Sell(affiliate.SaleParams{Email: s.Bea.Email, TotalEarned: scene.Sum("50")})
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p"})).ID
	tier := scene.Must(s.CreateTier(ctx, affiliate.TierParams{Tier: 3, Name: "t"})).ID
	coupon := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "c", PercentOff: scene.Percent("10")})).ID
	scene.Must(s.MergeAffiliates(ctx, affiliate.Merge{From: ben.String(), Into: ada.String()}))
	was, all := affiliate.Set(ben), affiliate.Page{}
	one := func(list []affiliate.Affiliate, err error) (uuid.UUID, error) {
		if err != nil {
			return uuid.Nil, err
		}
		return list[0].ID, nil
	}
	for name, names := range map[string]func() (uuid.UUID, error){
		"Affiliate": func() (uuid.UUID, error) { a, err := s.Affiliate(ctx, ben.String()); return a.ID, err },
		"UpdateAffiliate": func() (uuid.UUID, error) {
			if n, err := s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: ben}, affiliate.AffiliateUpdate{Note: affiliate.Set("n")}); n != 1 || err != nil {
				return uuid.Nil, err
			}
			return ada, nil
		},
		"SetAffiliateStatus": func() (uuid.UUID, error) { return one(s.SetAffiliateStatus(ctx, affiliate.AffiliateActive, ben)) },
		"SetAffiliatePlan":   func() (uuid.UUID, error) { return one(s.SetAffiliatePlan(ctx, plan, ben)) },
		"SetAffiliateTier":   func() (uuid.UUID, error) { return one(s.SetAffiliateTier(ctx, tier, ben)) },
		"SetTierExempt":      func() (uuid.UUID, error) { return one(s.SetTierExempt(ctx, true, ben)) },
		"SetPayoutDetails": func() (uuid.UUID, error) {
			a, err := s.SetPayoutDetails(ctx, ben, affiliate.PayoutDetails{Method: "PAYPAL", Email: "ada@pay.example"})
			return a.ID, err
		},
		"Balance": func() (uuid.UUID, error) {
			b, err := s.Balance(ctx, affiliate.AffiliateRef{ID: ben})
			return b.AffiliateID, err
		},
		"Statement": func() (uuid.UUID, error) {
			b, err := s.Statement(ctx, affiliate.AffiliateRef{ID: ben}, scene.Start.Add(-time.Hour), s.Now.Add(time.Hour))
			return b.AffiliateID, err
		},
		"RecordAdjustment": func() (uuid.UUID, error) {
			a, err := s.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: ben, Kind: affiliate.AdjustBonus, Amount: scene.Sum("3"), Reason: "r"})
			return a.AffiliateID, err
		},
		"CreateLink": func() (uuid.UUID, error) {
			l, err := s.CreateLink(ctx, affiliate.LinkParams{Link: "ben-2", AffiliateID: ben})
			return l.Affiliate.ID, err
		},
		"CreateCode": func() (uuid.UUID, error) {
			c, err := s.CreateCode(ctx, affiliate.CodeParams{Code: "BEN1", CouponID: coupon, AffiliateID: ben})
			return c.AffiliateID.Or(uuid.Nil), err
		},
		"GenerateCodes": func() (uuid.UUID, error) {
			c, err := s.GenerateCodes(ctx, affiliate.CodesParams{CodeParams: affiliate.CodeParams{CouponID: coupon, CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true})}, AffiliateIDs: []uuid.UUID{ben}, Count: 1})
			if err != nil {
				return uuid.Nil, err
			}
			return c[0].AffiliateID.Or(uuid.Nil), nil
		},
		"CreateReferral": func() (uuid.UUID, error) {
			r, err := s.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: ben.String(), Name: "N", Email: "new@example.net", ReferredUserExternalID: "n"})
			return r.AffiliateID, err
		},
		"UpdateReferral": func() (uuid.UUID, error) {
			r, err := s.UpdateReferral(ctx, s.Bea.Email, affiliate.ReferralUpdate{AffiliateID: was})
			return r.AffiliateID, err
		},
		"RecordSale": func() (uuid.UUID, error) {
			return s.Sell(affiliate.SaleParams{ReferralID: ben.String(), Email: "y@example.net", Name: "Y", TotalEarned: scene.Sum("10")}).AffiliateID, nil
		},
		"UpdateSale": func() (uuid.UUID, error) {
			r, err := s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{AffiliateID: was})
			return r.AffiliateID, err
		},
		"RecordConversion": func() (uuid.UUID, error) {
			r, err := s.RecordConversion(ctx, affiliate.ConversionParams{Conversion: "signup", ReferralID: ben.String(), Email: "z@example.net", Name: "Z"})
			return r.Sale.Or(affiliate.Sale{}).AffiliateID, err
		},
		"Sales": func() (uuid.UUID, error) {
			l, err := s.Sales(ctx, affiliate.SaleQuery{AffiliateID: was}, all)
			return (append(l.Items, affiliate.Sale{}))[0].AffiliateID, err
		},
		"Referrals": func() (uuid.UUID, error) {
			l, err := s.Referrals(ctx, affiliate.ReferralQuery{AffiliateID: was}, all)
			return (append(l.Items, affiliate.Referral{}))[0].AffiliateID, err
		},
		"Links": func() (uuid.UUID, error) {
			l, err := s.Links(ctx, affiliate.LinkQuery{AffiliateID: was}, all)
			return (append(l.Items, affiliate.Link{}))[0].Affiliate.ID, err
		},
		"Codes": func() (uuid.UUID, error) {
			l, err := s.Codes(ctx, affiliate.CodeQuery{AffiliateID: was}, all)
			return (append(l.Items, affiliate.Code{}))[0].AffiliateID.Or(uuid.Nil), err
		},
		"Adjustments": func() (uuid.UUID, error) {
			l, err := s.Adjustments(ctx, affiliate.AdjustmentQuery{AffiliateID: was}, all)
			return (append(l.Items, affiliate.Adjustment{}))[0].AffiliateID, err
		},
	} {
		s.Pass(1)
		if name == "Adjustments" || name == "Codes" { // there has to be one
			scene.Must(s.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: ada, Kind: affiliate.AdjustBonus, Amount: scene.Sum("1"), Reason: "r"}))
			_, _ = s.CreateCode(ctx, affiliate.CodeParams{Code: "ADAS", CouponID: coupon, AffiliateID: ada})
		}
		if got, err := names(); err != nil || got != ada {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if p := scene.Must(s.PreviewPayouts(ctx, affiliate.PayoutRun{ExternalID: "r", AffiliateIDs: []uuid.UUID{ben}, NoDetails: true}, all)); len(p.Items) != 1 || p.Items[0].AffiliateID != ada {
		t.Errorf("a run of the former id: %+v", p.Items)
	}
	for _, l := range scene.Must(s.PreviewPayouts(ctx, affiliate.PayoutRun{ExternalID: "r", ExceptIDs: []uuid.UUID{ben}, NoDetails: true}, all)).Items {
		if l.AffiliateID == ada {
			t.Errorf("a run without the former id: %+v", l)
		}
	}
	if _, err := s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: ben}); err != nil {
		t.Errorf("CreatePayout: %v", err)
	}
	if _, err := s.Referral(ctx, kim.Email); err != nil {
		t.Error(err)
	}
	s.Verifies()
}

// Wherever a customer is named, the id of one who was merged into them names them, too.
func TestFormerIDsOfCustomers(t *testing.T) {
	s, ctx := scene.NewShop(t, paysLeads), t.Context()
	kim := scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "ada", Name: "Kim", Email: "kim@example.net", ReferredUserExternalID: "user-kim"}))
	s.ToTomas("100")
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p"})).ID
	scene.Must(s.MergeReferrals(ctx, affiliate.Merge{From: kim.Email, Into: s.Tomas.Email}))
	was, all := affiliate.Set(kim.ID.String()), affiliate.Page{}
	of := func(r affiliate.SaleResult, err error) (uuid.UUID, error) {
		return r.Sale.Or(affiliate.Sale{}).ReferralID.Or(uuid.Nil), err
	}
	for name, names := range map[string]func() (uuid.UUID, error){
		"UpdateReferral": func() (uuid.UUID, error) {
			r, err := s.UpdateReferral(ctx, kim.ID.String(), affiliate.ReferralUpdate{Notes: affiliate.Set("n")})
			return r.ID, err
		},
		"PushReferralStatus": func() (uuid.UUID, error) {
			r, err := s.PushReferralStatus(ctx, kim.ID.String(), affiliate.SubscriptionActive)
			return r.ID, err
		},
		"SetReferralPlan": func() (uuid.UUID, error) {
			r, err := s.SetReferralPlan(ctx, plan, kim.ID)
			return (append(r, affiliate.Referral{}))[0].ID, err
		},
		"RecordSale": func() (uuid.UUID, error) {
			return of(s.RecordSale(ctx, affiliate.SaleParams{ReferralID: kim.ID.String(), TotalEarned: scene.Sum("1")}))
		},
		"RecordSale host id": func() (uuid.UUID, error) {
			return of(s.RecordSale(ctx, affiliate.SaleParams{ReferredUserExternalID: "user-kim", TotalEarned: scene.Sum("1")}))
		},
		"RecordSale email": func() (uuid.UUID, error) {
			return of(s.RecordSale(ctx, affiliate.SaleParams{Email: kim.Email, TotalEarned: scene.Sum("1")}))
		},
		"RecordConversion": func() (uuid.UUID, error) {
			return of(s.RecordConversion(ctx, affiliate.ConversionParams{Conversion: "signup", ReferralID: kim.ID.String()}))
		},
		"Sales": func() (uuid.UUID, error) {
			l, err := s.Sales(ctx, affiliate.SaleQuery{ReferralID: was}, all)
			return (append(l.Items, affiliate.Sale{}))[0].ReferralID.Or(uuid.Nil), err
		},
		"Referrals": func() (uuid.UUID, error) {
			l, err := s.Referrals(ctx, affiliate.ReferralQuery{ReferredUserExternalID: affiliate.Set("user-kim")}, all)
			return (append(l.Items, affiliate.Referral{}))[0].ID, err
		},
		"CreateReferral": func() (uuid.UUID, error) {
			r, err := s.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "ada", Name: "K", Email: kim.Email, ReferredUserExternalID: "user-kim"})
			return r.ID, err
		},
	} {
		s.Pass(1)
		if got, err := names(); err != nil || got != s.Tomas.ID {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if err := scene.ErrOf(s.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "ada", Name: "K", Email: "other@example.net", ReferredUserExternalID: "user-kim"})); !errors.Is(err, affiliate.ReferralExternalIDTaken) {
		t.Errorf("the former host id for somebody else: %v", err)
	}
	s.Verifies()
}
