import type { Json, JsonObject } from '#core/json.ts';
import { asObject } from './json-read.ts';

/** The body with one more instruction, at the end of the first system message: many templates allow only one, at the top. */
export function withInstruction(body: JsonObject, instruction: string): JsonObject {
  const messages = Array.isArray(body['messages']) ? (body['messages'] as readonly Json[]) : [];
  const first = asObject(messages[0]);
  if (first?.['role'] === 'system' && typeof first['content'] === 'string') {
    if (first['content'].includes(instruction)) return body;
    const content = `${first['content']}\n\n${instruction}`;
    return { ...body, messages: [{ role: 'system', content }, ...messages.slice(1)] };
  }
  return { ...body, messages: [{ role: 'system', content: instruction }, ...messages] };
}
