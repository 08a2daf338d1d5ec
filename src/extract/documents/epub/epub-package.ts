import { damaged, unsupported } from '../document-errors.ts';
import { officeProperties, type OfficeProperties } from '../ooxml/core-properties.ts';
import { resolvePart } from '../ooxml/ooxml-package.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import { readXmlEntry } from '../xml/xml-tree.ts';
import { openZip, type ZipArchive } from '../zip/zip-archive.ts';

export interface EpubPackage {
  readonly archive: ZipArchive;
  readonly properties: OfficeProperties;
  /** The names of its chapters, in reading order. */
  readonly chapters: readonly string[];
  /** The titles of chapters, by name. */
  readonly titles: ReadonlyMap<string, string>;
}

interface ManifestItem {
  readonly name: string;
  readonly type: string;
  readonly properties: string;
}

export function openEpub(bytes: Uint8Array): EpubPackage {
  const archive = openZip(bytes, 'EPUB');
  const opf = opfName(archive);
  const root = opf === undefined ? undefined : readXmlEntry(archive, opf, 'drop');
  if (opf === undefined || root === undefined) throw damaged('EPUB', 'its package file is missing');
  const items = readManifest(root, opf);
  const spine = (root.child('spine')?.elements('itemref') ?? [])
    .map((reference) => items.get(reference.get('idref') ?? ''))
    .filter((item) => item !== undefined)
    .filter(({ type, name }) => /html|xml/i.test(type) || /\.x?html?$/i.test(name))
    .map(({ name }) => name);
  // A file that the spine names again is the same text.
  const chapters = [...new Set(spine)];
  if (chapters.length === 0) throw damaged('EPUB', 'it has no chapters');
  requireReadable(archive, new Set(chapters));
  return {
    archive,
    properties: readProperties(root),
    chapters,
    titles: readTitles(archive, root, items),
  };
}

function opfName(archive: ZipArchive): string | undefined {
  const container = readXmlEntry(archive, 'META-INF/container.xml', 'drop');
  const stated = container?.descendants('rootfile')[0]?.get('full-path');
  if (stated !== undefined && archive.has(stated)) return stated;
  return archive.entries.find(({ name }) => /\.opf$/i.test(name))?.name;
}

function readManifest(root: XmlElement, opf: string): Map<string, ManifestItem> {
  const items = new Map<string, ManifestItem>();
  for (const item of root.child('manifest')?.elements('item') ?? [])
    items.set(item.get('id') ?? '', {
      name: resolveAddress(opf, item.get('href') ?? ''),
      type: item.get('media-type') ?? '',
      properties: item.get('properties') ?? '',
    });
  return items;
}

/** Names in an archive are not percent-encoded, addresses are. */
function resolveAddress(from: string, address: string): string {
  const part = resolvePart(from, address);
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // A percent sign that encodes nothing.
  }
}

/** Fonts may be disguised; encrypted chapters belong to a shop's reader. */
function requireReadable(archive: ZipArchive, chapters: ReadonlySet<string>): void {
  const encryption = readXmlEntry(archive, 'META-INF/encryption.xml', 'drop');
  for (const reference of encryption?.descendants('CipherReference') ?? [])
    if (chapters.has(resolveAddress('', reference.get('URI') ?? '')))
      throw unsupported('EPUB', 'its chapters are encrypted (digital rights management)');
}

function readProperties(root: XmlElement): OfficeProperties {
  const metadata = root.child('metadata');
  const inner = metadata?.child('dc-metadata') ?? metadata;
  const value = (name: string): string | undefined => inner?.child(name)?.text();
  const authors = (inner?.elements('creator') ?? []).map((each) => each.text().trim());
  return officeProperties({
    title: value('title'),
    author: authors.join(', '),
    date: value('date'),
    language: value('language'),
  });
}

/** Out of the navigation document, or the older NCX; the first title of a file is its own. */
function readTitles(
  archive: ZipArchive,
  root: XmlElement,
  items: ReadonlyMap<string, ManifestItem>,
): Map<string, string> {
  const titles = new Map<string, string>();
  const add = (from: string, address: string, text: string): void => {
    const name = resolveAddress(from, address);
    const title = text.replace(/\s+/g, ' ').trim();
    if (title !== '' && !titles.has(name)) titles.set(name, title);
  };
  const navigation = [...items.values()].find(({ properties }) => /\bnav\b/.test(properties));
  const lists = navigation === undefined ? [] : navigationLists(archive, navigation.name);
  for (const list of lists)
    for (const link of list.descendants('a'))
      add(navigation?.name ?? '', link.get('href') ?? '', link.text());
  if (titles.size > 0) return titles;
  const ncx =
    items.get(root.child('spine')?.get('toc') ?? '') ??
    [...items.values()].find(({ type }) => /dtbncx/.test(type));
  if (ncx === undefined) return titles;
  const points = readXmlEntry(archive, ncx.name, 'drop')?.child('navMap');
  const walk = (parent: XmlElement): void => {
    for (const point of parent.elements('navPoint')) {
      const label = point.path('navLabel', 'text')?.text() ?? '';
      add(ncx.name, point.child('content')?.get('src') ?? '', label);
      walk(point);
    }
  };
  if (points !== undefined) walk(points);
  return titles;
}

function navigationLists(archive: ZipArchive, name: string): XmlElement[] {
  const lists = readXmlEntry(archive, name, 'drop')?.descendants('nav') ?? [];
  return lists.filter((list) => (list.get('type') ?? 'toc') === 'toc');
}
