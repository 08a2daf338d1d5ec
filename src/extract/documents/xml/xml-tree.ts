import { tooLarge } from '../document-errors.ts';
import type { ZipArchive } from '../zip/zip-archive.ts';
import { createXmlSink } from './xml-events.ts';
import { XmlElement } from './xml-node.ts';

/** Elements and texts of one tree. */
const MAX_XML_NODES = 1_500_000;

/** `drop`: white space between elements is layout of the file, as in Office Open XML. */
export type XmlSpace = 'keep' | 'drop';

export interface XmlTreeSink {
  write(bytes: Uint8Array): void;
  finish(): XmlElement;
}

/** The tree below a nameless root. */
export function createXmlTree(space: XmlSpace): XmlTreeSink {
  const root = new XmlElement('', undefined);
  const stack: XmlElement[] = [root];
  let nodes = 0;
  let pending = '';

  function flush(): void {
    if (pending === '') return;
    const text = pending;
    pending = '';
    const parent = stack.at(-1) as XmlElement;
    if (space === 'drop' && parent.name !== 't' && text.trim() === '') return;
    nodes++;
    parent.children.push(text);
  }

  const sink = createXmlSink({
    open(name, attributes) {
      flush();
      if (++nodes > MAX_XML_NODES) throw tooLarge('XML elements', MAX_XML_NODES);
      const element = new XmlElement(name, keptAttributes(attributes));
      (stack.at(-1) as XmlElement).children.push(element);
      stack.push(element);
    },
    close() {
      flush();
      if (stack.length <= 1) return;
      const element = stack.pop() as XmlElement;
      // A list that has grown reserves many times its length; a copy does not.
      element.children = element.children.slice();
    },
    text(text) {
      pending += text;
    },
  });
  return {
    write: (bytes) => sink.write(bytes),
    finish() {
      sink.end();
      return root;
    },
  };
}

export function parseXml(bytes: Uint8Array, space: XmlSpace): XmlElement {
  const tree = createXmlTree(space);
  tree.write(bytes);
  return tree.finish();
}

/** The root element of an entry, unpacked and parsed in one go; `undefined` without such an entry. */
export function readXmlEntry(
  archive: ZipArchive,
  name: string,
  space: XmlSpace,
): XmlElement | undefined {
  const tree = createXmlTree(space);
  if (!archive.stream(name, (bytes) => tree.write(bytes))) return undefined;
  return tree.finish().elements()[0];
}

function keptAttributes(attributes: Readonly<Record<string, string>>): string[] | undefined {
  let kept: string[] | undefined;
  for (const name in attributes) {
    // Word marks every run with the session that wrote it.
    if (name.startsWith('w:rsid') || name.startsWith('xmlns')) continue;
    (kept ??= []).push(name, attributes[name] as string);
  }
  return kept?.slice();
}
