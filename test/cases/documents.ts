import { createHash } from 'node:crypto';
import type { AskText } from '#core/llm/ask.ts';

/** A PDF that shows some lines, or a scan: pages that only text recognition can read. */
export function pdf(lines: readonly string[], kind: 'text' | 'scan' = 'text'): Buffer {
  const shown = lines.map((line) => (kind === 'text' ? `(${line}) Tj` : `% scan: ${line}`));
  return Buffer.from(`%PDF-1.4\n${shown.join('\n')}\n%%EOF\n`);
}

export interface DocumentOptions {
  readonly name?: string;
  readonly mediaType?: string;
  /** What was extracted on this machine. */
  readonly local?: string;
  readonly scannedPages?: number;
}

/** A document as tools give it to the manager, with a count of how often it was read. */
export function documentText(
  content: Buffer,
  options: DocumentOptions = {},
): AskText & { readonly document: NonNullable<AskText['document']>; reads(): number } {
  const { name = 'report.pdf', mediaType = 'application/pdf', local = '' } = options;
  let reads = 0;
  return {
    name,
    text: local,
    document: {
      sha256: createHash('sha256').update(content).digest('hex'),
      mediaType,
      size: content.length,
      scannedPages: options.scannedPages ?? 0,
      async *bytes() {
        reads += 1;
        const half = Math.ceil(content.length / 2);
        yield content.subarray(0, half);
        yield content.subarray(half);
      },
    },
    reads: () => reads,
  };
}
