/** The extractors that are compared: ours, and others from bench/extraction/opponents. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { extractHtml } from '../../src/extract/html/extract-html.ts';

export interface Contender {
  readonly name: string;
  /** The input that it takes, made before the clock starts. */
  prepare(html: string): unknown;
  extract(input: never, url: string): Promise<Output> | Output;
}

/** Markdown where the extractor writes it, else text. */
export interface Output {
  readonly markdown?: string;
  readonly text?: string;
}

/** Apart from this folder, from where our own packages are resolved. */
const FOLDER = resolve('bench/extraction/opponents');

export const hasContenders = (): boolean => existsSync(resolve(FOLDER, 'node_modules'));

/** They are for this bench only, so they are installed apart from our packages. */
function load<T>(name: string): T {
  return createRequire(resolve(FOLDER, 'package.json'))(name) as T;
}

interface Linkedom {
  readonly parseHTML: (html: string) => { document: unknown };
}

const ours: Contender = {
  name: 'ours',
  prepare: (html) => new TextEncoder().encode(html),
  extract: (bytes: Uint8Array, url) =>
    extractHtml(bytes, { url, contentType: 'text/html; charset=utf-8' }),
};

function trafilatura(): Contender {
  const { extract } = load<{
    extract: (html: string, options: object) => { contentMarkdown?: string; contentText?: string };
  }>('trafilatura-linux-x64-gnu');
  return {
    name: 'trafilatura',
    prepare: (html) => html,
    extract: (html: string, url) => {
      const { contentMarkdown, contentText } = extract(html, { url, outputMarkdown: true });
      // Its Markdown is made, and its text, which is better, is scored.
      return { text: contentText ?? contentMarkdown ?? '' };
    },
  };
}

function readability(): Contender {
  const { parseHTML } = load<Linkedom>('linkedom');
  const { Readability } = load<{
    Readability: new (document: unknown) => { parse(): { textContent?: string } | null };
  }>('@mozilla/readability');
  return {
    name: 'Readability',
    prepare: (html) => html,
    extract: (html: string) => ({
      text: new Readability(parseHTML(html).document).parse()?.textContent ?? '',
    }),
  };
}

async function defuddle(): Promise<Contender> {
  const { parseHTML } = load<Linkedom>('linkedom');
  const path = resolve(FOLDER, 'node_modules/defuddle/dist/node.js');
  const { Defuddle } = (await import(path)) as {
    Defuddle: (document: unknown, url: string, options: object) => Promise<{ content: string }>;
  };
  return {
    name: 'defuddle',
    prepare: (html) => html,
    extract: async (html: string, url) => ({
      markdown: (await Defuddle(parseHTML(html).document, url, { markdown: true, useAsync: false }))
        .content,
    }),
  };
}

export const CONTENDERS = ['ours', 'trafilatura', 'Readability', 'defuddle'] as const;
export type ContenderName = (typeof CONTENDERS)[number];

export function openContender(name: ContenderName): Contender | Promise<Contender> {
  switch (name) {
    case 'ours':
      return ours;
    case 'trafilatura':
      return trafilatura();
    case 'Readability':
      return readability();
    case 'defuddle':
      return defuddle();
    default:
      return name satisfies never;
  }
}
