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
