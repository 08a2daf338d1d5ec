import type { SseWriter } from '../vendor.ts';

/**
 * A stream in which an error of the vendor's takes the place of what would come after so many
 * events.
 */
export function failAfter(
  sse: SseWriter,
  after: number,
  fail: (sse: SseWriter) => Promise<void>,
): SseWriter {
  let events = 0;
  let over = false;
  async function isOver(): Promise<boolean> {
    if (over || events < after) return over;
    over = true;
    await fail(sse);
    return true;
  }
  return {
    async event(data, name) {
      if (await isOver()) return;
      events += 1;
      await sse.event(data, name);
    },
    async comment(text) {
      if (!over) await sse.comment(text);
    },
    async done() {
      // An answer shorter than that fails at its end.
      after = 0;
      await isOver();
    },
    async end() {
      after = 0;
      await isOver();
    },
  };
}
