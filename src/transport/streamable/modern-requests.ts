import type { Caller } from '#core/calls/call.ts';
import type { Clock } from '#core/time/clock.ts';
import type { RequestId } from '#mcp/json-rpc.ts';
import type { RpcRequest } from '#mcp/read-message.ts';
import type { ResponseSink } from '../http/http-context.ts';
import type { Quota } from '../http/quota.ts';
import type { McpSink, McpSession } from '../mcp/mcp-sink.ts';
import { createTimeoutQueue, type QueuedTimeout } from './timeout-queue.ts';
import { daemonStopped, JSON_TYPE, unansweredReply } from './refusal.ts';
import { KEEPALIVE, plainFrame } from './sse-frames.ts';
import type { OpenMcp } from './open-mcp.ts';
import type { StreamTimings } from './resumable-stream.ts';
import {
  createStallDetector,
  HIGH_WATER_BYTES,
  isStalled,
  MAX_BUFFERED_BYTES,
  type StallDetector,
} from './backpressure.ts';

interface ModernOptions {
  readonly openMcp: OpenMcp;
  readonly isCredentialValid: (caller: Caller) => boolean;
  readonly clock: Clock;
  readonly times: StreamTimings;
  /** Quota of concurrent requests. */
  readonly places: Quota;
}

/** Requests of the stateless era: each has its own MCP session, which lives until the answer. */
export interface ModernRequests {
  readonly size: number;
  /** False if the caller has too many running requests. */
  serve(message: RpcRequest, caller: Caller, out: ResponseSink): boolean;
  /** Lets running requests finish and ends subscriptions. */
  drain(): Promise<void>;
  end(): void;
}

/** A running request. Its answer is plain JSON unless another message is sent before. */
interface Running {
  readonly id: RequestId;
  readonly out: ResponseSink;
  readonly caller: Caller;
  session: McpSession | undefined;
  phase: 'waiting' | 'open' | 'over';
  timeout: QueuedTimeout<Running> | undefined;
  stall: StallDetector;
}

const STREAM_AFTER_MS = 1000;
/** For an answer that is not a stream. */
const NOT_STALLED = createStallDetector();
const STOPPED = daemonStopped('send the request again');
/** A status that proxies know too. */
const STOPPED_STATUS = 503;

export function createModernRequests(options: ModernOptions): ModernRequests {
  const { clock, times, openMcp, places } = options;
  const running = new Set<Running>();
  // Never at once, even if configured: here the HTTP status is part of the answer, and a stream has
  // sent 200 already.
  const slow = createTimeoutQueue<Running>(clock, times.streamAfterMs || STREAM_AFTER_MS, begin);
  const keepalive = createTimeoutQueue<Running>(clock, times.sseKeepaliveMs, (one) => {
    if (!options.isCredentialValid(one.caller) || isStalled(one.out, one.stall))
      return abandon(one);
    if (one.out.bufferedBytes < HIGH_WATER_BYTES) one.out.write(KEEPALIVE);
    one.timeout = keepalive.add(one);
  });

  function begin(one: Running): void {
    if (one.phase !== 'waiting') return;
    one.phase = 'open';
    slow.remove(one.timeout);
    one.out.openStream();
    one.stall = createStallDetector();
    one.timeout = keepalive.add(one);
  }

  function write(one: Running, text: string): void {
    if (one.phase === 'waiting') begin(one);
    if (one.phase !== 'open') return;
    if (one.out.bufferedBytes > MAX_BUFFERED_BYTES) return abandon(one);
    one.out.write(plainFrame(text));
  }

  function settle(one: Running): void {
    one.phase = 'over';
    one.out.onClose = undefined;
    slow.remove(one.timeout);
    keepalive.remove(one.timeout);
    running.delete(one);
    places.release(one.caller.principal);
    // Not at once: the session may be in the middle of answering.
    process.nextTick(closeSession, one);
  }

  /** Cancels a request whose client has gone. */
  function abandon(one: Running): void {
    if (one.phase === 'over') return;
    settle(one);
    one.out.destroy();
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

  function sinkOf(one: Running): McpSink {
    return {
      send: (text) => write(one, text),
      reply: (_id, text, status = 200) => answer(one, text, status),
      isClear: () => one.phase !== 'over' && one.out.bufferedBytes < HIGH_WATER_BYTES,
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
      if (!places.acquire(caller.principal)) return false;
      const one: Running = {
        id: message.id,
        out,
        caller,
        session: undefined,
        phase: 'waiting',
        timeout: undefined,
        stall: NOT_STALLED,
      };
      running.add(one);
      one.timeout = slow.add(one);
      out.onClose = () => abandon(one);
      // Without sessions the limits count per principal.
      const session = `http:${caller.principal}`;
      one.session = openMcp(sinkOf(one), { caller, session, transport: 'http', era: 'modern' });
      one.session.receive(message);
      return true;
    },
    async drain() {
      const sessions = [...running].flatMap(({ session }) => session ?? []);
      for (const session of sessions) session.onEnd();
      await Promise.all(sessions.map((session) => session.drain()));
    },
    end() {
      for (const one of running) answer(one, unansweredReply(one.id, STOPPED), STOPPED_STATUS);
      slow.clear();
      keepalive.clear();
    },
  };
}

function closeSession(one: Running): void {
  one.session?.onClose();
  one.session = undefined;
}
