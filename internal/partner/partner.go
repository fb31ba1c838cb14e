package partner

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/partner"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/payout"
	"github.com/tributary-go/tributary/internal/reading"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A Partner is one affiliate's view of the program: what this affiliate may see, and
// nothing of anybody else. It is a value, safe for concurrent use.
//
// Customers are masked by [affiliate.MaskEmail]. It never shows a customer's name, an
// external id, a note, metadata, a landing page or a product of a sale, nor which rule of
// Config.Review held a commission.
//
// Source: docs/contract.md 4.7.
type Partner struct {
	p  *engine.Program
	id uuid.UUID
}

// PartnerIn implements tributary.Program.Partner.
func PartnerIn(p *engine.Program, affiliate uuid.UUID) Partner { return Partner{p, affiliate} }

// self is the program for what the affiliate changes.
func (v Partner) self() *engine.Program {
	return v.p.From(affiliate.SourceAffiliatePortal).By("affiliate:" + v.id.String())
}

// Profile implements tributary.Partner.Profile.
func (v Partner) Profile(ctx context.Context) (partner.Profile, error) {
	a, err := v.p.Affiliate(ctx, v.id.String())
	if err == nil && a.ID != v.id { // whoever was merged into another one has no view of their own
		err = affiliate.ErrNotFound
	}
	if err != nil {
		return partner.Profile{}, err
	}
	return v.profileOf(a), nil
}

func (v Partner) profileOf(a affiliate.Affiliate) partner.Profile {
	return partner.Profile{
		ID: a.ID, Name: a.Name, Email: a.Email, Language: a.Language, Status: a.Status, CommissionRate: a.CommissionRate,
		PayoutEmail: a.PayoutEmail, PaymentMethod: a.PaymentMethod, DetailsComplete: a.DetailsComplete,
		NumberOfClicks: a.NumberOfClicks, NumberOfReferredUsers: a.NumberOfReferredUsers,
		TotalRevenue: a.TotalRevenue, TotalCommissionEarned: a.TotalCommissionEarned, CreatedAt: a.CreatedAt,
		Program: partner.Program{Name: v.p.Cfg.Name, Currency: v.p.Cfg.Currency},
	}
}

// Terms implements tributary.Partner.Terms.
func (v Partner) Terms(ctx context.Context) (_ []affiliate.DatedTerms, err error) {
	defer v.p.Begin(&ctx, "PartnerTerms", engine.Reads).End(&err)
	return engine.View(ctx, v.p, func(o *engine.Op) ([]affiliate.DatedTerms, error) {
		rec, err := o.Tx.Affiliates.Get(v.id)
		if err != nil {
			return nil, err
		}
		all, err := o.TermsReaching(&rec)
		for i := range all {
			for j := range all[i].Rules {
				all[i].Rules[j].Name = "" // the program's own word
			}
			all[i].Budgets = slices.DeleteFunc(all[i].Budgets, func(b affiliate.Budget) bool {
				return b.Of != affiliate.BudgetOfAffiliate // what others may earn too is the program's own
			})
		}
		return all, err
	})
}

// Bonuses implements tributary.Partner.Bonuses.
func (v Partner) Bonuses(ctx context.Context) ([]affiliate.BonusProgress, error) {
	return v.p.Bonuses(ctx, affiliate.AffiliateRef{ID: v.id})
}

// Offer implements tributary.Partner.Offer.
func (v Partner) Offer(ctx context.Context) (_ affiliate.Opt[affiliate.Offer], err error) {
	defer v.p.Begin(&ctx, "PartnerOffer", engine.Reads).End(&err)
	now := v.p.Now()
	return engine.View(ctx, v.p, func(o *engine.Op) (none affiliate.Opt[affiliate.Offer], err error) {
		o.Now = now
		rec, err := o.Tx.Affiliates.Get(v.id)
		if err != nil {
			return none, err
		}
		return o.ShownOffer(&rec)
	})
}

// Balance implements tributary.Partner.Balance.
func (v Partner) Balance(ctx context.Context) (affiliate.Balance, error) {
	return reading.Balance(ctx, v.p, affiliate.AffiliateRef{ID: v.id})
}

// Due implements tributary.Partner.Due.
func (v Partner) Due(ctx context.Context) (partner.Due, error) {
	due, err := reading.DueTo(ctx, v.p, v.id)
	if err != nil {
		return partner.Due{}, err
	}
	out := partner.Due{Balance: due.Balance, Days: make([]partner.DueDay, len(due.Days))}
	for i, d := range due.Days {
		out.Days[i] = partner.DueDay(d)
	}
	return out, nil
}

// Statement implements tributary.Partner.Statement.
func (v Partner) Statement(ctx context.Context, from, to time.Time) (affiliate.Statement, error) {
	return reading.Statement(ctx, v.p, affiliate.AffiliateRef{ID: v.id}, from, to)
}

// Report implements tributary.Partner.Report.
func (v Partner) Report(ctx context.Context, from, to time.Time, by affiliate.Interval) ([]affiliate.Bucket, error) {
	days, err := reading.Report(ctx, v.p,
		affiliate.ReportQuery{From: from, To: to, By: by, AffiliateID: affiliate.Set(v.id)},
		affiliate.Page{})
	return days.Items, err
}

