package imports

import (
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// The lists of values, so that a check of a record copies none.
var (
	affiliateStatuses    = affiliate.AffiliateStatuses()
	approvalStatuses     = affiliate.ApprovalStatuses()
	holdReasons          = affiliate.HoldReasons()
	paymentMethods       = affiliate.PaymentMethods()
	subscriptionStatuses = affiliate.SubscriptionStatuses()
)

// The storing of the rows of an import call.

// add counts a row.
func add(r *imported.Report, i int, row imported.Row, err error) {
	switch row.Outcome {
	case imported.Created:
		r.Created++
	case imported.Existing:
		r.Existing++
	case imported.Changed, imported.Forwarded:
		r.Changed++
	case imported.Failed:
		r.Failed = append(r.Failed, imported.Failure{Row: i, Err: err})
	}
	r.Rows = append(r.Rows, row)
}

// importRows runs an import call: it prepares each row before the transaction, and
// stores it inside. A refused row is left out, so every refusal must come before the
// row writes anything.
func importRows[T any](o *engine.Op, rq engine.Request, rows []T, prepare func(*T) error,
	store func(*importing, *T, int) (imported.Row, error)) (imported.Report, error) {
	refused := make([]error, len(rows))
	for i := range rows {
		refused[i] = prepare(&rows[i])
	}
	reply, err := engine.Write(o, rq, func() (importReply, error) {
		im := &importing{Op: o}
		for i := range rows {
			im.row = i
			row, err := imported.Row{}, refused[i]
			if err == nil {
				row, err = store(im, &rows[i], i)
			}
			if err != nil && !engine.WorthKeeping(err) {
				return importReply{}, err
			}
			if err != nil {
				row = imported.Row{Outcome: imported.Failed}
			}
			add(&im.report, i, row, err)
		}
		if err := im.finish(); err != nil {
			return importReply{}, err
		}
		return importReply{im.report}, im.settleReported()
	})
	return reply.Report, err
}

// An importing is one run of the closure of an import.
type importing struct {
	*engine.Op
	row      int // that is being stored
	report   imported.Report
	shares   []*importShare // in the order in which they were made
	shared   map[uuid.UUID]*importShare
	reported []uuid.UUID // payments of which something was known before
}

// note adds a note about the row that is being stored.
func (im *importing) note(ref string, err *affiliate.Error, kept string) {
	im.report.Notes = append(im.report.Notes, imported.Note{Row: im.row, Ref: ref, Err: err, Kept: kept})
}

// changed returns a row that says something else and is not written.
func (im *importing) changed(known *record.Import, why *affiliate.Error) imported.Row {
	im.note("", why, string(known.Kind))
	return imported.Row{Outcome: imported.Changed, Stored: known.Figures}
}

// An importReply is a report as the answer to a request.
type importReply struct{ imported.Report }

var _ engine.Keeper = (*importReply)(nil)

// A reportReceipt is a report in a receipt.
type reportReceipt struct {
	imported.Report
	Failed []failureReceipt
}

type failureReceipt struct {
	Row     int
	Refusal *affiliate.Error // nil: ErrNotFound
}

func (r *importReply) KeepAnswer() (answer record.Payload, outcome string) {
	k := reportReceipt{Report: r.Report}
	for _, f := range r.Failed {
		refusal, _ := errors.AsType[*affiliate.Error](f.Err)
		k.Failed = append(k.Failed, failureReceipt{f.Row, refusal})
	}
	raw, _ := json.Marshal(k) // numbers, texts and refusals always have JSON
	return record.RawPayload(raw), ""
}

func (r *importReply) RestoreAnswer(answer []byte, _ string) error {
	var k reportReceipt
	if err := json.Unmarshal(answer, &k); err != nil {
		return err
	}
	r.Report = k.Report
	for _, f := range k.Failed {
		failure := imported.Failure{Row: f.Row, Err: affiliate.ErrNotFound}
		if f.Refusal != nil {
			failure.Err = f.Refusal
		}
		r.Failed = append(r.Failed, failure)
	}
	return nil
}
