package audit

import (
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// read reads all records first, so that the checks do not run while the store
// is locked. It keeps no more of them than the checks need.
func (a *audit) read() error {
	tx := a.tx
	for _, fill := range []func() error{
		filling(a, &a.affiliates, tx.Affiliates), filling(a, &a.links, tx.Links), filling(a, &a.clicks, tx.Clicks),
		filling(a, &a.referrals, tx.Referrals), filling(a, &a.coupons, tx.Coupons), filling(a, &a.codes, tx.Codes),
		filling(a, &a.ledger, tx.Redemptions), filling(a, &a.sales, tx.Sales), filling(a, &a.plans, tx.Plans),
		filling(a, &a.tiers, tx.Tiers), filling(a, &a.payouts, tx.Payouts), filling(a, &a.adjusted, tx.Adjustments),
		filling(a, &a.movements, tx.Movements), filling(a, &a.runs, tx.Runs), filling(a, &a.lines, tx.Lines), filling(a, &a.totals, tx.Totals),
		filling(a, &a.receipts, tx.Receipts), filling(a, &a.endpoints, tx.Endpoints), filling(a, &a.events, tx.Events),
		filling(a, &a.deliveries, tx.Deliveries), filling(a, &a.queue, tx.Queue),
		filling(a, &a.payments, tx.Payments), filling(a, &a.keys, tx.PaymentKeys), filling(a, &a.payers, tx.Payers), filling(a, &a.erasures, tx.Erasures), filling(a, &a.aliases, tx.Aliases), filling(a, &a.imports, tx.Imports),
	} {
		if err := fill(); err != nil {
			return err
		}
	}
	return nil
}

// filling reads a table into its collection, and counts its records.
func filling[R record.Record[R]](a *audit, s *collection[R], t record.Table[R]) func() error {
	return func() error {
		s.ctx = a.ctx
		for rec, err := range t.List(record.Query{}) {
			if err != nil {
				return err
			}
			if a.trim(s.add(rec)); s.n%endedEvery == 0 && s.ctx.Err() != nil {
				return s.ctx.Err()
			}
		}
		a.records += int64(s.n)
		return nil
	}
}

// trim drops what no check needs, if that is most of a record. The bytes of an
// event are checked here, because they concern nothing else.
func (a *audit) trim(rec any) {
	switch r := rec.(type) {
	case *record.Sale:
		a.verifyHidden(r.ReferralID, "sale", r.ID, !engine.Same(*r, engine.BlankedSale(*r)))
		r.Name, r.Email, r.Products, r.Metadata = "", "", nil, nil
	case *record.Receipt:
		*r = record.Receipt{ID: r.ID, Key: r.Key}
	case *record.Event:
		if raw, _ := r.Payload.Source(); len(raw) > 0 {
			a.verifyPayload(r, raw)
			r.Payload = record.Payload{}
		}
	}
}
