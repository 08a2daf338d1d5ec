import type { Envelope } from '#core/envelope.schema.ts';
import { answerLine } from './answer-line.ts';
import { chatRenderer } from './messages/chat-sentences.ts';
import { routeNotices, textsOf } from './messages/notice-texts.ts';
import { quotationLine } from './quotation-line.ts';

/** From here on it is told how many messages fit in. */
const FEW_LEFT = 3;

/** What stands below an answer: what should be known, and on the last line who gave it and what it took. */
export function answerNotes(envelope: Partial<Envelope>): readonly string[] {
  const { status, continuation } = envelope;
  const { line, notices } =
    status === 'degraded'
      ? quotationLine(envelope, chatRenderer)
      : {
          line: answerLine(withoutReasons(envelope)),
          notices: textsOf(routeNotices(envelope), chatRenderer),
        };
  const left = continuation?.remaining_turns ?? Number.POSITIVE_INFINITY;
  return [...notices, ...leftWords(left), line].filter((each) => each !== '');
}

/** They are long, and /explain has them; only what went wrong on the way is told unasked. */
function withoutReasons(envelope: Partial<Envelope>): Partial<Envelope> {
  const { route } = envelope;
  return route ? { ...envelope, route: { ...route, because: [], reasons: [] } } : envelope;
}

function leftWords(left: number): readonly string[] {
  if (left > FEW_LEFT) return [];
  if (left === 0) return ['This conversation is full; /new begins another.'];
  const count = left === 1 ? 'One more message fits' : `${left} more messages fit`;
  return [`${count} into this conversation; /new begins another.`];
}
