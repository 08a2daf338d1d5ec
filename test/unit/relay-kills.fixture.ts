import { createTestSession, type TestSession } from '../../src/transport/mcp/session.fixture.ts';
import { createFakeLink, setup, type FakeLink } from '../../src/client/shim/relay.fixture.ts';

interface Daemon {
  readonly link: FakeLink;
  readonly mcp: TestSession;
  /** Said by the daemon, and still on its way. */
  readonly unheard: string[];
}

/**
 * When the client says the next line: when all is quiet, all at the beginning, or also while there
 * is no daemon.
 */
export type Pace = 'in turn' | 'at once' | 'meanwhile';

export interface Played {
  /** All that the client was told, read. */
  readonly told: RelayResult[];
  /** How many messages went either way. */
  readonly moves: number;
  /** Where in `told` the last daemon begins. */
  readonly lastFrom: number;
  readonly daemon: Daemon;
  readonly daemons: number;
  say(line: string): Promise<void>;
  /** Lets everything arrive. */
  quiet(): Promise<void>;
}

export interface RelayResult {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly uri?: string; readonly _meta?: Record<string, unknown> };
  readonly result?: object;
  readonly error?: object;
}

/**
 * A relay between a client that says these lines and daemons with the session that real ones have.
 * Messages move one by one, and before each of the given moves, counted from the beginning, the
 * daemon dies with all that is on its way.
 */
export async function play(
  lines: readonly string[],
  kills: readonly number[],
  pace: Pace,
): Promise<Played> {
  const harness = setup();
  const unsaid = [...lines];
  let daemon = start();
  let daemons = 1;
  let moves = 0;
  let lastFrom = 0;

  function start(): Daemon {
    return { link: createFakeLink({ replay: ['echo'] }), mcp: createTestSession(), unheard: [] };
  }

  function next(): boolean {
    const line = unsaid.shift();
    if (line !== undefined) harness.relay.fromClient(line);
    return line !== undefined;
  }

  async function kill(): Promise<void> {
    daemon.link.drop();
    daemon.mcp.session.onClose();
    if (pace === 'meanwhile') next();
    daemon = start();
    daemons += 1;
    await harness.pass();
    lastFrom = harness.told.length;
    await harness.arrive(daemon.link);
  }

  async function move(): Promise<boolean> {
    const { link, mcp, unheard } = daemon;
    if (unheard.length + link.sent.length === 0) return false;
    if (kills.includes(moves++)) {
      await kill();
      return true;
    }
    const heard = unheard.shift();
    if (heard !== undefined) link.say(heard);
    else mcp.session.onMessage(link.sent.shift() ?? '');
    await harness.settle();
    unheard.push(...mcp.channel.sent.splice(0));
    return true;
  }

  async function quiet(): Promise<void> {
    daemon.unheard.push(...daemon.mcp.channel.sent.splice(0));
    while (await move());
  }

  harness.relay.start();
  await harness.arrive(daemon.link);
  if (pace === 'at once') while (next());
  do await quiet();
  while (next());
  return {
    get told() {
      return harness.told.map((line) => JSON.parse(line) as RelayResult);
    },
    get moves() {
      return moves;
    },
    get lastFrom() {
      return lastFrom;
    },
    get daemon() {
      return daemon;
    },
    get daemons() {
      return daemons;
    },
    async say(line) {
      harness.relay.fromClient(line);
      await quiet();
    },
    quiet,
  };
}
