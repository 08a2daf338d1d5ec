import { inverseDocumentFrequency, lengthFactor, termScore } from '#core/text/bm25.ts';
import { queryTerms, searchTerms } from '#core/text/search-terms.ts';
import type { Tool } from '#core/tools/tool.ts';
import { toDocument } from '#tools/search/ranking/tool-document.ts';
import { createToolIndex } from '#tools/search/ranking/tool-index.ts';
import type { BenchTool } from './read-set.ts';

const FOUND = 10;

/** Ids, best first. */
export type Search = (query: string) => readonly string[];

export function oursOf(tools: readonly BenchTool[]): Search {
  const index = createToolIndex();
  for (const tool of tools) index.put(tool.id, toDocument(toTool(tool)));
  return (query) => index.search(query, { limit: FOUND }).map(({ name }) => name);
}

export function toTool({ name, server, description, inputSchema = {} }: BenchTool): Tool {
  const tool: Partial<Tool> = {
    name,
    title: name,
    description,
    inputSchema,
    origin: { server, tool: name },
  };
  return tool as Tool;
}

/** BM25 over one text for each tool, with the usual parameters and stemming. */
export function plainBm25Of(tools: readonly BenchTool[]): Search {
  const texts = tools.map(({ name, server, description, inputSchema }) => {
    const { properties = {} } = inputSchema ?? {};
    const names = Object.keys(properties as object).join(' ');
    return searchTerms(
      `${server} ${name} ${name} ${description} ${names}`.replaceAll(/[_.]/g, ' '),
    );
  });
  const mean = texts.reduce((sum, { length }) => sum + length, 0) / texts.length;
  const postings = new Map<string, Map<number, number>>();
  for (const [row, terms] of texts.entries()) {
    for (const term of terms) {
      const rows = postings.get(term) ?? new Map<number, number>();
      postings.set(term, rows.set(row, (rows.get(row) ?? 0) + 1));
    }
  }
  return (query) => {
    const scores = new Map<number, number>();
    for (const { term, weight } of queryTerms(query)) {
      const rows = postings.get(term) ?? new Map<number, number>();
      const idf = inverseDocumentFrequency(tools.length, rows.size);
      for (const [row, count] of rows) {
        const length = lengthFactor(texts[row]?.length ?? 0, mean);
        scores.set(row, (scores.get(row) ?? 0) + weight * termScore(idf, count, length));
      }
    }
    return [...scores]
      .sort(([, one], [, other]) => other - one)
      .slice(0, FOUND)
      .map(([row]) => tools[row]?.id ?? '');
  };
}
