package mail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// An affiliateEvent is what a Post reads of an event of an affiliate, and a saleEvent of one of a sale.
type (
	affiliateEvent struct{ Body affiliate.AffiliateBody }
	saleEvent      struct{ Body affiliate.Sale }
)

// A told is what an event says: the kind of its mail, which is empty when there is none, and of
// one of an affiliate the status that it leaves.
type told struct {
	kind Kind
	of   uuid.UUID
	is   affiliate.AffiliateStatus
}

// read returns what an event says.
func (r *round) read(ctx context.Context, e affiliate.Event) (t told, err error) {
	if len(e.Payload) == 0 {
		return t, nil // somebody in it was erased
	}
	switch e.Type {
	case affiliate.AffiliateCreated, affiliate.AffiliateUpdated:
		var is affiliateEvent
		if err := json.Unmarshal(e.Payload, &is); err != nil {
			return t, r.unread(e, err)
		}
		t.of, t.is = is.Body.ID, is.Body.Status
		if e.Type == affiliate.AffiliateCreated {
			t.kind = ofNew(is.Body)
			return t, nil
		}
		t.kind, err = r.ofStatus(ctx, is.Body)
	case affiliate.SaleCreated, affiliate.SaleUpdated:
		var is saleEvent
		if err := json.Unmarshal(e.Payload, &is); err != nil {
			return t, r.unread(e, err)
		}
		if e.Type == affiliate.SaleCreated {
			t.kind, err = r.ofSale(ctx, is.Body)
			return t, err
		}
		var payout affiliate.Payout
		if payout, err = r.paid(ctx, e, is.Body); payout.ID != uuid.Nil {
			t.kind = PayoutSent
		}
	}
	return t, err
}

// unread goes on after an event that cannot be read, so that it holds up no mail.
func (r *round) unread(e affiliate.Event, err error) error {
	r.Logger.Error("mail: an event cannot be read", "event", e.ID, "error", err)
	return nil
}

// ofNew returns the mail about a new affiliate.
func ofNew(a affiliate.AffiliateBody) Kind {
	switch a.Status {
	case affiliate.AffiliateActive, affiliate.AffiliateInvited:
		return Welcome
	case affiliate.AffiliateInactive:
		return Received
	}
	return ""
}

// ofStatus returns the mail about the status that an update leaves.
func (r *round) ofStatus(ctx context.Context, a affiliate.AffiliateBody) (Kind, error) {
	if a.Status != affiliate.AffiliateActive && a.Status != affiliate.AffiliateDeclined {
		return "", nil
	}
	was, err := r.applicant(ctx, a.ID)
	switch {
	case err != nil || was == "" || was == a.Status:
		return "", err
	case a.Status == affiliate.AffiliateDeclined:
		return Declined, nil
	}
	return Approved, nil
}

// applicant returns the status that an affiliate had who was not taken yet: INACTIVE or DECLINED;
// empty: another one. The store keeps it, because the events that say so may be gone.
func (r *round) applicant(ctx context.Context, id uuid.UUID) (was affiliate.AffiliateStatus,
	err error) {
	kept, err := r.Values.Get(ctx, applicantPrefix+id.String())
	if errors.Is(err, affiliate.ErrNotFound) {
		return "", nil
	}
	if err == nil {
		err = json.Unmarshal(kept.Value, &was)
	}
	return was, err
}

// note keeps the status of an affiliate after its event was mailed, if it was not taken yet.
func (r *round) note(ctx context.Context, id uuid.UUID, is affiliate.AffiliateStatus) error {
	if is != affiliate.AffiliateInactive && is != affiliate.AffiliateDeclined {
		is = ""
	}
	if was, err := r.applicant(ctx, id); err != nil || was == is {
		return err
	}
	return r.Values.Change(ctx, applicantPrefix+id.String(), func(json.RawMessage) (json.RawMessage,
		error) {
		if is == "" {
			return nil, nil
		}
		return json.Marshal(is)
	})
}

