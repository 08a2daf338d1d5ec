import type { ByteView } from '../byte-view.ts';

/** Records that a presentation is made of. */
export const PPT = {
  document: 0x03e8,
  slide: 0x03ee,
  slideAtom: 0x03ef,
  notes: 0x03f0,
  slidePersist: 0x03f3,
  drawing: 0x040c,
  outlineReference: 0x0f9e,
  textHeader: 0x0f9f,
  textChars: 0x0fa0,
  textBytes: 0x0fa8,
  cString: 0x0fba,
  headersFooters: 0x0fd9,
  slideList: 0x0ff0,
  userEdit: 0x0ff5,
  progTags: 0x1388,
  progBinaryTag: 0x138a,
  binaryTagData: 0x138b,
  persistDirectory: 0x1772,
  comment: 0x2ee0,
  artDrawing: 0xf002,
  artGroup: 0xf003,
  artShape: 0xf004,
  artClientText: 0xf00d,
  artChildAnchor: 0xf00f,
  artTertiaryOptions: 0xf122,
} as const;

export interface PptRecord {
  readonly type: number;
  readonly instance: number;
  readonly isContainer: boolean;
  readonly body: ByteView;
}

const HEADER_BYTES = 8;

/** The record at a byte; one that is cut off has the bytes that are there. */
export function recordAt(view: ByteView, at: number): PptRecord | undefined {
  if (at < 0 || at + HEADER_BYTES > view.length) return undefined;
  const start = view.u16(at);
  const length = Math.min(view.u32(at + 4), view.length - at - HEADER_BYTES);
  return {
    type: view.u16(at + 2),
    instance: start >> 4,
    isContainer: (start & 0xf) === 0xf,
    body: view.sub(at + HEADER_BYTES, length),
  };
}

/** The records of a container in their order. */
export function* childrenOf(view: ByteView): Generator<PptRecord> {
  let at = 0;
  for (let record = recordAt(view, at); record !== undefined; record = recordAt(view, at)) {
    yield record;
    at += HEADER_BYTES + record.body.length;
  }
}

const MAX_DEPTH = 40;

/** All records below, each before its children; `enter` decides whether to read the children. */
export function* descendantsOf(
  view: ByteView,
  enter: (record: PptRecord) => boolean = (record) => record.isContainer,
): Generator<PptRecord> {
  const open = [childrenOf(view)];
  while (open.length > 0) {
    const next = open.at(-1)?.next();
    if (next === undefined || next.done === true) open.pop();
    else {
      yield next.value;
      if (open.length < MAX_DEPTH && enter(next.value)) open.push(childrenOf(next.value.body));
    }
  }
}
