#!/bin/sh
# Makes the role and the database of the server: no superuser, and nobody else may connect. The image of PostgreSQL
# runs it once, when the volume is new. The role owns the database, so that the server can make its tables; for a role
# that may not, let another one own it, call Migrate with that one in a job, and grant this one SELECT, INSERT, UPDATE
# and DELETE on the tables and USAGE on the schema.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$TRIBUTARY_DATABASE_PASSWORD" --username "$POSTGRES_USER" --dbname postgres <<'SQL'
CREATE ROLE tributary LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE tributary OWNER tributary;
REVOKE ALL ON DATABASE tributary FROM PUBLIC;
SQL
