package mail

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"io/fs"
	"os"
	"slices"
	"strings"
	"text/template"
	"time"
	"unicode"

	"github.com/tributary-go/tributary/affiliate"
)

// A Kind is what a mail is about. Its texts are the files KIND.txt, whose first line is
// "Subject: …", and KIND.html.
type Kind string

// The kinds of mails.
const (
	SignIn       Kind = "sign-in"       // the link that somebody asked for
	EmailOld     Kind = "email-old"     // another email is asked for; to the present one
	EmailNew     Kind = "email-new"     // the same, to the new one
	Received     Kind = "received"      // somebody has applied
	Welcome      Kind = "welcome"       // the program has made an affiliate, or invited one
	Approved     Kind = "approved"      // an applicant was approved
	Declined     Kind = "declined"      // an applicant was declined
	FirstSale    Kind = "first-sale"    // the first sale of an affiliate, which is not necessary
	PayoutSent   Kind = "payout-sent"   // a payout was paid
	PayoutFailed Kind = "payout-failed" // a payout did not arrive
	Answered     Kind = "answered"      // a case of an affiliate was answered
	Statement    Kind = "statement"     // what an affiliate earned in a month, which is not necessary
	Attention    Kind = "attention"     // what waits for the people of the program
)

// Kinds lists the kinds of mails.
func Kinds() []Kind {
	return []Kind{SignIn, EmailOld, EmailNew, Received, Welcome, Approved, Declined, FirstSale, PayoutSent, PayoutFailed,
		Answered, Statement, Attention}
}

// Data is what texts show. What a kind has no use for is empty. Each text is one line.
type Data struct {
	Program     string   // its name
	Name        string   // of the affiliate; empty where nobody of the program has looked at it yet
	Link        string   // where to go on
	Email       string   // the new one, in EmailOld
	Reason      string   // why an applicant was declined, or a payout has failed; may be empty
	Amount      string   // with its currency: of a payout, or the commission of a sale
	Answer      string   // to what an affiliate has asked
	Waiting     []string // what waits for the people of the program
	Unsubscribe string   // the link that stops such mails; empty: the mail is necessary

	// Of a statement: the beginning of its month in the program's time zone, what was earned and
	// paid in it, less what was taken back, and what was owed at its end, each with its currency.
	Month              time.Time
	Earned, Paid, Owed string
}

//go:embed texts
var own embed.FS

// layout has the frame of every HTML text.
const layout = "layout.html"

// Texts are the texts of all mails. They are safe for concurrent use.
type Texts struct {
	plain *template.Template
	html  *htmltemplate.Template
	in    map[string]*Texts // by the name of a language, in lower case
}

// ReadTexts returns the texts of this package, in English and German, of which the files in a folder
// replace those with their names, in every language; an empty dir is none. A folder in it is a
// language, such as de or pt-BR: its files replace those that the language has, and else those beside
// it. Every text is tried. What has a name that begins with a dot is left out.
//
// Errors: a file is no text of a mail, or cannot be read, parsed or shown; it has the file's name.
func ReadTexts(dir string) (*Texts, error) {
	t := &Texts{template.New("").Option("missingkey=error").Funcs(functions),
		htmltemplate.New("").Funcs(functions), map[string]*Texts{}}
	texts, _ := fs.Sub(own, "texts") // never fails
	if err := t.read(texts); err != nil {
		return nil, err
	}
	if dir != "" {
		if err := t.read(os.DirFS(dir)); err != nil {
			return nil, fmt.Errorf("the texts of mails in %s: %w", dir, err)
		}
	}
	if err := t.try(); err != nil {
		return nil, fmt.Errorf("the texts of mails: %w", err)
	}
	for name, in := range t.in {
		if err := in.try(); err != nil {
			return nil, fmt.Errorf("the texts of mails in %s: %s/%w", dir, name, err)
		}
	}
	return t, nil
}

// functions are those of texts. comma writes an amount with a decimal comma.
var functions = map[string]any{
	"comma": func(amount string) string { return strings.Replace(amount, ".", ",", 1) },
}

