import { appendAll } from '../office/append-all.ts';
import type { OfficeBlock } from '../office/office-block.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import { readChart } from './chart.ts';
import { readDiagram } from './diagram.ts';
import type { OoxmlPackage } from './ooxml-package.ts';

/** The charts and diagrams that a drawing in `part` refers to. */
export function readDrawingParts(
  drawing: XmlElement,
  pack: OoxmlPackage,
  part: string,
): OfficeBlock[] {
  const relationships = pack.relationships(part);
  const root = (id: string | undefined): XmlElement | undefined => {
    const relationship = id === undefined ? undefined : relationships.get(id);
    return relationship?.isExternal === false ? pack.part(relationship.target) : undefined;
  };
  const blocks: OfficeBlock[] = [];
  for (const data of drawing.descendants('graphicData')) {
    for (const reference of data.elements('chart')) {
      const chart = root(reference.getPrefixed('id'));
      if (chart !== undefined) appendAll(blocks, readChart(chart));
    }
    for (const reference of data.elements('relIds')) {
      const diagram = root(reference.getPrefixed('dm'));
      if (diagram !== undefined) appendAll(blocks, readDiagram(diagram));
    }
  }
  return blocks;
}

/** Workbooks that only hold the values of a chart. */
export function chartWorkbooks(pack: OoxmlPackage): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { name } of pack.archive.entries)
    if (/\/charts\/[^/]+\.xml$/i.test(name))
      for (const { target, type } of pack.relationships(name).values())
        if (type === 'package') found.add(target);
  return found;
}
