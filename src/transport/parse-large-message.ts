import { parseLargeBody } from '#core/large-json/parse-large-body.ts';
import type { ParsedMessage } from './channel.ts';

export { LARGE_BODY_BYTES as LARGE_MESSAGE_BYTES } from '#core/large-json/parse-large-body.ts';

/** Parses a large message in steps; `mark` is a text that its sender does not know. */
export async function parseLargeMessage(bytes: Buffer, mark: string): Promise<ParsedMessage> {
  const value = await parseLargeBody(bytes, mark).catch(() => undefined);
  return { value, chars: bytes.length };
}

/** The size of a message that waits. */
export function charsOf(message: string | ParsedMessage): number {
  return typeof message === 'string' ? message.length : message.chars;
}
