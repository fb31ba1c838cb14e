package engine_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

func merges(t *testing.T, s scene.Shop, from, into string) affiliate.Referral {
	t.Helper()
	return scene.Must(s.MergeReferrals(t.Context(), affiliate.Merge{From: from, Into: into}))
}

// Two customers become one: what the one bought, the names by which it is known, and its place
// of a code are the other's from then on.
func TestMergeReferrals(t *testing.T) {
	s, ctx := scene.NewShop(t, paysLeads), t.Context()
	kim := s.Customer("ada", "kim")
	s.ToTomas("100")
	converts(t, s, affiliate.ConversionParams{Conversion: "signup", Email: s.Tomas.Email})
	converts(t, s, affiliate.ConversionParams{Conversion: "signup", Email: kim.Email})
	s.Sell(affiliate.SaleParams{Email: kim.Email, TotalEarned: scene.Sum("50"), ExternalID: "kims"})
	before := scene.Must(s.Balance(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID}))
	s.Pass(1)
	var one affiliate.Referral
	s.Fires(func() error {
		one = merges(t, s, kim.Email, s.Tomas.ID.String())
		return nil
	}, affiliate.SaleUpdated, affiliate.SaleUpdated, affiliate.ReferralDeleted, affiliate.ReferralUpdated)
	if one.ID != s.Tomas.ID || one.Email != s.Tomas.Email || one.TotalRevenue != scene.Sum("150") {
		t.Errorf("merged: %+v", one)
	}
	if after := scene.Must(s.Balance(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID})); !cmp.Equal(before, after) {
		t.Errorf("money moved: %s", cmp.Diff(before, after))
	}
	s.Verifies()
	for _, name := range []string{kim.ID.String(), kim.Email, "Kim+shop@example.net"} {
		scene.Equal(t, s.Tomas.ID, scene.Must(s.Referral(ctx, name)).ID, name)
		s.Fires(func() error { merges(t, s, name, s.Tomas.Email); return nil }) // again: nothing
	}
	res := scene.Must(s.RecordConversion(ctx, affiliate.ConversionParams{Conversion: "signup", Email: kim.Email}))
	scene.Equal(t, affiliate.SaleDuplicate, res.Outcome)
	for want, in := range map[error]affiliate.Merge{
		affiliate.InvalidField:     {From: s.Tomas.Email, Into: s.Tomas.ID.String()},
		affiliate.ReferralNotFound: {From: "nobody@example.net", Into: s.Tomas.Email},
		affiliate.MissingField:     {From: s.Tomas.Email},
	} {
		if err := scene.ErrOf(s.MergeReferrals(ctx, in)); !errors.Is(err, want) {
			t.Errorf("%+v: %v, want %v", in, err, want)
		}
	}
	scene.Must(0, s.EraseReferral(ctx, s.Tomas.Email))
	hidden := s.Sell(affiliate.SaleParams{Email: kim.Email, Name: "Kim", TotalEarned: scene.Sum("20"), ExternalID: "erased"})
	if hidden.ReferralID.Or(uuid.Nil) != s.Tomas.ID || hidden.Email.Or("") != "" {
		t.Errorf("after the erasure: %+v", hidden)
	}
	if err := scene.ErrOf(s.MergeReferrals(ctx, affiliate.Merge{From: s.Customer("ada", "lou").Email, Into: s.Tomas.ID.String()})); !errors.Is(err, affiliate.ReferralErased) {
		t.Errorf("into who was erased: %v", err)
	}
	s.Verifies()
}

