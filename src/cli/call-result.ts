import { DaemonError } from '#client/daemon-client.ts';
import { readEnvelope } from '#client/read-envelope.ts';
import { failureEnvelope } from '#core/calls/envelope.ts';
import { CallError } from '#core/errors/call-error.ts';
import { ERROR_POLICY, isErrorClass } from '#core/errors/error-class.ts';
import type { Renderer } from '#core/messages/coded-message.ts';
import { escapeControls } from './format/escape-controls.ts';
import { readFailure, formatFailureLines } from './messages/failure.ts';

/** A `tools/call` result, reduced to what the command line shows. */
export interface ToolCallResult {
  /** The text content, for people. */
  readonly text: string;
  /** The envelope that wraps every answer of the daemon, unchanged. */
  readonly envelope: unknown;
  readonly exit: number;
  /** The failure with its reason and fixes; absent where the call succeeded. */
  readonly error?: CallError;
}

export function readCallResult(result: unknown): ToolCallResult {
  const { content, isError } = asRecord(result);
  const envelope = readEnvelope(result) ?? result;
  const text = (Array.isArray(content) ? content : []).map(shown).join('\n');
  if (isError !== true) return { text, envelope, exit: 0 };
  return { text, envelope, exit: exitOf(envelope), error: readFailure(envelope, text) };
}

/** The failure as text, rendered for one surface, with the fix on a separate line. */
export function formatCallFailure({ text, error }: ToolCallResult, renderer: Renderer): string {
  if (!error) return text;
  const failure = escapeControls(formatFailureLines(error, renderer));
  // What the server says tells more than that its tool failed.
  const isOfServer = error.reason?.code === 'server_tool_failed';
  return isOfServer && text !== '' ? `${failure}\n${text}` : failure;
}

/**
 * The answer of a call that ran but whose record could not be stored: it may have been paid for,
 * and there is no other copy.
 */
export function unrecordedAnswer({ envelope, error }: ToolCallResult): string | undefined {
  if (error?.reason?.code !== 'call_not_recorded') return undefined;
  const { content } = asRecord(envelope);
  if (content === null || content === undefined) return undefined;
  if (typeof content === 'string') return content;
  const { text } = asRecord(content);
  return typeof text === 'string' ? text : JSON.stringify(content, undefined, 2);
}

/** The result for a call that was rejected without one, such as a call of an unknown tool. */
export function callFailureResult(thrown: unknown, tool: string): ToolCallResult {
  const error = CallError.from(thrown);
  // An unexpected error is a bug, so it is reported with its stack.
  if (error.class === 'internal') throw error;
  const reqId = error instanceof DaemonError ? (error.reqId ?? '') : '';
  const envelope = failureEnvelope(error, { tool, req_id: reqId });
  return { text: escapeControls(error.message), envelope, exit: error.policy.exit, error };
}

function exitOf(envelope: unknown): number {
  const { error_class: name } = asRecord(envelope);
  const known = typeof name === 'string' && isErrorClass(name) ? name : 'tool_error';
  return ERROR_POLICY[known].exit;
}

function shown(item: unknown): string {
  const { type, text, mimeType } = asRecord(item);
  if (type === 'text' && typeof text === 'string') return escapeControls(text);
  const kind = typeof mimeType === 'string' ? `${String(type)}, ${mimeType}` : String(type);
  return `[${escapeControls(kind)}: --json shows it]`;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
