import { inspect } from 'node:util';
import type { Envelope } from '#core/calls/envelope.schema.ts';
import { CallError, type ErrorJson } from '#core/errors/call-error.ts';
import { isErrorClass } from '#core/errors/error-class.ts';
import type { Renderer } from '#core/messages/coded-message.ts';
import { isFix } from '#core/messages/fixes.ts';
import { asSentence } from '#core/messages/sentence.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printJson, type Io } from '../io.ts';
import { cliRenderer } from './cli-sentences.ts';

/**
 * The failure in an envelope, with its reason and fixes. `text` is used for an envelope without
 * them.
 */
export function readFailure(envelope: unknown, text: string): CallError {
  const { error_class: named, error, detail } = (envelope ?? {}) as Partial<Envelope>;
  const errorClass = typeof named === 'string' && isErrorClass(named) ? named : 'tool_error';
  // A daemon of another version may send an unknown error format; its text is used.
  const { message, fixes = [] } = (error ?? {}) as { message?: unknown; fixes?: unknown };
  const isKnown = typeof message === 'string' && Array.isArray(fixes) && fixes.every(isFix);
  if (!isKnown) return new CallError(errorClass, typeof detail === 'string' ? detail : text);
  return CallError.fromJSON({ ...error, class: errorClass } as unknown as ErrorJson);
}

/** A failure rendered for one surface: its message and fix. */
interface FailureText {
  readonly message: string;
  readonly fix: string;
}

/**
 * An error whose message is already that of its surface. Its reason stays for code that reads it.
 */
class RewordedError extends CallError {}

/** A failure from the wire may lack parameters of its code; its message is always present. */
function renderFailure(error: CallError, renderer: Renderer): FailureText {
  try {
    const message = error instanceof RewordedError ? error.message : renderer.message(error);
    return { message, fix: renderer.fixes(error.fixes) };
  } catch {
    return { message: error.message, fix: '' };
  }
}

/** The error with the message of one surface, for code that does not know the surface. */
export function rewordError(error: CallError, renderer: Renderer): CallError {
  const { message } = renderFailure(error, renderer);
  const { reason } = error;
  return new RewordedError(error.class, message, {
    ...error.facts(),
    ...(reason && { reason }),
    cause: error,
  });
}

/** The fix is on a separate line, where people and scripts find it below every failure. */
export function formatFailureLines(error: CallError, renderer: Renderer): string {
  const { message, fix } = renderFailure(error, renderer);
  return fix === '' ? message : `${message}\n  fix: ${fix}`;
}

/** Message and fix on one line. */
export function formatFailureLine(error: CallError, renderer: Renderer): string {
  const { message, fix } = renderFailure(error, renderer);
  const text = fix === '' ? message : `${asSentence(message)} ${fix}`;
  return text.replaceAll(/\s*\n\s*/g, ' ');
}

/** Returns an expected error; throws an unexpected one, so that it is reported with its stack. */
export function asExpectedError(thrown: unknown): CallError {
  const error = CallError.from(thrown);
  if (error.class === 'internal' && error.fixes.length === 0) throw thrown;
  return error;
}

const BUG = 'Unexpected internal error';

/**
 * Reports a failure: text on stderr, JSON on stdout with `--json`, and the exit code of its error
 * class.
 */
export function reportError(
  thrown: unknown,
  io: Pick<Io, 'stdout' | 'stderr'>,
  format: 'text' | 'json',
): number {
  const error = CallError.from(thrown);
  const place = placeOfBug(error);
  if (format === 'text')
    io.stderr.write(place === undefined ? formatError(error) : formatBug(place));
  else if (place === undefined) printJson(io, { error: errorJson(error) });
  else {
    const message = `${BUG}. Without --json it says where.`;
    printJson(io, { error: { ...error.toJSON(), message } });
  }
  return error.policy.exit;
}

function formatError(error: CallError): string {
  return escapeControls(`exai: ${formatFailureLines(error, cliRenderer)}\n`);
}

/** The error as JSON, with texts that name commands instead of tools. */
function errorJson(error: CallError): object {
  const { message, fix } = renderFailure(error, cliRenderer);
  return { ...error.toJSON(), message, ...(fix !== '' && { fix }) };
}

/** The text for a bug, with its stack: the command line writes no log. */
function formatBug(place: string): string {
  return `exai: ${BUG}. Please report it with these lines:\n${place}\n`;
}

/** The stack of an unexpected error. An error with a fix is expected. */
function placeOfBug({ class: errorClass, fixes, cause }: CallError): string | undefined {
  if (errorClass !== 'internal' || fixes.length > 0 || cause === undefined) return undefined;
  return cause instanceof Error ? cause.stack : inspect(cause);
}
