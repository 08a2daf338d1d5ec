import { clientNameOf } from '#core/client-name.ts';
import * as z from 'zod';
import type { Caller } from '#core/call.ts';
import { defineTool } from '#core/define-tool.schema.ts';
import type { Ops } from '#core/ops.ts';
import type { Tool } from '#core/tool.ts';
import { callEntry, logEntry, type Entry } from './reporting/entry.ts';
import { timeWindow, type Window } from './reporting/moment.ts';
import { LOG_IS_LOCAL, ownsMachine } from './reporting/viewer.ts';

/** How far back a search goes: what is read is bounded, whatever is asked. */
const MAX_SCANNED = 5000;
const MAX_CHARS = 1_000_000;

type Source = 'activity' | 'server';

interface Reading {
  readonly source: Source;
  /** Oldest first. */
  readonly entries: readonly Entry[];
  readonly notes: readonly string[];
}

export function activity(ops: Pick<Ops, 'calls' | 'logLines' | 'search'>): Tool {
  return defineTool({
    name: 'activity',
    title: 'Activity',
    description: 'Recent calls of the audit, or lines of the daemon log, oldest first.',
    input: z.strictObject({
      lines: z.int().min(10).max(5000).default(200).describe('How many at most.'),
      filter: z.string().max(256).optional().describe('Regular expression, any case.'),
      source: z
        .enum(['auto', 'activity', 'server'])
        .default('auto')
        .describe('activity: calls; server: log; auto: calls, else log.'),
      since: z.string().max(64).optional().describe('ISO 8601, or before now: 15m, 2h, 1d.'),
      until: z.string().max(64).optional().describe('As since.'),
      structured: z.boolean().default(false).describe('Rows as objects.'),
    }),
    output: z.strictObject({
      source: z.enum(['activity', 'server']),
      count: z.number(),
      lines: z.array(z.string()).optional(),
      rows: z.array(z.looseObject({})).optional(),
      notes: z.array(z.string()).optional(),
    }),
    effect: 'reads',
    profile: 'lean',
    async run({ lines, filter, source, since, until, structured }, { caller, metadata, signal }) {
      const window = timeWindow({ since, until }, Date.parse(metadata.timestamp_utc));
      const reading = await read(ops, source, caller, window, filter === undefined ? lines : 'all');
      const matching = filter === undefined ? reading.entries : await search(reading, filter);
      const { shown, left } = newest(matching, lines, structured ? asJson : asLine);

      const notes = [...reading.notes];
      if (left > 0) notes.push(`${left} older ones were left out: the answer would be too long.`);
      const text = [...shown.map(structured ? asJson : asLine), ...notes].join('\n');
      return {
        text: text === '' ? 'Nothing was found.' : text,
        ...(notes.length > 0 && { detail: notes.join(' ') }),
        content: {
          source: reading.source,
          count: shown.length,
          ...(structured ? { rows: shown.map(({ row }) => row) } : { lines: shown.map(asLine) }),
          ...(notes.length > 0 && { notes }),
        },
      };

      async function search({ entries }: Reading, pattern: string): Promise<Entry[]> {
        const places = await ops.search(pattern, entries.map(asLine), signal);
        return places.flatMap((place) => entries[place] ?? []);
      }
    },
  });
}

async function read(
  ops: Pick<Ops, 'calls' | 'logLines'>,
  source: Source | 'auto',
  caller: Caller,
  window: Window,
  wanted: number | 'all',
): Promise<Reading> {
  if (source !== 'server') {
    const calls = await readCalls(ops, caller, window, wanted);
    if (calls.entries.length > 0 || source === 'activity') return calls;
  }
  if (!ownsMachine(caller)) return { source: 'server', entries: [], notes: [LOG_IS_LOCAL] };
  return readLog(ops, window, wanted);
}

async function readCalls(
  ops: Pick<Ops, 'calls'>,
  caller: Caller,
  window: Window,
  wanted: number | 'all',
): Promise<Reading> {
  const seesAll = ownsMachine(caller);
  const mine = seesAll ? {} : { principal: caller.principal };
  const limit = wanted === 'all' ? MAX_SCANNED : wanted;
  const calls = await ops.calls({ ...mine, ...window, limit });
  const notes = seesAll ? [] : [`Only the calls of ${clientNameOf(caller.principal)} are shown.`];
  if (wanted === 'all' && calls.length >= limit) {
    notes.push(`Only the last ${limit} calls were searched; "until" goes further back.`);
  }
  return { source: 'activity', entries: calls.toReversed().map(callEntry), notes };
}

/** A log has no index: a window has to be looked for among its last lines. */
async function readLog(
  ops: Pick<Ops, 'logLines'>,
  { sinceMs = -Infinity, untilMs = Infinity }: Window,
  wanted: number | 'all',
): Promise<Reading> {
  const isWhole = sinceMs === -Infinity && untilMs === Infinity;
  const limit = isWhole && wanted !== 'all' ? wanted : MAX_SCANNED;
  const stored = await ops.logLines(limit);
  const entries = stored.flatMap((line) => {
    const entry = logEntry(line);
    return entry && entry.at >= sinceMs && entry.at < untilMs ? [entry] : [];
  });
  const isCut = limit === MAX_SCANNED && stored.length >= limit;
  const notes = isCut ? [`Only the last ${limit} lines of the log were looked through.`] : [];
  return { source: 'server', entries, notes };
}

/** The last entries, as many as were asked for and as fit into an answer. */
function newest(
  entries: readonly Entry[],
  lines: number,
  format: (entry: Entry) => string,
): { shown: Entry[]; left: number } {
  const wanted = entries.slice(-lines);
  let chars = 0;
  const from = wanted.findLastIndex((entry) => (chars += format(entry).length + 1) > MAX_CHARS) + 1;
  return { shown: wanted.slice(from), left: from };
}

function asLine({ line }: Entry): string {
  return line;
}

function asJson({ row }: Entry): string {
  return JSON.stringify(row);
}
