import { CallError } from '#core/errors/call-error.ts';
import { ByteView } from './byte-view.ts';
import { codePageDecoder } from './code-page.ts';
import type { CompoundFile } from './compound-file.ts';

/** What an old Office document says about itself. */
export interface SummaryProperties {
  readonly title?: string;
  readonly author?: string;
  /** In ISO 8601. */
  readonly date?: string;
}

const SUMMARY = '\u0005SummaryInformation';
const IDS = { codePage: 1, title: 2, author: 4, created: 12, saved: 13 };
const MAX_PROPERTIES = 1000;

/** The summary of a document; a damaged summary is none. */
export function readSummary(file: CompoundFile): SummaryProperties {
  try {
    const bytes = file.readNamed(SUMMARY);
    return bytes === undefined ? {} : parseSummary(new ByteView(bytes, 'compound'));
  } catch (error) {
    if (error instanceof CallError) return {};
    throw error;
  }
}

function parseSummary(view: ByteView): SummaryProperties {
  const section = view.u32(44);
  const count = Math.min(view.u32(section + 4), MAX_PROPERTIES);
  const offsets = new Map<number, number>();
  for (let at = 0; at < count; at++) {
    const entry = section + 8 + at * 8;
    offsets.set(view.u32(entry), section + view.u32(entry + 4));
  }
  const codePageAt = offsets.get(IDS.codePage);
  const codePage = codePageAt === undefined ? 1252 : view.u16(codePageAt + 4);
  const title = readString(view, offsets.get(IDS.title), codePage);
  const author = readString(view, offsets.get(IDS.author), codePage);
  const date = readTime(view, offsets.get(IDS.saved)) ?? readTime(view, offsets.get(IDS.created));
  return {
    ...(title !== undefined && { title }),
    ...(author !== undefined && { author }),
    ...(date !== undefined && { date }),
  };
}

function readString(view: ByteView, at: number | undefined, codePage: number): string | undefined {
  if (at === undefined) return undefined;
  const type = view.u32(at);
  const length = view.u32(at + 4);
  const text =
    type === 0x1f || codePage === 1200
      ? view.utf16(at + 8, type === 0x1f ? length : length >> 1)
      : codePageDecoder(codePage)(view.slice(at + 8, length));
  const clean = (text.split('\0')[0] ?? '').trim();
  return clean === '' ? undefined : clean;
}

/** Tenths of microseconds from 1601 to 1970. */
const EPOCH = 116_444_736_000_000_000n;

function readTime(view: ByteView, at: number | undefined): string | undefined {
  if (at === undefined || view.u32(at) !== 0x40) return undefined;
  return fileTimeToIso(view, at + 4);
}

/** A FILETIME in ISO 8601; `undefined` for none, and for times before 1970, which are durations. */
export function fileTimeToIso(view: ByteView, at: number): string | undefined {
  const ticks = (BigInt(view.u32(at + 4)) << 32n) | BigInt(view.u32(at));
  const ms = Number((ticks - EPOCH) / 10_000n);
  if (ms <= 0 || ms > 8.64e15) return undefined;
  return new Date(ms).toISOString();
}
