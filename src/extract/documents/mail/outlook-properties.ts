import { ByteView, decodeUtf16 } from '../legacy/byte-view.ts';
import { codePageDecoder } from '../legacy/code-page.ts';
import type { CompoundEntry } from '../legacy/compound-directory.ts';
import type { CompoundFile } from '../legacy/compound-file.ts';
import { fileTimeToIso } from '../legacy/property-set.ts';

const UNICODE = '001F';
const NARROW = '001E';
const BINARY = '0102';
const CODE_PAGE = 0x3ffd;
const INTERNET_CODE_PAGE = 0x3fde;

/** Properties of a message, a recipient or an attachment: small ones in a table, others in streams. */
export class OutlookProperties {
  readonly #file: CompoundFile;
  readonly #storage: CompoundEntry;
  readonly #table: ByteView;
  readonly #fixed = new Map<number, number>();

  constructor(file: CompoundFile, storage: CompoundEntry, headerBytes: number) {
    this.#file = file;
    this.#storage = storage;
    const entry = storage.children.get('__PROPERTIES_VERSION1.0');
    const bytes = entry?.kind === 'stream' ? file.read(entry) : new Uint8Array();
    this.#table = new ByteView(bytes, 'Outlook');
    for (let at = headerBytes; at + 16 <= bytes.length; at += 16)
      this.#fixed.set(this.#table.u16(at + 2), at + 8);
  }

  text(property: number): string | undefined {
    const wide = this.#stream(property, UNICODE);
    if (wide !== undefined) return withoutEnd(decodeUtf16(wide));
    const narrow = this.#stream(property, NARROW);
    if (narrow === undefined) return undefined;
    return withoutEnd(codePageDecoder(this.#codePage(CODE_PAGE) ?? 1252)(narrow));
  }

  binary(property: number): Uint8Array | undefined {
    return this.#stream(property, BINARY);
  }

  integer(property: number): number | undefined {
    const at = this.#fixed.get(property);
    return at === undefined ? undefined : this.#table.u32(at);
  }

  /** In ISO 8601. */
  time(property: number): string | undefined {
    const at = this.#fixed.get(property);
    return at === undefined ? undefined : fileTimeToIso(this.#table, at);
  }

  /** Of the body in HTML. */
  get charset(): string | undefined {
    const codePage = this.#codePage(INTERNET_CODE_PAGE);
    if (codePage === undefined) return undefined;
    return codePage === 65_001 ? 'utf-8' : `cp${codePage}`;
  }

  #codePage(property: number): number | undefined {
    const stated = this.integer(property);
    return stated === undefined || stated === 0 ? undefined : stated;
  }

  #stream(property: number, type: string): Uint8Array | undefined {
    const id = property.toString(16).toUpperCase().padStart(4, '0');
    const entry = this.#storage.children.get(`__SUBSTG1.0_${id}${type}`);
    return entry?.kind === 'stream' ? this.#file.read(entry) : undefined;
  }
}

function withoutEnd(text: string): string {
  return text.replace(/\0+$/, '');
}
