package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// A Kind is a kind of row: the values that it needs, those that it may have, and
// the call of the program that it makes.
type Kind struct {
	Name, Needs, Takes, Does string
	play                     func(*Shop, context.Context, row) error
}

// Kinds lists the kinds of rows.
func Kinds() []Kind {
	return []Kind{
		{"plan", "name", "percent amount payments months hold days monthly friend welcome",
			"a commission plan: percent, or an amount for each sale; paid after days; at most monthly in a month; " +
				"friend for each customer who pays, and welcome for that customer",
			(*Shop).addPlan},
		{"tier", "name percent amount", "", "who sold amount in this month or the last earns percent",
			(*Shop).addTier},
		{"rewards", "", "", "tiers are assigned, friends and welcomes given or taken back", (*Shop).reward},
		{"affiliate", "email name", "id link percent status",
			"somebody joins; status=pending waits for approval; id is their own as a customer", (*Shop).addAffiliate},
		{"affiliate-plan", "email name", "", "an affiliate changes to a plan", (*Shop).changePlan},
		{"affiliate-status", "email status", "",
			"an affiliate is approved, declined, deactivated or banned", (*Shop).changeStatus},
		{"affiliate-payee", "email paypal", "",
			"an affiliate says to which PayPal account payouts go", (*Shop).setPayee},
		{"affiliate-delete", "email", "", "an affiliate leaves", (*Shop).deleteAffiliate},
		{"link", "email link", "", "an affiliate gets one more link", (*Shop).addLink},
		{"link-delete", "link", "", "a link is removed", (*Shop).deleteLink},
		{"coupon", "name", "percent amount limit until products",
			"a discount: percent or amount off", (*Shop).addCoupon},
		{"coupon-change", "name", "percent amount limit until valid", "a discount changes", (*Shop).changeCoupon},
		{"coupon-delete", "name", "", "a discount is removed with its codes", (*Shop).deleteCoupon},
		{"code", "code name", "email limit until minimum currency first own customer",
			"a code of the coupon name, for the affiliate email", (*Shop).addCode},
		{"code-change", "code", "limit until active", "a code changes", (*Shop).changeCode},
		{"code-delete", "code", "", "a code is removed", (*Shop).deleteCode},
		{"click", "link", "id", "a visit through a link", (*Shop).click},
		{"referral", "id email name", "link code", "a customer signs up through a link or a code", (*Shop).signUp},
		{"customer-status", "email status", "",
			"a subscription is ACTIVE, PAST_DUE, CANCELLED or DECLINED", (*Shop).pushStatus},
		{"referral-delete", "email", "", "a customer asks to be forgotten", (*Shop).deleteReferral},
		{"hold", "id code amount until", "email",
			"the payment page of an order opens: a place of the code is kept for amount, the basket",
			(*Shop).hold},
		{"release", "id", "", "the customer leaves the payment page", (*Shop).release},
		{"order", "id amount", "email name link code tax shipping product lines percent",
			"a payment, by code, link or a known customer", (*Shop).order},
		{"renewal", "id email amount", "tax product", "a payment of a subscription", (*Shop).order},
		{"refund", "id", "amount refund clawback",
			"money goes back: amount, or all that is left; clawback=yes: also after a payout",
			(*Shop).giveBack},
		{"cancel", "id", "", "an order is cancelled", (*Shop).cancel},
		{"chargeback", "id", "amount",
			"a bank takes a payment back; amount is the fee, which the affiliate bears",
			(*Shop).chargeBack},
		{"chargeback-won", "id", "", "the bank gives the payment and its fee back", (*Shop).winBack},
		{"bonus", "email name amount", "id",
			"an affiliate earns something beside sales; name is what for", (*Shop).bonus},
		{"payout", "id email", "until minimum", "one affiliate's commissions are gathered", (*Shop).payOut},
		{"payout-run", "id", "until minimum", "those of every affiliate are gathered", (*Shop).payRun},
		{"payout-paid", "id", "email", "a payout has been paid; of a run: email's, or all that are open", (*Shop).paid},
		{"payout-failed", "id", "email name", "a payout did not arrive; name is why", (*Shop).failed},
		{"payout-canceled", "id", "email", "a payout is given up; the next one takes what it held", (*Shop).canceled},
	}
}

