package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
)

var pages = template.Must(template.New("").Parse(`
{{define "top"}}<!doctype html><html lang="en"><meta charset="utf-8"><title>Acme</title>
{{with .User}}<p>{{.First}} {{.Last}}: <a href="/billing">Billing</a>,
<a href="/invite">Invite a friend</a></p>{{end}}{{end}}

{{define "login"}}{{template "top" .}}<h1>Sign in</h1>
<form method="post" action="/login"><input name="email" type="email" placeholder="Email" required>
<input name="first" placeholder="First name, if you are new"><input name="last" placeholder="Last name">
<button>Sign in</button></form>{{end}}

{{define "billing"}}{{template "top" .}}<h1>Billing</h1><p>Credit: {{.Credit.Format "USD"}} USD</p>
<form method="post"><table>{{range .Invoices}}
<tr><td>Invoice {{.Number}}<td>{{.Total.Format "USD"}}<td>{{.Credit.Format "USD"}} by credit<td>
{{- if ne .Status "open"}}{{.Status}}{{else}}
<button formaction="/pay" name="number" value="{{.Number}}">Pay {{.Due.Format "USD"}}</button>{{end}}{{end}}</table>
<button formaction="/bill" name="number" value="{{.Next}}">Next invoice</button></form>{{end}}

{{define "invite"}}{{template "top" .}}<h1>Invite a friend</h1><p>Your link: <code>{{.Inviter.Link}}</code></p>
<p>Rewards: {{.Inviter.ThisMonth}} of {{.PerMonth}} this month, {{.Inviter.Ever}} of {{.ForLife}} in all</p>
<ul>{{range .Inviter.Friends}}<li>{{.Name.Or ""}}{{if gt .TotalRevenue.Sign 0}} has paid{{end}}</li>{{end}}</ul>{{end}}
`))

// A page is what a template shows.
type page struct {
	User              *user // nil: nobody is signed in
	Credit            affiliate.Amount
	Invoices          []invoice // the latest first
	Next              int
	Inviter           inviter
	PerMonth, ForLife int
}

// An invoice is a row of the table on the page for billing.
type invoice struct {
	Number             int
	Total, Credit, Due money
	Status             string
}

const sessionCookie = "session"

// handler has the pages. Forms of other sites are refused, and a visit by the link of a user is a
// click, which the sign-up finds in a cookie. In public httpapi.Visits limits how many are recorded.
func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		if err := show(w, "login", page{}); err != nil {
			fail(w, r, err)
		}
	})
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("GET /billing", s.signedIn(s.billing))
	mux.HandleFunc("GET /invite", s.signedIn(s.invite))
	mux.HandleFunc("POST /bill", s.signedIn(numbered(s.bill)))
	mux.HandleFunc("POST /pay", s.signedIn(numbered(s.pay))) // instead of the provider's report
	safe := http.NewCrossOriginProtection().Handler(httpapi.Attribution(s.program, mux))
	return http.MaxBytesHandler(safe, 1<<14)
}

func (s *service) login(w http.ResponseWriter, r *http.Request) {
	u := user{
		Email: strings.ToLower(strings.TrimSpace(r.PostFormValue("email"))),
		First: r.PostFormValue("first"), Last: r.PostFormValue("last"),
	}
	if text := u.Email + u.First + u.Last; !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		http.Error(w, "That is no text", http.StatusBadRequest) // the database would refuse it
		return
	}
	_, token, err := s.signIn(r.Context(), u, httpapi.ClickFrom(s.program, r))
	if err != nil {
		fail(w, r, err)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, Value: token, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(s.base, "https:")})
	http.Redirect(w, r, "/billing", http.StatusSeeOther)
}

// signedIn answers for the user of the session, and sends everybody else to the sign-in.
func (s *service) signedIn(next func(http.ResponseWriter, *http.Request, user) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var token string
		if cookie, err := r.Cookie(sessionCookie); err == nil {
			token = cookie.Value
		}
		digest, u := sha256.Sum256([]byte(token)), user{}
		err := s.pool.QueryRow(r.Context(), "SELECT id, email, first_name, last_name FROM invite.users WHERE session = $1",
			digest[:]).Scan(&u.ID, &u.Email, &u.First, &u.Last)
		if errors.Is(err, pgx.ErrNoRows) {
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		if err == nil {
			err = next(w, r, u)
		}
		if err != nil {
			fail(w, r, err)
		}
	}
}