// ofSale returns the mail about a sale: the first that earns the affiliate something for sure.
func (r *round) ofSale(ctx context.Context, s affiliate.Sale) (Kind, error) {
	if r.Stop == nil || len(s.Commissions) == 0 || s.CommissionEarned.Sign() <= 0 ||
		s.Commissions[0].ApprovalStatus != affiliate.ApprovalAccepted {
		return "", nil
	}
	first, err := r.Program.Sales(ctx, affiliate.SaleQuery{AffiliateID: affiliate.Set(s.AffiliateID),
		OldestFirst: true}, affiliate.Page{Limit: 1})
	if err != nil || len(first.Items) == 0 || first.Items[0].ID != s.ID {
		return "", err
	}
	return FirstSale, nil
}

// paid returns the payout that an event of a sale says was paid: every sale in the payout has such an
// event, and the one with its first commission stands for it.
func (r *round) paid(ctx context.Context, e affiliate.Event,
	s affiliate.Sale) (none affiliate.Payout, err error) {
	for _, c := range s.Commissions {
		id, in := c.PayoutID.Get()
		if !in {
			continue
		}
		payout, err := r.Program.Payout(ctx, id)
		if errors.Is(err, affiliate.ErrNotFound) {
			continue
		}
		if err != nil {
			return none, err
		}
		if at, is := payout.PaidAt.Get(); is && at.Equal(e.OccurredAt) &&
			payout.Status == affiliate.PayoutPaid && payout.CommissionIDs[0] == c.ID {
			return payout, nil
		}
	}
	return none, nil
}

// compose writes the mail of a letter. Without a recipient there is nothing to send any more.
func (r *round) compose(ctx context.Context, letter *Letter) (m Mail, err error) {
	is, err := r.Program.Settings(ctx)
	if err != nil {
		return m, err
	}
	data, to, texts := Data{Program: is.Name, Link: r.Pages}, letter.To, r.Texts
	of, err := r.about(ctx, letter, &data, is.Currency)
	if err == nil && of != uuid.Nil {
		var a affiliate.Affiliate
		a, err = r.Program.Affiliate(ctx, of.String())
		if to = a.Email; letter.Kind != Received { // nobody has looked at that name
			data.Name = a.Name
		}
		texts = texts.In(a.Language)
	}
	switch {
	case errors.Is(err, affiliate.ErrNotFound):
		return m, nil
	case err != nil || of == uuid.Nil && len(data.Waiting) == 0:
		return m, err
	}
	m, err = texts.Write(letter.Kind, data)
	m.To = to
	return m, err
}

func money(a affiliate.Amount, c affiliate.Currency) string { return string(c) + " " + a.Format(c) }

// about completes the data of a letter, and returns the affiliate to whom it goes; nil: to an
// operator, who has something to read when anything waits, or to nobody.
func (r *round) about(ctx context.Context, letter *Letter, data *Data,
	c affiliate.Currency) (of uuid.UUID, err error) {
	switch letter.Kind {
	case Attention:
		at, err := r.local(ctx)
		if err != nil || at.Format(time.DateOnly) != letter.About {
			return of, err // that morning has passed
		}
		data.Link = r.Console
		data.Waiting, err = r.needs(ctx)
		return of, err
	case PayoutFailed:
		id, err := uuid.Parse(letter.About[:min(36, len(letter.About))])
		if err != nil {
			return of, err
		}
		payout, err := r.Program.Payout(ctx, id)
		if err != nil || payout.Status != affiliate.PayoutFailed {
			return of, err
		}
		data.Amount, data.Reason = money(payout.Amount, payout.Currency), payout.FailedReason.Or("")
		data.Link += "payout-details"
		return payout.AffiliateID, nil
	case Answered:
		id, err := uuid.Parse(letter.About)
		if err != nil {
			return of, err
		}
		c, err := r.Program.Case(ctx, id)
		if data.Answer = c.Answer.Or(""); data.Answer == "" {
			return of, err // the affiliate was erased
		}
		data.Link += "cases"
		return c.AffiliateID, err
	case Statement:
		return r.aboutMonth(ctx, letter, data, c)
	}
	return r.fromEvent(ctx, letter, data, c)
}

