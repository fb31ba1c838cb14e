// Package page has the common parts of the console and the partner pages: the
// headers of a page, the style sheet and the script, tokens for forms, and the
// forms in which people see values of the engine.
//
// Data is only shown and never obeyed: templates of html/template write it, and
// [Text] makes invisible characters visible.
package page
