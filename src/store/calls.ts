import { CallError } from '#core/call-error.ts';
import type { AttemptRecord, CallStore, UsageRecord } from '#core/stores/calls.ts';
import type { Log } from '#core/telemetry.ts';
import { fromAuditRow, toAuditValues } from './audit-chain.ts';
import { int, text, textOrNull, where } from './columns.ts';
import type { Database, Row, Statement } from './database.ts';

const NONE: readonly Statement[] = [];

export function createCalls(db: Database, log: Log): CallStore {
  return {
    async record(call, attempts = [], usage = []) {
      await db.write({
        statements: [...attempts.map(insertAttempt), ...usage.flatMap(insertUsage)],
        audit: [toAuditValues(call)],
      });
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

function insertUsage(usage: UsageRecord): Statement[] {
  const { reqId, at, principal, provider, model, estimated } = usage;
  const amounts = [usage.input, usage.output, usage.cached, usage.reasoning, usage.costMicroUsd];
  const day = new Date(at).toISOString().slice(0, 10);
  return [
    {
      sql: `insert into usage
        (req_id, at, principal, provider, model, input, output, cached, reasoning, cost_micro_usd, estimated)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      params: [reqId, at, principal, provider, model, ...amounts, estimated ? 1 : 0],
    },
    {
      sql: `insert into usage_days
        (principal, day, provider, model, calls, input, output, cached, reasoning, cost_micro_usd)
        values (?, ?, ?, ?, 1, ?, ?, ?, ?, ?)
        on conflict (principal, day, provider, model) do update set
          calls = usage_days.calls + 1,
          input = usage_days.input + excluded.input,
          output = usage_days.output + excluded.output,
          cached = usage_days.cached + excluded.cached,
          reasoning = usage_days.reasoning + excluded.reasoning,
          cost_micro_usd = usage_days.cost_micro_usd + excluded.cost_micro_usd`,
      params: [principal, day, provider, model, ...amounts],
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