// Signature lists the values. Those in brackets may be missing.
func (k Kind) Signature() string {
	if k.Takes == "" {
		return k.Needs
	}
	return k.Needs + " [" + k.Takes + "]"
}

// check returns an error that names what a row of the kind lacks or has too
// much.
func (k Kind) check(r row) error {
	needs, takes := strings.Fields(k.Needs), strings.Fields(k.Takes)
	for _, name := range needs {
		if !slices.Contains(r.has, name) {
			return mistake(k.Name + " needs " + name)
		}
	}
	for _, name := range r.has {
		if name != "at" && name != "kind" && !slices.Contains(needs, name) && !slices.Contains(takes, name) {
			return mistake(k.Name + " has no " + name)
		}
	}
	return nil
}

// unknown turns ErrNotFound into the mistake of a row that names a record that
// does not exist. It returns other errors unchanged.
func unknown(what, name string, err error) error {
	if errors.Is(err, affiliate.ErrNotFound) {
		return mistake(fmt.Sprintf("there is no %s %q", what, name))
	}
	return err
}

// affiliateID returns the id of the affiliate with an email.
func (s *Shop) affiliateID(ctx context.Context, email string) (uuid.UUID, error) {
	aff, err := s.Affiliate(ctx, email)
	return aff.ID, unknown("affiliate", email, err)
}

func (s *Shop) addPlan(ctx context.Context, r row) error {
	terms := affiliate.Terms{
		Rate: r.percent.Or(affiliate.Percent{}), MaxPayments: r.payments.Or(0),
		MaxMonths: r.months.Or(0), HoldDays: r.days.Or(0),
	}
	if amount, ok := r.amount.Get(); ok {
		terms.Type, terms.Rate = affiliate.CommissionFlat, affiliate.PercentFromScaled(amount.Scaled())
	}
	if most, ok := r.monthly.Get(); ok {
		terms.Budgets = []affiliate.Budget{{Of: affiliate.BudgetOfAffiliate, Per: affiliate.IntervalMonth, MaxCommission: most}}
	}
	from := affiliate.At(r.at)
	if amount, ok := r.friend.Get(); ok {
		terms.Bonuses = append(terms.Bonuses,
			affiliate.Bonus{Name: "Brought a friend", From: from, Customers: 1, Amount: amount})
	}
	if amount, ok := r.welcome.Get(); ok {
		terms.Bonuses = append(terms.Bonuses,
			affiliate.Bonus{Name: "Welcome", To: affiliate.BonusToCustomer, From: from, Customers: 1, Amount: amount})
	}
	plan, err := s.CreatePlan(ctx,
		affiliate.PlanParams{Name: r.name, Terms: terms,
			AutoApproveRewards: affiliate.Set(!r.hold.Or(false))})
	if err == nil {
		s.plans[r.name] = plan.ID
	}
	return err
}

func (s *Shop) addTier(ctx context.Context, r row) error {
	_, err := s.CreateTier(ctx, affiliate.TierParams{
		Tier: 1, Name: r.name, Rate: r.percent, MinRevenue: r.amount.Or(affiliate.Amount{}), Per: affiliate.IntervalMonth,
	})
	return err
}

// reward runs what a server runs every day.
func (s *Shop) reward(ctx context.Context, _ row) error {
	_, err := s.Program.Run(ctx, affiliate.AssignTiersJob{})
	if err == nil {
		_, err = s.Program.Run(ctx, affiliate.GrantBonusesJob{})
	}
	return err
}

