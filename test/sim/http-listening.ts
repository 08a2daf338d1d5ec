import type { ClientOptions } from './client.ts';
import { UNSOLICITED, type HttpSession, type SendHttp } from './http-session.ts';
import type { HttpWire } from './http-wire.ts';
import { framesOf, type SseFrame } from './sse-frames.ts';

export interface ListeningOptions {
  readonly send: SendHttp;
  /** Whether the client still wants to hear anything. */
  readonly isOn: () => boolean;
  hear(session: HttpSession, frame: SseFrame, how: 'anew' | 'on'): void;
  refused(status: number, session: HttpSession, wire: HttpWire): void;
}

/** The one stream of a session that belongs to no request. */
export interface Listening {
  /** From an event on, or from what nobody was given yet. */
  listen(session: HttpSession, last?: string): void;
  /** Whether the client has heard everything, as far as that can be told. */
  check(session: HttpSession, readsFrom: number): void;
}

/** After so long nothing is under way. */
export const QUIET_MS = 400;

export function createListening(options: ClientOptions, own: ListeningOptions): Listening {
  const { name, simulation, random, daemonFreeze, http } = options;
  /** Those that ask to go on after an event, and have no answer yet. */
  const resuming = new Set<HttpSession>();

  /**
   * GETs without an answer, of each session: who asks from two places at once may be given the same
   * twice.
   */
  const pending = new Map<HttpSession, number>();
  const count = (session: HttpSession, by: number) =>
    void pending.set(session, (pending.get(session) ?? 0) + by);

  function listen(session: HttpSession, last?: string): void {
    if (resuming.has(session) || (last !== undefined && (pending.get(session) ?? 0) > 0)) return;
    if (last !== undefined) resuming.add(session);
    count(session, 1);
    let isAnswered = false;
    const answered = () => {
      if (!isAnswered) count(session, -1);
      isAnswered = true;
      if (last !== undefined) resuming.delete(session);
    };
    let status = 0;
    let wasTaken = false;
    let isFirst = last === undefined;
    const isTaken = () => [...session.gets].some((one) => one !== wire && one.isOpenThere);
    const wire = own.send(
      { method: 'GET', body: '' },
      session,
      {
        onArrived: () => void (wasTaken = isTaken()),
        onHead(given) {
          answered();
          status = given;
          if (status === 200) session.listening = { wire, since: simulation.now };
        },
        onText(text) {
          if (status !== 200 || session.state !== 'open') return;
          for (const frame of framesOf(text)) {
            own.hear(session, frame, isFirst ? 'anew' : 'on');
            isFirst = false;
          }
        },
        onClosed(how) {
          answered();
          if (session.listening?.wire === wire) session.listening = undefined;
          if (how !== 'ended' || status === 200) return again(session);
          if (status === 409) {
            if (!wasTaken && !isTaken())
              simulation.violate(
                'slot',
                `${name} may not listen in ${session.id}, and nobody does`,
              );
          } else if (status === 400 && last !== undefined) {
            if (http.room === 'ample')
              simulation.violate('events', `${name} cannot go on after ${last}, which it saw`);
          } else own.refused(status, session, wire);
        },
      },
      last === undefined ? {} : { 'last-event-id': last },
    );
    session.gets.add(wire);
  }

  /** It is over, by whosever doing: mostly the client comes back to it. */
  function again(session: HttpSession): void {
    if (!own.isOn() || random.chance(0.3)) return;
    simulation.after(random.between(20, 400), () => {
      if (session.state !== 'open' || !own.isOn() || session.listening) return;
      const last = session.seen.get(UNSOLICITED);
      const isPlain = last === undefined || random.chance(0.2);
      listen(session, isPlain ? undefined : `${UNSOLICITED}-${last}`);
    });
  }

  return {
    listen,
    check({ id, listening, seen, life }, readsFrom) {
      const last = seen.get(UNSOLICITED);
      if (!listening || last === undefined || life !== http.life || http.isStopping) return;
      const quietMs =
        simulation.now - Math.max(listening.since, readsFrom, daemonFreeze.lastFrozenAt);
      if (quietMs < QUIET_MS) return;
      const told = http.told(id);
      if (last !== told)
        simulation.violate('events', `${name} has seen ${last} of the ${told} things it was told`);
    },
  };
}
