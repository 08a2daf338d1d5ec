import { isObject, type Dictionary } from '../is-object.ts';
import type { QuestionMessage } from './question.ts';

/**
 * A JSON Schema that a system message holds on a separate line, for vendors that can only be told
 * in words.
 */
export function schemaInPrompt(messages: readonly QuestionMessage[]): Dictionary | undefined {
  for (const { role, text } of messages.toReversed()) {
    if (role !== 'system' || !/schema/i.test(text)) continue;
    for (const line of text.split('\n')) {
      const schema = line.startsWith('{') ? parse(line) : undefined;
      if (isObject(schema) && ('type' in schema || 'properties' in schema)) return schema;
    }
  }
  return undefined;
}

/** Whether every object satisfies it. */
export const isAnyObject = (schema: Dictionary): boolean =>
  schema['type'] === 'object' && Object.keys(schema).every((key) => key === 'type');

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    // A line that only begins like one.
    return undefined;
  }
}
