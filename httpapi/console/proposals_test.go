package console_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/httpapi/console"
)

// A proposer is an API with a key that may propose.
type proposer struct {
	*world
	api *httpapi.Handler
}

const proposerKey = "the-key-of-an-assistant"

func newProposer(t *testing.T) *proposer {
	p := &proposer{}
	p.world = newWorld(t, func(_ *tributary.Config, c *console.Config) {
		c.Proposals = func(of *tributary.Program) console.Proposals { return p.api.Proposals(of) }
	})
	p.api = must(httpapi.New(p.Program, httpapi.Config{Keys: []httpapi.Key{{Name: "assistant", Secret: proposerKey, Scope: httpapi.ScopePropose}}}))
	p.fill("Kim")
	return p
}

// propose proposes something, and returns the path of its forms.
func (p *proposer) propose(operation affiliate.ProposalOperation, body, why string) string {
	p.t.Helper()
	sent := must(json.Marshal(affiliate.ProposalParams{Operation: operation, Body: json.RawMessage(body), Why: why}))
	r := httptest.NewRequest("POST", "/api/v1/proposals", strings.NewReader(string(sent)))
	r.Header.Set("Authorization", "Bearer "+proposerKey)
	r.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	p.api.ServeHTTP(rec, r)
	var is affiliate.Proposal
	if err := json.Unmarshal(rec.Body.Bytes(), &is); rec.Code != 200 || err != nil {
		p.t.Fatalf("%s: %d %s", operation, rec.Code, rec.Body)
	}
	return "proposals/" + is.ID.String() + "/"
}

func (p *proposer) bonus(amount string) string {
	return fmt.Sprintf(`{"affiliateId":%q,"kind":"BONUS","amount":%s,"reason":"autumn"}`, p.ada.ID, amount)
}

func (p *proposer) owed() affiliate.Amount {
	return must(p.Balance(p.t.Context(), affiliate.AffiliateRef{ID: p.ada.ID})).Payable
}

