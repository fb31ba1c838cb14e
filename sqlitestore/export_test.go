package sqlitestore

// WithURI adds parameters to the URI by which every connection opens the file, each
// with an & before it.
func (c Config) WithURI(parameters string) Config {
	c.uri = parameters
	return c
}
