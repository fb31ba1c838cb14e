package portal

import (
	"crypto/sha256"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/ticket"
	"github.com/tributary-go/tributary/internal/mailbox"
)

// An EmailChange is the change of an affiliate's email that [SignIn.Change] mails: each link to its
// address. Both have to be opened in the visit in which it was asked for, within an hour.
type EmailChange struct {
	Affiliate        uuid.UUID
	Old, New         string // nobody has proved that the new one is theirs
	OldLink, NewLink string
}

const (
	emailPath   = "email"
	confirmPath = "email/confirm"
	emailTime   = time.Hour
	oldSide     = "old"
	newSide     = "new"
)

// An emailSheet is the page of an affiliate's email: the form, the button of the link with a token, or
// what became of it.
type emailSheet struct {
	Email, Problem, Token string
	Half, Done            bool
}

// canChangeEmail reports whether the affiliate can change the email here. In a frame the links would
// open in another visit.
func (v *visit) canChangeEmail() bool {
	return v.cfg.SignIn != nil && v.cfg.SignIn.Change != nil && v.byVisit && !v.framed(v.R) &&
		v.profile.Status == affiliate.AffiliateActive
}

func (v *visit) emailView(d emailSheet) view {
	return view{title: v.T("Your email"), template: "email", Data: d}
}

func emailForm(v *visit) (view, error) { return v.emailView(emailSheet{}), nil }

// changeAt returns what a link says of its change: at which address it is confirmed, from and to which
// email, and in which visit.
func (v *visit) changeAt(side, to string) (id uuid.UUID) {
	sum := sha256.Sum256([]byte(strings.Join([]string{side, v.profile.Email, to,
		v.session.ID.String()}, "\x00")))
	copy(id[:], sum[:])
	return id
}

// askEmail has a link mailed to both addresses.
func askEmail(v *visit) {
	to, valid := mailbox.Canonical(v.R.PostForm.Get(fieldMail)) // what is mailed is what is stored
	if !valid || to == v.profile.Email {
		v.render(http.StatusBadRequest, v.emailView(emailSheet{Email: to,
			Problem: v.T("This is no email, or the one that you have.")}))
		return
	}
	is := ticket.Ticket{Program: v.program.Config().ID, Affiliate: v.affiliate,
		Expires: v.now().Add(emailTime), ID: uuid.New()}
	link := func(side string) string {
		is.Beside = v.changeAt(side, to)
		return v.cfg.SignIn.URL + confirmPath + "?" +
			url.Values{paramToken: {v.emails.Seal(is)}, fieldMail: {to}}.Encode()
	}
	if err := v.cfg.SignIn.Change(v.R, EmailChange{Affiliate: v.affiliate, Old: v.profile.Email, New: to,
		OldLink: link(oldSide), NewLink: link(newSide)}); err != nil {
		v.tooMany("change of email", err)
		return
	}
	v.audit("ask for another email", nil)
	v.done(emailPath)
}

// emailLink returns what the link of a request confirms; the empty side: nothing.
func (v *visit) emailLink() (is ticket.Ticket, side, other, to string) {
	q := v.R.URL.Query()
	to = q.Get(fieldMail)
	is, ok := v.emails.Open(q.Get(paramToken), v.program.Config().ID, v.now())
	switch {
	case !ok || is.Affiliate != v.affiliate:
	case is.Beside == v.changeAt(oldSide, to):
		return is, oldSide, newSide, to
	case is.Beside == v.changeAt(newSide, to):
		return is, newSide, oldSide, to
	}
	return is, "", "", to
}

// confirmForm shows the button of a link, so that what looks into mails confirms nothing.
func confirmForm(v *visit) (view, error) {
	if _, side, _, to := v.emailLink(); side != "" {
		return v.emailView(emailSheet{Email: to, Token: v.R.URL.Query().Get(paramToken)}), nil
	}
	return view{}, errNoChange
}

// errNoChange is the error of a link that confirms nothing, whatever the reason.
var errNoChange = &affiliate.Error{Kind: affiliate.KindForbidden, Reason: outOfDate,
	Message: "This link does not work here. It does for an hour, in the visit in which you asked for it."}

// confirmEmail confirms a change at one address, and makes it when it was confirmed at the other too.
func confirmEmail(v *visit) {
	is, side, other, to := v.emailLink()
	if side == "" {
		v.fail(errNoChange)
		return
	}
	name := func(side string) string { return "portal-email-" + side + "-" + is.ID.String() }
	_, err := v.partner().Spend(v.Ctx(), name(side))
	var both bool
	if err == nil {
		both, err = v.partner().Spent(v.Ctx(), name(other))
	}
	if err == nil && both {
		var first bool
		if first, err = v.partner().Spend(v.Ctx(), name("both")); err == nil && !first {
			err = errNoChange // somebody may have taken the change back since
		}
	}
	if err == nil && both {
		_, err = v.program.From(affiliate.SourceAffiliatePortal).By("affiliate:"+v.affiliate.String()).
			UpdateAffiliate(v.Ctx(), affiliate.AffiliateRef{ID: v.affiliate},
				affiliate.AffiliateUpdate{Email: affiliate.Set(to)})
		v.audit("email", err)
	}
	if err != nil {
		v.fail(err)
		return
	}
	v.render(http.StatusOK, v.emailView(emailSheet{Email: to, Half: !both, Done: both}))
}
