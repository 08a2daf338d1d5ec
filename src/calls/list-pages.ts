import { createBoundedMap } from '#core/bounded-map.ts';
import type { Caller } from '#core/call.ts';
import type { Calls, ListKind, ToolList } from '#core/calls.ts';
import { decideOffer } from './decide-offer.ts';
import type { Library } from './library.ts';
import { createPages, type Entry } from './pages.ts';
import type { Registry } from './registry.ts';

const MAX_LISTS = 256;

/** Every list in pages, made once for each kind of caller and kept until something changes. */
export function createListPages(
  tools: (caller: Caller) => ToolList,
  { registry, library, pageSize }: { registry: Registry; library: Library; pageSize: number },
): Calls['page'] {
  const made = createBoundedMap<string, ReturnType<typeof createPages>>({ maxEntries: MAX_LISTS });
  registry.onChange(() => made.clear());
  library.onChange((change) => {
    if ('list' in change) made.clear();
  });

  function entriesOf(caller: Caller, kind: ListKind): Entry[] {
    if (kind === 'tools') {
      return tools(caller).tools.map((tool) => ({ key: tool.name, json: JSON.stringify(tool) }));
    }
    return library
      .all(kind)
      .filter((offer) => decideOffer(caller, offer, registry).verdict !== 'deny')
      .map(({ key, listed }) => ({ key, json: JSON.stringify(listed) }));
  }

  return (caller, kind, cursor) => {
    const key = `${kind}\n${caller.agent ?? ''}\n${caller.scopes.join('\n')}`;
    let pages = made.get(key);
    if (!pages) {
      pages = createPages(entriesOf(caller, kind), pageSize);
      made.set(key, pages);
    }
    return pages(cursor);
  };
}
