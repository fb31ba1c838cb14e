package upkeep

import (
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The records that a program holds of a person, in one list: an erasure blanks them,
// and an access request shows them.

// A subject is somebody whose data is erased or shown.
type subject struct {
	person
	affiliate record.Affiliate // zero: a customer
	referral  record.Referral  // zero: an affiliate, or a person whom no referral names
	former    []record.Erasure // names of those who were merged into them
}

// faces returns the subject under its own names, and under each former one.
func (who *subject) faces() []*subject {
	all := []*subject{who}
	for _, name := range who.former {
		face := *who
		face.email, face.customer, face.affiliate.Email = "", "", ""
		id, err := uuid.Parse(name.Name)
		email, ok := mailbox.Canonical(name.Name)
		switch {
		case err == nil:
			face.id = id
		case ok:
			face.email, face.affiliate.Email = email, email
		}
		if name.ReferralID != uuid.Nil {
			face.customer = name.Name
		}
		all = append(all, &face)
	}
	return all
}

// affiliateSubject finds an affiliate.
func affiliateSubject(o *engine.Op, id uuid.UUID) (subject, error) {
	rec, err := o.AffiliateByID(id)
	if err != nil {
		return subject{}, refusal.RefuseNoAffiliate.IfMissing(err)
	}
	former, err := o.FormerNames(record.OfAffiliate, rec.ID)
	return subject{person: person{id: rec.ID, email: rec.Email}, affiliate: rec, former: former}, err
}

// customerSubject finds a customer by id, else by email, also an erased one. An email
// that no referral has is a subject too: records may show it.
func customerSubject(o *engine.Op, ident string) (who subject, err error) {
	rec, err := o.FindReferral(ident)
	if err == nil {
		former, err := o.FormerNames(record.OfReferral, rec.ID)
		return subject{person: person{id: rec.ID, email: rec.Email, customer: rec.CustomerID},
			referral: rec, former: former}, err
	}
	email, ok := mailbox.Canonical(ident)
	if !ok || !errors.Is(err, affiliate.ErrNotFound) {
		return who, refusal.ReferralNotFound.IfMissing(err)
	}
	c, err := o.CustomerByEmail(email)
	if err != nil {
		return who, err
	}
	who.email, who.referral = email, c.Referral
	who.customer = c.Referral.CustomerID
	if who.id = c.Referral.ID; who.id == uuid.Nil {
		who.id = o.Cfg.ErasureID(email)
	}
	return who, nil
}

// isCustomer reports whether the subject is a customer.
func (who *subject) isCustomer() bool { return who.affiliate.ID == uuid.Nil }

// isUnnamed reports whether the subject is an email that no referral has.
func (who *subject) isUnnamed() bool { return who.isCustomer() && who.referral.ID == uuid.Nil }

// startErasing records that the customer is erased, so that nothing more is stored of
// them. For an email that no referral has, this waits until a record shows it.
func startErasing(o *engine.Op, who *subject) (changed bool, err error) {
	rec := who.referral
	if rec.ID == uuid.Nil {
		return false, nil
	}
	named := rec
	named.Email = who.email
	if err := o.KeepErased(&named); err != nil {
		return false, err
	}
	if !rec.Erased.IsZero() {
		return false, nil
	}
	rec.Erased = o.Now
	who.referral = rec
	return replaced(o.Tx.Referrals, rec, true)
}

// settle gives up what is owed to an affiliate who is erased, or refuses.
func settle(o *engine.Op, who *subject, gives bool) error {
	if who.isCustomer() {
		return nil
	}
	return o.GiveUp(who.id, gives)
}

// noteShown records that a record shows an email that no referral has.
func noteShown(o *engine.Op, who *subject) error {
	if !who.isUnnamed() {
		return nil
	}
	return o.KeepErasure(who.id, uuid.Nil)
}

// endErasing blanks the person. When no record shows an email, it finds nobody.
func endErasing(o *engine.Op, who *subject) error {
	switch {
	case !who.isCustomer():
		if err := o.EraseNames(record.OfAffiliate, who.id); err != nil {
			return refusal.Internal("erase names", err)
		}
		_, err := o.SaveAffiliate(who.affiliate, engine.BlankedAffiliate(who.affiliate))
		return err
	case who.isUnnamed():
		_, err := o.Erasure(who.email)
		return refusal.ReferralNotFound.IfMissing(err)
	}
	if err := o.EraseNames(record.OfReferral, who.id); err != nil {
		return refusal.Internal("erase names", err)
	}
	_, err := o.SaveReferral(who.referral, engine.BlankedReferral(who.referral))
	return err
}

// personalRecords is one kind of record that may show a person.
type personalRecords struct {
	name  string // in the answer of an access request, which groups by it
	erase func(o *engine.Op, who *subject, after uuid.UUID, n int) (stretch, error)
	read  func(o *engine.Op, who *subject, found func(id string, at affiliate.Instant, data any)) error
}

// A personalTable describes how the records of one table show a person.
type personalTable[R record.Record[R]] struct {
	table func(*record.Tx) record.Table[R]
	list  func(*subject) (key record.Key, ok bool) // where they are; the zero Key: anywhere; not ok: nowhere
	of    func(*subject, *R) bool                  // which of the list; nil: all
	blank func(*subject, R) R                      // removes the person; nil: nothing of it is erased
	show  func(*R) (at affiliate.Instant,
		data any) // all that the record says of the person, at least what blank removes
}

// as returns the holding under a name.
func (k personalTable[R]) as(name string) personalRecords {
	return personalRecords{name: name, read: k.read, erase: func(o *engine.Op, who *subject, after uuid.UUID, n int) (stretch, error) {
		done := stretch{over: true}
		if k.blank == nil {
			return done, nil
		}
		for i, key := range k.lists(who) {
			if !done.over {
				break
			}
			if i > 0 { // few have a former name
				after, n = uuid.Nil, 0
			}
			next, err := walk(k.table(o.Tx), key, after, n,
				func(rec R) (bool, error) { return k.eraseOne(o, who, rec) })
			if err != nil {
				return done, err
			}
			done.over, done.last = next.over, next.last
			done.looked, done.changed = done.looked+next.looked, done.changed+next.changed
		}
		return done, nil
	}}
}

// lists returns the lists of the subject's records, by each of its names.
func (k personalTable[R]) lists(who *subject) (keys []record.Key) {
	for _, face := range who.faces() {
		if key, ok := k.list(face); ok && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// eraseOne blanks a record that shows the subject by one of its names.
func (k personalTable[R]) eraseOne(o *engine.Op, who *subject, rec R) (bool, error) {
	blank := rec.Clone()
	for _, face := range who.faces() {
		if k.of == nil || k.of(face, &rec) {
			blank = k.blank(face, blank)
		}
	}
	if engine.Same(rec, blank) {
		return false, nil
	}
	if err := noteShown(o, who); err != nil {
		return false, err
	}
	return replaced(k.table(o.Tx), blank, true)
}

// read finds the records that show the person.
func (k personalTable[R]) read(o *engine.Op, who *subject,
	found func(id string, at affiliate.Instant, data any)) error {
	shows := func(rec *R) bool {
		return k.of == nil || slices.ContainsFunc(who.faces(), func(face *subject) bool { return k.of(face, rec) })
	}
	for _, key := range k.lists(who) {
		for rec, err := range k.table(o.Tx).List(record.Query{Key: key}) {
			if err != nil {
				return err
			}
			if shows(&rec) {
				at, data := k.show(&rec)
				found(rec.RecordID().String(), at, data)
			}
		}
	}
	return nil
}

// everywhere returns the list of records that no index finds by their person.
func everywhere(*subject) (record.Key, bool) { return record.Key{}, true }

// ofTheirs returns the list of what belongs to the affiliate or the referral.
func ofTheirs(who *subject) (record.Key, bool) {
	if who.isCustomer() {
		return record.Key{Index: record.OfReferral, ID: who.referral.ID}, who.referral.ID != uuid.Nil
	}
	return record.Key{Index: record.OfAffiliate, ID: who.affiliate.ID}, true
}

// holdingsOf returns the records that may show a person, without their own.
func holdingsOf(who *subject) []personalRecords {
	if who.isCustomer() {
		return customerHoldings()
	}
	return affiliateHoldings()
}

func affiliateHoldings() []personalRecords {
	return []personalRecords{
		personalTable[record.Payout]{
			table: func(tx *record.Tx) record.Table[record.Payout] { return tx.Payouts }, list: ofTheirs,
			blank: func(_ *subject, r record.Payout) record.Payout { return engine.BlankedPayout(r) },
			show:  paid,
		}.as("payouts"),
		personalTable[record.Adjustment]{
			table: func(tx *record.Tx) record.Table[record.Adjustment] { return tx.Adjustments }, list: ofTheirs,
			blank: func(who *subject, r record.Adjustment) record.Adjustment { return without(r, &who.affiliate) },
			show:  given,
		}.as("adjustments"),
		personalTable[record.Case]{
			table: func(tx *record.Tx) record.Table[record.Case] { return tx.Cases }, list: ofTheirs,
			blank: func(_ *subject, r record.Case) record.Case {
				r.Text, r.Answer, r.ExternalID = "", "", ""
				return r
			},
			show: asked,
		}.as("cases"),
		personalTable[record.Link]{
			table: func(tx *record.Tx) record.Table[record.Link] { return tx.Links }, list: ofTheirs,
			show: func(r *record.Link) (affiliate.Instant, any) { return r.CreatedAt, map[string]any{"link": r.Slug} },
		}.as("links"),
		personalTable[record.Code]{
			table: func(tx *record.Tx) record.Table[record.Code] { return tx.Codes }, list: ofTheirs,
			show: limited,
		}.as("codes"),
		personalTable[record.Sale]{
			table: func(tx *record.Tx) record.Table[record.Sale] { return tx.Sales }, list: ofTheirs,
			show: credited,
		}.as("commissions"),
		notesOnOthers(),
	}
}

func customerHoldings() []personalRecords {
	return []personalRecords{
		personalTable[record.Click]{
			table: func(tx *record.Tx) record.Table[record.Click] { return tx.Clicks }, list: ofTheirs,
			blank: func(_ *subject, r record.Click) record.Click { return engine.BlankedClick(r) },
			show:  visit,
		}.as("clicks"),
		personalTable[record.Sale]{
			table: func(tx *record.Tx) record.Table[record.Sale] { return tx.Sales }, list: ofTheirs,
			blank: func(_ *subject, r record.Sale) record.Sale { return engine.BlankedSale(r) },
			show:  bought,
		}.as("sales"),
		personalTable[record.Sale]{ // also those that an update gave the email, and those of no referral
			table: func(tx *record.Tx) record.Table[record.Sale] { return tx.Sales },
			list: func(who *subject) (record.Key, bool) {
				return record.TextKey(record.OfCustomer, mailbox.Of(who.email)), who.email != ""
			},
			of: func(who *subject, r *record.Sale) bool {
				return r.ReferralID == uuid.Nil || r.ReferralID != who.referral.ID
			},
			blank: func(_ *subject, r record.Sale) record.Sale { return engine.BlankedSale(r) },
			show:  bought,
		}.as("sales"),
		personalTable[record.Code]{
			table: func(tx *record.Tx) record.Table[record.Code] { return tx.Codes }, list: everywhere,
			of:    func(who *subject, r *record.Code) bool { return isLimitedTo(r, who) },
			blank: func(who *subject, r record.Code) record.Code { return limitedTo(r, who) },
			show:  limited,
		}.as("codes"),
		personalTable[record.Payer]{
			table: func(tx *record.Tx) record.Table[record.Payer] { return tx.Payers }, list: everywhere,
			of:    func(who *subject, r *record.Payer) bool { return isOf(r, who) },
			blank: func(_ *subject, r record.Payer) record.Payer { return engine.BlankedPayer(r) },
			show:  pay,
		}.as("payers"),
		personalTable[record.Payment]{
			table: func(tx *record.Tx) record.Table[record.Payment] { return tx.Payments }, list: everywhere,
			of:    func(who *subject, r *record.Payment) bool { return triesFor(r, who) },
			blank: func(who *subject, r record.Payment) record.Payment { return paymentWithout(r, who) },
			show:  facts,
		}.as("payments"),
		personalTable[record.Adjustment]{
			table: func(tx *record.Tx) record.Table[record.Adjustment] { return tx.Adjustments }, list: everywhere,
			of: func(who *subject, r *record.Adjustment) bool { return names(r.Reason, who.email) },
			blank: func(who *subject, r record.Adjustment) record.Adjustment {
				r.Reason = withoutEmail(r.Reason, who.email)
				return r
			},
			show: func(r *record.Adjustment) (affiliate.Instant, any) {
				return r.CreatedAt, map[string]any{"reason": r.Reason}
			},
		}.as("adjustments"),
		personalTable[record.Case]{
			table: func(tx *record.Tx) record.Table[record.Case] { return tx.Cases }, list: everywhere,
			of: func(who *subject, r *record.Case) bool {
				return names(r.Text, who.email) || names(r.Answer, who.email)
			},
			blank: func(who *subject, r record.Case) record.Case {
				r.Text, r.Answer = withoutEmail(r.Text, who.email), withoutEmail(r.Answer, who.email)
				return r
			},
			show: func(r *record.Case) (affiliate.Instant, any) {
				return r.CreatedAt, map[string]any{"text": r.Text, "answer": r.Answer}
			},
		}.as("cases"),
		personalTable[record.Payout]{
			table: func(tx *record.Tx) record.Table[record.Payout] { return tx.Payouts }, list: everywhere,
			of: func(who *subject, r *record.Payout) bool {
				return names(r.FailedReason, who.email) || names(r.ReturnedReason, who.email)
			},
			blank: func(who *subject, r record.Payout) record.Payout {
				r.FailedReason, r.ReturnedReason = withoutEmail(r.FailedReason, who.email),
					withoutEmail(r.ReturnedReason, who.email)
				return r
			},
			show: func(r *record.Payout) (affiliate.Instant, any) {
				return r.CreatedAt, map[string]any{"failedReason": r.FailedReason, "returnedReason": r.ReturnedReason}
			},
		}.as("payouts"),
		personalTable[record.Referral]{
			table: func(tx *record.Tx) record.Table[record.Referral] { return tx.Referrals }, list: everywhere,
			of: func(who *subject, r *record.Referral) bool {
				return r.ID != who.referral.ID && names(r.Notes.Or(""), who.email)
			},
			blank: func(who *subject, r record.Referral) record.Referral {
				r.Notes = affiliate.Set(withoutEmail(r.Notes.Or(""), who.email))
				return r
			},
			show: func(r *record.Referral) (affiliate.Instant, any) {
				return r.CreatedAt, map[string]any{"notes": r.Notes}
			},
		}.as("notes"),
		notesOnOthers(),
	}
}

// notesOnOthers holds what the program wrote of other affiliates with the email of the person.
func notesOnOthers() personalRecords {
	return personalTable[record.Affiliate]{
		table: func(tx *record.Tx) record.Table[record.Affiliate] { return tx.Affiliates }, list: everywhere,
		of: func(who *subject, r *record.Affiliate) bool {
			return r.ID != who.affiliate.ID && names(r.Note, who.email)
		},
		blank: func(who *subject, r record.Affiliate) record.Affiliate {
			r.Note = withoutEmail(r.Note, who.email)
			return r
		},
		show: func(r *record.Affiliate) (affiliate.Instant, any) {
			return r.CreatedAt, map[string]any{"note": r.Note}
		},
	}.as("notes")
}

// isLimitedTo reports whether a code names a customer by what is erased.
func isLimitedTo(r *record.Code, who *subject) bool {
	return r.CustomerID != "" && (r.CustomerID == who.customer || engine.SameMailbox(r.CustomerID, who.email))
}

// limitedTo returns a code that names the customer by an id that shows nobody.
func limitedTo(r record.Code, who *subject) record.Code {
	r.CustomerID = who.id.String()
	return r
}

// isOf reports whether a payer pays for a customer, or has their email.
func isOf(r *record.Payer, who *subject) bool {
	return r.ReferralID != uuid.Nil && r.ReferralID == who.referral.ID || engine.SameMailbox(r.Email, who.email)
}

// triesFor reports whether a waiting payment names a customer by email or by the
// host's id.
func triesFor(r *record.Payment, who *subject) bool {
	for i := range r.Waiting {
		for _, try := range r.Waiting[i].Tries {
			if who.named("customerId", try.ReferralID) {
				return true
			}
		}
	}
	return false
}

// paymentWithout returns a payment that names the customer by an id that shows nobody.
func paymentWithout(r record.Payment, who *subject) record.Payment {
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
func eraseHoldings(o *engine.Op, who *subject) error {
	for _, h := range holdingsOf(who) {
		if _, err := h.erase(o, who, uuid.Nil, 0); err != nil {
			return refusal.Internal("erase "+h.name, err)
		}
	}
	return nil
}

// without blanks the reason if it shows the affiliate.
func without(r record.Adjustment, aff *record.Affiliate) record.Adjustment {
	reason := strings.ToLower(r.Reason)
	for _, name := range [...]string{aff.FirstName, aff.LastName, aff.Email, aff.PayoutEmail} {
		if name != "" && strings.Contains(reason, strings.ToLower(name)) {
			r.Reason = ""
		}
	}
	return r
}
