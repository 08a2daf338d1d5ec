import type { AskSeen } from './ask-fault-run.ts';
import type { AskFaultCase } from './ask-fault-table.ts';

type Seen = ReadonlyMap<AskFaultCase, AskSeen>;

/**
 * A table of what was seen: one line for each fault and what came of it, with the chains that it
 * befell.
 */
export function renderAskFaults(cases: readonly AskFaultCase[], seen: Seen): string {
  const head = '| fault | what happens to the leader | whole or stream | chains | attempts | end |';
  return [head, '|---|---|---|---|---|---|', ...linesOf(cases, seen)].join('\n');
}

interface Line {
  readonly first: AskFaultCase;
  readonly attempts: string;
  readonly end: string;
  readonly chains: readonly string[];
  readonly deliveries: readonly string[];
}

/** Cases that differ in one thing only share a line. */
function linesOf(cases: readonly AskFaultCase[], seen: Seen): readonly string[] {
  const single = cases.map((each): Line => ({
    first: each,
    attempts: attemptsOf(each, seen.get(each)),
    end: endOf(seen.get(each)),
    chains: [each.chain.name],
    deliveries: [each.delivery],
  }));
  const byDelivery = merged(single, ({ chains }) => chains.join());
  return merged(byDelivery, ({ deliveries }) => deliveries.join()).map(
    ({ first: { row, often }, attempts, end, chains, deliveries }) =>
      `| ${row.fault} \`${row.plan.id}\` | ${row.what}, ${often} | ${deliveries.join(', ')} | ${chains.join(', ')} | ${attempts} | ${end} |`,
  );
}

function merged(lines: readonly Line[], sameness: (line: Line) => string): readonly Line[] {
  const groups = new Map<string, Line>();
  for (const line of lines) {
    const { row, often } = line.first;
    const key = JSON.stringify([
      row.plan,
      row.what,
      often,
      line.attempts,
      line.end,
      sameness(line),
    ]);
    const known = groups.get(key);
    groups.set(
      key,
      known
        ? {
            ...known,
            chains: [...new Set([...known.chains, ...line.chains])],
            deliveries: [...new Set([...known.deliveries, ...line.deliveries])],
          }
        : line,
    );
  }
  return [...groups.values()];
}

/** By their parts in the chain, as the models differ from one to the next. */
function attemptsOf({ chain }: AskFaultCase, seen: AskSeen | undefined): string {
  const parts: Readonly<Record<string, string>> = {
    [chain.elsewhere]: 'another provider',
    [chain.next]: chain.next === chain.elsewhere ? 'another provider' : 'another model',
    [chain.leader]: 'leader',
  };
  const attempts = seen?.asked.reports[0]?.attempts ?? [];
  return attempts
    .map(({ provider, model, outcome }) => {
      const who = `${provider}/${model}`;
      return `${parts[who] ?? who} ${outcome === 'ok' ? 'answers' : `\`${outcome}\``}`;
    })
    .join(', ');
}

function endOf(seen: AskSeen | undefined): string {
  if (!seen) return '**not run**';
  const { answer, error, heard } = seen.asked;
  const seams = answer?.seams.length ?? 0;
  const words = [
    answer ? `answered (${answer.finish})` : `\`${error?.class}\``,
    ...(answer && heard === answer.text ? [] : ['**the reader has something else**']),
    ...(seams > 0 ? [`${seams} ${seams === 1 ? 'seam' : 'seams'}`] : []),
    ...(answer?.report.usage?.estimated === true ? ['usage estimated'] : []),
    ...seen.wrong.map((wrong) => `**not as expected: ${wrong}**`),
  ];
  return words.join('; ');
}
