import { LOG_LEVELS, type LogLevel } from '#core/question.ts';
import type { CallInFlight } from './in-flight.ts';
import type { McpLine } from './mcp-line.ts';

/** Tells what a tool says to its client's log, from a level on. */
export function createClientLog(
  line: McpLine,
  call: CallInFlight,
  from: () => LogLevel | undefined,
): (level: LogLevel, data: unknown) => void {
  return (level, data) => {
    const least = from();
    if (least === undefined || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return;
    if (!call.isOpen || !line.isClear(call.id)) return;
    const params = { level, logger: call.tool, data };
    line.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params }), call.id);
  };
}