// read reads the texts of a folder, which are those of the languages that are there too, and then
// those of its own languages.
func (t *Texts) read(from fs.FS) error {
	languages, err := t.parse(from)
	if err != nil {
		return err
	}
	for _, in := range t.in {
		if err := in.replace(from); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	for _, name := range languages {
		base := t.In(name)
		plain, _ := base.plain.Clone()
		html, err := base.html.Clone() // nothing was shown, so it does not fail
		if err != nil {
			return err
		}
		in := &Texts{plain, html, nil}
		texts, _ := fs.Sub(from, name)
		folders, err := in.parse(texts)
		switch {
		case !affiliate.IsLanguage(name):
			return fmt.Errorf("%s: a folder is a language such as de or pt-BR", name)
		case err != nil:
			return fmt.Errorf("%s/%w", name, err)
		case len(folders) > 0:
			return fmt.Errorf("%s/%s: it is no text of a mail", name, folders[0])
		case seen[strings.ToLower(name)]:
			return fmt.Errorf("%s: this language is there twice", name)
		}
		seen[strings.ToLower(name)] = true
		t.in[strings.ToLower(name)] = in
	}
	return nil
}

// replace puts the texts of a folder in the place of those of a language. A mail of which the folder
// has one text has the other one in English, so that no mail is in two languages of ours.
func (t *Texts) replace(from fs.FS) error {
	if _, err := t.parse(from); err != nil {
		return err
	}
	for _, kind := range Kinds() {
		names := []string{string(kind) + ".txt", string(kind) + ".html"}
		has := func(name string) bool { _, err := fs.Stat(from, name); return err == nil }
		if !slices.ContainsFunc(names, has) {
			continue
		}
		for _, name := range names {
			if has(name) {
				continue
			}
			text, _ := fs.ReadFile(own, "texts/"+name) // which is there
			if err := t.add(name, string(text)); err != nil {
				return err
			}
		}
	}
	return nil
}

// try writes every mail.
func (t *Texts) try() error {
	for _, kind := range Kinds() {
		if _, err := t.Preview(kind); err != nil {
			return err
		}
	}
	return nil
}

// In returns the texts of a language: those of the folder with its name, in any letter case, or with
// what stands before its first hyphen; t when there is none.
func (t *Texts) In(language string) *Texts {
	name := strings.ToLower(language)
	before, _, _ := strings.Cut(name, "-")
	return cmp.Or(t.in[name], t.in[before], t)
}

// Has reports whether there are texts of a language: see In.
func (t *Texts) Has(language string) bool { return t.In(language) != t }

// Preview returns the mail of a kind with an example of what it shows.
//
// Errors: there is no such kind.
func (t *Texts) Preview(kind Kind) (Mail, error) { return t.Write(kind, sample(kind)) }

func sample(kind Kind) Data {
	d := Data{Program: "Beans", Name: "Ada Lovelace",
		Link: "https://partners.beans.example/partner/"}
	switch kind {
	case SignIn, EmailNew, Received:
		d.Name = ""
	case EmailOld:
		d.Email = "ada@lovelace.example"
	case Attention:
		d.Name, d.Waiting = "", []string{"2: affiliates wait for approval"}
	case Declined:
		d.Reason = "no reason"
	case Answered:
		d.Answer = "The order was paid in another shop."
	case PayoutSent, PayoutFailed, FirstSale:
		d.Amount = "EUR 9.98"
	case Statement:
		d.Month = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
		d.Earned, d.Paid, d.Owed = "EUR 120.00", "EUR 80.00", "EUR 61.50"
	}
	switch kind {
	case PayoutFailed:
		d.Reason = "account closed"
	case FirstSale, Statement:
		d.Unsubscribe = "https://partners.beans.example/mail/stop"
	}
	return d
}

// parse reads the texts in a folder, and returns the folders in it.
func (t *Texts) parse(from fs.FS) (folders []string, err error) {
	files, err := fs.ReadDir(from, ".")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		name := file.Name()
		if strings.HasPrefix(name, ".") {
			continue // as of a system that mounts folders
		}
		if is, err := fs.Stat(from, name); err == nil && is.IsDir() {
			folders = append(folders, name)
			continue
		}
		text, err := fs.ReadFile(from, name)
		if err == nil {
			err = t.add(name, string(text))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return folders, nil
}

// add takes the text of a file.
func (t *Texts) add(name, text string) (err error) {
	kind, ending, _ := strings.Cut(name, ".")
	switch {
	case strings.TrimSpace(text) == "":
		err = errors.New("it is empty")
	case name == layout, ending == "html" && slices.Contains(Kinds(), Kind(kind)):
		_, err = t.html.New(name).Parse(text)
	case ending == "txt" && slices.Contains(Kinds(), Kind(kind)):
		_, err = t.plain.New(name).Parse(text)
	default:
		err = errors.New("it is no text of a mail")
	}
	return err
}

const subject = "Subject: "

// A textError is the error of a text that cannot be shown.
type textError struct{ error }

// Write returns the mail of a kind, without an id and a recipient.
func (t *Texts) Write(kind Kind, data Data) (m Mail, err error) {
	data.Program, data.Name = oneLine(data.Program), oneLine(data.Name)
	data.Reason, data.Email, data.Answer = oneLine(data.Reason), oneLine(data.Email), oneLine(data.Answer)
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
