// Package affiliate has the words of a program: what goes into its methods and comes
// out of them, values such as [Amount], the reasons of refusals, events, and their JSON.
// It knows neither a store nor a program: package tributary has those.
package affiliate
