// Package payfile writes payouts into the files that payment providers take, and
// reads their results back.
//
//	files, refused, err := payfile.PayPal(program.Transfers(ctx, due), "2026-06", payfile.PayPalOptions{})
//	// upload files; say who is refused and why
//	report, err := payfile.ReadResults(file, program.Transfers(ctx, due))
//	applied, err := payfile.Apply(ctx, program, report.Results)
//
// [PayPal] and [Wise] write the files of these two; [Generic] writes a file for
// people and for banks, which is a file of results once its last two columns are
// filled in. The same payments give the same bytes: no clock is read. No cell
// that a spreadsheet would run as a formula is written.
//
// The package does no input or output of its own: the caller gives readers and
// writers. Its functions are safe for concurrent use.
//
// Source: docs/money.md 7.
package payfile
