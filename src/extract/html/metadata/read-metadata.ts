import type { ExtractedDocument } from '#core/extract/extractor.ts';
import type { PageBlock } from '../blocks/block.ts';
import { parseAddress } from '../parse-address.ts';
import { blockText } from '../text-view.ts';
import { ElementNode, textOf } from '../tree/node.ts';
import { trimmedLine, type HeadValues } from './head-values.ts';
import { textValue, schemaTypes, type SchemaObject } from './json-ld.ts';

type Metadata = Pick<
  ExtractedDocument,
  'title' | 'author' | 'date' | 'language' | 'site' | 'canonicalUrl'
>;

const MAIN_TYPES =
  /Article|BlogPosting|Posting|Product|Recipe|HowTo|Question|WebPage|Report|Book|Event|JobPosting/;

const MAX_TITLE_CHARS = 2000;

/** What a page says about itself; the sources are asked from the most to the least reliable. */
export function readMetadata(
  { meta, links, title, language, base }: HeadValues,
  jsonLd: readonly SchemaObject[],
  blocks: readonly PageBlock[],
  url: string | undefined,
): Metadata {
  const main =
    jsonLd.find((object) => schemaTypes(object).some((type) => MAIN_TYPES.test(type))) ?? {};
  const first = (...names: string[]): string | undefined =>
    names.map((name) => meta.get(name)).find((value) => value !== undefined);
  const site =
    first('og:site_name', 'application-name', 'publisher', 'dc.publisher') ??
    textValue(main['publisher']) ??
    siteName(jsonLd);
  const canonical = links.get('canonical') ?? first('og:url');
  const found: Record<string, string | undefined> = {
    title: titleOf(
      first('og:title', 'twitter:title', 'dc.title', 'citation_title'),
      title,
      main,
      blocks,
      site,
    ),
    author:
      authorName(
        first(
          'author',
          'article:author',
          'dc.creator',
          'citation_author',
          'parsely-author',
          'sailthru.author',
        ),
      ) ??
      authorName(textValue(main['author'] ?? main['creator'])) ??
      authorName(markedAuthor(blocks)),
    date: dateOf(
      [
        textValue(main['datePublished']),
        first(
          'article:published_time',
          'date',
          'dc.date',
          'dc.date.issued',
          'citation_publication_date',
          'pubdate',
          'publish_date',
          'parsely-pub-date',
          'datepublished',
        ),
        markedDate(blocks),
        textValue(main['dateModified']),
        first('article:modified_time', 'og:updated_time', 'last-modified'),
      ].filter((value) => value !== undefined),
    ),
    language:
      languageTag(language) ??
      languageTag(first('content-language', 'og:locale', 'language', 'dc.language')) ??
      languageTag(textValue(main['inLanguage'])),
    site,
    canonicalUrl: absolute(canonical, base, url),
  };
  return Object.fromEntries(
    Object.entries(found)
      .map(([name, value]) => [name, value === undefined ? undefined : trimmedLine(value)] as const)
      .filter(([, value]) => value !== undefined),
  ) as Metadata;
}

/** The heading, if the title of the document contains it; else the title without the site's name. */
function titleOf(
  shared: string | undefined,
  title: string | undefined,
  main: SchemaObject,
  blocks: readonly PageBlock[],
  site: string | undefined,
): string | undefined {
  const heading = blocks.find(({ level, chars }) => level === 1 && chars > 2);
  const text = heading === undefined ? undefined : blockText(heading);
  const stated = shared ?? textValue(main['headline']) ?? title;
  if (text !== undefined && stated !== undefined && isPart(text, stated)) return text;
  return stated === undefined ? text : withoutSite(stated, site);
}

/** The search for a long text takes time, and no title is long. */
function isPart(text: string, title: string): boolean {
  return text.length <= MAX_TITLE_CHARS && contains(title, text);
}

function contains(whole: string, part: string): boolean {
  return whole.toLowerCase().includes(part.toLowerCase());
}

/** Titles end with the name of the site after a separator. */
function withoutSite(title: string, site: string | undefined): string {
  const at = Math.max(
    ...[' | ', ' – ', ' — ', ' - ', ' · ', ' :: ', ' » '].map((mark) => title.lastIndexOf(mark)),
  );
  const tail = title.slice(at + 3).trim();
  if (at < 1 || site === undefined) return title;
  if (site.length > MAX_TITLE_CHARS || tail.length > MAX_TITLE_CHARS) return title;
  return contains(site, tail) || contains(tail, site) ? title.slice(0, at).trim() : title;
}

function siteName(jsonLd: readonly SchemaObject[]): string | undefined {
  const site = jsonLd.find((object) =>
    schemaTypes(object).some((type) => type === 'WebSite' || type === 'Organization'),
  );
  return site && textValue(site['name']);
}

function authorName(name: string | undefined): string | undefined {
  const clean = name?.trim();
  return clean === undefined || clean === '' || /^https?:/i.test(clean) || clean.length > 200
    ? undefined
    : clean;
}

/** Microdata and `rel="author"`, in the elements around the blocks. */
function markedAuthor(blocks: readonly PageBlock[]): string | undefined {
  for (const { element, start, end } of blocks) {
    if (/\bauthor\b/.test(element.get('itemprop') ?? '') || element.get('rel') === 'author')
      return textOf(element);
    for (let i = start; i < end; i++) {
      const child = element.children[i];
      if (!(child instanceof ElementNode)) continue;
      if (child.get('rel') === 'author' || /\bauthor\b/.test(child.get('itemprop') ?? ''))
        return textOf(child);
    }
  }
  return undefined;
}

/** The first <time> with a date. */
function markedDate(blocks: readonly PageBlock[]): string | undefined {
  for (const { element, start, end } of blocks)
    for (let i = start; i < end; i++) {
      const child = element.children[i];
      if (child instanceof ElementNode && child.name === 'time') {
        const date = child.get('datetime');
        if (date !== undefined && /\d{4}/.test(date)) return date;
      }
    }
  return undefined;
}

const ISO = /^(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?/;

/** ISO dates first; a date in words stays as the page has it. */
function dateOf(values: readonly string[]): string | undefined {
  for (const value of values) {
    const [, year, month = '', day, time = ''] = ISO.exec(value.trim()) ?? [];
    if (year === undefined) continue;
    const date = `${year}-${month.padStart(2, '0')}${day === undefined ? '' : `-${day.padStart(2, '0')}`}`;
    return day === undefined ? date : `${date}${time}`;
  }
  return values[0];
}

function languageTag(value: string | undefined): string | undefined {
  const tag = value
    ?.trim()
    .split(/[,;\s]/)[0]
    ?.replaceAll('_', '-');
  return tag !== undefined && /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/.test(tag) ? tag : undefined;
}

function absolute(
  address: string | undefined,
  base: string | undefined,
  url: string | undefined,
): string | undefined {
  const root = base === undefined ? url : (parseAddress(base, url)?.href ?? url);
  return parseAddress(address, root)?.href;
}
