import { CallError } from '#core/errors/call-error.ts';
import type { ChatEvent } from '#core/llm/chat.ts';
import { createCollector, type ChatOutcome } from '#core/llm/collect-chat.ts';

/** Reads an answer to its end. What came before a failure is kept beside it. */
export async function collectChat(events: AsyncIterable<ChatEvent>): Promise<ChatOutcome> {
  const soFar = createCollector();
  try {
    for await (const event of events) soFar.add(event);
  } catch (thrown) {
    return { is: 'failed', answer: soFar.answer(), error: CallError.from(thrown) };
  }
  const finish = soFar.finish();
  if (finish) return { is: 'answered', answer: soFar.answer(), finish: finish.reason };
  const error = new CallError('interrupted', 'The answer ended without saying that it was over.');
  return { is: 'failed', answer: soFar.answer(), error };
}
