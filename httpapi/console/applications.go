package console

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// applicationsPath is where applications are decided.
const applicationsPath = "affiliates/applications"

// shownApplications is the number of applications that a page decides about.
const shownApplications = 20

// applicants are those who wait for approval, the first to apply first, with what they answered to
// each question that one of them was asked.
type applicants struct {
	Questions []uuid.UUID
	Items     []applicant
	More      bool
}

// An applicant is an affiliate who waits for approval.
type applicant struct {
	affiliate.Affiliate
	Answers []string // one for each question; empty: none
}

// Domain returns that of their email.
func (a applicant) Domain() string { return a.Email[strings.LastIndexByte(a.Email, '@')+1:] }

// applicants returns the first of them.
func (v *visit) applicants() (all applicants, err error) {
	waiting, err := v.program.Affiliates(v.Ctx(),
		affiliate.AffiliateQuery{Status: affiliate.AffiliateInactive, OldestFirst: true},
		affiliate.Page{Limit: shownApplications})
	if err != nil {
		return all, err
	}
	answers := make([][]affiliate.Answer, len(waiting.Items))
	for i, a := range waiting.Items {
		if answers[i], err = v.program.Answers(v.Ctx(), a.ID); err != nil {
			return all, err
		}
		for _, answer := range answers[i] {
			if !slices.Contains(all.Questions, answer.QuestionID) {
				all.Questions = append(all.Questions, answer.QuestionID)
			}
		}
	}
	all.More = waiting.Next != ""
	for i, a := range waiting.Items {
		row := applicant{a, make([]string, len(all.Questions))}
		for _, answer := range answers[i] {
			row.Answers[slices.Index(all.Questions, answer.QuestionID)] = answer.Answer
		}
		all.Items = append(all.Items, row)
	}
	return all, nil
}

// The fields of a row: what becomes of an applicant, and why.
func fieldDecision(id uuid.UUID) string { return "to-" + id.String() }
func fieldWhy(id uuid.UUID) string      { return "why-" + id.String() }

// decisions are what can become of an applicant.
var decisions = []option{{string(affiliate.AffiliateActive), "Approve"},
	{string(affiliate.AffiliateDeclined), "Decline"}, {"", "Later"}}

// decideApplications approves and declines many at once.
var decideApplications = &action{
	name: "affiliates.decide", object: "affiliate", done: "The decisions were saved.",
	form: func(v *visit) (form, error) {
		all, err := v.applicants()
		f := form{Title: "Applications", Button: "Save the decisions", Back: "affiliates",
			template: "applications", Beside: all,
			Effects: []string{"Who is approved becomes active, and commissions that waited for it " +
				"are accepted. Who is declined is told why when the program sends mails. " + toldEach}}
		for _, a := range all.Items {
			f.Fields = append(f.Fields,
				field{Name: fieldDecision(a.ID), Label: "Decision about " + page.Text(a.Name, page.InList),
					Options: decisions},
				field{Name: fieldWhy(a.ID), Label: "Reason for " + page.Text(a.Name, page.InList)})
		}
		return f, err
	},
	do: func(v *visit, _ *tributary.Program, in *input) (string, error) {
		decided, err := v.decisions(in)
		if err != nil {
			return "", err
		}
		for _, d := range decided {
			v.objects = append(v.objects, d.id.String())
		}
		for _, d := range decided {
			if _, err := v.oneOf(d.id).Because(d.why).SetAffiliateStatus(v.Ctx(), d.to, d.id); err != nil {
				return "", err
			}
		}
		return v.Path, nil
	},
}

// A decision is what becomes of an applicant.
type decision struct {
	id  uuid.UUID
	to  affiliate.AffiliateStatus
	why string
}

// decisions reads the form, and finds out whether all of it can be done.
func (v *visit) decisions(in *input) (all []decision, err error) {
	for _, name := range slices.Sorted(maps.Keys(in.Values)) {
		who, isReason := strings.CutPrefix(name, "why-")
		if isReason && in.text(name) != "" && in.text("to-"+who) == "" {
			return nil, wrongField(name, "Approve or decline, or leave the reason empty.")
		}
		text, found := strings.CutPrefix(name, "to-")
		if !found || in.text(name) == "" {
			continue
		}
		id, err := uuid.Parse(text)
		if err != nil {
			return nil, badQuery("An id is wrong.")
		}
		d := decision{id, affiliate.AffiliateStatus(in.text(name)), in.reason(fieldWhy(id))}
		if err := v.decidable(d); err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	if len(all) == 0 {
		return nil, wrongField("", "Decide about one of them at least.")
	}
	return all, in.err
}

// decidable refuses a decision about somebody who waits no more, unless it is what has become of
// them.
func (v *visit) decidable(d decision) error {
	a, err := v.program.Affiliate(v.Ctx(), d.id.String())
	switch {
	case err != nil:
		return err
	case d.to != affiliate.AffiliateActive && d.to != affiliate.AffiliateDeclined:
		return badQuery("Choose what to do.")
	case a.Status != d.to && a.Status != affiliate.AffiliateInactive:
		return notAllowed(fmt.Sprintf("%s is %s meanwhile. Nothing was done.",
			page.Text(a.Name, page.InList), strings.ToLower(page.Words(a.Status))))
	}
	return nil
}

// Web returns an answer that is the address of a page; empty: it is something else.
func (v *view) Web(answer string) string {
	u, err := url.Parse(answer)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return u.String()
}
