/** Beyond this, whoever reads so slowly gets the rest with the answer itself. */
const MAX_WAITING_CHARS = 1_048_576;

/** What an answer is made of, until it can be sent: a beginning of it, and never one with a gap. */
export interface TextFeed {
  add(text: string): void;
  hasMore(): boolean;
  /** All that waits. */
  take(): string;
}

export function createTextFeed(): TextFeed {
  let waiting: string[] = [];
  let chars = 0;
  let isCut = false;
  return {
    add(text) {
      if (isCut || text === '') return;
      isCut = chars + text.length > MAX_WAITING_CHARS;
      if (isCut) return;
      waiting.push(text);
      chars += text.length;
    },
    hasMore: () => chars > 0,
    take() {
      const text = waiting.join('');
      waiting = [];
      chars = 0;
      return text;
    },
  };
}
