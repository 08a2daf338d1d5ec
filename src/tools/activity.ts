import { clientNameOfPrincipal } from '#core/auth/principal.ts';
import * as z from 'zod';
import type { Caller } from '#core/calls/call.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Diagnostics } from '#core/diagnostics/diagnostics.ts';
import type { Tool } from '#core/tools/tool.ts';
import { callEntry, logEntry, type ActivityEntry } from './reporting/activity-entry.ts';
import { parseTimeRange, type TimeRange } from './reporting/time-range.ts';
import { LOG_IS_LOCAL, isMachineOwner } from './reporting/visibility.ts';

/** Upper bound on the calls or log lines one search reads. */
const MAX_SCANNED = 5000;
const MAX_CHARS = 1_000_000;

type Source = 'activity' | 'server';

interface Reading {
  readonly source: Source;
  /** Oldest first. */
  readonly entries: readonly ActivityEntry[];
  readonly notes: readonly string[];
}

export function activity(ops: Pick<Diagnostics, 'calls' | 'logLines' | 'search'>): Tool {
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
    profile: 'standard',
    async run({ lines, filter, source, since, until, structured }, { caller, metadata, signal }) {
      const window = parseTimeRange({ since, until }, Date.parse(metadata.timestamp_utc));
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

      async function search({ entries }: Reading, pattern: string): Promise<ActivityEntry[]> {
        const places = await ops.search(pattern, entries.map(asLine), signal);
        return places.flatMap((place) => entries[place] ?? []);
      }
    },
  });
}

async function read(
  ops: Pick<Diagnostics, 'calls' | 'logLines'>,
  source: Source | 'auto',
  caller: Caller,
  window: TimeRange,
  wanted: number | 'all',
): Promise<Reading> {
  if (source !== 'server') {
    const calls = await readCalls(ops, caller, window, wanted);
    if (calls.entries.length > 0 || source === 'activity') return calls;
  }
  if (!isMachineOwner(caller)) return { source: 'server', entries: [], notes: [LOG_IS_LOCAL] };
  return readLog(ops, window, wanted);
}

async function readCalls(
  ops: Pick<Diagnostics, 'calls'>,
  caller: Caller,
  window: TimeRange,
  wanted: number | 'all',
): Promise<Reading> {
  const seesAll = isMachineOwner(caller);
  const mine = seesAll ? {} : { principal: caller.principal };
  const limit = wanted === 'all' ? MAX_SCANNED : wanted;
  const calls = await ops.calls({ ...mine, ...window, limit });
  const notes = seesAll
    ? []
    : [`Only the calls of ${clientNameOfPrincipal(caller.principal)} are shown.`];
  if (wanted === 'all' && calls.length >= limit) {
    notes.push(`Only the last ${limit} calls were searched; "until" goes further back.`);
  }
  return { source: 'activity', entries: calls.toReversed().map(callEntry), notes };
}

/** Reads the log. It has no index, so a time range is filtered out of the last lines. */
async function readLog(
  ops: Pick<Diagnostics, 'logLines'>,
  { sinceMs = -Infinity, untilMs = Infinity }: TimeRange,
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

/** The newest entries, up to the requested number and what fits into an answer. */
function newest(
  entries: readonly ActivityEntry[],
  lines: number,
  format: (entry: ActivityEntry) => string,
): { shown: ActivityEntry[]; left: number } {
  const wanted = entries.slice(-lines);
  let chars = 0;
  const from = wanted.findLastIndex((entry) => (chars += format(entry).length + 1) > MAX_CHARS) + 1;
  return { shown: wanted.slice(from), left: from };
}

function asLine({ line }: ActivityEntry): string {
  return line;
}

function asJson({ row }: ActivityEntry): string {
  return JSON.stringify(row);
}
