package portal

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// A SignUp is the page on which people apply to become affiliates. An application makes an
// affiliate that is INACTIVE until the program approves it, with the source
// AFFILIATE_PORTAL, and the same answer is given when the email is known already. When the program
// has terms for applicants, see TermsText of [affiliate.Settings], they have to be accepted.
type SignUp struct {
	Questions []Question // besides name and email, at most 20

	// Guard is asked before an application is carried out, with its form parsed: a limit for an
	// address, for one. An error refuses it with 429; its text is logged, and not shown. Nil:
	// nobody is asked.
	Guard func(*http.Request) error
}

// A Question is asked of an applicant. The answer is one of the affiliate's signup answers,
// under its ID.
type Question struct {
	ID       uuid.UUID
	Label    string       // 1–500 characters
	Kind     QuestionKind // zero: a line of text
	Choices  []string     // of AskChoice
	Required bool
}

// A QuestionKind says how a question is answered.
type QuestionKind string

// The kinds of questions.
const (
	AskText   QuestionKind = ""       // a line of at most 500 characters
	AskLong   QuestionKind = "LONG"   // lines of at most 5,000 characters together
	AskURL    QuestionKind = "URL"    // an http or https URL of at most 500 characters
	AskChoice QuestionKind = "CHOICE" // one of Choices
)

// TermsID returns the id of the signup answer that says which version of the terms of a program an
// affiliate has accepted, and when.
func TermsID(program uuid.UUID) uuid.UUID {
	return uuid.NewSHA1(program, []byte("sign-up terms "))
}

const applyPath = "apply"

// The limits of a sign-up, in characters.
const (
	maxQuestions = 20
	maxLabel     = 500
	maxLine      = 500
	maxLong      = 5000
	maxVersion   = 100
)

// check refuses a sign-up that cannot be shown.
func (s *SignUp) check() error {
	if s == nil {
		return nil
	}
	if len(s.Questions) > maxQuestions {
		return fmt.Errorf("more than %d questions", maxQuestions)
	}
	known := map[uuid.UUID]bool{uuid.Nil: true}
	for _, q := range s.Questions {
		switch {
		case known[q.ID]:
			return fmt.Errorf("the question %q has no id of its own", q.Label)
		case strings.TrimSpace(q.Label) == "" || utf8.RuneCountInString(q.Label) > maxLabel:
			return errors.New("a question has no label, or one that is too long")
		case !slices.Contains([]QuestionKind{AskText, AskLong, AskURL, AskChoice}, q.Kind):
			return fmt.Errorf("the kind %q of a question is unknown", q.Kind)
		case (q.Kind == AskChoice) != (len(q.Choices) > 0) || slices.Contains(q.Choices, ""):
			return fmt.Errorf("the question %q has no choices, or some that it cannot have", q.Label)
		}
		known[q.ID] = true
	}
	return nil
}

// An applySheet is the form of an application.
type applySheet struct {
	Fields  []*applyField
	Terms   string // that are accepted; empty: none, or they are at URL
	URL     string
	Problem string
}

// An applyField is a field of it.
type applyField struct {
	Name, Label, Hint string
	Kind              string // text, email, url, textarea, select, checkbox
	Value             string
	Choices           []string
	Required          bool
	Max               int // characters
	Fill              string
	Wrong             string
	Accepts           string // the version that a box accepts
	question          uuid.UUID
}

// The fields of the form besides those of the questions.
const (
	fieldFirst  = "firstName"
	fieldLast   = "lastName"
	fieldMail   = "email"
	fieldAccept = "terms"
	fieldTrap   = "homepage" // no person sees it
)

