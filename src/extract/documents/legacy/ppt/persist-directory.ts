import { needsPassword } from '../../document-errors.ts';
import type { ByteView } from '../byte-view.ts';
import { PPT, recordAt } from './record-tree.ts';

const ENCRYPTED = 0xf3d1_c4df;
const MAX_EDITS = 10_000;
const MAX_OBJECTS = 1_000_000;

/** Where the objects of a presentation are, after all its edits. */
export interface PersistDirectory {
  /** The number of the document among the objects. */
  readonly document: number;
  readonly offsets: ReadonlyMap<number, number>;
}

/** `undefined` if the list of edits is damaged. */
export function readPersistDirectory(
  stream: ByteView,
  currentUser: ByteView,
): PersistDirectory | undefined {
  if (currentUser.length < 20) return undefined;
  if (currentUser.u32(12) === ENCRYPTED) throw needsPassword('PowerPoint', 'missing');
  const offsets = new Map<number, number>();
  const visited = new Set<number>();
  let document: number | undefined;
  let edit = currentUser.u32(16);
  while (!visited.has(edit) && visited.size < MAX_EDITS) {
    visited.add(edit);
    const record = recordAt(stream, edit);
    if (record?.type !== PPT.userEdit || record.body.length < 20) break;
    document ??= record.body.u32(16);
    addObjects(recordAt(stream, record.body.u32(12))?.body, offsets);
    edit = record.body.u32(8);
    if (edit === 0) break;
  }
  return document === undefined ? undefined : { document, offsets };
}

/** Later edits are read first, and stay. */
function addObjects(body: ByteView | undefined, offsets: Map<number, number>): void {
  if (body === undefined) return;
  let at = 0;
  while (at + 4 <= body.length && offsets.size < MAX_OBJECTS) {
    const start = body.u32(at);
    const first = start & 0xf_ffff;
    const count = start >>> 20;
    at += 4;
    for (let index = 0; index < count && at + 4 <= body.length; index++, at += 4)
      if (!offsets.has(first + index)) offsets.set(first + index, body.u32(at));
  }
}
