// Package affiliate is an affiliate-program engine for embedding: coupons,
// promotional codes, affiliates, links, clicks, referrals, sales, commissions,
// payouts, and an event for every change.
//
// # The nouns
//
// An [Affiliate] is a person who promotes the program through links (a [Link]
// is a slug) and promotional codes. A [Coupon] says what comes off an order; a
// [Code] is what a customer types at checkout, and belongs to a coupon and,
// most of the time, to an affiliate. A [Click] is a visit through a link. A
// [Referral] is a customer who came through an affiliate. A [Sale] is one of
// their payments, with the [Commission] it earned; a [Payout] gathers
// commissions that are paid together.
//
// # The program
//
// A [Program] holds every rule as a method. It stands on a [Store], which keeps
// records and knows nothing else: package memstore keeps them in memory.
//
//	program, err := affiliate.New(memstore.New(), affiliate.Config{
//		Name:  "Northwind Beans",
//		Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")},
//	})
//
// # What is promised
//
//   - A method that returns an error has changed nothing. Everything a method
//     writes, its events included, commits together or not at all.
//   - With room for L redemptions and N callers at once, exactly L succeed.
//   - A payment counts once: a sale with a known external id is a duplicate,
//     for ever, and says so.
//   - [Program.Evaluate], the preview of a code, runs the very function that
//     recording a sale runs, and both name every failing rule.
//   - Money is exact: an [Amount] is an integer count of 1/10,000, every sum is
//     checked, and there is one rounding function.
//   - [Program.Verify] recomputes the books from the records.
//
// # Errors
//
// What a caller can fix is an [*Error] with a [Reason]:
//
//	if errors.Is(err, affiliate.SlugTaken) { … }
//
// A look-up that finds nothing is [ErrNotFound]. Any other error is internal:
// the store or the host's own functions failed, and clients must not see why.
//
// # Events
//
// Every change writes an [Event] in its own transaction: fifteen types, the
// object as it is after the change, a revision that rises by one for each event
// of an object. Nothing is fired by a read, a refusal, or an update that
// changes nothing.
//
// There are four ways to hear of them: an [Endpoint], to which a dispatcher
// (webhooks.Sender, or one on [Program.ClaimDeliveries]) delivers at least once;
// [Program.Follow] and [Program.EventsAfter], in the order of the commits, for
// a reader that keeps its position; [Hooks], in process, with the record before
// and after, for what may be lost; and [Program.Events], a list.
//
// # Time, ids, randomness
//
// They come from [Config] and are taken before a transaction begins, so that a
// test owns them and a store may run a closure again.
package affiliate

// A map of the rooms, for those who change this package. An operation uses the
// types of its noun, a type never an operation; internal/figures holds the files
// to both.
//
//   - Values: amount, percent, currency, time, opt, enum, text, metadata. They and internal/ know no rule of the program.
//   - Records: record*, store, same. A field here is a field in every store: begin with package conformance.
//   - Refusals: errors, refusal*, input. New ones are welcome; those that are there are promised to clients.
//   - Program: program, config, op, once*, list, filter, panic, ping. All operations run on it: measure before and after.
//   - Nouns: affiliate*, click*, code*, coupon*, link*, payout*, plan*, referral*, sale*, tier*. Begin here. The types
//     are in noun.go, an operation each in noun_create, noun_update, …, the checks in noun_rules, the answer in noun_view.
//   - Money: commission, rate, redeem, redemption, totals. A change here needs a row in the model tests.
//   - Events: event*, body, encode*. Clients read them byte by byte: add members, change none.
//   - Deliveries: webhook*. The way of one is webhook_outbox, webhook_claim_take, webhook_settle; docs/webhooks.md first.
//   - Upkeep: erase, person, prune. They must know every field that may name a person.
//   - Audit: verify*. It recomputes the books from the records alone: a rule is written here a second time.
