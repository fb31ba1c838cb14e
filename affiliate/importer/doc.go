// Package importer brings a program over from another service: affiliates with
// their links, coupons with their codes, customers, payments with their
// commissions, and payouts, from the files that the service exports.
//
//	src := importer.Rewardful(importer.Files{Affiliates: affiliates, Customers: customers, Commissions: commissions})
//	report, err := importer.Run(ctx, program, src, importer.Options{DryRun: true})
//
// [Rewardful] and [Dub] read the files of these services, and [CSV] any file with
// a header, by a [Mapping]. [Folder] opens all files of an export by their names, and
// package cli makes a command of that. Nothing here uses the network or needs a key.
//
// # What is promised
//
//   - An import fires no event, calls no hook and sends no delivery.
//   - It may be repeated: a row that was imported finds its record by its ref and
//     changes nothing, whatever people did to the record since.
//   - It may be interrupted: what was committed is skipped by the next run.
//   - A dry run has the report that the real run will have, and writes nothing.
//   - Amounts are exact. What the rows say equals what is stored and what was
//     refused, to the last digit, or [Run] ends with [ErrTotals].
//   - It holds in memory one batch of rows, 16 bytes for each ref, and the ids of
//     payments that were paid. A dry run holds everything that it would store.
//
// See docs/import.md.
package importer
