package audit

import (
	"context"
	"errors"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Verify implements tributary.Program.Verify.
func Verify(ctx context.Context, p *engine.Program) (err error) {
	defer p.Begin(&ctx, "Verify", engine.Reads).End(&err)
	a, err := auditIn(ctx, p)
	if err != nil {
		return err
	}
	breaches := make([]error, len(a.breaches))
	for i := range a.breaches {
		breaches[i] = &a.breaches[i]
	}
	return errors.Join(breaches...)
}

// Report is the check as data. One runs at a time.
func Report(ctx context.Context, p *engine.Program) (_ affiliate.Verification, err error) {
	if !p.Verifying.CompareAndSwap(false, true) {
		return affiliate.Verification{}, refusal.VerifyRunning.Err()
	}
	defer p.Verifying.Store(false)
	started := p.Now()
	a, err := auditIn(ctx, p)
	if err != nil {
		return affiliate.Verification{}, err
	}
	return affiliate.Verification{
		Holds: len(a.breaches) == 0, Records: a.records, Breaches: append([]affiliate.Breach{}, a.breaches...),
		Took: max(0, p.Now().Sub(started)),
	}, nil
}

// auditIn reads the records and checks them.
func auditIn(ctx context.Context, p *engine.Program) (*audit, error) {
	a := &audit{Program: p, ctx: ctx}
	o := &engine.Op{Program: p, Ctx: ctx, Seen: p.Sighted(ctx)}
	err := o.Snapshot(func() error {
		*a = audit{Program: p, ctx: ctx, tx: o.Tx} // a store may run a View again
		return a.read()
	})
	if err != nil {
		return nil, refusal.Internal("verify", err)
	}
	a.readImports()
	for _, check := range []func(){
		a.verifyImports, a.verifyCodes, a.verifyPeople, a.verifyRates, a.verifySales, a.verifyPayouts, a.verifyAdjustments,
		a.verifyMovements, a.verifyRuns, a.verifyTotals, a.verifyEvents, a.verifyDeliveries,
		a.verifyPayments, a.verifyPayers,
	} {
		if check(); ctx.Err() != nil {
			return nil, refusal.Internal("verify", ctx.Err()) // what was not looked at is no breach
		}
	}
	return a, nil
}
