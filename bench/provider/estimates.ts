// What it costs to guess how many tokens a text has.
import { estimateTokens } from '#models/estimate-tokens.ts';
import { median, type BenchRow } from '../report.ts';

const ROUNDS = 15;
const MEGABYTE = 1e6;
const LINEAR_GOAL = 1.5;

const SAMPLES: Readonly<Record<string, string>> = {
  prose: 'The keeper of the lighthouse wrote down what he saw at 4:15, and went to sleep.\n',
  code: 'export const total = items.filter((each) => each.price > 0).map(toCents).reduce(add, 0);\n',
  Chinese: '灯塔的看守人在四点十五分记下他所看到的一切，然后去睡觉了。\n',
  'one letter again and again': 'a',
};

export function estimateRows(): BenchRow[] {
  return Object.entries(SAMPLES).map(([name, sample]): BenchRow => {
    const one = microseconds(textOf(sample, MEGABYTE));
    const ten = microseconds(textOf(sample, 10 * MEGABYTE));
    const ratio = ten / (10 * one);
    return {
      what: `token estimate, ${name}, for each MB of 10 (of 1 alone: ${one.toFixed(0)} µs)`,
      value: ten / 10,
      unit: 'µs',
      ratio,
      goal: `≤ ${LINEAR_GOAL} × of 1 MB`,
      ok: ratio <= LINEAR_GOAL,
    };
  });
}

function textOf(sample: string, bytes: number): string {
  const text = sample.repeat(Math.ceil(bytes / Buffer.byteLength(sample)));
  // Flat, as a text that came from a parser is.
  return Buffer.from(text).toString();
}

function microseconds(text: string): number {
  estimateTokens(text);
  const taken: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    estimateTokens(text);
    const { user, system } = process.cpuUsage(before);
    taken.push(user + system);
  }
  return median(taken);
}
