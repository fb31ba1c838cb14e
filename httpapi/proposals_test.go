package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi"
)

const proposalsPath = "/api/v1/proposals"

// asProposer is the header of the key that may propose.
var asProposer = "Authorization: Bearer " + scoped[httpapi.ScopePropose]

// propose proposes something.
func (w *world) propose(operation, body, why string) affiliate.Proposal {
	w.t.Helper()
	got := w.do("POST", proposalsPath, fmt.Sprintf(`{"operation":%q,"body":%s,"why":%q}`, operation, body, why), asProposer)
	var is affiliate.Proposal
	if err := json.Unmarshal([]byte(got.body), &is); got.status != 200 || err != nil {
		w.t.Fatalf("%s: %s %v", operation, got.refusal(), err)
	}
	return is
}

func (w *world) proposals() httpapi.Proposals { return w.api.Proposals(w.Program) }

// without is a dump without the host's values, where proposals are.
func (w *world) without(table string) map[string][]string {
	all := w.dump()
	delete(all, table)
	return all
}

// proposable are inputs of every operation that can be proposed.
func proposable(s stock) map[affiliate.ProposalOperation]string {
	return map[affiliate.ProposalOperation]string{
		"POST /sales/review":      `{"saleIds":[` + s.sale + `],"approvalStatus":"DECLINED"}`,
		"POST /affiliates/status": `{"affiliateIds":["` + s.pending.String() + `"],"status":"ACTIVE"}`,
		"POST /adjustments":       `{"affiliateId":"` + s.payee.String() + `","kind":"BONUS","amount":12.5,"reason":"autumn"}`,
		"POST /payouts":           `{"affiliateId":"` + s.payee.String() + `"}`,
		"POST /payments/decide":   `{"paymentId":"` + s.conflict.String() + `","decision":"own"}`,
		"POST /cases/answer":      `{"caseId":"` + s.asked.String() + `","answer":"On Friday."}`,
	}
}

// TestPropose: what can be proposed changes nothing but what is kept of it, says what it would do, and
// does that when it is accepted, in the name of the person and with the reason of who proposed it.
func TestPropose(t *testing.T) {
	for _, operation := range affiliate.ProposalOperations() {
		t.Run(strings.TrimPrefix(string(operation), "POST /"), func(t *testing.T) {
			w := newWorld(t, withScopes)
			body := proposable(w.fill())[operation]
			before := w.without("values")
			is := w.propose(string(operation), body, "It looks right.")
			equal(t, before, w.without("values"))
			equal(t, affiliate.Proposal{ID: is.ID, Status: affiliate.ProposalWaiting, Operation: operation, Body: json.RawMessage(body), Why: "It looks right.",
				ProposedBy: "propose", CreatedAt: affiliate.TimeOf(start), DecidedBy: affiliate.Null[string](), DecidedAt: affiliate.Null[affiliate.Time](), Reason: affiliate.Null[string]()}, is)
			effect := must(w.proposals().Effect(t.Context(), is.ID))
			equal(t, before, w.without("values"))
			if len(effect.Events)+len(effect.Movements) == 0 && operation != "POST /cases/answer" { // which tells nobody, and moves nothing
				t.Error("it would do nothing")
			}
			w.pass(time.Minute)
			done := must(w.proposals().Accept(t.Context(), is.ID, "ada"))
			is.Status, is.DecidedBy, is.DecidedAt = affiliate.ProposalDone, affiliate.Set("ada"), affiliate.Set(affiliate.TimeOf(w.now))
			equal(t, is, done)
			equal(t, is, must(w.proposals().Get(t.Context(), is.ID)))
			told := must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{Limit: max(1, len(effect.Events))})).Items
			for i, e := range effect.Events {
				now := told[len(effect.Events)-1-i]
				equal(t, []any{e.Type, e.Revision, "ada", "proposed by propose: It looks right."}, []any{now.Type, now.Revision, now.Actor, now.Reason})
			}
			moved := must(w.Movements(t.Context(), affiliate.MovementQuery{From: w.now}, affiliate.Page{})).Items
			equal(t, len(effect.Movements), len(moved))
			for i, m := range effect.Movements {
				now := moved[len(moved)-1-i]
				equal(t, []any{m.AffiliateID, m.From, m.To, m.Amount, m.Cause}, []any{now.AffiliateID, now.From, now.To, now.Amount, now.Cause})
			}
			after := w.without("values")
			if _, err := w.proposals().Accept(t.Context(), is.ID, "bo"); !errors.Is(err, affiliate.StatusNotAllowed) {
				t.Errorf("accepted again: %v", err)
			}
			if _, err := w.proposals().Decline(t.Context(), is.ID, "bo", "no"); !errors.Is(err, affiliate.StatusNotAllowed) {
				t.Errorf("declined after it was done: %v", err)
			}
			equal(t, after, w.without("values"))
			w.verify()
		})
	}
}

