// Package paging ends the reading of a list that does not end by itself.
package paging

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/tributary-go/tributary/pay/adapter"
)

// most is the largest number of pages of a list.
const most = 20_000

// Pages are those of one list that were read.
type Pages struct {
	read int
	seen map[[sha256.Size]byte]struct{} // first objects
}

// Next refuses a page that is none of a list, that was there before, or that is empty though more shall
// come, and more pages than a list has.
//
// Errors: [adapter.ErrAnswer].
func (p *Pages) Next(path string, objects []json.RawMessage, more bool) error {
	p.read++
	switch {
	case objects == nil:
		return fmt.Errorf("%w of %s: there is no list", adapter.ErrAnswer, path)
	case len(objects) == 0 && more:
		return fmt.Errorf("%w of %s: a page is empty, and others shall come", adapter.ErrAnswer, path)
	case p.read > most:
		return fmt.Errorf("%w of %s: it has more than %d pages", adapter.ErrAnswer, path, most)
	case len(objects) == 0:
		return nil
	}
	first := sha256.Sum256(objects[0])
	if _, again := p.seen[first]; again {
		return fmt.Errorf("%w of %s: a page comes again, and the list would not end", adapter.ErrAnswer, path)
	}
	if p.seen == nil {
		p.seen = map[[sha256.Size]byte]struct{}{}
	}
	p.seen[first] = struct{}{}
	return nil
}

// Numbered is Next for page n of a list that says with each which one is the last. One that does not say it is refused too.
//
// Errors: [adapter.ErrAnswer].
func (p *Pages) Numbered(path string, objects []json.RawMessage, n, last int) error {
	if err := p.Next(path, objects, n < last); err != nil {
		return err
	}
	if len(objects) > 0 && last < n {
		return fmt.Errorf("%w of %s: it does not say how many pages there are", adapter.ErrAnswer, path)
	}
	return nil
}
