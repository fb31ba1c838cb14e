package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Sale implements tributary.Program.Sale.
func (p *Program) Sale(ctx context.Context, id affiliate.SaleID) (_ affiliate.Sale, err error) {
	defer p.Begin(&ctx, "Sale", Reads).End(&err)
	return View(ctx, p, func(o *Op) (affiliate.Sale, error) {
		rec, err := o.SaleByNumber(id)
		if err != nil {
			return affiliate.Sale{}, err
		}
		return o.saleOf(rec)
	})
}

// Sales implements tributary.Program.Sales.
func (p *Program) Sales(ctx context.Context, q affiliate.SaleQuery,
	pg affiliate.Page) (_ affiliate.List[affiliate.Sale], err error) {
	defer p.Begin(&ctx, "Sales", Reads).End(&err)
	if pg.Bounded || q != indexedSales(q) {
		return p.searchSales(ctx, q, pg)
	}
	l, err := p.Listing(pg, "sales", q)
	if err != nil {
		return affiliate.List[affiliate.Sale]{}, err
	}
	return View(ctx, p, func(o *Op) (affiliate.List[affiliate.Sale], error) {
		o.owners = map[uuid.UUID]*SaleBody{}
		return Chosen(o.Tx.Sales, o.ChooseSales(q, true), l, o.saleOf)
	})
}

// indexedSales returns the fields of a query that have an index.
func indexedSales(q affiliate.SaleQuery) affiliate.SaleQuery {
	return affiliate.SaleQuery{
		AffiliateID: q.AffiliateID, AffiliateEmail: q.AffiliateEmail, ReferralID: q.ReferralID,
		ExternalID: q.ExternalID, ExternalInvoiceID: q.ExternalInvoiceID,
	}
}

func (o *Op) SaleByNumber(id affiliate.SaleID) (record.Sale, error) {
	if id <= 0 {
		return record.Sale{}, affiliate.ErrNotFound
	}
	return o.Tx.Sales.Find(record.Key{Index: record.ByNumber, ID: record.NumberID(int64(id))})
}

// A SaleBody is a sale with all related data that its answers and events show,
// read in one transaction. An event keeps it, so it is not changed after the
// event is written. Answers are copies that share no memory with it.
type SaleBody struct {
	Frozen
	Rec      record.Sale
	Owner    seller
	Links    []record.Link // of the owner, oldest first
	Customer *customerBody
	room     [1]record.Commission // of rec, as long as it has one
	linkRoom [1]record.Link       // of links, as long as there is one
}

// seller is the part of an affiliate that sales and referrals show.
type seller struct {
	firstName, lastName, email string
	status                     affiliate.Enum[affiliate.AffiliateStatus]
}

// SellerOf returns the affiliate as sales show it.
func SellerOf(r *record.Affiliate) seller {
	return seller{r.FirstName, r.LastName, r.Email, affiliate.EnumOf(r.Status)}
}

// customerBody is the referral of a sale with its totals. It has two thirds of
// the bytes of a [record.Referral], because every sale of a customer has one.
type customerBody struct {
	id, affiliate, link, plan                     uuid.UUID
	name, email, customerID, planName, landedPage string
	notes                                         affiliate.Opt[string]
	metadata                                      json.RawMessage
	revenue, commission                           affiliate.Amount
	created, updated                              affiliate.Instant
	status                                        affiliate.Enum[affiliate.SubscriptionStatus]
	submission                                    affiliate.Enum[affiliate.SubmissionType]
	medium                                        affiliate.Enum[affiliate.ReferralMedium]
	source                                        affiliate.Enum[affiliate.ReferralSource]
	integration                                   affiliate.Enum[affiliate.Integration]
}

func CustomerOf(r *record.Referral, totals record.Totals) *customerBody {
	return &customerBody{
		id: r.ID, affiliate: r.AffiliateID, link: r.LinkID, plan: r.PlanID, name: r.Name,
		email: r.Email, customerID: r.CustomerID, planName: r.Plan, landedPage: r.LandingPage,
		notes: r.Notes, metadata: r.Metadata, revenue: totals.Revenue,
		commission: totals.Commission, created: r.CreatedAt, updated: r.UpdatedAt,
		status: affiliate.EnumOf(r.Status), submission: affiliate.EnumOf(r.SubmissionType),
		medium: affiliate.EnumOf(r.Medium), source: affiliate.EnumOf(r.Source),
		integration: affiliate.EnumOf(r.Integration),
	}
}

