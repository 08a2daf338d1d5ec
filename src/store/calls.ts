import { CallError } from '#core/call-error.ts';
import type { AttemptRecord, CallStore, UsageRecord } from '#core/stores/calls.ts';
import type { Log } from '#core/telemetry.ts';
import { utcDay } from '#core/utc-day.ts';
import { fromAuditRow, toAuditValues } from './audit-chain.ts';
import { int, text, textOrNull, where } from './columns.ts';
import type { Database, Row, Statement } from './database.ts';

const NONE: readonly Statement[] = [];

export function createCalls(db: Database, log: Log): CallStore {
  return {
    async record(call, attempts = [], usage = []) {
      await db.write({
        statements: [...attempts.map(insertAttempt), ...insertAllUsage(usage)],
        audit: [toAuditValues(call)],
      });
    },

    async spend(attempts, usage) {
      const statements = [...attempts.map(keepAttempt), ...insertAllUsage(usage)];
      if (statements.length > 0) await db.write({ statements });
    },

    note(call) {
      try {
        return db.writeSoon({ statements: NONE, audit: [toAuditValues(call)] });
      } catch (thrown) {
        // Nobody waits for a note, so nobody can be told but the log.
        log.error('call_not_noted', { req_id: call.reqId, error: CallError.from(thrown).toJSON() });
        return undefined;
      }
    },

    async list(filter) {
      const { sql, params } = where({
        'principal = ?': filter.principal,
        'tool = ?': filter.tool,
        'status = ?': filter.status,
        'req_id = ?': filter.reqId,
        'at >= ?': filter.sinceMs,
        'at < ?': filter.untilMs,
      });
      const rows = await db.scan(
        `select * from calls where ${sql} order by at desc, writer_id, seq desc limit ?`,
        [...params, filter.limit],
      );
      return rows.map(fromAuditRow);
    },

    async attempts(reqId) {
      const rows = await db.read('select * from attempts where req_id = ? order by attempt', [
        reqId,
      ]);
      return rows.map(toAttempt);
    },
  };
}

function insertAttempt(attempt: AttemptRecord): Statement {
  return {
    sql: `insert into attempts
      (req_id, attempt, at, provider, model, elapsed_ms, outcome, next, vendor_request_id)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    params: [
      attempt.reqId,
      attempt.attempt,
      attempt.at,
      attempt.provider,
      attempt.model,
      Math.round(attempt.elapsedMs),
      attempt.outcome,
      attempt.next,
      attempt.vendorRequestId,
    ],
  };
}

/** The money is spent whatever number the attempt has: one that is taken leaves the row as it is, and costs no answer. */
function keepAttempt(attempt: AttemptRecord): Statement {
  const { sql, params } = insertAttempt(attempt);
  return { sql: `${sql} on conflict (req_id, attempt) do nothing`, params };
}

/** In the order of the key of the totals: of two writes that add to the same ones, neither then waits for the other for ever. */
function insertAllUsage(usage: readonly UsageRecord[]): Statement[] {
  const keyOf = ({ at, principal, tool, provider, model }: UsageRecord) =>
    [utcDay(at), principal, tool, provider, model].join('\0');
  return usage
    .map((record) => ({ record, key: keyOf(record) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .flatMap(({ record }) => insertUsage(record));
}

function insertUsage(usage: UsageRecord): Statement[] {
  const { reqId, at, principal, tool, provider, model } = usage;
  const amounts = [usage.input, usage.output, usage.cached, usage.reasoning, usage.costMicroUsd];
  const priced = usage.priced ? 1 : 0;
  const estimated = usage.estimated ? 1 : 0;
  return [
    {
      sql: `insert into usage
        (req_id, at, principal, tool, provider, model,
          input, output, cached, reasoning, cost_micro_usd, priced, estimated)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      params: [reqId, at, principal, tool, provider, model, ...amounts, priced, estimated],
    },
    {
      sql: `insert into usage_days
        (day, principal, tool, provider, model,
          calls, input, output, cached, reasoning, cost_micro_usd, unpriced, estimated)
        values (?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?)
        on conflict (day, principal, tool, provider, model) do update set
          calls = usage_days.calls + 1,
          input = usage_days.input + excluded.input,
          output = usage_days.output + excluded.output,
          cached = usage_days.cached + excluded.cached,
          reasoning = usage_days.reasoning + excluded.reasoning,
          cost_micro_usd = usage_days.cost_micro_usd + excluded.cost_micro_usd,
          unpriced = usage_days.unpriced + excluded.unpriced,
          estimated = usage_days.estimated + excluded.estimated`,
      params: [utcDay(at), principal, tool, provider, model, ...amounts, 1 - priced, estimated],
    },
  ];
}

function toAttempt(row: Row): AttemptRecord {
  return {
    reqId: text(row, 'req_id'),
    attempt: int(row, 'attempt'),
    at: int(row, 'at'),
    provider: text(row, 'provider'),
    model: text(row, 'model'),
    elapsedMs: int(row, 'elapsed_ms'),
    outcome: text(row, 'outcome') as AttemptRecord['outcome'],
    next: textOrNull(row, 'next'),
    vendorRequestId: textOrNull(row, 'vendor_request_id'),
  };
}
