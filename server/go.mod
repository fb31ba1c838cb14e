module github.com/tributary-go/tributary/server

go 1.26.0

// The other modules lie next to this one, so that a clone builds without a tag.
// The release step drops the lines and requires the tags instead: a published
// go.mod has no replace.
replace (
	github.com/tributary-go/tributary => ../
	github.com/tributary-go/tributary/pay => ../pay
	github.com/tributary-go/tributary/pgstore => ../pgstore
	github.com/tributary-go/tributary/sqlitestore => ../sqlitestore
)

require (
	github.com/coreos/go-oidc/v3 v3.21.0
	github.com/emersion/go-sasl v0.0.0-20241020182733-b788ff22d5a6
	github.com/emersion/go-smtp v0.26.0
	github.com/google/uuid v1.6.0
	github.com/jackc/pgx/v5 v5.12.0
	github.com/ncruces/go-sqlite3 v0.37.0
	github.com/tributary-go/tributary v0.0.0-00010101000000-000000000000
	github.com/tributary-go/tributary/pay v0.0.0-00010101000000-000000000000
	github.com/tributary-go/tributary/pgstore v0.0.0-00010101000000-000000000000
	github.com/tributary-go/tributary/sqlitestore v0.0.0-00010101000000-000000000000
	github.com/wneessen/go-mail v0.8.1
	golang.org/x/oauth2 v0.38.0
)

require (
	github.com/go-jose/go-jose/v4 v4.1.4 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/hashicorp/go-retryablehttp v0.7.8 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	github.com/mfridman/interpolate v0.0.2 // indirect
	github.com/ncruces/go-sqlite3-wasm/v6 v6.5.35401 // indirect
	github.com/ncruces/julianday v1.0.0 // indirect
	github.com/pressly/goose/v3 v3.30.0 // indirect
	github.com/sethvargo/go-retry v0.5.0 // indirect
	go.uber.org/multierr v1.11.0 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/sync v0.25.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)