// TestProposeRefused: what nobody may propose, and what could not be done, is refused at once.
func TestProposeRefused(t *testing.T) {
	w := newWorld(t, withScopes)
	s := w.fill()
	const list = "operation must be one of POST /sales/review, POST /affiliates/status, POST /adjustments, POST /payouts, POST /payments/decide, POST /cases/answer [operation]"
	for _, tt := range []struct{ name, body, want string }{
		{"NoOperation", `{"body":{},"why":"x"}`, "400 missing_field: Operation is required [operation]"},
		{"Other", `{"operation":"POST /affiliates/erase","body":{},"why":"x"}`, "400 invalid_field: " + list},
		{"OtherMethod", `{"operation":"DELETE /sales","body":{},"why":"x"}`, "400 invalid_field: " + list},
		{"Itself", `{"operation":"POST /proposals","body":{},"why":"x"}`, "400 invalid_field: " + list},
		{"Path", `{"operation":"POST /sales/review?x","body":{},"why":"x"}`, "400 invalid_field: " + list},
		{"NoBody", `{"operation":"POST /payouts","why":"x"}`, "400 missing_field: Body is required [body]"},
		{"NoObject", `{"operation":"POST /payouts","body":[],"why":"x"}`, "400 invalid_field: body must be an object [body]"},
		{"Long", `{"operation":"POST /payouts","body":{"a":"` + strings.Repeat("a", 17<<10) + `"},"why":"x"}`, "400 invalid_field: body is too long [body]"},
		{"NoWhy", `{"operation":"POST /payouts","body":{}}`, "400 missing_field: Why is required [why]"},
		{"Lines", `{"operation":"POST /payouts","body":{},"why":"x\ny"}`, "400 invalid_field: why contains invalid characters [why]"},
		{"Unknown", `{"operation":"POST /payouts","body":{},"why":"x","accept":true}`, "400 unknown_field: Unknown field: accept [accept]"},
		{"OfOperation", `{"operation":"POST /adjustments","body":{"affiliateId":"` + s.payee.String() + `","kind":"BONUS","amount":-1,"reason":"x"},"why":"x"}`, "400 invalid_field: amount must be greater than zero [body.amount]"},
		{"UnknownOfOperation", `{"operation":"POST /sales/review","body":{"saleIds":[` + s.sale + `],"approvalStatus":"DECLINED","x":1},"why":"x"}`, "400 unknown_field: Unknown field: x [body.x]"},
		{"UnknownOfLoose", `{"operation":"POST /payouts","body":{"affiliateEmail":"cy@example.com","affiliateIds":["` + s.payee.String() + `"]},"why":"x"}`, "400 unknown_field: Unknown field: affiliateIds [body.affiliateIds]"},
		{"OtherCase", `{"operation":"POST /payouts","body":{"affiliateId":"` + s.payee.String() + `","AffiliateID":"` + s.pending.String() + `"},"why":"x"}`, "400 unknown_field: Unknown field: AffiliateID [body.AffiliateID]"},
		{"Twice", `{"operation":"POST /payouts","body":{"affiliateId":"a","affiliateId":"b"},"why":"x"}`, "400 duplicate_field: Duplicate field: body.affiliateId [body.affiliateId]"},
		{"Missing", `{"operation":"POST /sales/review","body":{"saleIds":[999],"approvalStatus":"DECLINED"},"why":"x"}`, "404 sale_not_found: Sale not found"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.refuses(tt.want, "POST", proposalsPath, tt.body, asProposer)
		})
	}
	w.refuses("400 invalid_field: body.manuallyPaid must not be sent [body.manuallyPaid]", "POST", proposalsPath,
		`{"operation":"POST /payouts","body":{"affiliateId":"`+s.payee.String()+`","manuallyPaid":true},"why":"x"}`, asProposer)
	w.refuses(tooNarrow, "POST", proposalsPath, `{}`, "Authorization: Bearer "+scoped[httpapi.ScopeRead])
	w.refuses(tooNarrow, "POST", proposalsPath, `{}`, "Authorization: Bearer "+scoped[httpapi.ScopeIntegration])
	for operation, body := range proposable(s) {
		path := strings.TrimPrefix(string(operation), "POST ")
		w.refuses(tooNarrow, "POST", "/api/v1"+path, body, asProposer)
	}
	w.ok("POST", proposalsPath, `{"operation":"POST /payouts","body":`+proposable(s)["POST /payouts"]+`,"why":"x"}`, "Authorization: Bearer "+scoped[httpapi.ScopeFull])
}

