import type { AttemptRecord, UsageRecord } from '#core/stores/calls.ts';
import { utcDay } from '#core/time/utc-day.ts';
import type { ClientNames } from './client-names.ts';
import { placeholders, type UsageRows, type Statement, type Value } from '../database.ts';

/** The columns of `attempts` and `usage`, in the order of the row values. */
const ATTEMPT_COLUMNS = [
  'req_id',
  'attempt',
  'at',
  'provider',
  'model',
  'elapsed_ms',
  'outcome',
  'next',
  'vendor_request_id',
] as const;
const KEY_COLUMNS = ['principal', 'client', 'tool', 'provider', 'model'] as const;
const AMOUNT_COLUMNS = ['input', 'output', 'cached', 'reasoning', 'cost_micro_usd'] as const;
const USAGE_COLUMNS = [
  'req_id',
  'at',
  ...KEY_COLUMNS,
  ...AMOUNT_COLUMNS,
  'priced',
  'estimated',
  'client_version',
] as const;

export function toUsageRows(
  attempts: readonly AttemptRecord[],
  usage: readonly UsageRecord[],
  clientNames: ClientNames,
): UsageRows {
  return {
    attempts: attempts.map(attemptRow),
    usage: usage.map((each) => usageRow(each, clientNames(each))),
  };
}

function attemptRow(attempt: AttemptRecord): readonly Value[] {
  return [
    attempt.reqId,
    attempt.attempt,
    attempt.at,
    attempt.provider,
    attempt.model,
    Math.round(attempt.elapsedMs),
    attempt.outcome,
    attempt.next,
    attempt.vendorRequestId,
  ];
}

function usageRow(usage: UsageRecord, client: string): readonly Value[] {
  return [
    usage.reqId,
    usage.at,
    usage.principal,
    client,
    usage.tool,
    usage.provider,
    usage.model,
    usage.input,
    usage.output,
    usage.cached,
    usage.reasoning,
    usage.costMicroUsd,
    usage.priced ? 1 : 0,
    usage.estimated ? 1 : 0,
    usage.clientVersion ?? '',
  ];
}

// Few sizes, so that each is a cached prepared statement.
const ROWS_PER_INSERT = [64, 16, 4, 1] as const;
type Inserts = ReadonlyMap<number, string>;

function inserts(table: string, columns: readonly string[], after = ''): Inserts {
  const names = columns.join(', ');
  return new Map(
    ROWS_PER_INSERT.map((rows) => [
      rows,
      `insert into ${table} (${names}) values ${placeholders(columns.length, rows)}${after}`,
    ]),
  );
}

/**
 * A repeated attempt number keeps the stored row and is not an error, because the answer must not
 * fail over it.
 */
const ATTEMPTS = inserts('attempts', ATTEMPT_COLUMNS, ' on conflict (req_id, attempt) do nothing');
const USAGE = inserts('usage', USAGE_COLUMNS);
/** Where the numbers of a usage row end, after its id and time. */
const AMOUNTS_END = KEY_COLUMNS.length + AMOUNT_COLUMNS.length + 2;
const DAY_KEY = ['day', ...KEY_COLUMNS] as const;
const DAY_SUMS = ['calls', ...AMOUNT_COLUMNS, 'unpriced', 'estimated'] as const;
const ADD_TO_DAY = `insert into usage_days (${[...DAY_KEY, ...DAY_SUMS].join(', ')})
  values ${placeholders(DAY_KEY.length + DAY_SUMS.length)}
  on conflict (${DAY_KEY.join(', ')}) do update set
  ${DAY_SUMS.map((name) => `${name} = usage_days.${name} + excluded.${name}`).join(', ')}`;

/**
 * Statements that insert the usage of many calls: their rows together, and each daily total once.
 */
export function insertUsageRows(batches: readonly UsageRows[]): Statement[] {
  const attempts = batches.flatMap((each) => each.attempts);
  const usage = batches.flatMap((each) => each.usage);
  return [...insertAll(ATTEMPTS, attempts), ...insertAll(USAGE, usage), ...addToDays(usage)];
}

function insertAll(statements: Inserts, rows: readonly (readonly Value[])[]): Statement[] {
  const made: Statement[] = [];
  for (let at = 0; at < rows.length;) {
    const size = ROWS_PER_INSERT.find((each) => each <= rows.length - at) ?? 1;
    const params: Value[] = [];
    for (const row of rows.slice(at, at + size)) params.push(...row);
    made.push({ sql: statements.get(size) ?? '', params });
    at += size;
  }
  return made;
}

/**
 * Updates the daily totals in the order of their keys, which avoids deadlocks between two writes.
 */
function addToDays(usage: readonly (readonly Value[])[]): Statement[] {
  const days = new Map<string, { readonly key: readonly Value[]; readonly sums: number[] }>();
  for (const [, at, ...rest] of usage) {
    const key = [utcDay(Number(at)), ...rest.slice(0, KEY_COLUMNS.length)];
    const name = key.join('\0');
    const amounts = rest.slice(KEY_COLUMNS.length, AMOUNTS_END).map(Number);
    const estimated = amounts.pop() ?? 0;
    const priced = amounts.pop() ?? 0;
    const added = [1, ...amounts, 1 - priced, estimated];
    const known = days.get(name);
    if (known)
      added.forEach((amount, index) => (known.sums[index] = (known.sums[index] ?? 0) + amount));
    else days.set(name, { key, sums: added });
  }
  return [...days]
    .toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)))
    .map(([, { key, sums }]) => ({ sql: ADD_TO_DAY, params: [...key, ...sums] }));
}
