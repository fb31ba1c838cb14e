package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// example is a line of curl in the README with the answer that it shows.
var example = regexp.MustCompile("(?s)```sh\n(curl .*?)\n```\n\n```json\n(.*?)\n```")

// TestReadme: the command of the README starts a server that answers the lines
// below it as they say, and after them those of its page.
func TestReadme(t *testing.T) {
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, readme, _ := strings.Cut(string(raw), "\n## Server in one command\n")
	readme, _, _ = strings.Cut(readme, "\n## ")
	command := regexp.MustCompile(`(?m)^export (\w+)=(\S+)\ngo run \./examples/server (.*)$`).FindStringSubmatch(readme)
	if command == nil {
		t.Fatal("the README does not start the server")
	}
	variables := map[string]string{command[1]: command[2]}
	args := strings.Fields(command[3])
	const address = "127.0.0.1:8080"
	for i, arg := range args {
		if arg == address {
			args[i] = "127.0.0.1:0"
		}
	}
	s := startIn(t, func(name string) string { return variables[name] }, args...)
	examples := example.FindAllStringSubmatch(readme, -1)
	if lines := strings.Count(readme, "curl "); len(examples) == 0 || len(examples) != lines {
		t.Errorf("%d of %d lines of curl have an answer", len(examples), lines)
	}
	for _, e := range examples {
		r, err := request(strings.ReplaceAll(e[1], "http://"+address, s.url), variables)
		if err != nil {
			t.Fatal(err)
		}
		if _, got := s.do(r); !shows(e[2], got) {
			t.Errorf("%s\n got %s\nwant %s", e[1], got, e[2])
		}
	}
	s.follow(s.page(""), variables)
}

// shows reports whether a text is another one with parts left out at each ….
func shows(short, text string) bool {
	parts := strings.Split(short, "…")
	for i, part := range parts {
		at := strings.Index(text, part)
		if i == len(parts)-1 && part != "" && i > 0 {
			at = strings.LastIndex(text, part)
		}
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return text == "" || strings.HasSuffix(short, "…")
}

func TestShows(t *testing.T) {
	for _, tt := range []struct {
		short, text string
		want        bool
	}{
		{"null", "null", true},
		{"null", "nulls", false},
		{"null", "a null", false},
		{`{"id":"…","n":1}`, `{"id":"abc","n":1}`, true},
		{`{"id":"…","n":1}`, `{"id":"abc","n":12}`, false},
		{`{"id":"…","n":1}`, `{"id":"abc","m":1}`, false},
		{`{…}`, `{"a":{}}`, true},
		{`{…}`, `[1]`, false},
		{`a…b…c`, `axcxb`, false},
		{`a…a`, `a`, false},
	} {
		if got := shows(tt.short, tt.text); got != tt.want {
			t.Errorf("%s shows %s: %v", tt.short, tt.text, got)
		}
	}
}
