import type { GatewaySeen } from './gateway-fault-run.ts';
import type { GatewayFaultCase } from './gateway-fault-table.ts';

type Seen = ReadonlyMap<GatewayFaultCase, GatewaySeen>;

/**
 * A table of what was seen: one line for each fault and what came of it, with where that was so.
 */
export function renderGatewayFaults(cases: readonly GatewayFaultCase[], seen: Seen): string {
  const head = '| fault | what happens | how often | API | answer | attempts | end |';
  const lines = new Map<string, Line>();
  for (const each of cases) {
    const line = lineOf(each, seen.get(each));
    const key = JSON.stringify([line.fault, line.what, line.often, line.attempts, line.end]);
    const known = lines.get(key) ?? line;
    known.where.add(`${each.shape} ${each.delivery}`);
    lines.set(key, known);
  }
  return [head, '|---|---|---|---|---|---|---|', ...[...lines.values()].map(written)].join('\n');
}

interface Line {
  readonly fault: string;
  readonly what: string;
  readonly often: string;
  readonly attempts: string;
  readonly end: string;
  readonly where: Set<string>;
}

const OFTEN = {
  once: 'to the leader, once',
  always: 'to the leader, always',
  everybody: 'to everybody',
} as const;

function lineOf(each: GatewayFaultCase, seen: GatewaySeen | undefined): Line {
  const { row, often } = each;
  return {
    fault: `${row.fault} \`${row.plan.id}\``,
    what: row.what,
    often: OFTEN[often],
    attempts: attemptsOf(each, seen),
    end: endOf(seen),
    where: new Set(),
  };
}

/**
 * By their parts in the chain, as the models differ; where everybody fails, how many there were.
 */
function attemptsOf(
  { chain, often }: GatewayFaultCase,
  { attempts }: Pick<GatewaySeen, 'attempts'> = { attempts: [] },
): string {
  if (often === 'everybody') return 'everybody in turn';
  return attempts
    .map((attempt) => {
      const [who = '', outcome = ''] = attempt.split(' ');
      const part = who === chain.leader ? 'leader' : 'another';
      return `${part} ${outcome === 'ok' ? 'answers' : `\`${outcome}\``}`;
    })
    .join(', ');
}

function endOf(seen: GatewaySeen | undefined): string {
  if (!seen) return '**not run**';
  const { read, status } = seen.sent;
  const seams = ((read.exai?.['seams'] ?? []) as readonly unknown[]).length;
  const words = [
    read.end === 'whole'
      ? 'whole'
      : `${status === 200 ? 'told within the stream' : status}: \`${read.failure?.class}\``,
    ...(seams > 0 ? [seams === 1 ? 'one seam' : 'several seams'] : []),
    ...seen.wrong.map((wrong) => `**not as expected: ${wrong}**`),
  ];
  return words.join('; ');
}

const SHAPES = { openai: 'OpenAI', anthropic: 'Anthropic' } as const;
const ANSWERS = { whole: 'JSON', stream: 'SSE' } as const;

function written({ fault, what, often, where, attempts, end }: Line): string {
  const named = (names: Readonly<Record<string, string>>) =>
    Object.entries(names)
      .filter(([id]) => [...where].some((each) => each.split(' ').includes(id)))
      .map(([, name]) => name)
      .join(', ');
  return `| ${fault} | ${what} | ${often} | ${named(SHAPES)} | ${named(ANSWERS)} | ${attempts} | ${end} |`;
}
