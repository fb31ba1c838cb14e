package portal

import (
	"net/http"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// How an affiliate is paid: a form, and a page that asks again, because who has
// stolen a visit would change where the money goes.

// The fields of the forms.
const (
	fieldToken  = "token"
	fieldNonce  = "nonce"
	fieldEmail  = "payoutEmail"
	fieldMethod = "paymentMethod"
)

// A detailSheet is the form, or the page that asks again.
type detailSheet struct {
	Email, Method string
	Methods       []affiliate.PaymentMethod
	Nonce         string
	Problem       string
	Wrong         string // the field that the problem is about
	OldEmail      string // masked
	OldMethod     string
}

// payoutDetails shows the form.
func payoutDetails(v *visit) (view, error) {
	return v.detailForm(&detailSheet{Email: v.profile.PayoutEmail.Or(""), Method: string(v.profile.PaymentMethod.Or(""))}), nil
}

func (v *visit) detailForm(d *detailSheet) view {
	d.Methods = page.PaymentMethods
	return view{title: "Payout details", template: "details", Data: d}
}

// sent is what the form has sent.
func (v *visit) sent() *detailSheet {
	return &detailSheet{Email: strings.TrimSpace(v.r.PostForm.Get(fieldEmail)), Method: v.r.PostForm.Get(fieldMethod)}
}

// confirmDetails asks again, with the old details and the new ones.
func confirmDetails(v *visit) {
	d := v.sent()
	d.Nonce, d.OldMethod = page.Nonce(), page.Words(v.profile.PaymentMethod.Or(""))
	if old, ok := v.profile.PayoutEmail.Get(); ok {
		d.OldEmail = affiliate.MaskEmail(old, v.affiliate)
	}
	v.render(http.StatusOK, view{title: "Is this right?", template: "confirm", Data: d})
}

// saveDetails saves the details, once for a form. The key has the affiliate, so
// that nobody takes the keys of others.
func saveDetails(v *visit) {
	d, nonce := v.sent(), v.r.PostForm.Get(fieldNonce)
	if !page.IsNonce(nonce) {
		v.stale()
		return
	}
	once := affiliate.Once{Key: "portal-" + v.affiliate.String() + "-" + nonce}
	_, err := v.program.Keyed(once).Partner(v.affiliate).SetPayoutDetails(v.ctx(), affiliate.PayoutDetails{Email: d.Email, Method: affiliate.PaymentMethod(d.Method)})
	v.audit("payout-details", err)
	why, refused := page.Refusal(err)
	switch {
	case err == nil:
		v.w.Header().Set("Location", v.root+"payout-details?done=payout-details")
		v.w.WriteHeader(http.StatusSeeOther)
	case refused:
		d.Problem, d.Wrong = why.Message, why.Field
		v.render(why.Kind.Status(), v.detailForm(d))
	default:
		v.fail(err)
	}
}
