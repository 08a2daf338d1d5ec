import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { paddedPdf } from './padded-pdf.ts';

const PIECES = 500;
const PIECE_BYTES = 2_000_000;
/** Of a document besides its padding. */
const OVERHEAD_BYTES = 1500;

export interface PiecesOptions {
  /** A folder that the daemon may read. */
  readonly folder: string;
  readonly upload: (bytes: Buffer) => Promise<string>;
  /** Reads and measures files; rejects if the daemon refuses them. */
  readonly read: (files: readonly unknown[]) => Promise<void>;
  readonly rssMb: () => number;
}

/**
 * 1 GB of documents in 500 pieces: by path, each read and extracted; uploaded to `/v1/files`; and
 * again by their ids. Returns the peak memory of the daemon after each.
 */
export async function measurePieces({ folder, upload, read, rssMb }: PiecesOptions) {
  const pieces = join(folder, 'pieces');
  mkdirSync(pieces);
  const pieceOf = (n: number) => {
    const piece = paddedPdf(`Piece ${n} of the vault`, PIECE_BYTES - OVERHEAD_BYTES);
    piece.writeUInt32LE(n, OVERHEAD_BYTES);
    return piece;
  };
  for (let n = 0; n < PIECES; n++) writeFileSync(join(pieces, `${n}.pdf`), pieceOf(n));
  await read([join(pieces, '*.pdf')]);
  const byPath = rssMb();
  rmSync(pieces, { recursive: true });
  const ids: string[] = [];
  for (let n = 0; n < PIECES; n++) ids.push(await upload(pieceOf(n)));
  const uploaded = rssMb();
  await read(ids.map((id) => ({ file_id: id })));
  return { byPath, uploaded, byId: rssMb() };
}
