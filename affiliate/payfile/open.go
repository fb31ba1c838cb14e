package payfile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tributary-go/tributary/internal/sheet"
)

// open reads a file with a header: what stands behind it, and its columns.
func open(r io.Reader) (*csv.Reader, places, error) {
	text, err := textOf(r)
	if err != nil {
		return nil, places{}, fmt.Errorf("payfile: %w", err)
	}
	if strings.TrimSpace(text) == "" {
		return nil, places{}, errors.New("payfile: the file is empty")
	}
	var wrong error
	for _, separator := range ",;\t" {
		in := csv.NewReader(strings.NewReader(text))
		in.Comma, in.FieldsPerRecord = separator, -1
		header, err := in.Read()
		if err == nil && len(header) > 0 && strings.HasPrefix(strings.ToLower(strings.Join(header, "")), "sep=") {
			header, err = in.Read() // the first line only names the separator for spreadsheets
		}
		at, missing := find(header)
		if err == nil && missing == nil {
			return in, at, nil
		}
		if wrong == nil { // what is wrong is said of a file with commas
			if wrong = missing; err != nil {
				wrong = fmt.Errorf("payfile: %w", err)
			}
		}
	}
	return nil, places{}, wrong
}

// textOf returns the text of a file, with lines that end as Go reads them.
func textOf(r io.Reader) (string, error) {
	in, err := sheet.Text(r, 4096)
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(in)
	if bytes.HasSuffix(data, []byte{0xff}) {
		return "", errors.New("the file is not complete: half a character is at its end")
	}
	return lines.Replace(string(data)), err
}

var lines = strings.NewReplacer("\r\n", "\n", "\r", "\n")