// A merge of what was merged, and one in the other direction of links: places of codes count for the one that is
// left.
func TestMergeReferralsOfMerged(t *testing.T) {
	g, ctx := scene.NewGiftShop(t, 0), t.Context()
	scene.Must(g.UpdateCode(ctx, g.Gift.ID, affiliate.CodeUpdate{MaxRedemptionsPerCustomer: affiliate.Set(int64(1))}))
	g.Give("kim@example.net")
	g.Give("lou@example.net")
	g.Give("max@example.net")
	for _, m := range []affiliate.Merge{{From: "kim@example.net", Into: "lou@example.net"}, {From: "lou@example.net", Into: "max@example.net"}} {
		scene.Must(g.MergeReferrals(ctx, m))
	}
	for _, email := range []string{"kim@example.net", "lou@example.net", "max@example.net"} {
		scene.Equal(t, "max@example.net", scene.Must(g.Referral(ctx, email)).Email, email)
		scene.WantReason(t, email, affiliate.CustomerLimit, scene.ErrOf(g.RecordSale(ctx, scene.GiftOrder(email))))
	}
	g.Verifies()
}

// Two affiliates become one, with all that they have and earned, in every state of their payouts.
func TestMergeAffiliates(t *testing.T) {
	s, ctx := scene.NewShop(t, func(c *tributary.Config) { c.CascadeEvents = true }), t.Context()
	ada, ben := s.Ada.Person, s.Join("ben", func(in *affiliate.AffiliateParams) { in.ExternalID = "user-ben" })
	kim := s.Customer("ben", "kim")
	click := scene.Must(s.TrackClick(ctx, affiliate.ClickParams{Slug: "ben"}))
	coupon := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "ben", PercentOff: scene.Percent("10")}))
	scene.Must(s.CreateCode(ctx, affiliate.CodeParams{Code: "BEN", CouponID: coupon.ID, AffiliateID: ben.ID}))
	sells := func(id string) affiliate.Sale {
		return s.Sell(affiliate.SaleParams{Email: kim.Email, TotalEarned: scene.Sum("100"), ExternalID: id})
	}
	s.ToTomas("100")
	sells("paid")
	scene.Must(s.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: ben.ID, Kind: affiliate.AdjustBonus, Amount: scene.Sum("3"), Reason: "welcome"}))
	paid := scene.Must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: ben.ID}))
	merge := affiliate.Merge{From: ben.ID.String(), Into: ada.ID.String()}
	for _, status := range []affiliate.PayoutStatus{"", affiliate.PayoutFailed, affiliate.PayoutProcessing} {
		if status != "" {
			scene.Must(s.SetPayoutStatus(ctx, paid.ID, status))
		}
		scene.WantReason(t, "open payout", affiliate.InPayout, scene.ErrOf(s.MergeAffiliates(ctx, merge)))
	}
	scene.Must(s.SetPayoutStatus(ctx, paid.ID, affiliate.PayoutPaid))
	refunded := sells("refunded")
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: refunded.ID}))
	canceled := func() affiliate.Payout {
		sells("open")
		p := scene.Must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: ben.ID}))
		return scene.Must(s.SetPayoutStatus(ctx, p.ID, affiliate.PayoutCanceled))
	}()
	own := scene.Must(s.Balance(ctx, affiliate.AffiliateRef{ID: ada.ID}))
	s.Pass(1)
	one := scene.Must(s.MergeAffiliates(ctx, merge))
	s.Verifies()
	sum := scene.Must(s.Balance(ctx, affiliate.AffiliateRef{ID: ada.ID}))
	if one.ID != ada.ID || sum.Paid != scene.Sum("23") || sum.Payable.Scaled() != own.Payable.Scaled()+scene.Sum("20").Scaled() {
		t.Errorf("balance %+v, of its own %+v", sum, own)
	}
	scene.Equal(t, "user-ben", one.ExternalID)
	for _, p := range []affiliate.Payout{paid, canceled} {
		scene.Equal(t, ada.ID, scene.Must(s.Payout(ctx, p.ID)).AffiliateID)
	}
	for _, name := range []string{ben.ID.String(), "ben", affiliate.External("user-ben"), fmt.Sprint(click.ID)} {
		scene.Equal(t, ada.ID, scene.Must(s.Affiliate(ctx, name)).ID, name)
	}
	for _, in := range []affiliate.SaleParams{{PromoCode: "BEN"}, {ReferralID: fmt.Sprint(click.ID), Email: "new@example.net", Name: "N"}, {Email: kim.Email}, {ReferralID: ben.ID.String(), Email: "n2@example.net", Name: "N"}} {
		in.TotalEarned = scene.Sum("10")
		scene.Equal(t, ada.ID, s.Sell(in).AffiliateID, in)
	}
	causes := map[affiliate.Cause]int{}
	left := affiliate.Amount{}
	for _, m := range scene.Must(s.Movements(ctx, affiliate.MovementQuery{AffiliateID: affiliate.Set(ben.ID), Cause: affiliate.CauseMerge}, affiliate.Page{})).Items {
		causes[m.Cause]++
		left = m.Amount
	}
	if causes[affiliate.CauseMerge] != 5 { // three sales, the bonus and the payout that was paid
		t.Errorf("the ledger of who went: %v %v", causes, left)
	}
	s.Fires(func() error { return scene.ErrOf(s.MergeAffiliates(ctx, merge)) }) // again: nothing
	scene.WantReason(t, "itself", affiliate.InvalidField, scene.ErrOf(s.MergeAffiliates(ctx, affiliate.Merge{From: ada.Email, Into: ada.ID.String()})))
	scene.WantReason(t, "nobody", affiliate.AffiliateNotFound, scene.ErrOf(s.MergeAffiliates(ctx, affiliate.Merge{From: uuid.NewString(), Into: ada.ID.String()})))
	scene.WantReason(t, "its email", affiliate.AffiliateEmailTaken, scene.ErrOf(s.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "B", LastName: "B", Email: ben.Email})))
	// what was paid comes back, and a refund reaches what was paid to who went
	scene.Must(s.SetPayoutStatus(ctx, paid.ID, affiliate.PayoutReturned))
	s.Verifies()
	scene.Must(0, s.Forfeiting().EraseAffiliate(ctx, ada.ID))
	s.Verifies()
}

