import { createHash } from 'node:crypto';
import type { AskText } from '#core/llm/ask.ts';
import type { SeededRandom } from './random.ts';

/** So few that one content is often needed by several at once. */
const CONTENTS = 6;

/** What a vendor reads in a document. */
export function extractedText(content: string): string {
  return `as the vendor reads it: ${content}`;
}

/** A document, or a scan that has no text of its own. */
export function documentOf(random: SeededRandom): AskText {
  const number = random.between(1, CONTENTS);
  const isScan = random.chance(0.2);
  const content = Buffer.from(`${isScan ? 'scan' : 'document'} ${number}`);
  return {
    name: `document${number}.pdf`,
    text: isScan ? '' : `as it is read here: ${content.toString()}`,
    document: {
      sha256: createHash('sha256').update(content).digest('hex'),
      mediaType: 'application/pdf',
      size: content.length,
      scannedPages: isScan ? 1 : 0,
      async *bytes() {
        yield content;
      },
    },
  };
}
