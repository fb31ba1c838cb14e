package affiliate

import (
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/mailbox"
)

// What a program holds of a person. One list says it: an erasure blanks it, and an
// access request shows it.

// A subject is somebody whose data is erased or shown.
type subject struct {
	person
	affiliate AffiliateRecord // zero: a customer
	referral  ReferralRecord  // zero: an affiliate, or somebody whom no referral names
}

// affiliateSubject finds an affiliate.
func (o *op) affiliateSubject(id uuid.UUID) (subject, error) {
	rec, err := o.tx.Affiliates.Get(id)
	return subject{person: person{id: id, email: rec.Email}, affiliate: rec}, RefuseNoAffiliate.ifMissing(err)
}

// customerSubject finds a customer by id, else by email, also one who was erased.
// An email that no referral has is somebody too: records may show it.
func (o *op) customerSubject(ident string) (who subject, err error) {
	rec, err := o.findReferral(ident)
	if err == nil {
		return subject{person: person{id: rec.ID, email: rec.Email, customer: rec.CustomerID}, referral: rec}, nil
	}
	email, ok := mailbox.Canonical(ident)
	if !ok || !errors.Is(err, ErrNotFound) {
		return who, referralNotFound.ifMissing(err)
	}
	c, err := o.customerByEmail(email)
	if err != nil {
		return who, err
	}
	who.email, who.referral = email, c.referral
	who.customer = c.referral.CustomerID
	if who.id = c.referral.ID; who.id == uuid.Nil {
		who.id = o.cfg.erasureID(email)
	}
	return who, nil
}

// isCustomer reports whether the subject is a customer.
func (who *subject) isCustomer() bool { return who.affiliate.ID == uuid.Nil }

// isUnnamed reports whether the subject is an email that no referral has.
func (who *subject) isUnnamed() bool { return who.isCustomer() && who.referral.ID == uuid.Nil }

// startErasing notes that the customer is erased, so that nothing more is stored of
// them. Of an email that no referral has it is noted when a record shows it.
func (o *op) startErasing(who *subject) (changed bool, err error) {
	rec := who.referral
	if rec.ID == uuid.Nil {
		return false, nil
	}
	if who.email != "" {
		if err := o.keepErasure(o.cfg.erasureID(who.email), rec.ID); err != nil {
			return false, err
		}
	}
	if !rec.Erased.IsZero() {
		return false, nil
	}
	rec.Erased = o.now
	who.referral = rec
	return replaced(o.tx.Referrals, rec, true)
}

// noteShown notes that a record shows an email that no referral has.
func (o *op) noteShown(who *subject) error {
	if !who.isUnnamed() {
		return nil
	}
	return o.keepErasure(who.id, uuid.Nil)
}

// endErasing blanks the person. Of an email that no record shows there is nobody.
func (o *op) endErasing(who *subject) error {
	switch {
	case !who.isCustomer():
		_, err := o.saveAffiliate(who.affiliate, who.affiliate.blanked())
		return err
	case who.isUnnamed():
		_, err := o.erasure(who.email)
		return referralNotFound.ifMissing(err)
	}
	_, err := o.saveReferral(who.referral, who.referral.blanked())
	return err
}

// A holding is one kind of record that may show a person.
type holding struct {
	name  string // in the answer of an access request; those of one name are together
	erase func(o *op, who *subject, after uuid.UUID, n int) (stretch, error)
	read  func(o *op, who *subject, found func(id string, at Instant, data any)) error
}

// A kept says how the records of one table show a person.
type kept[R Record[R]] struct {
	table func(*Tx) Table[R]
	list  func(*subject) (key Key, ok bool) // where they are; the zero Key: anywhere; not ok: nowhere
	of    func(*subject, *R) bool           // which of the list; nil: all
	blank func(*subject, R) R               // without the person; nil: nothing of it is erased
	show  func(*R) (at Instant, data any)   // all that the record says of the person; at least what blank takes
}

// as is the holding under a name.
func (k kept[R]) as(name string) holding {
	return holding{name: name, read: k.read, erase: func(o *op, who *subject, after uuid.UUID, n int) (stretch, error) {
		key, ok := k.list(who)
		if !ok || k.blank == nil {
			return stretch{over: true}, nil
		}
		return walk(k.table(o.tx), key, after, n, func(rec R) (bool, error) {
			if k.of != nil && !k.of(who, &rec) {
				return false, nil
			}
			blank := k.blank(who, rec.Clone())
			if same(rec, blank) {
				return false, nil
			}
			if err := o.noteShown(who); err != nil {
				return false, err
			}
			return replaced(k.table(o.tx), blank, true)
		})
	}}
}

// read finds the records that show the person.
func (k kept[R]) read(o *op, who *subject, found func(id string, at Instant, data any)) error {
	key, ok := k.list(who)
	if !ok {
		return nil
	}
	for rec, err := range k.table(o.tx).List(Query{Key: key}) {
		if err != nil {
			return err
		}
		if k.of == nil || k.of(who, &rec) {
			at, data := k.show(&rec)
			found(rec.RecordID().String(), at, data)
		}
	}
	return nil
}

