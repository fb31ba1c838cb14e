package robustness

// plants are the planted bugs.
var plants []plant

// plantNamed is the planted bug of a name; none for the empty name.
func plantNamed(name string) plant {
	for _, pl := range plants {
		if pl.name == name {
			return pl
		}
	}
	return plant{}
}
