package scene

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// A Dumper reads all records of programs. It encodes each payload only once, which
// is most of the work. Its zero value is ready, and safe for concurrent use.
type Dumper struct {
	encoded sync.Map // by record.Encoder, which never changes
}

// Dump returns every record of a program as JSON, by table. The payload of
// an event stands behind its JSON.
func (d *Dumper) Dump(t testing.TB, store record.Store, program uuid.UUID) map[string][]string {
	t.Helper()
	var out map[string][]string
	err := store.View(t.Context(), program, func(tx *record.Tx) error {
		out = map[string][]string{}
		for _, table := range record.Schema() {
			out[table.Name] = []string{}
			for rec, err := range table.In(tx).List(record.Query{}) {
				if err != nil {
					return err
				}
				var payload string
				if e, ok := rec.(record.Event); ok {
					payload = d.encode(e.Payload)
					e.Payload = record.Payload{}
					rec = e
				}
				raw, err := json.Marshal(rec)
				if err != nil {
					return err
				}
				out[table.Name] = append(out[table.Name], string(raw)+payload)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("dump: %v", err)
	}
	return out
}

func (d *Dumper) encode(p record.Payload) string {
	raw, late := p.Source()
	if late == nil {
		return string(raw)
	}
	known, ok := d.encoded.Load(late)
	if !ok {
		known, _ = d.encoded.LoadOrStore(late, string(late.Encode()))
	}
	return known.(string)
}
