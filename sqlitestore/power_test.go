package sqlitestore_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/twins"
	"github.com/tributary-go/tributary/sqlitestore"
)

// TestPowerLoss: whenever the power fails, and whatever of the unflushed writes is on the
// disk then, the file is opened again, is whole, and holds what was changed up to some
// moment, byte by byte. With Full that moment is not before the last change that was
// acknowledged, with Normal not before the last one of before the log was last flushed.
// TRIBUTARY_POWER_CUTS is the number of times in each of them; a release has 1,000.
//
// A disk that says to have flushed what it has not must be found out.
func TestPowerLoss(t *testing.T) {
	const each = 200 // cuts of a story
	for name, mode := range map[string]sqlitestore.Sync{"Full": sqlitestore.Full, "Normal": sqlitestore.Normal} {
		t.Run(name, func(t *testing.T) {
			cuts := number("TRIBUTARY_POWER_CUTS", 8)
			for seed := uint64(1); cuts > 0; seed++ {
				s, n := tell(t, mode, seed), min(cuts, each)
				if cuts -= n; mode == sqlitestore.Full {
					s.mustHold(t, n, func(p *platter) int { return p.returned })
					for _, lies := range []string{"", "-wal", ".db"} {
						s.mustFail(t, 0, lies)
					}
					continue
				}
				s.mustHold(t, n, func(p *platter) int { return p.flushed })
				s.mustFail(t, never, "") // what Normal may lose it does lose
			}
		})
	}
}

// A powerStory is a program whose store is on a disk, and what has happened to it.
type powerStory struct {
	disk     *disk
	cfg      sqlitestore.Config
	rand     *rand.Rand
	programs []*tributary.Program
	seed     uint64

	*sqlitestore.Store
	mu      sync.Mutex
	changes []change
}

// A change is what the closure of an Update has written: the texts of records by their
// places. An empty one is that of a record that was deleted.
type change map[string]string

// tell makes every call on two programs. Every few calls something happens besides: sales
// at once on a third one, a checkpoint, a View that outlives some changes, or the store
// is opened again.
func tell(t *testing.T, mode sqlitestore.Sync, seed uint64) *powerStory {
	t.Helper()
	s := &powerStory{disk: newDisk(t, t.TempDir(), nil), rand: rand.New(rand.NewPCG(seed, uint64(mode))), seed: seed}
	t.Cleanup(func() { vfs.Unregister(s.disk.name) })
	pages := []int{20, 100, 1000}[s.rand.IntN(3)]
	s.cfg = sqlitestore.Config{Sync: mode}.WithURI(fmt.Sprintf("&vfs=%s&_pragma=wal_autocheckpoint(%d)", s.disk.name, pages))
	s.open(t)
	hot := newProgram(t, s)
	furnish(t, hot)
	now := time.Date(2026, 3, 11, 9, 24, 18, 442_000_000, time.UTC)
	s.programs = append(twins.All(t, eventfulStore{s, func() { s.happen(t, hot) }}, &now), hot)
	must(0, s.Close())
	return s
}

func (s *powerStory) open(t *testing.T) {
	t.Helper()
	store := must(sqlitestore.Open(t.Context(), s.disk.path(), s.cfg))
	s.Store = store
}

