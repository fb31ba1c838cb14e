package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Ways to name an affiliate. Rule 4.4; contract 1.5.

// Affiliate implements tributary.Program.Affiliate.
func (p *Program) Affiliate(ctx context.Context, ident string) (_ affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "Affiliate", Reads).End(&err)
	return View(ctx, p, func(o *Op) (affiliate.Affiliate, error) {
		rec, err := o.affiliateCalled(ident)
		if err != nil {
			return affiliate.Affiliate{}, err
		}
		return o.affiliateOf(rec)
	})
}

// affiliateCalled finds an affiliate by its email or by another identifier, none of which has an @.
func (o *Op) affiliateCalled(ident string) (record.Affiliate, error) {
	if _, external := affiliate.ExternalIn(ident); !external && strings.Contains(ident, "@") {
		return o.FindAffiliateByEmail(ident)
	}
	found, err := o.Resolve(ident)
	return found.Affiliate, err
}

// Answers implements tributary.Program.Answers.
func (p *Program) Answers(ctx context.Context, id uuid.UUID) (_ []affiliate.Answer, err error) {
	defer p.Begin(&ctx, "Answers", Reads).End(&err)
	return View(ctx, p, func(o *Op) ([]affiliate.Answer, error) {
		rec, err := o.AffiliateByID(id)
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			err = refusal.Internal("read affiliate", err)
		}
		return slices.Clone(rec.Answers), err
	})
}

// Affiliates implements tributary.Program.Affiliates.
func (p *Program) Affiliates(ctx context.Context, q affiliate.AffiliateQuery,
	pg affiliate.Page) (_ affiliate.List[affiliate.Affiliate], err error) {
	defer p.Begin(&ctx, "Affiliates", Reads).End(&err)
	if pg.Bounded || q != (affiliate.AffiliateQuery{}) {
		return p.searchAffiliates(ctx, q, pg)
	}
	l, err := p.Listing(pg, "affiliates", nil)
	if err != nil {
		return affiliate.List[affiliate.Affiliate]{}, err
	}
	return View(ctx, p, func(o *Op) (affiliate.List[affiliate.Affiliate], error) {
		return Collect(o.Tx.Affiliates, l, o.affiliateOf)
	})
}

// An Origin is the record that an identifier names.
type Origin struct {
	Affiliate record.Affiliate
	Link      record.Link          // zero: none
	Click     record.Click         // zero: none
	late      affiliate.ClickID    // the click, if it is too old to attribute; zero: none
	by        affiliate.CreditedBy // what the identifier was
	other     credit               // by the visitor's first click, when the last one credits, or the other way round
}

// A resolver finds what an identifier names, or returns ErrNotFound.
type resolver func(ident string) (Origin, error)

// Resolve finds an affiliate by external id, if the text says that it is one, else by
// click number (digits only), then by affiliate id, then by slug. A number that no click has may
// still be a slug. It ignores the
// age of the click, so it is for look-ups and for imports.
func (o *Op) Resolve(ident string) (Origin, error) {
	if id, ok := affiliate.ExternalIn(ident); ok {
		return o.resolveExternal(id)
	}
	ident = plaintext.Bare(ident) // before any look-up: blanks must not change the order of the look-ups
	found, err := o.resolveClick(ident)
	if errors.Is(err, affiliate.ErrNotFound) {
		return o.resolveUndated(ident)
	}
	return found, err
}

// ResolveFresh is Resolve for operations that credit an affiliate. It skips a
// click outside the attribution window and records it in the origin as late.
func (o *Op) ResolveFresh(ident string) (Origin, error) {
	if id, ok := affiliate.ExternalIn(ident); ok {
		return o.resolveExternal(id)
	}
	ident = plaintext.Bare(ident)
	found, err := o.resolveClick(ident)
	late := lateFor(&found.Click, o)
	if err == nil && late == 0 {
		return o.firstTouch(found)
	}
	if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
		return found, err
	}
	if found, err = o.resolveUndated(ident); errors.Is(err, affiliate.ErrNotFound) {
		found, err = o.resolveSlug(slugWithin(ident))
	}
	found.late = late
	return found, err
}

