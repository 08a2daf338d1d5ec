import { createRandom, type SeededRandom } from '../sim/random.ts';
import type { McpHttp } from './mcp-http.ts';
import { openStream, type StreamEvent, type StreamRequest } from './stream-socket.ts';

export interface ResumeOutcome {
  /** How often a connection was cut. */
  readonly cuts: number;
  /** Rounds that were cut before the client was told an event id, so that it had to ask again. */
  readonly askedAgain: number;
  readonly faults: readonly string[];
}

/** What a call says before its answer. */
interface Talking {
  readonly tool: string;
  readonly steps: readonly unknown[];
  readonly stepOf: (event: StreamEvent) => unknown;
}

const TALKING: readonly Talking[] = [
  {
    tool: 'test_tool_with_progress',
    steps: [0, 50, 100],
    stepOf: ({ message }) => message?.params?.['progress'],
  },
  {
    tool: 'test_tool_with_logging',
    steps: ['Tool execution started', 'Tool processing data', 'Tool execution completed'],
    stepOf: ({ message }) => message?.params?.['data'],
  },
];
/** One that says where its streams are before anything happens, and one that does not. */
const VERSIONS = ['2025-11-25', '2025-06-18'];
const SESSIONS = 6;
const AT_ONCE = 24;
/** The whole answer has less than this, head and all. */
const MOST_BYTES = 1600;
/** From then on the connection holds. */
const MAX_CUTS = 12;
const MAX_FAULTS = 10;

/** Makes calls whose connections break at any byte, and comes back until each is answered. */
export async function resumeRounds(
  http: McpHttp,
  { rounds, seed }: { readonly rounds: number; readonly seed: number },
): Promise<ResumeOutcome> {
  const open = VERSIONS.flatMap((version) =>
    Array.from({ length: SESSIONS / VERSIONS.length }, () => http.openSession(version)),
  );
  const sessions = await Promise.all(open);
  const faults: string[] = [];
  let cuts = 0;
  let askedAgain = 0;
  let next = 0;

  async function one(round: number): Promise<void> {
    const random = createRandom(seed).fork(`round ${round}`);
    const session = random.pick(sessions);
    const talking = random.pick(TALKING);
    // A request that cannot be resumed is asked once more, by another id.
    for (let attempt = 0; ; attempt++) {
      const heard = await callUntilAnswered(http, session, talking, random, round * 100 + attempt);
      cuts += heard.cuts;
      if (heard.events.length === 0 && heard.fault === undefined) {
        askedAgain += 1;
        continue;
      }
      const fault = heard.fault ?? faultOf(heard.events, talking);
      if (fault === undefined || faults.length >= MAX_FAULTS) return;
      const seen = heard.events.map(({ id, message }) => `${id} ${JSON.stringify(message)}`);
      faults.push(`round ${round} of seed ${seed}: ${fault}\n  ${seen.join('\n  ')}`);
      return;
    }
  }

  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < rounds) await one(next++);
    }),
  );
  await Promise.all(sessions.map((session) => http.endSession(session)));
  return { cuts, askedAgain, faults };
}

interface Heard {
  readonly events: readonly StreamEvent[];
  readonly cuts: number;
  readonly fault?: string;
}

async function callUntilAnswered(
  http: McpHttp,
  session: string,
  { tool }: Talking,
  random: SeededRandom,
  id: number,
): Promise<Heard> {
  const { token } = http;
  const headers = {
    accept: 'application/json, text/event-stream',
    'mcp-session-id': session,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const params = { name: tool, arguments: {}, _meta: { progressToken: id } };
  const events: StreamEvent[] = [];
  let last: string | undefined;
  let isAnswered = false;
  let request: StreamRequest = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
  };
  for (let cuts = 0; ;) {
    const stream = openStream(http.url, request, {
      onEvent(event) {
        last = event.id ?? last;
        if (event.message) events.push(event);
        if (event.message && !event.message.method) isAnswered = true;
      },
      ...(cuts < MAX_CUTS && { cutAfterBytes: random.between(1, MOST_BYTES) }),
    });
    const head = await stream.opened.catch(() => undefined);
    if ((await stream.over) === 'cut') cuts += 1;
    if (head && head.status !== 200) {
      return { events, cuts, fault: `${request.method} got ${head.status}: ${stream.body()}` };
    }
    if (isAnswered) return { events, cuts };
    // Before the first id there is nothing to come back to.
    if (last === undefined) return { events: [], cuts };
    request = { method: 'GET', headers: { ...headers, 'last-event-id': last } };
  }
}

/** Every step once and in order, then the answer; numbered without a gap. */
function faultOf(events: readonly StreamEvent[], { steps, stepOf }: Talking): string | undefined {
  const said = events.slice(0, -1).map(stepOf);
  if (JSON.stringify(said) !== JSON.stringify(steps)) return `heard ${JSON.stringify(said)}`;
  if (events.at(-1)?.message?.result === undefined) return 'no answer at the end';
  const numbers = events.map(({ id }) => Number(id?.split('-')[1]));
  if (numbers.some((number, index) => number !== index + 1)) return `numbered ${numbers.join(' ')}`;
  return undefined;
}
