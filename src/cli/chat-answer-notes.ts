import type { Envelope } from '#core/envelope.schema.ts';
import { answerLine } from './answer-line.ts';
import { chatWords } from './chat-words.ts';
import { hasQuotation, quotationLine } from './quotation-line.ts';

/** From here on it is told how many messages fit in. */
const FEW_LEFT = 3;

/** What stands below an answer: what should be known, and on the last line who gave it and what it took. */
export function answerNotes(envelope: Partial<Envelope>, written: string): readonly string[] {
  const { status, route, continuation } = envelope;
  const { line, notices } =
    status === 'degraded'
      ? quotationLine(envelope, isEmptyHanded(envelope, written) ? 'nothing' : 'something')
      : { line: answerLine(withoutReasons(envelope)), notices: route?.notices ?? [] };
  const told = notices.filter((notice) => !written.includes(notice));
  const left = continuation?.remaining_turns ?? Number.POSITIVE_INFINITY;
  return [...new Set(told), ...leftWords(left), line]
    .filter((each) => each !== '')
    .map((each) => chatWords(each));
}

/** No model, and nothing to quote: whoever goes on with it, such as a script, must not take that for an answer. */
export function isEmptyHanded({ status }: Partial<Envelope>, written: string): boolean {
  return status === 'degraded' && !hasQuotation(written);
}

/** They are long, and /explain has them; only what went wrong on the way is told unasked. */
function withoutReasons(envelope: Partial<Envelope>): Partial<Envelope> {
  const { route } = envelope;
  return route ? { ...envelope, route: { ...route, because: [] } } : envelope;
}

function leftWords(left: number): readonly string[] {
  if (left > FEW_LEFT) return [];
  if (left === 0) return ['This conversation is full; /new begins another.'];
  const count = left === 1 ? 'One more message fits' : `${left} more messages fit`;
  return [`${count} into this conversation; /new begins another.`];
}