// resolveUndated finds an affiliate by id, then by slug.
func (o *Op) resolveUndated(ident string) (found Origin, err error) {
	if id, ok := exactID(ident); ok {
		found.by = affiliate.CreditAffiliate
		found.Affiliate, err = o.AffiliateByID(id)
		if !errors.Is(err, affiliate.ErrNotFound) {
			return found, err
		}
	}
	return o.resolveSlug(ident)
}

// resolveExternal finds the affiliate with an external id.
func (o *Op) resolveExternal(id string) (found Origin, err error) {
	found.by = affiliate.CreditAffiliate
	found.Affiliate, err = o.affiliateByExternalID(id)
	return found, err
}

// affiliateByExternalID finds an affiliate by the host's own id of it, compared exactly.
func (o *Op) affiliateByExternalID(id string) (record.Affiliate, error) {
	if id == "" {
		return record.Affiliate{}, affiliate.ErrNotFound
	}
	rec, err := refusal.FindText(o.Tx.Affiliates, record.ByExternalID, id)
	if errors.Is(err, affiliate.ErrNotFound) {
		return o.sellerNamed(Name{NameExternal, id})
	}
	return rec, err
}

// resolveClick finds the click with the number ident, its affiliate, and its
// link if it still exists.
func (o *Op) resolveClick(ident string) (found Origin, err error) {
	number, ok := clickNumber(ident)
	if !ok {
		return Origin{}, affiliate.ErrNotFound
	}
	found.by = affiliate.CreditClick
	if found.Click, err = o.clickNumbered(number); err != nil {
		return Origin{}, err
	}
	err = o.readClicked(&found)
	return found, err
}

func (o *Op) clickNumbered(number int64) (record.Click, error) {
	return o.Tx.Clicks.Find(record.Key{Index: record.ByNumber, ID: record.NumberID(number)})
}

// readClicked reads the affiliate of the click, and its link if it still exists.
func (o *Op) readClicked(found *Origin) (err error) {
	if found.Click.LinkID != uuid.Nil {
		if found.Link, err = o.Tx.Links.Get(found.Click.LinkID); err != nil {
			return refusal.Internal("read link of click", err)
		}
	}
	if found.Affiliate, err = o.Tx.Affiliates.Get(found.Click.AffiliateID); err != nil {
		return refusal.Internal("read affiliate of click", err)
	}
	return nil
}

// resolveSlug finds the link with the slug and its owner. An email is no slug, though one
// may be an alias from another service: it names a customer.
func (o *Op) resolveSlug(slug string) (found Origin, err error) {
	found.by = affiliate.CreditLink
	if _, ok := mailbox.Canonical(slug); ok {
		return Origin{}, affiliate.ErrNotFound
	}
	if found.Link, err = o.LinkBySlug(slug); err != nil {
		return Origin{}, err
	}
	if found.Affiliate, err = o.Tx.Affiliates.Get(found.Link.AffiliateID); err != nil {
		return Origin{}, refusal.Internal("read owner of link", err)
	}
	return found, nil
}