// Who were two affiliates, and customers of each other: what they buy themselves is held, by each email that they had.
func TestMergedBuyThemselves(t *testing.T) {
	s, ctx := scene.NewShop(t, func(c *tributary.Config) { c.Review = []affiliate.ReviewRule{affiliate.SelfReferral()} }), t.Context()
	ada, ben := s.Ada.Person, s.Join("ben")
	kim := s.Customer("ada", "kim")
	bens := scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "ada", Name: "Ben", Email: ben.Email, ReferredUserExternalID: "ben"}))
	buys := func(email string) (risks []affiliate.RiskReason) {
		for _, c := range s.Sell(affiliate.SaleParams{Email: email, TotalEarned: scene.Sum("10")}).Commissions {
			risks = append(risks, c.RiskReasons...)
		}
		return risks
	}
	if got := buys(ben.Email); len(got) != 0 {
		t.Fatalf("before: %v", got)
	}
	scene.Must(s.MergeAffiliates(ctx, affiliate.Merge{From: ben.Email, Into: ada.Email}))
	scene.Must(s.MergeReferrals(ctx, affiliate.Merge{From: bens.Email, Into: kim.Email}))
	for _, email := range []string{ben.Email, kim.Email} {
		if got := buys(email); len(got) != 1 || got[0] != "self_referral" {
			t.Errorf("%s buys: %v", email, got)
		}
	}
	scene.Equal(t, 1, len(scene.Must(s.Evaluate(ctx, affiliate.Order{PromoCode: "ADA20", Email: kim.Email, TotalEarned: scene.Amount("10")})).Risks))
	s.Verifies()
}

// Merged in both directions at once, two are one: the second merge finds that they are.
func TestMergeAtOnce(t *testing.T) {
	for range 20 {
		s, ctx := scene.NewShop(t), t.Context()
		ada, ben := s.Ada.Person.ID.String(), s.Join("ben").ID.String()
		var errs [2]error
		var done sync.WaitGroup
		for i, in := range []affiliate.Merge{{From: ada, Into: ben}, {From: ben, Into: ada}} {
			done.Go(func() { _, errs[i] = s.MergeAffiliates(ctx, in) })
		}
		done.Wait()
		if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs[:]...), affiliate.InvalidField) {
			t.Fatalf("%v", errs)
		}
		if a, b := scene.Must(s.Affiliate(ctx, ada)), scene.Must(s.Affiliate(ctx, ben)); a.ID != b.ID {
			t.Fatalf("%s and %s", a.ID, b.ID)
		}
		s.Verifies()
	}
}

