package servertest

import (
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/internal/api"
)

// A scenario is a story of several calls with the same results on the engine and
// through the client.
type scenario struct {
	name string
	rule string // printed when it fails
	run  func(s *scene)
}

func scenarios() []scenario {
	return []scenario{
		{"S a shop's year", "rules 3 to 5: sales by code, link and email, refunds and deletes, and the totals of all of them", shopYear},
		{"S pages", "contract 1.7: affiliate.Each over a list gives every record once, newest first", scenePages},
		{"S previews", "rule 3.6: the preview names every failing rule, and the sale is refused for the first", scenePreviews},
		{"S lines", "contract 2.6, Line: a code takes its discount off the lines of its products, and a refund names lines", sceneLines},
		{"S rules", "contract 2.9, Rule: for each line the first rule that holds decides", sceneRules},
		{"S conversions", "contract 3.7: a customer has each conversion once, and a rule pays it by its name", sceneConversions},
		{"S budget", "rewards R2 to R4: sales at once share what a budget has, to the cent, and what comes back is for whoever comes next", sceneBudget},
		{"S bonus", "rewards R10: whoever grants at once, each bonus is given once, and the last ones are taken back with refunds", sceneBonus},
		{"S at once", "terms T13 and T15: payments of one customer at once have numbers one after the other, and share what the cap leaves", sceneAtOnce},
		{"S dates", "contract 2.9, DatedTerms: terms begin at a date, and can be taken back until then", sceneDates},
		{"S updates", "contract 1.3: what is not given stays, null clears", sceneUpdates},
		{"S repeats", "contract 1.8: a key gives the first answer again", sceneRepeats},
		{"S payouts", "money 2 to 4: what is paid, taken back, adjusted and paid again", scenePayouts},
		{"S runs", "money 6, 9 and 10: what a run pays, statements, how a commission came about", sceneRuns},
		{"S endpoints", "contract 4.2: endpoints, their secrets, their deliveries", sceneEndpoints},
		{"S reasons", "errors.Is tells every reason on the engine and over the wire", sceneReasons},
		{"S misses", "contract 1.6: a look-up that misses is ErrNotFound, a list that finds nothing is empty", sceneMisses},
	}
}

// scenarioCases makes a case of each scenario, through the client.
func scenarioCases() []serverCase {
	var cases []serverCase
	for _, sc := range scenarios() {
		cases = append(cases, serverCase{sc.name, sc.rule, func(x *exam) {
			c, err := client.New(x.base, x.server.Key, client.Config{HTTP: x.http, PlainHTTP: true, MaxRetries: -1})
			if err != nil {
				x.fatal(Failure{"client.New", "a client", err.Error()})
			}
			sc.run(&scene{Operations: api.Of(c), exam: x})
		}})
	}
	return cases
}