// referral returns the referral as the wire shows it.
func (c *customerBody) referral(program uuid.UUID) affiliate.Referral {
	return ReferralWith(program, record.Referral{
		ID: c.id, AffiliateID: c.affiliate, LinkID: c.link, PlanID: c.plan, Name: c.name, Email: c.email,
		CustomerID: c.customerID, Plan: c.planName, LandingPage: c.landedPage, Notes: c.notes, Metadata: c.metadata,
		CreatedAt: c.created, UpdatedAt: c.updated, Status: c.status.Value(), SubmissionType: c.submission.Value(),
		Medium: c.medium.Value(), Source: c.source.Value(), Integration: c.integration.Value(),
	}, record.Totals{Revenue: c.revenue, Commission: c.commission})
}

// saleOf returns the sale as the wire shows it.
func (o *Op) saleOf(rec record.Sale) (affiliate.Sale, error) {
	b, err := o.SaleBody(rec)
	if err != nil {
		return affiliate.Sale{}, err
	}
	return b.Sale(), nil
}

// SaleBody reads the related data of a stored sale.
func (o *Op) SaleBody(rec record.Sale) (*SaleBody, error) {
	b := &SaleBody{Frozen: Frozen{Program: o.Cfg.ID}, Rec: rec}
	if err := o.completeOwner(b); err != nil {
		return nil, err
	}
	var ref record.Referral
	if rec.ReferralID != uuid.Nil {
		var err error
		if ref, err = o.Tx.Referrals.Get(rec.ReferralID); err != nil {
			return nil, refusal.Internal("referral of a sale", err)
		}
	}
	return b, o.completeCustomer(b, &ref)
}

// completeOwner reads the affiliate and the links. A list remembers them.
func (o *Op) completeOwner(b *SaleBody) error {
	if known := o.owners[b.Rec.AffiliateID]; known != nil {
		b.Owner, b.Links = known.Owner, known.Links
		return nil
	}
	aff, err := o.Tx.Affiliates.Get(b.Rec.AffiliateID)
	if err != nil {
		return refusal.Internal("affiliate of a sale", err)
	}
	b.Owner = SellerOf(&aff)
	if o.owners != nil {
		o.owners[aff.ID] = b
	}
	return o.completeLinks(b)
}

func (o *Op) completeLinks(b *SaleBody) (err error) {
	b.Links, err = o.links.into(b.linkRoom[:0], o.Tx.Links,
		record.Query{Key: record.Key{Index: record.OfAffiliate, ID: b.Rec.AffiliateID}})
	if err != nil {
		return refusal.Internal("read links", err)
	}
	return nil
}

// completeCustomer reads the totals of the customer, if there is one.
func (o *Op) completeCustomer(b *SaleBody, ref *record.Referral) error {
	if ref.ID == uuid.Nil {
		return nil
	}
	totals, err := o.Totals(ref.ID)
	b.Customer = CustomerOf(ref, totals)
	return err
}

// Sale returns the sale as the API answers it.
func (b *SaleBody) Sale() affiliate.Sale {
	var s affiliate.Sale
	b.fillSale(&s)
	return s
}

// fillSale fills in the sale in place, because a sale has a thousand bytes.
func (b *SaleBody) fillSale(s *affiliate.Sale) {
	rec := &b.Rec
	*s = affiliate.Sale{
		ID: affiliate.SaleID(rec.Number), AffiliateID: rec.AffiliateID,
		ReferralID: OrNull(rec.ReferralID), AffiliateProgramID: b.Program,
		AffiliateLinkID: OrNull(rec.LinkID), PromotionalCodeID: OrNull(rec.CodeID),
		ExternalID: OrNull(rec.ExternalID), ExternalInvoiceID: OrNull(rec.InvoiceID),
		Name: OrNull(rec.Name), Email: OrNull(rec.Email), TotalEarned: rec.TotalEarned,
		Subtotal: refusal.NothingOrNull(rec.Subtotal), TaxAmount: rec.Tax,
		ShippingAmount: rec.Shipping, CommissionRate: rec.Rate,
		ProductsBought: refusal.EmptyNotNil(slices.Clone(rec.Products)), Clicks: rec.Clicks,
		Status: rec.Status.Value(), RefundedAmount: rec.Refunded,
		RefundedAt: refusal.TimeOrNull(rec.RefundedAt), PaymentTrigger: rec.Trigger.Value(),
		Source: rec.Source.Value(), IntegrationSalesSource: OrNull(rec.Integration.Value()),
		Metadata: metadataOf(rec.Metadata), CreatedAt: affiliate.TimeOf(rec.CreatedAt.Time()),
		UpdatedAt: affiliate.TimeOf(rec.UpdatedAt.Time()),
		Affiliate: SummaryOf(b.Program, rec.AffiliateID, b.Owner, b.Links),
		Referral:  affiliate.Null[affiliate.Referral](), Commissions: CommissionsOf(rec),
		Lines: linesOf(rec), Conversion: rec.Conversion, Offer: rec.Offer,
	}
	for _, charged := range rec.Charged {
		charged.Subtotal = refusal.NothingOrNull(charged.Subtotal)
		s.Charged = affiliate.Set(charged)
	}
	if !rec.PaidAt.IsZero() {
		s.PaidAt = affiliate.TimeOf(rec.PaidAt.Time())
	}
	s.CommissionEarned, _ = CommissionEarned(rec) // its sum was checked when the sale was stored
	if b.Customer != nil {
		s.Referral = affiliate.Set(b.Customer.referral(b.Program))
	}
}

