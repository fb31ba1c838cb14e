package console

import (
	"archive/zip"
	"errors"
	"io"
	"iter"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
	"github.com/tributary-go/tributary/httpapi/internal/page"
	"github.com/tributary-go/tributary/internal/sheet"
)

type payoutList struct {
	Items []affiliate.Payout
	Of    string // the affiliate whose they are; empty: everybody's
	Runs  []affiliate.PayoutRunResult
	Files fileSet
}

// WhyNot returns why the money of a payout did not arrive; empty: it did, or may.
func (v *view) WhyNot(p affiliate.Payout) string {
	return v.WhyNotPaid(p.Status, p.FailedReason, p.ReturnedReason)
}

// payouts lists payouts, and on its first page the newest runs.
func payouts(v *visit) (view, error) {
	f, err := v.payoutsAsked()
	if err != nil {
		return view{}, err
	}
	list, err := v.program.Payouts(v.Ctx(), f, v.Page50())
	if err != nil {
		return view{}, err
	}
	d := payoutList{Items: list.Items, Files: filesOf("")}
	if id, ok := f.AffiliateID.Get(); ok {
		if d.Of, err = v.payee(id); err != nil {
			return view{}, err
		}
	}
	if v.query.Get(paramCursor) == "" && f == (affiliate.PayoutQuery{}) {
		runs, err := v.program.PayoutRuns(v.Ctx(), affiliate.Page{Limit: 12})
		if err != nil {
			return view{}, err
		}
		d.Runs = runs.Items
	}
	shown := view{visit: v, title: "Payouts", template: "payouts", next: list.Next, Data: &d}
	return shown, stated(&shown, payoutStates, "", func(in url.Values) (affiliate.PayoutSums, error) {
		of := f
		of.Status = affiliate.PayoutStatus(in.Get("status"))
		return v.program.PayoutSums(v.Ctx(), of)
	})
}

// payoutsAsked reads the filter of the list of payouts from the address.
func (v *visit) payoutsAsked() (affiliate.PayoutQuery, error) {
	of, err := v.queryID(paramAffiliate)
	return affiliate.PayoutQuery{AffiliateID: of,
		Status: affiliate.PayoutStatus(v.query.Get("status")),
		Method: affiliate.PaymentMethod(v.query.Get(paramMethod))}, err
}

// payoutPage shows a payout.
func payoutPage(v *visit) (view, error) {
	p, err := ofPayout.named(v)
	if err != nil {
		return view{}, err
	}
	entries, err := v.program.PayoutEntries(v.Ctx(), p.ID, v.Page50())
	if err != nil {
		return view{}, err
	}
	name, err1 := v.payee(p.AffiliateID)
	moves, err2 := v.movesOf(p)
	return view{title: "Payout to " + page.Named(name), template: "payout", next: entries.Next,
			Data: &payoutSheet{p, name, stepsFrom(p.Status), entries.Items, moves}},
		errors.Join(err1, err2)
}

// movesOf returns what a payout has moved, oldest first: it looks where the payout says that
// something happened, and reads no other movements of the affiliate.
func (v *visit) movesOf(p affiliate.Payout) (all []affiliate.Movement, err error) {
	for _, at := range []affiliate.Opt[affiliate.Time]{affiliate.Set(p.CreatedAt), p.PaidAt,
		p.CanceledAt, p.ReturnedAt} {
		then, set := at.Get()
		if !set || len(all) > 0 && !then.Time().After(all[len(all)-1].At.Time()) {
			continue // it was made and paid at once, and both are there
		}
		moved, err := v.program.Movements(v.Ctx(),
			affiliate.MovementQuery{PayoutID: affiliate.Set(p.ID), From: then.Time(),
				To: then.Time().Add(time.Second)}, affiliate.Page{Limit: 10})
		if err != nil {
			return nil, err
		}
		slices.Reverse(moved.Items)
		all = append(all, moved.Items...)
	}
	return all, nil
}