// application returns the form with what was sent, if anything was.
func (v *visit) application() *applySheet {
	is := v.program.Config()
	d := applySheet{Terms: is.TermsText, Fields: []*applyField{
		{Name: fieldFirst, Label: v.T("First name"), Kind: "text", Required: true, Max: 100, Fill: "given-name"},
		{Name: fieldLast, Label: v.T("Last name"), Kind: "text", Required: true, Max: 100, Fill: "family-name"},
		{Name: fieldMail, Label: v.T("Email"), Kind: "email", Required: true, Max: 254, Fill: "email"},
	}}
	for i, q := range v.cfg.SignUp.Questions {
		f := &applyField{Name: fmt.Sprintf("q-%d", i+1), Label: q.Label, Kind: "text",
			Required: q.Required, Max: maxLine, Choices: q.Choices, question: q.ID}
		switch q.Kind {
		case AskLong:
			f.Kind, f.Max = "textarea", maxLong
		case AskURL:
			f.Kind, f.Hint = "url", "https://…"
		case AskChoice:
			f.Kind = "select"
		}
		d.Fields = append(d.Fields, f)
	}
	if u, err := url.Parse(is.TermsText); err == nil && web(u) && !strings.ContainsAny(is.TermsText, " \n\t") {
		d.Terms, d.URL = "", is.TermsText
	}
	if is.TermsVersion != "" {
		d.Fields = append(d.Fields,
			&applyField{Name: fieldAccept, Label: v.T("I accept the terms, version %s", is.TermsVersion),
				Kind: "checkbox", Required: true, Max: maxVersion, Accepts: is.TermsVersion, question: TermsID(is.ID)})
	}
	for _, f := range d.Fields {
		f.Value = strings.TrimSpace(strings.ReplaceAll(v.R.PostForm.Get(f.Name), "\r\n", "\n"))
	}
	return &d
}

// check says at each field what is wrong with it, and reports whether nothing is. What the
// engine checks is left to it.
func (v *visit) check(d *applySheet) (right bool) {
	for _, f := range d.Fields {
		u, err := url.Parse(f.Value)
		switch {
		case f.Kind == "checkbox" && f.Value == "":
			f.Wrong = v.T("You can apply only if you accept the terms.")
		case f.Value != f.Accepts && f.Kind == "checkbox":
			f.Wrong = v.T("The terms have changed: read them, and accept these.")
		case f.Value == "" && f.Required:
			f.Wrong = v.T("This is required.")
		case utf8.RuneCountInString(f.Value) > f.Max:
			f.Wrong = v.T("This has more than %d characters.", f.Max)
		case !utf8.ValidString(f.Value) ||
			strings.ContainsFunc(f.Value,
				func(r rune) bool {
					return unicode.IsControl(r) &&
						(r != '\n' || f.Kind != "textarea")
				}):
			f.Wrong = v.T("This has characters that cannot be seen.")
		case f.Value == "" || f.question == uuid.Nil:
		case f.Kind == "select" && !slices.Contains(f.Choices, f.Value):
			f.Wrong = v.T("Choose one of these.")
		case f.Kind == "url" && (err != nil || !web(u)):
			f.Wrong = v.T("This is no address of a page, such as https://blog.example.")
		}
		if f.Wrong != "" {
			d.Problem = v.T("Something is missing or wrong.")
		}
	}
	return d.Problem == ""
}

