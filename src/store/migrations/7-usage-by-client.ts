import type { Migration } from './migrate.ts';

/** Usage by the program that the caller uses. Rows from before have none. */
export const usageByClient: Migration = {
  version: 7,
  name: 'usage by client',
  up: ({ int }) => [
    `alter table usage add column client text not null default ''`,
    `alter table usage add column client_version text not null default ''`,
    `create table usage_by_client (
      day text not null,
      principal text not null,
      client text not null,
      tool text not null,
      provider text not null,
      model text not null,
      calls ${int} not null,
      input ${int} not null,
      output ${int} not null,
      cached ${int} not null,
      reasoning ${int} not null,
      cost_micro_usd ${int} not null,
      unpriced ${int} not null,
      estimated ${int} not null,
      primary key (day, principal, client, tool, provider, model))`,
    `insert into usage_by_client
      (day, principal, client, tool, provider, model, calls, input, output, cached, reasoning, cost_micro_usd, unpriced, estimated)
      select day, principal, '', tool, provider, model, calls, input, output, cached, reasoning, cost_micro_usd, unpriced, estimated
      from usage_days`,
    'drop table usage_days',
    'alter table usage_by_client rename to usage_days',
  ],
};
