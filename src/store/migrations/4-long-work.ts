import type { Migration } from './migrate.ts';

/**
 * Jobs that ask and say how far they are, and texts that were too long for their clients. What may
 * be large stands last in a row of jobs: SQLite reads a row from its start, so that a list need not
 * walk through results to reach a status.
 */
export const longWork: Migration = {
  version: 4,
  name: 'long work',
  up: ({ int }) => [
    `create table jobs_in_order (
      id text primary key,
      principal text not null,
      tool text not null,
      status text not null,
      owner text,
      runs ${int} not null,
      fence ${int} not null,
      lease_until ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      finished_at ${int},
      title text not null default '',
      note text not null,
      error text not null,
      asks text not null,
      progress text not null,
      checkpoint text not null,
      input text not null,
      result text not null)`,
    `insert into jobs_in_order (id, principal, tool, status, owner, runs, fence, lease_until,
        created_at, updated_at, finished_at, note, error, asks, progress, checkpoint, input, result)
      select id, principal, tool, status, owner, runs, fence, lease_until,
        created_at, coalesce(finished_at, created_at), finished_at, '', error, 'null', progress, checkpoint, input, result
      from jobs`,
    'drop table jobs',
    'alter table jobs_in_order rename to jobs',
    // Nothing that a heartbeat changes is in an index: PostgreSQL then leaves them all alone.
    `create index jobs_to_do on jobs (created_at, id) where status in ('queued', 'running')`,
    `create index jobs_open on jobs (principal, created_at, id)
      where status in ('queued', 'running', 'input_required')`,
    'create index jobs_by_principal on jobs (principal, created_at, id)',
    'create index jobs_by_end on jobs (finished_at)',

    `create table results (
      id text primary key,
      principal text not null,
      tool text not null,
      req_id text not null,
      chars ${int} not null,
      created_at ${int} not null)`,
    'create index results_by_principal on results (principal, created_at, id)',
    'create index results_by_age on results (created_at)',

    `create table result_parts (
      result_id text not null references results (id) on delete cascade,
      at ${int} not null,
      text text not null,
      primary key (result_id, at))`,
  ],
};
