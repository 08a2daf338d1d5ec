import { Buffer } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { Parser } from 'htmlparser2';
import { tooLarge } from '../document-errors.ts';

export interface XmlHandler {
  /** `name` is the local name; the attributes have their qualified names. */
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  close(name: string): void;
  text(text: string): void;
}

export interface XmlSink {
  write(bytes: Uint8Array): void;
  end(): void;
}

/** Walks over a tree recurse once per level. */
export const MAX_XML_DEPTH = 1000;

const DECLARED = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w:.-]{2,40})["']/i;

/**
 * Reads XML in chunks. Document types are skipped: entities beyond the five of XML stay as they
 * are written, so that none is ever expanded or fetched.
 */
export function createXmlSink(handler: XmlHandler): XmlSink {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_XML_DEPTH) throw tooLarge('levels of nested XML elements', MAX_XML_DEPTH);
        handler.open(localName(name), attributes);
      },
      onclosetag(name) {
        depth--;
        handler.close(localName(name));
      },
      ontext(text) {
        if (depth > 0) handler.text(text);
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  let decoder: TextDecoder | undefined;
  return {
    write(bytes) {
      decoder ??= decoderFor(bytes);
      parser.write(decoder.decode(bytes, { stream: true }));
    },
    end() {
      if (decoder !== undefined) parser.write(decoder.decode());
      parser.end();
    },
  };
}

export function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}

function decoderFor(bytes: Uint8Array): TextDecoder {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be');
  if (bytes[0] === 0x3c && bytes[1] === 0) return new TextDecoder('utf-16le');
  if (bytes[0] === 0 && bytes[1] === 0x3c) return new TextDecoder('utf-16be');
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 300));
  const label = DECLARED.exec(start.toString('latin1'))?.[1];
  // What is readable as a declaration by bytes is not UTF-16.
  if (label === undefined || /^utf-?16/i.test(label)) return new TextDecoder();
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder(); // An encoding that does not exist is not stated.
  }
}
