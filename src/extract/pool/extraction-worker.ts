import { parentPort } from 'node:worker_threads';
import type { DocumentSource, ReadDocument } from '#core/extract/document.ts';
import { CallError, type ErrorJson } from '#core/errors/call-error.ts';
import { readDocument } from '../documents/read-document.ts';

/** One document for the thread. */
export interface ExtractionJob {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly source: DocumentSource;
}

export type ExtractionReply =
  | { readonly is: 'begun'; readonly id: number }
  | { readonly is: 'extracted'; readonly id: number; readonly document: ReadDocument }
  | { readonly is: 'failed'; readonly id: number; readonly error: ErrorJson };

function post(reply: ExtractionReply): void {
  parentPort?.postMessage(reply);
}

/** The extraction thread. It reads untrusted documents and can be terminated at any moment. */
parentPort?.on('message', (job: ExtractionJob) => void extract(job));

async function extract({ id, bytes, source }: ExtractionJob): Promise<void> {
  post({ is: 'begun', id });
  try {
    post({ is: 'extracted', id, document: await readDocument(bytes, source) });
  } catch (thrown) {
    post({ is: 'failed', id, error: CallError.from(thrown).toJSON() });
  }
}
