package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	netmail "net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	gomail "github.com/wneessen/go-mail"

	"github.com/tributary-go/tributary/httpapi/app"
	"github.com/tributary-go/tributary/mail"
)

// The variables of the environment that name the mail server, whom mails come from, and the folder of
// their texts, which app reads.
const (
	smtpVariable  = "TRIBUTARY_SMTP_URL"
	fromVariable  = "TRIBUTARY_MAIL_FROM"
	mailsVariable = "TRIBUTARY_MAILS"
)

// withoutSMTP says what does not work without a mail server.
const withoutSMTP = "mail: none is sent, so affiliates cannot sign in by a mailed link and hear of nothing: set " +
	smtpVariable + " and " + fromVariable

// smtpTime is the longest time for one answer of a mail server.
const smtpTime = 20 * time.Second

// An smtpMailer sends each mail over a connection of its own.
type smtpMailer struct {
	from   *netmail.Address
	client *gomail.Client
	said   string // where mails go, without the password
}

// mailer returns the mailer of the variables; nil: there is none. The options are those of tests.
// No error shows the URL: it has a password.
func (e environment) mailer(options ...gomail.Option) (*smtpMailer, error) {
	text, set := e[smtpVariable]
	from, named := e[fromVariable]
	switch {
	case !set && !named:
		return nil, nil
	case !set || !named:
		return nil, fmt.Errorf("%s and %s are set together", smtpVariable, fromVariable)
	}
	sender, err := netmail.ParseAddress(from)
	if err != nil {
		return nil, fmt.Errorf(`%s must be like "Beans <partners@beans.example>"`, fromVariable)
	}
	host, own, err := smtpServer(text)
	if err != nil {
		return nil, fmt.Errorf("%s %w", smtpVariable, err)
	}
	client, err := gomail.NewClient(host, append(append(own, gomail.WithTimeout(smtpTime)),
		options...)...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", smtpVariable, err)
	}
	return &smtpMailer{from: sender, client: client,
		said: "mail: sent by " + client.ServerAddr() + " from " + sender.String()}, nil
}

// smtpServer reads the URL of a mail server: smtp:// with STARTTLS, which a server on this machine
// need not have, or smtps:// with TLS from the start.
func smtpServer(text string) (host string, options []gomail.Option, err error) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" ||
		u.Fragment != "" {
		return "", nil, errors.New("must be like smtp://USER:PASSWORD@mail.example:587, with %XX for special characters")
	}
	host, port, auth := u.Hostname(), 587, gomail.SMTPAuthAutoDiscover
	switch {
	case u.Scheme == "smtps":
		port = 465
		options = append(options, gomail.WithSSL())
	case u.Scheme != "smtp":
		return "", nil, errors.New("must begin with smtp:// or smtps://")
	case onThisMachine(host):
		auth = gomail.SMTPAuthPlainNoEnc
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil {
			return "", nil, errors.New("has a port that is no number")
		}
	}
	options = append(options, gomail.WithPort(port))
	if password, both := u.User.Password(); u.User != nil {
		if !both || u.User.Username() == "" {
			return "", nil, errors.New("must have a user and a password, or neither")
		}
		options = append(options, gomail.WithSMTPAuth(auth), gomail.WithUsername(u.User.Username()),
			gomail.WithPassword(password))
	}
	return host, options, nil
}

// Send sends a mail. What fails after the mail server has taken it is no failure.
func (m *smtpMailer) Send(ctx context.Context, in mail.Mail) error {
	msg, err := m.message(in)
	if err != nil {
		return err
	}
	if err = m.client.DialAndSendWithContext(ctx, msg); err == nil || msg.IsDelivered() {
		return nil
	}
	failed, is := errors.AsType[*gomail.SendError](err)
	switch {
	case !is:
		return fmt.Errorf("the mail server %s: %w", m.client.ServerAddr(), err)
	case failed.ErrorCode() >= 500 && failed.Reason != gomail.ErrSMTPMailFrom:
		return fmt.Errorf("%w (%v: %d)", mail.ErrRefused, failed.Reason, failed.ErrorCode())
	}
	return fmt.Errorf("the mail server %s: %v: %d", m.client.ServerAddr(), failed.Reason,
		failed.ErrorCode())
}

// message returns what is sent.
func (m *smtpMailer) message(in mail.Mail) (*gomail.Msg, error) {
	to, err := netmail.ParseAddress(in.To)
	if err != nil || to.Address != in.To {
		return nil, fmt.Errorf("%w: it is addressed to no email", mail.ErrRefused)
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(m.from)
	msg.ToMailAddress(to)
	msg.Subject(in.Subject)
	msg.SetMessageIDWithValue(in.ID + m.from.Address[strings.LastIndexByte(m.from.Address, '@'):])
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	if in.Unsubscribe != "" {
		if err := msg.SetListUnsubscribeOneClick(in.Unsubscribe); err != nil {
			return nil, fmt.Errorf("%w: its link to unsubscribe is not https", mail.ErrRefused)
		}
	}
	msg.SetBodyString(gomail.TypeTextPlain, in.Text)
	if in.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, in.HTML)
	}
	return msg, nil
}