// TestProposeTwice: the same that waits is one; once it was decided it is another.
func TestProposeTwice(t *testing.T) {
	w := newWorld(t, withScopes)
	body := proposable(w.fill())["POST /adjustments"]
	first := w.propose("POST /adjustments", body, "autumn")
	w.pass(time.Second)
	equal(t, first, w.propose("POST /adjustments", " "+strings.ReplaceAll(body, ",", " , "), "autumn"))
	other := w.propose("POST /adjustments", body, "winter")
	declined := must(w.proposals().Decline(t.Context(), first.ID, "ada", "She had one."))
	equal(t, []any{affiliate.ProposalDeclined, affiliate.Set("She had one.")}, []any{declined.Status, declined.Reason})
	again := w.propose("POST /adjustments", body, "autumn")
	if again.ID == first.ID || other.ID == first.ID {
		t.Errorf("ids: %s, %s, %s", first.ID, other.ID, again.ID)
	}
	equal(t, []affiliate.Proposal{again, other, declined}, must(w.proposals().All(t.Context())))
	equal(t, 2, must(w.proposals().Waiting(t.Context())))
	for id, want := range map[string]string{first.ID.String(): string(must(json.Marshal(declined))), uuid.NewString(): "null", again.ID.String(): string(must(json.Marshal(again))), "x": "null"} {
		equal(t, want, w.do("GET", proposalsPath+"?id="+id, "", asProposer).body)
	}
	page := w.do("GET", proposalsPath+"?limit=1", "", "Authorization: Bearer "+scoped[httpapi.ScopeRead])
	equal(t, []string{"[" + string(must(json.Marshal(again))) + "]", "<?limit=1&cursor=" + again.ID.String() + `>; rel="next"`}, []string{page.body, page.header.Get("Link")})
	equal(t, "["+string(must(json.Marshal(other)))+"]", w.do("GET", proposalsPath+"?limit=1&cursor="+again.ID.String(), "", asProposer).body)
	equal(t, []string{"[" + string(must(json.Marshal(declined))) + "]", ""}, func() []string {
		last := w.do("GET", proposalsPath+"?limit=5&cursor="+other.ID.String(), "", asProposer)
		return []string{last.body, last.header.Get("Link")}
	}())
	w.refuses("400 invalid_query: Invalid cursor [cursor]", "GET", proposalsPath+"?cursor=x", "", asProposer)
	w.refuses(tooNarrow, "GET", proposalsPath, "", "Authorization: Bearer "+scoped[httpapi.ScopeIntegration])
}

// TestProposeTellsNobody: no function of the host hears of what is only tried, and each does of what is done.
func TestProposeTellsNobody(t *testing.T) {
	var told []string
	w := newWorld(t, withScopes, func(s *setup) {
		s.engine.Hooks.Sale = func(context.Context, record.Change[record.Sale]) { told = append(told, "hook") }
		s.engine.OnEvents = func() { told = append(told, "events") }
		s.engine.Observer.End = func(_ context.Context, o affiliate.Operation, _ affiliate.Result) {
			if o.Name == "ReviewCommissions" {
				told = append(told, o.Name)
			}
		}
	})
	body := proposable(w.fill())["POST /sales/review"]
	told = nil
	is := w.propose("POST /sales/review", body, "x")
	must(w.proposals().Effect(t.Context(), is.ID))
	equal(t, nil, told)
	must(w.proposals().Accept(t.Context(), is.ID, "ada"))
	equal(t, []string{"hook", "events", "ReviewCommissions"}, told)
}

