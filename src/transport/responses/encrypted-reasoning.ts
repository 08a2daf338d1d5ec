import { parseUntrustedJson } from '#core/json/json-guard.ts';
import type { JsonObject } from '#core/json/json.ts';
import { isJsonObject, isTooDeep } from '../gateway/fields.ts';

/** The reasoning of a turn, which some vendors require back with its tool calls. */
export interface Reasoning {
  readonly text: string;
  /** OpenRouter's typed form of it. */
  readonly details: readonly JsonObject[];
}

const PREFIX = 'exai1.';

/**
 * `encrypted_content` of a reasoning item: the reasoning in base64. It is not secret, as its client
 * may read the reasoning anyway; the field is what stateless clients send back unchanged.
 */
export function sealReasoning({ text, details }: Reasoning): string {
  const json = JSON.stringify({ text, ...(details.length > 0 && { details }) });
  return PREFIX + Buffer.from(json).toString('base64');
}

/** Reads `encrypted_content`; undefined if another vendor wrote it or it was changed. */
export function openReasoning(sealed: string): Reasoning | undefined {
  if (!sealed.startsWith(PREFIX)) return undefined;
  try {
    const json = Buffer.from(sealed.slice(PREFIX.length), 'base64').toString();
    const value: unknown = parseUntrustedJson(json);
    if (!isJsonObject(value)) return undefined;
    const { text, details = [] } = value;
    const areDetails = Array.isArray(details) && details.every(isJsonObject) && !isTooDeep(details);
    if (typeof text !== 'string' || !areDetails) return undefined;
    return { text, details: details as unknown as readonly JsonObject[] };
  } catch {
    // Not JSON: it was changed on its way, and the model does without.
    return undefined;
  }
}
