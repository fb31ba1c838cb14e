package page

import (
	"embed"
	"html/template"
	"io/fs"
	"path"
	"strings"
)

//go:embed templates/*.html
var parts embed.FS

// Templates reads the templates of a folder: one for each page, by the name of
// its file, inside the layout. All get the parts that both sets of pages share.
// It panics when a template is wrong.
func Templates(files fs.FS) map[string]*template.Template {
	layout := template.Must(template.Must(template.ParseFS(parts,
		"templates/*.html")).ParseFS(files, "templates/layout.html"))
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		panic(err) // the pattern is wrong
	}
	all := map[string]*template.Template{}
	for _, name := range names {
		base := strings.TrimSuffix(path.Base(name), ".html")
		if base != "layout" {
			all[base] = template.Must(template.Must(layout.Clone()).ParseFS(files, name))
		}
	}
	return all
}
