package mail

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// asked is what the affiliates know of their cases.
type asked struct {
	Open   []uuid.UUID // that waited for an answer
	Newest uuid.UUID   // of all
}

// newlyAnswered returns the cases that were answered since the last look, and what they all are: of those
// that waited then, and of those that were opened and answered in between.
func (r *round) newlyAnswered(ctx context.Context) (news []affiliate.Case, now asked, err error) {
	now.Newest = r.Asked.Newest
	open, err := r.Program.Cases(ctx, affiliate.CaseQuery{Status: affiliate.CaseOpen}, affiliate.Page{})
	for _, c := range open.Items {
		now.Open, now.Newest = append(now.Open, c.ID), later(now.Newest, c.ID)
	}
	if err != nil {
		return nil, now, err
	}
	for _, id := range r.Asked.Open {
		if slices.Contains(now.Open, id) {
			continue
		}
		c, err := r.Program.Case(ctx, id)
		if err == nil {
			news = append(news, c)
		} else if !errors.Is(err, affiliate.ErrNotFound) { // its affiliate was deleted
			return nil, now, err
		}
	}
	for c, err := range affiliate.Each(100, func(pg affiliate.Page) (affiliate.List[affiliate.Case], error) {
		return r.Program.Cases(ctx, affiliate.CaseQuery{Status: affiliate.CaseAnswered}, pg)
	}) {
		if err != nil || bytes.Compare(c.ID[:], r.Asked.Newest[:]) <= 0 {
			return news, now, err
		}
		news, now.Newest = append(news, c), later(now.Newest, c.ID)
	}
	return news, now, nil
}

func later(a, b uuid.UUID) uuid.UUID {
	if bytes.Compare(a[:], b[:]) < 0 {
		return b
	}
	return a
}

// answers tells affiliates the answers to their cases, which no event says.
func (r *round) answers(ctx context.Context) error {
	news, now, err := r.newlyAnswered(ctx)
	if err != nil || len(news) == 0 && slices.Equal(now.Open, r.Asked.Open) && now.Newest == r.Asked.Newest {
		return err
	}
	slices.SortFunc(news, func(a, b affiliate.Case) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	for _, c := range news {
		at := c.AnsweredAt.Or(affiliate.Time{})
		if slices.Contains(r.Off, Answered) || r.late(at) {
			continue
		}
		if err := r.send(ctx, Letter{Kind: Answered, About: c.ID.String(), Since: at}); err != nil {
			return err
		}
		r.Asked.Newest = later(r.Asked.Newest, c.ID) // what was sent is not sent again
		r.Asked.Open = slices.DeleteFunc(r.Asked.Open, func(id uuid.UUID) bool { return id == c.ID })
		if err := r.save(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	r.Asked = now
	return r.save(context.WithoutCancel(ctx))
}
