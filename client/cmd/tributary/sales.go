package main

var saleColumns = []column{
	{"ID", "id", 6, count},
	{"CREATED", "createdAt", 16, date},
	{"AFFILIATE", "affiliate.email", 15, plain},
	{"CUSTOMER", "email", 15, plain},
	{"STATUS", "status", 8, plain},
	{"TOTAL", "totalEarned", 14, money},
	{"COMMISSION", "commissionEarned", 14, money},
}

var saleMoney = append(saleColumns[:len(saleColumns):len(saleColumns)],
	column{path: "subtotal", show: money}, column{path: "taxAmount", show: money},
	column{path: "shippingAmount", show: money},
	column{path: "refundedAmount", show: money}, column{path: "refundedAt", show: date}, column{path: "updatedAt", show: date})

var saleCommands = []command{
	{
		group: "sales", verb: "list", what: "List sales, newest first; one filter at a time",
		method: "GET", path: "/sales", only: true, paging: inQuery, columns: saleColumns,
		fields: fields("affiliateId", "affiliateEmail", "referralId", "saleExternalId", "saleExternalInvoiceId"),
	},
	{
		group: "sales", verb: "search", what: "List the sales that fit all filters",
		method: "GET", path: "/sales/search", paging: inQuery, columns: saleColumns,
		fields: fields("affiliateId", "referralId", "promotionalCodeId", "linkId", "status",
			"approvalStatus", "since", "until", "currency", "oldestFirst:b", "part:b", "search"),
	},
	{
		group: "sales", verb: "sums", what: "Count and add up the sales that fit all filters",
		method: "GET", path: "/sales/sums",
		fields: fields("affiliateId", "referralId", "promotionalCodeId", "linkId", "status",
			"approvalStatus", "since", "until", "currency", "oldestFirst:b", "part:b", "search"),
	},
	{
		group: "sales", verb: "get", what: "Show a sale",
		method: "GET", path: "/sales", fields: fields("id"), arg: "id", columns: saleMoney,
	},
	{
		group: "sales", verb: "create", what: "Record a sale",
		method: "POST", path: "/sales", columns: saleMoney,
		fields: fields("promoCode", "holdId", "referralId", "referredUserExternalId", "email", "totalEarned:n", "currency", "exchangeRate:n", "name", "externalId", "externalInvoiceId", "commissionRate:n",
			"subtotal:n", "free:b", "offer:b", "product:j", "lines:j", "tax:n", "shipping:n", "paidAt"),
	},
	{
		group: "sales", verb: "convert", what: "Record what a customer did without a payment, such as a sign-up",
		method: "POST", path: "/conversions", columns: saleMoney,
		fields: fields("conversion", "externalId", "promoCode", "referralId",
			"referredUserExternalId", "email", "name"),
	},
	{
		group: "sales", verb: "update", what: "Change a sale",
		method: "PUT", path: "/sales", arg: "saleId", columns: saleMoney,
		fields: fields("saleId", "email", "totalEarned:n", "currency", "name", "externalId", "externalInvoiceId", "commissionRate:n",
			"subtotal:n", "commissionEarned:n", "metadata:j", "clawback:b", "affiliateId"),
	},
	{
		group: "sales", verb: "delete", what: "Delete a sale",
		method: "DELETE", path: "/sales", fields: fields("saleId"), arg: "saleId", ask: "delete the sale",
	},
	{
		group: "sales", verb: "refund", what: "Refund a sale, or a part of it with --amount, or of its --lines",
		method: "PATCH", path: "/sales",
		fields: fields("saleId", "amount:n", "tax:n", "shipping:n", "lines:j", "currency",
			"refundId", "clawback:b"), arg: "saleId",
	},
	{
		group: "sales", verb: "review", what: "Accept, hold or decline the commissions of sales",
		method: "POST", path: "/sales/review", fields: fields("saleIds:l", "approvalStatus"),
		arg: "saleIds", columns: saleColumns,
	},
	{
		group: "sales", verb: "explain", what: "Say how the commission of a sale came about",
		method: "GET", path: "/sales/explain", fields: fields("id"), arg: "id",
	},
	{
		group: "sales", verb: "reverse", what: "Reverse a sale, found by id, --external-id or --external-invoice-id",
		method: "POST", path: "/sales/reverse", arg: "saleId",
		fields: fields("saleId", "externalId", "externalInvoiceId", "clawback:b", "refundId"),
	},
	{
		group: "sales", verb: "recalculate",
		what:   "Calculate the commissions of an affiliate's or a customer's sales anew, or --all of them",
		method: "POST", path: "/sales/recalculate",
		fields: fields("affiliateId", "affiliateEmail", "referralId", "all:b"), arg: "affiliateId",
		steps: true,
	},
	{
		group: "sales", verb: "accept-redemption",
		what:   "Say that a redemption over a limit was seen: of a sale, or of an order by --external-id",
		method: "POST", path: "/sales/accept-redemption",
		fields: fields("saleId", "externalId", "externalInvoiceId"), arg: "saleId",
	},
	{
		group: "sales", verb: "restore-redemption",
		what:   "Give back the redemption of a code, found by the sale's id, --external-id or --external-invoice-id",
		method: "POST", path: "/sales/restore-redemption",
		fields: fields("saleId", "externalId", "externalInvoiceId"), arg: "saleId",
	},
}

