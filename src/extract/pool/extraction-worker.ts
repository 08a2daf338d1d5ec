import { parentPort } from 'node:worker_threads';
import type { DocumentSource, ReadDocument } from '#core/extract/document.ts';
import { CallError, type ErrorJson } from '#core/errors/call-error.ts';
import { readDocument } from '../documents/read-document.ts';
import { detachTexts, type LargeText } from './large-texts.ts';

/** What the thread gets: a document to read, and requests for the slices of its text. */
export type ExtractionRequest =
  | {
      readonly is: 'read';
      readonly id: number;
      readonly source: DocumentSource;
      /** Of all its bytes; those after the first chunk follow, each requested by `wants`. */
      readonly size: number;
      readonly chunk: Uint8Array;
    }
  | { readonly is: 'bytes'; readonly id: number; readonly chunk: Uint8Array }
  | { readonly is: 'next'; readonly id: number };

export type ExtractionReply =
  | { readonly is: 'wants'; readonly id: number }
  | { readonly is: 'begun'; readonly id: number }
  | {
      readonly is: 'extracted';
      readonly id: number;
      readonly document: ReadDocument;
      /** Texts that follow in slices, each requested by `next`. */
      readonly large: readonly LargeText[];
    }
  | { readonly is: 'slices'; readonly id: number; readonly slices: readonly string[] }
  | { readonly is: 'failed'; readonly id: number; readonly error: ErrorJson };

function post(reply: ExtractionReply): void {
  parentPort?.postMessage(reply);
}

interface ReceivedDocument {
  readonly id: number;
  readonly source: DocumentSource;
  readonly bytes: Uint8Array;
  length: number;
}

let received: ReceivedDocument | undefined;
let batches: readonly (readonly string[])[] = [];
let sent = 0;

/** The extraction thread. It reads untrusted documents and can be terminated at any moment. */
parentPort?.on('message', (request: ExtractionRequest) => {
  switch (request.is) {
    case 'read': {
      const { id, source, size, chunk } = request;
      const bytes = chunk.length === size ? chunk : new Uint8Array(size);
      received = { id, source, bytes, length: 0 };
      receive(chunk);
      return;
    }
    case 'bytes':
      receive(request.chunk);
      return;
    case 'next':
      post({ is: 'slices', id: request.id, slices: batches[sent] ?? [''] });
      sent += 1;
      if (sent >= batches.length) batches = [];
  }
});

function receive(chunk: Uint8Array): void {
  if (received === undefined) return;
  const { bytes, id } = received;
  if (chunk !== bytes) bytes.set(chunk, received.length);
  received.length += chunk.length;
  if (received.length < bytes.length) {
    post({ is: 'wants', id });
    return;
  }
  const { source } = received;
  received = undefined;
  void extract(id, bytes, source);
}

async function extract(id: number, bytes: Uint8Array, source: DocumentSource): Promise<void> {
  post({ is: 'begun', id });
  try {
    const detached = detachTexts(await readDocument(bytes, source, 'taken'));
    ({ batches } = detached);
    sent = 0;
    post({ is: 'extracted', id, document: detached.document, large: detached.large });
  } catch (thrown) {
    post({ is: 'failed', id, error: CallError.from(thrown).toJSON() });
  }
}