func (s *Shop) addAffiliate(ctx context.Context, r row) error {
	first, last, _ := strings.Cut(r.name, " ")
	in := affiliate.AffiliateParams{
		FirstName: first, LastName: last, Email: r.email, AffiliateLink: r.link, CommissionRate: r.percent,
		ExternalID: r.id,
	}
	switch r.status {
	case "":
	case "pending":
		in.AffiliateStatus = "inactive"
	default:
		return mistake(fmt.Sprintf("status %q is not pending", r.status))
	}
	_, err := s.CreateAffiliate(ctx, in)
	return err
}

func (s *Shop) changePlan(ctx context.Context, r row) error {
	plan, ok := s.plans[r.name]
	if !ok {
		return mistake(fmt.Sprintf("there is no plan %q", r.name))
	}
	id, err := s.affiliateID(ctx, r.email)
	if err == nil {
		_, err = s.SetAffiliatePlan(ctx, plan, id)
	}
	return err
}

func (s *Shop) changeStatus(ctx context.Context, r row) error {
	moves := map[string]affiliate.AffiliateStatus{
		"approved": affiliate.AffiliateActive, "declined": affiliate.AffiliateDeclined,
		"deactivated": affiliate.AffiliateDeactivated, "banned": affiliate.AffiliateBanned,
	}
	move, ok := moves[r.status]
	if !ok {
		return mistake(fmt.Sprintf("status %q is none of approved, declined, deactivated, banned", r.status))
	}
	id, err := s.affiliateID(ctx, r.email)
	if err == nil {
		_, err = s.SetAffiliateStatus(ctx, move, id)
	}
	return err
}

func (s *Shop) deleteAffiliate(ctx context.Context, r row) error {
	return s.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{Email: r.email})
}

func (s *Shop) addLink(ctx context.Context, r row) error {
	_, err := s.CreateLink(ctx, affiliate.LinkParams{Link: r.link, AffiliateEmail: r.email})
	return err
}

func (s *Shop) deleteLink(ctx context.Context, r row) error {
	_, err := s.DeleteLink(ctx, affiliate.LinkRef{Slug: r.link})
	return err
}

func (s *Shop) addCoupon(ctx context.Context, r row) error {
	in := affiliate.CouponParams{
		Name: r.name, PercentOff: r.percent, MaxRedemptions: r.limit, RedeemBy: r.until,
		LimitToProducts: len(r.products) > 0, ProductIDs: r.products,
	}
	if _, flat := r.amount.Get(); flat {
		in.CouponType, in.AmountOff, in.Currency = affiliate.CouponFlat, r.amount, affiliate.Set(s.Config().Currency)
	}
	_, err := s.CreateCoupon(ctx, in)
	return err
}

func (s *Shop) coupon(ctx context.Context, name string) (affiliate.Coupon, error) {
	c, err := s.Coupon(ctx, affiliate.CouponRef{Name: name})
	return c, unknown("coupon", name, err)
}

func (s *Shop) changeCoupon(ctx context.Context, r row) error {
	c, err := s.coupon(ctx, r.name)
	if err != nil {
		return err
	}
	_, err = s.UpdateCoupon(ctx, c.ID, affiliate.CouponUpdate{
		PercentOff: r.percent, AmountOff: r.amount, MaxRedemptions: r.limit, RedeemBy: r.until, Valid: r.valid,
	})
	return err
}

func (s *Shop) deleteCoupon(ctx context.Context, r row) error {
	c, err := s.coupon(ctx, r.name)
	if err == nil {
		_, err = s.DeleteCoupon(ctx, c.ID)
	}
	return err
}

func (s *Shop) addCode(ctx context.Context, r row) error {
	c, err := s.coupon(ctx, r.name)
	if err != nil {
		return err
	}
	_, err = s.CreateCode(ctx, affiliate.CodeParams{
		CouponID: c.ID, Code: r.code, AffiliateEmail: r.email, ExpiresAt: r.until, MaxRedemptions: r.limit,
		FirstTimeOrder: r.first.Or(false), MinimumAmount: r.minimum, MinimumAmountCurrency: r.currency,
		LimitToAffiliate: r.own.Or(false), LimitToCustomers: r.customer != "", CustomerID: r.customer,
	})
	return err
}

