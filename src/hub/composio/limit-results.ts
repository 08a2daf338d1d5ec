import { asObject, type Unknown } from '#core/json/json.ts';

const LISTS = ['news_results', 'citations', 'organic_results', 'results'] as const;

/** The first results of a search, which come as a list or as an object by position. */
export function limitResults(data: Unknown, count: number): Unknown {
  const limited: Record<string, unknown> = { ...data };
  for (const name of LISTS) {
    const list = data[name];
    if (Array.isArray(list)) limited[name] = list.slice(0, count);
    else if (asObject(list)) limited[name] = limitObject(asObject(list) ?? {}, count);
  }
  return limited;
}

function limitObject(list: Unknown, count: number): Unknown {
  const entries = Object.entries(list);
  const isIndexed = entries.length > 0 && entries.every(([name]) => /^\d+$/.test(name));
  return isIndexed ? Object.fromEntries(entries.slice(0, count)) : limitResults(list, count);
}