// dimensions are those of what an affiliate has or does.
var dimensions = []affiliate.Dimension{
	affiliate.DimensionLink, affiliate.DimensionCode, affiliate.DimensionLandingPage,
	affiliate.DimensionUTMSource, affiliate.DimensionUTMMedium, affiliate.DimensionUTMCampaign, affiliate.DimensionSub,
}

// Breakdown implements tributary.Partner.Breakdown.
func (v Partner) Breakdown(ctx context.Context, from, to time.Time, by affiliate.Dimension,
	pg affiliate.Page) (affiliate.List[affiliate.BreakdownRow], error) {
	if by != "" {
		if err := refusal.First(engine.InQuery(refusal.OneOf("by", by, dimensions))); err != nil {
			return affiliate.List[affiliate.BreakdownRow]{}, err
		}
	}
	return reading.Breakdown(ctx, v.p,
		affiliate.BreakdownQuery{From: from, To: to, By: by, AffiliateID: affiliate.Set(v.id)}, pg)
}

// SetPayoutDetails implements tributary.Partner.SetPayoutDetails.
func (v Partner) SetPayoutDetails(ctx context.Context, d affiliate.PayoutDetails) (partner.Profile, error) {
	a, err := v.self().ChangePayoutDetails(ctx, v.id, d, func(rec *record.Affiliate) error {
		if rec.ID != v.id {
			return refusal.RefuseNoAffiliate.Err()
		}
		if rec.Status != affiliate.AffiliateActive {
			return refusal.StatusNotAllowed.Err()
		}
		return nil
	})
	if err != nil {
		return partner.Profile{}, err
	}
	return v.profileOf(a), nil
}

// ExplainSale implements tributary.Partner.ExplainSale.
func (v Partner) ExplainSale(ctx context.Context, id affiliate.SaleID) (_ partner.Explanation, err error) {
	defer v.p.Begin(&ctx, "PartnerExplainSale", engine.Reads).End(&err)
	return engine.View(ctx, v.p, func(o *engine.Op) (out partner.Explanation, err error) {
		rec, err := o.SaleByNumber(id)
		if err == nil && rec.AffiliateID != v.id {
			err = affiliate.ErrNotFound
		}
		if err != nil {
			return out, err
		}
		e, err := reading.Explain(o, &rec)
		if err != nil {
			return out, err
		}
		out = v.explanationOf(&e)
		out.Sale, err = partnerSale(o, rec)
		return out, err
	})
}

// explanationOf returns an explanation as the affiliate sees it.
func (v Partner) explanationOf(e *affiliate.Explanation) partner.Explanation {
	out := partner.Explanation{
		By: e.Credit.By, ClickAt: e.Credit.ClickAt, CustomerSince: e.Credit.ReferralAt,
		CommissionType: e.Terms.CommissionType, CommissionRate: e.Terms.CommissionRate,
		RateFrom: e.Terms.RateFrom, Payment: e.Terms.Payment, Over: e.Terms.Over, Base: e.Base,
		Arithmetic: e.Arithmetic, Lines: []affiliate.ExplainedLine{}, Entries: []partner.Entry{},
		Changes: []partner.Change{},
	}
	for _, b := range e.Budgets { // how much others have earned is the program's own
		if most, cut := b.Most.Get(); cut && e.Arithmetic.ByHand.IsNull() {
			out.Arithmetic.Cap = affiliate.Set(engine.Capped(most, out.Arithmetic.Cap))
		}
	}
	for _, l := range e.Lines {
		l.ID, l.Rule = affiliate.Null[string](), affiliate.Null[string]() // the program's own words
		out.Lines = append(out.Lines, l)
	}
	for i := range e.Commissions {
		c := &e.Commissions[i]
		out.Entries = append(out.Entries, partner.Entry{
			Amount: c.CommissionEarned, ApprovalStatus: c.ApprovalStatus,
			HoldReason: engine.OrNull(told(c.HoldReason.Or(""))), PayableAt: c.PayableAt,
			PayoutID: c.PayoutID, AfterPayout: c.ClawBack,
		})
	}
	for i := range slices.Backward(e.Movements) {
		if m := &e.Movements[i]; m.AffiliateID == v.id { // others are from before the sale was theirs
			out.Changes = append(out.Changes,
				partner.Change{At: m.At, Cause: m.Cause, From: m.From, To: m.To, Amount: m.Amount})
		}
	}
	return out
}

// spent returns the key under which a name of the affiliate is used up. Its owner sends
// no idempotency keys, so it never meets one.
func (v Partner) spent(name string) affiliate.Once {
	return affiliate.Once{Key: name, Owner: "spent:" + v.id.String()}
}

// Spend implements tributary.Partner.Spend.
func (v Partner) Spend(ctx context.Context, name string) (first bool, err error) {
	defer v.p.Begin(&ctx, "PartnerSpend", engine.Writes).End(&err)
	if name == "" {
		return false, refusal.RefuseKey.Err()
	}
	once, again := v.spent(name), false
	once.Replayed = func([]byte) { again = true }
	_, err = engine.Write(v.p.Op(ctx), engine.Request{Once: once, Name: "spend"},
		func() (struct{}, error) { return struct{}{}, nil })
	return err == nil && !again, err
}

