-- +goose NO TRANSACTION
-- +goose Up
-- The webhooks that a receiver has handled, by their ids. They belong to no
-- program: a receiver may hear of several, or live elsewhere.

CREATE TABLE IF NOT EXISTS tributary.dedup (
  id text COLLATE "C" PRIMARY KEY,
  done_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS dedup_done_at ON tributary.dedup (done_at);