// Known reports whether it is known of any movement who caused it.
func (v *view) Known(all []affiliate.Movement) bool {
	return slices.ContainsFunc(all, func(m affiliate.Movement) bool { return m.Actor != "" })
}

// A payoutSheet is the page of a payout.
type payoutSheet struct {
	affiliate.Payout
	Name    string
	To      []option
	Entries []affiliate.PayoutEntry
	Moves   []affiliate.Movement
}

// Ref returns the reference of the payout in files of providers.
func (s *payoutSheet) Ref() string { return payfile.Ref(s.ID) }

// Took says how many entries the payout has.
func (s *payoutSheet) Took() string {
	return several(len(s.CommissionIDs), "commission") + " and " + several(len(s.AdjustmentIDs), "adjustment")
}

var ofPayout = noun[affiliate.Payout]{"payouts/",
	func(v *visit, id uuid.UUID) (affiliate.Payout, error) { return v.program.Payout(v.Ctx(), id) }}

// paidTo says who is paid, and where.
func paidTo(name string, email affiliate.Opt[string], method affiliate.Opt[affiliate.PaymentMethod]) string {
	to := page.Text(name, page.InList)
	if some, ok := email.Get(); ok {
		to += ", " + page.Text(some, page.InList)
	}
	if by, ok := method.Get(); ok {
		to += ", by " + page.Words(by)
	}
	return to
}

// payoutSteps are the outcomes of a payout in words, by its next status.
var payoutSteps = []struct {
	to          affiliate.PayoutStatus
	verb, means string
	why         string // the field with the reason; empty: it needs none
}{
	{affiliate.PayoutPaid, "Mark as paid", "It becomes paid, and stays so unless the money comes back.", ""},
	{affiliate.PayoutFailed, "It failed", "It can be tried again or canceled.", "failedReason"},
	{affiliate.PayoutProcessing, "Mark as on its way",
		"Somebody is paying it. It is paid or failed next, and cannot be canceled.", ""},
	{affiliate.PayoutCanceled, "Cancel the payout", "What it took can be paid by the next run.", ""},
	{affiliate.PayoutReturned, "It came back",
		"What it took can be paid by the next run, and months that are over stay as they are.",
		"returnedReason"},
}

// stepsFrom returns what a payout can become, the most usual first.
func stepsFrom(status affiliate.PayoutStatus) (all []option) {
	for _, step := range payoutSteps {
		if slices.Contains(status.Next(), step.to) {
			all = append(all, option{string(step.to), step.verb})
		}
	}
	return all
}

// payoutStatus sets the status of a payout to the one that the query names.
var payoutStatus = &action{
	name: "payouts.status", object: "payout", done: "The status of the payout was changed.",
	form: ofPayout.form(func(v *visit, p affiliate.Payout) (form, error) {
		for _, step := range payoutSteps {
			if string(step.to) != v.query.Get(paramTo) {
				continue
			}
			if !slices.Contains(p.Status.Next(), step.to) {
				return form{}, notAllowed("This payout is " +
					strings.ToLower(page.Words(p.Status)) + " and cannot become " +
					strings.ToLower(page.Words(step.to)) + ".")
			}
			f := form{
				Title: step.verb + ": " + v.Money(p.Amount), Button: step.verb,
				Effects: []string{"It is " + strings.ToLower(page.Words(p.Status)) + " now: " +
					v.Money(p.Amount) + " to " +
					paidTo(p.PayeeName.Or(p.AffiliateID.String()), p.PayeeEmail,
						p.PaymentMethod) + ".", step.means},
			}
			if step.why != "" {
				f.Fields = []field{{Name: step.why, Label: "Why", Hint: "The affiliate sees it.", Required: true}}
			}
			return f, nil
		}
		return form{}, badQuery("Choose what became of it.")
	}),
	do: ofPayout.do(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) (err error) {
		switch status := affiliate.PayoutStatus(v.query.Get(paramTo)); status {
		case affiliate.PayoutFailed:
			_, err = p.FailPayout(v.Ctx(), id, in.text("failedReason"))
		case affiliate.PayoutReturned:
			_, err = p.ReturnPayout(v.Ctx(), id, in.text("returnedReason"))
		default:
			_, err = p.SetPayoutStatus(v.Ctx(), id, status)
		}
		return err
	}),
}

