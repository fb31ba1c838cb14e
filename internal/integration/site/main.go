// Site makes a site of the documentation: each page of Markdown as HTML with a search, and, for assistants, llms.txt and
// everything in one file. From the folder of this module:
//
//	go run ./site -out DIR
//
// Every link between pages, and to a heading, has to lead somewhere; else it fails and names them.
package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

//go:embed web
var web embed.FS

// sources is where files are that are no pages.
const sources = "https://github.com/tributary-go/tributary/blob/main/"

func main() {
	out := flag.String("out", "", "`folder` to write")
	root := flag.String("root", filepath.Join("..", ".."), "`folder` of the repository")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	s, err := read(os.DirFS(*root))
	if err == nil {
		err = s.write(*out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Printf("%d pages, %d words\n", len(s.pages), s.words)
}

// A page is one of the site.
type page struct {
	Path, Title, First string // First is its first sentences
	text               []byte // as Markdown
	doc                ast.Node
	anchors            map[string]bool
	sections           []section
}

// A section is what is below a heading, for the search.
type section struct {
	URL     string `json:"u"`
	Page    string `json:"p"`
	Heading string `json:"h"`
	Text    string `json:"t"`
}

type site struct {
	files fs.FS
	pages map[string]*page // by the path of the Markdown
	words int
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe())) // pages have <picture>

// read reads all pages of a repository.
func read(files fs.FS) (*site, error) {
	s := &site{files: files, pages: map[string]*page{}}
	err := fs.WalkDir(files, ".", func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "internal" || strings.HasPrefix(d.Name(), ".") && at != "."):
			return fs.SkipDir
		case d.IsDir() || path.Ext(at) != ".md":
			return nil
		}
		raw, err := fs.ReadFile(files, at)
		if err == nil {
			s.pages[at] = parse(at, raw)
			s.words += len(strings.Fields(string(raw)))
		}
		return err
	})
	return s, err
}

func parse(at string, raw []byte) *page {
	p := &page{Path: at, Title: at, text: raw, anchors: map[string]bool{}}
	p.doc = markdown.Parser().Parse(text.NewReader(raw))
	for n := p.doc.FirstChild(); n != nil; n = n.NextSibling() {
		words := plain(n, raw)
		h, is := n.(*ast.Heading)
		switch {
		case is:
			if h.Level == 1 {
				p.Title = words
			}
			id := anchor(words)
			p.anchors[id] = true
			h.SetAttributeString("id", []byte(id))
			if h.Level <= 3 {
				p.sections = append(p.sections, section{address(at) + "#" + id, p.Title, words, ""})
			}
		default:
			if p.First == "" && n.Kind() == ast.KindParagraph {
				p.First = words
			}
			if last := len(p.sections) - 1; last >= 0 && len(p.sections[last].Text) < 600 {
				p.sections[last].Text += " " + words
			}
		}
	}
	return p
}

// anchor is what GitHub makes of a heading.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// plain returns the words of a node.
func plain(n ast.Node, raw []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, enters bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if enters {
				b.Write(n.Segment.Value(raw))
				if n.SoftLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.FencedCodeBlock, *ast.HTMLBlock:
			return ast.WalkSkipChildren, nil
		default:
			if !enters && n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// address is where a page of Markdown is on the site.
func address(at string) string {
	if path.Base(at) == "README.md" {
		return strings.TrimSuffix(at, "README.md") + "index.html"
	}
	return strings.TrimSuffix(at, ".md") + ".html"
}

// leads returns where a link of a page leads on the site.
func (s *site) leads(from, to string) (string, error) {
	name, anchored, has := strings.Cut(to, "#")
	if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
		return to, nil
	}
	at := from
	if name != "" {
		at = path.Join(path.Dir(from), name)
	}
	if _, is := s.pages[path.Join(at, "README.md")]; is {
		at = path.Join(at, "README.md")
	}
	p, is := s.pages[at]
	if !is {
		if _, err := fs.Stat(s.files, at); err != nil {
			return "", fmt.Errorf("%s: %s leads nowhere", from, to)
		}
		if slices.Contains([]string{".png", ".svg", ".gif"}, path.Ext(at)) {
			return to, nil
		}
		return sources + at, nil
	}
	if has && !p.anchors[anchored] {
		return "", fmt.Errorf("%s: %s: there is no such heading", from, to)
	}
	back := strings.Repeat("../", strings.Count(from, "/"))
	if to = back + address(at); has {
		to += "#" + anchored
	}
	return to, nil
}

// write writes the site.
func (s *site) write(folder string) error {
	var wrong []error
	layout, err := template.ParseFS(web, "web/page.html")
	if err != nil {
		return err
	}
	paths := make([]string, 0, len(s.pages))
	for at := range s.pages {
		paths = append(paths, at)
	}
	slices.Sort(paths)
	var index []section
	var short, whole bytes.Buffer
	fmt.Fprintf(&short, "# Tributary\n\n> %s\n\n## Pages\n\n", s.pages["README.md"].First)
	for _, at := range paths {
		p := s.pages[at]
		_ = ast.Walk(p.doc, func(n ast.Node, enters bool) (ast.WalkStatus, error) {
			if link, is := n.(*ast.Link); is && enters {
				to, err := s.leads(at, string(link.Destination))
				wrong = append(wrong, err)
				link.Destination = []byte(to)
			}
			return ast.WalkContinue, nil
		})
		var body, shown bytes.Buffer
		if err := markdown.Renderer().Render(&body, p.text, p.doc); err != nil {
			return err
		}
		err := layout.Execute(&shown, map[string]any{"Title": p.Title, "Root": strings.Repeat("../", strings.Count(at, "/")), "Body": template.HTML(body.String())}) // our own pages
		if err == nil {
			err = put(folder, address(at), shown.Bytes())
		}
		if err != nil {
			return err
		}
		index = append(index, p.sections...)
		fmt.Fprintf(&short, "- [%s](%s): %s\n", p.Title, at, p.First)
		fmt.Fprintf(&whole, "<!-- %s -->\n\n%s\n\n", at, p.text)
		wrong = append(wrong, put(folder, at, p.text))
	}
	found, err := json.Marshal(index)
	wrong = append(wrong, err, put(folder, "search.json", found), put(folder, "llms.txt", short.Bytes()), put(folder, "llms-full.txt", whole.Bytes()), s.copy(folder))
	return errors.Join(wrong...)
}

// copy copies what pages show, and what makes them look so.
func (s *site) copy(folder string) error {
	files, err := fs.Sub(web, "web")
	if err != nil {
		return err
	}
	for _, name := range []string{"style.css", "search.js"} {
		raw, err := fs.ReadFile(files, name)
		if err == nil {
			err = put(folder, name, raw)
		}
		if err != nil {
			return err
		}
	}
	return fs.WalkDir(s.files, "docs/pictures", func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		from, err := s.files.Open(at)
		if err != nil {
			return err
		}
		defer from.Close()
		raw, err := io.ReadAll(from)
		if err == nil {
			err = put(folder, at, raw)
		}
		return err
	})
}

func put(folder, name string, raw []byte) error {
	at := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		return err
	}
	return os.WriteFile(at, raw, 0o666)
}
