package app

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	netmail "net/mail"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/httpapi/internal/ticket"
	"github.com/tributary-go/tributary/mail"
)

// MailKind is the kind of the values in which the server keeps how far its mails are: see
// [tributary.Program.Values].
const MailKind = "server-mail"

// The variables of the environment that say who is mailed what.
const (
	operatorVariable = "TRIBUTARY_MAIL_OPERATOR"
	offVariable      = "TRIBUTARY_MAIL_OFF"
)

// Secure gives the configuration of a program in a store that lasts the keys of the environment, as
// the server does: a command then reads what the server has sealed.
func Secure(cfg *tributary.Config, getenv func(string) string) error {
	return secure(cfg, getenv, slog.New(slog.DiscardHandler))
}

// mailsOf reads who is mailed what.
func mailsOf(getenv func(string) string) (operators []string, off []mail.Kind, err error) {
	if text := getenv(operatorVariable); text != "" {
		all, err := netmail.ParseAddressList(text)
		if err != nil {
			return nil, nil, errors.New(operatorVariable + " must have emails, with commas between them")
		}
		for _, one := range all {
			operators = append(operators, one.Address)
		}
	}
	for name := range strings.FieldsFuncSeq(getenv(offVariable),
		func(r rune) bool { return r == ',' || r == ' ' }) {
		kind := mail.Kind(name)
		always := []mail.Kind{mail.SignIn, mail.EmailOld, mail.EmailNew}
		if slices.Contains(always, kind) || !slices.Contains(mail.Kinds(), kind) {
			return nil, nil, fmt.Errorf("%s: %q is no mail that can be off", offVariable, name)
		}
		off = append(off, kind)
	}
	return operators, off, nil
}

const stopMailPath = "/mail/stop"

// newPost makes what mails the events of a program, and the endpoint that stops mails. Links in
// mails last, so that there is one only if the key does, and browsers reach it over https.
func newPost(ctx context.Context, p *tributary.Program, set settings, key []byte,
	logger *slog.Logger) (*mail.Post, []Endpoint, error) {
	post := &mail.Post{Program: p, Values: p.Values(MailKind), Mailer: set.mailer, Texts: set.texts,
		Pages:   set.url + partnerPath,
		Console: set.url + consolePath, Operators: set.operators, Off: set.off,
		Logger: logger}
	if err := post.Begin(ctx); err != nil {
		return nil, nil, err
	}
	if !sealed(set) || !strings.HasPrefix(set.url, "https://") {
		return post, nil, nil
	}
	links, err := ticket.New(ticket.Stop, key)
	if err != nil {
		return nil, nil, err
	}
	post.Stop = func(of uuid.UUID) string {
		token := links.Seal(ticket.Ticket{Program: p.Config().ID, Affiliate: of,
			Expires: set.now().Add(stopTime)})
		return set.url + stopMailPath + "?" + url.Values{"token": {token}}.Encode()
	}
	return post, []Endpoint{{Path: stopMailPath, Handler: stopPage{post, links, set.now}}}, nil
}

// stopTime is how long a link that stops mails is valid.
const stopTime = 5 * 365 * 24 * time.Hour

// A stopPage stops the mails to an affiliate that are not necessary: by a button, and by the POST of a
// mail program, which comes without cookies from anywhere. The link alone says who may.
type stopPage struct {
	post  *mail.Post
	links ticket.Sealer
	now   func() time.Time
}

var stopTemplate = template.Must(template.New("stop").Parse(`<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Mails</title><h1>Mails</h1><p>{{.}}</p>
{{if not .}}<p>You still hear of your payouts.</p><form method="post"><button>No more mails about sales and statements</button></form>{{end}}</html>
`))

func (s stopPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	opened, ok := s.links.Open(r.URL.Query().Get("token"), s.post.Program.Config().ID, s.now())
	status, says := http.StatusOK, ""
	switch {
	case !ok:
		status, says = http.StatusForbidden, "This link is not valid any more."
	case r.Method == http.MethodPost:
		says = "You get no more mails about sales and statements."
		if err := s.post.StopMails(r.Context(), opened.Affiliate); err != nil {
			s.post.Logger.ErrorContext(r.Context(), "stop mails", "error", err)
			status, says = http.StatusInternalServerError, "Something went wrong. Nothing was changed."
		}
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD, POST")
		status, says = http.StatusMethodNotAllowed, "This page does not take such requests."
	}
	protect(w.Header())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = stopTemplate.Execute(w, says) // fails only when the client has gone
}
