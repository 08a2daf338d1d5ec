import type { IncomingMessage } from 'node:http';
import type { CallError } from '#core/errors/call-error.ts';
import type { Id } from '#core/ids.ts';
import type { HttpContext, HeaderList } from '#transport/http/http-context.ts';
import type { DaemonFreeze } from './daemon-freeze.ts';
import type { SeededRandom } from './random.ts';
import type { Simulation } from './simulation.ts';

export interface HttpAsked {
  /** `/mcp` unless told. */
  readonly path?: string;
  /** The connection that it comes by, where it is to be known again; one of its own unless told. */
  readonly socket?: object;
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a client hears of its request. */
export interface HttpEar {
  /** It is with the daemon. */
  onArrived?(): void;
  onHead(status: number, headers: HeaderList): void;
  onText(text: string): void;
  /** `refused`: nobody is there. */
  onClosed(how: 'ended' | 'cut' | 'refused'): void;
}

/** The client's end of one request. */
export interface HttpWire {
  /** What is under way is lost, both ways; the daemon notices some time later, or much later. */
  cut(): void;
  dawdle(ms: number): void;
  /** Whether the daemon thinks that somebody is there. */
  readonly isOpenThere: boolean;
  /** When it last did. */
  readonly lastOpenThere: number;
  readonly arrivedAt: number;
  /** What it was answered, whether that has arrived or not. */
  readonly statusThere: number | undefined;
  /**
   * Who ended it early, where somebody did: the client or its network, the daemon, or the daemon's
   * death.
   */
  readonly cutBy: 'client' | 'daemon' | 'death' | undefined;
}

/** The daemon's end. */
export interface SimExchange extends HttpContext {
  readonly path: string;
  /** When its head went out, and when anything last did. */
  readonly headAt: number | undefined;
  readonly saidAt: number;
  /** The process is gone: the client hears nothing more but the end. */
  die(): void;
  onGone: () => void;
  /** The call that ends with this connection, where one does. */
  mark?: string;
}

export interface HttpWireOptions {
  readonly name: string;
  /** Under which the daemon tells of it. */
  readonly reqId?: Id<'req'>;
  readonly simulation: Simulation;
  readonly random: SeededRandom;
  readonly daemonFreeze: DaemonFreeze;
  readonly ear: HttpEar;
  /** False when there is no daemon. */
  serve(exchange: SimExchange): boolean;
}

type Item =
  | { readonly is: 'head'; readonly status: number; readonly headers: HeaderList }
  | {
      readonly is: 'whole';
      readonly status: number;
      readonly headers: HeaderList;
      readonly text: string;
    }
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'end' };

/** What one unread piece counts as, so that few of them are many. */
const PIECE_BYTES = 200_000;
/** Of all connections, so many are cut by the simulation, within so long. */
const CUT_CHANCE = 0.12;
const CUT_WITHIN_MS = 2500;

