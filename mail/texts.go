package mail

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"io/fs"
	"os"
	"slices"
	"strings"
	"text/template"
	"unicode"
)

// A Kind is what a mail is about. Its texts are the files KIND.txt, whose first line is
// "Subject: …", and KIND.html.
type Kind string

// The kinds of mails.
const (
	SignIn       Kind = "sign-in"       // the link that somebody asked for
	Received     Kind = "received"      // somebody has applied
	Welcome      Kind = "welcome"       // the program has made an affiliate, or invited one
	Approved     Kind = "approved"      // an applicant was approved
	Declined     Kind = "declined"      // an applicant was declined
	FirstSale    Kind = "first-sale"    // the first sale of an affiliate, which is not necessary
	PayoutSent   Kind = "payout-sent"   // a payout was paid
	PayoutFailed Kind = "payout-failed" // a payout did not arrive
	Attention    Kind = "attention"     // what waits for the people of the program
)

// Kinds lists the kinds of mails.
func Kinds() []Kind {
	return []Kind{SignIn, Received, Welcome, Approved, Declined, FirstSale, PayoutSent, PayoutFailed,
		Attention}
}

// Data is what texts show. What a kind has no use for is empty. Each is one line.
type Data struct {
	Program     string   // its name
	Name        string   // of the affiliate; empty where nobody of the program has looked at it yet
	Link        string   // where to go on
	Reason      string   // why an applicant was declined, or a payout has failed; may be empty
	Amount      string   // with its currency: of a payout, or the commission of a sale
	Waiting     []string // what waits for the people of the program
	Unsubscribe string   // the link that stops such mails; empty: the mail is necessary
}

//go:embed texts
var own embed.FS

// layout has the frame of every HTML text.
const layout = "layout.html"

// Texts are the texts of all mails. They are safe for concurrent use.
type Texts struct {
	plain *template.Template
	html  *htmltemplate.Template
}

// ReadTexts returns the texts of this package, of which the files in a folder replace those with
// their names; an empty dir is none. Every text is tried.
// Files whose names begin with a dot are none.
//
// Errors: a file is no text of a mail, or cannot be read, parsed or shown; it has the file's name.
func ReadTexts(dir string) (*Texts, error) {
	t := &Texts{template.New("").Option("missingkey=error"), htmltemplate.New("")}
	texts, _ := fs.Sub(own, "texts") // never fails
	if err := t.parse(texts); err != nil {
		return nil, err
	}
	if dir != "" {
		if err := t.parse(os.DirFS(dir)); err != nil {
			return nil, fmt.Errorf("the texts of mails in %s: %w", dir, err)
		}
	}
	for _, kind := range Kinds() {
		if _, err := t.Write(kind, sample); err != nil {
			return nil, fmt.Errorf("the texts of mails: %w", err)
		}
	}
	return t, nil
}

// sample fills every text.
var sample = Data{Program: "Beans", Name: "Ada Lovelace",
	Link: "https://partners.beans.example/partner/", Reason: "no reason",
	Amount: "EUR 9.98", Waiting: []string{"2 applicants"},
	Unsubscribe: "https://partners.beans.example/mail/stop"}

func (t *Texts) parse(from fs.FS) error {
	files, err := fs.ReadDir(from, ".")
	if err != nil {
		return err
	}
	for _, file := range files {
		name := file.Name()
		if strings.HasPrefix(name, ".") {
			continue // as of a system that mounts folders
		}
		text, err := fs.ReadFile(from, name)
		kind, ending, _ := strings.Cut(name, ".")
		switch {
		case err != nil:
		case strings.TrimSpace(string(text)) == "":
			err = errors.New("it is empty")
		case name == layout, ending == "html" && slices.Contains(Kinds(), Kind(kind)):
			_, err = t.html.New(name).Parse(string(text))
		case ending == "txt" && slices.Contains(Kinds(), Kind(kind)):
			_, err = t.plain.New(name).Parse(string(text))
		default:
			err = errors.New("it is no text of a mail")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

const subject = "Subject: "

// A textError is the error of a text that cannot be shown.
type textError struct{ error }

// Write returns the mail of a kind, without an id and a recipient.
func (t *Texts) Write(kind Kind, data Data) (m Mail, err error) {
	data.Program, data.Name, data.Reason = oneLine(data.Program), oneLine(data.Name),
		oneLine(data.Reason)
	var plain, html bytes.Buffer
	name := string(kind) + ".txt"
	if err := t.plain.ExecuteTemplate(&plain, name, data); err != nil {
		return m, &textError{fmt.Errorf("%s: %w", name, err)}
	}
	first, rest, _ := strings.Cut(plain.String(), "\n")
	said, is := strings.CutPrefix(first, subject)
	if !is || strings.TrimSpace(said) == "" {
		return m, &textError{fmt.Errorf("%s: its first line is not %s…", name, subject)}
	}
	name = string(kind) + ".html"
	if err := t.html.ExecuteTemplate(&html, name, data); err != nil {
		return m, &textError{fmt.Errorf("%s: %w", name, err)}
	}
	return Mail{Subject: strings.TrimSpace(said), Text: strings.TrimLeft(rest, "\n"),
		HTML:        html.String(),
		Unsubscribe: data.Unsubscribe}, nil
}

// oneLine returns a text of people without what could break a line or hide something.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsGraphic(r)
	}), " ")
}
