package relation

import (
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// The entries of lists in records, as their JSON shows them. Amounts and percents are in
// 1/10,000 and times in microseconds since 1970, as integers, so that SQL computes with
// them as with columns. A member that is none, false or empty is left out where a tag
// says so.

type questionAnswer struct {
	ID         uuid.UUID `json:"id"`
	QuestionID uuid.UUID `json:"question_id"`
	Answer     string    `json:"answer"`
}

func questionAnswerOf(v affiliate.Answer) questionAnswer { return questionAnswer(v) }

func (e questionAnswer) value() affiliate.Answer { return affiliate.Answer(e) }

type commission struct {
	ID           int64                                    `json:"commission_id"`
	AffiliateID  uuid.UUID                                `json:"affiliate_id"`
	Earned       int64                                    `json:"commission_earned"`
	PayoutID     uuid.UUID                                `json:"payout_id,omitzero"`
	BonusReason  string                                   `json:"bonus_reason,omitzero"`
	Approval     affiliate.Enum[affiliate.ApprovalStatus] `json:"approval_status"`
	HoldReason   affiliate.Enum[affiliate.HoldReason]     `json:"hold_reason,omitzero"`
	ManuallyPaid bool                                     `json:"manually_paid,omitzero"`
	Frozen       bool                                     `json:"frozen,omitzero"`
	ClawBack     bool                                     `json:"clawback,omitzero"`
	CreatedAt    int64                                    `json:"created_at"`
	UpdatedAt    int64                                    `json:"updated_at"`
	RiskReasons  []affiliate.RiskReason                   `json:"risk_reasons,omitempty"`
}

func commissionOf(v record.Commission) commission {
	return commission{
		v.Number, v.AffiliateID, v.Earned.Scaled(), v.PayoutID, v.BonusReason, v.Approval, v.HoldReason,
		v.ManuallyPaid, v.Frozen, v.ClawBack, micros(v.CreatedAt), micros(v.UpdatedAt), v.RiskReasons,
	}
}

func (e commission) value() record.Commission {
	return record.Commission{
		Number: e.ID, AffiliateID: e.AffiliateID, Earned: affiliate.AmountFromScaled(e.Earned), PayoutID: e.PayoutID,
		BonusReason: e.BonusReason, Approval: e.Approval, HoldReason: e.HoldReason,
		ManuallyPaid: e.ManuallyPaid, Frozen: e.Frozen, ClawBack: e.ClawBack,
		CreatedAt: instant(e.CreatedAt), UpdatedAt: instant(e.UpdatedAt), RiskReasons: e.RiskReasons,
	}
}

type refund struct {
	ID       string               `json:"refund_id,omitzero"`
	Amount   int64                `json:"amount"`
	Tax      affiliate.Opt[int64] `json:"tax,omitzero"`
	Shipping affiliate.Opt[int64] `json:"shipping,omitzero"`
	At       int64                `json:"at"`
	Fact     bool                 `json:"fact,omitzero"`
}

func refundOf(v record.Refund) refund {
	return refund{v.ID, v.Amount.Scaled(), mapped(v.Tax, affiliate.Amount.Scaled), mapped(v.Shipping, affiliate.Amount.Scaled), micros(v.At), v.Fact}
}

func (e refund) value() record.Refund {
	return record.Refund{
		ID: e.ID, Amount: affiliate.AmountFromScaled(e.Amount), Tax: mapped(e.Tax, affiliate.AmountFromScaled),
		Shipping: mapped(e.Shipping, affiliate.AmountFromScaled), At: instant(e.At), Fact: e.Fact,
	}
}

type line struct {
	ID           string             `json:"id,omitzero"`
	ProductID    string             `json:"product_id,omitzero"`
	PlanID       string             `json:"plan_id,omitzero"`
	Name         string             `json:"name,omitzero"`
	Categories   []string           `json:"categories,omitempty"`
	Quantity     int64              `json:"quantity"`
	Amount       int64              `json:"amount"`
	Discount     int64              `json:"discount,omitzero"`
	CodeDiscount int64              `json:"code_discount,omitzero"`
	Refunded     int64              `json:"refunded,omitzero"`
	Rule         string             `json:"rule,omitzero"`
	RuleType     affiliate.RuleType `json:"rule_type,omitzero"`
	RuleRate     int64              `json:"rule_rate,omitzero"`
	Whole        bool               `json:"whole,omitzero"`
}

func lineOf(v affiliate.StoredLine) line {
	return line{
		v.ID, v.ProductID, v.PlanID, v.Name, v.Categories, v.Quantity.Scaled(), v.Amount.Scaled(), v.Discount.Scaled(), v.CodeDiscount.Scaled(), v.Refunded.Scaled(),
		v.Rule, v.Pay.Type, v.Pay.Rate.Scaled(), v.Whole,
	}
}

func (e line) value() affiliate.StoredLine {
	return affiliate.StoredLine{
		ID: e.ID, ProductID: e.ProductID, PlanID: e.PlanID, Name: e.Name, Categories: e.Categories,
		Quantity: affiliate.AmountFromScaled(e.Quantity), Amount: affiliate.AmountFromScaled(e.Amount), Discount: affiliate.AmountFromScaled(e.Discount),
		CodeDiscount: affiliate.AmountFromScaled(e.CodeDiscount), Refunded: affiliate.AmountFromScaled(e.Refunded), Rule: e.Rule,
		Pay: affiliate.RulePay{Type: e.RuleType, Rate: affiliate.PercentFromScaled(e.RuleRate)}, Whole: e.Whole,
	}
}

type rule struct {
	Name string             `json:"name"`
	When affiliate.RuleWhen `json:"when,omitzero"`
	Type affiliate.RuleType `json:"pay_type"`
	Rate int64              `json:"pay_rate,omitzero"`
	Firm bool               `json:"firm,omitzero"`
}

func ruleOf(v affiliate.Rule) rule {
	return rule{v.Name, v.When, v.Pay.Type, v.Pay.Rate.Scaled(), v.Firm}
}

func (e rule) value() affiliate.Rule {
	return affiliate.Rule{Name: e.Name, When: e.When, Pay: affiliate.RulePay{Type: e.Type, Rate: affiliate.PercentFromScaled(e.Rate)}, Firm: e.Firm}
}

type budget struct {
	Of            affiliate.BudgetOf `json:"of"`
	Per           affiliate.Interval `json:"per,omitzero"`
	CouponID      uuid.UUID          `json:"coupon_id,omitzero"`
	UTMCampaign   string             `json:"utm_campaign,omitzero"`
	MaxCommission int64              `json:"max_commission,omitzero"`
	MaxRewards    int64              `json:"max_rewards,omitzero"`
	Whole         bool               `json:"whole,omitzero"`
}

func budgetOf(v affiliate.Budget) budget {
	return budget{v.Of, v.Per, v.CouponID, v.UTMCampaign, v.MaxCommission.Scaled(), v.MaxRewards, v.Whole}
}

func (e budget) value() affiliate.Budget {
	return affiliate.Budget{Of: e.Of, Per: e.Per, CouponID: e.CouponID, UTMCampaign: e.UTMCampaign,
		MaxCommission: affiliate.AmountFromScaled(e.MaxCommission), MaxRewards: e.MaxRewards, Whole: e.Whole}
}

type bonus struct {
	Name      string             `json:"name"`
	To        affiliate.BonusTo  `json:"to,omitzero"`
	From      affiliate.Date     `json:"from"`
	Per       affiliate.Interval `json:"per,omitzero"`
	SignUps   int64              `json:"sign_ups,omitzero"`
	Customers int64              `json:"customers,omitzero"`
	MinSpend  int64              `json:"min_spend,omitzero"`
	Revenue   int64              `json:"revenue,omitzero"`
	HoldDays  int64              `json:"hold_days,omitzero"`
	Times     int64              `json:"times,omitzero"`
	Amount    int64              `json:"amount"`
}

func bonusOf(v affiliate.Bonus) bonus {
	return bonus{v.Name, v.To, v.From, v.Per, v.SignUps, v.Customers, v.MinSpend.Scaled(), v.Revenue.Scaled(), v.HoldDays, v.Times, v.Amount.Scaled()}
}

func (e bonus) value() affiliate.Bonus {
	return affiliate.Bonus{Name: e.Name, To: e.To, From: e.From, Per: e.Per, SignUps: e.SignUps, Customers: e.Customers,
		MinSpend: affiliate.AmountFromScaled(e.MinSpend), Revenue: affiliate.AmountFromScaled(e.Revenue),
		HoldDays: e.HoldDays, Times: e.Times, Amount: affiliate.AmountFromScaled(e.Amount)}
}

type draw struct {
	ID      uuid.UUID            `json:"budget_id"`
	PlanID  uuid.UUID            `json:"commission_plan_id,omitzero"`
	OwnerID uuid.UUID            `json:"owner_id,omitzero"`
	From    affiliate.Opt[int64] `json:"period_from,omitzero"`
	budget
	Most affiliate.Opt[int64] `json:"most,omitzero"`
	Left int64                `json:"left,omitzero"`
}

func drawOf(v record.Draw) draw {
	return draw{v.ID, v.PlanID, v.OwnerID, optMicros(v.From), budgetOf(v.Budget), mapped(v.Most, affiliate.Amount.Scaled), v.Left.Scaled()}
}

func (e draw) value() record.Draw {
	return record.Draw{ID: e.ID, PlanID: e.PlanID, OwnerID: e.OwnerID, From: optInstant(e.From), Budget: e.budget.value(),
		Most: mapped(e.Most, affiliate.AmountFromScaled), Left: affiliate.AmountFromScaled(e.Left)}
}

type candidate struct {
	By          affiliate.CreditedBy `json:"by"`
	AffiliateID uuid.UUID            `json:"affiliate_id"`
}

func candidateOf(v record.Candidate) candidate { return candidate{v.By.Value(), v.AffiliateID} }

func (e candidate) value() record.Candidate {
	return record.Candidate{By: affiliate.EnumOf(e.By), AffiliateID: e.AffiliateID}
}

type version struct {
	From           int64                    `json:"from"`
	Type           affiliate.CommissionType `json:"commission_type,omitzero"`
	Rate           int64                    `json:"commission_rate"`
	MaxPayments    int64                    `json:"number_of_payments,omitzero"`
	MaxMonths      int64                    `json:"number_of_months,omitzero"`
	HoldDays       int64                    `json:"hold_days,omitzero"`
	Rules          []rule                   `json:"rules,omitempty"`
	MonthsFrom     affiliate.MonthsFrom     `json:"months_from,omitzero"`
	MaxPerSale     int64                    `json:"max_per_sale,omitzero"`
	MaxPerCustomer int64                    `json:"max_per_customer,omitzero"`
	Budgets        []budget                 `json:"budgets,omitempty"`
	Bonuses        []bonus                  `json:"bonuses,omitempty"`
	OfferCouponID  uuid.UUID                `json:"offer_coupon_id,omitzero"`
}

func versionOf(v affiliate.StoredTerms) version {
	t := &v.Terms
	return version{
		micros(v.From), t.Type, t.Rate.Scaled(), t.MaxPayments, t.MaxMonths, t.HoldDays, each(t.Rules, ruleOf), t.MonthsFrom,
		t.MaxPerSale.Scaled(), t.MaxPerCustomer.Scaled(), each(t.Budgets, budgetOf), each(t.Bonuses, bonusOf), t.OfferCouponID,
	}
}

func (e version) value() affiliate.StoredTerms {
	return affiliate.StoredTerms{From: instant(e.From), Terms: affiliate.Terms{
		Type: e.Type, Rate: affiliate.PercentFromScaled(e.Rate), MaxPayments: e.MaxPayments, MaxMonths: e.MaxMonths, HoldDays: e.HoldDays,
		Rules: each(e.Rules, rule.value), MonthsFrom: e.MonthsFrom,
		MaxPerSale: affiliate.AmountFromScaled(e.MaxPerSale), MaxPerCustomer: affiliate.AmountFromScaled(e.MaxPerCustomer),
		Budgets: each(e.Budgets, budget.value), Bonuses: each(e.Bonuses, bonus.value), OfferCouponID: e.OfferCouponID,
	}}
}

type handSet struct {
	Earned   int64 `json:"commission_earned"`
	Kept     int64 `json:"kept"`
	Named    int64 `json:"named_refunds,omitzero"`
	Tax      int64 `json:"tax_refunded,omitzero"`
	Shipping int64 `json:"shipping_refunded,omitzero"`
}

func handSetOf(v record.HandSet) handSet {
	return handSet{v.Earned.Scaled(), v.Kept.Scaled(), v.Named.Scaled(), v.Tax.Scaled(), v.Shipping.Scaled()}
}

func (e handSet) value() record.HandSet {
	return record.HandSet{
		Earned: affiliate.AmountFromScaled(e.Earned), Kept: affiliate.AmountFromScaled(e.Kept), Named: affiliate.AmountFromScaled(e.Named),
		Tax: affiliate.AmountFromScaled(e.Tax), Shipping: affiliate.AmountFromScaled(e.Shipping),
	}
}

type charge struct {
	Currency     affiliate.Currency   `json:"currency"`
	ExchangeRate int64                `json:"exchange_rate"`
	TotalEarned  int64                `json:"total_earned"`
	Subtotal     affiliate.Opt[int64] `json:"subtotal,omitzero"`
	Tax          int64                `json:"tax_amount"`
	Shipping     int64                `json:"shipping_amount"`
	Refunded     int64                `json:"refunded_amount"`
}

func chargeOf(v affiliate.Charge) charge {
	return charge{
		v.Currency, v.ExchangeRate.Scaled(), v.TotalEarned.Scaled(), mapped(v.Subtotal, affiliate.Amount.Scaled),
		v.TaxAmount.Scaled(), v.ShippingAmount.Scaled(), v.RefundedAmount.Scaled(),
	}
}

func (e charge) value() affiliate.Charge {
	return affiliate.Charge{
		Currency: e.Currency, ExchangeRate: affiliate.ExchangeRateFromScaled(e.ExchangeRate),
		TotalEarned: affiliate.AmountFromScaled(e.TotalEarned), Subtotal: mapped(e.Subtotal, affiliate.AmountFromScaled),
		TaxAmount: affiliate.AmountFromScaled(e.Tax), ShippingAmount: affiliate.AmountFromScaled(e.Shipping), RefundedAmount: affiliate.AmountFromScaled(e.Refunded),
	}
}

type payoutItem struct {
	Sale       int64     `json:"sale_id,omitzero"`
	Commission int64     `json:"commission_id,omitzero"`
	Adjustment uuid.UUID `json:"adjustment_id,omitzero"`
}

func payoutItemOf(v affiliate.PayoutItem) payoutItem { return payoutItem(v) }

func (e payoutItem) value() affiliate.PayoutItem { return affiliate.PayoutItem(e) }

type secret struct {
	Value     []byte               `json:"value"`
	Hint      string               `json:"hint"`
	ExpiresAt affiliate.Opt[int64] `json:"expires_at,omitzero"`
}

func secretOf(v record.Secret) secret { return secret{v.Value, v.Hint, optMicros(v.ExpiresAt)} }

func (e secret) value() record.Secret {
	return record.Secret{Value: e.Value, Hint: e.Hint, ExpiresAt: optInstant(e.ExpiresAt)}
}

type flight struct {
	Token    uuid.UUID `json:"token"`
	ObjectID uuid.UUID `json:"object_id"`
	Again    bool      `json:"again,omitzero"`
	Since    int64     `json:"since"`
	Until    int64     `json:"until"`
}

func flightOf(v record.Flight) flight {
	return flight{v.Token, v.ObjectID, v.Again, micros(v.Since), micros(v.Until)}
}

func (e flight) value() record.Flight {
	return record.Flight{Token: e.Token, ObjectID: e.ObjectID, Again: e.Again, Since: instant(e.Since), Until: instant(e.Until)}
}

type attempt struct {
	At       int64         `json:"at"`
	Manual   bool          `json:"manual,omitzero"`
	URL      string        `json:"url"`
	Status   int           `json:"status_code,omitzero"`
	Took     time.Duration `json:"duration_ns"`
	Err      string        `json:"error,omitzero"`
	Response string        `json:"response,omitzero"`
}

func attemptOf(v record.Attempt) attempt {
	return attempt{micros(v.At), v.Manual, v.URL, v.Status, v.Took, v.Err, v.Response}
}

func (e attempt) value() record.Attempt {
	return record.Attempt{At: instant(e.At), Manual: e.Manual, URL: e.URL, Status: e.Status, Took: e.Took, Err: e.Err, Response: e.Response}
}

type paymentRefund struct {
	ID       string                `json:"refund_id"`
	Amount   int64                 `json:"amount"`
	Tax      affiliate.Opt[int64]  `json:"tax,omitzero"`
	Shipping affiliate.Opt[int64]  `json:"shipping,omitzero"`
	State    affiliate.RefundState `json:"state"`
	Late     bool                  `json:"late,omitzero"`
}

func paymentRefundOf(v affiliate.PaymentRefund) paymentRefund {
	return paymentRefund{v.ID, v.Amount.Scaled(), mapped(v.Tax, affiliate.Amount.Scaled), mapped(v.Shipping, affiliate.Amount.Scaled), v.State, v.Late}
}

func (e paymentRefund) value() affiliate.PaymentRefund {
	return affiliate.PaymentRefund{
		ID: e.ID, Amount: affiliate.AmountFromScaled(e.Amount), Tax: mapped(e.Tax, affiliate.AmountFromScaled),
		Shipping: mapped(e.Shipping, affiliate.AmountFromScaled), State: e.State, Late: e.Late,
	}
}

type paymentDispute struct {
	ID      string                 `json:"dispute_id"`
	Amount  int64                  `json:"amount"`
	State   affiliate.DisputeState `json:"state"`
	At      int64                  `json:"at"`
	Warning bool                   `json:"warning,omitzero"`
	Late    bool                   `json:"late,omitzero"`
}

func paymentDisputeOf(v affiliate.PaymentDispute) paymentDispute {
	return paymentDispute{v.ID, v.Amount.Scaled(), v.State, micros(v.At), v.Warning, v.Late}
}

func (e paymentDispute) value() affiliate.PaymentDispute {
	return affiliate.PaymentDispute{ID: e.ID, Amount: affiliate.AmountFromScaled(e.Amount), State: e.State, At: instant(e.At), Warning: e.Warning, Late: e.Late}
}

type waitingSale struct {
	TotalEarned int64                    `json:"total_earned"`
	Currency    affiliate.Currency       `json:"currency,omitzero"`
	Subtotal    affiliate.Opt[int64]     `json:"subtotal,omitzero"`
	Tax         int64                    `json:"tax_amount"`
	Shipping    int64                    `json:"shipping_amount"`
	ExternalID  string                   `json:"external_id,omitzero"`
	InvoiceID   string                   `json:"external_invoice_id,omitzero"`
	Rate        affiliate.Opt[int64]     `json:"commission_rate,omitzero"`
	ProductID   string                   `json:"product_id,omitzero"`
	ProductName string                   `json:"product_name,omitzero"`
	Lines       []line                   `json:"lines,omitempty"`
	Trigger     affiliate.PaymentTrigger `json:"payment_trigger,omitzero"`
	Free        bool                     `json:"free,omitzero"`
	Renewal     bool                     `json:"renewal,omitzero"`
	Nothing     bool                     `json:"nothing,omitzero"`
	Untold      bool                     `json:"untold,omitzero"`
	Payment     int64                    `json:"payment,omitzero"`
	Awaits      string                   `json:"awaits,omitzero"`
	PaidAt      affiliate.Opt[int64]     `json:"paid_at,omitzero"`
	Tries       []credit                 `json:"tries"`
}

func waitingSaleOf(v affiliate.WaitingSale) waitingSale {
	return waitingSale{
		v.TotalEarned.Scaled(), v.Currency, mapped(v.Subtotal, affiliate.Amount.Scaled), v.Tax.Scaled(), v.Shipping.Scaled(), v.ExternalID, v.InvoiceID,
		mapped(v.Rate, affiliate.Percent.Scaled), v.ProductID, v.ProductName, each(v.Lines, lineOf), v.Trigger, v.Free, v.Renewal, v.Nothing, v.Untold, v.Payment, v.Awaits,
		optMicros(v.PaidAt), each(v.Tries, func(c affiliate.Credit) credit { return credit(c) }),
	}
}

func (e waitingSale) value() affiliate.WaitingSale {
	return affiliate.WaitingSale{
		TotalEarned: affiliate.AmountFromScaled(e.TotalEarned), Currency: e.Currency, Subtotal: mapped(e.Subtotal, affiliate.AmountFromScaled),
		Tax: affiliate.AmountFromScaled(e.Tax), Shipping: affiliate.AmountFromScaled(e.Shipping), ExternalID: e.ExternalID, InvoiceID: e.InvoiceID,
		Rate: mapped(e.Rate, affiliate.PercentFromScaled), ProductID: e.ProductID, ProductName: e.ProductName, Lines: each(e.Lines, line.value), Trigger: e.Trigger,
		Free: e.Free, Renewal: e.Renewal, Nothing: e.Nothing, Untold: e.Untold, Payment: e.Payment, Awaits: e.Awaits, PaidAt: optInstant(e.PaidAt),
		Tries: each(e.Tries, func(c credit) affiliate.Credit { return affiliate.Credit(c) }),
	}
}

type credit struct {
	PromoCode      string `json:"promo_code,omitzero"`
	CodeExternalID string `json:"code_external_id,omitzero"`
	ReferralID     string `json:"referral_id,omitzero"`
	HoldID         string `json:"hold_id,omitzero"`
	Offer          bool   `json:"offer,omitzero"`
}

type subscription struct {
	ID     string                       `json:"subscription_id"`
	Status affiliate.SubscriptionStatus `json:"status"`
	At     int64                        `json:"at"`
}

func subscriptionOf(v affiliate.Subscription) subscription {
	return subscription{v.ID, v.Status, micros(v.At)}
}

func (e subscription) value() affiliate.Subscription {
	return affiliate.Subscription{ID: e.ID, Status: e.Status, At: instant(e.At)}
}

func micros(i affiliate.Instant) int64 { return i.Time().UnixMicro() }

func instant(n int64) affiliate.Instant { return affiliate.InstantOf(time.UnixMicro(n)) }

// optMicros returns a time that may be none.
func optMicros(i affiliate.Instant) (n affiliate.Opt[int64]) {
	if !i.IsZero() {
		n = affiliate.Set(micros(i))
	}
	return n
}

func optInstant(n affiliate.Opt[int64]) (i affiliate.Instant) {
	if n, ok := n.Get(); ok {
		i = instant(n)
	}
	return i
}

// mapped returns an optional value as another one.
func mapped[V, M any](v affiliate.Opt[V], to func(V) M) (m affiliate.Opt[M]) {
	if v, ok := v.Get(); ok {
		return affiliate.Set(to(v))
	}
	if v.IsNull() {
		return affiliate.Null[M]()
	}
	return m
}

// each returns the entries of a list as others. Nil stays nil.
func each[V, M any](list []V, to func(V) M) []M {
	if list == nil {
		return nil
	}
	entries := make([]M, len(list))
	for i, v := range list {
		entries[i] = to(v)
	}
	return entries
}