// paramTo is the status that something becomes.
const paramTo = "to"

var newPayout = &action{
	name: "payouts.create", object: "payout", done: "The payout was made.",
	form: ofAffiliate.form(func(v *visit, a affiliate.Affiliate) (form, error) {
		b, err := v.program.Balance(v.Ctx(), affiliate.AffiliateRef{ID: a.ID})
		return form{
			Title: "Pay " + page.Named(a.Name), Button: "Make the payout",
			Effects: []string{v.Money(b.Payable) + " can be paid now, to " +
				paidTo(a.Name, a.PayoutEmail, a.PaymentMethod) + ". They are " +
				strings.ToLower(page.Words(a.Status)) + ".",
				"The payout is pending until you say what became of it; it sends no money."},
			Fields: []field{{Name: "externalId", Label: "Your id of the payout",
				Hint: "The same id makes one payout."}},
		}, err
	}),
	do: create((*tributary.Program).CreatePayout,
		func(p affiliate.Payout) string { return "payouts/" + p.ID.String() },
		func(v *visit, _ *input, params *affiliate.PayoutParams) (err error) {
			params.AffiliateID, err = v.id(0)
			return err
		}),
}

// The files of pending payouts, and the results that come back.

const (
	paramMethod   = "method"
	paramDecimals = "decimals"
	decimalComma  = "comma" // amounts such as 12,50
)

// pending returns the payments that are to be made: of all runs or of one, by any
// method or by one.
func (v *visit) pending() (iter.Seq2[affiliate.Transfer, error], error) {
	due := affiliate.PayoutQuery{Status: affiliate.PayoutPending,
		Method: affiliate.PaymentMethod(v.query.Get(paramMethod))}
	if name := v.query.Get(paramRun); name != "" {
		run, err := v.program.PayoutRun(v.Ctx(), name)
		if err != nil {
			return nil, err
		}
		due.RunID = affiliate.Set(run.ID)
	}
	return v.program.Transfers(v.Ctx(), due), nil
}

// A fileSet has the run of the payments, and the methods that have a general
// file.
type fileSet struct {
	Run     string // empty: of all payouts
	Methods []affiliate.PaymentMethod
}

func filesOf(run string) fileSet {
	other := slices.DeleteFunc(slices.Clone(paymentMethods),
		func(m affiliate.PaymentMethod) bool { return m == "PAYPAL" || m == "WISE" })
	return fileSet{run, other}
}

// Of returns the query of a file.
func (l fileSet) Of(method affiliate.PaymentMethod, decimals string) string {
	query := url.Values{}
	for name, value := range map[string]string{paramRun: l.Run, paramMethod: string(method), paramDecimals: decimals} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}

// today returns the day of a file, for its name.
func (v *visit) today() string { return v.now().In(v.Location).Format("2006-01-02") }

// genericFile returns a file for people and banks.
func genericFile(v *visit) error {
	due, err := v.pending()
	if err != nil {
		return err
	}
	name := "payouts-" + v.today()
	if method := v.query.Get(paramMethod); method != "" {
		if !slices.Contains(paymentMethods, affiliate.PaymentMethod(method)) {
			return affiliate.ErrNotFound
		}
		name += "-" + method
	}
	return v.download(name+".csv", func(w io.Writer) error { return payfile.Generic(w, due) })
}

// paypalFile and wiseFile are what these two take.
func paypalFile(v *visit) error {
	due, err := v.pending()
	if err != nil {
		return err
	}
	files, refused, err := payfile.PayPal(due, v.today(),
		payfile.PayPalOptions{DecimalComma: v.query.Get(paramDecimals) == "comma"})
	return v.files("paypal", files, refused, err)
}

