package affiliate

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/decimal"
)

func whole(n int64) Amount { return AmountFromScaled(n * decimal.Scale) }

// Facts that say nothing new change nothing, and are not the reason of anything.
func TestFactsAgain(t *testing.T) {
	at := InstantOf(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	refund := PaymentRefund{ID: "re_1", Amount: whole(5), State: RefundSucceeded}
	dispute := PaymentDispute{ID: "dp_1", Amount: whole(7), State: DisputeWithdrawn, At: at}
	var rec PaymentRecord
	add := func() (s shift) {
		if err := rec.addRefund(refund, false, &s); err != nil {
			t.Fatal(err)
		}
		if err := rec.addDispute(dispute, false, &s); err != nil {
			t.Fatal(err)
		}
		rec.addRefunded(Set(whole(5)), false, &s)
		return s
	}
	if s := add(); s != "re_1" {
		t.Errorf("the first time: %+v", s)
	}
	before := rec.Clone()
	if s := add(); s != "" || !reflect.DeepEqual(before, rec) {
		t.Errorf("again: %+v, %+v, want %+v", s, rec, before)
	}
	var s shift
	rec.addRefunded(Set(whole(6)), false, &s)
	if s != "refunded" || rec.Refunded != Set(whole(6)) {
		t.Errorf("a higher sum: %+v, %+v", s, rec)
	}
}

// The id of a refund is that of the first fact that changed something.
func TestShift(t *testing.T) {
	var s shift
	for _, id := range []string{"re_1", "dp_1", "re_2"} {
		if s.note(id); s != "re_1" {
			t.Errorf("after %s: %s", id, s)
		}
	}
}

// A dispute whose money came back is not late, whatever it was before: what is stored
// does not depend on the order of the facts.
func TestDisputeLate(t *testing.T) {
	at := InstantOf(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	var rec PaymentRecord
	var s shift
	for i, step := range []struct {
		state      DisputeState
		late, want bool
	}{{DisputeInquiry, true, false}, {DisputeWithdrawn, true, true}, {DisputeLost, false, true}, {DisputeReleased, true, false}, {DisputeWithdrawn, false, false}} {
		f := PaymentDispute{ID: "dp_1", Amount: whole(7), State: step.state, At: at.Add(time.Duration(i) * time.Second)}
		if err := rec.addDispute(f, step.late, &s); err != nil || rec.Disputes[0].Late != step.want {
			t.Errorf("step %d: %+v, %v", i, rec.Disputes, err)
		}
	}
}

// What two records of one payment know is in the one that stays.
func TestMerge(t *testing.T) {
	at := InstantOf(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	other := PaymentRecord{
		PayerID: "cus_1", Gross: Set(whole(120)), Waiting: []WaitingSale{{TotalEarned: whole(100)}},
		Refunds: []PaymentRefund{{ID: "re_1", Amount: whole(5), State: RefundSucceeded}}, Refunded: Set(whole(9)), Late: Set(whole(20)),
		Disputes: []PaymentDispute{{ID: "dp_1", Amount: whole(7), State: DisputeWon, At: at}},
	}
	merged := func(into PaymentRecord, late bool) (PaymentRecord, shift) {
		var s shift
		if err := into.merge(&other, late, &s); err != nil {
			t.Fatal(err)
		}
		return into, s
	}
	if got, s := merged(PaymentRecord{}, false); !reflect.DeepEqual(got, other) || s != "re_1" {
		t.Errorf("into an empty one: %+v, %+v", got, s)
	}
	got, _ := merged(PaymentRecord{PayerID: "cus_2", Sale: uuid.UUID{1}, Gross: Set(whole(1))}, true)
	want := other
	want.PayerID, want.Sale, want.Gross, want.Waiting = "cus_2", uuid.UUID{1}, Set(whole(1)), nil
	want.Refunds = []PaymentRefund{{ID: "re_1", Amount: whole(5), State: RefundSucceeded, Late: true}}
	want.Refunded = Opt[Amount]{}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("into a late one with a sale: %+v, want %+v", got, want)
	}
	mine := []WaitingSale{{TotalEarned: whole(3)}}
	if got, _ := merged(PaymentRecord{Waiting: mine, Gross: Set(whole(1))}, false); !reflect.DeepEqual(got.Waiting, mine) || got.Gross != Set(whole(1)) {
		t.Errorf("into one that waits: %+v", got)
	}
	for name, odd := range map[string]PaymentRecord{
		"refund":  {Refunds: []PaymentRefund{{ID: "re_1", Amount: whole(6)}}},
		"dispute": {Disputes: []PaymentDispute{{ID: "dp_1", Amount: whole(6)}}},
	} {
		if err := odd.merge(&other, false, new(shift)); err == nil {
			t.Errorf("a %s of two amounts was merged: %+v", name, odd)
		}
	}
}

// A refund of the sale is one of the facts' when a fact made it or has its id.
func TestKnows(t *testing.T) {
	rec := PaymentRecord{Refunds: []PaymentRefund{{ID: "re_1"}}, Disputes: []PaymentDispute{{ID: "dp_1"}}}
	for _, tt := range []struct {
		refund RefundRecord
		want   bool
	}{{RefundRecord{ID: "re_1"}, true}, {RefundRecord{ID: "dp_1"}, true}, {RefundRecord{ID: "re_2"}, false}, {RefundRecord{}, false}, {RefundRecord{ID: "x", Fact: true}, true}} {
		if got := rec.knows(&tt.refund); got != tt.want {
			t.Errorf("%+v: %v", tt.refund, got)
		}
	}
}
