import { CallError } from '#core/errors/call-error.ts';
import type { ScanFinding } from '#core/hub/finding.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { Clock } from '#core/time/clock.ts';
import { commandFix } from '#core/messages/fixes.ts';
import type {
  Pin,
  PinApproval,
  PinCandidate,
  PinnedDefinition,
  PinStore,
} from '#core/stores/pins.ts';
import { int, json, text, textOrNull, toJsonText } from './columns.ts';
import { execute, type Database, type Row, type Statement } from '../database.ts';

/** Of one write; a server may have thousands of tools. */
const MAX_ROWS = 500;

export function createPinStore(db: Database, clock: Pick<Clock, 'now'>): PinStore {
  async function writeAll(statements: readonly Statement[]): Promise<void> {
    for (let at = 0; at < statements.length; at += MAX_ROWS) {
      await db.write({ statements: statements.slice(at, at + MAX_ROWS) });
    }
  }

  /** Any change ends the shortcut of a list that was approved as a whole. */
  const forgetList = (server: string): Statement => ({
    sql: `update pin_sets set approved_list_hash = '', changed_at = ? where server = ?`,
    params: [clock.now(), server],
  });

  return {
    async load(server) {
      const [set] = await db.read('select * from pin_sets where server = ?', [server]);
      if (!set) return undefined;
      const pins = await db.read(
        'select tool, hash, approval, findings from pins where server = ? order by tool',
        [server],
      );
      const candidates = await db.read(
        `select tool, hash, decision, findings, renamed_from from pin_candidates
         where server = ? order by tool`,
        [server],
      );
      return {
        approvedListHash: text(set, 'approved_list_hash'),
        firstSeenAt: int(set, 'first_seen_at'),
        pins: pins.map(toPin),
        candidates: candidates.map(toCandidate),
      };
    },

    async pin(server, pins) {
      const now = clock.now();
      const rows = pins.map(({ tool, hash, definition, findings }) => ({
        sql: `insert into pins (server, tool, hash, definition, approval, findings, first_seen_at, changed_at)
          values (?, ?, ?, ?, 'first_sight', ?, ?, ?) on conflict (server, tool) do nothing`,
        params: [server, tool, hash, toJsonText(definition), toJsonText(findings), now, now],
      }));
      // The set is last: without it, what was written before a crash is compared and not trusted.
      const set = {
        sql: `insert into pin_sets (server, approved_list_hash, first_seen_at, changed_at)
          values (?, '', ?, ?) on conflict (server) do nothing`,
        params: [server, now, now],
      };
      await writeAll([...rows, set]);
    },

    async hold(server, candidates, gone) {
      const now = clock.now();
      await writeAll([
        ...candidates.map(({ tool, hash, definition, findings, renamedFrom }) => ({
          sql: `insert into pin_candidates
              (server, tool, hash, definition, findings, decision, renamed_from, first_seen_at)
            values (?, ?, ?, ?, ?, 'waiting', ?, ?)
            on conflict (server, tool) do update set hash = excluded.hash,
              definition = excluded.definition, findings = excluded.findings,
              decision = excluded.decision, renamed_from = excluded.renamed_from,
              first_seen_at = excluded.first_seen_at`,
          params: [
            server,
            tool,
            hash,
            toJsonText(definition),
            toJsonText(findings),
            renamedFrom,
            now,
          ],
        })),
        ...gone.map((tool) => ({
          sql: 'delete from pin_candidates where server = ? and tool = ?',
          params: [server, tool],
        })),
        forgetList(server),
      ]);
    },

    async saveFindings(server, scanned) {
      await writeAll(
        scanned.map(({ tool, hash, findings }) => ({
          sql: 'update pins set findings = ? where server = ? and tool = ? and hash = ?',
          params: [toJsonText(findings), server, tool, hash],
        })),
      );
    },

    async saveApprovedList(server, hash) {
      await execute(db, {
        sql: 'update pin_sets set approved_list_hash = ?, changed_at = ? where server = ?',
        params: [hash, clock.now(), server],
      });
    },

    async show(server, tool) {
      const [pinned] = await db.read('select * from pins where server = ? and tool = ?', [
        server,
        tool,
      ]);
      const [candidate] = await db.read(
        'select * from pin_candidates where server = ? and tool = ?',
        [server, tool],
      );
      return {
        ...(pinned && { pinned: toDefinition(pinned) }),
        ...(candidate && { candidate: toDefinition(candidate) }),
      };
    },

    async decide(server, tool, hash, decision) {
      const found = await db.read(
        'select hash from pin_candidates where server = ? and tool = ? and hash = ?',
        [server, tool, hash],
      );
      const errorIfNoRows = noPin(server, tool);
      const statements =
        found.length === 0
          ? [
              {
                sql: 'update pins set approval = ?, changed_at = ? where server = ? and tool = ? and hash = ?',
                params: [
                  decision === 'approved' ? 'owner' : 'rejected',
                  clock.now(),
                  server,
                  tool,
                  hash,
                ],
                errorIfNoRows,
              },
            ]
          : decision === 'rejected'
            ? [
                {
                  sql: `update pin_candidates set decision = 'rejected'
                    where server = ? and tool = ? and hash = ?`,
                  params: [server, tool, hash],
                  errorIfNoRows,
                },
              ]
            : approval(server, tool, hash);
      await db.write({ statements: [...statements, forgetList(server)] });
    },

    async remove(server) {
      await db.write({
        statements: ['pins', 'pin_candidates', 'pin_sets'].map((table) => ({
          sql: `delete from ${table} where server = ?`,
          params: [server],
        })),
      });
    },
  };

  /** Pins exactly the candidate that was shown; it may have changed since. */
  function approval(server: string, tool: string, hash: string): readonly Statement[] {
    const now = clock.now();
    return [
      {
        sql: `insert into pins
            (server, tool, hash, definition, approval, findings, first_seen_at, changed_at)
          select server, tool, hash, definition, 'owner', findings, first_seen_at, ${now}
            from pin_candidates where server = ? and tool = ? and hash = ?
          on conflict (server, tool) do update set hash = excluded.hash,
            definition = excluded.definition, approval = excluded.approval,
            findings = excluded.findings, changed_at = excluded.changed_at`,
        params: [server, tool, hash],
        errorIfNoRows: noPin(server, tool),
      },
      {
        sql: 'delete from pin_candidates where server = ? and tool = ? and hash = ?',
        params: [server, tool, hash],
      },
    ];
  }
}

function noPin(server: string, tool: string) {
  return new CallError(
    'not_found',
    `${server} has no such definition of ${tool}; it may have changed again.`,
    { fixes: [commandFix('exai pins list', 'list what waits')] },
  ).toJSON();
}

function toPin(row: Row): Pin {
  return {
    tool: text(row, 'tool'),
    hash: text(row, 'hash'),
    approval: text(row, 'approval') as PinApproval,
    findings: findingsOf(row),
  };
}

function toCandidate(row: Row): PinCandidate {
  return {
    tool: text(row, 'tool'),
    hash: text(row, 'hash'),
    decision: text(row, 'decision') as PinCandidate['decision'],
    findings: findingsOf(row),
    renamedFrom: textOrNull(row, 'renamed_from'),
  };
}

function toDefinition(row: Row): PinnedDefinition {
  return {
    hash: text(row, 'hash'),
    definition: json<JsonObject>(row, 'definition'),
    findings: findingsOf(row),
  };
}

function findingsOf(row: Row): readonly ScanFinding[] | null {
  return json<readonly ScanFinding[] | null>(row, 'findings');
}