// everywhere is the list of records that no index finds by their person.
func everywhere(*subject) (Key, bool) { return Key{}, true }

// ofTheirs is the list of what belongs to the affiliate or the referral.
func ofTheirs(who *subject) (Key, bool) {
	if who.isCustomer() {
		return Key{Index: OfReferral, ID: who.referral.ID}, who.referral.ID != uuid.Nil
	}
	return Key{Index: OfAffiliate, ID: who.affiliate.ID}, true
}

// holdingsOf are the records that may show a person, without their own.
func holdingsOf(who *subject) []holding {
	if who.isCustomer() {
		return customerHoldings()
	}
	return affiliateHoldings()
}

func affiliateHoldings() []holding {
	return []holding{
		kept[PayoutRecord]{
			table: func(tx *Tx) Table[PayoutRecord] { return tx.Payouts }, list: ofTheirs,
			blank: func(_ *subject, r PayoutRecord) PayoutRecord { return r.blanked() },
			show:  (*PayoutRecord).paid,
		}.as("payouts"),
		kept[AdjustmentRecord]{
			table: func(tx *Tx) Table[AdjustmentRecord] { return tx.Adjustments }, list: ofTheirs,
			blank: func(who *subject, r AdjustmentRecord) AdjustmentRecord { return r.without(&who.affiliate) },
			show:  (*AdjustmentRecord).given,
		}.as("adjustments"),
		kept[LinkRecord]{
			table: func(tx *Tx) Table[LinkRecord] { return tx.Links }, list: ofTheirs,
			show: func(r *LinkRecord) (Instant, any) { return r.CreatedAt, map[string]any{"link": r.Slug} },
		}.as("links"),
		kept[CodeRecord]{
			table: func(tx *Tx) Table[CodeRecord] { return tx.Codes }, list: ofTheirs,
			show: (*CodeRecord).limited,
		}.as("codes"),
		kept[SaleRecord]{
			table: func(tx *Tx) Table[SaleRecord] { return tx.Sales }, list: ofTheirs,
			show: (*SaleRecord).credited,
		}.as("commissions"),
	}
}

func customerHoldings() []holding {
	return []holding{
		kept[ClickRecord]{
			table: func(tx *Tx) Table[ClickRecord] { return tx.Clicks }, list: ofTheirs,
			blank: func(_ *subject, r ClickRecord) ClickRecord { return r.blanked() },
			show:  (*ClickRecord).visit,
		}.as("clicks"),
		kept[SaleRecord]{
			table: func(tx *Tx) Table[SaleRecord] { return tx.Sales }, list: ofTheirs,
			blank: func(_ *subject, r SaleRecord) SaleRecord { return r.blanked() },
			show:  (*SaleRecord).bought,
		}.as("sales"),
		kept[SaleRecord]{ // also those that an update gave the email, and those of no referral
			table: func(tx *Tx) Table[SaleRecord] { return tx.Sales },
			list:  func(who *subject) (Key, bool) { return textKey(OfCustomer, who.email), who.email != "" },
			of: func(who *subject, r *SaleRecord) bool {
				return r.ReferralID == uuid.Nil || r.ReferralID != who.referral.ID
			},
			blank: func(_ *subject, r SaleRecord) SaleRecord { return r.blanked() },
			show:  (*SaleRecord).bought,
		}.as("sales"),
		kept[CodeRecord]{
			table: func(tx *Tx) Table[CodeRecord] { return tx.Codes }, list: everywhere,
			of:    func(who *subject, r *CodeRecord) bool { return r.isLimitedTo(who) },
			blank: func(who *subject, r CodeRecord) CodeRecord { return r.limitedTo(who) },
			show:  (*CodeRecord).limited,
		}.as("codes"),
		kept[PayerRecord]{
			table: func(tx *Tx) Table[PayerRecord] { return tx.Payers }, list: everywhere,
			of:    func(who *subject, r *PayerRecord) bool { return r.isOf(who) },
			blank: func(_ *subject, r PayerRecord) PayerRecord { return r.blanked() },
			show:  (*PayerRecord).pay,
		}.as("payers"),
		kept[PaymentRecord]{
			table: func(tx *Tx) Table[PaymentRecord] { return tx.Payments }, list: everywhere,
			of:    func(who *subject, r *PaymentRecord) bool { return r.triesFor(who) },
			blank: func(who *subject, r PaymentRecord) PaymentRecord { return r.without(who) },
			show:  (*PaymentRecord).facts,
		}.as("payments"),
		kept[AdjustmentRecord]{
			table: func(tx *Tx) Table[AdjustmentRecord] { return tx.Adjustments }, list: everywhere,
			of: func(who *subject, r *AdjustmentRecord) bool { return names(r.Reason, who.email) },
			blank: func(who *subject, r AdjustmentRecord) AdjustmentRecord {
				r.Reason = withoutEmail(r.Reason, who.email)
				return r
			},
			show: func(r *AdjustmentRecord) (Instant, any) { return r.CreatedAt, map[string]any{"reason": r.Reason} },
		}.as("adjustments"),
		kept[PayoutRecord]{
			table: func(tx *Tx) Table[PayoutRecord] { return tx.Payouts }, list: everywhere,
			of: func(who *subject, r *PayoutRecord) bool {
				return names(r.FailedReason, who.email) || names(r.ReturnedReason, who.email)
			},
			blank: func(who *subject, r PayoutRecord) PayoutRecord {
				r.FailedReason, r.ReturnedReason = withoutEmail(r.FailedReason, who.email), withoutEmail(r.ReturnedReason, who.email)
				return r
			},
			show: func(r *PayoutRecord) (Instant, any) {
				return r.CreatedAt, map[string]any{"failedReason": r.FailedReason, "returnedReason": r.ReturnedReason}
			},
		}.as("payouts"),
		kept[ReferralRecord]{
			table: func(tx *Tx) Table[ReferralRecord] { return tx.Referrals }, list: everywhere,
			of: func(who *subject, r *ReferralRecord) bool {
				return r.ID != who.referral.ID && names(r.Notes.Or(""), who.email)
			},
			blank: func(who *subject, r ReferralRecord) ReferralRecord {
				r.Notes = Set(withoutEmail(r.Notes.Or(""), who.email))
				return r
			},
			show: func(r *ReferralRecord) (Instant, any) { return r.CreatedAt, map[string]any{"notes": r.Notes} },
		}.as("notes"),
	}
}

