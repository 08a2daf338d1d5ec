import { createRandom, type SeededRandom } from '../sim/random.ts';
import { forAll } from './for-all.ts';
import { readGauges, type Gauged, type Gauges } from './gauges.ts';
import { createListener, createModernListener, type Listener } from './listener.ts';
import { createMcpHttp, type McpHttp } from './mcp-http.ts';

export interface HoldOptions {
  readonly streams: number;
  readonly seed: number;
}

export interface HeldStreams {
  /** What the daemon held when all were open, and when half were dropped. */
  readonly open: Gauges;
  readonly halved: Gauges;
  /** Of streams that did not hear what they should have. */
  readonly faults: readonly string[];
}

const CHANGES = 5;
const MAX_FAULTS = 10;
const FREED_MS = 90_000;

/**
 * Opens so many sessions with a stream each, has lists change before, while and after half of the
 * streams are away, and ends the sessions.
 */
export async function holdStreams(
  daemon: Gauged,
  { streams, seed, drops }: HoldOptions & { readonly drops: number },
): Promise<HeldStreams> {
  const http = createMcpHttp(daemon);
  const random = createRandom(seed);
  const sessions: string[] = [];
  const listeners: Listener[] = [];
  await forAll(Array.from({ length: streams }), async () => {
    const session = await http.openSession();
    const listener = createListener(http, session);
    await listener.listen();
    sessions.push(session);
    listeners.push(listener);
  });
  const open = await readGauges(daemon);
  let halved = open;
  const changes = await changeLists(http, random);
  for (let drop = 0; drop < drops; drop++) {
    const half = listeners.filter((_, n) => n % 2 === drop % 2);
    // Some are gone before these reach them, some after; and some are back before the last ones.
    changes.push(...(await whileChanging(http, random, half, (listener) => listener.drop())));
    changes.push(...(await changeLists(http, random)));
    halved = await readGauges(daemon);
    changes.push(...(await whileChanging(http, random, half, (listener) => listener.listen())));
  }
  await Promise.all(listeners.map((listener) => listener.hears(changes.length)));
  await forAll(sessions, (session) => http.endSession(session));
  await forAll(listeners, (listener) => listener.drop());
  http.close();
  const numbered = changes.map((_, n) => `0-${n + 1}`);
  return { open, halved, faults: faultsOf(listeners, () => changes, numbered) };
}

/**
 * The same with streams of the stateless era: those that were dropped are gone, the others hear
 * everything.
 */
export async function holdModernStreams(
  daemon: Gauged,
  { streams, seed }: HoldOptions,
): Promise<HeldStreams> {
  const http = createMcpHttp(daemon);
  const random = createRandom(seed);
  const listeners = Array.from({ length: streams }, () => createModernListener(http));
  await forAll(listeners, (listener) => listener.listen());
  const open = await readGauges(daemon);
  const early = await changeLists(http, random);
  await Promise.all(listeners.map((listener) => listener.hears(early.length)));
  const isKept = (n: number) => n % 2 === 1;
  await forAll(
    listeners.filter((_, n) => !isKept(n)),
    (listener) => listener.drop(),
  );
  const halved = await gaugesWhen(daemon, ({ connections }) => connections <= streams / 2);
  const all = [...early, ...(await changeLists(http, random))];
  await Promise.all(
    listeners.map((listener, n) => listener.hears(isKept(n) ? all.length : early.length)),
  );
  await forAll(listeners, (listener) => listener.drop());
  http.close();
  return { open, halved, faults: faultsOf(listeners, (n) => (isKept(n) ? all : early), []) };
}

function faultsOf(
  listeners: readonly Listener[],
  expected: (n: number) => readonly string[],
  ids: readonly string[],
): string[] {
  const faults = listeners.flatMap((listener, n) => {
    const isRight = String(listener.heard) === String(expected(n));
    if (isRight && String(listener.ids) === String(ids)) return [];
    return [`stream ${n} heard ${listener.heard.join(' ')} as ${listener.ids.join(' ')}`];
  });
  return faults.slice(0, MAX_FAULTS);
}

async function whileChanging(
  http: McpHttp,
  random: SeededRandom,
  half: readonly Listener[],
  work: (listener: Listener) => Promise<void>,
): Promise<string[]> {
  const [changes] = await Promise.all([changeLists(http, random), forAll(half, work)]);
  return changes;
}

/** Has one list after the other change, by chance; gives them in their order. */
async function changeLists(http: McpHttp, random: SeededRandom): Promise<string[]> {
  const changed: string[] = [];
  for (let n = 0; n < CHANGES; n++) {
    const list = random.pick(['tools', 'prompts'] as const);
    const name = list === 'tools' ? 'test_trigger_tool_change' : 'test_trigger_prompt_change';
    await http.ask('tools/call', { name, arguments: {} });
    changed.push(list);
  }
  return changed;
}

/** What the daemon holds as soon as it is so, or when it still is not after a while. */
async function gaugesWhen(daemon: Gauged, isSo: (gauges: Gauges) => boolean): Promise<Gauges> {
  const until = performance.now() + FREED_MS;
  for (;;) {
    const gauges = await readGauges(daemon);
    if (isSo(gauges) || performance.now() > until) return gauges;
  }
}