// Both have an id of the host: each leads to who stays. A sale that was given away after it was paid stays booked once.
func TestMergeAffiliatesWithIDs(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	join := func(name string) affiliate.Affiliate {
		return s.Join(name, func(in *affiliate.AffiliateParams) { in.ExternalID = "user-" + name })
	}
	cleo, ben := join("cleo"), join("ben")
	paid := s.Sell(affiliate.SaleParams{ReferralID: "ben", Email: "kim@example.net", Name: "Kim", TotalEarned: scene.Sum("100")})
	scene.Must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: ben.ID, ManuallyPaid: true}))
	scene.Must(s.UpdateSale(ctx, paid.ID, affiliate.SaleUpdate{AffiliateID: affiliate.Set(s.Bob.ID), ClawBack: true}))
	one := scene.Must(s.MergeAffiliates(ctx, affiliate.Merge{From: affiliate.External("user-ben"), Into: affiliate.External("user-cleo")}))
	s.Verifies()
	for _, name := range []string{"user-ben", "user-cleo"} {
		if got := scene.Must(s.Affiliate(ctx, affiliate.External(name))); got.ID != cleo.ID || one.ExternalID != "user-cleo" {
			t.Errorf("%s finds %s", name, got.ID)
		}
	}
	if b := scene.Must(s.Balance(ctx, affiliate.AffiliateRef{ID: cleo.ID})); b.Paid != scene.Sum("20") || b.Payable != scene.Sum("-20") {
		t.Errorf("%+v", b)
	}
	taken := affiliate.AffiliateParams{FirstName: "B", LastName: "B", Email: "b@example.org", ExternalID: "user-ben"}
	scene.WantReason(t, "the former id", affiliate.AffiliateExternalIDTaken, scene.ErrOf(s.CreateAffiliate(ctx, taken)))
	scene.Must(0, s.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: ben.ID}))
	scene.Must(s.Affiliate(ctx, cleo.ID.String())) // a former name deletes nobody
	scene.Equal(t, 1, len(scene.Must(s.SetAffiliateStatus(ctx, affiliate.AffiliateDeactivated, ben.ID))))
}

// The status of a customer follows the subscriptions of all their payers, also of those who came by a merge.
func TestMergedStatus(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	kim := s.Customer("ada", "kim")
	for payer, who := range map[string]affiliate.Referral{"cus_T": s.Tomas, "cus_K": kim} {
		fact := affiliate.PayerFact{ID: payer, Email: who.Email, CustomerID: who.ReferredUserExternalID.Or("")}
		scene.Must(0, s.Payments().ReportPayer(ctx, "stripe", fact))
		status := affiliate.SubscriptionPastDue
		if payer == "cus_K" {
			status = affiliate.SubscriptionActive
		}
		scene.Must(s.Payments().ReportSubscription(ctx, affiliate.SubscriptionFact{Provider: "stripe", Payer: fact, Subscription: "sub_" + payer, Status: status, At: s.Now}))
	}
	if got := scene.Must(s.Referral(ctx, s.Tomas.Email)); got.SubscriptionStatus != affiliate.SubscriptionPastDue {
		t.Fatalf("before: %s", got.SubscriptionStatus)
	}
	scene.Equal(t, affiliate.SubscriptionActive, merges(t, s, kim.Email, s.Tomas.Email).SubscriptionStatus)
	s.Verifies()
}

