package console

// A route is a page, a file or an action at a path below the prefix. {} stands
// for one segment.
type route struct {
	path   string
	params []string // of its query
	page   func(*visit) (view, error)
	file   func(*visit) error
	act    *action
	post   func(*visit) // of a page that answers its own form
}

// routes are all pages and actions.
var routes []route

// The table refers to itself: a notice names the action that was done.
func init() {
	routes = []route{
		{path: "", page: overview},

		{path: "affiliates", params: []string{"q", "status", paramCursor}, page: affiliates},
		{path: "affiliates/new", act: newAffiliate},
		{path: "affiliates/status", params: []string{paramID, "to"}, act: affiliateStatus},
		{path: "affiliates/{}", page: affiliatePage},
		{path: "affiliates/{}/payout-details", act: payoutDetails},
		{path: "affiliates/{}/rate", act: affiliateRate},
		{path: "affiliates/{}/adjust", act: adjust},

		{path: "affiliates/{}/statements/{}", page: statementPage},
		{path: "affiliates/{}/statements/{}/csv", file: statementFile},

		{path: "codes", params: []string{"q", "state", paramCursor}, page: codes},
		{path: "customers", params: []string{"q", "status", paramCursor}, page: customers},
		{path: "customers/{}", page: customerPage},

		{path: "sales", params: []string{"q", "status", "approval", "since", "until", paramCursor}, page: sales},
		{path: "sales/review", params: []string{paramID, "to"}, act: reviewSales},
		{path: "sales/{}", page: salePage},
		{path: "sales/{}/refund", act: refundSale},
		{path: "sales/{}/reverse", act: reverseSale},

		{path: "payouts", params: []string{"status", paramCursor}, page: payouts},
		{path: "payouts/run", act: runPayouts},
		{path: "payouts/generic.csv", file: payoutFile},
		{path: "payouts/{}", page: payoutPage},
		{path: "payouts/{}/status", act: payoutStatus},

		{path: "webhooks", params: []string{"state", paramCursor}, page: webhooks},
		{path: "webhooks/deliveries/{}", page: deliveryPage},
		{path: "webhooks/deliveries/{}/replay", act: replayDelivery},

		{path: "events", params: []string{"type", "object", paramCursor}, page: events},
		{path: "books", page: books, post: examine},
		{path: "settings", page: settings},
	}
}
