import { DaemonError } from '#client/rpc-client.ts';
import { CallError } from '#core/call-error.ts';
import { failureEnvelope } from '#core/envelope.ts';
import { ERROR_POLICY, isErrorClass } from '#core/error-class.ts';
import type { Renderer } from '#core/messages/coded.ts';
import { failureIn, failureLines } from './messages/failure.ts';
import { harmless } from './terminal-text.ts';

/** A `tools/call` result as far as a command line shows it. */
export interface CallResult {
  /** What a person reads. */
  readonly text: string;
  /** The outside of every answer of ours, as it came. */
  readonly envelope: unknown;
  readonly exit: number;
  /** With its reason and fixes; nothing where the call succeeded. */
  readonly error?: CallError;
}

/** The envelope of a tool that another server brought stands here; its own result is left as it was. */
const ENVELOPE_KEY = 'exai/envelope';

export function readCallResult(result: unknown): CallResult {
  const { content, structuredContent, isError, _meta } = asRecord(result);
  const envelope = asRecord(_meta)[ENVELOPE_KEY] ?? structuredContent ?? result;
  const text = (Array.isArray(content) ? content : []).map(shown).join('\n');
  if (isError !== true) return { text, envelope, exit: 0 };
  return { text, envelope, exit: exitOf(envelope), error: failureIn(envelope, text) };
}

/** A failure in the texts of a surface, with the fix on a line of its own. */
export function failureOf({ text, error }: CallResult, renderer: Renderer): string {
  return error ? harmless(failureLines(error, renderer)) : text;
}

/** A call that got no result, such as one of an unknown tool, in the shape of those that did. */
export function readCallFailure(thrown: unknown, tool: string): CallResult {
  const error = CallError.from(thrown);
  // What nobody foresaw is no answer of the daemon's; it is reported with its place.
  if (error.class === 'internal') throw error;
  const reqId = error instanceof DaemonError ? (error.reqId ?? '') : '';
  const envelope = failureEnvelope(error, { tool, req_id: reqId });
  return { text: harmless(error.message), envelope, exit: error.policy.exit, error };
}

function exitOf(envelope: unknown): number {
  const { error_class: name } = asRecord(envelope);
  const known = typeof name === 'string' && isErrorClass(name) ? name : 'tool_error';
  return ERROR_POLICY[known].exit;
}

function shown(item: unknown): string {
  const { type, text, mimeType } = asRecord(item);
  if (type === 'text' && typeof text === 'string') return harmless(text);
  const kind = typeof mimeType === 'string' ? `${String(type)}, ${mimeType}` : String(type);
  return `[${harmless(kind)}: --json shows it]`;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
