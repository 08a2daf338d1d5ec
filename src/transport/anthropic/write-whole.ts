import { answerFacts } from '../gateway/answer-facts.ts';
import type { Finished } from '../gateway/dialect.ts';
import type { AnswerStyle } from './answer-style.ts';
import { contentBlocks } from './content-blocks.ts';
import { messageId } from './message-id.ts';
import { stopReason } from './stop-reason.ts';
import { writeUsage } from './write-usage.ts';

/** A `message`, as JSON. */
export function writeWhole(finished: Finished, style: AnswerStyle): string {
  const { reqId, answer, envelope } = finished;
  const [choice] = answer.choices;
  const content = choice ? contentBlocks(choice, style, reqId) : [];
  const searches = content.some(({ type }) => type === 'server_tool_use') ? 1 : 0;
  return JSON.stringify({
    id: messageId(reqId),
    type: 'message',
    role: 'assistant',
    model: choice?.model ?? envelope.model ?? 'auto',
    content,
    stop_reason: choice ? stopReason(choice) : 'end_turn',
    stop_sequence: null,
    stop_details: null,
    usage: writeUsage(envelope.usage, searches),
    exai: answerFacts(finished),
  });
}
