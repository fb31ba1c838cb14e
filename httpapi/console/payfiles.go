package console

import (
	"archive/zip"
	"encoding/csv"
	"errors"
	"io"
	"iter"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
)

// The files of payouts that are pending, and what came back.

// pending are the payments that are to be made.
func (v *visit) pending() iter.Seq2[affiliate.Payment, error] {
	return v.program.Payments(v.ctx(), affiliate.PayoutFilter{Status: affiliate.PayoutPending})
}

// today is the day of a file, for its name.
func (v *visit) today() string { return v.now().In(v.Location).Format("2006-01-02") }

// genericFile is a file for people and banks.
func genericFile(v *visit) error {
	return v.download("payouts-"+v.today()+".csv", func(w io.Writer) error { return payfile.Generic(w, v.pending()) })
}

// paypalFile and wiseFile are what these two take.
func paypalFile(v *visit) error {
	files, refused, err := payfile.PayPal(v.pending(), v.today())
	return v.files("paypal", files, refused, err)
}

func wiseFile(v *visit) error {
	files, refused, err := payfile.Wise(v.pending(), v.today(), payfile.WiseOptions{})
	return v.files("wise", files, refused, err)
}

// files answers one file as it is, and several, or one with payments that cannot
// be paid this way, as an archive that says which.
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
		rows := csv.NewWriter(part)
		_ = rows.Write([]string{"payout", "reason"})
		for _, r := range refused {
			_ = rows.Write([]string{r.PayoutID.String(), strings.TrimPrefix(r.Err.Error(), "payfile: ")})
		}
		rows.Flush()
		return errors.Join(rows.Error(), archive.Close())
	})
}

// payoutResults reads what a provider says became of payouts.
var payoutResults = &action{
	name: "payouts.results", object: "payout", done: "The results were booked.",
	form: func(*visit) (form, error) {
		return form{
			Title: "What came back", Button: "Book the results", Back: "payouts",
			Effects: []string{
				"The report of PayPal or Wise, or the file of the pending ones with its last two columns filled in.",
				"Each payout in it becomes paid or failed. Reading the same file again changes nothing.",
			},
			Fields: []field{{Name: "file", Label: "File", Hint: "CSV, at most 4 MB.", Type: "file", Required: true}},
		}, nil
	},
	do: func(v *visit, _ *affiliate.Program, in *input) (string, error) {
		if in.Get("file") == "" {
			return "", wrongField("file", "Choose a file.")
		}
		p := v.program.From(affiliate.SourceManual) // a file twice changes nothing, and each payout is a call of its own
		results, err := v.results(in.Get("file"))
		if err != nil {
			return "", err
		}
		for _, r := range results {
			v.objects = append(v.objects, r.PayoutID.String())
		}
		applied, err := payfile.Apply(v.ctx(), p, results)
		v.answered = &view{title: "What came back", template: "results", Data: applied}
		return "payouts", err
	},
}

// results reads a file of results. What is wrong with the file is a refusal, and a
// store that fails is none.
func (v *visit) results(file string) ([]payfile.Result, error) {
	var broken error
	all := func(yield func(affiliate.Payment, error) bool) {
		for payment, err := range v.program.Payments(v.ctx(), affiliate.PayoutFilter{}) {
			broken = err
			if !yield(payment, err) {
				return
			}
		}
	}
	results, err := payfile.ReadResults(strings.NewReader(file), all)
	if err != nil && broken == nil {
		err = wrongField("file", strings.TrimPrefix(err.Error(), "payfile: "))
	}
	return results, err
}
