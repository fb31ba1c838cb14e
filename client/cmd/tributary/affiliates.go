package main

var affiliateColumns = []column{
	{"ID", "id", 36, ident},
	{"NAME", "name", 14, plain},
	{"EMAIL", "email", 16, plain},
	{"STATUS", "status", 11, plain},
	{"EARNED", "totalCommissionEarned", 15, money},
}

var affiliateMoney = append(affiliateColumns[:len(affiliateColumns):len(affiliateColumns)],
	column{path: "totalRevenue", show: money}, column{path: "createdAt", show: date}, column{path: "updatedAt", show: date})

var affiliateCommands = []command{
	{
		group: "affiliates", verb: "list", what: "List affiliates, newest first",
		method: "GET", path: "/affiliates", paging: inQuery, columns: affiliateColumns,
	},
	{
		group: "affiliates", verb: "search", what: "List the affiliates that fit all filters",
		method: "GET", path: "/affiliates/search",
		fields: fields("status", "externalId", "commissionPlanId", "commissionTierId",
			"oldestFirst:b", "search"),
		paging: inQuery, columns: affiliateColumns,
	},
	{
		group: "affiliates", verb: "get", what: "Show an affiliate, by id, --email or --external-id",
		method: "GET", path: "/affiliates", fields: fields("id", "email", "externalId"), arg: "id",
		columns: affiliateMoney,
	},
	{
		group: "affiliates", verb: "create", what: "Create an affiliate",
		method: "POST", path: "/affiliates", columns: affiliateMoney,
		fields: fields("firstName", "lastName", "email", "externalId", "language", "commissionRate:n",
			"affiliateLink", "affiliateStatus", "sendWelcomeEmail:b", "commissionPlanId", "offerCouponId"),
	},
	{
		group: "affiliates", verb: "ensure",
		what:   "Show the affiliate with an --external-id, and create it when there is none",
		method: "POST", path: "/affiliates/ensure", columns: affiliateMoney,
		fields: fields("firstName", "lastName", "email", "externalId", "language", "commissionRate:n",
			"affiliateLink", "affiliateStatus", "sendWelcomeEmail:b", "commissionPlanId", "offerCouponId"),
	},
	{
		group: "affiliates", verb: "update", what: "Change an affiliate; --email-address finds it instead of the id",
		method: "PUT", path: "/affiliates", arg: "affiliateId",
		fields: fields("affiliateId", "emailAddress", "firstName", "lastName", "email",
			"externalId", "language", "commissionRate:n", "affiliateLink", "affiliateStatus", "offerCouponId",
			"note"),
	},
	{
		group: "affiliates", verb: "merge", what: "Make one affiliate of two: --from goes, --into stays",
		method: "POST", path: "/affiliates/merge", fields: fields("from", "into"),
		columns: affiliateMoney, ask: "merge the affiliates",
	},
	{
		group: "affiliates", verb: "delete", what: "Delete an affiliate",
		method: "DELETE", path: "/affiliates", fields: fields("affiliateId", "forfeit:b"),
		arg: "affiliateId", ask: "delete the affiliate",
	},
	{
		group: "affiliates", verb: "erase", what: "Erase what tells who an affiliate is; money and totals stay",
		method: "POST", path: "/affiliates/erase", fields: fields("affiliateId", "forfeit:b"),
		arg: "affiliateId", steps: true, ask: "erase the affiliate",
	},
	statusOfAffiliates("approve", "ACTIVE", "Approve affiliates that wait", ""),
	statusOfAffiliates("decline", "DECLINED", "Decline affiliates that wait", ""),
	statusOfAffiliates("deactivate", "DEACTIVATED", "Deactivate affiliates: later commissions are on hold", ""),
	statusOfAffiliates("ban", "BANNED", "Ban affiliates: later commissions are on hold", "ban the affiliates"),
	{
		group: "affiliates", verb: "plan", what: "Give affiliates a commission plan, or --null commission-plan-id",
		method: "POST", path: "/affiliates/plan",
		fields: fields("affiliateIds:l", "commissionPlanId"), arg: "affiliateIds",
		columns: affiliateColumns,
	},
	{
		group: "affiliates", verb: "tier", what: "Give affiliates a commission tier, or --null commission-tier-id",
		method: "POST", path: "/affiliates/tier",
		fields: fields("affiliateIds:l", "commissionTierId"), arg: "affiliateIds",
		columns: affiliateColumns,
	},
	{
		group: "affiliates", verb: "tier-exempt", what: "Exempt affiliates from changes of tier, or --exempt=false",
		method: "POST", path: "/affiliates/tier-exempt",
		fields: fields("affiliateIds:l", "exempt:b"), arg: "affiliateIds",
		columns: affiliateColumns,
	},
	{
		group: "affiliates", verb: "payout-details", what: "Say how an affiliate is paid",
		method: "POST", path: "/affiliates/payout-details",
		fields: fields("affiliateId", "payoutEmail", "paymentMethod"), arg: "affiliateId",
		columns: affiliateMoney,
	},
	{
		group: "affiliates", verb: "invite", what: "Invite an affiliate",
		method: "POST", path: "/affiliates/invite", columns: affiliateMoney,
		fields: fields("firstName", "lastName", "email", "externalId", "language", "commissionRate:n",
			"affiliateLink", "sendWelcomeEmail:b", "commissionPlanId", "offerCouponId",
			"questionAnswers:j"),
	},
	{
		group: "affiliates", verb: "accept-invite", what: "Accept an invitation for an affiliate",
		method: "POST", path: "/affiliates/accept-invite", arg: "affiliateId", columns: affiliateMoney,
		fields: fields("affiliateId", "firstName", "lastName", "email", "externalId",
			"language", "commissionRate:n", "affiliateLink"),
	},
}

