package sheet_test

import (
	"encoding/csv"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/internal/sheet"
)

// TestCell: what a spreadsheet would calculate stands behind an apostrophe,
// wherever a reader may begin a cell, and what is harmless stays as it is.
func TestCell(t *testing.T) {
	for text, want := range map[string]string{
		"=1+1": "'=1+1", "+1": "'+1", "-a": "'-a", "@SUM(A1)": "'@SUM(A1)", "＝1+1": "'＝1+1", "＋1": "'＋1", "－a": "'－a", "＠x": "'＠x",
		" =1": "' =1", "\u00a0=1": "'\u00a0=1", "\u3000=1": "'\u3000=1", "\u200b=1": "'\u200b=1", "\ufeff=1": "'\ufeff=1", "\u202e=1": "'\u202e=1",
		"\x00=1": "'\x00=1", "\x1b=1": "'\x1b=1", "\n=1": "' =1", "\r\n=1": "' =1", "\ta": "'\ta", "\t=1": "'\t'=1",
		"a;=1+1": "a;'=1+1", "a; =1": "a;' =1", "a;\"=1": "a;'\"=1", "a\t=1": "a\t'=1", "a;b;-c": "a;b;'-c", ";=1": ";'=1", ";;@x": ";;'@x", "a\u2028=1": "a\u2028'=1",
		"a\r=1": "a =1", "a\n=1": "a =1", "a,=1": "a,=1", "a=1": "a=1", "a;b": "a;b", "a - b": "a - b", "ada@example.org": "ada@example.org",
		"-5": "-5", "-12.50": "-12.50", "12": "12", "-5a": "'-5a", "-": "'-", "-.5": "'-.5", "-5.": "'-5.", "--5": "'--5", "+5": "'+5", "": "", " ": " ",
	} {
		if got := sheet.Cell(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestWriter: every cell is in quotation marks and inert, and a reader of commas
// gets the cells back. A reader of semicolons or tabs finds no formula.
func TestWriter(t *testing.T) {
	rows := [][]string{{"name", "note", "amount"}, {`Ada "A"; =1+1`, "a;b\t=2", "-12.50"}, {"", "x\";=HYPERLINK(1)", "=cmd|' /C calc'!A0"}}
	var out strings.Builder
	w := sheet.NewWriter(&out)
	for _, row := range rows {
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	const want = "\"name\",\"note\",\"amount\"\r\n" +
		"\"Ada \"\"A\"\";' =1+1\",\"a;b\t'=2\",\"-12.50\"\r\n" +
		"\"\",\"x\"\";'=HYPERLINK(1)\",\"'=cmd|' /C calc'!A0\"\r\n"
	if diff := cmp.Diff(want, out.String()); diff != "" || w.Error() != nil {
		t.Errorf("%v (-want +got):\n%s", w.Error(), diff)
	}
	got, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	if err != nil || len(got) != 3 || got[1][2] != "-12.50" {
		t.Errorf("%q, %v", got, err)
	}
	for _, separator := range ";\t" {
		for _, cell := range strings.FieldsFunc(out.String(), func(r rune) bool { return r == separator || r == '\n' || r == '\r' }) {
			if strings.ContainsAny(strings.TrimLeft(cell, ` "`)[:1], "=+-@") {
				t.Errorf("separated by %q, a cell begins with %q", separator, cell)
			}
		}
	}
}

// A failing writer fails the row or the end, and says so again.
func TestWriterFails(t *testing.T) {
	w := sheet.NewWriter(brokenReader{})
	_ = w.Write([]string{strings.Repeat("x", 10_000)})
	w.Flush()
	if err := w.Write([]string{"x"}); !errors.Is(err, errBroken) || !errors.Is(w.Error(), errBroken) {
		t.Errorf("%v, %v", err, w.Error())
	}
}

type brokenReader struct{}

var errBroken = errors.New("no room")

func (brokenReader) Write([]byte) (int, error) { return 0, errBroken }
