/** Messages that wait, in their order, while the SDK loads. */
export interface HeldMessages {
  /** `full`: it is not kept. */
  hold(text: string): 'held' | 'full';
  readonly texts: readonly string[];
}

const MAX_MESSAGES = 1024;
const MAX_CHARS = 32 * 1024 * 1024;

export function createHeldMessages(): HeldMessages {
  const texts: string[] = [];
  let chars = 0;
  return {
    hold(text) {
      if (texts.length >= MAX_MESSAGES || chars + text.length > MAX_CHARS) return 'full';
      texts.push(text);
      chars += text.length;
      return 'held';
    },
    texts,
  };
}
