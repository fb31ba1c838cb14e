package sqlitestore_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// A disk is what SQLite takes for the file system. It notes in their order all changes
// that it is asked for, so that a test can say what a loss of power would have left of
// them. The files are ordinary ones beside that: locks and the index of the log work as
// ever.
type disk struct {
	vfs.VFS
	folder string
	name   string // as a VFS

	mu    sync.Mutex
	steps []step
	files map[string]int // the numbers of the files that have a name
	made  int            // files
}

// A step is a change of a disk, or a mark of the test.
type step struct {
	kind kind
	file int
	name string // of the file, without its folder
	at   int64  // where it writes, its size, or the number of a change
	data []byte
}

type kind int

const (
	written   kind = iota
	truncated      // to a size
	grown          // to a size, if the file was smaller
	flushed        // what was done to the file is on the disk
	linked         // the file has the name
	unlinked       // no file has the name
	namesFlushed
	ran      // mark: the closure of a change has run
	returned // mark: the Update of a change has returned
)

var disks atomic.Int64

// newDisk returns a disk with files in a folder that is empty, until its name is
// unregistered.
func newDisk(tb testing.TB, folder string, files map[string][]byte) *disk {
	tb.Helper()
	d := &disk{VFS: vfs.Find("os"), folder: folder, name: fmt.Sprint("disk-", disks.Add(1)), files: map[string]int{}}
	for name, data := range files {
		must(0, os.WriteFile(filepath.Join(folder, name), data, 0o600))
		n := d.number(name)
		d.steps = append(d.steps, step{kind: written, file: n, data: data}, step{kind: flushed, file: n}, step{kind: namesFlushed})
	}
	vfs.Register(d.name, d)
	return d
}

// path is the database of the disk.
func (d *disk) path() string { return filepath.Join(d.folder, "program.db") }

// number returns the number of the file that has a name.
func (d *disk) number(name string) int {
	n, ok := d.files[name]
	if !ok {
		n = d.made
		d.made++
		d.files[name] = n
		d.steps = append(d.steps, step{kind: linked, file: n, name: name})
	}
	return n
}

// do does something and notes it, unless it fails.
func (d *disk) do(s step, change func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := change()
	if err == nil {
		d.steps = append(d.steps, s)
	}
	return err
}

// mark notes that a change has come so far.
func (d *disk) mark(k kind, change int) {
	_ = d.do(step{kind: k, at: int64(change)}, func() error { return nil })
}

func (d *disk) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	file, out, err := vfsutil.WrapOpenFilename(d.VFS, name, flags)
	journal := flags&(vfs.OPEN_WAL|vfs.OPEN_MAIN_JOURNAL) != 0
	if err != nil || !journal && flags&vfs.OPEN_MAIN_DB == 0 {
		return file, out, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	base := filepath.Base(name.String())
	return &diskFile{File: file, disk: d, number: d.number(base), name: base, unnamed: journal && flags&vfs.OPEN_CREATE != 0}, out, nil
}

func (d *disk) Delete(name string, syncDir bool) error {
	base := filepath.Base(name)
	err := d.do(step{kind: unlinked, name: base}, func() error {
		err := d.VFS.Delete(name, false)
		if err == nil {
			delete(d.files, base)
		}
		return err
	})
	if err == nil && syncDir {
		d.mark(namesFlushed, 0)
	}
	return err
}

// A diskFile is an open file of a disk.
type diskFile struct {
	vfs.File
	disk    *disk
	number  int
	name    string
	unnamed bool // the first flush takes its name to the disk too, as that of the operating system does
}

func (f *diskFile) do(k kind, at int64, data []byte, change func() error) error {
	return f.disk.do(step{k, f.number, f.name, at, data}, change)
}

func (f *diskFile) WriteAt(p []byte, off int64) (n int, err error) {
	err = f.do(written, off, bytes.Clone(p), func() (err error) {
		n, err = f.File.WriteAt(p, off)
		return err
	})
	return n, err
}

func (f *diskFile) Truncate(size int64) error {
	return f.do(truncated, size, nil, func() error { return f.File.Truncate(size) })
}

func (f *diskFile) SizeHint(size int64) error {
	return f.do(grown, size, nil, func() error { return vfsutil.WrapSizeHint(f.File, size) })
}

