// Package tributary is an affiliate-program engine for embedding: coupons,
// promotional codes, affiliates, links, clicks, referrals, sales, commissions,
// payouts, and an event for every change.
//
// # What do I call to …
//
//   - price a code, or hear every reason against it: [Program.Evaluate]; keep its place and its price while the customer pays: [Program.HoldRedemption], [Program.ReleaseHold]
//   - report a paid order: [Program.RecordSale]; a refund: [Program.RefundSale]; an order that never was: [Program.ReverseSale]; a redemption to give back: [Program.RestoreRedemption]
//   - report a sign-up, a trial or a lead that earns: [Program.RecordConversion]
//   - report what a payment provider says, in any order: [Payments.ReportPayment], [Payments.ReportSubscription]
//   - take on an affiliate: [Program.CreateAffiliate], [Program.InviteAffiliate]; give them a link: [Program.CreateLink]
//   - offer a discount: [Program.CreateCoupon], then [Program.CreateCode] or [Program.GenerateCodes]
//   - count a visit: [Program.TrackClick]; sign up a customer: [Program.CreateReferral]
//   - pay everybody to whom enough is due: [Program.PreviewPayouts], [Program.RunPayouts]; one affiliate: [Program.CreatePayout]; say what became of it: [Program.SetPayoutStatus], [Program.FailPayout]
//   - say what an affiliate has: [Program.Balance], [Program.Statement]; why a sale earned it: [Program.ExplainSale]; give or take an amount: [Program.RecordAdjustment]
//   - set who earns how much: [Config] (Terms), [Program.CreatePlan], [Program.CreateTier]; ask what other terms had cost: [Program.Simulate]
//   - decide what is held: [Program.Attention], [Program.ReviewCommissions], [Program.AcceptRedemption]
//   - tell other systems: [Program.Webhooks]; be told in process: [record.Hooks], [Program.Follow]
//   - list, filter and search: [Program.Sales], [Program.Affiliates] and the other plurals, with a query and a page; walk a list to its end: [affiliate.All]
//   - repeat a call without a second effect: [affiliate.Once], [Program.Keyed]
//   - write in a transaction of the host: [Program.With], and In of pgstore
//   - bring over another program: [Program.Imports] and package importer, first in a [Program.Rehearsal]
//   - delete what is old: [Program.Run] of an [affiliate.RetainJob]; a person: [Program.EraseAffiliate], [Program.EraseReferral]
//   - check the books: [Program.Verify]
//   - serve it over HTTP: package httpapi; test what uses it: package memstore
//
// docs/README.md in the repository has a page for each task.
//
// # The program
//
// A [Program] has every rule as a method. It uses a [record.Store], which only stores
// records: package memstore keeps them in memory.
//
//	program, err := tributary.New(memstore.New(), tributary.Config{
//		Name:  "Northwind Beans",
//		Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")},
//	})
//
// # What is promised
//
//   - A refusal has changed nothing. A job of many transactions, such as
//     [Program.RunPayouts], says what an error leaves. All other writes of a
//     method, including its events, are committed together or not at all.
//   - With a limit of L redemptions and more callers at once, exactly L succeed.
//   - A payment counts once: a sale with the external id of an existing sale is a duplicate, and the result says so.
//   - [Program.Evaluate], the preview of a code, uses the same function as recording a sale, and both name every failing rule.
//   - Money is exact: an [affiliate.Amount] is an integer count of 1/10,000, every sum is
//     checked, and there is one rounding function.
//   - [Program.Verify] recomputes the books from the records.
//   - Time, ids and randomness come from [Config], so a test controls them.
//
// Package affiliate has the words: the nouns, errors and events. Package
// [github.com/tributary-go/tributary/affiliate/record] has what a store keeps.
package tributary
