/** Appends items one by one: `push(...items)` fails for very long lists. */
export function appendAll<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item);
}