// TestProposalZone: a plain date is of the zone that the store keeps, in what is shown as in what is done.
func TestProposalZone(t *testing.T) {
	w := newWorld(t, withScopes)
	must(w.UpdateSettings(t.Context(), affiliate.SettingsUpdate{TimeZone: affiliate.Set("America/New_York")}))
	payee := w.fill().payee
	w.now = time.Date(2026, 3, 20, 2, 0, 0, 0, time.UTC) // the evening of the 19th
	must(w.RecordAdjustment(t.Context(), affiliate.AdjustmentParams{AffiliateID: payee, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("1000"), Reason: "r"}))
	w.pass(48 * time.Hour)
	is := w.propose("POST /payouts", `{"affiliateId":"`+payee.String()+`","until":"2026-03-19"}`, "x")
	shown := must(w.proposals().Effect(t.Context(), is.ID)).Movements[0].Amount
	must(w.proposals().Accept(t.Context(), is.ID, "ada"))
	equal(t, shown, must(w.Movements(t.Context(), affiliate.MovementQuery{}, affiliate.Page{Limit: 1})).Items[0].Amount)
}

// TestProposalSigns: a text with signs that JSON can write in two ways is found again, and is done as it was proposed.
func TestProposalSigns(t *testing.T) {
	w := newWorld(t, withScopes)
	s := w.fill()
	const signs = "R&D <b>\u2028\ufffd"
	body := `{"affiliateId":"` + s.payee.String() + `","kind":"BONUS","amount":1,"reason":"` + signs + `"}`
	is := w.propose("POST /adjustments", body, "R&D <b>")
	equal(t, is.ID, w.propose("POST /adjustments", body, "R&D <b>").ID)
	must(w.proposals().Decline(t.Context(), is.ID, "ada", "R&D <b>"))
	w.pass(time.Second)
	is = w.propose("POST /adjustments", body, "R&D <b>")
	equal(t, affiliate.ProposalDone, must(w.proposals().Accept(t.Context(), is.ID, "ada")).Status)
	equal(t, signs, must(w.Adjustments(t.Context(), affiliate.AdjustmentQuery{}, affiliate.Page{Limit: 1})).Items[0].Reason)
	long := `{"affiliateId":"` + s.payee.String() + `","kind":"BONUS","amount":1,"reason":"` + strings.Repeat("<", 9000) + `"}`
	w.refuses("400 invalid_field: body is too long [body]", "POST", proposalsPath, `{"operation":"POST /adjustments","body":`+long+`,"why":"x"}`, asProposer)
}

// TestProposalOnce: several people accept at once, and it is done once.
func TestProposalOnceAtOnce(t *testing.T) {
	w := newWorld(t, withScopes)
	s := w.fill()
	is := w.propose("POST /adjustments", proposable(s)["POST /adjustments"], "autumn")
	before := must(w.Balance(t.Context(), affiliate.AffiliateRef{ID: s.payee})).Payable
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if _, err := w.proposals().Accept(t.Context(), is.ID, fmt.Sprint("person", i)); err != nil && !errors.Is(err, affiliate.StatusNotAllowed) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	equal(t, must(before.Add(affiliate.MustAmount("12.5"))), must(w.Balance(t.Context(), affiliate.AffiliateRef{ID: s.payee})).Payable)
	equal(t, affiliate.ProposalDone, must(w.proposals().Get(t.Context(), is.ID)).Status)
}

// fadingStore fails from the n-th write on.
type fadingStore struct {
	record.Store
	left *int
}

var errBroken = errors.New("the store is gone")

func (s fadingStore) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	if *s.left--; *s.left < 0 {
		return errBroken
	}
	return s.Store.Update(ctx, id, fn)
}

