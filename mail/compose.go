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

// kindOf returns the kind of the mail about an event; empty: there is none.
func (r *round) kindOf(ctx context.Context, e affiliate.Event) (kind Kind, err error) {
	if len(e.Payload) == 0 {
		return "", nil // somebody in it was erased
	}
	switch e.Type {
	case affiliate.AffiliateCreated, affiliate.AffiliateUpdated:
		var is affiliateEvent
		if err := json.Unmarshal(e.Payload, &is); err != nil {
			return "", err
		}
		if e.Type == affiliate.AffiliateCreated {
			return ofNew(is.Body), nil
		}
		return r.ofStatus(ctx, e, is.Body.Status)
	case affiliate.SaleCreated, affiliate.SaleUpdated:
		var is saleEvent
		if err := json.Unmarshal(e.Payload, &is); err != nil {
			return "", err
		}
		if e.Type == affiliate.SaleUpdated {
			payout, err := r.paid(ctx, e, is.Body)
			if payout.ID != uuid.Nil {
				kind = PayoutSent
			}
			return kind, err
		}
		return r.ofSale(ctx, is.Body)
	}
	return "", nil
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

// ofStatus returns the mail about a status that an update has changed.
func (r *round) ofStatus(ctx context.Context, e affiliate.Event, is affiliate.AffiliateStatus) (Kind, error) {
	if is != affiliate.AffiliateActive && is != affiliate.AffiliateDeclined {
		return "", nil
	}
	older, err := r.Program.Events(ctx, affiliate.EventQuery{ObjectID: affiliate.Set(e.ObjectID)}, affiliate.Page{Limit: 100})
	for _, before := range older.Items {
		var was affiliateEvent
		if before.Revision != e.Revision-1 || json.Unmarshal(before.Payload, &was) != nil {
			continue // an erased one says nothing
		}
		switch {
		case is == affiliate.AffiliateDeclined && was.Body.Status == affiliate.AffiliateInactive:
			return Declined, err
		case is == affiliate.AffiliateActive && (was.Body.Status == affiliate.AffiliateInactive || was.Body.Status == affiliate.AffiliateDeclined):
			return Approved, err
		}
	}
	return "", err
}

// ofSale returns the mail about a sale: the first that earns the affiliate something for sure.
func (r *round) ofSale(ctx context.Context, s affiliate.Sale) (Kind, error) {
	if r.Stop == nil || len(s.Commissions) == 0 || s.CommissionEarned.Sign() <= 0 ||
		s.Commissions[0].ApprovalStatus != affiliate.ApprovalAccepted {
		return "", nil
	}
	first, err := r.Program.Sales(ctx, affiliate.SaleQuery{AffiliateID: affiliate.Set(s.AffiliateID), OldestFirst: true}, affiliate.Page{Limit: 1})
	if err != nil || len(first.Items) == 0 || first.Items[0].ID != s.ID {
		return "", err
	}
	return FirstSale, nil
}

// paid returns the payout that an event of a sale says was paid: every sale in the payout has such an
// event, and the one with its first commission stands for it.
func (r *round) paid(ctx context.Context, e affiliate.Event, s affiliate.Sale) (none affiliate.Payout, err error) {
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
		if at, is := payout.PaidAt.Get(); is && at.Equal(e.OccurredAt) && payout.Status == affiliate.PayoutPaid && payout.CommissionIDs[0] == c.ID {
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
	data, to := Data{Program: is.Name, Link: r.Pages}, letter.To
	money := func(a affiliate.Amount, c affiliate.Currency) string { return string(c) + " " + a.Format(c) }
	var of uuid.UUID
	switch letter.Kind {
	case Attention:
		at, err := r.local(ctx)
		if err != nil || at.Format(time.DateOnly) != letter.About {
			return m, err // that morning has passed
		}
		data.Link = r.Console
		if data.Waiting, err = r.needs(ctx); err != nil || len(data.Waiting) == 0 {
			return m, err
		}
	case PayoutFailed:
		var payout affiliate.Payout
		if payout, err = r.Program.Payout(ctx, uuid.MustParse(letter.About[:36])); err == nil && payout.Status == affiliate.PayoutFailed {
			of, data.Amount, data.Reason = payout.AffiliateID, money(payout.Amount, payout.Currency), payout.FailedReason.Or("")
			data.Link += "payout-details"
		}
	default:
		of, err = r.fromEvent(ctx, letter, &data, func(a affiliate.Amount) string { return money(a, is.Currency) })
	}
	if errors.Is(err, affiliate.ErrNotFound) {
		return m, nil
	}
	if err != nil || of == uuid.Nil && to == "" {
		return m, err
	}
	if to == "" {
		a, err := r.Program.Affiliate(ctx, of.String())
		if errors.Is(err, affiliate.ErrNotFound) {
			return m, nil
		}
		if err != nil {
			return m, err
		}
		if to = a.Email; letter.Kind != Received { // nobody has looked at that name
			data.Name = a.Name
		}
	}
	m, err = r.Texts.Write(letter.Kind, data)
	m.To = to
	return m, err
}

// fromEvent returns the affiliate of a letter about an event, and completes its data.
func (r *round) fromEvent(ctx context.Context, letter *Letter, data *Data, money func(affiliate.Amount) string) (of uuid.UUID, err error) {
	id, err := uuid.Parse(letter.About)
	if err != nil {
		return of, err
	}
	found, err := r.Program.Events(ctx, affiliate.EventQuery{ID: affiliate.Set(id)}, affiliate.Page{Limit: 1})
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
		data.Amount, data.Link = money(payout.Amount), data.Link+"payouts"
		return of, nil
	}
	stopped, err := r.stopped(ctx, of)
	if err != nil || stopped || r.Stop == nil {
		return uuid.Nil, err
	}
	data.Amount, data.Link, data.Unsubscribe = money(is.Body.CommissionEarned), data.Link+"sales", r.Stop(of)
	return of, nil
}

// needs says what waits for the people of the program.
func (r *round) needs(ctx context.Context) (all []string, err error) {
	a, err := r.Program.Attention(ctx, 1)
	if err != nil {
		return nil, err
	}
	unsent := 0
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
