import type { Citation } from '#core/llm/chat.ts';
import { isUrl } from '#core/net/is-url.ts';

/** The names that search servers have for the fields of a result. */
const URL_FIELDS = ['url', 'link', 'href', 'uri', 'source_url'] as const;
const TITLE_FIELDS = ['title', 'name', 'headline'] as const;
const TEXT_FIELDS = [
  'snippet',
  'description',
  'content',
  'text',
  'summary',
  'body',
  'highlights',
] as const;
const DATE_FIELDS = [
  'date',
  'published',
  'publishedDate',
  'published_date',
  'publish_date',
  'page_age',
] as const;

/** A server may answer anything. */
const MAX_RESULTS = 200;
const MAX_DEPTH = 6;
const MAX_TEXT_CHARS = 4_000;
const MAX_READ_CHARS = 2_000_000;

/**
 * The results in the answer of a search server: objects with an address, wherever they are in its
 * data, or in a text in the forms that servers write. Each address once, in their order.
 */
export function readSearchResults(
  structured: unknown,
  texts: readonly string[],
): readonly Citation[] {
  const found = new Map<string, Citation>();
  const add = (citation: Citation | undefined) => {
    if (!citation || found.size >= MAX_RESULTS) return;
    if (!found.has(citation.url)) found.set(citation.url, citation);
  };
  collect(structured, 0, add);
  if (found.size > 0) return [...found.values()];
  for (const text of texts) {
    const readable = text.slice(0, MAX_READ_CHARS);
    const data = parseJson(readable);
    if (data === undefined) readText(readable).forEach(add);
    else collect(data, 0, add);
  }
  return [...found.values()];
}

function collect(value: unknown, depth: number, add: (citation?: Citation) => void): void {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const each of value.slice(0, MAX_RESULTS)) collect(each, depth + 1, add);
    return;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  const citation = toCitation(fields);
  if (citation) return add(citation);
  for (const each of Object.values(fields).slice(0, MAX_RESULTS)) collect(each, depth + 1, add);
}

function toCitation(fields: Readonly<Record<string, unknown>>): Citation | undefined {
  const url = textIn(fields, URL_FIELDS);
  if (url === undefined || !isWebAddress(url)) return undefined;
  const title = textIn(fields, TITLE_FIELDS);
  const text = textIn(fields, TEXT_FIELDS);
  // An address alone is a link of the page, such as an icon.
  if (title === undefined && text === undefined) return undefined;
  const date = textIn(fields, DATE_FIELDS);
  return {
    title: title ?? '',
    url,
    ...(text !== undefined && { text: text.slice(0, MAX_TEXT_CHARS).toWellFormed() }),
    ...(date !== undefined && { date }),
  };
}

function textIn(
  fields: Readonly<Record<string, unknown>>,
  names: readonly string[],
): string | undefined {
  for (const name of names) {
    const value = fields[name];
    const text = Array.isArray(value) ? value.filter(isText).join(' ') : value;
    if (isText(text) && text.trim() !== '') return text.trim();
  }
  return undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && isUrl(text);
}

function parseJson(text: string): unknown {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed)) return undefined;
  try {
    return JSON.parse(trimmed) as unknown;
  } catch {
    // A text that only begins like JSON.
    return undefined;
  }
}

// Both take a time that grows with the text alone: no two parts in a row match the same character.
const FIELD_LINE =
  /^[-*\s]*(title|name|url|link|source|description|snippet|content|summary|text|published|date)\**:\**\s*(.*)$/i;
const MARKDOWN_LINK = /\[([^[\]\n]{1,300})\]\((https?:\/\/[^\s)[]{1,2048})\)/g;

/** Blocks such as `Title: …` and `URL: …`, or else Markdown links with the line that has them. */
function readText(text: string): readonly Citation[] {
  const blocks: Record<string, string>[] = [];
  let open: Record<string, string> = {};
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = FIELD_LINE.exec(line) ?? [];
    if (name === '') continue;
    const field = fieldOf(name);
    // A field that the block has already begins the next one.
    if (open[field] !== undefined) {
      blocks.push(open);
      open = {};
    }
    open[field] = value.trim();
  }
  const cited = [...blocks, open].flatMap((block) => toCitation(block) ?? []);
  return cited.length > 0 ? cited : readLinks(text);
}

function fieldOf(name: string): string {
  switch (name.toLowerCase()) {
    case 'url':
    case 'link':
    case 'source':
      return 'url';
    case 'title':
    case 'name':
      return 'title';
    case 'published':
    case 'date':
      return 'date';
    default:
      return 'snippet';
  }
}

function readLinks(text: string): readonly Citation[] {
  return text.split('\n').flatMap((line) => {
    const [link] = line.matchAll(MARKDOWN_LINK);
    if (!link) return [];
    const [written, title = '', url = ''] = link;
    const rest = line
      .replace(written, '')
      .replace(/^[\s\-*\d.:–—]+/, '')
      .trim();
    return toCitation({ title, url, ...(rest !== '' && { snippet: rest }) }) ?? [];
  });
}
