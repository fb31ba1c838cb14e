package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate"
)

// A mappedFile is an entry of mapping.json. See [Mapping].
type mappedFile struct {
	File    string            `json:"file"`
	Kind    string            `json:"kind"`
	Columns map[string]string `json:"columns"`
	Values  map[string]string `json:"values"`
	Status  map[string]string `json:"status"`

	Words      map[string]map[string]string `json:"words"`
	Only       map[string][]string          `json:"only"`
	Parameters []string                     `json:"parameters"`
	Table      string                       `json:"table"`
	List       string                       `json:"list"`
	Leads      bool                         `json:"leads"`

	Optional []string           `json:"optional"`
	Comma    string             `json:"comma"`
	Decimal  string             `json:"decimal"`
	Cents    bool               `json:"cents"`
	Zone     string             `json:"zone"`
	Layouts  []string           `json:"layouts"`
	Currency affiliate.Currency `json:"currency"`
	Service  string             `json:"service"`
	Provider string             `json:"provider"`
}

// maxMapping is the largest size of mapping.json, in bytes.
const maxMapping = 1 << 20

// mapped opens the files that mapping.json lists.
func (d Folder) mapped(open func(string) (io.Reader, error)) (Source, error) {
	r, err := open(mappingFile)
	if err != nil {
		return nil, err
	}
	var list []mappedFile
	in := json.NewDecoder(io.LimitReader(r, maxMapping))
	in.DisallowUnknownFields()
	if err := in.Decode(&list); err != nil {
		return nil, fmt.Errorf("%s: %w", mappingFile, err)
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New(mappingFile + ": there is more than one list")
	}
	if len(list) == 0 {
		return nil, errors.New(mappingFile + " lists no file")
	}
	sources := make([]Source, 0, len(list))
	for _, entry := range list {
		m, err := d.mapping(&entry)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", mappingFile, entry.File, err)
		}
		f, err := open(entry.File)
		if err != nil {
			return nil, err
		}
		sources = append(sources, CSV(f, m))
	}
	return All(sources...), nil
}

// mapping reads an entry of mapping.json.
func (d Folder) mapping(entry *mappedFile) (Mapping, error) {
	m := Mapping{
		Kind: entry.Kind, Columns: entry.Columns, Values: entry.Values, Status: entry.Status, Cents: entry.Cents,
		Optional: entry.Optional, Location: d.Location, Layouts: entry.Layouts, Currency: cmp.Or(entry.Currency, d.Currency),
		Service: entry.Service, Provider: entry.Provider, Words: entry.Words, Only: entry.Only, Table: entry.Table, List: entry.List,
		Parameters: append(entry.Parameters, cmp.Or(d.Parameter, "ref")), Leads: entry.Leads,
	}
	var err error
	if m.Comma, err = character("comma", entry.Comma); err != nil {
		return m, err
	}
	if m.Decimal, err = character("decimal", entry.Decimal); err != nil {
		return m, err
	}
	if entry.Zone != "" {
		zone, err := time.LoadLocation(entry.Zone)
		if err != nil {
			return m, err
		}
		m.Location = zone
	}
	return m, nil
}

// character reads a member that holds one character, or none: zero.
func character(member, text string) (rune, error) {
	if text == "" {
		return 0, nil
	}
	r, size := utf8.DecodeRuneInString(text)
	if size != len(text) {
		return 0, fmt.Errorf("%s is %q, it must be one character", member, text)
	}
	return r, nil
}
