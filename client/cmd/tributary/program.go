package main

var programCommands = []command{
	{group: "program", what: "Show what the program is configured to do", method: "GET", path: "/program"},
	{
		group: "verify", what: "Check the books: exit code 4 when they do not hold",
		method: "GET", path: "/verify", patient: true,
		verify: func(r record) error {
			if r["holds"] != true {
				return finding{}
			}
			return nil
		},
	},
}
