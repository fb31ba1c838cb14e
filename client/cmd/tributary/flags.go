package main

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Pages.
const (
	shownAtOnce = 50  // records of a page for people
	readAtOnce  = 500 // records of a page that is one of all
	maxLimit    = 1000
)

// parse reads the arguments of a command. Flags and arguments may be mixed.
func (a *app) parse(c *command, args []string) (*job, error) {
	j := &job{app: a, command: c, input: map[string]any{}}
	fs := j.flags()
	plain, err := mixed(fs, args)
	if err != nil {
		return nil, usage("%v; see tributary %s --help", err, c.name())
	}
	if err := j.arguments(plain); err != nil {
		return nil, err
	}
	return j, j.checkInput(fs)
}

// mixed parses flags and returns what stands between and after them.
func mixed(fs *flag.FlagSet, args []string) (plain []string, err error) {
	for {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		rest := fs.Args()
		if len(rest) == 0 {
			return plain, nil
		}
		if n := len(args) - len(rest); n > 0 && args[n-1] == "--" {
			return append(plain, rest...), nil
		}
		plain, args = append(plain, rest[0]), rest[1:]
	}
}

// arguments reads the arguments without a flag.
func (j *job) arguments(plain []string) error {
	switch {
	case len(plain) == 0:
		return nil
	case j.arg == "":
		return usage("%s takes no argument %q; see tributary %s --help", j.name(), plain[0], j.name())
	case j.arg == fileArg && len(plain) == 1:
		j.file = plain[0]
		return nil
	}
	if j.arg != fileArg && j.field(j.arg).kind == texts {
		before, _ := j.input[j.arg].([]string)
		j.input[j.arg] = append(before, plain...)
		return nil
	}
	if _, twice := j.input[j.arg]; twice || len(plain) > 1 {
		return usage("%s takes one %s", j.name(), j.arg)
	}
	j.input[j.arg] = plain[0]
	return nil
}

// fileArg is the argument that is a file.
const fileArg = "FILE"

// checkInput refuses input that no server accepts.
func (j *job) checkInput(fs *flag.FlagSet) error {
	if j.only && len(j.input) > 1 {
		return usage("%s takes one filter at a time; search combines them", j.name())
	}
	if j.verb == "get" && len(j.fields) > 0 && len(j.input) == 0 || j.verb != "list" &&
		j.arg != "" && len(j.fields) == 1 && len(j.input) == 0 {
		return usage("%s needs %s; see tributary %s --help", j.name(), shout(j.arg), j.name())
	}
	if j.arg == fileArg && j.file == "" {
		return usage("%s needs a FILE", j.name())
	}
	if j.limit < 1 || j.limit > maxLimit {
		return usage("--limit is 1 to %d", maxLimit)
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if j.all && given["cursor"] {
		return usage("--all begins at the beginning, --cursor elsewhere")
	}
	if j.all && !given["limit"] {
		j.limit = readAtOnce
	}
	return nil
}

// flags are those of the fields, and those that many commands have.
func (j *job) flags() *flag.FlagSet {
	fs := flag.NewFlagSet(j.name(), flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	if j.command.run == nil {
		fs.BoolVar(&j.json, "json", false, "")
	}
	j.limit = shownAtOnce
	if j.paging != whole {
		fs.IntVar(&j.limit, "limit", shownAtOnce, "")
		fs.BoolVar(&j.all, "all", false, "")
		fs.StringVar(&j.cursor, "cursor", "", "")
	}
	if j.ask != "" {
		fs.BoolVar(&j.yes, "yes", false, "")
	}
	if j.asked {
		fs.BoolVar(&j.fail, "fail", false, "")
	}
	if j.hasDryRun() {
		fs.BoolVar(&j.dry, "dry-run", false, "")
	}
	if j.writes() && j.command.run == nil {
		fs.StringVar(&j.key, "idempotency-key", "", "")
		if len(j.fields) > 0 {
			fs.Func("null", "", j.setNull)
		}
	}
	for _, f := range j.fields {
		set := func(s string) error { return j.set(f, s) }
		if f.kind == boolean {
			fs.BoolFunc(flagName(f.name), "", set)
		} else {
			fs.Func(flagName(f.name), "", set)
		}
	}
	return fs
}

// hasDryRun reports whether the server can say what it would do.
func (c *command) hasDryRun() bool { return c.preview != nil || c.dryPath != "" }

// set takes the value of a flag.
func (j *job) set(f field, value string) error {
	_, twice := j.input[f.name]
	switch {
	case f.kind == texts:
		before, _ := j.input[f.name].([]string)
		j.input[f.name] = append(before, value)
		return nil
	case twice:
		return errors.New("it is given twice")
	}
	var err error
	switch f.kind {
	case number:
		j.input[f.name], err = numberOf(value)
	case boolean:
		j.input[f.name], err = strconv.ParseBool(value)
		if err != nil {
			err = errors.New("it is true or false")
		}
	case object:
		j.input[f.name], err = j.document(value)
	default:
		j.input[f.name] = value
	}
	return err
}

var errNotJSON = errors.New("it is not JSON")

// document reads JSON: as it is, from @FILE, or with - from standard input.
func (j *job) document(from string) (raw json.RawMessage, err error) {
	raw = json.RawMessage(from)
	switch {
	case from == "-":
		raw, err = io.ReadAll(j.stdin)
	case strings.HasPrefix(from, "@"):
		raw, err = os.ReadFile(from[1:])
	}
	if err == nil && !json.Valid(raw) {
		err = errNotJSON
	}
	return raw, err
}

// numberOf reads a number without rounding it.
func numberOf(s string) (json.Number, error) {
	if s == "" || strings.Trim(s, "0123456789.-") != "" || !json.Valid([]byte(s)) {
		return "", errors.New("it is not a number such as 19.9")
	}
	return json.Number(s), nil
}

// setNull sends null in the field of a flag.
func (j *job) setNull(name string) error {
	name = strings.TrimLeft(name, "-")
	i := slices.IndexFunc(j.fields, func(f field) bool { return flagName(f.name) == name })
	if i < 0 {
		return errors.New("there is no such flag")
	}
	if _, twice := j.input[j.fields[i].name]; twice {
		return errors.New("the flag is given as well")
	}
	j.input[j.fields[i].name] = nil
	return nil
}

// flagName returns the flag of a field.
func flagName(field string) string {
	var b strings.Builder
	for _, r := range field {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('-')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// shout returns a field as help shows an argument.
func shout(field string) string { return strings.ToUpper(flagName(field)) }
