package affiliate

import (
	"encoding/json"
	"errors"

	"github.com/google/uuid"
)

// How the rows of an import call are stored.

// add counts a row.
func (r *ImportReport) add(i int, row ImportRow, err error) {
	switch row.Outcome {
	case ImportCreated:
		r.Created++
	case ImportExisting:
		r.Existing++
	case ImportChanged, ImportForwarded:
		r.Changed++
	case ImportFailed:
		r.Failed = append(r.Failed, ImportFailure{Row: i, Err: err})
	}
	r.Rows = append(r.Rows, row)
}

// importRows is an import call: each row is prepared before the transaction, and
// stored inside it. A row that is refused is left out, so a row is refused
// before it writes anything.
func importRows[T any](o *op, rq request, rows []T, prepare func(*T) error, store func(*importing, *T, int) (ImportRow, error)) (ImportReport, error) {
	refused := make([]error, len(rows))
	for i := range rows {
		refused[i] = prepare(&rows[i])
	}
	reply, err := write(o, rq, func() (importReply, error) {
		im := &importing{op: o}
		for i := range rows {
			im.row = i
			row, err := ImportRow{}, refused[i]
			if err == nil {
				row, err = store(im, &rows[i], i)
			}
			if err != nil && !worthKeeping(err) {
				return importReply{}, err
			}
			if err != nil {
				row = ImportRow{Outcome: ImportFailed}
			}
			im.report.add(i, row, err)
		}
		if err := im.finish(); err != nil {
			return importReply{}, err
		}
		return importReply{im.report}, im.settleReported()
	})
	return reply.ImportReport, err
}

// An importing is one run of the closure of an import.
type importing struct {
	*op
	row      int // that is being stored
	report   ImportReport
	shares   []*importShare // in the order in which they were made
	shared   map[uuid.UUID]*importShare
	reported []uuid.UUID // payments of which something was known before
}

// note adds a note about the row that is being stored.
func (im *importing) note(ref string, err *Error, kept string) {
	im.report.Notes = append(im.report.Notes, ImportNote{Row: im.row, Ref: ref, Err: err, Kept: kept})
}

// changed is a row that says something else and is not written.
func (im *importing) changed(known *ImportRecord, why *Error) ImportRow {
	im.note("", why, string(known.Kind))
	return ImportRow{ImportChanged, known.Figures}
}

// An importReply is a report as the answer to a request.
type importReply struct{ ImportReport }

var _ keeper = (*importReply)(nil)

// A keptReport is a report in a receipt.
type keptReport struct {
	ImportReport
	Failed []storedFailure
}

type storedFailure struct {
	Row     int
	Refusal *Error // nil: ErrNotFound
}

func (r *importReply) KeepAnswer() (answer StoredAnswer, outcome string) {
	k := keptReport{ImportReport: r.ImportReport}
	for _, f := range r.Failed {
		refusal, _ := errors.AsType[*Error](f.Err)
		k.Failed = append(k.Failed, storedFailure{f.Row, refusal})
	}
	raw, _ := json.Marshal(k) // numbers, texts and refusals always have JSON
	return answerOf(raw), ""
}

func (r *importReply) RestoreAnswer(answer []byte, _ string) error {
	var k keptReport
	if err := json.Unmarshal(answer, &k); err != nil {
		return err
	}
	r.ImportReport = k.ImportReport
	for _, f := range k.Failed {
		failure := ImportFailure{Row: f.Row, Err: ErrNotFound}
		if f.Refusal != nil {
			failure.Err = f.Refusal
		}
		r.Failed = append(r.Failed, failure)
	}
	return nil
}
