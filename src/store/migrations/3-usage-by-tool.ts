import type { Migration } from './migrate.ts';

/**
 * What was spent is told by tool, too, and what nobody priced or the vendor did not count is told
 * as such. Rows from before have no tool. The day comes first in the key, because every question
 * names days and few name a client.
 */
export const usageByTool: Migration = {
  version: 3,
  name: 'usage by tool',
  up: ({ int }) => [
    `alter table usage add column tool text not null default ''`,
    `alter table usage add column priced ${int} not null default 1`,
    `create table usage_by_tool (
      day text not null,
      principal text not null,
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
      primary key (day, principal, tool, provider, model))`,
    `insert into usage_by_tool
      (day, principal, tool, provider, model, calls, input, output, cached, reasoning, cost_micro_usd, unpriced, estimated)
      select day, principal, '', provider, model, calls, input, output, cached, reasoning, cost_micro_usd, 0, 0
      from usage_days`,
    'drop table usage_days',
    'alter table usage_by_tool rename to usage_days',
  ],
};
