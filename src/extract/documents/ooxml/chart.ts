import { appendAll } from '../office/append-all.ts';
import { textParagraph, textTable, type OfficeBlock } from '../office/office-block.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import { drawingLine } from './drawing-text.ts';
import { compileNumberFormat } from './number-format.ts';

interface Series {
  readonly name: string;
  readonly categories: ReadonlyMap<number, string>;
  readonly values: ReadonlyMap<number, string>;
}

/** Indexes beyond this are mistakes or attacks. */
const MAX_POINTS = 100_000;

/** The title of a chart, and its categories and values as a table. */
export function readChart(root: XmlElement): OfficeBlock[] {
  const chart = root.child('chart') ?? root;
  const blocks: OfficeBlock[] = [];
  const title = titleOf(chart.child('title'));
  if (title !== '') blocks.push({ kind: 'paragraph', runs: [{ text: title, isBold: true }] });
  const plot = chart.child('plotArea');
  const axes = (plot?.elements() ?? [])
    .filter(({ name }) => /Ax$|^axis$/.test(name))
    .map((axis) => titleOf(axis.child('title')))
    .filter((text) => text !== '');
  if (axes.length > 0) blocks.push(textParagraph(axes.join(' / ')));
  const series = (plot?.elements() ?? [])
    .flatMap((kind) => kind.elements('ser'))
    .map((each) => readSeries(each));
  const extended = readExtended(root);
  for (const group of byCategories([...series, ...extended]))
    appendAll(blocks, seriesTables(group));
  return blocks;
}

function titleOf(title: XmlElement | undefined): string {
  if (title === undefined) return '';
  const line = drawingLine(title);
  return line === '' ? (title.descendants('v')[0]?.text() ?? '') : line;
}

function readSeries(series: XmlElement): Series {
  const name = series.child('tx');
  return {
    name: name === undefined ? '' : [...points(name).values()].join(' ') || name.text(),
    categories: points(series.child('cat') ?? series.child('xVal')),
    values: points(series.child('val') ?? series.child('yVal')),
  };
}

/** The cached values of a reference or a literal, by their index. */
function points(source: XmlElement | undefined): Map<number, string> {
  const found = new Map<number, string>();
  if (source === undefined) return found;
  const levels = source.descendants('lvl');
  const lists = levels.length > 0 ? levels.toReversed() : [source];
  for (const list of lists) {
    const code = list.descendants('formatCode')[0]?.text();
    const format = compileNumberFormat(code, '1900');
    let last = '';
    for (const point of list.descendants('pt')) {
      const index = Number(point.get('idx') ?? found.size);
      if (!(index >= 0 && index < MAX_POINTS)) continue;
      const text = point.child('v')?.text() ?? point.text();
      const isNumber = code !== undefined && text.trim() !== '' && Number.isFinite(Number(text));
      last = isNumber ? format(Number(text)) : text.replace(/\s+/g, ' ').trim();
      const before = found.get(index);
      found.set(index, before === undefined ? last : `${before} ${last}`);
    }
  }
  return found;
}

/** Charts since Office 2016 (`cx:chart`): a list of data, and series that refer to it. */
function readExtended(root: XmlElement): Series[] {
  const data = root.child('chartData')?.elements('data') ?? [];
  const series = root.descendants('series');
  return data.map((each) => {
    const id = each.get('id');
    const own = series.find((one) => one.child('dataId')?.get('val') === id);
    const dimension = (name: string): Map<number, string> =>
      points(each.elements(name).find((one) => one.descendants('pt').length > 0));
    return {
      name: own?.descendants('v')[0]?.text() ?? '',
      categories: dimension('strDim'),
      values: dimension('numDim'),
    };
  });
}

/** Series over the same categories are columns of one table. */
function byCategories(series: readonly Series[]): Series[][] {
  const groups = new Map<string, Series[]>();
  for (const each of series) {
    if (each.values.size === 0 && each.categories.size === 0 && each.name === '') continue;
    const key = [...each.categories.values()].join('\n');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return [...groups.values()];
}

/** One table, unless most of its cells would be empty. */
function seriesTables(group: readonly Series[]): OfficeBlock[] {
  const points = group.reduce((sum, { values }) => sum + values.size, 0);
  const longest = group.reduce((most, { values }) => Math.max(most, values.size), 1);
  return points * 20 < group.length * longest || group.length > 256
    ? group.map((each) => seriesTable([each]))
    : [seriesTable(group)];
}

function seriesTable(group: readonly Series[]): OfficeBlock {
  const categories = group[0]?.categories ?? new Map<number, string>();
  const indexes = new Set<number>(categories.keys());
  for (const { values } of group) for (const index of values.keys()) indexes.add(index);
  const head = ['', ...group.map(({ name }) => name)];
  const rows = [...indexes]
    .toSorted((one, other) => one - other)
    .map((index) => [
      categories.get(index) ?? '',
      ...group.map(({ values }) => values.get(index) ?? ''),
    ]);
  return textTable([head, ...rows]);
}
