import type { Progress } from '#core/call.ts';
import type { CallInFlight } from './in-flight.ts';
import type { RequestId } from './json-rpc.ts';
import type { McpLine } from './mcp-line.ts';

// Between two counts of the tool: enough to be more than before, too little to be mistaken for the next count.
const NUDGE = 1 / 1024;

/**
 * Tells a tool's steps as `notifications/progress`, whose number must always grow: a step without a count, or with one
 * that does not grow, is told as a little more than the one before.
 */
export function createProgress(
  line: McpLine,
  token: RequestId,
  call: CallInFlight,
): (step: Progress) => void {
  let last = -1;
  let isCounted = false;
  return ({ done, total, note }) => {
    if (!call.isOpen || !line.isClear(call.id)) return;
    const isCount = done !== undefined && Number.isFinite(done) && done > last;
    isCounted ||= isCount;
    const progress = isCount ? done : last + (isCounted ? NUDGE : 1);
    // Beyond 2^53 a little more is no more; then there is nothing new to tell.
    if (!(progress > last)) return;
    last = progress;
    const isTotal = total !== undefined && Number.isFinite(total) && total >= progress;
    const params = {
      progressToken: token,
      progress,
      ...(isTotal && { total }),
      ...(note !== undefined && { message: note }),
    };
    const message = { jsonrpc: '2.0', method: 'notifications/progress', params };
    line.send(JSON.stringify(message), call.id);
  };
}