func statusOfAffiliates(verb, status, what, ask string) command {
	return command{
		group: "affiliates", verb: verb, what: what, ask: ask,
		method: "POST", path: "/affiliates/status", fields: fields("affiliateIds:l"),
		fixed: map[string]any{"status": status},
		arg:   "affiliateIds", columns: affiliateColumns,
	}
}

var linkColumns = []column{
	{"ID", "id", 36, ident},
	{"LINK", "link", 20, plain},
	{"CLICKS", "clicks", 7, count},
	{"SALES", "sales", 6, count},
	{"REVENUE", "totalRevenue", 16, money},
}

var linkCommands = []command{
	{
		group: "links", verb: "list", what: "List links; one filter at a time",
		method: "GET", path: "/links",
		fields: fields("id", "link", "affiliateId", "affiliateEmail"), only: true,
		paging: inQuery, columns: linkColumns,
	},
	{
		group: "links", verb: "get", what: "Show a link, by id or by --link",
		method: "GET", path: "/links", fields: fields("id", "link"), only: true, arg: "id", columns: linkColumns,
	},
	{
		group: "links", verb: "create", what: "Create a link",
		method: "POST", path: "/links", fields: fields("link", "affiliateId", "affiliateEmail"),
		arg: "link", columns: linkColumns,
	},
	{
		group: "links", verb: "update", what: "Rename a link, found by id or by --link",
		method: "PUT", path: "/links", fields: fields("id", "link", "newLink"), arg: "id", columns: linkColumns,
	},
	{
		group: "links", verb: "delete", what: "Delete a link, found by id or by --link",
		method: "DELETE", path: "/links", fields: fields("id", "link"), arg: "id", ask: "delete the link",
	},
	{
		group: "links", verb: "release", what: "Let anybody have a slug that a link had before",
		method: "POST", path: "/links/release", fields: fields("link"), arg: "link",
		ask: "let anybody have the slug: posts with it may then credit somebody else",
	},
}

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
		method: "GET", path: "/referrals/search",
		fields: fields("affiliateId", "subscriptionStatus", "since", "until", "oldestFirst:b",
			"search"),
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
		fields: fields("referralId", "name", "email", "referredUserExternalId", "plan",
			"subscriptionStatus", "status", "notes", "metadata:j", "affiliateId"),
	},
	{
		group: "referrals", verb: "merge", what: "Make one customer of two: --from goes, --into stays",
		method: "POST", path: "/referrals/merge", fields: fields("from", "into"),
		columns: referralColumns, ask: "merge the customers",
	},
	{
		group: "referrals", verb: "delete", what: "Delete a referral",
		method: "DELETE", path: "/referrals", fields: fields("referralId", "forfeit:b"),
		arg: "referralId", ask: "delete the referral",
	},
	{
		group: "referrals", verb: "status", what: "Say what became of the subscription of a referral",
		method: "POST", path: "/referrals/status",
		fields: fields("referralId", "subscriptionStatus"), arg: "referralId",
		columns: referralColumns,
	},
	{
		group: "referrals", verb: "erase",
		what:   "Erase what tells who a customer is, by id or email; sales and totals stay",
		method: "POST", path: "/referrals/erase", fields: fields("referralId"), arg: "referralId",
		steps: true, ask: "erase the customer",
	},
	{
		group: "referrals", verb: "plan", what: "Give referrals a commission plan, or --null commission-plan-id",
		method: "POST", path: "/referrals/plan",
		fields: fields("referralIds:l", "commissionPlanId"), arg: "referralIds",
		columns: referralColumns,
	},
}
