import { CallError, type ErrorJson } from '#core/call-error.ts';
import type { Envelope } from '#core/envelope.schema.ts';
import { isErrorClass } from '#core/error-class.ts';
import type { Renderer } from '#core/messages/coded.ts';
import { isFix } from '#core/messages/fixes.ts';
import { asSentence } from '#core/messages/sentence.ts';

/** The failure that an envelope tells of, with its reason and fixes. `text` is for an envelope without them. */
export function failureIn(envelope: unknown, text: string): CallError {
  const { error_class: named, error, detail } = (envelope ?? {}) as Partial<Envelope>;
  const errorClass = typeof named === 'string' && isErrorClass(named) ? named : 'tool_error';
  // Of a daemon of another version the text alone may be understood.
  const { message, fixes = [] } = (error ?? {}) as { message?: unknown; fixes?: unknown };
  const isKnown = typeof message === 'string' && Array.isArray(fixes) && fixes.every(isFix);
  if (!isKnown) return new CallError(errorClass, typeof detail === 'string' ? detail : text);
  return CallError.fromJSON({ ...error, class: errorClass } as unknown as ErrorJson);
}

/** A failure in the texts of a surface: its message, and what to do about it. */
export interface FailureText {
  readonly message: string;
  readonly fix: string;
}

/** What came over a wire may lack what its code needs; its message is always there. */
export function failureText(error: CallError, renderer: Renderer): FailureText {
  try {
    return { message: renderer.message(error), fix: renderer.fixes(error.fixes) };
  } catch {
    return { message: error.message, fix: '' };
  }
}

/** The same error with the message of a surface, for whoever tells it without knowing that surface. */
export function retold(error: CallError, renderer: Renderer): CallError {
  const { message } = failureText(error, renderer);
  return new CallError(error.class, message, { ...error.facts(), cause: error });
}

/** With the fix on a line of its own, where people and scripts find it below every failure. */
export function failureLines(error: CallError, renderer: Renderer): string {
  const { message, fix } = failureText(error, renderer);
  return fix === '' ? message : `${message}\n  fix: ${fix}`;
}

/** On one line. */
export function failureLine(error: CallError, renderer: Renderer): string {
  const { message, fix } = failureText(error, renderer);
  const text = fix === '' ? message : `${asSentence(message)} ${fix}`;
  return text.replaceAll(/\s*\n\s*/g, ' ');
}
