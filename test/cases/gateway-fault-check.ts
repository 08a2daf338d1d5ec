import { seamsWithin } from './ask-fault-check.ts';
import { searchesOf } from './ask-fault-table.ts';
import { eventually } from '../eventually.ts';
import { toPieces } from '../../emulator/tokens.ts';
import { FILE_MARK, NUMBERS, QUESTION_MARK } from './ask-classes.ts';
import { ASK_KEYS } from './ask-under-test.ts';
import type { Sent } from './gateway-client.ts';
import { attemptsOf, lastText, type GatewayFaultCase } from './gateway-fault-table.ts';
import { isObject, type Dictionary } from './gateway-read-events.ts';
import type { ReadAnswer, Shape } from './gateway-readers.ts';
import type { GatewayRig } from './gateway-under-test.ts';

/** How an answer says why it ended, in the words of its API. */
const FINISH: Readonly<Record<Shape, Readonly<Record<'stop' | 'length' | 'tool_calls', string>>>> =
  {
    openai: { stop: 'stop', length: 'length', tool_calls: 'tool_calls' },
    anthropic: { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' },
  };

/**
 * What holds whatever happens: a whole answer or a typed error, in the words of the API, and
 * nothing that is told twice.
 */
export function wrongForm({ ended, status, read, headers }: Sent, text: string): readonly string[] {
  const said = read.choices[0]?.text ?? '';
  const isWhole = read.end === 'whole';
  return [
    ...differs('the connection ended', ended, 'properly'),
    ...(read.end === 'cut' ? ['a silent cut'] : []),
    ...read.wrong,
    ...(isWhole ? differs('text', said, text) : []),
    ...(text.startsWith(said) ? [] : [`text that nobody said: ${said}`]),
    ...(isWhole || !hasContent(read)
      ? []
      : differs('class within the stream', read.failure?.class, 'interrupted')),
    ...(typeof headers['x-exai-req-id'] === 'string' ? [] : ['no x-exai-req-id']),
    ...(isWhole ? differs('status', status, 200) : []),
  ];
}

/** Whether the client has anything of an answer: from then on a failure is one in the middle. */
export function hasContent({ choices }: ReadAnswer): boolean {
  return choices.some(({ text, calls }) => text !== '' || calls.length > 0);
}

export function wrongAnswer(each: GatewayFaultCase, sent: Sent): readonly string[] {
  const { chain, expected, row, shape, often } = each;
  const text =
    expected.cutTo === undefined
      ? chain.text
      : toPieces(chain.text).slice(0, expected.cutTo).join('');
  const { read } = sent;
  const form = wrongForm(sent, text);
  if (often === 'everybody') {
    const end = read.end === 'whole' ? 'ok' : (read.failure?.class ?? 'nothing');
    const known: readonly string[] = lastText(each);
    return [...form, ...(known.includes(end) ? [] : [`${end} in place of ${known.join(' or ')}`])];
  }
  if (read.end !== 'whole')
    return [...form, `failed: ${read.failure?.class} ${read.failure?.message}`];
  const finish =
    expected.cutTo !== undefined ? 'length' : row.ask === 'calls' ? 'tool_calls' : 'stop';
  const [choice] = read.choices;
  const calls = row.ask === 'calls' ? 2 : 0;
  return [
    ...form,
    ...differs('choices', read.choices.length, 1),
    ...differs('finish', choice?.finish, FINISH[shape][finish]),
    ...differs('calls', choice?.calls.length, calls),
    ...wrongSeams(each, sent),
  ];
}

/** Each that goes on leaves a mark; in OpenAI's streams also where it happened. */
function wrongSeams(each: GatewayFaultCase, { read }: Sent): readonly string[] {
  const { expected, shape, delivery } = each;
  const attempts = attemptsOf(each) ?? [];
  const isTold = delivery === 'stream';
  const wanted = expected.broken ? attempts.length - 1 : 0;
  const seams = (read.exai?.['seams'] ?? []) as readonly Dictionary[];
  return [
    // Where nobody has heard the beginning, it may as well be asked for anew.
    ...(isTold || seams.length > 0
      ? differs('seams', seams.length, seamsWithin(seams.length, wanted))
      : []),
    ...(isTold && shape === 'openai'
      ? differs('seams marked', read.seams.length, seams.length)
      : []),
    ...seams.flatMap(({ at }) =>
      typeof at === 'number' && at > 0 && at < (read.choices[0]?.text ?? '').length
        ? []
        : [`a seam at ${String(at)}`],
    ),
  ];
}

interface ToldAttempt {
  readonly attempt: number;
  readonly provider: string;
  readonly model: string;
  readonly outcome: string;
}

/**
 * The metadata, the header fields, the rows on disk and the log tell one story, and it is the right
 * one.
 */
export async function wrongStory(
  each: GatewayFaultCase,
  sent: Sent,
  rig: GatewayRig,
): Promise<readonly string[]> {
  const { read } = sent;
  const reqId = String(sent.headers['x-exai-req-id']);
  const stored = (await rig.attempts(reqId)).map(shownAttempt);
  const expected = attemptsOf(each)?.map(({ who, outcome }, at) => `${at + 1} ${who} ${outcome}`);
  const crumbs = rig.crumbs.lines
    .filter(({ event, fields }) => event === 'attempt' && isOf(fields, reqId))
    .map(({ fields }) => shownAttempt(fields as ToldAttempt));
  const exai = read.exai ?? {};
  const told = ((exai['attempts'] ?? []) as readonly ToldAttempt[]).map(shownAttempt);
  const last = stored.at(-1)?.split(' ')[1] ?? '';
  return [
    ...(expected ? differs('attempts', stored.join(', '), expected.join(', ')) : []),
    ...differs('crumbs', crumbs.join(', '), stored.join(', ')),
    ...(read.end === 'whole'
      ? [
          ...differs('attempts told', told.join(', '), stored.join(', ')),
          ...differs('req_id', exai['req_id'], reqId),
          ...differs('by', `${String(exai['provider'])}/${String(exai['model'])}`, last),
        ]
      : []),
    ...wrongHeaders(each, sent, stored),
    ...(await wrongUsage(sent, rig)),
    ...(await wrongAudit(each, sent, rig, reqId)),
  ];
}

function shownAttempt({ attempt, provider, model, outcome }: ToldAttempt): string {
  return `${attempt} ${provider}/${model} ${outcome}`;
}

function isOf(fields: unknown, reqId: string): boolean {
  return isObject(fields) && fields['req_id'] === reqId;
}

/** Of a stream they say what was known at its first word. */
function wrongHeaders(
  each: GatewayFaultCase,
  { headers, read, status }: Sent,
  stored: readonly string[],
): readonly string[] {
  // Its head had to go before anybody had said a word: then it says who was asked at that time.
  if (status === 200 && !hasContent(read)) return [];
  const { expected, delivery } = each;
  const isBroken = expected.broken !== undefined && delivery === 'stream' && status === 200;
  const known = isBroken ? stored.slice(0, 1) : stored;
  const [number, who] = known.at(-1)?.split(' ') ?? [];
  const failed = known.filter((attempt) => !attempt.endsWith(' ok'));
  const reason = headers['x-exai-fallback-reason'];
  const later = delivery === 'stream' && status === 200 ? searchesOf(expected).length : 0;
  const by = `${String(headers['x-exai-provider'])}/${String(headers['x-exai-model'])}`;
  return [
    // The number of a stream is that of its attempt as it began, before the searches within it.
    ...differs('x-exai-attempts', headers['x-exai-attempts'], String(Number(number ?? 0) - later)),
    ...(read.end === 'whole' || isBroken ? differs('x-exai-provider', by, who) : []),
    ...(isBroken || failed.length === 0
      ? differs('x-exai-fallback-reason', reason, undefined)
      : differs('x-exai-fallback-reason', reason, failed[0]?.slice(failed[0].indexOf(' ') + 1))),
  ];
}

async function wrongUsage({ read }: Sent, rig: GatewayRig): Promise<readonly string[]> {
  if (read.end !== 'whole') return [];
  const rows = await rig.usage();
  const sum = (pick: (row: (typeof rows)[number]) => number) =>
    rows.reduce((total, row) => total + pick(row), 0);
  const cost = Math.round(Number(read.exai?.['cost_usd']) * 1e6);
  const total = read.exai?.['usage_total'] as Readonly<Record<string, number>> | undefined;
  const stored = { input: sum(({ input }) => input), output: sum(({ output }) => output) };
  const { input = 0, output = 0 } = read.usage ?? {};
  return [
    ...differs('all input', total?.['input_tokens'], stored.input),
    ...differs('all output', total?.['output_tokens'], stored.output),
    // The prompt once, and what was delivered.
    ...(input > 0 && input <= stored.input ? [] : [`input: ${input} of ${stored.input}`]),
    ...(output > 0 && output <= stored.output ? [] : [`output: ${output} of ${stored.output}`]),
    ...(rig.chats().length > 1
      ? []
      : [...differs('input', input, stored.input), ...differs('output', output, stored.output)]),
    ...differs(
      'cost',
      cost,
      sum(({ costMicroUsd }) => costMicroUsd),
    ),
    ...(rows.every(({ tool }) => tool === 'gateway_chat') ? [] : ['usage of another tool']),
  ];
}

/** A row of a call that only reads joins the next commit. */
async function wrongAudit(
  { shape }: GatewayFaultCase,
  { read }: Sent,
  rig: GatewayRig,
  reqId: string,
): Promise<readonly string[]> {
  let rows = await rig.calls(reqId);
  await eventually(async () => {
    rows = await rig.calls(reqId);
    return rows.length > 0;
  });
  const seen = rows.map(({ door, errorClass }) => `${door} ${errorClass ?? 'ok'}`).join();
  const end = read.end === 'whole' ? 'ok' : read.failure?.class;
  return differs('audited', seen, `${shape} ${end}`);
}

const FIRST_OF_ANSWER = NUMBERS.slice(0, 8);

/** What was said stays between those who speak, and keys with their owner. */
export function leaks({ headers, body, read }: Sent, rig: GatewayRig): readonly string[] {
  const logged = JSON.stringify([rig.log.lines, rig.crumbs.lines]);
  const said = JSON.stringify([headers, read.exai, read.failure]);
  const found = (where: string, text: string, secrets: readonly string[]) =>
    secrets.flatMap((secret) => (text.includes(secret) ? [`${where} has ${secret}`] : []));
  const words = [QUESTION_MARK, FILE_MARK, FIRST_OF_ANSWER];
  const keys = [...ASK_KEYS, rig.key];
  return [
    ...found('the log', logged, [...keys, ...words]),
    ...found('what is told of the answer', said, words),
    ...found('the answer', JSON.stringify(headers) + body, keys),
  ];
}

export function differs(what: string, seen: unknown, wanted: unknown): readonly string[] {
  return seen === wanted ? [] : [`${what}: ${String(seen)} in place of ${String(wanted)}`];
}
