import type { ModelMeanings } from './model-meanings.ts';

export interface Meant {
  readonly model: string;
  /** What was written, where that is not what it means. */
  readonly namedAs?: string;
}

/** A name as it is asked for, and as its client wrote it. */
export function meant(
  name: string,
  meanings: ModelMeanings,
  isKnown: (name: string) => boolean,
): Meant {
  const model = meanings.meaningOf(name, isKnown);
  return model === name ? { model } : { model, namedAs: name.trim() };
}
