import { CallError } from '#core/errors/call-error.ts';
import type { ChatRequest, ChatTool } from '#core/llm/chat.ts';
import type { ChatOutcome } from '#core/llm/collect-chat.ts';
import { eventually } from '../eventually.ts';
import { collectChat } from '../collect-chat.ts';
import type { FileToUpload } from '#core/llm/provider.ts';
import { readArguments } from '#core/json/model-json.ts';
import { FAULT_TABLE } from './fault-table.ts';
import {
  VENDORS,
  type Delivery,
  type FaultAsk,
  type FaultRow,
  type Outcome,
  type VendorName,
} from './provider-fault-row.ts';
import { SUBJECTS } from './provider-subjects.ts';
import { ADD, user } from './provider-requests.ts';
import { openProvider, type OpenProvider, type ProviderSubject } from './provider-under-test.ts';

/** One cell of the table: a fault, whom it befalls, and how the answer was to come. */
export interface FaultCase {
  readonly row: FaultRow;
  readonly vendor: VendorName;
  readonly delivery: Delivery;
  readonly expected: Outcome;
}

/** What was seen, with all that an expectation may name. */
export interface SeenOutcome extends Outcome {
  readonly message?: string;
  /** Files that the vendor still has. */
  readonly filesLeft?: number;
  /** Timers and listeners that nobody took back. */
  readonly leftovers: number;
}

/** Noon, so that hints that are dates come out even. */
const NOW = Date.UTC(2026, 10, 15, 12);
const RUNS_OUT_MS = 150;
const LONG_MS = 90_000;

export function faultCases(): readonly FaultCase[] {
  return FAULT_TABLE.flatMap((row) =>
    (row.who ?? VENDORS).flatMap((vendor) =>
      (row.deliveries ?? (['whole', 'stream'] as const)).map((delivery) => {
        const outcomes = row.by?.[vendor] ?? row.expect;
        const expected = 'outcome' in outcomes ? outcomes : outcomes[delivery];
        return { row, vendor, delivery, expected };
      }),
    ),
  );
}

/** Lets the fault befall a provider of its own and tells what came of it. */
export async function runFault({ row, vendor, delivery }: FaultCase): Promise<SeenOutcome> {
  const subject = subjectOf(vendor);
  const harness = await openProvider(subject, {
    now: () => NOW,
    ...(row.runsOut && { startsWithRequest: true }),
    ...timesFor(row, subject, delivery),
  });
  try {
    const plan = () => {
      const after = row.strikes ? { after: subject.leadEvents + 3 } : {};
      const path = isFileAsk(row.ask) ? 'files' : vendor === 'anthropic' ? 'messages' : 'chat';
      harness.emulator.fault({ path, ...row.plan, ...after, vendor });
    };
    const seen = isFileAsk(row.ask)
      ? await runFile(row.ask, harness, plan)
      : await runChat(row.ask ?? 'words', delivery, subject, harness, plan);
    const hungUp = row.runsOut ? await hasHungUp(harness) : undefined;
    const { timers, listeners } = await settled(harness);
    return { ...seen, ...(hungUp && { hungUp }), leftovers: timers + listeners };
  } finally {
    await harness.close();
  }
}

