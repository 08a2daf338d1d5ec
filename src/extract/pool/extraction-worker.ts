import { parentPort } from 'node:worker_threads';
import type { ExtractedDocument, ExtractionSource } from '#core/extract/extractor.ts';
import { CallError, type ErrorJson } from '#core/errors/call-error.ts';
import { extractHtml } from '../html/extract-html.ts';

/** One document for the thread. */
export interface ExtractionJob {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly source: ExtractionSource;
}

export type ExtractionReply =
  | { readonly is: 'begun'; readonly id: number }
  | { readonly is: 'extracted'; readonly id: number; readonly document: ExtractedDocument }
  | { readonly is: 'failed'; readonly id: number; readonly error: ErrorJson };

function post(reply: ExtractionReply): void {
  parentPort?.postMessage(reply);
}

/** The extraction thread. It reads untrusted documents and can be terminated at any moment. */
parentPort?.on('message', ({ id, bytes, source }: ExtractionJob) => {
  post({ is: 'begun', id });
  try {
    post({ is: 'extracted', id, document: extractHtml(bytes, source) });
  } catch (thrown) {
    post({ is: 'failed', id, error: CallError.from(thrown).toJSON() });
  }
});
