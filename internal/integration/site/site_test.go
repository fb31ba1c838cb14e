package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// TestSite: every page of the repository is there, all links lead somewhere, the search has what a page says, and one file has
// everything.
func TestSite(t *testing.T) {
	s, err := read(os.DirFS("../../.."))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := s.write(folder); err != nil {
		t.Fatal(err)
	}
	file := func(name string) string {
		t.Helper()
		raw, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	if len(s.pages) < 50 {
		t.Errorf("%d pages", len(s.pages))
	}
	page := file("docs/reconcile.html")
	for _, want := range []string{"<title>When events were lost · Tributary</title>", `href="../docs/payments-server.html#the-providers"`, `<h2 id="compare">`, "<table>", `href="../style.css"`,
		`href="https://github.com/tributary-go/tributary/blob/main/pay/examples/reconcile"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if index := file("index.html"); !strings.Contains(index, `href="docs/embed.html"`) || !strings.Contains(index, `src="docs/pictures/tour.gif"`) {
		t.Error("the first page lacks a link or the picture")
	}
	file("docs/pictures/console-overview-dark.png")
	file("style.css")
	var found []section
	if err := json.Unmarshal([]byte(file("search.json")), &found); err != nil || len(found) < 300 {
		t.Errorf("%d sections, %v", len(found), err)
	}
	for _, s := range found {
		if s.URL == "" || s.Heading == "" || s.Page == "" {
			t.Errorf("%+v", s)
		}
	}
	if short := file("llms.txt"); strings.Count(short, "\n- [") != len(s.pages) || !strings.Contains(short, "- [When events were lost](docs/reconcile.md): A webhook is lost") {
		t.Errorf("llms.txt:\n%s", short)
	}
	if whole := file("llms-full.txt"); !strings.Contains(whole, "## Compare") || len(whole) < 500_000 {
		t.Errorf("%d bytes of everything", len(whole))
	}
}

// TestWrongLinks: a link that leads nowhere is named.
func TestWrongLinks(t *testing.T) {
	of := func(text string) fstest.MapFS {
		return fstest.MapFS{"README.md": {Data: []byte("# A\n\nText.\n")}, "docs/b.md": {Data: []byte("# B\n\n## One `two`_three!\n\n" + text + "\n")}, "docs/pictures/x.png": {Data: []byte("x")}, "docs/x.go": {Data: []byte("x")}}
	}
	for text, says := range map[string]string{
		"[a](../README.md) [b](#one-two_three) [c](b.md#b) [d](x.go) [e](https://example.com/x.md) [f](../) ![g](pictures/x.png)": "",
		"[a](c.md)": "docs/b.md: c.md leads nowhere", "[a](#two)": "docs/b.md: #two: there is no such heading", "[a](../README.md#b)": "there is no such heading", "[a](y.go)": "y.go leads nowhere",
	} {
		s, err := read(of(text))
		if err == nil {
			err = s.write(t.TempDir())
		}
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