// value returns what was sent in a field.
func (d *applySheet) value(name string) string {
	for _, f := range d.Fields {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// affiliate returns the affiliate that an application asks for.
func (d *applySheet) affiliate(now affiliate.Time) affiliate.AffiliateParams {
	in := affiliate.AffiliateParams{FirstName: d.value(fieldFirst), LastName: d.value(fieldLast),
		Email: d.value(fieldMail), AffiliateStatus: "inactive"}
	for _, f := range d.Fields {
		says := f.Value
		if f.Accepts != "" {
			says = "Accepted version " + f.Accepts + " at " + now.String()
		}
		if f.question != uuid.Nil && says != "" {
			in.Answers = append(in.Answers, affiliate.Answer{QuestionID: f.question, Answer: says})
		}
	}
	return in
}

// thanked reports whether this is the page behind an application.
func (v *visit) thanked() bool {
	valid, _ := v.forms.Told(v.now(), v.R.URL.Query().Get(paramDone), v.about(applyPath+doneSuffix)...)
	return valid
}

// apply answers the page for applicants.
func (v *visit) apply() {
	if _, err := v.program.Settings(v.Ctx()); err != nil { // Config has what another process set since
		v.fail(err)
		return
	}
	switch {
	case v.R.Method == http.MethodPost:
		v.submitted(route{post: applied, sent: v.applyFields(), old: applyAgain})
	case !v.Reads():
		v.methodNotAllowed("GET, HEAD, POST")
	case !v.fitsQuery([]string{paramDone}):
		v.missing()
	case v.thanked():
		v.render(http.StatusOK, view{title: v.T("Thank you"), template: "applied"})
	default:
		v.renderApplication(http.StatusOK, v.application())
	}
}

func (v *visit) applyFields() []string {
	names := []string{fieldTrap}
	for _, f := range v.application().Fields {
		names = append(names, f.Name)
	}
	return names
}

func (v *visit) renderApplication(status int, d *applySheet) {
	v.render(status, view{title: v.T("Become an affiliate"), template: "apply", Data: d})
}

// applyAgain shows what was typed into a form that is too old.
func applyAgain(v *visit) {
	d := v.application()
	d.Problem = v.T(tooOld)
	v.renderApplication(http.StatusConflict, d)
}

// applyStep is the unit of the time that an answer to an application takes: longer than a store
// needs, so that the time does not tell whether the email is known either.
const applyStep = 250 * time.Millisecond

// inSteps waits until a whole number of steps has passed, or ctx ends.
func inSteps(ctx context.Context, began time.Time) {
	left := applyStep - time.Since(began)%applyStep
	select {
	case <-time.After(left):
	case <-ctx.Done():
	}
}

// tooMany answers somebody who may do something later.
func (v *visit) tooMany(what string, err error) {
	v.refused(what, err)
	v.wrong(http.StatusTooManyRequests, "This is not possible now. Try again later.")
}

// refused writes a line about what somebody unknown may not do.
func (v *visit) refused(what string, err error) {
	v.cfg.Logger.WarnContext(v.Ctx(), "portal "+what+" refused", "program",
		v.program.Config().ID.String(), "error", err)
}

// errTrapped is the error of an application by a script.
var errTrapped = errors.New("portal: the field that no person sees was filled in")

// applied carries an application out. That an email is known is answered as if it were not, and
// in the same time.
func applied(v *visit) {
	d := v.application()
	if guard := v.cfg.SignUp.Guard; guard != nil {
		if err := guard(v.R); err != nil {
			v.tooMany("application", err)
			return
		}
	}
	if !v.check(d) {
		v.renderApplication(http.StatusBadRequest, d)
		return
	}
	began := time.Now()
	if v.R.PostForm.Get(fieldTrap) != "" { // a script filled it in
		inSteps(v.Ctx(), began)
		v.refused("application", errTrapped)
		v.done(applyPath)
		return
	}
	in := d.affiliate(affiliate.TimeOf(v.now()))
	in.Language = v.language()
	a, err := v.program.From(affiliate.SourceAffiliatePortal).By("applicant").CreateAffiliate(v.Ctx(), in)
	inSteps(v.Ctx(), began)
	v.auditOf("applicant", "affiliate:"+a.ID.String(), "apply", err)
	if err == nil || errors.Is(err, affiliate.AffiliateEmailTaken) {
		v.done(applyPath)
		return
	}
	v.again(err, func(why *affiliate.Error) (view, error) {
		d.Problem = v.T(why.Message)
		for _, f := range d.Fields {
			if f.Name == why.Field {
				f.Wrong = v.Said(why, f.Label)
				d.Problem = f.Wrong
			}
		}
		return view{title: v.T("Become an affiliate"), template: "apply", Data: d}, nil
	})
}