// numbered does something with the user's invoice that the form names.
func numbered(do func(context.Context, string, int) error) func(http.ResponseWriter, *http.Request, user) error {
	return func(w http.ResponseWriter, r *http.Request, u user) error {
		number, err := strconv.ParseInt(r.PostFormValue("number"), 10, 32)
		if err != nil {
			http.Error(w, "That is no number of an invoice", http.StatusBadRequest)
			return nil
		}
		if err := do(r.Context(), u.ID, int(number)); err != nil {
			return err
		}
		http.Redirect(w, r, "/billing", http.StatusSeeOther)
		return nil
	}
}

func (s *service) billing(w http.ResponseWriter, r *http.Request, u user) error {
	credit, err := s.credit(r.Context(), u.ID)
	if err != nil {
		return err
	}
	rows, err := s.pool.Query(r.Context(), `SELECT number, total, credit, total - credit, status
		FROM invite.invoices WHERE user_id = $1 ORDER BY number DESC`, u.ID)
	if err != nil {
		return err
	}
	invoices, err := pgx.CollectRows(rows, pgx.RowToStructByPos[invoice])
	if err != nil {
		return err
	}
	return show(w, "billing", page{User: &u, Credit: credit, Invoices: invoices, Next: len(invoices) + 1})
}

func (s *service) invite(w http.ResponseWriter, r *http.Request, u user) error {
	inv, err := s.inviter(r.Context(), u.ID)
	if err != nil {
		return err
	}
	return show(w, "invite", page{User: &u, Inviter: inv, PerMonth: perMonth, ForLife: forLife})
}

// credit is what the next invoice can take: what was paid out and not spent, and what the program
// owes. Below zero the user owes it. The first is read first, so a payout at the same moment shows
// too little, and never too much.
func (s *service) credit(ctx context.Context, id string) (affiliate.Amount, error) {
	var wallet money
	if err := s.pool.QueryRow(ctx, "SELECT credit FROM invite.users WHERE id = $1", id).Scan(&wallet); err != nil {
		return affiliate.Amount{}, err
	}
	owed, err := s.program.Balance(ctx, affiliate.AffiliateRef{ExternalID: id})
	if err != nil {
		return affiliate.Amount{}, err
	}
	return wallet.Add(owed.Payable)
}

// An inviter is what the program knows of a user who invites.
type inviter struct {
	Link            string
	ThisMonth, Ever int64                // the rewards
	Friends         []affiliate.Referral // the latest
}

func (s *service) inviter(ctx context.Context, id string) (inv inviter, err error) {
	who, err := s.program.Affiliate(ctx, affiliate.External(id))
	if err != nil {
		return inv, err
	}
	of := affiliate.Set(who.ID)
	links, err := s.program.Links(ctx, affiliate.LinkQuery{AffiliateID: of}, affiliate.Page{Limit: 1})
	if err != nil {
		return inv, err
	}
	for _, link := range links.Items {
		inv.Link = link.FullURLs[0].FullURL
	}
	friends, err := s.program.Referrals(ctx, affiliate.ReferralQuery{AffiliateID: of}, affiliate.Page{})
	if err != nil {
		return inv, err
	}
	inv.Friends = friends.Items
	used, err := s.program.Budgets(ctx, affiliate.BudgetQuery{AffiliateID: of, Current: true}, affiliate.Page{})
	for _, budget := range used.Items {
		if budget.Per == affiliate.IntervalMonth {
			inv.ThisMonth = budget.Rewards
		} else {
			inv.Ever = budget.Rewards
		}
	}
	return inv, err
}

// show answers with a page, of which html/template escapes all that people have typed.
func show(w http.ResponseWriter, name string, p page) error {
	var text bytes.Buffer
	if err := pages.ExecuteTemplate(&text, name, p); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = text.WriteTo(w) // an error is that nobody reads any more
	return nil
}

// fail answers with a refusal of the program, which is for people, or logs any other error.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	if refused, ok := errors.AsType[*affiliate.Error](err); ok && refused.Kind != affiliate.KindInternal {
		http.Error(w, refused.Message, refused.Kind.Status())
		return
	}
	slog.ErrorContext(r.Context(), "a request failed", "path", r.URL.Path, "err", err)
	http.Error(w, "Something went wrong. Try again: nothing is done twice.", http.StatusInternalServerError)
}
