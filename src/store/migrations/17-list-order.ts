import type { Migration } from './migrate.ts';

const JOBS = `id, principal, tool, status, owner, runs, fence, lease_until, created_at, updated_at, finished_at,
  title, note, error, asks, progress, checkpoint, input, result`;

/**
 * Lists in the order of what happened, not of a clock that may go back. The jobs are copied, so that what may be large still
 * stands last in a row.
 */
export const listOrder: Migration = {
  version: 17,
  name: 'list order',
  up: ({ int }) => [
    `alter table conversations add column list_order ${int} not null default 0`,
    'update conversations set list_order = updated_at',
    'drop index conversations_by_principal',
    'create index conversations_by_principal on conversations (principal, list_order, id)',
    `create table jobs_in_order (
      id text primary key,
      principal text not null,
      list_order ${int} not null,
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
    `insert into jobs_in_order (list_order, ${JOBS}) select created_at, ${JOBS} from jobs`,
    'drop table jobs',
    'alter table jobs_in_order rename to jobs',
    `create index jobs_to_do on jobs (created_at, id) where status in ('queued', 'running')`,
    `create index jobs_open on jobs (principal, list_order, id)
      where status in ('queued', 'running', 'input_required')`,
    'create index jobs_by_principal on jobs (principal, list_order, id)',
    'create index jobs_by_end on jobs (finished_at)',
  ],
};
