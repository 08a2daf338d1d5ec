import { differences, type FaultCase, type SeenOutcome } from './provider-fault-run.ts';

type Seen = ReadonlyMap<FaultCase, SeenOutcome>;

/** A table of what was seen: one line for each fault and outcome, with all those it befell. */
export function renderFaults(cases: readonly FaultCase[], seen: Seen): string {
  const head = '| fault | what happens | whole or stream | to whom | what comes of it |';
  return [head, '|---|---|---|---|---|', ...linesOf(cases, seen)].join('\n');
}

interface Line {
  readonly first: FaultCase;
  readonly outcome: string;
  readonly to: readonly string[];
  readonly deliveries: readonly string[];
}

/** Cases that differ in one thing only share a line. */
function linesOf(cases: readonly FaultCase[], seen: Seen): readonly string[] {
  const single = cases.map((each): Line => ({
    first: each,
    outcome: inWords(each, seen.get(each)),
    to: [each.vendor],
    deliveries: [each.delivery],
  }));
  const byDelivery = merged(single, ({ to }) => to.join());
  return merged(byDelivery, ({ deliveries }) => deliveries.join()).map(
    ({ first: { row }, outcome, to, deliveries }) =>
      `| ${row.fault} \`${row.plan.id}\` | ${row.what} | ${deliveries.join(', ')} | ${to.join(', ')} | ${outcome} |`,
  );
}

function merged(lines: readonly Line[], sameness: (line: Line) => string): readonly Line[] {
  const groups = new Map<string, Line>();
  for (const line of lines) {
    const { row } = line.first;
    const key = JSON.stringify([row.plan, row.what, line.outcome, sameness(line)]);
    const known = groups.get(key);
    groups.set(
      key,
      known
        ? {
            ...known,
            to: [...new Set([...known.to, ...line.to])],
            deliveries: [...new Set([...known.deliveries, ...line.deliveries])],
          }
        : line,
    );
  }
  return [...groups.values()];
}

function inWords({ expected }: FaultCase, seen: SeenOutcome | undefined): string {
  if (!seen) return '**not run**';
  const {
    outcome,
    text = '',
    finish,
    calls,
    usage,
    retryAfterMs,
    contextTokens,
    requests,
    hungUp,
  } = seen;
  const words = [
    outcome === 'answered' ? `answered (${finish ?? 'done'})` : `\`${outcome}\``,
    ...(retryAfterMs === undefined ? [] : [`retry after ${retryAfterMs} ms`]),
    ...(contextTokens === undefined ? [] : [`window of ${contextTokens}`]),
    ...(outcome === 'answered' ? [] : [text === '' ? 'nothing kept' : `kept “${text}”`]),
    ...(calls ? [calls.join(', ').replaceAll('|', '\\|')] : []),
    ...(usage === 'estimated' ? ['usage estimated'] : []),
    ...(requests === undefined || requests === 1 ? [] : [`asked ${requests} times`]),
    ...(hungUp ? ['connection closed by us'] : []),
  ];
  const wrong = differences(expected, seen);
  return words.join('; ') + (wrong.length > 0 ? ` — **not as expected: ${wrong.join('; ')}**` : '');
}
