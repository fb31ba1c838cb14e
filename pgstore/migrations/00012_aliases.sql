-- +goose NO TRANSACTION
-- +goose Up
-- Slugs of other services that lead to links, though they are no slugs here. No row of
-- another table is touched.

CREATE TABLE IF NOT EXISTS tributary.aliases (
  program uuid NOT NULL,
  id uuid NOT NULL,
  by_slug text COLLATE "C",
  of_link uuid,
  record json NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS aliases_by_slug ON tributary.aliases (program, by_slug);
CREATE INDEX IF NOT EXISTS aliases_of_link ON tributary.aliases (program, of_link, id);