// Sync only notes that it was called: nothing here outlives the process anyway.
func (f *diskFile) Sync(vfs.SyncFlag) error {
	err := f.do(flushed, 0, nil, func() error { return nil })
	if f.unnamed {
		f.unnamed = false
		f.disk.mark(namesFlushed, 0)
	}
	return err
}

func (f *diskFile) SharedMemory() vfs.SharedMemory { return vfsutil.WrapSharedMemory(f.File) }

func (f *diskFile) HasMoved() (bool, error) { return vfsutil.WrapHasMoved(f.File) }

// A platter is what is on a disk after some of its steps.
type platter struct {
	names   map[string]int
	renames []step // links and unlinks that may be there
	files   map[int]*content

	ran, returned, flushed int // the last change of which a closure has run, that has returned, and that a flush of the log has taken to the disk

	steps  int    // that it has done
	honest int    // steps after which it begins to lie
	lies   string // files whose names end in it are then not flushed
}

// never is the number of steps after which an honest disk begins to lie.
const never = math.MaxInt

func newPlatter(honest int, lies string) *platter {
	return &platter{names: map[string]int{}, files: map[int]*content{}, honest: honest, lies: lies}
}

// A content is what a file has for sure, and the changes that may be there too.
type content struct {
	sure    []byte
	perhaps []step
}

func (p *platter) do(s step) {
	p.steps++
	f := p.files[s.file]
	if f == nil {
		f = &content{}
		p.files[s.file] = f
	}
	switch s.kind {
	case written, truncated, grown:
		f.perhaps = append(f.perhaps, s)
	case flushed:
		if p.steps > p.honest && strings.HasSuffix(s.name, p.lies) {
			return
		}
		for _, s := range f.perhaps {
			f.sure = s.on(f.sure)
		}
		f.perhaps = nil
		if strings.HasSuffix(s.name, "-wal") {
			p.flushed = p.returned
		}
	case linked, unlinked:
		p.renames = append(p.renames, s)
	case namesFlushed:
		for _, s := range p.renames {
			s.in(p.names)
		}
		p.renames = nil
	case ran:
		p.ran = int(s.at)
	case returned:
		p.returned = max(p.returned, int(s.at))
	}
}

// cut returns the files that are there after a loss of power. Of the changes that were
// not flushed any may be there, in any order, and of a write any sectors.
func (p *platter) cut(r *rand.Rand) map[string][]byte {
	names := maps.Clone(p.names)
	for _, s := range p.renames {
		if r.IntN(2) == 0 {
			s.in(names)
		}
	}
	files := map[string][]byte{}
	for name, n := range names {
		files[name] = p.files[n].cut(r)
	}
	return files
}

func (c *content) cut(r *rand.Rand) []byte {
	odds := [...]float64{0, 0.1, 0.5, 0.9, 1}[r.IntN(5)]
	sector := [...]int64{512, 4096, 1 << 40}[r.IntN(3)]
	var there []step
	for _, s := range c.perhaps {
		for _, part := range s.torn(sector) {
			if r.Float64() < odds {
				there = append(there, part)
			}
		}
	}
	if r.IntN(2) == 0 {
		r.Shuffle(len(there), func(i, j int) { there[i], there[j] = there[j], there[i] })
	}
	data := bytes.Clone(c.sure)
	for _, s := range there {
		data = s.on(data)
	}
	return data
}

// torn returns a step in parts that end where sectors do.
func (s step) torn(sector int64) (parts []step) {
	for s.kind == written {
		n := sector - s.at%sector
		if n >= int64(len(s.data)) {
			break
		}
		head := s
		head.data = s.data[:n]
		parts = append(parts, head)
		s.at, s.data = s.at+n, s.data[n:]
	}
	return append(parts, s)
}

// on returns the content of a file after a step.
func (s step) on(data []byte) []byte {
	size := max(int64(len(data)), s.at+int64(len(s.data)))
	if s.kind == truncated {
		size = s.at
	}
	if more := size - int64(len(data)); more > 0 {
		data = append(data, make([]byte, more)...)
	}
	copy(data[min(s.at, size):], s.data)
	return data[:size]
}

// in does a step to the names of a folder.
func (s step) in(names map[string]int) {
	delete(names, s.name)
	if s.kind == linked {
		names[s.name] = s.file
	}
}
