import type { ChatEvent } from '#core/chat.ts';
import { notice } from '#core/messages/notices.ts';
import { passing } from '../wire/passing.ts';

const UNCITED = notice('search_sources_missing', { model: 'GLM' });

/** An answer that was to be searched for. The vendor may decide not to search and still say that it did, so its sources are looked for. */
export function sourcesGiven(events: AsyncIterable<ChatEvent>): AsyncIterable<ChatEvent> {
  // Whoever calls a tool has not answered yet.
  let isExcused = false;
  return passing(events, {
    before(event) {
      isExcused ||= event.type === 'citation' || event.type === 'tool_call';
      // Usage comes when the answer is whole, and before its end.
      return event.type === 'usage' && !isExcused ? { type: 'notice', notice: UNCITED } : undefined;
    },
  });
}
