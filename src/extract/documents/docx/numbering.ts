import { formatListNumber, type NumberStyle } from '../office/number-label.ts';
import type { XmlElement } from '../xml/xml-node.ts';

interface ListLevel {
  readonly style: NumberStyle | 'bullet';
  /** `%1.%2` */
  readonly text: string;
  readonly start: number;
  readonly paragraphStyle: string | undefined;
  /** Numbers of the levels above are written in digits. */
  readonly isLegal: boolean;
  /** It restarts after this level (from 1); 0 for never. */
  readonly restart: number | undefined;
}

interface ListDefinition {
  readonly abstractId: string;
  readonly levels: ReadonlyMap<number, ListLevel>;
  readonly startOverrides: ReadonlyMap<number, number>;
}

export interface ListNumbers {
  /** The label of the next paragraph of a list; `undefined` if it has none, `''` for a bullet. */
  next(id: string, level: number): string | undefined;
  /** The level of a list that belongs to a paragraph style. */
  levelOfStyle(id: string, style: string): number | undefined;
}

const STYLES: Readonly<Record<string, NumberStyle | 'bullet'>> = {
  decimal: 'decimal',
  decimalZero: 'decimalZero',
  lowerLetter: 'lowerLetter',
  upperLetter: 'upperLetter',
  lowerRoman: 'lowerRoman',
  upperRoman: 'upperRoman',
  ordinal: 'ordinal',
  bullet: 'bullet',
  none: 'none',
  chineseCounting: 'chinese',
  chineseCountingThousand: 'chinese',
  japaneseCounting: 'chinese',
  taiwaneseCountingThousand: 'chinese',
  ideographDigital: 'chinese',
  decimalEnclosedCircle: 'circled',
  decimalEnclosedCircleChinese: 'circled',
};

/** Counts the paragraphs of the lists of a document, which are read in order. */
export function createListNumbers(root: XmlElement | undefined): ListNumbers {
  const definitions = readDefinitions(root);
  /** Lists with one abstract definition count on. */
  const counters = new Map<string, (number | undefined)[]>();
  const started = new Set<string>();

  return {
    next(id, level) {
      const list = definitions.get(id);
      const own = list?.levels.get(level);
      if (list === undefined || own === undefined) return undefined;
      const counts = counters.get(list.abstractId) ?? [];
      counters.set(list.abstractId, counts);
      const override = list.startOverrides.get(level);
      const key = `${id}/${level}`;
      if (override !== undefined && !started.has(key)) counts[level] = override;
      else counts[level] = (counts[level] ?? own.start - 1) + 1;
      started.add(key);
      for (let below = level + 1; below < counts.length; below++) {
        const restart = list.levels.get(below)?.restart;
        if (restart === undefined || (restart > 0 && level < restart)) counts[below] = undefined;
      }
      return own.style === 'bullet' ? '' : labelOf(own, level, list, counts);
    },
    levelOfStyle(id, style) {
      for (const [level, { paragraphStyle }] of definitions.get(id)?.levels ?? [])
        if (paragraphStyle === style) return level;
      return undefined;
    },
  };
}

function labelOf(
  own: ListLevel,
  level: number,
  list: ListDefinition,
  counts: readonly (number | undefined)[],
): string | undefined {
  const label = own.text
    .replace(/%([1-9])/g, (_, digit: string) => {
      const at = Number(digit) - 1;
      const above = list.levels.get(at);
      const style = above === undefined || above.style === 'bullet' ? 'decimal' : above.style;
      const count = counts[at] ?? above?.start ?? 1;
      return formatListNumber(count, own.isLegal && at < level ? 'decimal' : style);
    })
    .trim();
  return label === '' ? undefined : label;
}

function readDefinitions(root: XmlElement | undefined): Map<string, ListDefinition> {
  const abstracts = new Map<string, XmlElement>();
  const byStyle = new Map<string, XmlElement>();
  for (const abstract of root?.elements('abstractNum') ?? []) {
    abstracts.set(abstract.get('abstractNumId') ?? '', abstract);
    const style = abstract.child('styleLink')?.get('val');
    if (style !== undefined) byStyle.set(style, abstract);
  }
  const found = new Map<string, ListDefinition>();
  for (const list of root?.elements('num') ?? []) {
    const id = list.get('numId');
    const abstractId = list.child('abstractNumId')?.get('val') ?? '';
    const stated = abstracts.get(abstractId);
    if (id === undefined || stated === undefined) continue;
    const abstract = byStyle.get(stated.child('numStyleLink')?.get('val') ?? '') ?? stated;
    const levels = readLevels(abstract.elements('lvl'));
    const startOverrides = new Map<number, number>();
    for (const override of list.elements('lvlOverride')) {
      const level = Number(override.get('ilvl') ?? 0);
      const start = Number(override.child('startOverride')?.get('val') ?? Number.NaN);
      if (Number.isInteger(start)) startOverrides.set(level, start);
      for (const [at, changed] of readLevels(override.elements('lvl'))) levels.set(at, changed);
    }
    found.set(id, { abstractId: abstract.get('abstractNumId') ?? '', levels, startOverrides });
  }
  return found;
}

function readLevels(elements: readonly XmlElement[]): Map<number, ListLevel> {
  const levels = new Map<number, ListLevel>();
  for (const element of elements) {
    const at = Number(element.get('ilvl') ?? 0);
    if (!(at >= 0 && at <= 8)) continue;
    const value = (name: string): string | undefined => element.child(name)?.get('val');
    const restart = value('lvlRestart');
    levels.set(at, {
      style: STYLES[value('numFmt') ?? formatOfChoice(element) ?? 'decimal'] ?? 'decimal',
      text: value('lvlText') ?? '',
      start: Number(value('start') ?? 1) || 0,
      paragraphStyle: value('pStyle'),
      isLegal: element.child('isLgl') !== undefined,
      restart: restart === undefined ? undefined : Number(restart),
    });
  }
  return levels;
}

/** Formats that older versions do not know are wrapped. */
function formatOfChoice(level: XmlElement): string | undefined {
  return level.path('AlternateContent', 'Fallback', 'numFmt')?.get('val');
}
