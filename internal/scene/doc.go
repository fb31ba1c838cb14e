// Package scene is what tests of the engine begin with: a [World] is a program with a
// clock that the test sets, and a [Shop], a [CodeShop], a [PayShop] and a [Ledger] have
// the affiliates, customers, sales and endpoints that many tests need. Its functions
// fail the test, or panic, when a step fails that is not what the test is about.
package scene
