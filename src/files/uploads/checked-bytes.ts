import { createHash } from 'node:crypto';
import { CallError } from '#core/errors/call-error.ts';

export interface CheckedBytes {
  bytes(): AsyncIterable<Uint8Array>;
  /** Throws if what was sent last is not the content with this digest. */
  requireUnchanged(): void;
}

/** The bytes of an upload, counted and compared with the digest that the cache uses. */
export function checkedBytes(
  file: { readonly name: string; readonly sha256: string; bytes(): AsyncIterable<Uint8Array> },
  onSent: ((bytes: number) => void) | undefined,
): CheckedBytes {
  let sent: string | undefined;
  return {
    async *bytes() {
      const hash = createHash('sha256');
      for await (const piece of file.bytes()) {
        hash.update(piece);
        yield piece;
        onSent?.(piece.length);
      }
      sent = hash.digest('hex');
    },
    requireUnchanged() {
      if (sent === undefined || sent === file.sha256) return;
      throw new CallError('conflict', `${file.name} changed while it was uploaded.`, {
        field: 'files',
        fix: 'Send it again.',
      });
    },
  };
}