func (s *Shop) code(ctx context.Context, text string) (affiliate.Code, error) {
	c, err := s.Code(ctx, affiliate.CodeRef{Code: text})
	return c, unknown("code", text, err)
}

func (s *Shop) changeCode(ctx context.Context, r row) error {
	c, err := s.code(ctx, r.code)
	if err == nil {
		_, err = s.UpdateCode(ctx, c.ID,
			affiliate.CodeUpdate{Active: r.active, MaxRedemptions: r.limit, ExpiresAt: r.until})
	}
	return err
}

func (s *Shop) deleteCode(ctx context.Context, r row) error {
	c, err := s.code(ctx, r.code)
	if err == nil {
		_, err = s.DeleteCode(ctx, c.ID)
	}
	return err
}

// click tracks a visit. It is not an error when the link no longer exists.
func (s *Shop) click(ctx context.Context, r row) error {
	_, err := s.TrackClick(ctx, affiliate.ClickParams{Slug: r.link, DeviceID: r.id})
	return s.tried(r, err, "unknown link")
}

func (s *Shop) signUp(ctx context.Context, r row) error {
	_, err := s.CreateReferral(ctx, affiliate.ReferralParams{
		AffiliateID: r.link, PromoCode: r.code, Name: r.name, Email: r.email, ReferredUserExternalID: r.id,
	})
	return s.tried(r, err, "unattributed")
}

// tried counts a row that was recorded, and one for which there was nothing to
// record. It returns other errors unchanged.
func (s *Shop) tried(r row, err error, missing string) error {
	if _, refused := errors.AsType[*affiliate.Error](err); refused {
		return err
	}
	switch {
	case err == nil:
		s.Outcomes[Outcome{r.kind, "recorded"}]++
	case errors.Is(err, affiliate.ErrNotFound):
		s.Outcomes[Outcome{r.kind, missing}]++
		err = nil
	}
	return err
}

func (s *Shop) pushStatus(ctx context.Context, r row) error {
	_, err := s.PushReferralStatus(ctx, r.email, affiliate.SubscriptionStatus(r.status))
	return err
}

func (s *Shop) deleteReferral(ctx context.Context, r row) error {
	return s.Forfeiting().DeleteReferral(ctx, r.email)
}

// hold keeps the place and the price of an order while the customer pays.
func (s *Shop) hold(ctx context.Context, r row) error {
	until, _ := r.until.Get()
	_, err := s.HoldRedemption(ctx, affiliate.HoldParams{
		ID: r.id, Until: until.Instant(s.Config().Location),
		Order: affiliate.Order{PromoCode: r.code, Subtotal: r.amount, Email: r.email},
	})
	if err == nil {
		s.held[r.id] = true
	}
	return s.tried(r, err, "unknown code")
}

// release gives the place of an order back.
func (s *Shop) release(ctx context.Context, r row) error {
	delete(s.held, r.id)
	_, err := s.ReleaseHold(ctx, r.id)
	return err
}

// order reports a payment, also of a subscription. It is not an error when no
// sale is recorded.
func (s *Shop) order(ctx context.Context, r row) error {
	in := affiliate.SaleParams{
		PromoCode: r.code, ReferralID: r.link, Email: r.email, Name: r.name, ExternalID: r.id,
		CommissionRate: r.percent, TotalEarned: r.amount.Or(affiliate.Amount{}),
		Tax: r.tax.Or(affiliate.Amount{}), Shipping: r.shipping.Or(affiliate.Amount{}),
	}
	in.Lines = r.lines
	if s.held[r.id] {
		in.HoldID = r.id
	}
	if r.product != "" {
		in.Product = affiliate.Set(affiliate.Product{ProductID: r.product})
	}
	result, err := s.RecordSale(ctx, in)
	if err == nil {
		s.Outcomes[Outcome{r.kind, string(result.Outcome)}]++
	}
	return err
}