// clickNumber reads a click number as it was given out: digits without sign,
// separator or leading zero that fit into an int64.
func clickNumber(s string) (int64, bool) {
	if s == "" || s[0] == '0' {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// exactID reads an id in the one spelling in which ids are given out:
// 36 characters, lower case.
func exactID(s string) (uuid.UUID, bool) {
	if len(s) != 36 || plaintext.Lower(s) != s {
		return uuid.Nil, false
	}
	id, err := uuid.Parse(s)
	return id, err == nil
}

// FindAffiliateByEmail finds an affiliate by its email in any letter case. A text
// that is not an email matches nothing.
func (o *Op) FindAffiliateByEmail(email string) (record.Affiliate, error) {
	canonical, ok := mailbox.Canonical(email)
	if !ok {
		return record.Affiliate{}, affiliate.ErrNotFound
	}
	rec, err := o.Tx.Affiliates.Find(record.Key{Index: record.ByEmail, Text: canonical})
	if errors.Is(err, affiliate.ErrNotFound) {
		return o.sellerNamed(Name{NameEmail, canonical})
	}
	return rec, err
}

// AffiliateOf finds the affiliate that every given part of a reference names. When they do
// not name the same record, it returns identifiersMismatch; when none names a record,
// ErrNotFound.
func (o *Op) AffiliateOf(ref affiliate.AffiliateRef) (record.Affiliate, error) {
	if ref.ExternalID == "" {
		return o.AffiliateByIDOrEmail(ref.ID, ref.Email)
	}
	rec, err := o.affiliateByExternalID(ref.ExternalID)
	if ref.ID == uuid.Nil && ref.Email == "" {
		return rec, err
	}
	return agreed(rec, err)(o.AffiliateByIDOrEmail(ref.ID, ref.Email))
}

// AffiliateByIDOrEmail finds an affiliate by one or both identifiers. When they
// do not name the same record, it returns identifiersMismatch; when neither
// names a record, ErrNotFound.
func (o *Op) AffiliateByIDOrEmail(id uuid.UUID, email string) (record.Affiliate, error) {
	if id == uuid.Nil {
		return o.FindAffiliateByEmail(email)
	}
	byID, err := o.AffiliateByID(id)
	if email == "" {
		return byID, err
	}
	return agreed(byID, err)(o.FindAffiliateByEmail(email))
}

// agreed returns the record that both look-ups found. When neither found one, it
// returns ErrNotFound; when they did not find the same one,
// identifiersMismatch.
func agreed[R record.Record[R]](a R, aErr error) func(b R, bErr error) (R, error) {
	return func(b R, bErr error) (R, error) {
		var none R
		for _, err := range [...]error{aErr, bErr} {
			if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
				return none, err
			}
		}
		if aErr != nil && bErr != nil {
			return none, affiliate.ErrNotFound
		}
		if aErr != nil || bErr != nil || a.RecordID() != b.RecordID() {
			return none, refusal.IdentifiersMismatch.Err()
		}
		return a, nil
	}
}

// searchAffiliates reads a page of a search.
func (p *Program) searchAffiliates(ctx context.Context, q affiliate.AffiliateQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Affiliate], error) {
	if err := refusal.First(InQuery(refusal.OneOfOrNone("status", q.Status, affiliateStatuses)), checkSearch(q.Search)); err != nil {
		return affiliate.List[affiliate.Affiliate]{}, err
	}
	return Found(ctx, p, Hunt{Page: pg, Operation: "affiliates-search", Query: q, Oldest: q.OldestFirst}, func(o *Op, exactly bool) *Seeker[record.Affiliate, affiliate.Affiliate] {
		return &Seeker[record.Affiliate, affiliate.Affiliate]{Choice: o.chooseAffiliates(q,
			exactly), Table: o.Tx.Affiliates, Item: o.affiliateOf}
	})
}

// chooseAffiliates turns the query into a choice.
func (o *Op) chooseAffiliates(q affiliate.AffiliateQuery, exactly bool) (c Choice[record.Affiliate]) {
	if q.Status != "" {
		c.Under(record.Key{Index: record.OfState, Text: string(q.Status)},
			func(r *record.Affiliate) bool { return r.Status == q.Status })
	}
	c.ByText(record.ByExternalID, q.ExternalID, func(r *record.Affiliate) string { return r.ExternalID })
	c.ByID(record.OfPlan, q.PlanID, func(r *record.Affiliate) uuid.UUID { return r.PlanID })
	c.ByID(record.OfTier, q.TierID, func(r *record.Affiliate) uuid.UUID { return r.TierID })
	text, set := Wanted(&c, q.Search)
	if !set {
		return c
	}
	if exactly {
		named, err := o.affiliateNamed(text)
		if !errors.Is(err, affiliate.ErrNotFound) {
			c.Fail(err)
			c.one(affiliate.Set(named))
			return c
		}
	}
	part := partOf(text)
	c.Fits = append(c.Fits, func(r *record.Affiliate) bool { return part.in(NameOf(*r), r.Email) })
	return c
}

