import type { AskedOf } from './answering.ts';
import type { HttpAsked, HttpEar, HttpWire } from './http-wire.ts';
import type { Simulation } from './simulation.ts';

/** A request of a legacy client over HTTP. */
export interface Post {
  readonly id: string;
  readonly text: string;
  readonly kind: 'open' | 'call' | 'list';
  session: HttpSession | undefined;
  wire: HttpWire | undefined;
  /** The stream that carries its answer, once it is known. */
  stream: number | undefined;
  /** `lost`: it cannot be answered, and the client knows. */
  state: 'waiting' | 'answered' | 'lost' | 'cancelled';
  settledAt: number;
}

/** Sends a request, in a session or in none. */
export type SendHttp = (
  asked: Omit<HttpAsked, 'headers'>,
  to: HttpSession | undefined,
  ear: HttpEar,
  more?: object,
) => HttpWire;

/** A session as its client sees it. */
export interface HttpSession {
  readonly id: string;
  /** Of the daemon that it is with. */
  readonly life: number;
  readonly asked: AskedOf;
  /** The last event seen, by stream. */
  readonly seen: Map<number, number>;
  readonly owners: Map<number, Post>;
  readonly wires: Set<HttpWire>;
  /** Of these, the ones that carry what needs no answer. */
  readonly notes: Set<HttpWire>;
  /** Of these, the ones that are to carry what belongs to no request. */
  readonly gets: Set<HttpWire>;
  /** Where such a stream stands that is open. */
  listening: { readonly wire: HttpWire; readonly since: number } | undefined;
  /** `left`: the client ended it. `gone`: it heard that there is none. */
  state: 'open' | 'left' | 'gone';
}

export function newSession(
  about: Pick<HttpSession, 'id' | 'life' | 'asked' | 'wires'>,
): HttpSession {
  return {
    ...about,
    seen: new Map(),
    owners: new Map(),
    notes: new Set(),
    gets: new Set(),
    listening: undefined,
    state: 'open',
  };
}

export const UNSOLICITED = 0;

/**
 * An event of a stream is the next after the last that was seen, whatever was cut in between.
 * `anew`: a stream of what belongs to no request that was opened without saying where it was: it
 * goes on with what was not given to anybody.
 */
export function place(
  simulation: Simulation,
  { seen, id: session }: HttpSession,
  eventId: string,
  { data, how }: { readonly data: string; readonly how: 'anew' | 'on' },
): number {
  const [, stream, event] = (/^(\d+)-(\d+)$/.exec(eventId) ?? []).map(Number);
  if (stream === undefined || event === undefined) {
    simulation.violate('events', `${JSON.stringify(eventId)} is no id of an event`);
    return UNSOLICITED;
  }
  const last = seen.get(stream);
  const next = (last ?? 0) + (data === '' ? 0 : 1);
  const isRight = how === 'anew' ? event >= next : event === next;
  if (!isRight)
    simulation.violate(
      'events',
      `event ${event} of stream ${stream} follows ${last} in ${session}`,
    );
  seen.set(stream, event);
  return stream;
}

/** Whether something of the client was with the daemon all the while before a connection came. */
export function isBusyBefore({ wires, notes }: HttpSession, came: HttpWire | undefined): boolean {
  const at = came?.arrivedAt ?? Number.POSITIVE_INFINITY;
  return [...wires].some(
    (wire) => !notes.has(wire) && wire.isOpenThere && wire.arrivedAt + ARRIVING_MS < at,
  );
}

/** A request is with its session only when it is there whole, and its sender known. */
const ARRIVING_MS = 120;

/**
 * For how long nothing of the client was with the daemon when a connection came; less than nothing
 * when something was.
 */
export function idleBefore({ wires, notes }: HttpSession, came: HttpWire | undefined): number {
  const at = came?.arrivedAt ?? Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const wire of wires) {
    // What asks for no answer and was cut before it got one may never have been there whole.
    const isLost = notes.has(wire) && !wire.statusThere;
    if (wire.arrivedAt + ARRIVING_MS < at && wire.statusThere !== 404 && !isLost)
      last = Math.max(last, wire.lastOpenThere);
  }
  return at - last;
}

/** Whether its id was sent once: of a duplicate nobody knows which of the two is asked for. */
export function isAlone(posts: ReadonlySet<Post>, { id }: Post): boolean {
  return [...posts].filter((post) => post.id === id).length === 1;
}

/** Says something that has no answer. */
export function sendNote(
  send: SendHttp,
  to: HttpSession,
  body: string,
  ear: { refused(status: number, wire: HttpWire): void; lost(): void },
): void {
  let status = 0;
  const wire = send({ method: 'POST', body }, to, {
    onHead: (given) => void (status = given),
    onText: () => undefined,
    onClosed(closed) {
      if (closed !== 'ended') ear.lost();
      else if (status !== 202) ear.refused(status, wire);
    },
  });
  to.notes.add(wire);
}

/** Ends a session, and says so when the daemon has. */
export function endSession(send: SendHttp, from: HttpSession, ended: () => void): void {
  let status = 0;
  send({ method: 'DELETE', body: '' }, from, {
    onHead: (given) => void (status = given),
    onText: () => undefined,
    onClosed(closed) {
      if (closed === 'ended' && status === 204) ended();
    },
  });
}
