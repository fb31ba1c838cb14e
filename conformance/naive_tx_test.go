package conformance

import (
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

type naiveID struct {
	table string
	id    uuid.UUID
}

// naiveTx is one transaction. base is the state at its start, data is what it
// sees.
type naiveTx struct {
	store      *naiveStore
	program    uuid.UUID
	base, data *naiveProgram
	wrote      map[naiveID]bool
	readOnly   bool
	done       bool
	reads      int  // how often it was read
	dead       bool // of a flaw
}

// long reports whether the transaction is a View that has read much.
func (tx *naiveTx) long() bool { return tx.readOnly && tx.reads > 500 }

func (tx *naiveTx) flaw() flaw { return tx.store.flaw }

func (tx *naiveTx) end() { tx.done = true }

// live reports whether the transaction may be read.
func (tx *naiveTx) live() error {
	if tx.done && tx.flaw() != worksAfterEnd {
		return affiliate.ErrTxDone
	}
	if tx.dead && tx.flaw() == deadAfterClash {
		return errors.New("naive: transaction is dead")
	}
	tx.reads++
	if tx.readOnly && tx.flaw() == liveView || tx.long() && tx.flaw() == liveLongView {
		tx.data = tx.store.latest(tx.program)
	}
	return nil
}

// writable reports whether the transaction may be written.
func (tx *naiveTx) writable() error {
	if err := tx.live(); err != nil {
		return err
	}
	if tx.readOnly && tx.flaw() != viewWrites {
		return affiliate.ErrReadOnly
	}
	return nil
}

func (tx *naiveTx) next(seq affiliate.Sequence) (int64, error) {
	err := tx.writable()
	if errors.Is(err, affiliate.ErrReadOnly) && tx.flaw() == viewTakesNumbers {
		err = nil
	}
	if err != nil {
		return 0, err
	}
	switch tx.flaw() {
	case oneCounter:
		seq = "all"
	case oneSequence:
		tx.store.mu.Lock()
		defer tx.store.mu.Unlock()
		shared := tx.store.programs[uuid.Max]
		if shared == nil {
			shared = &naiveProgram{next: map[affiliate.Sequence]int64{}}
			tx.store.programs[uuid.Max] = shared
		}
		shared.next[seq]++
		return shared.next[seq], nil
	case repeatsNumbers:
		return tx.base.next[seq] + 1, tx.count(seq)
	}
	return tx.data.next[seq] + 1, tx.count(seq)
}

func (tx *naiveTx) count(seq affiliate.Sequence) error {
	tx.data.next[seq]++
	return nil
}

func (tx *naiveTx) tables() *affiliate.Tx {
	all := &affiliate.Tx{
		Affiliates:  naiveTable[affiliate.AffiliateRecord]{tx, "affiliates"},
		Links:       naiveTable[affiliate.LinkRecord]{tx, "links"},
		Clicks:      naiveTable[affiliate.ClickRecord]{tx, "clicks"},
		Referrals:   naiveTable[affiliate.ReferralRecord]{tx, "referrals"},
		Coupons:     naiveTable[affiliate.CouponRecord]{tx, "coupons"},
		Codes:       naiveTable[affiliate.CodeRecord]{tx, "codes"},
		Redemptions: naiveTable[affiliate.RedemptionRecord]{tx, "redemptions"},
		Sales:       naiveTable[affiliate.SaleRecord]{tx, "sales"},
		Plans:       naiveTable[affiliate.PlanRecord]{tx, "plans"},
		Tiers:       naiveTable[affiliate.TierRecord]{tx, "tiers"},
		Payouts:     naiveTable[affiliate.PayoutRecord]{tx, "payouts"},
		Adjustments: naiveTable[affiliate.AdjustmentRecord]{tx, "adjustments"},
		Movements:   naiveTable[affiliate.MovementRecord]{tx, "movements"},
		Runs:        naiveTable[affiliate.RunRecord]{tx, "runs"},
		Lines:       naiveTable[affiliate.LineRecord]{tx, "lines"},
		Totals:      naiveTable[affiliate.TotalsRecord]{tx, "totals"},
		Receipts:    naiveTable[affiliate.ReceiptRecord]{tx, "receipts"},
		Endpoints:   naiveTable[affiliate.EndpointRecord]{tx, "endpoints"},
		Events:      naiveTable[affiliate.EventRecord]{tx, "events"},
		Deliveries:  naiveTable[affiliate.DeliveryRecord]{tx, "deliveries"},
		Queue:       naiveTable[affiliate.QueueRecord]{tx, "queue"},
		Imports:     naiveTable[affiliate.ImportRecord]{tx, "imports"},
		Payments:    naiveTable[affiliate.PaymentRecord]{tx, "payments"},
		PaymentKeys: naiveTable[affiliate.PaymentKeyRecord]{tx, "paymentkeys"},
		Payers:      naiveTable[affiliate.PayerRecord]{tx, "payers"},
		Erasures:    naiveTable[affiliate.ErasureRecord]{tx, "erasures"},
		Aliases:     naiveTable[affiliate.AliasRecord]{tx, "aliases"},
		Next:        tx.next,
	}
	switch tx.flaw() {
	case lacksTable:
		all.Tiers = nil
	case lacksNext:
		all.Next = nil
	}
	return all
}
