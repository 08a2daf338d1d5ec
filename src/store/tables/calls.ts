import { CallError } from '#core/errors/call-error.ts';
import type { AttemptRecord, CallCosts, CallStore, UsageRecord } from '#core/stores/calls.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { fromAuditRow, toAuditValues } from '../audit/chain.ts';
import { callWriters, newestCallsFirst } from './call-order.ts';
import { createClientNames } from './client-names.ts';
import { int, text, textOrNull, where } from './columns.ts';
import { placeholders, type Database, type Row, type Statement } from '../database.ts';
import { createUnsavedUsage } from './unsaved-usage.ts';
import { toUsageRows } from './usage-rows.ts';

const NONE: readonly Statement[] = [];

/** The rows of calls; `saveKept` and `reportKept` belong to usage that could not be stored. */
export function createCallStore(
  db: Database,
  log: Log,
): {
  readonly calls: CallStore;
  readonly saveKept: () => Promise<void>;
  readonly reportKept: () => void;
} {
  const clientNames = createClientNames();
  const saveUsage = async (attempts: readonly AttemptRecord[], usage: readonly UsageRecord[]) => {
    await db.write({ statements: NONE, usageRows: toUsageRows(attempts, usage, clientNames) });
  };
  const unsaved = createUnsavedUsage({
    save: ({ attempts, usage }) => saveUsage(attempts, usage),
    async isStored({ reqId, attempt }) {
      const sql = 'select attempt from attempts where req_id = ? and attempt = ?';
      return (await db.read(sql, [reqId, attempt])).length > 0;
    },
    log,
  });
  const calls: CallStore = {
    async record(call, attempts = [], usage = []) {
      const audit = [toAuditValues(call)];
      const isFree = attempts.length + usage.length === 0;
      await db.write(
        isFree
          ? { statements: NONE, audit }
          : { statements: NONE, audit, usageRows: toUsageRows(attempts, usage, clientNames) },
      );
    },

    async recordUsage(attempts, usage) {
      if (attempts.length + usage.length === 0) return;
      try {
        await saveUsage(attempts, usage);
      } catch (thrown) {
        unsaved.keep({ attempts, usage }, CallError.from(thrown));
      }
    },

    recordLazily(call) {
      try {
        return db.writeLazily({ statements: NONE, audit: [toAuditValues(call)] });
      } catch (thrown) {
        // No caller waits for a lazy write, so the failure is logged.
        log.error('audit_row_not_stored', {
          req_id: call.reqId,
          error: CallError.from(thrown).toJSON(),
        });
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
      const { reqId, sinceMs, untilMs, limit } = filter;
      const rows: Row[] = [];
      if ((reqId ?? sinceMs ?? untilMs) !== undefined) {
        const byTime = `select * from calls where ${sql} order by at desc, writer_id, seq desc limit ?`;
        rows.push(...(await db.scan(byTime, [...params, limit])));
      } else {
        const ofWriter = `select * from calls where ${sql} and writer_id = ? order by seq desc limit ?`;
        for (const writer of await callWriters(db.scan)) {
          rows.push(...(await db.scan(ofWriter, [...params, writer, limit])));
        }
      }
      return newestCallsFirst(rows, limit).map(fromAuditRow);
    },

    async attempts(reqId) {
      const rows = await db.read('select * from attempts where req_id = ? order by attempt', [
        reqId,
      ]);
      return rows.map(toAttempt);
    },

    async costs({ reqIds, sinceMs, untilMs }) {
      if (reqIds.length === 0) return { attempts: [], usage: [] };
      const ids = placeholders(reqIds.length);
      const [attempts, usage] = await Promise.all([
        db.scan(`select * from attempts where req_id in ${ids} order by req_id, attempt`, reqIds),
        // The table has no index by call: the time limits what is read.
        db.scan(`select * from usage where at >= ? and at <= ? and req_id in ${ids} order by id`, [
          sinceMs,
          untilMs,
          ...reqIds,
        ]),
      ]);
      return { attempts: attempts.map(toAttempt), usage: usage.map(toCost) };
    },
  };
  return { calls, saveKept: () => unsaved.save(), reportKept: () => unsaved.report() };
}

function toCost(row: Row): CallCosts['usage'][number] {
  return {
    reqId: text(row, 'req_id'),
    provider: text(row, 'provider'),
    model: text(row, 'model'),
    costMicroUsd: int(row, 'cost_micro_usd'),
    priced: int(row, 'priced') === 1,
  };
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
