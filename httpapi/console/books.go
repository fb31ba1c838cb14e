package console

import (
	"net/http"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// shownBreaches is the largest number of breaches on the page of the books.
const shownBreaches = 100

// A booksPage is the content of the page of the books.
type booksPage struct {
	affiliate.Verification
	Done         bool
	Problem      string
	Token, Nonce string
	Months       []monthEnd // that are over
}

// Shown returns the breaches that are shown.
func (e *booksPage) Shown() []affiliate.Breach {
	return e.Breaches[:min(len(e.Breaches), shownBreaches)]
}

// Seconds returns how long the check took.
func (e *booksPage) Seconds() string { return e.Took.Round(time.Millisecond).String() }

// books shows the button that checks the books.
func books(v *visit) (view, error) { return v.examined(&booksPage{}) }

func (v *visit) examined(e *booksPage) (shown view, err error) {
	f := v.seal(form{})
	e.Token, e.Nonce = f.Token, f.Nonce
	e.Months, err = v.monthEnds(12)
	return view{title: "Books", template: "books", Data: e}, err
}

// checkBooks checks the books in the request, however long it takes: nothing is
// stored, and leaving the page ends the work.
var checkBooks = &action{name: "books.check", object: "program"}

func examine(v *visit) {
	if _, ok := v.readForm(); !ok {
		v.stale()
		return
	}
	_ = http.NewResponseController(v.W).SetWriteDeadline(time.Time{}) // not every server can
	done, err := v.program.Step(v.Ctx(), affiliate.VerifyJob{}, affiliate.Step{})
	v.audit(checkBooks, v.program.Config().ID.String(), err)
	e := &booksPage{Verification: done.Verification, Done: err == nil}
	status := http.StatusOK
	if why, refused := page.Refusal(err); refused {
		e.Problem, status = why.Message, why.Kind.Status()
	} else if err != nil {
		v.fail(err)
		return
	}
	shown, err := v.examined(e)
	if err != nil {
		v.fail(err)
		return
	}
	v.render(status, shown)
}
