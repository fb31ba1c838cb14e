package affiliate

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"
)

// Sale returns a sale.
//
// Errors: [ErrNotFound].
//
// Source: docs/contract.md 3.7.
func (p *Program) Sale(ctx context.Context, id SaleID) (_ Sale, err error) {
	defer p.begin(&ctx, "Sale", reads).end(&err)
	return view(ctx, p, func(o *op) (Sale, error) {
		rec, err := o.saleByNumber(id)
		if err != nil {
			return Sale{}, err
		}
		return o.saleOf(rec)
	})
}

// Sales lists sales, newest first. A filter with an unknown value gives an
// empty list.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/contract.md 3.7.
func (p *Program) Sales(ctx context.Context, f SaleFilter, pg Page) (_ List[Sale], err error) {
	defer p.begin(&ctx, "Sales", reads).end(&err)
	l, err := p.listing(pg, "sales", f)
	if err != nil {
		return List[Sale]{}, err
	}
	return view(ctx, p, func(o *op) (List[Sale], error) {
		return chosen(o.tx.Sales, o.chooseSales(f), l, o.saleOf)
	})
}

// chooseSales turns the filter into a choice.
func (o *op) chooseSales(f SaleFilter) (c choice[SaleRecord]) {
	c.byOwner(o, f.AffiliateID, f.AffiliateEmail, func(r *SaleRecord) uuid.UUID { return r.AffiliateID })
	if ident, set := wanted(&c, f.ReferralID); set {
		ref, err := o.findReferral(ident)
		c.fail(err)
		c.bound += string(ref.ID[:])
		c.byID(OfReferral, Set(ref.ID), func(r *SaleRecord) uuid.UUID { return r.ReferralID })
	}
	c.byText(ByInvoice, f.ExternalInvoiceID, func(r *SaleRecord) string { return r.InvoiceID })
	c.byText(ByExternalID, f.ExternalID, func(r *SaleRecord) string { return r.ExternalID })
	return c
}

func (o *op) saleByNumber(id SaleID) (SaleRecord, error) {
	if id <= 0 {
		return SaleRecord{}, ErrNotFound
	}
	return o.tx.Sales.Find(Key{Index: ByNumber, ID: numberID(int64(id))})
}

// A saleBody is a sale with all related data that its answers and events show,
// read in one transaction. An event keeps it, so it is not changed after the
// event is written. Answers are copies that share no memory with it.
type saleBody struct {
	frozen
	rec      SaleRecord
	owner    seller
	links    []LinkRecord // of the owner, oldest first
	customer *customerBody
	room     [1]CommissionRecord // of rec, as long as it has one
	linkRoom [1]LinkRecord       // of links, as long as there is one
}

// seller is the part of an affiliate that sales and referrals show.
type seller struct {
	firstName, lastName, email string
	status                     Enum[AffiliateStatus]
}

// seller is the affiliate as sales show it.
func (r *AffiliateRecord) seller() seller {
	return seller{r.FirstName, r.LastName, r.Email, EnumOf(r.Status)}
}

// customerBody is the referral of a sale with its totals: a [ReferralRecord] in
// two thirds of its bytes, because every sale of a customer has one.
type customerBody struct {
	id, affiliate, link, plan                     uuid.UUID
	name, email, customerID, planName, landedPage string
	notes                                         Opt[string]
	metadata                                      json.RawMessage
	revenue, commission                           Amount
	created, updated                              Instant
	status                                        Enum[SubscriptionStatus]
	submission                                    Enum[SubmissionType]
	medium                                        Enum[ReferralMedium]
	source                                        Enum[ReferralSource]
	integration                                   Enum[Integration]
}

func customerOf(r *ReferralRecord, totals TotalsRecord) *customerBody {
	return &customerBody{
		id: r.ID, affiliate: r.AffiliateID, link: r.LinkID, plan: r.PlanID, name: r.Name, email: r.Email,
		customerID: r.CustomerID, planName: r.Plan, landedPage: r.LandingPage, notes: r.Notes, metadata: r.Metadata,
		revenue: totals.Revenue, commission: totals.Commission, created: r.CreatedAt, updated: r.UpdatedAt,
		status: EnumOf(r.Status), submission: EnumOf(r.SubmissionType), medium: EnumOf(r.Medium),
		source: EnumOf(r.Source), integration: EnumOf(r.Integration),
	}
}

// referral is the referral as the wire shows it.
func (c *customerBody) referral(program uuid.UUID) Referral {
	return referralWith(program, ReferralRecord{
		ID: c.id, AffiliateID: c.affiliate, LinkID: c.link, PlanID: c.plan, Name: c.name, Email: c.email,
		CustomerID: c.customerID, Plan: c.planName, LandingPage: c.landedPage, Notes: c.notes, Metadata: c.metadata,
		CreatedAt: c.created, UpdatedAt: c.updated, Status: c.status.Value(), SubmissionType: c.submission.Value(),
		Medium: c.medium.Value(), Source: c.source.Value(), Integration: c.integration.Value(),
	}, TotalsRecord{Revenue: c.revenue, Commission: c.commission})
}

// saleOf is the sale as the wire shows it.
func (o *op) saleOf(rec SaleRecord) (Sale, error) {
	b, err := o.saleBody(rec)
	if err != nil {
		return Sale{}, err
	}
	return b.sale(), nil
}

