import type { DocumentSource } from '#core/extract/document.ts';
import type { Notice } from '#core/messages/notices.ts';
import { notice } from '#core/messages/notices.ts';
import { damaged, needsPassword, unsupported } from '../document-errors.ts';
import { officeProperties, type OfficeProperties } from '../ooxml/core-properties.ts';
import { isDamage } from '../ooxml/ooxml-package.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import { parseXml, readXmlEntry } from '../xml/xml-tree.ts';
import { openZip, type ZipArchive } from '../zip/zip-archive.ts';

/** An OpenDocument file: an archive, or all of it as one XML file. */
export interface OdfPackage {
  /** The element inside of `office:body`: its text, sheets or slides. */
  readonly body: XmlElement;
  /** Roots that define styles, the most specific first. */
  readonly styleRoots: readonly XmlElement[];
  readonly properties: OfficeProperties;
  readonly notices: Notice[];
  /** The content of a chart or formula inside of the document. */
  embedded(address: string): XmlElement | undefined;
}

export function openOdf(bytes: Uint8Array, format: string, source: DocumentSource): OdfPackage {
  const isFlat = /^(?:\ufeff|\s)*<(?:\?xml|office:document)/.test(
    new TextDecoder().decode(bytes.subarray(0, 200)),
  );
  return isFlat ? openFlat(bytes, format) : openArchive(bytes, format, source);
}

function openFlat(bytes: Uint8Array, format: string): OdfPackage {
  const root = parseXml(bytes, 'keep').elements()[0];
  if (root === undefined) throw damaged(format, 'it is empty');
  return {
    body: bodyOf(root, format),
    styleRoots: [root],
    properties: propertiesOf(root),
    notices: [],
    embedded: () => undefined,
  };
}

function openArchive(bytes: Uint8Array, format: string, source: DocumentSource): OdfPackage {
  const archive = openZip(bytes, format);
  requireReadable(archive, format, source);
  const content = readXmlEntry(archive, 'content.xml', 'keep');
  if (content === undefined) throw damaged(format, 'its part content.xml is missing');
  const notices: Notice[] = [];
  const part = (name: string): XmlElement | undefined => {
    try {
      return readXmlEntry(archive, name, 'keep');
    } catch (error) {
      if (!isDamage(error)) throw error;
      notices.push(notice('document_part_damaged', { part: name }));
      return undefined;
    }
  };
  const styles = part('styles.xml');
  const meta = part('meta.xml');
  return {
    body: bodyOf(content, format),
    styleRoots: styles === undefined ? [content] : [content, styles],
    properties: meta === undefined ? {} : propertiesOf(meta),
    notices,
    embedded: (address) => part(`${address.replace(/^\.\//, '').replace(/\/$/, '')}/content.xml`),
  };
}

function bodyOf(root: XmlElement, format: string): XmlElement {
  const body = root.child('body')?.elements()[0];
  if (body === undefined) throw damaged(format, 'it has no body');
  return body;
}

function requireReadable(archive: ZipArchive, format: string, { password }: DocumentSource): void {
  const manifest = readXmlEntry(archive, 'META-INF/manifest.xml', 'drop');
  const isEncrypted = manifest
    ?.elements('file-entry')
    .some((entry) => entry.child('encryption-data') !== undefined);
  if (isEncrypted !== true) return;
  if (password === undefined) throw needsPassword(format, 'missing');
  throw unsupported(format, 'it is encrypted; save it without a password');
}

function propertiesOf(root: XmlElement): OfficeProperties {
  const meta = root.child('meta');
  const value = (name: string): string | undefined => meta?.child(name)?.text();
  return officeProperties({
    title: value('title'),
    author: value('creator') ?? value('initial-creator'),
    date: value('date') ?? value('creation-date'),
    language: value('language'),
  });
}
