package importer_test

import (
	"encoding/csv"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/importer"
)

// drain reads every row, and returns how many there are and whether the file
// ended as it should.
func drain(t *testing.T, src importer.Source) (rows int, whole bool) {
	last := 0
	for row, err := range src.Rows(t.Context()) {
		_, refused := errors.AsType[*affiliate.Error](err)
		if err != nil && !refused {
			return rows, false
		}
		if rows++; row.File == "sales.csv" && row.Line < last || row.Line < 0 {
			t.Fatalf("line %d after %d", row.Line, last)
		}
		last = row.Line
	}
	return rows, true
}

// bounded runs fn and fails when it allocates far more than a multiple of the
// input beside what every walk needs.
func bounded(t *testing.T, input int, fn func()) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > int64(10*input)+4<<20 {
		t.Errorf("%d bytes of input, %d bytes of memory", input, grown)
	}
}

// FuzzCSV: no input panics, every row has a line that does not go back, and what
// encoding/csv reads has as many rows here.
func FuzzCSV(f *testing.F) {
	f.Add("mail,name\na@b.example,A\n", "")
	f.Add("\ufeffmail;name\r\n\"a\";\"x\r\n\"\"y\"\r\n", ";")
	f.Add("mail\tname\n\n\"open\n", "\t")
	f.Fuzz(func(t *testing.T, text, comma string) {
		m := importer.Mapping{Kind: importer.Sales, Columns: map[string]string{"ref": "mail", "total": "name", "createdAt": "mail"}}
		if comma != "" {
			m.Comma = []rune(comma)[0]
		}
		bounded(t, len(text), func() {
			rows, whole := drain(t, importer.CSV(strings.NewReader(text), m))
			trimmed := strings.TrimLeft(strings.TrimPrefix(text, "\ufeff"), " \t\r\n")
			if !whole || comma == "" || m.Comma == '\r' || strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") || strings.ContainsRune(text, '\r') {
				return
			}
			r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
			r.Comma, r.FieldsPerRecord = m.Comma, -1
			all, err := r.ReadAll()
			all = slices.DeleteFunc(all, func(row []string) bool { return strings.Trim(strings.Join(row, ""), " \t\n\v\f\u0085\u00a0") == "" })
			if err == nil && len(all) > 0 && m.Comma != ' ' && rows != len(all)-1 {
				t.Errorf("%d rows, encoding/csv reads %d", rows, len(all)-1)
			}
		})
	})
}

// FuzzJSONRows: no input panics or makes an endless walk.
func FuzzJSONRows(f *testing.F) {
	for _, text := range []string{
		`[{"id":"1","amount":5}]`, `{"data":[{"id":"1"}],"pagination":{}}`, "{\"id\":\"1\"}\n{\"id\":\"2\"}", `{"items":[{}`, `[[[{}]]]`, `{"a":"\"}"}`, `{"data":[]}{"data":[{"customer":{"email":3}}]}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		bounded(t, len(text), func() {
			read := strings.NewReader
			drain(t, importer.Rewardful(importer.Files{Affiliates: read(text), Links: read(text), Coupons: read(text), Commissions: read(text), Payouts: read(text)}))
		})
	})
}
