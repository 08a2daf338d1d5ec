import { toPieces } from '../../emulator/tokens.ts';
import { FILE_MARK, NUMBERS, QUESTION_MARK } from './ask-classes.ts';
import { leaderOf } from './ask-fault-row.ts';
import { expectedAttempts, providerOf, searchesOf, type AskFaultCase } from './ask-fault-table.ts';
import { ASK_KEYS, type Asked, type AskRig } from './ask-under-test.ts';

/** What the reader has in the end: all of it, once, whoever wrote which part. */
function textOf({ chain: { text }, expected: { cutTo } }: AskFaultCase): string {
  return cutTo === undefined ? text : toPieces(text).slice(0, cutTo).join('');
}

export function wrongEnd(each: AskFaultCase, asked: Asked): readonly string[] {
  const { answer, error, reports, heard } = asked;
  const { chain, expected, row } = each;
  if (!answer) return [`failed: ${error?.class} ${error?.message}`];
  const [report] = reports;
  const by = expectedAttempts(each).at(-1)?.who ?? '';
  const finish =
    expected.cutTo !== undefined ? 'length' : row.ask === 'calls' ? 'tool_calls' : 'stop';
  const seams = seamsIn(each);
  const isEstimated = expected.estimated === true || expected.broken === 'uncounted';
  const isCalled = row.ask !== 'calls' || answer.toolCalls.length === 2;
  return [
    ...differs('reports', reports.length, 1),
    ...differs('by', `${answer.provider}/${answer.model}`, by),
    ...differs('reported', `${report?.provider}/${report?.model}`, by),
    ...differs('class', report?.class, chain.class),
    ...differs('text', answer.text, textOf(each)),
    ...differs('heard', heard, answer.text),
    ...differs('finish', answer.finish, finish),
    ...differs('quality', report?.quality, 'full'),
    ...differs('seams', answer.seams.length, seamsWithin(answer.seams.length, seams)),
    ...(answer.seams.every(({ at }) => at > 0 && at < answer.text.length)
      ? []
      : ['a seam outside']),
    ...differs('estimated', report?.usage?.estimated, isEstimated),
    ...(isCalled ? [] : [`${answer.toolCalls.length} calls`]),
  ];
}

/** The nearest possible number: a continuation that is cut within its first word leaves no seam. */
export function seamsWithin(found: number, most: number): number {
  return Math.max(Math.min(1, most), Math.min(found, most));
}

/** Each that goes on leaves one at most. */
function seamsIn(each: AskFaultCase): number {
  return each.expected.broken ? expectedAttempts(each).length - 1 : 0;
}

export function wrongAttempts(each: AskFaultCase, { reports, notes }: Asked): readonly string[] {
  const attempts = reports[0]?.attempts ?? [];
  const expected = expectedAttempts(each);
  const seen = attempts.map(({ provider, model, outcome }) => `${provider}/${model} ${outcome}`);
  const wanted = expected.map(({ who, outcome }) => `${who} ${outcome}`);
  const nexts = expected.slice(1 + searchesOf(each.expected).length).map(({ who }) => who);
  return [
    ...differs('attempts', seen.join(', '), wanted.join(', ')),
    ...differs(
      'numbers',
      attempts.map(({ attempt }) => attempt).join(),
      wanted.map((_, at) => at + 1).join(),
    ),
    ...differs('next', attempts.flatMap((each_) => each_.next ?? []).join(), nexts.join()),
    ...differs('notes', notes.length, nexts.length),
    ...attempts.flatMap(({ outcome, because }) =>
      (outcome === 'ok') === (because === undefined) ? [] : [`${outcome} because ${because}`],
    ),
  ];
}

export function wrongRequests(each: AskFaultCase, seen: number): readonly string[] {
  const { chain, expected, often } = each;
  const attempts = expectedAttempts(each).filter(({ who }) => providerOf(who) === leaderOf(chain));
  const perAttempt = expected.requests ?? 1;
  const struck = often === 'once' ? Math.min(1, attempts.length) : attempts.length;
  return differs('requests', seen, struck * perAttempt + (attempts.length - struck));
}

