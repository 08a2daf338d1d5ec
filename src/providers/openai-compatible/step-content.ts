import type { ChatEvent } from '#core/llm/chat.ts';

/**
 * The content of the steps of a chat, as it is emitted. Text and reasoning of a step that may be
 * rejected are held back, so that a client never sees an answer twice.
 */
export interface StepContent {
  /** Another step begins; what is held of the one before is dropped. */
  begin(hold: 'text' | undefined): void;
  /** The events to emit now. */
  take(events: readonly ChatEvent[]): readonly ChatEvent[];
  /** Whether text or reasoning is held. */
  isHolding(): boolean;
  /** What is held, with `text` in the place of its text if there is any. */
  release(text: string | undefined): ChatEvent[];
}

/** Between the reasoning of two steps. */
const SEPARATOR: ChatEvent = { type: 'reasoning', text: '\n\n' };

export function createStepContent(): StepContent {
  let held: ChatEvent[] = [];
  let hold: 'text' | undefined;
  let hasCalled = false;
  /** Whether reasoning was emitted by an earlier step, and by this one. */
  let reasoned: 'never' | 'before' | 'now' = 'never';

  /** Separates the reasoning of this step from that of earlier ones. */
  function separated(events: readonly ChatEvent[]): ChatEvent[] {
    const first = reasoned === 'now' ? -1 : events.findIndex(({ type }) => type === 'reasoning');
    if (first === -1) return [...events];
    const wasBefore = reasoned === 'before';
    reasoned = 'now';
    return wasBefore ? events.toSpliced(first, 0, SEPARATOR) : [...events];
  }

  function isHeld({ type }: ChatEvent): boolean {
    return type === 'text' || (isReasoning(type) && !hasCalled);
  }

  return {
    begin(nextHold) {
      held = [];
      hold = nextHold;
      hasCalled = false;
      if (reasoned === 'now') reasoned = 'before';
    },
    take(events) {
      if (!hold && reasoned === 'now') return events;
      if (!hold) return separated(events);
      const emitted: ChatEvent[] = [];
      for (const event of events) {
        if (event.type === 'tool_call' && !hasCalled) {
          // A call cannot be taken back, and its reasoning comes before it.
          hasCalled = true;
          emitted.push(...held.filter(({ type }) => isReasoning(type)));
          held = held.filter(({ type }) => !isReasoning(type));
        }
        (isHeld(event) ? held : emitted).push(event);
      }
      return separated(emitted);
    },
    isHolding: () => held.length > 0,
    release(text) {
      const events = separated(held);
      held = [];
      const at = events.findIndex(({ type }) => type === 'text');
      if (text === undefined || at === -1) return events;
      const others = events.filter(({ type }) => type !== 'text');
      return [...others, { type: 'text', text }];
    },
  };
}

function isReasoning(type: ChatEvent['type']): boolean {
  return type === 'reasoning' || type === 'reasoning_details';
}