// What is theirs by a merge: the place of a code that the other one had, and no more than that. A former name deletes
// nobody, opens no partner pages, and moves no sale to whom it is of.
func TestMergedNamesMeanOne(t *testing.T) {
	g, ctx := scene.NewGiftShop(t, 0), t.Context()
	scene.Must(g.UpdateCode(ctx, g.Gift.ID, affiliate.CodeUpdate{MaxRedemptionsPerCustomer: affiliate.Set(int64(1))}))
	g.Give("kim@example.net")
	scene.Must(g.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "ada", Name: "Max", Email: "max@example.net", ReferredUserExternalID: "max"}))
	scene.Must(g.MergeReferrals(ctx, affiliate.Merge{From: "kim@example.net", Into: "max@example.net"}))
	scene.WantReason(t, "max", affiliate.CustomerLimit, scene.ErrOf(g.RecordSale(ctx, scene.GiftOrder("max@example.net"))))
	scene.Must(0, g.Forfeiting().DeleteReferral(ctx, "kim@example.net"))
	scene.Must(g.Referral(ctx, "max@example.net"))
	g.Verifies()

	s := scene.NewShop(t)
	ben := s.Join("ben")
	sale := s.ToTomas("100")
	scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{CommissionEarned: affiliate.Set(scene.Sum("7"))}))
	scene.Must(s.MergeAffiliates(ctx, affiliate.Merge{From: ben.Email, Into: s.Ada.Person.Email}))
	scene.Equal(t, scene.Sum("7"), scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{AffiliateID: affiliate.Set(ben.ID)})).CommissionEarned)
	if err := scene.ErrOf(s.Partner(ben.ID).Profile(ctx)); !errors.Is(err, affiliate.ErrNotFound) {
		t.Errorf("the pages of who went: %v", err)
	}
	s.Verifies()
}

// The slugs of who goes are the other's: a former one leads to them, and one that leads to nobody
// may be had again by them alone.
func TestMergedSlugs(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	ada, ben := s.Ada.Person, s.Join("ben")
	s.AddLink(ben.ID, "ben-spring")
	scene.Must(s.DeleteLink(ctx, affiliate.LinkRef{Slug: "ben-spring"}))
	scene.Must(s.RenameLink(ctx, affiliate.LinkRef{Slug: "ben"}, "benjamin"))
	scene.Must(s.MergeAffiliates(ctx, affiliate.Merge{From: ben.Email, Into: ada.Email}))
	click := scene.Must(s.TrackClick(ctx, affiliate.ClickParams{Slug: "ben"}))
	scene.Equal(t, ada.ID, click.AffiliateID)
	for _, c := range []struct {
		owner uuid.UUID
		want  error
	}{{s.Bob.ID, affiliate.SlugTaken}, {ada.ID, nil}} {
		in := affiliate.LinkParams{Link: "ben-spring", AffiliateID: c.owner}
		if err := scene.ErrOf(s.CreateLink(ctx, in)); !errors.Is(err, c.want) {
			t.Errorf("%s has the slug of a deleted link: %v, want %v", c.owner, err, c.want)
		}
	}
	s.Verifies()
}

// Books from before there were movements are opened by a merge, so that the one ledger is empty
// and the other whole.
func TestMergeOpensBooks(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	ada, ben := s.Ada.Person.ID, s.Join("ben").ID
	s.ToTomas("100")
	s.Moves(s.PaysOut(), affiliate.PayoutPaid)
	s.ToTomas("30")
	s.Sell(affiliate.SaleParams{Email: s.Customer("ben", "kim").Email, TotalEarned: scene.Sum("200")})
	scene.Must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: ben, ManuallyPaid: true}))
	s.Sell(affiliate.SaleParams{Email: "kim@example.net", TotalEarned: scene.Sum("50")})
	s.Ages()
	scene.Must(s.MergeAffiliates(ctx, affiliate.Merge{From: ben.String(), Into: ada.String()}))
	s.Verifies()
	s.Stands(5, "16", "0", "60", "76")
	scene.Equal(t, 0, scene.Must(s.Run(ctx, affiliate.OpenBooksJob{})).Changed)
}

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
	scene.Must(s.Referral(ctx, kim.Email))
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
