package main

import "slices"

// A command is one row of the table: what is typed, the operation that it calls,
// its flags and what it shows. Everything that commands have in common is in the
// runner, so that a row is data.
type command struct {
	group, verb string
	what        string // one line of help, without a full stop

	method, path string // the operation; path is what follows /api/v1
	fields       []field
	fixed        map[string]any // fields that the verb itself sets
	arg          string         // the field that is given without a flag; a list takes all such arguments

	paging  paging
	only    bool     // the server looks at one filter only, so two are refused
	rows    string   // the field of the answer that is a list to show as a table
	columns []column // the columns of a list; they also say which fields of a record are money and times

	ask        string         // the action, as the question before it names it; empty: nothing is asked
	preview    map[string]any // what --dry-run adds to the body; nil: there is no --dry-run
	dryPath    string         // where --dry-run asks instead; empty: at path
	dryColumns []column       // of what is answered there
	steps      bool           // the operation is a step of a job; it is called until the job is over
	patient    bool           // the server may take long; a call has no limit and is not sent again

	again  func(entry) bool  // whether the operation is called again, with what it answered
	verify func(entry) error // whether the answer is bad news
	asked  bool              // bad news is an exit code with --fail only
	run    func(*job) error  // instead of the runner
}

// A field is an input of an operation. Its flag is the name in lower case with
// hyphens.
type field struct {
	name string // on the wire
	kind kind
}

type kind uint8

const (
	text    kind = iota
	number       // a JSON number; amounts are exact
	boolean      // true without a value
	texts        // may be given several times
	object       // JSON
)

// paging says where an operation takes limit and cursor.
type paging uint8

const (
	whole   paging = iota // no pages
	inQuery               // and the next page is in the Link header
	inBody                // and the next page is in the field next
)

// A column is one of a table of at most 100 characters.
type column struct {
	title string
	path  string // the field, with dots into objects
	width int    // texts are cut to it; ids, times and money are not
	show  show
}

type show uint8

const (
	plain show = iota
	ident      // never cut
	count      // to the right
	date       // in local time
	money      // to the right, with its currency
)

// groups is the order of the groups in the help.
var groups = []string{
	"affiliates", "referrals", "links", "coupons", "codes", "holds", "sales", "payments",
	"plans", "terms", "tiers", "webhooks", "events", "payouts", "balances", "movements", "statements", "reports", "adjustments",
	"program", "attention", "prune", "partner-token", "verify",
}

// commands is the table.
var commands = slices.Concat(
	affiliateCommands, referralCommands, linkCommands, couponCommands, codeCommands, holdCommands, saleCommands, paymentCommands,
	planCommands, tierCommands, webhookCommands, eventCommands, payoutCommands, ledgerCommands, programCommands,
)

// find returns the commands of a group, and the one with the verb.
func find(group, verb string) (of []command, one *command) {
	for i, c := range commands {
		if c.group == group {
			of = append(of, c)
			if c.verb == verb {
				one = &commands[i]
			}
		}
	}
	return of, one
}

// fields reads a short notation: names with their kinds after a colon, n for a
// number, b for a boolean, l for a list of texts and j for JSON.
func fields(names ...string) []field {
	kinds := map[byte]kind{'n': number, 'b': boolean, 'l': texts, 'j': object}
	var out []field
	for _, name := range names {
		if n := len(name); n > 2 && name[n-2] == ':' {
			out = append(out, field{name[:n-2], kinds[name[n-1]]})
			continue
		}
		out = append(out, field{name, text})
	}
	return out
}

// writes reports whether a command changes something.
func (c *command) writes() bool { return c.method != "GET" }

// name returns what is typed.
func (c *command) name() string {
	if c.verb == "" {
		return c.group
	}
	return c.group + " " + c.verb
}

// field returns the field with a name.
func (c *command) field(name string) field {
	i := slices.IndexFunc(c.fields, func(f field) bool { return f.name == name })
	return c.fields[i]
}
