package affiliate_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Every call, with the store failing at each of its operations in turn: the
// failure comes back, is no refusal, and leaves nothing behind.
func TestAffiliateStoreFailures(t *testing.T) {
	type prepared struct {
		*affWorld
		a, b affiliate.Affiliate
		plan affiliate.Plan
		tier affiliate.Tier
	}
	ref := func(w prepared) affiliate.AffiliateRef { return affiliate.AffiliateRef{ID: w.a.ID, Email: w.a.Email} }
	link := func(w prepared) affiliate.LinkRef { return affiliate.LinkRef{ID: w.a.AffiliateLinks[0].ID, Slug: "a"} }
	calls := map[string]func(prepared) error{
		"Affiliate":        func(w prepared) error { return affErr(w.Affiliate(w.ctx(), w.a.ID.String())) },
		"AffiliateByClick": func(w prepared) error { return affErr(w.Affiliate(w.ctx(), "1")) },
		"AffiliateBySlug":  func(w prepared) error { return affErr(w.Affiliate(w.ctx(), "a")) },
		"AffiliateByEmail": func(w prepared) error { return affErr(w.AffiliateByEmail(w.ctx(), w.a.Email)) },
		"Affiliates":       func(w prepared) error { return affErr(w.Affiliates(w.ctx(), affiliate.Page{})) },
		"Links":            func(w prepared) error { return affErr(w.Links(w.ctx(), affiliate.LinkFilter{}, affiliate.Page{})) },
		"LinkByID": func(w prepared) error {
			return affErr(w.Links(w.ctx(), affiliate.LinkFilter{ID: link(w).ID}, affiliate.Page{}))
		},
		"LinksByEmail": func(w prepared) error {
			return affErr(w.Links(w.ctx(), affiliate.LinkFilter{AffiliateEmail: w.a.Email}, affiliate.Page{}))
		},
		"Plans":      func(w prepared) error { return affErr(w.Plans(w.ctx(), affiliate.Page{})) },
		"Tiers":      func(w prepared) error { return affErr(w.Tiers(w.ctx(), affiliate.Page{})) },
		"CreatePlan": func(w prepared) error { return affErr(w.CreatePlan(w.ctx(), affiliate.NewPlan{Name: "x"})) },
		"CreateTier": func(w prepared) error { return affErr(w.CreateTier(w.ctx(), affiliate.NewTier{Tier: 1, Name: "x"})) },
		"UpdatePlan": func(w prepared) error {
			return affErr(w.UpdatePlan(w.ctx(), w.plan.ID, affiliate.PlanUpdate{Name: affiliate.Set("x")}))
		},
		"UpdateTier": func(w prepared) error {
			return affErr(w.UpdateTier(w.ctx(), w.tier.ID, affiliate.TierUpdate{Name: affiliate.Set("x")}))
		},
		"AssignTiers":      func(w prepared) error { return affErr(w.AssignTiers(w.ctx())) },
		"SetAffiliatePlan": func(w prepared) error { return affErr(w.SetAffiliatePlan(w.ctx(), uuid.Nil, w.a.ID, w.b.ID)) },
		"SetAffiliateTier": func(w prepared) error { return affErr(w.SetAffiliateTier(w.ctx(), w.tier.ID, w.b.ID)) },
		"BanAffiliates":    func(w prepared) error { return affErr(w.BanAffiliates(w.ctx(), w.a.ID, w.b.ID)) },
		"SetPayoutDetails": func(w prepared) error {
			return affErr(w.SetPayoutDetails(w.ctx(), w.a.ID, affiliate.PayoutDetails{Method: "BANK"}))
		},
		"SetPayoutNothing": func(w prepared) error { return affErr(w.SetPayoutDetails(w.ctx(), w.a.ID, affiliate.PayoutDetails{})) },
		"TrackClick":       func(w prepared) error { return affErr(w.TrackClick(w.ctx(), affiliate.NewClick{Slug: "a"})) },
		"CreateLink": func(w prepared) error {
			return affErr(w.CreateLink(w.ctx(), affiliate.NewLink{Link: "x", AffiliateID: w.a.ID, AffiliateEmail: w.a.Email}))
		},
		"RenameLink":        func(w prepared) error { return affErr(w.RenameLink(w.ctx(), link(w), "x")) },
		"RenameLinkNothing": func(w prepared) error { return affErr(w.RenameLink(w.ctx(), link(w), "a")) },
		"DeleteLink":        func(w prepared) error { return affErr(w.DeleteLink(w.ctx(), link(w))) },
		"DeleteAffiliate":   func(w prepared) error { return w.DeleteAffiliate(w.ctx(), ref(w)) },
		"UpdateNothing":     func(w prepared) error { return affErr(w.UpdateAffiliate(w.ctx(), ref(w), affiliate.AffiliateUpdate{})) },
		"UpdateAffiliate": func(w prepared) error {
			return affErr(w.UpdateAffiliate(w.ctx(), ref(w), affiliate.AffiliateUpdate{
				Email: affiliate.Set("new@b.co"), AffiliateLink: affiliate.Set("x"), CommissionRate: affiliate.Set(affiliate.MustPercent("3")),
			}))
		},
		"CreateAffiliate": func(w prepared) error {
			in := affiliate.NewAffiliate{FirstName: "A", LastName: "B", Email: "a@b.co", CommissionPlanID: w.plan.ID, Answers: []affiliate.Answer{{QuestionID: w.id, Answer: "x"}}}
			return affErr(w.CreateAffiliate(w.ctx(), in))
		},
		"CreateWithSlug": func(w prepared) error {
			return affErr(w.CreateAffiliate(w.ctx(), affiliate.NewAffiliate{FirstName: "A", LastName: "B", Email: "a@b.co", AffiliateLink: "x"}))
		},
		"AcceptInvite": func(w prepared) error { return affErr(w.AcceptInvite(w.ctx(), w.b.ID, affiliate.AffiliateUpdate{})) },
		"DeletePlan":   func(w prepared) error { return w.DeletePlan(w.ctx(), w.plan.ID) },
		"DeleteTier":   func(w prepared) error { return w.DeleteTier(w.ctx(), w.tier.ID) },
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			w := prepared{affWorld: newAffWorld(t)}
			w.plan = affMust[affiliate.Plan](t)(w.CreatePlan(w.ctx(), affiliate.NewPlan{Name: "p"}))
			w.tier = affMust[affiliate.Tier](t)(w.CreateTier(w.ctx(), affiliate.NewTier{Tier: 1, Name: "t"}))
			w.a, w.b = w.affiliate("a"), w.affiliate("b")
			switch name {
			case "DeletePlan", "DeleteTier":
			case "AcceptInvite":
				w.b = affMust[affiliate.Affiliate](t)(w.InviteAffiliate(w.ctx(), affiliate.NewAffiliate{FirstName: "C", LastName: "C", Email: "c@b.co"}))
			default:
				affMust[[]affiliate.Affiliate](t)(w.SetAffiliatePlan(w.ctx(), w.plan.ID, w.a.ID))
				affMust[[]affiliate.Affiliate](t)(w.SetAffiliateTier(w.ctx(), w.tier.ID, w.a.ID))
			}
			affMust[affiliate.Click](t)(w.TrackClick(w.ctx(), affiliate.NewClick{Slug: "a"}))
			w.referral("a", "kim@b.co")
			w.sale("kim@b.co", "10")
			w.code(w.a.ID, "CODE")
			w.everyFailure(func() error { return call(w) })
			w.verify()
		})
	}
}

