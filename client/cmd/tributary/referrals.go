package main

var referralColumns = []column{
	{"ID", "id", 36, ident},
	{"EMAIL", "email", 16, plain},
	{"STATUS", "subscriptionStatus", 10, plain},
	{"REVENUE", "totalRevenue", 14, money},
	{"COMMISSION", "totalCommission", 14, money},
}

var referralCommands = []command{
	{
		group: "referrals", verb: "list", what: "List referrals, newest first; one filter at a time",
		method: "GET", path: "/referrals", fields: fields("affiliateId", "affiliateEmail", "externalId"), only: true,
		paging: inQuery, columns: referralColumns,
	},
	{
		group: "referrals", verb: "search", what: "List the referrals that fit all filters",
		method: "GET", path: "/referrals/search", fields: fields("affiliateId", "subscriptionStatus", "since", "until", "oldestFirst:b", "search"),
		paging: inQuery, columns: referralColumns,
	},
	{
		group: "referrals", verb: "get", what: "Show a referral, by id or email",
		method: "GET", path: "/referrals", fields: fields("id"), arg: "id", columns: referralColumns,
	},
	{
		group: "referrals", verb: "create", what: "Create a referral",
		method: "POST", path: "/referrals", columns: referralColumns,
		fields: fields("affiliateId", "affiliateEmail", "promoCode", "name", "email", "referredUserExternalId", "plan"),
	},
	{
		group: "referrals", verb: "update", what: "Change a referral",
		method: "PUT", path: "/referrals", arg: "referralId", columns: referralColumns,
		fields: fields("referralId", "name", "email", "referredUserExternalId", "plan", "subscriptionStatus", "status", "notes", "metadata:j", "affiliateId"),
	},
	{
		group: "referrals", verb: "merge", what: "Make one customer of two: --from goes, --into stays",
		method: "POST", path: "/referrals/merge", fields: fields("from", "into"), columns: referralColumns, ask: "merge the customers",
	},
	{
		group: "referrals", verb: "delete", what: "Delete a referral",
		method: "DELETE", path: "/referrals", fields: fields("referralId", "forfeit:b"), arg: "referralId", ask: "delete the referral",
	},
	{
		group: "referrals", verb: "status", what: "Say what became of the subscription of a referral",
		method: "POST", path: "/referrals/status", fields: fields("referralId", "subscriptionStatus"), arg: "referralId", columns: referralColumns,
	},
	{
		group: "referrals", verb: "erase", what: "Erase what tells who a customer is, by id or email; sales and totals stay",
		method: "POST", path: "/referrals/erase", fields: fields("referralId"), arg: "referralId", steps: true, ask: "erase the customer",
	},
	{
		group: "referrals", verb: "plan", what: "Give referrals a commission plan, or --null commission-plan-id",
		method: "POST", path: "/referrals/plan", fields: fields("referralIds:l", "commissionPlanId"), arg: "referralIds", columns: referralColumns,
	},
}
