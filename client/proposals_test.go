package client_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// TestProposals: what is proposed comes back as it was sent, in pages and by id, and changes nothing.
func TestProposals(t *testing.T) {
	p, h := newEngine(t)
	c := must(client.New("https://in.process", testKey, client.Config{Handler: h}))
	ctx := t.Context()
	a := must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.com"}))
	body := json.RawMessage(`{"affiliateId":"` + a.ID.String() + `","kind":"BONUS","amount":12.5,"reason":"r"}`)
	var made []affiliate.Proposal
	for _, why := range []string{"first", "second <&>", "third"} {
		is := must(c.Propose(ctx, affiliate.ProposalParams{Operation: "POST /adjustments", Body: body, Why: why}))
		want := affiliate.Proposal{ID: is.ID, Status: affiliate.ProposalWaiting, Operation: "POST /adjustments", Body: body, Why: why, ProposedBy: "key-1",
			DecidedBy: affiliate.Null[string](), DecidedAt: affiliate.Null[affiliate.Time](), Reason: affiliate.Null[string](), CreatedAt: is.CreatedAt}
		if diff := cmp.Diff(want, is); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(is, must(c.Proposal(ctx, is.ID))); diff != "" {
			t.Error(diff)
		}
		made = append(made, is)
	}
	seen := map[uuid.UUID]bool{}
	for is, err := range affiliate.Pages(affiliate.Page{Limit: 1}, func(pg affiliate.Page) (affiliate.List[affiliate.Proposal], error) { return c.Proposals(ctx, pg) }) {
		must(0, err)
		for _, one := range is.Items {
			seen[one.ID] = true
		}
	}
	if len(seen) != len(made) {
		t.Errorf("%d of %d in pages", len(seen), len(made))
	}
	if n := len(must(p.Adjustments(ctx, affiliate.AdjustmentQuery{}, affiliate.Page{})).Items); n != 0 {
		t.Errorf("%d adjustments", n)
	}
	if _, err := c.Proposal(ctx, uuid.New()); !errors.Is(err, affiliate.ErrNotFound) {
		t.Error(err)
	}
	if _, err := c.Propose(ctx, affiliate.ProposalParams{Operation: "POST /prune", Body: body, Why: "x"}); !errors.Is(err, affiliate.InvalidField) {
		t.Error(err)
	}
}
