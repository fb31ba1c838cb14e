package console

import (
	"io"

	"github.com/tributary-go/tributary/httpapi/internal/page"
	"github.com/tributary-go/tributary/httpapi/internal/reqid"
)

// download answers a file while it is made.
func (v *visit) download(name string, write func(io.Writer) error) error {
	return page.Download(v.w, name, v.late, write)
}

// late writes a line about a file that failed while it was sent.
func (v *visit) late(err error) {
	v.logger().ErrorContext(v.ctx(), "console file", "path", page.OneLine(v.path), "error", err, "request_id", reqid.Of(v.ctx()))
}

// textFile answers a text.
func (v *visit) textFile(name, text string) error {
	return v.download(name, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}
