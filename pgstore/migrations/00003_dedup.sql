-- +goose NO TRANSACTION
-- +goose Up
-- The ids of the webhooks that a receiver has handled. They belong to no program,
-- because one receiver may get the webhooks of several.

CREATE TABLE IF NOT EXISTS tributary.dedup (
  id text COLLATE "C" PRIMARY KEY,
  done_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS dedup_done_at ON tributary.dedup (done_at);