// MarshalJSON writes the sale as events show it.
func (b *SaleBody) MarshalJSON() ([]byte, error) { return b.appendJSON(nil), nil }

// appendJSON appends what MarshalJSON writes.
func (b *SaleBody) appendJSON(dst []byte) []byte {
	var s affiliate.Sale
	b.fillSale(&s)
	s.Affiliate.Link = OldestSlug(s.Affiliate.AffiliateLinks)
	return s.AppendJSON(dst)
}

// Encode writes the sale as the API answers it.
func (b *SaleBody) Encode() []byte {
	var s affiliate.Sale
	b.fillSale(&s)
	return s.AppendJSON(make([]byte, 0, saleRoom))
}

// CommissionsOf returns a sale's commissions as the wire shows them.
func CommissionsOf(r *record.Sale) []affiliate.Commission {
	out := make([]affiliate.Commission, len(r.Commissions))
	for i := range r.Commissions {
		c := &r.Commissions[i]
		out[i] = affiliate.Commission{
			ID: affiliate.CommissionID(c.Number), SaleID: affiliate.SaleID(r.Number),
			AffiliateID: c.AffiliateID, CommissionEarned: c.Earned,
			ApprovalStatus: c.Approval.Value(), RewardType: affiliate.RewardCash,
			PayoutCreated: c.PayoutID != uuid.Nil, PayoutID: OrNull(c.PayoutID),
			ManuallyPaid: c.ManuallyPaid, HoldReason: OrNull(c.HoldReason.Value()),
			BonusReason: OrNull(c.BonusReason), ClawBack: c.ClawBack,
			PayableAt:   refusal.TimeOrNull(PayableAt(r, c)),
			RiskReasons: refusal.EmptyNotNil(slices.Clone(c.RiskReasons)),
			CreatedAt:   affiliate.TimeOf(c.CreatedAt.Time()),
			UpdatedAt:   affiliate.TimeOf(c.UpdatedAt.Time()),
		}
	}
	return out
}

// findSale finds a sale by the first field of ref that is set.
func (o *Op) findSale(ref affiliate.SaleRef) (record.Sale, error) {
	switch {
	case ref.ID != 0:
		return o.SaleByNumber(ref.ID)
	case ref.ExternalID != "":
		return refusal.FindText(o.Tx.Sales, record.ByExternalID, ref.ExternalID)
	case ref.InvoiceID != "":
		return refusal.FindText(o.Tx.Sales, record.ByInvoice, ref.InvoiceID)
	}
	return record.Sale{}, refusal.RefuseNoSaleID.Err()
}

// searchSales reads a page of a search.
func (p *Program) searchSales(ctx context.Context, q affiliate.SaleQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Sale], error) {
	if err := p.checkSaleQuery(q); err != nil {
		return affiliate.List[affiliate.Sale]{}, err
	}
	return foundSales(ctx, p, q, pg, func(o *Op) func(record.Sale) (affiliate.Sale, error) {
		o.owners = map[uuid.UUID]*SaleBody{}
		return o.saleOf
	})
}

// foundSales reads a page of a search, whose query is right, as items of any kind.
func foundSales[T any](ctx context.Context, p *Program, q affiliate.SaleQuery, pg affiliate.Page,
	item func(*Op) func(record.Sale) (T, error)) (affiliate.List[T], error) {
	made := p.period(q.Since, q.Until, q.OldestFirst)
	return Found(ctx, p, p.hunt(pg, "sales-search", q, made), func(o *Op, exactly bool) *Seeker[record.Sale, T] {
		return &Seeker[record.Sale, T]{
			Choice: o.ChooseSales(q, exactly), Table: o.Tx.Sales, Item: item(o),
			over: func(r *record.Sale) bool { return made.over(p, r.CreatedAt) },
			keep: func(r *record.Sale) (bool, error) { return made.has(r.CreatedAt), nil },
		}
	})
}