// What a look-up did not see, the unique index of the store still refuses, with
// the same words.
func TestAffiliateUniqueIndexes(t *testing.T) {
	w := newAffWorld(t)
	a, b := w.affiliate("a"), w.affiliate("b")
	named := affiliate.NewAffiliate{FirstName: "A", LastName: "B", Email: "new@b.co", AffiliateLink: "A"}
	mailed := affiliate.NewAffiliate{FirstName: "A", LastName: "B", Email: a.Email, AffiliateLink: "new"}
	self := affiliate.AffiliateRef{ID: a.ID}
	for name, tt := range map[string]struct {
		want string
		call func() error
	}{
		"CreateSlug":  {"The requested affiliate link is already in use", func() error { return affErr(w.CreateAffiliate(t.Context(), named)) }},
		"CreateEmail": {"An affiliate with this email already exists", func() error { return affErr(w.CreateAffiliate(t.Context(), mailed)) }},
		"UpdateSlug": {"The requested affiliate link is already in use", func() error {
			return affErr(w.UpdateAffiliate(t.Context(), self, affiliate.AffiliateUpdate{AffiliateLink: affiliate.Set("B")}))
		}},
		"UpdateEmail": {"An affiliate with this email already exists", func() error {
			return affErr(w.UpdateAffiliate(t.Context(), self, affiliate.AffiliateUpdate{Email: affiliate.Set(b.Email)}))
		}},
		"Link": {"This link already exists for this affiliate program", func() error {
			return affErr(w.CreateLink(t.Context(), affiliate.NewLink{Link: "B", AffiliateID: a.ID}))
		}},
		"Rename": {"This link already exists for this affiliate program", func() error {
			return affErr(w.RenameLink(t.Context(), affiliate.LinkRef{ID: a.AffiliateLinks[0].ID}, "B"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			before := w.dump()
			w.store.blind = true
			err := tt.call()
			w.store.blind = false
			if e, ok := errors.AsType[*affiliate.Error](err); !ok || e.Message != tt.want {
				t.Errorf("got %v", err)
			}
			affEqual(t, before, w.dump())
		})
	}
}
