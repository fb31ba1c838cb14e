// Package moving is the command line of an import: it opens the folder of an
// export, runs the import and prints its report.
package moving

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/importer"
)

// A Folder is an export in a folder. The files of Rewardful and of Dub are told
// by their names, affiliates.json or affiliates.csv and so on; those of another
// service by mapping.json.
type Folder struct {
	FS       fs.FS
	Service  string              // rewardful, dub or csv
	Discount affiliate.NewCoupon // of Rewardful's coupons
	Config   tributary.Config    // of the program: its zone
}

// mappingFile says what the files of a CSV export mean.
const mappingFile = "mapping.json"

// Open opens the files. Close them after the run.
func (d Folder) Open() (importer.Source, func(), error) {
	var opened []fs.File
	closeAll := func() {
		for _, f := range opened {
			_ = f.Close() // they were read only
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
		return &named{seeker, name}, nil
	}
	src, err := d.source(open)
	if err != nil {
		closeAll()
		return nil, nil, err
	}
	return src, closeAll, nil
}

// source is the source of the service.
func (d Folder) source(open func(string) (io.Reader, error)) (importer.Source, error) {
	switch d.Service {
	case "rewardful", "dub":
		files, err := d.files(open)
		if err != nil {
			return nil, err
		}
		if d.Service == "dub" {
			return importer.Dub(files), nil
		}
		return importer.Rewardful(files), nil
	case "csv":
		return d.mapped(open)
	}
	return nil, fmt.Errorf("the service is %q, it must be rewardful, dub or csv", d.Service)
}

// files are the files of Rewardful or Dub that are there.
func (d Folder) files(open func(string) (io.Reader, error)) (importer.Files, error) {
	files := importer.Files{Discount: d.Discount, Location: d.Config.Location}
	found := false
	for name, to := range map[string]*io.Reader{
		"affiliates": &files.Affiliates, "links": &files.Links, "coupons": &files.Coupons,
		"customers": &files.Customers, "commissions": &files.Commissions, "payouts": &files.Payouts,
	} {
		for _, ending := range []string{".json", ".csv"} {
			f, err := open(name + ending)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return files, err
			}
			if *to != nil {
				return files, fmt.Errorf("there are both %s.json and %s.csv", name, name)
			}
			*to, found = f, true
		}
	}
	if !found {
		return files, errors.New("there is none of the files " + strings.Join([]string{"affiliates", "links", "coupons", "customers", "commissions", "payouts"}, ", ") + " (.json or .csv)")
	}
	return files, nil
}

// A named file has the name that reports give it.
type named struct {
	io.ReadSeeker
	name string
}

func (f *named) Name() string { return f.name }