// checkSaleQuery checks the fields that name no record. On the wire they are a
// query, so the errors are those of a query.
func (p *Program) checkSaleQuery(q affiliate.SaleQuery) error {
	return refusal.First(
		InQuery(refusal.OneOfOrNone("status", q.Status,
			[]affiliate.SaleStatus{affiliate.SaleActive, affiliate.SaleRefunded})),
		InQuery(refusal.OneOfOrNone("approvalStatus", q.ApprovalStatus, approvalStatuses)),
		InQuery(refusal.FieldNotADate.About("since").When(!p.ValidDate(q.Since))),
		InQuery(refusal.FieldNotADate.About("until").When(!p.ValidDate(q.Until))),
		InQuery(refusal.CurrencyUnknown.When(q.Currency != "" && currencyNamed(q.Currency) == "")),
		checkSearch(q.Search),
	)
}

// currencyNamed returns the currency that a code in any letter case names; empty: none.
func currencyNamed(sent affiliate.Currency) affiliate.Currency {
	c, _ := affiliate.ParseCurrency(string(sent))
	return c
}

// ChooseSales turns the query into a choice, but for its period. exactly says whether the
// search text may name sales exactly.
func (o *Op) ChooseSales(q affiliate.SaleQuery, exactly bool) Choice[record.Sale] {
	c := o.chooseIndexed(q)
	if code, set := Wanted(&c, q.CodeID); set {
		c.Fits = append(c.Fits, func(r *record.Sale) bool { return r.CodeID == code })
	}
	if link, set := Wanted(&c, q.LinkID); set {
		by := func(r *record.Sale) bool { return r.LinkID == link }
		if q.ReferralID.IsZero() && !c.Single() {
			c.Under(record.Key{Index: record.OfLink, ID: link}, by)
		} else {
			c.Fits = append(c.Fits, by) // a customer has fewer sales than a link
		}
	}
	if q.Status != "" {
		c.Fits = append(c.Fits, func(r *record.Sale) bool { return r.Status.Is(q.Status) })
	}
	if charged := currencyNamed(q.Currency); charged != "" {
		c.Fits = append(c.Fits, func(r *record.Sale) bool { return o.Program.CurrencyOf(r) == charged })
	}
	switch {
	case q.ApprovalStatus == affiliate.ApprovalOnHold && c.Key == (record.Key{}) && c.id == uuid.Nil:
		c.Under(record.Key{Index: record.OfState, Text: string(affiliate.ApprovalOnHold)},
			func(r *record.Sale) bool { return r.HasApproval(affiliate.ApprovalOnHold) })
	case q.ApprovalStatus != "":
		c.Fits = append(c.Fits, func(r *record.Sale) bool { return r.HasApproval(q.ApprovalStatus) })
	}
	text, set := Wanted(&c, q.Search)
	if !set || exactly && !q.Part && o.chooseNamedSales(&c, text) {
		return c
	}
	part := partOf(text)
	c.Fits = append(c.Fits, func(r *record.Sale) bool { return part.in(r.ExternalID, r.InvoiceID, r.Email, r.Name) })
	return c
}

// chooseIndexed turns the fields that have an index into a choice.
func (o *Op) chooseIndexed(q affiliate.SaleQuery) (c Choice[record.Sale]) {
	c.ByOwner(o, q.AffiliateID, q.AffiliateEmail, func(r *record.Sale) uuid.UUID { return r.AffiliateID })
	if ident, set := Wanted(&c, q.ReferralID); set {
		ref, err := o.FindReferral(ident)
		c.Fail(err)
		c.Bound += string(ref.ID[:])
		c.ByID(record.OfReferral, affiliate.Set(ref.ID), func(r *record.Sale) uuid.UUID { return r.ReferralID })
	}
	c.ByText(record.ByInvoice, q.ExternalInvoiceID, func(r *record.Sale) string { return r.InvoiceID })
	c.ByText(record.ByExternalID, q.ExternalID, func(r *record.Sale) string { return r.ExternalID })
	return c
}

// chooseNamedSales selects the sale whose number, order id or invoice a text is, or
// those with the text as the customer's email. It reports whether there are any.
func (o *Op) chooseNamedSales(c *Choice[record.Sale], text string) bool {
	rec, err := o.saleNamed(text)
	if !errors.Is(err, affiliate.ErrNotFound) {
		c.Fail(err)
		c.one(affiliate.Set(rec.ID))
		return true
	}
	email, ok := mailbox.Canonical(text)
	if !ok {
		return false
	}
	email = mailbox.Of(email)
	key, err := refusal.SentKey(record.OfCustomer, email)
	if err != nil {
		return false // a text that no sale can have
	}
	there, err := Holds(o.Tx.Sales, key)
	if c.Fail(err); there {
		c.ByText(record.OfCustomer, affiliate.Set(email), func(r *record.Sale) string { return mailbox.Of(r.Email) })
		c.Bound += string(record.OfCustomer) // its cursors are not those of a part
	}
	return there || err != nil
}

