// Package page has what the console and the partner pages share: the headers of
// a page, the style sheet and the script, tokens for forms, and how values of
// the engine are shown to people.
//
// Everything that comes from data is shown and never obeyed: templates of
// html/template write it, and [Text] makes visible what would be invisible.
package page