/** One request over a connection of its own, which may break at any step. */
export function sendHttp(asked: HttpAsked, options: HttpWireOptions): HttpWire {
  const { name, simulation, random, daemonFreeze, ear } = options;
  const downward: Item[] = [];
  let arrived = 0;
  let lastDownAt = 0;
  let readsFrom = 0;
  let here: 'open' | 'closed' = 'open';
  let there: 'coming' | 'open' | 'ended' | 'closed' | 'dead' = 'coming';
  let headAt: number | undefined;
  let saidAt = 0;
  let cutBy: HttpWire['cutBy'];
  let lastOpenThere = Number.NEGATIVE_INFINITY;
  let arrivedAt = Number.POSITIVE_INFINITY;
  let statusThere: number | undefined;

  const delay = () => (random.chance(0.1) ? random.between(5, 80) : random.between(0, 3));
  const body = createFakeBody(asked);

  function pump(): void {
    while (arrived > 0 && here === 'open' && there !== 'dead') {
      if (simulation.now < readsFrom) return;
      const item = downward.shift() as Item;
      arrived -= 1;
      if (item.is === 'head' || item.is === 'whole') ear.onHead(item.status, item.headers);
      if (item.is === 'text' || item.is === 'whole') ear.onText(item.text);
      if (item.is === 'end' || item.is === 'whole') closeHere('ended');
    }
  }

  function closeHere(how: 'ended' | 'cut' | 'refused'): void {
    if (here === 'closed') return;
    here = 'closed';
    if (how !== 'ended') simulation.tell(name, () => `${asked.method} is ${how}`);
    ear.onClosed(how);
  }

  function closeThere(): void {
    if (there === 'closed' || there === 'dead') return;
    if (there === 'open') lastOpenThere = simulation.now;
    there = 'closed';
    body.close();
    exchange.onClose?.();
    exchange.onGone();
  }

  /** The one head of an answer; false for whoever is not there any more. */
  function begin(what: string): boolean {
    if (headAt !== undefined || there === 'ended')
      simulation.violate('answers', `${name} is given ${what}, and it has an answer`);
    if (headAt !== undefined || there !== 'open') return false;
    headAt = simulation.now;
    return true;
  }

  function travel(item: Item): void {
    saidAt = simulation.now;
    if (here === 'closed') return;
    downward.push(item);
    lastDownAt = Math.max(lastDownAt, simulation.now + delay());
    simulation.after(lastDownAt - simulation.now, () => {
      arrived += 1;
      pump();
    });
  }

  function endThere(): void {
    there = 'ended';
    lastOpenThere = simulation.now;
    simulation.after(random.between(0, 10), () => daemonFreeze.run(closeThere));
  }

  function noticeThere(): void {
    const afterMs = random.chance(0.3) ? random.between(500, 1500) : random.between(0, 30);
    simulation.after(afterMs, () => daemonFreeze.run(closeThere));
  }

  function cut(): void {
    if (here === 'closed') return;
    cutBy ??= 'client';
    noticeThere();
    closeHere('cut');
  }

  const exchange: SimExchange = {
    request: body.request,
    path: asked.path ?? '/mcp',
    get headAt() {
      return headAt;
    },
    get saidAt() {
      return saidAt;
    },
    reqId: options.reqId ?? `req_${name}`,
    error: undefined as CallError | undefined,
    onClose: undefined,
    get isOpen() {
      return there === 'open';
    },
    get bufferedBytes() {
      return downward.length * PIECE_BYTES;
    },
    answer(status, type, text, more = []) {
      if (!begin(String(status))) return;
      const headers = ['content-type', type, ...more];
      statusThere = status;
      simulation.tell(name, () => `← ${status} ${text}`);
      // In one piece, or in several that may be torn apart.
      if (random.chance(0.3)) {
        travel({ is: 'head', status, headers });
        travel({ is: 'text', text });
        travel({ is: 'end' });
      } else travel({ is: 'whole', status, headers, text });
      endThere();
    },
    openStream(headers = []) {
      if (!begin('a stream')) return;
      simulation.tell(name, () => '← a stream');
      travel({
        is: 'head',
        status: 200,
        headers: ['content-type', 'text/event-stream', ...headers],
      });
    },
    write(text) {
      if (there === 'ended') simulation.violate('answers', `${name} is told more after the end`);
      if (there !== 'open') return;
      simulation.tell(name, () => `← ${JSON.stringify(text)}`);
      travel({ is: 'text', text });
    },
    end(last = '') {
      if (there !== 'open') return;
      if (last !== '') this.write(last);
      travel({ is: 'end' });
      endThere();
    },
    destroy() {
      if (there !== 'open' && there !== 'ended') return;
      cutBy ??= 'daemon';
      simulation.after(0, () => daemonFreeze.run(closeThere));
      simulation.after(random.between(0, 20), () => closeHere('cut'));
    },
    die() {
      if (there === 'open') lastOpenThere = simulation.now;
      there = 'dead';
      cutBy ??= 'death';
      simulation.after(random.between(0, 20), () => closeHere('cut'));
    },
    onGone: () => undefined,
  };

  simulation.after(delay(), () => daemonFreeze.run(arrive));

  function arrive(): void {
    if (here === 'closed') return;
    simulation.tell(name, () => `→ ${asked.method} ${shown(asked)}`);
    there = 'open';
    arrivedAt = simulation.now;
    ear.onArrived?.();
    if (!options.serve(exchange)) {
      there = 'closed';
      return closeHere('refused');
    }
    simulation.after(delay(), () => daemonFreeze.run(arriveWhole));
  }

  function arriveWhole(): void {
    if (here === 'closed' || there !== 'open') return;
    body.end();
  }

  if (random.chance(CUT_CHANCE)) simulation.after(random.between(0, CUT_WITHIN_MS), cut);

  return {
    cut,
    dawdle(ms) {
      readsFrom = Math.max(readsFrom, simulation.now + ms);
      simulation.after(ms, pump);
    },
    get isOpenThere() {
      return there === 'open';
    },
    get lastOpenThere() {
      return there === 'open' ? simulation.now : lastOpenThere;
    },
    get arrivedAt() {
      return arrivedAt;
    },
    get statusThere() {
      return statusThere;
    },
    get cutBy() {
      return cutBy;
    },
  };
}

function shown({ headers, body }: HttpAsked): string {
  const { 'mcp-session-id': session = '', 'last-event-id': last = '' } = headers;
  return [session.slice(0, 8), last, body].filter((part) => part !== '').join(' ');
}

/**
 * Of node's request just what is read: the method, the headers, and the body when somebody listens.
 */
function createFakeBody({ method, path = '/mcp', socket = {}, headers, body }: HttpAsked) {
  const listeners = new Map<string, (chunk?: Buffer) => void>();
  let state: 'coming' | 'whole' | 'told' = 'coming';

  function tell(): void {
    if (state !== 'whole' || !listeners.has('end')) return;
    state = 'told';
    // In one piece or in two.
    const at = body.length % 3 === 0 ? body.length >> 1 : body.length;
    for (const part of [body.slice(0, at), body.slice(at)])
      if (part !== '') listeners.get('data')?.(Buffer.from(part));
    listeners.get('end')?.();
  }

  const request = {
    method,
    url: path,
    socket,
    headers,
    on(event: string, listener: (chunk?: Buffer) => void) {
      listeners.set(event, listener);
      // Node tells in its own time, too: not before whoever listens has said all it listens to.
      queueMicrotask(tell);
      return request;
    },
    removeAllListeners: (event: string) => void listeners.delete(event),
    resume: () => undefined,
  };
  return {
    request: request as unknown as IncomingMessage,
    end() {
      state = 'whole';
      tell();
    },
    close: () => listeners.get('close')?.(),
  };
}