// isLimitedTo reports whether a code names a customer by what is erased.
func (r *CodeRecord) isLimitedTo(who *subject) bool {
	return r.CustomerID != "" && (r.CustomerID == who.customer || sameEmail(r.CustomerID, who.email))
}

// limitedTo is a code that names the customer by an id that shows nobody.
func (r CodeRecord) limitedTo(who *subject) CodeRecord {
	r.CustomerID = who.id.String()
	return r
}

// isOf reports whether a payer pays for a customer, or has their email.
func (r *PayerRecord) isOf(who *subject) bool {
	return r.ReferralID != uuid.Nil && r.ReferralID == who.referral.ID || sameEmail(r.Email, who.email)
}

// triesFor reports whether a waiting payment names a customer by email or by the
// host's id.
func (r *PaymentRecord) triesFor(who *subject) bool {
	for i := range r.Waiting {
		for _, try := range r.Waiting[i].Tries {
			if who.named("customerId", try.ReferralID) {
				return true
			}
		}
	}
	return false
}

// without is a payment that names the customer by an id that shows nobody.
func (r PaymentRecord) without(who *subject) PaymentRecord {
	for i := range r.Waiting {
		for j := range r.Waiting[i].Tries {
			if try := &r.Waiting[i].Tries[j]; who.named("customerId", try.ReferralID) {
				try.ReferralID = who.id.String()
			}
		}
	}
	return r
}

// eraseHoldings blanks the records that show a person, all in one transaction.
func (o *op) eraseHoldings(who *subject) error {
	for _, h := range holdingsOf(who) {
		if _, err := h.erase(o, who, uuid.Nil, 0); err != nil {
			return internal("erase "+h.name, err)
		}
	}
	return nil
}

// The records without the personal data. TestErasureKnowsEveryText lists the
// texts that stay, with the reason.

func (r AffiliateRecord) blanked() AffiliateRecord {
	r.FirstName, r.LastName, r.Email, r.PayoutEmail, r.Answers = "", "", "", "", nil
	return r
}

func (r PayoutRecord) blanked() PayoutRecord {
	r.PayeeName, r.PayeeEmail = "", ""
	return r
}

// without blanks the reason if it shows the affiliate.
func (r AdjustmentRecord) without(aff *AffiliateRecord) AdjustmentRecord {
	reason := strings.ToLower(r.Reason)
	for _, name := range [...]string{aff.FirstName, aff.LastName, aff.Email, aff.PayoutEmail} {
		if name != "" && strings.Contains(reason, strings.ToLower(name)) {
			r.Reason = ""
		}
	}
	return r
}

func (r ReferralRecord) blanked() ReferralRecord {
	r.Name, r.Email, r.CustomerID, r.LandingPage = "", "", "", ""
	r.Notes, r.Metadata = Opt[string]{}, nil
	return r
}

func (r SaleRecord) blanked() SaleRecord {
	r.Name, r.Email, r.Metadata = "", "", nil
	return r
}

func (r ClickRecord) blanked() ClickRecord {
	r.DeviceID, r.LandingURL, r.Referrer, r.UserAgent = "", "", "", ""
	return r
}