var paymentCommands = []command{
	{
		group: "payments", verb: "decide",
		what:   "Say what a payment is that brought money and has no sale: same (of the sale that it names), own or dismiss; attention lists them",
		method: "POST", path: "/payments/decide", fields: fields("paymentId", "decision", "referralId", "exchangeRate:n"),
		arg:     "paymentId",
		columns: []column{{path: "moved", show: money}},
	},
}

var balanceColumns = []column{
	{"AFFILIATE", "affiliateId", 36, ident},
	{"HELD", "held", 14, money},
	{"PAYABLE", "payable", 14, money},
	{"IN PAYOUT", "inPayout", 14, money},
	{"PAID", "paid", 14, money},
}

var movementColumns = []column{
	{"NUMBER", "number", 7, count},
	{"AT", "at", 16, date},
	{"CAUSE", "cause", 20, plain},
	{"FROM", "from", 10, plain},
	{"TO", "to", 10, plain},
	{"SALE", "saleId", 7, count},
	{"AMOUNT", "amount", 14, money},
}

var statementColumns = []column{
	{"NUMBER", "number", 7, count},
	{"AT", "at", 16, date},
	{"CAUSE", "cause", 22, plain},
	{"SALE", "saleId", 8, count},
	{"AMOUNT", "amount", 16, money},
	{"OWED", "owed", 16, money},
}

var bucketColumns = []column{
	{"START", "start", 16, date},
	{"CLICKS", "clicks", 8, count},
	{"REFERRALS", "referrals", 9, count},
	{"SALES", "sales", 7, count},
	{"REVENUE", "revenue", 16, money},
	{"COMMISSION", "commission", 16, money},
}

var breakdownColumns = append([]column{{"VALUE", "value", 36, plain}, {"NAME", "name", 16, plain}},
	bucketColumns[3:]...)

var proposalColumns = []column{
	{"ID", "id", 36, ident},
	{"CREATED", "createdAt", 16, date},
	{"OPERATION", "operation", 16, plain},
	{"STATUS", "status", 8, plain},
	{"WHY", "why", 16, plain},
}

var caseColumns = []column{
	{"ID", "id", 36, ident},
	{"CREATED", "createdAt", 16, date},
	{"KIND", "kind", 14, plain},
	{"STATUS", "status", 8, plain},
	{"TEXT", "text", 18, plain},
}

var adjustmentColumns = []column{
	{"ID", "id", 36, ident},
	{"CREATED", "createdAt", 16, date},
	{"KIND", "kind", 14, plain},
	{"REASON", "reason", 12, plain},
	{"AMOUNT", "amount", 14, money},
}

