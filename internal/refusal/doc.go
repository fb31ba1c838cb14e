// Package refusal has the table of refusals and the checks of single fields. Texts are
// written only here.
package refusal
