import { damaged } from '../document-errors.ts';
import type { ByteView } from './byte-view.ts';

const ENTRY_BYTES = 128;
const NO_ENTRY = 0xffff_ffff;
const MAX_ENTRIES = 200_000;
const KINDS = { 1: 'storage', 2: 'stream', 5: 'root' } as const;

/** A storage (with children) or a stream of a compound file. */
export class CompoundEntry {
  readonly name: string;
  readonly kind: 'storage' | 'stream' | 'root';
  readonly startSector: number;
  readonly size: number;
  /** By name in capitals; empty for a stream. */
  readonly children = new Map<string, CompoundEntry>();
  readonly left: number;
  readonly right: number;
  readonly child: number;

  constructor(view: ByteView, kind: 'storage' | 'stream' | 'root') {
    const nameBytes = Math.min(view.u16(64), 64);
    this.name = view.utf16(0, Math.max(0, (nameBytes >> 1) - 1));
    this.kind = kind;
    this.left = view.u32(68);
    this.right = view.u32(72);
    this.child = view.u32(76);
    this.startSector = view.u32(116);
    // The upper half of the size is not always set to zero in old files.
    this.size = view.u32(120);
  }
}

export interface CompoundDirectory {
  readonly root: CompoundEntry;
  readonly entries: readonly CompoundEntry[];
}

export function readDirectory(view: ByteView): CompoundDirectory {
  const count = Math.floor(view.length / ENTRY_BYTES);
  if (count > MAX_ENTRIES) throw damaged('compound', 'its directory is too long');
  const numbered = Array.from({ length: count }, (_, at) =>
    readEntry(view.sub(at * ENTRY_BYTES, ENTRY_BYTES)),
  );
  const root = numbered[0];
  if (root === undefined) throw damaged('compound', 'its directory is missing');
  connect(root, numbered);
  return { root, entries: numbered.filter((entry) => entry !== undefined) };
}

function readEntry(view: ByteView): CompoundEntry | undefined {
  const kind = view.u8(66);
  return kind === 1 || kind === 2 || kind === 5 ? new CompoundEntry(view, KINDS[kind]) : undefined;
}

/** Fills the children of each storage from its tree of siblings; an entry has one parent. */
function connect(root: CompoundEntry, numbered: readonly (CompoundEntry | undefined)[]): void {
  const visited = new Set<number>([0]);
  const pending: { readonly parent: CompoundEntry; readonly number: number }[] = [
    { parent: root, number: root.child },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { parent, number } = next;
    const entry = number === NO_ENTRY ? undefined : numbered[number];
    if (entry === undefined || visited.has(number)) continue;
    visited.add(number);
    parent.children.set(entry.name.toUpperCase(), entry);
    pending.push({ parent, number: entry.left }, { parent, number: entry.right });
    if (entry.kind === 'storage') pending.push({ parent: entry, number: entry.child });
  }
}
