package main

import (
	"fmt"
	"strings"
)

// help lists the groups.
func (a *app) help([]string) error {
	fmt.Fprint(a.stdout, `Usage: tributary GROUP VERB [flags]

TRIBUTARY_URL is what stands before /api/v1; the API key is in TRIBUTARY_KEY, or
in the file that TRIBUTARY_KEY_FILE names. TZ is the time zone of what is shown.

`)
	for _, group := range groups {
		of, _ := find(group, "")
		var verbs []string
		for _, c := range of {
			if c.verb != "" {
				verbs = append(verbs, c.verb)
			}
		}
		if len(of) > 0 {
			a.wrapped(fmt.Sprintf("%-12s", group), verbs)
		}
	}
	fmt.Fprint(a.stdout, `api         METHOD PATH [-d JSON|@FILE|-]: any other operation

tributary GROUP help lists the verbs, tributary GROUP VERB --help the flags.
Exit codes: 0 done; 1 refused; 2 wrong usage; 3 not reached, or the outcome is
unknown; 4 bad news; 130 interrupted.
`)
	return nil
}

// wrapped prints words after a title, in lines of at most 80 characters.
func (a *app) wrapped(title string, words []string) {
	line := title
	for _, w := range words {
		if len(line)+len(w) > 79 {
			fmt.Fprintln(a.stdout, strings.TrimRight(line, " "))
			line = strings.Repeat(" ", len(title))
		}
		line += w + " "
	}
	fmt.Fprintln(a.stdout, strings.TrimRight(line, " "))
}

// groupHelp lists the verbs of a group.
func (a *app) groupHelp(of []command) error {
	for _, c := range of {
		fmt.Fprintf(a.stdout, "tributary %-28s %s\n", c.name(), c.what)
	}
	return nil
}

// commandHelp says what a command does, and its flags.
func (a *app) commandHelp(c *command) error {
	arg := ""
	switch {
	case c.arg == fileArg:
		arg = " FILE"
	case c.arg != "" && c.field(c.arg).kind == texts:
		arg = " " + shout(strings.TrimSuffix(c.arg, "s")) + "..."
	case c.arg != "":
		arg = " [" + shout(c.arg) + "]"
	}
	fmt.Fprintf(a.stdout, "%s.\n\nUsage: tributary %s%s [flags]\n", c.what, c.name(), arg)
	if c.path != "" {
		fmt.Fprintf(a.stdout, "Calls: %s /api/v1%s\n", c.method, c.path)
	}
	fmt.Fprintln(a.stdout)
	kinds := map[kind]string{text: "TEXT", number: "NUMBER", boolean: "[=false]",
		texts: "TEXT (may be repeated)", object: "JSON|@FILE|-"}
	for _, f := range c.fields {
		space := " "
		if f.kind == boolean {
			space = ""
		}
		fmt.Fprintf(a.stdout, "  --%s%s%s\n", flagName(f.name), space, kinds[f.kind])
	}
	for _, line := range c.common() {
		fmt.Fprintln(a.stdout, "  "+line)
	}
	return nil
}

// common returns the flags that many commands have.
func (c *command) common() []string {
	var out []string
	if c.paging != whole {
		out = append(out, "--limit NUMBER            records of a page (50)", "--cursor TEXT             where the page begins",
			"--all                     every page")
	}
	if c.hasDryRun() {
		out = append(out, "--dry-run                 say what would be done, and do nothing")
	}
	if c.asked {
		out = append(out, "--fail                    exit code 4 when there is something")
	}
	if c.ask != "" {
		out = append(out, "--yes                     do not ask")
	}
	if c.run != nil {
		return out
	}
	if c.writes() {
		if len(c.fields) > 0 {
			out = append(out, "--null FLAG               send null as the value of the flag")
		}
		out = append(out, "--idempotency-key TEXT    a repeat with the same key has no second effect")
	}
	return append(out, "--json                    the server's JSON")
}
