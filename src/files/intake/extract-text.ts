import { createBoundedMap } from '#core/bounded-map.ts';
import { documentMarkdown } from '#core/extract/document-text.ts';
import {
  DOCUMENT_FORMATS,
  type DocumentFormat,
  type ReadDocument,
} from '#core/extract/document.ts';
import type { Extractor } from '#core/extract/extractor.ts';
import { isNotice, type Notice } from '#core/messages/notices.ts';
import { LOCAL_TEXTS, type FileStore, type ProviderFileKey } from '#core/stores/files.ts';
import { extensionOf } from '#extract/documents/format-names.ts';

/** The text of a document, and what is worth knowing about it. */
export interface ExtractedText {
  readonly text: string;
  readonly format: DocumentFormat;
  readonly mediaType: string;
  readonly scannedPages: number;
  readonly notices: readonly Notice[];
}

export type ExtractText = (
  file: { readonly name: string; readonly sha256: string; readonly bytes: Uint8Array },
  signal: AbortSignal,
) => Promise<ExtractedText>;

export interface ExtractTextDeps {
  /** Loaded with the first document. */
  readonly extractor: () => Promise<Extractor>;
  readonly files: Pick<FileStore, 'providerFile' | 'saveProviderFile'>;
}

const MAX_CACHED_CHARS = 16_000_000;
const MAX_CACHED_TEXTS = 200;
/** Changes when the readers give another text, so that stored texts are extracted again. */
const TEXT_VERSION = 'text-1';

/** Extracts each content once: texts are kept in memory, within limits, and in the store. */
export function createTextExtraction({ extractor, files }: ExtractTextDeps): ExtractText {
  const cache = createBoundedMap<string, ExtractedText>({
    maxEntries: MAX_CACHED_TEXTS,
    maxWeight: MAX_CACHED_CHARS,
    weigh: ({ text }) => text.length,
  });
  return async ({ name, sha256, bytes }, signal) => {
    // The extension decides where the bytes leave the format open.
    const extension = extensionOf(name);
    const id = `${sha256} ${extension}`;
    const known = cache.get(id);
    if (known) return known;
    const key = { sha256, provider: LOCAL_TEXTS, account: extension, purpose: TEXT_VERSION };
    const stored = await readStored(files, key);
    if (stored) {
      cache.set(id, stored);
      return stored;
    }
    const pool = await extractor();
    const extracted = toText(await pool.extract(bytes, { name }, signal));
    cache.set(id, extracted);
    if (extracted.text.length <= MAX_CACHED_CHARS) await save(files, key, extracted);
    return extracted;
  };
}

function toText(document: ReadDocument): ExtractedText {
  const { format, mediaType, notices } = document;
  const scanned = notices.flatMap((each) =>
    each.code === 'document_pages_scanned' ? each.params.pages : [],
  );
  return {
    text: documentMarkdown(document),
    format,
    mediaType,
    scannedPages: scanned.length,
    // Whether the declared type is right depends on the call, not on the content.
    notices: notices.filter(({ code }) => code !== 'document_type_corrected'),
  };
}

type TextStore = ExtractTextDeps['files'];

async function save(
  files: TextStore,
  key: ProviderFileKey,
  { text, ...facts }: ExtractedText,
): Promise<void> {
  await files.saveProviderFile({ ...key, providerFileId: JSON.stringify(facts), text });
}

/** A stored text, unless another version wrote something else. */
async function readStored(
  files: TextStore,
  key: ProviderFileKey,
): Promise<ExtractedText | undefined> {
  const row = await files.providerFile(key);
  if (row === undefined || row.text === null) return undefined;
  const facts = parseFacts(row.providerFileId);
  const { format, mediaType, scannedPages, notices } = facts;
  if (
    !DOCUMENT_FORMATS.some((each) => each === format) ||
    typeof mediaType !== 'string' ||
    typeof scannedPages !== 'number' ||
    !Array.isArray(notices)
  ) {
    return undefined;
  }
  return {
    text: row.text,
    format: format as DocumentFormat,
    mediaType,
    scannedPages,
    notices: notices.filter(isNotice),
  };
}

function parseFacts(json: string): Partial<Record<keyof ExtractedText, unknown>> {
  try {
    return (JSON.parse(json) ?? {}) as Partial<Record<keyof ExtractedText, unknown>>;
  } catch {
    // Not written by this code.
    return {};
  }
}
