package console

import (
	"archive/zip"
	"errors"
	"io"
	"iter"
	"net/url"
	"slices"
	"strings"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
	"github.com/tributary-go/tributary/internal/sheet"
)

// The files of pending payouts, and the results that come back.

const (
	paramMethod   = "method"
	paramDecimals = "decimals"
	decimalComma  = "comma" // amounts such as 12,50
)

// pending returns the payments that are to be made: of all runs or of one, by any
// method or by one.
func (v *visit) pending() (iter.Seq2[affiliate.Transfer, error], error) {
	due := affiliate.PayoutFilter{Status: affiliate.PayoutPending, Method: affiliate.PaymentMethod(v.query.Get(paramMethod))}
	if name := v.query.Get(paramRun); name != "" {
		run, err := v.program.PayoutRun(v.ctx(), name)
		if err != nil {
			return nil, err
		}
		due.RunID = affiliate.Set(run.ID)
	}
	return v.program.Transfers(v.ctx(), due), nil
}

// A listing of files has the run of the payments, and the methods that have a general
// file.
type listing struct {
	Run     string // empty: of all payouts
	Methods []affiliate.PaymentMethod
}

func filesOf(run string) listing {
	other := slices.DeleteFunc(slices.Clone(paymentMethods), func(m affiliate.PaymentMethod) bool { return m == "PAYPAL" || m == "WISE" })
	return listing{run, other}
}

// Of returns the query of a file.
func (l listing) Of(method affiliate.PaymentMethod, decimals string) string {
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
	files, refused, err := payfile.PayPal(due, v.today(), payfile.PayPalOptions{DecimalComma: v.query.Get(paramDecimals) == "comma"})
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
func (v *visit) files(provider string, files []payfile.File, refused []payfile.Refused, err error) error {
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
			_ = rows.Write([]string{r.PayoutID.String(), string(r.Method), strings.TrimPrefix(r.Err.Error(), "payfile: ")})
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
		applied, err := payfile.Apply(v.ctx(), p, report.Results)
		v.answered = &view{title: "What became of the payouts", template: "results", Data: booked{applied, len(report.Foreign), v.resultsOf()}}
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

// booked is the result of a report: the changes, and the number of payments that are
// not the program's.
type booked struct {
	payfile.Applied
	Foreign int
	Back    string // the page from which it was uploaded
}

// report reads a file of results. An error in the file is a refusal, unlike an error of
// the store.
func (v *visit) report(file string) (payfile.Report, error) {
	var broken error
	all := func(yield func(affiliate.Transfer, error) bool) {
		for payment, err := range v.program.Transfers(v.ctx(), affiliate.PayoutFilter{}) {
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
