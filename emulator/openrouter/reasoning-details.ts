import { createHash } from 'node:crypto';
import { isObject, type Dictionary } from '../is-object.ts';
import { bad, type RoutedError } from './errors.ts';
import type { OpenRouterSwitches } from './switches.ts';

const seal = (text: string): string =>
  createHash('sha256').update(`thought ${text}`).digest('base64url');

/** What was thought, typed and signed, to be handed back as it is. */
export function detailOf(text: string, kind: OpenRouterSwitches['reasoningDetails']): Dictionary {
  const common = { id: null, format: 'unknown', index: 0 };
  switch (kind) {
    case 'text':
      return { type: 'reasoning.text', text, signature: null, ...common };
    case 'summary':
      return { type: 'reasoning.summary', summary: text, ...common };
    case 'encrypted':
      return {
        type: 'reasoning.encrypted',
        data: `${Buffer.from(text).toString('base64url')}.${seal(text)}`,
        ...common,
      };
  }
}

/** The signature closes a thought that came as text. */
export const signatureOf = (text: string): Dictionary => ({
  type: 'reasoning.text',
  signature: seal(text),
  id: null,
  format: 'unknown',
  index: 0,
});

/** Details that come back with tool calls must be those that were sent. */
export function checkDetails(messages: readonly Dictionary[]): RoutedError | undefined {
  for (const message of messages) {
    const details: unknown = message['reasoning_details'];
    if (details === undefined || details === null) continue;
    if (!Array.isArray(details) || !details.every(isObject))
      return bad('messages.reasoning_details: an array of objects is expected');
    if (!details.every(isUntouched))
      return bad('messages.reasoning_details must be returned unmodified', {
        error_type: 'invalid_request',
      });
  }
  return undefined;
}

function isUntouched(detail: Dictionary): boolean {
  const { type, text, data, signature } = detail;
  if (type === 'reasoning.text')
    return typeof signature !== 'string' || typeof text !== 'string' || signature === seal(text);
  if (type === 'reasoning.summary') return typeof detail['summary'] === 'string';
  if (type !== 'reasoning.encrypted' || typeof data !== 'string') return false;
  const [thought = '', mark] = data.split('.');
  return mark === seal(Buffer.from(thought, 'base64url').toString('utf8'));
}
