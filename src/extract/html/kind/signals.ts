import type { PageBlock } from '../blocks/block.ts';
import { groupBit } from '../blocks/class-groups.ts';
import type { PageBlocks } from '../blocks/collect-blocks.ts';
import { regionBit } from '../blocks/regions.ts';
import { parseAddress } from '../parse-address.ts';
import { schemaTypes, type SchemaObject } from '../metadata/json-ld.ts';

/** What a page says about its kind: its schema.org types, its address, its structure. */
export interface PageSource {
  readonly url: string | undefined;
  readonly ogType: string | undefined;
  readonly jsonLd: readonly SchemaObject[];
  /** `itemtype` of microdata, in document order. */
  readonly itemTypes: readonly string[];
}

/** schema.org types, by the kind of page they describe. */
const TYPES = {
  article: /^(?:\w*Article|BlogPosting|Report|Review|Recipe|HowTo|OpinionNewsArticle)$/,
  documentation: /^(?:TechArticle|APIReference|SoftwareSourceCode)$/,
  forum: /^(?:DiscussionForumPosting|QAPage|Question|Answer|SocialMediaPosting|Comment)$/,
  product:
    /^(?:Product|ProductGroup|IndividualProduct|Offer|Book|Vehicle|SoftwareApplication|MobileApplication)$/,
  list: /^(?:ItemList|CollectionPage|SearchResultsPage|Blog|OfferCatalog|ProductCollection)$/,
  service:
    /^(?:Service|\w*Business|Organization|Corporation|FAQPage|AboutPage|ContactPage|WebApplication|ProfessionalService|Place)$/,
} as const;

/** Words of addresses: sites of every language have these beside their own. */
const ADDRESSES = {
  forum:
    /\b(?:forums?|threads?|topics?|showthread|viewtopic|discussions?|questions?|community|comments|board|t)\b/i,
  documentation:
    /\b(?:docs?|documentation|references?|api|manual|guides?|tutorials?|wiki|learn|developers?|help|support|man|stable|latest|handbook|kb)\b/i,
  product: /\b(?:products?|p|dp|itm|item|store|pd|sku|prod|buy)\b/i,
  collection:
    /\b(?:collections?|category|categories|catalog|c|cat|shop|browse|search|l|b|cp|tags?|parts|plp)\b/i,
  article:
    /\b(?:blog|blogs|news|articles?|posts?|stories|story|insights?|magazine|opinion|\d{4}\/\d{1,2})\b/i,
} as const;

const PRICE =
  /(?:[$€£¥₹₽₩₪₫₺₴]|\b(?:USD|EUR|GBP|kr|zł|Kč|CHF|R\$))\s?\d|\d\s?(?:[€£¥₹₽₩₪₫₺₴]|zł|kr\b|Kč|CHF)/;

export const SIGNALS: readonly string[] = [
  ...Object.keys(TYPES).map((name) => `type.${name}`),
  'og.article',
  'og.product',
  'og.website',
  ...Object.keys(ADDRESSES).map((name) => `url.${name}`),
  'url.depth',
  'url.isRoot',
  'url.lastLength',
  'url.hyphens',
  'url.query',
  'words',
  'linkDensity',
  'proseShare',
  'topShare',
  'articles',
  'articleShare',
  'commentShare',
  'productShare',
  'reviewShare',
  'codes',
  'tables',
  'headings',
  'images',
  'prices',
  'repeats',
  'repeatedLinks',
  'blocks',
  'questions',
];

export function readSignals(
  source: PageSource,
  page: PageBlocks,
  topChars: number,
  textOfBlock: (block: PageBlock) => string,
): number[] {
  const types = [...source.jsonLd.flatMap(schemaTypes), ...source.itemTypes];
  const url = parseAddress(source.url);
  const path =
    url === undefined
      ? ''
      : `${url.hostname
          .replace(/^www\./, '')
          .split('.')
          .slice(0, -1)
          .join(' ')}${url.pathname}`.replace(/[_-]+/g, '-');
  const parts = url === undefined ? [] : url.pathname.split('/').filter((part) => part !== '');
  const last = parts.at(-1) ?? '';
  return [
    ...Object.values(TYPES).map((pattern) =>
      log(types.filter((type) => pattern.test(type)).length),
    ),
    /article/i.test(source.ogType ?? '') ? 1 : 0,
    /product/i.test(source.ogType ?? '') ? 1 : 0,
    /website/i.test(source.ogType ?? '') ? 1 : 0,
    ...Object.values(ADDRESSES).map((pattern) => (pattern.test(path) ? 1 : 0)),
    Math.min(parts.length, 8),
    parts.length === 0 ? 1 : 0,
    log(last.length),
    Math.min(last.split('-').length - 1, 12),
    url !== undefined && url.search.length > 1 ? 1 : 0,
    ...structure(page, topChars, textOfBlock),
  ];
}

function structure(
  page: PageBlocks,
  topChars: number,
  textOfBlock: (block: PageBlock) => string,
): number[] {
  const { blocks, areas } = page;
  const chars = Math.max(1, page.chars);
  let prose = 0;
  let codes = 0;
  let tables = 0;
  let headings = 0;
  let images = 0;
  let prices = 0;
  let questions = 0;
  for (const block of blocks) {
    if (block.kind === 'text' && block.chars > 120 && block.linkChars * 4 < block.chars)
      prose += block.chars;
    if (block.kind === 'code') codes++;
    if (block.kind === 'table') tables++;
    if (block.level > 0) headings++;
    images += block.images;
    if (block.chars < 40 && block.digits > 0 && PRICE.test(textOfBlock(block))) prices++;
    if (block.level > 0 && block.endsSentence) questions++;
  }
  const sums = { comment: 0, product: 0, review: 0, article: 0 };
  let articles = 0;
  let repeats = 0;
  let repeatedLinks = 0;
  for (const { groups, region, parent, chars: own, linkChars, repeats: count } of areas) {
    if (parent === undefined) continue;
    if ((groups & COMMENT) !== 0) sums.comment = Math.max(sums.comment, own);
    if ((groups & PRODUCT) !== 0) sums.product = Math.max(sums.product, own);
    if ((groups & REVIEW) !== 0) sums.review = Math.max(sums.review, own);
    if ((region & ARTICLE) !== 0) {
      articles++;
      sums.article = Math.max(sums.article, own);
    }
    if (count > repeats && own > chars * 0.1) {
      repeats = count;
      repeatedLinks = linkChars / Math.max(1, own);
    }
  }
  return [
    log(page.words),
    page.linkChars / chars,
    prose / chars,
    topChars / chars,
    log(articles),
    sums.article / chars,
    sums.comment / chars,
    sums.product / chars,
    sums.review / chars,
    log(codes),
    log(tables),
    log(headings),
    log(images),
    log(prices),
    log(repeats),
    repeatedLinks,
    log(blocks.length),
    log(questions),
  ];
}

const COMMENT = groupBit('comment');
const PRODUCT = groupBit('product');
const REVIEW = groupBit('review');
const ARTICLE = regionBit('article');

function log(value: number): number {
  return Math.log2(value + 1);
}