// Spent implements tributary.Partner.Spent.
func (v Partner) Spent(ctx context.Context, name string) (spent bool, err error) {
	defer v.p.Begin(&ctx, "PartnerSpent", engine.Reads).End(&err)
	return engine.View(ctx, v.p, func(o *engine.Op) (bool, error) {
		_, expired, err := o.ReceiptOf(engine.OwnedKey(v.spent(name)))
		if errors.Is(err, affiliate.ErrNotFound) {
			return false, nil
		}
		return err == nil && !expired, err
	})
}

// Payouts implements tributary.Partner.Payouts.
func (v Partner) Payouts(ctx context.Context, pg affiliate.Page) (affiliate.List[partner.Payout], error) {
	if pg == (affiliate.Page{}) {
		pg.Limit = affiliate.PageSize
	}
	payouts, err := payout.Payouts(ctx, v.p, affiliate.PayoutQuery{AffiliateID: affiliate.Set(v.id)}, pg)
	return shownTo(payouts, err, v.payoutOf)
}

// Payout implements tributary.Partner.Payout.
func (v Partner) Payout(ctx context.Context, id uuid.UUID) (partner.Payout, error) {
	p, err := payout.Payout(ctx, v.p, id)
	if err == nil && p.AffiliateID != v.id {
		err = affiliate.ErrNotFound
	}
	if err != nil {
		return partner.Payout{}, err
	}
	return v.payoutOf(p), nil
}

func (v Partner) payoutOf(p affiliate.Payout) partner.Payout {
	out := partner.Payout{
		ID: p.ID, Amount: p.Amount, Currency: p.Currency, Status: p.Status,
		PaymentMethod: p.PaymentMethod, PayeeEmail: affiliate.Null[string](),
		PeriodStart: p.PeriodStart, PeriodEnd: p.PeriodEnd, PaidAt: p.PaidAt,
		FailedReason: p.FailedReason, ReturnedAt: p.ReturnedAt, ReturnedReason: p.ReturnedReason,
		CreatedAt: p.CreatedAt,
	}
	if email, known := p.PayeeEmail.Get(); known {
		out.PayeeEmail = affiliate.Set(affiliate.MaskEmail(email, v.id))
	}
	return out
}

// PayoutEntries implements tributary.Partner.PayoutEntries.
func (v Partner) PayoutEntries(ctx context.Context, id uuid.UUID,
	pg affiliate.Page) (_ affiliate.List[affiliate.PayoutEntry], err error) {
	defer v.p.Begin(&ctx, "PartnerPayoutEntries", engine.Reads).End(&err)
	return payout.PayoutEntriesIn(ctx, v.p, id, v.id, pg)
}

// AdjustmentReasons implements tributary.Partner.AdjustmentReasons.
func (v Partner) AdjustmentReasons(ctx context.Context, ids ...uuid.UUID) (_ map[uuid.UUID]string, err error) {
	defer v.p.Begin(&ctx, "PartnerAdjustmentReasons", engine.Reads).End(&err)
	return payout.AdjustmentReasonsIn(ctx, v.p, v.id, ids)
}

// told returns a reason of a hold as the affiliate sees it, which does not reveal that a
// rule suspects the sale.
func told(h affiliate.HoldReason) affiliate.HoldReason {
	if h == affiliate.HoldFraudPrevention {
		return affiliate.HoldProgramSettings
	}
	return h
}

// OpenCase implements tributary.Partner.OpenCase.
func (v Partner) OpenCase(ctx context.Context, in affiliate.CaseParams) (partner.Case, error) {
	if in.AffiliateID != uuid.Nil && in.AffiliateID != v.id {
		return partner.Case{}, refusal.IdentifiersMismatch.Err()
	}
	in.AffiliateID = v.id
	c, err := v.self().OpenCaseOf(ctx, in, func(rec *record.Affiliate) error {
		if rec.ID != v.id { // merged into another one
			return refusal.RefuseNoAffiliate.Err()
		}
		return nil
	})
	if err != nil {
		return partner.Case{}, err
	}
	return caseOf(c), nil
}

// Cases implements tributary.Partner.Cases.
func (v Partner) Cases(ctx context.Context, pg affiliate.Page) (affiliate.List[partner.Case], error) {
	if pg == (affiliate.Page{}) {
		pg.Limit = affiliate.PageSize
	}
	cases, err := v.p.Cases(ctx, affiliate.CaseQuery{AffiliateID: affiliate.Set(v.id)}, pg)
	return shownTo(cases, err, caseOf)
}

func caseOf(c affiliate.Case) partner.Case {
	return partner.Case{ID: c.ID, Kind: c.Kind, SaleID: c.SaleID, ExternalID: c.ExternalID,
		Text: c.Text, Status: c.Status, Answer: c.Answer, AnsweredAt: c.AnsweredAt, CreatedAt: c.CreatedAt}
}
