package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
	"github.com/tributary-go/tributary/client"
)

// payoutFiles writes the files of a provider into a directory. No file is
// overwritten.
func payoutFiles(j *job) error {
	var f affiliate.PayoutFilter
	for name, field := range map[string]any{"runId": &f.RunID, "affiliateId": &f.AffiliateID} {
		raw, _ := json.Marshal(j.text(name, ""))
		if string(raw) != `""` && json.Unmarshal(raw, field) != nil {
			return usage("--%s is not an id", flagName(name))
		}
	}
	f.Method = affiliate.PaymentMethod(j.text("method", ""))
	f.Status = affiliate.PayoutStatus(j.text("status", string(affiliate.PayoutPending)))
	payments, label := j.client.Transfers(j.ctx, f), j.text("label", "payouts")
	var files []payfile.File
	var refused []payfile.Refused
	var err error
	switch as := j.text("as", ""); as {
	case "paypal":
		files, refused, err = payfile.PayPal(payments, label, payfile.PayPalOptions{DecimalComma: j.input["decimalComma"] == true})
	case "wise":
		files, refused, err = payfile.Wise(payments, label, payfile.WiseOptions{})
	case "generic":
		var out bytes.Buffer
		err = payfile.Generic(&out, payments)
		files = []payfile.File{{Name: label + ".csv", Data: out.Bytes()}}
	default:
		return usage("--as is paypal, wise or generic")
	}
	if err != nil {
		return err
	}
	for _, r := range refused {
		j.say("payout %s (%s) is in no file: %v", r.PayoutID, cmp.Or(string(r.Method), "no method"), r.Err)
	}
	for _, file := range files {
		if err := create(filepath.Join(j.text("dir", "."), file.Name), file.Data); err != nil {
			return err
		}
		fmt.Fprintln(j.stdout, inert(file.Name))
	}
	return nil
}

// create writes a new file that only its owner reads.
func create(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return usage("%v", err)
	}
	if _, err = f.Write(data); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// payoutResults applies a provider's report to the payouts. It can be repeated:
// a status that is already set stays.
func payoutResults(j *job) error {
	f, err := os.Open(j.file)
	if err != nil {
		return usage("%v", err)
	}
	defer f.Close()
	report, err := payfile.ReadResults(f, j.client.Transfers(j.ctx, affiliate.PayoutFilter{}))
	if _, asked := errors.AsType[*client.Error](err); err != nil && !asked && j.ctx.Err() == nil {
		return usage("%s: %v", j.file, err) // the file is wrong
	}
	if err != nil {
		return err
	}
	applied, err := payfile.Apply(j.ctx, j.client, report.Results)
	fmt.Fprintf(j.stdout, "paid %d, failed %d, returned %d, unchanged %d, waiting %d\n", applied.Paid, applied.Failed, applied.Returned, applied.Unchanged, applied.Waiting)
	if n := len(report.Foreign); n > 0 {
		j.say("%d lines are of payments that are none of ours", n)
	}
	for _, r := range applied.Unknown {
		j.say("payout %s: the provider says %q, which is not known", r.PayoutID, r.Said)
	}
	for _, c := range applied.Conflicts {
		j.say("payout %s is %s, and the provider says %q: somebody has to look at it", c.Result.PayoutID, c.Status, c.Result.Said)
	}
	if err == nil && len(applied.Unknown)+len(applied.Conflicts) > 0 {
		return finding{}
	}
	return err
}

// text returns a flag that is a text.
func (j *job) text(name, otherwise string) string {
	if s, ok := j.input[name].(string); ok && s != "" {
		return s
	}
	return otherwise
}
