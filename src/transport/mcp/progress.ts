import type { Progress } from '#core/call.ts';
import type { Clock } from '#core/clock.ts';
import { createRoughTokens } from '#core/rough-tokens.ts';
import type { RequestId } from '#mcp/json-rpc.ts';
import { TEXT_KEY } from '#mcp/meta-keys.ts';
import type { CallInFlight } from './in-flight.ts';
import type { McpLine } from './mcp-line.ts';
import { createTextFeed } from './text-feed.ts';

// Between two counts of the tool: enough to be more than before, too little to be mistaken for the next count.
const NUDGE = 1 / 1024;

// A line of text that changes more often cannot be read, and an answer has thousands of pieces.
const BETWEEN_LENGTHS_MS = 1000;

export interface ProgressOptions {
  readonly line: McpLine;
  readonly token: RequestId;
  readonly call: CallInFlight;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Whether the client gets the answer's text as it comes, or hears now and then how long it is. */
  readonly text: 'streamed' | 'counted';
}

/** What a client hears of a call of its while it runs. */
export interface CallProgress {
  readonly step: (step: Progress) => void;
  /** It no longer waits for its turn. */
  readonly admitted: () => void;
  /** Says that it is still under way, if nothing was said for so long. */
  readonly breathe: (silenceMs: number) => void;
}

/**
 * Tells a tool's steps as `notifications/progress`, whose number must always grow: a step without a count, or with one
 * that does not grow, is told as a little more than the one before.
 */
export function createProgress(options: ProgressOptions): CallProgress {
  const { line, token, call, clock } = options;
  const feed = options.text === 'streamed' ? createTextFeed() : undefined;
  const tokens = createRoughTokens();
  const startedAt = clock.monotonic();
  let doing = 'awaiting capacity';
  let toldAt = startedAt;
  let last = -1;
  let isCounted = false;
  let toldLengthAt = Number.NEGATIVE_INFINITY;

  function tell({ done, total, note }: Progress, text = ''): void {
    const isCount = done !== undefined && Number.isFinite(done) && done > last;
    isCounted ||= isCount;
    const progress = isCount ? done : last + (isCounted ? NUDGE : 1);
    // Beyond 2^53 a little more is no more; then there is nothing new to tell.
    if (!(progress > last)) return;
    last = progress;
    toldAt = clock.monotonic();
    const isTotal = total !== undefined && Number.isFinite(total) && total >= progress;
    const params = {
      progressToken: token,
      progress,
      ...(isTotal && { total }),
      ...(note !== undefined && { message: note }),
      ...(text !== '' && { _meta: { [TEXT_KEY]: text } }),
    };
    const message = { jsonrpc: '2.0', method: 'notifications/progress', params };
    line.send(JSON.stringify(message), call.id);
  }

  function tellLength(): void {
    const now = clock.monotonic();
    if (now - toldLengthAt < BETWEEN_LENGTHS_MS) return;
    toldLengthAt = now;
    tell({ note: `about ${tokens.count()} tokens so far` });
  }

  return {
    step({ text, ...others }) {
      if (!call.isOpen) return;
      if (text !== undefined) {
        if (feed) feed.add(text);
        else tokens.add(text);
      }
      if (!line.isClear(call.id)) return;
      if (text === undefined || Object.keys(others).length > 0) tell(others, feed?.take());
      else if (!feed) tellLength();
      else if (feed.hasMore()) tell({}, feed.take());
    },
    admitted: () => void (doing = 'running'),
    breathe(silenceMs) {
      const now = clock.monotonic();
      if (!call.isOpen || now - toldAt < silenceMs || !line.isClear(call.id)) return;
      const seconds = Math.round((now - startedAt) / 1000);
      tell({ note: `${call.asked ? 'awaiting an answer' : doing}, ${seconds} s` }, feed?.take());
    },
  };
}
