import type { AskReport } from '#core/ask.ts';
import type { Attempt, Envelope, Usage } from '#core/envelope.schema.ts';
import { toUsd } from '#core/money.ts';

type AskedFacts = Partial<
  Pick<Envelope, 'provider' | 'model' | 'attempt' | 'usage' | 'route' | 'detail'>
>;

/** What asking models took, in the words of the envelope. Nothing when none was asked. */
export function askedFacts(reports: readonly AskReport[]): AskedFacts {
  const [first] = reports;
  if (!first) return {};
  const isOne = reports.length === 1;
  const answered = reports.findLast(({ provider }) => provider !== undefined);
  const attempts: Attempt[] = isOne
    ? [...first.attempts]
    : reports.flatMap((each) => each.attempts);
  const notices = isOne ? first.notices : distinct(reports.flatMap((each) => each.notices));
  const because = isOne ? first.because : distinct(reports.flatMap((each) => each.because));
  const seams = reports.flatMap((report) =>
    (report.seams ?? []).map(({ at, provider, model }) => ({ at, provider, model })),
  );
  const usage = usageOf(reports);
  return {
    ...(answered?.provider !== undefined && { provider: answered.provider }),
    ...(answered?.model !== undefined && { model: answered.model }),
    attempt: attempts.length,
    ...(usage && { usage }),
    route: {
      ...(first.class && { class: first.class }),
      ...(first.rule !== undefined && { rule: first.rule }),
      because: [...because],
      attempts,
      ...(notices.length > 0 && { notices: [...notices] }),
      ...(seams.length > 0 && { seams }),
    },
  };
}

function distinct(words: readonly string[]): string[] {
  return [...new Set(words)];
}

export function isDegraded(reports: readonly AskReport[]): boolean {
  return reports.some(({ quality }) => quality === 'degraded');
}

/** What had come of the answer that broke off. */
export function partialOf(reports: readonly AskReport[]): string | undefined {
  return reports.findLast(({ partial }) => partial !== undefined)?.partial;
}

function usageOf(reports: readonly AskReport[]): Usage | undefined {
  const used = reports.flatMap(({ usage }) => usage ?? []);
  if (used.length === 0) return undefined;
  const sum = (pick: (each: (typeof used)[number]) => number) =>
    used.reduce((total, each) => total + pick(each), 0);
  return {
    input: sum(({ input }) => input),
    output: sum(({ output }) => output),
    cached: sum(({ cached }) => cached),
    reasoning: sum(({ reasoning }) => reasoning),
    ...(reports.some(({ costKnown }) => !costKnown) && { unpriced: true as const }),
    cost_usd: toUsd(reports.reduce((total, { costMicroUsd }) => total + costMicroUsd, 0)),
    estimated:
      used.some(({ estimated }) => estimated) || reports.some(({ costKnown }) => !costKnown),
  };
}