// TestProposalKilled: the store goes away before each write of an acceptance. Accepted again it is
// done once, and after a day nobody does it again.
func TestProposalKilled(t *testing.T) {
	for writes := range 3 {
		t.Run(fmt.Sprint(writes), func(t *testing.T) {
			w := newWorld(t, withScopes)
			s := w.fill()
			is := w.propose("POST /adjustments", proposable(s)["POST /adjustments"], "autumn")
			due := must(must(w.Balance(t.Context(), affiliate.AffiliateRef{ID: s.payee})).Payable.Add(affiliate.MustAmount("12.5")))
			left := writes
			w.store.broken(func(inner record.Store) record.Store { return fadingStore{inner, &left} })
			if _, err := w.proposals().Accept(t.Context(), is.ID, "ada"); !errors.Is(err, errBroken) {
				t.Fatalf("accepted: %v", err)
			}
			w.store.broken(nil)
			before := must(w.proposals().Get(t.Context(), is.ID))
			equal(t, before, w.propose("POST /adjustments", proposable(s)["POST /adjustments"], "autumn")) // it may be done, and is not another one
			if want := map[bool]affiliate.ProposalStatus{true: affiliate.ProposalWaiting, false: affiliate.ProposalAccepted}[writes == 0]; before.Status != want {
				t.Errorf("it is %s, want %s", before.Status, want)
			}
			w.pass(22 * time.Hour)
			if left := len(must(w.proposals().Effect(t.Context(), is.ID)).Movements); left != map[bool]int{true: 0, false: 1}[writes == 2] {
				t.Errorf("%d movements are still to be made", left)
			}
			done := must(w.proposals().Accept(t.Context(), is.ID, "bo"))
			equal(t, affiliate.ProposalDone, done.Status)
			equal(t, due, must(w.Balance(t.Context(), affiliate.AffiliateRef{ID: s.payee})).Payable)
			if writes > 0 {
				equal(t, before.DecidedAt, done.DecidedAt)
				equal(t, affiliate.Set("ada"), done.DecidedBy)
			}
		})
	}
	w := newWorld(t, withScopes)
	is := w.propose("POST /adjustments", proposable(w.fill())["POST /adjustments"], "autumn")
	left := 1
	w.store.broken(func(inner record.Store) record.Store { return fadingStore{inner, &left} })
	_, _ = w.proposals().Accept(t.Context(), is.ID, "ada")
	w.store.broken(nil)
	if _, err := w.proposals().Decline(t.Context(), is.ID, "ada", "no"); !errors.Is(err, affiliate.StatusNotAllowed) {
		t.Errorf("declined while it may be done: %v", err)
	}
	w.pass(25 * time.Hour)
	if _, err := w.proposals().Accept(t.Context(), is.ID, "ada"); !errors.Is(err, affiliate.StatusNotAllowed) {
		t.Errorf("accepted after its idempotency key has ended: %v", err)
	}
	closed := must(w.proposals().Decline(t.Context(), is.ID, "bo", "looked: it was not done"))
	equal(t, []any{affiliate.ProposalDeclined, affiliate.Set("bo"), affiliate.Set(affiliate.TimeOf(w.now))}, []any{closed.Status, closed.DecidedBy, closed.DecidedAt})
}

// leavingStore has its caller go away after the first write.
type leavingStore struct {
	record.Store
	leave context.CancelFunc
}

func (s leavingStore) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	defer s.leave()
	return s.Store.Update(ctx, id, fn)
}

// TestProposalLeft: who closes the page while it is done is not told, and it is done.
func TestProposalLeft(t *testing.T) {
	w := newWorld(t, withScopes)
	is := w.propose("POST /adjustments", proposable(w.fill())["POST /adjustments"], "autumn")
	ctx, leave := context.WithCancel(t.Context())
	w.store.broken(func(inner record.Store) record.Store { return leavingStore{inner, leave} })
	equal(t, affiliate.ProposalDone, must(w.proposals().Accept(ctx, is.ID, "ada")).Status)
}

// TestProposalOfAnyName: an Authority of the host may call a key anything.
func TestProposalOfAnyName(t *testing.T) {
	for name, want := range map[string]string{"": "", "two words": "two words", "\xff\xfe": "\ufffd"} {
		var p *tributary.Program
		w := newWorld(t, func(s *setup) {
			s.api.Logger = nil
			s.auth = func(context.Context, string) (httpapi.Access, error) {
				return httpapi.Access{Program: p, KeyName: name, Scope: httpapi.ScopePropose}, nil
			}
		})
		p = w.Program
		is := w.propose("POST /adjustments", proposable(w.fill())["POST /adjustments"], "autumn")
		equal(t, want, is.ProposedBy)
		equal(t, affiliate.ProposalDone, must(w.proposals().Accept(t.Context(), is.ID, "ada")).Status)
	}
}

