package portal

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// The payout details of an affiliate: a form, and a page that asks for confirmation,
// because a thief of the session would change where the money goes.

// The fields of the forms. A form includes the value that each field had when it was
// made, and the confirmation includes the details that it is about: so an outdated page
// writes nothing that the affiliate did not change.
const (
	fieldToken  = "token"
	fieldNonce  = "nonce"
	fieldEmail  = "payoutEmail"
	fieldMethod = "paymentMethod"
	fieldSeen   = "seen"
	wasPrefix   = "was-"
)

// A detailSheet is the form, or the page that asks for confirmation.
type detailSheet struct {
	Email, Method       string
	WasEmail, WasMethod string // when the form was made
	Methods             []affiliate.PaymentMethod
	Nonce, Seen         string
	Problem             string
	Wrong               string // the field that the problem is about
	OldEmail            string // masked
	OldMethod           string
}

// payoutDetails shows the form.
func payoutDetails(v *visit) (view, error) {
	email, method := v.detailsNow()
	return v.detailForm(&detailSheet{Email: email, Method: method}), nil
}

// detailsNow returns how the affiliate is paid.
func (v *visit) detailsNow() (email, method string) {
	return v.profile.PayoutEmail.Or(""), string(v.profile.PaymentMethod.Or(""))
}

func (v *visit) detailForm(d *detailSheet) view {
	d.Methods = page.PaymentMethods
	d.WasEmail, d.WasMethod = v.detailsNow()
	return view{title: v.T("Payout details"), template: "details", Data: d}
}

// sent returns what the form has sent.
func (v *visit) sent() *detailSheet {
	return &detailSheet{Email: strings.TrimSpace(v.R.PostForm.Get(fieldEmail)), Method: v.R.PostForm.Get(fieldMethod)}
}

// detailsAgain shows what was typed into a form that is too old.
func detailsAgain(v *visit) {
	d := v.sent()
	d.Problem = v.T(tooOld)
	v.render(http.StatusConflict, v.detailForm(d))
}

// confirmDetails asks for confirmation, with the old details and the new ones. A field
// that the affiliate left alone keeps its present value. A field that somebody else
// changed meanwhile is part of the question.
func confirmDetails(v *visit) {
	d := v.sent()
	email, method := v.detailsNow()
	for _, f := range []struct {
		name, now, shown string
		sent             *string
	}{{fieldEmail, email, v.masked(email), &d.Email},
		{fieldMethod, method, v.Words(method), &d.Method}} {
		switch was := v.R.PostForm.Get(wasPrefix + f.name); {
		case *f.sent == was:
			*f.sent = f.now
		case f.now != was && f.now != *f.sent && d.Problem == "":
			d.Problem, d.Wrong = v.T("This was changed meanwhile, to %s. Go on to write what stands here.",
				cmp.Or(f.shown, v.T("nothing"))), f.name
		}
	}
	if d.Problem != "" {
		v.render(http.StatusConflict, v.detailForm(d))
		return
	}
	v.confirm(http.StatusOK, d)
}

// confirm shows the page that asks for confirmation.
func (v *visit) confirm(status int, d *detailSheet) {
	email, method := v.detailsNow()
	d.Nonce, d.Seen, d.OldMethod, d.OldEmail = page.Nonce(), page.Digest(email, method),
		v.Words(method), v.masked(email)
	v.render(status, view{title: v.T("Is this right?"), template: "confirm", Data: d})
}

// masked returns an email as who has taken a visit over may see it.
func (v *visit) masked(email string) string {
	if email == "" {
		return ""
	}
	return affiliate.MaskEmail(email, v.affiliate)
}

// outOfDate is the reason for asking again on an outdated page.
const outOfDate affiliate.Reason = "page_out_of_date"

// saveDetails saves the details, once for a form. The idempotency key contains the
// affiliate, so that nobody can use the keys of others.
func saveDetails(v *visit) {
	d, nonce := v.sent(), v.R.PostForm.Get(fieldNonce)
	if !page.IsNonce(nonce) {
		v.stale()
		return
	}
	once := affiliate.Once{Key: "portal-" + v.affiliate.String() + "-" + nonce}
	if v.R.PostForm.Get(fieldSeen) != page.Digest(v.detailsNow()) {
		once.Refused = &affiliate.Error{Kind: affiliate.KindConflict, Reason: outOfDate,
			Message: v.T("Your details have changed meanwhile. Look at them again.")}
	}
	_, err := v.program.Keyed(once).Partner(v.affiliate).SetPayoutDetails(v.Ctx(),
		affiliate.PayoutDetails{Email: d.Email, Method: affiliate.PaymentMethod(d.Method)})
	v.audit("payout-details", err)
	why, refused := page.Refusal(err)
	switch {
	case err == nil:
		v.done("payout-details")
	case refused && why.Reason == outOfDate:
		d.Problem = why.Message
		v.confirm(http.StatusConflict, d)
	case refused:
		d.Problem, d.Wrong = v.Said(why,
			map[string]string{fieldEmail: v.T("Email to which you are paid"),
				fieldMethod: v.T("How")}[why.Field]), why.Field
		v.render(why.Kind.Status(), v.detailForm(d))
	default:
		v.fail(err)
	}
}
