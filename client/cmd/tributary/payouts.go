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

var payoutColumns = []column{
	{"ID", "id", 36, ident},
	{"CREATED", "createdAt", 16, date},
	{"PAYEE", "payeeName", 16, plain},
	{"STATUS", "status", 10, plain},
	{"AMOUNT", "amount", 14, money},
}

var lineColumns = []column{
	{"AFFILIATE", "affiliateId", 36, ident},
	{"AMOUNT", "amount", 14, money},
	{"PAYOUT", "payoutId", 36, ident},
	{"SKIPPED", "skipped", 8, plain},
}

var runColumns = []column{
	{"RUN", "externalId", 30, plain},
	{"STATUS", "status", 8, plain},
	{"UNTIL", "until", 16, date},
	{"PAID", "created", 6, count},
	{"SKIPPED", "skipped", 7, count},
	{"TOTAL", "total", 16, money},
}

var runFields = fields("externalId", "until", "minimum:n", "currency", "methods:l", "noDetails:b",
	"affiliateIds:l", "exceptIds:l")

var payoutCommands = []command{
	{
		group: "payouts", verb: "list", what: "List the payouts that fit all filters, newest first",
		method: "GET", path: "/payouts",
		fields: fields("affiliateId", "affiliateEmail", "status", "runId", "method"),
		paging: inQuery, columns: payoutColumns,
	},
	{
		group: "payouts", verb: "sums", what: "Count and add up the payouts that fit all filters",
		method: "GET", path: "/payouts/sums",
		fields: fields("affiliateId", "affiliateEmail", "status", "runId", "method"),
	},
	{
		group: "payouts", verb: "get", what: "Show a payout",
		method: "GET", path: "/payouts", fields: fields("id"), arg: "id", columns: payoutColumns,
	},
	{
		group: "payouts", verb: "create", what: "Create the payout of one affiliate",
		method: "POST", path: "/payouts",
		fields: fields("affiliateId", "affiliateEmail", "until", "externalId", "manuallyPaid:b",
			"minimum:n", "currency"), arg: "affiliateId",
		columns: payoutColumns,
	},
	{
		group: "payouts", verb: "preview",
		what: "Say what a run of payouts would pay, and change nothing", method: "POST",
		path: "/payouts/preview", fields: runFields, paging: inBody, rows: "lines",
		columns: lineColumns,
	},
	{
		group: "payouts", verb: "run",
		what:   "Create the payouts of everybody to whom something is due; the external id names the run",
		method: "POST", path: "/payouts/run", fields: runFields, arg: "externalId",
		columns: runColumns, ask: "create the payouts of run",
		dryPath: "/payouts/preview", dryColumns: lineColumns,
		again: func(r entry) bool { return r["status"] == "RUNNING" },
	},
	{
		group: "payouts", verb: "runs", what: "List runs of payouts, or show that of --external-id",
		method: "GET", path: "/payouts/runs", fields: fields("externalId"), paging: inQuery, columns: runColumns,
	},
	{
		group: "payouts", verb: "lines", what: "List what a run decided of each affiliate",
		method: "GET", path: "/payouts/lines", fields: fields("externalId"), arg: "externalId",
		paging: inQuery, columns: lineColumns,
	},
	statusOfPayout("processing", "PROCESSING", "Say that a payout is being paid"),
	statusOfPayout("paid", "PAID", "Say that a payout is paid"),
	statusOfPayout("failed", "FAILED", "Say that a payout failed, and why", "failedReason"),
	statusOfPayout("cancel", "CANCELED", "Cancel a payout: what it paid is due again"),
	statusOfPayout("returned", "RETURNED",
		"Say that the money of a payout came back after it was paid, and why: it is due again",
		"returnedReason"),
	{
		group: "payouts", verb: "file", what: "Write payouts into the files of a payment provider",
		method: "GET",
		fields: fields("as", "runId", "affiliateId", "status", "method", "label", "dir",
			"decimalComma:b"), run: payoutFiles,
	},
	{
		group: "payouts", verb: "results",
		what:   "Read a provider's report, and set the payouts in it to PAID, FAILED and RETURNED",
		method: "PATCH", arg: fileArg, run: payoutResults,
	},
}

func statusOfPayout(verb, status, what string, more ...string) command {
	return command{
		group: "payouts", verb: verb, what: what, method: "PATCH", path: "/payouts",
		fields: fields(append([]string{"payoutId"}, more...)...),
		fixed:  map[string]any{"status": status}, arg: "payoutId", columns: payoutColumns,
	}
}

// payoutFiles writes the files of a provider into a directory. No file is
// overwritten.
func payoutFiles(j *job) error {
	var f affiliate.PayoutQuery
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
	var refused []payfile.Refusal
	var err error
	switch as := j.text("as", ""); as {
	case "paypal":
		files, refused, err = payfile.PayPal(payments, label,
			payfile.PayPalOptions{DecimalComma: j.input["decimalComma"] == true})
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
	if len(files)+len(refused) == 0 {
		j.say("no payout fits, so no file is written; without --status it is those that are PENDING")
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
	report, err := payfile.ReadResults(f, j.client.Transfers(j.ctx, affiliate.PayoutQuery{}))
	if _, asked := errors.AsType[*client.Error](err); err != nil && !asked && j.ctx.Err() == nil {
		return usage("%s: %v", j.file, err) // the file is wrong
	}
	if err != nil {
		return err
	}
	applied, err := payfile.Apply(j.ctx, j.client, report.Results)
	fmt.Fprintf(j.stdout, "paid %d, failed %d, returned %d, unchanged %d, waiting %d\n",
		applied.Paid, applied.Failed, applied.Returned, applied.Unchanged, applied.Waiting)
	if n := len(report.Foreign); n > 0 {
		j.say("%d lines are of payments that are none of ours", n)
	}
	for _, r := range applied.Unknown {
		j.say("payout %s: the provider says %q, which is not known", r.PayoutID, r.Said)
	}
	for _, c := range applied.Conflicts {
		j.say("payout %s is %s, and the provider says %q: somebody has to look at it",
			c.Result.PayoutID, c.Status, c.Result.Said)
	}
	if err == nil && len(applied.Unknown)+len(applied.Conflicts) > 0 {
		return problemFound{}
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
