package main

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

var runFields = fields("externalId", "until", "minimum:n", "currency", "methods:l", "noDetails:b", "affiliateIds:l", "exceptIds:l")

var payoutCommands = []command{
	{
		group: "payouts", verb: "list", what: "List the payouts that fit all filters, newest first",
		method: "GET", path: "/payouts", fields: fields("affiliateId", "affiliateEmail", "status", "runId", "method"), paging: inQuery, columns: payoutColumns,
	},
	{
		group: "payouts", verb: "get", what: "Show a payout",
		method: "GET", path: "/payouts", fields: fields("id"), arg: "id", columns: payoutColumns,
	},
	{
		group: "payouts", verb: "create", what: "Create the payout of one affiliate",
		method: "POST", path: "/payouts", fields: fields("affiliateId", "affiliateEmail", "until", "externalId", "manuallyPaid:b", "minimum:n", "currency"), arg: "affiliateId",
		columns: payoutColumns,
	},
	{
		group: "payouts", verb: "preview", what: "Say what a run of payouts would pay, and change nothing",
		method: "POST", path: "/payouts/preview", fields: runFields, paging: inBody, rows: "lines", columns: lineColumns,
	},
	{
		group: "payouts", verb: "run", what: "Create the payouts of everybody to whom something is due; the external id names the run",
		method: "POST", path: "/payouts/run", fields: runFields, arg: "externalId", columns: runColumns, ask: "create the payouts of run",
		dryPath: "/payouts/preview", dryColumns: lineColumns, again: func(r entry) bool { return r["status"] == "RUNNING" },
	},
	{
		group: "payouts", verb: "runs", what: "List runs of payouts, or show that of --external-id",
		method: "GET", path: "/payouts/runs", fields: fields("externalId"), paging: inQuery, columns: runColumns,
	},
	{
		group: "payouts", verb: "lines", what: "List what a run decided of each affiliate",
		method: "GET", path: "/payouts/lines", fields: fields("externalId"), arg: "externalId", paging: inQuery, columns: lineColumns,
	},
	statusOfPayout("processing", "PROCESSING", "Say that a payout is being paid"),
	statusOfPayout("paid", "PAID", "Say that a payout is paid"),
	statusOfPayout("failed", "FAILED", "Say that a payout failed, and why", "failedReason"),
	statusOfPayout("cancel", "CANCELED", "Cancel a payout: what it paid is due again"),
	statusOfPayout("returned", "RETURNED", "Say that the money of a payout came back after it was paid, and why: it is due again", "returnedReason"),
	{
		group: "payouts", verb: "file", what: "Write payouts into the files of a payment provider",
		method: "GET", fields: fields("as", "runId", "affiliateId", "status", "method", "label", "dir", "decimalComma:b"), run: payoutFiles,
	},
	{
		group: "payouts", verb: "results", what: "Read a provider's report, and set the payouts in it to PAID, FAILED and RETURNED",
		method: "PATCH", arg: fileArg, run: payoutResults,
	},
}

func statusOfPayout(verb, status, what string, more ...string) command {
	return command{
		group: "payouts", verb: verb, what: what, method: "PATCH", path: "/payouts", fields: fields(append([]string{"payoutId"}, more...)...),
		fixed: map[string]any{"status": status}, arg: "payoutId", columns: payoutColumns,
	}
}
