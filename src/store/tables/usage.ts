import type {
  UsageAmounts,
  UsageFilter,
  UsageGroup,
  UsageStore,
  UsageSum,
  UsageTotal,
} from '#core/stores/usage.ts';
import { int, text, where } from './columns.ts';
import type { Database, Query, Row } from '../database.ts';

const AMOUNTS = [
  'calls',
  'input',
  'output',
  'cached',
  'reasoning',
  'cost_micro_usd',
  'unpriced',
  'estimated',
] as const;

// PostgreSQL's sum of bigint is numeric without a cast.
const SUMS = AMOUNTS.map((name) => `cast(sum(${name}) as bigint) as ${name}`).join(', ');

const TOTAL_KEY = 'day, principal, tool, provider, model';

const DEAREST_FIRST = 'cost_micro_usd desc, calls desc, name';

/** The columns and the order of each grouping. */
const GROUPS: Record<UsageGroup, { readonly columns: string; readonly order: string }> = {
  client: { columns: 'client as name, principal', order: `${DEAREST_FIRST}, principal` },
  model: { columns: 'model as name, provider', order: `${DEAREST_FIRST}, provider` },
  tool: { columns: 'tool as name', order: DEAREST_FIRST },
  day: { columns: 'day as name', order: 'name' },
};

export function createUsageStore(db: Database): UsageStore {
  return {
    async totals(filter) {
      const { sql, params } = whereOf(filter);
      const rows = await askFor(db, filter)(
        `select ${TOTAL_KEY}, ${SUMS} from usage_days where ${sql} group by ${TOTAL_KEY} order by ${TOTAL_KEY}`,
        params,
      );
      return rows.map(toTotal);
    },

    async sums(by, filter) {
      const { sql, params } = whereOf(filter);
      const { columns, order } = GROUPS[by];
      const groups = columns.replaceAll(' as name', '');
      const rows = await askFor(db, filter)(
        `select * from
          (select ${columns}, ${SUMS} from usage_days where ${sql} group by ${groups}) as grouped
          order by ${order}`,
        params,
      );
      return rows.map((row) => toSum(row, by));
    },
  };
}

function whereOf({ principal, fromDay, toDay }: UsageFilter) {
  return where({ 'principal = ?': principal, 'day >= ?': fromDay, 'day <= ?': toDay });
}

/** One day is a quick read; longer ranges are scanned. */
function askFor(db: Database, { fromDay, toDay }: UsageFilter): Query {
  return fromDay === toDay ? db.read : db.scan;
}

function toTotal(row: Row): UsageTotal {
  return {
    principal: text(row, 'principal'),
    day: text(row, 'day'),
    tool: text(row, 'tool'),
    provider: text(row, 'provider'),
    model: text(row, 'model'),
    ...toAmounts(row),
  };
}

function toSum(row: Row, by: UsageGroup): UsageSum {
  return {
    name: text(row, 'name'),
    ...(by === 'model' && { provider: text(row, 'provider') }),
    ...(by === 'client' && { principal: text(row, 'principal') }),
    ...toAmounts(row),
  };
}

function toAmounts(row: Row): UsageAmounts {
  return {
    calls: int(row, 'calls'),
    input: int(row, 'input'),
    output: int(row, 'output'),
    cached: int(row, 'cached'),
    reasoning: int(row, 'reasoning'),
    costMicroUsd: int(row, 'cost_micro_usd'),
    unpriced: int(row, 'unpriced'),
    estimated: int(row, 'estimated'),
  };
}