// affiliateNamed finds the affiliate whose id, email, slug or external id a text is.
func (o *Op) affiliateNamed(text string) (uuid.UUID, error) {
	rec, err := o.FindAffiliateByEmail(text)
	if !errors.Is(err, affiliate.ErrNotFound) {
		return rec.ID, err
	}
	found, err := o.resolveUndated(text)
	if errors.Is(err, affiliate.ErrNotFound) {
		found, err = o.resolveExternal(text)
	}
	return found.Affiliate.ID, err
}

// The forms in which an affiliate is shown: in answers, inside sales, referrals
// and codes, and in its own events.

// affiliateOf returns the affiliate as the API answers it.
func (o *Op) affiliateOf(rec record.Affiliate) (affiliate.Affiliate, error) {
	links, err := o.affiliateLinks(rec.ID)
	if err != nil {
		return affiliate.Affiliate{}, err
	}
	totals, err := o.Totals(rec.ID)
	if err != nil {
		return affiliate.Affiliate{}, refusal.Internal("read totals", err)
	}
	deal, err := o.dealFor(&rec, &record.Referral{}, o.Now)
	if err != nil {
		return affiliate.Affiliate{}, err
	}
	return affiliate.Affiliate{
		ID:                              rec.ID,
		FirstName:                       rec.FirstName,
		LastName:                        rec.LastName,
		Name:                            NameOf(rec),
		Email:                           rec.Email,
		ExternalID:                      rec.ExternalID,
		Language:                        rec.Language,
		CommissionRate:                  deal.Rate,
		UseCommissionPlanCommissionRate: deal.rateFrom != affiliate.RateOfAffiliate,
		ExemptFromCommissionTierChanges: rec.TierExempt,
		AffiliateLink:                   affiliate.Null[string](),
		Link:                            affiliate.Null[string](),
		AffiliateLinks:                  links,
		Status:                          rec.Status,
		Source:                          rec.Source,
		CommissionPlanID:                OrNull(rec.PlanID),
		CommissionTierID:                OrNull(rec.TierID),
		OfferCouponID:                   rec.OfferCouponID,
		Note:                            rec.Note,
		AffiliateGroupID:                affiliate.Null[string](),
		ProgramID:                       o.Cfg.ID,
		PayoutEmail:                     OrNull(rec.PayoutEmail),
		PaymentMethod:                   OrNull(rec.PaymentMethod),
		DetailsComplete:                 rec.PayoutEmail != "" && rec.PaymentMethod != "",
		EmailVerified:                   affiliate.Null[json.RawMessage](),
		Image:                           affiliate.Null[string](),
		NumberOfReferredUsers:           totals.Referrals,
		NumberOfClicks:                  totals.Clicks,
		TotalRevenue:                    totals.Revenue,
		TotalCommissionEarned:           totals.Commission,
		CreatedAt:                       affiliate.TimeOf(rec.CreatedAt.Time()),
		UpdatedAt:                       affiliate.TimeOf(rec.UpdatedAt.Time()),
	}, nil
}

// NameOf returns the first and the last name joined by a space. An erased affiliate
// has neither.
func NameOf(r record.Affiliate) string { return fullName(r.FirstName, r.LastName) }

func fullName(first, last string) string {
	if first == "" || last == "" {
		return first + last
	}
	return first + " " + last
}

// affiliateLinks lists the live links of the affiliate, oldest first; never
// nil.
func (o *Op) affiliateLinks(id uuid.UUID) ([]affiliate.AffiliateLink, error) {
	links, err := Gather(o.Tx.Links, record.Query{Key: record.Key{Index: record.OfAffiliate, ID: id}})
	if err != nil {
		return nil, refusal.Internal("read links", err)
	}
	return LinksOf(o.Cfg.ID, links), nil
}

// LinksOf returns the links of an affiliate as it shows them; never nil.
func LinksOf(program uuid.UUID, links []record.Link) []affiliate.AffiliateLink {
	out := make([]affiliate.AffiliateLink, len(links))
	for i := range links {
		l := &links[i]
		out[i] = affiliate.AffiliateLink{
			ID: l.ID, Link: l.Slug, UserID: l.AffiliateID, ProgramID: program,
			CreatedAt: affiliate.TimeOf(l.CreatedAt.Time()), UpdatedAt: affiliate.TimeOf(l.UpdatedAt.Time()),
		}
	}
	return out
}

