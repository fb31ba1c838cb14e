package sqlitestore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/sqlitestore"
)

// sellerFile has the path of a program for a process that records sales until it is
// killed: it prints the external id of each that was recorded.
const sellerFile = "TRIBUTARY_SELLER_FILE"

// fileLimitVariable is the size at which every file of that process ends.
const fileLimitVariable = "TRIBUTARY_SELLER_LIMIT"

// groupFile has the path of a file for a process that runs closures which write much.
const groupFile = "TRIBUTARY_GROUP_FILE"

func TestMain(m *testing.M) {
	for variable, work := range map[string]func(string) error{sellerFile: sellForever, moverFolder: moveForever, groupFile: fillGroups} {
		path := os.Getenv(variable)
		if path == "" {
			continue
		}
		if limit := number(fileLimitVariable, 0); limit > 0 {
			if err := limitFiles(uint64(limit)); err != nil {
				panic(err)
			}
		}
		if err := work(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

var programID = uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01")

func newProgram(tb testing.TB, store record.Store) *tributary.Program {
	tb.Helper()
	p := must(tributary.New(store, config()))
	return p
}

func config() tributary.Config {
	return tributary.Config{
		ID: programID, Name: "Northwind Beans", Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")},
	}
}

// furnish makes the code HOT20 of an affiliate.
func furnish(tb testing.TB, p *tributary.Program) {
	tb.Helper()
	a := must(p.CreateAffiliate(tb.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada"}))
	c := must(p.CreateCoupon(tb.Context(), affiliate.CouponParams{Name: "Autumn 20", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	must(p.CreateCode(tb.Context(), affiliate.CodeParams{CouponID: c.ID, Code: "HOT20", AffiliateID: a.ID}))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func sell(ctx context.Context, p *tributary.Program, order string) error {
	_, err := p.RecordSale(ctx, affiliate.SaleParams{
		PromoCode: "HOT20", TotalEarned: affiliate.MustAmount("100"), ExternalID: order, Email: "kim@example.net", Once: affiliate.Once{Key: order},
	})
	return err
}

// sellForever records sales from four goroutines.
func sellForever(path string) error {
	ctx := context.Background()
	store, err := sqlitestore.Open(ctx, path, sqlitestore.Config{})
	if err != nil {
		return err
	}
	return sellOn(ctx, store)
}

func sellOn(ctx context.Context, store record.Store) error {
	p, err := tributary.New(store, config())
	if err != nil {
		return err
	}
	failed := make(chan error)
	said := make(chan string)
	for seller := range 4 {
		go func() {
			for i := 0; ; i++ {
				order := fmt.Sprintf("order-%d-%d-%d", os.Getpid(), seller, i)
				if err := sell(ctx, p, order); err != nil {
					failed <- err
					return
				}
				said <- order
			}
		}()
	}
	for {
		select {
		case order := <-said:
			if _, err := fmt.Println(order); err != nil {
				return err
			}
		case err := <-failed:
			return err
		}
	}
}

// groupRecords is the number of records of a program that fillGroups makes.
const groupRecords = 60

// fillGroups makes programs of about 2.5 MB from eight goroutines, each in one Update,
// and prints how each of them ended.
func fillGroups(path string) error {
	store, err := sqlitestore.Open(context.Background(), path, sqlitestore.Config{Sync: sqlitestore.Normal})
	if err != nil {
		return err
	}
	long := strings.Repeat("x", 40_000)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				id := uuid.New()
				err := store.Update(context.Background(), id, func(tx *record.Tx) error {
					for range groupRecords {
						if err := tx.Affiliates.Insert(record.Affiliate{ID: uuid.New(), FirstName: long}); err != nil {
							return err
						}
					}
					return nil
				})
				end := "stored"
				switch {
				case errors.Is(err, sqlitestore.ErrOutcomeUnknown):
					end = "unknown"
				case err != nil:
					end = "failed"
				}
				fmt.Println(end, id)
			}
		})
	}
	wg.Wait()
	return nil
}

// A seller is a process that records sales.
type seller struct {
	cmd *exec.Cmd
	out *bufio.Scanner
}

func startSeller(tb testing.TB, path string) *seller {
	tb.Helper()
	return start(tb, sellerFile, path)
}

// start starts a process by the variable that TestMain knows.
func start(tb testing.TB, variable, path string) *seller {
	tb.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), variable+"="+path)
	cmd.Stderr = os.Stderr
	out := must(cmd.StdoutPipe())
	must(0, cmd.Start())
	tb.Cleanup(func() { _ = cmd.Process.Kill() })
	return &seller{cmd, bufio.NewScanner(out)}
}

// kill ends the process in the middle of its work, once it has recorded n sales, and
// returns those that it has said to be recorded.
func (s *seller) kill(tb testing.TB, n int) (orders []string) {
	tb.Helper()
	for s.out.Scan() {
		if orders = append(orders, s.out.Text()); len(orders) == n {
			must(0, s.cmd.Process.Kill())
		}
	}
	_ = s.cmd.Wait() // killed
	if len(orders) < n {
		tb.Fatalf("the process ended after %d sales", len(orders))
	}
	return orders
}

// books checks that each of the orders was recorded once, and that the books hold.
func books(tb testing.TB, p *tributary.Program, orders []string) {
	tb.Helper()
	if err := p.Verify(tb.Context()); err != nil {
		tb.Errorf("Verify: %v", err)
	}
	for _, order := range orders {
		if got, err := p.RecordSale(tb.Context(), affiliate.SaleParams{
			PromoCode: "HOT20", TotalEarned: affiliate.MustAmount("100"), ExternalID: order, Email: "kim@example.net",
		}); err != nil || got.Outcome != affiliate.SaleDuplicate {
			tb.Errorf("%s is lost: %v %v", order, got.Outcome, err)
		}
	}
}

// number reads a setting that lengthens a test.
func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}
