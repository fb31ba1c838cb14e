package page

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/sheet"
)

// A download is a file that is sent while it is made. It holds the first bytes
// back, so that an early failure becomes a page that says so.
type download struct {
	w    http.ResponseWriter
	name string
	held bytes.Buffer
	sent bool
}

// maxHeld is the number of bytes that are held back.
const maxHeld = 64 << 10

func (d *download) Write(b []byte) (int, error) {
	if d.held.Write(b); d.held.Len() < maxHeld {
		return len(b), nil
	}
	return len(b), d.flush()
}

// types are the types of files by the ends of their names.
var types = map[string]string{".csv": "text/csv; charset=utf-8",
	".txt": "text/plain; charset=utf-8", ".zip": "application/zip"}

func (d *download) flush() error {
	if !d.sent {
		d.sent = true
		d.w.Header().Set("Content-Type", types[path.Ext(d.name)])
		d.w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", d.name))
	}
	_, err := d.held.WriteTo(d.w)
	return err
}

// Download answers a file to be stored, while write makes it. It returns an
// error that comes before the first bytes are sent; nothing was answered then.
// It passes a later error to late and cuts the answer off, so that nobody takes
// a part for the whole.
func Download(w http.ResponseWriter, name string, late func(error), write func(io.Writer) error) error {
	d := &download{w: w, name: name}
	err := write(d)
	switch {
	case err == nil:
		_ = d.flush() // the browser is gone
		return nil
	case !d.sent:
		return err
	}
	late(err)
	panic(http.ErrAbortHandler)
}

// FilePage is the number of rows that a file of a list reads at once.
const FilePage = 500

// Rows are the rows of a list as a file has them. Amounts are exact decimals without a
// currency, which has a column of its own.
type Rows[T any] struct {
	Comma bool // amounts as 12,50, and semicolons between cells
	Head  []string
	List  func(affiliate.Page) (affiliate.List[T], error)
	Row   func(T) ([]string, error)
}

// figures are the columns with amounts.
var figures = []string{
	"adjustments", "amount", "charged", "closing", "commission", "due", "held", "inPayouts",
	"notYetDue", "opening", "other", "owed", "paid", "refunded", "refunds", "revenue", "total",
}

// Mark begins a text that spreadsheets would else not read as UTF-8.
const Mark = "\ufeff"

// Marked answers a text for spreadsheets, which begins with [Mark].
func Marked(write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, Mark)
		return errors.Join(err, write(w))
	}
}

// DownloadRows answers the rows of a list as CSV, page by page. A question that is refused
// gets a page: nothing was sent then.
func DownloadRows[T any](w http.ResponseWriter, name string, late func(error), r Rows[T]) error {
	return Download(w, name, late, Marked(func(w io.Writer) error {
		out := sheet.NewWriter(w)
		if r.Comma {
			out.Between = ";"
		}
		_ = out.Write(r.Head)
		for item, err := range affiliate.Each(FilePage, r.List) {
			if err != nil {
				return err
			}
			cells, err := r.Row(item)
			for i := range cells {
				if r.Comma && slices.Contains(figures, r.Head[i]) {
					cells[i] = strings.Replace(cells[i], ".", ",", 1)
				}
			}
			if err == nil {
				err = out.Write(cells)
			}
			if err != nil {
				return err
			}
		}
		out.Flush()
		return out.Error()
	}))
}

// Typed returns an optional value as it stands in a file or is typed into a field; without
// one it is empty.
func Typed[T any](o affiliate.Opt[T]) string {
	if v, ok := o.Get(); ok {
		return fmt.Sprint(v)
	}
	return ""
}