// OldestSlug returns the deprecated single link that events still contain.
func OldestSlug(links []affiliate.AffiliateLink) affiliate.Opt[string] {
	if len(links) == 0 {
		return affiliate.Null[string]()
	}
	return affiliate.Set(links[0].Link)
}

// summary returns the affiliate inside sales and referral events; Link is null.
func (o *Op) summary(rec record.Affiliate) (affiliate.AffiliateSummary, error) {
	links, err := Gather(o.Tx.Links, record.Query{Key: record.Key{Index: record.OfAffiliate, ID: rec.ID}})
	if err != nil {
		return affiliate.AffiliateSummary{}, refusal.Internal("read links", err)
	}
	return SummaryOf(o.Cfg.ID, rec.ID, SellerOf(&rec), links), nil
}

// SummaryOf is summary without a look-up.
func SummaryOf(program, id uuid.UUID, who seller, links []record.Link) affiliate.AffiliateSummary {
	return affiliate.AffiliateSummary{
		ID: id, FirstName: who.firstName, LastName: who.lastName,
		Name: fullName(who.firstName, who.lastName), Email: who.email, Status: who.status.Value(),
		Link: affiliate.Null[string](), AffiliateLinks: LinksOf(program, links),
	}
}

// SummaryInEvent returns the summary for events: Link is the oldest live slug. It shares no
// memory with s.
func SummaryInEvent(s affiliate.AffiliateSummary) affiliate.AffiliateSummary {
	s.AffiliateLinks = refusal.EmptyNotNil(slices.Clone(s.AffiliateLinks))
	s.Link = OldestSlug(s.AffiliateLinks)
	return s
}

// ContactOf returns the affiliate inside a code.
func ContactOf(rec record.Affiliate) affiliate.AffiliateContact {
	return affiliate.AffiliateContact{ID: rec.ID, FirstName: rec.FirstName, LastName: rec.LastName, Email: rec.Email}
}

// affiliateBody is the body of the affiliate's events. It shares the links with
// the answer until it is frozen.
func (o *Op) affiliateBody(rec record.Affiliate, answer affiliate.Affiliate) (affiliate.AffiliateBody, error) {
	body := affiliate.AffiliateBody{
		Affiliate: answer, CommissionPlan: affiliate.Null[affiliate.Plan](),
		CommissionTier:  affiliate.Null[affiliate.Tier](),
		QuestionAnswers: refusal.EmptyNotNil(slices.Clone(rec.Answers)),
	}
	body.Link, body.Note = OldestSlug(body.AffiliateLinks), "" // a note is for nobody outside the program
	if rec.PlanID != uuid.Nil {
		plan, err := o.Tx.Plans.Get(rec.PlanID)
		if err != nil {
			return body, refusal.Internal("read plan", err)
		}
		body.CommissionPlan = affiliate.Set(planOf(&plan, o.Now))
	}
	if rec.TierID != uuid.Nil {
		tier, err := o.Tx.Tiers.Get(rec.TierID)
		if err != nil {
			return body, refusal.Internal("read tier", err)
		}
		body.CommissionTier = affiliate.Set(tierOf(tier))
	}
	var err error
	body.PromotionalCodes, err = o.affiliateCodes(rec.ID)
	return body, err
}

// affiliateCodes lists the codes of an affiliate as its events show them,
// newest first; nil: there are more than maxShown.
func (o *Op) affiliateCodes(id uuid.UUID) ([]affiliate.AffiliateCode, error) {
	recs, err := Gather(o.Tx.Codes, record.Query{Key: record.Key{Index: record.OfAffiliate, ID: id}, Limit: maxShown + 1, Desc: true})
	if err != nil {
		return nil, refusal.Internal("read codes", err)
	}
	if len(recs) > maxShown {
		return nil, nil
	}
	codes := make([]affiliate.AffiliateCode, len(recs))
	for i, rec := range recs {
		codes[i] = affiliate.AffiliateCode{
			ID: rec.ID, Code: rec.Code, Active: rec.Active,
			ExpiresAt: refusal.TimeOrNull(rec.ExpiresAt), CouponID: rec.CouponID,
		}
	}
	return codes, nil
}
