import type { UsageStore } from '#core/stores/usage.ts';
import { int, text, where } from './columns.ts';
import type { Database } from './database.ts';

export function createUsage(db: Database): UsageStore {
  return {
    async totals({ principal, fromDay, toDay }) {
      const { sql, params } = where({
        'principal = ?': principal,
        'day >= ?': fromDay,
        'day <= ?': toDay,
      });
      const rows = await db.read(
        `select * from usage_days where ${sql} order by day, principal, provider, model`,
        params,
      );
      return rows.map((row) => ({
        principal: text(row, 'principal'),
        day: text(row, 'day'),
        provider: text(row, 'provider'),
        model: text(row, 'model'),
        calls: int(row, 'calls'),
        input: int(row, 'input'),
        output: int(row, 'output'),
        cached: int(row, 'cached'),
        reasoning: int(row, 'reasoning'),
        costMicroUsd: int(row, 'cost_micro_usd'),
      }));
    },
  };
}
