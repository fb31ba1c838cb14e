package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"html"
	"io"
	"math/big"
	"mime"
	"net"
	"net/http"
	"net/http/cookiejar"
	netmail "net/mail"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	gomail "github.com/wneessen/go-mail"

	"github.com/tributary-go/tributary/mail"
)

// A postbox is a mail server that keeps what it takes.
type postbox struct {
	address string
	said    func(to string) error // what it answers to a recipient; nil: it takes all
	taken   chan letter
	user    string // that has to sign in with the password; empty: nobody has to
	secured bool   // it takes a recipient over TLS only
	hangsUp bool   // once it has taken a mail

	mu    sync.Mutex
	users []string // who signed in, with the password
}

// A letter is a mail as it arrives.
type letter struct {
	to, raw string
	*netmail.Message
}

// text returns the whole letter, decoded.
func (l letter) text(t *testing.T) string {
	t.Helper()
	subject, err := new(mime.WordDecoder).DecodeHeader(l.Header.Get("Subject"))
	if err != nil {
		t.Fatal(err)
	}
	body := strings.NewReplacer("=\r\n", "", "=3D", "=", "=20", " ").Replace(l.raw)
	return "Subject: " + subject + "\n" + body
}

const smtpPassword = "pass/word of smtp"

// newPostbox starts a mail server on this machine. With a certificate it has STARTTLS, and with
// implicit TLS from the start.
func newPostbox(t *testing.T, cert *tls.Certificate, implicit bool) *postbox {
	t.Helper()
	p := &postbox{taken: make(chan letter, 100)}
	server := smtp.NewServer(p)
	server.Domain, server.AllowInsecureAuth, server.ReadTimeout, server.WriteTimeout = "localhost", true, time.Minute, time.Minute
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if p.address = listener.Addr().String(); cert != nil {
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*cert}}
	}
	if implicit {
		listener = tls.NewListener(listener, server.TLSConfig)
	}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return p
}

// env returns the variables of a server that sends by the postbox.
func (p *postbox) env() environment {
	return environment{smtpVariable: "smtp://" + p.address, fromVariable: `"Beans" <partners@beans.example>`}
}

// next returns the next letter.
func (p *postbox) next(t *testing.T) letter {
	t.Helper()
	select {
	case l := <-p.taken:
		return l
	case <-time.After(20 * time.Second):
		t.Fatal("no mail came")
		return letter{}
	}
}

// none fails when there is a letter.
func (p *postbox) none(t *testing.T) {
	t.Helper()
	select {
	case l := <-p.taken:
		t.Errorf("a mail to %s came:\n%s", l.to, l.raw)
	default:
	}
}

func (p *postbox) NewSession(c *smtp.Conn) (smtp.Session, error) {
	return &smtpSession{postbox: p, conn: c}, nil
}

type smtpSession struct {
	*postbox
	conn   *smtp.Conn
	signed bool
	to     string
}

func (s *smtpSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *smtpSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.users = append(s.users, user+" "+password)
		if s.signed = user == s.user && password == smtpPassword; !s.signed {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}

func (s *smtpSession) Mail(string, *smtp.MailOptions) error {
	if s.user != "" && !s.signed {
		return smtp.ErrAuthRequired
	}
	return nil
}

func (s *smtpSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	if _, is := s.conn.TLSConnectionState(); s.secured && !is {
		return errors.New("not over TLS")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.to = to; s.said != nil {
		return s.said(to)
	}
	return nil
}

// refuse changes what the mail server answers to a recipient.
func (p *postbox) refuse(said func(to string) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.said = said
}

func (s *smtpSession) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	m, err := netmail.ReadMessage(strings.NewReader(string(raw)))
	if err != nil {
		return err
	}
	s.taken <- letter{s.to, string(raw), m}
	return nil
}

func (s *smtpSession) Reset() {
	if s.hangsUp && len(s.taken) > 0 {
		s.conn.Conn().Close()
	}
}

func (s *smtpSession) Logout() error { return nil }

// certificate makes one for a host, and the pool that trusts it.
func certificate(t *testing.T, host string) (*tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{host}, IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.ParseIP("127.0.0.1")}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	raw, err := x509.CreateCertificate(rand.Reader, of, of, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return &tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}, pool
}

var hello = mail.Mail{ID: "evt_1", To: "ada@example.com", Subject: "Hello", Text: "Hello, Ada\n", HTML: "<p>Hello, <b>Ada</b></p>"}

