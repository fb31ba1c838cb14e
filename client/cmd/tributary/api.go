package main

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// raw reads the arguments of the command api.
func (a *app) raw(args []string) (*job, error) {
	const how = "tributary api METHOD PATH [-d JSON|@FILE|-] [--idempotency-key TEXT]"
	if slices.ContainsFunc(args, func(s string) bool { return wantsHelp([]string{s}) }) {
		_, err := fmt.Fprintf(a.stdout, "Call an operation, and print the server's JSON.\n\nUsage: %s\n\n"+
			"PATH is what follows /api/v1, with its query. -d @FILE reads a file, -d - standard input.\nNothing is asked, not even before a delete.\n", how)
		return nil, err
	}
	c := &command{group: "api", fields: fields("data")}
	j, err := a.parseRaw(c, args)
	if err != nil {
		return nil, err
	}
	if len(j.plain) != 2 {
		return nil, usage("usage: %s", how)
	}
	target, err := url.Parse(strings.TrimPrefix(j.plain[1], "/api/v1"))
	if err != nil || !strings.HasPrefix(target.Path, "/") || target.Host != "" {
		return nil, usage("the path begins with / and is what follows /api/v1")
	}
	c.method, c.path = strings.ToUpper(j.plain[0]), target.Path
	if !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, c.method) {
		return nil, usage("the method is GET, POST, PUT, PATCH or DELETE")
	}
	j.query = target.Query()
	if text, ok := j.input["data"].(string); ok {
		err = j.takeBody(text)
	}
	return j, err
}

// parseRaw parses the flags of the command api.
func (a *app) parseRaw(c *command, args []string) (*job, error) {
	j := &job{app: a, command: c, input: map[string]any{}}
	fs := j.flags()
	fs.Func("d", "", func(s string) error { return j.set(c.fields[0], s) })
	if err := fs.Parse(nil); err != nil {
		return nil, err
	}
	var err error
	j.plain, err = mixed(fs, args)
	if err != nil {
		return nil, usage("%v; see tributary api --help", err)
	}
	return j, nil
}

// takeBody reads the body.
func (j *job) takeBody(from string) error {
	raw, err := j.document(from)
	switch {
	case err == errNotJSON:
		return usage("-d is not JSON")
	case err != nil:
		return usage("-d: %v", err)
	}
	j.input[""] = raw
	return nil
}