/** On disk and in the log stands what the answer says. */
export async function wrongRecords(
  { reqId, reports }: Asked,
  rig: AskRig,
): Promise<readonly string[]> {
  const [report] = reports;
  const told = (report?.attempts ?? []).map((each) => [
    each.attempt,
    each.provider,
    each.model,
    each.outcome,
    each.next ?? null,
  ]);
  const stored = (await rig.attempts(reqId)).map((each) => [
    each.attempt,
    each.provider,
    each.model,
    each.outcome,
    each.next,
  ]);
  const crumbs = rig.crumbs.lines
    .filter(({ event, fields }) => event === 'attempt' && (fields as Crumb).req_id === reqId)
    .map(({ fields }) => fields as Crumb)
    .map((each) => [each.attempt, each.provider, each.model, each.outcome, each.next ?? null]);
  const usage = await rig.usage();
  const sum = (pick: (total: (typeof usage)[number]) => number) =>
    usage.reduce((total, each) => total + pick(each), 0);
  return [
    ...differs('stored attempts', JSON.stringify(stored), JSON.stringify(told)),
    ...differs('crumbs', JSON.stringify(crumbs), JSON.stringify(told)),
    ...differs(
      'stored input',
      sum(({ input }) => input),
      report?.usage?.input,
    ),
    ...differs(
      'stored output',
      sum(({ output }) => output),
      report?.usage?.output,
    ),
    ...differs(
      'stored cost',
      sum(({ costMicroUsd }) => costMicroUsd),
      report?.costMicroUsd,
    ),
  ];
}

interface Crumb {
  readonly req_id: string;
  readonly attempt: number;
  readonly provider: string;
  readonly model: string;
  readonly outcome: string;
  readonly next?: string;
}

const FIRST_OF_ANSWER = NUMBERS.slice(0, 8);

/** What was said stays between those who speak, and keys with their owner. */
export function leaks({ answer, error, reports, notes }: Asked, rig: AskRig): readonly string[] {
  const told = JSON.stringify([
    rig.crumbs.lines,
    rig.log.lines,
    reports.map((report) => ({ ...report, partial: '' })),
    notes,
    answer?.seams,
    error && [error.toJSON(), error.stack],
  ]);
  return [...ASK_KEYS, QUESTION_MARK, FILE_MARK, FIRST_OF_ANSWER].flatMap((secret) =>
    told.includes(secret) ? [`told ${secret}`] : [],
  );
}

export async function stillHeld(rig: AskRig): Promise<readonly string[]> {
  const { signal } = new AbortController();
  const { caller, deadline } = rig.by({ deadlineMs: 0 });
  try {
    // More than anybody has: whoever is alone gets it, and nobody else.
    const alone = await rig.budgets.reserve(caller.principal, 1e15, { deadline, signal });
    alone.settle(0);
    return rig.held();
  } catch {
    // It would have had to wait for what others have set aside.
    return [...rig.held(), 'money that was set aside'];
  }
}

export function wrongAfter(each: AskFaultCase, after: Asked, requests: number): readonly string[] {
  const { chain, expected } = each;
  const by = chain.later[expected.rests ?? 'model'];
  const asked = (after.reports[0]?.attempts ?? []).map(
    ({ provider, model }) => `${provider}/${model}`,
  );
  return [
    ...differs('asked afterwards', asked.includes(chain.leader), false),
    ...(expected.rests === 'account' ? differs('requests afterwards', requests, 0) : []),
    ...(each.often === 'once' ? differs('answered afterwards', asked.join(), by) : []),
    ...(after.answer ? [] : [`failed afterwards: ${after.error?.class}`]),
  ];
}

function differs(what: string, seen: unknown, wanted: unknown): readonly string[] {
  return seen === wanted ? [] : [`${what}: ${String(seen)} in place of ${String(wanted)}`];
}
