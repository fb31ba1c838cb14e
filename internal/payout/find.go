package payout

import (
	"context"
	"errors"
	"iter"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Payout implements tributary.Program.Payout.
func Payout(ctx context.Context, p *engine.Program, id uuid.UUID) (_ affiliate.Payout, err error) {
	defer p.Begin(&ctx, "Payout", engine.Reads).End(&err)
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.Payout, error) {
		rec, err := o.Tx.Payouts.Get(id)
		return payoutOf(o, rec), err
	})
}

// Payouts implements tributary.Program.Payouts.
func Payouts(ctx context.Context, p *engine.Program, f affiliate.PayoutQuery,
	pg affiliate.Page) (_ affiliate.List[affiliate.Payout], err error) {
	defer p.Begin(&ctx, "Payouts", engine.Reads).End(&err)
	return listed(ctx, p, f, pg, func(o *engine.Op, rec record.Payout) affiliate.Payout { return payoutOf(o, rec) })
}

// listed reads a page of payouts as items of any kind.
func listed[T any](ctx context.Context, p *engine.Program, f affiliate.PayoutQuery, pg affiliate.Page,
	item func(*engine.Op, record.Payout) T) (affiliate.List[T], error) {
	if err := check(f); err != nil {
		return affiliate.List[T]{}, err
	}
	l, err := p.Listing(pg, "payouts", f)
	if err != nil {
		return affiliate.List[T]{}, err
	}
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.List[T], error) {
		return engine.Chosen(o.Tx.Payouts, choosePayouts(o, f), l,
			func(rec record.Payout) (T, error) { return item(o, rec), nil })
	})
}

// PayoutSums implements tributary.Program.PayoutSums.
func PayoutSums(ctx context.Context, p *engine.Program, f affiliate.PayoutQuery) (out affiliate.PayoutSums, err error) {
	defer p.Begin(&ctx, "PayoutSums", engine.Reads).End(&err)
	if err := check(f); err != nil {
		return out, err
	}
	by := []string{"status", "payment_method"}
	if !f.RunID.IsZero() {
		by = append(by, "run_id")
	}
	if !f.AffiliateID.IsZero() || !f.AffiliateEmail.IsZero() {
		by = append(by, "affiliate_id")
	}
	err = engine.AddUp(ctx, p, engine.Adding[record.Payout]{
		Sum:    record.Sum{Table: "payouts", By: by, Add: []string{"amount"}},
		Choose: func(o *engine.Op) engine.Choice[record.Payout] { return choosePayouts(o, f) },
		Read: func(pg affiliate.Page) (affiliate.List[record.Payout], error) {
			return listed(ctx, p, f, pg, func(_ *engine.Op, rec record.Payout) record.Payout { return rec })
		},
	}, func(rec *record.Payout, n int64) (err error) {
		for _, sum := range []*affiliate.PayoutSum{&out.All, sumOf(&out, rec.Status)} {
			if sum != nil && err == nil {
				sum.Count += n
				sum.Amount, err = sum.Amount.Add(rec.Amount)
			}
		}
		return err
	})
	if err != nil {
		return out, refusal.Internal("add up payouts", err)
	}
	return out, nil
}

// sumOf returns the sum of a status; nil: it has none.
func sumOf(s *affiliate.PayoutSums, status affiliate.PayoutStatus) *affiliate.PayoutSum {
	return map[affiliate.PayoutStatus]*affiliate.PayoutSum{
		affiliate.PayoutPending: &s.Pending, affiliate.PayoutProcessing: &s.Processing,
		affiliate.PayoutPaid: &s.Paid, affiliate.PayoutFailed: &s.Failed,
		affiliate.PayoutCanceled: &s.Canceled, affiliate.PayoutReturned: &s.Returned,
	}[status]
}

// choosePayouts turns the filter into a choice.
func choosePayouts(o *engine.Op, f affiliate.PayoutQuery) (c engine.Choice[record.Payout]) {
	if f.Status != "" {
		c.ByText(record.OfState, affiliate.Set(string(f.Status)),
			func(r *record.Payout) string { return string(r.Status) })
	}
	c.ByOwner(o, f.AffiliateID, f.AffiliateEmail, func(r *record.Payout) uuid.UUID { return r.AffiliateID })
	if f.Method != "" {
		c.Fits = append(c.Fits, func(r *record.Payout) bool { return r.PaymentMethod == f.Method })
	}
	c.ByID(record.OfRun, f.RunID, func(r *record.Payout) uuid.UUID { return r.RunID })
	return c
}

// check refuses a status or a method that does not exist. On the wire the filter is
// a query, so its errors are of the query.
func check(f affiliate.PayoutQuery) error {
	return refusal.First(engine.InQuery(refusal.OneOfOrNone("status", f.Status,
		affiliate.PayoutStatuses())),
		engine.InQuery(refusal.OneOfOrNone("method", f.Method, affiliate.PaymentMethods())))
}

