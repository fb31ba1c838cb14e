package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate"
)

// A Folder is an export in a folder. The files of the [Services] are found by
// their names: affiliates, links, coupons, customers, commissions and payouts, each
// .json or .csv, and each may be missing. For another service mapping.json lists the
// files, and says of each what its columns mean: docs/import.md describes it.
type Folder struct {
	FS       fs.FS
	Service  string                 // one of Services
	Discount affiliate.CouponParams // see Files.Discount
	Location *time.Location         // the program's; see Files.Location and Mapping.Location
	Currency affiliate.Currency     // the program's; see Mapping.Currency

	// Parameter is that of the program's links, as Config.Param says it: further to those of
	// the service it has the slug of an address. Empty: ref.
	Parameter string

	// PaidBefore says which commissions a service has paid that does not say it: the accepted
	// ones of sales before it. Bonuses lets a service that does not say what the customers
	// paid have its commissions as bonuses. Without them such a service is an error.
	PaidBefore time.Time
	Bonuses    bool
}

// mappingFile says what the files of a CSV export mean.
const mappingFile = "mapping.json"

// Open opens the files. Call closeAll after the run.
//
// Errors: the service is unknown, none of its files is there, a file is there as .json
// and as .csv or cannot be read twice, or mapping.json is invalid.
func (d Folder) Open() (src Source, closeAll func(), err error) {
	var opened []fs.File
	closeAll = func() {
		for _, f := range opened {
			_ = f.Close() // nothing was written
		}
	}
	open := func(name string) (io.Reader, error) {
		f, err := d.FS.Open(name)
		if err != nil {
			return nil, err
		}
		opened = append(opened, f)
		seeker, ok := f.(io.ReadSeeker)
		if !ok {
			return nil, fmt.Errorf("%s cannot be read twice", name)
		}
		return &namedFile{seeker, name}, nil
	}
	if src, err = d.source(open); err != nil {
		closeAll()
		return nil, nil, err
	}
	return src, closeAll, nil
}

// source returns the rows of the files.
func (d Folder) source(open func(string) (io.Reader, error)) (Source, error) {
	if _, known := services[d.Service]; !known && (d.Bonuses || !d.PaidBefore.IsZero()) {
		return nil, fmt.Errorf("-bonuses and -paid-before are not for %s", d.Service)
	}
	switch d.Service {
	case "rewardful", "dub":
		files, err := d.files(open)
		if err != nil {
			return nil, err
		}
		if d.Service == "dub" {
			return Dub(files), nil
		}
		return Rewardful(files), nil
	case "csv":
		return d.mapped(open)
	}
	if _, known := services[d.Service]; known {
		return d.declared(open)
	}
	return nil, fmt.Errorf("the service is %q, it must be one of %s", d.Service, strings.Join(Services(), ", "))
}

// files opens the files of Rewardful or Dub that are there.
func (d Folder) files(open func(string) (io.Reader, error)) (Files, error) {
	files := Files{Discount: d.Discount, Location: d.Location}
	found := false
	for name, to := range map[string]*io.Reader{
		"affiliates": &files.Affiliates, "links": &files.Links, "coupons": &files.Coupons,
		"customers": &files.Customers, "commissions": &files.Commissions, "payouts": &files.Payouts,
	} {
		f, err := d.either(open, name)
		if err != nil {
			return files, err
		}
		if f != nil {
			*to, found = f, true
		}
	}
	if !found {
		return files, errors.New("the folder has none of the files " +
			strings.Join([]string{"affiliates", "links", "coupons", "customers", "commissions",
				"payouts"}, ", ") + " (.json or .csv)")
	}
	return files, nil
}

// A namedFile has the name under which reports list it.
type namedFile struct {
	io.ReadSeeker
	name string
}

func (f *namedFile) Name() string { return f.name }

// A fileMapping is an entry of mapping.json. See [Mapping].
type fileMapping struct {
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
	var list []fileMapping
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
func (d Folder) mapping(entry *fileMapping) (Mapping, error) {
	m := Mapping{
		Kind: entry.Kind, Columns: entry.Columns, Values: entry.Values, Status: entry.Status,
		Cents: entry.Cents, Optional: entry.Optional, Location: d.Location, Layouts: entry.Layouts,
		Currency: cmp.Or(entry.Currency, d.Currency), Service: entry.Service,
		Provider: entry.Provider, Words: entry.Words, Only: entry.Only, Table: entry.Table,
		List: entry.List, Parameters: append(entry.Parameters, cmp.Or(d.Parameter, "ref")),
		Leads: entry.Leads,
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