// TestProposalFails: what can no longer be done fails when it is accepted, and stays so.
func TestProposalFails(t *testing.T) {
	w := newWorld(t, withScopes)
	s := w.fill()
	is := w.propose("POST /payouts", proposable(s)["POST /payouts"], "it is time")
	must(w.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: s.payee}))
	if _, err := w.proposals().Effect(t.Context(), is.ID); !errors.Is(err, affiliate.NothingPayable) {
		t.Errorf("its effect: %v", err)
	}
	before := w.without("values")
	got, err := w.proposals().Accept(t.Context(), is.ID, "ada")
	if !errors.Is(err, affiliate.NothingPayable) {
		t.Errorf("accepted: %v", err)
	}
	equal(t, []any{affiliate.ProposalFailed, affiliate.Set("Nothing is payable to this affiliate")}, []any{got.Status, got.Reason})
	equal(t, before, w.without("values"))
	if _, err := w.proposals().Accept(t.Context(), is.ID, "ada"); !errors.Is(err, affiliate.StatusNotAllowed) {
		t.Errorf("accepted again: %v", err)
	}
	for want, reason := range map[affiliate.Reason]string{affiliate.MissingField: " ", affiliate.InvalidField: strings.Repeat("é", 401)} {
		if _, err := w.proposals().Decline(t.Context(), is.ID, "ada", reason); !errors.Is(err, want) {
			t.Errorf("declined because of %.5q: %v", reason, err)
		}
	}
	if _, err := w.proposals().Accept(t.Context(), uuid.New(), "ada"); !errors.Is(err, affiliate.ErrNotFound) {
		t.Errorf("one that does not exist: %v", err)
	}
}

// TestProposalsAreFew: a hundred wait, a hundred and one more decided ones are kept, and none for more
// than thirty days.
func TestProposalsAreFew(t *testing.T) {
	w := newWorld(t, withScopes)
	body := proposable(w.fill())["POST /adjustments"]
	for i := range 100 {
		w.propose("POST /adjustments", body, fmt.Sprint("no. ", i))
	}
	w.refuses("400 proposal_limit_reached: 100 proposals of this key wait already", "POST", proposalsPath, `{"operation":"POST /adjustments","body":`+body+`,"why":"one more"}`, asProposer)
	equal(t, 100, len(must(w.proposals().All(t.Context()))))
	w.propose("POST /adjustments", body, "no. 7") // waits already
	w.ok("POST", proposalsPath, `{"operation":"POST /adjustments","body":`+body+`,"why":"of another key"}`, "Authorization: Bearer "+scoped[httpapi.ScopeFull])
	for _, is := range must(w.proposals().All(t.Context())) {
		must(w.proposals().Decline(t.Context(), is.ID, "ada", "no"))
	}
	for i := range 5 {
		w.pass(time.Second)
		is := w.propose("POST /adjustments", body, fmt.Sprint("more ", i))
		must(w.proposals().Decline(t.Context(), is.ID, "ada", "no"))
	}
	equal(t, 101, len(must(w.proposals().All(t.Context()))))
	w.pass(30*24*time.Hour + time.Second)
	equal(t, 0, len(must(w.proposals().All(t.Context()))))
	is := w.propose("POST /adjustments", body, "later")
	equal(t, []affiliate.Proposal{is}, must(w.proposals().All(t.Context())))
	kept := 0
	for _, err := range w.Values("server-proposals").All(t.Context()) {
		must(0, err)
		kept++
	}
	equal(t, 1, kept)
	w.pass(31 * 24 * time.Hour)
	if _, err := w.proposals().Accept(t.Context(), is.ID, "ada"); !errors.Is(err, affiliate.ErrNotFound) {
		t.Errorf("one that has lapsed: %v", err)
	}
}

// TestProposalsAreOfOneProgram: nobody sees or accepts those of another.
func TestProposalsAreOfOneProgram(t *testing.T) {
	w := newWorld(t, withScopes)
	is := w.propose("POST /adjustments", proposable(w.fill())["POST /adjustments"], "autumn")
	other := newWorld(t, func(s *setup) {
		withScopes(s)
		s.store, s.engine.ID = w.store, uuid.New()
	})
	if _, err := other.proposals().Accept(t.Context(), is.ID, "ada"); !errors.Is(err, affiliate.ErrNotFound) {
		t.Error(err)
	}
	if diff := cmp.Diff("[]", other.do("GET", proposalsPath, "", asProposer).body); diff != "" {
		t.Error(diff)
	}
}