// TestProposals: what waits stands in the overview and on its page; the form shows the money and what
// changes; accepted, it is done once and in the name of who accepts it; declined, nothing is.
func TestProposals(t *testing.T) {
	p := newProposer(t)
	if got := p.get("proposals").body; !strings.Contains(got, "Nothing was proposed") {
		t.Errorf("the empty page:\n%s", got)
	}
	at := p.propose("POST /adjustments", p.bonus("12.5"), "Ada <b>spoke</b> at the fair")
	review := p.propose("POST /sales/review", fmt.Sprintf(`{"saleIds":[%d],"approvalStatus":"ACCEPTED"}`, p.held.ID), "it is no self-referral")
	for path, wants := range map[string][]string{
		"":          {"Proposed", "Adjust what an affiliate is owed: ", "Ada &lt;b&gt;spoke&lt;/b&gt; at the fair"},
		"proposals": {"Accept or decline commissions", "it is no self-referral", "<bdi>assistant</bdi>", "Waiting", at + "accept", review + "decline"},
		at + "accept": {"Adjust what an affiliate is owed", "Proposed by assistant on", "Ada &lt;b&gt;spoke&lt;/b&gt; at the fair", "Money that moves", "12.50", "Ada XKim", "<bdi>BONUS</bdi>", "Payable",
			"It is done in your name, once."},
		review + "accept": {"What changes", "approvalStatus", "ON_HOLD", "ACCEPTED", "sale.updated"},
	} {
		got := p.get(path)
		for _, want := range wants {
			if got.status != 200 || !strings.Contains(got.body, want) {
				t.Errorf("%s: %d lacks %s:\n%s", path, got.status, want, got.body)
			}
		}
	}
	before := p.owed()
	form := p.form(at + "accept")
	p.log.reset()
	for range 2 { // a form that is sent twice
		got := p.send(at+"accept", form)
		if got.status != 303 && got.status != 400 && got.status != 409 {
			t.Errorf("accepted: %d %s", got.status, got.body)
		}
	}
	if want := must(before.Add(affiliate.MustAmount("12.5"))); p.owed() != want {
		t.Errorf("%s is owed, want %s", p.owed(), want)
	}
	if lines := p.log.actions(); !strings.Contains(lines[0], "actor=ops action=proposals.accept") || !strings.Contains(lines[0], "outcome=ok") {
		t.Errorf("the log: %q", lines)
	}
	held := must(p.Sale(t.Context(), p.held.ID)).Commissions
	if got := p.send(review+"decline", p.form(review+"decline")); got.status == 303 {
		t.Error("declined without a reason")
	}
	if got := p.send(review+"decline", p.form(review+"decline", "reason", "ask Kim first")); got.status != 303 {
		t.Errorf("declined: %d", got.status)
	}
	if is := must(p.Sale(t.Context(), p.held.ID)).Commissions; is[0].ApprovalStatus != held[0].ApprovalStatus {
		t.Errorf("what was declined is %s", is[0].ApprovalStatus)
	}
	page := p.get("proposals").body
	for _, want := range []string{"Done", "Declined", "ask Kim first", "by <bdi>ops</bdi>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
	for _, path := range []string{at, review} {
		if strings.Contains(page, path) || strings.Contains(p.get("").body, "Proposed") {
			t.Errorf("%s still waits", path)
		}
		if got := p.get(path + "accept"); got.status != 400 || !strings.Contains(got.body, "decided meanwhile") {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	for _, path := range []string{"proposals/x/accept", "proposals/0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01/accept"} {
		if got := p.get(path); got.status != 404 {
			t.Errorf("%s: %d", path, got.status)
		}
	}
}

// TestProposalChanged: what was shown is what is done. When it would do something else meanwhile, it is
// shown again; when it can no longer be done, the page says so.
func TestProposalChanged(t *testing.T) {
	p := newProposer(t)
	p.now = p.now.Add(24 * time.Hour)
	at := p.propose("POST /payouts", fmt.Sprintf(`{"affiliateId":%q}`, p.ada.ID), "it is the first of the month")
	form := p.form(at + "accept")
	must(p.RecordAdjustment(t.Context(), affiliate.AdjustmentParams{AffiliateID: p.ada.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("1000"), Reason: "r"}))
	before := len(must(p.Payouts(t.Context(), affiliate.PayoutQuery{}, affiliate.Page{})).Items)
	if got := p.send(at+"accept", form); got.status != 409 || !strings.Contains(got.body, "has changed meanwhile") || !strings.Contains(got.body, "1,165.01") || !strings.Contains(got.body, "commissions[0].payoutCreated") {
		t.Errorf("it would pay more than was shown: %d\n%s", got.status, got.body)
	}
	if n := len(must(p.Payouts(t.Context(), affiliate.PayoutQuery{}, affiliate.Page{})).Items); n != before {
		t.Errorf("%d payouts, before %d", n, before)
	}
	before = p.acceptsAnother(at, before)
	at = p.propose("POST /payouts", fmt.Sprintf(`{"affiliateId":%q}`, p.ada.ID), "once more")
	form = p.form(at + "accept")
	must(p.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: p.ada.ID}))
	if got := p.send(at+"accept", form); got.status != 400 || !strings.Contains(got.body, "Nothing is payable") {
		t.Errorf("nothing is left to pay: %d\n%s", got.status, got.body)
	}
	if n := len(must(p.Payouts(t.Context(), affiliate.PayoutQuery{}, affiliate.Page{})).Items); n != before+1 {
		t.Errorf("%d payouts, want %d", n, before+1)
	}
}

// acceptsAnother accepts what now is shown, and leaves something to pay.
func (p *proposer) acceptsAnother(at string, before int) int {
	p.t.Helper()
	if got := p.send(at+"accept", p.form(at+"accept")); got.status != 303 {
		p.t.Errorf("accepted: %d %s", got.status, got.body)
	}
	if n := len(must(p.Payouts(p.t.Context(), affiliate.PayoutQuery{}, affiliate.Page{})).Items); n != before+1 {
		p.t.Errorf("%d payouts, before %d", n, before)
	}
	must(p.RecordAdjustment(p.t.Context(), affiliate.AdjustmentParams{AffiliateID: p.ada.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("5"), Reason: "r"}))
	return before + 1
}

// TestProposalSaysWhat: a form names what the ids of the body name; what an affiliate says of itself comes before what is inside.
func TestProposalSaysWhat(t *testing.T) {
	p := newProposer(t)
	p.now = p.now.Add(24 * time.Hour)
	asked := must(p.Cases(t.Context(), affiliate.CaseQuery{Status: affiliate.CaseOpen}, affiliate.Page{})).Items[0]
	for _, tt := range []struct {
		operation affiliate.ProposalOperation
		body      string
		want      string
	}{
		{"POST /adjustments", p.bonus("1"), "Affiliate Ada XKim Money"},
		{"POST /cases/answer", fmt.Sprintf(`{"caseId":%q,"answer":"Yes."}`, asked.ID), "Affiliate Ada XKim Case Order"},
		{"POST /cases/answer", fmt.Sprintf(`{"caseId":%q,"answer":"Yes."}`, asked.ID), "It says " + asked.Text},
		{"POST /payments/decide", fmt.Sprintf(`{"paymentId":%q,"decision":"same"}`, p.conflict), fmt.Sprint("it is not as in sale ", p.paid.ID)},
		{"POST /affiliates/status", fmt.Sprintf(`{"affiliateIds":[%q],"status":"BANNED"}`, p.ada.ID), "status ACTIVE BANNED"},
		{"POST /payouts", fmt.Sprintf(`{"affiliateId":%q}`, p.ada.ID), "commissions[0].payoutCreated false true"},
	} {
		at := p.propose(tt.operation, tt.body, "x")
		if got := p.get(at + "accept").text(); !strings.Contains(got, tt.want) {
			t.Errorf("%s lacks %q:\n%s", tt.operation, tt.want, got)
		}
	}
}

// TestProposalsReadOnly: readers see what was proposed, and cannot decide; a console without proposals has no page.
func TestProposalsReadOnly(t *testing.T) {
	p := newProposer(t)
	at := p.propose("POST /adjustments", p.bonus("1"), "autumn")
	cfg := p.cfg
	cfg.ReadOnly = true
	reader := must(console.New(p.Program, cfg))
	if got := ask(reader, "GET", "/proposals", ""); got.status != 200 || !strings.Contains(got.body, "autumn") || strings.Contains(got.body, "/accept") {
		t.Errorf("%d\n%s", got.status, got.body)
	}
	for _, path := range []string{"accept", "decline"} {
		if got := ask(reader, "GET", "/"+at+path, ""); got.status != 403 {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	cfg.Proposals = nil
	if got := ask(must(console.New(p.Program, cfg)), "GET", "/proposals", ""); got.status != 404 {
		t.Errorf("without proposals: %d", got.status)
	}
}
