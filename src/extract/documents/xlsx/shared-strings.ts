import { tooLarge } from '../document-errors.ts';
import type { OoxmlPackage } from '../ooxml/ooxml-package.ts';
import { createXmlSink, type XmlHandler } from '../xml/xml-events.ts';

const MAX_STRINGS = 4_000_000;

/** The texts that cells refer to by number. */
export function readXlsxStrings(pack: OoxmlPackage, part: string | undefined): string[] {
  const strings: string[] = [];
  if (part === undefined) return strings;
  const collector = createTextCollector();
  const sink = createXmlSink({
    open(name, attributes) {
      if (name === 'si') collector.start();
      else collector.open(name, attributes);
    },
    close(name) {
      if (name !== 'si') {
        collector.close(name);
        return;
      }
      if (strings.length >= MAX_STRINGS) throw tooLarge('shared strings', MAX_STRINGS);
      strings.push(collector.take());
    },
    text: (text) => collector.text(text),
  });
  if (pack.archive.stream(part, (bytes) => sink.write(bytes))) sink.end();
  return strings;
}

export interface TextCollector extends XmlHandler {
  start(): void;
  take(): string;
}

/** Collects the runs of a rich text; the readings of characters (`rPh`) are left out. */
export function createTextCollector(): TextCollector {
  let text = '';
  let isText = false;
  let readings = 0;
  return {
    start() {
      text = '';
      isText = false;
      readings = 0;
    },
    take: () => unescape(text),
    open(name) {
      if (name === 'rPh') readings++;
      else if (name === 't') isText = readings === 0;
    },
    close(name) {
      if (name === 'rPh') readings = Math.max(0, readings - 1);
      else if (name === 't') isText = false;
    },
    text(piece) {
      if (isText) text += piece;
    },
  };
}

/** Characters that XML cannot hold are written as `_x000D_`. */
function unescape(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => {
    const value = Number.parseInt(code, 16);
    return value < 32 && value !== 9 && value !== 10 ? '' : String.fromCodePoint(value);
  });
}
