import type { DocumentContent } from '#core/extract/document.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { OoxmlPackage } from './ooxml-package.ts';

export type OfficeProperties = Pick<DocumentContent, 'title' | 'author' | 'date' | 'language'>;

/** Title, author and date as the author stated them. */
export function readCoreProperties(pack: OoxmlPackage): OfficeProperties {
  const root = pack.part(pack.related('', 'core-properties') ?? 'docProps/core.xml');
  const value = (name: string): string | undefined => root?.child(name)?.text();
  return officeProperties({
    title: value('title'),
    author: value('creator') ?? value('lastModifiedBy'),
    date: value('modified') ?? value('created'),
    language: value('language'),
  });
}

/** Without the properties that are empty. */
export function officeProperties(values: {
  readonly [Name in keyof OfficeProperties]: string | undefined;
}): OfficeProperties {
  const kept = Object.entries(values)
    .map(([name, value]) => [name, value?.replace(/\s+/g, ' ').trim() ?? ''] as const)
    .filter(([, value]) => value !== '');
  return Object.fromEntries(kept) as OfficeProperties;
}

const EMBEDDED =
  /\/(?:embeddings|activeX)\/([^/]+\.(?:bin|doc[xm]?|xls[xmb]?|ppt[xm]?|pdf|ole|vsdx?|msg))$/i;

/** Files and macros inside of the document, which are not read. */
export function noticeEmbedded(pack: OoxmlPackage, charts: ReadonlySet<string>): Notice[] {
  const parts: string[] = [];
  for (const { name } of pack.archive.entries) {
    if (/vbaProject\.bin$/i.test(name)) parts.push('macros');
    const file = EMBEDDED.exec(name)?.[1];
    // The workbook of a chart repeats what the chart shows.
    if (file !== undefined && !charts.has(name)) parts.push(file);
  }
  return parts.length === 0 ? [] : [notice('document_parts_not_read', { parts })];
}
