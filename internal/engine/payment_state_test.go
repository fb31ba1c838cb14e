package engine_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/decimal"
	"github.com/tributary-go/tributary/internal/engine"
)

func whole(n int64) affiliate.Amount { return affiliate.AmountFromScaled(n * decimal.Scale) }

// Facts that say nothing new change nothing, and are not the reason of anything.
func TestFactsAgain(t *testing.T) {
	at := affiliate.InstantOf(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	refund := affiliate.PaymentRefund{ID: "re_1", Amount: whole(5), State: affiliate.RefundSucceeded}
	dispute := affiliate.PaymentDispute{ID: "dp_1", Amount: whole(7), State: affiliate.DisputeWithdrawn, At: at}
	var rec record.Payment
	add := func() (s engine.Shift) {
		if err := engine.AddRefund(&rec, refund, false, &s); err != nil {
			t.Fatal(err)
		}
		if err := engine.AddDispute(&rec, dispute, false, &s); err != nil {
			t.Fatal(err)
		}
		engine.AddRefunded(&rec, affiliate.Set(whole(5)), false, &s)
		return s
	}
	if s := add(); s != "re_1" {
		t.Errorf("the first time: %+v", s)
	}
	before := rec.Clone()
	if s := add(); s != "" || !reflect.DeepEqual(before, rec) {
		t.Errorf("again: %+v, %+v, want %+v", s, rec, before)
	}
	var s engine.Shift
	engine.AddRefunded(&rec, affiliate.Set(whole(6)), false, &s)
	if s != "refunded" || rec.Refunded != affiliate.Set(whole(6)) {
		t.Errorf("a higher sum: %+v, %+v", s, rec)
	}
}

// The id of a refund is that of the first fact that changed something.
func TestShift(t *testing.T) {
	var rec record.Payment
	var s engine.Shift
	for _, add := range []func() error{
		func() error {
			return engine.AddRefund(&rec, affiliate.PaymentRefund{ID: "re_1", Amount: whole(5), State: affiliate.RefundSucceeded}, false, &s)
		},
		func() error {
			return engine.AddDispute(&rec, affiliate.PaymentDispute{ID: "dp_1", Amount: whole(7), State: affiliate.DisputeWithdrawn}, false, &s)
		},
		func() error {
			return engine.AddRefund(&rec, affiliate.PaymentRefund{ID: "re_2", Amount: whole(5), State: affiliate.RefundSucceeded}, false, &s)
		},
	} {
		if err := add(); err != nil || s != "re_1" {
			t.Errorf("with %d refunds and %d disputes: %s, %v", len(rec.Refunds), len(rec.Disputes), s, err)
		}
	}
}

// A dispute whose money came back is not late, whatever it was before: what is stored
// does not depend on the order of the facts.
func TestDisputeLate(t *testing.T) {
	at := affiliate.InstantOf(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	var rec record.Payment
	var s engine.Shift
	for i, step := range []struct {
		state      affiliate.DisputeState
		late, want bool
	}{{affiliate.DisputeInquiry, true, false}, {affiliate.DisputeWithdrawn, true, true}, {affiliate.DisputeLost, false, true}, {affiliate.DisputeReleased, true, false}, {affiliate.DisputeWithdrawn, false, false}} {
		f := affiliate.PaymentDispute{ID: "dp_1", Amount: whole(7), State: step.state, At: at.Add(time.Duration(i) * time.Second)}
		if err := engine.AddDispute(&rec, f, step.late, &s); err != nil || rec.Disputes[0].Late != step.want {
			t.Errorf("step %d: %+v, %v", i, rec.Disputes, err)
		}
	}
}

// What two records of one payment know is in the one that stays.
func TestMerge(t *testing.T) {
	at := affiliate.InstantOf(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	other := record.Payment{
		PayerID: "cus_1", Gross: affiliate.Set(whole(120)), Waiting: []affiliate.WaitingSale{{TotalEarned: whole(100)}},
		Refunds: []affiliate.PaymentRefund{{ID: "re_1", Amount: whole(5), State: affiliate.RefundSucceeded}}, Refunded: affiliate.Set(whole(9)), Late: affiliate.Set(whole(20)),
		Disputes: []affiliate.PaymentDispute{{ID: "dp_1", Amount: whole(7), State: affiliate.DisputeWon, At: at}},
	}
	merged := func(into record.Payment, late bool) (record.Payment, engine.Shift) {
		var s engine.Shift
		if err := engine.MergePayments(&into, &other, late, &s); err != nil {
			t.Fatal(err)
		}
		return into, s
	}
	if got, s := merged(record.Payment{}, false); !reflect.DeepEqual(got, other) || s != "re_1" {
		t.Errorf("into an empty one: %+v, %+v", got, s)
	}
	got, _ := merged(record.Payment{PayerID: "cus_2", Sale: uuid.UUID{1}, Gross: affiliate.Set(whole(1))}, true)
	want := other
	want.PayerID, want.Sale, want.Gross, want.Waiting = "cus_2", uuid.UUID{1}, affiliate.Set(whole(1)), nil
	want.Refunds = []affiliate.PaymentRefund{{ID: "re_1", Amount: whole(5), State: affiliate.RefundSucceeded, Late: true}}
	want.Refunded = affiliate.Opt[affiliate.Amount]{}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("into a late one with a sale: %+v, want %+v", got, want)
	}
	mine := []affiliate.WaitingSale{{TotalEarned: whole(3)}}
	if got, _ := merged(record.Payment{Waiting: mine, Gross: affiliate.Set(whole(1))}, false); !reflect.DeepEqual(got.Waiting, mine) || got.Gross != affiliate.Set(whole(1)) {
		t.Errorf("into one that waits: %+v", got)
	}
	for name, odd := range map[string]record.Payment{
		"refund":  {Refunds: []affiliate.PaymentRefund{{ID: "re_1", Amount: whole(6)}}},
		"dispute": {Disputes: []affiliate.PaymentDispute{{ID: "dp_1", Amount: whole(6)}}},
	} {
		if err := engine.MergePayments(&odd, &other, false, new(engine.Shift)); err == nil {
			t.Errorf("a %s of two amounts was merged: %+v", name, odd)
		}
	}
}

// A refund of the sale is one of the facts' when a fact made it or has its id.
func TestKnows(t *testing.T) {
	rec := record.Payment{Refunds: []affiliate.PaymentRefund{{ID: "re_1"}}, Disputes: []affiliate.PaymentDispute{{ID: "dp_1"}}}
	for _, tt := range []struct {
		refund record.Refund
		want   bool
	}{{record.Refund{ID: "re_1"}, true}, {record.Refund{ID: "dp_1"}, true}, {record.Refund{ID: "re_2"}, false}, {record.Refund{}, false}, {record.Refund{ID: "x", Fact: true}, true}} {
		if got := engine.Knows(&rec, &tt.refund); got != tt.want {
			t.Errorf("%+v: %v", tt.refund, got)
		}
	}
}

// A refund whose tax and shipping are told later is the reason of a change when its money
// is gone, and of none while it is pending.
func TestRefundPartsToldLater(t *testing.T) {
	for state, want := range map[affiliate.RefundState]engine.Shift{affiliate.RefundSucceeded: "re_1", affiliate.RefundPending: "", affiliate.RefundFailed: ""} {
		var rec record.Payment
		refund := affiliate.PaymentRefund{ID: "re_1", Amount: whole(5), State: state}
		if err := engine.AddRefund(&rec, refund, false, new(engine.Shift)); err != nil {
			t.Fatal(err)
		}
		refund.Tax, refund.Shipping = affiliate.Set(whole(2)), affiliate.Set(whole(1))
		var s engine.Shift
		if err := engine.AddRefund(&rec, refund, false, &s); err != nil || s != want || !reflect.DeepEqual(rec.Refunds, []affiliate.PaymentRefund{refund}) {
			t.Errorf("%s: the reason is %q, want %q; %+v, %v", state, s, want, rec.Refunds, err)
		}
	}
}

// A dispute is the reason of a change when its state changes, and of none when the same
// state is told of a later time.
func TestDisputeShift(t *testing.T) {
	at := affiliate.InstantOf(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	var rec record.Payment
	for i, step := range []struct {
		state affiliate.DisputeState
		want  engine.Shift
	}{{affiliate.DisputeWithdrawn, "dp_1"}, {affiliate.DisputeWithdrawn, ""}, {affiliate.DisputeWon, "dp_1"}} {
		var s engine.Shift
		f := affiliate.PaymentDispute{ID: "dp_1", Amount: whole(7), State: step.state, At: at.Add(time.Duration(i) * time.Second)}
		if err := engine.AddDispute(&rec, f, false, &s); err != nil || s != step.want || rec.Disputes[0] != f {
			t.Errorf("step %d: the reason is %q, want %q; %+v, %v", i, s, step.want, rec.Disputes, err)
		}
	}
}

// A payment in another currency is forgotten when it is also told in the program's, unless
// a refund or a dispute was counted in the other one.
func TestMergeForeign(t *testing.T) {
	euros := func() record.Payment {
		return record.Payment{Counted: "EUR", Gross: affiliate.Set(whole(90)), Left: "OTHER_CURRENCY"}
	}
	lost := func() record.Payment {
		rec := euros()
		rec.Refunds = []affiliate.PaymentRefund{{ID: "re_1", Amount: whole(5), State: affiliate.RefundSucceeded}}
		rec.Disputes = []affiliate.PaymentDispute{{ID: "dp_1", Amount: whole(7), State: affiliate.DisputeWithdrawn}}
		return rec
	}
	dollars := func() record.Payment {
		return record.Payment{Gross: affiliate.Set(whole(100)), Waiting: []affiliate.WaitingSale{{TotalEarned: whole(100)}}}
	}
	counted := func() record.Payment {
		rec := dollars()
		rec.Counted, rec.Gross, rec.Worth = "EUR", affiliate.Set(whole(90)), affiliate.Set(whole(100))
		return rec
	}
	for _, tt := range []struct {
		name              string
		into, other, want record.Payment
		refused           bool
	}{
		{"of the program into a foreign one", euros(), dollars(), dollars(), false},
		{"a foreign one into one of the program", dollars(), euros(), dollars(), false},
		{"one that is counted into an empty one", record.Payment{}, counted(), counted(), false},
		{"of the program into a foreign one that lost something", lost(), dollars(), record.Payment{}, true},
		{"a foreign one that lost something into one of the program", dollars(), lost(), record.Payment{}, true},
	} {
		err := engine.MergePayments(&tt.into, &tt.other, false, new(engine.Shift))
		if tt.refused != (err != nil) || err == nil && !reflect.DeepEqual(tt.into, tt.want) {
			t.Errorf("%s: %v, %+v, want %+v", tt.name, err, tt.into, tt.want)
		}
	}
	if rec := (record.Payment{Refunds: lost().Refunds, Disputes: lost().Disputes}); !engine.PaymentCounts(&rec) {
		t.Error("a refund and a dispute are amounts of a payment")
	}
}

// What warned of a dispute counts until the dispute itself is there; an inquiry is none.
func TestLostOfWarnings(t *testing.T) {
	warning := affiliate.PaymentDispute{ID: "dp_1", Amount: whole(30), State: affiliate.DisputeWithdrawn, Warning: true}
	for name, tt := range map[string]struct {
		besides []affiliate.PaymentDispute
		want    affiliate.Amount
	}{
		"alone":                 {nil, whole(30)},
		"with an inquiry":       {[]affiliate.PaymentDispute{{ID: "dp_2", Amount: whole(40), State: affiliate.DisputeInquiry}}, whole(30)},
		"with another warning":  {[]affiliate.PaymentDispute{{ID: "dp_2", Amount: whole(40), State: affiliate.DisputeWithdrawn, Warning: true}}, whole(70)},
		"with the dispute":      {[]affiliate.PaymentDispute{{ID: "dp_2", Amount: whole(40), State: affiliate.DisputeWithdrawn}}, whole(40)},
		"with the dispute, won": {[]affiliate.PaymentDispute{{ID: "dp_2", Amount: whole(40), State: affiliate.DisputeWon}}, affiliate.Amount{}},
	} {
		rec := record.Payment{Gross: affiliate.Set(whole(120)), Disputes: append([]affiliate.PaymentDispute{warning}, tt.besides...)}
		if got, err := engine.LostOf(&rec); err != nil || got != tt.want {
			t.Errorf("%s: %v, %v is lost, want %v", name, got, err, tt.want)
		}
	}
}

// Of two payments the one with the sale stays, else the older one, which has the lower id.
func TestPaymentBefore(t *testing.T) {
	older, newer, sold := record.Payment{ID: uuid.UUID{1}}, record.Payment{ID: uuid.UUID{2}}, record.Payment{ID: uuid.UUID{3}, Sale: uuid.UUID{1}}
	for _, pair := range [][2]record.Payment{{older, newer}, {sold, older}, {sold, newer}} {
		if !engine.PaymentBefore(&pair[0], &pair[1]) || engine.PaymentBefore(&pair[1], &pair[0]) {
			t.Errorf("%s does not stay before %s", pair[0].ID, pair[1].ID)
		}
	}
}