// saleBody reads the related data of a stored sale.
func (o *op) saleBody(rec SaleRecord) (*saleBody, error) {
	b := &saleBody{frozen: frozen{program: o.cfg.ID}, rec: rec}
	aff, err := o.tx.Affiliates.Get(rec.AffiliateID)
	if err != nil {
		return nil, internal("affiliate of a sale", err)
	}
	b.owner = aff.seller()
	var ref ReferralRecord
	if rec.ReferralID != uuid.Nil {
		if ref, err = o.tx.Referrals.Get(rec.ReferralID); err != nil {
			return nil, internal("referral of a sale", err)
		}
	}
	return b, o.complete(b, &ref)
}

// complete reads the links of the affiliate and the totals of the customer.
func (o *op) complete(b *saleBody, ref *ReferralRecord) (err error) {
	b.links, err = o.links.into(b.linkRoom[:0], o.tx.Links, Query{Key: Key{Index: OfAffiliate, ID: b.rec.AffiliateID}})
	if err != nil {
		return internal("read links", err)
	}
	if ref.ID == uuid.Nil {
		return nil
	}
	totals, err := o.totals(ref.ID)
	b.customer = customerOf(ref, totals)
	return err
}

// sale is the sale as the API answers it.
func (b *saleBody) sale() Sale {
	var s Sale
	b.fillSale(&s)
	return s
}

// fillSale fills in the sale in place, because a sale has a thousand bytes.
func (b *saleBody) fillSale(s *Sale) {
	rec := &b.rec
	*s = Sale{
		ID: SaleID(rec.Number), AffiliateID: rec.AffiliateID, ReferralID: orNull(rec.ReferralID),
		AffiliateProgramID: b.program, AffiliateLinkID: orNull(rec.LinkID), PromotionalCodeID: orNull(rec.CodeID),
		ExternalID: orNull(rec.ExternalID), ExternalInvoiceID: orNull(rec.InvoiceID),
		Name: orNull(rec.Name), Email: orNull(rec.Email), TotalEarned: rec.TotalEarned,
		Subtotal:  nothingOrNull(rec.Subtotal),
		TaxAmount: rec.Tax, ShippingAmount: rec.Shipping, CommissionRate: rec.Rate,
		ProductsBought: emptyNotNil(slices.Clone(rec.Products)), Clicks: rec.Clicks, Status: rec.Status.Value(),
		RefundedAmount: rec.Refunded, RefundedAt: timeOrNull(rec.RefundedAt), PaymentTrigger: rec.Trigger.Value(),
		Source: rec.Source.Value(), IntegrationSalesSource: orNull(rec.Integration.Value()), Metadata: metadataOf(rec.Metadata),
		CreatedAt: TimeOf(rec.CreatedAt.Time()), UpdatedAt: TimeOf(rec.UpdatedAt.Time()),
		Affiliate: summaryOf(b.program, rec.AffiliateID, b.owner, b.links), Referral: Null[Referral](),
		Commissions: rec.commissionsOf(),
	}
	if !rec.PaidAt.IsZero() {
		s.PaidAt = TimeOf(rec.PaidAt.Time())
	}
	s.CommissionEarned, _ = rec.commissionEarned() // its sum was checked when the sale was stored
	if b.customer != nil {
		s.Referral = Set(b.customer.referral(b.program))
	}
}

// MarshalJSON writes the sale as events show it.
func (b *saleBody) MarshalJSON() ([]byte, error) { return b.appendJSON(nil), nil }

// appendJSON appends what MarshalJSON writes.
func (b *saleBody) appendJSON(dst []byte) []byte {
	var s Sale
	b.fillSale(&s)
	s.Affiliate.Link = oldestSlug(s.Affiliate.AffiliateLinks)
	return s.AppendJSON(dst)
}

// appendAnswer appends the sale as the API answers it.
func (b *saleBody) AppendAnswer(dst []byte) []byte {
	var s Sale
	b.fillSale(&s)
	return s.AppendJSON(slices.Grow(dst, saleRoom))
}

// commissionsOf is a sale's commissions as the wire shows them.
func (r *SaleRecord) commissionsOf() []Commission {
	out := make([]Commission, len(r.Commissions))
	for i := range r.Commissions {
		c := &r.Commissions[i]
		out[i] = Commission{
			ID: CommissionID(c.Number), SaleID: SaleID(r.Number), AffiliateID: c.AffiliateID,
			CommissionEarned: c.Earned, ApprovalStatus: c.Approval.Value(), RewardType: RewardCash,
			PayoutCreated: c.PayoutID != uuid.Nil, PayoutID: orNull(c.PayoutID), ManuallyPaid: c.ManuallyPaid,
			HoldReason: orNull(c.HoldReason.Value()), BonusReason: orNull(c.BonusReason),
			ClawBack: c.ClawBack, PayableAt: timeOrNull(r.payableAt(c)), RiskReasons: emptyNotNil(slices.Clone(c.RiskReasons)),
			CreatedAt: TimeOf(c.CreatedAt.Time()), UpdatedAt: TimeOf(c.UpdatedAt.Time()),
		}
	}
	return out
}

// findSale finds a sale by the first field of ref that is set.
func (o *op) findSale(ref SaleRef) (SaleRecord, error) {
	switch {
	case ref.ID != 0:
		return o.saleByNumber(ref.ID)
	case ref.ExternalID != "":
		return findText(o.tx.Sales, ByExternalID, ref.ExternalID)
	case ref.InvoiceID != "":
		return findText(o.tx.Sales, ByInvoice, ref.InvoiceID)
	}
	return SaleRecord{}, RefuseNoSaleID.Err()
}
