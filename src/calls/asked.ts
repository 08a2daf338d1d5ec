import type { AskReport } from '#core/ask.ts';
import type { Attempt, Envelope, Usage } from '#core/envelope.schema.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { asSentence } from '#core/messages/sentence.ts';
import { toUsd } from '#core/money.ts';

type AskedFacts = Partial<
  Pick<Envelope, 'provider' | 'model' | 'attempt' | 'usage' | 'route' | 'detail'>
>;

/** What asking models took, in the words of the envelope. Nothing when none was asked. */
export function askedFacts(reports: readonly AskReport[]): AskedFacts {
  const [first] = reports;
  if (!first) return {};
  const isOne = reports.length === 1;
  const answered = answererOf(reports);
  const attempts: Attempt[] = isOne
    ? [...first.attempts]
    : reports.flatMap((each) => each.attempts);
  const reasons = distinct(
    reports.flatMap((each) => each.reasons),
    (each) => asSentence(baseRenderer.reason(each)),
  );
  const notices = distinct(
    reports.flatMap((each) => each.notices),
    (each) => baseRenderer.notice(each),
  );
  const route: Envelope['route'] = { because: reasons.texts, reasons: reasons.data, attempts };
  if (first.class) route.class = first.class;
  if (first.rule !== undefined) route.rule = first.rule;
  if (notices.data.length > 0) {
    route.notices = notices.texts;
    route.notice_data = notices.data;
  }
  const seams = seamsOf(reports);
  if (seams.length > 0) route.seams = seams;
  const facts: AskedFacts = { attempt: attempts.length, route };
  if (answered) {
    facts.provider = answered.provider;
    facts.model = answered.model;
  }
  const usage = usageOf(reports);
  if (usage) facts.usage = usage;
  return facts;
}

/** Who answered; nobody where several did, as none of them did so alone. `attempts` has them all. */
function answererOf(
  reports: readonly AskReport[],
): { readonly provider: string; readonly model: string } | undefined {
  let only: { readonly provider: string; readonly model: string } | undefined;
  for (const { provider, model } of reports) {
    if (provider === undefined || model === undefined) continue;
    if (only && (only.provider !== provider || only.model !== model)) return undefined;
    only = { provider, model };
  }
  return only;
}

function seamsOf(reports: readonly AskReport[]) {
  return reports.flatMap((report) =>
    (report.seams ?? NO_SEAMS).map(({ at, provider, model }) => ({ at, provider, model })),
  );
}

const NO_SEAMS: NonNullable<AskReport['seams']> = [];

/** Messages as texts and as data, in one order, each text once. */
function distinct<T>(
  messages: readonly T[],
  render: (message: T) => string,
): { readonly texts: string[]; readonly data: T[] } {
  const byText = new Map<string, T>();
  for (const message of messages) {
    const text = render(message);
    if (!byText.has(text)) byText.set(text, message);
  }
  return { texts: [...byText.keys()], data: [...byText.values()] };
}

export function isDegraded(reports: readonly AskReport[]): boolean {
  return reports.some(({ quality }) => quality === 'degraded');
}

/** What had come of the answer that broke off. */
export function partialOf(reports: readonly AskReport[]): string | undefined {
  return reports.findLast(({ partial }) => partial !== undefined)?.partial;
}

function usageOf(reports: readonly AskReport[]): Usage | undefined {
  if (reports.every(({ usage }) => !usage)) return undefined;
  const sum: Usage = {
    input: 0,
    output: 0,
    cached: 0,
    reasoning: 0,
    cost_usd: 0,
    estimated: false,
  };
  let costMicroUsd = 0;
  for (const report of reports) {
    costMicroUsd += report.costMicroUsd;
    if (!report.costKnown) {
      sum.unpriced = true;
      sum.estimated = true;
    }
    const { usage } = report;
    if (!usage) continue;
    sum.input += usage.input;
    sum.output += usage.output;
    sum.cached += usage.cached;
    sum.reasoning += usage.reasoning;
    sum.estimated ||= usage.estimated;
  }
  sum.cost_usd = toUsd(costMicroUsd);
  return sum;
}