// TestSMTP: a mail arrives whole, over TLS and with the password when the server is not this
// machine, and over no connection that lacks one of them.
func TestSMTP(t *testing.T) {
	const host = "mail.beans.example"
	cert, pool := certificate(t, host)
	_, foreign := certificate(t, host)
	for name, row := range map[string]struct {
		url      func(address string) string
		cert     *tls.Certificate
		implicit bool
		pool     *x509.CertPool
		user     string
		fails    string
	}{
		"plain, on this machine":      {url: func(at string) string { return "smtp://" + at }},
		"a password, on this machine": {url: func(at string) string { return "smtp://ada:pass%2Fword%20of%20smtp@" + at }, user: "ada"},
		"STARTTLS":                    {url: func(string) string { return "smtp://ada%40beans.example:pass%2Fword%20of%20smtp@" + host }, cert: cert, pool: pool, user: "ada@beans.example"},
		"TLS from the start":          {url: func(at string) string { return "smtps://" + at }, cert: cert, implicit: true, pool: pool},
		"no STARTTLS":                 {url: func(string) string { return "smtp://ada:pass%2Fword%20of%20smtp@" + host }, user: "ada", fails: "STARTTLS"},
		"a foreign certificate":       {url: func(string) string { return "smtp://ada:pass%2Fword%20of%20smtp@" + host }, cert: cert, pool: foreign, fails: "certificate"},
		"a wrong password":            {url: func(at string) string { return "smtp://ada:wrong@" + at }, user: "ada", fails: "535"},
	} {
		t.Run(name, func(t *testing.T) {
			box := newPostbox(t, row.cert, row.implicit)
			box.user, box.secured = row.user, row.cert != nil
			env := box.env()
			env[smtpVariable] = row.url(box.address)
			options := []gomail.Option{gomail.WithTLSConfig(&tls.Config{RootCAs: row.pool, ServerName: host})}
			if !row.implicit {
				options = append(options, gomail.WithDialContextFunc(func(ctx context.Context, network, _ string) (net.Conn, error) {
					return new(net.Dialer).DialContext(ctx, network, box.address)
				}))
			}
			m, err := env.mailer(options...)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(m.said, "pass") {
				t.Errorf("it says %q", m.said)
			}
			err = m.Send(t.Context(), hello)
			if row.fails != "" {
				if err == nil || !strings.Contains(err.Error(), row.fails) || strings.Contains(err.Error(), "of smtp") || errors.Is(err, mail.ErrRefused) {
					t.Errorf("error %v", err)
				}
				box.none(t)
				if box.users != nil && row.user == "" {
					t.Errorf("the password was sent: %q", box.users)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := box.next(t)
			box.none(t)
			for header, want := range map[string]string{"From": `"Beans" <partners@beans.example>`, "To": "<ada@example.com>", "Subject": "Hello",
				"Message-Id": "<evt_1@beans.example>", "Auto-Submitted": "auto-generated", "List-Unsubscribe": ""} {
				if got.Header.Get(header) != want {
					t.Errorf("%s: %q, want %q", header, got.Header.Get(header), want)
				}
			}
			if text := got.text(t); !strings.Contains(text, "Hello, Ada\r\n") || !strings.Contains(text, "<p>Hello, <b>Ada</b></p>") ||
				!strings.HasPrefix(got.Header.Get("Content-Type"), "multipart/alternative") {
				t.Errorf("got\n%s", text)
			}
		})
	}
}

// TestMailIsRefused: what the server will never take is told from what it may take later, and no
// error names the recipient.
func TestMailIsRefused(t *testing.T) {
	box := newPostbox(t, nil, false)
	box.said = func(to string) error {
		code := 550
		if strings.HasPrefix(to, "later") {
			code = 450
		}
		return &smtp.SMTPError{Code: code, Message: "no " + to}
	}
	m, err := box.env().mailer()
	if err != nil {
		t.Fatal(err)
	}
	for to, forGood := range map[string]bool{"gone@example.com": true, "later@example.com": false} {
		in := hello
		in.To = to
		err := m.Send(t.Context(), in)
		if err == nil || errors.Is(err, mail.ErrRefused) != forGood || strings.Contains(err.Error(), "example.com") {
			t.Errorf("%q: error %v", to, err)
		}
	}
	box.user = "ada"
	if err := m.Send(t.Context(), hello); err == nil || errors.Is(err, mail.ErrRefused) {
		t.Errorf("the sender is refused, which is no fault of the mail: error %v", err)
	}
	box.said, box.user = nil, ""
	in := hello
	for _, in.To = range []string{"", "ada", "a@example.com, b@example.com", "A <a@example.com>", "a@example.com\r\nBcc: b@example.com"} {
		if err := m.Send(t.Context(), in); !errors.Is(err, mail.ErrRefused) || strings.Contains(err.Error(), "example.com") {
			t.Errorf("%q: error %v", in.To, err)
		}
	}
	box.none(t)
	in = hello
	in.Unsubscribe = "http://partners.beans.example/"
	if err := m.Send(t.Context(), in); !errors.Is(err, mail.ErrRefused) {
		t.Errorf("no https: error %v", err)
	}
	in.Unsubscribe = "https://partners.beans.example/partner/unsubscribe?token=1"
	in.Subject = "one\r\nBcc: eve@example.com"
	if err := m.Send(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	got := box.next(t)
	if got.Header.Get("List-Unsubscribe") != "<"+in.Unsubscribe+">" || got.Header.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" ||
		got.Header.Get("Bcc") != "" || got.to != "ada@example.com" {
		t.Errorf("got %v", got.Header)
	}
	box.none(t)
	box.hangsUp = true
	if err := m.Send(t.Context(), hello); err != nil {
		t.Errorf("it hangs up when it has the mail: error %v", err)
	}
	box.next(t)
}

// TestMailVariables: variables with which no mail could be sent end the start before a file is
// made, and the doctor says so, without the password.
func TestMailVariables(t *testing.T) {
	t.Chdir(t.TempDir())
	const from = "partners@beans.example"
	for name, row := range map[string]struct {
		env  environment
		want string
	}{
		"no sender":         {environment{smtpVariable: "smtp://mail.beans.example"}, "set together"},
		"a sender alone":    {environment{fromVariable: from}, "set together"},
		"no URL":            {environment{smtpVariable: "", fromVariable: from}, "must be like smtp://USER"},
		"no email":          {environment{smtpVariable: "smtp://mail.beans.example", fromVariable: "Beans"}, "must be like \"Beans"},
		"http":              {environment{smtpVariable: "http://u:pa55@mail.beans.example", fromVariable: from}, "must begin with smtp:// or smtps://"},
		"no host":           {environment{smtpVariable: "smtp://u:pa55@", fromVariable: from}, "must be like smtp://USER"},
		"a path":            {environment{smtpVariable: "smtp://u:pa55@mail.beans.example/x", fromVariable: from}, "must be like smtp://USER"},
		"an option":         {environment{smtpVariable: "smtp://u:pa55@mail.beans.example?tls=no", fromVariable: from}, "must be like smtp://USER"},
		"a slash unescaped": {environment{smtpVariable: "smtp://u:pa55/x@mail.beans.example", fromVariable: from}, "must be like smtp://USER"},
		"no password":       {environment{smtpVariable: "smtp://u@mail.beans.example", fromVariable: from}, "a user and a password"},
		"port 0":            {environment{smtpVariable: "smtp://u:pa55@mail.beans.example:0", fromVariable: from}, "port"},
	} {
		t.Run(name, func(t *testing.T) {
			out := new(transcript)
			code := run(t.Context(), []string{"-addr", "127.0.0.1:0", "-key", testKey, "-file", "none.db"}, row.env, out, out)
			f := (&doctor{choice: choice{env: row.env}}).mails().todo
			if text := out.String(); code != 1 || !strings.Contains(text, row.want) || strings.Contains(text, "pa55") || exists("none.db") {
				t.Errorf("exit code %d:\n%s", code, text)
			}
			if !strings.Contains(f, row.want) || strings.Contains(f, "pa55") {
				t.Errorf("the doctor says %q", f)
			}
		})
	}
}

// TestMailIsSaid: a server says at its start where mails go, or what does not work without SMTP.
func TestMailIsSaid(t *testing.T) {
	t.Chdir(t.TempDir())
	box := newPostbox(t, nil, false)
	for want, env := range map[string]environment{"mail: none is sent, so affiliates cannot sign in by a mailed link": nothing,
		"mail: sent by " + box.address + " from \"Beans\" <partners@beans.example>\n": box.env()} {
		s := launchIn(t, env)
		s.stop()
		if said := s.said.String(); strings.Count(said, "mail: ") != 1+len(env)/2 || !strings.Contains(said, want) {
			t.Errorf("it says\n%s", said)
		}
	}
}

// TestMailCommand: the command sends one mail, and says why it cannot.
func TestMailCommand(t *testing.T) {
	box := newPostbox(t, nil, false)
	out := new(transcript)
	if code := run(t.Context(), []string{"mail", "you@shop.example"}, box.env(), out, out); code != 0 || box.next(t).to != "you@shop.example" {
		t.Errorf("exit code %d: %s", code, out)
	}
	for _, args := range [][]string{{"mail"}, {"mail", "a@example.com", "b@example.com"}, {"mail", "-preview", "all", "a@example.com", "b@example.com"}} {
		if code := run(t.Context(), args, box.env(), io.Discard, io.Discard); code != 2 {
			t.Errorf("%v: exit code %d", args, code)
		}
	}
	out = new(transcript)
	if code := run(t.Context(), []string{"mail", "you@shop.example"}, nothing, out, out); code != 1 || !strings.Contains(out.String(), smtpVariable) {
		t.Errorf("exit code %d: %s", code, out)
	}
	if f := (&doctor{choice: choice{env: nothing}}).mails(); !strings.Contains(f.todo, smtpVariable) {
		t.Errorf("the doctor says %+v", f)
	}
	if f := (&doctor{choice: choice{env: box.env()}}).mails(); f.todo != "" || !strings.Contains(f.fine, box.address) {
		t.Errorf("the doctor says %+v", f)
	}
}

// TestMailPreview: the command shows the mail of a kind, or of each, with the texts of a folder and in a
// language, or sends it; what it cannot show it names.
func TestMailPreview(t *testing.T) {
	box, dir := newPostbox(t, nil, false), t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "de"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, "Subject: No thanks\n\nSorry, {{.Name}}: {{.Reason}}\n", filepath.Join(dir, "declined.txt"))
	write(t, "Subject: Leider nein\n\nHallo {{.Name}}\n", filepath.Join(dir, "de", "declined.txt"))
	env := box.env()
	env[mailsVariable] = dir
	shown := func(want int, args ...string) string {
		t.Helper()
		out := new(transcript)
		if code := run(t.Context(), append([]string{"mail"}, args...), env, out, out); code != want {
			t.Errorf("%v: exit code %d", args, code)
		}
		return out.String()
	}
	if got := shown(0, "-preview", "declined"); !strings.HasPrefix(got, "Subject: No thanks\n\nSorry, Ada Lovelace: no reason\n\n<!doctype html>") || strings.Count(got, "Subject: ") != 1 {
		t.Errorf("got\n%s", got)
	}
	if got := shown(1, "-language", "de", "ada@example.com"); !strings.Contains(got, "-language goes with -preview") {
		t.Errorf("a language of nothing: %s", got)
	}
	if got := shown(0, "-preview", "declined", "-language", "de-AT"); !strings.HasPrefix(got, "Subject: Leider nein\n\nHallo Ada Lovelace\n") {
		t.Errorf("got\n%s", got)
	}
	if got := shown(0, "-preview", "all", "-mails", ""); strings.Count(got, "Subject: ") != len(mail.Kinds()) || !strings.Contains(got, "your statement for February 2026") || strings.Contains(got, "No thanks") {
		t.Errorf("got\n%s", got)
	}
	box.none(t)
	shown(0, "-preview", "declined", "-language", "de", "you@shop.example")
	if l := box.next(t); l.to != "you@shop.example" || !strings.Contains(l.text(t), "Subject: Leider nein") || !strings.Contains(l.text(t), "Hallo Ada Lovelace") {
		t.Errorf("to %s:\n%s", l.to, l.text(t))
	}
	box.none(t)
	for want, args := range map[string][]string{`"declind" is none of all, ["sign-in"`: {"-preview", "declind"}, `no texts of "fr"`: {"-preview", "all", "-language", "fr"}, "no such file": {"-preview", "all", "-mails", filepath.Join(dir, "none")}} {
		if got := shown(1, args...); !strings.Contains(got, want) {
			t.Errorf("%v: %s", args, got)
		}
	}
	env = nothing
	if got := shown(1, "-preview", "all", "you@shop.example"); !strings.Contains(got, smtpVariable) {
		t.Errorf("got %s", got)
	}
}

// TestPartnerSignsIn: with a mail server and a public URL an affiliate signs in by a mailed link, and
// the visit goes on when the server starts again with the same seal key.
func TestPartnerSignsIn(t *testing.T) {
	t.Chdir(t.TempDir())
	box := newPostbox(t, nil, false)
	env := box.env()
	env["TRIBUTARY_PUBLIC_URL"], env["TRIBUTARY_SEAL_KEY"] = "https://partners.beans.example", strings.Repeat("0f", 32)
	env["TRIBUTARY_MAIL_OFF"] = "welcome"
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	submit := func(at string, form url.Values) string {
		t.Helper()
		page := answered(t)(client.Get(at))
		found := regexp.MustCompile(`(?s)<main.*name="token" value="([^"]*)"`).FindStringSubmatch(page)
		if found == nil {
			t.Fatalf("%s has no form:\n%s", at, page)
		}
		form.Set("token", html.UnescapeString(found[1]))
		return answered(t)(client.PostForm(at, form))
	}
	s := launchIn(t, env)
	s.ada()
	submit(s.url+"/partner/sign-in", url.Values{"email": {"ada@example.com"}})
	link := regexp.MustCompile(`https://partners\.beans\.example(/partner/open\?token=\S+)`).FindStringSubmatch(box.next(t).text(t))
	if link == nil {
		t.Fatal("the mail has no link")
	}
	if page := submit(s.url+link[1], url.Values{}); !strings.Contains(page, "Ada Lovelace") {
		t.Errorf("signed in:\n%s", page)
	}
	s.stop()
	again := launchIn(t, env)
	if page := answered(t)(client.Get(again.url + "/partner/")); !strings.Contains(page, "Ada Lovelace") {
		t.Errorf("after the server has started again:\n%s", page)
	}
	again.stop()
	env["TRIBUTARY_SEAL_KEY"] = strings.Repeat("1e", 32) + "," + strings.Repeat("0f", 32)
	other := launchIn(t, env)
	if page := answered(t)(client.Get(other.url + "/partner/")); strings.Contains(page, "Ada") || !strings.Contains(page, "Send me a link") {
		t.Errorf("with another newest seal key:\n%s", page)
	}
	other.stop()
}

// answered returns the body of an answer.
func answered(t *testing.T) func(*http.Response, error) string {
	return func(res *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
}

// TestMailsOfEvents: what happens is mailed, by the mail server and once, also when the server starts
// again, and from whatever process; what the mail server refuses is listed.
func TestMailsOfEvents(t *testing.T) {
	t.Chdir(t.TempDir())
	box := newPostbox(t, nil, false)
	env := box.env()
	env["TRIBUTARY_PUBLIC_URL"], env["TRIBUTARY_SEAL_KEY"] = "https://partners.beans.example", strings.Repeat("0f", 32)
	before := launch(t)
	before.call("POST", "/api/v1/affiliates", `{"firstName":"Old","lastName":"One","email":"old@example.com"}`)
	before.stop()
	s := launchIn(t, env)
	s.ada()
	if l := box.next(t); l.to != "ada@example.com" || !strings.Contains(l.text(t), "https://partners.beans.example/partner/") || !strings.HasPrefix(l.Header.Get("Message-Id"), "<welcome-") {
		t.Errorf("to %s:\n%s", l.to, l.text(t))
	}
	s.sell("o-1")
	l := box.next(t)
	if got := l.Header.Get("List-Unsubscribe"); !strings.HasPrefix(got, "<https://partners.beans.example/mail/stop?token=tu1.") || l.Header.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
		t.Errorf("got %q of\n%s", got, l.text(t))
	}
	s.stop()
	again := launchIn(t, env)
	again.call("POST", "/api/v1/affiliates", `{"firstName":"Bob","lastName":"\"<b>","email":"bob@example.com"}`)
	if l := box.next(t); l.to != "bob@example.com" || !strings.Contains(l.text(t), `Hello Bob "<b>,`) || !strings.Contains(l.text(t), "Hello Bob &#34;&lt;b&gt;,") {
		t.Errorf("to %s:\n%s", l.to, l.text(t))
	}
	box.refuse(func(string) error { return &smtp.SMTPError{Code: 550, Message: "no such mailbox"} })
	again.call("POST", "/api/v1/affiliates", `{"firstName":"Cleo","lastName":"L","email":"cleo@example.com"}`)
	again.said.wait(t, "a mail was not sent")
	again.stop()
	box.none(t)
	if said := again.said.String(); strings.Contains(said, "cleo") {
		t.Errorf("the log:\n%s", said)
	}
	out := new(transcript)
	if code := run(t.Context(), []string{"unsent"}, env, out, out); code != 0 || !strings.Contains(out.String(), " welcome about ") || !strings.Contains(out.String(), ": 1 tries, given up: the mail server refuses this mail for good") || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	if code := run(t.Context(), []string{"unsent"}, nothing, out, out); code != 1 {
		t.Errorf("without the seal key: exit code %d:\n%s", code, out)
	}
	if code := run(t.Context(), []string{"unsent", "-file", "none.db"}, env, out, out); code != 1 || exists("none.db") {
		t.Errorf("no program: exit code %d:\n%s", code, out)
	}
}
