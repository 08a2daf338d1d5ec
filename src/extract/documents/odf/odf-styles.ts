import { formatListNumber, type NumberStyle } from '../office/number-label.ts';
import type { OfficeRun } from '../office/office-block.ts';
import type { XmlElement } from '../xml/xml-node.ts';

export interface OdfStyles {
  /** The emphasis of a span. */
  text(name: string | undefined): Partial<OfficeRun>;
  /** The heading level of a paragraph by its style: a title or an outline level. */
  heading(name: string | undefined): number | undefined;
  /** The label of an item, out of the numbers of its level and those above; `''` for a bullet. */
  label(list: string | undefined, counts: readonly number[]): string;
  start(list: string | undefined, level: number): number;
  isHiddenPage(name: string | undefined): boolean;
}

const MAX_CHAIN = 20;
const NUMBER_STYLES: Readonly<Record<string, NumberStyle>> = {
  '1': 'decimal',
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
  '': 'none',
};

export function readOdfStyles(roots: readonly XmlElement[]): OdfStyles {
  const byName = new Map<string, XmlElement>();
  const lists = new Map<string, ReadonlyMap<number, XmlElement>>();
  for (const root of roots)
    for (const group of ['automatic-styles', 'styles'])
      for (const style of root.child(group)?.elements() ?? []) {
        const name = style.get('name') ?? '';
        if (style.name === 'list-style') {
          if (!lists.has(name)) lists.set(name, levelsOf(style));
        } else if (style.name === 'style' && !byName.has(`${style.get('family')}/${name}`))
          byName.set(`${style.get('family')}/${name}`, style);
      }

  const find = (family: string, name: string | undefined): XmlElement | undefined =>
    name === undefined ? undefined : byName.get(`${family}/${name}`);
  const level = (list: string | undefined, at: number): XmlElement | undefined =>
    list === undefined ? undefined : lists.get(list)?.get(at + 1);

  return {
    text(name) {
      const properties = find('text', name)?.child('text-properties');
      if (properties === undefined) return {};
      const struck = properties.get('text-line-through-style') ?? 'none';
      return {
        isBold: /^(?:bold|[6-9]00)$/.test(properties.get('font-weight') ?? ''),
        isItalic: /^(?:italic|oblique)$/.test(properties.get('font-style') ?? ''),
        isStruck: struck !== 'none',
      };
    },
    heading(name) {
      let at = find('paragraph', name);
      let own = name;
      for (let i = 0; i < MAX_CHAIN; i++) {
        if (/^Title$/.test(own ?? '')) return 1;
        if (/^Subtitle$/.test(own ?? '')) return 2;
        own = at?.get('parent-style-name');
        if (own === undefined) return undefined;
        at = find('paragraph', own);
      }
      return undefined;
    },
    label(list, counts) {
      const at = counts.length - 1;
      const own = level(list, at);
      if (own?.name !== 'list-level-style-number') return '';
      const shown = Math.min(Math.max(Number(own.get('display-levels') ?? 1) || 1, 1), at + 1);
      const numbers = counts.slice(at + 1 - shown).map((count, index) => {
        const style = level(list, at + 1 - shown + index)?.get('num-format') ?? '1';
        return formatListNumber(count, NUMBER_STYLES[style] ?? 'decimal');
      });
      const text = numbers.filter((number) => number !== '').join('.');
      if (text === '') return '';
      return `${own.get('num-prefix') ?? ''}${text}${own.get('num-suffix') ?? ''}`.trim();
    },
    start: (list, at) => Number(level(list, at)?.get('start-value') ?? 1) || 1,
    isHiddenPage: (name) =>
      find('drawing-page', name)?.child('drawing-page-properties')?.get('visibility') === 'hidden',
  };
}

function levelsOf(list: XmlElement): ReadonlyMap<number, XmlElement> {
  return new Map(list.elements().map((level) => [Number(level.get('level') ?? 0), level]));
}
