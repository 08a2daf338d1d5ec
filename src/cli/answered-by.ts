import type { Envelope } from '#core/envelope.schema.ts';
import { answerLine } from './answer-line.ts';
import { cliRenderer } from './messages/cli-sentences.ts';
import { quotationLine } from './quotation-line.ts';

/** Who answered a call of any tool and what it took, on one line; nothing where no model was asked. */
export function answeredBy(envelope: unknown): string {
  const told = envelope as Partial<Envelope>;
  // What is no envelope of ours has no id, and its fields are anything.
  if (typeof told.req_id !== 'string') return '';
  return told.status === 'degraded' ? quotationLine(told, cliRenderer).line : answerLine(told);
}
