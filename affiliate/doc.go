// Package affiliate has the words of a program: what goes into its methods and comes
// out of them, values such as [Amount], the reasons of refusals, events, and their JSON.
// It knows neither a store nor a program: package tributary has those.
//
// # The nouns
//
// An [Affiliate] is a person who promotes the program through links (a [Link]
// is a slug) and promotional codes. A [Coupon] defines a discount. A [Code] is
// what a customer types at checkout; it belongs to a coupon and usually to an
// affiliate. A [Click] is a visit through a link. A [Referral] is a customer
// who came through an affiliate. A [Sale] is a payment of a customer, with the
// [Commission] that it earned. A [Payout] is a set of commissions that are paid
// together.
//
// # Errors
//
// An error that a caller can fix is an [*Error] with a [Reason]:
//
//	if errors.Is(err, affiliate.SlugTaken) { … }
//
// A look-up that finds nothing returns [ErrNotFound]. Any other error is
// internal: the store or a function of the host failed, and clients must not
// see the cause.
//
// # Events
//
// Every change writes an [Event] in the same transaction. There are fifteen
// types. An event has the object after the change, and a revision that rises by
// one with each event of the object. A read, a refusal and an update that
// changes nothing fire no event.
//
// There are four ways to get events. A dispatcher (webhooks.Sender, or one that
// uses Webhooks.ClaimDeliveries) delivers them to an [Endpoint] at least once.
// Program.Follow and Program.EventsAfter give them in the order of the
// commits to a reader that stores its position. record.Hooks get the record
// before and after each change in process, but may miss one when the process
// ends. Program.Events lists them.
package affiliate