// saleNamed finds the sale whose number, order id or invoice a text is, as it was
// typed or in letters of one case.
func (o *Op) saleNamed(text string) (rec record.Sale, err error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
		if rec, err := o.SaleByNumber(affiliate.SaleID(n)); !errors.Is(err, affiliate.ErrNotFound) {
			return rec, err
		}
	}
	for _, spelled := range []string{text, plaintext.Upper(text), plaintext.Lower(text)} {
		for _, index := range []record.Index{record.ByExternalID, record.ByInvoice} {
			if rec, err = refusal.FindText(o.Tx.Sales, index, spelled); !errors.Is(err, affiliate.ErrNotFound) {
				return rec, err
			}
		}
	}
	return rec, affiliate.ErrNotFound
}

// SaleSums implements tributary.Program.SaleSums.
func (p *Program) SaleSums(ctx context.Context, q affiliate.SaleQuery) (_ affiliate.SaleSums, err error) {
	defer p.Begin(&ctx, "SaleSums", Reads).End(&err)
	if err := p.checkSaleQuery(q); err != nil {
		return affiliate.SaleSums{}, err
	}
	var out affiliate.SaleSums
	err = AddUp(ctx, p, Adding[record.Sale]{
		Sum:    p.saleSum(q),
		Each:   !q.Search.IsZero(),
		Choose: func(o *Op) Choice[record.Sale] { return o.ChooseSales(q, true) },
		Read: func(pg affiliate.Page) (affiliate.List[record.Sale], error) {
			return foundSales(ctx, p, q, pg, func(*Op) func(record.Sale) (record.Sale, error) {
				return func(rec record.Sale) (record.Sale, error) { return rec, nil }
			})
		},
	}, func(rec *record.Sale, n int64) error { return addSale(&out, rec, n) })
	return out, err
}

// saleSum is the sum of sales that are chosen by what q asks.
func (p *Program) saleSum(q affiliate.SaleQuery) record.Sum {
	sum := record.Sum{Table: "sales", By: []string{"status", "approval_statuses"},
		Add: []string{"total_earned", "refunded_amount", "commission_earned"}}
	for _, by := range [...]struct {
		column string
		asked  bool
	}{
		{"affiliate_id", !q.AffiliateID.IsZero() || !q.AffiliateEmail.IsZero()},
		{"referral_id", !q.ReferralID.IsZero()},
		{"affiliate_link_id", !q.LinkID.IsZero()},
		{"promotional_code_id", !q.CodeID.IsZero()},
		{"charged_currency", q.Currency != ""},
	} {
		if by.asked {
			sum.By = append(sum.By, by.column)
		}
	}
	if code, set := q.CodeID.Get(); set {
		sum.Where = map[string]uuid.UUID{"promotional_code_id": code} // it has no index, and there may be many
	}
	p.madeIn(p.period(q.Since, q.Until, false), &sum)
	return sum
}

// addSale adds a sale, or the sum of n sales, to the sums to which it belongs.
func addSale(to *affiliate.SaleSums, r *record.Sale, n int64) error {
	earned, err := CommissionEarned(r)
	for _, part := range [...]struct {
		of *affiliate.SaleSum
		in bool
	}{
		{&to.All, true},
		{&to.Active, r.Status.Is(affiliate.SaleActive)},
		{&to.Refunded, r.Status.Is(affiliate.SaleRefunded)},
		{&to.Accepted, r.HasApproval(affiliate.ApprovalAccepted)},
		{&to.OnHold, r.HasApproval(affiliate.ApprovalOnHold)},
		{&to.Declined, r.HasApproval(affiliate.ApprovalDeclined)},
	} {
		if !part.in {
			continue
		}
		part.of.Count += n
		for _, sum := range [...]struct {
			to   *affiliate.Amount
			more affiliate.Amount
		}{
			{&part.of.TotalEarned, r.TotalEarned},
			{&part.of.RefundedAmount, r.Refunded},
			{&part.of.CommissionEarned, earned},
		} {
			if err == nil {
				*sum.to, err = sum.to.Add(sum.more)
			}
		}
	}
	if err != nil {
		return refusal.Internal("add up sales", err)
	}
	return nil
}