// fromEvent returns the affiliate of a letter about an event, and completes its data.
func (r *round) fromEvent(ctx context.Context, letter *Letter, data *Data,
	c affiliate.Currency) (of uuid.UUID, err error) {
	id, err := uuid.Parse(letter.About)
	if err != nil {
		return of, err
	}
	found, err := r.Program.Events(ctx, affiliate.EventQuery{ID: affiliate.Set(id)},
		affiliate.Page{Limit: 1})
	if err != nil || len(found.Items) == 0 || len(found.Items[0].Payload) == 0 {
		return of, err
	}
	e := found.Items[0]
	if letter.Kind != FirstSale && letter.Kind != PayoutSent {
		if letter.Kind == Declined {
			data.Reason = e.Reason
		}
		return uuid.Parse(e.ObjectID)
	}
	var is saleEvent
	if err := json.Unmarshal(e.Payload, &is); err != nil {
		return of, err
	}
	of = is.Body.AffiliateID
	if letter.Kind == PayoutSent {
		payout, err := r.paid(ctx, e, is.Body)
		if err != nil || payout.ID == uuid.Nil {
			return uuid.Nil, err
		}
		data.Amount, data.Link = money(payout.Amount, c), data.Link+"payouts"
		return of, nil
	}
	data.Amount, data.Link = money(is.Body.CommissionEarned, c), data.Link+"sales"
	return r.wanted(ctx, of, data)
}

// wanted completes a mail that is not necessary. It returns no affiliate when nobody wants it.
func (r *round) wanted(ctx context.Context, of uuid.UUID, data *Data) (uuid.UUID, error) {
	stopped, err := r.stopped(ctx, of)
	if err != nil || stopped || r.Stop == nil {
		return uuid.Nil, err
	}
	data.Unsubscribe = r.Stop(of)
	return of, nil
}

// needs says what waits for the people of the program.
func (r *round) needs(ctx context.Context) (all []string, err error) {
	a, err := r.Program.Attention(ctx, 1)
	if err != nil {
		return nil, err
	}
	cases, err := r.Program.Cases(ctx, affiliate.CaseQuery{Status: affiliate.CaseOpen},
		affiliate.Page{Limit: 100})
	if err != nil {
		return nil, err
	}
	unsent, proposed := 0, 0
	if r.Proposed != nil {
		if proposed, err = r.Proposed(ctx); err != nil {
			return nil, err
		}
	}
	for letter, err := range r.Letters(ctx) {
		if err != nil {
			return nil, err
		}
		if letter.Next.IsZero() {
			unsent++
		}
	}
	for _, of := range []struct {
		n    int
		more bool
		what string
	}{
		{a.PendingAffiliates.Count, a.PendingAffiliates.More, "affiliates wait for approval"},
		{len(cases.Items), cases.Next != "", "questions of affiliates wait for an answer"},
		{proposed, false, "proposals wait for a decision"},
		{a.HeldSales.Count, a.HeldSales.More, "sales have a commission on hold"},
		{a.FailedPayouts.Count, a.FailedPayouts.More, "payouts have failed"},
		{a.PaymentConflicts.Count, a.PaymentConflicts.More, "payments wait for a decision"},
		{a.Overdrawn.Count, a.Overdrawn.More, "redemptions are over a limit"},
		{a.SharedPayees.Count, a.SharedPayees.More, "payout addresses are of several affiliates"},
		{a.FailingWebhooks.Count, a.FailingWebhooks.More, "webhook endpoints fail"},
		{a.FailedDeliveries.Count, a.FailedDeliveries.More, "webhook deliveries were given up"},
		{unsent, false, "mails could not be sent"},
	} {
		more := ""
		if of.more {
			more = "more than "
		}
		if of.n > 0 {
			all = append(all, fmt.Sprintf("%s%d: %s", more, of.n, of.what))
		}
	}
	return all, nil
}
