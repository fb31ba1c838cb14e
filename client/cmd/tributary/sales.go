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
	column{path: "subtotal", show: money}, column{path: "taxAmount", show: money}, column{path: "shippingAmount", show: money},
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
		fields: fields("affiliateId", "referralId", "promotionalCodeId", "linkId", "status", "approvalStatus", "since", "until", "currency", "oldestFirst:b", "part:b", "search"),
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
		fields: fields("conversion", "externalId", "promoCode", "referralId", "referredUserExternalId", "email", "name"),
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
		method: "PATCH", path: "/sales", fields: fields("saleId", "amount:n", "tax:n", "shipping:n", "lines:j", "currency", "refundId", "clawback:b"), arg: "saleId",
	},
	{
		group: "sales", verb: "review", what: "Accept, hold or decline the commissions of sales",
		method: "POST", path: "/sales/review", fields: fields("saleIds:l", "approvalStatus"), arg: "saleIds", columns: saleColumns,
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
		group: "sales", verb: "recalculate", what: "Calculate the commissions of an affiliate's or a customer's sales anew, or --all of them",
		method: "POST", path: "/sales/recalculate", fields: fields("affiliateId", "affiliateEmail", "referralId", "all:b"), arg: "affiliateId", steps: true,
	},
	{
		group: "sales", verb: "accept-redemption", what: "Say that a redemption over a limit was seen: of a sale, or of an order by --external-id",
		method: "POST", path: "/sales/accept-redemption", fields: fields("saleId", "externalId", "externalInvoiceId"), arg: "saleId",
	},
	{
		group: "sales", verb: "restore-redemption", what: "Give back the redemption of a code, found by the sale's id, --external-id or --external-invoice-id",
		method: "POST", path: "/sales/restore-redemption", fields: fields("saleId", "externalId", "externalInvoiceId"), arg: "saleId",
	},
}
