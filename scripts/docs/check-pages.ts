import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { findAvoidedPhrases } from '../plain-words.mjs';
import { readMarkdownPage, type MarkdownPage } from './markdown-page.ts';

/** A place in the documentation, and what is wrong there. */
export interface DocsProblem {
  readonly path: string;
  readonly line: number;
  readonly problem: string;
}

/** Pages that are not reached by a link from another page: where a reader starts. */
const STARTING_PAGES = new Set(['README.md', 'AGENTS.md']);

/** Links that lead nowhere, pages that no page links to, and phrases to avoid. */
export function checkPages(paths: readonly string[]): readonly DocsProblem[] {
  const pages = new Map(paths.map((path) => [path, readMarkdownPage(path)]));
  const linked = new Set<string>();
  const problems: DocsProblem[] = [];
  for (const page of pages.values()) {
    problems.push(...checkLinks(page, pages, linked), ...checkWords(page));
  }
  for (const path of pages.keys()) {
    if (linked.has(path) || STARTING_PAGES.has(path)) continue;
    problems.push({ path, line: 1, problem: 'No page links here.' });
  }
  return problems;
}

function checkLinks(
  page: MarkdownPage,
  pages: ReadonlyMap<string, MarkdownPage>,
  linked: Set<string>,
): readonly DocsProblem[] {
  return page.links.flatMap(({ line, target }) => {
    if (/^[a-z][a-z+.-]*:/iu.test(target)) return [];
    const [file = '', anchor] = target.split('#');
    const path = file === '' ? page.path : relative('.', join(dirname(page.path), file));
    if (path !== page.path) linked.add(path);
    const problem = (text: string) => [{ path: page.path, line, problem: text }];
    if (!existsSync(path)) return problem(`${target}: there is no ${path}.`);
    const other = pages.get(path);
    if (anchor === undefined || other === undefined || other.anchors.has(anchor)) return [];
    return problem(`${target}: ${path} has no heading for #${anchor}.`);
  });
}

function checkWords({ path, prose }: MarkdownPage): readonly DocsProblem[] {
  return prose.flatMap((text, at) => {
    // A phrase may be wrapped over two lines; it is reported where it begins.
    const next = prose[at + 1] ?? '';
    return findAvoidedPhrases(`${text} ${next.trimStart()}`)
      .filter(({ index }) => index < text.length)
      .map(({ found, instead }) => ({
        path,
        line: at + 1,
        problem: `Plain words: "${found.trim()}". Write ${instead}.`,
      }));
  });
}
