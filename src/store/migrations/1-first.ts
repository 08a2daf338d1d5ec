import type { Migration } from './migrate.ts';

export const first: Migration = {
  version: 1,
  name: 'first',
  up: ({ dialect, int, identity }) => [
    `create table settings (
      name text primary key,
      value text not null,
      updated_at ${int} not null)`,

    `create table clients (
      id text primary key,
      name text not null unique,
      token_sha256 text not null unique,
      scopes text not null,
      created_at ${int} not null,
      expires_at ${int})`,

    `create table conversations (
      id text primary key,
      principal text not null,
      title text not null,
      model text,
      state text not null,
      parent_id text,
      turns ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null)`,
    'create index conversations_by_principal on conversations (principal, updated_at)',
    'create index conversations_by_age on conversations (updated_at)',

    `create table turns (
      id ${identity},
      conversation_id text not null references conversations (id) on delete cascade,
      seq ${int} not null,
      role text not null,
      tool text not null,
      provider text,
      model text,
      content text not null,
      files text not null,
      usage text not null,
      created_at ${int} not null,
      unique (conversation_id, seq))`,
    ...SEARCH[dialect],

    `create table files (
      id text primary key,
      principal text not null,
      sha256 text not null,
      name text not null,
      mime text not null,
      bytes ${int} not null,
      created_at ${int} not null)`,
    'create index files_by_principal on files (principal, created_at)',

    `create table provider_files (
      sha256 text not null,
      provider text not null,
      account text not null,
      purpose text not null,
      provider_file_id text not null,
      content text,
      verified_at ${int} not null,
      primary key (sha256, provider, account, purpose))`,

    `create table calls (
      writer_id text not null,
      seq ${int} not null,
      hash text not null,
      req_id text not null,
      at ${int} not null,
      principal text not null,
      tool text not null,
      status text not null,
      detail text not null,
      primary key (writer_id, seq))`,
    'create index calls_by_time on calls (at)',
    'create index calls_by_request on calls (req_id)',

    `create table call_anchors (
      writer_id text primary key,
      seq ${int} not null,
      hash text not null,
      pruned_until ${int} not null)`,

    `create table attempts (
      req_id text not null,
      attempt ${int} not null,
      at ${int} not null,
      provider text not null,
      model text not null,
      elapsed_ms ${int} not null,
      outcome text not null,
      next text,
      vendor_request_id text,
      primary key (req_id, attempt))`,
    'create index attempts_by_time on attempts (at)',

    `create table usage (
      id ${identity},
      req_id text not null,
      at ${int} not null,
      principal text not null,
      provider text not null,
      model text not null,
      input ${int} not null,
      output ${int} not null,
      cached ${int} not null,
      reasoning ${int} not null,
      cost_micro_usd ${int} not null,
      estimated ${int} not null)`,
    'create index usage_by_time on usage (at)',

    `create table usage_days (
      principal text not null,
      day text not null,
      provider text not null,
      model text not null,
      calls ${int} not null,
      input ${int} not null,
      output ${int} not null,
      cached ${int} not null,
      reasoning ${int} not null,
      cost_micro_usd ${int} not null,
      primary key (principal, day, provider, model))`,

    `create table breakers (
      name text primary key,
      state text not null,
      updated_at ${int} not null)`,

    `create table jobs (
      id text primary key,
      principal text not null,
      tool text not null,
      status text not null,
      input text not null,
      checkpoint text not null,
      progress text not null,
      result text not null,
      error text not null,
      owner text,
      runs ${int} not null,
      fence ${int} not null,
      lease_until ${int} not null,
      created_at ${int} not null,
      finished_at ${int})`,
    `create index jobs_to_do on jobs (created_at) where status in ('queued', 'running')`,
    'create index jobs_by_principal on jobs (principal, created_at)',
    'create index jobs_by_end on jobs (finished_at)',

    `create table pins (
      server text not null,
      tool text not null,
      hash text not null,
      definition text not null,
      candidate text not null,
      first_seen_at ${int} not null,
      changed_at ${int} not null,
      primary key (server, tool))`,
  ],
};

/** The words of each turn, cut by search-text.ts; deleted with the turn. */
const SEARCH = {
  sqlite: [
    `create virtual table turn_words using fts5(words, content='', contentless_delete=1, tokenize='ascii')`,
    `create trigger turn_words_go after delete on turns begin
      delete from turn_words where rowid = old.id; end`,
  ],
  postgres: [
    `create table turn_words (
      turn_id bigint not null references turns (id) on delete cascade,
      part bigint not null,
      words tsvector not null,
      primary key (turn_id, part))`,
    'create index turn_words_by_word on turn_words using gin (words)',
  ],
};
