import { readArguments } from '#core/model-json.ts';

/**
 * The arguments of a call as the object that clients take. Arguments that are none are handed over as they are, under a name
 * that no tool has: the tool refuses them, and the model sees what it wrote.
 */
export function toInput(text: string): Readonly<Record<string, unknown>> {
  const read = readArguments(text);
  return read.is === 'read' ? read.value : { _raw: text };
}