// mailUsage is the text of "mail -h" before the flags.
const mailUsage = `Sends a mail, to see that the mail server of ` + smtpVariable + `
	takes it: server mail ADDRESS
Shows a mail with an example of what it says, or sends that: server mail -preview KIND [flags] [ADDRESS]
`

// runMail runs the command mail and returns the exit code.
func runMail(ctx context.Context, args []string, env environment, stdout, stderr io.Writer) int {
	flags := newFlags("mail", mailUsage, stderr)
	kind := flags.String("preview", "", "the mail of this `kind`, such as declined, or of each: all")
	language := flags.String("language", "", "with -preview: the `name` of the folder of a language")
	texts := flags.String("mails", env[mailsVariable],
		"with -preview: `folder` of texts (default: the variable "+mailsVariable+")")
	code, goes := parsed(flags, args, -1, "")
	switch {
	case !goes:
		return code
	case flags.NArg() > 1 || flags.NArg() == 0 && *kind == "":
		fmt.Fprintln(stderr, "mail: it takes an email address, or -preview")
		return 2
	}
	all := []mail.Mail{{Subject: "The mail server works",
		Text: "This mail was sent by the command mail.\n",
		HTML: "<p>This mail was sent by the command mail.</p>\n"}}
	var err error
	if *kind != "" {
		all, err = previews(mail.Kind(*kind), *language, *texts)
	} else {
		err = without(flags, "-preview", "language", "mails")
	}
	switch {
	case err != nil:
	case flags.NArg() == 0:
		for _, m := range all {
			fmt.Fprintf(stdout, "Subject: %s\n\n%s\n%s\n", m.Subject, m.Text, m.HTML)
		}
	default:
		err = sendAll(ctx, env, all, flags.Arg(0), stdout)
	}
	return ended(flags, err)
}

// previews returns the mail of a kind, or of each, as it goes out in a language.
func previews(kind mail.Kind, language, dir string) (all []mail.Mail, err error) {
	texts, err := mail.ReadTexts(dir)
	if err != nil {
		return nil, err
	}
	in := texts.In(language)
	if language != "" && !texts.Has(language) {
		return nil, fmt.Errorf("-language: no texts of %q are in %q", language, dir)
	}
	kinds := []mail.Kind{kind}
	if kind == "all" {
		kinds = mail.Kinds()
	} else if !slices.Contains(mail.Kinds(), kind) {
		return nil, fmt.Errorf("-preview: %q is none of all, %q", kind, mail.Kinds())
	}
	for _, kind := range kinds {
		m, err := in.Preview(kind)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// sendAll sends mails to an address, and says by which server.
func sendAll(ctx context.Context, env environment, all []mail.Mail, to string, stdout io.Writer) error {
	sender, err := env.mailer()
	if err == nil && sender == nil {
		err = errors.New(withoutSMTP)
	}
	for _, m := range all {
		if m.ID, m.To = uuid.NewString(), to; err == nil {
			err = sender.Send(ctx, m)
		}
	}
	if err == nil {
		fmt.Fprintln(stdout, sender.said)
	}
	return err
}

// unsentUsage is the text of "unsent -h" before the flags.
const unsentUsage = `Lists the mails that the mail server has not taken, a line each: server unsent [flags]
Call it with the variables of the server,
	which may run. What could not be sent is listed for 30 days.

`

// runUnsent runs the command unsent and returns the exit code.
func runUnsent(ctx context.Context, args []string, env environment, stdout, stderr io.Writer) int {
	flags := newFlags("unsent", unsentUsage, stderr)
	where := choice{env: env}
	where.Flags(flags)
	if code, goes := parsed(flags, args, 0, "it takes flags only"); !goes {
		return code
	}
	at, err := where.place()
	if err == nil {
		err = unsent(ctx, at, env, stdout)
	}
	return ended(flags, err)
}

func unsent(ctx context.Context, at place, env environment, w io.Writer) error {
	program, done, err := env.program(ctx, at)
	if err != nil {
		return err
	}
	defer done()
	post := mail.Post{Values: program.Values(app.MailKind)}
	for letter, err := range post.Letters(ctx) {
		if err != nil {
			return err
		}
		next := "given up"
		if !letter.Next.IsZero() {
			next = "again at " + letter.Next.String()
		}
		fmt.Fprintf(w, "%s %s about %s: %d tries, %s: %s\n", letter.Since, letter.Kind, letter.About,
			letter.Tries, next, letter.Error)
	}
	return nil
}
