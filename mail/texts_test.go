package mail_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/mail"
)

// folder returns a folder with one file.
func folder(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t *testing.T, dir string) *mail.Texts {
	t.Helper()
	texts, err := mail.ReadTexts(dir)
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// TestTextsWithstandNames: a name that people give breaks no subject, no line and no HTML.
func TestTextsWithstandNames(t *testing.T) {
	const name = "Ada\r\nBcc: eve@example.com\u2028\u202e\"'<script>alert(1)</script>"
	data := mail.Data{Program: name, Name: name, Link: "https://partners.beans.example/?token=\"><script>"}
	for _, kind := range mail.Kinds() {
		m, err := read(t, "").Write(kind, data)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(m.Subject, "\r\n\u2028\u202e") || !strings.Contains(m.Subject, "Ada Bcc: eve@example.com \"'<script>") {
			t.Errorf("%s: the subject is %q", kind, m.Subject)
		}
		if strings.Contains(m.Text, "\nBcc") || strings.ContainsAny(m.Text, "\r\u2028\u202e") || strings.HasPrefix(m.Text, "\n") {
			t.Errorf("%s: the text is %q", kind, m.Text)
		}
		if strings.Contains(m.HTML, "<script") || strings.Contains(m.HTML, "\"'&lt;") || !strings.Contains(m.HTML, "&lt;script&gt;") ||
			strings.Contains(m.HTML, "{{") || !strings.HasPrefix(m.HTML, "<!doctype html>") {
			t.Errorf("%s: the HTML is %q", kind, m.HTML)
		}
	}
}

// TestTextsOfTheHost: a file replaces the text of its name and no other.
func TestTextsOfTheHost(t *testing.T) {
	data := mail.Data{Program: "Beans", Link: "https://partners.beans.example/"}
	before, err := read(t, "").Write(mail.SignIn, data)
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(t, folder(t, "sign-in.txt", "Subject: Bei {{.Program}} anmelden\n\nHier: {{.Link}}\n")).Write(mail.SignIn, data)
	if want := (mail.Mail{Subject: "Bei Beans anmelden", Text: "Hier: https://partners.beans.example/\n", HTML: before.HTML}); err != nil || got != want {
		t.Errorf("got %+v, error %v", got, err)
	}
	got, err = read(t, folder(t, "layout.html", `{{define "head"}}<b>{{end}}{{define "button"}}{{end}}{{define "foot"}}</b>{{end}}`)).Write(mail.SignIn, data)
	if err != nil || !strings.HasPrefix(got.HTML, "<b><p>") || got.Text != before.Text {
		t.Errorf("got %+v, error %v", got, err)
	}
}

// TestBadTexts: a text with which a mail could not be written is told by the name of its file.
func TestBadTexts(t *testing.T) {
	for name, text := range map[string]string{
		"sign-in.txt": "Subject: {{.Programm}}\n", "sign-in.html": "{{.Program", "layout.html": `{{define "head"}}{{.None}}{{end}}`,
		"sing-in.txt": "Subject: x\n", "sign-in.txt~": "x", "notes": "x", "sign-in.html~": "x", "layout.html ": "x",
	} {
		_, err := mail.ReadTexts(folder(t, name, text))
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for _, text := range []string{"Hello\n", "\nSubject: x\n", "Subject: \nx", "Subject:x\n"} {
		if _, err := mail.ReadTexts(folder(t, "sign-in.txt", text)); err == nil || !strings.Contains(err.Error(), "sign-in.txt: its first line") {
			t.Errorf("%q: error %v", text, err)
		}
	}
	if _, err := mail.ReadTexts(folder(t, "sign-in.html", " \n")); err == nil || !strings.Contains(err.Error(), "sign-in.html: it is empty") {
		t.Errorf("error %v", err)
	}
	read(t, folder(t, ".DS_Store", "x"))
	if _, err := mail.ReadTexts(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a folder that is not there is taken")
	}
}

// TestTextsOfALanguage: a folder beside the texts of a host has those of a language, which replace what
// it has and nothing else, and somebody is mailed in the own language where there is one.
func TestTextsOfALanguage(t *testing.T) {
	dir := folder(t, "sign-in.txt", "Subject: Welcome to {{.Program}}\n\nHere: {{.Link}}\n")
	for name, text := range map[string]string{"de/sign-in.txt": "Subject: Bei {{.Program}} anmelden\n\nHier: {{.Link}}\n",
		"de/layout.html": `{{define "head"}}<html lang="de">{{end}}{{define "button"}}{{end}}{{define "foot"}}</html>{{end}}`, "pt-BR/welcome.txt": "Subject: Olá\n", ".git/x": "x"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	texts := read(t, dir)
	for language, want := range map[string]string{"": "Welcome to Beans", "en": "Welcome to Beans", ".git": "Welcome to Beans", "../de": "Welcome to Beans",
		"de": "Bei Beans anmelden", "DE": "Bei Beans anmelden", "de-AT": "Bei Beans anmelden", "deutsch": "Welcome to Beans"} {
		m, err := texts.In(language).Preview(mail.SignIn)
		if err != nil || m.Subject != want || strings.Contains(m.HTML, `<html lang="de">`) != strings.HasPrefix(want, "Bei") {
			t.Errorf("%q: %+v, error %v", language, m, err)
		}
	}
	if m, err := texts.In("pt-br").Preview(mail.Welcome); err != nil || m.Subject != "Olá" {
		t.Errorf("got %+v, error %v", m, err)
	}
	if _, err := texts.Preview("none"); err == nil {
		t.Error("there is a mail none")
	}
	for _, name := range []string{"de/sing-in.txt", "de/more/sign-in.txt", "de/declined.html", "DE/sign-in.txt", "deutsche Texte/sign-in.txt"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{{.None}}"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := mail.ReadTexts(dir)
		if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(strings.ToLower(err.Error()), "de") {
			t.Errorf("%s: error %v", name, err)
		}
		os.RemoveAll(path)
		os.Remove(filepath.Dir(path)) // that is empty
	}
	read(t, dir)
}

// TestGerman: an affiliate who reads German gets German mails, but for those whose text the host has
// written, in whatever language that is.
func TestGerman(t *testing.T) {
	own, hosts := read(t, ""), read(t, folder(t, "welcome.txt", "Subject: Moin\n"))
	if !own.Has("de-AT") || own.Has("fr") {
		t.Errorf("de-AT %v, fr %v", own.Has("de-AT"), own.Has("fr"))
	}
	for _, kind := range mail.Kinds() {
		english, german, ofHost := preview(t, own, kind), preview(t, own.In("de-AT"), kind), preview(t, hosts.In("de"), kind)
		if kind == mail.Attention { // to the people of the program
			english.HTML = strings.Replace(english.HTML, `lang="en"`, `lang="de"`, 1)
			if german != english {
				t.Errorf("%s: %+v", kind, german)
			}
			continue
		}
		if !strings.Contains(german.HTML, `<html lang="de">`) || german.Subject == english.Subject || german.Text == english.Text || strings.Contains(german.Text+german.HTML, "Hello") ||
			strings.Contains(english.Text, "9.98") && (!strings.Contains(german.Text, "EUR 9,98") || !strings.Contains(german.HTML, "EUR 9,98")) {
			t.Errorf("%s: %+v", kind, german)
		}
		switch {
		case kind == mail.Welcome && (ofHost.Subject != "Moin" || !strings.Contains(ofHost.HTML, "Hello Ada Lovelace")):
			t.Errorf("%s of the host: %+v", kind, ofHost)
		case kind != mail.Welcome && ofHost != german:
			t.Errorf("%s beside a text of the host: %+v", kind, ofHost)
		}
	}
}

func preview(t *testing.T, texts *mail.Texts, kind mail.Kind) mail.Mail {
	t.Helper()
	m, err := texts.Preview(kind)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPreviews: a preview has what a mail of its kind has, and nothing else.
func TestPreviews(t *testing.T) {
	const all = "{{.Name}}|{{.Reason}}|{{.Amount}}|{{.Waiting}}|{{.Unsubscribe}}|{{.Earned}}"
	for kind, want := range map[mail.Kind]string{mail.SignIn: "|||[]||", mail.Received: "|||[]||", mail.Attention: "|||[2: affiliates wait for approval]||",
		mail.Approved: "Ada Lovelace|||[]||", mail.EmailNew: "|||[]||", mail.EmailOld: "Ada Lovelace|||[]||", mail.Declined: "Ada Lovelace|no reason||[]||", mail.PayoutFailed: "Ada Lovelace|account closed|EUR 9.98|[]||",
		mail.Statement: "Ada Lovelace|||[]|https://partners.beans.example/mail/stop|EUR 120.00"} {
		m, err := read(t, folder(t, string(kind)+".txt", "Subject: x\n"+all)).Preview(kind)
		if err != nil || m.Text != want || (m.Unsubscribe != "") != (kind == mail.Statement) {
			t.Errorf("%s: %+v, error %v", kind, m, err)
		}
	}
}
