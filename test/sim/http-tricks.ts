import type { ClientOptions } from './client.ts';
import { isKnown } from './http-options.ts';
import { UNSOLICITED, type HttpSession, type SendHttp } from './http-session.ts';
import type { HttpAsked } from './http-wire.ts';
import { CLIENT_PROTOCOLS } from './client-protocols.ts';
import { framesOf } from './sse-frames.ts';

/** What no honest client does: it must be refused, and change nothing for anybody. */
export interface HttpTricks {
  /** Uses a session of somebody else. */
  steal(what: number): void;
  /** Comes back to what never was. */
  garble(session: HttpSession, which: number): void;
  /** Comes back to an answer that it has: it is given all of that once more. */
  reread(session: HttpSession): void;
}

const ODD_IDS = ['9-9', '0-99', 'x', '1-', '-1-1', '1-1-1', '999999999999999-1', '٣-١'];
/** What ended longer ago need not be there any more. */
const KEPT_MS = 290_000;

export function createHttpTricks(options: ClientOptions, send: SendHttp): HttpTricks {
  const { name, plan, simulation, random, http, sharedIds } = options;

  function tryOn(
    asked: Omit<HttpAsked, 'headers'>,
    more: object,
    allowed: readonly number[],
  ): void {
    const onHead = (status: number) => {
      if (allowed.includes(status) || (status === 401 && !isKnown(options))) return;
      const what = `${asked.method} ${JSON.stringify(more)}`;
      simulation.violate('thief', `${name} gets ${status} for ${what}`);
    };
    send(asked, undefined, { onHead, onText: () => undefined, onClosed: () => undefined }, more);
  }

  return {
    steal(what) {
      const theirs = sharedIds.sessions.filter(({ badge }) => badge !== plan.badge);
      if (theirs.length === 0) return;
      const named = { 'mcp-session-id': random.pick(theirs).id };
      const ways: (readonly [HttpAsked['method'], object])[] = [
        ['POST', {}],
        ['GET', {}],
        ['GET', { 'last-event-id': random.pick(['0-0', '1-1', '2-1', '3-0']) }],
        ['DELETE', {}],
      ];
      const [method, more] = ways[what % ways.length] as (typeof ways)[number];
      const body = method === 'POST' ? CLIENT_PROTOCOLS.legacy.list(`${name}-thief`) : '';
      tryOn({ method, body }, { ...named, ...more }, [404, 503]);
    },
    garble(session, which) {
      const last = ODD_IDS[which % ODD_IDS.length] ?? '';
      const more = { 'mcp-session-id': session.id, 'last-event-id': last };
      tryOn({ method: 'GET', body: '' }, more, [400, 404]);
    },
    reread(session) {
      const done = [...session.owners].filter(
        ([stream, { state, settledAt }]) =>
          stream !== UNSOLICITED && state === 'answered' && simulation.now - settledAt < KEPT_MS,
      );
      if (done.length === 0) return;
      const [stream] = random.pick(done);
      const last = session.seen.get(stream) ?? 0;
      const ids: string[] = [];
      let status = 0;
      const ear = {
        onHead: (given: number) => void (status = given),
        onText(text: string) {
          const frames = framesOf(text).filter(({ data }) => data !== '');
          ids.push(...frames.map(({ id = '' }) => id));
        },
        onClosed(how: 'ended' | 'cut' | 'refused') {
          const isKept = http.room === 'ample' && status === 400;
          if (isKept) simulation.violate('events', `${name} cannot read stream ${stream} again`);
          if (how !== 'ended' || status !== 200) return;
          const whole = Array.from({ length: last }, (_, at) => `${stream}-${at + 1}`);
          if (ids.join() !== whole.join())
            simulation.violate('events', `${name} reads stream ${stream} again: ${ids.join(' ')}`);
        },
      };
      const more = { 'mcp-session-id': session.id, 'last-event-id': `${stream}-0` };
      send({ method: 'GET', body: '' }, undefined, ear, more);
    },
  };
}