// ledgerCommands are those about what affiliates are owed and why.
var ledgerCommands = []command{
	{
		group: "balances", verb: "list", what: "List what every affiliate is owed",
		method: "GET", path: "/balances", paging: inQuery, columns: balanceColumns,
	},
	{
		group: "balances", verb: "get", what: "Show what an affiliate is owed, by id or --affiliate-email",
		method: "GET", path: "/balances", fields: fields("affiliateId", "affiliateEmail"),
		only: true, arg: "affiliateId",
		columns: append(balanceColumns[:len(balanceColumns):len(balanceColumns)],
			column{path: "maturing", show: money}, column{path: "earned", show: money}),
	},
	{
		group: "balances", verb: "total",
		what:   "Add up what all affiliates are owed, now or at the end of a day (--at)",
		method: "GET", path: "/balances/total", fields: fields("at"),
	},
	{
		group: "balances", verb: "rank", what: "List whom most is owed first, now or at the end of a day (--at)",
		method: "GET", path: "/balances/ranked", fields: fields("at"), paging: inQuery, columns: balanceColumns,
	},
	{
		group: "movements", verb: "list", what: "List the changes of balances that fit all filters",
		method: "GET", path: "/movements", paging: inQuery, columns: movementColumns,
		fields: fields("affiliateId", "affiliateEmail", "saleId", "payoutId", "adjustmentId", "cause", "from", "to"),
	},
	{
		group: "statements", verb: "get",
		what:   "Show the statement of an affiliate for a period; --json has its sums too",
		method: "GET", path: "/statements",
		fields: fields("affiliateId", "affiliateEmail", "from", "to"), arg: "affiliateId",
		paging: inQuery, rows: "lines", columns: statementColumns,
	},
	{
		group: "reports", verb: "get", what: "Show clicks, sales and commissions of a period, by day, week, month, quarter or year",
		method: "GET", path: "/reports",
		fields: fields("from", "to", "by", "affiliateId", "promotionalCodeId", "linkId"),
		paging: inQuery, columns: bucketColumns,
	},
	{
		group: "reports", verb: "rank",
		what:   "Rank affiliates, links, codes, products, campaigns … by what they brought in a period",
		method: "GET", path: "/reports/breakdown",
		fields: fields("from", "to", "by", "sort", "affiliateId"), paging: inQuery,
		columns: breakdownColumns,
	},
	{
		group: "adjustments", verb: "list", what: "List the adjustments that fit all filters",
		method: "GET", path: "/adjustments",
		fields: fields("affiliateId", "affiliateEmail", "saleId", "kind", "payoutId"),
		paging: inQuery, columns: adjustmentColumns,
	},
	{
		group: "adjustments", verb: "get", what: "Show an adjustment",
		method: "GET", path: "/adjustments", fields: fields("id"), arg: "id", columns: adjustmentColumns,
	},
	{
		group: "adjustments", verb: "create", what: "Give an affiliate a bonus, or take something back",
		method: "POST", path: "/adjustments", arg: "affiliateId", columns: adjustmentColumns,
		fields: fields("affiliateId", "affiliateEmail", "saleId", "kind", "amount:n", "currency",
			"reason", "externalId", "reversesId"),
	},
	{
		group: "cases", verb: "list", what: "List what affiliates ask",
		method: "GET", path: "/cases", fields: fields("affiliateId", "affiliateEmail", "status", "kind"),
		paging: inQuery, columns: caseColumns,
	},
	{
		group: "cases", verb: "get", what: "Show a case",
		method: "GET", path: "/cases", fields: fields("id"), arg: "id", columns: caseColumns,
	},
	{
		group: "cases", verb: "create", what: "Ask for an affiliate",
		method: "POST", path: "/cases", arg: "affiliateId", columns: caseColumns,
		fields: fields("affiliateId", "affiliateEmail", "kind", "saleId", "externalId", "text"),
	},
	{
		group: "cases", verb: "answer", what: "Answer a case",
		method: "POST", path: "/cases/answer", arg: "caseId", columns: caseColumns,
		fields: fields("caseId", "answer"),
	},
	{
		group: "proposals", verb: "list", what: "List what was proposed",
		method: "GET", path: "/proposals", paging: inQuery, columns: proposalColumns,
	},
	{
		group: "proposals", verb: "get", what: "Show a proposal",
		method: "GET", path: "/proposals", fields: fields("id"), arg: "id", columns: proposalColumns,
	},
	{
		group: "proposals", verb: "create", what: "Ask a person for an operation",
		method: "POST", path: "/proposals", columns: proposalColumns,
		fields: fields("operation", "body:j", "why"),
	},
}
