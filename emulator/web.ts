import { contentWords } from './answer/content-words.ts';

/** A small web site, so that searches and page readers have something to find. */
export interface Page {
  readonly url: string;
  readonly title: string;
  readonly description: string;
  /** Markdown. */
  readonly text: string;
  readonly site: string;
  /** Before the day of the request. */
  readonly ageDays: number;
  readonly image?: string;
}

export const PAGES: readonly Page[] = [
  {
    url: 'https://weather.example/oslo',
    title: 'Weather in Oslo',
    description: 'The forecast for Oslo.',
    text: '# Weather in Oslo\n\nThe temperature in Oslo is 4 degrees with light rain. Tomorrow brings sun and 7 degrees.\n\nSee the [forecast for Bergen](https://weather.example/bergen).',
    site: 'Example Weather',
    ageDays: 0,
    image: 'https://weather.example/oslo.png',
  },
  {
    url: 'https://weather.example/bergen',
    title: 'Weather in Bergen',
    description: 'The forecast for Bergen.',
    text: '# Weather in Bergen\n\nBergen has heavy rain and 6 degrees. The rain continues until Friday.',
    site: 'Example Weather',
    ageDays: 0,
  },
  {
    url: 'https://news.example/rocket',
    title: 'Rocket Heron reaches orbit',
    description: 'The first flight of the rocket Heron.',
    text: '# Rocket Heron reaches orbit\n\nThe rocket Heron reached orbit on its first flight. Its payload was a satellite of 320 kilograms that watches the sea ice.',
    site: 'Example News',
    ageDays: 3,
  },
  {
    url: 'https://news.example/bridge',
    title: 'Old bridge closed for repair',
    description: 'The harbour bridge is closed until spring.',
    text: '# Old bridge closed for repair\n\nThe harbour bridge is closed until spring because of rust in its cables. Ferries run every ten minutes instead.',
    site: 'Example News',
    ageDays: 20,
  },
  {
    url: 'https://cook.example/bread',
    title: 'A bread of four ingredients',
    description: 'Flour, water, salt and yeast.',
    text: '# A bread of four ingredients\n\nMix 500 grams of flour, 350 grams of water, 10 grams of salt and 3 grams of yeast. Let the dough rest for eighteen hours, then bake it at 240 degrees.',
    site: 'Example Kitchen',
    ageDays: 400,
  },
  {
    url: 'https://docs.example/typescript/strict',
    title: 'TypeScript: the strict option',
    description: 'What strict turns on.',
    text: '# The strict option\n\nThe option `strict` of TypeScript turns on a family of checks, `strictNullChecks` among them. New projects should begin with it.',
    site: 'Example Docs',
    ageDays: 90,
  },
  {
    url: 'https://history.example/printing',
    title: 'The printing press',
    description: 'Movable type in Europe.',
    text: '# The printing press\n\nMovable type came into use in Europe around 1450. Within fifty years presses worked in more than two hundred cities.',
    site: 'Example History',
    ageDays: 900,
  },
  {
    url: 'https://market.example/prices',
    title: 'Market prices today',
    description: 'Prices of copper and wheat.',
    text: '# Market prices today\n\nCopper costs 9,420 dollars a tonne and wheat 5.61 dollars a bushel.',
    site: 'Example Market',
    ageDays: 1,
  },
];

const DAY_MS = 86_400_000;

export interface Found {
  readonly page: Page;
  readonly refer: string;
  readonly publishDate: string;
}

export interface SearchQuery {
  readonly query: string;
  readonly count: number;
  readonly domain?: string;
  readonly recency?: string;
}

const RECENCY_DAYS: Readonly<Record<string, number>> = {
  oneDay: 1,
  oneWeek: 7,
  oneMonth: 31,
  oneYear: 366,
};

const returned = new Set<string>();
/** The addresses that searches of this process have returned. */
export const RETURNED: ReadonlySet<string> = returned;

/** Pages that share words with the query, the most first; a page that shares none is not found. */
export function searchWeb(requested: SearchQuery, nowMs: number): readonly Found[] {
  const words = contentWords(requested.query);
  const maxDays = requested.recency === undefined ? undefined : RECENCY_DAYS[requested.recency];
  const scored = PAGES.filter(
    (page) =>
      (requested.domain === undefined ||
        requested.domain === '' ||
        new URL(page.url).hostname.endsWith(requested.domain)) &&
      (maxDays === undefined || page.ageDays <= maxDays),
  ).map((page) => ({
    page,
    score: overlap(words, contentWords(`${page.title} ${page.title} ${page.text}`)),
  }));
  const found = scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, requested.count);
  for (const { page } of found) returned.add(page.url);
  return found.map(({ page }, at) => ({
    page,
    refer: `ref_${at + 1}`,
    publishDate: dateOf(page, nowMs),
  }));
}

export const findPage = (url: string): Page | undefined => PAGES.find((page) => page.url === url);

export const dateOf = (page: Page, nowMs: number): string =>
  new Date(nowMs - page.ageDays * DAY_MS).toISOString().slice(0, 10);

function overlap(query: readonly string[], page: readonly string[]): number {
  const wanted = new Set(query);
  return new Set(page.filter((word) => wanted.has(word))).size;
}

/** Without its heading, which the title repeats. */
export const bodyOf = (page: Page): string => page.text.replace(/^#.*\n+/, '');
