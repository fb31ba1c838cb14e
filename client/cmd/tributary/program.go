package main

import "fmt"

var programCommands = []command{
	{group: "program", what: "Show what the program is configured to do", method: "GET", path: "/program"},
	{
		group: "attention", what: "Show what waits for somebody; with --fail the exit code is 4 when something does",
		method: "GET", path: "/attention", fields: fields("limit:n"), asked: true,
		verify: func(r entry) error {
			for _, list := range r {
				if list, is := list.(map[string]any); is && fmt.Sprint(list["count"]) != "0" {
					return finding{}
				}
			}
			return nil
		},
	},
	{
		group: "prune", what: "Drop what is older than --before, or than --retention says: {\"events\":30,\"receipts\":2} in days",
		method: "POST", path: "/prune", fields: fields("before", "retention:j"), steps: true, ask: "drop old records for good",
	},
	{
		group: "partner-token", what: "Open the partner pages for an affiliate: prints a URL that works for a minute",
		method: "POST", path: "/partner/token", fields: fields("affiliateId", "ttlSeconds:n"), arg: "affiliateId",
	},
	{
		group: "verify", what: "Check the books: exit code 4 when they do not hold",
		method: "GET", path: "/verify", patient: true,
		verify: func(r entry) error {
			if r["holds"] != true {
				return finding{}
			}
			return nil
		},
	},
}