func wiseFile(v *visit) error {
	due, err := v.pending()
	if err != nil {
		return err
	}
	files, refused, err := payfile.Wise(due, v.today(), payfile.WiseOptions{})
	return v.files("wise", files, refused, err)
}

// files answers one file as it is. Several files, or one with payments that cannot be
// paid in this way, become an archive that lists the refused ones.
func (v *visit) files(provider string, files []payfile.File, refused []payfile.Refusal, err error) error {
	if err != nil {
		return err
	}
	if len(files) == 1 && len(refused) == 0 {
		return v.download(files[0].Name, func(w io.Writer) error { _, err := w.Write(files[0].Data); return err })
	}
	return v.download(v.today()+"-"+provider+".zip", func(w io.Writer) error {
		archive := zip.NewWriter(w)
		for _, file := range files {
			part, err := archive.Create(file.Name)
			if err != nil {
				return err
			}
			if _, err := part.Write(file.Data); err != nil {
				return err
			}
		}
		part, err := archive.Create("not-in-a-file.csv")
		if err != nil {
			return err
		}
		rows := sheet.NewWriter(part)
		_ = rows.Write([]string{"payout", "method", "reason"})
		for _, r := range refused {
			_ = rows.Write([]string{r.PayoutID.String(), string(r.Method),
				strings.TrimPrefix(r.Err.Error(), "payfile: ")})
		}
		rows.Flush()
		return errors.Join(rows.Error(), archive.Close())
	})
}

// payoutResults reads what a provider says became of payouts.
var payoutResults = &action{
	name: "payouts.results", object: "payout", done: "The results were booked.",
	form: func(v *visit) (form, error) {
		return form{
			Title: "Upload results", Button: "Book the results", Back: v.resultsOf(),
			Effects: []string{
				"The report of PayPal or Wise, or the file of the pending ones with its last two columns filled in.",
				"Each payout in it becomes paid, failed or returned. Reading the same file again changes nothing.",
			},
			Fields: []field{{Name: "file", Label: "File", Hint: "CSV, at most 4 MB.", Type: "file", Required: true}},
		}, nil
	},
	do: func(v *visit, _ *tributary.Program, in *input) (string, error) {
		if in.Get("file") == "" {
			return "", wrongField("file", "Choose a file.")
		}
		p := v.program.From(affiliate.SourceManual).By(v.actor) // the same file again changes nothing, and each payout is a call of its own
		report, err := v.report(in.Get("file"))
		if err != nil {
			return "", err
		}
		for _, r := range report.Results {
			v.objects = append(v.objects, r.PayoutID.String())
		}
		applied, err := payfile.Apply(v.Ctx(), p, report.Results)
		v.answered = &view{title: "What became of the payouts", template: "results",
			Data: bookingResult{applied, len(report.Foreign), v.resultsOf()}}
		return v.resultsOf(), err
	},
}

// resultsOf returns the page from which results are uploaded: the run that the query names, or all payouts.
func (v *visit) resultsOf() string {
	if name := v.query.Get(paramRun); name != "" {
		return "payouts/run?" + url.Values{paramRun: {name}}.Encode()
	}
	return "payouts"
}

// bookingResult is the result of a report: the changes, and the number of payments that are
// not the program's.
type bookingResult struct {
	payfile.ApplyResult
	Foreign int
	Back    string // the page from which it was uploaded
}

// report reads a file of results. An error in the file is a refusal, unlike an error of
// the store.
func (v *visit) report(file string) (payfile.Report, error) {
	var broken error
	all := func(yield func(affiliate.Transfer, error) bool) {
		for payment, err := range v.program.Transfers(v.Ctx(), affiliate.PayoutQuery{}) {
			broken = err
			if !yield(payment, err) {
				return
			}
		}
	}
	report, err := payfile.ReadResults(strings.NewReader(file), all)
	if err != nil && broken == nil {
		err = wrongField("file", strings.TrimPrefix(err.Error(), "payfile: "))
	}
	return report, err
}
