package importer

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

// A Progress says how far an import has come.
type Progress struct {
	Kind      string  // of the rows that were stored last
	Done      int64   // rows of this kind so far
	About     int64   // how many there will be, by the size of the file; 0: not known
	Rejected  int64   // rows, links and codes so far, of every kind
	PerSecond float64 // rows of every kind so far
}

// progress counts rows.
type progress struct {
	now      func() time.Time
	tell     func(Progress)
	started  time.Time
	kinds    map[string]int64
	all      int64
	rejected int64
	last     Row
}

func (p *progress) begin() {
	p.kinds = map[string]int64{}
	if p.tell != nil {
		p.started = p.now()
	}
}

func (p *progress) row(row *Row) {
	p.kinds[kindOf(row.Item)]++
	p.all++
	p.last = Row{read: row.read, size: row.size}
}

// batch reports that a batch was stored.
func (p *progress) batch(kind string) {
	if p.tell == nil {
		return
	}
	done := Progress{Kind: kind, Done: p.kinds[kind], Rejected: p.rejected}
	if p.last.read > 0 && p.last.size > 0 {
		done.About = int64(float64(done.Done) * float64(p.last.size) / float64(p.last.read))
	}
	if took := p.now().Sub(p.started).Seconds(); took > 0 {
		done.PerSecond = float64(p.all) / took
	}
	p.tell(done)
}

// Terminal draws progress as one line that changes:
//
//	sales 12,400 of ~31,000 · 3 rejected · 1,900/s
//
// If w is not a terminal, each progress is a line of its own. Call the function
// with the zero Progress at the end, which ends the line.
func Terminal(w io.Writer) func(Progress) {
	live := false
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		live = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return drawn(w, live)
}

func drawn(w io.Writer, live bool) func(Progress) {
	return func(p Progress) {
		if p.Kind == "" {
			if live {
				fmt.Fprintln(w)
			}
			return
		}
		line := p.Kind + " " + grouped(p.Done)
		if p.About > p.Done {
			line += " of ~" + grouped(p.About)
		}
		line += " · " + grouped(p.Rejected) + " rejected · " + grouped(int64(p.PerSecond)) + "/s"
		if live {
			fmt.Fprint(w, "\r\x1b[K"+line)
			return
		}
		fmt.Fprintln(w, line)
	}
}

// grouped returns a number with commas between thousands.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
