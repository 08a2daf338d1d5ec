import { parseText } from '#core/parse-text.ts';

/** What a client chose to tell its calls apart. */
export type RequestId = string | number;

/** A frame as it came: nothing but its `op` has been looked at. */
export interface Frame {
  readonly op: string;
  readonly session_id?: unknown;
  readonly token?: unknown;
  readonly request_id?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly args?: unknown;
  readonly old?: unknown;
  readonly new?: unknown;
}

export type Reading =
  | { readonly is: 'frame'; readonly frame: Frame }
  | { readonly is: 'invalid_json' }
  | { readonly is: 'invalid_message'; readonly why: string };

const MAX_ID_CHARS = 256;

export function readFrame(text: string): Reading {
  let value: unknown;
  try {
    value = parseText(text);
  } catch {
    // The parser's message quotes the text, which may hold a token.
    return { is: 'invalid_json' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { is: 'invalid_message', why: 'a frame is a JSON object' };
  }
  if (!('op' in value) || typeof value.op !== 'string') {
    return { is: 'invalid_message', why: '"op" must be a text' };
  }
  return { is: 'frame', frame: value as Frame };
}

/** Nothing when the client gave none that can be sent back as it was. */
export function requestIdOf({ request_id: id }: Frame): RequestId | undefined {
  if (typeof id === 'number') return Number.isSafeInteger(id) ? id : undefined;
  return typeof id === 'string' && id !== '' && id.length <= MAX_ID_CHARS ? id : undefined;
}