/** Each case has an emulator of its own, so that many can run at a time. */
export async function runFaults(
  cases: readonly FaultCase[],
  atOnce: number,
): Promise<ReadonlyMap<FaultCase, SeenOutcome>> {
  const seen = new Map<FaultCase, SeenOutcome>();
  const left = cases.values();
  const work = async () => {
    for (const each of left) seen.set(each, await runFault(each));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return seen;
}

export function subjectOf(vendor: VendorName): ProviderSubject {
  const subject = SUBJECTS.find((each) => each.vendor === vendor);
  if (!subject) throw new Error(`Nobody speaks to ${vendor}.`);
  return subject;
}

/** Short where something is to run out, and long enough for a busy machine everywhere else. */
function timesFor({ runsOut }: FaultRow, { slowStart }: ProviderSubject, delivery: Delivery) {
  const patience = { firstTokenMs: LONG_MS, idleMs: LONG_MS };
  if (!runsOut) return { patience, deadlineMs: LONG_MS };
  if (delivery === 'whole' || (runsOut === 'first token' && slowStart))
    return { patience, deadlineMs: 4 * RUNS_OUT_MS };
  return {
    patience: {
      ...patience,
      ...(runsOut === 'silence' ? { idleMs: RUNS_OUT_MS } : { firstTokenMs: RUNS_OUT_MS }),
    },
    deadlineMs: LONG_MS,
  };
}

const PICK: ChatTool = {
  name: 'pick_colour',
  description: 'Picks.',
  parameters: {
    type: 'object',
    properties: { colour: { type: 'string', enum: ['red'] } },
    required: ['colour'],
  },
};
const COUNT = {
  type: 'object',
  properties: { count: { type: 'integer', enum: [7] } },
  required: ['count'],
  additionalProperties: false,
};

const REQUESTS: Readonly<
  Record<Exclude<FaultAsk, 'upload' | 'content'>, Omit<ChatRequest, 'model' | 'delivery'>>
> = {
  words: { messages: user('[[think 2]] [[tokens 10]]'), maxOutputTokens: 500 },
  calls: {
    messages: user('[[call add_numbers {"a":1,"b":2}]] [[call add_numbers {"a":3,"b":4}]]'),
    tools: [ADD],
  },
  json: {
    messages: user('The count is 7. Give it as JSON.'),
    responseFormat: { type: 'json_schema', name: 'count', schema: COUNT },
  },
  forced: {
    messages: user('Hello there.'),
    tools: [PICK],
    toolChoice: { name: 'pick_colour' },
  },
  search: { messages: user('[[tokens 10]]'), webSearch: {} },
};

async function runChat(
  ask: keyof typeof REQUESTS,
  delivery: Delivery,
  subject: ProviderSubject,
  harness: OpenProvider,
  plan: () => void,
): Promise<Omit<SeenOutcome, 'leftovers'>> {
  plan();
  const request = { ...REQUESTS[ask], model: subject.model, delivery };
  const outcome = await collectChat(harness.provider.chat(request, harness.context()));
  return { ...seenOf(outcome), requests: harness.bodies().length };
}

function seenOf(outcome: ChatOutcome): Omit<SeenOutcome, 'leftovers'> {
  const { text, toolCalls, usage } = outcome.answer;
  if (outcome.is === 'failed') return { ...failure(outcome.error), text };
  return {
    outcome: 'answered',
    text,
    finish: outcome.finish,
    ...(usage && { usage: usage.estimated ? 'estimated' : 'counted' }),
    ...(toolCalls.length > 0 && { calls: toolCalls.map(showCall) }),
  };
}

function showCall(call: { readonly name: string; readonly arguments: string }): string {
  const read = readArguments(call.arguments);
  return `${call.name}(${read.is === 'read' ? JSON.stringify(read.value) : 'unreadable'})`;
}

function failure(error: CallError): Omit<SeenOutcome, 'leftovers'> {
  const { retryAfterMs, contextTokens, fix, message } = error;
  return {
    outcome: error.class,
    message,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(contextTokens !== undefined && { contextTokens }),
    ...(fix !== undefined && { fix }),
  };
}

const BYTES = Buffer.from('The harbour of Bergen was founded in 1070.');

async function runFile(
  ask: 'upload' | 'content',
  { provider, context }: OpenProvider,
  plan: () => void,
): Promise<Omit<SeenOutcome, 'leftovers'>> {
  const file: FileToUpload = {
    name: 'notes.txt',
    mediaType: 'text/plain',
    size: BYTES.length,
    purpose: provider.capabilities.includes('file_content') ? 'extract' : 'agent',
    async *bytes() {
      yield await Promise.resolve(BYTES);
    },
  };
  const filesLeft = async () => (await provider.listFiles?.(context()))?.length ?? 0;
  try {
    if (ask === 'upload') plan();
    const uploaded = await provider.upload?.(file, context());
    if (ask === 'content') plan();
    if (ask === 'content') await provider.fileContent?.(uploaded?.id ?? '', context());
    return { outcome: 'answered', requests: 1, filesLeft: await filesLeft() };
  } catch (thrown) {
    return { ...failure(CallError.from(thrown)), requests: 1, filesLeft: await filesLeft() };
  }
}

function isFileAsk(ask: FaultAsk | undefined): ask is 'upload' | 'content' {
  return ask === 'upload' || ask === 'content';
}

/** The vendor sees the client go, whatever the clock on the wall says. */
async function hasHungUp({ emulator }: OpenProvider): Promise<true | undefined> {
  const isLeft = () => emulator.requests().at(-1)?.left === true;
  return (await eventually(isLeft)) || undefined;
}

/** What comes back within the moments that a connection takes to be given up. */
async function settled(
  harness: OpenProvider,
): ReturnType<OpenProvider['left']> extends infer Left ? Promise<Left> : never {
  await eventually(() => {
    const { timers, listeners } = harness.left();
    return timers + listeners === 0;
  });
  return harness.left();
}

/** Whether what was seen is what was expected, and in which words not. */
export function differences(expected: Outcome, seen: SeenOutcome): readonly string[] {
  const wanted: Outcome = { text: '', requests: 1, ...expected };
  const facts = [
    'outcome',
    'text',
    'finish',
    'usage',
    'retryAfterMs',
    'contextTokens',
    'requests',
    'hungUp',
  ] as const;
  const wrong = facts
    .filter((fact) => (wanted[fact] ?? '') !== (seen[fact] ?? ''))
    .map((fact) => `${fact}: ${String(seen[fact])} in place of ${String(wanted[fact])}`);
  if (JSON.stringify(wanted.calls) !== JSON.stringify(seen.calls))
    wrong.push(`calls: ${String(seen.calls)} in place of ${String(wanted.calls)}`);
  if (wanted.fix !== undefined && !seen.fix?.includes(wanted.fix))
    wrong.push(`fix: ${String(seen.fix)} without ${wanted.fix}`);
  if (seen.leftovers > 0) wrong.push(`${seen.leftovers} timers or listeners were left`);
  if ((seen.filesLeft ?? 0) > 0) wrong.push(`${seen.filesLeft} files were left`);
  return wrong;
}
