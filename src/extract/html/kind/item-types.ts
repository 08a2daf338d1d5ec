import type { Area } from '../blocks/block.ts';

/** The schema.org types of microdata, from the elements with text. */
export function itemTypesOf(areas: readonly Area[]): readonly string[] {
  const types: string[] = [];
  for (const { element } of areas) {
    const type = element.get('itemtype');
    if (type === undefined) continue;
    for (const each of type.split(/\s+/)) types.push(each.slice(each.lastIndexOf('/') + 1));
  }
  return types;
}
