package portal

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/partner"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// What the affiliate asks the people of the program, and their answers.

const casesPath = "cases"

// shownCases is the number of cases on a page.
const shownCases = 20

// The fields of a question.
const (
	fieldKind  = "kind"
	fieldSale  = "saleId"
	fieldOrder = "externalId"
	fieldText  = "text"
)

// asks reports whether the affiliate can ask anything.
func (v *visit) asks() bool { return v.cfg.Cases }

// A caseForm has the typed fields of a question.
type caseForm struct {
	Kind    affiliate.CaseKind
	Sale    string // its number; empty: none
	Order   string
	Text    string
	Problem string
	Wrong   string // the field that the problem is about
	Nonce   string
}

// Claims reports whether the form is about an order that is missing.
func (f caseForm) Claims() bool { return f.Kind == affiliate.SaleClaim }

// Required reports whether something has to be written.
func (f caseForm) Required() bool { return f.Kind != affiliate.PayoutRequest }

// askOf returns the empty forms for questions of a kind: one, or none when nobody can ask.
func (v *visit) askOf(k affiliate.CaseKind, sale string) []caseForm {
	if !v.asks() {
		return nil
	}
	return []caseForm{{Kind: k, Sale: sale, Nonce: page.Nonce()}}
}

// Claim is the form for an order that is missing, and Question the one about a sale.
func (v *view) Claim() []caseForm { return v.askOf(affiliate.SaleClaim, "") }
func (v *view) Question(id affiliate.SaleID) []caseForm {
	return v.askOf(affiliate.SaleQuestion, strconv.FormatInt(int64(id), 10))
}

// Asking says what a form is for.
func (v *view) Asking(k affiliate.CaseKind) string {
	switch k {
	case affiliate.SaleClaim:
		return v.T("An order of mine is missing")
	case affiliate.SaleQuestion:
		return v.T("Ask about this sale")
	}
	return v.T("Ask to be paid now")
}

// Subject says what a case is about.
func (v *view) Subject(c partner.Case) string {
	switch c.Kind {
	case affiliate.SaleClaim:
		return v.T("Missing order %s", v.Short(c.ExternalID.Or("")))
	case affiliate.SaleQuestion:
		return v.T("Sale %s", strconv.FormatInt(int64(c.SaleID.Or(0)), 10))
	}
	return v.T("To be paid now")
}

// A caseList is the page of the cases.
type caseList struct {
	Again []caseForm // one that was refused
	Cases []partner.Case
}

// cases lists what the affiliate has asked.
func cases(v *visit) (view, error) { return v.caseList() }

func (v *visit) caseList(again ...caseForm) (view, error) {
	list, err := v.partner().Cases(v.Ctx(), v.Page(shownCases))
	return view{title: v.T("Questions"), template: "cases", next: list.Next,
		Data: &caseList{again, list.Items}}, err
}

// typedCase returns what was typed into a form.
func (v *visit) typedCase() caseForm {
	typed := func(name string) string {
		return strings.TrimSpace(strings.ReplaceAll(v.R.PostForm.Get(name), "\r\n", "\n"))
	}
	return caseForm{Kind: affiliate.CaseKind(typed(fieldKind)), Sale: typed(fieldSale),
		Order: typed(fieldOrder), Text: typed(fieldText), Nonce: page.Nonce()}
}

// casesAgain shows what was typed into a form that is too old.
func casesAgain(v *visit) {
	f := v.typedCase()
	f.Problem = v.T(tooOld)
	shown, err := v.caseList(f)
	if err != nil {
		v.fail(err)
		return
	}
	v.render(http.StatusConflict, shown)
}

// ask opens a case, once for a form.
func ask(v *visit) {
	f, nonce := v.typedCase(), v.R.PostForm.Get(fieldNonce)
	if !page.IsNonce(nonce) {
		v.stale()
		return
	}
	err := v.askFor(f, affiliate.Once{Key: "portal-case-" + v.affiliate.String() + "-" + nonce})
	v.audit("case-open", err)
	if err == nil {
		v.done(casesPath)
		return
	}
	v.again(err, func(why *affiliate.Error) (view, error) {
		f.Problem, f.Wrong = v.whyNotAsked(why), why.Field
		return v.caseList(f)
	})
}

// askFor opens the case of a form. Nobody asks to be paid nothing.
func (v *visit) askFor(f caseForm, once affiliate.Once) error {
	if f.Kind == affiliate.PayoutRequest {
		b, err := v.partner().Balance(v.Ctx())
		if err != nil {
			return err
		}
		if b.Payable.Sign() <= 0 {
			once.Refused = &affiliate.Error{Kind: affiliate.KindConflict, Reason: affiliate.NothingPayable,
				Message: v.T("Nothing is due to you now.")}
		}
	}
	in := affiliate.CaseParams{Kind: f.Kind, ExternalID: f.Order, Text: f.Text}
	if n, err := strconv.ParseInt(f.Sale, 10, 64); err == nil {
		in.SaleID = affiliate.SaleID(n)
	}
	_, err := v.program.Keyed(once).Partner(v.affiliate).OpenCase(v.Ctx(), in)
	return err
}

// whyNotAsked says why a question was refused.
func (v *visit) whyNotAsked(why *affiliate.Error) string {
	switch why.Reason {
	case affiliate.CaseIsOpen:
		return v.T("You have asked this already. It waits for an answer.")
	case affiliate.CaseLimitReached:
		return v.T("20 of your questions wait for an answer. Ask again when some were answered.")
	case affiliate.MissingField:
		return v.T("Write what you want to know.")
	}
	return v.Said(why, map[string]string{fieldOrder: v.T("Number of the order"),
		fieldText: v.T("What you want to say")}[why.Field])
}
