import type { Caller } from '#core/call.ts';
import type { Clock } from '#core/clock.ts';
import type { RequestId } from '#mcp/json-rpc.ts';
import type { RpcRequest } from '#mcp/read-message.ts';
import type { Out } from '../http/endpoint.ts';
import type { Shares } from '../http/shares.ts';
import type { McpLine, McpSession } from '../mcp/mcp-line.ts';
import { createDelayLine, type Ticket } from './delay-line.ts';
import { lastWord, stopped } from './endings.ts';
import { KEEPALIVE, plainFrame } from './events.ts';
import type { OpenMcp } from './http-about.ts';
import { JSON_TYPE } from './refusal.ts';
import type { StreamTimes } from './stream-lines.ts';
import { createPulse, HIGH_WATER, isStalled, MAX_UNREAD, type Pulse } from './unread.ts';

interface ModernOptions {
  readonly openMcp: OpenMcp;
  readonly isGood: (caller: Caller) => boolean;
  readonly clock: Clock;
  readonly times: StreamTimes;
  /** How many there may be at once. */
  readonly places: Shares;
}

/** Requests of the stateless era: each has a session of its own, which lives as long as its answer. */
export interface ModernRequests {
  readonly size: number;
  /** False when there is no room for one more of this caller. */
  serve(message: RpcRequest, caller: Caller, out: Out): boolean;
  /** What runs is answered, subscriptions say their last word. */
  drain(): Promise<void>;
  end(): void;
}

/** What is under way. Its answer is one JSON text unless something else is said before. */
interface Running {
  readonly id: RequestId;
  readonly out: Out;
  readonly caller: Caller;
  session: McpSession | undefined;
  phase: 'waiting' | 'open' | 'over';
  ticket: Ticket<Running> | undefined;
  pulse: Pulse;
}

const STREAM_AFTER_MS = 1000;
/** Of an answer that does not stream. */
const NO_PULSE = createPulse();
const STOPPED = stopped('send the request again');
/** What stands between may know that one, too. */
const STOPPED_STATUS = 503;

export function createModernRequests(options: ModernOptions): ModernRequests {
  const { clock, times, openMcp, places } = options;
  const running = new Set<Running>();
  // Not at once, whatever is told: here the status of HTTP says how it went, and a stream has said 200 already.
  const slow = createDelayLine<Running>(clock, times.streamAfterMs || STREAM_AFTER_MS, begin);
  const keepalive = createDelayLine<Running>(clock, times.sseKeepaliveMs, (one) => {
    if (!options.isGood(one.caller) || isStalled(one.out, one.pulse)) return leave(one);
    if (one.out.unread < HIGH_WATER) one.out.write(KEEPALIVE);
    one.ticket = keepalive.add(one);
  });

  function begin(one: Running): void {
    if (one.phase !== 'waiting') return;
    one.phase = 'open';
    slow.remove(one.ticket);
    one.out.openStream();
    one.pulse = createPulse();
    one.ticket = keepalive.add(one);
  }

  function write(one: Running, text: string): void {
    if (one.phase === 'waiting') begin(one);
    if (one.phase !== 'open') return;
    if (one.out.unread > MAX_UNREAD) return leave(one);
    one.out.write(plainFrame(text));
  }

  function settle(one: Running): void {
    one.phase = 'over';
    one.out.onClose = undefined;
    slow.remove(one.ticket);
    keepalive.remove(one.ticket);
    running.delete(one);
    places.give(one.caller.principal);
    // Not at once: it may be in the middle of answering.
    process.nextTick(closeSession, one);
  }

  /** Nobody reads it any more, which cancels it. */
  function leave(one: Running): void {
    if (one.phase === 'over') return;
    settle(one);
    one.out.cut();
  }

  function answer(one: Running, text: string, status: number): void {
    if (one.phase === 'over') return;
    if (one.phase === 'waiting') {
      settle(one);
      one.out.answer(status, JSON_TYPE, text);
      return;
    }
    write(one, text);
    if (one.phase !== 'open') return;
    settle(one);
    one.out.end();
  }

  function lineOf(one: Running): McpLine {
    return {
      send: (text) => write(one, text),
      reply: (_id, text, status = 200) => answer(one, text, status),
      isClear: () => one.phase !== 'over' && one.out.unread < HIGH_WATER,
      close() {
        if (one.phase === 'over') return;
        const { phase } = one;
        settle(one);
        if (phase === 'waiting') one.out.openStream();
        one.out.end();
      },
    };
  }

  return {
    get size() {
      return running.size;
    },
    serve(message, caller, out) {
      if (!places.take(caller.principal)) return false;
      const one: Running = {
        id: message.id,
        out,
        caller,
        session: undefined,
        phase: 'waiting',
        ticket: undefined,
        pulse: NO_PULSE,
      };
      running.add(one);
      one.ticket = slow.add(one);
      out.onClose = () => leave(one);
      // Without sessions the limits count what one principal does.
      const session = `http:${caller.principal}`;
      one.session = openMcp(lineOf(one), { caller, session, door: 'http', era: 'modern' });
      one.session.receive(message);
      return true;
    },
    async drain() {
      const sessions = [...running].flatMap(({ session }) => session ?? []);
      for (const session of sessions) session.onEnd();
      await Promise.all(sessions.map((session) => session.drain()));
    },
    end() {
      for (const one of running) answer(one, lastWord(one.id, STOPPED), STOPPED_STATUS);
      slow.clear();
      keepalive.clear();
    },
  };
}

function closeSession(one: Running): void {
  one.session?.onClose();
  one.session = undefined;
}
