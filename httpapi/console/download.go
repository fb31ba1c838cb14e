package console

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path"

	"github.com/tributary-go/tributary/httpapi/internal/reqid"
)

// A download is a file that is answered while it is made. It holds the first
// bytes back, so that an early failure is a page that says so.
type download struct {
	v    *visit
	name string
	held bytes.Buffer
	sent bool
}

// maxHeld is how much of a file is held back.
const maxHeld = 64 << 10

func (d *download) Write(b []byte) (int, error) {
	if d.held.Write(b); d.held.Len() < maxHeld {
		return len(b), nil
	}
	return len(b), d.flush()
}

func (d *download) flush() error {
	if !d.sent {
		d.sent = true
		d.v.head(d.name)
	}
	_, err := d.held.WriteTo(d.v.w)
	return err
}

// types are the types of files by the ends of their names.
var types = map[string]string{".csv": "text/csv; charset=utf-8", ".txt": "text/plain; charset=utf-8", ".zip": "application/zip"}

// head begins the answer of a file that is to be stored.
func (v *visit) head(name string) {
	h := v.w.Header()
	h.Set("Content-Type", types[path.Ext(name)])
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
}

// download answers a file. A file that fails after its first bytes is cut off, so
// that nobody takes a part for the whole.
func (v *visit) download(name string, write func(io.Writer) error) error {
	d := &download{v: v, name: name}
	err := write(d)
	switch {
	case err == nil:
		_ = d.flush() // the browser is gone
		return nil
	case !d.sent:
		return err
	}
	v.logger().ErrorContext(v.ctx(), "console file", "path", v.path, "error", err, "request_id", reqid.Of(v.ctx()))
	panic(http.ErrAbortHandler)
}

// textFile answers a text.
func (v *visit) textFile(name, text string) error {
	return v.download(name, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}
