import { appendAll } from '../office/append-all.ts';
import type { OfficeBlock, OfficeRun } from '../office/office-block.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import { readDrawingRuns } from './drawing-text.ts';

/** Deeper points are written as a separate list. */
const MAX_DEPTH = 100;
const NO_LINKS = { link: () => undefined };

/** The texts of a diagram (SmartArt) as the list that it was typed as. */
export function readDiagram(data: XmlElement): OfficeBlock[] {
  const texts = new Map<string, OfficeRun[]>();
  const roots: string[] = [];
  for (const point of data.child('ptLst')?.elements('pt') ?? []) {
    const id = point.get('modelId');
    const type = point.get('type') ?? 'node';
    if (id === undefined || type === 'pres' || type === 'parTrans' || type === 'sibTrans') continue;
    if (type === 'doc') roots.push(id);
    const paragraphs = point.child('t')?.elements('p') ?? [];
    const runs: OfficeRun[] = [];
    for (const paragraph of paragraphs) {
      if (runs.length > 0) runs.push({ text: '\n' });
      appendAll(runs, readDrawingRuns(paragraph, NO_LINKS));
    }
    texts.set(id, runs);
  }
  const children = readChildren(data);
  const blocks: OfficeBlock[] = [];
  const written = new Set<string>();

  function write(id: string, level: number, depth: number): void {
    if (written.has(id) || depth > MAX_DEPTH) return;
    written.add(id);
    const runs = texts.get(id) ?? [];
    const isShown = runs.some(({ text }) => text.trim() !== '');
    if (isShown) blocks.push({ kind: 'item', level: Math.max(level, 0), runs });
    const inner = isShown || level < 0 ? level + 1 : level;
    for (const child of children.get(id) ?? []) write(child, inner, depth + 1);
  }

  for (const root of roots) write(root, -1, 0);
  // Points that no connection leads to are still text of the diagram.
  for (const id of texts.keys()) write(id, 0, 0);
  return blocks;
}

function readChildren(data: XmlElement): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, { id: string; order: number }[]>();
  for (const connection of data.child('cxnLst')?.elements('cxn') ?? []) {
    const type = connection.get('type') ?? 'parOf';
    const from = connection.get('srcId');
    const to = connection.get('destId');
    if (type !== 'parOf' || from === undefined || to === undefined) continue;
    const list = found.get(from) ?? [];
    list.push({ id: to, order: Number(connection.get('srcOrd') ?? 0) || 0 });
    found.set(from, list);
  }
  return new Map(
    [...found].map(([id, list]) => [
      id,
      list.toSorted((one, other) => one.order - other.order).map((child) => child.id),
    ]),
  );
}