// happen does one of the things that happen besides.
func (s *powerStory) happen(t *testing.T, hot *tributary.Program) {
	order := fmt.Sprint("order-", len(s.changes), "-")
	atOnce := func(sales int) {
		var wg sync.WaitGroup
		for i := range sales {
			wg.Go(func() {
				if err := sell(context.Background(), hot, fmt.Sprint(order, i)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	checkpoint := func() {
		mode := []string{"PASSIVE", "FULL", "RESTART", "TRUNCATE"}[s.rand.IntN(4)]
		conn := must(sqlite3.Open("file:" + s.disk.path() + "?vfs=" + s.disk.name))
		if err := errors.Join(conn.Exec("PRAGMA wal_checkpoint("+mode+")"), conn.Close()); err != nil {
			t.Error(err)
		}
	}
	switch s.rand.IntN(4) {
	case 0:
		atOnce(8)
	case 1:
		checkpoint()
	case 2:
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		s.open(t)
	case 3:
		err := s.View(t.Context(), programID, func(tx *record.Tx) error {
			_, err := tx.Links.Get(uuid.New())
			atOnce(2)
			checkpoint()
			return err
		})
		if err == nil {
			t.Error("there is a link with a new id")
		}
	}
}

// Update notes what fn writes, and when it is acknowledged.
func (s *powerStory) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	number := 0
	err := s.Store.Update(ctx, program, func(tx *record.Tx) error {
		wrote := change{}
		noted := *tx
		for _, table := range record.Schema() {
			table.Set(&noted, notedTable{table.In(tx), program.String() + " " + table.Name + " ", wrote})
		}
		if err := fn(&noted); err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changes = append(s.changes, wrote)
		number = len(s.changes)
		s.disk.mark(ran, number)
		return nil
	})
	switch {
	case err == nil:
		s.disk.mark(returned, number)
	case number > 0:
		panic(err) // the closure had returned nil
	}
	return err
}

type notedTable struct {
	record.Table[record.AnyRecord]
	place string
	wrote change
}

func (t notedTable) Insert(rec record.AnyRecord) error {
	return t.note(t.Table.Insert(rec), rec.RecordID(), plain(rec))
}

func (t notedTable) Replace(rec record.AnyRecord) error {
	return t.note(t.Table.Replace(rec), rec.RecordID(), plain(rec))
}

func (t notedTable) Delete(id uuid.UUID) error { return t.note(t.Table.Delete(id), id, "") }

func (t notedTable) note(err error, id uuid.UUID, text string) error {
	if err == nil {
		t.wrote[t.place+id.String()] = text
	}
	return err
}

// plain returns a record as text. An empty list is one that is not there.
func plain(rec record.AnyRecord) string {
	return strings.ReplaceAll(string(must(json.Marshal(rec))), ":[]", ":null")
}

// eventfulStore is a store where something happens besides after every few Updates.
type eventfulStore struct {
	*powerStory
	happen func()
}

func (e eventfulStore) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	err := e.powerStory.Update(ctx, program, fn)
	if e.rand.IntN(8) == 0 {
		e.happen()
	}
	return err
}

// mustHold cuts the power at so many moments. least says how many changes must be there.
func (s *powerStory) mustHold(t *testing.T, cuts int, least func(*platter) int) {
	t.Helper()
	for i, left := range s.cuts(newPlatter(never, ""), 0, cuts) {
		if err := s.check(t, left.cut, least(left.platter), left.ran, i%4 == 0); err != nil {
			t.Errorf("story %d, cut %d after step %d: %v", s.seed, i, left.steps, err)
		}
	}
}

// mustFail cuts the power in the second half of the story, of which a disk may lie about
// some files, until the loss of a change that was acknowledged is noticed.
func (s *powerStory) mustFail(t *testing.T, honest int, lies string) {
	t.Helper()
	half := len(s.disk.steps) / 2
	for i, left := range s.cuts(newPlatter(max(half, honest), lies), half, 60) {
		if err := s.check(t, left.cut, left.returned, left.ran, true); err != nil {
			t.Logf("%q: noticed at cut %d: %v", lies, i, err)
			return
		}
	}
	t.Errorf("%q: no loss is noticed", lies)
}

// A loss is what is left when the power fails.
type loss struct {
	*platter
	cut map[string][]byte
}

// cuts returns so many losses, each with its number, in the order of their moments. Half
// of them are just after an acknowledgement.
func (s *powerStory) cuts(p *platter, from, n int) iter.Seq2[int, loss] {
	r := rand.New(rand.NewPCG(s.seed, 2))
	steps := s.disk.steps
	at := make([]int, n)
	for i := range at {
		at[i] = from + r.IntN(len(steps)-from)
		for i%2 == 0 && at[i] < len(steps)-1 && steps[at[i]].kind != returned {
			at[i]++
		}
	}
	slices.Sort(at)
	return func(yield func(int, loss) bool) {
		for i, step := range at {
			for p.steps <= step {
				p.do(steps[p.steps])
			}
			if !yield(i, loss{p, p.cut(r)}) {
				return
			}
		}
	}
}

// check opens what a loss of power has left: it must be what some number of changes have
// made. Unless an ordinary store opens it, the power fails once more meanwhile.
func (s *powerStory) check(t *testing.T, files map[string][]byte, least, most int, ordinary bool) error {
	dir := must(os.MkdirTemp(t.TempDir(), ""))
	defer os.RemoveAll(dir)
	if len(files)%2 == 0 { // an index of before, with anything in it
		files["program.db-shm"] = slices.Repeat([]byte("index"), 8000)
	}
	d := newDisk(t, dir, files)
	defer vfs.Unregister(d.name)
	if ordinary {
		_, err := s.reopen(t, d, "", least, most)
		return err
	}
	begin := len(d.steps)
	found, err := s.reopen(t, d, "&vfs="+d.name, least, most)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(uint64(len(d.steps)), 3))
	p, cut := newPlatter(never, ""), begin+r.IntN(len(d.steps)-begin+1)
	for _, step := range d.steps[:cut] {
		p.do(step)
	}
	if err := s.check(t, p.cut(r), found, found, true); err != nil {
		return fmt.Errorf("cut again at step %d of %d: %w", cut, len(d.steps), err)
	}
	return nil
}

// reopen opens files and compares the records with what the changes have made. It returns
// the number of changes that are there.
func (s *powerStory) reopen(t *testing.T, d *disk, uri string, least, most int) (int, error) {
	store, err := sqlitestore.Open(t.Context(), d.path(), sqlitestore.Config{}.WithURI(uri))
	if err != nil {
		return 0, err
	}
	n, err := s.compare(t, store, least, most)
	err = errors.Join(err, sound(d.path()), store.Update(t.Context(), uuid.New(), func(tx *record.Tx) error { // it goes on
		return tx.Links.Insert(record.Link{ID: uuid.New(), Slug: "new"})
	}))
	return n, errors.Join(err, store.Close())
}

// compare returns the number of changes that made what a store has.
func (s *powerStory) compare(t *testing.T, store *sqlitestore.Store, least, most int) (int, error) {
	got := map[string]string{}
	for _, p := range s.programs {
		err := store.View(t.Context(), p.Config().ID, func(tx *record.Tx) error {
			for _, table := range record.Schema() {
				for rec, err := range table.In(tx).List(record.Query{}) {
					if err != nil {
						return err
					}
					got[p.Config().ID.String()+" "+table.Name+" "+rec.RecordID().String()] = plain(rec)
				}
			}
			return nil
		})
		if err = cmp.Or(err, p.With(store).Verify(t.Context())); err != nil {
			return 0, err
		}
	}
	want := map[string]string{}
	for n := 0; n <= most; n++ {
		if n > 0 {
			for place, text := range s.changes[n-1] {
				if want[place] = text; text == "" {
					delete(want, place)
				}
			}
		}
		if n >= least && maps.Equal(want, got) {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%d records, not those of %d to %d changes", len(got), least, most)
}

// sound returns what SQLite finds wrong with a file.
func sound(path string) error {
	conn, err := sqlite3.Open("file:" + path)
	if err != nil {
		return err
	}
	defer conn.Close()
	stmt, _, err := conn.Prepare("PRAGMA integrity_check")
	if err != nil {
		return err
	}
	defer stmt.Close()
	for stmt.Step() {
		if line := stmt.ColumnText(0); line != "ok" {
			return errors.New(line)
		}
	}
	return stmt.Err()
}

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