func payoutOf(o *engine.Op, rec record.Payout) affiliate.Payout {
	ids := []affiliate.CommissionID{}
	for _, n := range engine.CommissionsIn(&rec) {
		ids = append(ids, affiliate.CommissionID(n))
	}
	return affiliate.Payout{
		ID: rec.ID, AffiliateID: rec.AffiliateID, Amount: rec.Amount, Currency: o.Cfg.Currency,
		Status: rec.Status, PaymentMethod: engine.OrNull(rec.PaymentMethod),
		PeriodStart: refusal.TimeOrNull(rec.PeriodStart),
		PeriodEnd:   refusal.TimeOrNull(rec.PeriodEnd), ExternalID: engine.OrNull(rec.ExternalID),
		ManuallyPaid: rec.ManuallyPaid, PaidAt: refusal.TimeOrNull(rec.PaidAt),
		FailedReason: engine.OrNull(rec.FailedReason), CommissionIDs: ids,
		AdjustmentIDs: engine.AdjustmentsIn(&rec), PayeeName: engine.OrNull(rec.PayeeName),
		PayeeEmail: engine.OrNull(rec.PayeeEmail), CanceledAt: refusal.TimeOrNull(rec.CanceledAt),
		RunID: engine.OrNull(rec.RunID), ReturnedAt: refusal.TimeOrNull(rec.ReturnedAt),
		ReturnedReason: engine.OrNull(rec.ReturnedReason),
		CreatedAt:      affiliate.TimeOf(rec.CreatedAt.Time()),
		UpdatedAt:      affiliate.TimeOf(rec.UpdatedAt.Time()),
	}
}

// previewedPieces is the number of pieces of affiliates at which one page of a preview looks
// at.
const previewedPieces = 10

// PreviewPayouts implements tributary.Program.PreviewPayouts.
func PreviewPayouts(ctx context.Context, p *engine.Program, in affiliate.PayoutRun,
	pg affiliate.Page) (_ affiliate.List[affiliate.PayoutLine], err error) {
	defer p.Begin(&ctx, "PreviewPayouts", engine.Reads).End(&err)
	in.Limit = 0 // it is of a run
	w := previewOf(p, &in)
	if w.err != nil {
		return affiliate.List[affiliate.PayoutLine]{}, w.err
	}
	l, err := p.Listing(pg, "payout-preview", in)
	if err == nil {
		l, err = l.Open()
	}
	if err != nil {
		return affiliate.List[affiliate.PayoutLine]{}, err
	}
	list := affiliate.List[affiliate.PayoutLine]{Items: []affiliate.PayoutLine{}}
	limit, pieces, lines := l.Query.Limit, 0, 0
	for w.last = l.Query.After; limit == 0 || len(list.Items) <= limit && pieces < previewedPieces; pieces++ {
		if limit > 0 {
			lines = limit + 1 - len(list.Items) // one more shows whether there is a next page
		}
		if !w.next(ctx, lines) {
			break
		}
		list.Items = append(list.Items, w.lines...)
	}
	if w.err != nil {
		return affiliate.List[affiliate.PayoutLine]{}, w.err
	}
	switch {
	case limit > 0 && len(list.Items) > limit:
		list.Items = list.Items[:limit]
		list.Next = engine.SealCursor(list.Items[limit-1].AffiliateID, l.Scope)
	case !w.over:
		list.Next = engine.SealCursor(w.last, l.Scope)
	}
	return list, nil
}

// A previewWalk is a walk over the affiliates of a preview, piece by piece.
type previewWalk struct {
	p   *engine.Program
	run record.Run
	err error
	examination
}

func previewOf(p *engine.Program, in *affiliate.PayoutRun) *previewWalk {
	return &previewWalk{p: p, run: payoutRunRecord(in, p.Now(), p.Cfg.PayoutMinimum),
		err: checkRun(p, in, refusal.Optional("externalId", in.ExternalID, refusal.MaxName))}
}

// next reads a piece, up to so many lines, and reports whether there was one.
func (w *previewWalk) next(ctx context.Context, lines int) bool {
	if w.over || w.err != nil {
		return false
	}
	var e examination
	e, w.err = engine.View(ctx, w.p, func(o *engine.Op) (examination, error) {
		if w.last == uuid.Nil {
			if err := known(o, &w.run); err != nil {
				return examination{}, err
			}
		}
		return examine(o, &w.run, reach{w.last, affiliatesAtOnce, lines})
	})
	w.examination = e
	return w.err == nil
}

// transfersAtOnce is the number of payouts that one View of Transfers reads.
const transfersAtOnce = 512

// Transfers implements tributary.Program.Transfers.
func Transfers(ctx context.Context, p *engine.Program, f affiliate.PayoutQuery) iter.Seq2[affiliate.Transfer, error] {
	return func(yield func(affiliate.Transfer, error) bool) {
		if err := check(f); err != nil {
			yield(affiliate.Transfer{}, err)
			return
		}
		for after, more := uuid.Nil, true; more; {
			recs, err := engine.View(ctx, p, func(o *engine.Op) ([]record.Payout, error) {
				c := choosePayouts(o, f)
				if c.Err != nil {
					return nil, c.Err
				}
				return engine.Gather(c.In(o.Tx.Payouts), record.Query{Key: c.Key, After: after, Limit: transfersAtOnce})
			})
			if errors.Is(err, affiliate.ErrNotFound) {
				return // the filter names nobody
			}
			if err != nil {
				yield(affiliate.Transfer{}, err)
				return
			}
			for i := range recs {
				if !yield(transfer(p, &recs[i]), nil) {
					return
				}
				after = recs[i].ID
			}
			more = len(recs) == transfersAtOnce
		}
	}
}

func transfer(p *engine.Program, rec *record.Payout) affiliate.Transfer {
	return affiliate.Transfer{
		PayoutID: rec.ID, Status: rec.Status, Amount: rec.Amount, Currency: p.Cfg.Currency,
		Method: rec.PaymentMethod, Name: rec.PayeeName, Email: rec.PayeeEmail,
	}
}
