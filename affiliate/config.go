package affiliate

import "net/url"

// A Destination is a page of the host that links lead to.
type Destination struct {
	URL    string     // absolute; a query in it comes first
	Params url.Values // appended after the slug, in the order of their names
}
